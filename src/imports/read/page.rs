//! The reviews in schema.org's JSON-LD, in a document or in the `<script type="application/ld+json">` elements of a page
//! (<https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents>). `schema_org.toml` has the meanings of their
//! members.
//!
//! Enclosing objects (a business, a product, a `@graph`) are searched. A page may show reviews of several, so a review without
//! `itemReviewed` is of the nearest one with a name.

use std::ops::ControlFlow;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::imports::fault::{FileError, Position};
use crate::imports::format::Format;
use crate::imports::read::json::{Objects, parse_row};
use crate::imports::read::{Bounds, Table};
use crate::model::json::{member, visit};

/// Maximum size of a tag, which is parsed with all its attributes, in bytes.
const TAG_BYTES_MAX: usize = 1 << 20;
/// Maximum nesting depth that is searched.
const DEEP_MAX: usize = 32;

/// The reviews in the values of JSON of linked data. A broken value is a row of its own, with the fault.
pub fn find_reviews<'t>(
    values: impl IntoIterator<Item = &'t str>,
    format: &Format,
    bounds: &mut Bounds<'_>,
) -> Result<Table, FileError> {
    let mut reviews = Reviews {
        objects: Objects::new(format),
        count: 0,
        bounds,
    };
    for value in values {
        match serde_json::from_str::<&RawValue>(value) {
            Ok(data) => reviews.collect(data.get(), None, DEEP_MAX)?,
            Err(_) => reviews.add(value, None)?,
        }
    }
    if reviews.count == 0 {
        return Err(FileError::new(
            "is a page or a document without schema.org reviews as JSON-LD; give the export of the platform, or a page whose source has them",
        ));
    }
    reviews.objects.finish()
}

/// The texts of the page's JSON-LD elements. What is in a template is not part of the page (HTML §4.12.3).
pub fn script_texts(page: &str) -> Result<Vec<String>, FileError> {
    let tags = page.split('<').filter_map(|tag| tag.split('>').next());
    if tags.map(str::len).any(|bytes| bytes > TAG_BYTES_MAX) {
        return Err(FileError::new(
            "is a page with a tag of more than 1 MiB; give the export of the platform",
        ));
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

impl Reviews<'_, '_> {
    /// Adds a review inside an object with that name.
    fn add(&mut self, review: &str, name: Option<&str>) -> Result<(), FileError> {
        let (array, index) = ("reviews".into(), self.count);
        self.count += 1;
        let at = Position::Element { array, index };
        let mut row = parse_row(review);
        if let (Ok(Value::Object(members)), Some(name)) = (&mut row, name) {
            let reviewed = members.entry("itemReviewed").or_insert_with(|| json!({}));
            if let Value::Object(reviewed) = reviewed {
                let name = serde_json::from_str(name).unwrap_or_default();
                reviewed.entry("name").or_insert(name);
            }
        }
        self.objects.add_value(at, row, self.bounds)
    }

    /// Adds every schema.org review in `data`, a value of JSON; `name` is that of the nearest object around it, as JSON.
    fn collect(&mut self, data: &str, name: Option<&str>, deep: usize) -> Result<(), FileError> {
        let kind = data.starts_with('{').then(|| member(data, "@type"));
        if kind.flatten().is_some_and(is_review) {
            return self.add(data, name);
        }
        let name = kind.flatten().and_then(|_| member(data, "name")).or(name);
        if deep == 0 {
            return Ok(());
        }
        let fault = visit(data, |_, value| {
            let inner = Some(value).filter(|value| value.starts_with(['[', '{']));
            match inner.map_or(Ok(()), |inner| self.collect(inner, name, deep - 1)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(fault) => ControlFlow::Break(fault),
            }
        });
        fault.map_or(Ok(()), Err)
    }
}

/// Whether a type, or one of several, is that of reviews.
fn is_review(kind: &str) -> bool {
    let kind: Value = serde_json::from_str(kind).unwrap_or_default();
    let kinds = kind
        .as_array()
        .map_or(std::slice::from_ref(&kind), Vec::as_slice);
    kinds.iter().filter_map(Value::as_str).any(|kind| {
        let name = kind.rsplit('/').next().unwrap_or_default();
        name == "Review" || name == "UserReview"
    })
}
