//! Pages for people: plain HTML without scripts, but for Swagger UI, which is one.

mod docs;
mod home;
mod html;
mod review;

use std::sync::Arc;

pub use docs::swagger_ui;
use poem::Response;
use poem::http::header::CONTENT_SECURITY_POLICY;
use poem::http::{HeaderValue, StatusCode};

use crate::ctx::Ctx;
use crate::edition::Sheet;
use crate::links::{DOCS_PATH, PERMALINK_PATH};
use crate::respond::Route;

const HTML: &str = "text/html; charset=utf-8";

/// The pages for people who read: the one at the root shows the way to the titled ones of `others`.
#[must_use]
pub fn routes(ctx: &Arc<Ctx>, others: &[Route]) -> Vec<Route> {
    let shown = others.iter().filter_map(|route| Some((route.pattern, route.title?))).collect();
    vec![
        Route::new("/").get(None, home::Home { ctx: Arc::clone(ctx), shown }),
        Route::new(PERMALINK_PATH).get(None, review::Page(Arc::clone(ctx))),
    ]
}

/// The page to try every operation on; `docs` is the one of [`swagger_ui`].
#[must_use]
pub fn docs_route(ctx: &Arc<Ctx>, docs: Arc<Sheet>) -> Route {
    Route::new(DOCS_PATH).get(None, docs::Docs { ctx: Arc::clone(ctx), sheet: docs }).titled("Swagger UI: try every operation")
}

/// Says what a page may load. Review text is escaped; should that ever fail, nothing of it runs. A 304 says it again, as it
/// repeats what the 200 would have sent.
fn protected(mut response: Response, policy: &'static str) -> Response {
    if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
        response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy));
    }
    response
}
