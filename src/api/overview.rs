//! Small responses besides the reviews: the business and its rating, facets, and a comparison of two periods. Each has
//! the same JSON as an MCP tool.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use poem::Request;
use poem::http::HeaderMap;
use poem_openapi::OpenApi;

use super::OperationGroup;
use super::documented::{CROWDED, Documented, ResponseSpec};
use super::parameters::{Query, RequestParameters};
use crate::compute::apart;
use crate::model::parameters::{Aspect, FirstSince, FirstUntil, SecondSince, SecondUntil};
use crate::search::facets::{PeriodsRequest, VALUES_MAX, compare, facets};
use crate::snapshot::PerSnapshot;
use crate::snapshot::render::head;
use crate::web;
use crate::web::context::Ctx;
use crate::web::in_turn;
use crate::wire;

const JSON: &str = "application/json";

#[derive(Clone)]
pub struct Overview {
    ctx: Arc<Ctx>,
    facets: Arc<PerSnapshot<OnceLock<Bytes>>>,
}

pub struct BusinessKind;
impl ResponseSpec for BusinessKind {
    type Content = wire::DatasetHead;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str = "The business and its overall rating.";
    const HAS_LAST_MODIFIED: bool = false;
}

pub struct FacetsKind;
impl ResponseSpec for FacetsKind {
    type Content = wire::Facets;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str = "Each value with its number of reviews.";
    const HAS_LAST_MODIFIED: bool = false;
    const ERRORS: &'static [(u16, &'static str)] = &[CROWDED];
}

pub struct CompareKind;
impl ResponseSpec for CompareKind {
    type Content = wire::Comparison;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str =
        "Both periods, their difference (second minus first), and whether the second is better.";
    const HAS_LAST_MODIFIED: bool = false;
    const ERRORS: &'static [(u16, &'static str)] = &[
        (400, "Invalid parameters, with one issue for each."),
        CROWDED,
    ];
}

#[OpenApi]
#[expect(
    clippy::unused_async,
    reason = "poem-openapi takes async handlers alone; nothing here waits"
)]
impl Overview {
    /// Get the business and its overall rating
    ///
    /// The members of `/reviews.json` except the reviews.
    #[oai(
        path = "/getBusiness",
        method = "get",
        tag = "OperationGroup::Datasets"
    )]
    async fn get_business(&self, headers: &HeaderMap) -> Documented<BusinessKind> {
        let snapshot = self.ctx.current.load();
        let body = wire::json(&head(&snapshot.input, Some(snapshot.changed_at())));
        web::whole_body(headers, snapshot, JSON, body).into()
    }

    /// List the filters of reviews
    ///
    /// Technicians, services, service areas, sources, languages, aspects, years and ratings, each with its number of reviews; at
    /// most the 100 most mentioned of each list. A technician's name is what `mentions_technician` takes, a service's id what
    /// `mentions_service` takes.
    #[oai(path = "/getFacets", method = "get", tag = "OperationGroup::Datasets")]
    async fn get_facets(&self, request: &Request) -> Documented<FacetsKind> {
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
        let work = async { answer(apart(|| made.get_or_init(make))) };
        in_turn(request, &self.ctx.compute, work).await.into()
    }

    /// Compare two periods
    ///
    /// Count, mean rating, distribution and aspects of the reviews of two ranges of days, both ends included, and a verdict on
    /// the rating and on each aspect: `better`, `worse`, `same` or `too_few`. A period that continues after the newest review
    /// ends on that day.
    #[oai(
        path = "/comparePeriods",
        method = "get",
        tag = "OperationGroup::Reviews"
    )]
    #[expect(
        unused_variables,
        reason = "one argument is one documented parameter; what it holds is taken from the request"
    )]
    async fn compare_periods(
        &self,
        request: &Request,
        /// First day of the first period, `YYYY-MM-DD`.
        first_since: Query<FirstSince>,
        /// Last day of the first period, `YYYY-MM-DD`.
        first_until: Query<FirstUntil>,
        /// First day of the second period, `YYYY-MM-DD`.
        second_since: Query<SecondSince>,
        /// Last day of the second period, `YYYY-MM-DD`.
        second_until: Query<SecondUntil>,
        /// Id of the one aspect to compare, for example `price`.
        aspect: Query<Aspect>,
    ) -> Documented<CompareKind> {
        let mut taken = RequestParameters::of(request);
        let snapshot = self.ctx.current.load();
        match PeriodsRequest::take_from(&mut taken, snapshot.input.analyzer.trade()) {
            Some(asked) => {
                let work = async {
                    let body = apart(|| wire::json(&compare(&snapshot, &asked)));
                    web::whole_body(request.headers(), snapshot, JSON, body)
                };
                in_turn(request, &self.ctx.compute, work).await.into()
            }
            None => taken.into_problem().into(),
        }
    }
}

impl Overview {
    #[must_use]
    pub fn new(ctx: &Arc<Ctx>) -> Self {
        Self {
            ctx: Arc::clone(ctx),
            facets: Arc::default(),
        }
    }
}
