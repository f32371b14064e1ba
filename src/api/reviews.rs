//! Parts of the dataset: search results, reviews since a day, single reviews, and the comparison of two periods.

use std::sync::Arc;

use poem::http::header::LINK;
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use poem::{Request, Response};
use poem_openapi::OpenApi;
use sha2::{Digest, Sha256};

use super::openapi::{
    CROWDED, Documented, INVALID, JSON, OperationGroup, Path, Query, ResponseSpec,
    nothing_of_that_name,
};
use crate::compute::{apart, apart_if};
use crate::links::SEARCH_PATH;
use crate::model::hash::hex;
use crate::model::{Day, ReviewId, TextMatch};
use crate::search::facets::{PeriodsRequest, compare};
use crate::search::{CursorParameter, SHORT_PAGE, SearchRequest, did_you_mean};
use crate::snapshot::document::array;
use crate::snapshot::{Document, Snapshot};
use crate::web;
use crate::web::context::Ctx;
use crate::web::{QueryParameters, UrlParameters, in_turn, problem};
use crate::wire;
use crate::wire::parameters::{self, Parameter};

/// Maximum length of a `Link`, because clients limit header fields.
const LINK_BYTES_MAX: usize = 4_096;

#[derive(Clone)]
pub struct ReviewsApi(pub(super) Arc<Ctx>);

impl ResponseSpec for wire::SearchResult {
    const DESCRIPTION: &'static str = "One page of the matching reviews, in the requested order.";
    const HAS_NEXT: bool = true;
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID, CROWDED];
}

impl ResponseSpec for wire::Comparison {
    const DESCRIPTION: &'static str =
        "Both periods, their difference (second minus first), and whether the second is better.";
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID, CROWDED];
}

impl ResponseSpec for wire::SinceResult {
    const DESCRIPTION: &'static str = "All reviews from that day on, newest first.";
    const HAS_LAST_MODIFIED: bool = true;
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID];
}

impl ResponseSpec for wire::Review {
    const DESCRIPTION: &'static str = "The review.";
    const ERRORS: &'static [(u16, &'static str)] = &[(404, "Unknown review.")];
}

#[OpenApi(tag = "OperationGroup::Reviews")]
#[expect(
    clippy::unused_async,
    reason = "poem-openapi takes async handlers alone; nothing here waits"
)]
#[expect(
    clippy::too_many_arguments,
    unused_variables,
    reason = "one argument is one documented parameter; what it holds is taken from the request"
)]
impl ReviewsApi {
    /// Search the reviews
    ///
    /// All filters must hold. Newest first unless `sort` is given: date descending, then id ascending. `total` is exact up to
    /// 1,000.
    ///
    /// For the next page send the same filters again with `cursor` set to the answer's `next_cursor`. A cursor is opaque and
    /// belongs to its filters, its `match` and its `sort`; with others it is a 400.
    #[oai(path = "/searchReviews", method = "get")]
    async fn search_reviews(
        &self,
        request: &Request,
        /// Exact number of stars.
        rating: Query<parameters::Rating>,
        /// Minimum rating (inclusive, decimals allowed).
        min_rating: Query<parameters::MinRating>,
        /// Maximum rating (inclusive, decimals allowed).
        max_rating: Query<parameters::MaxRating>,
        /// On or after this day, `YYYY-MM-DD`.
        since: Query<parameters::Since>,
        /// On or before this day, `YYYY-MM-DD`.
        until: Query<parameters::Until>,
        /// Text to find, ignoring case, 1 to 1,000 characters.
        query: Query<parameters::Query>,
        /// `words` in any order, or `substring` (default).
        #[oai(name = "match")]
        match_rule: Query<parameters::MatchRule>,
        /// Name of a technician mentioned, as listed, ignoring case.
        mentions_technician: Query<parameters::MentionsTechnician>,
        /// Id of a service mentioned.
        mentions_service: Query<parameters::MentionsService>,
        /// Language tag, for example `en`.
        language: Query<parameters::Language>,
        /// Name of the source.
        source: Query<parameters::Source>,
        /// Only with a text, or only without.
        has_text: Query<parameters::HasText>,
        /// Only with an owner's answer, or only without.
        has_response: Query<parameters::HasResponse>,
        /// Id of an aspect, for example `punctuality`.
        aspect: Query<parameters::Aspect>,
        /// Sentiment on the aspect; only with `aspect`.
        polarity: Query<parameters::Polarity>,
        /// Order (default `newest`). Equal stars: newest first.
        sort: Query<parameters::SortOrder>,
        /// Maximum number of reviews to return.
        limit: Query<parameters::Limit>,
        /// `next_cursor` of an answer to the same filters.
        cursor: Query<CursorParameter>,
    ) -> Documented<wire::SearchResult> {
        let snapshot = self.0.current.load();
        let mut taken = QueryParameters::of(request);
        let asked = SearchRequest::take_from(&mut taken, &snapshot.input, TextMatch::Substring);
        if let Some(problem) = taken.problem() {
            return problem.into();
        }
        let work = self.search(request, snapshot, &taken, &asked);
        in_turn(request, &self.0.compute, work).await.into()
    }

    /// Compare two periods
    ///
    /// Count, mean rating, distribution and aspects of the reviews of two ranges of days, both ends included, and a verdict on
    /// the rating and on each aspect: `better`, `worse`, `same` or `too_few`. A period that continues after the newest review
    /// ends on that day.
    #[oai(path = "/comparePeriods", method = "get")]
    async fn compare_periods(
        &self,
        request: &Request,
        /// First day of the first period, `YYYY-MM-DD`.
        first_since: Query<parameters::FirstSince>,
        /// Last day of the first period, `YYYY-MM-DD`.
        first_until: Query<parameters::FirstUntil>,
        /// First day of the second period, `YYYY-MM-DD`.
        second_since: Query<parameters::SecondSince>,
        /// Last day of the second period, `YYYY-MM-DD`.
        second_until: Query<parameters::SecondUntil>,
        /// Id of the one aspect to compare, for example `price`.
        aspect: Query<parameters::Aspect>,
    ) -> Documented<wire::Comparison> {
        let mut taken = QueryParameters::of(request);
        let snapshot = self.0.current.load();
        let asked = PeriodsRequest::take_from(&mut taken, snapshot.input.analyzer.trade());
        let Some(asked) = asked else {
            return web::invalid_parameters(taken.issues).into();
        };
        let work = async {
            let body = apart(|| wire::json(&compare(&snapshot, &asked)));
            web::whole_body(request.headers(), snapshot, JSON, body)
        };
        in_turn(request, &self.0.compute, work).await.into()
    }

    /// Get the reviews since a day
    ///
    /// All reviews from that day on, newest first: the beginning of the dataset's `reviews`.
    #[oai(path = "/getReviewsSince", method = "get")]
    async fn get_reviews_since(
        &self,
        request: &Request,
        /// The first day, `YYYY-MM-DD`.
        date: Path<parameters::DateOfPath>,
    ) -> Documented<wire::SinceResult> {
        match UrlParameters::path::<parameters::DateOfPath>(request) {
            Ok(Some(day)) => self.since(request.headers(), day).into(),
            // A segment that matches is not empty.
            Ok(None) => nothing_of_that_name().into(),
            Err(issue) => web::invalid_parameters(vec![issue]).into(),
        }
    }

    /// Get one review
    ///
    /// The review with that id, as in the dataset.
    #[oai(path = "/getReview", method = "get")]
    async fn get_review(
        &self,
        request: &Request,
        /// Id of a published review.
        id: Path<parameters::Id>,
    ) -> Documented<wire::Review> {
        let Ok(id) = UrlParameters::path::<parameters::Id>(request) else {
            return nothing_of_that_name().into();
        };
        let snapshot = self.0.current.load();
        let found = id
            .and_then(|id| id.parse::<ReviewId>().ok())
            .and_then(|id| snapshot.input.review_index.find(&id));
        let Some(place) = found else {
            return problem(StatusCode::NOT_FOUND, "No published review has that id.").into();
        };
        let json = snapshot.input.review_index.json_of(place);
        web::whole_body(request.headers(), snapshot, JSON, json).into()
    }
}

impl ReviewsApi {
    async fn search(
        &self,
        request: &Request,
        snapshot: Arc<Snapshot>,
        taken: &QueryParameters<'_>,
        asked: &SearchRequest,
    ) -> Response {
        let SearchRequest {
            arguments,
            filter,
            limit,
            cursor,
        } = asked;
        let found = self
            .0
            .text_index
            .search(&snapshot, filter, usize::from(*limit), cursor.as_ref())
            .await;
        let next_cursor = found.next.map(|next| next.to_string());
        let link = next_cursor
            .as_deref()
            .and_then(|next| self.link(taken, next));
        let head = wire::SearchHead {
            total: found.total,
            total_relation: wire::TotalRelation::of(found.is_exact),
            count: found.places.len() as u64,
            limit: u64::from(*limit),
            next_cursor,
            did_you_mean: (found.total == 0)
                .then(|| did_you_mean(&snapshot, arguments))
                .flatten(),
            ignored: taken.ignored_names(),
        };
        let mut response = apart_if(found.places.len() > SHORT_PAGE, || {
            let mut body = opening(&head);
            for (number, place) in found.places.into_iter().enumerate() {
                if number > 0 {
                    body.push(b',');
                }
                body.extend_from_slice(&snapshot.input.review_index.json_of(place));
            }
            body.extend_from_slice(b"]}");
            web::whole_body(request.headers(), snapshot, JSON, body)
        });
        // A 304 repeats the header fields of the 200 (RFC 9110 §15.4.5).
        if let Some(link) = link.filter(|_| {
            response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED
        }) {
            response.headers_mut().insert(LINK, link);
        }
        response
    }

    /// A link to the next page (RFC 8288 §3.3); `None` if it is too long, when only `next_cursor` has the cursor.
    fn link(&self, taken: &QueryParameters<'_>, next: &str) -> Option<HeaderValue> {
        let (path, cursor) = (self.0.links.absolute(SEARCH_PATH), CursorParameter::NAME);
        let address = taken.address(&path, &[cursor], &[(cursor, next)]);
        HeaderValue::from_str(&format!("<{address}>; rel=\"next\""))
            .ok()
            .filter(|link| link.len() <= LINK_BYTES_MAX)
    }

    fn since(&self, headers: &HeaderMap, day: Day) -> Response {
        let snapshot: Arc<Snapshot> = self.0.current.load();
        let count = snapshot.input.review_index.count_since(day.number());
        let digest = Sha256::new_with_prefix(day.to_string())
            .chain_update(snapshot.input.review_index.digest_of_first(count))
            .finalize();
        // The dataset's instant is never earlier than this part's last change, so a 304 is never wrong.
        let modified = snapshot.document(Document::Reviews).confirmed();
        let modified = modified.map(web::modified);
        web::pieces(
            headers,
            Arc::clone(&snapshot),
            JSON,
            &hex(&digest),
            modified,
            || {
                let head = wire::SinceHead {
                    since: day.date(),
                    count: count as u64,
                };
                array(
                    opening(&head),
                    snapshot.input.review_index.json_of_first(count),
                    b"]}",
                )
            },
        )
    }
}

/// The JSON of a head up to the point where its reviews follow.
fn opening<T: serde::Serialize>(head: &T) -> Vec<u8> {
    let mut json = wire::json_open(head);
    json.extend_from_slice(b",\"reviews\":[");
    json
}
