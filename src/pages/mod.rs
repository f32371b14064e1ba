//! Pages for people: plain HTML without scripts, but for Swagger UI, which is one.

mod docs;
mod home;
mod html;
mod review;

use std::sync::Arc;

pub use docs::swagger_ui;
use poem::http::header::CONTENT_SECURITY_POLICY;
use poem::http::{HeaderValue, StatusCode};
use poem::{Response, Route, get};

use crate::ctx::Ctx;
use crate::edition::Sheet;

const HTML: &str = "text/html; charset=utf-8";

/// Adds the pages; `docs` is the one of [`swagger_ui`].
pub fn add(routes: Route, ctx: &Arc<Ctx>, docs: Arc<Sheet>) -> Route {
    routes
        .at("/", get(home::Home(Arc::clone(ctx))))
        .at("/reviews/:id", get(review::Page(Arc::clone(ctx))))
        .at("/docs", get(docs::Docs { ctx: Arc::clone(ctx), sheet: docs }))
}

/// Says what a page may load. Review text is escaped; should that ever fail, nothing of it runs. A 304 says it again, as it
/// repeats what the 200 would have sent.
fn protected(mut response: Response, policy: &'static str) -> Response {
    if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    }
    response
}
