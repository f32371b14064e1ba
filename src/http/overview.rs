//! Small answers beside the reviews: who the business is and how it is rated, what reviews can be narrowed by, and two periods
//! side by side. Each is the twin of a tool for agents, and gives the same JSON.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use poem::Response;
use poem::http::HeaderMap;
use poem_openapi::OpenApi;
use sha2::{Digest, Sha256};

use super::Group;
use super::answers::{Answer, Kind};
use super::parameters::{Issues, Query};
use crate::ctx::Ctx;
use crate::edition::Edition;
use crate::edition::print::head;
use crate::hash::hex;
use crate::respond;
use crate::reviews::parameters::{FirstSince, FirstUntil, SecondSince, SecondUntil};
use crate::search::PerEdition;
use crate::search::facets::{Counts, VALUES_MAX, facets};
use crate::search::periods::{compare, period};
use crate::wire;

const JSON: &str = "application/json";

/// Handlers of small answers.
pub struct Overview {
    ctx: Arc<Ctx>,
    facets: PerEdition<OnceLock<Bytes>>,
}

/// `/business.json`.
pub struct BusinessKind;
impl Kind for BusinessKind {
    type Content = wire::DatasetHead;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str = "The business and its overall rating.";
    const HAS_LAST_MODIFIED: bool = false;
}

/// `/facets.json`.
pub struct FacetsKind;
impl Kind for FacetsKind {
    type Content = wire::Facets;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str = "Each value with its count of reviews.";
    const HAS_LAST_MODIFIED: bool = false;
}

/// `/api/compare`.
pub struct CompareKind;
impl Kind for CompareKind {
    type Content = wire::Comparison;
    const CONTENT_TYPE: &'static str = JSON;
    const DESCRIPTION: &'static str = "Both periods, and the second less the first.";
    const HAS_LAST_MODIFIED: bool = false;
    const ERRORS: &'static [(u16, &'static str)] = &[(400, "Parameters are invalid: one issue for each.")];
}

#[OpenApi]
#[expect(clippy::unused_async, reason = "poem-openapi takes async handlers alone; nothing here waits")]
impl Overview {
    /// Get the business and its overall rating
    ///
    /// What `/reviews.json` says besides the reviews.
    #[oai(path = "/getBusiness", method = "get", tag = "Group::Datasets")]
    async fn get_business(&self, headers: &HeaderMap) -> Answer<BusinessKind> {
        let edition = self.ctx.current.load();
        let body = wire::json(&head(&edition.copy)).into();
        send(headers, edition, body).into()
    }

    /// List what reviews can be narrowed by
    ///
    /// Technicians, services, service areas, years and ratings, each with its count of reviews; of each list the 100 most mentioned.
    /// A technician's name is what `mentions_technician` takes, a service's id what `mentions_service` takes.
    #[oai(path = "/getFacets", method = "get", tag = "Group::Datasets")]
    async fn get_facets(&self, headers: &HeaderMap) -> Answer<FacetsKind> {
        let edition = self.ctx.current.load();
        let made = self.facets.of(&edition);
        let body = made.get_or_init(|| {
            let copy = &edition.copy;
            wire::json(&facets(&Counts::of(copy), &copy.shelf, VALUES_MAX)).into()
        });
        send(headers, edition, body.clone()).into()
    }

    /// Compare two periods
    ///
    /// Count, mean rating, distribution and aspects of the reviews of two ranges of days, both ends included.
    #[oai(path = "/comparePeriods", method = "get", tag = "Group::Reviews")]
    async fn compare_periods(
        &self,
        headers: &HeaderMap,
        /// First day of the first period, `YYYY-MM-DD`.
        first_since: Query<FirstSince>,
        /// Last day of the first period, `YYYY-MM-DD`.
        first_until: Query<FirstUntil>,
        /// First day of the second period, `YYYY-MM-DD`.
        second_since: Query<SecondSince>,
        /// Last day of the second period, `YYYY-MM-DD`.
        second_until: Query<SecondUntil>,
    ) -> Answer<CompareKind> {
        let mut issues = Issues::default();
        let first = issues.require::<FirstSince>(first_since.0).zip(issues.require::<FirstUntil>(first_until.0));
        let first = first.and_then(|(first, last)| issues.take(period::<FirstSince, FirstUntil>(first, last).map(Some)));
        let second = issues.require::<SecondSince>(second_since.0).zip(issues.require::<SecondUntil>(second_until.0));
        let second = second.and_then(|(first, last)| issues.take(period::<SecondSince, SecondUntil>(first, last).map(Some)));
        match first.zip(second) {
            Some((first, second)) => {
                let edition = self.ctx.current.load();
                let body = wire::json(&compare(&edition, first, second)).into();
                send(headers, edition, body).into()
            }
            None => issues.into_problem().into(),
        }
    }
}

impl Overview {
    /// Of what `ctx` publishes.
    #[must_use]
    pub fn new(ctx: &Arc<Ctx>) -> Self {
        Self { ctx: Arc::clone(ctx), facets: PerEdition::default() }
    }
}

fn send(headers: &HeaderMap, edition: Arc<Edition>, body: Bytes) -> Response {
    let digest = hex(&Sha256::digest(&body));
    respond::pieces(headers, edition, JSON, &digest, None, || vec![body])
}
