//! `/insights`: all insights, or those of one aspect, person, service or place given by the query. The parameters' own
//! types parse the values; all errors are reported at once.

mod aspect;
mod entity;
pub(crate) mod overview;
pub(crate) mod rows;

use std::sync::Arc;

use entity::EntityKind;
use poem::http::StatusCode;
use poem::{Request, Response};

use super::cached::{Page, Pages};
use super::frame::{POLICY, page, protect};
use super::query::PageQuery;
use crate::compute::apart;
use crate::search::insights::{EvidenceQuery, EvidenceRequest, evidence_page};
use crate::snapshot::Snapshot;
use crate::web;
use crate::web::context::Ctx;
use crate::web::{in_turn, problem};
use crate::wire::parameters::{self, Parameter, ParameterSource};
use crate::wire::{Issue, IssueCode};

/// `/insights`, with or without a query.
pub async fn answer(pages: Arc<Pages>, request: Request) -> Response {
    let mut query = PageQuery::of(&request);
    // The one of these that is given selects the view.
    let of_aspect = query.take::<parameters::Aspect>();
    let of_entity = [
        (
            EntityKind::Technician,
            query.take::<parameters::Technician>(),
        ),
        (EntityKind::Service, query.take::<parameters::Service>()),
        (EntityKind::Area, query.take::<parameters::Area>()),
    ];
    let asked = EvidenceRequest::take_polarity_from(&mut query);
    let names = of_entity.iter().map(|(kind, key)| (kind.parameter(), key));
    let names = std::iter::once((parameters::Aspect::NAME, &of_aspect)).chain(names);
    let given = names.filter_map(|(name, value)| Some((name, value.as_deref()?)));
    let given: Vec<(&str, &str)> = given.collect();
    if let [(first, _), others @ ..] = given.as_slice() {
        query.issues.extend(others.iter().map(|(name, value)| {
            let message = format!("must be left out if {first} is given");
            Issue::new(name, IssueCode::InvalidString, message, value)
        }));
    }
    if !query.issues.is_empty() {
        return web::invalid_parameters(query.issues);
    }
    let ctx = &pages.ctx;
    let snapshot = ctx.current.load();
    if let Some(id) = of_aspect {
        return aspect(ctx, &request, snapshot, &id, &asked).await;
    }
    let mut of_entity = of_entity.into_iter();
    if let Some((kind, key)) = of_entity.find_map(|(kind, key)| Some((kind, key?))) {
        return entity(ctx, &request, snapshot, kind, &key).await;
    }
    let body = pages.body(&snapshot, Page::Insights);
    protect(
        web::cached_body(request.headers(), &snapshot, &body),
        POLICY,
    )
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
            let found = evidence_page(&snapshot, &query);
            aspect::show(&snapshot, query, found, &ctx.links)
        });
        page(request, Arc::clone(&snapshot), html, POLICY)
    };
    in_turn(request, &ctx.compute, work).await
}

async fn entity(
    ctx: &Ctx,
    request: &Request,
    snapshot: Arc<Snapshot>,
    kind: EntityKind,
    key: &str,
) -> Response {
    let work = async {
        match kind.find(&snapshot.insights, key) {
            Some(entity) => {
                let html = apart(|| entity::show(&snapshot, kind, entity, &ctx.links));
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
