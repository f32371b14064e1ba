//! Parts of the dataset: search results, reviews since a day, single reviews, and the comparison of two periods.

use std::sync::Arc;

use poem::http::HeaderValue;
use poem_openapi::OpenApi;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::openapi::{
    CROWDED, Cacheable, INVALID, JSON, OperationGroup, Path, Query, ResponseSpec,
};
use crate::compute::{run_long, run_long_if};
use crate::links::{Links, SEARCH_PATH, with_query};
use crate::model::{ReviewId, TextMatch, hex};
use crate::search::facets::{PeriodsParameters, PeriodsRequest, compare};
use crate::search::{
    CursorParameter, SHORT_PAGE, SearchParameters, SearchRequest, search_head, search_reviews,
};
use crate::snapshot::document::{FEED_REVIEWS, array, search_feed};
use crate::snapshot::{Content, Document};
use crate::web::context::Ctx;
use crate::web::{ClientAddress, HttpProblem, QueryParameters, ReadyBody};
use crate::wire;
use crate::wire::parameters::{self, Arguments as _, Parameter};

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
    /// `query`, `total` is exact up to 1,000.
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
        client: ClientAddress,
        parameters: Query<SearchParameters>,
    ) -> poem::Result<Cacheable<wire::SearchResult>> {
        let snapshot = self.0.current.load();
        let Query { values, mut query } = parameters;
        let mode = TextMatch::Substring;
        let search_request = SearchRequest::new(values, &mut query.issues, &snapshot.input, mode);
        query.check()?;
        let _slot = self.0.turn(client).await?;
        let (limit, cursor) = (search_request.limit, search_request.cursor.as_ref());
        let found = search_reviews(&snapshot, &search_request.filter, limit.into(), cursor);
        let head = search_head(&snapshot, &search_request, &found, query.ignored_names());
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
            ReadyBody::new(JSON, content, Arc::clone(&snapshot))
        });
        Ok(Cacheable::from(body).with_link(link))
    }

    /// Get the newest reviews of a search as Atom
    ///
    /// RFC 4287 feed of the 50 newest reviews that match, for example of those with `max_rating=2`. The parameters are those of
    /// the page `/search`: an empty one counts as absent, and `match` is `words` unless it is given.
    #[oai(path = "/search.atom", method = "get", operation_id = "getSearchFeed")]
    async fn get_search_feed(
        &self,
        client: ClientAddress,
        parameters: Query<SearchParameters>,
    ) -> poem::Result<Cacheable<wire::SearchFeed>> {
        let mut query = parameters.query.as_form(&IGNORED);
        let values = SearchParameters::take_from(&mut query);
        let (ctx, snapshot) = (&self.0, self.0.current.load());
        let mode = TextMatch::Words;
        let search_request = SearchRequest::new(values, &mut query.issues, &snapshot.input, mode);
        query.check()?;
        let _slot = ctx.turn(client).await?;
        let found = search_reviews(&snapshot, &search_request.filter, FEED_REVIEWS, None);
        let reviews: Vec<_> = found.reviews(&snapshot, &ctx.links).collect();
        let filter = &search_request.filter.parameters;
        let [address, page] = [FEED_PATH, "/search"].map(|path| canonical_address(path, filter));
        let xml = search_feed(
            &snapshot.input,
            &reviews,
            &ctx.links,
            (&address, &page),
            snapshot.changed_at(),
        );
        let content_type = wire::SearchFeed::CONTENT_TYPE;
        Ok(ReadyBody::whole(content_type, xml, Arc::clone(&snapshot)).into())
    }

    /// Compare two periods
    ///
    /// Count, mean rating, distribution and aspects of the reviews of two ranges of days, both ends included, and a verdict on
    /// the rating and on each aspect: `better`, `worse`, `same` or `too_few`. A period that continues after the newest review
    /// ends on that day.
    #[oai(path = "/api/compare", method = "get", operation_id = "comparePeriods")]
    async fn compare_periods(
        &self,
        client: ClientAddress,
        parameters: Query<PeriodsParameters>,
    ) -> poem::Result<Cacheable<wire::Comparison>> {
        let Query { values, mut query } = parameters;
        let snapshot = self.0.current.load();
        let trade = snapshot.input.analyzer.trade();
        let periods = PeriodsRequest::new(&values, &mut query.issues, trade)
            .ok_or(HttpProblem::invalid_parameters(query.issues))?;
        let _slot = self.0.turn(client).await?;
        let body = run_long(|| wire::json(&compare(&snapshot, &periods)));
        Ok(ReadyBody::whole(JSON, body, snapshot).into())
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
        /// The first day, `YYYY-MM-DD`.
        date: Path<parameters::FirstDay>,
    ) -> Cacheable<wire::SinceResult> {
        let (day, snapshot) = (date.0, self.0.current.load());
        let count = snapshot.input.entries.count_since(day);
        let digest = Sha256::new_with_prefix(day.to_string())
            .chain_update(snapshot.input.entries.digest_of_first(count));
        let head = wire::SinceHead {
            since: day.date(),
            count: count as u64,
        };
        let reviews = snapshot.input.entries.json_of_first(count);
        let content = Content {
            pieces: array(opening(&head), reviews, b"]}"),
            digest: hex(&digest.finalize()),
        };
        // The dataset's instant is never earlier than this part's last change, so a 304 is never wrong.
        ReadyBody::new(JSON, content, Arc::clone(&snapshot))
            .modified_at(snapshot.document(Document::Reviews).confirmed())
            .into()
    }

    /// Get one review
    ///
    /// The review with that id, as in the dataset.
    #[oai(path = "/api/reviews/:id", method = "get", operation_id = "getReview")]
    async fn get_review(
        &self,
        /// Id of a published review.
        id: Path<parameters::ReviewKey>,
    ) -> poem::Result<Cacheable<wire::Review>> {
        let snapshot = self.0.current.load();
        let id = id.0.parse::<ReviewId>().ok();
        let found = id.and_then(|id| snapshot.input.entries.find(&id));
        let at = found.ok_or_else(|| HttpProblem::not_found("No published review has that id."))?;
        let (json, _) = snapshot.input.entries.json(at);
        Ok(ReadyBody::whole(JSON, json, snapshot).into())
    }
}

impl ReviewsApi {
    /// A link to the next page (RFC 8288 §3.3); `None` if it is too long, when only `next_cursor` has the cursor.
    fn link(&self, parameters: &QueryParameters, next: &str) -> Option<HeaderValue> {
        let (path, cursor) = (self.0.links.absolute(SEARCH_PATH), CursorParameter::NAME);
        let address = parameters.address(&path, &[cursor], &[(cursor, next)]);
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
/// Parameters of a search that its feed ignores: it is always the newest reviews.
const IGNORED: [&str; 3] = ["sort", "limit", "cursor"];

/// Documents that the feed takes the address of a form, which has empty values, and ignores some parameters.
pub fn describe_feed(document: &mut Value) {
    if let Some(parameters) = document["paths"][FEED_PATH]["get"]["parameters"].as_array_mut() {
        parameters.retain(|parameter| !IGNORED.iter().any(|name| parameter["name"] == *name));
        for parameter in parameters {
            parameter["allowEmptyValue"] = Value::Bool(true);
        }
    }
}

/// The address of the search at `path`, the same for every spelling of its parameters.
fn canonical_address(path: &str, parameters: &SearchParameters) -> String {
    let pairs = parameters
        .pairs()
        .into_iter()
        .filter(|(name, value)| match *name {
            "match" => parameters.query.is_some() && value != TextMatch::Words.name(),
            name => !IGNORED.contains(&name),
        });
    with_query(path, pairs)
}

/// The address of the feed of a search.
pub fn search_feed_url(parameters: &SearchParameters, links: &Links) -> String {
    links.absolute(&canonical_address(FEED_PATH, parameters))
}
