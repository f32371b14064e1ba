//! The door that every request's parameters pass before a handler sees them: all that is wrong is said at once.

use std::sync::Arc;

use poem::{Endpoint, IntoResponse, Middleware, Request, Response, Result};

use super::paging;
use crate::respond::{Checker, invalid_parameters};

/// Where parameters are checked: the route up to its last segment, the operation, and the path parameter there.
const OPERATIONS: [(&str, &str, Option<&str>); 2] =
    [("/api/reviews/search", "searchReviews", None), ("/api/reviews/since/", "getReviewsSince", Some("date"))];

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
        for (prefix, operation, parameter) in OPERATIONS {
            let Some(rest) = path.strip_prefix(prefix) else { continue };
            let mut issues = match parameter {
                Some(name) if !rest.is_empty() && !rest.contains('/') => self.checker.check_path(operation, name, rest),
                None if rest.is_empty() => Vec::new(),
                Some(_) | None => continue,
            };
            issues.extend(self.checker.check_query(operation, query));
            if operation == "searchReviews" {
                issues.extend(paging::check(query));
            }
            if !issues.is_empty() {
                return Ok(invalid_parameters(issues));
            }
        }
        self.inner.call(request).await.map(IntoResponse::into_response)
    }
}
