//! Parts of the dataset: found, since a day, and one alone.

use std::sync::Arc;

use bytes::Bytes;
use poem::http::header::LINK;
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use poem::{Request, Response};
use poem_openapi::OpenApi;
use sha2::{Digest, Sha256};

use super::answers::{Answer, Kind};
use super::parameters::{Path, Query, Taken};
use super::{Group, nothing_of_that_name};
use crate::ctx::Ctx;
use crate::edition::print::array;
use crate::edition::{Document, Edition};
use crate::hash::hex;
use crate::links::SEARCH_PATH;
use crate::respond::{self, problem};
use crate::reviews::{Day, LIMIT_DEFAULT, ReviewFilter, ReviewId, SearchArguments, parameters};
use crate::search::facets::LazyCounts;
use crate::search::{Cursor, CursorParameter, PerEdition, did_you_mean};
use crate::wire;

const JSON: &str = "application/json";
/// How long a `Link` may be: clients bound their header fields.
const LINK_BYTES_MAX: usize = 4_096;
const INVALID: (u16, &str) = (400, "Parameters are invalid: one issue for each.");

/// Handlers of parts of the dataset.
pub struct Reviews {
    ctx: Arc<Ctx>,
    counts: PerEdition<LazyCounts>,
}

/// `/api/reviews/search`.
pub struct SearchKind;
impl Kind for SearchKind {
    type Content = wire::SearchResult;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str = "One page of the matching reviews, newest first.";
    const HAS_LAST_MODIFIED: bool = false;
    const HAS_NEXT: bool = true;
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
        request: &Request,
        /// Exact star rating.
        rating: Query<parameters::Rating>,
        /// Least star rating, inclusive; a decimal.
        min_rating: Query<parameters::MinRating>,
        /// Most star rating, inclusive; a decimal.
        max_rating: Query<parameters::MaxRating>,
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
        /// Language tag of the review, for example `en`, in any case.
        language: Query<parameters::Language>,
        /// Name of the source that the review is from, in any case.
        source: Query<parameters::Source>,
        /// Only reviews with a text (`true`), or without (`false`).
        has_text: Query<parameters::HasText>,
        /// Only reviews that the owner answered (`true`), or did not (`false`).
        has_response: Query<parameters::HasResponse>,
        /// Most reviews to return.
        limit: Query<parameters::Limit>,
        /// `next_cursor` of an answer to the same filters, for the page behind it.
        cursor: Query<CursorParameter>,
    ) -> Answer<SearchKind> {
        let mut taken = Taken::default();
        let arguments = SearchArguments {
            rating: taken.take(rating),
            min_rating: taken.take(min_rating),
            max_rating: taken.take(max_rating),
            since: taken.take(since),
            until: taken.take(until),
            query: taken.take(query),
            mentions_technician: taken.take(mentions_technician),
            mentions_service: taken.take(mentions_service),
            language: taken.take(language),
            source: taken.take(source),
            has_text: taken.take(has_text),
            has_response: taken.take(has_response),
        };
        let limit = taken.take(limit).unwrap_or(LIMIT_DEFAULT);
        let cursor = taken.take(cursor);
        match taken.problem() {
            Some(problem) => problem.into(),
            None => self.search(request, &taken, &arguments, limit, cursor.as_ref()).await.into(),
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
        let mut taken = Taken::default();
        let day = taken.require::<parameters::DateOfPath>(date.0);
        match day {
            Some(day) => self.since(headers, day).into(),
            None => taken.into_problem().into(),
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
        let edition = self.ctx.current.load();
        let found = id.and_then(|id| id.parse::<ReviewId>().ok()).and_then(|id| edition.copy.shelf.find(&id));
        let Some(json) = found else {
            return problem(StatusCode::NOT_FOUND, "There is no published review of that id.").into();
        };
        let digest = hex(&Sha256::digest(&json));
        respond::pieces(headers, edition, JSON, &digest, None, || vec![json]).into()
    }
}

impl Reviews {
    /// Of what `ctx` publishes.
    #[must_use]
    pub fn new(ctx: &Arc<Ctx>) -> Self {
        Self { ctx: Arc::clone(ctx), counts: PerEdition::default() }
    }

    async fn search(
        &self,
        request: &Request,
        taken: &Taken,
        arguments: &SearchArguments,
        limit: u8,
        cursor: Option<&Cursor>,
    ) -> Response {
        let filter = ReviewFilter::new(arguments);
        if let Some(cursor) = cursor.filter(|cursor| !cursor.fits(&filter)) {
            return respond::invalid_parameters(vec![cursor.invalid().into()]);
        }
        let edition = self.ctx.current.load();
        let found = self.ctx.text_index.search(&edition, &filter, usize::from(limit), cursor).await;
        let next_cursor = found.next.map(|next| next.to_string());
        let link = next_cursor.as_deref().and_then(|next| self.link(&taken.next_query(request, next)));
        let counts = self.counts.of(&edition);
        let head = wire::SearchHead {
            total: found.total,
            total_relation: if found.is_exact { wire::TotalRelation::Eq } else { wire::TotalRelation::Gte },
            count: found.reviews.len() as u64,
            limit: u64::from(limit),
            next_cursor,
            did_you_mean: did_you_mean(&edition, arguments, found.total, || counts.of(&edition)),
            ignored: taken.ignored(request),
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
        let mut response = respond::pieces(request.headers(), edition, JSON, &digest, None, || vec![Bytes::from(body)]);
        // A 304 repeats what the 200 would have sent (RFC 9110 §15.4.5).
        if let Some(link) = link.filter(|_| response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED) {
            response.headers_mut().insert(LINK, link);
        }
        response
    }

    /// The next page as a link (RFC 8288 §3.3); a very long one stands in `next_cursor` alone.
    fn link(&self, query: &str) -> Option<HeaderValue> {
        let link = format!("<{}?{query}>; rel=\"next\"", self.ctx.links.absolute(SEARCH_PATH));
        HeaderValue::from_str(&link).ok().filter(|link| link.len() <= LINK_BYTES_MAX)
    }

    fn since(&self, headers: &HeaderMap, day: Day) -> Response {
        let edition: Arc<Edition> = self.ctx.current.load();
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
