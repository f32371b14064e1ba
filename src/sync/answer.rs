//! Reads single members of a JSON answer. It is never parsed as a whole, because values take up to a hundred times the bytes of
//! their text.

use std::fmt;

use serde::Deserializer as _;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde_json::Deserializer;
use serde_json::value::RawValue;

/// Calls the function with every member of an object; nothing happens if it is none.
pub fn each_member<'j>(json: &'j str, each: impl FnMut(&str, &'j str)) {
    let _ = Deserializer::from_str(json).deserialize_map(Each(each));
}

/// Calls the function with every element of an array; returns whether it is one.
pub fn each_element<'j>(json: &'j str, mut each: impl FnMut(&'j str)) -> bool {
    let read = Deserializer::from_str(json).deserialize_seq(Each(|_: &str, element| each(element)));
    read.is_ok()
}

/// The value at `path`, such as `response.pagination.total`; of equal names the first.
pub fn member<'j>(json: &'j str, path: &str) -> Option<&'j str> {
    path.split('.').try_fold(json, |json, name| {
        let mut found = None;
        each_member(json, |other, value| {
            if found.is_none() && other == name {
                found = Some(value);
            }
        });
        found
    })
}

/// The text of a string that is not empty, or of a number.
pub fn word(json: &str) -> Option<String> {
    if json.starts_with('"') {
        let text: Option<String> = serde_json::from_str(json).ok();
        return text.filter(|text| !text.is_empty());
    }
    json.starts_with(|first: char| first == '-' || first.is_ascii_digit())
        .then(|| json.to_owned())
}

/// Whether this is an array without rows, which may be in groups.
pub fn is_empty_list(json: &str) -> bool {
    let mut is_empty = true;
    let is_list = each_element(json, |element| {
        is_empty &=
            element.starts_with('[') && element.len() < EMPTY_GROUP_BYTES && is_empty_list(element);
    });
    is_list && is_empty
}

/// A longer group is not looked into.
const EMPTY_GROUP_BYTES: usize = 16;

/// Calls a function with each member of an object, or with each element of an array and no name.
struct Each<F>(F);

impl<'de, F: FnMut(&str, &'de str)> Visitor<'de> for Each<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or an array")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            (self.0)(&name, map.next_value::<&RawValue>()?.get());
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<(), A::Error> {
        while let Some(element) = list.next_element::<&RawValue>()? {
            (self.0)("", element.get());
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_is_found_by_its_path() {
        let json = r#"{"a": {"b": {"c": "x"}, "b2": 7}, "list": [1, {"a": 2}], "t\u006fken": "y", "empty": ""}"#;
        let words = [
            "a.b.c", "a.b2", "token", "empty", "list", "a.none", "a.b2.c",
        ];
        let found = words.map(|path| member(json, path).and_then(word));
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            found,
            [text("x"), text("7"), text("y"), None, None, None, None]
        );
        let mut elements = Vec::new();
        assert!(each_element(member(json, "list").unwrap(), |it| elements.push(it)));
        assert_eq!(elements, ["1", r#"{"a": 2}"#]);
        for (json, is_empty) in [
            ("[]", true),
            (" [[ ], []]", true),
            ("{}", false),
            ("[{}]", false),
            ("[1]", false),
        ] {
            assert_eq!(is_empty_list(json), is_empty, "{json}");
        }
    }
}
