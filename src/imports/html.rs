//! The structured data in a page of HTML: the texts of its `<script type="application/ld+json">`
//! elements (<https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents>).
//!
//! Apart from what they mean. A page is read whole, within a bound: the tokenizer keeps one text at
//! a time in memory.

use std::io::{BufRead, Read};

use html5gum::{DefaultEmitter, Token, Tokenizer};

use super::file_error::FileError;

/// How many bytes a page, or a file of linked data, may have.
pub(super) const PAGE_BYTES_MAX: u64 = 16 << 20;

/// The texts of the page's elements of linked data.
pub(super) fn linked_data(input: &mut dyn BufRead) -> Result<Vec<String>, FileError> {
    let page = whole(input)?;
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

/// All of `input`, if it is not too long.
pub(super) fn whole(input: &mut dyn BufRead) -> Result<Vec<u8>, FileError> {
    let mut all = Vec::new();
    input
        .take(PAGE_BYTES_MAX + 1)
        .read_to_end(&mut all)
        .map_err(FileError::reading)?;
    if all.len() as u64 > PAGE_BYTES_MAX {
        Err(FileError::PageTooLarge)
    } else {
        Ok(all)
    }
}
