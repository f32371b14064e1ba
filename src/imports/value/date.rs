//! Reads dates: numbers and names of months, Unix time, day numbers of a spreadsheet, or the format's `date_format`. All dates of a column are
//! read in one order of day and month; an ambiguous date is refused, never guessed.

use std::fmt::Write as _;
use std::sync::LazyLock;

use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc, Weekday};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use crate::imports::fault::Position;
use crate::imports::value::text::ascii_digits;
use crate::model::text::{plain_words, quoted};
use crate::model::{Day, FIRST_YEAR, Posted};

/// Layouts of a time.
const TIMES: &str = "%I:%M:%S%.f %p|%I:%M %p|%I.%M.%S%.f %p|%I.%M %p|%H:%M:%S%.f|%H:%M|%H.%M.%S%.f|%H.%M|%H h %M|%H%M%S";

/// Unix seconds from 2001-09-09 to 2099; smaller numbers have another meaning.
const UNIX_SECONDS: std::ops::Range<i64> = 1_000_000_000..4_102_444_800;
/// Day numbers of a spreadsheet from 1995 to 2099; day 1 is 1900-01-01, and there is a day 1900-02-29.
const SERIAL_DAYS: std::ops::RangeInclusive<i64> = 34_700..=73_050;
const SERIAL_DAY_0: NaiveDate = NaiveDate::from_ymd_opt(1899, 12, 30).unwrap();
/// Years outside are those of another calendar, or of an empty value.
const YEARS: std::ops::RangeInclusive<i32> = FIRST_YEAR..=2099;
/// The zones are from UTC-12 to UTC+14.
const OFFSET_SECONDS_MAX: i32 = 14 * 3_600;
/// Maximum length of a date in bytes.
const TEXT_BYTES_MAX: usize = 96;

/// Names of the months without accents. Texts may have the beginning of a name, from three letters on.
const MONTHS: [&str; 12] = [
    "january, januar, janner, januari, enero, janvier, gennaio, janeiro, styczen, stycznia", // codespell:ignore
    "february, februar, feber, februari, febrero, fevrier, febbraio, fevereiro, luty, lutego", // codespell:ignore
    "march, marz, mars, marzo, maart, mrt, marco, marzec, marca, marts", // codespell:ignore
    "april, abril, avril, aprile, kwiecien, kwietnia",                   // codespell:ignore
    "may, mai, mayo, maggio, mei, maio, maj, maja",                      // codespell:ignore
    "june, juni, junio, juin, giugno, junho, czerwiec, czerwca",         // codespell:ignore
    "july, juli, julio, juillet, luglio, julho, lipiec, lipca",          // codespell:ignore
    "august, augusti, augustus, agosto, aout, sierpien, sierpnia",       // codespell:ignore
    "september, septiembre, setiembre, septembre, settembre, setembro, wrzesien, wrzesnia", // codespell:ignore
    "october, oktober, octubre, octobre, ottobre, outubro, pazdziernik, pazdziernika", // codespell:ignore
    "november, noviembre, novembre, novembro", // codespell:ignore
    "december, dezember, diciembre, decembre, dicembre, dezembro, grudzien, grudnia, desember", // codespell:ignore
];
/// In minutes east of UTC.
const OFFSETS: [(&str, i32); 15] = [
    ("Z", 0),
    ("PST", -480),
    ("MST", -420),
    ("PDT", -420),
    ("CST", -360),
    ("MDT", -360),
    ("EST", -300),
    ("CDT", -300),
    ("EDT", -240),
    ("UTC", 0),
    ("GMT", 0),
    ("CET", 60),
    ("MEZ", 60),
    ("CEST", 120),
    ("MESZ", 120),
];

/// The month, from 1, whose name begins so.
pub fn month(word: &str) -> Option<u32> {
    let inner = format!(", {word}");
    let months = (1..).zip(MONTHS);
    let mut months = months.filter(|(_, list)| list.starts_with(word) || list.contains(&inner));
    let (month, _) = months.next()?;
    // In Croatian `lip` is another month than in Polish; so is `listopad`, which is none here.
    (word.len() > 2 && word != "lip" && months.next().is_none()).then_some(month)
}

#[derive(Debug, Clone, Copy, Default)]
pub struct Dates<'a> {
    /// The format's `date_format`. Besides, only dates are read that its order does not contradict.
    pub format: Option<&'a DateFormat>,
    /// The order of the column's dates such as `10/11/2026`.
    pub order: Option<DateOrder>,
    /// For times without one.
    pub zone: Option<Tz>,
}

/// The order in a date of numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

    /// As a value of `date_format`.
    pub fn format(self) -> DateFormat {
        let [text, pattern] = match self {
            Self::MonthFirst => ["mm/dd/yyyy", "%m/%d/%Y"],
            Self::DayFirst => ["dd/mm/yyyy", "%d/%m/%Y"],
        };
        DateFormat {
            text: text.to_owned(),
            pattern: pattern.to_owned(),
            order: Some(self),
        }
    }

    /// As people in the country write, ISO 3166-1 alpha-2; `None` where the year comes first, or both orders are usual.
    pub fn of_country(country: &str) -> Option<Self> {
        match country {
            "US" => Some(Self::MonthFirst),
            "CA" | "CN" | "HU" | "IR" | "JP" | "KP" | "KR" | "LT" | "MN" | "PH" | "TW" | "ZA" => {
                None
            }
            _ => Some(Self::DayFirst),
        }
    }
}

/// What `date_format` says.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(try_from = "String", into = "String")]
pub struct DateFormat {
    text: String,
    /// In strftime notation.
    pattern: String,
    order: Option<DateOrder>,
}

impl Dates<'_> {
    /// # Errors
    /// If the text is no date, or not one in the order of the others.
    pub fn parse(self, text: &str) -> Result<Posted, String> {
        let in_pattern = self.format.and_then(|it| it.read(text));
        let written = in_pattern.or_else(|| WrittenDate::of(text));
        let written = written.ok_or_else(|| unknown(text))?;
        let mut years = written.days.iter().flatten().map(NaiveDate::year);
        if !years.any(|year| YEARS.contains(&year)) {
            return Err(format!(
                "{} is no day of the years 1995 to 2099; write a date of another calendar as 2026-10-31",
                quoted(text)
            ));
        }
        let date = self.in_order(&written, text)?;
        let default = self.zone.map(|zone| (zone, 0));
        let zoned = written.clock;
        let zoned = zoned.and_then(|it| Some((it, it.zone.or(default)?)));
        let posted = match zoned {
            // If the clock shows an hour twice, the first one counts; a skipped hour is an error.
            Some((clock, (zone, seconds))) => {
                let local = zone.from_local_datetime(&date.and_time(clock.time));
                let instant = local.earliest().filter(|_| clock.is_known);
                instant.map(|it| Posted::Instant(it.to_utc() - TimeDelta::seconds(seconds.into())))
            }
            None => Day::new(date).map(Posted::Day),
        };
        posted.ok_or_else(|| unknown(text))
    }

    fn in_order(self, written: &WrittenDate, text: &str) -> Result<NaiveDate, String> {
        let days = written.days;
        let Some(order) = self.format.and_then(|it| it.order).or(self.order) else {
            return match days {
                [Some(one), Some(other)] if one != other => Err(format!(
                    "{} may be {one} or {other}; write it as 2026-10-31, or set the business's country with `reviews init --country CC`",
                    quoted(text)
                )),
                [one, other] => one.or(other).ok_or_else(|| unknown(text)),
            };
        };
        days[order as usize].ok_or_else(|| {
            format!(
                "{} is no date, because the source's dates are {}",
                quoted(text),
                order.name()
            )
        })
    }
}

/// A date as it is written.
#[derive(Debug)]
struct WrittenDate {
    days: Days,
    clock: Option<WrittenTime>,
}

#[derive(Debug, Clone, Copy)]
struct WrittenTime {
    time: NaiveTime,
    /// The time zone, and seconds east of it.
    zone: Option<(Tz, i32)>,
    /// Whether no word of another script before the time may be its half of the day.
    is_known: bool,
}

impl WrittenDate {
    fn new(day: NaiveDate, clock: Option<WrittenTime>) -> Self {
        Self {
            days: [Some(day); 2],
            clock,
        }
    }

    fn at(instant: DateTime<Utc>) -> Self {
        let clock = WrittenTime::new(instant.time(), Some((Tz::UTC, 0)));
        Self::new(instant.date_naive(), Some(clock))
    }

    fn of(text: &str) -> Option<Self> {
        if text.len() > TEXT_BYTES_MAX {
            return None;
        }
        let plain = &plain(text);
        let number = number_of_time(plain);
        if number.is_some() {
            return number;
        }
        let moved = with_year_behind_day(plain);
        let plain = moved.as_deref().unwrap_or(plain);
        let (days, rest) = days_of_numbers(plain, text).or_else(|| days_with_month(plain))?;
        let clock = WrittenTime::of(rest);
        (clock.is_some() || !rest.contains(is_digit)).then_some(Self { days, clock })
    }
}

/// By order of day and month.
type Days = [Option<NaiveDate>; 2];

/// The days of a date of numbers, and what stands behind it; `text` is the one that was made plain.
fn days_of_numbers<'p>(plain: &'p str, text: &str) -> Option<(Days, &'p str)> {
    let (before, first, behind) = split_number(plain)?;
    let (parts, mark, rest) = if let 8 | 14 = first.len() {
        // `20261031`, `20261031080000`
        let parts = [&first[..4], &first[4..6], &first[6..8]];
        (parts, "", &plain[before.len() + 8..])
    } else {
        let (mark, second, behind) = split_number(behind)?;
        let (next, third, rest) = split_number(behind)?;
        let is_mark = matches!(mark.trim_end(), "-" | "/" | ".");
        let is_one = is_mark && mark.trim_end() == next.trim_end();
        is_one.then_some(([first, second, third], mark.trim_end(), rest))?
    };
    // `2026年3月7日に日本でレビュー済み`
    let is_whole = text.contains(['日', '일'])
        || rest.contains(is_digit)
        || rest.trim_matches([' ', '.', ',']).is_empty();
    // A year of two digits in another script may be one of another calendar.
    let is_foreign = text.contains(|c: char| c.is_numeric() && !is_digit(c));
    let [first, second, third] = parts;
    let mut days = match (first.len(), third.len(), mark) {
        (4, 1 | 2, _) => [day_of(first, second, third); 2],
        (1 | 2, 2, _) if is_foreign => return None,
        (1 | 2, 2 | 4, ".") => [day_of(third, second, first); 2],
        (1 | 2, 4, _) | (1 | 2, 2, "/") => {
            [day_of(third, first, second), day_of(third, second, first)]
        }
        _ => return None,
    };
    if let Ok(weekday) = before.trim_matches([' ', ',', '.']).parse::<Weekday>() {
        days = days.map(|day| day.filter(|day| day.weekday() == weekday));
    }
    let is_date = is_whole && is_weekday(before) && days != [None; 2];
    is_date.then_some((days, rest))
}

/// The day of a date whose month has a name, and what stands behind it. Of the words between its two numbers, and of those before them
/// if there is none, one is the month.
fn days_with_month(plain: &str) -> Option<(Days, &str)> {
    let (before, first, rest) = split_number(plain)?;
    let (between, second, rest) = split_number(rest)?;
    let (named_before, named_between) = (months(before), months(between));
    let (year, month, day) = match (&named_before[..], &named_between[..]) {
        ([], [month]) if first.len() == 4 => (first, month, second),
        // In `mar. 6 octobre 2026`, the first word is a weekday.
        (_, [month]) | ([month], []) if first.len() < 3 => (second, month, first),
        _ => return None,
    };
    // `14-mrt-25`
    let is_year =
        year.len() == 4 || year.len() == 2 && between.len() > 1 && between.starts_with('-');
    let date = day_of(year, &month.to_string(), day).filter(|_| is_year)?;
    let weekday = weekday_of(before);
    if weekday.is_some_and(|weekday| weekday != date.weekday()) {
        return None;
    }
    Some(([Some(date); 2], rest))
}

/// `Fri Feb 27 00:00:00 UTC 2026`, as many programs write it, with the year behind the day.
fn with_year_behind_day(plain: &str) -> Option<String> {
    let (rest, year) = plain.trim_end().rsplit_once(' ')?;
    let words: Vec<&str> = rest.split_whitespace().collect();
    let time = words.iter().position(|word| word.contains(':'))?;
    let [day, time] = [&words[..time], &words[time..]].map(|words| words.join(" "));
    let (before, _, behind) = split_number(&day)?;
    let is_day = !behind.contains(is_digit) && months(&format!("{before} {behind}")).len() == 1;
    let is_year = year.len() == 4 && year.chars().all(is_digit);
    (is_day && is_year).then(|| format!("{day} {year} {time}"))
}

/// The day of the week, in English, that a text begins with.
fn weekday_of(text: &str) -> Option<Weekday> {
    let words = text.trim_start().split([' ', ',', '.']);
    words.take(1).find_map(|word| word.parse().ok())
}

fn months(text: &str) -> Vec<u32> {
    plain_words(text).split(' ').filter_map(month).collect()
}

/// A year of two digits is one from 1970 to 2069.
fn day_of(year: &str, month: &str, day: &str) -> Option<NaiveDate> {
    let number: i32 = year.parse().ok()?;
    let year = match year.len() {
        2 if number < 70 => 2000 + number,
        2 => 1900 + number,
        _ => number,
    };
    NaiveDate::from_ymd_opt(year, month.parse().ok()?, day.parse().ok()?)
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

/// The first number of a text, with what stands before and after it.
fn split_number(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_at(text.find(is_digit)?);
    let end = rest.find(|c| !is_digit(c)).unwrap_or(rest.len());
    Some((before, &rest[..end], &rest[end..]))
}

/// The text with plain digits, blanks and marks.
fn plain(text: &str) -> String {
    let mut plain = text.trim().to_owned();
    if !plain.is_ascii() {
        // Browsers write marks of direction; Chinese, Japanese and Korean have words for year, month and day.
        let marks = [
            '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '日', '일',
        ];
        let digits = ascii_digits(&plain).nfkc().collect::<String>();
        plain = digits
            .replace(marks, "")
            .replace(['年', '月', '년', '월'], "-");
    }
    // `2:05 p. m.`
    for (written, half) in [(". m.", "m"), (".m.", "m"), (".M.", "M")] {
        if plain.contains(written) {
            plain = plain.replace(written, half);
        }
    }
    plain
}

/// Unix time in seconds, milliseconds or microseconds, or the day number of a spreadsheet; each may have a fraction.
fn number_of_time(text: &str) -> Option<WrittenDate> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if !whole.chars().chain(fraction.chars()).all(is_digit) {
        return None;
    }
    let number: i64 = whole.parse().ok()?;
    if SERIAL_DAYS.contains(&number) && whole.len() == 5 {
        let day = SERIAL_DAY_0.checked_add_signed(TimeDelta::days(number))?;
        return Some(WrittenDate::new(day, None));
    }
    let mut units = [1, 1_000, 1_000_000].into_iter();
    let unit = units.find(|unit| UNIX_SECONDS.contains(&(number / unit)))?;
    DateTime::from_timestamp_micros(number * (1_000_000 / unit)).map(WrittenDate::at)
}

/// Whether only a weekday stands before a date of numbers: `R08.03.09` is the year 8 of an era.
fn is_weekday(before: &str) -> bool {
    let word = before.trim_end_matches([' ', ',', '.']);
    let has_other = word.contains(|c: char| !c.is_alphabetic() || c >= '\u{250}');
    word.is_empty() || word.len() > 1 && word.len() < before.len() && !has_other
}

impl WrittenTime {
    const fn new(time: NaiveTime, zone: Option<(Tz, i32)>) -> Self {
        Self {
            time,
            zone,
            is_known: true,
        }
    }

    /// A time with what stands before and behind it.
    fn of(text: &str) -> Option<Self> {
        let (before, text) = text.split_at(text.find(is_digit)?);
        let (time, rest, has_half) = TIMES.split('|').find_map(|layout| {
            let (time, rest) = NaiveTime::parse_and_remainder(text, layout).ok()?;
            let has_half = layout.ends_with('p');
            // `2:05 America/Phoenix`
            let is_other = has_half && rest.starts_with(char::is_alphabetic);
            (!is_other).then_some((time, rest, has_half))
        })?;
        let zone = rest.trim_start_matches([' ', 'h']);
        let zone = match zone.trim_start_matches("Uhr") {
            "" => None,
            zone => Some(zone_of(zone)?),
        };
        // `下午2:05` is after noon.
        let is_known = has_half || before.chars().all(|c| c < '\u{250}');
        Some(Self {
            time,
            zone,
            is_known,
        })
    }
}

/// A time zone: `Z`, `EST`, `+02:00`, `GMT+2`, `Europe/Berlin`, each perhaps explained: `GMT+0000 (Coordinated Universal Time)`.
fn zone_of(text: &str) -> Option<(Tz, i32)> {
    let mut parts = text.split([' ', '(', ')', '[', ']']);
    let name = parts.find(|part| !part.is_empty())?;
    if name.contains('/') {
        return Some((name.parse().ok()?, 0));
    }
    let known = OFFSETS.iter().find(|it| name.eq_ignore_ascii_case(it.0));
    if let Some((_, minutes)) = known {
        return Some((Tz::UTC, minutes * 60));
    }
    let offset = name.trim_start_matches("GMT").trim_start_matches("UTC");
    let (sign, digits) = offset.split_at_checked(1).filter(|_| offset.len() > 1)?;
    let width = if digits.contains(':') { 5 } else { 2 };
    let midnight = format!("2000-01-01 00:00 {sign}{digits:0>width$}");
    let midnight = DateTime::parse_from_str(&midnight, "%Y-%m-%d %H:%M %#z").ok()?;
    let seconds = midnight.offset().local_minus_utc();
    (seconds.abs() <= OFFSET_SECONDS_MAX).then_some((Tz::UTC, seconds))
}

/// How dates are written that have the name of a time zone.
static ZONED: LazyLock<Vec<DateFormat>> = LazyLock::new(|| {
    let patterns = [
        "%a %b %d %H:%M:%S %Z %Y",
        "%a, %d %b %Y %H:%M:%S %Z",
        "%Y-%m-%d %H:%M:%S %Z",
        "%Y-%m-%d %H:%M %Z",
        "%d %b %Y %H:%M:%S %Z",
    ];
    let formats = patterns.into_iter().map(str::to_owned);
    formats.flat_map(DateFormat::try_from).collect()
});

fn unknown(text: &str) -> String {
    let shown = quoted(text);
    let format = ZONED.iter().find(|format| format.read(text).is_some());
    let weekday = match weekday_of(text).filter(|_| format.is_none()) {
        Some(_) => ", or a day of the week that is not the date's",
        None => "",
    };
    let format = format.map_or_else(String::new, |format| {
        let format = &format.text;
        format!(", or write date_format = \"{format}\" into the source's format to pass over its time zone, which is not known")
    });
    format!(
        "{shown} is not a known date such as 2026-10-31{weekday}; write the whole day so{format}"
    )
}

// The order of day and month in the dates of a column.

/// What the cells of a column say of their order: a proof of each, and the first date that may be read in both.
#[derive(Debug, Default)]
pub struct Evidence {
    /// By order: the row's place and the date.
    pub proofs: [Option<(String, String)>; 2],
    /// With its two days.
    pub unclear: Option<(String, [NaiveDate; 2])>,
}

impl Evidence {
    /// Adds a date of a row. One that is after tomorrow in one order is in the other one.
    pub fn add(&mut self, file: &str, at: &Position, text: &str, tomorrow: NaiveDate) {
        let Some(written) = WrittenDate::of(text) else {
            return;
        };
        let days = written.days;
        let days = days.map(|day| day.filter(|day| *day <= tomorrow));
        let order = match days {
            [Some(_), None] => DateOrder::MonthFirst,
            [None, Some(_)] => DateOrder::DayFirst,
            [Some(one), Some(other)] if one != other => {
                self.unclear.get_or_insert((text.to_owned(), [one, other]));
                return;
            }
            [Some(_), Some(_)] | [None, None] => return,
        };
        self.proofs[order as usize]
            .get_or_insert_with(|| (format!("{file}:{at}"), text.to_owned()));
    }

    /// # Errors
    /// If the cells of the column prove both orders, with one of each.
    pub fn check(&self, column: &str) -> Result<(), String> {
        let [Some((month_at, month)), Some((day_at, day))] = &self.proofs else {
            return Ok(());
        };
        Err(format!(
            "the dates in {column} have two orders: {month_at}: {month} is month first, {day_at}: {day} is day first; write them all in \
             one order, or as 2026-10-31"
        ))
    }

    /// The order that one of the cells proves.
    pub fn order(&self) -> Option<DateOrder> {
        let mut orders = DateOrder::BOTH.into_iter();
        orders.find(|order| self.proofs[*order as usize].is_some())
    }
}

impl DateFormat {
    /// A date in this format, perhaps with a time after it.
    fn read(&self, text: &str) -> Option<WrittenDate> {
        let plain = &ascii_digits(text.trim());
        if let Ok(instant) = DateTime::parse_from_str(plain, &self.pattern) {
            return Some(WrittenDate::at(instant.to_utc()));
        }
        let read = NaiveDate::parse_and_remainder(plain, &self.pattern).ok();
        // chrono reads `26` as a year of four digits, too.
        let (day, rest) = read.filter(|(day, _)| YEARS.contains(&day.year()))?;
        let time = NaiveTime::parse_from_str(plain, &self.pattern).ok();
        let clock = time.map_or_else(
            || WrittenTime::of(rest),
            |time| Some(WrittenTime::new(time, None)),
        );
        (clock.is_some() || rest.is_empty()).then(|| WrittenDate::new(day, clock))
    }
}

impl TryFrom<String> for DateFormat {
    type Error = String;

    /// Fails if it does not say a whole day.
    fn try_from(text: String) -> Result<Self, String> {
        let pattern = strftime_of(&text).unwrap_or_default();
        let day = pattern.find("%d").or(pattern.find("%e"));
        let day = day.or(pattern.find("%-d"));
        let month = pattern.find("%m").or(pattern.find("%-m"));
        let order = day.zip(month);
        let order = order.map(|(day, month)| DateOrder::BOTH[usize::from(day < month)]);
        let mut example = String::new();
        let known = DateTime::from_timestamp_nanos(UNIX_SECONDS.start * 1_000_000_000);
        let is_written = write!(example, "{}", known.format(&pattern)).is_ok();
        let format = Self {
            text,
            pattern,
            order,
        };
        if is_written && format.read(&example).is_some() {
            return Ok(format);
        }
        Err(format!(
            "{} is no format of a whole day; write it like %m/%d/%Y or mm/dd/yyyy",
            quoted(&format.text)
        ))
    }
}

impl From<DateFormat> for String {
    fn from(format: DateFormat) -> Self {
        format.text
    }
}

/// A format in strftime notation, also from one such as `mm/dd/yyyy`; `None` if that has other letters.
fn strftime_of(text: &str) -> Option<String> {
    if text.contains('%') {
        return Some(text.to_owned());
    }
    let letters: Vec<char> = text.to_ascii_lowercase().chars().collect();
    let mut pattern = String::new();
    for run in letters.chunk_by(char::eq) {
        match (run[0], run.len()) {
            ('y', 4) => pattern += "%Y",
            ('y', 2) => pattern += "%y",
            ('m', 1 | 2) => pattern += "%m",
            ('d', 1 | 2) => pattern += "%d",
            (letter, _) if letter.is_alphabetic() => return None,
            _ => pattern.extend(run),
        }
    }
    Some(pattern)
}

/// Whether a cell is a date in any order.
pub fn is_date(cell: &str) -> bool {
    let mut orders = DateOrder::BOTH.into_iter().map(Some);
    cell.contains(char::is_numeric)
        && orders.any(|order| {
            let dates = Dates {
                order,
                ..Dates::default()
            };
            dates.parse(cell).is_ok()
        })
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
            ("2026-07-31 19:32:11 MESZ", "2026-07-31T17:32:11Z"),
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
            ("2025-Mar-14", "2025-03-14"),
            ("2025年3月14日", "2025-03-14"),
            ("2025年 3月 14日", "2025-03-14"),
            ("2025년 3월 14일", "2025-03-14"),
            ("٢٠٢٥-٠٣-١٤", "2025-03-14"),
            ("２０２５/０３/１４", "2025-03-14"),
            ("14/03/2025, 2:05\u{202f}p.\u{a0}m.", "2025-03-14"),
            ("Rezension aus Deutschland vom 14. März 2025", "2025-03-14"),
            (
                "Reviewed in the United States on March 14, 2025",
                "2025-03-14",
            ),
            ("Friday, March 14, 2025", "2025-03-14"),
            ("14th March 2025", "2025-03-14"),
            ("March 14th, 2025 at 3:04 PM PST", "2025-03-14T23:04:00Z"),
            ("Mar-14-2025", "2025-03-14"),
            ("14-MAR-25 03.04.05.000000 PM", "2025-03-14"),
            ("14/Mar/2025:13:55:36 -0700", "2025-03-14T20:55:36Z"),
            ("mar. 14/04/2025", "2025-04-14"),
            ("Fri, 3/14/25 8:15 AM", "2025-03-14"),
            ("20250314", "2025-03-14"),
            ("20250314021000", "2025-03-14"),
            ("2025-03-14 10:15:30.123456+00", "2025-03-14T10:15:30Z"),
            ("2025-03-14t10:15:30z", "2025-03-14T10:15:30Z"),
            (
                "2025-03-14T10:15:30+01:00[Europe/Berlin]",
                "2025-03-14T09:15:30Z",
            ),
            ("2025-03-14 10:15 Etc/GMT+7", "2025-03-14T17:15:00Z"),
            ("Fri Feb 27 09:30:00 2026", "2026-02-27"),
            ("Fri Feb 27 09:30:00 UTC 2026", "2026-02-27T09:30:00Z"),
            ("Fri Feb 27 23:30:00 PST 2026", "2026-02-28T07:30:00Z"),
            ("Fri Feb 27 09:30:00 +0100 2026", "2026-02-27T08:30:00Z"),
            ("Fri Feb 27 09:30:00 GMT+01:00 2026", "2026-02-27T08:30:00Z"),
            ("Fri 27 Feb 09:30:00 PM MST 2026", "2026-02-28T04:30:00Z"),
            ("2025-03-14 2:05 America/Phoenix", "2025-03-14T09:05:00Z"),
            ("14 marca 2025 r. 10:15", "2025-03-14"),
            ("2025/03/14 (Fri) 10:15", "2025-03-14"),
            ("14 mars 2025 14 h 05", "2025-03-14"),
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
        let in_format = |format: &str, text| {
            let format = DateFormat::try_from(format.to_owned()).unwrap();
            let dates = Dates {
                format: Some(&format),
                ..Dates::default()
            };
            shown(dates, text)
        };
        assert_eq!(in_format("%d/%m/%Y", "10/11/2026"), "2026-11-10");
        assert_eq!(in_format("dd/mm/yyyy", "10/11/26"), "2026-11-10");
        assert_eq!(in_format("%d.%m.%y", "10.11.26"), "2026-11-10");
        assert!(in_format("%d.%m.%y", "10/31/26").contains("dates are day first"));
        assert_eq!(in_format("%d/%m/%Y", "2026-10-11 08:15"), "2026-10-11");
        assert_eq!(
            in_format("%d/%m/%Y", "2026-10-11T19:32:11+02:00"),
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
            "2026109",
            "14-03-25",
            "03.14.2025",
            "2 days ago",
            "10 31 2026",
            "5, 2026 (martes)",
            "martes 6, 2026",
            "mar. octobre 6, 2026",
            "6 mars octobre 2026",
            "1.77308E+12",
            "31/10/2026 - 02/11/2026",
            "31/10 09:30:00 2026",
            "2026-10-31 10:15 2026",
            "Fri Feb 27 09:30:00 XYZ 2026",
            // Not the day of the week.
            "Mon Feb 27 09:30:00 UTC 2026",
            "Thursday, February 27, 2026",
            "Sat, 27 Feb 2026 10:00:00 GMT",
            "Mon 27/02/2026",
            "2026-10-31 10:15 - 11:00",
            "2026-10-31 25:00",
            "2026-10-31 10:15 XYZ",
            "Visited January 2025, reviewed April 3, 2026",
            // In other languages, these begin like months of the eight: November and a month of Finnish and Croatian.
            "9. marraskuuta 2025",
            "9. lipnja 2025",
            // The hour may be one after noon.
            "2026年3月9日 下午2:05+08:00",
            // Eras and other calendars.
            "令和8年3月9日",
            "令和8.3.9",
            "R08.03.09",
            "H30/03/09",
            "令和 08.03.09",
            "民國115年3月9日",
            "۰۴/۱۲/۱۴",
            "1404-12-14",
            "1405/01/15",
            "14/09/1447",
            "9/3/2568",
            "9/3/70",
            "1900-01-00",
            "1970-01-01 00:00:00",
            "0001-01-01T00:00:00Z",
        ] {
            assert!(shown(Dates::default(), bad).starts_with('!'), "{bad}");
        }
        let unknown = shown(Dates::default(), "March 2025");
        assert!(unknown.contains("write the whole day so"));
        let weekday = shown(Dates::default(), "Mon Feb 27 2026");
        assert!(weekday.contains("a day of the week that is not the date's"));
        // What the message says reads a zone that is not known.
        for zoned in [
            "Fri Feb 27 09:30:00 IST 2026",
            "Fri Feb 27 09:30:00 BST 2026",
            "Fri, 27 Feb 2026 09:30:00 IST",
            "2026-02-27 23:30:00 IST",
            "2026-02-27 09:30 NZDT",
        ] {
            let unknown = shown(Dates::default(), zoned);
            let format = unknown.rsplit('"').nth(1).unwrap();
            assert!(unknown.contains("date_format = "), "{unknown}");
            let format = DateFormat::try_from(format.to_owned()).unwrap();
            let dates = Dates {
                format: Some(&format),
                ..Dates::default()
            };
            assert_eq!(shown(dates, zoned), "2026-02-27");
        }
        // Where no format reads it, none is named.
        for other in [
            "Fri Feb 27 24:00:00 UTC 2026",
            "2026-10-31 25:00",
            "Mon Feb 27 09:30:00 IST 2026",
        ] {
            assert!(
                !shown(Dates::default(), other).contains("date_format"),
                "{other}"
            );
        }
        let other = shown(Dates::default(), "1404-12-14");
        assert!(other.contains("of another calendar"));
    }

    #[test]
    fn a_date_format_may_be_written_with_letters() {
        for (format, written) in [
            ("%d.%m.%y", "%d.%m.%y"),
            ("mm/dd/yyyy", "%m/%d/%Y"),
            ("DD.MM.YY", "%d.%m.%y"),
        ] {
            let read = DateFormat::try_from(format.to_owned()).unwrap();
            assert_eq!(read.pattern, written);
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
            assert!(DateFormat::try_from(wrong.to_owned()).is_err(), "{wrong}");
        }
    }
}
