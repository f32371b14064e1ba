//! JSON in memory: the arrays of objects in a document, JSON Lines, and objects as rows of cells.
//!
//! Elements are split with `serde_json`'s `RawValue`, so that one broken element rejects its row and not the file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::imports::map::table::{Row, RowFault, Table};
use crate::imports::map::values::shown;
use crate::imports::map::visibility;
use crate::imports::report::{FileError, Position, reason};

/// Maximum size of an element or line in bytes.
pub const ROW_BYTES_MAX: usize = 1 << 20;
/// Number of bytes that are kept of an overlong or broken row.
const BYTES_SHOWN: usize = 1 << 10;
/// Maximum depth of the members that become cells: objects in the reviews inside a document inside an API's answer.
const DEEP_MAX: usize = 5;
/// Number of rows whose members identify a format; a member may be missing in the first row.
const ROWS_LOOKED_AT: usize = 50;
/// Maximum number of columns of a file of objects; further members are not read.
const COLUMNS_MAX: usize = 2_000;
/// Before the members of the object that encloses an array of rows.
pub const PARENT: &str = "^";

/// A row; or an error message with the row as text, truncated if it is too long.
pub type RowValue = Result<Value, (String, Value)>;

/// An array in a document.
#[derive(Debug)]
pub struct RowArray<'t> {
    /// As `result.reviews`, or `data[][].reviews_data`; empty for the top-level array.
    pub path: String,
    /// With the object that encloses the array, if it is itself an element of one.
    pub elements: Vec<(&'t RawValue, Option<&'t RawValue>)>,
}

/// The members of an object by name; empty if it is none.
pub fn members(object: &RawValue) -> BTreeMap<String, &RawValue> {
    serde_json::from_str(object.get()).unwrap_or_default()
}

/// The arrays of objects in a document, the outermost first, without those inside their elements.
pub fn arrays<'t>(value: &'t RawValue, path: &str, deep: usize, found: &mut Vec<RowArray<'t>>) {
    match value.get().as_bytes().first() {
        Some(b'[') => {
            let mut path = path.to_owned();
            let mut elements: Vec<&RawValue> =
                serde_json::from_str(value.get()).unwrap_or_default();
            while elements
                .iter()
                .any(|element| element.get().starts_with('['))
            {
                let inner = elements
                    .iter()
                    .filter(|element| element.get().starts_with('['));
                let inner =
                    inner.filter_map(|element| serde_json::from_str::<Vec<_>>(element.get()).ok());
                elements = inner.flatten().collect();
                path += "[]";
            }
            if elements
                .iter()
                .any(|element| element.get().starts_with('{'))
            {
                let elements = elements
                    .into_iter()
                    .map(|element| (element, None))
                    .collect();
                found.push(RowArray { path, elements });
            }
        }
        Some(b'{') if deep > 0 => {
            for (name, member) in members(value) {
                arrays(member, &joined(path, &name), deep - 1, found);
            }
        }
        _ => {}
    }
    found.sort_by_key(|array| array.path.matches('.').count());
}

impl<'t> RowArray<'t> {
    /// The arrays of objects that are members of this array's elements, each over all elements.
    pub fn inner(&self) -> Vec<Self> {
        let mut inner: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (element, _) in &self.elements {
            for (name, member) in members(element) {
                let rows: Vec<&'t RawValue> =
                    serde_json::from_str(member.get()).unwrap_or_default();
                let rows = rows.into_iter().map(|row| (row, Some(*element)));
                inner.entry(name).or_default().extend(rows);
            }
        }
        inner.retain(|_, rows| rows.iter().any(|(row, _)| row.get().starts_with('{')));
        let array = |(name, elements)| Self {
            path: format!("{}[].{name}", self.path),
            elements,
        };
        inner.into_iter().map(array).collect()
    }

    /// The paths of the members of the first elements.
    pub fn names(&self) -> BTreeSet<String> {
        let first = self.elements.iter().take(ROWS_LOOKED_AT);
        names(first.map(|(element, _)| element.get()))
    }

    /// The elements; `document` is the text that contains them.
    pub fn rows(&self, document: &str) -> Vec<RawRow> {
        let array: Arc<str> = self.path.as_str().into();
        let (mut line, mut end) = (1, 0);
        let rows = (0..).zip(&self.elements).map(|(index, (element, _))| {
            let text = element.get();
            let start = text.as_ptr() as usize - document.as_ptr() as usize;
            line += memchr::memchr_iter(b'\n', &document.as_bytes()[end..start]).count();
            end = start;
            RawRow {
                at: Position::Element {
                    array: Arc::clone(&array),
                    index,
                },
                line,
                text: text.as_bytes().into(),
            }
        });
        rows.collect()
    }

    /// The elements as a table, with the plain members of the objects that enclose the array.
    pub fn table(&self, document: &str) -> Table {
        let mut objects = Objects::default();
        for (row, (_, parent)) in self.rows(document).iter().zip(&self.elements) {
            objects.add(row);
            if let Some(Ok(Value::Object(mut members))) =
                parent.map(|object| serde_json::from_str(object.get()))
            {
                members.retain(|_, member| !member.is_array() && !member.is_object());
                objects.put_all(PARENT, Value::Object(members));
            }
        }
        objects.table
    }
}

/// A row of JSON. It is parsed only when it is read, because all parsed rows of a large file need too much memory.
#[derive(Debug)]
pub struct RawRow {
    pub at: Position,
    /// The line on which it begins, from 1.
    line: usize,
    /// It may be broken, and not be UTF-8.
    text: Box<[u8]>,
}

impl RawRow {
    /// A row that is a whole document.
    pub fn of_document(text: &str) -> Self {
        Self {
            at: Position::line(1),
            line: 1,
            text: text.as_bytes().into(),
        }
    }

    /// The row; or an error message with the row as text, truncated if it is too long. The position has the column of
    /// broken JSON if the row has a line of its own.
    pub fn parse(&self) -> (Position, RowValue) {
        let fault = |message: String, column: Option<usize>| {
            let text = &self.text[..self.text.len().min(BYTES_SHOWN)];
            let text = Value::from(String::from_utf8_lossy(text));
            let at = match &self.at {
                Position::Line { line, .. } => Position::Line {
                    line: *line,
                    column,
                },
                element @ Position::Element { .. } => element.clone(),
            };
            (at, Err((message, text)))
        };
        // A line is named by its position.
        let place = |offset: usize| match self.at {
            Position::Line { .. } => String::new(),
            Position::Element { .. } => format!("line {}: ", self.line + offset),
        };
        if self.text.len() > ROW_BYTES_MAX {
            let place = place(0);
            let message = format!(
                "{place}longer than {ROW_BYTES_MAX} bytes; shorten it, or write one review in a line"
            );
            return fault(message, None);
        }
        match std::str::from_utf8(&self.text).map(serde_json::from_str) {
            Ok(Ok(value)) => (self.at.clone(), Ok(value)),
            Ok(Err(error)) => {
                let (place, reason) = (place(error.line() - 1), reason(&error));
                let message = format!("{place}the JSON is broken ({reason}); correct it");
                fault(message, Some(error.column()))
            }
            Err(error) => fault(
                "not UTF-8 from here on; save the file as UTF-8".to_owned(),
                Some(error.valid_up_to() + 1),
            ),
        }
    }
}

/// The paths of the members in these rows.
pub fn names<'t>(rows: impl Iterator<Item = &'t str>) -> BTreeSet<String> {
    let (mut objects, mut broken) = (Objects::default(), BTreeSet::new());
    for row in rows {
        if let Ok(value) = serde_json::from_str(row) {
            objects.add_value(Position::line(0), Ok(value));
        } else if let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(row) {
            // A broken value has a name all the same.
            broken.extend(members.into_keys());
        }
    }
    broken.extend(objects.table.columns);
    broken
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() {
        name.to_owned()
    } else {
        format!("{path}.{name}")
    }
}

/// Makes a table of objects: each member is a cell in the column of its path, as `reviewer.name` or, of the elements of an
/// array, `responses[].body`.
#[derive(Debug, Default)]
pub struct Objects {
    pub table: Table,
    numbers: HashMap<String, usize>,
}

impl Objects {
    pub fn add(&mut self, row: &RawRow) {
        let (at, value) = row.parse();
        self.add_value(at, value);
    }

    pub fn add_value(&mut self, at: Position, value: RowValue) {
        let fault = match &value {
            Ok(Value::Object(_)) => None,
            Ok(other) => {
                let message = format!("record: {} is not a JSON object in {{…}}", shown(other));
                Some((message, other.clone()))
            }
            Err(fault) => Some(fault.clone()),
        };
        self.table.rows.push(Row {
            at,
            cells: Vec::new(),
            fault: fault.map(|(message, raw)| RowFault {
                message,
                raw: Some(raw),
            }),
        });
        if let Ok(object @ Value::Object(_)) = value {
            self.put_all("", object);
        }
    }

    /// Puts the values in `value`, whose path is `path`, into the last row.
    fn put_all(&mut self, path: &str, value: Value) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                if path.matches('.').count() + 1 < DEEP_MAX {
                    for (name, member) in members {
                        self.put_all(&joined(path, &name), member);
                    }
                }
            }
            Value::Array(elements) if elements.iter().any(Value::is_object) => {
                // Of several answers the first public one counts.
                let is_public = |element: &&Value| visibility::is_public_object(element);
                let shown = elements.iter().find(is_public).or(elements.first());
                let shown = shown.cloned().unwrap_or_default();
                self.put_all(&format!("{path}[]"), shown);
            }
            Value::Null | Value::Object(_) => self.put(path, String::new()),
            Value::String(text) => self.put(path, text),
            Value::Array(elements) if elements.is_empty() => self.put(path, String::new()),
            Value::Array(elements) => {
                if let Some(Value::String(first)) = elements.first() {
                    self.put(&format!("{path}[]"), first.clone());
                }
                self.put(path, Value::Array(elements).to_string());
            }
            Value::Bool(_) | Value::Number(_) => self.put(path, value.to_string()),
        }
    }

    fn put(&mut self, path: &str, text: String) {
        let number = match self.numbers.get(path) {
            Some(number) => *number,
            None if self.table.columns.len() == COLUMNS_MAX => return,
            None => {
                self.table.columns.push(path.to_owned());
                let number = self.table.columns.len() - 1;
                self.numbers.insert(path.to_owned(), number);
                number
            }
        };
        if let Some(row) = self.table.rows.last_mut() {
            row.cells.resize(row.cells.len().max(number + 1), None);
            row.cells[number] = Some(text.into());
        }
    }
}

// JSON Lines (<https://jsonlines.org>), read line by line, so that a broken line does not affect the others.

/// The lines of `text` that are not blank.
pub fn lines(text: &[u8]) -> impl Iterator<Item = RawRow> {
    let lines = (1..).zip(text.split(|byte| *byte == b'\n'));
    let lines = lines.filter(|(_, line)| !line.trim_ascii().is_empty());
    lines.map(|(line, text)| RawRow {
        at: Position::line(line),
        line: 1,
        text: text.into(),
    })
}

/// The text of JSON with null in place of numbers that JSON does not have, as some programs write them; `None` if it has none.
pub fn without_nan(text: &[u8]) -> Option<Vec<u8>> {
    const NUMBERS: [&[u8]; 3] = [b"NaN", b"-Infinity", b"Infinity"];
    let is_json = matches!(text.trim_ascii().first(), Some(b'{' | b'['));
    let has = |number: &&[u8]| memchr::memmem::find(text, number).is_some();
    if !is_json || !NUMBERS.iter().any(has) {
        return None;
    }
    let (mut plain, mut at, mut is_inside) = (Vec::with_capacity(text.len()), 0, false);
    while at < text.len() {
        let number = NUMBERS.iter().find(|number| text[at..].starts_with(number));
        let (taken, written) = match number.filter(|_| !is_inside) {
            Some(number) => (number.len(), &b"null"[..]),
            // What a backslash escapes ends no text.
            None if is_inside && text[at] == b'\\' => (2, &text[at..text.len().min(at + 2)]),
            None => (1, &text[at..=at]),
        };
        is_inside ^= written == b"\"";
        plain.extend_from_slice(written);
        at += taken;
    }
    Some(plain)
}

/// Whether the text has one value in each line, and not one or several values over several lines.
pub fn is_lines(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or_default();
    match serde_json::from_str::<&RawValue>(line) {
        Ok(_) => true,
        // One broken line may be a row, but not the array of all.
        Err(error) => !error.is_eof() || line.len() == text.len() && !line.contains('['),
    }
}

/// The values of a text, which follow each other.
pub fn values(text: &str) -> Result<Vec<&RawValue>, FileError> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    values.collect::<Result<_, _>>().map_err(FileError::from)
}
