//! A source: what is fetched, when, with which headers, and how its answer is read. Its row names secrets as `${NAME}`;
//! literal ones are refused, also in a row that a shell wrote. And why a run of it imported nothing.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use croner::Cron;
use croner::parser::{CronParser, Seconds, Year};
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use url::Url;

use crate::config::TimeSpan;
use crate::imports::{Draft, ImportError, ImportRequest};
use crate::random::Random;
use crate::storage::DbError;
use crate::storage::sync::SyncSource;

/// The options of `import` that say how an answer is read.
const READING_OPTIONS: &str = "format source skip-duplicates";
/// A parameter or header whose name contains one of these may have a secret as its value.
const SECRET_NAMES: &str = "key token secret password passwd pwd pass jwt sig auth cookie";
/// Headers that say how the request is sent, or to whom.
const CONNECTION_HEADERS: &str = "host connection content-length transfer-encoding te trailer upgrade expect range if-match \
    if-none-match if-modified-since if-unmodified-since if-range accept-encoding";
/// Of the texts of a row, and in the table.
const TEXT_BYTES_MAX: usize = 8 << 10;
/// Parameters of paging, without separators and in lower case.
const PAGING_NAMES: &str =
    "pagetoken nextpagetoken nexttoken continuationtoken paginationtoken pagingtoken";

/// Whether an option of `import` says how an answer is read.
pub fn reads(option: &str) -> bool {
    is_in(READING_OPTIONS, option)
}

fn is_in(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|other| other == name)
}

/// The source of a row.
#[derive(Debug, Clone)]
pub struct Source {
    /// As it is stored.
    pub row: SyncSource,
    pub schedule: SourceSchedule,
    pub options: SourceOptions,
}

/// The column `options`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SourceOptions {
    pub headers: Vec<(String, String)>,
    /// `USER:PASSWORD`.
    pub basic: Option<String>,
    /// Whether the answer has only the newest reviews.
    pub partial: bool,
    pub allow_http: bool,
    /// Options of `reviews import`, as `--source=Facebook`.
    pub import: Vec<String>,
}

impl SourceOptions {
    /// As words of a command line.
    pub fn words(&self) -> Vec<String> {
        let headers = self
            .headers
            .iter()
            .map(|(name, value)| format!("--header={name}: {value}"));
        let basic = self.basic.iter().map(|basic| format!("--basic={basic}"));
        let flags = [
            (self.partial, "--partial"),
            (self.allow_http, "--allow-http"),
        ];
        let flags = flags
            .into_iter()
            .filter(|(is_set, _)| *is_set)
            .map(|(_, flag)| flag.to_owned());
        let own = headers.chain(basic).chain(flags);
        own.chain(self.import.iter().cloned()).collect()
    }
}

impl Source {
    /// Reads a row.
    ///
    /// # Errors
    /// If a value is invalid, or a secret is written in it.
    pub fn read(row: &SyncSource) -> Result<Self, SyncError> {
        if [&row.url, &row.schedule, &row.options]
            .iter()
            .any(|text| text.len() > TEXT_BYTES_MAX)
        {
            return Err(SyncError::failed(format!(
                "the URL and the options may each have {} KiB",
                TEXT_BYTES_MAX >> 10
            )));
        }
        // The reason may repeat a value.
        let options: SourceOptions = serde_json::from_str(&row.options).map_err(|_| {
            SyncError::failed("the column options cannot be read; add the source again")
        })?;
        let mut headers = options
            .headers
            .iter()
            .map(|(name, _)| name.to_ascii_lowercase());
        if let Some(name) = headers.find(|name| is_in(CONNECTION_HEADERS, name)) {
            return Err(SyncError::failed(format!(
                "the header {name} belongs to the connection; leave it out"
            )));
        }
        refuse_literal_secrets(&row.url, &options)?;
        let source = Self {
            schedule: row.schedule.parse().map_err(SyncError::failed)?,
            row: row.clone(),
            options,
        };
        source.import_request()?;
        Ok(source)
    }

    pub fn name(&self) -> &str {
        &self.row.name
    }

    /// The texts in which a `${NAME}` is filled.
    pub fn templates(&self) -> impl Iterator<Item = &str> {
        let values = self.options.headers.iter().map(|(_, value)| value);
        let texts = values.chain(&self.options.basic).chain([&self.row.url]);
        texts.map(String::as_str)
    }

    /// Whether it is a file or folder.
    pub fn is_path(&self) -> bool {
        !self.row.url.contains("://") && !self.row.url.starts_with("${")
    }

    /// The request of an import, without files.
    ///
    /// # Errors
    /// If an option is invalid or says more than how to read.
    pub fn import_request(&self) -> Result<ImportRequest, SyncError> {
        let options = &self.options.import;
        let name = |option: &String| option.split('=').next().unwrap_or_default().to_owned();
        let mut names = options.iter().map(name);
        if let Some(name) = names.find(|name| !name.strip_prefix("--").is_some_and(reads)) {
            return Err(SyncError::failed(format!(
                "the column options has {name}, which does not say how to read an answer; add the source again"
            )));
        }
        ImportRequest::parse(options).map_err(|error| SyncError::failed(error.to_string()))
    }
}

// Secrets belong in the environment: anybody who may read the database would read them.

/// Refuses a value that may be a secret, with the way to write it, and without the value.
fn refuse_literal_secrets(url: &str, options: &SourceOptions) -> Result<(), SyncError> {
    // As a URL is read: without tabs and line breaks.
    let url = url.replace(['\t', '\n', '\r'], "");
    let parameters = url.split(['?', '&', ';', '#']).skip(1).filter_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let name = percent_decode_str(name).decode_utf8_lossy();
        may_be_secret(&name).then(|| (format!("the parameter {name}"), value.to_owned(), false))
    });
    let headers = options
        .headers
        .iter()
        .filter(|(name, _)| may_be_secret(name))
        .map(|(name, value)| {
            let has_scheme = name.eq_ignore_ascii_case("authorization");
            (format!("the header {name}"), value.clone(), has_scheme)
        });
    // A URL that is a secret as a whole has no user.
    let parsed = Url::parse(url.trim()).ok();
    let user = parsed
        .iter()
        .flat_map(|url| [Some(url.username()), url.password()]);
    let decode = |part: &str| percent_decode_str(part).decode_utf8_lossy().into_owned();
    let user = user
        .flatten()
        .map(|part| ("what stands before @".to_owned(), decode(part), false));
    // A token may stand in either part, or without a colon.
    let basic = options.basic.iter().flat_map(|basic| basic.split(':'));
    let basic = basic.map(|part| ("the value of --basic".to_owned(), part.to_owned(), false));
    let mut values = parameters.chain(headers).chain(user).chain(basic);
    let literal = |(_, value, has_scheme): &(String, String, bool)| {
        !value.is_empty() && !is_filled(value, *has_scheme)
    };
    let Some((place, ..)) = values.find(literal) else {
        return Ok(());
    };
    Err(SyncError::failed(format!(
        "{place} may be a secret, which is not stored; write it as ${{NAME}} in single quotes, and set \
         REVIEWS_SYNC_SECRET_NAME='ORIGIN VALUE' in the environment of the service, for example in /etc/reviews.env"
    )))
}

/// The text before the first `${NAME}`, the name, and the text after.
pub fn reference(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once("${")?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

/// Whether all of a value is read from the environment, but for the words before it: `session=` or, if it `has_scheme`, `Bearer `.
fn is_filled(value: &str, has_scheme: bool) -> bool {
    let (mut rest, mut is_filled) = (value, false);
    while let Some((before, _, after)) = reference(rest) {
        let mut words = before.split([' ', ';', ',']).enumerate();
        let is_around = |(index, word): (usize, &str)| {
            let is_name = word.trim_end_matches('"').ends_with('=');
            let is_scheme = has_scheme && index == 0 && word.len() <= SCHEME_BYTES_MAX;
            word.is_empty() || is_name || (is_scheme && word.chars().all(char::is_alphabetic))
        };
        if !words.all(is_around) || before.ends_with(char::is_alphabetic) {
            return false;
        }
        (rest, is_filled) = (after, true);
    }
    is_filled && !rest.contains(char::is_alphanumeric)
}

/// Of a scheme of authentication, such as `Bearer`.
const SCHEME_BYTES_MAX: usize = 12;

fn may_be_secret(name: &str) -> bool {
    let low = name.to_ascii_lowercase();
    let plain = low.replace(['-', '_', '.'], "");
    !PAGING_NAMES.split(' ').any(|paging| paging == plain)
        && SECRET_NAMES.split(' ').any(|secret| low.contains(secret))
}

/// Republished sheets and most platforms' limits allow no more.
const INTERVAL_MIN: Duration = Duration::from_mins(5);

/// Times among which the longest gap is searched: ten days of a run every five minutes, so that they have a weekend.
const TIMES_MAX: usize = 3_000;

/// Times that are compared with [`INTERVAL_MIN`]: more than a day can have, and each day of a schedule has the same ones.
const PAIRS_MAX: usize = 300;

#[derive(Debug, Clone)]
pub enum SourceSchedule {
    /// As it was written, and the interval.
    Every(String, Duration),
    At(String, Box<Cron>),
}

impl Default for SourceSchedule {
    fn default() -> Self {
        Self::Every("6h".to_owned(), Duration::from_hours(6))
    }
}

impl fmt::Display for SourceSchedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Every(text, _) | Self::At(text, _)) = self;
        f.write_str(text)
    }
}

impl FromStr for SourceSchedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.trim().contains(char::is_whitespace) {
            Self::parse_cron(text)
        } else {
            Self::parse_interval(text)
        }
    }
}

impl SourceSchedule {
    /// # Errors
    /// If the text is no interval, or less than 5 minutes.
    pub fn parse_interval(text: &str) -> Result<Self, String> {
        let span: TimeSpan = text.trim().parse()?;
        if span.0 < INTERVAL_MIN {
            return Err(format!("`{text}` is less than 5 minutes; write 5m or more"));
        }
        Ok(Self::Every(text.trim().to_owned(), span.0))
    }

    /// # Errors
    /// If the text is not five fields of cron, or its times are less than 5 minutes apart.
    pub fn parse_cron(text: &str) -> Result<Self, String> {
        let parser = CronParser::builder()
            .seconds(Seconds::Disallowed)
            .year(Year::Disallowed)
            .build();
        let fault = |reason: &str| {
            format!(
                "`{text}` is not a schedule ({reason}); write five fields: minute, hour, day, month, weekday, like \"15 3 * * *\""
            )
        };
        // The parser also takes nicknames such as @daily.
        if text.split_whitespace().count() != 5 {
            return Err(fault("it has not five fields"));
        }
        let cron = parser
            .parse(text.trim())
            .map_err(|error| fault(&error.to_string()))?;
        if cron
            .find_next_occurrence(&DateTime::UNIX_EPOCH, false)
            .is_err()
        {
            return Err(fault("its day never comes"));
        }
        let times: Vec<_> = cron
            .iter_after(DateTime::UNIX_EPOCH)
            .take(PAIRS_MAX)
            .collect();
        let is_short = |pair: &[DateTime<Utc>]| {
            (pair[1] - pair[0])
                .to_std()
                .is_ok_and(|gap| gap < INTERVAL_MIN)
        };
        if times.windows(2).any(is_short) {
            return Err(format!(
                "`{text}` has times less than 5 minutes apart; name fewer minutes, like */5"
            ));
        }
        Ok(Self::At(text.trim().to_owned(), Box::new(cron)))
    }

    /// The next time after `now`; an interval is longer by a random part of up to a tenth.
    pub fn next(&self, now: DateTime<Utc>, zone: Tz, random: &Random) -> DateTime<Utc> {
        match self {
            Self::Every(_, interval) => {
                now + *interval + interval.div_f64(10.0).mul_f64(random.fraction())
            }
            Self::At(_, cron) => {
                let next = cron.find_next_occurrence(&now.with_timezone(&zone), false);
                // Far in the future; `parse_cron` refuses days that never come.
                next.map_or(now + TimeDelta::days(366), |next| next.to_utc())
            }
        }
    }

    /// The longest time between two runs in seconds.
    pub fn interval_seconds(&self, now: DateTime<Utc>) -> f64 {
        match self {
            Self::Every(_, interval) => interval.as_secs_f64(),
            Self::At(_, cron) => {
                let year = TimeDelta::days(366);
                let times: Vec<_> = (cron.iter_after(now).take(TIMES_MAX))
                    .take_while(|time| *time < now + year)
                    .collect();
                let gaps = times.windows(2).map(|pair| pair[1] - pair[0]);
                gaps.max().unwrap_or(year).as_seconds_f64()
            }
        }
    }
}

/// Why a run did not import anything. The message is stored and shown, so it has no words of a server: neither its headers nor rows of its answer.
#[derive(Debug, Error)]
pub enum SyncError {
    #[error("{message}")]
    Refused {
        message: String,
        /// What is shown instead where the run was asked for; it may repeat rows.
        details: Option<String>,
    },
    #[error("the server did not answer in time")]
    TimedOut,
    #[error("it is being fetched just now; try again when that is done")]
    Running,
    /// Something must be decided about the format. Cells are shown only where the run was asked for.
    #[error("{answer}something must be decided about its format first: {}; run `reviews sync add` again, or give the whole format with \
             `reviews source format`", .draft.describe_open().join("; "))]
    Open {
        /// Status and kind, if there was a response.
        answer: String,
        draft: Box<Draft>,
    },
    /// The server asked for a wait: the next run begins no earlier.
    #[error("{reason}")]
    Busy { reason: String, wait: Duration },
    #[error(transparent)]
    Database(#[from] DbError),
}

impl From<ImportError> for SyncError {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Database(error) => error.into(),
            ImportError::Open(_)
            | ImportError::Refused(_)
            | ImportError::Guarded(_)
            | ImportError::Stopped => Self::failed(error.to_string()),
        }
    }
}

impl SyncError {
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Refused {
            message: message.into(),
            details: None,
        }
    }

    /// The error with the details that only the person who runs the command may read.
    pub fn with_details(self) -> Self {
        if let Self::Refused {
            details: Some(details),
            ..
        } = self
        {
            return Self::failed(details);
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literal_part_of_a_secret_is_refused_and_a_scheme_is_not() {
        for (url, header, is_stored) in [
            ("https://h.test/a?key=${V}", "Bearer ${V}", true),
            ("https://h.test/a?key=${A}${B}", "session=${V};", true),
            ("https://h.test/a?key=abc${V}", "", false),
            ("https://h.test/a?key=${V}abc", "", false),
            ("https://h.test/a?a=1;key=abc", "", false),
            ("https://h.test/a#key=abc", "", false),
            ("https://h.test/a", "Bearer abc${V}", false),
            ("https://h.test/a", "sid=abc; key=${V}", false),
            ("https://h.test/a", "Token token=\"${V}\"", true),
            ("https://abc@h.test/a", "", false),
            ("https://${A}:${B}@h.test/a", "", true),
            ("https://h.test/a?pageToken=abc", "", true),
            ("https://h.test/a?pwd=abc", "", false),
            ("https://h.test/a?to\nken=abc", "", false),
            ("https:///abc@h.test/a", "", false),
            ("https://h.test/a", "Bearer abc", false),
        ] {
            let headers = vec![("Authorization".to_owned(), header.to_owned())];
            let options = SourceOptions {
                headers,
                ..SourceOptions::default()
            };
            let stored = refuse_literal_secrets(url, &options);
            assert_eq!(stored.is_ok(), is_stored, "{url} {header}");
        }
    }

    #[test]
    fn cron_of_other_than_five_fields_or_minutes_is_refused() {
        for text in [
            "* * * * *",
            "0,2 3 * * *",
            "*/3 * * * *",
            "0,59 * * * *",
            "* * * *",
            "* * * * * *",
            "61 * * * *",
            "@daily",
            "0 0 30 2 *",
        ] {
            assert!(SourceSchedule::parse_cron(text).is_err(), "{text}");
        }
        for text in [
            "*/5 * * * *",
            "15 3 * * *",
            "0 3 29 2 *",
            "0,30 8-18 * * 1-5",
        ] {
            assert!(SourceSchedule::parse_cron(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn cron_is_in_the_time_zone_of_the_business() {
        let schedule: SourceSchedule = "15 3 * * mon".parse().unwrap();
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        let next = schedule.next(now, Tz::America__Phoenix, &Random::seeded(1));
        assert_eq!(next.to_rfc3339(), "2026-11-23T10:15:00+00:00");
        assert!((schedule.interval_seconds(now) - 604_800.0).abs() < 1.0);
    }

    #[test]
    fn interval_of_uneven_times_is_the_longest_gap() {
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        for (text, hours) in [
            ("0 9,10 * * *", 23.0),
            ("*/30 9-17 * * 1-5", 63.5),
            ("0 3 30 12 *", 365.0 * 24.0),
        ] {
            let schedule: SourceSchedule = text.parse().unwrap();
            let found = schedule.interval_seconds(now) / 3_600.0;
            assert!(found >= hours && found < hours + 48.0, "{text}: {found}");
        }
        assert!("0 0 30 2 *".parse::<SourceSchedule>().is_err(), "never");
    }

    #[test]
    fn interval_is_longer_by_at_most_a_tenth() {
        let schedule: SourceSchedule = "6h".parse().unwrap();
        let (now, random) = (DateTime::UNIX_EPOCH, Random::seeded(1));
        for _ in 0..100 {
            let wait = schedule.next(now, Tz::UTC, &random) - now;
            assert!(
                wait >= TimeDelta::hours(6) && wait <= TimeDelta::minutes(396),
                "{wait}"
            );
        }
    }
}
