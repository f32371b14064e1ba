//! Server-rendered pages for people, from the snapshot only. Pages load nothing from other hosts, and every text is
//! escaped by the templates.

mod assets;
mod badge;
mod cached;
mod chart;
mod developers;
mod discovery;
mod embed;
mod error;
mod escape;
mod filters;
mod frame;
mod home;
mod insights;
mod locale;
mod review;
mod search;
mod structured;
mod words;

use std::sync::Arc;

pub use assets::fixed;
use cached::Page;
pub use cached::Pages;
pub use error::as_page;
pub use escape::Html;
pub use frame::HTML;
use poem::endpoint::{make, make_sync};
use poem::{Request, Response};

use crate::links::{DOCS_PATH, PERMALINK_PATH, SECURITY_PATH};
use crate::web::Route;
use crate::web::context::Ctx;

/// A route whose handler answers at once.
fn at_once(
    ctx: &Arc<Ctx>,
    pattern: &'static str,
    answer: impl Fn(&Ctx, &Request) -> Response + Send + Sync + 'static,
) -> Route {
    let ctx = Arc::clone(ctx);
    let answer = make_sync(move |request: Request| answer(&ctx, &request));
    Route::new(pattern).get(None, answer)
}

/// A route whose handler waits, usually for its turn to compute.
fn later<S: Send + Sync + 'static, R: Future<Output = Response> + Send + 'static>(
    state: &Arc<S>,
    pattern: &'static str,
    answer: fn(Arc<S>, Request) -> R,
) -> Route {
    let state = Arc::clone(state);
    let answer = make(move |request| answer(Arc::clone(&state), request));
    Route::new(pattern).get(None, answer)
}

/// `others` are routes whose titles the home page links to.
pub fn routes(ctx: &Arc<Ctx>, others: &[Route]) -> (Arc<Pages>, Vec<Route>) {
    let shown = others
        .iter()
        .filter_map(|route| Some((route.pattern, route.title?)))
        .collect();
    let pages = Arc::new(Pages::new(Arc::clone(ctx), shown));
    let mut routes = vec![
        pages.route(Page::Home),
        later(&pages, "/insights", insights::answer),
        later(&pages, "/search", search::answer),
        at_once(ctx, PERMALINK_PATH, review::permalink),
        later(ctx, embed::EMBED_PATH, embed::embed),
        later(ctx, embed::TRY_PATH, embed::try_embed),
        at_once(ctx, "/embed/accent/:name", embed::accent_style),
        at_once(ctx, badge::BADGE_PATH, badge::answer),
        pages.route(Page::Developers),
        pages.route(Page::Robots),
        pages.route(Page::Sitemap),
        later(&pages, "/sitemaps/:name", cached::sitemap_file),
        pages.route(Page::Llms),
        at_once(ctx, SECURITY_PATH, discovery::security_txt),
    ];
    let assets = assets::all().map(|asset| {
        let answer = |ctx: &Ctx, request: &Request| asset.answer(ctx, request);
        at_once(ctx, &asset.path, answer)
    });
    routes.extend(assets);
    (pages, routes)
}

/// Swagger UI, and a redirect from its path with a trailing slash.
pub fn docs_routes(ctx: &Arc<Ctx>) -> [Route; 2] {
    [
        at_once(ctx, DOCS_PATH, developers::docs).titled("Swagger UI: try every operation"),
        Route::leading_to("/docs/", "../docs"),
    ]
}
