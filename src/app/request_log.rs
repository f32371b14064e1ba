//! The request log (`REVIEWS_REQUEST_LOG`): one line per request, with an ID that the error document also has. Query
//! strings are never logged, because they contain search terms.

use std::io;
use std::time::Duration;

use bytes::Bytes;
use http_body::Body;
use http_body_util::combinators::BoxBody;
use poem::Response;
use poem::http::header::CONTENT_LENGTH;
use poem::http::{Method, StatusCode};
use uuid::Uuid;

use crate::config::RequestLog;
use crate::random::Random;
use crate::wire::{self, Problem};

/// Maximum number of characters of a path that are logged; clients may send up to 16 KiB.
const PATH_CHARS_MAX: usize = 256;

/// Whether to log a response of this status. A 500 is always logged.
pub(super) fn is_logged(which: RequestLog, status: StatusCode) -> bool {
    status == StatusCode::INTERNAL_SERVER_ERROR
        || match which {
            RequestLog::Off => false,
            RequestLog::Errors => status.is_client_error() || status.is_server_error(),
            RequestLog::All => true,
        }
}

/// `None` if the operating system's generator fails; the line then has no ID.
pub(super) fn request_id() -> Option<Uuid> {
    Random::system().uuid().ok()
}

/// Adds the request's ID to a problem as `instance`. Another body stays unchanged.
pub(super) async fn with_instance(response: Response, id: Uuid) -> Response {
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

/// A log line's fields besides the response.
pub(super) struct LoggedRequest<'a> {
    pub(super) method: &'a Method,
    pub(super) route: &'static str,
    /// Without the query string; `None` if only failures are logged.
    pub(super) path: Option<&'a str>,
    pub(super) id: Option<Uuid>,
}

impl LoggedRequest<'_> {
    /// `taken` is the time until the response was ready.
    pub(super) fn write(&self, response: &mut Response, taken: Duration) {
        let Self { method, route, .. } = self;
        let path = self.path.map(|path| {
            let end = path.char_indices().nth(PATH_CHARS_MAX);
            &path[..end.map_or(path.len(), |(end, _)| end)]
        });
        let (status, bytes) = (response.status(), length(response));
        let duration_ms = taken.as_secs_f64() * 1_000.0;
        let request_id = self.id.map(|id| id.urn().to_string());
        let (method, code) = (method.as_str(), status.as_u16());
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
