//! Extracts JSON-LD from an HTML page: the texts of its `<script type="application/ld+json">` elements
//! (<https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents>). The page is read whole, up to a bound.

use std::io::BufRead;

use html5gum::{DefaultEmitter, Token, Tokenizer};

use crate::imports::file_error::FileError;
use crate::imports::read::budget::whole;

/// Maximum size of a page, or of a file of linked data, in bytes.
const PAGE_BYTES_MAX: u64 = 16 << 20;

/// The texts of the page's JSON-LD elements.
pub fn linked_data(input: &mut dyn BufRead) -> Result<Vec<String>, FileError> {
    let page = page(input)?;
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    let mut texts = Vec::new();
    let mut inside = false;
    for token in Tokenizer::new_with_emitter(&page[..], emitter) {
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
    Ok(texts)
}

/// A page, or a file of linked data.
pub fn page(input: &mut dyn BufRead) -> Result<Vec<u8>, FileError> {
    whole(input, PAGE_BYTES_MAX)?.ok_or_else(|| {
        FileError::new(
            "the page, or the file of linked data, has more than 16 MiB; take the JSON-LD out of it and split it",
        )
    })
}
