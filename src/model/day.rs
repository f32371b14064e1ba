//! A calendar day, written exactly `YYYY-MM-DD`.

use std::fmt;
use std::str::FromStr;

use chrono::{Datelike, NaiveDate};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// From 0001-01-01 to 9999-12-31, in the business's time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Day(NaiveDate);

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a calendar day written YYYY-MM-DD")]
pub struct InvalidDay(pub String);

impl FromStr for Day {
    type Err = InvalidDay;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // chrono also accepts 2024-1-1 and signs, so the shape is checked first.
        let shaped = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| {
                if matches!(at, 4 | 7) {
                    byte == b'-'
                } else {
                    byte.is_ascii_digit()
                }
            });
        let day = shaped
            .then(|| text.parse::<NaiveDate>().ok())
            .flatten()
            .filter(|day| day.year() >= 1);
        day.map(Self).ok_or_else(|| InvalidDay(text.to_owned()))
    }
}

impl Day {
    pub const MIN: Self = Self(NaiveDate::from_ymd_opt(1, 1, 1).unwrap());

    /// `None` outside of the years 1 to 9999.
    #[must_use]
    pub fn new(date: NaiveDate) -> Option<Self> {
        (1..=9999).contains(&date.year()).then_some(Self(date))
    }

    #[must_use]
    pub const fn date(self) -> NaiveDate {
        self.0
    }

    /// Days since 0000-12-31, so that 0001-01-01 is 1; blocks store and compare it.
    #[must_use]
    pub fn number(self) -> i32 {
        self.0.num_days_from_ce()
    }

    /// The next day, or this one if it is the last.
    #[must_use]
    pub fn next(self) -> Self {
        self.0.succ_opt().and_then(Self::new).unwrap_or(self)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::Day;

    #[test]
    fn only_real_days_in_the_one_spelling_are_days() {
        for good in ["2024-02-29", "0001-01-01", "9999-12-31"] {
            assert_eq!(good.parse::<Day>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "2024-02-30",
            "2023-02-29",
            "2024-1-1",
            "2024-01-1 ",
            "+024-01-01",
            "0000-01-01",
            "20240101",
            "2024-13-01",
            "2024-01-01T00",
        ] {
            assert!(bad.parse::<Day>().is_err(), "{bad}");
        }
    }
}
