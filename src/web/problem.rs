//! Error responses: `application/problem+json` (RFC 9457).
//!
//! A handler returns an [`HttpProblem`] as its error; `app::routes` gives it the form that the client reads.
//! Details are for the client, without internal paths, queries or table names.

use std::time::Duration;

use poem::Response;
use poem::error::ResponseError;
use poem::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use poem::http::{HeaderName, HeaderValue, StatusCode};
use thiserror::Error;

use crate::wire::{Issue, Problem};

pub const PROBLEM: &str = "application/problem+json";
/// The problem type with `issues`. Not `about:blank`, which would bind its title to the status's phrase (RFC 9457
/// §4.2.1).
pub const INVALID_PARAMETERS: &str = "urn:problem-type:reviews-service:invalid-parameters";

#[derive(Debug, Error)]
#[error("{}", document.detail)]
pub struct HttpProblem {
    pub status: StatusCode,
    pub document: Box<Problem>,
    /// Header fields besides those of every error.
    pub headers: Vec<(HeaderName, HeaderValue)>,
}

impl HttpProblem {
    /// An error that its status classifies; `detail` explains what is wrong and what to do.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            status,
            document: Box::new(Problem {
                kind: "about:blank".to_owned(),
                title: status.canonical_reason().unwrap_or("Error").to_owned(),
                status: status.as_u16(),
                detail: detail.into(),
                issues: Vec::new(),
            }),
            headers: Vec::new(),
        }
    }

    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// # Errors
    /// 400 if there are issues.
    pub fn check_parameters(issues: &[Issue]) -> Result<(), Self> {
        if issues.is_empty() {
            Ok(())
        } else {
            Err(Self::invalid_parameters(issues.to_vec()))
        }
    }

    /// 400 with every issue of the parameters.
    pub fn invalid_parameters(issues: Vec<Issue>) -> Self {
        let detail = match issues.len() {
            1 => "1 parameter is invalid; its issue says what is allowed.".to_owned(),
            count => format!("{count} parameters are invalid; each issue says what is allowed."),
        };
        let mut problem = Self::new(StatusCode::BAD_REQUEST, detail);
        INVALID_PARAMETERS.clone_into(&mut problem.document.kind);
        "Invalid parameters".clone_into(&mut problem.document.title);
        problem.document.issues = issues;
        problem
    }

    /// A temporary error; `Retry-After` is `after` in seconds, rounded up and at least 1 (RFC 9110 §10.2.3).
    pub fn retry_later(status: StatusCode, detail: impl Into<String>, after: Duration) -> Self {
        let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
        Self::new(status, detail).with(RETRY_AFTER, HeaderValue::from(seconds.max(1)))
    }

    /// 405 with `Allow` (RFC 9110 §15.5.6).
    pub fn method_not_allowed(allowed: &HeaderValue) -> Self {
        let methods = allowed.to_str().unwrap_or_default();
        let detail = format!("Allowed here: {methods}.");
        Self::new(StatusCode::METHOD_NOT_ALLOWED, detail).with(ALLOW, allowed.clone())
    }

    #[must_use]
    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }

    /// The response with the header fields of this error and of every error, and this body.
    pub fn response(self, content_type: &'static str, body: impl Into<poem::Body>) -> Response {
        let mut response = Response::builder().status(self.status).body(body);
        let headers = response.headers_mut();
        headers.extend(self.headers);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        response
    }
}

impl ResponseError for HttpProblem {
    fn status(&self) -> StatusCode {
        self.status
    }
}
