//! Reads the fields of a JSON object and reports the path of each invalid one and the reason.
//!
//! All formats use this module, so their messages are alike: path, value, allowed values. An absent field and a `null`
//! field are equal.

use std::fmt::Display;
use std::str::FromStr;

use chrono::{DateTime, Datelike, Timelike, Utc};
use serde_json::{Map, Value};
use thiserror::Error;
use url::Url;

use crate::model::business::nearest;

/// Maximum length of a text in bytes: as much as a whole line of JSON Lines.
pub const TEXT_BYTES_MAX: usize = 1 << 20;
/// Maximum number of characters of an invalid value that a message repeats.
pub const SHOWN_CHARACTERS_MAX: usize = 60;

#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{path}{}{message}", if path.is_empty() { "" } else { ": " })]
pub struct FieldError {
    /// Path of the field, as `mentions.services[2]`; empty for the row as a whole.
    pub path: String,
    /// The value found, and the allowed values.
    pub message: String,
}

impl FieldError {
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            message: message.into(),
        }
    }
}

impl From<FieldError> for Vec<FieldError> {
    fn from(error: FieldError) -> Self {
        vec![error]
    }
}

#[derive(Debug, Clone)]
pub struct Fields<'a> {
    map: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    /// `path` is the path of `value`; it is empty at the top level.
    pub fn of(value: &'a Value, path: String) -> Result<Self, FieldError> {
        let Value::Object(map) = value else {
            let (path, allowed) = if path.is_empty() {
                ("record".to_owned(), "a JSON object in {…}")
            } else {
                (path, "an object")
            };
            return Err(FieldError::new(path, not_a(value, allowed)));
        };
        Ok(Self { map, path })
    }

    pub fn path(&self, name: &str) -> String {
        if self.path.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.path)
        }
    }

    pub fn problem(&self, name: &str, message: impl Into<String>) -> FieldError {
        FieldError::new(self.path(name), message)
    }

    pub fn missing(&self, name: &str) -> FieldError {
        self.problem(name, "missing")
    }

    /// Makes a missing value an error.
    pub fn needed<T>(
        &self,
        name: &str,
        read: Result<Option<T>, FieldError>,
    ) -> Result<T, FieldError> {
        read?.ok_or_else(|| self.missing(name))
    }

    /// `None` if absent or `null`.
    pub fn value(&self, name: &str) -> Option<&'a Value> {
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Whether `name` is present, even as `null`; an empty text counts as absent.
    pub fn has(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(|value| value != "")
    }

    /// An error for each member that is not in `known`; the message names the nearest known one.
    pub fn unknown(&self, known: Names) -> Vec<FieldError> {
        let is_unknown = |name: &&String| names(known).all(|known| known != *name);
        let unknown = self.map.keys().filter(is_unknown).map(|name| {
            let nearest = nearest(name, names(known)).unwrap_or_default();
            let message = format!("is unknown, did you mean {nearest}? Known: {known}");
            self.problem(name, message)
        });
        unknown.collect()
    }

    /// Whether `name` is present and `null`.
    pub fn is_null(&self, name: &str) -> bool {
        self.map.get(name).is_some_and(Value::is_null)
    }

    /// The text unchanged, even if empty.
    pub fn text(&self, name: &str) -> Result<Option<&'a str>, FieldError> {
        self.value(name)
            .map(|value| text(value, || self.path(name)))
            .transpose()
    }

    /// An empty text counts as absent.
    pub fn filled(&self, name: &str) -> Result<Option<String>, FieldError> {
        self.read(name, |text| Ok(text.to_owned()))
    }

    /// The text, which must be present and not blank.
    pub fn required(&self, name: &str) -> Result<String, FieldError> {
        self.filled(name)?
            .filter(|text| !text.trim().is_empty())
            .ok_or_else(|| self.missing(name))
    }

    /// The text as `read` converts it, if it is not empty; `read` fails with a message about the value.
    pub fn read<T>(
        &self,
        name: &str,
        read: impl FnOnce(&str) -> Result<T, String>,
    ) -> Result<Option<T>, FieldError> {
        let text = self.text(name)?.filter(|text| !text.is_empty());
        let read = text.map(read).transpose();
        read.map_err(|message| self.problem(name, message))
    }

    pub fn parsed<T>(&self, name: &str) -> Result<Option<T>, FieldError>
    where
        T: FromStr,
        T::Err: Display,
    {
        self.read(name, |text| {
            text.parse().map_err(|error: T::Err| error.to_string())
        })
    }

    pub fn flag(&self, name: &str) -> Result<Option<bool>, FieldError> {
        self.typed(name, Value::as_bool, "true or false")
    }

    pub fn number(&self, name: &str) -> Result<Option<f64>, FieldError> {
        self.typed(name, Value::as_f64, "a number")
    }

    /// The value of `name` converted by `read`; `wanted` describes the allowed values.
    fn typed<T>(
        &self,
        name: &str,
        read: impl FnOnce(&Value) -> Option<T>,
        allowed: &str,
    ) -> Result<Option<T>, FieldError> {
        let read =
            |value: &Value| read(value).ok_or_else(|| self.problem(name, not_a(value, allowed)));
        self.value(name).map(read).transpose()
    }

    /// A whole number: 5.0 is one (JSON has only one kind of number); 4.5 and "5" are not.
    pub fn whole(&self, name: &str, allowed: &str) -> Result<Option<i64>, FieldError> {
        // A float without a fraction is written without a point.
        let of_float = |value: &Value| value.as_f64()?.to_string().parse().ok();
        let whole = |value: &Value| value.as_i64().or_else(|| of_float(value));
        self.typed(name, whole, allowed)
    }

    /// RFC 3339 with any offset.
    pub fn instant(&self, name: &str) -> Result<Option<DateTime<Utc>>, FieldError> {
        self.read(name, |text| instant(text).ok_or_else(|| no_instant(text)))
    }

    /// An http or https URL, because browsers get it as a link.
    pub fn url(&self, name: &str) -> Result<Option<String>, FieldError> {
        self.read(name, url)
    }

    pub fn object(&self, name: &str) -> Result<Option<Fields<'a>>, FieldError> {
        self.value(name)
            .map(|value| Fields::of(value, self.path(name)))
            .transpose()
    }

    /// The elements of the array `name` with their paths; empty if absent.
    pub fn list(
        &self,
        name: &str,
    ) -> Result<impl Iterator<Item = (String, &'a Value)> + use<'a>, FieldError> {
        let elements = match self.value(name) {
            None => &[],
            Some(Value::Array(elements)) => elements.as_slice(),
            Some(value) => return Err(self.problem(name, not_a(value, "an array in […]"))),
        };
        let path = self.path(name);
        Ok(elements
            .iter()
            .enumerate()
            .map(move |(index, value)| (format!("{path}[{index}]"), value)))
    }

    /// The texts of the array `name`; an empty text is an error.
    pub fn texts(&self, name: &str) -> Result<Vec<String>, FieldError> {
        let one = |(path, value): (String, &Value)| element(&path, value);
        self.list(name)?.map(one).collect()
    }
}

/// The text that is the element `path` of an array; an empty one is an error.
pub fn element(path: &str, value: &Value) -> Result<String, FieldError> {
    let text = text(value, || path.to_owned())?;
    if text.is_empty() {
        return Err(FieldError::new(path, "empty; leave it out"));
    }
    Ok(text.to_owned())
}

/// Returns the value, or adds the error to `wrong`.
pub fn noted<T>(wrong: &mut Vec<FieldError>, read: Result<T, FieldError>) -> Option<T> {
    read.map_err(|problem| wrong.push(problem)).ok()
}

/// As [`noted`], with the default in place of a wrong value.
pub fn or_default<T: Default>(wrong: &mut Vec<FieldError>, read: Result<T, FieldError>) -> T {
    noted(wrong, read).unwrap_or_default()
}

/// `value` as JSON, shortened.
pub fn shown(value: &Value) -> String {
    let text = value.to_string();
    let cut: String = text.chars().take(SHOWN_CHARACTERS_MAX).collect();
    if cut.len() < text.len() {
        format!("{cut}…")
    } else {
        cut
    }
}

/// A quoted text, shortened.
pub fn shown_text(text: &str) -> String {
    shown(&Value::from(text))
}

fn not_a(value: &Value, allowed: &str) -> String {
    format!("{} is not {allowed}", shown(value))
}

fn text(value: &Value, path: impl Fn() -> String) -> Result<&str, FieldError> {
    let problem = |message: String| FieldError::new(path(), message);
    let Value::String(text) = value else {
        return Err(problem(not_a(value, "a text in \"quotes\"")));
    };
    check_text(text, " (\\u0000)").map_err(problem)?;
    Ok(text)
}

/// Refuses a text that cannot be stored; `nul` tells how the file's format writes a NUL.
pub fn check_text(text: &str, nul: &str) -> Result<(), String> {
    let length = text.len();
    if length > TEXT_BYTES_MAX {
        return Err(format!(
            "has {length} bytes; at most {TEXT_BYTES_MAX} are allowed"
        ));
    }
    // SQLite's text functions end at a NUL, so text after it would be stored and never found.
    if text.contains('\0') {
        return Err(format!("has a NUL character{nul}; remove it"));
    }
    Ok(())
}

fn no_instant(text: &str) -> String {
    let shown = shown_text(text);
    format!("{shown} is not a time of RFC 3339, for example 2024-05-31T08:00:00Z")
}

/// SQLite's date functions, which the tables' checks use, accept no leap seconds and only the years 1 to 9999.
fn instant(text: &str) -> Option<DateTime<Utc>> {
    // RFC 3339 §5.6 has a T between date and time; chrono also accepts blanks.
    let shaped = text
        .as_bytes()
        .get(10)
        .is_some_and(|separator| matches!(separator, b'T' | b't'));
    let instant = shaped
        .then(|| DateTime::parse_from_rfc3339(text).ok())
        .flatten()?
        .to_utc();
    ((1..=9999).contains(&instant.year()) && instant.nanosecond() < 1_000_000_000)
        .then_some(instant)
}

/// The text unchanged, if it is an http or https URL.
pub fn url(text: &str) -> Result<String, String> {
    let fits = Url::parse(text)
        .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.host_str().is_some());
    if fits {
        Ok(text.to_owned())
    } else {
        Err(format!("{} is not an http or https URL", shown_text(text)))
    }
}

/// Names separated by `, `, in the order in which they are tried.
pub type Names = &'static str;

pub fn names(list: Names) -> impl Iterator<Item = &'static str> {
    list.split(", ")
}
