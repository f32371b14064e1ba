//! The one table of routes, what every request passes, and the form of errors: every error, the framework's own and panics
//! included, is a problem document (RFC 9457), a page for browsers, or one line of text from the hub (WebSub §5.1.2).

use std::sync::Arc;

use poem::http::{HeaderMap, Method, StatusCode};
use poem::web::Data;
use poem::{Endpoint, EndpointExt, Error, PathPattern, Request, Response, Route, handler};

use super::operations;
use crate::api::{Description, hub_error};
use crate::links::{HUB_PATH, OPENAPI_PATH};
use crate::mcp::{self, Mcp};
use crate::model::text::escaped_json;
use crate::pages::{self, error_page};
use crate::storage::Database;
use crate::web::context::Ctx;
use crate::web::{
    HttpProblem, ListedRoute, PROBLEM, RequestRecord, Routes, add_common_headers, check_target,
    redirect_to_page, remove_body, start_series, wants_html,
};

pub struct RoutedService {
    /// Never fails.
    pub endpoint: Arc<ServiceEndpoint>,
    pub routes: Vec<ListedRoute>,
}

/// The public routes; those of the operators too, unless they have a separate listener.
pub fn public(
    routes: Routes,
    ctx: &Arc<Ctx>,
    agents: &Arc<Mcp>,
    description: &Arc<Description>,
) -> RoutedService {
    let routes = routes.get(OPENAPI_PATH, openapi.data(Arc::clone(description)));
    let routes = mcp::routes(routes, agents);
    let routes = pages::routes(routes, ctx);
    service(routes, ctx)
}

/// The operators' routes on their own listener.
pub fn admin(database: &Database, ctx: &Arc<Ctx>) -> RoutedService {
    let routes = operations::routes(Routes::default(), database, true);
    service(routes, ctx)
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

/// The routes within what every request and response passes.
pub fn service(routes: Routes, ctx: &Arc<Ctx>) -> RoutedService {
    start_series(&routes.list);
    let endpoint = ServiceEndpoint {
        route: routes.route,
        list: routes.list.clone(),
        ctx: Arc::clone(ctx),
    };
    RoutedService {
        endpoint: Arc::new(endpoint),
        routes: routes.list,
    }
}

/// One endpoint, not several around each other, because each copies the request several times (half a kilobyte).
pub struct ServiceEndpoint {
    route: Route,
    list: Vec<ListedRoute>,
    ctx: Arc<Ctx>,
}

impl Endpoint for ServiceEndpoint {
    type Output = Response;

    /// Never fails.
    async fn call(&self, mut request: Request) -> poem::Result<Response> {
        let record = RequestRecord::new(&request, &self.ctx);
        let form = ErrorForm::of(&request);
        // HEAD is answered like GET.
        let is_head = record.method == Method::HEAD;
        if is_head {
            request.set_method(Method::GET);
        }
        request.set_data(Arc::clone(&self.ctx));
        let answered = match check_target(&request) {
            Ok(()) => match redirect_to_page(&request, &self.list) {
                Some(redirect) => Ok(redirect),
                None => self.route.call(request).await,
            },
            Err(problem) => Err(problem.into()),
        };
        let mut response = with_problem(answered, form, &self.ctx);
        add_common_headers(&mut response);
        if is_head {
            remove_body(&mut response);
        }
        record.finish(&mut response, &self.ctx);
        Ok(response)
    }
}

#[derive(Clone, Copy)]
enum ErrorForm {
    Line,
    Page,
    Document,
}

impl ErrorForm {
    fn of(request: &Request) -> Self {
        if request.uri().path() == HUB_PATH {
            Self::Line
        } else if wants_html(request.headers()) {
            Self::Page
        } else {
            Self::Document
        }
    }
}

/// The response, or that for an error.
fn with_problem(answered: poem::Result<Response>, form: ErrorForm, ctx: &Ctx) -> Response {
    let (problem, pattern) = match answered {
        Ok(response) => {
            let status = response.status();
            let is_error = status.is_client_error() || status.is_server_error();
            // A handler that panicked has a status and nothing else; pages and agents have errors with a body.
            if !is_error || response.content_type().is_some() {
                return response;
            }
            let pattern = response.data::<PathPattern>().cloned();
            (translate(Error::from_status(status)), pattern)
        }
        Err(error) => {
            let pattern = error.data::<PathPattern>().cloned();
            (translate(error), pattern)
        }
    };
    let mut response = match form {
        ErrorForm::Line => hub_error(problem),
        ErrorForm::Page => error_page(ctx, problem),
        ErrorForm::Document => {
            // It repeats values of the request.
            let document = escaped_json(&problem.document);
            problem.response(PROBLEM, document)
        }
    };
    if let Some(pattern) = pattern {
        response.set_data(pattern);
    }
    response
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
