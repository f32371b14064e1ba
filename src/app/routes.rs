//! The one table of routes, and the order of the middleware.

use std::sync::Arc;

use poem::endpoint::BoxEndpoint;
use poem::web::Data;
use poem::{Endpoint, EndpointExt, Response, handler};

use super::problems::with_problems;
use crate::api::Description;
use crate::links::OPENAPI_PATH;
use crate::mcp::{self, Mcp};
use crate::pages::{self, Pages};
use crate::web::context::Ctx;
use crate::web::{
    ListedRoute, ReadyBody, Routes, with_common_headers, with_conditional_requests, with_log,
};

pub struct Service {
    /// Never fails.
    pub endpoint: Arc<BoxEndpoint<'static, Response>>,
    pub routes: Vec<ListedRoute>,
}

/// Paths that users guess, with relative redirect targets.
const GUESSED_PATHS: [(&str, &str); 4] = [
    ("/openapi.json", ".well-known/openapi.json"),
    ("/api", "docs"),
    ("/api/reviews", "reviews/search"),
    ("/feed", "feed.xml"),
];

/// The public routes; those of the operators too, unless they have a separate listener.
pub fn public(
    routes: Routes,
    ctx: &Arc<Ctx>,
    pages: &Arc<Pages>,
    agents: &Arc<Mcp>,
    description: &Arc<Description>,
) -> Service {
    let routes = routes.get(OPENAPI_PATH, openapi);
    let routes = mcp::routes(routes, agents);
    let routes = pages::routes(routes, pages);
    let guessed = GUESSED_PATHS.into_iter();
    let routes = guessed.fold(routes, |routes, (path, target)| {
        routes.redirect(path, target)
    });
    let list = routes.list.clone();
    let endpoint = routes
        .into_endpoint()
        .data(Arc::clone(pages))
        .data(Arc::clone(description));
    service(list, endpoint, ctx)
}

#[handler]
fn openapi(Data(ctx): Data<&Arc<Ctx>>, Data(description): Data<&Arc<Description>>) -> ReadyBody {
    let snapshot = ctx.current.load();
    ReadyBody::cached(&description.of(&snapshot), snapshot)
}

/// The routes within all middleware, the innermost first.
pub fn service(
    routes: Vec<ListedRoute>,
    endpoint: impl Endpoint + 'static,
    ctx: &Arc<Ctx>,
) -> Service {
    let endpoint = endpoint.data(Arc::clone(ctx));
    let endpoint = with_conditional_requests(endpoint, ctx.clock.clone());
    let endpoint = with_problems(endpoint, Arc::clone(ctx));
    let endpoint = with_common_headers(endpoint);
    let endpoint = with_log(endpoint, &routes, Arc::clone(ctx));
    Service {
        endpoint: Arc::new(endpoint.boxed()),
        routes,
    }
}
