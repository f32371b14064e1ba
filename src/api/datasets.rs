//! The rendered documents.

use std::sync::Arc;

use poem::http::header::LINK;
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use poem::{Request, Response};
use poem_openapi::OpenApi;
use sha2::{Digest, Sha256};

use super::OperationGroup;
use super::documented::{CROWDED, Documented, ResponseSpec};
use super::parameters::{Query, RequestParameters};
use crate::compute::apart;
use crate::model::hash::hex;
use crate::model::parameters;
use crate::search::insights::{NoSuchStage, StageRequest, stage};
use crate::snapshot::Document;
use crate::web::context::Ctx;
use crate::web::{Ready, in_turn, problem};
use crate::{web, wire};

#[derive(Clone)]
pub struct DatasetsApi {
    pub(super) ctx: Arc<Ctx>,
    pub(super) documents: Arc<Documents>,
}

pub struct ReviewsSpec;
impl ResponseSpec for ReviewsSpec {
    type Content = wire::Dataset;
    const CONTENT_TYPE: &'static str = Document::Reviews.content_type();
    const DESCRIPTION: &'static str =
        "The business, its overall rating, and every published review, newest first.";
    const HAS_LAST_MODIFIED: bool = true;
    const IS_TOPIC: bool = true;
}

pub struct InsightsSpec;
impl ResponseSpec for InsightsSpec {
    type Content = wire::InsightsAnswer;
    const CONTENT_TYPE: &'static str = Document::Insights.content_type();
    const DESCRIPTION: &'static str =
        "All aspects, entities, topics, FAQ and summary; or the requested stage.";
    const HAS_LAST_MODIFIED: bool = true;
    const ERRORS: &'static [(u16, &'static str)] = &[
        (400, "Invalid parameters, with one issue for each."),
        (404, "No aspect, technician, service or area has that name."),
        CROWDED,
    ];
}

pub struct JsonFeedSpec;
impl ResponseSpec for JsonFeedSpec {
    type Content = wire::Feed;
    const CONTENT_TYPE: &'static str = Document::JsonFeed.content_type();
    const DESCRIPTION: &'static str = "The 50 newest reviews as JSON Feed 1.1.";
    const HAS_LAST_MODIFIED: bool = true;
    const IS_TOPIC: bool = true;
}

pub struct AtomFeedSpec;
impl ResponseSpec for AtomFeedSpec {
    type Content = String;
    const CONTENT_TYPE: &'static str = Document::AtomFeed.content_type();
    const DESCRIPTION: &'static str = "The 50 newest reviews as Atom (RFC 4287).";
    const HAS_LAST_MODIFIED: bool = true;
    const IS_TOPIC: bool = true;
}

#[OpenApi]
#[expect(
    clippy::unused_async,
    reason = "poem-openapi takes async handlers alone; nothing here waits"
)]
impl DatasetsApi {
    /// Get the whole dataset
    ///
    /// The business, its overall rating, and every published review, newest first (date descending, then id ascending).
    #[oai(path = "/getReviews", method = "get", tag = "OperationGroup::Datasets")]
    async fn get_reviews(&self, headers: &HeaderMap) -> Documented<ReviewsSpec> {
        self.document(headers, Document::Reviews)
    }

    /// Get the insights
    ///
    /// What the reviews say, counted: aspects, entities, topics, FAQ and summary. Every part is always present.
    ///
    /// With one of the parameters, only a stage: `part=overview` is a short overview of at most 8 KiB.
    #[oai(
        path = "/getInsights",
        method = "get",
        tag = "OperationGroup::Datasets"
    )]
    #[expect(
        unused_variables,
        reason = "one argument is one documented parameter; what it holds is taken from the request"
    )]
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
    ) -> Documented<InsightsSpec> {
        let mut taken = RequestParameters::of(request);
        let asked = StageRequest::take_from(&mut taken);
        if let Some(problem) = taken.problem() {
            return problem.into();
        }
        match asked {
            None => self.document(request.headers(), Document::Insights),
            Some(asked) => {
                let stage = async { apart(|| self.stage(request.headers(), &asked)) };
                in_turn(request, &self.ctx.compute, stage).await.into()
            }
        }
    }

    /// Get the newest reviews as JSON Feed
    ///
    /// JSON Feed 1.1 of the 50 newest reviews, with the hub to subscribe at.
    #[oai(path = "/getFeed", method = "get", tag = "OperationGroup::Datasets")]
    async fn get_feed(&self, headers: &HeaderMap) -> Documented<JsonFeedSpec> {
        self.document(headers, Document::JsonFeed)
    }

    /// Get the newest reviews as Atom
    ///
    /// RFC 4287 feed of the same 50 reviews, with the hub to subscribe at.
    #[oai(
        path = "/getAtomFeed",
        method = "get",
        tag = "OperationGroup::Datasets"
    )]
    async fn get_atom_feed(&self, headers: &HeaderMap) -> Documented<AtomFeedSpec> {
        self.document(headers, Document::AtomFeed)
    }
}

impl DatasetsApi {
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
            Err(NoSuchStage(told)) => problem(StatusCode::NOT_FOUND, told),
        }
    }

    fn document<K>(&self, headers: &HeaderMap, document: Document) -> Documented<K> {
        self.documents.answer(headers, document).into()
    }
}

// Document responses: each from its cached body, with its own `Link`.

/// Responds with the documents of the current snapshot.
#[derive(Debug)]
pub struct Documents {
    ctx: Arc<Ctx>,
    ready: [Ready; Document::ALL.len()],
}

impl Documents {
    #[must_use]
    pub fn new(ctx: &Arc<Ctx>) -> Self {
        let ready = Document::ALL.map(|document| {
            let link = document
                .is_topic()
                .then(|| HeaderValue::from_str(&document.link(&ctx.links)).ok());
            let link = link.flatten().map(|link| (LINK, link));
            Ready::new(link.into_iter().collect())
        });
        Self {
            ctx: Arc::clone(ctx),
            ready,
        }
    }

    #[must_use]
    pub fn answer(&self, headers: &HeaderMap, document: Document) -> Response {
        let snapshot = self.ctx.current.peek();
        let published = snapshot.document(document);
        let modified = published.confirmed().map(web::modified);
        self.ready[document.index()].answer(
            headers,
            &snapshot,
            &published.body,
            modified,
            &self.ctx.clock,
        )
    }
}
