//! JSON as text for agents: the same values, but every character that hides, reorders or commands is written as an escape.
//!
//! Apart from `serde_json`, which escapes what is below U+0020 and no more. Whoever parses the text gets the characters
//! back; whoever reads it as it is, a model or a terminal, sees `\u202e` in the place of a command.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};

/// Whether a character is shown by its number. Not the joiners U+200C and U+200D, nor U+FE0F: scripts and emoji need them.
const fn is_escaped(character: char) -> bool {
    matches!(character,
        // DEL and the second set of controls, where terminals find commands.
        '\u{7F}'..='\u{9F}' | '\u{AD}'
        // Marks, overrides and isolates of direction; separators that JavaScript takes for the end of a line.
        | '\u{61C}' | '\u{180E}' | '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}'
        // Tags and the later variation selectors: whole texts can be written in them, unseen.
        | '\u{E0000}'..='\u{E0FFF}')
}

struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: io::Write + ?Sized>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut written = 0;
        for (at, character) in special(fragment) {
            writer.write_all(&fragment.as_bytes()[written..at])?;
            for unit in character.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            written = at + character.len_utf8();
        }
        CompactFormatter.write_string_fragment(writer, &fragment[written..])
    }
}

fn special(text: &str) -> impl Iterator<Item = (usize, char)> {
    text.char_indices().filter(|(_, character)| is_escaped(*character))
}

/// The JSON text of `value`.
#[must_use]
pub fn text(value: &Value) -> String {
    let mut bytes = Vec::with_capacity(1024);
    // Writing a value into memory cannot fail, and what is written is UTF-8.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, Visible));
    String::from_utf8(bytes).unwrap_or_default()
}

/// How many bytes JSON that is printed already would have as such a text.
#[must_use]
pub fn length(json: &[u8]) -> usize {
    if json.is_ascii() && !json.contains(&0x7F) {
        return json.len();
    }
    // What is printed is UTF-8.
    let json = str::from_utf8(json).unwrap_or_default();
    let grown = special(json).map(|(_, character)| 6 * character.len_utf16() - character.len_utf8());
    json.len() + grown.sum::<usize>()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{length, text};

    #[test]
    fn nothing_in_a_text_hides_or_commands_and_nothing_is_lost() {
        let value = json!({"text": "a\u{1b}[2J\u{7f}\u{9b}\u{202e}b\u{2028}\u{200b}\u{e0041}\"\\ 👩\u{200d}🔧 é", "n": [1, null]});
        let text = text(&value);
        assert_eq!(text, r#"{"n":[1,null],"text":"a\u001b[2J\u007f\u009b\u202eb\u2028\u200b\udb40\udc41\"\\ 👩‍🔧 é"}"#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
        assert_eq!(length(value.to_string().as_bytes()), text.len());
        assert_eq!(length(b"{}"), 2);
    }
}
