//! Answers match the OpenAPI document, checked with an independent validator.

use serde_json::json;

use super::{OPENAPI, assert_valid, operations, service, validator};
use crate::support::TestApp;

/// Targets of an operation that must be answered with 200; several if answers differ in shape.
fn targets(path: &str) -> Vec<String> {
    let (place, values) = match path {
        "/api/reviews/search" => (
            "search",
            "search search?limit=100 search?limit=1 search?rating=5&limit=3 search?query=zebra search?mentions_technician=mike+alvarez \
             search?mentions_technician=mike+alvares&page=2 search?query=e&limit=2",
        ),
        "/api/compare" => (
            "compare",
            "compare?first_since=2025-01-01&first_until=2025-12-31&second_since=2026-01-01&second_until=2026-12-31",
        ),
        "/api/reviews/since/{date}" => ("{date}", "2025-01-01 0001-01-01 9999-12-31"),
        "/insights/aspects/{id}/evidence.json" => ("{id}", "price punctuality"),
        "/api/reviews/{id}" => ("{id}", "least most r-00001 r-00002"),
        other => return vec![other.to_owned()],
    };
    let values = values.split(' ');
    values.map(|value| path.replace(place, value)).collect()
}

#[tokio::test]
async fn answers_match_the_description() {
    let (app, empty) = (service().await, TestApp::empty().await);
    let document = app.json(OPENAPI).await;
    for (path, method, operation) in operations(&document) {
        if ["/api/websub/hub", "/mcp"].contains(&path) {
            continue;
        }
        assert_eq!(method, "get", "{path}: an unknown method");
        let content = operation["responses"]["200"]["content"].as_object();
        let (kind, content) = content.unwrap().iter().next().unwrap();
        let validator = validator(&document, &content["schema"]);
        for target in targets(path) {
            for (app, is_empty) in [(&app, false), (&empty, true)] {
                let answer = app.get(&target).await;
                if is_empty && path.ends_with("{id}") && answer.status == 404 {
                    continue;
                }
                assert_eq!(answer.status, 200, "{target}");
                assert_eq!(answer.header("content-type"), kind, "{target}");
                let is_json = kind.contains("json");
                let body = if is_json {
                    answer.json()
                } else {
                    json!(answer.text())
                };
                assert_valid(&validator, &body, &target);
            }
        }
    }
}
