//! The tools that give reviews: the same bodies as REST, of as many whole reviews as fit.

use serde_json::{Value, json};

use super::arguments::{Arguments, refusal};
use super::definitions::CallError;
use super::size_budget::{RESULT_BYTES_MAX, REVIEWS_MAX, ReviewsPage, cut, page};
use super::views::View;
use super::{shape, text};
use crate::model::parameters::ParameterSource;
use crate::model::{Day, ReviewFilter, ReviewId, SearchArguments, fold, parameters};
use crate::search::evidence::{EvidenceQuery, EvidenceRequest, answer};
use crate::search::{Cursor, CursorParameter, SearchRequest, TextIndex, did_you_mean};
use crate::snapshot::Snapshot;
use crate::wire;
use crate::wire::AspectEvidence;

/// How much of an id that nobody has is given back.
const ID_CHARACTERS_MAX: usize = 140;

/// The body of `GET /api/reviews/search`.
///
/// # Errors
/// Where an argument is wrong, or the cursor belongs to other filters.
pub async fn search(
    index: &TextIndex,
    view: &View,
    mut arguments: Arguments<'_>,
) -> Result<Value, CallError> {
    let asked = SearchRequest::take_from(&mut arguments, view.snapshot.input.analyzer.trade());
    let SearchRequest {
        arguments: asked,
        filter,
        limit,
        cursor,
    } = arguments.finish(Some(asked))?;
    let all = index
        .search(&view.snapshot, &filter, usize::from(limit), cursor.as_ref())
        .await;
    let did_you_mean = did_you_mean(&view.snapshot, &asked, all.total, || view.counts());
    let mut answer = found(cut(all, &filter, RESULT_BYTES_MAX), limit);
    if let Some(did_you_mean) = did_you_mean {
        answer["did_you_mean"] = shape(&did_you_mean);
    }
    Ok(answer)
}

/// A page as REST has it.
#[must_use]
pub fn found(page: ReviewsPage, limit: u8) -> Value {
    let mut answer = shape(&wire::SearchHead {
        total: page.total,
        total_relation: wire::TotalRelation::of(page.is_exact),
        count: page.reviews.len() as u64,
        limit: u64::from(limit),
        next_cursor: page.next.map(|next| next.to_string()),
        did_you_mean: None,
        ignored: Vec::new(),
    });
    answer["reviews"] = Value::Array(page.reviews);
    answer
}

/// The body of `GET /api/reviews/since/{date}`; where that would be too much, a page of it.
///
/// # Errors
/// Where an argument is wrong, or the cursor belongs to another day.
pub fn since(snapshot: &Snapshot, mut arguments: Arguments<'_>) -> Result<Value, CallError> {
    let date = arguments.require::<parameters::DateOfPath>();
    let limit = arguments
        .take::<parameters::Limit>()
        .map_or(REVIEWS_MAX, usize::from);
    let cursor = arguments.take::<CursorParameter>();
    let date = arguments.finish(date)?;
    let filter = ReviewFilter::new(&SearchArguments {
        since: Some(date),
        ..SearchArguments::default()
    });
    let cursor = fitting(&filter, cursor)?;
    let page = page(snapshot, &filter, limit, cursor.as_ref(), RESULT_BYTES_MAX);
    let count = page.reviews.len() as u64;
    let mut answer = shape(&wire::SinceHead {
        since: date.date(),
        count,
    });
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
pub fn review(snapshot: &Snapshot, mut arguments: Arguments<'_>) -> Result<Value, CallError> {
    let id = arguments.require::<parameters::Id>();
    let id = arguments.finish(id)?;
    find(snapshot, &id).ok_or_else(|| {
        let id = text(&json!(id.chars().take(ID_CHARACTERS_MAX).collect::<String>()));
        CallError::Arguments(format!(
            "There is no published review with the id {id}. Ids are case-sensitive, and a review may be withdrawn: take an id from \
             an answer of search_reviews or get_reviews_since."
        ))
    })
}

/// The review of that id, as it is rendered.
#[must_use]
pub fn find(snapshot: &Snapshot, id: &str) -> Option<Value> {
    let json = snapshot
        .input
        .review_index
        .find(&id.parse::<ReviewId>().ok()?)?;
    serde_json::from_slice(&json).ok()
}

/// The cursor, if it belongs to `filter`.
fn fitting(filter: &ReviewFilter, cursor: Option<Cursor>) -> Result<Option<Cursor>, CallError> {
    match cursor {
        Some(cursor) if !cursor.fits(filter) => Err(refusal(&[cursor.invalid().into()])),
        cursor => Ok(cursor),
    }
}

// `get_evidence`: the body of the REST document, of as many whole reviews as fit.

/// How much of a name that nobody has is given back.
const NAME_CHARACTERS_MAX: usize = 100;

/// The sentences behind an aspect.
///
/// # Errors
/// Where an argument is wrong, there is no such aspect, or the cursor belongs to other filters.
pub fn evidence(view: &View, mut arguments: Arguments<'_>) -> Result<Value, CallError> {
    let aspect = arguments.require::<parameters::Aspect>();
    let request = EvidenceRequest::take_from(&mut arguments);
    let (aspect, request) = arguments.finish(aspect.map(|aspect| (aspect, request)))?;
    let trade = view.snapshot.input.analyzer.trade();
    let wanted = fold(&aspect);
    let mut aspects = trade.aspects.iter();
    let found = aspects.find(|one| fold(&one.id) == wanted || fold(&one.label) == wanted);
    let query = found.and_then(|found| EvidenceQuery::about(trade, &found.id, &request));
    let Some(query) = query else {
        let said: String = aspect.chars().take(NAME_CHARACTERS_MAX).collect();
        return Err(CallError::Arguments(format!(
            "There is no aspect {}; there are {}.",
            text(&json!(said)),
            trade.aspect_ids().join(", ")
        )));
    };
    if let Some(cursor) = query.foreign_cursor() {
        return Err(refusal(&[cursor.invalid().into()]));
    }
    let all = answer(&view.snapshot, view.counts(), &query);
    Ok(fitting_evidence(all, &query))
}

/// As many of the reviews as fit; the first always does.
fn fitting_evidence(mut answer: AspectEvidence, query: &EvidenceQuery<'_>) -> Value {
    loop {
        let value = shape(&answer);
        let bytes = text(&value).len();
        if bytes <= RESULT_BYTES_MAX || answer.reviews.len() < 2 {
            return value;
        }
        let fewer = answer.reviews.len() * RESULT_BYTES_MAX / bytes;
        answer.reviews.truncate(fewer.max(1));
        answer.count = answer.reviews.len() as u64;
        let last = answer.reviews.last();
        answer.next_cursor = last.and_then(|last| {
            let day = Day::new(last.date)?.number();
            Some(Cursor::within(&query.canonical(), day, &last.review_id).to_string())
        });
    }
}
