//! Reads single members of a JSON answer. It is never parsed as a whole, because values take up to a hundred times the bytes of
//! their text.

use serde::de::IgnoredAny;

use crate::model::json;

/// The value at `path`, such as `response.pagination.total`.
pub fn member<'j>(json: &'j str, path: &str) -> Option<&'j str> {
    path.split('.').try_fold(json, json::member)
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
    let mut bytes = json.bytes();
    bytes.all(|byte| b"[], \t\r\n".contains(&byte))
        && serde_json::from_str::<IgnoredAny>(json).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_is_found_by_its_path() {
        let json = r#"{"a": {"b": {"c": "x"}, "b2": 7}, "list": [1, {"a": 2}], "t\u006fken": "n", "token": "y", "empty": ""}"#;
        let words = [
            "a.b.c", "a.b2", "token", "empty", "list", "a.none", "a.b2.c",
        ];
        let found = words.map(|path| member(json, path).and_then(word));
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(
            found,
            [text("x"), text("7"), text("y"), None, None, None, None]
        );
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
