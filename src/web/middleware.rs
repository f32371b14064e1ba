//! Middleware for every response, errors and 304 included: the common header fields and HEAD; counts and times per route;
//! and the request log (`REVIEWS_REQUEST_LOG`): one line per request. Query strings are never logged, because they contain search
//! terms.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use hyper::body::{Body as _, Bytes};
use poem::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_LENGTH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use poem::http::{HeaderName, HeaderValue, Method, StatusCode};
use poem::{Endpoint, EndpointExt, IntoResponse, PathPattern, Request, Response};

use super::context::Ctx;
use super::routes::ListedRoute;
use crate::config::RequestLog;
use crate::metrics;

/// The classes of status that alerts use; their series start at zero.
const SUCCESS: &str = "2xx";
const FAILURE: &str = "5xx";
/// The label of paths without a route: one, because clients choose paths freely.
const UNROUTED: &str = "none";

/// Whether to log a response of this status.
fn is_logged(log: RequestLog, status: StatusCode) -> bool {
    match log {
        RequestLog::Off => false,
        RequestLog::Errors => status.is_client_error() || status.is_server_error(),
        RequestLog::All => true,
    }
}

/// Never fails. `routes` are those that the endpoint answers.
pub fn with_log<E: Endpoint + 'static>(
    endpoint: E,
    routes: &[ListedRoute],
    ctx: Arc<Ctx>,
) -> impl Endpoint<Output = Response> + use<E> {
    for route in routes.iter().map(|route| &*route.path).chain([UNROUTED]) {
        for class in [SUCCESS, FAILURE] {
            metrics::REQUESTS.counter(&[route, class]);
        }
    }
    endpoint.around(move |endpoint: Arc<E>, request: Request| {
        let ctx = Arc::clone(&ctx);
        async move {
            let (started, log) = (ctx.clock.monotonic(), ctx.request_log);
            let method = request.method().clone();
            let path = (log != RequestLog::Off).then(|| request.uri().path().to_owned());
            let mut response = endpoint.get_response(request).await.into_response();
            let pattern = response.data::<PathPattern>().cloned();
            let route = pattern.as_ref().map_or(UNROUTED, |pattern| &pattern.0);
            let (status, duration) = (response.status(), ctx.clock.monotonic() - started);
            count(route, status, duration);
            if is_logged(log, status) {
                write_line(&mut response, &method, route, path.as_deref(), duration);
            }
            Ok(response)
        }
    })
}

fn count(route: &str, status: StatusCode, duration: Duration) {
    let class = match status.as_u16() {
        200..=299 => SUCCESS,
        304 => "304",
        300..=399 => "3xx",
        400..=499 => "4xx",
        _ => FAILURE,
    };
    metrics::REQUESTS.counter(&[route, class]).inc();
    let seconds = metrics::REQUEST_SECONDS.histogram(&[route]);
    seconds.observe(duration.as_secs_f64());
}

/// `duration` is the time until the response was ready.
fn write_line(
    response: &mut Response,
    method: &Method,
    route: &str,
    path: Option<&str>,
    duration: Duration,
) {
    let (method, status) = (method.as_str(), response.status().as_u16());
    tracing::info!(
        method,
        route,
        path,
        status,
        duration_ms = duration.as_secs_f64() * 1_000.0,
        bytes = body_bytes(response),
        "request.answered: {method} {route} {status}"
    );
}

/// CORS for all origins, and no content sniffing.
const COMMON: [(HeaderName, &str); 5] = [
    (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    (
        ACCESS_CONTROL_EXPOSE_HEADERS,
        "ETag, Last-Modified, Link, Retry-After, Mcp-Session-Id, MCP-Protocol-Version",
    ),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        "cross-origin",
    ),
];

/// Adds the common fields. HEAD is answered like GET, without the body (RFC 9110 §9.3.2).
pub fn with_common_headers<E: Endpoint + 'static>(endpoint: E) -> impl Endpoint<Output = Response> {
    endpoint.around(async |endpoint: Arc<E>, mut request: Request| {
        let is_head = *request.method() == Method::HEAD;
        if is_head {
            request.set_method(Method::GET);
        }
        let mut response = endpoint.call(request).await?.into_response();
        for (name, value) in COMMON {
            let value = HeaderValue::from_static(value);
            response.headers_mut().insert(name, value);
        }
        if is_head {
            remove_body(&mut response);
        }
        Ok(response)
    })
}

/// `Content-Length` stays that of GET, except for a 304 and an unknown length.
fn remove_body(response: &mut Response) {
    let length = body_bytes(response);
    drop(response.take_body());
    if let Some(length) = length
        && response.status() != StatusCode::NOT_MODIFIED
    {
        let headers = response.headers_mut();
        headers.entry(CONTENT_LENGTH).or_insert(length.into());
    }
}

/// The body's length; `None` if it is not known in advance.
fn body_bytes(response: &mut Response) -> Option<u64> {
    let length = response.headers().get(CONTENT_LENGTH);
    if let Some(length) = length.and_then(|length| length.to_str().ok()?.parse().ok()) {
        return Some(length);
    }
    let body: BoxBody<Bytes, io::Error> = response.take_body().into();
    let length = body.size_hint().exact();
    response.set_body(body);
    length
}
