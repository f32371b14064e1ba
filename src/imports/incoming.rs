//! One review as a source states it: what every format makes of a row. Apart from
//! [`Review`](crate::model::Review), which has no place for what a file leaves unsaid. Knows
//! neither files nor the database.

use std::borrow::Cow;

use chrono::{DateTime, Utc};

use crate::model::{Day, Mentions, Rating, ReviewId, Source, Stated, Status, Verification};

/// One review as a source states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Incoming {
    /// Its id, unique and stable.
    pub(super) id: ReviewId,
    /// Whether the row has one; else it is a digest of the row.
    pub(super) has_id: bool,
    /// One to five stars.
    pub(super) rating: Rating,
    /// When it was written.
    pub(super) posted: Dated,
    /// The author's display name.
    pub(super) author: String,
    /// The headline above the text.
    pub(super) title: Stated<String>,
    /// What it says; empty for stars alone, unsaid where a table has no column for it.
    pub(super) text: Stated<String>,
    /// The language of the text, as a BCP 47 tag.
    pub(super) language: Stated<String>,
    /// Where it was written.
    pub(super) source: Stated<Source>,
    /// Which of the firm's locations it is about, as the source calls it.
    pub(super) location: Option<String>,
    /// Whether it is published, or withheld and why.
    pub(super) status: Stated<Status>,
    /// How it is known to be from a customer. One that is not verified and has no status is
    /// withheld.
    pub(super) verification: Stated<Verification>,
    /// What it was recorded to be about.
    pub(super) mentions: Stated<Mentions>,
    /// The owner's answer; [`Stated::None`] where the file says that there is none.
    pub(super) response: Stated<IncomingResponse>,
    /// When it last changed there.
    pub(super) updated_at: Option<DateTime<Utc>>,
    /// Fields that the owner had decided: of our own export alone.
    pub(super) decided: Vec<String>,
    /// What an earlier import had noted: of our own export alone, too.
    pub(super) noted: Noted,
}

/// What an import notes besides a review, and an export carries on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Noted {
    /// When it was written, where its source gave an instant.
    pub(super) posted_at: Option<DateTime<Utc>>,
    /// When it was answered, likewise.
    pub(super) responded_at: Option<DateTime<Utc>>,
    /// What its source calls itself, whatever the owner made of it.
    pub(super) source_name: Option<String>,
}

/// The owner's answer as a source states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct IncomingResponse {
    /// Its text, never empty.
    pub(super) text: String,
    /// When it was written.
    pub(super) posted: Option<Dated>,
    /// Who wrote it, where the source names somebody.
    pub(super) author: Option<String>,
}

/// When something was written, and what the file calls that field: complaints about days are made
/// by the collector, which alone knows the business's time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dated {
    /// The day or the instant, whichever the field states.
    pub(super) posted: Posted,
    /// The field's path in the file, as `createTime`.
    pub(super) path: Cow<'static, str>,
}

/// When something was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Posted {
    /// On a calendar day of the business.
    Day(Day),
    /// At an instant, which becomes a day in the business's time zone.
    Instant(DateTime<Utc>),
}

impl Posted {
    /// The instant, where it is one.
    pub(super) const fn instant(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Instant(instant) => Some(instant),
            Self::Day(_) => None,
        }
    }
}

impl Dated {
    /// On that day, as the field `path` says.
    pub(super) fn day(day: Day, path: impl Into<Cow<'static, str>>) -> Self {
        Self {
            posted: Posted::Day(day),
            path: path.into(),
        }
    }

    /// At that instant, as the field `path` says.
    pub(super) fn instant(instant: DateTime<Utc>, path: impl Into<Cow<'static, str>>) -> Self {
        Self {
            posted: Posted::Instant(instant),
            path: path.into(),
        }
    }
}
