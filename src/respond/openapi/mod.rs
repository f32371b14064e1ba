//! The API document as OAS 3.1.0, from the 3.0.0 that poem-openapi writes.
//!
//! Apart, because it knows two versions of a specification and nothing of the service: a version of
//! the framework that writes 3.1 itself makes it superfluous. It walks the places where schemas
//! stand, so what looks like a keyword in a default, an example or a property's name is left as it
//! is.

use serde_json::{Map, Number, Value, json};

/// The members of a path item that are operations (OAS 3.1.0 §4.8.9.1).
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];
/// Formats that OAS 3.1.0 §4.4 or JSON Schema 2020-12 §7.3 define; others say nothing to a reader.
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
/// Header names that are not spelt with one capital for each part.
const HEADERS: [&str; 5] = [
    "ETag",
    "RateLimit",
    "RateLimit-Policy",
    "MCP-Protocol-Version",
    "WWW-Authenticate",
];
/// What makes a member of `allOf` a schema of its own, rather than a note on the one beside it.
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

/// The same document in OAS 3.1.0. Nothing in it needs a key (`security: []`).
#[must_use]
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

/// The rules, in an order that matters: a null is added to what the earlier ones leave.
fn schema(schema: &mut Value) {
    // `true` and `false` are schemas, too.
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

/// `allOf: [{$ref}, {notes}]` is how 3.0 has notes beside a reference; in 3.1 they may stand there
/// themselves.
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

/// `nullable` is a type in 3.1. A schema without a type takes null as it is.
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

/// Binary texts are a media type in 3.1; a format that nobody defines goes, and an unsigned one
/// leaves its least.
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

/// The number without its `.0`, where it has no more than that and is exact as a float.
fn integral(float: f64) -> Option<Number> {
    let exact = float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0;
    exact
        .then(|| float.to_string().parse::<i64>().ok().map(Number::from))
        .flatten()
}

/// A header's name as its specification writes it; the framework writes capitals only.
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
mod tests;
