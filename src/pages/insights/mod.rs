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
use crate::model::parameters::{self, ParameterSource};
use crate::search::insights::{EvidenceQuery, EvidenceRequest, evidence_page};
use crate::snapshot::Snapshot;
use crate::web;
use crate::web::context::Ctx;
use crate::web::{in_turn, problem};

/// The requested view, selected by the first of these parameters in the query.
enum InsightsView {
    All,
    Aspect(String),
    Entity(EntityKind, String),
}

impl InsightsView {
    fn of(source: &mut impl ParameterSource) -> Self {
        let aspect = source.take::<parameters::Aspect>();
        let named = [
            (
                EntityKind::Technician,
                source.take::<parameters::Technician>(),
            ),
            (EntityKind::Service, source.take::<parameters::Service>()),
            (EntityKind::Area, source.take::<parameters::Area>()),
        ];
        if let Some(id) = aspect {
            return Self::Aspect(id);
        }
        let mut named = named
            .into_iter()
            .filter_map(|(kind, key)| Some((kind, key?)));
        named
            .next()
            .map_or(Self::All, |(kind, key)| Self::Entity(kind, key))
    }
}

/// `/insights`, with or without a query.
pub async fn answer(pages: Arc<Pages>, request: Request) -> Response {
    let mut query = PageQuery::of(&request);
    let view = InsightsView::of(&mut query);
    let asked = EvidenceRequest::take_polarity_from(&mut query);
    if !query.issues.is_empty() {
        return web::invalid_parameters(query.issues);
    }
    let ctx = &pages.ctx;
    let snapshot = ctx.current.load();
    match view {
        InsightsView::All => {
            let body = pages.body(&snapshot, Page::Insights);
            protect(
                web::cached_body(request.headers(), &snapshot, &body),
                POLICY,
            )
        }
        InsightsView::Aspect(id) => aspect(ctx, &request, snapshot, &id, &asked).await,
        InsightsView::Entity(kind, key) => entity(ctx, &request, snapshot, kind, &key).await,
    }
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
        return web::invalid_parameters(vec![cursor.invalid().into()]);
    }
    let asked = aspect::AspectQuestion {
        id: &query.aspect.id,
        label: &query.aspect.label,
        polarity: wanted.polarity,
        limit: wanted.limit,
    };
    let work = async {
        let html = apart(|| {
            let found = evidence_page(&snapshot, &query);
            aspect::show(&snapshot, asked, found, &ctx.links)
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
