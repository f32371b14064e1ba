//! Asks the owner at a terminal what is open in the draft of a format; elsewhere prints the draft (`imports::draft`).

use std::fmt::Write as _;
use std::io;
use std::num::NonZeroU16;

use anyhow::{Context as _, bail, ensure};

use super::report::counted;
use super::session::Session;
use crate::imports::{
    DateOrder, Draft, FormatArgument, Missing, Names, Only, PublicColumn, PublicPart, shown_cell,
    shown_values,
};
use crate::model::text::quote_for_shell;
use crate::model::{ReviewField, fold};
use crate::sync::SyncEntry;

/// Asks for the value of a key.
type Question = fn(&mut Draft, &Session) -> anyhow::Result<()>;

/// Answers that mean none.
const NONE: [&str; 4] = ["n", "no", "none", "-"];

/// Completes a draft with the owner's answers.
///
/// # Errors
/// Without a terminal, after the draft was printed; or if the owner leaves. Then nothing is to be changed.
pub(super) fn complete(
    draft: Draft,
    reads_input: bool,
    session: &Session,
) -> anyhow::Result<Draft> {
    let command = command(&draft, session);
    let next = format!("save the draft, and run: {command}");
    complete_with(draft, !reads_input, &command, &next, session)
}

/// Completes the draft of an entry's answer. Where the entry has a file of its format, that counts, and no answer here.
///
/// # Errors
/// As [`complete`].
pub(super) fn complete_for_entry(
    draft: Draft,
    entry: &SyncEntry,
    session: &Session,
) -> anyhow::Result<Draft> {
    let name = &entry.name;
    let command = format!("reviews sync run {name}");
    let (can_ask, place) = match &entry.format {
        Some(FormatArgument::File(path)) => (false, path.display().to_string()),
        Some(FormatArgument::BuiltIn(_) | FormatArgument::Draft) | None => {
            let file = entry.format_file();
            let place = format!(
                "{file} beside the file of entries, write format = \"./{file}\" in [{name}], and source = \"NAME\" if its reviews are of \
                 another source"
            );
            (true, place)
        }
    };
    let mut next = format!("save the draft as {place}, and run `{command}` again");
    if let Some(FormatArgument::File(path)) = &entry.format
        && says_missing(entry)
        && draft
            .format
            .open
            .iter()
            .any(|key| key.ends_with(".missing"))
    {
        // The file said it before the column was there, and its bytes may stay the same.
        let source = quote_for_shell(&entry.source_of(draft.format.like.as_deref()));
        let path = quote_for_shell(&path.display().to_string());
        next = format!(
            "save the draft as {place}, and run `reviews source format {source} {path}` and then `{command}`"
        );
    }
    complete_with(draft, can_ask, &command, &next, session)
}

/// Whether the file of the entry's format says what files without a column of publication mean.
fn says_missing(entry: &SyncEntry) -> bool {
    let request = entry.reading().map(|(request, _)| request);
    let format = request.ok().and_then(|request| request.owner_format);
    format.is_some_and(|it| it.public_columns().any(|block| block.missing.is_some()))
}

/// `command` takes the draft, and `next` is what to do with it.
fn complete_with(
    mut draft: Draft,
    can_ask: bool,
    command: &str,
    next: &str,
    session: &Session,
) -> anyhow::Result<Draft> {
    let is_at_terminal = session.can_ask() && session.output.is_terminal;
    if can_ask && is_at_terminal && !draft.needs_source {
        ask_all(&mut draft, session)?;
        return Ok(draft);
    }
    session.print_result(&draft.text(command))?;
    if draft.needs_source {
        bail!(
            "nothing was imported: the table has other columns than the format that its source keeps, so it is of a source of its own, \
             NAME; {next}"
        );
    }
    bail!(
        "nothing was imported; open in the draft:\n  {}\nreplace each \"?\", {next}",
        draft.describe_open().join("\n  ")
    )
}

/// The command of this process that takes the draft, with its own options.
pub(super) fn command(draft: &Draft, session: &Session) -> String {
    let stem = draft.file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = stem.split('.').next().unwrap_or_default();
    let stem = if stem.is_empty() || stem.contains(' ') || stem.starts_with('-') {
        "format"
    } else {
        stem
    };
    let mut words = vec!["reviews".to_owned()];
    let mut arguments = session
        .arguments
        .iter()
        .skip(1)
        .map(|word| word.to_string_lossy().into_owned());
    while let Some(word) = arguments.next() {
        let is_format = word == "--format" || word.starts_with("--format=");
        let is_source = word == "--source" || word.starts_with("--source=");
        if is_format || is_source && draft.needs_source {
            if !word.contains('=') {
                arguments.next();
            }
            continue;
        }
        words.push(word);
    }
    let mut file = format!("{stem}.toml");
    let is_of_call = |file: &str| {
        let mut names = words
            .iter()
            .map(|word| word.rsplit('/').next().unwrap_or(word));
        names.any(|name| fold(name) == fold(file))
    };
    // The draft must not take the place of a file of the call.
    while is_of_call(&file) {
        file.insert_str(stem.len(), "-format");
    }
    let mut more = vec!["--format".to_owned(), file];
    if draft.needs_source {
        more.extend(["--source", "NAME"].map(str::to_owned));
    }
    // What follows `--` is a file.
    let end = words.iter().position(|word| word == "--");
    let end = end.unwrap_or(words.len());
    words.splice(end..end, more);
    let words: Vec<String> = words.iter().map(|word| quote_for_shell(word)).collect();
    words.join(" ")
}

/// Asks until `read` takes the answer, or says what is wrong with it.
///
/// # Errors
/// If the owner leaves, with an empty line.
fn ask<T>(
    session: &Session,
    prompt: &str,
    mut read: impl FnMut(&str) -> Result<T, String>,
) -> anyhow::Result<T> {
    loop {
        let line = session.read_answer(prompt)?;
        ensure!(!line.is_empty(), "nothing was imported");
        match read(&line) {
            Ok(answer) => return Ok(answer),
            Err(wrong) => session.print_note(&wrong)?,
        }
    }
}

/// As [`ask`]; `None` if the answer means none.
fn ask_or_none<T>(
    session: &Session,
    prompt: &str,
    mut read: impl FnMut(&str) -> Result<T, String>,
) -> anyhow::Result<Option<T>> {
    ask(session, prompt, |line| {
        let is_none = NONE.contains(&line.to_lowercase().as_str());
        (!is_none).then(|| read(line)).transpose()
    })
}

/// The numbers of choices, with a blank; empty where one choice is itself a number that another would have.
fn numbers(choices: &[String]) -> Vec<String> {
    let all = 1..=choices.len();
    let is_unclear = choices.iter().zip(1..).any(|(choice, own)| {
        let number = choice.trim_end_matches(".0").parse();
        number.is_ok_and(|it| it != own && all.contains(&it))
    });
    if is_unclear {
        return vec![String::new(); choices.len()];
    }
    all.map(|it| format!("{it} ")).collect()
}

/// The place in a list that one of its numbers, or one of the names, perhaps in quotes, means.
fn choice(line: &str, names: &[String]) -> Result<usize, String> {
    let quoted = line.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let name = quoted.unwrap_or(line);
    let mut numbers = numbers(names).into_iter();
    let by_number = numbers.position(|number| number == format!("{line} "));
    let exactly = names.iter().position(|it| it == name);
    let by_name = exactly.or_else(|| names.iter().position(|it| fold(it) == fold(name)));
    by_number.or(by_name).ok_or_else(|| {
        format!("{line} is none of them; write one of them, or the number before it")
    })
}

/// The place of a value that may be shown. A word that elsewhere means none could be taken for that, and nothing for an empty cell, so
/// quotes or a number are needed.
fn shown_value(line: &str, names: &[String]) -> Result<usize, String> {
    if line.is_empty() || NONE.contains(&line.to_lowercase().as_str()) {
        return Err(format!(
            "if reviews with the value \"{line}\" may be shown, write it so, in quotes, or its number"
        ));
    }
    choice(line, names)
}

/// Shows the columns with their first cells.
fn show_columns(draft: &Draft, session: &Session) -> io::Result<()> {
    let mut text = format!("{} has these columns:\n", draft.file);
    for (number, column) in (1..).zip(&draft.columns) {
        let cells = column.cells.join(", ");
        let name = draft.shown_name(&column.header);
        let _ = writeln!(text, "{number:>4}  {name}: {cells}");
    }
    text += &draft.describe_around().join("\n");
    session.print_note(text.trim_end())
}

fn ask_all(draft: &mut Draft, session: &Session) -> anyhow::Result<()> {
    for key in ["encoding", "sheet", "rows"] {
        if draft.is_open(key) {
            // A file in another encoding, and another list, have other columns, so the file is read again.
            return ask_place(draft, key, session);
        }
    }
    show_columns(draft, session)?;
    for field in ReviewField::ALL {
        if draft.is_open(&format!("fields.{field}")) {
            ask_field(draft, field, session)?;
        }
    }
    let keys: [(&str, Question); 3] = [
        ("scale", ask_scale),
        ("date_format", ask_date_format),
        ("only", ask_location),
    ];
    for (key, ask) in keys {
        if draft.format.open.remove(key) {
            ask(draft, session)?;
        }
    }
    for part in PublicPart::ALL {
        ask_gone(draft, part, session)?;
    }
    if draft.is_open("ignored") {
        ask_left(draft, session)?;
    }
    Ok(())
}

/// Asks which encoding, sheet or list.
fn ask_place(draft: &mut Draft, key: &str, session: &Session) -> anyhow::Result<()> {
    let choices: Vec<(String, String)> = if key == "encoding" {
        session.print_note("The file is not UTF-8. Which of these is right?")?;
        let encodings = draft.encodings.iter();
        let encodings = encodings.map(|(name, word)| ((*name).to_owned(), shown_cell(word)));
        encodings.collect()
    } else {
        for line in draft.describe_around() {
            session.print_note(&line)?;
        }
        session.print_note("Which of these has the reviews?")?;
        let places = draft.places.iter();
        let places = places.map(|(name, rows)| (name.clone(), format!("rows: {rows}")));
        places.collect()
    };
    let names: Vec<String> = choices.iter().map(|it| it.0.clone()).collect();
    for (number, (name, about)) in numbers(&names).iter().zip(&choices) {
        session.print_note(&format!("{number:>5} {name} ({about})"))?;
    }
    let chosen = ask(session, "Which one? ", |line| choice(line, &names))?;
    let name = Some(names[chosen].clone());
    let format = &mut draft.format;
    match key {
        "encoding" => format.encoding = name,
        "sheet" => format.sheet = name,
        _ => format.rows = name,
    }
    format.open.clear();
    Ok(())
}

/// The header of the column with that number or name, unless it is a field already.
fn find_column(draft: &Draft, line: &str) -> Result<String, String> {
    let columns = draft.columns.iter();
    let headers: Vec<String> = columns.map(|it| it.header.clone()).collect();
    let by_number = (1..=headers.len()).position(|it| it.to_string() == line);
    let place = by_number.map_or_else(|| choice(line, &headers), Ok)?;
    let header = headers[place].clone();
    let mut fields = draft.format.fields.iter();
    let taken = fields.find(|(_, names)| names.parts().contains(&header.as_str()));
    match taken {
        Some((field, _)) => Err(format!(
            "{header} is the {field} already; name another column"
        )),
        None => Ok(header),
    }
}

fn ask_field(draft: &mut Draft, field: ReviewField, session: &Session) -> anyhow::Result<()> {
    let noun = field.name();
    let none = if field == ReviewField::Text {
        ", or n if it has ratings only"
    } else if field == ReviewField::Author {
        ", or n if all are anonymous"
    } else {
        ""
    };
    let prompt = format!("Which column is the {noun}? Its number{none}: ");
    let answer = if none.is_empty() {
        Some(ask(session, &prompt, |line| find_column(draft, line))?)
    } else {
        ask_or_none(session, &prompt, |line| find_column(draft, line))?
    };
    draft.answer_field(field, answer.as_deref());
    Ok(())
}

fn ask_scale(draft: &mut Draft, session: &Session) -> anyhow::Result<()> {
    let highest = draft.highest.unwrap_or_default();
    let prompt = format!("What is {}? ", draft.question("scale"));
    let scale = ask(session, &prompt, |line| match line.parse::<NonZeroU16>() {
        Ok(scale) if f64::from(scale.get()) >= highest => Ok(scale),
        _ => Err(format!("write a whole number, at least {highest}")),
    })?;
    draft.format.scale = Some(scale);
    Ok(())
}

fn ask_date_format(draft: &mut Draft, session: &Session) -> anyhow::Result<()> {
    let unclear = draft.unclear_date.clone();
    let (date, [month, day]) = unclear.context("nothing was imported")?;
    let prompt = format!("Is {} 1 {month} or 2 {day}? ", shown_cell(&date));
    let names = [month.to_string(), day.to_string()];
    let chosen = ask(session, &prompt, |line| choice(line, &names))?;
    draft.format.date_format = Some(DateOrder::BOTH[chosen].format());
    Ok(())
}

fn ask_location(draft: &mut Draft, session: &Session) -> anyhow::Result<()> {
    let column = draft.location.clone().context(
        "nothing was imported: the file lacks the column of `only`, so it is not known which rows are your business's; write its \
         present name into the format: `reviews source format`",
    )?;
    let (names, shown) = values(draft, &column);
    let prompt = format!(
        "{column} has {}. Which of these is your business? (n if all are): ",
        shown.join(", ")
    );
    let answer = ask_or_none(session, &prompt, |line| choice(line, &names))?;
    let format = &mut draft.format;
    if let Some(chosen) = answer {
        let value = names[chosen].clone();
        format.only = Some(Only { column, value });
    } else {
        format.fields.remove(&ReviewField::Location);
        format.open.insert("ignored".to_owned());
        draft.left.push(column);
    }
    Ok(())
}

/// The values of a column, and each as it is shown, with its number and count.
fn values(draft: &Draft, column: &str) -> (Vec<String>, Vec<String>) {
    let column = draft.column(column);
    let values = column.map_or(&[][..], |column| &column.values);
    let names: Vec<String> = values.iter().map(|it| it.0.clone()).collect();
    let numbers = numbers(&names).into_iter();
    let texts = shown_values(names.iter().map(String::as_str));
    let shown = numbers.zip(texts).zip(values);
    let shown = shown.map(|((number, text), (_, count))| format!("{number}{text:?} ({count})"));
    let shown = shown.collect();
    (names, shown)
}

/// What the owner says of a column of publication that the file lacks.
enum Gone {
    Means(Missing),
    /// This column says it now.
    Is(String),
}

/// Asks what a file without a column of publication means, or which column stands for it.
fn ask_gone(draft: &mut Draft, part: PublicPart, session: &Session) -> anyhow::Result<()> {
    for number in 0..draft.format.public_list(part).len() {
        let key = format!("{part}.{number}.missing");
        let Some((_, block)) = draft.block_of(&key).filter(|_| draft.is_open(&key)) else {
            continue;
        };
        // A built-in format's columns have their names.
        let can_be_renamed = !block.is_of_base();
        let renamed = if can_be_renamed {
            ", or the number of the column that says it now"
        } else {
            ""
        };
        let prompt = format!(
            "The file lacks {}, which says which {noun} are public. What are {noun} in a file without it? public or hidden{renamed} (what it \
             hid stays hidden): ",
            block.names.parts().join(", "),
            noun = part.hidden_noun(),
        );
        let answer = ask(session, &prompt, |line| {
            match line.to_lowercase().as_str() {
                "public" => Ok(Gone::Means(Missing::Public)),
                "hidden" => Ok(Gone::Means(Missing::Hidden)),
                _ if can_be_renamed => find_column(draft, line).map(Gone::Is),
                _ => Err(format!("{line} is neither; write public or hidden")),
            }
        })?;
        draft.format.open.remove(&key);
        let block = &mut draft.format.public_list(part)[number];
        match answer {
            Gone::Means(missing) => block.missing = Some(missing),
            Gone::Is(column) => {
                draft.left.retain(|left| *left != column);
                block.names = Names::List(vec![column]);
            }
        }
    }
    Ok(())
}

/// Asks whether one of the columns that are left says what may be shown; the others are ignored.
fn ask_left(draft: &mut Draft, session: &Session) -> anyhow::Result<()> {
    let columns = counted(draft.left.len() as u64, "column is", "columns are");
    let shown = draft.columns.iter().zip(1..);
    let shown = shown.filter(|(column, _)| draft.left.contains(&column.header));
    let shown: Vec<String> = shown
        .map(|(column, number)| format!("{number} {}", draft.shown_name(&column.header)))
        .collect();
    let mut prompt = format!(
        "{columns} left: {}\nDoes one of them say what may be shown on your page? Its number, or n for no: ",
        shown.join(", ")
    );
    while !draft.left.is_empty() {
        let answer = ask_or_none(session, &prompt, |line| {
            let column = find_column(draft, line)?;
            let is_left = draft.left.contains(&column);
            is_left.then_some(()).ok_or_else(|| {
                format!("{column} is not left; write one of {}", shown.join(", "))
            })?;
            Ok(column)
        })?;
        let Some(column) = answer else { break };
        ask_public(draft, &column, session)?;
        "Does another one? Its number, or n for no: ".clone_into(&mut prompt);
    }
    draft.ignore_left();
    Ok(())
}

fn ask_public(draft: &mut Draft, column: &str, session: &Session) -> anyhow::Result<()> {
    let fields = &draft.format.fields;
    let has_reply = fields.contains_key(&ReviewField::ReplyText);
    let mut parts = vec!["1 the review", "3 the name of its author"];
    if has_reply {
        parts.insert(1, "2 the firm's reply");
    }
    let part = ask(
        session,
        &format!("  Of {}? ", parts.join(", ")),
        |line| match line {
            "1" => Ok(PublicPart::Review),
            "2" if has_reply => Ok(PublicPart::Reply),
            "3" => Ok(PublicPart::Name),
            _ => Err(format!(
                "{line} is none of them; write one of their numbers"
            )),
        },
    )?;
    let (mut names, shown) = values(draft, column);
    let prompt = if names.is_empty() {
        names = vec![String::new(), "*".to_owned()];
        format!("  {column} has texts. May it be shown 1 where it is empty, 2 where it is not? ")
    } else {
        format!(
            "  It has {}. Which of these means \"may be shown\"? (several with commas; a \"no\" in quotes): ",
            shown.join(", ")
        )
    };
    let chosen = ask(session, &prompt, |line| {
        // A cell may have commas.
        if let Ok(whole) = shown_value(line, &names) {
            return Ok(vec![whole]);
        }
        let parts = line.split(',').map(|part| shown_value(part.trim(), &names));
        parts.collect::<Result<Vec<usize>, String>>()
    })?;
    let block = PublicColumn {
        names: Names::List(vec![column.to_owned()]),
        values: chosen.into_iter().map(|at| names[at].clone()).collect(),
        ..PublicColumn::default()
    };
    draft.left.retain(|left| left != column);
    draft.format.public_list(part).push(block);
    Ok(())
}
