//! When an entry is fetched: an interval, or times of day in the business's time zone.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use croner::Cron;

use crate::config::TimeSpan;

/// Republished sheets and most platforms' limits allow no more.
const INTERVAL_MIN: Duration = Duration::from_mins(5);

/// As it was written, and what it means.
#[derive(Debug, Clone)]
pub enum Schedule {
    Every(String, Duration),
    At(String, Box<Cron>),
}

impl Default for Schedule {
    fn default() -> Self {
        Self::Every("6h".to_owned(), Duration::from_hours(6))
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Every(text, _) | Self::At(text, _)) = self;
        f.write_str(text)
    }
}

impl Schedule {
    /// # Errors
    /// If the text is no interval, or less than 5 minutes.
    pub fn parse_interval(text: &str) -> Result<Self, &'static str> {
        let span: Result<TimeSpan, _> = text.parse();
        match span.map(|span| span.0) {
            Err(_) => Err("no interval; write it like 90m or 6h, at most a year"),
            Ok(span) if span < INTERVAL_MIN => Err("less than 5 minutes; write 5m or more"),
            Ok(span) => Ok(Self::Every(text.to_owned(), span)),
        }
    }

    /// # Errors
    /// If the text is not five fields of cron.
    pub fn parse_cron(text: &str) -> Result<Self, &'static str> {
        // The parser also takes nicknames such as @daily, and seconds and years.
        let cron = text.parse().ok();
        let cron: Option<Cron> = cron.filter(|_| text.split_whitespace().count() == 5);
        let cron = cron.ok_or(
            "no schedule; write five fields: minute, hour, day, month, weekday, like \"15 3 * * *\"",
        )?;
        Ok(Self::At(text.to_owned(), Box::new(cron)))
    }

    /// The next time after `now`.
    pub fn next(&self, now: DateTime<Utc>, zone: Tz) -> DateTime<Utc> {
        match self {
            Self::Every(_, interval) => now + *interval,
            Self::At(_, cron) => {
                let next = cron.find_next_occurrence(&now.with_timezone(&zone), false);
                // Of a day that never comes, such as the 30th of February.
                next.map_or(now + TimeDelta::days(366), |next| next.to_utc())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cron_of_other_than_five_fields_is_refused() {
        for text in ["* * * *", "* * * * * *", "61 * * * *", "@daily"] {
            assert!(Schedule::parse_cron(text).is_err(), "{text}");
        }
        for text in [
            "*/5 * * * *",
            "15 3 * * *",
            "0 3 29 2 *",
            "0,30 8-18 * * 1-5",
        ] {
            assert!(Schedule::parse_cron(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn cron_is_in_the_time_zone_of_the_business() {
        let schedule = Schedule::parse_cron("15 3 * * mon").unwrap();
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        let next = schedule.next(now, Tz::America__Phoenix);
        assert_eq!(next.to_rfc3339(), "2026-11-23T10:15:00+00:00");
    }
}
