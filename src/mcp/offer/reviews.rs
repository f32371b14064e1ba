//! The tools that give reviews: the same bodies as REST, of as many whole reviews as fit.

use serde_json::{Value, json};

use super::arguments::{Arguments, refusal};
use super::excerpt::{Page, RESULT_BYTES_MAX, REVIEWS_MAX, cut, page};
use super::listing::Refusal;
use super::{shape, text};
use crate::edition::Edition;
use crate::reviews::{LIMIT_DEFAULT, ReviewFilter, ReviewId, SearchArguments, parameters};
use crate::search::{Cursor, CursorParameter, TextIndex};
use crate::wire;

/// How much of an id that nobody has is given back.
const ID_CHARACTERS_MAX: usize = 140;

/// The body of `GET /api/reviews/search`.
///
/// # Errors
/// Where an argument is wrong, or the cursor belongs to other filters.
pub async fn search(index: &TextIndex, edition: &Edition, mut arguments: Arguments<'_>) -> Result<Value, Refusal> {
    let filter = ReviewFilter::new(&SearchArguments {
        rating: arguments.take::<parameters::Rating>(),
        min_rating: arguments.take::<parameters::MinRating>(),
        since: arguments.take::<parameters::Since>(),
        until: arguments.take::<parameters::Until>(),
        query: arguments.take::<parameters::Query>(),
        mentions_technician: arguments.take::<parameters::MentionsTechnician>(),
        mentions_service: arguments.take::<parameters::MentionsService>(),
    });
    let limit = arguments.take::<parameters::Limit>().unwrap_or(LIMIT_DEFAULT);
    let cursor = arguments.take::<CursorParameter>();
    arguments.finish(Some(()))?;
    let cursor = fitting(&filter, cursor)?;
    let all = index.search(edition, &filter, usize::from(limit), cursor.as_ref()).await;
    Ok(found(cut(all, &filter, RESULT_BYTES_MAX), limit))
}

/// A page as REST has it.
#[must_use]
pub fn found(page: Page, limit: u8) -> Value {
    let mut answer = shape(&wire::SearchHead {
        total: page.total,
        total_relation: if page.is_exact { wire::TotalRelation::Eq } else { wire::TotalRelation::Gte },
        count: page.reviews.len() as u64,
        limit: u64::from(limit),
        next_cursor: page.next.map(|next| next.to_string()),
    });
    answer["reviews"] = Value::Array(page.reviews);
    answer
}

/// The body of `GET /api/reviews/since/{date}`; where that would be too much, a page of it.
///
/// # Errors
/// Where an argument is wrong, or the cursor belongs to another day.
pub fn since(edition: &Edition, mut arguments: Arguments<'_>) -> Result<Value, Refusal> {
    let date = arguments.require::<parameters::DateOfPath>();
    let limit = arguments.take::<parameters::Limit>().map_or(REVIEWS_MAX, usize::from);
    let cursor = arguments.take::<CursorParameter>();
    let date = arguments.finish(date)?;
    let filter = ReviewFilter::new(&SearchArguments { since: Some(date), ..SearchArguments::default() });
    let cursor = fitting(&filter, cursor)?;
    let page = page(edition, &filter, limit, cursor.as_ref(), RESULT_BYTES_MAX);
    let count = page.reviews.len() as u64;
    let mut answer = shape(&wire::SinceHead { since: date.date(), count });
    if count < page.total {
        answer["total"] = json!(page.total);
    }
    if let Some(next) = page.next {
        answer["next_cursor"] = json!(next.to_string());
    }
    answer["reviews"] = Value::Array(page.reviews);
    Ok(answer)
}

/// The review of an id.
///
/// # Errors
/// Where there is none; the text says what to do.
pub fn review(edition: &Edition, mut arguments: Arguments<'_>) -> Result<Value, Refusal> {
    let id = arguments.require::<parameters::Id>();
    let id = arguments.finish(id)?;
    find(edition, &id).ok_or_else(|| {
        let id = text(&json!(id.chars().take(ID_CHARACTERS_MAX).collect::<String>()));
        Refusal::Arguments(format!(
            "There is no published review with the id {id}. Ids are case-sensitive, and a review may be withdrawn: take an id from \
             an answer of search_reviews or get_reviews_since."
        ))
    })
}

/// The review of that id, as it is printed.
#[must_use]
pub fn find(edition: &Edition, id: &str) -> Option<Value> {
    let json = edition.copy.shelf.find(&id.parse::<ReviewId>().ok()?)?;
    serde_json::from_slice(&json).ok()
}

/// The cursor, if it belongs to `filter`.
fn fitting(filter: &ReviewFilter, cursor: Option<Cursor>) -> Result<Option<Cursor>, Refusal> {
    match cursor {
        Some(cursor) if !cursor.fits(filter) => Err(refusal(&[cursor.invalid().into()])),
        cursor => Ok(cursor),
    }
}
