//! `/insights`: all insights, or those of one aspect given by the query. The parameters' own types parse the values; all errors are
//! reported at once.

mod aspect;
pub(crate) mod overview;
pub(crate) mod rows;

use std::sync::Arc;

use poem::web::Data;
use poem::{Request, Response, handler};

use super::frame::{POLICY, page};
use crate::compute::run_long;
use crate::search::Cursor;
use crate::search::insights::{EvidenceParameters, EvidenceQuery, evidence};
use crate::web::context::Ctx;
use crate::web::{ClientAddress, HttpProblem};
use crate::wire::Arguments;

/// `/insights`, with or without a query.
#[handler]
pub async fn insights(
    Data(ctx): Data<&Arc<Ctx>>,
    client: ClientAddress,
    request: &Request,
) -> poem::Result<Response> {
    // Some of the parameters of the evidence.
    let mut query = Arguments::form(request.uri().query().unwrap_or_default());
    let id = query.text("aspect", "");
    let parameters = EvidenceParameters {
        polarity: query.polarity(""),
        limit: query.limit(),
        cursor: Cursor::parse(&mut query, ""),
        ..EvidenceParameters::default()
    };
    HttpProblem::check_parameters(&query.issues)?;
    let _slot = ctx.turn(client).await?;
    let snapshot = ctx.current.load();
    let Some(id) = id else {
        let html = run_long(|| overview::overview(&snapshot));
        return Ok(page(ctx, request.headers(), &snapshot, html, POLICY));
    };
    let trade = snapshot.input.analyzer.trade();
    let query = EvidenceQuery::of_aspect(trade, &id, &parameters)
        .ok_or_else(|| HttpProblem::not_found("No aspect has that id; /insights lists them."))?;
    if let Some(cursor) = query.foreign_cursor() {
        return Err(HttpProblem::invalid_parameters(vec![cursor.invalid()]).into());
    }
    let html = run_long(|| {
        let found = evidence(&snapshot, &query);
        aspect::show(&snapshot, query, found)
    });
    Ok(page(ctx, request.headers(), &snapshot, html, POLICY))
}
