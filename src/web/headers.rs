//! Middleware: the header fields of every response, errors and 304 included, and HEAD.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::Body as _;
use poem::http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, CONTENT_LENGTH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use poem::http::{HeaderName, HeaderValue, Method, StatusCode};
use poem::{Endpoint, EndpointExt, IntoResponse, Request, Response};

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
pub(super) fn body_bytes(response: &mut Response) -> Option<u64> {
    let length = response.headers().get(CONTENT_LENGTH);
    if let Some(length) = length.and_then(|length| length.to_str().ok()?.parse().ok()) {
        return Some(length);
    }
    let body: BoxBody<Bytes, std::io::Error> = response.take_body().into();
    let length = body.size_hint().exact();
    response.set_body(body);
    length
}
