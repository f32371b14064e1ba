//! Parts of the dataset: found, since a day, and one alone.

use std::sync::Arc;

use bytes::Bytes;
use poem::Response;
use poem::http::{HeaderMap, StatusCode};
use poem_openapi::OpenApi;
use sha2::{Digest, Sha256};

use super::answers::{Answer, Kind};
use super::parameters::{Issues, Path, Query};
use super::{Group, nothing_of_that_name};
use crate::ctx::Ctx;
use crate::edition::print::array;
use crate::edition::{Document, Edition};
use crate::hash::hex;
use crate::respond::{self, problem};
use crate::reviews::{Day, LIMIT_DEFAULT, ReviewFilter, ReviewId, SearchArguments, parameters};
use crate::search::{Cursor, CursorParameter};
use crate::wire;

const JSON: &str = "application/json";
const INVALID: (u16, &str) = (400, "Parameters are invalid: one issue for each.");

/// Handlers of parts of the dataset.
pub struct Reviews(pub(super) Arc<Ctx>);

/// `/api/reviews/search`.
pub struct SearchKind;
impl Kind for SearchKind {
    type Content = wire::SearchResult;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str = "One page of the matching reviews, newest first.";
    const HAS_LAST_MODIFIED: bool = false;
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID];
}

/// `/api/reviews/since/{date}`.
pub struct SinceKind;
impl Kind for SinceKind {
    type Content = wire::SinceResult;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str = "All reviews of that day and later, newest first.";
    const HAS_LAST_MODIFIED: bool = true;
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID];
}

/// `/api/reviews/{id}`.
pub struct ReviewKind;
impl Kind for ReviewKind {
    type Content = wire::Review;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str = "The review.";
    const HAS_LAST_MODIFIED: bool = false;
    const ERRORS: &'static [(u16, &'static str)] = &[(404, "There is no such review.")];
}

#[OpenApi]
#[expect(clippy::unused_async, reason = "poem-openapi takes async handlers alone; nothing here waits")]
impl Reviews {
    /// Search the reviews
    ///
    /// All filters must hold. Newest first: date descending, then id ascending. `total` is exact up to 1,000.
    ///
    /// For the next page send the same filters again with `cursor` set to the answer's `next_cursor`. A cursor is opaque and
    /// belongs to its filters; with others it is a 400.
    #[oai(path = "/searchReviews", method = "get", tag = "Group::Reviews")]
    #[expect(clippy::too_many_arguments, reason = "one argument is one documented parameter")]
    async fn search_reviews(
        &self,
        headers: &HeaderMap,
        /// Exact star rating.
        rating: Query<parameters::Rating>,
        /// Least star rating, inclusive; a decimal.
        min_rating: Query<parameters::MinRating>,
        /// On or after this day, `YYYY-MM-DD`.
        since: Query<parameters::Since>,
        /// On or before this day, `YYYY-MM-DD`.
        until: Query<parameters::Until>,
        /// Substring of the review's text, 1 to 1,000 characters, whatever their case; every character means itself.
        query: Query<parameters::Query>,
        /// Full name of a technician whom the review mentions, in any case.
        mentions_technician: Query<parameters::MentionsTechnician>,
        /// Id of a service that the review mentions.
        mentions_service: Query<parameters::MentionsService>,
        /// Most reviews to return.
        limit: Query<parameters::Limit>,
        /// `next_cursor` of an answer to the same filters, for the page behind it.
        cursor: Query<CursorParameter>,
    ) -> Answer<SearchKind> {
        let mut issues = Issues::default();
        let arguments = SearchArguments {
            rating: issues.take(rating.0),
            min_rating: issues.take(min_rating.0),
            since: issues.take(since.0),
            until: issues.take(until.0),
            query: issues.take(query.0),
            mentions_technician: issues.take(mentions_technician.0),
            mentions_service: issues.take(mentions_service.0),
        };
        let limit = issues.take(limit.0).unwrap_or(LIMIT_DEFAULT);
        let cursor = issues.take(cursor.0);
        match issues.problem() {
            Some(problem) => problem.into(),
            None => self.search(headers, &ReviewFilter::new(&arguments), limit, cursor.as_ref()).await.into(),
        }
    }

    /// Get the reviews since a day
    ///
    /// All reviews of that day and later, newest first: the beginning of the dataset's `reviews`.
    #[oai(path = "/getReviewsSince", method = "get", tag = "Group::Reviews")]
    async fn get_reviews_since(
        &self,
        headers: &HeaderMap,
        /// The first day, `YYYY-MM-DD`.
        date: Path<parameters::DateOfPath>,
    ) -> Answer<SinceKind> {
        let mut issues = Issues::default();
        let day = issues.require::<parameters::DateOfPath>(date.0);
        match day {
            Some(day) => self.since(headers, day).into(),
            None => issues.into_problem().into(),
        }
    }

    /// Get one review
    ///
    /// The review of that id, just as it stands in the dataset.
    #[oai(path = "/getReview", method = "get", tag = "Group::Reviews")]
    async fn get_review(
        &self,
        headers: &HeaderMap,
        /// The review's id.
        id: Path<parameters::Id>,
    ) -> Answer<ReviewKind> {
        let Ok(id) = id.0 else { return nothing_of_that_name().into() };
        let edition = self.0.current.load();
        let found = id.and_then(|id| id.parse::<ReviewId>().ok()).and_then(|id| edition.copy.shelf.find(&id));
        let Some(json) = found else {
            return problem(StatusCode::NOT_FOUND, "There is no published review of that id.").into();
        };
        let digest = hex(&Sha256::digest(&json));
        respond::pieces(headers, edition, JSON, &digest, None, || vec![json]).into()
    }
}

impl Reviews {
    async fn search(&self, headers: &HeaderMap, filter: &ReviewFilter, limit: u8, cursor: Option<&Cursor>) -> Response {
        if let Some(cursor) = cursor.filter(|cursor| !cursor.fits(filter)) {
            return respond::invalid_parameters(vec![cursor.invalid().into()]);
        }
        let edition = self.0.current.load();
        let found = self.0.text_index.search(&edition, filter, usize::from(limit), cursor).await;
        let head = wire::SearchHead {
            total: found.total,
            total_relation: if found.is_exact { wire::TotalRelation::Eq } else { wire::TotalRelation::Gte },
            count: found.reviews.len() as u64,
            limit: u64::from(limit),
            next_cursor: found.next.map(|next| next.to_string()),
        };
        let mut body = opening(&head);
        for (number, review) in found.reviews.iter().enumerate() {
            if number > 0 {
                body.push(b',');
            }
            body.extend_from_slice(review);
        }
        body.extend_from_slice(b"]}");
        let digest = hex(&Sha256::digest(&body));
        respond::pieces(headers, edition, JSON, &digest, None, || vec![Bytes::from(body)])
    }

    fn since(&self, headers: &HeaderMap, day: Day) -> Response {
        let edition: Arc<Edition> = self.0.current.load();
        let count = edition.copy.shelf.count_since(day);
        let digest = Sha256::new_with_prefix(day.to_string()).chain_update(edition.copy.shelf.digest_of_first(count)).finalize();
        // The dataset's own instant: never earlier than this part's last change, so never a false 304.
        let modified = respond::modified(&edition.document(Document::Reviews).publication);
        respond::pieces(headers, Arc::clone(&edition), JSON, &hex(&digest), Some(modified), || {
            let head = wire::SinceHead { since: day.date(), count: count as u64 };
            array(opening(&head), edition.copy.shelf.json_of_first(count), b"]}")
        })
    }
}

/// The JSON of a head, left open for its reviews.
fn opening<T: serde::Serialize>(head: &T) -> Vec<u8> {
    let mut json = wire::json(head);
    json.pop();
    json.extend_from_slice(b",\"reviews\":[");
    json
}
