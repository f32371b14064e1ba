//! Error responses: `application/problem+json` (RFC 9457).
//!
//! Callers write a detail for the client, without internal paths, queries or table names.

use std::time::Duration;

use poem::Response;
use poem::http::header::{ALLOW, CACHE_CONTROL, RETRY_AFTER};
use poem::http::{HeaderValue, Method, StatusCode};

use crate::wire::{self, Issue, Problem};

pub const PROBLEM: &str = "application/problem+json";
/// The problem type with `issues`. Not `about:blank`, which would bind its title to the status's phrase (RFC 9457
/// §4.2.1).
pub const INVALID_PARAMETERS: &str = "urn:problem-type:reviews-service:invalid-parameters";

/// An error that its status classifies; `detail` explains what is wrong and what to do.
pub fn problem(status: StatusCode, detail: impl Into<String>) -> Response {
    send(status, &about_blank(status, detail.into()))
}

/// A problem without a type beyond its status.
pub(super) fn about_blank(status: StatusCode, detail: String) -> Problem {
    Problem {
        kind: "about:blank".to_owned(),
        title: phrase(status).to_owned(),
        status: status.as_u16(),
        detail,
        instance: None,
        issues: Vec::new(),
    }
}

/// 400 with every issue of the parameters.
pub fn invalid_parameters(issues: Vec<Issue>) -> Response {
    let status = StatusCode::BAD_REQUEST;
    let detail = match issues.len() {
        1 => "1 parameter is invalid; its issue says what is allowed.".to_owned(),
        count => format!("{count} parameters are invalid; each issue says what is allowed."),
    };
    let problem = Problem {
        kind: INVALID_PARAMETERS.to_owned(),
        title: "Invalid parameters".to_owned(),
        issues,
        ..about_blank(status, detail)
    };
    send(status, &problem)
}

/// A temporary error; `Retry-After` is `after` in seconds, rounded up and at least 1 (RFC 9110 §10.2.3).
pub fn retry_later(status: StatusCode, detail: impl Into<String>, after: Duration) -> Response {
    let seconds = after.as_secs() + u64::from(after.subsec_nanos() > 0);
    let mut response = problem(status, detail);
    response
        .headers_mut()
        .insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
    response
}

/// The value of `Allow`.
pub fn method_list(methods: &[Method]) -> String {
    let methods: Vec<&str> = methods.iter().map(Method::as_str).collect();
    methods.join(", ")
}

/// 405 with `Allow` (RFC 9110 §15.5.6).
pub fn method_not_allowed(allowed: &[Method]) -> Response {
    let list = method_list(allowed);
    let mut response = problem(
        StatusCode::METHOD_NOT_ALLOWED,
        format!("Allowed here: {list}."),
    );
    // Method names are tokens, so the list is a valid field value.
    if let Ok(list) = HeaderValue::from_str(&list) {
        response.headers_mut().insert(ALLOW, list);
    }
    response
}

fn send(status: StatusCode, problem: &Problem) -> Response {
    Response::builder()
        .status(status)
        .content_type(PROBLEM)
        .header(CACHE_CONTROL, "no-store")
        .body(wire::json(problem))
}

/// The status's phrase in RFC 9110; the `http` crate has two from RFC 7231.
fn phrase(status: StatusCode) -> &'static str {
    match status {
        StatusCode::PAYLOAD_TOO_LARGE => "Content Too Large",
        StatusCode::UNPROCESSABLE_ENTITY => "Unprocessable Content",
        other => other.canonical_reason().unwrap_or("Error"),
    }
}

#[cfg(test)]
mod tests {
    use poem::http::header::CONTENT_TYPE;
    use serde_json::{Value, json};

    use super::*;
    use crate::wire::IssueCode;

    fn body(response: Response) -> Value {
        let body = poem::Body::into_bytes(response.into_body());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        serde_json::from_slice(&runtime.block_on(body).unwrap()).unwrap()
    }

    #[test]
    fn a_problem_says_what_was_wrong_and_is_not_kept() {
        let response = problem(StatusCode::NOT_FOUND, "There is no such review.");
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
        assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
        assert_eq!(response.headers()[CACHE_CONTROL], "no-store");
        let expected = json!({"type": "about:blank", "title": "Not Found", "status": 404, "detail": "There is no such review."});
        assert_eq!(body(response), expected);
    }

    #[test]
    fn titles_are_the_phrases_of_rfc_9110() {
        for (status, title) in [
            (400, "Bad Request"),
            (413, "Content Too Large"),
            (431, "Request Header Fields Too Large"),
        ] {
            assert_eq!(
                body(problem(StatusCode::from_u16(status).unwrap(), ""))["title"],
                title
            );
        }
    }

    #[test]
    fn every_invalid_parameter_is_listed() {
        let issue = |name: &str| Issue {
            path: vec![name.to_owned()],
            code: IssueCode::TooBig,
            message: "must be a whole number from 1 to 100".to_owned(),
            received: "500".to_owned(),
        };
        let response = invalid_parameters(vec![issue("limit"), issue("rating")]);
        assert_eq!(
            (response.status(), &response.headers()[CACHE_CONTROL]),
            (
                StatusCode::BAD_REQUEST,
                &HeaderValue::from_static("no-store")
            )
        );
        let body = body(response);
        assert_eq!(
            body["detail"],
            "2 parameters are invalid; each issue says what is allowed."
        );
        let first = json!({"path": ["limit"], "code": "too_big", "message": "must be a whole number from 1 to 100", "received": "500"});
        assert_eq!(
            (&body["issues"][0], &body["issues"][1]["path"][0]),
            (&first, &json!("rating"))
        );
    }

    #[test]
    fn waits_are_whole_seconds_and_never_none() {
        for (after_ms, seconds) in [
            (0, "1"),
            (1, "1"),
            (1_000, "1"),
            (1_001, "2"),
            (90_000, "90"),
        ] {
            let response = retry_later(
                StatusCode::TOO_MANY_REQUESTS,
                "Slower.",
                Duration::from_millis(after_ms),
            );
            assert_eq!(response.headers()[RETRY_AFTER], seconds, "{after_ms} ms");
        }
    }

    #[test]
    fn a_wrong_method_is_told_the_right_ones() {
        let response = method_not_allowed(&[Method::GET, Method::HEAD, Method::OPTIONS]);
        assert_eq!(
            (response.status(), &response.headers()[ALLOW]),
            (
                StatusCode::METHOD_NOT_ALLOWED,
                &HeaderValue::from_static("GET, HEAD, OPTIONS")
            )
        );
        assert_eq!(
            body(response)["detail"],
            "Allowed here: GET, HEAD, OPTIONS."
        );
    }
}
