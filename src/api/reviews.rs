//! Parts of the dataset: search results, reviews since a day, single reviews, and the comparison of two periods.

use std::sync::Arc;

use poem::http::header::LINK;
use poem::http::{HeaderMap, HeaderValue};
use poem_openapi::OpenApi;
use sha2::{Digest, Sha256};

use super::openapi::{
    CROWDED, Cacheable, DayInPath, INVALID, IdInPath, JSON, OperationGroup, Query, ResponseSpec,
};
use crate::compute::{run_long, run_long_if};
use crate::links::{Links, SEARCH_API_PATH, SEARCH_PAGE_PATH, with_query};
use crate::model::{ReviewId, TextMatch, hex};
use crate::search::facets::{PeriodsParameters, PeriodsRequest, compare};
use crate::search::{
    CURSOR, FeedParameters, SHORT_PAGE, SearchParameters, SearchRequest, search_head,
    search_reviews,
};
use crate::snapshot::document::{FEED_REVIEWS, array, search_feed};
use crate::snapshot::{CachedBody, Content, Document};
use crate::web::context::Ctx;
use crate::web::{ClientAddress, HttpProblem};
use crate::wire::{self, Arguments};

/// Maximum length of a `Link`, because clients limit header fields.
const LINK_BYTES_MAX: usize = 4_096;

#[derive(Clone)]
pub struct ReviewsApi(pub(super) Arc<Ctx>);

impl ResponseSpec for wire::SearchResult {
    const DESCRIPTION: &'static str = "One page of the matching reviews, in the requested order.";
    const HAS_NEXT: bool = true;
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID, CROWDED];
}

impl ResponseSpec for wire::SearchFeed {
    const CONTENT_TYPE: &'static str = Document::AtomFeed.content_type();
    const DESCRIPTION: &'static str = "The 50 newest of the matching reviews as Atom (RFC 4287).";
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
impl ReviewsApi {
    /// Search the reviews
    ///
    /// All filters must hold. Newest first unless `sort` is given: date descending, then id ascending. With
    /// `query`, `matched` is exact up to 1,000.
    ///
    /// For the next page send the same filters again with `cursor` set to the answer's `next_cursor`. A cursor is opaque and
    /// belongs to its filters, its `match` and its `sort`; with others it is a 400.
    #[oai(
        path = "/api/reviews/search",
        method = "get",
        operation_id = "searchReviews"
    )]
    async fn search_reviews(
        &self,
        headers: &HeaderMap,
        client: ClientAddress,
        parameters: Query<SearchParameters>,
    ) -> poem::Result<Cacheable<wire::SearchResult>> {
        let snapshot = self.0.current.load();
        let Query { values, mut query } = parameters;
        let mode = TextMatch::Substring;
        let search_request = SearchRequest::new(values, &mut query.issues, &snapshot.input, mode);
        HttpProblem::check_parameters(&query.issues)?;
        let _slot = self.0.turn(client).await?;
        let (limit, cursor) = (search_request.limit, search_request.cursor.as_ref());
        let found = search_reviews(&snapshot, &search_request.filter, limit.into(), cursor).await;
        let head = search_head(&snapshot, &search_request, &found, query.ignored_names()).await;
        let next = head.next_cursor.as_deref();
        let link = next.and_then(|next| self.link(&query, next));
        let body = run_long_if(found.positions.len() > SHORT_PAGE, || {
            let mut body = opening(&head);
            let mut digest = Sha256::new_with_prefix(&body);
            for (number, at) in found.positions.into_iter().enumerate() {
                if number > 0 {
                    body.push(b',');
                }
                let (json, json_digest) = snapshot.input.entries.json(at);
                body.extend_from_slice(&json);
                digest.update(json_digest);
            }
            body.extend_from_slice(b"]}");
            let content = Content {
                pieces: vec![body.into()],
                digest: hex(&digest.finalize()),
            };
            CachedBody::new(JSON, content)
        });
        let mut response = self.0.respond(headers, &snapshot, &body, None);
        if let Some(link) = link {
            response.headers_mut().insert(LINK, link);
        }
        Ok(response.into())
    }

    /// Get the newest reviews of a search as Atom
    ///
    /// RFC 4287 feed of the 50 newest reviews that match, for example of those with `max_rating=2`. The parameters are those of
    /// the page `/search`: an empty one counts as absent, and `match` is `words` unless it is given.
    #[oai(path = "/search.atom", method = "get", operation_id = "getSearchFeed")]
    async fn get_search_feed(
        &self,
        headers: &HeaderMap,
        client: ClientAddress,
        parameters: Query<FeedParameters>,
    ) -> poem::Result<Cacheable<wire::SearchFeed>> {
        let Query { values, mut query } = parameters;
        let (ctx, snapshot) = (&self.0, self.0.current.load());
        let mode = TextMatch::Words;
        let search_request = SearchRequest::new(values.0, &mut query.issues, &snapshot.input, mode);
        HttpProblem::check_parameters(&query.issues)?;
        let _slot = ctx.turn(client).await?;
        let found = search_reviews(&snapshot, &search_request.filter, FEED_REVIEWS, None).await;
        let reviews: Vec<_> = found.reviews(&snapshot, &ctx.links).collect();
        let filter = &search_request.filter.parameters;
        let [address, page] =
            [FEED_PATH, SEARCH_PAGE_PATH].map(|path| canonical_address(path, filter));
        let xml = search_feed(
            &snapshot.input,
            &reviews,
            &ctx.links,
            (&address, &page),
            snapshot.changed_at(),
        );
        Ok(Cacheable::whole(ctx, headers, &snapshot, xml))
    }

    /// Compare two periods
    ///
    /// Count, mean rating, distribution and aspects of the reviews of two ranges of days, both ends included, and a verdict on
    /// the rating and on each aspect: `better`, `worse`, `same` or `too_few`. A period that continues after the newest review
    /// ends on that day.
    #[oai(path = "/api/compare", method = "get", operation_id = "comparePeriods")]
    async fn compare_periods(
        &self,
        headers: &HeaderMap,
        client: ClientAddress,
        parameters: Query<PeriodsParameters>,
    ) -> poem::Result<Cacheable<wire::Comparison>> {
        let Query { values, mut query } = parameters;
        let snapshot = self.0.current.load();
        let trade = snapshot.input.analyzer.trade();
        let periods = PeriodsRequest::new(&values, &mut query.issues, trade)
            .ok_or_else(|| HttpProblem::invalid_parameters(query.issues))?;
        let _slot = self.0.turn(client).await?;
        let body = run_long(|| wire::json(&compare(&snapshot, &periods)));
        Ok(Cacheable::whole(&self.0, headers, &snapshot, body))
    }

    /// Get the reviews since a day
    ///
    /// All reviews from that day on, newest first: the beginning of the dataset's `reviews`.
    #[oai(
        path = "/api/reviews/since/:date",
        method = "get",
        operation_id = "getReviewsSince"
    )]
    async fn get_reviews_since(
        &self,
        headers: &HeaderMap,
        date: DayInPath,
    ) -> poem::Result<Cacheable<wire::SinceResult>> {
        let (day, snapshot) = (date.0, self.0.current.load());
        let count = snapshot.input.entries.count_since(day);
        let digest = Sha256::new_with_prefix(day.to_string())
            .chain_update(snapshot.input.entries.digest_of_first(count));
        let head = wire::SinceHead {
            since: day.date(),
            returned: count as u64,
        };
        let reviews = snapshot.input.entries.json_of_first(count);
        let content = Content {
            pieces: array(opening(&head), reviews, b"]}"),
            digest: hex(&digest.finalize()),
        };
        let body = CachedBody::new(JSON, content);
        // The dataset's instant is never earlier than this part's last change, so a 304 is never wrong.
        let dated = Some(&**snapshot.document(Document::Reviews));
        Ok(self.0.respond(headers, &snapshot, &body, dated).into())
    }

    /// Get one review
    ///
    /// The review with that id, as in the dataset.
    #[oai(path = "/api/reviews/:id", method = "get", operation_id = "getReview")]
    async fn get_review(
        &self,
        headers: &HeaderMap,
        /// Id of a published review.
        id: IdInPath,
    ) -> poem::Result<Cacheable<wire::Review>> {
        let snapshot = self.0.current.load();
        let id = id.0.parse::<ReviewId>().ok();
        let found = id.and_then(|id| snapshot.input.entries.find(&id));
        let at = found.ok_or_else(|| HttpProblem::not_found("No published review has that id."))?;
        let (json, _) = snapshot.input.entries.json(at);
        Ok(Cacheable::whole(&self.0, headers, &snapshot, json))
    }
}

impl ReviewsApi {
    /// A link to the next page (RFC 8288 §3.3); `None` if it is too long, when only `next_cursor` has the cursor.
    fn link(&self, query: &Arguments, next: &str) -> Option<HeaderValue> {
        let path = self.0.links.absolute(SEARCH_API_PATH);
        let address = query.address(&path, &[CURSOR], &[(CURSOR, next)]);
        HeaderValue::from_str(&format!("<{address}>; rel=\"next\""))
            .ok()
            .filter(|link| link.len() <= LINK_BYTES_MAX)
    }
}

/// The JSON of a head up to the point where its reviews follow.
fn opening<T: serde::Serialize>(head: &T) -> Vec<u8> {
    let mut json = wire::json_open(head);
    json.extend_from_slice(b",\"reviews\":[");
    json
}

// The feed of a search.

const FEED_PATH: &str = "/search.atom";
/// The address of the search at `path`, the same for every spelling of its parameters.
fn canonical_address(path: &str, parameters: &SearchParameters) -> String {
    // The feed is always the newest reviews.
    let pairs = parameters
        .pairs()
        .into_iter()
        .filter(|(name, value)| match *name {
            "match" => parameters.query.is_some() && value != TextMatch::Words.name(),
            name => name != "sort",
        });
    with_query(path, pairs)
}

/// The address of the feed of a search.
pub fn search_feed_url(parameters: &SearchParameters, links: &Links) -> String {
    links.absolute(&canonical_address(FEED_PATH, parameters))
}
