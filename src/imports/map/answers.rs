//! Whose an answer is: customers answer, too, and only the business's own answer is published.

use serde_json::{Map, Value};

use crate::imports::map::ReviewField;
use crate::imports::map::values::{WORDS, is_in, names, same_name};
use crate::imports::map::visibility::is_of_answer;
use crate::imports::platforms::HEADERS;
use crate::model::text::words;

/// The names of a review's author in its object.
pub fn authors(review: &Value) -> Vec<String> {
    let objects = names(&HEADERS.objects[&ReviewField::Author]);
    let authors = objects.flat_map(|name| member(review, name));
    authors.flat_map(texts).map(words).collect()
}

/// The members with this name, in any spelling.
fn member<'v>(value: &'v Value, name: &'static str) -> impl Iterator<Item = &'v Value> {
    let members = value
        .as_object()
        .into_iter()
        .flatten()
        .filter(move |(member, _)| same_name(member, name));
    members.map(|(_, value)| value)
}

/// A text, or the texts of an object or a list.
fn texts(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Object(members) => members.values().filter_map(Value::as_str).collect(),
        Value::Array(elements) => elements.iter().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

/// Whether the object at `path` is an answer by a customer, such as the review's author; `authors` are those of [`authors`].
pub fn is_of_customer(answer: &Value, path: &str, authors: &[String]) -> bool {
    let name = path.rsplit('.').next().unwrap_or_default();
    let is_answer = is_of_answer(name) || is_in(&WORDS.threads, name);
    let writers = || names(&WORDS.writers).flat_map(|name| member(answer, name));
    is_answer
        && writers()
            .flat_map(texts)
            .any(|writer| is_customer(writer, authors))
}

/// Whether the writer of an answer is called a customer, or is one of `authors`.
pub fn is_customer(writer: &str, authors: &[String]) -> bool {
    let writer = words(writer);
    is_in(&WORDS.customers, writer.trim()) || authors.contains(&writer)
}

/// Removes the comments of a review in linked data that somebody else than the business wrote: anybody may comment there.
/// `names` are those of the business.
pub fn remove_foreign_comments(review: &mut Map<String, Value>, business: &[String]) {
    let reviewed = review
        .get("itemReviewed")
        .and_then(|item| item.get("name"))
        .and_then(Value::as_str)
        .map(words);
    let is_own = |comment: &Value| {
        let mut writers = member(comment, "author").chain(member(comment, "creator"));
        writers.all(|writer| {
            let is_person = writer.get("@type").is_none_or(|kind| kind == "Person");
            let name = writer.get("name").unwrap_or(writer);
            let name = words(name.as_str().unwrap_or_default());
            let is_of = |business: &String| name.contains(business) || business.contains(&name);
            let is_named = business.iter().chain(&reviewed).any(is_of);
            let is_owner = || name.split(' ').any(|word| is_in(&WORDS.staff, word));
            !is_person || is_named || is_owner() || name.trim().is_empty()
        })
    };
    match review.get_mut("comment") {
        Some(Value::Array(comments)) => comments.retain(is_own),
        Some(comment) if !is_own(comment) => *comment = Value::Null,
        Some(_) | None => {}
    }
}
