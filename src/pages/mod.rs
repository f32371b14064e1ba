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
mod form;
mod frame;
mod home;
mod insights;
mod review;
mod structured;
mod words;

use std::sync::Arc;

use askama::Template;
pub use cached::{Page, Pages};
pub use docs::swagger_ui;
pub use error::wants_html;
use frame::{POLICY, protected};
use poem::{Endpoint, Request, Response, Result, Route, get};

use crate::ctx::Ctx;
use crate::edition::Sheet;
use crate::respond;

/// The HTML of a template. Writing into a text cannot fail; a template that does is a fault of ours.
fn rendered(template: &impl Template) -> String {
    template.render().unwrap_or_else(|error| {
        tracing::error!(%error, "pages.not_rendered: a template failed");
        String::new()
    })
}

/// Adds the pages; `docs` is the one of [`swagger_ui`].
pub fn add(routes: Route, ctx: &Arc<Ctx>, docs: Arc<Sheet>) -> Route {
    let pages = Arc::new(Pages::new(Arc::clone(ctx)));
    let cached = |page| get(Cached { ctx: Arc::clone(ctx), pages: Arc::clone(&pages), page });
    routes
        .at("/", cached(Page::Home))
        .at("/insights", cached(Page::Insights))
        .at("/robots.txt", cached(Page::Robots))
        .at("/llms.txt", cached(Page::Llms))
        .at("/sitemap.xml", cached(Page::Sitemap))
        .at("/assets/:name", get(assets::Assets(Arc::clone(ctx))))
        .at("/embed", get(embed::Embed(Arc::clone(ctx))))
        .at("/badge.svg", get(embed::Badge(Arc::clone(ctx))))
        .at("/reviews/:id", get(review::Page(Arc::clone(ctx))))
        .at("/docs", get(docs::Docs { ctx: Arc::clone(ctx), sheet: docs }))
}

/// The endpoint of a page that is the same for everybody.
struct Cached {
    ctx: Arc<Ctx>,
    pages: Arc<Pages>,
    page: Page,
}

impl Endpoint for Cached {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let edition = self.ctx.current.load();
        let sheet = self.pages.of(&edition, self.page);
        Ok(protected(respond::sheet(request.headers(), &edition, &sheet), POLICY))
    }
}
