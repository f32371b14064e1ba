//! JSON texts by the paths of their values: the values in them without parsing these, and their positions.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Number, Value};

/// The path of a member.
pub fn join(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// The members of an object by name; empty if it is none.
pub fn members(object: &str) -> BTreeMap<String, &str> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(object).unwrap_or_default();
    members
        .into_iter()
        .map(|(name, value)| (name, value.get()))
        .collect()
}

/// The last member of that name of an object.
pub fn member<'t>(object: &'t str, name: &str) -> Option<&'t str> {
    let mut found = None;
    visit(object, |member, value| {
        if member == name {
            found = Some(value);
        }
        ControlFlow::<()>::Continue(())
    });
    found
}

/// The elements of an array; empty if it is none.
pub fn elements(array: &str) -> Vec<&str> {
    let elements: Vec<&RawValue> = serde_json::from_str(array).unwrap_or_default();
    elements.into_iter().map(RawValue::get).collect()
}

/// Whether a text is an array of nothing but arrays.
pub fn is_empty_list(json: &str) -> bool {
    let mut bytes = json.bytes();
    bytes.all(|byte| b"[], \t\r\n".contains(&byte))
        && serde_json::from_str::<IgnoredAny>(json).is_ok()
}

/// Whether there is a list at a path of names, perhaps in each element of others, and nothing in it. The text is valid.
pub fn is_empty_at(json: &str, path: &str) -> bool {
    if json.starts_with('[') {
        let mut inner = elements(json).into_iter();
        return inner.all(|element| is_empty_at(element, path));
    }
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    member(json, name).is_some_and(|inner| is_empty_at(inner, rest))
}

/// Calls `each` with every element of an array, or member of an object with its name, until it breaks; returns with what. None is
/// kept, as there may be millions.
pub fn visit<'t, B>(text: &'t str, each: impl FnMut(&str, &'t str) -> ControlFlow<B>) -> Option<B> {
    let mut values = MemberVisitor { each, broken: None };
    let mut reader = serde_json::Deserializer::from_str(text);
    // What is broken, or neither array nor object, has no more values.
    let _ = reader.deserialize_any(&mut values);
    values.broken
}

struct MemberVisitor<F, B> {
    each: F,
    broken: Option<B>,
}

impl<'t, B, F: FnMut(&str, &'t str) -> ControlFlow<B>> MemberVisitor<F, B> {
    fn take<E: serde::de::Error>(&mut self, name: &str, value: &'t RawValue) -> Result<(), E> {
        if let ControlFlow::Break(broken) = (self.each)(name, value.get()) {
            self.broken = Some(broken);
            return Err(E::custom("enough"));
        }
        Ok(())
    }
}

impl<'t, B, F: FnMut(&str, &'t str) -> ControlFlow<B>> Visitor<'t> for &mut MemberVisitor<F, B> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array or an object")
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut elements: A) -> Result<(), A::Error> {
        while let Some(element) = elements.next_element()? {
            self.take("", element)?;
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'t>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(name) = members.next_key::<String>()? {
            self.take(&name, members.next_value()?)?;
        }
        Ok(())
    }
}

/// The value that a text is. A member that is written several times has all its values, and not the last one only: those of objects
/// together, others in one text.
///
/// # Errors
/// If it is no JSON.
pub fn parse(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(text).map(|Whole(value)| value)
}

struct Whole(Value);

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WholeVisitor).map(Self)
    }
}

struct WholeVisitor;

impl<'de> Visitor<'de> for WholeVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        while let Some(Whole(value)) = elements.next_element()? {
            values.push(value);
        }
        Ok(values.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Whole(value))) = members.next_entry()? {
            add_member(&mut object, name, value);
        }
        Ok(object.into())
    }
}

/// Adds a member to an object, which may have one of this name.
pub fn add_member(object: &mut Map<String, Value>, name: String, value: Value) {
    match (object.get_mut(&name), value) {
        (None, value) => _ = object.insert(name, value),
        (Some(former), value) if *former == value => {}
        (Some(Value::Object(former)), Value::Object(members)) => {
            for (name, value) in members {
                add_member(former, name, value);
            }
        }
        (Some(former), value) => {
            let [first, next] = [&*former, &value].map(plain_text);
            *former = format!("{first} / {next}").into();
        }
    }
}

/// A value as a text; empty for null.
pub fn plain_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

/// Line and column (both from 1) of the value at `path`, as `services[1].id`, or of the end of the object that lacks it.
pub fn locate(json: &str, path: &str) -> Option<(usize, usize)> {
    let mut value = serde_json::from_str::<&RawValue>(json).ok()?.get();
    let mut is_there = true;
    for step in path.replace('[', ".").replace(']', "").split('.') {
        let index = step.parse().unwrap_or(usize::MAX);
        let element = elements(value).get(index).copied();
        let Some(inner) = element.or_else(|| members(value).get(step).copied()) else {
            is_there = false;
            break;
        };
        value = inner;
    }
    let start = value.as_ptr() as usize - json.as_ptr() as usize;
    let at = if is_there {
        start
    } else {
        start + value.len() - 1
    };
    let before = &json[..at];
    let line = before.matches('\n').count() + 1;
    Some((line, at - before.rfind('\n').map_or(0, |end| end + 1) + 1))
}

/// The object without its members that are null.
pub fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(members) = &mut value {
        members.retain(|_, member| !member.is_null());
    }
    value
}

#[cfg(test)]
mod tests {
    use super::is_empty_list;

    #[test]
    fn list_of_empty_lists_is_empty() {
        for (json, is_empty) in [
            ("[]", true),
            (" [[ ], []]", true),
            ("{}", false),
            ("[{}]", false),
            ("[1]", false),
            ("[[]", false),
        ] {
            assert_eq!(is_empty_list(json), is_empty, "{json}");
        }
    }
}
