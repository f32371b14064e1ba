//! Each rule on a small schema, then all of them on what poem-openapi writes of a small service.

use std::future::ready;

use poem_openapi::param::{Header, Path, Query};
use poem_openapi::payload::{Binary, Json};
use poem_openapi::{ApiResponse, Enum, Object, OpenApi, OpenApiService, Union};
use serde_json::{Value, json};

use super::to_3_1;

/// What becomes of a schema among the components.
fn changed(schema: &Value) -> Value {
    to_3_1(json!({"openapi": "3.0.0", "components": {"schemas": {"X": schema}}}))["components"]["schemas"]["X"].take()
}

/// What is named, a schema before and after.
fn hold(rows: impl IntoIterator<Item = (&'static str, Value, Value)>) {
    for (name, before, after) in rows {
        assert_eq!(changed(&before), after, "{name}");
    }
}

#[test]
fn null_and_notes_are_said_as_3_1_does() {
    let reference = json!({"$ref": "#/components/schemas/Y"});
    hold([
        (
            "a nullable reference",
            json!({"allOf": [reference, {"nullable": true}]}),
            json!({"anyOf": [reference, {"type": "null"}]}),
        ),
        (
            "a nullable reference with notes on both levels",
            json!({"allOf": [reference, {"nullable": true, "description": "d"}], "nullable": true, "description": "d"}),
            json!({"anyOf": [reference, {"type": "null"}], "description": "d"}),
        ),
        (
            "a reference with a default",
            json!({"allOf": [reference, {"default": "x"}], "default": "x"}),
            json!({"$ref": "#/components/schemas/Y", "default": "x"}),
        ),
        (
            "an object on top of another",
            json!({"allOf": [reference, {"type": "object", "properties": {"a": {"type": "string", "nullable": true}}}]}),
            json!({"allOf": [reference, {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}]}),
        ),
        (
            "a nullable type",
            json!({"type": "string", "nullable": true}),
            json!({"type": ["string", "null"]}),
        ),
        (
            "not nullable",
            json!({"type": "string", "nullable": false}),
            json!({"type": "string"}),
        ),
        ("nullable anything", json!({"nullable": true}), json!({})),
        (
            "a nullable choice",
            json!({"type": "string", "enum": ["a"], "nullable": true}),
            json!({"type": ["string", "null"], "enum": ["a", null]}),
        ),
        (
            "a nullable union",
            json!({"anyOf": [reference], "nullable": true}),
            json!({"anyOf": [reference, {"type": "null"}]}),
        ),
    ]);
}

#[test]
fn bounds_formats_and_examples_are_said_as_3_1_does() {
    hold([
        (
            "exclusive bounds",
            json!({"type": "number", "minimum": 1.0, "exclusiveMinimum": true, "maximum": 2.5, "exclusiveMaximum": true}),
            json!({"type": "number", "exclusiveMinimum": 1, "exclusiveMaximum": 2.5}),
        ),
        (
            "inclusive bounds",
            json!({"type": "number", "minimum": -1.0, "exclusiveMinimum": false, "maximum": 1e300, "exclusiveMaximum": false}),
            json!({"type": "number", "minimum": -1, "maximum": 1e300}),
        ),
        (
            "an example",
            json!({"type": "string", "example": "e"}),
            json!({"type": "string", "examples": ["e"]}),
        ),
        (
            "a day",
            json!({"type": "string", "format": "naive-date"}),
            json!({"type": "string", "format": "date"}),
        ),
        (
            "an instant",
            json!({"type": "string", "format": "date-time"}),
            json!({"type": "string", "format": "date-time"}),
        ),
        (
            "a number",
            json!({"type": "number", "format": "double"}),
            json!({"type": "number", "format": "double"}),
        ),
        (
            "an unsigned integer",
            json!({"type": "integer", "format": "uint64"}),
            json!({"type": "integer", "minimum": 0}),
        ),
        (
            "an unsigned integer with its bounds",
            json!({"type": "integer", "format": "uint8", "minimum": 1.0, "maximum": 5.0}),
            json!({"type": "integer", "minimum": 1, "maximum": 5}),
        ),
        (
            "a format of nobody's",
            json!({"type": "string", "format": "naive-date-time"}),
            json!({"type": "string"}),
        ),
        (
            "bytes",
            json!({"type": "string", "format": "binary"}),
            json!({"type": "string", "contentMediaType": "application/octet-stream"}),
        ),
        (
            "bytes in base64",
            json!({"type": "string", "format": "byte"}),
            json!({"type": "string", "contentEncoding": "base64"}),
        ),
    ]);
}

#[test]
fn only_schemas_are_changed() {
    hold([
        (
            "schemas within",
            json!({"type": "array", "items": {"type": "object", "additionalProperties": {"type": "string", "nullable": true}}}),
            json!({"type": "array", "items": {"type": "object", "additionalProperties": {"type": ["string", "null"]}}}),
        ),
        (
            "values that look like schemas stay",
            json!({"default": {"nullable": true}, "enum": [{"nullable": true}], "example": {"nullable": true}}),
            json!({"default": {"nullable": true}, "enum": [{"nullable": true}], "examples": [{"nullable": true}]}),
        ),
        (
            "properties that are called like keywords stay",
            json!({"properties": {"nullable": {"nullable": true, "type": "string"}, "example": {"type": "string"}, "format": true}}),
            json!({"properties": {"nullable": {"type": ["string", "null"]}, "example": {"type": "string"}, "format": true}}),
        ),
    ]);
}

#[test]
fn schemas_are_found_wherever_they_stand() {
    let nullable = || json!({"schema": {"type": "string", "nullable": true}, "example": "stays"});
    let operation = || {
        json!({
            "parameters": [nullable()],
            "requestBody": {"content": {"application/json": nullable()}},
            "responses": {"default": {"content": {"text/plain": nullable()}, "headers": {"ETAG": nullable()}}},
        })
    };
    let document = json!({
        "openapi": "3.0.0",
        "info": {"title": "t", "version": "1.0.0"},
        "paths": {"/default": {"parameters": [nullable()], "get": operation(), "post": operation()}},
        "webhooks": {"example": {"post": operation()}},
    });
    let document = to_3_1(document);
    assert_eq!(document["openapi"], "3.1.0");
    assert_eq!(document["info"]["version"], "1.0.0");
    assert_eq!(document["security"], json!([]));
    assert_eq!(
        document["jsonSchemaDialect"],
        "https://spec.openapis.org/oas/3.1/dialect/base"
    );
    assert_eq!(
        document["webhooks"]["example"]["post"]["responses"]["default"]["headers"]["ETag"]["example"],
        "stays"
    );
    let text = document.to_string();
    assert!(!text.contains("nullable"), "{text}");
    assert_eq!(text.matches(r#"["string","null"]"#).count(), 13);
}

#[test]
fn header_names_are_spelt_as_their_specifications_do() {
    for (given, spelt) in [
        ("ETAG", "ETag"),
        ("LAST-MODIFIED", "Last-Modified"),
        ("RETRY-AFTER", "Retry-After"),
        ("IF-NONE-MATCH", "If-None-Match"),
        ("LINK", "Link"),
        ("MCP-PROTOCOL-VERSION", "MCP-Protocol-Version"),
        ("MCP-SESSION-ID", "Mcp-Session-Id"),
        ("RATELIMIT-POLICY", "RateLimit-Policy"),
    ] {
        assert_eq!(super::spelling(given), spelt);
    }
}

/// An object with each kind of property.
#[derive(Object)]
struct Thing {
    /// Its name, in lower-case letters.
    #[oai(validator(max_length = 20, pattern = "^[a-z]+$"))]
    name: String,
    #[oai(validator(minimum(value = "1"), maximum(value = "5", exclusive)))]
    stars: u8,
    count: u64,
    day: chrono::NaiveDate,
    #[oai(nullable)]
    note: Option<String>,
    /// One that may be missing.
    #[oai(nullable)]
    inner: Option<Inner>,
    #[oai(default)]
    sort: Sort,
    any: Either,
}

#[derive(Object, Clone)]
#[oai(example)]
struct Inner {
    share: f32,
}

impl poem_openapi::types::Example for Inner {
    fn example() -> Self {
        Self { share: 0.5 }
    }
}

#[derive(Enum, Default, Clone, Copy)]
enum Sort {
    #[default]
    Newest,
    Oldest,
}

#[derive(Union)]
enum Either {
    Inner(Inner),
    Text(String),
}

#[derive(ApiResponse)]
#[expect(dead_code, reason = "described, never sent")]
enum Answer {
    /// The thing of that id.
    #[oai(status = 200)]
    Ok(Json<Thing>, #[oai(header = "ETag")] String),
    /// As you have it.
    #[oai(status = 304)]
    NotModified,
}

struct Sample;

#[OpenApi]
impl Sample {
    /// Finds the thing of an id.
    #[oai(path = "/things/:id", method = "get", operation_id = "find")]
    async fn find(
        &self,
        /// Id of the thing.
        #[oai(validator(pattern = "^[A-Za-z0-9._~=-]{1,128}$"))]
        id: Path<String>,
        #[oai(
            default = "twenty",
            validator(minimum(value = "1"), maximum(value = "100"))
        )]
        limit: Query<u8>,
        #[oai(validator(minimum(value = "1"), maximum(value = "5")))] least: Query<Option<f64>>,
        since: Query<Option<chrono::NaiveDate>>,
        #[oai(default)] sort: Query<Sort>,
        #[oai(name = "If-None-Match")] tag: Header<Option<String>>,
    ) -> Answer {
        let _ = (id, limit, least, since, sort, tag);
        ready(Answer::NotModified).await
    }

    /// Takes a body of bytes.
    #[oai(path = "/things", method = "post", operation_id = "take")]
    async fn take(&self, bytes: Binary<Vec<u8>>) -> Json<u64> {
        ready(Json(bytes.0.len() as u64)).await
    }
}

fn twenty() -> u8 {
    20
}

/// Every object in the document that has a `schema`, and every schema among the components.
fn schemas(document: &Value) -> Vec<Value> {
    let mut found: Vec<Value> = document["components"]["schemas"]
        .as_object()
        .unwrap()
        .values()
        .cloned()
        .collect();
    let mut rest = vec![document];
    while let Some(value) = rest.pop() {
        found.extend(value.get("schema").cloned());
        rest.extend(value.as_array().into_iter().flatten());
        rest.extend(
            value
                .as_object()
                .into_iter()
                .flat_map(serde_json::Map::values),
        );
    }
    found
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "OPENAPI_SAMPLE keeps the document for checkers outside of this test"
)]
fn what_the_framework_writes_becomes_a_document_of_3_1() {
    let service = OpenApiService::new(Sample, "Sample", "1.0.0").server("https://example.com");
    let document = to_3_1(serde_json::from_str(&service.spec()).unwrap());
    if let Some(path) = std::env::var_os("OPENAPI_SAMPLE") {
        std::fs::write(path, document.to_string()).unwrap();
    }
    let schemas = schemas(&document);
    assert_eq!(schemas.len(), 14, "all are checked");
    for schema in schemas {
        assert!(jsonschema::draft202012::meta::is_valid(&schema), "{schema}");
    }
    let thing = &document["components"]["schemas"]["Thing"]["properties"];
    assert_eq!(
        thing["stars"],
        json!({"type": "integer", "minimum": 1, "exclusiveMaximum": 5})
    );
    assert_eq!(thing["note"], json!({"type": ["string", "null"]}));
    assert_eq!(
        thing["inner"]["anyOf"],
        json!([{"$ref": "#/components/schemas/Inner"}, {"type": "null"}])
    );
    assert_eq!(thing["day"]["format"], "date");
    let find = &document["paths"]["/things/{id}"]["get"];
    assert!(find["responses"]["200"]["headers"].get("ETag").is_some());
    assert_eq!(find["parameters"][5]["name"], "If-None-Match");
}
