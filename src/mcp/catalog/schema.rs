//! Schemas of tools, taken from the OpenAPI 3.1 document, so that MCP and REST promise the same.
//!
//! References are replaced by their targets. `$schema` is omitted, because clients' validators assume the protocol's
//! dialect (2020-12) or know only their own, and these schemas mean the same in all.

use serde_json::{Map, Value, json};

use super::arguments::{Known, Object};

/// Maximum depth of references; below it anything is allowed.
const REFERENCES_MAX: usize = 16;

/// The OpenAPI document.
#[derive(Debug, Clone, Copy)]
pub struct ApiDocument<'a>(pub &'a Value);

impl ApiDocument<'_> {
    /// An operation's parameters, in the document's order.
    #[must_use]
    pub fn parameters(self, operation_id: &str) -> Vec<Known> {
        let paths = self.0.get("paths").and_then(Value::as_object);
        let items = paths.into_iter().flat_map(Map::values);
        let mut operations = items.filter_map(Value::as_object).flat_map(Map::values);
        let operation = operations.find(|operation| operation["operationId"] == operation_id);
        let parameters = operation.and_then(|operation| operation["parameters"].as_array());
        let known = |parameter: &Value| {
            let schema = self.resolved(&parameter["schema"]);
            let description = parameter["description"].as_str().unwrap_or_default();
            Some(Known {
                name: parameter["name"].as_str()?.to_owned(),
                schema: plain(schema, description),
                is_required: parameter["required"] == true,
            })
        };
        parameters.into_iter().flatten().filter_map(known).collect()
    }

    /// The schema of a result, reduced to members and types because the list of tools is sent with every conversation;
    /// names and the API's documentation give the meaning. Below `depth` objects anything is allowed; rows of lists do
    /// not count.
    #[must_use]
    pub fn answer(self, name: &str, depth: usize) -> Object {
        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
        let required = self.resolved(&reference).remove("required");
        let mut schema = object(self.brief(&reference, depth, REFERENCES_MAX));
        schema.extend(required.map(|required| ("required".to_owned(), required)));
        schema
    }

    fn brief(self, schema: &Value, depth: usize, references: usize) -> Value {
        let references = references - usize::from(schema.get("$ref").is_some());
        let schema = self.resolved(schema);
        if references == 0 || (depth == 0 && schema.contains_key("properties")) {
            return json!({});
        }
        let mut brief = Map::new();
        for (name, member) in schema {
            let kept = match (name.as_str(), &member) {
                ("properties", Value::Object(properties)) => properties
                    .iter()
                    .map(|(name, property)| {
                        let depth = depth.saturating_sub(1);
                        (name.clone(), self.brief(property, depth, references))
                    })
                    .collect(),
                ("anyOf" | "oneOf", Value::Array(all)) => all
                    .iter()
                    .map(|one| self.brief(one, usize::MAX, references))
                    .collect(),
                ("items", _) => self.brief(&member, depth.saturating_add(1), references),
                ("additionalProperties", Value::Object(_)) => {
                    self.brief(&member, usize::MAX, references)
                }
                ("type" | "additionalProperties", _) => member,
                _ => continue,
            };
            brief.insert(name, kept);
        }
        Value::Object(brief)
    }

    /// The members of a schema and of its reference; members next to the reference take precedence.
    fn resolved(self, schema: &Value) -> Object {
        let mut members = object(schema.clone());
        if let Some(Value::String(reference)) = members.remove("$ref") {
            let target = self.0.pointer(reference.trim_start_matches('#'));
            for (name, member) in object(target.cloned().unwrap_or_default()) {
                members.entry(name).or_insert(member);
            }
        }
        members
    }
}

/// The schema of an argument in the form that every client accepts: Gemini's function declarations and `OpenAI`'s
/// strict ones reject most keywords, so limits and defaults are described in words. The parser of the argument
/// enforces them.
fn plain(schema: Object, description: &str) -> Object {
    let mut words = description.to_owned();
    let bound = |name: &str| schema.get(name).map(written);
    if let (Some(least), Some(most)) = (bound("minimum"), bound("maximum")) {
        words = format!("{} {least} to {most}.", words.trim_end());
    }
    if let Some(default) = bound("default") {
        words = format!("{} Default {default}.", words.trim_end());
    }
    let mut plain: Object = schema
        .into_iter()
        .filter(|(name, _)| matches!(name.as_str(), "type" | "enum" | "items"))
        .collect();
    plain.insert("description".to_owned(), Value::String(words));
    plain
}

fn written(bound: &Value) -> String {
    bound
        .as_f64()
        .map_or_else(|| bound.to_string(), |bound| bound.to_string())
}

/// The members of an object; empty for any other value.
#[must_use]
pub fn object(value: Value) -> Object {
    match value {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{ApiDocument, object, plain};

    #[test]
    fn an_answer_is_described_by_what_there_is_and_of_which_type() {
        let document = json!({"components": {"schemas": {
            "A": {"title": "A", "type": "object", "required": ["b"], "properties": {
                "b": {"$ref": "#/components/schemas/B", "description": "mine"}, "title": {"type": "string"},
                "d": {"type": "array", "items": {"type": "object", "required": ["e"], "properties": {"e": {"type": "object", "properties": {}}}}}}},
            "B": {"title": "B", "type": "string", "format": "date", "description": "theirs"},
            "C": {"type": "array", "items": {"$ref": "#/components/schemas/C"}},
        }}});
        let schema = |name, depth| Value::Object(ApiDocument(&document).answer(name, depth));
        let row = json!({"type": "object", "properties": {"e": {}}});
        let mut expected = json!({"type": "object", "required": ["b"], "properties": {
            "b": {"type": "string"}, "title": {"type": "string"}, "d": {"type": "array", "items": row}}});
        assert_eq!(schema("A", 1), expected);
        let row = &mut expected["properties"]["d"]["items"];
        row["properties"]["e"] = json!({"type": "object", "properties": {}});
        assert_eq!(schema("A", 9), expected);
        // A recursive schema is cut and allows anything there.
        assert!(schema("C", 9).to_string().len() < 1_000);
    }

    #[test]
    fn bounds_of_arguments_are_said_in_words() {
        let schema = json!({"type": "integer", "format": "uint8", "minimum": 1.0, "maximum": 100.0, "default": 20});
        let expected = json!({"type": "integer",
            "description": "Maximum number of reviews to return. 1 to 100. Default 20."});
        let plain = plain(object(schema), "Maximum number of reviews to return.");
        assert_eq!(Value::Object(plain), expected);
    }
}
