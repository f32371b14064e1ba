//! The one table of routes, the order of the middleware, and the form of errors: every error, the framework's own and panics
//! included, is a problem document (RFC 9457), a page for browsers, or one line of text from the hub (WebSub §5.1.2).

use std::sync::Arc;

use poem::endpoint::BoxEndpoint;
use poem::http::{HeaderMap, StatusCode};
use poem::web::Data;
use poem::{Endpoint, EndpointExt, Error, IntoResponse, PathPattern, Request, Response, handler};

use super::operations;
use crate::api::{Description, hub_error};
use crate::links::{HUB_PATH, OPENAPI_PATH};
use crate::mcp::{self, Mcp};
use crate::pages::{self, error_page};
use crate::storage::Database;
use crate::web::context::Ctx;
use crate::web::{
    HttpProblem, ListedRoute, PROBLEM, Routes, wants_html, with_common_headers, with_log,
};
use crate::wire;

pub struct RoutedService {
    /// Never fails.
    pub endpoint: Arc<BoxEndpoint<'static, Response>>,
    pub routes: Vec<ListedRoute>,
}

/// The public routes; those of the operators too, unless they have a separate listener.
pub fn public(
    routes: Routes,
    ctx: &Arc<Ctx>,
    agents: &Arc<Mcp>,
    description: &Arc<Description>,
) -> RoutedService {
    let routes = routes.get(OPENAPI_PATH, openapi);
    let routes = mcp::routes(routes, agents);
    let routes = pages::routes(routes, ctx);
    let list = routes.list.clone();
    let endpoint = routes.into_endpoint().data(Arc::clone(description));
    service(list, endpoint, ctx)
}

/// The operators' routes on their own listener.
pub fn admin(database: &Database, ctx: &Arc<Ctx>) -> RoutedService {
    let routes = operations::routes(Routes::default(), database, true);
    service(routes.list.clone(), routes.into_endpoint(), ctx)
}

#[handler]
fn openapi(
    Data(ctx): Data<&Arc<Ctx>>,
    Data(description): Data<&Arc<Description>>,
    headers: &HeaderMap,
) -> Response {
    let snapshot = ctx.current.load();
    ctx.respond(headers, &snapshot, &description.body(&snapshot))
}

/// The routes within all middleware, the innermost first.
pub fn service(
    routes: Vec<ListedRoute>,
    endpoint: impl Endpoint + 'static,
    ctx: &Arc<Ctx>,
) -> RoutedService {
    let endpoint = endpoint.data(Arc::clone(ctx));
    let endpoint = with_problems(endpoint, Arc::clone(ctx));
    let endpoint = with_common_headers(endpoint);
    let endpoint = with_log(endpoint, &routes, Arc::clone(ctx));
    RoutedService {
        endpoint: Arc::new(endpoint.boxed()),
        routes,
    }
}

enum ErrorForm {
    Line,
    Page,
    Document,
}

pub fn with_problems<E: Endpoint + 'static>(
    endpoint: E,
    ctx: Arc<Ctx>,
) -> impl Endpoint<Output = Response> {
    endpoint.around(move |endpoint: Arc<E>, request: Request| {
        let ctx = Arc::clone(&ctx);
        async move {
            let form = if request.uri().path() == HUB_PATH {
                ErrorForm::Line
            } else if wants_html(request.headers()) {
                ErrorForm::Page
            } else {
                ErrorForm::Document
            };
            let (problem, pattern) = match endpoint.call(request).await {
                Ok(response) => {
                    let response = response.into_response();
                    let status = response.status();
                    let is_error = status.is_client_error() || status.is_server_error();
                    // A handler that panicked has a status and nothing else; pages and agents have errors with a body.
                    if !is_error || response.content_type().is_some() {
                        return Ok(response);
                    }
                    let pattern = response.data::<PathPattern>().cloned();
                    (translate(Error::from_status(status)), pattern)
                }
                Err(error) => {
                    let pattern = error.data::<PathPattern>().cloned();
                    (translate(error), pattern)
                }
            };
            let mut response = respond(problem, &form, &ctx);
            if let Some(pattern) = pattern {
                response.set_data(pattern);
            }
            Ok(response)
        }
    })
}

/// The framework's text is for developers, not for clients.
fn translate(error: Error) -> HttpProblem {
    let status = match error.status() {
        // The framework refuses only a path of which a part is no text in UTF-8; nothing has such a name.
        StatusCode::BAD_REQUEST if !error.is::<HttpProblem>() => StatusCode::NOT_FOUND,
        status => status,
    };
    error.downcast().unwrap_or_else(|_| {
        let detail = match status {
            StatusCode::NOT_FOUND => "Page not found; see /docs.",
            status if status.is_server_error() => "Internal error; try again later.",
            _ => "Invalid request; /docs describes the expected form.",
        };
        HttpProblem::new(status, detail)
    })
}

fn respond(problem: HttpProblem, form: &ErrorForm, ctx: &Ctx) -> Response {
    match form {
        ErrorForm::Line => hub_error(problem),
        ErrorForm::Page => error_page(ctx, problem),
        ErrorForm::Document => {
            let document = wire::json(&problem.document);
            problem.response(PROBLEM, document)
        }
    }
}
