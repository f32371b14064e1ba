//! Reads JSON objects by tables of their members: our own records, and the files that an owner writes. All that is wrong is
//! reported at once, each fault with its path; serde reads what remains.

use chrono::{DateTime, Datelike, Timelike, Utc};
use serde_json::{Map, Value};

use super::fault::FieldError;
use crate::model::json::join;
use crate::model::text::{check_text, nearest, quoted, shown};
use crate::model::{Calendar, Day, InvalidDay, Posted, Rating};

/// What a member may be, besides absent or `null`.
#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Any,
    /// Any text.
    Text,
    /// A text that the function accepts or corrects; an empty one counts as absent.
    Word(fn(&str) -> Result<String, String>),
    Flag,
    /// Whole stars: 5.0 is whole (JSON has only one kind of number); 4.5 and "5" are not.
    Stars,
    /// Degrees from minus this number to this number.
    Degrees(f64),
    Day,
    Object(&'static [Member]),
    List(&'static Self),
}

/// A name: any text but a blank one.
pub const NAME: Shape = Shape::Word(|text| Ok(text.to_owned()));
pub const NAMES: Shape = Shape::List(&NAME);
/// RFC 3339 with any offset.
pub const INSTANT: Shape = Shape::Word(instant);

#[derive(Debug, Clone, Copy)]
pub struct Member {
    pub name: &'static str,
    pub shape: Shape,
    is_needed: bool,
}

/// A member that must be there, and not be blank.
pub const fn needed(name: &'static str, shape: Shape) -> Member {
    Member {
        name,
        shape,
        is_needed: true,
    }
}

pub const fn optional(name: &'static str, shape: Shape) -> Member {
    Member {
        name,
        shape,
        is_needed: false,
    }
}

/// Reads a document, and collects its faults.
#[derive(Debug)]
pub struct ShapeReader {
    /// For days.
    pub calendar: Option<Calendar>,
    /// Maximum length of a text in bytes.
    pub bytes_max: usize,
    /// Whether a member that is not in the tables is a fault; otherwise it is left out.
    pub is_strict: bool,
    /// Whether the document changes another one: at its top level no member is needed, and an empty text changes nothing; outside of
    /// lists, null removes a member.
    pub is_patch: bool,
    pub faults: Vec<FieldError>,
}

impl ShapeReader {
    pub fn fault(&mut self, path: impl Into<String>, message: impl Into<String>) {
        self.faults.push(FieldError::new(path, message));
    }

    /// The members of an object, as serde reads them. Wrong ones are left out, and so are members without a value; at the top
    /// level, and where null removes one, these are null.
    pub fn members(&mut self, path: &str, value: &Value, members: &[Member]) -> Map<String, Value> {
        let (is_top, mut read) = (path.is_empty(), Map::new());
        let Value::Object(object) = value else {
            let (path, allowed) = if is_top {
                ("record", "a JSON object in {…}")
            } else {
                (path, "an object")
            };
            self.fault(path, not_a(value, allowed));
            return read;
        };
        let is_patch = is_top && self.is_patch;
        for member in members {
            let path = join(path, member.name);
            match object.get(member.name) {
                Some(value) if !member.is_blank(value) => {
                    let value = self.value(&path, value, member.shape);
                    read.extend(value.map(|value| (member.name.to_owned(), value)));
                }
                None if is_patch => {}
                Some(value) if is_patch && value == "" => {}
                _ if member.is_needed => self.fault(path, member.missing()),
                Some(_) if is_top || self.is_patch || matches!(member.shape, Shape::Any) => {
                    read.insert(member.name.to_owned(), Value::Null);
                }
                Some(_) | None => {}
            }
        }
        let names = members.iter().map(|member| member.name);
        let is_unknown = |name: &&String| names.clone().all(|known| known != *name);
        for name in object.keys().filter(is_unknown).filter(|_| self.is_strict) {
            let known = names.clone().collect::<Vec<_>>().join(", ");
            let nearest = nearest(name, names.clone()).unwrap_or_default();
            let message = format!("is unknown, did you mean {nearest}? Known: {known}");
            self.faults.push(FieldError::new(join(path, name), message));
        }
        read
    }

    /// The value, as serde reads it; `None` if it is wrong.
    fn value(&mut self, path: &str, value: &Value, shape: Shape) -> Option<Value> {
        let read = match (shape, value) {
            (Shape::Object(members), _) => {
                return Some(Value::Object(self.members(path, value, members)));
            }
            (Shape::List(element), Value::Array(values)) => {
                let is_patch = std::mem::take(&mut self.is_patch);
                let values = values.iter().enumerate().map(|(index, value)| {
                    let value = self.value(&format!("{path}[{index}]"), value, *element);
                    value.unwrap_or_default()
                });
                let list = values.collect();
                self.is_patch = is_patch;
                return Some(list);
            }
            (_, Value::String(text)) => check_text(text, self.bytes_max)
                .and_then(|()| self.text(text, shape))
                .map(Value::from),
            (Shape::Any, _) | (Shape::Flag, Value::Bool(_)) => Ok(value.clone()),
            (Shape::Stars, _) => stars(value),
            (Shape::Degrees(most), _) => match value.as_f64() {
                Some(degrees) if (-most..=most).contains(&degrees) => Ok(value.clone()),
                Some(degrees) => Err(format!("{degrees} is not between -{most} and {most}")),
                None => Err(not_a(value, shape.allowed())),
            },
            _ => Err(not_a(value, shape.allowed())),
        };
        read.map_err(|message| self.fault(path, message)).ok()
    }

    fn text(&self, text: &str, shape: Shape) -> Result<String, String> {
        match shape {
            Shape::Word(_) if text.is_empty() => Err("empty; leave it out".to_owned()),
            Shape::Word(read) => read(text),
            Shape::Day => {
                let day: Day = text
                    .parse()
                    .map_err(|error: InvalidDay| error.to_string())?;
                let place = |calendar: Calendar| calendar.place(Posted::Day(day));
                self.calendar.map(place).transpose()?;
                Ok(text.to_owned())
            }
            Shape::Any | Shape::Text => Ok(text.to_owned()),
            Shape::Flag | Shape::Stars | Shape::Degrees(_) | Shape::Object(_) | Shape::List(_) => {
                Err(not_a(&Value::from(text), shape.allowed()))
            }
        }
    }
}

impl Member {
    /// Whether the value counts as none: null, and a blank text where it is not a text as it stands.
    fn is_blank(&self, value: &Value) -> bool {
        match value.as_str() {
            Some(text) => !matches!(self.shape, Shape::Text) && text.trim().is_empty(),
            None => value.is_null(),
        }
    }

    const fn missing(&self) -> &'static str {
        if matches!(self.shape, Shape::Text) {
            "missing; write \"\" if there is none"
        } else {
            "missing"
        }
    }
}

impl Shape {
    /// What it is, for messages.
    const fn allowed(self) -> &'static str {
        match self {
            Self::Any | Self::Text | Self::Word(_) | Self::Day => "a text in \"quotes\"",
            Self::Flag => "true or false",
            Self::Stars => "one of 1, 2, 3, 4, 5",
            Self::Degrees(_) => "a number",
            Self::Object(_) => "an object",
            Self::List(_) => "an array in […]",
        }
    }
}

fn stars(value: &Value) -> Result<Value, String> {
    // A float without a fraction is written without a point.
    let of_float = || value.as_f64()?.to_string().parse().ok();
    let whole: Option<i64> = value.as_i64().or_else(of_float);
    let stars = whole.and_then(|whole| Rating::try_from(whole).ok());
    stars
        .map(|stars| Value::from(stars.stars()))
        .ok_or_else(|| not_a(value, Shape::Stars.allowed()))
}

fn not_a(value: &Value, allowed: &str) -> String {
    format!("{} is not {allowed}", shown(value))
}

/// SQLite's date functions, which the tables' checks use, accept no leap seconds and only the years 1 to 9999.
fn instant(text: &str) -> Result<String, String> {
    // RFC 3339 §5.6 has a T between date and time; chrono also accepts blanks.
    let is_shaped = matches!(text.as_bytes().get(10), Some(b'T' | b't'));
    let instant = DateTime::parse_from_rfc3339(text).map(|instant| instant.with_timezone(&Utc));
    let fits = |instant: &DateTime<Utc>| {
        is_shaped && (1..=9999).contains(&instant.year()) && instant.nanosecond() < 1_000_000_000
    };
    if instant.is_ok_and(|instant| fits(&instant)) {
        return Ok(text.to_owned());
    }
    let shown = quoted(text);
    Err(format!(
        "{shown} is not a time of RFC 3339, for example 2024-05-31T08:00:00Z"
    ))
}

/// Changes `target` to have these members, of which null removes one (RFC 7396, but lists are replaced whole).
pub fn patch(target: &mut Value, value: Value) {
    match (target, value) {
        (Value::Object(target), Value::Object(members)) => {
            for (name, member) in members {
                if member.is_null() {
                    target.remove(&name);
                } else {
                    patch(target.entry(name).or_insert(Value::Null), member);
                }
            }
        }
        (target, value) => *target = value,
    }
}
