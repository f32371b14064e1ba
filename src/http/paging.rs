//! The `cursor` parameter. The OpenAPI document describes it in words, as no schema can say which texts are cursors; so it
//! is taken from the query here, by the same rules as the others: empty is absent, twice is a duplicate.

use poem::{FromRequest, Request, RequestBody};

use crate::respond::invalid_cursor;
use crate::search::Cursor;
use crate::wire::{Code, Issue};

const NAME: &str = "cursor";
/// How much of what was given an issue shows, in characters.
const RECEIVED_MAX: usize = 200;

/// Where the page begins, if not at the first review.
pub struct Paging(pub Option<Cursor>);

impl<'a> FromRequest<'a> for Paging {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        // The door has refused what is no cursor; what is empty is none either.
        Ok(Self(given(request.uri().query().unwrap_or_default()).first().and_then(|text| text.parse().ok())))
    }
}

/// What is wrong with the cursor of a query, whatever its filters are.
pub fn check(query: &str) -> Option<Issue> {
    match given(query).as_slice() {
        [] => None,
        [empty] if empty.is_empty() => None,
        [text] => text.parse::<Cursor>().is_err().then(|| invalid_cursor(text)),
        several => Some(Issue {
            path: vec![NAME.to_owned()],
            code: Code::Duplicate,
            message: "must be given only once".to_owned(),
            received: several.join(", ").chars().take(RECEIVED_MAX).collect(),
        }),
    }
}

fn given(query: &str) -> Vec<String> {
    let pairs = form_urlencoded::parse(query.as_bytes());
    pairs.filter(|(name, _)| name == NAME).map(|(_, value)| value.into_owned()).collect()
}
