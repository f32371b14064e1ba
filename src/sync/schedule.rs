//! When an entry is fetched: an interval, or times of day in the business's time zone.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use chrono_tz::Tz;
use croner::Cron;
use serde::Deserialize;

use crate::config::TimeSpan;

/// Republished sheets and most platforms' limits allow no more.
const INTERVAL_MIN: Duration = Duration::from_mins(5);

/// As it was written, and what it means.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "String")]
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

impl TryFrom<String> for Schedule {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        if let Ok(TimeSpan(interval)) = text.parse() {
            return if interval < INTERVAL_MIN {
                Err("less than 5 minutes; write 5m or more")
            } else {
                Ok(Self::Every(text, interval))
            };
        }
        // The parser also takes nicknames such as @daily, and seconds and years.
        let cron = text.parse().ok();
        let cron = cron.filter(|_| text.split_whitespace().count() == 5);
        let cron = cron.map(|cron| Self::At(text, Box::new(cron)));
        cron.ok_or("no schedule; write every = \"6h\", or at = \"15 3 * * *\": minute, hour, day, month, weekday")
    }
}

impl Schedule {
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
            assert!(Schedule::try_from(text.to_owned()).is_err(), "{text}");
        }
        for text in [
            "*/5 * * * *",
            "15 3 * * *",
            "0 3 29 2 *",
            "0,30 8-18 * * 1-5",
        ] {
            assert!(Schedule::try_from(text.to_owned()).is_ok(), "{text}");
        }
    }

    #[test]
    fn cron_is_in_the_time_zone_of_the_business() {
        let schedule = Schedule::try_from("15 3 * * mon".to_owned()).unwrap();
        let now = "2026-11-20T12:00:00Z".parse().unwrap();
        let next = schedule.next(now, Tz::America__Phoenix);
        assert_eq!(next.to_rfc3339(), "2026-11-23T10:15:00+00:00");
    }
}
