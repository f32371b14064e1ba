//! The cursor of a search: where the next page begins or the previous one ends. It is a position in the order, not a count, so
//! that reviews added between two pages are neither repeated nor skipped. If the order is by stars, it includes the stars.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::NaiveDate;
use thiserror::Error;

use crate::model::{Day, FNV_OFFSET, Review, ReviewId, Sort, fnv1a};
use crate::wire::parameters::{MetaSchema, Parameter, ParameterKind, TextKind};
use crate::wire::{Issue, IssueCode};

/// The format's version, so that another release's cursor is refused instead of misread.
const VERSION: u8 = 6;

/// The last position of a page, and the filters that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// A hash of the filters.
    filter: u64,
    /// Whether the page ends at the position, instead of beginning after it.
    pub ends_page: bool,
    /// The stars of the page's last review, if the order is by stars.
    pub stars: Option<u8>,
    /// The day of the page's last review.
    day: NaiveDate,
    /// The ID of the page's last review.
    pub id: String,
}

/// The version, and the fields of a cursor in their order.
type CursorParts<'a> = (u8, u64, bool, Option<u8>, NaiveDate, Cow<'a, str>);

/// The text is not a cursor of these filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{}", CursorParameter.allowed())]
pub struct InvalidCursor;

impl Cursor {
    /// The cursor after a page of `filter` in the order `sort` whose last review is `last`.
    pub fn after(filter: &str, sort: Sort, last: &Review) -> Self {
        Self {
            stars: sort.stars().map(|_| last.rating.stars()),
            ..Self::at(filter, last.date, last.id.as_str())
        }
    }

    /// The cursor after a page of `filter` whose last review has this day and ID. `filter` is the canonical text of the
    /// parameters.
    pub fn at(filter: &str, day: Day, id: &str) -> Self {
        Self {
            filter: fingerprint(filter),
            ends_page: false,
            stars: None,
            day: day.date(),
            id: id.to_owned(),
        }
    }

    /// The cursor of the page that ends at the same position.
    pub fn ending_there(self) -> Self {
        Self {
            ends_page: true,
            ..self
        }
    }

    /// `None` for a cursor that was altered.
    pub fn day(&self) -> Option<Day> {
        Day::new(self.day)
    }

    pub fn belongs_to(&self, filter: &str) -> bool {
        self.filter == fingerprint(filter)
    }

    fn is_possible(&self) -> bool {
        self.day().is_some()
            && self.stars.is_none_or(|stars| (1..=5).contains(&stars))
            && self.id.parse::<ReviewId>().is_ok()
    }

    /// The error for a cursor of another query.
    pub fn invalid(&self) -> Issue {
        Issue::of::<CursorParameter>(IssueCode::InvalidString, &self.to_string())
    }
}

/// The parameter and its kind; the empty text counts as absent.
#[derive(Debug, Clone, Copy)]
pub struct CursorParameter;

impl Parameter for CursorParameter {
    type Kind = Self;
    const NAME: &'static str = "cursor";
    const KIND: Self = Self;
}

impl ParameterKind for CursorParameter {
    type Value = Cursor;
    const NOT_UTF8: IssueCode = IssueCode::InvalidString;

    fn parse(self, text: &str) -> Result<Option<Cursor>, IssueCode> {
        if text.is_empty() {
            return Ok(None);
        }
        text.parse().map(Some).map_err(|_| IssueCode::InvalidString)
    }

    fn allowed(self) -> String {
        "must be `next_cursor` of an answer to the same filters".to_owned()
    }

    fn schema(self) -> MetaSchema {
        TextKind::ANY.schema()
    }
}

impl fmt::Display for Cursor {
    /// Opaque: base64url of JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            filter,
            ends_page,
            stars,
            day,
            id,
        } = self;
        let parts: CursorParts<'_> = (VERSION, *filter, *ends_page, *stars, *day, id.into());
        let json = serde_json::to_vec(&parts).map_err(|_| fmt::Error)?;
        f.write_str(&URL_SAFE_NO_PAD.encode(json))
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let json = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidCursor)?;
        let parts = serde_json::from_slice::<CursorParts<'_>>(&json).map_err(|_| InvalidCursor)?;
        let (version, filter, ends_page, stars, day, id) = parts;
        let cursor = Self {
            filter,
            ends_page,
            stars,
            day,
            id: id.into_owned(),
        };
        let is_valid = version == VERSION && cursor.is_possible();
        Some(cursor).filter(|_| is_valid).ok_or(InvalidCursor)
    }
}

/// It is the same in all processes.
fn fingerprint(filter: &str) -> u64 {
    fnv1a(FNV_OFFSET, filter.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Cursor, InvalidCursor};
    use crate::model::{Day, PluralEndings, Sort};
    use crate::search::{ReviewFilter, SearchParameters};

    fn day() -> Day {
        "2024-05-05".parse().unwrap()
    }

    #[test]
    fn a_cursor_is_valid_only_for_the_same_filters() {
        let of = |query: &str| {
            ReviewFilter::new(
                &SearchParameters {
                    query: Some(query.to_owned()),
                    ..SearchParameters::default()
                },
                PluralEndings::default(),
            )
            .canonical()
        };
        let cursor = Cursor::at(&of("leak"), day(), "r-1");
        let text = cursor.to_string();
        assert_eq!(text.parse(), Ok(cursor.clone()));
        assert!(cursor.belongs_to(&of("LEAK")));
        assert!(!cursor.belongs_to(&of("leaks")));
        for bad in [
            "",
            "x",
            "AAAA",
            &text[1..],
            &format!("{text}!"),
            &text[..18],
        ] {
            assert_eq!(bad.parse::<Cursor>(), Err(InvalidCursor), "{bad}");
        }
    }

    #[test]
    fn a_cursor_by_stars_is_valid_only_for_the_same_order() {
        let of = |sort| {
            ReviewFilter::new(
                &SearchParameters {
                    sort: Some(sort),
                    ..SearchParameters::default()
                },
                PluralEndings::default(),
            )
            .canonical()
        };
        let cursor = Cursor {
            stars: Some(2),
            ..Cursor::at(&of(Sort::Lowest), day(), "r-1")
        };
        assert_eq!(cursor.stars, Some(2));
        assert_eq!(cursor.to_string().parse(), Ok(cursor.clone()));
        for (sort, fits) in [
            (Sort::Lowest, true),
            (Sort::Highest, false),
            (Sort::Oldest, false),
            (Sort::Newest, false),
        ] {
            assert_eq!(cursor.belongs_to(&of(sort)), fits, "{sort:?}");
        }
        let ending = cursor.clone().ending_there();
        assert_eq!(ending.to_string().parse(), Ok(ending.clone()));
        assert_ne!(ending, cursor);
        let sixth = Cursor {
            stars: Some(6),
            ..cursor
        };
        assert_eq!(sixth.to_string().parse::<Cursor>(), Err(InvalidCursor));
    }
}
