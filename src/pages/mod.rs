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
mod picture;
mod query;
mod review;
mod search;
mod structured;
mod words;

use std::sync::Arc;

use askama::Template;
pub use assets::fixed;
pub use cached::Pages;
use cached::{Cached, Page};
pub use error::{as_page, wants_html};
pub use escape::Html;
pub use frame::HTML;

use crate::compute::steps;
use crate::links::{DOCS_PATH, PERMALINK_PATH, SECURITY_PATH};
use crate::web::Route;
use crate::web::context::Ctx;

/// Writing into a text cannot fail; a template that fails is a bug, which is logged.
fn render(template: &impl Template) -> String {
    steps::one();
    template.render().unwrap_or_else(|error| {
        tracing::error!(%error, "pages.not_rendered: a template failed");
        String::new()
    })
}

/// `others` are routes whose titles the home page links to.
#[must_use]
pub fn routes(ctx: &Arc<Ctx>, others: &[Route]) -> (Arc<Pages>, Vec<Route>) {
    let shown = others
        .iter()
        .filter_map(|route| Some((route.pattern, route.title?)))
        .collect();
    let pages = Arc::new(Pages::new(ctx.links.clone(), shown));
    let cached = |page: Page| {
        let page = Cached::new(ctx, &pages, page);
        Route::new(page.path()).at_hand(move |headers| page.answer(headers))
    };
    let mut routes = vec![
        cached(Page::Home),
        Route::new("/insights").get(
            None,
            insights::InsightsEndpoint {
                ctx: Arc::clone(ctx),
                pages: Arc::clone(&pages),
            },
        ),
        Route::new("/search").get(
            None,
            search::Search {
                ctx: Arc::clone(ctx),
                pages: Arc::clone(&pages),
            },
        ),
        Route::new(PERMALINK_PATH).get(None, review::Permalink(Arc::clone(ctx))),
        Route::new(embed::EMBED_PATH).get(None, embed::Embed(Arc::clone(ctx))),
        Route::new(embed::TRY_PATH).get(None, embed::EmbedTry(Arc::clone(ctx))),
        Route::new("/embed/accent/:name").get(None, embed::AccentStyle(Arc::clone(ctx))),
        Route::new(badge::BADGE_PATH).get(None, badge::Badge(Arc::clone(ctx))),
        Route::new(picture::PICTURE_PATH).get(
            None,
            cached::Picture {
                ctx: Arc::clone(ctx),
                pages: Arc::clone(&pages),
            },
        ),
        cached(Page::Developers),
        cached(Page::Robots),
        cached(Page::Sitemap),
        Route::new("/sitemaps/:name").get(
            None,
            cached::SitemapFile {
                ctx: Arc::clone(ctx),
                pages: Arc::clone(&pages),
            },
        ),
        cached(Page::Llms),
        Route::new(SECURITY_PATH).get(None, discovery::SecurityText(Arc::clone(ctx))),
    ];
    routes.extend(assets::routes(ctx));
    (pages, routes)
}

/// Swagger UI, and a redirect from its path with a trailing slash.
#[must_use]
pub fn docs_routes(ctx: &Arc<Ctx>) -> [Route; 2] {
    let page = developers::Docs {
        ctx: Arc::clone(ctx),
    };
    [
        Route::new(DOCS_PATH)
            .get(None, page)
            .titled("Swagger UI: try every operation"),
        Route::leading_to("/docs/", "../docs"),
    ]
}
