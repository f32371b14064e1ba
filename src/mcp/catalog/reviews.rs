//! The tools' results: the bodies of REST, limited to the whole reviews that fit.

use serde_json::{Value, json};

use super::arguments::{Arguments, CallError, refusal};
use super::size_budget::{RESULT_BYTES_MAX, REVIEWS_MAX, ReviewsPage, cut, fit, page};
use super::{shape, text};
use crate::compute::apart_if;
use crate::links::Links;
use crate::model::parameters::{InsightsPart, ParameterSource};
use crate::model::{Day, ReviewFilter, ReviewId, SearchArguments, TextMatch, fold, parameters};
use crate::search::facets::{self, PeriodsRequest, VALUES_MAX, compare};
use crate::search::insights::{
    self, EvidenceQuery, EvidenceRequest, NoSuchStage, StageRequest, stage,
};
use crate::search::{Cursor, CursorParameter, SHORT_PAGE, SearchRequest, TextIndex, did_you_mean};
use crate::snapshot::Snapshot;
use crate::snapshot::render::head;
use crate::wire;
use crate::wire::AspectEvidence;

/// Maximum number of characters of an unknown ID that an error repeats.
const ID_CHARACTERS_MAX: usize = 140;

/// The body of `GET /api/reviews/search`.
///
/// # Errors
/// If an argument is invalid, or the cursor belongs to other filters.
pub async fn search(
    index: &TextIndex,
    snapshot: &Snapshot,
    mut arguments: Arguments<'_>,
) -> Result<Value, CallError> {
    let asked = SearchRequest::take_from(&mut arguments, &snapshot.input, TextMatch::Substring);
    let SearchRequest {
        arguments: asked,
        filter,
        limit,
        cursor,
    } = arguments.finish(Some(asked))?;
    let all = index
        .search(snapshot, &filter, usize::from(limit), cursor.as_ref())
        .await;
    let did_you_mean = did_you_mean(snapshot, &asked, all.total);
    let mut answer = apart_if(all.places.len() > SHORT_PAGE, || {
        found(cut(snapshot, all, &filter, RESULT_BYTES_MAX), limit)
    });
    if let Some(did_you_mean) = did_you_mean {
        answer["did_you_mean"] = shape(&did_you_mean);
    }
    Ok(answer)
}

/// A page in the shape of REST.
#[must_use]
pub fn found(page: ReviewsPage, limit: u8) -> Value {
    shape(&wire::SearchResult {
        head: wire::SearchHead {
            total: page.total,
            total_relation: wire::TotalRelation::of(page.is_exact),
            count: page.reviews.len() as u64,
            limit: u64::from(limit),
            next_cursor: page.next.map(|next| next.to_string()),
            did_you_mean: None,
            ignored: Vec::new(),
        },
        reviews: page.reviews,
    })
}

/// The body of `GET /api/reviews/since/{date}`, or a page of it if it is too large.
///
/// # Errors
/// If an argument is invalid, or the cursor belongs to another day.
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
    answer["reviews"] = shape(&page.reviews);
    Ok(answer)
}

/// One review by its ID.
///
/// # Errors
/// If it does not exist; the text explains what to do.
pub fn review(snapshot: &Snapshot, mut arguments: Arguments<'_>) -> Result<Value, CallError> {
    let id = arguments.require::<parameters::Id>();
    let id = arguments.finish(id)?;
    let found = find(snapshot, &id).map(|review| shape(&review));
    found.ok_or_else(|| {
        let id = text(&json!(id.chars().take(ID_CHARACTERS_MAX).collect::<String>()));
        CallError::Arguments(format!(
            "No published review has the id {id}. Ids are case-sensitive, and a review may be withdrawn: take an id from an \
             answer of search_reviews or get_reviews_since."
        ))
    })
}

#[must_use]
pub fn find(snapshot: &Snapshot, id: &str) -> Option<wire::Review> {
    let review_index = &snapshot.input.review_index;
    review_index.review(review_index.find(&id.parse::<ReviewId>().ok()?)?)
}

/// The cursor, if it belongs to `filter`.
fn fitting(filter: &ReviewFilter, cursor: Option<Cursor>) -> Result<Option<Cursor>, CallError> {
    match cursor {
        Some(cursor) if !cursor.fits(filter) => Err(refusal(&[cursor.invalid().into()])),
        cursor => Ok(cursor),
    }
}

// `get_evidence`: the body of the REST document, limited to the whole reviews that fit.

/// Maximum number of characters of an unknown name that an error repeats.
const NAME_CHARACTERS_MAX: usize = 100;

/// The sentences behind an aspect.
///
/// # Errors
/// If an argument is invalid, the aspect is unknown, or the cursor belongs to other filters.
pub fn evidence(snapshot: &Snapshot, mut arguments: Arguments<'_>) -> Result<Value, CallError> {
    let aspect = arguments.require::<parameters::Aspect>();
    let request = EvidenceRequest::take_from(&mut arguments);
    let (aspect, request) = arguments.finish(aspect.map(|aspect| (aspect, request)))?;
    let trade = snapshot.input.analyzer.trade();
    let wanted = fold(&aspect);
    let mut aspects = trade.aspects.iter();
    let found = aspects.find(|one| fold(&one.id) == wanted || fold(&one.label) == wanted);
    let query = found.and_then(|found| EvidenceQuery::about(trade, &found.id, &request));
    let Some(query) = query else {
        let said: String = aspect.chars().take(NAME_CHARACTERS_MAX).collect();
        return Err(CallError::Arguments(format!(
            "No aspect {}; known: {}.",
            text(&json!(said)),
            trade.aspect_ids().join(", ")
        )));
    };
    if let Some(cursor) = query.foreign_cursor() {
        return Err(refusal(&[cursor.invalid().into()]));
    }
    let all = insights::evidence(snapshot, &query);
    Ok(fitting_evidence(all, &query))
}

/// The reviews that fit, at least one.
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

// The business, facets, insights and periods, in the shapes of REST.

/// The parts of the business that may be omitted, least important first; `list_facets` has most of them.
const BUSINESS_PARTS: [&str; 6] = [
    "synonyms",
    "aliases",
    "service_areas",
    "technicians",
    "services",
    "address",
];

/// The result of `get_business`.
#[must_use]
pub fn business(snapshot: &Snapshot) -> Value {
    let head = head(&snapshot.input, Some(snapshot.changed_at()));
    fit(shape(&head), &BUSINESS_PARTS)
}

/// The result of `list_facets`: the facets of REST, with shorter lists if they do not fit.
#[must_use]
pub fn facets(snapshot: &Snapshot) -> Value {
    let mut most = VALUES_MAX;
    loop {
        let answer = shape(&facets::facets(snapshot, most));
        if most == 1 || text(&answer).len() <= RESULT_BYTES_MAX {
            return answer;
        }
        most /= 2;
    }
}

/// The stage that `get_insights` requests; the overview by default.
///
/// # Errors
/// If an argument is invalid or an entity is unknown.
pub fn asked_insights(
    snapshot: &Snapshot,
    links: &Links,
    mut arguments: Arguments<'_>,
) -> Result<Value, CallError> {
    let request = StageRequest::take_from(&mut arguments);
    let request = arguments.finish(Some(request))?;
    let request = request.unwrap_or(StageRequest::Part(InsightsPart::Overview));
    insights(snapshot, links, &request)
}

/// The result of `get_insights`.
///
/// # Errors
/// If an entity or aspect is unknown.
pub fn insights(
    snapshot: &Snapshot,
    links: &Links,
    request: &StageRequest,
) -> Result<Value, CallError> {
    stage(snapshot, links, request)
        .map(|stage| shape(&stage))
        .map_err(|NoSuchStage(told)| CallError::Arguments(told))
}

/// The result of `compare_periods`.
///
/// # Errors
/// If an argument is missing or invalid.
pub fn periods(snapshot: &Snapshot, mut arguments: Arguments<'_>) -> Result<Value, CallError> {
    let request = PeriodsRequest::take_from(&mut arguments, snapshot.input.analyzer.trade());
    let request = arguments.finish(request)?;
    Ok(shape(&compare(snapshot, &request)))
}
