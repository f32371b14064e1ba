//! The policy of every response: errors become problem documents, panics become errors, pages of all origins may read,
//! and every request is counted and, if enabled, logged.

use std::io;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::FutureExt;
use http_body_util::combinators::BoxBody;
use hyper::body::Body;
use poem::endpoint::BoxEndpoint;
use poem::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_MAX_AGE, ALLOW,
    CONTENT_LENGTH, DATE, LAST_MODIFIED,
};
use poem::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri};
use poem::{Endpoint, IntoResponse, Request, Response, Result};
use uuid::Uuid;

use crate::api::{hub_error, hub_method_not_allowed};
use crate::clock::Clock;
use crate::config::{Nets, RequestLog};
use crate::links::{HUB_PATH, MCP_PATH};
use crate::pages::{HTML, as_page};
use crate::random::Random;
use crate::web::context::Ctx;
use crate::web::{
    AnswerCounts, ClientAddress, PROBLEM, Route, RouteTable, date_beside, method_list,
    method_not_allowed, problem, share, wants_html,
};
use crate::wire;
use crate::wire::Problem;

const ALLOWED_HEADERS: &str = "If-None-Match, If-Modified-Since, If-Match, If-Unmodified-Since, Content-Type, Accept, Authorization, \
    MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID";
/// The time for which browsers may cache a preflight response: a day.
const PREFLIGHT_SECONDS: &str = "86400";

/// Never fails.
pub struct ResponsePolicy {
    /// The source of `Allow` in a 405.
    pub routes: Arc<RouteTable>,
    /// For the clock of `Date`, and for error pages.
    pub ctx: Arc<Ctx>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Nets,
}

impl Endpoint for ResponsePolicy {
    type Output = Response;

    #[expect(
        clippy::disallowed_methods,
        reason = "measures how long answering took; nothing is decided by it"
    )]
    async fn call(&self, mut request: Request) -> Result<Response> {
        let started = Instant::now();
        let method = request.method().clone();
        let route = self.routes.take(&mut request);
        ClientAddress::keep(&mut request, &self.trusted_proxies);
        let wants_html = wants_html(request.headers());
        let which = self.ctx.request_log();
        let path = (which != RequestLog::Off).then(|| request.uri().path().to_owned());
        let response = match (route, &method) {
            (Some(route), &Method::OPTIONS) => options(route),
            (Some(route), method) => match route.endpoint(method) {
                Some(endpoint) => answer(route, endpoint, request).await,
                None => not_allowed(route),
            },
            (None, &Method::OPTIONS) if request.uri().path() == "*" => {
                StatusCode::NO_CONTENT.into_response()
            }
            (None, _) => problem(StatusCode::NOT_FOUND, "Page not found; see /docs."),
        };
        let id = is_logged(which, response.status())
            .then(request_id)
            .flatten();
        let response = match id {
            Some(id) if is_of(&response, PROBLEM) => with_instance(response, id).await,
            Some(_) | None => response,
        };
        // Browsers get errors as pages, other clients as problems.
        let response = if wants_html && is_of(&response, PROBLEM) {
            as_page(&self.ctx, response).await
        } else {
            response
        };
        let mut response = with_date(response, &self.ctx.clock);
        share(response.headers_mut());
        let request = AnsweredRequest {
            method: &method,
            counts: route.map_or(&self.routes.unrouted, |route| &route.counts),
            path: path.as_deref(),
            id,
        };
        Ok(self.finish(&request, response, started))
    }
}

impl ResponsePolicy {
    /// The response, if it needs only the request's head and no waiting.
    #[expect(
        clippy::disallowed_methods,
        reason = "measures how long answering took; nothing is decided by it"
    )]
    pub fn at_hand(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
        let started = Instant::now();
        if !matches!(*method, Method::GET | Method::HEAD) || uri.query().is_some() {
            return None;
        }
        let (route, answer) = self.routes.at_hand(uri.path())?;
        // A panic recurs when the endpoint is called, and is reported there; so are errors, which browsers get as
        // pages.
        let response = std::panic::catch_unwind(AssertUnwindSafe(|| answer(headers))).ok()??;
        let status = response.status();
        if is_error(status) {
            return None;
        }
        let is_logged = is_logged(self.ctx.request_log(), status);
        let request = AnsweredRequest {
            method,
            counts: &route.counts,
            path: Some(uri.path()),
            id: is_logged.then(request_id).flatten(),
        };
        Some(self.finish(&request, response, started))
    }

    /// Finishes a response with a complete head: removes the body for HEAD, counts it, and logs it if enabled.
    fn finish(
        &self,
        request: &AnsweredRequest<'_>,
        mut response: Response,
        started: Instant,
    ) -> Response {
        if *request.method == Method::HEAD {
            leave_body_out(&mut response);
        }
        let (status, taken) = (response.status(), started.elapsed());
        request.counts.count(status, taken);
        if is_logged(self.ctx.request_log(), status) {
            request.log(&mut response, taken);
        }
        response
    }
}

/// Calls the endpoint and converts its errors.
async fn answer(route: &Route, endpoint: &BoxEndpoint<'static>, request: Request) -> Response {
    // After a panic, no part of the request is used again, and shared state is only replaced as a whole.
    let response = match AssertUnwindSafe(endpoint.call(request))
        .catch_unwind()
        .await
    {
        Ok(Ok(response)) => response,
        Ok(Err(error)) => error.into_response(),
        Err(_) => {
            tracing::error!(
                "request.panicked: a handler panicked; the panic message is logged above"
            );
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    };
    match route.pattern {
        HUB_PATH => as_line(response),
        // JSON-RPC errors stay in the JSON-RPC response.
        MCP_PATH if is_of(&response, "application/json") => response,
        _ => as_problem(response),
    }
}

/// HEAD has the `Content-Length` of GET, errors included (RFC 9110 §9.3.2).
fn leave_body_out(response: &mut Response) {
    let length = length(response);
    drop(response.take_body());
    // Not for 204 and 304, nor for an unknown length.
    let has_length = !matches!(
        response.status(),
        StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED
    );
    if let Some(length) = length.filter(|_| has_length) {
        response
            .headers_mut()
            .entry(CONTENT_LENGTH)
            .or_insert(HeaderValue::from(length));
    }
}

/// Replaces another error body with a problem. The framework's text is for developers, not for clients.
fn as_problem(response: Response) -> Response {
    let status = response.status();
    // A page reports faults in its form itself.
    if is_of(&response, PROBLEM) || is_of(&response, HTML) || !is_error(status) {
        return response;
    }
    problem(status, advice(status))
}

fn is_error(status: StatusCode) -> bool {
    status.is_client_error() || status.is_server_error()
}

fn is_of(response: &Response, kind: &str) -> bool {
    response.content_type() == Some(kind)
}

/// The hub's errors are one line of text that explains what to change (WebSub §5.1.2).
fn as_line(response: Response) -> Response {
    let status = response.status();
    let kind = response.content_type().unwrap_or_default();
    if kind.starts_with("text/plain; charset") || !is_error(status) {
        response
    } else {
        hub_error(status, advice(status))
    }
}

fn advice(status: StatusCode) -> &'static str {
    match status {
        StatusCode::NOT_FOUND => "Page not found; see /docs.",
        status if status.is_server_error() => "Internal error; try again later.",
        _ => "Invalid request; /docs describes the expected form.",
    }
}

fn not_allowed(route: &Route) -> Response {
    if route.pattern == HUB_PATH {
        hub_method_not_allowed("POST, OPTIONS")
    } else {
        method_not_allowed(&route.methods())
    }
}

fn options(route: &Route) -> Response {
    let mut response = Response::builder().status(StatusCode::NO_CONTENT).finish();
    let headers = response.headers_mut();
    if let Ok(methods) = HeaderValue::from_str(&method_list(&route.methods())) {
        headers.insert(ALLOW, methods.clone());
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
    }
    headers.insert(
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static(ALLOWED_HEADERS),
    );
    headers.insert(
        ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from_static(PREFLIGHT_SECONDS),
    );
    response
}

/// Adds `Date` to a response with `Last-Modified`.
fn with_date(mut response: Response, clock: &Clock) -> Response {
    let modified = response.header(LAST_MODIFIED);
    let modified = modified.and_then(|value| httpdate::parse_http_date(value).ok());
    if let Some(date) = modified.and_then(|modified| date_beside(modified.into(), clock)) {
        response.headers_mut().insert(DATE, date);
    }
    response
}

// The request log (`REVIEWS_REQUEST_LOG`): one line per request, with an ID that the error document also has. Query
// strings are never logged, because they contain search terms.

/// Maximum number of characters of a path that are logged; clients may send up to 16 KiB.
const PATH_CHARS_MAX: usize = 256;

/// Whether to log a response of this status. A 500 is always logged.
fn is_logged(which: RequestLog, status: StatusCode) -> bool {
    status == StatusCode::INTERNAL_SERVER_ERROR
        || match which {
            RequestLog::Off => false,
            RequestLog::Errors => is_error(status),
            RequestLog::All => true,
        }
}

/// `None` if the operating system's generator fails; the line then has no ID.
fn request_id() -> Option<Uuid> {
    Random::system().uuid().ok()
}

/// Adds the request's ID to a problem as `instance`. Another body stays unchanged.
async fn with_instance(response: Response, id: Uuid) -> Response {
    let (mut parts, body) = response.into_parts();
    let Ok(json) = body.into_bytes().await else {
        return Response::builder().status(parts.status).finish();
    };
    let Ok(problem) = serde_json::from_slice::<Problem>(&json) else {
        return Response::from_parts(parts, json.into());
    };
    let problem = Problem {
        instance: Some(id.urn().to_string()),
        ..problem
    };
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, wire::json(&problem).into())
}

/// What is counted and logged of a request, besides its response.
struct AnsweredRequest<'a> {
    method: &'a Method,
    /// Those of its route.
    counts: &'a AnswerCounts,
    /// Without the query string; `None` if only failures are logged.
    path: Option<&'a str>,
    id: Option<Uuid>,
}

impl AnsweredRequest<'_> {
    /// `taken` is the time until the response was ready.
    fn log(&self, response: &mut Response, taken: Duration) {
        let (method, route) = (self.method.as_str(), self.counts.route);
        let path = self.path.map(|path| {
            let end = path.char_indices().nth(PATH_CHARS_MAX);
            &path[..end.map_or(path.len(), |(end, _)| end)]
        });
        let (status, bytes) = (response.status(), length(response));
        let duration_ms = taken.as_secs_f64() * 1_000.0;
        let request_id = self.id.map(|id| id.urn().to_string());
        let code = status.as_u16();
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(
                method,
                route,
                path,
                status = code,
                duration_ms,
                bytes,
                request_id,
                "request.failed: the request was answered with 500"
            );
        } else {
            tracing::info!(
                method,
                route,
                path,
                status = code,
                duration_ms,
                bytes,
                request_id,
                "request.answered: {method} {route} {code}"
            );
        }
    }
}

/// The body's length in bytes; `None` if it is not known in advance.
fn length(response: &mut Response) -> Option<u64> {
    let body: BoxBody<Bytes, io::Error> = response.take_body().into();
    let length = body.size_hint().exact();
    response.set_body(body);
    length
}
