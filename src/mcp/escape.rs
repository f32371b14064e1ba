//! Escapes characters that are invisible, change the direction of writing or control a terminal, as JSON escapes
//! (`\u001b`). The JSON stays equivalent, and agents and terminals show every character of untrusted text.

use std::fmt::Write as _;

use serde_json::Value;

pub fn escaped(text: String) -> String {
    if !text.chars().any(is_hidden) {
        return text;
    }
    let mut plain = String::with_capacity(text.len() + 64);
    for c in text.chars() {
        if is_hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing into a String cannot fail.
                let _ = write!(plain, "\\u{unit:04x}");
            }
        } else {
            plain.push(c);
        }
    }
    plain
}

/// Control characters except tabs and line ends, direction marks, separators that break lines, zero-width characters
/// (except joiners, which scripts and emoji need), annotations, and tags and the later variation selectors, in which
/// whole texts can be hidden.
const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{8}'
            | '\u{B}'..='\u{1F}'
            | '\u{7F}'..='\u{9F}'
            | '\u{AD}'
            | '\u{61C}'
            | '\u{180E}'
            | '\u{200B}'
            | '\u{200E}'..='\u{200F}'
            | '\u{2028}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}'
            | '\u{FFF9}'..='\u{FFFB}'
            | '\u{E0000}'..='\u{E0FFF}'
    )
}

/// A result as JSON text without hidden characters.
pub fn escaped_json(value: &Value) -> String {
    // Unlike `to_string` of the value, it does not pass each piece through a formatter.
    let json = serde_json::to_string(value);
    escaped(json.unwrap_or_else(|error| unreachable!("a value is valid JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::escaped;

    #[test]
    fn hidden_characters_are_escaped_and_parse_to_the_same_text() {
        for (text, shown) in [
            ("plain", "plain"),
            (
                "größer 👨\u{200D}👩\u{200D}👧 可",
                "größer 👨\u{200D}👩\u{200D}👧 可",
            ),
            ("a\u{7F}\u{85}\u{9B}31m", "a\\u007f\\u0085\\u009b31m"),
            ("\u{202E}dlrow\u{2066}", "\\u202edlrow\\u2066"),
            ("\u{2028}\u{FEFF}\u{200B}", "\\u2028\\ufeff\\u200b"),
            ("\u{E0041}\u{E0100}", "\\udb40\\udc41\\udb40\\udd00"),
            ("\u{1b}[31m\n", "\\u001b[31m\\n"),
        ] {
            let json = escaped(Value::from(text).to_string());
            assert_eq!(json, format!("\"{shown}\""));
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), text);
        }
    }

    #[test]
    fn control_sequences_are_escaped_and_other_text_is_unchanged() {
        assert_eq!(
            escaped("a\u{1b}]0;b\u{7}\r\u{9b}1m\u{202e}c".to_owned()),
            "a\\u001b]0;b\\u0007\\u000d\\u009b1m\\u202ec"
        );
        let plain = "Zoë: 5 ★\n\tשלום \u{1f642}\n";
        assert_eq!(escaped(plain.to_owned()), plain);
    }
}
