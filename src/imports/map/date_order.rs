//! The order of day and month in dates of numbers, such as `10/11/2026`: one for all dates of a column, over all files of a
//! call. A date that is possible in one order alone proves it; otherwise the order of the last import, of the platform, of
//! the headers' language, of the other columns, or of the country is taken. It is never guessed.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use crate::imports::file_error::FileError;
use crate::imports::map::date::{DateOrder, Numbers};
use crate::imports::report::Position;

/// The order of each column whose dates need one, by source and column, with a sentence about it.
pub type DateOrders = BTreeMap<(String, String), (DateOrder, String)>;

/// A column of dates in a file.
#[derive(Debug)]
pub struct DateColumn<'t> {
    /// Of the reviews.
    pub source: &'t str,
    pub column: &'t str,
    pub file: &'t str,
    /// The order in the last import.
    pub kept: Option<DateOrder>,
    /// The order that the platform always has, or the language of the headers.
    pub usual: Option<(DateOrder, &'static str)>,
    pub cells: Vec<(&'t Position, &'t str)>,
}

/// A date with its place.
type Found = (String, String);

/// What the dates of one column say.
#[derive(Debug, Default)]
struct Evidence {
    month_first: Option<Found>,
    day_first: Option<Found>,
    /// One that may be read in both orders.
    unclear: Option<(Found, Numbers)>,
}

impl Evidence {
    fn add(&mut self, place: impl Fn() -> String, text: &str, tomorrow: NaiveDate) {
        let Some(numbers) = Numbers::of(text).filter(|numbers| !numbers.is_dotted) else {
            return;
        };
        let found = || (place(), text.to_owned());
        let days = DateOrder::BOTH.map(|order| numbers.day(order));
        // A date after tomorrow in one order is in the other one.
        match days.map(|day| day.filter(|day| *day <= tomorrow)) {
            [Some(_), None] => drop(self.month_first.get_or_insert_with(found)),
            [None, Some(_)] => drop(self.day_first.get_or_insert_with(found)),
            [Some(one), Some(other)] if one != other => {
                self.unclear.get_or_insert_with(|| (found(), numbers));
            }
            [Some(_), Some(_)] | [None, None] => {}
        }
    }

    /// The order that a date proves, with the date.
    const fn proof(&self) -> Option<(DateOrder, &Found)> {
        match (&self.month_first, &self.day_first) {
            (Some(found), None) => Some((DateOrder::MonthFirst, found)),
            (None, Some(found)) => Some((DateOrder::DayFirst, found)),
            (None, None) | (Some(_), Some(_)) => None,
        }
    }
}

/// The order of each column of all files; `country` is that of the business, ISO 3166-1 alpha-2.
///
/// # Errors
/// All contradictions, and the first column whose order nothing tells.
pub fn decide(
    columns: &[DateColumn<'_>],
    country: Option<&str>,
    tomorrow: NaiveDate,
) -> Result<DateOrders, Vec<FileError>> {
    let mut evidence: BTreeMap<(&str, &str), Evidence> = BTreeMap::new();
    for dates in columns {
        let found = evidence.entry((dates.source, dates.column)).or_default();
        for (at, text) in &dates.cells {
            found.add(|| format!("{}:{at}", dates.file), text, tomorrow);
        }
    }
    let mut proven = BTreeMap::new();
    for ((source, column), found) in &evidence {
        if let Some((order, (_, text))) = found.proof() {
            proven
                .entry(*source)
                .or_insert_with(|| (order, format!("like {column}, where {text} proves it")));
        }
    }
    let (mut decided, mut wrong) = (DateOrders::new(), Vec::new());
    for ((source, column), found) in &evidence {
        let key = ((*source).to_owned(), (*column).to_owned());
        let mut same = columns
            .iter()
            .filter(|its| (its.source, its.column) == (*source, *column));
        let first = same.next();
        let (kept, usual) = first.map_or((None, None), |its| (its.kept, its.usual));
        let country = country.map(|country| {
            let order = match country {
                "US" => DateOrder::MonthFirst,
                _ => DateOrder::DayFirst,
            };
            (order, format!("as in the business's country, {country}"))
        });
        let order = match (found.proof(), kept) {
            _ if found.month_first.is_some() && found.day_first.is_some() => {
                wrong.push(contradiction(column, found));
                continue;
            }
            (Some((order, found)), Some(kept)) if order != kept => {
                wrong.push(change(column, order, found));
                continue;
            }
            (Some((order, (_, text))), _) => Some((order, format!("{text} proves it"))),
            (None, _) if found.unclear.is_none() => continue,
            (None, Some(kept)) => Some((kept, "as in the last import".to_owned())),
            (None, None) => usual
                .map(|(order, why)| (order, why.to_owned()))
                .or_else(|| proven.get(source).cloned())
                .or(country),
        };
        let Some((order, why)) = order else {
            wrong.extend(found.unclear.as_ref().map(|its| unclear(column, its)));
            continue;
        };
        let sentence = format!("dates in {column}: {} ({why})", order.name());
        decided.insert(key, (order, sentence));
    }
    if wrong.is_empty() {
        Ok(decided)
    } else {
        Err(wrong)
    }
}

fn contradiction(column: &str, found: &Evidence) -> FileError {
    let lines = [&found.month_first, &found.day_first].map(|found| {
        let (place, text) = found.clone().unwrap_or_default();
        format!("{place}: {text}")
    });
    FileError::new(format!(
        "the dates in {column} have two orders: {} is month first, {} is day first; write them all in one order, or as 2026-10-31",
        lines[0], lines[1]
    ))
}

fn change(column: &str, order: DateOrder, (place, text): &Found) -> FileError {
    let [now, before] = [order, order.other()].map(|order| flag(order, text));
    FileError::new(format!(
        "{place}: {text} in {column} is {}, but the last import read that column {}; pass {now} to read it so from now on, or {before} \
         if the date is wrong",
        order.name(),
        order.other().name()
    ))
}

fn unclear(column: &str, ((place, text), numbers): &(Found, Numbers)) -> FileError {
    let both = DateOrder::BOTH.map(|order| {
        let day = numbers.day(order).unwrap_or_default();
        format!("{day} with `reviews import … {}`", flag(order, text))
    });
    FileError::new(format!(
        "{place}: {text} in {column} may be {} or {}: repeat the command with one of them, or set the country once with \
         `reviews init --country US` (month first) or another one (day first)",
        both[0], both[1]
    ))
}

/// The orders in which all these dates can be read.
pub fn possible<'t>(cells: impl Iterator<Item = &'t str>, tomorrow: NaiveDate) -> Vec<DateOrder> {
    let mut evidence = Evidence::default();
    for cell in cells {
        evidence.add(String::new, cell, tomorrow);
    }
    match evidence.proof() {
        Some((order, _)) => vec![order],
        None => DateOrder::BOTH.into(),
    }
}

/// The option that reads dates like `text` in that order.
pub fn flag(order: DateOrder, text: &str) -> String {
    let mark = text.chars().find(|c| !c.is_ascii_digit()).unwrap_or('/');
    let date = text.split([' ', ',']).next().unwrap_or_default();
    let last = date.rsplit(mark).next().unwrap_or_default();
    let year = if last.len() == 2 { "%y" } else { "%Y" };
    match order {
        DateOrder::MonthFirst => format!("--date-format %m{mark}%d{mark}{year}"),
        DateOrder::DayFirst => format!("--date-format %d{mark}%m{mark}{year}"),
    }
}

/// The order that a date format gives all columns.
pub fn of_format(columns: &[DateColumn<'_>], format: &str) -> DateOrders {
    let Some(order) = order_of(format) else {
        return DateOrders::new();
    };
    let decided = columns.iter().map(|its| {
        let key = (its.source.to_owned(), its.column.to_owned());
        let sentence = format!("dates in {}: {} (--date-format)", its.column, order.name());
        (key, (order, sentence))
    });
    decided.collect()
}

/// The order that a date format has.
fn order_of(format: &str) -> Option<DateOrder> {
    let find = |signs: [&str; 3]| signs.iter().filter_map(|sign| format.find(sign)).min();
    let (day, month) = (find(["%d", "%e", "%-d"])?, find(["%m", "%-m", "%m"])?);
    Some(if month < day {
        DateOrder::MonthFirst
    } else {
        DateOrder::DayFirst
    })
}

/// A date format in strftime notation, also from `mm/dd/yyyy`.
///
/// # Errors
/// When it has other letters.
pub fn strftime(format: &str) -> Result<String, FileError> {
    if format.contains('%') {
        return Ok(format.to_owned());
    }
    let mut written = String::new();
    let mut rest = format;
    let mut is_after_hour = false;
    while let Some(first) = rest.chars().next() {
        let count = rest
            .chars()
            .take_while(|c| c.eq_ignore_ascii_case(&first))
            .count();
        written += match (first.to_ascii_lowercase(), count) {
            ('y', 4) => "%Y",
            ('y', 2) => "%y",
            ('m', 1 | 2) if is_after_hour => "%M",
            ('m', 1 | 2) => "%m",
            ('m', 3) => "%b",
            ('m', 4) => "%B",
            ('d', 1 | 2) => "%d",
            ('h', 1 | 2) => "%H",
            ('s', 1 | 2) => "%S",
            (letter, _) if letter.is_alphabetic() => {
                return Err(FileError::new(format!(
                    "--date-format {format} has {letter}, which is no part of a date; write it like %m/%d/%Y or mm/dd/yyyy"
                )));
            }
            _ => &rest[..first.len_utf8() * count],
        };
        is_after_hour = first.eq_ignore_ascii_case(&'h') || is_after_hour && first == ':';
        rest = &rest[first.len_utf8() * count..];
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::strftime;

    #[test]
    fn a_date_format_may_be_written_with_letters() {
        for (format, written) in [
            ("%d.%m.%y", "%d.%m.%y"),
            ("mm/dd/yyyy", "%m/%d/%Y"),
            ("DD.MM.YY", "%d.%m.%y"),
            ("d-mmm-yyyy hh:mm:ss", "%d-%b-%Y %H:%M:%S"),
        ] {
            assert_eq!(strftime(format).unwrap(), written);
        }
        assert!(strftime("dd/mm/jjjj").is_err());
    }
}
