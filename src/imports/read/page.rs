//! The reviews in schema.org's JSON-LD, in a document or in the `<script type="application/ld+json">` elements of a page
//! (<https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents>). `schema_org.toml` has the meanings of their
//! members.
//!
//! Enclosing objects (a business, a product, a `@graph`) are searched; names may have the prefix `schema:`.

use std::ops::ControlFlow;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::imports::fault::{FileError, Position};
use crate::imports::format::Format;
use crate::imports::owner::fault::reason;
use crate::imports::read::json::{Objects, RowValue, too_large};
use crate::imports::read::{Bounds, Table};
use crate::model::json::{member, visit};

/// Maximum size of a tag, which is parsed with all its attributes, in bytes.
const TAG_BYTES_MAX: usize = 1 << 20;
/// Maximum number of characters of a broken script in the rejected rows.
const TEXT_SHOWN_MAX: usize = 1_000;
/// Maximum nesting depth that is searched.
const DEEP_MAX: usize = 32;

/// The reviews in a document of linked data, or in its lines.
pub fn reviews_of_document(
    document: &[&str],
    format: &Format,
    bounds: &mut Bounds<'_>,
) -> Result<Table, FileError> {
    let mut reviews = Reviews::new(format, bounds);
    for value in document {
        reviews.collect(value, DEEP_MAX)?;
    }
    if reviews.count == 0 {
        return Err(without_reviews("linked data without a Review"));
    }
    reviews.objects.finish()
}

/// The reviews in a page. A script that is broken is a row of its own, with the fault.
pub fn reviews_of_page(
    page: &str,
    format: &Format,
    bounds: &mut Bounds<'_>,
) -> Result<Table, FileError> {
    let texts = script_texts(page)?;
    let mut reviews = Reviews::new(format, bounds);
    let mut faults = Vec::new();
    for (index, text) in (0..).zip(&texts) {
        match serde_json::from_str::<&RawValue>(text) {
            Ok(data) => reviews.collect(data.get(), DEEP_MAX)?,
            Err(error) => faults.push((index, error, text)),
        }
    }
    if reviews.count == 0 {
        if let Some((_, error, _)) = faults.into_iter().next() {
            return Err(error.into());
        }
        let content = match texts.len() {
            0 => "a page of HTML or XML without structured data (no <script type=\"application/ld+json\">)".to_owned(),
            elements => format!("a page whose structured data has no Review ({elements} elements were looked at)"),
        };
        return Err(without_reviews(&content));
    }
    for (index, error, text) in faults {
        let array = "script".into();
        let text: String = text.chars().take(TEXT_SHOWN_MAX).collect();
        let (line, reason) = (error.line(), reason(&error));
        let message =
            format!("line {line} of the script: the JSON is broken ({reason}); correct it");
        let at = Position::Element { array, index };
        reviews.add(at, Err((message, text.into())))?;
    }
    reviews.objects.finish()
}

fn without_reviews(content: &str) -> FileError {
    FileError::new(format!(
        "is {content}; give the export of the platform, or a page whose source has schema.org reviews as JSON-LD"
    ))
}

/// The texts of the page's JSON-LD elements. What is in a template is not part of the page (HTML §4.12.3).
fn script_texts(page: &str) -> Result<Vec<String>, FileError> {
    let tags = page.split('<').filter_map(|tag| tag.split('>').next());
    if tags.map(str::len).any(|bytes| bytes > TAG_BYTES_MAX) {
        return Err(without_reviews("a page with a tag of more than 1 MiB"));
    }
    let (mut texts, mut is_inside, mut templates) = (Vec::<String>::new(), false, 0_usize);
    let mut emitter = DefaultEmitter::default();
    emitter.naively_switch_states(true);
    for token in Tokenizer::new_with_emitter(page, emitter) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) => {
                templates += usize::from(tag.name == b"template");
                let kind = tag.attributes.get(&b"type"[..]);
                let kind = kind.map(|it| String::from_utf8_lossy(it).to_ascii_lowercase());
                is_inside = tag.name == b"script"
                    && templates == 0
                    && kind.is_some_and(|it| it.trim().starts_with("application/ld+json"));
                if is_inside {
                    texts.push(String::new());
                }
            }
            Token::String(part) => {
                if let Some(text) = texts.last_mut().filter(|_| is_inside) {
                    *text += &String::from_utf8_lossy(&part);
                }
            }
            Token::EndTag(tag) => {
                is_inside = false;
                templates = templates.saturating_sub(usize::from(tag.name == b"template"));
            }
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    Ok(texts)
}

/// The reviews that were found.
struct Reviews<'l, 'w> {
    objects: Objects,
    count: u64,
    bounds: &'l mut Bounds<'w>,
}

impl<'l, 'w> Reviews<'l, 'w> {
    fn new(format: &Format, bounds: &'l mut Bounds<'w>) -> Self {
        Self {
            objects: Objects::new(format),
            count: 0,
            bounds,
        }
    }

    fn add(&mut self, at: Position, value: RowValue) -> Result<(), FileError> {
        self.objects.add_value(at, value, self.bounds)
    }

    /// Adds every schema.org review in `data`, a value of JSON.
    fn collect(&mut self, data: &str, deep: usize) -> Result<(), FileError> {
        let kind = data.starts_with('{').then(|| member(data, "@type"));
        if kind.flatten().is_some_and(is_review) {
            let (array, index) = ("reviews".into(), self.count);
            self.count += 1;
            let review = match too_large(data) {
                Some(message) => Err((message, Value::Null)),
                None => {
                    serde_json::from_str(data).map_err(|error| (error.to_string(), data.into()))
                }
            };
            let review = review.map(|review| Value::Object(plain_names(review)));
            return self.add(Position::Element { array, index }, review);
        }
        if deep == 0 {
            return Ok(());
        }
        let fault = visit(data, |_, value| {
            let inner = Some(value).filter(|value| value.starts_with(['[', '{']));
            match inner.map_or(Ok(()), |inner| self.collect(inner, deep - 1)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(fault) => ControlFlow::Break(fault),
            }
        });
        fault.map_or(Ok(()), Err)
    }
}

/// Whether a type, or one of several, is that of reviews.
fn is_review(kind: &str) -> bool {
    let of = |kind: &Value| {
        let kind = kind
            .as_str()
            .and_then(|kind| kind.rsplit(['/', ':']).next());
        kind.is_some_and(|kind| kind == "Review" || kind == "UserReview")
    };
    let kind = Some(kind).filter(|kind| too_large(kind).is_none());
    match kind.and_then(|kind| serde_json::from_str(kind).ok()) {
        Some(Value::Array(kinds)) => kinds.iter().any(of),
        Some(kind) => of(&kind),
        None => false,
    }
}

/// The object with its members' names as in schema.org, without the prefix `schema:` or the address.
fn plain_names(members: Map<String, Value>) -> Map<String, Value> {
    fn plain(value: Value) -> Value {
        match value {
            Value::Object(members) => Value::Object(plain_names(members)),
            Value::Array(elements) => elements.into_iter().map(plain).collect(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
        }
    }
    let name = |name: String| {
        let prefixes = ["schema:", "https://schema.org/", "http://schema.org/"];
        let plain = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
        plain.map(str::to_owned).unwrap_or(name)
    };
    let members = members.into_iter();
    members
        .map(|(member, value)| (name(member), plain(value)))
        .collect()
}
