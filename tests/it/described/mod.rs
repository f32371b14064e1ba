//! The service treats routes and parameters exactly as the API document says: a model that reads the document checks its
//! answers to random requests.

mod checker;
mod rule;

use std::collections::BTreeSet;

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use poem::http::Method;
use reviews_service::wire::Issue;
use serde_json::{Value, json};

use self::checker::Checker;
use crate::support::{Generator, TestApp};

/// Values that are valid for some parameter or for none.
const VALUES: [&str; 40] = [
    "",
    "1",
    "5",
    "0",
    "6",
    "20",
    "100",
    "101",
    "005",
    "5.0",
    "4.5",
    "0.99",
    "5.00000000000000000000001",
    "1e0",
    ".5",
    "-1",
    "+5",
    "99999999999999999999",
    "five",
    "NaN",
    "true",
    "2024-02-29",
    "2024-02-30",
    "2024-2-1",
    "0000-01-01",
    "9999-12-31",
    "positive",
    "Positive",
    "mixed",
    "leak",
    "é",
    "東京",
    "\u{202e}",
    "\n",
    "%",
    "&",
    "a b",
    "punctuality",
    "x",
    "٥",
];
const PERIODS: &str =
    "first_since=2025-01-01&first_until=2025-12-31&second_since=2026-01-01&second_until=2026-12-31";
const GARBLED: [&str; 3] = ["%FF", "%C3", "a%ED%A0%80"];

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

/// A percent-encoded value.
fn value(generator: &mut Generator) -> String {
    match generator.below(12) {
        0 => generator.pick(&GARBLED).to_owned(),
        1 => "%C3%A9".repeat(1_000 + generator.below(2)),
        _ => percent_encode(generator.pick(&VALUES).as_bytes(), NON_ALPHANUMERIC).to_string(),
    }
}

/// A query string: parameters of `names` and others, valid and invalid, repeated, in odd spellings.
fn question(generator: &mut Generator, names: &[&str]) -> String {
    let mut pairs = Vec::new();
    for _ in 0..generator.below(7) {
        let name = match generator.below(10) {
            0 => generator
                .pick(&["page", "Limit", "%FF", "", "limit%20"])
                .to_owned(),
            1 => percent_encode(generator.pick(names).as_bytes(), NON_ALPHANUMERIC).to_string(),
            2 => generator
                .pick(names)
                .bytes()
                .map(|byte| format!("%{byte:02x}"))
                .collect(),
            _ => generator.pick(names).to_owned(),
        };
        pairs.push(match generator.below(20) {
            0 => name,
            _ => format!("{name}={}", value(generator)),
        });
    }
    pairs.join(if generator.once_in(9) { "&&" } else { "&" })
}

#[tokio::test]
async fn any_query_is_answered_as_the_api_document_says() {
    let app = TestApp::uncoded(&Generator::new(171).reviews(120)).await;
    let document = document(&app).await;
    let model = Checker::new(&document).unwrap();
    let mut generator = Generator::new(172);
    let (mut right, mut wrong) = (0, 0);
    for _ in 0..250 {
        for (path, _, operation) in operations(&document).filter(|(_, method, _)| *method == "get")
        {
            let id = operation["operationId"].as_str().unwrap();
            let names: Vec<&str> = parameters(operation, "query").collect();
            let (mut target, mut issues) = (path.to_owned(), Vec::new());
            for name in parameters(operation, "path") {
                let given = match (name, generator.once_in(3)) {
                    ("date", false) => generator.day().to_string(),
                    ("id", false) => "price".to_owned(),
                    _ => Some(value(&mut generator))
                        .filter(|value| !value.is_empty())
                        .unwrap_or_else(|| "x".to_owned()),
                };
                issues.extend(model.check_path(
                    id,
                    name,
                    &percent_encoding::percent_decode_str(&given).decode_utf8_lossy(),
                ));
                target = target.replace(&format!("{{{name}}}"), &given);
            }
            if names.is_empty() && issues.is_empty() && !path.contains('{') {
                continue;
            }
            let query = if names.is_empty() {
                String::new()
            } else {
                question(&mut generator, &names)
            };
            issues.extend(model.check_query(id, &query));
            let answer = app.get(&format!("{target}?{query}")).await;
            // A document cannot describe valid cursors,
            let is_cursor = |issue: &Issue| {
                issue.path == ["cursor"]
                    && issue.code != reviews_service::wire::IssueCode::Duplicate
            };
            // the aspects of a business,
            let is_aspect = |issue: &Issue| {
                issue.path == ["aspect"] && issue.message.starts_with("must be one of: ")
            };
            // that a period ends after it begins, or that one parameter needs or excludes another.
            let is_other = |issue: &Issue| {
                !is_cursor(issue)
                    && !is_aspect(issue)
                    && !issue.message.starts_with("must not be before ")
                    && !issue.message.starts_with("must be given together with ")
                    && !issue.message.starts_with("must be left out if ")
            };
            let expected: Vec<Issue> = issues.into_iter().filter(|issue| is_other(issue)).collect();
            if answer.status == 400 {
                let reported: Vec<Issue> =
                    serde_json::from_value(answer.json()["issues"].clone()).unwrap();
                assert!(!reported.is_empty(), "{target}?{query}");
                let reported: Vec<Issue> = reported
                    .into_iter()
                    .filter(|issue| is_other(issue))
                    .collect();
                assert_eq!(reported, expected, "{target}?{query}");
                wrong += 1;
            } else {
                assert!(
                    expected.is_empty(),
                    "{target}?{query} is answered with {} instead of {expected:?}",
                    answer.status
                );
                assert!(
                    [200, 404].contains(&answer.status),
                    "{target}?{query}: {}",
                    answer.status
                );
                right += usize::from(answer.status == 200);
            }
        }
    }
    assert!(right > 200 && wrong > 200, "{right} right, {wrong} wrong");
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
    let (mut answered, mut methods) = (BTreeSet::new(), 0);
    for route in app.routes() {
        let path = route.pattern.split('/').map(|part| {
            part.strip_prefix(':')
                .map_or(part.to_owned(), |name| format!("{{{name}}}"))
        });
        let path = path.collect::<Vec<_>>().join("/");
        for (_, method, operation) in route.operations() {
            answered.insert((path.clone(), method.to_string(), operation.to_owned()));
        }
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
                .methods()
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
    assert_eq!(answered, described);
    assert!(methods > 60, "{methods}");
}
