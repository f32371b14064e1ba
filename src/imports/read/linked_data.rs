//! The reviews in schema.org's JSON-LD, in a document or in the `<script type="application/ld+json">` elements of a page
//! (<https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents>). `schema_org.toml` has the meanings of their
//! members.
//!
//! Enclosing objects (a business, a product, a `@graph`) are searched; names may have the prefix `schema:`.

use html5gum::{DefaultEmitter, Token, Tokenizer};
use serde_json::{Map, Value};

use crate::imports::map::table::Table;
use crate::imports::read::json::Objects;
use crate::imports::report::{FileError, Position};

/// Maximum size of a page, or of a file of linked data, in bytes.
const PAGE_BYTES_MAX: usize = 16 << 20;
/// Maximum nesting depth that is searched.
const DEEP_MAX: usize = 32;

/// The reviews in these documents of linked data; `is_page` is whether a page contains them.
pub fn reviews(texts: &[String], is_page: bool) -> Result<Table, FileError> {
    let mut reviews = Vec::new();
    for text in texts {
        check_size(text.as_bytes())?;
        for value in serde_json::Deserializer::from_str(text).into_iter() {
            collect(value?, DEEP_MAX, &mut reviews);
        }
    }
    if reviews.is_empty() {
        let content = match (is_page, texts.len()) {
            (true, 0) => "a page of HTML or XML without structured data (no <script type=\"application/ld+json\">)".to_owned(),
            (true, elements) => format!("a page whose structured data has no Review ({elements} elements were looked at)"),
            (false, _) => "linked data without a Review".to_owned(),
        };
        return Err(FileError::new(format!(
            "is {content}; give the export of the platform, or a page whose source has schema.org reviews as JSON-LD"
        )));
    }
    let mut objects = Objects::default();
    for (index, review) in (0..).zip(reviews) {
        let array = "reviews".into();
        objects.add_value(Position::Element { array, index }, Ok(review));
    }
    Ok(objects.table)
}

fn check_size(bytes: &[u8]) -> Result<(), FileError> {
    if bytes.len() <= PAGE_BYTES_MAX {
        return Ok(());
    }
    Err(FileError::new(
        "the page, or the file of linked data, has more than 16 MiB; take the JSON-LD out of it and split it",
    ))
}

/// The texts of the page's JSON-LD elements.
pub fn script_texts(page: &[u8]) -> Result<Vec<String>, FileError> {
    check_size(page)?;
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
    Ok(texts)
}

/// Appends every schema.org review in `data` to `reviews`.
fn collect(data: Value, deep: usize, reviews: &mut Vec<Value>) {
    match data {
        Value::Object(members) if is_review(&members) => reviews.push(Value::Object(members)),
        Value::Array(elements) if deep > 0 => {
            for element in elements {
                collect(element, deep - 1, reviews);
            }
        }
        Value::Object(members) if deep > 0 => {
            for (_, member) in members {
                collect(member, deep - 1, reviews);
            }
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::Array(_)
        | Value::Object(_) => {}
    }
}

fn is_review(members: &Map<String, Value>) -> bool {
    let of = |kind: &Value| {
        let kind = kind
            .as_str()
            .and_then(|kind| kind.rsplit(['/', ':']).next());
        kind.is_some_and(|kind| kind == "Review" || kind == "UserReview")
    };
    match members.get("@type") {
        Some(Value::Array(kinds)) => kinds.iter().any(of),
        Some(kind) => of(kind),
        None => false,
    }
}
