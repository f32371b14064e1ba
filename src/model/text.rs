//! Texts of files: checks of their form, their words, and how messages repeat them.

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
        .map_or_else(|| shortened(&value.to_string()), quoted)
}

/// A word of a command line, in single quotes where a shell needs them.
pub fn quote_for_shell(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// `text` as the content or a quoted attribute of an HTML element.
pub fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// `text` in quotes, shortened.
pub fn quoted(text: &str) -> String {
    format!("{:?}", shortened(text))
}

fn shortened(text: &str) -> String {
    let cut: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
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

/// The text unchanged, if it is an http or https URL.
pub fn url(text: &str) -> Result<String, String> {
    let is_web = |url: Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    if Url::parse(text).is_ok_and(is_web) {
        Ok(text.to_owned())
    } else {
        Err(format!("{} is not an http or https URL", quoted(text)))
    }
}

/// Whether all parts of a language tag have the form of subtags (RFC 5646 §2.1).
pub fn is_made_of_subtags(tag: &str) -> bool {
    tag.split('-').all(|part| {
        (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    })
}

/// The lower-case words of a text without accents, each preceded and followed by one blank.
pub fn words(text: &str) -> String {
    let plain: String = text
        .chars()
        .flat_map(char::to_lowercase)
        .map(|c| {
            if c.is_alphanumeric() {
                without_accent(c)
            } else {
                ' '
            }
        })
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    format!(" {} ", words.join(" "))
}

/// A lower-case letter without its accent.
pub fn without_accent(letter: char) -> char {
    match letter {
        // These have no decomposition in Unicode.
        'ł' => 'l',
        'ø' => 'o',
        other => without_accents(other),
    }
}

/// A label within a sentence: `Response time` becomes `response time`, but `AC repair` stays.
pub fn within_sentence(label: &str) -> String {
    let mut characters = label.chars();
    let (Some(first), second) = (characters.next(), characters.next()) else {
        return String::new();
    };
    if second.is_some_and(char::is_uppercase) {
        return label.to_owned();
    }
    first
        .to_lowercase()
        .chain(second)
        .chain(characters)
        .collect()
}

/// The most similar of `names`; the first one if several are equally similar.
pub fn nearest<'n>(input: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let input: String = input.chars().take(NAME_CHARACTERS_MAX).collect();
    let input = input.to_lowercase();
    // The first measure finds misspellings, the second also abbreviations: `HVAC`.
    let likeness = |name: &str| {
        let name = name.to_lowercase();
        strsim::normalized_damerau_levenshtein(&input, &name) + strsim::jaro_winkler(&input, &name)
    };
    let rated = names.into_iter().map(|name| (likeness(name), name));
    rated
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, name)| name)
}
