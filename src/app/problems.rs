//! Middleware: every error, the framework's own and panics included, in the form that the client reads: a problem document
//! (RFC 9457), a page for browsers, or one line of text from the hub (WebSub §5.1.2).

use std::sync::Arc;

use poem::http::StatusCode;
use poem::{Endpoint, EndpointExt, Error, IntoResponse, PathPattern, Request, Response};

use crate::api::hub_error;
use crate::links::{HUB_PATH, MCP_PATH};
use crate::pages::error_page;
use crate::web::context::Ctx;
use crate::web::{HttpProblem, PROBLEM, RequestId, wants_html};
use crate::wire;

enum ErrorForm {
    Line,
    Page { is_for_agents: bool },
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
                let is_for_agents = request.uri().path() == MCP_PATH;
                ErrorForm::Page { is_for_agents }
            } else {
                ErrorForm::Document
            };
            let (problem, pattern) = match endpoint.call(request).await {
                Ok(response) => {
                    let response = response.into_response();
                    // A handler that panicked has a status and nothing else; pages and agents have errors with a body.
                    if !is_error(response.status()) || response.content_type().is_some() {
                        return Ok(response);
                    }
                    let pattern = response.data::<PathPattern>().cloned();
                    (translate(Error::from_status(response.status())), pattern)
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

fn is_error(status: StatusCode) -> bool {
    status.is_client_error() || status.is_server_error()
}

/// The framework's text is for developers, not for clients.
fn translate(error: Error) -> HttpProblem {
    let status = error.status();
    error.downcast().unwrap_or_else(|_| {
        let detail = match status {
            StatusCode::NOT_FOUND => "Page not found; see /docs.",
            status if status.is_server_error() => "Internal error; try again later.",
            _ => "Invalid request; /docs describes the expected form.",
        };
        HttpProblem::new(status, detail)
    })
}

fn respond(mut problem: HttpProblem, form: &ErrorForm, ctx: &Ctx) -> Response {
    let id = RequestId::new(ctx.request_log(), problem.status);
    let mut response = match form {
        ErrorForm::Line => hub_error(problem),
        ErrorForm::Page { is_for_agents } => error_page(ctx, problem, *is_for_agents),
        ErrorForm::Document => {
            problem.document.instance = id.map(|id| id.0.urn().to_string());
            let document = wire::json(&problem.document);
            problem.response(PROBLEM, document)
        }
    };
    if let Some(id) = id {
        response.set_data(id);
    }
    response
}
