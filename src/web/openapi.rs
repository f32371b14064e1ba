//! Converts the OpenAPI document from 3.0.0, which poem-openapi writes, to 3.1.0.
//!
//! It is independent of the service, and superfluous once the framework writes 3.1. It changes only schemas, so a
//! default, an example or a property name that looks like a keyword stays unchanged.

use serde_json::{Map, Number, Value, json};

/// The members of a path item that are operations (OAS 3.1.0 §4.8.9.1).
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];
/// Formats of OAS 3.1.0 §4.4 or JSON Schema 2020-12 §7.3; others have no defined meaning.
const FORMATS: [&str; 24] = [
    "int32",
    "int64",
    "float",
    "double",
    "password",
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uri-template",
    "uuid",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];
/// Header names that are not spelled with one capital per part.
const HEADERS: [&str; 5] = [
    "ETag",
    "RateLimit",
    "RateLimit-Policy",
    "MCP-Protocol-Version",
    "WWW-Authenticate",
];
/// If a member of `allOf` has one of these keywords it is a schema; otherwise it only annotates the reference beside it.
const STRUCTURE: [&str; 8] = [
    "$ref",
    "type",
    "properties",
    "items",
    "enum",
    "allOf",
    "anyOf",
    "oneOf",
];

/// Converts the document. No operation needs a key (`security: []`).
pub fn to_3_1(mut document: Value) -> Value {
    for group in ["paths", "webhooks"] {
        for item in members(&mut document, group) {
            each(item.get_mut("parameters"), parameter);
            for method in METHODS {
                if let Some(found) = item.get_mut(method) {
                    operation(found);
                }
            }
        }
    }
    if let Some(components) = document.get_mut("components") {
        members(components, "schemas").for_each(schema);
    }
    if let Some(root) = document.as_object_mut() {
        root.insert("openapi".to_owned(), json!("3.1.0"));
        root.insert(
            "jsonSchemaDialect".to_owned(),
            json!("https://spec.openapis.org/oas/3.1/dialect/base"),
        );
        root.insert("security".to_owned(), json!([]));
    }
    document
}

fn operation(operation: &mut Value) {
    each(operation.get_mut("parameters"), parameter);
    if let Some(request) = operation.get_mut("requestBody") {
        content(request);
    }
    for response in members(operation, "responses") {
        content(response);
        if let Some(Value::Object(headers)) = response.get_mut("headers") {
            *headers = std::mem::take(headers)
                .into_iter()
                .map(|(name, header)| (spelling(&name), header))
                .collect();
        }
        members(response, "headers").for_each(holder);
    }
}

fn parameter(parameter: &mut Value) {
    if parameter.get("in").is_some_and(|place| place == "header")
        && let Some(Value::String(name)) = parameter.get_mut("name")
    {
        *name = spelling(name);
    }
    holder(parameter);
}

fn content(holder_of_content: &mut Value) {
    members(holder_of_content, "content").for_each(holder);
}

fn holder(holder: &mut Value) {
    if let Some(found) = holder.get_mut("schema") {
        schema(found);
    }
}

/// Applies the rules in order: nullability applies to the result of the others.
fn schema(schema: &mut Value) {
    // `true` and `false` are schemas too.
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    unwrap_reference(keywords);
    make_nullable(keywords);
    make_exclusive(keywords, "exclusiveMinimum", "minimum");
    make_exclusive(keywords, "exclusiveMaximum", "maximum");
    if let Some(example) = keywords.remove("example") {
        keywords.insert("examples".to_owned(), json!([example]));
    }
    settle_format(keywords);
    for keyword in [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
    ] {
        if let Some(whole) = keywords
            .get(keyword)
            .and_then(Value::as_f64)
            .and_then(integral)
        {
            keywords.insert(keyword.to_owned(), Value::Number(whole));
        }
    }
    descend(schema);
}

fn descend(within: &mut Value) {
    for keyword in ["properties", "patternProperties"] {
        members(within, keyword).for_each(schema);
    }
    for keyword in ["allOf", "anyOf", "oneOf"] {
        each(within.get_mut(keyword), schema);
    }
    for keyword in ["items", "additionalProperties", "not"] {
        if let Some(found) = within.get_mut(keyword) {
            schema(found);
        }
    }
}

/// 3.0 writes notes on a reference as `allOf: [{$ref}, {notes}]`; 3.1 allows them next to the reference.
fn unwrap_reference(keywords: &mut Map<String, Value>) {
    let Some([reference, notes]) = keywords
        .get("allOf")
        .and_then(Value::as_array)
        .map(Vec::as_slice)
    else {
        return;
    };
    let (Some(target), Some(notes)) = (reference.get("$ref"), notes.as_object()) else {
        return;
    };
    if reference
        .as_object()
        .is_none_or(|reference| reference.len() > 1)
        || notes.keys().any(|key| STRUCTURE.contains(&key.as_str()))
    {
        return;
    }
    let (target, notes) = (target.clone(), notes.clone());
    keywords.remove("allOf");
    keywords.extend(notes);
    if keywords.remove("nullable") == Some(json!(true)) {
        keywords.insert(
            "anyOf".to_owned(),
            json!([{"$ref": target}, {"type": "null"}]),
        );
    } else {
        keywords.insert("$ref".to_owned(), target);
    }
}

/// In 3.1, `nullable` is the type `null`. A schema without a type accepts null already.
fn make_nullable(keywords: &mut Map<String, Value>) {
    if keywords.remove("nullable") != Some(json!(true)) {
        return;
    }
    if let Some(kind) = keywords.get_mut("type") {
        *kind = json!([kind.take(), "null"]);
    }
    if let Some(Value::Array(choices)) = keywords.get_mut("enum")
        && !choices.contains(&Value::Null)
    {
        choices.push(Value::Null);
    }
    for keyword in ["anyOf", "oneOf"] {
        if let Some(Value::Array(choices)) = keywords.get_mut(keyword) {
            choices.push(json!({"type": "null"}));
        }
    }
}

/// `exclusiveMinimum: true` beside `minimum: 1` is `exclusiveMinimum: 1` in 3.1.
fn make_exclusive(keywords: &mut Map<String, Value>, exclusive: &str, inclusive: &str) {
    let Some(is_exclusive) = keywords.get(exclusive).and_then(Value::as_bool) else {
        return;
    };
    keywords.remove(exclusive);
    if is_exclusive && let Some(bound) = keywords.remove(inclusive) {
        keywords.insert(exclusive.to_owned(), bound);
    }
}

/// In 3.1, binary text is a media type. An undefined format is removed; an unsigned one leaves `minimum: 0`.
fn settle_format(keywords: &mut Map<String, Value>) {
    let Some(Value::String(format)) = keywords.remove("format") else {
        return;
    };
    let (keyword, value) = match format.as_str() {
        "binary" => ("contentMediaType", json!("application/octet-stream")),
        "byte" => ("contentEncoding", json!("base64")),
        "naive-date" => ("format", json!("date")),
        known if FORMATS.contains(&known) => ("format", json!(known)),
        unsigned if unsigned.starts_with("uint") && !keywords.contains_key("exclusiveMinimum") => {
            ("minimum", json!(0))
        }
        _ => return,
    };
    keywords.entry(keyword).or_insert(value);
}

/// The number without its `.0`, if it is an integer and exact as a float.
fn integral(float: f64) -> Option<Number> {
    let exact = float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0;
    exact
        .then(|| float.to_string().parse::<i64>().ok().map(Number::from))
        .flatten()
}

/// A header's name as its specification spells it; the framework writes capitals only.
fn spelling(name: &str) -> String {
    if let Some(known) = HEADERS
        .iter()
        .find(|known| known.eq_ignore_ascii_case(name))
    {
        return (*known).to_owned();
    }
    let part = |part: &str| {
        part.chars()
            .take(1)
            .flat_map(char::to_uppercase)
            .chain(part.chars().skip(1).flat_map(char::to_lowercase))
            .collect()
    };
    name.split('-').map(part).collect::<Vec<String>>().join("-")
}

fn members<'a>(holder: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    holder
        .get_mut(key)
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(Map::values_mut)
}

fn each(list: Option<&mut Value>, change: fn(&mut Value)) {
    list.and_then(Value::as_array_mut)
        .into_iter()
        .flatten()
        .for_each(change);
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use poem_openapi::param::{Header, Path, Query};
    use poem_openapi::payload::{Binary, Json};
    use poem_openapi::{ApiResponse, Enum, Object, OpenApi, OpenApiService, Union};
    use serde_json::{Value, json};

    use super::to_3_1;

    /// Converts a schema among the components.
    fn changed(schema: &Value) -> Value {
        to_3_1(json!({"openapi": "3.0.0", "components": {"schemas": {"X": schema}}}))["components"]
            ["schemas"]["X"]
            .take()
    }

    /// Case, schema before, schema after.
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
        let nullable =
            || json!({"schema": {"type": "string", "nullable": true}, "example": "stays"});
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
}
