//! Extracts JSON-LD from an HTML page: the texts of its `<script type="application/ld+json">` elements
//! (<https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents>).

use html5gum::{DefaultEmitter, Token, Tokenizer};

/// The texts of the page's JSON-LD elements.
pub fn linked_data(page: &[u8]) -> Vec<String> {
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut texts: Vec<String> = Vec::new();
    let mut inside = false;
    for token in Tokenizer::new_with_emitter(page, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                let kind = tag
                    .attributes
                    .get(&b"type"[..])
                    .map(|kind| String::from_utf8_lossy(kind).to_ascii_lowercase());
                inside = **tag.name == *b"script"
                    && kind.is_some_and(|kind| kind.trim().starts_with("application/ld+json"));
                if inside {
                    texts.push(String::new());
                }
            }
            Token::String(text) if inside => {
                if let Some(last) = texts.last_mut() {
                    last.push_str(&String::from_utf8_lossy(&text));
                }
            }
            Token::EndTag(_) => inside = false,
            Token::String(_) | Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    texts
}
