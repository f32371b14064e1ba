//! Parts of the dataset: search results, reviews since a day, single reviews, and the comparison of two periods.

use std::sync::Arc;

use poem::http::HeaderMap;
use poem_openapi::OpenApi;
use sha2::{Digest, Sha256};

use super::operation::{
    CROWDED, DayInPath, INVALID, IdInPath, JSON, OperationGroup, Query, ResponseSpec,
};
use crate::compute::run_long;
use crate::links::{SEARCH_API_PATH, SEARCH_FEED_PATH, SEARCH_PAGE_PATH};
use crate::model::{PublishedReview, ReviewId, hex};
use crate::search::facets::{PeriodsParameters, compare};
use crate::search::{Cursor, FeedParameters, SearchParameters, find_page, search_reviews};
use crate::snapshot::document::{array, search_feed};
use crate::snapshot::{CachedBody, Content, Document};
use crate::web::context::Ctx;
use crate::web::{Cacheable, ClientAddress, HttpProblem};
use crate::wire;

#[derive(Clone)]
pub struct ReviewsApi(pub(super) Arc<Ctx>);

impl ResponseSpec for wire::SearchResult {
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID, CROWDED];
}

impl ResponseSpec for wire::SearchFeed {
    const CONTENT_TYPE: &'static str = Document::AtomFeed.content_type();
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID, CROWDED];
}

impl ResponseSpec for wire::Comparison {
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID, CROWDED];
}

impl ResponseSpec for wire::SinceResult {
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID];
}

impl ResponseSpec for PublishedReview {
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
        let (ctx, snapshot) = (&self.0, self.0.current.load());
        let Query { values, mut query } = parameters;
        values.check_aspect(snapshot.input.analyzer.trade, &mut query.issues);
        HttpProblem::check_parameters(&query.issues)?;
        let found = search_reviews(&snapshot, &values, || ctx.turn(client)).await?;
        let head = found.head(values.limit, query.ignored_names());
        let mut body = CachedBody::new(JSON, found.json(&snapshot, &head));
        if let Some(next) = &head.next_cursor {
            let path = snapshot.input.links.absolute(SEARCH_API_PATH);
            body.add("link", &Cursor::next_link(&query, &path, next));
        }
        Ok(ctx.respond(headers, &snapshot, &body))
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
        let (ctx, snapshot, values) = (&self.0, self.0.current.load(), values.0);
        values.check_aspect(snapshot.input.analyzer.trade, &mut query.issues);
        HttpProblem::check_parameters(&query.issues)?;
        let found = find_page(&snapshot, &values, || ctx.turn(client)).await?;
        let reviews: Vec<_> = found.reviews(&snapshot).collect();
        let addresses = [SEARCH_FEED_PATH, SEARCH_PAGE_PATH];
        let addresses = addresses.map(|path| values.address_of_newest(path));
        let xml = search_feed(&snapshot.input, &reviews, addresses, snapshot.changed_at());
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
        let Query { values, query } = parameters;
        let snapshot = self.0.current.load();
        let periods = values.0.filter(|_| query.issues.is_empty());
        let periods = periods.ok_or_else(|| HttpProblem::invalid_parameters(query.issues))?;
        let _slot = self.0.turn(client).await?;
        let body = run_long(|| wire::json(&compare(&snapshot, periods)));
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
            pieces: array(wire::opening(&head), reviews, b"]}"),
            digest: hex(&digest.finalize()),
        };
        // The dataset's instant is never earlier than this part's last change, so a 304 is never wrong.
        let dataset = &snapshot.document(Document::Reviews).publication;
        let body = CachedBody::new(JSON, content).dated(dataset);
        Ok(self.0.respond(headers, &snapshot, &body))
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
    ) -> poem::Result<Cacheable<PublishedReview>> {
        let snapshot = self.0.current.load();
        let id = id.0.parse::<ReviewId>().ok();
        let found = id.and_then(|id| snapshot.input.entries.find(&id));
        let at = found.ok_or_else(|| HttpProblem::not_found("No published review has that id."))?;
        let (json, _) = snapshot.input.entries.json(at);
        Ok(Cacheable::whole(&self.0, headers, &snapshot, json))
    }
}
