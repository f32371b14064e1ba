//! Pages for people, from the snapshot alone: server-rendered, without a script but the one that copies snippets, nothing loaded
//! from elsewhere (CONTRACT §8). Review text gets in through the templates' escaping only.

mod aspect;
mod assets;
mod cached;
mod chart;
mod discovery;
mod docs;
mod embed;
mod error;
mod escape;
mod evidence;
mod form;
mod frame;
mod home;
mod insights;
mod review;
mod search;
mod structured;
mod words;

use std::sync::Arc;

use askama::Template;
pub use cached::Pages;
use cached::{Cached, Page};
pub use docs::swagger_ui;
pub use error::{as_page, wants_html};
pub use escape::Html;

use crate::ctx::Ctx;
use crate::edition::Sheet;
use crate::links::{DOCS_PATH, PERMALINK_PATH};
use crate::respond::Route;

/// The HTML of a template. Writing into a text cannot fail; a template that does is a fault of ours.
fn rendered(template: &impl Template) -> String {
    template.render().unwrap_or_else(|error| {
        tracing::error!(%error, "pages.not_rendered: a template failed");
        String::new()
    })
}

/// The pages for people who read: the one at the root shows the way to the titled ones of `others`.
#[must_use]
pub fn routes(ctx: &Arc<Ctx>, others: &[Route]) -> Vec<Route> {
    let shown = others.iter().filter_map(|route| Some((route.pattern, route.title?))).collect();
    let pages = Arc::new(Pages::new(Arc::clone(ctx), shown));
    let cached = |page: Page| Route::new(page.path()).get(None, Cached { ctx: Arc::clone(ctx), pages: Arc::clone(&pages), page });
    let mut routes = vec![
        cached(Page::Home),
        Route::new("/insights").get(None, evidence::Insights { ctx: Arc::clone(ctx), pages: Arc::clone(&pages) }),
        Route::new("/search").get(None, search::Search(Arc::clone(ctx))),
        Route::new(PERMALINK_PATH).get(None, review::Page(Arc::clone(ctx))),
        Route::new("/embed").get(None, embed::Embed(Arc::clone(ctx))),
        Route::new("/badge.svg").get(None, embed::Badge(Arc::clone(ctx))),
        cached(Page::Robots),
        cached(Page::Sitemap),
        Route::new("/sitemaps/:name").get(None, discovery::SitemapFile(Arc::clone(ctx))),
        cached(Page::Llms),
    ];
    routes.extend(assets::routes(ctx));
    routes
}

/// The page to try every operation on; `docs` is the one of [`swagger_ui`].
#[must_use]
pub fn docs_route(ctx: &Arc<Ctx>, docs: Arc<Sheet>) -> Route {
    Route::new(DOCS_PATH).get(None, docs::Docs { ctx: Arc::clone(ctx), sheet: docs }).titled("Swagger UI: try every operation")
}
