//! `/insights`: all insights, or those of one aspect, person, service or place given by the query. The parameters' own
//! types parse the values; all errors are reported at once.

pub(crate) mod overview;
pub(crate) mod rows;
mod subject;

use std::sync::Arc;

use poem::web::Data;
use poem::{Request, Response, handler};

use super::cached::{CachedPage, Pages};
use super::frame::{POLICY, page};
use crate::compute::run_long;
use crate::model::MentionKind;
use crate::search::insights::{
    EvidenceParameters, EvidenceQuery, StageParameters, StageRequest, evidence, find_entity,
};
use crate::search::{CursorParameter, names};
use crate::snapshot::Snapshot;
use crate::web::context::Ctx;
use crate::web::{ClientAddress, HttpProblem, QueryParameters};
use crate::wire::parameters::{self, Arguments as _, arguments};

arguments! {
    /// The parameters of the page, some of those of the insights and some of those of the evidence.
    pub struct InsightsParameters {
        /// One aspect.
        aspect: parameters::Aspect,
        /// One technician.
        technician: parameters::Technician,
        /// One service.
        service: parameters::Service,
        /// One service area.
        area: parameters::Area,
        /// Only reviews with this vote on the aspect.
        polarity: parameters::Polarity,
        /// Reviews per page.
        limit: parameters::Limit,
        /// The next page.
        cursor: CursorParameter,
    }
}

/// `/insights`, with or without a query.
#[handler]
pub async fn insights(
    Data(pages): Data<&Arc<Pages>>,
    client: ClientAddress,
    request: &Request,
) -> poem::Result<Response> {
    let mut query = QueryParameters::of_form(request);
    let parameters = InsightsParameters::take_from(&mut query);
    let evidence_parameters = EvidenceParameters {
        polarity: parameters.polarity,
        limit: parameters.limit,
        cursor: parameters.cursor,
        ..EvidenceParameters::default()
    };
    let stage = StageParameters {
        aspect: parameters.aspect,
        technician: parameters.technician,
        service: parameters.service,
        area: parameters.area,
        part: None,
    };
    let stage = StageRequest::new(stage, &mut query.issues);
    query.check()?;
    let ctx = &pages.ctx;
    let snapshot = ctx.current.load();
    match stage {
        Some(StageRequest::Aspect(id)) => {
            let _slot = ctx.turn(client).await?;
            Ok(aspect(ctx, &snapshot, &id, &evidence_parameters)?)
        }
        Some(StageRequest::Entity(kind, key)) => {
            let _slot = ctx.turn(client).await?;
            Ok(entity(ctx, &snapshot, kind, &key)?)
        }
        // The page takes no part.
        Some(StageRequest::Part(_)) | None => pages.response(CachedPage::Insights, client).await,
    }
}

fn aspect(
    ctx: &Ctx,
    snapshot: &Arc<Snapshot>,
    id: &str,
    parameters: &EvidenceParameters,
) -> Result<Response, HttpProblem> {
    let trade = snapshot.input.analyzer.trade();
    let query = EvidenceQuery::of_aspect(trade, id, parameters)
        .ok_or_else(|| HttpProblem::not_found("No aspect has that id; /insights lists them."))?;
    if let Some(cursor) = query.foreign_cursor() {
        return Err(HttpProblem::invalid_parameters(vec![cursor.invalid()]));
    }
    let html = run_long(|| {
        let found = evidence(snapshot, &ctx.links, &query);
        subject::show_aspect(snapshot, query, found, &ctx.links)
    });
    Ok(page(Arc::clone(snapshot), html, POLICY))
}

fn entity(
    ctx: &Ctx,
    snapshot: &Arc<Snapshot>,
    kind: MentionKind,
    key: &str,
) -> Result<Response, HttpProblem> {
    let facet = names::find(snapshot, kind, key);
    let entity = facet.and_then(|facet| find_entity(snapshot, kind, facet));
    let entity = entity.ok_or_else(|| {
        HttpProblem::not_found("No review has that name; /insights lists the names.")
    })?;
    let html = run_long(|| subject::show_entity(snapshot, kind, entity, &ctx.links));
    Ok(page(Arc::clone(snapshot), html, POLICY))
}
