//! The door that every request's parameters pass before a handler sees them: all that is wrong is said at once.

use std::sync::Arc;

use percent_encoding::percent_decode_str;
use poem::http::StatusCode;
use poem::{Endpoint, IntoResponse, Middleware, Request, Response, Result};
use poem_openapi::error::ParsePathError;

use super::paging;
use crate::respond::{Checker, invalid_parameters, problem};

/// Where parameters are checked: what the path begins and ends with, the operation, and the path parameter between, if it has
/// rules of its own.
const OPERATIONS: [(&str, &str, &str, Option<&str>); 3] = [
    ("/api/reviews/search", "", "searchReviews", None),
    ("/api/reviews/since/", "", "getReviewsSince", Some("date")),
    (EVIDENCE.0, EVIDENCE.1, "getAspectEvidence", None),
];
/// Around the id of an aspect, whatever that is.
const EVIDENCE: (&str, &str) = ("/insights/aspects/", "/evidence.json");
/// Operations that go on at a cursor.
const PAGED: [&str; 2] = ["searchReviews", "getAspectEvidence"];

/// Checks parameters by the OpenAPI document.
#[derive(Debug, Clone)]
pub struct Door(pub Arc<Checker>);

impl<E: Endpoint> Middleware<E> for Door {
    type Output = Guarded<E>;

    fn transform(&self, inner: E) -> Guarded<E> {
        Guarded { inner, checker: Arc::clone(&self.0) }
    }
}

/// An endpoint behind the door.
#[derive(Debug)]
pub struct Guarded<E> {
    inner: E,
    checker: Arc<Checker>,
}

impl<E: Endpoint> Endpoint for Guarded<E> {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
        for (prefix, suffix, operation, parameter) in OPERATIONS {
            let Some(rest) = path.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(suffix)) else { continue };
            let mut issues = match parameter {
                Some(name) if !rest.is_empty() && !rest.contains('/') => {
                    self.checker.check_path(operation, name, &percent_decode_str(rest).decode_utf8_lossy())
                }
                None if rest.is_empty() != (prefix == EVIDENCE.0) => Vec::new(),
                Some(_) | None => continue,
            };
            issues.extend(self.checker.check_query(operation, query));
            if PAGED.contains(&operation) {
                issues.extend(paging::check(query));
            }
            if !issues.is_empty() {
                return Ok(invalid_parameters(issues));
            }
        }
        match self.inner.call(request).await {
            // Of a path whose bytes are no UTF-8 no parameter can be read: nothing of ours is called so.
            Err(error) if error.is::<ParsePathError>() => Ok(problem(StatusCode::NOT_FOUND, "There is nothing of that name.")),
            answered => answered.map(IntoResponse::into_response),
        }
    }
}
