//! Schemas of tools, cut from the OpenAPI 3.1 document so that agents and REST are promised the
//! same.
//!
//! Each stands alone: what it refers to is put in its place. There is no `$schema`, for clients'
//! validators take what the protocol says (2020-12) or know no other dialect than their own, and
//! these schemas mean the same in all.

use serde_json::{Map, Value, json};

use super::definitions::Object;

/// How far schemas may refer to others; deeper is anything.
const REFERENCES_MAX: usize = 16;

/// The OpenAPI document, to cut from.
#[derive(Debug, Clone, Copy)]
pub struct Cutter<'a>(pub &'a Value);

impl Cutter<'_> {
    /// The component of that name.
    #[must_use]
    pub fn component(self, name: &str) -> Object {
        let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
        object(self.inline(&schema, 0))
    }

    /// What an operation's parameters are, in the document's order: name, schema with its
    /// description, and whether it must be given.
    #[must_use]
    pub fn parameters(self, operation_id: &str) -> Vec<(String, Object, bool)> {
        let items = self
            .0
            .get("paths")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(Map::values);
        let operations = items.filter_map(Value::as_object).flat_map(Map::values);
        let mut operations = operations.filter(|operation| {
            operation
                .get("operationId")
                .is_some_and(|id| id == operation_id)
        });
        let parameters = operations
            .next()
            .and_then(|operation| operation.get("parameters")?.as_array());
        let parameter = |parameter: &Value| {
            let mut schema = object(self.inline(parameter.get("schema")?, 0));
            if let Some(description) = parameter.get("description") {
                schema.insert("description".to_owned(), description.clone());
            }
            let is_required = parameter
                .get("required")
                .and_then(Value::as_bool)
                .unwrap_or(false);
            Some((
                parameter.get("name")?.as_str()?.to_owned(),
                schema,
                is_required,
            ))
        };
        parameters
            .into_iter()
            .flatten()
            .filter_map(parameter)
            .collect()
    }

    fn inline(self, schema: &Value, depth: usize) -> Value {
        match schema {
            Value::Object(members) => {
                let mut inlined = Map::new();
                for (name, member) in members {
                    match (name.as_str(), member) {
                        ("$ref", Value::String(reference)) => {
                            let target = self
                                .0
                                .pointer(reference.trim_start_matches('#'))
                                .filter(|_| depth < REFERENCES_MAX);
                            let target = target
                                .map(|target| object(self.inline(target, depth + 1)))
                                .unwrap_or_default();
                            // What stands beside a reference says more than what it refers to.
                            for (name, member) in target {
                                inlined.entry(name).or_insert(member);
                            }
                        }
                        // The name of a type of ours; a property called `title` has an object here.
                        ("title", Value::String(_)) => {}
                        _ => drop(inlined.insert(name.clone(), self.inline(member, depth))),
                    }
                }
                Value::Object(inlined)
            }
            Value::Array(items) => items.iter().map(|item| self.inline(item, depth)).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => schema.clone(),
        }
    }
}

/// One property of an object's schema.
#[must_use]
pub fn property(schema: &Object, name: &str) -> Value {
    schema
        .get("properties")
        .and_then(|properties| properties.get(name))
        .cloned()
        .unwrap_or_default()
}

/// An object of these properties, of which the first `required` ones are always there.
#[must_use]
pub fn answer(properties: Vec<(&str, Value)>, required: usize) -> Object {
    let names: Vec<&str> = properties
        .iter()
        .take(required)
        .map(|(name, _)| *name)
        .collect();
    let properties: Object = properties
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema))
        .collect();
    object(json!({ "type": "object", "properties": properties, "required": names }))
}

/// What an answer's schema is made of in the list of tools, which is sent with every conversation:
/// what there is and of which type. What it means its name says, and the API's own description.
const KEPT: [&str; 6] = [
    "type",
    "properties",
    "items",
    "anyOf",
    "oneOf",
    "additionalProperties",
];

/// The schema of an answer with these alone, and with `required` at its top.
#[must_use]
pub fn bare(schema: Object) -> Object {
    fn strip(schema: &mut Value) {
        let Some(members) = schema.as_object_mut() else {
            return;
        };
        members.retain(|name, _| KEPT.contains(&name.as_str()));
        for (name, member) in members {
            match (name.as_str(), member) {
                ("properties", Value::Object(properties)) => {
                    properties.values_mut().for_each(strip);
                }
                ("anyOf" | "oneOf", Value::Array(all)) => all.iter_mut().for_each(strip),
                ("items" | "additionalProperties", inner) => strip(inner),
                (_, _) => {}
            }
        }
    }
    let required = schema.get("required").cloned();
    let mut bare = Value::Object(schema);
    strip(&mut bare);
    let mut bare = object(bare);
    bare.extend(required.map(|required| ("required".to_owned(), required)));
    bare
}

/// The schema of an argument as every client takes it: Gemini's function declarations and `OpenAI`'s
/// strict ones refuse most keywords, so bounds and defaults are said in words. The parse of the
/// argument holds them.
#[must_use]
pub fn plain(schema: Object) -> Object {
    let mut words = schema
        .get("description")
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let bound = |name: &str| schema.get(name).map(written);
    if let (Some(least), Some(most)) = (bound("minimum"), bound("maximum")) {
        words = format!("{} {least} to {most}.", words.trim_end());
    }
    if let Some(default) = bound("default") {
        words = format!("{} {default} where left out.", words.trim_end());
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

/// The schema with the members of objects that lie at most `depth` objects below it, rows of lists
/// not counted: what lies deeper is anything, and its name says the rest.
pub fn shallow(schema: &mut Value, depth: usize) {
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    if depth == 0 && members.contains_key("properties") {
        members.clear();
        return;
    }
    for property in members
        .get_mut("properties")
        .and_then(Value::as_object_mut)
        .into_iter()
        .flat_map(Map::values_mut)
    {
        shallow(property, depth.saturating_sub(1));
    }
    if let Some(items) = members.get_mut("items") {
        shallow(items, depth + 1);
    }
}

/// The schema in which these of its own properties, or the rows of these lists, are anything: they
/// are like others that are described.
pub fn alike(schema: &mut Object, names: &[&str]) {
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for (_, property) in properties
        .into_iter()
        .flatten()
        .filter(|(name, _)| names.contains(&name.as_str()))
    {
        match property.get_mut("items") {
            Some(items) => *items = json!({}),
            None => *property = json!({}),
        }
    }
}

/// The members of what is an object.
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

    use super::{Cutter, alike, bare, object, plain, shallow};

    #[test]
    fn what_is_referred_to_is_put_in_its_place() {
        let document = json!({"components": {"schemas": {
            "A": {"title": "A", "type": "object", "required": ["b"], "properties": {
                "b": {"$ref": "#/components/schemas/B", "description": "mine"}, "title": {"type": "string"}}},
            "B": {"title": "B", "type": "string", "description": "theirs"},
            "C": {"items": {"$ref": "#/components/schemas/C"}},
        }}});
        let expected = json!({"type": "object", "required": ["b"], "properties": {
            "b": {"type": "string", "description": "mine"}, "title": {"type": "string"}}});
        assert_eq!(Value::Object(Cutter(&document).component("A")), expected);
        // What refers to itself ends, and takes anything there.
        assert!(
            Value::Object(Cutter(&document).component("C"))
                .to_string()
                .len()
                < 1_000
        );
    }

    #[test]
    fn an_answer_is_described_by_what_there_is_and_of_which_type() {
        let schema = json!({"description": "a", "required": ["b"], "properties": {"b": {"description": "b", "format": "date",
            "required": ["description"], "type": "object", "properties": {
            "description": {"type": "string", "description": "c"}}, "items": {"description": "d", "minimum": 1}}}});
        let expected = json!({"required": ["b"], "properties": {"b": {"type": "object", "properties": {
            "description": {"type": "string"}}, "items": {}}}});
        assert_eq!(Value::Object(bare(object(schema))), expected);
    }

    #[test]
    fn bounds_of_arguments_are_said_in_words() {
        let schema = json!({"type": "integer", "format": "uint8", "minimum": 1.0, "maximum": 100.0, "default": 20,
            "description": "Most reviews to return."});
        let expected = json!({"type": "integer",
            "description": "Most reviews to return. 1 to 100. 20 where left out."});
        assert_eq!(Value::Object(plain(object(schema))), expected);
    }

    #[test]
    fn what_lies_deep_is_anything_but_rows_of_lists() {
        let row = json!({"type": "object", "properties": {"b": {"type": "object", "properties": {"c": {}}}, "d": {}}});
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "array", "items": row}, "e": row}});
        shallow(&mut schema, 1);
        let row = json!({"type": "object", "properties": {"b": {}, "d": {}}});
        let expected = json!({"type": "object", "properties": {"a": {"type": "array", "items": row}, "e": {}}});
        assert_eq!(schema, expected);
        let mut schema = object(expected);
        alike(&mut schema, &["a"]);
        assert_eq!(
            schema["properties"]["a"],
            json!({"type": "array", "items": {}})
        );
    }
}
