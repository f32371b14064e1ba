//! Parts of the dataset: found, since a day, and one alone.

use std::sync::Arc;

use bytes::Bytes;
use chrono::NaiveDate;
use poem::Response;
use poem::http::{HeaderMap, StatusCode};
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};
use sha2::{Digest, Sha256};

use super::Group;
use super::answers::{Answer, Kind};
use super::paging::Paging;
use crate::ctx::Ctx;
use crate::edition::print::array;
use crate::edition::{Document, Edition};
use crate::hash::hex;
use crate::respond::{self, problem};
use crate::reviews::{Day, Rating, ReviewFilter, ReviewId, SearchArguments};
use crate::search::Cursor;
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
    /// For the next page send the same filters again with one more parameter, `cursor`, set to the answer's `next_cursor`.
    /// A cursor is opaque and belongs to its filters; with others it is a 400. (It is described here and not among the
    /// parameters because no schema can say which texts are cursors of which filters.)
    #[oai(path = "/api/reviews/search", method = "get", operation_id = "searchReviews", tag = "Group::Reviews")]
    #[expect(clippy::too_many_arguments, reason = "one argument is one documented parameter")]
    async fn search_reviews(
        &self,
        headers: &HeaderMap,
        /// Exact star rating.
        #[oai(validator(minimum(value = "1"), maximum(value = "5")))]
        rating: Query<Option<u8>>,
        /// Least star rating, inclusive; a decimal.
        #[oai(validator(minimum(value = "1"), maximum(value = "5")))]
        min_rating: Query<Option<f64>>,
        /// On or after this day, `YYYY-MM-DD`.
        since: Query<Option<NaiveDate>>,
        /// On or before this day, `YYYY-MM-DD`.
        until: Query<Option<NaiveDate>>,
        /// Substring of the review's text, 1 to 1,000 characters, whatever their case; every character means itself.
        #[oai(validator(max_length = 1000))]
        query: Query<Option<String>>,
        /// Full name of a technician whom the review mentions, in any case.
        mentions_technician: Query<Option<String>>,
        /// Id of a service that the review mentions.
        mentions_service: Query<Option<String>>,
        /// Most reviews to return.
        #[oai(default = "limit_default", validator(minimum(value = "1"), maximum(value = "100")))]
        limit: Query<u8>,
        paging: Paging,
    ) -> Answer<SearchKind> {
        let filter = ReviewFilter::new(&SearchArguments {
            rating: rating.0.and_then(|stars| Rating::try_from(i64::from(stars)).ok()),
            min_rating: min_rating.0,
            since: since.0.and_then(Day::new),
            until: until.0.and_then(Day::new),
            query: query.0,
            mentions_technician: mentions_technician.0,
            mentions_service: mentions_service.0,
        });
        self.search(headers, &filter, limit.0, paging.0.as_ref()).await.into()
    }

    /// Get the reviews since a day
    ///
    /// All reviews of that day and later, newest first: the beginning of the dataset's `reviews`.
    #[oai(path = "/api/reviews/since/:date", method = "get", operation_id = "getReviewsSince", tag = "Group::Reviews")]
    async fn get_reviews_since(
        &self,
        headers: &HeaderMap,
        /// The first day, `YYYY-MM-DD`.
        date: Path<NaiveDate>,
    ) -> Answer<SinceKind> {
        // The door has let real days through alone; the least of all takes every review.
        let day = Day::new(date.0).unwrap_or(Day::MIN);
        self.since(headers, day).into()
    }

    /// Get one review
    ///
    /// The review of that id, just as it stands in the dataset.
    #[oai(path = "/api/reviews/:id", method = "get", operation_id = "getReview", tag = "Group::Reviews")]
    async fn get_review(
        &self,
        headers: &HeaderMap,
        /// The review's id.
        id: Path<String>,
    ) -> Answer<ReviewKind> {
        let edition = self.0.current.load();
        let found = id.0.parse::<ReviewId>().ok().and_then(|id| edition.copy.shelf.find(&id));
        let Some(json) = found else {
            return problem(StatusCode::NOT_FOUND, "There is no published review of that id.").into();
        };
        let digest = hex(&Sha256::digest(&json));
        respond::pieces(headers, edition, JSON, &digest, None, || vec![json]).into()
    }
}

fn limit_default() -> u8 {
    crate::reviews::LIMIT_DEFAULT
}

impl Reviews {
    async fn search(&self, headers: &HeaderMap, filter: &ReviewFilter, limit: u8, cursor: Option<&Cursor>) -> Response {
        if let Some(cursor) = cursor.filter(|cursor| !cursor.fits(filter)) {
            return respond::invalid_parameters(vec![respond::invalid_cursor(&cursor.to_string())]);
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
