//! The OpenAPI document matches the answers, and the page that shows it works offline.

mod answers;
mod examples;

use std::collections::BTreeSet;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::{
    BASE, Generator, TestApp, array_of, forbid_other_members, str_of, with_sample,
};

const OPENAPI: &str = "/.well-known/openapi.json";

async fn service() -> TestApp {
    let app = TestApp::uncoded(&Generator::new(91).reviews(80)).await;
    app.shell(
        r#"insert into business (business_id, name, address, latitude, longitude, same_as) values ('b', 'B', '{"locality":"Mesa"}', 1, 2, '["https://b.example"]');
           insert into service values ('drain', 0, 'Drains', '["sewer"]'); insert into technician values ('t', 0, 'Mike Alvarez', '["Mikey"]');
           insert into service_area values ('Mesa', 0); insert into editorial_summary (text) values ('Good.');
           insert into editorial_faq values ('q', 0, 'Open?', 'Yes.');
           insert into review (review_id, rating, reviewed_on) values ('least', 5, '2026-11-20');
           insert into review (review_id, rating, reviewed_on, author, title, text, language, source_url, verification, verified_at, reply_text, reply_on, reply_author, updated_at)
             values ('most', 1, '2026-11-20', 'A', 'T', 'X', 'en', 'https://x.example', 'invite', '2026-11-20T00:00:00Z', 'R', '2026-11-20', 'Us', '2026-11-20T01:02:03.456Z');"#,
    )
    .await;
    app
}

/// Path, method and object of every operation.
fn operations(document: &Value) -> Vec<(&str, &str, &Value)> {
    let mut operations = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            operations.push((path.as_str(), method.as_str(), operation));
        }
    }
    operations
}

fn parameters(operation: &Value) -> impl Iterator<Item = &Value> {
    operation["parameters"].as_array().into_iter().flatten()
}

fn operation<'a>(document: &'a Value, id: &str) -> &'a Value {
    let mut operations = operations(document).into_iter();
    let found = operations.find(|(.., operation)| operation["operationId"] == id);
    found.unwrap_or_else(|| panic!("no {id}")).2
}

/// A validator of `schema`, which can refer to the document's components.
fn validator(document: &Value, schema: &Value) -> Validator {
    let mut whole = schema.as_object().unwrap().clone();
    whole.insert("components".to_owned(), document["components"].clone());
    let mut whole = Value::Object(whole);
    forbid_other_members(&mut whole);
    jsonschema::options()
        .should_validate_formats(true)
        .build(&whole)
        .unwrap()
}

fn assert_valid(validator: &Validator, instance: &Value, place: &str) {
    let errors: Vec<String> = validator
        .iter_errors(instance)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{place}: {errors:#?}");
}

/// Removes the prose and the examples of a part of the document.
fn remove_prose(part: &mut Value) {
    match part {
        Value::Object(members) => {
            // A property can have one of these names.
            members.retain(|name, value| match name.as_str() {
                "description" | "summary" | "title" => !value.is_string(),
                "example" | "examples" => false,
                _ => true,
            });
            members.values_mut().for_each(remove_prose);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_prose),
        _ => {}
    }
}

/// The document as client generators see it: a line for each operation and each schema.
fn outline(mut document: Value) -> String {
    remove_prose(&mut document);
    let operations = operations(&document).into_iter();
    let operations =
        operations.map(|(path, method, operation)| format!("{method} {path} {operation}\n"));
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let schemas = schemas
        .iter()
        .map(|(name, schema)| format!("{name} {schema}\n"));
    operations.chain(schemas).collect()
}

#[test]
fn operations_parameters_and_schemas_match_the_snapshot() {
    with_sample(async |app| {
        let document = app.json(OPENAPI).await;
        insta::assert_snapshot!("outline", outline(document));
    });
}

#[test]
fn the_document_is_openapi_3_1_with_the_required_operations() {
    with_sample(async |app| {
        let document = app.json(OPENAPI).await;
        assert_eq!(document["openapi"], "3.1.0");
        assert_eq!(document["info"]["version"], "1.0.0");
        assert_eq!(document["servers"][0]["url"], BASE);
        for (id, path) in [
            ("getReviews", "/reviews.json"),
            ("getInsights", "/insights.json"),
            ("getFeed", "/api/feed.json"),
            ("searchReviews", "/api/reviews/search"),
            ("getReviewsSince", "/api/reviews/since/{date}"),
        ] {
            assert_eq!(document["paths"][path]["get"]["operationId"], id);
        }
        let mut ids = BTreeSet::new();
        for (path, method, operation) in operations(&document) {
            let id = str_of(&operation["operationId"]);
            assert!(ids.insert(id), "{method} {path}: a repeated operation ID");
            assert!(operation["tags"][0].is_string(), "{method} {path}: no tag");
        }
        for (name, schema) in document["components"]["schemas"].as_object().unwrap() {
            assert!(jsonschema::draft202012::meta::is_valid(schema), "{name}");
        }
        let text = document.to_string();
        // Keywords that the conversion to 3.1 removes, and folders of the build machine.
        for wrong in ["nullable", "allOf", "naive", "/tmp"] {
            assert!(!text.contains(wrong), "{wrong}");
        }
    });
}

#[tokio::test]
async fn every_documented_parameter_is_read() {
    let app = TestApp::empty().await;
    let document = app.json(OPENAPI).await;
    for (path, _, operation) in operations(&document) {
        let path = path.replace("{id}", "price");
        let path = path.replace("{date}", "2025-01-01");
        for parameter in parameters(operation).filter(|parameter| parameter["in"] == "query") {
            let name = str_of(&parameter["name"]);
            let answer = app.get(&format!("{path}?{name}=a&{name}=b")).await;
            assert_eq!(answer.status, 400, "{path} does not read {name}");
            let expected = json!({"path": [name], "code": "duplicate", "message": "must be given only once", "received": "a, b"});
            let problem = answer.json();
            assert!(
                array_of(&problem["issues"]).contains(&expected),
                "{problem}"
            );
        }
    }
}
