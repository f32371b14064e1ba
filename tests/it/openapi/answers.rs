//! Answers match the OpenAPI document, checked with an independent validator.

use serde_json::{Value, json};

use super::{OPENAPI, assert_valid, operation, operations, service, validator};
use crate::support::{Answer, TestApp, table};

/// Targets of an operation that must be answered with 200; several if answers differ in shape.
fn targets(path: &str) -> Vec<String> {
    let queries = [
        "",
        "?limit=100",
        "?limit=1",
        "?rating=5&limit=3",
        "?query=zebra",
        "?mentions_technician=mike+alvarez",
        "?mentions_technician=mike+alvares&page=2",
        "?query=e&limit=2",
    ];
    match path {
        "/api/reviews/search" => queries.map(|query| format!("{path}{query}")).into(),
        "/api/compare" => {
            vec![format!(
                "{path}?first_since=2025-01-01&first_until=2025-12-31&second_since=2026-01-01&second_until=2026-12-31"
            )]
        }
        "/api/reviews/since/{date}" => ["2025-01-01", "0001-01-01", "9999-12-31"]
            .map(|day| path.replace("{date}", day))
            .into(),
        "/insights/aspects/{id}/evidence.json" => ["price", "overall"]
            .map(|id| path.replace("{id}", id))
            .into(),
        "/api/reviews/{id}" => ["least", "most", "r-00001", "r-00002"]
            .map(|id| path.replace("{id}", id))
            .into(),
        other => vec![other.to_owned()],
    }
}

/// Every required header field is sent, and no undocumented `ETag` or `Last-Modified`.
fn check_headers(operation: &Value, status: &str, answer: &Answer, target: &str) {
    let headers = operation["responses"][status]["headers"]
        .as_object()
        .unwrap();
    let is_optional = |name: &str| {
        headers
            .get(name)
            .is_some_and(|header| header["required"] != true)
    };
    for name in headers.keys().filter(|name| !is_optional(name)) {
        assert!(
            answer.headers.contains_key(name.as_str()),
            "{status} {target}: {name} is documented but not sent"
        );
    }
    for name in ["etag", "last-modified", "link"] {
        if name == "link" && is_optional("Link") {
            continue;
        }
        let is_described = headers
            .keys()
            .any(|described| described.eq_ignore_ascii_case(name));
        assert_eq!(
            answer.headers.contains_key(name),
            is_described,
            "{status} {target}: {name}"
        );
    }
}

#[tokio::test]
async fn answers_match_the_description() {
    let (app, empty) = (service().await, TestApp::empty().await);
    let document = app.json(OPENAPI).await;
    for (path, method, operation) in operations(&document) {
        if ["/api/websub/hub", "/mcp"].contains(&path) {
            continue;
        }
        assert_eq!(
            method, "get",
            "{path}: a method that this test does not know"
        );
        let described = &operation["responses"]["200"];
        let (kind, content) = described["content"]
            .as_object()
            .unwrap()
            .iter()
            .next()
            .unwrap();
        let validator = validator(&document, &content["schema"]);
        for target in targets(path) {
            for app in [&app, &empty] {
                let answer = app.get(&target).await;
                if path.ends_with("{id}")
                    && answer.status == 404
                    && std::ptr::eq(app, &raw const empty)
                {
                    continue;
                }
                assert_eq!(
                    (answer.status, answer.header("content-type")),
                    (200, kind.as_str()),
                    "{target}"
                );
                let body = if kind.contains("json") {
                    answer.json()
                } else {
                    Value::String(answer.text())
                };
                assert_valid(&validator, &body, &target);
                let again = app.get_with(&target, &[("if-none-match", "*")]).await;
                for (status, answer) in [("200", &answer), ("304", &again)] {
                    check_headers(operation, status, answer, &target);
                }
            }
        }
    }
}

#[tokio::test]
async fn problems_match_the_description() {
    let app = service().await;
    let document = app.json(OPENAPI).await;
    let problem = validator(&document, &json!({"$ref": "#/components/schemas/Problem"}));
    for [method, target, header, status, id] in table(
        "
        GET → /api/reviews/search?limit=0&rating=x&since=x&query=%FF&cursor=x&limit=1 → - → 400 → searchReviews
        GET → /api/reviews/since/never → - → 400 → getReviewsSince
        GET → /api/reviews/none → - → 404 → getReview
        GET → /reviews.json → accept-encoding → 406 → getReviews
        GET → /api/reviews/search → accept-encoding → 406 → searchReviews
        GET → /feed.xml → if-match → 412 → getAtomFeed
        GET → /nothing → - → 404 → -
        POST → /reviews.json → - → 405 → -
        ",
    ) {
        let headers = match header {
            "accept-encoding" => vec![("accept-encoding", "identity;q=0")],
            "if-match" => vec![("if-match", "\"x\"")],
            _ => vec![],
        };
        let method = method.parse().unwrap();
        let answer = app.send(method, target, &headers).await;
        assert_eq!(answer.status.to_string(), status, "{target}");
        assert_valid(&problem, &answer.json(), target);
        if id != "-" {
            let described = &operation(&document, id)["responses"][status]["content"]["application/problem+json"]
                ["schema"];
            assert_eq!(
                *described,
                json!({"$ref": "#/components/schemas/Problem"}),
                "{id} {status}"
            );
        }
    }
    app.app().ctx.draining.cancel();
    assert_valid(&problem, &app.json("/readyz").await, "/readyz");
}
