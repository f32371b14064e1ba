//! JSON in which nothing is hidden: characters that show nothing, turn the direction of writing or
//! move a terminal's cursor are written as escapes. What was said is the same to every parser, and
//! plain to whoever reads the text itself, agents above all: review text is untrusted.

use std::fmt::Write as _;

/// The same JSON with such characters escaped. Those below U+0020 are escaped by every writer of
/// JSON already (RFC 8259 §7).
#[must_use]
pub fn escaped(json: String) -> String {
    // 0x7F is DEL; what is above begins a character outside of ASCII.
    if json.bytes().all(|byte| byte < 0x7F) || !json.chars().any(is_hidden) {
        return json;
    }
    let mut plain = String::with_capacity(json.len() + 64);
    for c in json.chars() {
        if is_hidden(c) {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                // Writing to a text cannot fail.
                let _ = write!(plain, "\\u{unit:04x}");
            }
        } else {
            plain.push(c);
        }
    }
    plain
}

/// How many bytes `json` would have with such characters escaped.
#[must_use]
pub fn length(json: &str) -> usize {
    if json.bytes().all(|byte| byte < 0x7F) {
        return json.len();
    }
    let grown = json
        .chars()
        .filter(|c| is_hidden(*c))
        .map(|c| 6 * c.len_utf16() - c.len_utf8());
    json.len() + grown.sum::<usize>()
}

/// Controls, marks of direction, separators that break lines, what has no width (but the joiners,
/// which scripts and emoji need), annotations, and tags and the later variation selectors, in which
/// whole texts can be written unseen.
const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{7F}'..='\u{9F}'
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{escaped, length};

    #[test]
    fn what_is_hidden_is_escaped_and_means_the_same() {
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
            let json = Value::from(text).to_string();
            let bytes = length(&json);
            let json = escaped(json);
            assert_eq!(json.len(), bytes);
            assert_eq!(json, format!("\"{shown}\""));
            assert_eq!(serde_json::from_str::<Value>(&json).unwrap(), text);
        }
    }
}
