//! An answer with status 200: its rows and members, and whether it is an error all the same.

use serde_json::{Map, Value};

/// Characters of a server's words in a message.
const WORDS_MAX: usize = 200;
/// JSON values that say nothing.
const NOTHING: &str = "null false 0 \"\" [] {}";
/// Members that are an error unless they say nothing, without separators and in lower case.
const ERROR_MEMBERS: &str = "error errors errormessage errormsg exception fault";
/// Members that say what went wrong.
const WORD_MEMBERS: &str =
    "message error_message errorMessage error_description description detail title error code";
/// Where platforms have their list of reviews.
const LISTS: &str = "reviews response.reviews items data results";
/// Values of `status` beside an empty list that is one.
const SUCCEEDED: &str =
    "ok success succeeded successful complete completed done finished ready zero_results";
/// Values of `status` of a job that has not succeeded.
const UNFINISHED: &str =
    "pending running queued processing in_progress started failed failure error aborted";

/// The body of an answer.
#[derive(Debug)]
pub enum Answer<'a> {
    Json(Value),
    /// HTML or XML.
    Markup(&'a [u8]),
    /// A table, lines of JSON, an archive.
    Other(&'a [u8]),
}

impl<'a> Answer<'a> {
    pub fn of(body: &'a [u8]) -> Self {
        let body = body
            .strip_prefix(b"\xEF\xBB\xBF")
            .unwrap_or(body)
            .trim_ascii();
        if body.starts_with(b"<") {
            return Self::Markup(body);
        }
        serde_json::from_slice(body).map_or(Self::Other(body), Self::Json)
    }

    /// The rows of the answer if that is an array, or of the array at the first of `paths` that it has.
    pub fn rows(&self, paths: Option<&str>) -> Option<&Vec<Value>> {
        if let Self::Json(Value::Array(rows)) = self {
            return Some(rows);
        }
        let mut paths = paths?.split(", ");
        paths.find_map(|path| self.member(path))?.as_array()
    }

    /// Whether this is an object, in which the import has to find rows.
    pub const fn is_object(&self) -> bool {
        matches!(self, Self::Json(Value::Object(_)))
    }

    /// Whether this is an empty list of reviews.
    pub fn is_empty_list(&self) -> bool {
        let Self::Json(json) = self else { return false };
        let mut lists = LISTS.split(' ').filter_map(|path| member(json, path));
        is_empty(json) || lists.any(is_empty)
    }

    pub fn member(&self, path: &str) -> Option<&Value> {
        match self {
            Self::Json(json) => member(json, path),
            Self::Markup(_) | Self::Other(_) => None,
        }
    }

    /// What is wrong with the answer, if it is no list of reviews: the words of its error, or the title of its page. An
    /// object without a list is a row by itself if `is_row` knows it (JSON Lines with one line).
    pub fn fault(&self, is_row: impl FnOnce() -> bool) -> Option<String> {
        match self {
            Self::Json(Value::Object(members)) => {
                object_fault(members, self.is_empty_list(), is_row)
            }
            Self::Json(Value::Array(rows)) => {
                let row = rows.first()?.as_object()?;
                let error = find_error(row).filter(|_| !row.contains_key("rating"))?;
                Some(with_words("the answer is an error", Some(error), row))
            }
            Self::Json(value) => {
                let fault = "the answer is a single value";
                Some(with_words(fault, Some(value), &Map::new()))
            }
            Self::Markup(page) => page_fault(&String::from_utf8_lossy(page)),
            Self::Other(b"") => Some("the answer is empty".to_owned()),
            // A table has several columns; an archive is not text.
            Self::Other(text) if !text.iter().any(|byte| b",;\t|{".contains(byte)) => {
                let text = str::from_utf8(text).ok()?;
                Some(format!("the answer is a text without columns: {text}"))
            }
            Self::Other(_) => None,
        }
    }
}

/// The member at `path`, such as `response.pagination.total`.
pub fn member<'v>(json: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(json, |json, name| json.get(name))
}

/// Whether this is a list without rows, which may be in groups.
fn is_empty(json: &Value) -> bool {
    json.as_array()
        .is_some_and(|list| list.iter().all(is_empty))
}

fn has_list(json: &Value) -> bool {
    json.is_array()
        || json
            .as_object()
            .is_some_and(|members| members.values().any(has_list))
}

fn object_fault(
    members: &Map<String, Value>,
    is_empty: bool,
    is_row: impl FnOnce() -> bool,
) -> Option<String> {
    // A row by itself may have a status or a message, too.
    if members.contains_key("rating") {
        return None;
    }
    // An empty list is one only if nothing beside it says otherwise.
    let mut within = members
        .values()
        .filter(|_| is_empty)
        .filter_map(Value::as_object);
    let error = find_error(members).or_else(|| within.find_map(find_error));
    let denies = |name| {
        members
            .get(name)
            .is_some_and(|value| *value == false || *value == 0)
    };
    let status = members.get("status").and_then(words_of).unwrap_or_default();
    let state = status.to_ascii_lowercase().replace([' ', '-'], "_");
    let number: Option<u16> = state.parse().ok();
    let is_unclear = is_empty && !state.is_empty() && !is_one_of(SUCCEEDED, &state);
    let fault = if members.is_empty() {
        "the answer is an empty object"
    } else if error.is_some() || denies("success") || denies("ok") {
        "the answer is an error"
    } else if is_one_of(UNFINISHED, &state)
        || number.map_or(is_unclear, |number| (400..600).contains(&number))
    {
        &format!("the answer has the status {status}")
    } else if !members.values().any(has_list) && !is_row() {
        "the answer has no list of reviews"
    } else {
        return None;
    };
    Some(with_words(fault, error, members))
}

fn is_one_of(list: &str, value: &str) -> bool {
    list.split(' ').any(|other| other == value)
}

/// The member that says that the answer is an error.
fn find_error(members: &Map<String, Value>) -> Option<&Value> {
    let says_error = |(name, value): &(&String, &Value)| {
        let name = name.replace(['_', '-'], "").to_ascii_lowercase();
        is_one_of(ERROR_MEMBERS, &name) && !is_one_of(NOTHING, &value.to_string())
    };
    members.iter().find(says_error).map(|(_, error)| error)
}

/// The fault with the server's words: those of `error`, or of the first member that has any.
fn with_words(fault: &str, error: Option<&Value>, members: &Map<String, Value>) -> String {
    let named = WORD_MEMBERS.split(' ').filter_map(|name| members.get(name));
    let words = error.into_iter().chain(named).find_map(words_of);
    words.map_or_else(|| fault.to_owned(), |words| format!("{fault}: {words}"))
}

/// The words of an error: a text, or a member of an object or of the first element of a list.
fn words_of(value: &Value) -> Option<String> {
    let value = value.get(0).unwrap_or(value);
    let member = WORD_MEMBERS.split(' ').find_map(|name| value.get(name));
    match member.unwrap_or(value) {
        Value::String(words) => Some(words.clone()).filter(|words| !words.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A page without reviews as structured data is a log-in page, a wall against bots or an error.
fn page_fault(page: &str) -> Option<String> {
    if page.contains("application/ld+json") && page.contains("Review\"") {
        return None;
    }
    // An error in XML has no title, but a message.
    let words = ["title", "message"]
        .iter()
        .find_map(|name| element(page, name));
    let words = words.unwrap_or("without a title");
    Some(format!(
        "the answer is a page without reviews as JSON-LD: {words}"
    ))
}

/// The text of the first element of that name, in any case; `None` if it has none.
fn element<'p>(page: &'p str, name: &str) -> Option<&'p str> {
    let (folded, begin) = (page.to_ascii_lowercase(), format!("<{name}"));
    let mut starts = folded.match_indices(&begin);
    let ends_name = |start: usize| folded[start + 1 + name.len()..].starts_with(['>', ' ', '\n']);
    let (start, _) = starts.find(|(start, _)| ends_name(*start))?;
    let (_, rest) = page[start..].split_once('>')?;
    let (text, _) = rest.split_once("</")?;
    Some(text.trim()).filter(|text| !text.is_empty())
}

/// Words of a server, in one line; secrets are removed before.
pub fn cut(words: &str) -> String {
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = line.replace(char::is_control, "");
    match line.char_indices().nth(WORDS_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn list_of_reviews_is_no_fault() {
        for body in [
            "[]",
            r#"{"reviews": []}"#,
            r#"{"error": null, "errors": [], "status": "Success", "data": [[]]}"#,
            r#"{"id": "1", "rating": 5, "status": "pending"}"#,
            "{\"id\": 1}\n{\"id\": 2}",
            "id,rating\n",
            r#"<html><script type="application/ld+json">{"@type": "Review"}</script></html>"#,
        ] {
            assert_eq!(Answer::of(body.as_bytes()).fault(|| false), None, "{body}");
        }
    }
}
