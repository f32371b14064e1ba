//! Parses dates in the forms that files use: ISO, RFC 3339, RFC 2822, `10/31/2026` if the order is known,
//! `Oct 31, 2026`, Unix seconds and milliseconds, or `--date-format`. An ambiguous date is refused, never guessed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;
use serde::Deserialize;

use crate::imports::map::questions::{Asks, Question};
use crate::imports::map::values::{WORDS, names};
use crate::imports::report::FileError;
use crate::model::text::quoted;
use crate::model::{Day, Posted};

#[derive(Debug, Clone, Copy, Default)]
pub struct Dates<'a> {
    /// `--date-format`, in strftime notation. If it is given, of the other forms only those of ISO 8601 are accepted, in
    /// which the date cells of a workbook are read.
    pub format: Option<&'a str>,
    /// The order of the column's dates such as `10/11/2026`.
    pub order: Option<DateOrder>,
    /// The platform's time zone, for times without one; otherwise the business's.
    pub zone: Option<Tz>,
}

/// The order in a date of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DateOrder {
    /// Month, day, year: `10/31/2026`.
    MonthFirst,
    /// Day, month, year: `31/10/2026`.
    DayFirst,
}

impl DateOrder {
    pub const BOTH: [Self; 2] = [Self::MonthFirst, Self::DayFirst];

    pub const fn name(self) -> &'static str {
        match self {
            Self::MonthFirst => "month first",
            Self::DayFirst => "day first",
        }
    }

    /// As in `source_column`.
    pub const fn stored_name(self) -> &'static str {
        match self {
            Self::MonthFirst => "month_first",
            Self::DayFirst => "day_first",
        }
    }

    pub fn find(name: &str) -> Option<Self> {
        Self::BOTH
            .into_iter()
            .find(|order| order.stored_name() == name)
    }

    pub const fn other(self) -> Self {
        match self {
            Self::MonthFirst => Self::DayFirst,
            Self::DayFirst => Self::MonthFirst,
        }
    }
}

/// Unix seconds from 2001-09-09 on; there were no online reviews before, and smaller numbers have another meaning.
const UNIX_SECONDS: std::ops::RangeInclusive<i64> = 1_000_000_000..=9_999_999_999;
/// Day numbers of a spreadsheet, from 1990 to 2099; day 1 is 1900-01-01, and there is a day 1900-02-29.
const SERIAL_DAYS: std::ops::RangeInclusive<i64> = 32_874..=73_050;
const SERIAL_DAY_0: NaiveDate = NaiveDate::from_ymd_opt(1899, 12, 30).unwrap();
/// Maximum length of a date in bytes.
const TEXT_BYTES_MAX: usize = 96;

impl Dates<'_> {
    pub fn parse(self, text: &str) -> Result<Posted, String> {
        let parts = DateParts::of(text);
        let Some(format) = self.format else {
            return self.place(&parts.ok_or_else(|| unknown(text))?, text);
        };
        let formatted = self.formatted(text.trim(), format);
        formatted.or_else(|wrong| match parts {
            Some(parts) if text.trim().find('-') == Some(4) => self.place(&parts, text),
            Some(_) | None => Err(wrong),
        })
    }

    fn formatted(self, text: &str, format: &str) -> Result<Posted, String> {
        let wrong = || {
            format!(
                "{} does not match {} of --date-format",
                quoted(text),
                quoted(format)
            )
        };
        if let Ok(instant) = DateTime::parse_from_str(text, format) {
            return posted(instant.to_utc(), text);
        }
        // If the format has no time, cells with a time after the date are accepted, too.
        let day = || {
            let (date, rest) = NaiveDate::parse_and_remainder(text, format).ok()?;
            let time = clock(rest).filter(|(_, zone)| zone.is_empty());
            (rest.is_empty() || time.is_some()).then(|| (date, time.map(|(time, _)| time)))
        };
        let time = NaiveDateTime::parse_from_str(text, format).ok();
        let found = time
            .map(|time| (time.date(), Some(time.time())))
            .or_else(day);
        // %Y takes any number of digits.
        let (date, time) = found
            .filter(|(date, _)| date.year() >= 1000)
            .ok_or_else(wrong)?;
        let parts = DateParts {
            date: DatePart::Day(date),
            time,
            zone: None,
        };
        self.place(&parts, text)
    }

    /// The day or the instant of a date.
    fn place(self, parts: &DateParts, text: &str) -> Result<Posted, String> {
        let date = match &parts.date {
            DatePart::Instant(instant) => return posted(*instant, text),
            DatePart::Day(day) => *day,
            DatePart::Numbers(numbers) => self.numbers(numbers, text)?,
        };
        let zone = parts.zone.or(self.zone.map(Zone::Named));
        let instant = match (parts.time.map(|time| date.and_time(time)), zone) {
            (Some(time), Some(Zone::Minutes(minutes))) => time
                .and_utc()
                .checked_sub_signed(TimeDelta::minutes(minutes)),
            // If the clock shows an hour twice, the first one counts; a skipped hour is an error.
            (Some(time), Some(Zone::Named(zone))) => zone
                .from_local_datetime(&time)
                .earliest()
                .map(|instant| instant.to_utc()),
            (None, _) | (_, None) => {
                let day = Day::new(date).map(Posted::Day);
                return day.ok_or_else(|| unknown(text));
            }
        };
        posted(instant.ok_or_else(|| unknown(text))?, text)
    }

    fn numbers(self, numbers: &Numbers, text: &str) -> Result<NaiveDate, String> {
        let order = match (self.order, numbers.is_dotted) {
            // Dots mean that the day is first.
            (_, true) => DateOrder::DayFirst,
            (Some(order), false) => order,
            (None, false) => match DateOrder::BOTH.map(|order| numbers.day(order)) {
                [Some(one), Some(other)] if one != other => {
                    return Err(format!("{} may be {one} or {other}", quoted(text)));
                }
                [None, _] => DateOrder::DayFirst,
                [Some(_), _] => DateOrder::MonthFirst,
            },
        };
        let date = numbers.day(order);
        date.ok_or_else(|| match numbers.day(order.other()) {
            Some(_) if !numbers.is_dotted => {
                format!(
                    "{} is no date, because the column's dates are {}",
                    quoted(text),
                    order.name()
                )
            }
            Some(_) | None => unknown(text),
        })
    }
}

/// The parts of a date.
#[derive(Debug, Clone, Copy)]
struct DateParts {
    date: DatePart,
    time: Option<NaiveTime>,
    zone: Option<Zone>,
}

#[derive(Debug, Clone, Copy)]
enum DatePart {
    /// Of Unix time.
    Instant(DateTime<Utc>),
    Day(NaiveDate),
    Numbers(Numbers),
}

#[derive(Debug, Clone, Copy)]
enum Zone {
    /// East of UTC.
    Minutes(i64),
    Named(Tz),
}

impl DateParts {
    fn of(text: &str) -> Option<Self> {
        if text.len() > TEXT_BYTES_MAX {
            return None;
        }
        let mut text = text
            // Some browsers write marks of direction.
            .replace(['\u{200e}', '\u{200f}'], "")
            .replace(['年', '月'], "-")
            .replace('日', "")
            .replace('\u{a0}', " ");
        for (half, plain) in [('a', "AM"), ('p', "PM")] {
            text = text.replace(&format!("{half}. m."), plain);
            text = text.replace(&format!("{half}.m."), plain);
        }
        let mut text = text.trim();
        if let Some(date) = number_of_time(text) {
            return Some(Self {
                date,
                time: None,
                zone: None,
            });
        }
        // `20261031T080000Z`
        let compact = text.get(..15).unwrap_or_default();
        let compact = NaiveDateTime::parse_from_str(compact, "%Y%m%dT%H%M%S").ok();
        let plain = compact
            .or_else(|| NaiveDateTime::parse_from_str(text, "%Y%m%d%H%M%S").ok())
            .map(|time| format!("{time} {}", text.get(15..).unwrap_or_default()));
        text = plain.as_deref().unwrap_or(text);
        let digit = |c: char| c.is_ascii_digit();
        let start = match text.find(':') {
            Some(colon) => Some(text[..colon].trim_end_matches(digit).len()),
            // `14/03/2025 14.05.33`, as Italians, Danes and Finns write times, and `14h05` of the French.
            None => text.rfind(' ').map(|blank| blank + 1).filter(|start| {
                let parts: Vec<&str> = text[*start..].split(['.', 'h']).collect();
                let is_pair = |part: &&str| part.len() == 2 && part.chars().all(digit);
                matches!(parts.len(), 2 | 3)
                    && parts[1..].iter().all(is_pair)
                    && parts[0].len() <= 2
                    && text[..*start].contains(digit)
            }),
        };
        let Some(start) = start else {
            return Some(Self {
                date: date_of(text)?,
                time: None,
                zone: None,
            });
        };
        let (date, time) = text.split_at(start);
        let (time, zone) = clock(time)?;
        // `Mar 4, 2025 at 2:10 PM`, `14.03.2025 um 14:05`
        let date = date.trim_end_matches(|c: char| !digit(c));
        Some(Self {
            date: date_of(date)?,
            time: Some(time),
            zone: if zone.is_empty() {
                None
            } else {
                Some(zone_of(zone)?)
            },
        })
    }
}

/// A time at the beginning of a text, and the text behind it.
fn clock(text: &str) -> Option<(NaiveTime, &str)> {
    let text = text.trim_start_matches(['T', ' ', ',']);
    let end = text.find(|c: char| !c.is_ascii_digit() && !":.h".contains(c));
    let (clock, rest) = text.split_at(end.unwrap_or(text.len()));
    let rest = rest.trim();
    // A fraction follows the seconds.
    let mut clock = clock.trim_end_matches('h').replace('h', ":");
    if !clock.contains(':') {
        clock = clock.replace('.', ":");
    }
    let half = rest.get(..2).unwrap_or_default().to_uppercase();
    let read = |formats: [&str; 2], text: &str| {
        let mut times = formats.into_iter();
        times.find_map(|format| NaiveTime::parse_from_str(text, format).ok())
    };
    if ["AM", "PM"].contains(&half.as_str()) && !rest[2..].starts_with(char::is_alphabetic) {
        let time = format!("{clock} {half}");
        let time = read(["%I:%M %p", "%I:%M:%S%.f %p"], &time)?;
        return Some((time, rest[2..].trim_start()));
    }
    let time = read(["%H:%M", "%H:%M:%S%.f"], &clock)?;
    Some((time, rest.strip_prefix("Uhr").unwrap_or(rest).trim_start()))
}

/// A time zone: `Z`, a name, `GMT+2`, or `+02:00`.
fn zone_of(text: &str) -> Option<Zone> {
    // JavaScript: `GMT+0000 (Coordinated Universal Time)`; `+0000 UTC`.
    let name = text.split(' ').next()?;
    if name.contains('/') {
        return name.parse().ok().map(Zone::Named);
    }
    if let Some(minutes) = WORDS.offsets.get(name) {
        return Some(Zone::Minutes(*minutes));
    }
    let offset = name
        .strip_prefix("GMT")
        .or_else(|| name.strip_prefix("UTC"))
        .unwrap_or(name);
    let (sign, digits) = match offset.split_at_checked(1)? {
        ("+", digits) => (1, digits),
        ("-", digits) => (-1, digits),
        _ => return None,
    };
    let whole = (digits.len() == 4).then(|| digits.split_at_checked(2));
    let parts = digits.split_once(':').or(whole.flatten());
    let (hours, minutes) = parts.unwrap_or((digits, "0"));
    let (hours, minutes): (i64, i64) = (hours.parse().ok()?, minutes.parse().ok()?);
    let is_offset = (0..=14).contains(&hours) && (0..60).contains(&minutes);
    is_offset.then_some(Zone::Minutes(sign * (hours * 60 + minutes)))
}

/// A date without its time.
fn date_of(text: &str) -> Option<DatePart> {
    // `Fr., 14.03.2025`
    let plain = text
        .trim_start_matches(char::is_alphabetic)
        .trim_start_matches(['.', ',', ' ']);
    let numbers: Vec<&str> = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|number| !number.is_empty())
        .collect();
    let [first, second] = numbers[..] else {
        let [first, second, third] = numbers[..] else {
            return None;
        };
        let mark = plain.chars().find(|c| !c.is_ascii_digit())?;
        let joined =
            |between: &str| format!("{first}{mark}{between}{second}{mark}{between}{third}");
        // `1. 3. 2025`
        let is_one = plain == joined("") || mark == '.' && plain == joined(" ");
        let is_known = is_one && matches!(mark, '/' | '-' | '.');
        let is_day = |number: &str| (1..=2).contains(&number.len());
        if is_known && first.len() == 4 && is_day(second) && is_day(third) {
            return day(first, second.parse().ok()?, third).map(DatePart::Day);
        }
        // Two digits of a year are those of this century; after dashes the year may be the first number.
        let century = match third.len() {
            2 if mark != '-' => 2000,
            4 => 0,
            _ => return None,
        };
        return (is_known && is_day(first) && is_day(second)).then_some(DatePart::Numbers(
            Numbers {
                first: first.parse().ok()?,
                second: second.parse().ok()?,
                year: century + third.parse::<i32>().ok()?,
                is_dotted: mark == '.',
            },
        ));
    };
    // `15. Oktober 2026`, `15 de octubre de 2026`, `Octubre 15, 2026`, `2025 Feb 5`
    let lower = text.to_lowercase();
    let (before, rest) = lower.split_once(first)?;
    let (between, _) = rest.split_once(second)?;
    // Words outside the date may be short weekdays, and `mar.` is one as well as a month.
    let mut months = months_in(between);
    if months.is_empty() {
        months = months_in(before);
    }
    let [month] = months[..] else {
        return None;
    };
    if first.len() == 4 {
        return day(first, month, second).map(DatePart::Day);
    }
    // `14-mrt-25`
    let is_short = second.len() == 2 && between.starts_with('-');
    let year = if is_short {
        format!("20{second}")
    } else {
        second.to_owned()
    };
    day(&year, month, first).map(DatePart::Day)
}

fn day(year: &str, month: u32, day: &str) -> Option<NaiveDate> {
    let date = NaiveDate::from_ymd_opt(year.parse().ok()?, month, day.parse().ok()?);
    date.filter(|date| year.len() == 4 && date.year() >= 1000)
}

/// The months, from 1, whose names begin a word of the text.
fn months_in(text: &str) -> Vec<u32> {
    let month = |word: &str| {
        let begins = |month: &'static String| names(month).any(|start| word.starts_with(start));
        (1..).zip(&WORDS.months).find(|(_, month)| begins(month))
    };
    let is_weekday = |word: &&str| names(&WORDS.weekdays).any(|weekday| weekday == *word);
    let words = text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| word.chars().count() >= 3 && !is_weekday(word));
    let mut months: Vec<u32> = words.filter_map(|word| Some(month(word)?.0)).collect();
    months.dedup();
    months
}

/// Unix time in seconds, milliseconds or microseconds, or the day number of a spreadsheet; each may have a fraction.
fn number_of_time(text: &str) -> Option<DatePart> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut digits = whole.bytes().chain(fraction.bytes());
    let number: i64 = whole.parse().ok()?;
    if !digits.all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if whole.len() == 5 && SERIAL_DAYS.contains(&number) {
        let day = SERIAL_DAY_0.checked_add_signed(TimeDelta::days(number));
        return day.map(DatePart::Day);
    }
    let mut units = [1, 1_000, 1_000_000].into_iter();
    let unit = units.find(|unit| UNIX_SECONDS.contains(&(number / unit)))?;
    let instant = DateTime::from_timestamp_micros(number * (1_000_000 / unit));
    instant.map(DatePart::Instant)
}

/// A date of three numbers, of which the last is the year: `10/31/2026`, `31.10.26`.
#[derive(Debug, Clone, Copy)]
pub struct Numbers {
    first: u32,
    second: u32,
    year: i32,
    pub is_dotted: bool,
}

impl Numbers {
    /// The numbers of a date, which may have a time.
    pub fn of(text: &str) -> Option<Self> {
        match DateParts::of(text)?.date {
            DatePart::Numbers(numbers) => Some(numbers),
            DatePart::Day(_) | DatePart::Instant(_) => None,
        }
    }

    /// The day in that order.
    pub fn day(&self, order: DateOrder) -> Option<NaiveDate> {
        let (month, day) = match order {
            DateOrder::MonthFirst => (self.first, self.second),
            DateOrder::DayFirst => (self.second, self.first),
        };
        NaiveDate::from_ymd_opt(self.year, month, day).filter(|date| date.year() >= 1000)
    }
}

fn posted(instant: DateTime<Utc>, text: &str) -> Result<Posted, String> {
    if (1..=9999).contains(&instant.year()) {
        Ok(Posted::Instant(instant))
    } else {
        Err(unknown(text))
    }
}

/// Forms that are accepted only with `--date-format`.
const ADVISED: [&str; 6] = [
    "%Y%m%d", "%d-%m-%y", "%y-%m-%d", "%m-%d-%y", "%m.%d.%Y", "%m.%d.%y",
];

fn unknown(text: &str) -> String {
    let date = text.split(' ').next().unwrap_or_default();
    let reads = |format: &&str| {
        let date = NaiveDate::parse_from_str(date, format);
        date.is_ok_and(|date| (1000..=9999).contains(&date.year()))
    };
    let fitting = ADVISED.into_iter().filter(reads);
    let flags: Vec<String> = fitting
        .map(|format| format!("--date-format {format}"))
        .collect();
    let numbers = text
        .split(|c: char| !c.is_ascii_digit())
        .filter(|number| !number.is_empty())
        .count();
    let has_day = numbers > 2 || numbers == 2 && text.contains(char::is_alphabetic);
    let advice = if !flags.is_empty() {
        format!("give its format with {}", flags.join(" or "))
    } else if has_day {
        "give its format with --date-format, for example %d.%m.%y".to_owned()
    } else {
        "write the whole day there".to_owned()
    };
    format!(
        "{} is not a known date such as 2026-10-31; {advice}",
        quoted(text),
    )
}

// The order of day and month in dates of numbers, such as `10/11/2026`: one for all dates of a column, over all files of
// a call. A date that is possible in one order alone proves it; otherwise the order of the last import, of the platform,
// of the headers' language, of the other columns, or of the country is taken. It is never guessed.

/// The order of each column whose dates need one, by source and column, with a sentence about it.
pub type DateOrders = BTreeMap<(String, String), (DateOrder, String)>;

/// The columns of dates in all files, by source and column.
pub type DateColumns = BTreeMap<(String, String), Evidence>;

/// Questions about files, each with the file's number.
pub type FileQuestions = Vec<(usize, Question)>;

/// A date with its place.
type Found = (String, String);

/// What is known of the dates of one column.
#[derive(Debug, Default)]
pub struct Evidence {
    /// The order in the last import.
    pub kept: Option<DateOrder>,
    /// The order that the platform always has.
    pub usual: Option<DateOrder>,
    month_first: Option<Found>,
    day_first: Option<Found>,
    /// The number of the file of one that may be read in both orders, the date, and the days that it has so.
    unclear: Option<(usize, String, [NaiveDate; 2])>,
}

impl Evidence {
    /// Adds a date in the file with this number; `place` is where it is.
    pub fn add(
        &mut self,
        file: usize,
        place: impl Fn() -> String,
        text: &str,
        tomorrow: NaiveDate,
    ) {
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
                self.unclear
                    .get_or_insert_with(|| (file, text.to_owned(), [one, other]));
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

/// The order of each column of all files, and the columns whose order nothing tells, each with the number of a file; `country` is that of
/// the business, ISO 3166-1 alpha-2.
///
/// # Errors
/// All contradictions.
pub fn decide(
    columns: &DateColumns,
    country: Option<&str>,
) -> Result<(DateOrders, FileQuestions), Vec<FileError>> {
    let mut asked = Vec::new();
    let country = country.map(|country| {
        let order = match country {
            "US" => DateOrder::MonthFirst,
            _ => DateOrder::DayFirst,
        };
        (order, format!("as in the business's country, {country}"))
    });
    let (mut decided, mut wrong) = (DateOrders::new(), Vec::new());
    for ((source, column), found) in columns {
        if let (Some(month_first), Some(day_first)) = (&found.month_first, &found.day_first) {
            wrong.push(contradiction(column, month_first, day_first));
            continue;
        }
        let order = match (found.proof(), found.kept) {
            (Some((order, found)), Some(kept)) if order != kept => {
                wrong.push(change(column, order, found));
                continue;
            }
            (Some((order, (_, text))), _) => Some((order, format!("{text} proves it"))),
            (None, _) if found.unclear.is_none() => continue,
            (None, Some(kept)) => Some((kept, "as in the last import".to_owned())),
            (None, None) => (found.usual)
                .map(|order| (order, "as this platform writes them".to_owned()))
                .or_else(|| country.clone()),
        };
        let Some((order, why)) = order else {
            asked.extend(found.unclear.as_ref().map(|(file, date, days)| {
                let asks = Asks::Order {
                    date: date.clone(),
                    days: *days,
                    formats: DateOrder::BOTH.map(|order| date_format_of(order, date)),
                };
                let question = Question::new(asks, vec![column.clone()]);
                (*file, question)
            }));
            continue;
        };
        let sentence = format!("dates in {column}: {} ({why})", order.name());
        let key = (source.clone(), column.clone());
        decided.insert(key, (order, sentence));
    }
    if wrong.is_empty() {
        Ok((decided, asked))
    } else {
        Err(wrong)
    }
}

fn contradiction(column: &str, month_first: &Found, day_first: &Found) -> FileError {
    let ((place, text), (other_place, other_text)) = (month_first, day_first);
    FileError::new(format!(
        "the dates in {column} have two orders: {place}: {text} is month first, {other_place}: {other_text} is day first; write \
         them all in one order, or as 2026-10-31"
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

/// The orders in which all these dates can be read.
pub fn possible<'t>(cells: impl Iterator<Item = &'t str>, tomorrow: NaiveDate) -> Vec<DateOrder> {
    let mut evidence = Evidence::default();
    for cell in cells {
        evidence.add(0, String::new, cell, tomorrow);
    }
    match evidence.proof() {
        Some((order, _)) => vec![order],
        None => DateOrder::BOTH.into(),
    }
}

/// The option that reads dates like `text` in that order.
pub fn flag(order: DateOrder, text: &str) -> String {
    format!("--date-format {}", date_format_of(order, text))
}

/// The format that reads dates like `text` in that order.
fn date_format_of(order: DateOrder, text: &str) -> String {
    let mark = text.chars().find(|c| !c.is_ascii_digit()).unwrap_or('/');
    let date = text.split([' ', ',']).next().unwrap_or_default();
    let last = date.rsplit(mark).next().unwrap_or_default();
    let year = if last.len() == 2 { "%y" } else { "%Y" };
    match order {
        DateOrder::MonthFirst => format!("%m{mark}%d{mark}{year}"),
        DateOrder::DayFirst => format!("%d{mark}%m{mark}{year}"),
    }
}

/// The order that a date format gives all columns.
pub fn of_format(columns: &DateColumns, format: &str) -> DateOrders {
    let Some(order) = order_of(format) else {
        return DateOrders::new();
    };
    let decided = columns.keys().map(|key| {
        let sentence = format!("dates in {}: {} (--date-format)", key.1, order.name());
        (key.clone(), (order, sentence))
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
/// When it does not say a whole day, or has other letters.
pub fn strftime(format: &str) -> Result<String, FileError> {
    let mut written = String::new();
    let mut rest = format;
    if format.contains('%') {
        (written, rest) = (format.to_owned(), "");
    }
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
    let mut text = String::new();
    let is_written = write!(text, "{}", DateTime::UNIX_EPOCH.format(&written)).is_ok();
    if is_written && Dates::default().formatted(&text, &written).is_ok() {
        return Ok(written);
    }
    Err(FileError::new(format!(
        "--date-format {} is no format of a whole day; write it like %m/%d/%Y or mm/dd/yyyy",
        quoted(format)
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Posted;

    fn shown(dates: Dates<'_>, text: &str) -> String {
        match dates.parse(text) {
            Ok(Posted::Day(day)) => day.to_string(),
            Ok(Posted::Instant(instant)) => instant.format("%FT%TZ").to_string(),
            Err(error) => format!("! {error}"),
        }
    }

    #[test]
    fn an_unambiguous_date_is_parsed() {
        for (text, expected) in [
            ("2026-10-31", "2026-10-31"),
            ("2026/10/31", "2026-10-31"),
            ("2026-10-31 19:32:11", "2026-10-31"),
            ("2026-10-31T19:32", "2026-10-31"),
            ("2026-10-31T19:32:11.123456Z", "2026-10-31T19:32:11Z"),
            ("2026-10-31T19:32:11+0200", "2026-10-31T17:32:11Z"),
            ("2026-10-31 19:32:11 UTC", "2026-10-31T19:32:11Z"),
            ("2026-10-31 19:32:11 +0200", "2026-10-31T17:32:11Z"),
            ("Sat, 31 Oct 2026 19:32:11 GMT", "2026-10-31T19:32:11Z"),
            ("10/31/2026", "2026-10-31"),
            ("31/10/2026 08:15", "2026-10-31"),
            ("07/07/2026", "2026-07-07"),
            ("31.10.2026", "2026-10-31"),
            ("Oct 31, 2026", "2026-10-31"),
            ("October 31, 2026", "2026-10-31"),
            ("31 October 2026", "2026-10-31"),
            ("31-Oct-2026", "2026-10-31"),
            ("31-10-2026", "2026-10-31"),
            ("5/14/24", "2024-05-14"),
            ("31.10.24", "2024-10-31"),
            ("03.04.2026", "2026-04-03"),
            ("45717", "2025-03-01"),
            ("45717.75", "2025-03-01"),
            (
                "Mon Aug 10 2015 14:16:38 GMT+0000 (GMT)",
                "2015-08-10T14:16:38Z",
            ),
            (
                "Wed Aug 12 2015 14:16:38 GMT-0700 (Mountain Standard Time)",
                "2015-08-12T21:16:38Z",
            ),
            ("Tue Aug 11 2015 03:16:38 GMT+0200", "2015-08-11T01:16:38Z"),
            ("1773079440392918", "2026-03-09T18:04:00Z"),
            ("31. Oktober 2026", "2026-10-31"),
            ("31 de octubre de 2026", "2026-10-31"),
            ("31 août 2026", "2026-08-31"),
            ("3 maggio 2026", "2026-05-03"),
            ("3 oktober 2026, maandag", "2026-10-03"),
            ("5 octubre 2026 (martes)", "2026-10-05"),
            ("6 octobre 2026, mar.", "2026-10-06"),
            ("mar. 6 octobre 2026", "2026-10-06"),
            ("Octubre 5, 2026", "2026-10-05"),
            ("Martes, octubre 6, 2026", "2026-10-06"),
            ("2026/10/03 4:12:55 PM MDT", "2026-10-03T22:12:55Z"),
            ("2026/10/03 4:12:55 PM GMT+2", "2026-10-03T14:12:55Z"),
            ("2026/10/03 4:12:55 p. m. GMT-6", "2026-10-03T22:12:55Z"),
            ("13/10/2026, 4:12 a.\u{a0}m.", "2026-10-13"),
            ("2026-10-31 19:32:11 CET", "2026-10-31T18:32:11Z"),
            ("1792000000", "2026-10-14T17:46:40Z"),
            ("1792000000.5", "2026-10-14T17:46:40Z"),
            ("2026-10-31 02:00:00+00", "2026-10-31T02:00:00Z"),
            ("2026-10-31 02:00:00 +0000 UTC", "2026-10-31T02:00:00Z"),
            ("20261031T021000Z", "2026-10-31T02:10:00Z"),
            ("14-Mar-25", "2025-03-14"),
            ("Mar 14, 2025, 2:10 PM", "2025-03-14"),
            ("Mar 14, 2025 at 2:10 PM", "2025-03-14"),
            ("14.03.2025, 14:05 Uhr", "2025-03-14"),
            ("14.03.2025 um 14:05", "2025-03-14"),
            ("14/03/2025 à 14:05", "2025-03-14"),
            ("1. 3. 2025", "2025-03-01"),
            ("03/14/2025 02:05 PM EST", "2025-03-14T19:05:00Z"),
            ("\u{200e}14/03/2025", "2025-03-14"),
            ("1792000000123", "2026-10-14T17:46:40Z"),
            ("2025-03-14T10:00+01:00", "2025-03-14T09:00:00Z"),
            ("2025-03-14T10:00:00.000+00", "2025-03-14T10:00:00Z"),
            ("03/14/2025 10:00 +0000", "2025-03-14T10:00:00Z"),
            ("03/14/2025 10:00 -0730", "2025-03-14T17:30:00Z"),
            ("Friday, 14 March 2025 10:00", "2025-03-14"),
            ("4 févr. 2025 à 10:15", "2025-02-04"),
            ("4 feb 2025 a las 10:15", "2025-02-04"),
            ("4 feb 2025 alle ore 10:15", "2025-02-04"),
            ("4 feb 2025 om 10:15", "2025-02-04"),
            ("14/03/2025 14.05.33", "2025-03-14"),
            ("14.3.2025 klo 14.05", "2025-03-14"),
            ("Fr., 14.03.2025", "2025-03-14"),
            ("14/03/2025 à 14h05", "2025-03-14"),
            ("2025 Feb 5", "2025-02-05"),
            ("14-mrt-25", "2025-03-14"),
            ("2025年3月14日", "2025-03-14"),
            ("2025-03-14 10:05:00 MEZ", "2025-03-14T09:05:00Z"),
            (
                "2025-03-14 10:05:00 America/Phoenix",
                "2025-03-14T17:05:00Z",
            ),
        ] {
            assert_eq!(shown(Dates::default(), text), expected, "{text}");
        }
    }

    #[test]
    fn an_ambiguous_date_is_refused_without_an_order_or_format() {
        let refused = shown(Dates::default(), "10/11/2026");
        assert!(refused.contains("2026-10-11 or 2026-11-10"), "{refused}");
        let order = |order| Dates {
            order: Some(order),
            ..Dates::default()
        };
        assert_eq!(
            shown(order(DateOrder::MonthFirst), "10/11/2026 9:05 AM"),
            "2026-10-11"
        );
        assert_eq!(
            shown(order(DateOrder::DayFirst), "10/11/2026"),
            "2026-11-10"
        );
        assert!(shown(order(DateOrder::MonthFirst), "31/10/2026").starts_with('!'));
        let format = |format| Dates {
            format: Some(format),
            ..Dates::default()
        };
        assert_eq!(shown(format("%d/%m/%Y"), "10/11/2026"), "2026-11-10");
        assert_eq!(shown(format("%d.%m.%y"), "10.11.26"), "2026-11-10");
        assert!(shown(format("%d.%m.%y"), "11/10/26").contains("--date-format"));
        assert_eq!(shown(format("%d/%m/%Y"), "2026-10-11"), "2026-10-11");
        assert_eq!(shown(format("%d/%m/%Y"), "2026-10-11 08:15"), "2026-10-11");
        assert_eq!(
            shown(format("%d/%m/%Y"), "2026-10-11T19:32:11+02:00"),
            "2026-10-11T17:32:11Z"
        );
    }

    #[test]
    fn a_local_time_is_converted_from_the_zone_of_the_platform() {
        let pacific = Dates {
            zone: Some(chrono_tz::America::Los_Angeles),
            ..Dates::default()
        };
        assert_eq!(
            shown(pacific, "2026-04-18 19:32:11"),
            "2026-04-19T02:32:11Z"
        );
        assert!(
            shown(pacific, "2026-03-08 02:30:00").starts_with('!'),
            "an hour that is left out"
        );
    }

    #[test]
    fn an_invalid_date_is_refused() {
        for bad in [
            "",
            "soon",
            "2026-02-30",
            "26-10-31",
            "13.10/2026",
            "10.13.2026",
            "20000",
            "2026-10",
            "13/13/2026",
            "20261031",
            "5, 2026 (martes)",
            "martes 6, 2026",
            "mar. octobre 6, 2026",
            "6 mars octobre 2026",
        ] {
            assert!(shown(Dates::default(), bad).starts_with('!'), "{bad}");
        }
        for (bad, advice) in [
            ("yesterday", "write the whole day there"),
            ("2 days ago", "write the whole day there"),
            ("March 2025", "write the whole day there"),
            ("03.14.2025", "give its format with --date-format %m.%d.%Y"),
            (
                "14-03-25",
                "--date-format %d-%m-%y or --date-format %y-%m-%d",
            ),
        ] {
            let refused = shown(Dates::default(), bad);
            assert!(refused.ends_with(advice), "{refused}");
        }
    }

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
        for wrong in [
            "dd/mm/jjjj",
            "",
            " ",
            "%d",
            "%d.%m.",
            "%H:%M",
            "%q",
            "%%",
            "%!",
        ] {
            assert!(strftime(wrong).is_err(), "{wrong}");
        }
    }
}
