//! Converts the OpenAPI document from 3.0.0, which poem-openapi writes, to 3.1.0.
//!
//! It is superfluous once the framework writes 3.1, and converts only what our document contains. It changes only
//! schemas, so a default, an example or a property name that looks like a keyword stays unchanged. Request bodies,
//! responses and header fields refer to schemas among the components or have a plain text.

use serde_json::{Map, Value, json};

/// Converts the document. No operation needs a key (`security: []`).
pub fn to_3_1(mut document: Value) -> Value {
    for operation in members(&mut document, "paths")
        .filter_map(Value::as_object_mut)
        .flat_map(Map::values_mut)
    {
        let parameters = operation
            .get_mut("parameters")
            .and_then(Value::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            convert(&mut parameter["schema"]);
            complete(parameter);
        }
    }
    members(&mut document["components"], "schemas").for_each(convert);
    document["openapi"] = json!("3.1.0");
    document["jsonSchemaDialect"] = json!("https://spec.openapis.org/oas/3.1/dialect/base");
    document["security"] = json!([]);
    document
}

/// Moves the example from the schema to the parameter, and declares for each choice and flag in a query that an empty
/// value counts as absent. The schema of a text allows it anyway; an empty number or day is invalid, and a required
/// parameter may not be empty.
fn complete(parameter: &mut Value) {
    let schema = &mut parameter["schema"];
    let example = schema
        .as_object_mut()
        .and_then(|schema| schema.remove("example"));
    // Of components, parameters refer only to enums.
    let is_choice =
        schema["type"] == "boolean" || schema.get("enum").is_some() || schema.get("$ref").is_some();
    if is_choice && parameter["in"] == "query" && parameter["required"] != true {
        parameter["allowEmptyValue"] = json!(true);
    }
    if let Some(example) = example {
        parameter["example"] = example;
    }
}

fn convert(schema: &mut Value) {
    // `true` and `false` are schemas too.
    let Some(keywords) = schema.as_object_mut() else {
        return;
    };
    // 3.0 writes notes on a reference as `allOf: [{$ref}, {notes}]`; 3.1 allows them next to the reference, where the
    // framework repeats them.
    if let Some(mut parts) = keywords.remove("allOf") {
        keywords.insert("$ref".to_owned(), parts[0]["$ref"].take());
    }
    // JSON Schema has no `naive-date` and no unsigned formats.
    match keywords.get("format").and_then(Value::as_str) {
        Some("naive-date") => keywords["format"] = json!("date"),
        Some(unsigned) if unsigned.starts_with("uint") => {
            keywords.remove("format");
            keywords.entry("minimum").or_insert(json!(0));
        }
        Some(_) | None => {}
    }
    // The framework writes every bound as a float; a whole one loses its `.0`.
    for keyword in ["minimum", "maximum"] {
        let bound = keywords.get(keyword).and_then(Value::as_f64);
        if let Some(Ok(whole)) = bound.map(|bound| bound.to_string().parse::<i64>()) {
            keywords[keyword] = json!(whole);
        }
    }
    for keyword in ["items", "additionalProperties"] {
        if let Some(within) = keywords.get_mut(keyword) {
            convert(within);
        }
    }
    members(schema, "properties").for_each(convert);
}

/// The values of the object under `key`.
fn members<'a>(holder: &'a mut Value, key: &str) -> impl Iterator<Item = &'a mut Value> {
    holder
        .get_mut(key)
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(Map::values_mut)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::to_3_1;

    #[test]
    fn schemas_are_rewritten_for_openapi_3_1() {
        let reference = "#/components/schemas/Y";
        for (name, before, after) in [
            (
                "a reference with a default",
                json!({"allOf": [{"$ref": reference}, {"default": "x"}], "default": "x"}),
                json!({"$ref": reference, "default": "x"}),
            ),
            (
                "bounds",
                json!({"type": "number", "minimum": -1.0, "maximum": 2.5}),
                json!({"type": "number", "minimum": -1, "maximum": 2.5}),
            ),
            (
                "a bound that is too large for an integer",
                json!({"type": "number", "maximum": 1e300}),
                json!({"type": "number", "maximum": 1e300}),
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
                "schemas within",
                json!({"type": "array", "items": {"additionalProperties": {"format": "uint8"}}}),
                json!({"type": "array", "items": {"additionalProperties": {"minimum": 0}}}),
            ),
            (
                "no other property",
                json!({"type": "object", "additionalProperties": false}),
                json!({"type": "object", "additionalProperties": false}),
            ),
            (
                "values that look like schemas",
                json!({"default": {"format": "uint8"}, "enum": [{"format": "uint8"}]}),
                json!({"default": {"format": "uint8"}, "enum": [{"format": "uint8"}]}),
            ),
            (
                "properties that are called like keywords",
                json!({"properties": {"format": {"format": "uint8"}, "minimum": true}}),
                json!({"properties": {"format": {"minimum": 0}, "minimum": true}}),
            ),
        ] {
            let document = to_3_1(json!({
                "openapi": "3.0.0",
                "info": {"title": "t"},
                "paths": {"/default": {
                    "get": {"parameters": [{"schema": before, "example": "stays", "in": "path"}]},
                    "post": {"responses": {}},
                }},
                "components": {"schemas": {"default": before}},
            }));
            let expected = json!({
                "openapi": "3.1.0",
                "jsonSchemaDialect": "https://spec.openapis.org/oas/3.1/dialect/base",
                "info": {"title": "t"},
                "paths": {"/default": {
                    "get": {"parameters": [{"schema": after, "example": "stays", "in": "path"}]},
                    "post": {"responses": {}},
                }},
                "components": {"schemas": {"default": after}},
                "security": [],
            });
            assert_eq!(document, expected, "{name}");
        }
    }
}
