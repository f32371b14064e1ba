//! Where the next page begins: after a place in the order, not after a count, so that reviews which arrive between two
//! pages neither repeat nor hide any.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::reviews::parameters::{Fault, InvalidParameter, Opaque, Parameter};
use crate::reviews::{ReviewFilter, ReviewId};

/// The format's version, so that a cursor of another release is refused and not misread.
const VERSION: u8 = 1;
/// How many bytes of the filter's hash a cursor carries.
const FILTER_BYTES: usize = 8;

/// The last place of a page, and the filters that it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    filter: [u8; FILTER_BYTES],
    /// The day number of the page's last review.
    pub day: i32,
    /// Its id.
    pub id: String,
}

/// A text that is no cursor of these filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{}", CursorParameter::KIND.allowed)]
pub struct InvalidCursor;

impl Cursor {
    /// The cursor behind a page of `filter` whose last review has that day number and id.
    #[must_use]
    pub fn new(filter: &ReviewFilter, day: i32, id: &str) -> Self {
        Self::within(&filter.canonical(), day, id)
    }

    /// The cursor behind a page of `question`, spelt in one way, whose last review has that day number and id.
    #[must_use]
    pub fn within(question: &str, day: i32, id: &str) -> Self {
        Self { filter: fingerprint(question), day, id: id.to_owned() }
    }

    /// Whether it belongs to `filter`.
    #[must_use]
    pub fn fits(&self, filter: &ReviewFilter) -> bool {
        self.belongs_to(&filter.canonical())
    }

    /// Whether it belongs to `question`.
    #[must_use]
    pub fn belongs_to(&self, question: &str) -> bool {
        self.filter == fingerprint(question)
    }

    /// What is wrong with it where it belongs to another question.
    #[must_use]
    pub fn invalid(&self) -> InvalidParameter {
        InvalidParameter::of::<CursorParameter>(Fault::Text, &self.to_string())
    }
}

/// The parameter with which a question goes on.
#[derive(Debug)]
pub struct CursorParameter;

impl Parameter for CursorParameter {
    type Kind = Opaque<Cursor>;
    const NAME: &'static str = "cursor";
    const KIND: Opaque<Cursor> =
        Opaque { parse: |text| text.parse().ok(), allowed: "must be `next_cursor` of an answer to the same filters" };
}

impl fmt::Display for Cursor {
    /// The opaque text: base64url of version, hash of the filter, day and id.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes = [&[VERSION], self.filter.as_slice(), &self.day.to_be_bytes(), self.id.as_bytes()].concat();
        f.write_str(&URL_SAFE_NO_PAD.encode(bytes))
    }
}

impl FromStr for Cursor {
    type Err = InvalidCursor;

    fn from_str(text: &str) -> Result<Self, InvalidCursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidCursor)?;
        let rest = bytes.strip_prefix(&[VERSION]).ok_or(InvalidCursor)?;
        let (filter, rest) = rest.split_first_chunk().ok_or(InvalidCursor)?;
        let (day, id) = rest.split_first_chunk().ok_or(InvalidCursor)?;
        let id: ReviewId = str::from_utf8(id).ok().and_then(|id| id.parse().ok()).ok_or(InvalidCursor)?;
        Ok(Self { filter: *filter, day: i32::from_be_bytes(*day), id: id.to_string() })
    }
}

fn fingerprint(question: &str) -> [u8; FILTER_BYTES] {
    let digest: [u8; 32] = Sha256::digest(question).into();
    let mut fingerprint = [0; FILTER_BYTES];
    fingerprint.copy_from_slice(&digest[..FILTER_BYTES]);
    fingerprint
}

#[cfg(test)]
mod tests {
    use super::{Cursor, InvalidCursor};
    use crate::reviews::{ReviewFilter, SearchArguments};

    #[test]
    fn a_cursor_is_good_for_its_own_filters_alone() {
        let of = |query: &str| ReviewFilter::new(&SearchArguments { query: Some(query.to_owned()), ..SearchArguments::default() });
        let cursor = Cursor::new(&of("leak"), 739_000, "r-1");
        let text = cursor.to_string();
        assert_eq!(text.parse(), Ok(cursor.clone()));
        assert!(cursor.fits(&of("LEAK")));
        assert!(!cursor.fits(&of("leaks")));
        for bad in ["", "x", "AAAA", &text[1..], &format!("{text}!"), &text[..18]] {
            assert_eq!(bad.parse::<Cursor>(), Err(InvalidCursor), "{bad}");
        }
    }
}
