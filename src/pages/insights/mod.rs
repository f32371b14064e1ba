//! `/insights`: all insights, or those of one aspect, person, service or place given by the query. The parameters' own
//! types parse the values; all errors are reported at once.

pub(crate) mod overview;
pub(crate) mod rows;
mod subject;

use std::sync::Arc;

use poem::http::StatusCode;
use poem::{Request, Response};

use super::cached::{Page, Pages};
use super::frame::{POLICY, page};
use crate::compute::apart;
use crate::model::MentionKind;
use crate::search::insights::{EvidenceQuery, EvidenceRequest, StageRequest, evidence_with_texts};
use crate::snapshot::Snapshot;
use crate::web;
use crate::web::context::Ctx;
use crate::web::{QueryParameters, in_turn, problem};

/// `/insights`, with or without a query.
pub async fn answer(pages: Arc<Pages>, request: Request) -> Response {
    let mut query = QueryParameters::of_form(&request);
    let named = StageRequest::named(&mut query);
    let asked = EvidenceRequest::take_polarity_from(&mut query);
    let stage = StageRequest::only(named, &mut query);
    if let Some(problem) = query.problem() {
        return problem;
    }
    let ctx = &pages.ctx;
    let snapshot = ctx.current.load();
    match stage {
        Some(StageRequest::Aspect(id)) => {
            return aspect(ctx, &request, snapshot, &id, &asked).await;
        }
        Some(StageRequest::Entity(kind, key)) => {
            return entity(ctx, &request, snapshot, kind, &key).await;
        }
        // The page takes no part.
        Some(StageRequest::Part(_)) | None => {}
    }
    pages.answer(Page::Insights, &request).await
}

async fn aspect(
    ctx: &Ctx,
    request: &Request,
    snapshot: Arc<Snapshot>,
    id: &str,
    wanted: &EvidenceRequest,
) -> Response {
    let trade = snapshot.input.analyzer.trade();
    let Some(query) = EvidenceQuery::about(trade, id, wanted) else {
        return nothing("No aspect has that id; /insights lists them.");
    };
    if let Some(cursor) = query.foreign_cursor() {
        return web::invalid_parameters(vec![cursor.invalid()]);
    }
    let work = async {
        let html = apart(|| {
            let found = evidence_with_texts(&snapshot, &query);
            subject::show_aspect(&snapshot, query, found, &ctx.links)
        });
        page(request, Arc::clone(&snapshot), html, POLICY)
    };
    in_turn(request, &ctx.compute, work).await
}

async fn entity(
    ctx: &Ctx,
    request: &Request,
    snapshot: Arc<Snapshot>,
    kind: MentionKind,
    key: &str,
) -> Response {
    let work = async {
        match subject::find_entity(kind, &snapshot.insights, key) {
            Some(entity) => {
                let html = apart(|| subject::show_entity(&snapshot, kind, entity, &ctx.links));
                page(request, Arc::clone(&snapshot), html, POLICY)
            }
            None => nothing("No review has that name; /insights lists the names."),
        }
    };
    in_turn(request, &ctx.compute, work).await
}

fn nothing(detail: &str) -> Response {
    problem(StatusCode::NOT_FOUND, detail)
}
