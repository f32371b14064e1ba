//! What the calendar says: on which day an instant falls, and which days are too late to be true.
//!
//! Apart, because both need the business's time zone and the time, which no format should have to
//! ask for.

use chrono::{DateTime, NaiveDate, Utc};
use chrono_tz::Tz;

use crate::reviews::Day;

/// The calendar of the business, as it stands now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Calendar {
    zone: Tz,
    tomorrow: NaiveDate,
}

impl Calendar {
    /// The calendar in `zone` at the instant `now`.
    pub(super) fn new(now: DateTime<Utc>, zone: Tz) -> Self {
        let today = now.with_timezone(&zone).date_naive();
        Self {
            zone,
            tomorrow: today.succ_opt().unwrap_or(today),
        }
    }

    /// The day on which `instant` falls there.
    pub(super) fn day_of(self, instant: DateTime<Utc>) -> Option<Day> {
        Day::new(instant.with_timezone(&self.zone).date_naive())
    }

    /// `day`, if it is not later than tomorrow: a clock that runs ahead or a zone further east is
    /// forgiven, a slip of the pen is not.
    pub(super) fn plausible(self, day: Day) -> Result<Day, String> {
        if day.date() <= self.tomorrow {
            return Ok(day);
        }
        Err(format!(
            "{day} is later than tomorrow ({} in {}); correct it",
            self.tomorrow,
            self.zone.name()
        ))
    }
}
