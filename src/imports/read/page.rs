//! The reviews in schema.org's JSON-LD, in a document or in the `<script type="application/ld+json">` elements of a page
//! (<https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents>). `schema-org.toml` has the meanings of their
//! members.
//!
//! Enclosing objects (a business, a product, a `@graph`) are searched. A page may show reviews of several businesses, so each
//! row says which: that of `itemReviewed`, else the nearest around it. A review of a product is none of a business.

use std::ops::ControlFlow;
use std::sync::Arc;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::imports::fault::{FileError, Position};
use crate::imports::format::Format;
use crate::imports::read::json::{Objects, parse_row};
use crate::imports::read::text::{Kind, kind_of_text, refuse_text};
use crate::imports::read::{Amount, Bounds, Table};
use crate::model::business::{find_local_business_type, type_name};
use crate::model::json::{member, visit};
use crate::model::text::shorten;

/// Maximum size of a tag, which is parsed with all its attributes, in bytes.
const TAG_BYTES_MAX: usize = 1 << 20;
/// Maximum nesting depth that is searched.
const DEEP_MAX: usize = 32;
/// Maximum number of characters of a business's name, which each of its reviews has.
const NAME_CHARACTERS_MAX: usize = 200;

/// The reviews in the values of JSON of linked data. A broken value is a row of its own, with the fault.
pub fn find_reviews<'t>(
    values: impl IntoIterator<Item = &'t str>,
    format: &Format,
    bounds: &mut Bounds<'_>,
) -> Result<Table, FileError> {
    let mut reviews = Reviews {
        objects: Objects::new(format),
        array: "reviews".into(),
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
    Ok(reviews.objects.finish())
}

/// The reviews in the JSON-LD elements of a page.
pub fn read_page(page: &str, format: &Format, bounds: &mut Bounds<'_>) -> Result<Table, FileError> {
    let scripts = script_texts(page)?;
    find_reviews(scripts.iter().map(String::as_str), format, bounds)
}

/// Whether a text is a page, or XML, without schema.org reviews: perhaps one to log in.
pub fn is_page_without_reviews(text: &str) -> bool {
    if kind_of_text(text) != Kind::Page || refuse_text(Kind::Page, text).is_err() {
        return false;
    }
    let scripts = script_texts(text).unwrap_or_default();
    // A broken one may have some.
    let has_any = |script: &String| {
        let data = serde_json::from_str::<&RawValue>(script);
        data.map_or(true, |data| has_review(data.get(), DEEP_MAX))
    };
    !scripts.iter().any(has_any)
}

/// Whether there is a schema.org review in a value of JSON.
fn has_review(data: &str, deep: usize) -> bool {
    let find = |_: &str, value: &str| {
        let is_inner = deep > 0 && value.starts_with(['[', '{']);
        if is_inner && has_review(value, deep - 1) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    is_review(&kind_of(data)) || visit(data, find).is_some()
}

/// The type of an object of JSON; null without one.
fn kind_of(data: &str) -> Value {
    let kind = data.starts_with('{').then(|| value(data, "@type"));
    kind.flatten().unwrap_or_default()
}

fn is_review(kind: &Value) -> bool {
    has_type(kind, |name| matches!(name, "Review" | "UserReview"))
}

/// The texts of the page's JSON-LD elements. What is in a template is not part of the page (HTML §4.12.3).
fn script_texts(page: &str) -> Result<Vec<String>, FileError> {
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
    /// In the places of the rows.
    array: Arc<str>,
    count: u64,
    bounds: &'l mut Bounds<'w>,
}

impl Reviews<'_, '_> {
    /// Adds a review of the business with that name, with the member `business`, or of a [`PRODUCT`].
    fn add(&mut self, review: &str, business: Option<&Value>) -> Result<(), FileError> {
        let (array, index) = (Arc::clone(&self.array), self.count);
        self.count += 1;
        let at = Position::Element { array, index };
        let mut row = parse_row(review);
        if let Ok(Value::Object(members)) = &mut row {
            let reviewed = members.get("itemReviewed").unwrap_or(&Value::Null);
            let reviewed = reviewed_name(&reviewed["@type"], || Some(reviewed["name"].clone()));
            match reviewed.or_else(|| business.cloned()) {
                Some(PRODUCT) => _ = members.insert("product".to_owned(), true.into()),
                Some(name) if name.is_string() => _ = members.insert("business".to_owned(), name),
                Some(_) | None => {}
            }
        }
        self.objects.add_value(at, row, self.bounds)
    }

    /// Adds every schema.org review in `data`, a value of JSON; `business` is the name of the nearest business around it, or [`PRODUCT`].
    fn collect(
        &mut self,
        data: &str,
        business: Option<&Value>,
        deep: usize,
    ) -> Result<(), FileError> {
        let kind = kind_of(data);
        if is_review(&kind) {
            return self.add(data, business);
        }
        self.bounds.count(Amount::default())?;
        let name = || {
            let name = value(data, "name")?;
            let cut = name.as_str().map(|it| shorten(it, NAME_CHARACTERS_MAX));
            Some(cut.map_or(name, Value::from))
        };
        let inner = reviewed_name(&kind, name);
        let business = inner.as_ref().or(business);
        if deep == 0 {
            return Ok(());
        }
        let fault = visit(data, |_, value| {
            let inner = Some(value).filter(|value| value.starts_with(['[', '{']));
            match inner.map_or(Ok(()), |inner| self.collect(inner, business, deep - 1)) {
                Ok(()) => ControlFlow::Continue(()),
                Err(fault) => ControlFlow::Break(fault),
            }
        });
        fault.map_or(Ok(()), Err)
    }
}

/// The value of a member of an object of JSON.
fn value(object: &str, name: &str) -> Option<Value> {
    serde_json::from_str(member(object, name)?).ok()
}

/// In place of a name: what is reviewed is a product.
const PRODUCT: Value = Value::Bool(true);

/// What is reviewed in an object of this type, if that is a business or a product.
fn reviewed_name(kind: &Value, name: impl FnOnce() -> Option<Value>) -> Option<Value> {
    if is_business(kind) {
        return name();
    }
    let is_one = |name: &str| matches!(name, "Product" | "ProductGroup" | "ProductModel");
    has_type(kind, is_one).then_some(PRODUCT)
}

fn is_business(kind: &Value) -> bool {
    let is_one = |name: &str| name == "Organization" || find_local_business_type(name).is_some();
    has_type(kind, is_one)
}

/// Whether a type, or one of several, is as `is_meant` says of its name.
fn has_type(kind: &Value, is_meant: impl Fn(&str) -> bool) -> bool {
    let kinds = kind.as_array();
    let kinds = kinds.map_or(std::slice::from_ref(kind), Vec::as_slice);
    let mut names = kinds.iter().filter_map(Value::as_str);
    names.any(|name| is_meant(type_name(name)))
}
