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
    EvidenceParameters, EvidenceQuery, check_one_of, evidence, find_entity, parameter,
};
use crate::search::{Cursor, names};
use crate::snapshot::Snapshot;
use crate::web::{ClientAddress, HttpProblem};
use crate::wire::Arguments;

/// `/insights`, with or without a query.
#[handler]
pub async fn insights(
    Data(pages): Data<&Arc<Pages>>,
    client: ClientAddress,
    request: &Request,
) -> poem::Result<Response> {
    // Some of the parameters of the insights, and some of those of the evidence.
    let mut query = Arguments::form(request.uri().query().unwrap_or_default());
    let aspect_id = query.text("aspect", "");
    let names = MentionKind::ALL.map(|kind| (kind, query.text(parameter(kind), "")));
    let evidence_parameters = EvidenceParameters {
        polarity: query.polarity(""),
        limit: query.limit(),
        cursor: Cursor::parse(&mut query, ""),
        ..EvidenceParameters::default()
    };
    let subjects = names
        .iter()
        .map(|(kind, name)| (parameter(*kind), name.as_deref()));
    let subjects: Vec<_> = [("aspect", aspect_id.as_deref())]
        .into_iter()
        .chain(subjects)
        .collect();
    check_one_of(&subjects, &mut query.issues);
    HttpProblem::check_parameters(&query.issues)?;
    let ctx = &pages.ctx;
    let snapshot = ctx.current.load();
    let name = names
        .into_iter()
        .find_map(|(kind, name)| Some((kind, name?)));
    if aspect_id.is_none() && name.is_none() {
        return pages.response(CachedPage::Insights, request).await;
    }
    let _slot = ctx.turn(client).await?;
    let html = match (aspect_id, name) {
        (None, Some((kind, key))) => entity(&snapshot, kind, &key)?,
        (id, _) => aspect(&snapshot, &id.unwrap_or_default(), &evidence_parameters)?,
    };
    Ok(page(ctx, request.headers(), &snapshot, html, POLICY))
}

fn aspect(
    snapshot: &Snapshot,
    id: &str,
    parameters: &EvidenceParameters,
) -> Result<String, HttpProblem> {
    let trade = snapshot.input.analyzer.trade();
    let query = EvidenceQuery::of_aspect(trade, id, parameters)
        .ok_or_else(|| HttpProblem::not_found("No aspect has that id; /insights lists them."))?;
    if let Some(cursor) = query.foreign_cursor() {
        return Err(HttpProblem::invalid_parameters(vec![cursor.invalid()]));
    }
    Ok(run_long(|| {
        let found = evidence(snapshot, &query);
        subject::show_aspect(snapshot, query, found)
    }))
}

fn entity(snapshot: &Snapshot, kind: MentionKind, key: &str) -> Result<String, HttpProblem> {
    let facet = names::find(snapshot, kind, key);
    let entity = facet.and_then(|facet| find_entity(snapshot, kind, facet));
    let entity = entity.ok_or_else(|| {
        HttpProblem::not_found("No review has that name; /insights lists the names.")
    })?;
    Ok(run_long(|| subject::show_entity(snapshot, kind, entity)))
}
