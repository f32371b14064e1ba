//! What every response gets, errors and 304 included: the common header fields, and none of its body for HEAD; its count and time;
//! and its line in the request log (`REVIEWS_REQUEST_LOG`). Query strings are never logged, because they contain search terms.

use std::io;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use hyper::body::{Body as _, Bytes};
use poem::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_LENGTH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use poem::http::{HeaderName, HeaderValue, Method, StatusCode};
use poem::{PathPattern, Request, Response};

use super::context::Ctx;
use super::routes::ListedRoute;
use crate::clock::Monotonic;
use crate::config::RequestLog;
use crate::metrics;

/// The classes of status that alerts use; their series start at zero.
const SUCCESS: &str = "2xx";
const FAILURE: &str = "5xx";
/// The label of paths without a route: one, because clients choose paths freely.
const UNROUTED: &str = "none";

/// Starts the series of these routes at zero.
pub fn start_series(routes: &[ListedRoute]) {
    for route in routes.iter().map(|route| &*route.path).chain([UNROUTED]) {
        for class in [SUCCESS, FAILURE] {
            metrics::REQUESTS.counter(&[route, class]);
        }
    }
}

/// What is known of a request once it has been handed on.
pub struct RequestRecord {
    started: Monotonic,
    pub method: Method,
    /// `None` if no request is logged.
    path: Option<String>,
}

impl RequestRecord {
    pub fn new(request: &Request, ctx: &Ctx) -> Self {
        let is_logged = ctx.request_log != RequestLog::Off;
        Self {
            started: ctx.clock.monotonic(),
            method: request.method().clone(),
            path: is_logged.then(|| request.uri().path().to_owned()),
        }
    }

    /// Counts the finished response, and logs it where the settings say so.
    pub fn finish(self, response: &mut Response, ctx: &Ctx) {
        let pattern = response.data::<PathPattern>().cloned();
        let route = pattern.as_ref().map_or(UNROUTED, |pattern| &pattern.0);
        let (status, duration) = (response.status(), ctx.clock.monotonic() - self.started);
        count(route, status, duration);
        let is_error = status.is_client_error() || status.is_server_error();
        if let Some(path) = self.path
            && (is_error || ctx.request_log == RequestLog::All)
        {
            write_line(response, &self.method, route, &path, duration);
        }
    }
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
    path: &str,
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

pub fn add_common_headers(response: &mut Response) {
    for (name, value) in COMMON {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(name, value);
    }
}

/// Makes the response to HEAD of that to GET (RFC 9110 §9.3.2). `Content-Length` stays that of GET, except for a 304 and an unknown length.
pub fn remove_body(response: &mut Response) {
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
