//! Routes and parameters are those of the API document.

use std::collections::BTreeSet;

use poem::http::Method;
use serde_json::{Value, json};

use crate::support::{Generator, TestApp};

const PERIODS: &str =
    "first_since=2025-01-01&first_until=2025-12-31&second_since=2026-01-01&second_until=2026-12-31";

async fn document(app: &TestApp) -> Value {
    app.get("/.well-known/openapi.json").await.json()
}

/// Path, method and object of every operation.
fn operations(document: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    let items = document["paths"].as_object().unwrap().iter();
    items.flat_map(|(path, item)| {
        item.as_object()
            .unwrap()
            .iter()
            .map(move |(method, operation)| (path.as_str(), method.as_str(), operation))
    })
}

fn parameters<'a>(operation: &'a Value, place: &'a str) -> impl Iterator<Item = &'a str> {
    let parameters = operation["parameters"].as_array().into_iter().flatten();
    parameters
        .filter(move |parameter| parameter["in"] == place)
        .filter_map(|parameter| parameter["name"].as_str())
}

#[tokio::test]
async fn every_documented_parameter_is_read() {
    let app = TestApp::seeded().await;
    let document = document(&app).await;
    for (path, method, operation) in operations(&document).filter(|(_, method, _)| *method == "get")
    {
        let path = path
            .replace("{id}", "price")
            .replace("{date}", "2025-01-01");
        for name in parameters(operation, "query") {
            let answer = app.get(&format!("{path}?{name}=a&{name}=b")).await;
            assert_eq!(answer.status, 400, "{method} {path} does not read {name}");
            let expected = json!({"path": [name], "code": "duplicate", "message": "must be given only once", "received": "a, b"});
            assert!(
                answer.json()["issues"]
                    .as_array()
                    .unwrap()
                    .contains(&expected),
                "{path}: {}",
                answer.text()
            );
        }
    }
}

/// A route's path as in the document.
fn template(path: &str) -> String {
    let segments = path.split('/').map(|segment| {
        let name = segment.strip_prefix(':');
        name.map_or(segment.to_owned(), |name| format!("{{{name}}}"))
    });
    segments.collect::<Vec<_>>().join("/")
}

#[tokio::test]
async fn every_route_and_method_behaves_as_documented() {
    let app = TestApp::uncoded(&Generator::new(173).reviews(20)).await;
    let document = document(&app).await;
    let described: BTreeSet<(String, String, String)> = operations(&document)
        .map(|(path, method, operation)| {
            (
                path.to_owned(),
                method.to_uppercase(),
                operation["operationId"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    for (path, method, _) in &described {
        let route = app
            .routes()
            .iter()
            .find(|route| template(&route.path) == *path);
        let methods = route.map_or(&[][..], |route| &route.methods);
        assert!(
            methods.iter().any(|known| known.as_str() == method),
            "{method} {path}"
        );
    }
    let mut methods = 0;
    for route in app.routes() {
        let path = template(&route.path);
        let path_and_query = if path == "/api/compare" {
            format!("{path}?{PERIODS}")
        } else {
            path.clone()
        };
        let target = path_and_query
            .replace("aspects/{id}", "aspects/price")
            .replace("{id}", "r-00001")
            .replace("{date}", "2025-01-01");
        for method in ["GET", "HEAD", "POST", "DELETE", "PUT"] {
            let is_allowed = route
                .methods
                .iter()
                .any(|allowed| allowed.as_str() == method);
            let answer = app
                .send(Method::from_bytes(method.as_bytes()).unwrap(), &target, &[])
                .await;
            assert_eq!(
                answer.status != 405,
                is_allowed,
                "{method} {target}: {}",
                answer.status
            );
            let operation = operations(&document)
                .find(|(described, by, _)| *described == path && by.to_uppercase() == method);
            if let (true, Some((_, _, operation))) = (is_allowed, operation) {
                assert!(
                    operation["responses"]
                        .get(answer.status.to_string())
                        .is_some(),
                    "{method} {target}: {}",
                    answer.status
                );
            }
            methods += 1;
        }
    }
    assert!(methods > 60, "{methods}");
}
