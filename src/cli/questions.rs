//! Asks the owner about the columns of tables at a terminal, and prints the questions elsewhere (`imports::map::questions`). The answers
//! are options of the command, as they would be elsewhere.

use std::io;

use anyhow::{Context as _, bail};

use super::report::{can_ask, print_note, read_answer};
use crate::imports::{
    Asks, PublicSubject, Question, ReviewField, Undecided, missing_option, noun, shown_value,
};
use crate::model::text::quote_for_shell;

/// Options with their values; a flag has none.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Answers(Vec<(&'static str, String)>);

impl Answers {
    fn add(&mut self, option: &'static str, value: impl Into<String>) {
        self.0.push((option, value.into()));
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// As words of a command line.
    pub(super) fn words(&self) -> Vec<String> {
        let word = |(option, value): &(&str, String)| match value.as_str() {
            "" => (*option).to_owned(),
            value => format!("{option}={value}"),
        };
        self.0.iter().map(word).collect()
    }

    /// The command of this process, with these options in place of `--dry-run`.
    pub(super) fn command(&self) -> String {
        let own = std::env::args().skip(1).filter(|word| word != "--dry-run");
        let own = own.map(|word| quote_for_shell(&word));
        let options = self.0.iter().map(|(option, value)| match value.as_str() {
            "" => (*option).to_owned(),
            value => format!("{option} {}", quote_for_shell(value)),
        });
        let words: Vec<String> = own.chain(options).collect();
        format!("reviews {}", words.join(" "))
    }
}

/// The owner's answers.
///
/// # Errors
/// Without a terminal, with the questions; or if the owner leaves. Then nothing is to be changed.
pub(super) fn decide(undecided: &Undecided, reads_input: bool) -> anyhow::Result<Answers> {
    let table = undecided.tables.to_string();
    if reads_input || !can_ask() {
        let words = ["reviews".to_owned()]
            .into_iter()
            .chain(std::env::args().skip(1));
        let command = undecided.command(&words.collect::<Vec<_>>());
        bail!("{undecided}\n\n{table}\n{}", command.trim_end());
    }
    print_note(&table)?;
    let mut asker = Asker {
        undecided,
        chosen: Vec::new(),
        answers: Answers::default(),
    };
    for question in &undecided.questions {
        asker.ask(question)?.context("nothing was changed")?;
    }
    Ok(asker.answers)
}

struct Asker<'u> {
    undecided: &'u Undecided,
    /// The columns that are answers already.
    chosen: Vec<String>,
    answers: Answers,
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

impl Asker<'_> {
    /// The header of the column with that number or name, among those.
    fn column(&self, answer: &str, among: &[String]) -> Result<String, String> {
        let answer = answer.trim();
        let number = answer
            .parse()
            .ok()
            .and_then(|number: usize| number.checked_sub(1));
        let by_number = number.and_then(|place| self.undecided.tables.columns.get(place));
        let column = by_number.map_or(answer, |column| &column.header);
        let mut headers = among.iter();
        let found = headers.find(|header| header.eq_ignore_ascii_case(column));
        let wrong = || {
            format!(
                "{answer} is none of them; write a number: {}",
                self.undecided.tables.list(among)
            )
        };
        found.cloned().ok_or_else(wrong)
    }

    /// `None` if the owner leaves.
    fn ask(&mut self, question: &Question) -> io::Result<Option<()>> {
        let (column, columns) = (question.column(), &question.columns);
        let answer = match &question.asks {
            Asks::Field { field, is_proposed } => {
                let fitting = if *is_proposed { &[] } else { &columns[..] };
                return self.ask_field(*field, fitting, &question.gone);
            }
            Asks::Public => return self.ask_public(columns, &question.gone),
            Asks::Values(subject) => return self.ask_values(*subject, column),
            Asks::Id => {
                let prompt = format!(
                    "{column} counts the rows (1, 2, 3 …). Is it the same number for the same review in the next file? y or n: "
                );
                self.chosen.push(column.to_owned());
                ask(&prompt, |line| match line.to_lowercase().as_str() {
                    "y" | "yes" => Ok(("--map", format!("id={column}"))),
                    "n" | "no" => Ok(("--ignore", column.to_owned())),
                    _ => Err("write y or n".to_owned()),
                })?
            }
            Asks::Scale { most, end } => {
                let prompt = format!(
                    "{column} goes up to {most}. Does the scale end at {end}? y, or the end of the scale: "
                );
                ask(&prompt, |line| match (line, line.parse::<u8>()) {
                    ("y" | "Y", _) => Ok(("--scale", end.to_string())),
                    (_, Ok(1..)) => Ok(("--scale", line.to_owned())),
                    _ => Err("write y, or a whole number from 1 to 255".to_owned()),
                })?
            }
            Asks::Order {
                date,
                days,
                formats,
            } => {
                let prompt = format!(
                    "{date} in {column}: 1 is {} (month first), 2 is {} (day first): ",
                    days[0], days[1]
                );
                ask(&prompt, |line| match line {
                    "1" => Ok(("--date-format", formats[0].clone())),
                    "2" => Ok(("--date-format", formats[1].clone())),
                    _ => Err("write 1 or 2".to_owned()),
                })?
            }
        };
        Ok(answer.map(|(option, value)| self.answers.add(option, value)))
    }

    fn ask_field(
        &mut self,
        field: ReviewField,
        fitting: &[String],
        gone: &[String],
    ) -> io::Result<Option<()>> {
        let (noun, label, missing) = (noun(field), field.label(), missing_option(field));
        let none = match (field, &missing) {
            (_, None) => "",
            (ReviewField::Text, _) => "; - if there are only ratings",
            (_, Some(_)) => "; - if there is none",
        };
        let gone = gone.first();
        let gone = gone.map(|it| format!("{it}, which is the {label}, is not in the file. "));
        let gone = gone.unwrap_or_default();
        let list = self.undecided.tables.list(fitting);
        let prompt = match list.rsplit_once(", ") {
            None if list.is_empty() => format!("{gone}Which column is {noun}? Its number{none}: "),
            None => format!("{gone}Which column is {noun}: {list}? "),
            Some((before, last)) => format!("{gone}Which column is {noun}: {before} or {last}? "),
        };
        let all = self
            .undecided
            .tables
            .columns
            .iter()
            .map(|column| column.header.clone());
        let all: Vec<String> = all.collect();
        let columns = ask(&prompt, |line| {
            if line == "-" {
                return missing.as_ref().map(|_| Vec::new()).ok_or_else(|| {
                    format!("without {noun} there is no review; an empty line leaves")
                });
            }
            let columns = line.split(',').map(|part| self.column(part, &all));
            let columns: Vec<String> = columns.collect::<Result<_, _>>()?;
            if columns.len() > 1 && field.separator().is_none() {
                return Err(format!("{noun} is one column; write one number"));
            }
            Ok(columns)
        })?;
        let Some(columns) = columns else {
            return Ok(None);
        };
        if columns.is_empty() && field == ReviewField::Text {
            self.answers.add("--no-text", "");
        } else if columns.is_empty() {
            self.answers.add("--map", format!("{label}="));
        }
        for column in &columns {
            self.answers.add("--map", format!("{label}={column}"));
        }
        self.chosen.extend(columns);
        Ok(Some(()))
    }

    /// The one question about all columns that are not decided.
    fn ask_public(&mut self, columns: &[String], gone: &[String]) -> io::Result<Option<()>> {
        let is_open = |header: &&String| !self.chosen.contains(header);
        let columns: Vec<String> = columns.iter().filter(is_open).cloned().collect();
        if columns.is_empty() && gone.is_empty() {
            return Ok(Some(()));
        }
        for header in gone {
            print_note(&format!(
                "{header}, which said whether something may be published, is not in the file."
            ))?;
        }
        print_note(
            "Write 6 answer or 6 name if it says it of your answer or of the author's name.",
        )?;
        let prompt = format!(
            "Does one of the others say whether a review, your answer or the name may be published: {}? Its number; - if none does: ",
            self.undecided.tables.list(&columns)
        );
        let chosen = ask(&prompt, |line| {
            let part = |part: &str| {
                let part = part.trim();
                let about = |word, subject| Some((part.strip_suffix(word)?, subject));
                let (column, subject) = about(" answer", PublicSubject::Answer)
                    .or_else(|| about(" name", PublicSubject::Name))
                    .unwrap_or((part, PublicSubject::Review));
                Ok((subject, self.column(column, &columns)?))
            };
            let parts = line.split(',').filter(|_| line != "-").map(part);
            parts.collect::<Result<Vec<_>, String>>()
        })?;
        let Some(chosen) = chosen else {
            return Ok(None);
        };
        if chosen.is_empty() {
            self.answers.add("--ignore-others", "");
            gone.iter()
                .for_each(|header| self.answers.add("--ignore", header));
        }
        if !chosen
            .iter()
            .any(|(subject, _)| *subject == PublicSubject::Review)
            && chosen.len() < columns.len()
            && !chosen.is_empty()
        {
            self.answers.add("--ignore-others", "");
        }
        for (subject, column) in chosen {
            if self.ask_values(subject, &column)?.is_none() {
                return Ok(None);
            }
        }
        Ok(Some(()))
    }

    fn ask_values(&mut self, subject: PublicSubject, column: &str) -> io::Result<Option<()>> {
        let others = match subject {
            PublicSubject::Review => "All others are withheld.",
            PublicSubject::Answer => "All others are not stored.",
            PublicSubject::Name => "All others are Anonymous.",
        };
        print_note(&format!(
            "{}. With which of them may {} be published? {others}",
            self.undecided.tables.describe_values(column),
            subject.noun()
        ))?;
        let mut columns = self.undecided.tables.columns.iter();
        let values = columns
            .find(|it| it.header == column)
            .into_iter()
            .flat_map(|it| &it.values);
        let values: Vec<&str> = values.map(|it| it.value.as_str()).collect();
        let chosen = ask("Type them, separated by commas: ", |line| {
            read_values(line, &values)
        })?;
        Ok(chosen.map(|chosen| {
            for value in chosen {
                self.answers
                    .add(subject.option(), format!("{column}={value}"));
            }
        }))
    }
}

/// The values in a list with commas; a value may have a comma itself, so the longest ones come first.
fn read_values(line: &str, values: &[&str]) -> Result<Vec<String>, String> {
    let shown = |value: &&str| (shown_value(value).to_lowercase(), (*value).to_owned());
    let mut known: Vec<(String, String)> = values.iter().map(shown).collect();
    known.push(("*".to_owned(), "*".to_owned()));
    known.sort_by_key(|(shown, _)| std::cmp::Reverse(shown.len()));
    let (mut rest, mut chosen) = (line.to_lowercase(), Vec::new());
    loop {
        let text = rest.trim_start();
        let found = known.iter().find_map(|(shown, value)| {
            let after = text.strip_prefix(shown.as_str())?.trim_start();
            (after.is_empty() || after.starts_with(',')).then_some((after, value))
        });
        let Some((after, value)) = found else {
            let wrong = text.split(',').next().unwrap_or_default();
            return Err(format!(
                "{wrong} is none of its values; * is any that is not empty, (empty) an empty cell"
            ));
        };
        chosen.push(value.clone());
        match after.strip_prefix(',') {
            Some(after) => rest = after.to_owned(),
            None => return Ok(chosen),
        }
    }
}
