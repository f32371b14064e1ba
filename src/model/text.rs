//! Texts of files: checks of their form, their words, and how messages and answers show them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::ops::RangeInclusive;

use serde::Serialize;
use serde_json::Value;
use url::Url;

use super::words::without_accents;

/// Maximum number of characters of an invalid value that a message repeats.
const SHOWN_CHARACTERS_MAX: usize = 60;
/// Maximum number of characters of an unknown name that are compared and shown in the error.
pub const NAME_CHARACTERS_MAX: usize = 60;

/// `value` as JSON, shortened.
pub fn shown(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| shorten(&value.to_string(), SHOWN_CHARACTERS_MAX), quoted)
}

/// A word of a command line, in single quotes where a shell needs them. Characters that a terminal does not show are escaped as shells read
/// them: `$'…'`.
pub fn quote_for_shell(word: &str) -> String {
    let mut characters = word.chars();
    let is_plain = characters.all(|c| c.is_ascii_alphanumeric() || "-_./:,@%+".contains(c));
    if is_plain && !word.is_empty() {
        return word.to_owned();
    }
    let is_escaped = |c: char| is_hidden(c) || c.is_control();
    if !word.contains(is_escaped) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    let mut quoted = "$'".to_owned();
    for c in word.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if is_escaped(c) => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    // Writing into a String cannot fail.
                    let _ = write!(quoted, "\\{byte:03o}");
                }
            }
            c => quoted.push(c),
        }
    }
    quoted + "'"
}

/// `text` as the content or a quoted attribute of an HTML element.
pub fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Replaces characters that XML 1.0 §2.2 does not allow, even escaped, with U+FFFD.
pub fn clean_xml(text: &str) -> String {
    let is_forbidden =
        |c: char| !matches!(c, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..);
    // All of them begin with one of these bytes, which few texts have.
    if !text.bytes().any(|byte| byte < b' ' || byte == 0xEF) {
        return text.to_owned();
    }
    text.replace(is_forbidden, "\u{FFFD}")
}

/// `text` in quotes, shortened.
pub fn quoted(text: &str) -> String {
    format!("{:?}", shorten(text, SHOWN_CHARACTERS_MAX))
}

/// The first `characters_max` characters of `text`, with an ellipsis if it has more.
pub fn shorten(text: &str, characters_max: usize) -> String {
    let cut: String = text.chars().take(characters_max).collect();
    let more = if cut.len() < text.len() { "…" } else { "" };
    cut + more
}

/// Refuses a text that cannot be stored.
pub fn check_text(text: &str, bytes_max: usize) -> Result<(), String> {
    let length = text.len();
    if length > bytes_max {
        return Err(format!(
            "has {length} bytes; at most {bytes_max} can be published; shorten it"
        ));
    }
    // SQLite's text functions end at a NUL, so text after it would be stored and never found.
    if text.contains('\0') {
        return Err("has a NUL character; remove it".to_owned());
    }
    Ok(())
}

/// The text unchanged, if it has no control characters but line breaks and tabs.
pub fn without_controls(text: &str) -> Result<String, String> {
    let mut controls = text.chars().filter(|c| c.is_control());
    match controls.find(|c| !matches!(c, '\n' | '\r' | '\t')) {
        Some(control) => Err(format!("has the control character {control:?}; remove it")),
        None => Ok(text.to_owned()),
    }
}

/// The text unchanged, if it is an http or https URL.
pub fn url(text: &str) -> Result<String, String> {
    match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => {
            Ok(text.to_owned())
        }
        _ => Err(format!("{} is not an http or https URL", quoted(text))),
    }
}

/// Whether a language tag is well formed (RFC 5646 §2.1), and its first subtag has so many letters.
pub fn is_language_tag(tag: &str, letters: RangeInclusive<usize>) -> bool {
    let primary = tag.split('-').next().unwrap_or_default();
    letters.contains(&primary.len())
        && primary.bytes().all(|byte| byte.is_ascii_alphabetic())
        && tag.split('-').all(|part| {
            (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
        })
}

/// The lower-case words of a text without accents, each preceded and followed by one blank.
pub fn plain_words(text: &str) -> String {
    let plain: String = text
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| {
            if c.is_alphanumeric() {
                base_letter(c)
            } else {
                ' '
            }
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    format!(" {} ", words.join(" "))
}

/// The words of a text as an ID, such as `do-you-work-on-sundays`.
pub fn slug(text: &str) -> String {
    plain_words(text).trim().replace(' ', "-")
}

/// A lower-case letter without its accent, or its stroke.
pub fn base_letter(letter: char) -> char {
    match letter {
        // These have no decomposition in Unicode.
        'ł' => 'l',
        'ø' => 'o',
        other => without_accents(other),
    }
}

/// The most similar of `names`; the first one if several are equally similar.
pub fn nearest<'n>(input: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let input: String = input.chars().take(NAME_CHARACTERS_MAX).collect();
    let input = input.to_lowercase();
    // The first measure finds misspellings, the second also abbreviations: `HVAC`.
    let rated = names.into_iter().map(|name| {
        let (one, other) = (&input, &name.to_lowercase());
        let likeness = strsim::normalized_damerau_levenshtein(one, other);
        (likeness + strsim::jaro_winkler(one, other), name)
    });
    rated
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, name)| name)
}

// Escapes characters that are invisible, change the direction of writing or control a terminal, as JSON escapes (`\u001b`). The
// JSON stays equivalent, and agents and terminals show every character of untrusted text.

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

/// `text` as a label among other words, such as the title of a page, without the characters that [`escaped`] escapes, which could
/// reorder or hide the words around it: with U+FFFD in place of control characters.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let seen = text.chars().filter_map(|c| match c {
        c if !is_hidden(c) => Some(c),
        c if c.is_control() => Some('\u{FFFD}'),
        _ => None,
    });
    Cow::Owned(seen.collect())
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

/// A result as JSON text without hidden characters. Its serialization cannot fail.
pub fn escaped_json<T: Serialize>(value: &T) -> String {
    // Unlike `to_string` of the value, it does not pass each piece through a formatter.
    let json = serde_json::to_string(value);
    escaped(json.unwrap_or_else(|error| unreachable!("a value is valid JSON: {error}")))
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{escaped, quote_for_shell, visible};

    #[test]
    fn a_label_has_no_hidden_characters() {
        for (text, label) in [
            ("größer 👨\u{200D}👩 שלום", "größer 👨\u{200D}👩 שלום"),
            ("\u{202E}dlrow\u{200F}\u{2066}", "dlrow"),
            (
                "a\u{9B}31m\u{1B}[2J\u{7F}",
                "a\u{FFFD}31m\u{FFFD}[2J\u{FFFD}",
            ),
        ] {
            assert_eq!(visible(text), label);
        }
    }

    #[test]
    fn a_shell_reads_a_quoted_word_as_it_is() {
        for word in [
            "plain",
            "my file's name",
            "r\u{202E}y.csv",
            "a\nb'c\\d\u{1b}7\u{E0041}",
            "\u{9b}1",
        ] {
            let quoted = quote_for_shell(word);
            assert!(
                escaped(quoted.clone()) == quoted && !quoted.contains('\n'),
                "{quoted}"
            );
            let command = format!("printf %s {quoted}");
            let printed = std::process::Command::new("bash")
                .args(["-c", &command])
                .output();
            assert_eq!(printed.unwrap().stdout, word.as_bytes(), "{quoted}");
        }
    }

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
}
