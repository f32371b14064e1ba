//! Asks the owner at a terminal what is open in the draft of a format; elsewhere prints the draft (`imports::draft`).

use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};

use anyhow::{Context as _, bail};

use super::report::{print_note, read_answer};
use crate::imports::{Draft, Names, Only, PublicColumn, PublicPart, ReviewField, shown_cell};
use crate::model::text::{escaped, quote_for_shell};

/// Answers that mean none.
const NONE: [&str; 4] = ["n", "no", "none", "-"];

/// Completes a draft with the owner's answers.
///
/// # Errors
/// Without a terminal, after the draft was printed; or if the owner leaves. Then nothing is to be changed.
pub(super) fn complete(draft: Draft, reads_input: bool) -> anyhow::Result<Draft> {
    if draft.needs_source {
        print_draft(&draft)?;
        bail!(
            "nothing was imported: the table has other columns than the format that its source keeps, so it is of a source of its own; \
             save the draft, and run with a name for it: {}",
            command(&draft)
        );
    }
    if reads_input || !is_at_terminal() {
        print_draft(&draft)?;
        bail!(
            "nothing was imported; open in the draft:\n  {}\nreplace each \"?\", save the draft, and run: {}",
            draft.describe_open().join("\n  "),
            command(&draft)
        );
    }
    ask_all(draft)
}

/// Completes the draft of an entry's answer.
///
/// # Errors
/// As [`complete`].
pub(super) fn complete_for_entry(draft: Draft, entry: &str) -> anyhow::Result<Draft> {
    if draft.needs_source {
        bail!(
            "nothing was imported: the table has other columns than the format that its source keeps, so it is of a source of its own; \
             write source = \"NAME\" with a name for it in [{entry}], and run `reviews sync run {entry}` again"
        );
    }
    if is_at_terminal() {
        return ask_all(draft);
    }
    let key = format!("format = \"./{entry}.toml\" in [{entry}]");
    print_text(draft.text(&key))?;
    bail!(
        "nothing was imported; open in the draft:\n  {}\nreplace each \"?\", save the draft as {entry}.toml beside the file of \
         entries, write {key}, and run `reviews sync run {entry}` again",
        draft.describe_open().join("\n  ")
    )
}

fn is_at_terminal() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

fn ask_all(draft: Draft) -> anyhow::Result<Draft> {
    let mut dialogue = Dialogue { draft };
    dialogue.show()?;
    dialogue.run()?.context("nothing was imported")?;
    Ok(dialogue.draft)
}

/// Prints a draft to standard output.
///
/// # Errors
/// If it cannot be printed.
pub(super) fn print_draft(draft: &Draft) -> anyhow::Result<()> {
    print_text(draft.text(&command(draft)))
}

fn print_text(text: String) -> anyhow::Result<()> {
    match io::stdout().write_all(escaped(text).as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("the draft cannot be printed")
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The command of this process that takes the draft, with its own options.
fn command(draft: &Draft) -> String {
    let stem = draft.file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    let name = if stem.is_empty() || stem.contains(' ') || stem.starts_with('-') {
        "format"
    } else {
        stem
    };
    let mut words = vec!["reviews".to_owned()];
    let mut arguments = std::env::args().skip(1);
    while let Some(word) = arguments.next() {
        let is_format = word == "--format" || word.starts_with("--format=");
        let is_source = word == "--source" || word.starts_with("--source=");
        if is_format || is_source && draft.needs_source {
            if !word.contains('=') {
                arguments.next();
            }
            continue;
        }
        if word == "--dry-run" {
            continue;
        }
        words.push(quote_for_shell(&word));
    }
    let mut more = vec![
        "--format".to_owned(),
        quote_for_shell(&format!("{name}.toml")),
    ];
    if draft.needs_source {
        more.extend(["--source".to_owned(), "NAME".to_owned()]);
    }
    // What follows `--` is a file.
    let end = words
        .iter()
        .position(|word| word == "--")
        .unwrap_or(words.len());
    words.splice(end..end, more);
    words.join(" ")
}

struct Dialogue {
    draft: Draft,
}

/// Asks until `read` takes the answer, or says what is wrong with it; `None` if the owner leaves.
fn ask<T>(prompt: &str, mut read: impl FnMut(&str) -> Result<T, String>) -> io::Result<Option<T>> {
    loop {
        match read_answer(prompt)?.as_str() {
            "" => return Ok(None),
            line => match read(line) {
                Ok(answer) => return Ok(Some(answer)),
                Err(wrong) => print_note(&wrong)?,
            },
        }
    }
}

fn is_none(line: &str) -> bool {
    NONE.contains(&line.to_lowercase().as_str())
}

/// The place in a list that a number from 1 on, or one of the names, means.
fn choice(line: &str, names: &[String]) -> Result<usize, String> {
    let by_name = names
        .iter()
        .position(|name| name.eq_ignore_ascii_case(line));
    let number = line.parse::<usize>().ok();
    let by_number = number
        .and_then(|it| it.checked_sub(1))
        .filter(|it| *it < names.len());
    // A value may look like a number of the list.
    by_number.or(by_name).ok_or_else(|| {
        format!(
            "{line} is none of them; write a number from 1 to {}",
            names.len()
        )
    })
}

impl Dialogue {
    /// Shows the columns with their first cells.
    fn show(&self) -> io::Result<()> {
        let draft = &self.draft;
        let mut text = format!("{} has these columns:\n", draft.file);
        for (number, column) in (1..).zip(&draft.columns) {
            let cells = column.cells.join(", ");
            let _ = writeln!(text, "{number:>4}  {}: {cells}", column.header);
        }
        for (name, value) in &draft.beside {
            let value = shown_cell(value);
            let _ = writeln!(text, "Beside the list, not read: {name} = {value}");
        }
        if !draft.lists.is_empty() {
            let lists = draft.lists.join(", ");
            let _ = writeln!(text, "Lists of objects, not read: {lists}");
        }
        print_note(text.trim_end())
    }

    fn run(&mut self) -> io::Result<Option<()>> {
        for key in self.draft.format.open.clone() {
            // A file in another encoding, and another list, have other columns.
            if ["encoding", "sheet", "rows"].contains(&key.as_str())
                && self.ask_place(&key)?.is_none()
            {
                return Ok(None);
            }
        }
        if self.draft.format.open.is_empty() {
            return Ok(Some(()));
        }
        for field in ReviewField::ALL {
            if self.draft.is_open(&format!("fields.{field}")) && self.ask_field(field)?.is_none() {
                return Ok(None);
            }
        }
        for key in ["scale", "date_format", "only"] {
            if self.draft.is_open(key) && self.ask_key(key)?.is_none() {
                return Ok(None);
            }
        }
        for part in PublicPart::ALL {
            if self.ask_gone(part)?.is_none() {
                return Ok(None);
            }
        }
        if self.draft.is_open("ignored") {
            return self.ask_left();
        }
        Ok(Some(()))
    }

    /// Asks which encoding, sheet or list; then the file is read again.
    fn ask_place(&mut self, key: &str) -> io::Result<Option<()>> {
        let context = &self.draft.context;
        let (question, names, shown): (&str, Vec<String>, Vec<String>) = match key {
            "encoding" => {
                let encodings = context.encodings.iter();
                let shown = encodings
                    .clone()
                    .map(|(name, cell)| format!("{name}: {}", shown_cell(cell)));
                let names = encodings.map(|(name, _)| (*name).to_owned());
                (
                    "The file is not UTF-8. Which of these is right?",
                    names.collect(),
                    shown.collect(),
                )
            }
            _ => (
                "Which of these has the reviews?",
                context.places.clone(),
                context.places.clone(),
            ),
        };
        let mut text = question.to_owned();
        for (number, name) in (1..).zip(&shown) {
            let _ = write!(text, "\n{number:>4}  {name}");
        }
        print_note(&text)?;
        let chosen = ask("Its number: ", |line| choice(line, &names))?;
        let Some(chosen) = chosen else {
            return Ok(None);
        };
        let name = Some(names[chosen].clone());
        let format = &mut self.draft.format;
        match key {
            "encoding" => format.encoding = name,
            "sheet" => format.sheet = name,
            _ => format.rows = name,
        }
        format.open.clear();
        Ok(Some(()))
    }

    /// The header of the column with that number or name, unless it is a field already.
    fn column(&self, line: &str) -> Result<String, String> {
        let headers: Vec<String> = self
            .draft
            .columns
            .iter()
            .map(|it| it.header.clone())
            .collect();
        let header = headers[choice(line, &headers)?].clone();
        let format = &self.draft.format;
        let fields = format.fields.iter();
        let mut taken = fields.filter(|(_, names)| names.parts().contains(&header.as_str()));
        match taken.next() {
            Some((field, _)) => Err(format!(
                "{header} is the {field} already; name another column"
            )),
            None => Ok(header),
        }
    }

    fn ask_field(&mut self, field: ReviewField) -> io::Result<Option<()>> {
        let can_lack = matches!(field, ReviewField::Author | ReviewField::Text);
        let noun = field.name();
        let none = if field == ReviewField::Text {
            ", or n if it has ratings only"
        } else if field == ReviewField::Author {
            ", or n if all are anonymous"
        } else {
            ""
        };
        let prompt = format!("Which column is the {noun}? Its number{none}: ");
        let answer = ask(&prompt, |line| {
            if is_none(line) {
                return if can_lack {
                    Ok(None)
                } else {
                    Err(format!(
                        "without the {noun} there is no review; write the number of its column, or nothing to leave"
                    ))
                };
            }
            self.column(line).map(Some)
        })?;
        Ok(answer.map(|column| self.draft.answer_field(field, column.as_deref())))
    }

    fn ask_key(&mut self, key: &str) -> io::Result<Option<()>> {
        let draft = &mut self.draft;
        match key {
            "scale" => {
                let highest = draft.highest.unwrap_or_default();
                let prompt = format!(
                    "The highest rating is {highest}. What is the end of the scale (10, 20, 100)? "
                );
                let scale = ask(&prompt, |line| match line.parse::<std::num::NonZeroU16>() {
                    Ok(scale) if f64::from(scale.get()) >= highest => Ok(scale),
                    _ => Err(format!("write a whole number, at least {highest}")),
                })?;
                let Some(scale) = scale else {
                    return Ok(None);
                };
                draft.format.scale = Some(scale);
            }
            "date_format" => {
                let Some((date, [month, day])) = draft.unclear_date.clone() else {
                    return Ok(None);
                };
                let prompt = format!("Is {} 1 {month} or 2 {day}? ", shown_cell(&date));
                let names = [month.to_string(), day.to_string()];
                let Some(chosen) = ask(&prompt, |line| choice(line, &names))? else {
                    return Ok(None);
                };
                draft.format.date_format = Some(["mm/dd/yyyy", "dd/mm/yyyy"][chosen].to_owned());
            }
            _ => return self.ask_location(),
        }
        draft.format.open.remove(key);
        Ok(Some(()))
    }

    fn ask_location(&mut self) -> io::Result<Option<()>> {
        let Some(column) = self.draft.location.clone() else {
            print_note(
                "The file lacks the column of `only`, so it is not known which rows are your business's; write its present name into \
                 the format: `reviews source format`",
            )?;
            return Ok(None);
        };
        let values = self.draft.column(&column).map(|it| it.values.clone());
        let values = values.unwrap_or_default();
        let names: Vec<String> = values.iter().map(|(value, _)| value.clone()).collect();
        let shown: Vec<String> = (1..)
            .zip(&values)
            .map(|(number, (value, count))| format!("{number} {} ({count})", shown_cell(value)))
            .collect();
        let prompt = format!(
            "{column} has {}. Which of these is your business? Its number, or n if all are: ",
            shown.join(", ")
        );
        let answer = ask(&prompt, |line| {
            if is_none(line) {
                return Ok(None);
            }
            choice(line, &names).map(Some)
        })?;
        let Some(answer) = answer else {
            return Ok(None);
        };
        let format = &mut self.draft.format;
        format.open.remove("only");
        if let Some(chosen) = answer {
            let value = names[chosen].clone();
            format.only = Some(Only { column, value });
        } else {
            format.fields.remove(&ReviewField::Location);
            self.draft.left.push(column);
            self.draft.format.open.insert("ignored".to_owned());
        }
        Ok(Some(()))
    }

    /// Asks which column stands for one of publication that the file lacks.
    fn ask_gone(&mut self, part: PublicPart) -> io::Result<Option<()>> {
        let count = self.draft.format.public_list(part).len();
        for number in 0..count {
            let key = format!("{}.{number}.names", part.key());
            if !self.draft.is_open(&key) {
                continue;
            }
            let former = self.draft.format.public_list(part)[number]
                .names
                .parts()
                .join(", ");
            let prompt = format!(
                "The file lacks {former}, which said what may be shown. Which column says it now? Its number: "
            );
            let Some(column) = ask(&prompt, |line| self.column(line))? else {
                return Ok(None);
            };
            self.draft.left.retain(|left| *left != column);
            self.draft.format.public_list(part)[number].names = Names::List(vec![column]);
            self.draft.format.open.remove(&key);
        }
        Ok(Some(()))
    }

    /// Asks whether one of the columns that are left says what may be shown; the others are ignored.
    fn ask_left(&mut self) -> io::Result<Option<()>> {
        let has_reply = self
            .draft
            .format
            .fields
            .contains_key(&ReviewField::ReplyText);
        let mut is_first = true;
        while !self.draft.left.is_empty() {
            let left = self.draft.left.clone();
            let number = |name: &String| {
                1 + self
                    .draft
                    .columns
                    .iter()
                    .position(|it| it.header == *name)
                    .unwrap_or(0)
            };
            let shown: Vec<String> = left
                .iter()
                .map(|name| format!("{} {name}", number(name)))
                .collect();
            let prompt = if is_first {
                let (count, verb) = match left.len() {
                    1 => ("One column".to_owned(), "is"),
                    count => (format!("{count} columns"), "are"),
                };
                format!(
                    "{count} {verb} left: {}\nDoes one of them say what may be shown on your page? Its number, or n for no: ",
                    shown.join(", ")
                )
            } else {
                "Does another one? Its number, or n for no: ".to_owned()
            };
            is_first = false;
            let answer = ask(&prompt, |line| {
                if is_none(line) {
                    return Ok(None);
                }
                let column = self.column(line)?;
                if left.contains(&column) {
                    Ok(Some(column))
                } else {
                    Err(format!(
                        "{column} is not left; write one of {}",
                        shown.join(", ")
                    ))
                }
            })?;
            let column = match answer {
                None => return Ok(None),
                Some(None) => break,
                Some(Some(column)) => column,
            };
            if self.ask_public(&column, has_reply)?.is_none() {
                return Ok(None);
            }
        }
        self.draft.ignore_left();
        Ok(Some(()))
    }

    fn ask_public(&mut self, column: &str, has_reply: bool) -> io::Result<Option<()>> {
        let mut parts = vec![("1 the review", PublicPart::Review)];
        if has_reply {
            parts.push(("2 the firm's reply", PublicPart::Reply));
        }
        parts.push(("3 the name of its author", PublicPart::Name));
        let shown: Vec<&str> = parts.iter().map(|(shown, _)| *shown).collect();
        let part = ask(&format!("  Of {}? ", shown.join(", ")), |line| {
            let mut found = parts
                .iter()
                .filter(|(shown, _)| shown.starts_with(line) && line.len() == 1);
            found
                .next()
                .map(|(_, part)| *part)
                .ok_or_else(|| format!("{line} is none of them; write one of their numbers"))
        })?;
        let values = self
            .draft
            .column(column)
            .map(|it| it.values.clone())
            .unwrap_or_default();
        let names: Vec<String> = values.iter().map(|(value, _)| value.clone()).collect();
        let Some(part) = part else {
            return Ok(None);
        };
        let prompt = if names.is_empty() {
            format!(
                "  {column} has texts. May it be shown 1 where it is empty, 2 where it is not? "
            )
        } else {
            let counts: Vec<String> = values
                .iter()
                .map(|(value, count)| format!("{} ({count})", shown_cell(value)))
                .collect();
            let numbers: Vec<String> = (1..)
                .zip(&names)
                .map(|(number, value)| format!("{number} {}", shown_cell(value)))
                .collect();
            format!(
                "  It has {}. Which of these means \"may be shown\"? {} (several with commas): ",
                counts.join(", "),
                numbers.join(", ")
            )
        };
        let choices = if names.is_empty() {
            vec![String::new(), "*".to_owned()]
        } else {
            names
        };
        let chosen = ask(&prompt, |line| {
            let parts = line.split(',').map(|part| choice(part.trim(), &choices));
            parts.collect::<Result<Vec<usize>, String>>()
        })?;
        let Some(chosen) = chosen else {
            return Ok(None);
        };
        let block = PublicColumn {
            names: Names::List(vec![column.to_owned()]),
            values: chosen
                .into_iter()
                .map(|place| choices[place].clone())
                .collect(),
            ..PublicColumn::default()
        };
        self.draft.left.retain(|left| left != column);
        self.draft.format.public_list(part).push(block);
        Ok(Some(()))
    }
}
