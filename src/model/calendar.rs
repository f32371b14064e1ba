//! Times of reviews and answers, and the days of the business on which they fall.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

use super::review::Day;

/// A day of the business, and the time that gave it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dated {
    pub day: Day,
    pub posted: Posted,
}

impl Dated {
    /// The day at the source: that of an instant is the one in UTC.
    pub fn source_day(self) -> Day {
        let at_source = self
            .posted
            .instant()
            .and_then(|at| Day::new(at.date_naive()));
        at_source.unwrap_or(self.day)
    }
}

/// Turns the times in files into days of the business.
#[derive(Debug, Clone, Copy)]
pub struct Calendar {
    /// The business's time zone; `None` if it was never set.
    pub zone: Option<Tz>,
    pub now: DateTime<Utc>,
}

impl Calendar {
    /// The last day of a review: a fast clock or a zone further east may be a day ahead, but not a typing error.
    pub fn tomorrow(self) -> NaiveDate {
        let today = self
            .now
            .with_timezone(&self.zone.unwrap_or(Tz::UTC))
            .date_naive();
        today.succ_opt().unwrap_or(today)
    }

    /// The day, if it is plausible.
    pub fn place(self, posted: Posted) -> Result<Dated, String> {
        let zone = self.zone.unwrap_or(Tz::UTC);
        let day = match posted {
            Posted::Day(day) => day,
            Posted::Instant(instant) => Day::new(instant.with_timezone(&zone).date_naive())
                .ok_or("is outside of the years 1 to 9999")?,
        };
        let tomorrow = self.tomorrow();
        if day.date() <= tomorrow {
            return Ok(Dated { day, posted });
        }
        Err(format!(
            "{day} is later than tomorrow ({tomorrow} in {zone}); correct it"
        ))
    }
}

/// Time of a review or an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Posted {
    /// A calendar day of the business.
    Day(Day),
    /// An instant, which becomes a day in the business's time zone.
    Instant(DateTime<Utc>),
}

impl Posted {
    pub const fn instant(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Instant(instant) => Some(instant),
            Self::Day(_) => None,
        }
    }
}
