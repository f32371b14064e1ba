//! Schemas of tools, cut from the OpenAPI 3.1 document so that agents and REST are promised the same.
//!
//! Each stands alone: what it refers to is put in its place. There is no `$schema`, for clients' validators take what the
//! protocol says (2020-12) or know no other dialect than their own, and these schemas mean the same in all.

use serde_json::{Map, Value, json};

use super::listing::Object;

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

    /// What an operation's parameters are, in the document's order: name, schema with its description, and whether it
    /// must be given.
    #[must_use]
    pub fn parameters(self, operation_id: &str) -> Vec<(String, Object, bool)> {
        let items = self.0.get("paths").and_then(Value::as_object).into_iter().flat_map(Map::values);
        let operations = items.filter_map(Value::as_object).flat_map(Map::values);
        let mut operations = operations.filter(|operation| operation.get("operationId").is_some_and(|id| id == operation_id));
        let parameters = operations.next().and_then(|operation| operation.get("parameters")?.as_array());
        let parameter = |parameter: &Value| {
            let mut schema = object(self.inline(parameter.get("schema")?, 0));
            if let Some(description) = parameter.get("description") {
                schema.insert("description".to_owned(), description.clone());
            }
            let is_required = parameter.get("required").and_then(Value::as_bool).unwrap_or(false);
            Some((parameter.get("name")?.as_str()?.to_owned(), schema, is_required))
        };
        parameters.into_iter().flatten().filter_map(parameter).collect()
    }

    fn inline(self, schema: &Value, depth: usize) -> Value {
        match schema {
            Value::Object(members) => {
                let mut inlined = Map::new();
                for (name, member) in members {
                    match (name.as_str(), member) {
                        ("$ref", Value::String(reference)) => {
                            let target = self.0.pointer(reference.trim_start_matches('#')).filter(|_| depth < REFERENCES_MAX);
                            let target = target.map(|target| object(self.inline(target, depth + 1))).unwrap_or_default();
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
    schema.get("properties").and_then(|properties| properties.get(name)).cloned().unwrap_or_default()
}

/// An object of these properties, of which the first `required` ones are always there.
#[must_use]
pub fn answer(properties: Vec<(&str, Value)>, required: usize) -> Object {
    let names: Vec<&str> = properties.iter().take(required).map(|(name, _)| *name).collect();
    let properties: Object = properties.into_iter().map(|(name, schema)| (name.to_owned(), schema)).collect();
    object(json!({ "type": "object", "properties": properties, "required": names }))
}

/// The schema without the promise that members of this name are there, wherever they stand in it.
pub fn relax(schema: &mut Value, name: &str) {
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|required| required != name);
    }
    match schema {
        Value::Object(members) => members.values_mut().for_each(|member| relax(member, name)),
        Value::Array(items) => items.iter_mut().for_each(|item| relax(item, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The schema with descriptions of its own properties alone: what stands deeper says itself by its name, and the list of
/// tools is sent with every conversation.
#[must_use]
pub fn lean(mut schema: Object) -> Object {
    fn strip(schema: &mut Value) {
        match schema {
            Value::Object(members) => {
                // A property called `description` has an object here.
                members.retain(|name, member| name != "description" || !member.is_string());
                members.values_mut().for_each(strip);
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
    for property in properties.into_iter().flat_map(Map::values_mut).filter_map(Value::as_object_mut) {
        property.iter_mut().filter(|(name, _)| *name != "description").for_each(|(_, member)| strip(member));
    }
    schema
}

/// The schema with the members of objects that lie at most `depth` objects below it: what lies deeper is any object. For large
/// documents, whose names say the rest.
pub fn shallow(schema: &mut Value, depth: usize) {
    let Some(members) = schema.as_object_mut() else { return };
    if depth == 0 && members.contains_key("properties") {
        members.retain(|name, _| name == "type");
        return;
    }
    for property in members.get_mut("properties").and_then(Value::as_object_mut).into_iter().flat_map(Map::values_mut) {
        shallow(property, depth.saturating_sub(1));
    }
    if let Some(items) = members.get_mut("items") {
        shallow(items, depth);
    }
}

/// The members of what is an object.
#[must_use]
pub fn object(value: Value) -> Object {
    match value {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Cutter, lean, object, relax, shallow};

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
        assert!(Value::Object(Cutter(&document).component("C")).to_string().len() < 1_000);
    }

    #[test]
    fn descriptions_stand_on_top_alone() {
        let schema = json!({"description": "a", "properties": {"b": {"description": "b", "properties": {
            "description": {"type": "string", "description": "c"}}, "items": {"description": "d"}}}});
        let expected = json!({"description": "a", "properties": {"b": {"description": "b", "properties": {
            "description": {"type": "string"}}, "items": {}}}});
        assert_eq!(Value::Object(lean(object(schema))), expected);
    }

    #[test]
    fn what_lies_deep_is_any_object() {
        let mut schema = json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object",
            "required": ["b"], "properties": {"b": {"type": "object", "properties": {"c": {}}, "required": ["c"]}, "d": {}}}}}});
        shallow(&mut schema, 2);
        let expected = json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "object",
            "required": ["b"], "properties": {"b": {"type": "object"}, "d": {}}}}}});
        assert_eq!(schema, expected);
    }

    #[test]
    fn what_may_be_left_out_is_not_required() {
        let mut schema = json!({"required": ["a", "b"], "properties": {"a": {"items": {"required": ["b"]}}}});
        relax(&mut schema, "b");
        assert_eq!(schema, json!({"required": ["a"], "properties": {"a": {"items": {"required": []}}}}));
    }
}
