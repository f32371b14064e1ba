//! Reading TOML with places: every value knows where it stands, so that every fault can be told with
//! its file and line.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::TradeError;

/// A value and where it stands.
pub type Value<'file> = Spanned<DeValue<'file>>;
/// What is wrong, and the byte at which it stands.
pub type Fault = (usize, String);

/// One file of a trade.
#[derive(Debug)]
pub struct File<'file> {
    /// Its name, as faults tell it.
    pub name: &'file str,
    text: &'file str,
    /// What it holds.
    pub table: DeTable<'file>,
    /// Whether it is one of those that every trade shares.
    pub is_shared: bool,
}

impl<'file> File<'file> {
    /// Reads a file.
    ///
    /// # Errors
    /// Where it is no TOML.
    pub fn read(name: &'file str, text: &'file str, is_shared: bool) -> Result<Self, TradeError> {
        let told = |error: toml::de::Error| {
            let at = error.span().map_or(0, |span| span.start);
            fault(name, text, (at, error.message().to_owned()))
        };
        Ok(Self {
            name,
            text,
            table: DeTable::parse(text).map_err(told)?.into_inner(),
            is_shared,
        })
    }

    /// The line of a byte, counted from 1.
    pub fn line(&self, at: usize) -> usize {
        line(self.text, at)
    }

    /// A fault of this file.
    pub fn fault(&self, fault: Fault) -> TradeError {
        self::fault(self.name, self.text, fault)
    }
}

fn fault(name: &str, text: &str, (at, message): Fault) -> TradeError {
    TradeError {
        file: name.to_owned(),
        line: line(text, at),
        message,
    }
}

fn line(text: &str, at: usize) -> usize {
    1 + text.get(..at).unwrap_or(text).matches('\n').count()
}

/// The value of that key.
pub fn find<'table, 'file>(
    table: &'table DeTable<'file>,
    key: &str,
) -> Option<&'table Value<'file>> {
    table
        .iter()
        .find(|(one, _)| one.get_ref() == key)
        .map(|(_, value)| value)
}

/// The tables of `[[key]]`, each with its place.
pub fn each<'table, 'file>(
    file: &'table DeTable<'file>,
    key: &str,
) -> Result<Vec<(usize, &'table DeTable<'file>)>, Fault> {
    let Some(value) = find(file, key) else {
        return Ok(Vec::new());
    };
    let array = value
        .get_ref()
        .as_array()
        .ok_or_else(|| (value.span().start, format!("write `[[{key}]]`")))?;
    array
        .iter()
        .map(|one| Ok((one.span().start, table(one)?)))
        .collect()
}

pub fn table<'table, 'file>(value: &'table Value<'file>) -> Result<&'table DeTable<'file>, Fault> {
    value
        .get_ref()
        .as_table()
        .ok_or_else(|| (value.span().start, "this is to be a table".to_owned()))
}

pub fn string<'value>(value: &'value Value<'_>) -> Result<&'value str, Fault> {
    value.get_ref().as_str().ok_or_else(|| {
        (
            value.span().start,
            "this is to be a text in quotes".to_owned(),
        )
    })
}

/// The texts of a list, each with its place. A text of several lines is one too: parted at line
/// breaks and commas, `#` comments.
pub fn strings<'value>(value: &'value Value<'_>) -> Result<Vec<(usize, &'value str)>, Fault> {
    if let Some(array) = value.get_ref().as_array() {
        return array
            .iter()
            .map(|one| Ok((one.span().start, string(one)?)))
            .collect();
    }
    // The quotes and the line break behind them are not in the value.
    let (text, mut at) = (string(value)?, value.span().start + 4);
    let mut texts = Vec::new();
    for line in text.split_inclusive('\n') {
        let plain = line.split('#').next().unwrap_or(line);
        texts.extend(
            plain
                .split(',')
                .map(str::trim)
                .filter(|one| !one.is_empty())
                .map(|one| (at, one)),
        );
        at += line.len();
    }
    Ok(texts)
}

/// What stands under a name.
///
/// # Errors
/// A name that is none of those, with all of them.
pub fn one_of<T: Copy>(names: &[(&str, T)], name: &str, at: usize) -> Result<T, Fault> {
    let known = || {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        names.join(", ")
    };
    names
        .iter()
        .find(|(one, _)| *one == name)
        .map(|(_, value)| *value)
        .ok_or_else(|| (at, format!("`{name}` is none of {}", known())))
}
