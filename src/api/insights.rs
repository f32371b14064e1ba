//! The evidence behind the insights.

use std::sync::Arc;

use poem::http::{HeaderMap, StatusCode};
use poem::{Request, Response};
use poem_openapi::OpenApi;

use super::documented::{CROWDED, Documented, ResponseSpec};
use super::parameters::{Path, Query, RequestParameters};
use super::{OperationGroup, nothing_of_that_name};
use crate::compute::apart;
use crate::model::parameters;
use crate::search::CursorParameter;
use crate::search::insights::{EvidenceQuery, EvidenceRequest, evidence};
use crate::web;
use crate::web::context::Ctx;
use crate::web::{in_turn, problem};
use crate::wire;

const JSON: &str = "application/json";

#[derive(Clone)]
pub struct InsightsApi(pub(super) Arc<Ctx>);

pub struct EvidenceSpec;
impl ResponseSpec for EvidenceSpec {
    type Content = wire::AspectEvidence;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str =
        "One page of the reviews that support the aspect, newest first.";
    const HAS_LAST_MODIFIED: bool = false;
    const ERRORS: &'static [(u16, &'static str)] = &[
        (400, "Invalid parameters, with one issue for each."),
        (404, "Unknown aspect."),
        CROWDED,
    ];
}

#[OpenApi]
impl InsightsApi {
    /// Get the evidence of an aspect
    ///
    /// Every review that supports the aspect, newest first, with its findings: the words, their sentiment, the people they are
    /// about, and the hits (rule, words, points) that add up to the score. `total` is the figure that `/insights.json` gives;
    /// `by_technician` and `by_service` count all that match, on all pages. A finding is about a technician if its sentence or
    /// the one before names the person.
    ///
    /// For the next page send the same request again with `cursor` set to the answer's `next_cursor`. A cursor is opaque and belongs
    /// to its aspect and filters; with others it is a 400.
    #[oai(
        path = "/getAspectEvidence",
        method = "get",
        tag = "OperationGroup::Datasets"
    )]
    #[expect(
        clippy::too_many_arguments,
        unused_variables,
        reason = "one argument is one documented parameter; what it holds is taken from the request"
    )]
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
    ) -> Documented<EvidenceSpec> {
        let mut taken = RequestParameters::of(request);
        let asked = EvidenceRequest::take_from(&mut taken);
        if let Some(problem) = taken.problem() {
            return problem.into();
        }
        let Ok(id) = id.0 else {
            return nothing_of_that_name().into();
        };
        let id = id.unwrap_or_default();
        let work = async { apart(|| self.evidence(request.headers(), &id, &asked)) };
        in_turn(request, &self.0.compute, work).await.into()
    }
}

impl InsightsApi {
    fn evidence(&self, headers: &HeaderMap, id: &str, asked: &EvidenceRequest) -> Response {
        let snapshot = self.0.current.load();
        let Some(query) = EvidenceQuery::about(snapshot.input.analyzer.trade(), id, asked) else {
            let told = format!(
                "No aspect has that id; known: {}.",
                snapshot.input.analyzer.trade().aspect_ids().join(", ")
            );
            return problem(StatusCode::NOT_FOUND, told);
        };
        if let Some(cursor) = query.foreign_cursor() {
            return web::invalid_parameters(vec![cursor.invalid().into()]);
        }
        let body = wire::json(&evidence(&snapshot, &query));
        web::whole_body(headers, snapshot, JSON, body)
    }
}
