//! Examples in the OpenAPI document work: parameters, the hub's form and the messages of agents.

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

use super::*;
use crate::support::assert_has;

fn encoded(text: &str) -> String {
    percent_encode(text.as_bytes(), NON_ALPHANUMERIC).to_string()
}

/// The initial value of a form field: the example, otherwise the default; `None` leaves it empty.
fn prefilled(parameter: &Value) -> Option<String> {
    let value = parameter
        .get("example")
        .or_else(|| parameter["schema"].get("default"))?;
    Some(
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned),
    )
}

/// The bodies of an operation with their media type: one for each example, or the filled form.
fn bodies(document: &Value, operation: &Value) -> Vec<String> {
    let Some(content) = operation["requestBody"]["content"].as_object() else {
        return vec![String::new()];
    };
    let (kind, described) = content.iter().next().unwrap();
    if kind == "application/json" {
        let messages = described["examples"].as_object().unwrap().values();
        return messages.map(|one| one["value"].to_string()).collect();
    }
    let name = described["schema"]["$ref"].as_str().unwrap();
    let schema = document.pointer(name.trim_start_matches('#')).unwrap();
    let pairs = schema["properties"].as_object().unwrap().iter();
    let pairs = pairs.map(|(name, property)| {
        let example = property["examples"][0].as_str().unwrap_or("subscribe");
        format!("{name}={}", encoded(example))
    });
    vec![pairs.collect::<Vec<_>>().join("&")]
}

#[tokio::test]
async fn every_operation_succeeds_with_the_documented_examples() {
    let app = TestApp::seeded().await;
    let document = app.json(OPENAPI).await;
    let opening = &operation(&document, "mcp")["requestBody"]["content"]["application/json"]["examples"]
        ["initialize"];
    for (path, method, operation) in operations(&document) {
        let (mut target, mut query, mut headers) = (path.to_owned(), Vec::new(), Vec::new());
        for parameter in operation["parameters"].as_array().into_iter().flatten() {
            let name = parameter["name"].as_str().unwrap();
            if name == "Mcp-Session-Id" {
                // Messages need an open session, and so does its end.
                let opened = app.post_mcp(&[], opening["value"].to_string()).await;
                headers.push((
                    name.to_ascii_lowercase(),
                    opened.header("mcp-session-id").to_owned(),
                ));
                continue;
            }
            let Some(value) = prefilled(parameter) else {
                assert_eq!(
                    parameter["required"], false,
                    "{path}: {name} has no example"
                );
                continue;
            };
            match parameter["in"].as_str().unwrap() {
                "path" => target = target.replace(&format!("{{{name}}}"), &encoded(&value)),
                "query" => query.push(format!("{name}={}", encoded(&value))),
                _ => headers.push((name.to_ascii_lowercase(), value)),
            }
        }
        target = format!("{target}?{}", query.join("&"));
        let kind = operation["requestBody"]["content"]
            .as_object()
            .and_then(|content| content.keys().next());
        headers.extend(kind.map(|kind| ("content-type".to_owned(), kind.clone())));
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        for body in bodies(&document, operation) {
            let answer = match (path, method) {
                ("/mcp", "post") => app.post_mcp(&headers, body.clone()).await,
                ("/api/websub/hub", "post") => {
                    app.post_hub_from(None, &headers, body.clone()).await
                }
                (_, "get") => app.get_with(&target, &headers).await,
                (_, "delete") => app.send(Method::DELETE, &target, &headers).await,
                other => panic!("{other:?}: this test lacks this method"),
            };
            assert!(
                (200..300).contains(&answer.status),
                "{target} {body}: {} {}",
                answer.status,
                answer.text()
            );
            let is_error = body.contains("jsonrpc") && answer.json().get("error").is_some();
            assert!(!is_error, "{body}: {}", answer.text());
        }
    }
}

#[tokio::test]
async fn every_operation_has_a_valid_example() {
    let document = TestApp::seeded().await.get(OPENAPI).await.json();
    for (path, method, operation) in operations(&document) {
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let mut given = parameters.filter(|parameter| prefilled(parameter).is_some());
        if given.next().is_some() || operation["requestBody"].is_object() || method == "delete" {
            continue;
        }
        let content = operation["responses"]["200"]["content"]
            .as_object()
            .unwrap();
        for (kind, described) in content {
            let example = &described["example"];
            assert!(!example.is_null(), "{path} {kind}");
            assert_valid(&validator(&document, &described["schema"]), example, path);
        }
    }
}

#[tokio::test]
async fn only_the_example_of_a_review_depends_on_the_data() {
    let app = TestApp::empty().await;
    let example = |document: &Value| {
        operation(document, "getReview")["parameters"][0]
            .get("example")
            .cloned()
    };
    let before = app.get(OPENAPI).await;
    assert_eq!(example(&before.json()), None);
    app.shell(
        "insert into review (review_id, rating, reviewed_on) values ('old', 5, '2025-01-01')",
    )
    .await;
    let old = app.get(OPENAPI).await;
    assert_eq!(example(&old.json()), Some(json!("old")));
    assert_ne!(old.header("etag"), before.header("etag"));
    app.shell(
        "insert into review (review_id, rating, reviewed_on) values ('new', 5, '2026-01-01')",
    )
    .await;
    let new = app.get(OPENAPI).await;
    assert_eq!(
        new.header("etag"),
        old.header("etag"),
        "a newer review changes nothing"
    );
    let coded = app.get_with(OPENAPI, &[("accept-encoding", "gzip")]).await;
    assert_eq!(
        coded.header("content-encoding"),
        "gzip",
        "it is coded ahead"
    );
    app.shell("delete from review where review_id = 'old'")
        .await;
    assert_eq!(example(&app.json(OPENAPI).await), Some(json!("new")));
}

#[tokio::test]
async fn the_description_suits_client_generators() {
    let document = service().await.get(OPENAPI).await.json();
    assert_eq!(
        document["info"]["license"]["identifier"],
        "MIT OR Apache-2.0"
    );
    for tag in document["tags"].as_array().unwrap() {
        assert!(
            tag["description"]
                .as_str()
                .is_some_and(|text| text.len() > 20),
            "{tag}"
        );
    }
    let paged = ["searchReviews", "getAspectEvidence"];
    for id in paged {
        let parameters = operation(&document, id)["parameters"].as_array().unwrap();
        let cursor = parameters
            .iter()
            .find(|one| one["name"] == "cursor")
            .unwrap();
        assert_eq!(cursor["schema"], json!({"type": "string"}), "{id}");
        assert_has(cursor["description"].as_str().unwrap(), "next_cursor");
    }
    // Request schemas are simple: without a pattern, a choice of shapes, or a URL as the only value.
    let schemas = &document["components"]["schemas"];
    let requests = [&schemas["HubRequest"], &schemas["McpRequest"]];
    let parameters = operations(&document)
        .into_iter()
        .flat_map(|(_, _, operation)| operation["parameters"].as_array().into_iter().flatten());
    for shape in requests.into_iter().chain(parameters) {
        let text = shape.to_string();
        assert!(!text.contains("\"pattern\""), "{text}");
        for keyword in ["anyOf", "oneOf", "allOf"] {
            assert!(shape.get(keyword).is_none(), "{keyword}: {text}");
        }
    }
    assert!(!document.to_string().contains("\"enum\":[\"http"));
    let message = &schemas["McpRequest"];
    assert_eq!(message["required"], json!(["jsonrpc", "method"]));
    assert_eq!(message["properties"]["method"]["type"], "string");
    assert!(message["properties"]["method"].get("enum").is_none());
}

#[tokio::test]
async fn an_agent_asks_and_ends_a_session_as_described() {
    let app = service().await;
    let document = app.json(OPENAPI).await;
    let (asks, ends) = (
        operation(&document, "mcp"),
        operation(&document, "endMcpSession"),
    );
    let content = &asks["requestBody"]["content"]["application/json"];
    let requests = validator(&document, &content["schema"]);
    let opened = content["examples"]["initialize"]["value"].clone();
    let session = app.post_mcp(&[], opened.to_string()).await;
    let session = session.header("mcp-session-id");
    let message = |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params});
    let tool = |name: &str, arguments: Value| {
        message("tools/call", json!({"name": name, "arguments": arguments}))
    };
    for (asked, status) in [
        (opened.clone(), 200),
        (message("initialize", json!({})), 400),
        (message("tools/list", json!({})), 200),
        (tool("get_business", json!({})), 200),
        (tool("search_reviews", json!({"limit": 0})), 200),
        (message("no/such", json!({})), 200),
        (
            json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
            202,
        ),
    ] {
        let name = asked.to_string();
        assert_valid(&requests, &asked, &name);
        let headers = [("mcp-session-id", session)];
        let answer = app.post_mcp(&headers, name.clone()).await;
        assert_eq!(answer.status, status, "{name}: {}", answer.text());
        let described = &asks["responses"][status.to_string()];
        match described["content"].get("application/json") {
            Some(content) => {
                let answers = validator(&document, &content["schema"]);
                assert_valid(&answers, &answer.json(), &name);
            }
            None => assert!(described.is_object() && answer.body.is_empty(), "{name}"),
        }
    }
    for status in ["204", "400", "404"] {
        assert!(ends["responses"][status].is_object(), "{status}");
    }
}
