//! Whole documents: the rendered ones, the business and its rating, the facets and the evidence behind the insights.

use std::sync::Arc;

use poem::http::HeaderMap;
use poem_openapi::OpenApi;

use super::operation::{CROWDED, INVALID, IdInPath, JSON, OperationGroup, Query, ResponseSpec};
use crate::compute::run_long;
use crate::search::Cursor;
use crate::search::facets::{FACET_VALUES_MAX, facets};
use crate::search::insights::{EvidenceParameters, StageParameters, evidence, stage};
use crate::snapshot::document::head;
use crate::snapshot::{CachedBody, Document};
use crate::web::context::Ctx;
use crate::web::{Cacheable, ClientAddress, HttpProblem};
use crate::wire;

#[derive(Clone)]
pub struct DatasetsApi {
    pub ctx: Arc<Ctx>,
}

impl ResponseSpec for wire::ReviewsDataset {
    const CONTENT_TYPE: &'static str = Document::Reviews.content_type();
}

impl ResponseSpec for wire::InsightsAnswer {
    const CONTENT_TYPE: &'static str = Document::Insights.content_type();
    const ERRORS: &'static [(u16, &'static str)] =
        &[INVALID, (404, "No service or area has that name."), CROWDED];
}

impl ResponseSpec for wire::JsonFeed {
    const CONTENT_TYPE: &'static str = Document::JsonFeed.content_type();
}

/// The Atom feed, the only answer that is not JSON.
impl ResponseSpec for String {
    const CONTENT_TYPE: &'static str = Document::AtomFeed.content_type();
}

impl ResponseSpec for wire::BusinessSummary {}

impl ResponseSpec for wire::Transparency {
    const ERRORS: &'static [(u16, &'static str)] = &[CROWDED];
}

impl ResponseSpec for wire::Facets {
    const ERRORS: &'static [(u16, &'static str)] = &[CROWDED];
}

impl ResponseSpec for wire::AspectEvidence {
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID, (404, "Unknown aspect."), CROWDED];
}

#[OpenApi(tag = "OperationGroup::Datasets")]
impl DatasetsApi {
    /// Get the whole dataset
    ///
    /// The business, its overall rating, and every published review, newest first (date descending, then id ascending).
    #[oai(path = "/reviews.json", method = "get", operation_id = "getReviews")]
    async fn get_reviews(&self, headers: &HeaderMap) -> Cacheable<wire::ReviewsDataset> {
        self.document(headers, Document::Reviews)
    }

    /// Get the insights
    ///
    /// What the reviews say, counted: aspects, entities, topics, FAQ and summary. Every part is always present.
    ///
    /// With one of the parameters, only a stage: `part=overview` is a short overview of at most 8 KiB.
    #[oai(path = "/insights.json", method = "get", operation_id = "getInsights")]
    async fn get_insights(
        &self,
        headers: &HeaderMap,
        client: ClientAddress,
        parameters: Query<StageParameters>,
    ) -> poem::Result<Cacheable<wire::InsightsAnswer>> {
        let Query { values, query } = parameters;
        HttpProblem::check_parameters(&query.issues)?;
        if matches!(values, StageParameters::None) {
            return Ok(self.document(headers, Document::Insights));
        }
        let (_slot, snapshot) = (self.ctx.turn(client).await?, self.ctx.current.load());
        let found = run_long(|| stage(&snapshot, &values).map(|stage| wire::json(&stage)));
        let body = found.map_err(HttpProblem::not_found)?;
        let insights = &snapshot.document(Document::Insights).publication;
        let body = CachedBody::whole(JSON, body).dated(insights);
        Ok(self.ctx.respond(headers, &snapshot, &body))
    }

    /// Get the newest reviews as JSON Feed
    ///
    /// JSON Feed 1.1 of the 50 newest reviews, with the hub to subscribe at.
    #[oai(path = "/api/feed.json", method = "get", operation_id = "getFeed")]
    async fn get_feed(&self, headers: &HeaderMap) -> Cacheable<wire::JsonFeed> {
        self.document(headers, Document::JsonFeed)
    }

    /// Get the newest reviews as Atom
    ///
    /// RFC 4287 feed of the same 50 reviews, with the hub to subscribe at.
    #[oai(path = "/feed.xml", method = "get", operation_id = "getAtomFeed")]
    async fn get_atom_feed(&self, headers: &HeaderMap) -> Cacheable<String> {
        self.document(headers, Document::AtomFeed)
    }

    /// Get the business and its overall rating
    ///
    /// The members of `/reviews.json` except the reviews.
    #[oai(path = "/business.json", method = "get", operation_id = "getBusiness")]
    async fn get_business(
        &self,
        headers: &HeaderMap,
    ) -> poem::Result<Cacheable<wire::BusinessSummary>> {
        let snapshot = self.ctx.current.load();
        let business = head(&snapshot.input, Some(snapshot.changed_at()));
        let body = wire::json(&business);
        Ok(Cacheable::whole(&self.ctx, headers, &snapshot, body))
    }

    /// Get how the reviews are collected and checked
    ///
    /// The figures of `/transparency`: counts by source, verification and reason of withholding, how reviews arrive, and the policy
    /// that the business states.
    #[oai(
        path = "/transparency.json",
        method = "get",
        operation_id = "getTransparency"
    )]
    async fn get_transparency(
        &self,
        headers: &HeaderMap,
        client: ClientAddress,
    ) -> poem::Result<Cacheable<wire::Transparency>> {
        let (_slot, snapshot, transparency) = self.ctx.transparency(client).await?;
        let body = wire::json(&*transparency);
        Ok(Cacheable::whole(&self.ctx, headers, &snapshot, body))
    }

    /// List the filters of reviews
    ///
    /// Technicians, services, service areas, sources, languages, aspects, years and ratings, each with its number of reviews; at
    /// most the 100 most mentioned of each list. Technicians' names, services' ids and areas' names are what
    /// `mentions_technician`, `mentions_service` and `mentions_area` take.
    #[oai(path = "/facets.json", method = "get", operation_id = "getFacets")]
    async fn get_facets(
        &self,
        headers: &HeaderMap,
        client: ClientAddress,
    ) -> poem::Result<Cacheable<wire::Facets>> {
        let _slot = self.ctx.turn(client).await?;
        let snapshot = self.ctx.current.load();
        let body = run_long(|| wire::json(&facets(&snapshot, FACET_VALUES_MAX)));
        Ok(Cacheable::whole(&self.ctx, headers, &snapshot, body))
    }

    /// Get the evidence of an aspect
    ///
    /// The figures of the aspect, and every review that supports them, newest first, with its findings: the words, their sentiment,
    /// and the hits (rule, words, points) that add up to the score. Without filters, `matched` is `mention_count`;
    /// `by_technician` and `by_service` count all that match, on all pages. A finding is about a technician or service if its
    /// sentence names it.
    ///
    /// For the next page send the same request again with `cursor` set to the answer's `next_cursor`. A cursor is opaque and belongs
    /// to its aspect and filters; with others it is a 400.
    #[oai(
        path = "/insights/aspects/:id/evidence.json",
        method = "get",
        operation_id = "getAspectEvidence"
    )]
    async fn get_aspect_evidence(
        &self,
        headers: &HeaderMap,
        client: ClientAddress,
        /// The aspect's id, for example `punctuality`.
        #[oai(example = "example_aspect")]
        id: IdInPath,
        parameters: Query<EvidenceParameters>,
    ) -> poem::Result<Cacheable<wire::AspectEvidence>> {
        let Query { values, mut query } = parameters;
        HttpProblem::check_parameters(&query.issues)?;
        let (_slot, snapshot) = (self.ctx.turn(client).await?, self.ctx.current.load());
        let trade = snapshot.input.analyzer.trade;
        let at = trade.find_aspect(&id.0).ok_or_else(|| {
            let known = trade.shown_ids().join(", ");
            HttpProblem::not_found(format!("No aspect has that id; known: {known}."))
        })?;
        let EvidenceParameters(mut search) = values;
        let aspect = &trade.aspects[usize::from(at)].id;
        search.aspect = Some(aspect.clone());
        search.check_cursor(&mut query.issues);
        HttpProblem::check_parameters(&query.issues)?;
        let found = run_long(|| evidence(&snapshot, at, &search));
        let mut body = CachedBody::whole(JSON, wire::json(&found));
        if let Some(next) = &found.page.next_cursor {
            let path = snapshot.input.links.evidence(aspect);
            body.add("link", &Cursor::next_link(&query, &path, next));
        }
        Ok(self.ctx.respond(headers, &snapshot, &body))
    }
}

impl DatasetsApi {
    fn document<K>(&self, headers: &HeaderMap, document: Document) -> Cacheable<K> {
        let snapshot = self.ctx.current.load();
        let body = &snapshot.document(document).body;
        self.ctx.respond(headers, &snapshot, body)
    }
}

fn example_aspect() -> String {
    "punctuality".to_owned()
}
