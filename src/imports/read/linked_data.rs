//! The reviews in schema.org's JSON-LD, in a document or in the `<script type="application/ld+json">` elements of a page
//! (<https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents>). `schema_org.toml` has the meanings of their
//! members.
//!
//! Enclosing objects (a business, a product, a `@graph`) are searched; names may have the prefix `schema:`.

use html5gum::{DefaultEmitter, Token, Tokenizer};
use serde_json::{Map, Value};

use crate::imports::map::table::Table;
use crate::imports::platforms::LINKED_DATA;
use crate::imports::read::json::{self, Objects};
use crate::imports::report::{FileError, Position};
use crate::model::text::words;
use crate::owner::fault::reason;

/// Maximum size of a page, or of a file of linked data, in bytes.
const PAGE_BYTES_MAX: usize = 16 << 20;
/// Maximum number of characters of a broken script in the rejected rows.
const TEXT_SHOWN_MAX: usize = 1_000;
/// Maximum nesting depth that is searched.
const DEEP_MAX: usize = 32;

/// The reviews in a document of linked data; `business` is the name of the business.
pub fn reviews_of_document(text: &str, business: Option<&str>) -> Result<Table, FileError> {
    check_size(text)?;
    let values = serde_json::Deserializer::from_str(text)
        .into_iter()
        .collect::<Result<Vec<Value>, _>>()?;
    let (mut names, mut reviews) = (business.map(words).into_iter().collect(), Vec::new());
    for value in values {
        collect(value, DEEP_MAX, &mut names, &mut reviews);
    }
    if reviews.is_empty() {
        return Err(without_reviews("linked data without a Review"));
    }
    Ok(table(reviews).finish())
}

/// The reviews in a page. A script that is broken is a row of its own, with the fault.
pub fn reviews_of_page(page: &str, business: Option<&str>) -> Result<Table, FileError> {
    let texts = script_texts(page)?;
    let (mut reviews, mut faults) = (Vec::new(), Vec::new());
    let mut names = business.map(words).into_iter().collect();
    for (index, text) in (0..).zip(&texts) {
        check_size(text)?;
        match json::parse(text) {
            Ok(value) => collect(value, DEEP_MAX, &mut names, &mut reviews),
            Err(error) => faults.push((index, error, text)),
        }
    }
    if reviews.is_empty() {
        if let Some((_, error, _)) = faults.into_iter().next() {
            return Err(error.into());
        }
        let page = page.to_ascii_lowercase();
        let mut known = OTHER_PAGES.iter().filter(|_| texts.is_empty());
        if let Some((_, content)) = known.find(|(part, _)| page.contains(part)) {
            return Err(FileError::new(*content));
        }
        let content = match texts.len() {
            0 => "a page of HTML or XML without structured data (no <script type=\"application/ld+json\">)".to_owned(),
            elements => format!("a page whose structured data has no Review ({elements} elements were looked at)"),
        };
        return Err(without_reviews(&content));
    }
    let mut objects = table(reviews);
    for (index, error, text) in faults {
        let array = "script".into();
        let text: String = text.chars().take(TEXT_SHOWN_MAX).collect();
        let (line, reason) = (error.line(), reason(&error));
        let message =
            format!("line {line} of the script: the JSON is broken ({reason}); correct it");
        objects.add_value(
            Position::Element { array, index },
            Err((message, text.into())),
        );
    }
    Ok(objects.finish())
}

/// Parts of pages without structured data, in lower case, with what to do about such a page.
const OTHER_PAGES: [(&str, &str); 2] = [
    (
        "xmlns:wp=",
        "is an export of WordPress (WXR); export the comments as CSV with a plugin, or take them from /wp-json/wp/v2/comments",
    ),
    (
        "<table",
        "is a page of HTML with a table; open it in a spreadsheet, and save it as XLSX or CSV",
    ),
];

fn table(reviews: Vec<Value>) -> Objects {
    let mut objects = Objects::new(Some(&LINKED_DATA));
    for (index, review) in (0..).zip(reviews) {
        let array = "reviews".into();
        objects.add_value(Position::Element { array, index }, Ok(review));
    }
    objects
}

fn without_reviews(content: &str) -> FileError {
    FileError::new(format!(
        "is {content}; give the export of the platform, or a page whose source has schema.org reviews as JSON-LD"
    ))
}

fn check_size(text: &str) -> Result<(), FileError> {
    if text.len() <= PAGE_BYTES_MAX {
        return Ok(());
    }
    Err(FileError::new(
        "the page, or the file of linked data, has more than 16 MiB; take the JSON-LD out of it and split it",
    ))
}

/// The texts of the page's JSON-LD elements.
fn script_texts(page: &str) -> Result<Vec<String>, FileError> {
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

/// Appends every schema.org review in `data` to `reviews`; `names` are those of the business and of the objects around.
fn collect(data: Value, deep: usize, names: &mut Vec<String>, reviews: &mut Vec<Value>) {
    match data {
        Value::Object(mut members) if is_review(&members) => {
            remove_foreign_comments(&mut members, names);
            reviews.push(Value::Object(members));
        }
        Value::Array(elements) if deep > 0 => {
            for element in elements {
                collect(element, deep - 1, names, reviews);
            }
        }
        Value::Object(members) if deep > 0 => {
            let around = names.len();
            names.extend(members.get("name").and_then(Value::as_str).map(words));
            for (_, member) in members {
                collect(member, deep - 1, names, reviews);
            }
            names.truncate(around);
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

/// Removes the comments of a review in linked data that somebody else than the business wrote: anybody may comment there.
/// `names` are those of the business.
fn remove_foreign_comments(review: &mut Map<String, Value>, business: &[String]) {
    let reviewed = review
        .get("itemReviewed")
        .and_then(|item| item.get("name"))
        .and_then(Value::as_str)
        .map(words);
    let is_own = |comment: &Value| {
        let mut writers = ["author", "creator"]
            .into_iter()
            .filter_map(|name| comment.get(name));
        writers.all(|writer| {
            let is_person = writer.get("@type").is_none_or(|kind| kind == "Person");
            let name = writer.get("name").unwrap_or(writer);
            let name = words(name.as_str().unwrap_or_default());
            let is_of = |business: &String| name.contains(business) || business.contains(&name);
            let is_named = business.iter().chain(&reviewed).any(is_of);
            !is_person || is_named || name.trim().is_empty()
        })
    };
    match review.get_mut("comment") {
        Some(Value::Array(comments)) => comments.retain(is_own),
        Some(comment) if !is_own(comment) => *comment = Value::Null,
        Some(_) | None => {}
    }
}
