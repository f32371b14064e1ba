//! Examples in the OpenAPI document work: parameters, the hub's form and the messages of agents.

use percent_encoding::{NON_ALPHANUMERIC, percent_encode};

use super::*;
use crate::support::{assert_has, str_of};

fn encode(text: &str) -> String {
    percent_encode(text.as_bytes(), NON_ALPHANUMERIC).to_string()
}

/// The initial value of a form field: the example, otherwise the default; `None` leaves it empty.
fn prefilled(parameter: &Value) -> Option<String> {
    let default = parameter["schema"].get("default");
    let value = parameter.get("example").or(default)?;
    let text = value.as_str().map(str::to_owned);
    Some(text.unwrap_or_else(|| value.to_string()))
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
        format!("{name}={}", encode(example))
    });
    vec![pairs.collect::<Vec<_>>().join("&")]
}

#[tokio::test]
async fn every_operation_succeeds_with_the_documented_examples() {
    let app = TestApp::seeded().await;
    let document = app.json(OPENAPI).await;
    for (path, method, operation) in operations(&document) {
        let (mut target, mut query, mut headers) = (path.to_owned(), Vec::new(), Vec::new());
        for parameter in parameters(operation) {
            let name = str_of(&parameter["name"]);
            let Some(value) = prefilled(parameter) else {
                assert_eq!(parameter["required"], false, "{path}: {name}");
                continue;
            };
            match str_of(&parameter["in"]) {
                "path" => target = target.replace(&format!("{{{name}}}"), &encode(&value)),
                "query" => query.push(format!("{name}={}", encode(&value))),
                _ => headers.push((name.to_lowercase(), value)),
            }
        }
        target = format!("{target}?{}", query.join("&"));
        let kinds = operation["requestBody"]["content"].as_object();
        let kinds = kinds.into_iter().flat_map(|content| content.keys());
        headers.extend(kinds.map(|kind| ("content-type".to_owned(), kind.clone())));
        let headers = headers.iter().map(|(name, value)| (&**name, &**value));
        let headers: Vec<(&str, &str)> = headers.collect();
        for body in bodies(&document, operation) {
            let answer = match (path, method) {
                ("/mcp", "post") => app.post_mcp(&headers, body.clone()).await,
                ("/api/websub/hub", "post") => {
                    app.post_hub_from(None, &headers, body.clone()).await
                }
                (_, method) => {
                    let method = method.to_uppercase().parse().unwrap();
                    app.send(method, &target, &headers).await
                }
            };
            let text = answer.text();
            let is_done = (200..300).contains(&answer.status);
            assert!(is_done, "{target} {body}: {} {text}", answer.status);
            if body.contains("jsonrpc") && !answer.body.is_empty() {
                assert!(answer.json().get("error").is_none(), "{body}: {text}");
                let described = &operation["responses"]["200"]["content"]["application/json"];
                let answers = validator(&document, &described["schema"]);
                assert_valid(&answers, &answer.json(), path);
            }
        }
    }
}

#[test]
fn every_operation_has_a_valid_example() {
    with_sample(async |app| {
        let document = app.json(OPENAPI).await;
        for (path, _, operation) in operations(&document) {
            let has_values = parameters(operation).any(|parameter| prefilled(parameter).is_some());
            if has_values || operation["requestBody"].is_object() {
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
    });
}

#[test]
fn the_description_suits_client_generators() {
    with_sample(async |app| {
        let document = app.json(OPENAPI).await;
        let license = &document["info"]["license"]["identifier"];
        assert_eq!(license, "MIT OR Apache-2.0");
        for tag in array_of(&document["tags"]) {
            assert!(str_of(&tag["description"]).len() > 20, "{tag}");
        }
        for id in ["searchReviews", "getAspectEvidence"] {
            let mut parameters = parameters(operation(&document, id));
            let cursor = parameters.find(|one| one["name"] == "cursor").unwrap();
            assert_eq!(cursor["schema"], json!({"type": "string"}), "{id}");
            assert_has(str_of(&cursor["description"]), "next_cursor");
        }
        // Request schemas are simple: without a pattern, a choice of shapes, or a URL as the only value.
        let schemas = &document["components"]["schemas"];
        let message = &schemas["McpRequest"];
        let operations = operations(&document).into_iter();
        let parameters = operations.flat_map(|(.., operation)| parameters(operation));
        for shape in [&schemas["HubRequest"], message]
            .into_iter()
            .chain(parameters)
        {
            let text = shape.to_string();
            assert!(!text.contains("\"pattern\""), "{text}");
            for keyword in ["anyOf", "oneOf", "allOf"] {
                assert!(shape.get(keyword).is_none(), "{keyword}: {text}");
            }
        }
        assert!(!document.to_string().contains("\"enum\":[\"http"));
        assert_eq!(message["required"], json!(["jsonrpc", "method"]));
        let method = &message["properties"]["method"];
        assert_eq!(method["type"], "string");
        assert!(method.get("enum").is_none());
    });
}
