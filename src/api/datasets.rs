//! Whole documents: the rendered ones, the business and its rating, the facets and the evidence behind the insights,
//! each with the same JSON as an MCP tool.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use poem::http::header::LINK;
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use poem::{Request, Response};
use poem_openapi::OpenApi;
use sha2::{Digest, Sha256};

use super::openapi::{
    CROWDED, Documented, INVALID, JSON, OperationGroup, Path, Query, ResponseSpec,
    nothing_of_that_name,
};
use crate::compute::{apart, made_once};
use crate::model::hash::hex;
use crate::search::CursorParameter;
use crate::search::facets::{VALUES_MAX, facets};
use crate::search::insights::{EvidenceQuery, EvidenceRequest, StageRequest, evidence, stage};
use crate::snapshot::document::head;
use crate::snapshot::{Document, PerSnapshot};
use crate::web::context::Ctx;
use crate::web::{self, QueryParameters, Ready, UrlParameters, in_turn, problem};
use crate::wire::{self, parameters};

#[derive(Clone)]
pub struct DatasetsApi {
    ctx: Arc<Ctx>,
    /// Each with its own `Link`.
    documents: Arc<[Ready; Document::ALL.len()]>,
    facets: Arc<PerSnapshot<OnceLock<Bytes>>>,
}

impl ResponseSpec for wire::Dataset {
    const CONTENT_TYPE: &'static str = Document::Reviews.content_type();
    const DESCRIPTION: &'static str =
        "The business, its overall rating, and every published review, newest first.";
    const HAS_LAST_MODIFIED: bool = true;
    const IS_TOPIC: bool = true;
}

impl ResponseSpec for wire::InsightsAnswer {
    const CONTENT_TYPE: &'static str = Document::Insights.content_type();
    const DESCRIPTION: &'static str =
        "All aspects, entities, topics, FAQ and summary; or the requested stage.";
    const HAS_LAST_MODIFIED: bool = true;
    const ERRORS: &'static [(u16, &'static str)] = &[
        INVALID,
        (404, "No aspect, technician, service or area has that name."),
        CROWDED,
    ];
}

impl ResponseSpec for wire::Feed {
    const CONTENT_TYPE: &'static str = Document::JsonFeed.content_type();
    const DESCRIPTION: &'static str = "The 50 newest reviews as JSON Feed 1.1.";
    const HAS_LAST_MODIFIED: bool = true;
    const IS_TOPIC: bool = true;
}

/// The Atom feed, the only answer that is not JSON.
impl ResponseSpec for String {
    const CONTENT_TYPE: &'static str = Document::AtomFeed.content_type();
    const DESCRIPTION: &'static str = "The 50 newest reviews as Atom (RFC 4287).";
    const HAS_LAST_MODIFIED: bool = true;
    const IS_TOPIC: bool = true;
}

impl ResponseSpec for wire::DatasetHead {
    const DESCRIPTION: &'static str = "The business and its overall rating.";
}

impl ResponseSpec for wire::Facets {
    const DESCRIPTION: &'static str = "Each value with its number of reviews.";
    const ERRORS: &'static [(u16, &'static str)] = &[CROWDED];
}

impl ResponseSpec for wire::AspectEvidence {
    const DESCRIPTION: &'static str =
        "One page of the reviews that support the aspect, newest first.";
    const ERRORS: &'static [(u16, &'static str)] = &[INVALID, (404, "Unknown aspect."), CROWDED];
}

#[OpenApi(tag = "OperationGroup::Datasets")]
#[expect(
    clippy::unused_async,
    reason = "poem-openapi takes async handlers alone; nothing here waits"
)]
#[expect(
    clippy::too_many_arguments,
    unused_variables,
    reason = "one argument is one documented parameter; what it holds is taken from the request"
)]
impl DatasetsApi {
    /// Get the whole dataset
    ///
    /// The business, its overall rating, and every published review, newest first (date descending, then id ascending).
    #[oai(path = "/getReviews", method = "get")]
    async fn get_reviews(&self, headers: &HeaderMap) -> Documented<wire::Dataset> {
        self.document(headers, Document::Reviews).into()
    }

    /// Get the insights
    ///
    /// What the reviews say, counted: aspects, entities, topics, FAQ and summary. Every part is always present.
    ///
    /// With one of the parameters, only a stage: `part=overview` is a short overview of at most 8 KiB.
    #[oai(path = "/getInsights", method = "get")]
    async fn get_insights(
        &self,
        request: &Request,
        /// One aspect: id or name.
        aspect: Query<parameters::Aspect>,
        /// One technician: full name, id or alias.
        technician: Query<parameters::Technician>,
        /// One service: id, name or synonym.
        service: Query<parameters::Service>,
        /// One service area: name.
        area: Query<parameters::Area>,
        /// One part; `overview` summarizes all.
        part: Query<parameters::Part>,
    ) -> Documented<wire::InsightsAnswer> {
        let mut taken = QueryParameters::of(request);
        let asked = StageRequest::take_from(&mut taken);
        if let Some(problem) = taken.problem() {
            return problem.into();
        }
        match asked {
            None => self.document(request.headers(), Document::Insights).into(),
            Some(asked) => {
                let stage = async { apart(|| self.stage(request.headers(), &asked)) };
                in_turn(request, &self.ctx.compute, stage).await.into()
            }
        }
    }

    /// Get the newest reviews as JSON Feed
    ///
    /// JSON Feed 1.1 of the 50 newest reviews, with the hub to subscribe at.
    #[oai(path = "/getFeed", method = "get")]
    async fn get_feed(&self, headers: &HeaderMap) -> Documented<wire::Feed> {
        self.document(headers, Document::JsonFeed).into()
    }

    /// Get the newest reviews as Atom
    ///
    /// RFC 4287 feed of the same 50 reviews, with the hub to subscribe at.
    #[oai(path = "/getAtomFeed", method = "get")]
    async fn get_atom_feed(&self, headers: &HeaderMap) -> Documented<String> {
        self.document(headers, Document::AtomFeed).into()
    }

    /// Get the business and its overall rating
    ///
    /// The members of `/reviews.json` except the reviews.
    #[oai(path = "/getBusiness", method = "get")]
    async fn get_business(&self, headers: &HeaderMap) -> Documented<wire::DatasetHead> {
        let snapshot = self.ctx.current.load();
        let body = wire::json(&head(&snapshot.input, Some(snapshot.changed_at())));
        web::whole_body(headers, snapshot, JSON, body).into()
    }

    /// List the filters of reviews
    ///
    /// Technicians, services, service areas, sources, languages, aspects, years and ratings, each with its number of reviews; at
    /// most the 100 most mentioned of each list. A technician's name is what `mentions_technician` takes, a service's id what
    /// `mentions_service` takes.
    #[oai(path = "/getFacets", method = "get")]
    async fn get_facets(&self, request: &Request) -> Documented<wire::Facets> {
        let snapshot = self.ctx.current.load();
        let made = self.facets.of(&snapshot);
        let answer = |body: &Bytes| {
            let snapshot = Arc::clone(&snapshot);
            web::whole_body(request.headers(), snapshot, JSON, body.clone())
        };
        if let Some(body) = made.get() {
            return answer(body).into();
        }
        let make = || wire::json(&facets(&snapshot, VALUES_MAX)).into();
        let work = async { answer(made_once(made.as_ref(), make)) };
        in_turn(request, &self.ctx.compute, work).await.into()
    }

    /// Get the evidence of an aspect
    ///
    /// Every review that supports the aspect, newest first, with its findings: the words, their sentiment, the people they are
    /// about, and the hits (rule, words, points) that add up to the score. `total` is the figure that `/insights.json` gives;
    /// `by_technician` and `by_service` count all that match, on all pages. A finding is about a technician if its sentence or
    /// the one before names the person.
    ///
    /// For the next page send the same request again with `cursor` set to the answer's `next_cursor`. A cursor is opaque and belongs
    /// to its aspect and filters; with others it is a 400.
    #[oai(path = "/getAspectEvidence", method = "get")]
    async fn get_aspect_evidence(
        &self,
        request: &Request,
        /// The aspect's id, for example `punctuality`.
        id: Path<parameters::Id>,
        /// Only reviews with this vote on the aspect.
        polarity: Query<parameters::Polarity>,
        /// Only findings about this technician: name, id or alias.
        technician: Query<parameters::Technician>,
        /// Only reviews that mention this service: id, name or synonym.
        service: Query<parameters::Service>,
        /// Only reviews from this day on, `YYYY-MM-DD`.
        since: Query<parameters::Since>,
        /// Only reviews up to this day, `YYYY-MM-DD`.
        until: Query<parameters::Until>,
        /// `false` omits the reasons of findings.
        hits: Query<parameters::Hits>,
        /// Maximum number of reviews to return.
        limit: Query<parameters::Limit>,
        /// `next_cursor` of an answer to the same request.
        cursor: Query<CursorParameter>,
    ) -> Documented<wire::AspectEvidence> {
        let mut taken = QueryParameters::of(request);
        let asked = EvidenceRequest::take_from(&mut taken);
        if let Some(problem) = taken.problem() {
            return problem.into();
        }
        let Ok(id) = UrlParameters::path::<parameters::Id>(request) else {
            return nothing_of_that_name().into();
        };
        let id = id.unwrap_or_default();
        let work = async { apart(|| self.evidence(request.headers(), &id, &asked)) };
        in_turn(request, &self.ctx.compute, work).await.into()
    }
}

impl DatasetsApi {
    pub fn new(ctx: &Arc<Ctx>) -> Self {
        let ready = |document: Document| {
            let link = document.is_topic().then(|| document.link(&ctx.links));
            let link = link.and_then(|link| HeaderValue::from_str(&link).ok());
            Ready::new(link.map(|link| (LINK, link)).into_iter().collect())
        };
        Self {
            ctx: Arc::clone(ctx),
            documents: Arc::new(Document::ALL.map(ready)),
            facets: Arc::default(),
        }
    }

    /// Answers with a document of the current snapshot.
    pub fn document(&self, headers: &HeaderMap, document: Document) -> Response {
        let snapshot = self.ctx.current.peek();
        let published = snapshot.document(document);
        self.documents[document as usize].answer(
            headers,
            &snapshot,
            &published.body,
            published.confirmed().map(web::modified),
            &self.ctx.clock,
        )
    }

    fn stage(&self, headers: &HeaderMap, asked: &StageRequest) -> Response {
        let snapshot = self.ctx.current.load();
        match stage(&snapshot, &self.ctx.links, asked) {
            Ok(stage) => {
                let body = wire::json(&stage);
                let digest = hex(&Sha256::digest(&body));
                let modified = snapshot.document(Document::Insights).confirmed();
                let modified = modified.map(web::modified);
                web::pieces(
                    headers,
                    Arc::clone(&snapshot),
                    Document::Insights.content_type(),
                    &digest,
                    modified,
                    || vec![body.into()],
                )
            }
            Err(told) => problem(StatusCode::NOT_FOUND, told),
        }
    }

    fn evidence(&self, headers: &HeaderMap, id: &str, asked: &EvidenceRequest) -> Response {
        let snapshot = self.ctx.current.load();
        let Some(query) = EvidenceQuery::about(snapshot.input.analyzer.trade(), id, asked) else {
            let told = format!(
                "No aspect has that id; known: {}.",
                snapshot.input.analyzer.trade().aspect_ids().join(", ")
            );
            return problem(StatusCode::NOT_FOUND, told);
        };
        if let Some(cursor) = query.foreign_cursor() {
            return web::invalid_parameters(vec![cursor.invalid()]);
        }
        let body = wire::json(&evidence(&snapshot, &query));
        web::whole_body(headers, snapshot, JSON, body)
    }
}
