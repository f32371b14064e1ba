//! Where the next page begins: after a place in the order, not after a count, so that reviews which arrive between two
//! pages neither repeat nor hide any.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::reviews::ReviewFilter;

/// The format's version, so that a cursor of another release is refused and not misread.
const VERSION: u8 = 1;
/// How many bytes of the filter's hash a cursor carries.
const FILTER_BYTES: usize = 8;

/// The last place of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The day number of the page's last review.
    pub day: i32,
    /// Its id.
    pub id: String,
}

/// A text that is no cursor of these filters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("is no cursor of these filters; take it from `next_cursor` of an answer to the same filters")]
pub struct InvalidCursor;

impl Cursor {
    /// The opaque text of this cursor, bound to `filter`: base64url of version, hash of the filter, day and id.
    #[must_use]
    pub fn encode(&self, filter: &ReviewFilter) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(&fingerprint(filter));
        bytes.extend_from_slice(&self.day.to_be_bytes());
        bytes.extend_from_slice(self.id.as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a cursor back.
    ///
    /// # Errors
    /// [`InvalidCursor`] for what is no cursor, or one of another filter.
    pub fn decode(text: &str, filter: &ReviewFilter) -> Result<Self, InvalidCursor> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidCursor)?;
        let rest = bytes.strip_prefix(&[VERSION]).ok_or(InvalidCursor)?;
        let rest = rest.strip_prefix(&fingerprint(filter)).ok_or(InvalidCursor)?;
        let (day, id) = rest.split_first_chunk().ok_or(InvalidCursor)?;
        let id = str::from_utf8(id).map_err(|_| InvalidCursor)?;
        Ok(Self { day: i32::from_be_bytes(*day), id: id.to_owned() })
    }
}

fn fingerprint(filter: &ReviewFilter) -> [u8; FILTER_BYTES] {
    let digest: [u8; 32] = Sha256::digest(filter.canonical()).into();
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
        let cursor = Cursor { day: 739_000, id: "r-1".to_owned() };
        let text = cursor.encode(&of("leak"));
        assert_eq!(Cursor::decode(&text, &of("LEAK")), Ok(cursor));
        assert_eq!(Cursor::decode(&text, &of("leaks")), Err(InvalidCursor));
        for bad in ["", "x", "AAAA", &text[1..], &format!("{text}!")] {
            assert_eq!(Cursor::decode(bad, &of("leak")), Err(InvalidCursor), "{bad}");
        }
    }
}
