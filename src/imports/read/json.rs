//! JSON in memory: the arrays of objects in a document, JSON Lines, and objects as rows of cells.
//!
//! Elements are split with `serde_json`'s `RawValue`, so that one broken element rejects its row and not the file.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::imports::map::answers;
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
/// Maximum number of places that are tried as the end of an element in broken JSON.
const ENDS_TRIED_MAX: usize = 20;
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
    /// Each may be broken; with the object that encloses the array, if it is itself an element of one.
    pub elements: Vec<(&'t str, Option<&'t str>)>,
}

/// The members of an object by name; empty if it is none.
pub fn members(object: &str) -> BTreeMap<String, &str> {
    let members: BTreeMap<String, &RawValue> = serde_json::from_str(object).unwrap_or_default();
    let members = members.into_iter();
    members.map(|(name, value)| (name, value.get())).collect()
}

/// The elements of an array; empty if it is none.
pub fn elements(array: &str) -> Vec<&str> {
    let elements: Vec<&RawValue> = serde_json::from_str(array).unwrap_or_default();
    elements.into_iter().map(RawValue::get).collect()
}

/// The arrays of objects in a document, the outermost first, without those inside their elements.
pub fn arrays<'t>(value: &'t str, path: &str, deep: usize, found: &mut Vec<RowArray<'t>>) {
    if value.starts_with('[') {
        let (mut path, mut rows) = (path.to_owned(), elements(value));
        while rows.iter().any(|row| row.starts_with('[')) {
            rows = rows.into_iter().flat_map(elements).collect();
            path += "[]";
        }
        if rows.iter().any(|row| row.starts_with('{')) {
            let elements = rows.into_iter().map(|row| (row, None)).collect();
            found.push(RowArray { path, elements });
        }
    } else if deep > 0 {
        let members = members(value);
        // A store may keep its rows by their keys.
        if are_rows(members.values().copied()) {
            let elements = members.values().map(|row| (*row, None)).collect();
            let path = path.to_owned();
            found.push(RowArray { path, elements });
        }
        for (name, member) in members {
            arrays(member, &joined(path, &name), deep - 1, found);
        }
    }
    found.sort_by_key(|array| array.path.matches('.').count());
}

/// Whether there are several objects, and all have the members of the first, or nearly so.
fn are_rows<'t>(mut values: impl Iterator<Item = &'t str>) -> bool {
    let Some(first) = values.next().map(members).filter(|first| first.len() > 2) else {
        return false;
    };
    let mut values = values.peekable();
    values.peek().is_some()
        && values.all(|value| {
            let other = members(value);
            let shared = first.keys().filter(|name| other.contains_key(*name));
            shared.count() * 3 >= first.len() * 2
        })
}

impl RowArray<'_> {
    /// The arrays of objects that are members of this array's elements, each over all elements.
    pub fn inner(&self) -> Vec<Self> {
        let mut inner: BTreeMap<String, Vec<_>> = BTreeMap::new();
        for (element, _) in &self.elements {
            for (name, member) in members(element) {
                let rows = elements(member).into_iter();
                let rows = rows.map(|row| (row, Some(*element)));
                inner.entry(name).or_default().extend(rows);
            }
        }
        inner.retain(|_, rows| rows.iter().any(|(row, _)| row.starts_with('{')));
        let array = |(name, elements)| Self {
            path: format!("{}[].{name}", self.path),
            elements,
        };
        inner.into_iter().map(array).collect()
    }

    /// The paths of the members of the first elements.
    pub fn names(&self) -> BTreeSet<String> {
        let first = self.elements.iter().take(ROWS_LOOKED_AT);
        names(first.map(|(element, _)| *element))
    }

    /// The elements; `document` is the text that contains them, in which U+FFFD stands for what is no UTF-8 if it `is_damaged`.
    pub fn rows(&self, document: &str, is_damaged: bool) -> Vec<RawRow> {
        let array: Arc<str> = self.path.as_str().into();
        let (mut line, mut end) = (1, 0);
        let rows = (0..).zip(&self.elements).map(|(index, (text, _))| {
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
                is_damaged: is_damaged && text.contains('\u{fffd}'),
            }
        });
        rows.collect()
    }

    /// The elements as a table, with the plain members of the objects that enclose the array.
    pub fn table(&self, rows: &[RawRow]) -> Table {
        let mut objects = Objects::default();
        for (row, (_, parent)) in rows.iter().zip(&self.elements) {
            objects.add(row);
            if let Some(Ok(Value::Object(mut members))) = parent.map(serde_json::from_str) {
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
    /// Whether some of it was not UTF-8 and is lost.
    is_damaged: bool,
}

const NOT_UTF8: &str = "save the file as UTF-8, or name its encoding with --encoding";

impl RawRow {
    /// A row that is a whole document.
    pub fn of_document(text: &str) -> Self {
        Self {
            at: Position::line(1),
            line: 1,
            text: text.as_bytes().into(),
            is_damaged: false,
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
        if self.is_damaged {
            let place = place(0);
            return fault(format!("{place}not UTF-8; {NOT_UTF8}"), None);
        }
        match std::str::from_utf8(&self.text).map(parse) {
            Ok(Ok(value)) => (self.at.clone(), Ok(value)),
            Ok(Err(error)) => {
                let is_end = error.is_eof() && matches!(self.at, Position::Element { .. });
                let (offset, reason, advice) = if is_end {
                    let reason = "it ends in the middle of a value".to_owned();
                    (0, reason, "correct it, or export it again")
                } else {
                    (error.line() - 1, reason(&error), "correct it")
                };
                let place = place(offset);
                let message = format!("{place}the JSON is broken ({reason}); {advice}");
                fault(message, Some(error.column()))
            }
            Err(error) => fault(
                format!("not UTF-8 from here on; {NOT_UTF8}"),
                Some(error.valid_up_to() + 1),
            ),
        }
    }
}

/// The paths of the members in these rows.
pub fn names<'t>(rows: impl Iterator<Item = &'t str>) -> BTreeSet<String> {
    let (mut objects, mut broken) = (Objects::default(), BTreeSet::new());
    for row in rows {
        if let Ok(value) = parse(row) {
            objects.add_value(Position::line(0), Ok(value));
        } else {
            // A broken value has a name all the same.
            broken.extend(members(row).into_keys());
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
    /// The names of the last row's author.
    authors: Vec<String>,
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
            self.authors = answers::authors(&object);
            self.put_all("", object);
        }
    }

    /// Puts the values in `value`, whose path is `path`, into the last row.
    fn put_all(&mut self, path: &str, value: Value) {
        match value {
            Value::Object(_) if answers::is_of_customer(&value, path, &self.authors) => {
                self.put(path, String::new());
            }
            Value::Object(members) if !members.is_empty() => {
                if path.matches('.').count() + 1 < DEEP_MAX {
                    for (name, member) in members {
                        self.put_all(&joined(path, &name), member);
                    }
                }
            }
            Value::Array(elements) if elements.iter().any(Value::is_object) => {
                // Of several answers the first public one by the business counts.
                let is_shown = |element: &&Value| {
                    visibility::is_public_answer(element, path)
                        && !answers::is_of_customer(element, &format!("{path}[]"), &self.authors)
                };
                let shown = elements.iter().find(is_shown).or(elements.first());
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
        is_damaged: false,
    })
}

/// Whether the text has one value in each line, and not one or several values over several lines.
pub fn is_lines(text: &str) -> bool {
    let line = text.split('\n').next().unwrap_or_default();
    let is_only = line.len() == text.len();
    match serde_json::from_str::<&RawValue>(line) {
        Ok(_) => true,
        // One broken line may be a row, but not the array of all.
        Err(_) if is_only => !line.contains('['),
        Err(error) if !error.is_eof() => line.trim_end().ends_with('}'),
        // A line that is cut, before one that is whole.
        Err(_) => {
            let next = text.split('\n').nth(1).unwrap_or_default().trim();
            !line.trim_end().ends_with(['[', '{']) && whole(next) == Some(next)
        }
    }
}

/// The values of a text, which follow each other.
pub fn values(text: &str) -> Result<Vec<&str>, FileError> {
    let values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    let values = values.map(|value| value.map(RawValue::get));
    values.collect::<Result<_, _>>().map_err(FileError::from)
}

// Broken JSON: slips with one meaning are corrected in each value, and a document is cut into the elements of its arrays.

/// The value of a text, with its slips corrected.
pub fn parse(text: &str) -> serde_json::Result<Value> {
    let read = serde_json::from_str(text);
    read.or_else(|error| serde_json::from_str(&correct(text)).map_err(|_| error))
}

/// The text without slips that some programs make: numbers that JSON does not have become null, commas before the end of a list
/// go, and line breaks and tabs in texts are escaped.
fn correct(text: &str) -> String {
    const NUMBERS: [&str; 3] = ["NaN", "-Infinity", "Infinity"];
    let (mut corrected, mut rest, mut is_inside) = (String::with_capacity(text.len()), text, false);
    while let Some(at) = rest.find(['"', '\\', ',', 'N', 'I', '-', '\n', '\r', '\t']) {
        let (before, from) = rest.split_at(at);
        corrected += before;
        let number = NUMBERS.into_iter().find(|number| from.starts_with(number));
        let is_last = || from[1..].trim_start().starts_with([']', '}']);
        // What a backslash escapes ends no text.
        let escaped = from.strip_prefix('\\').and_then(|it| it.chars().next());
        let length = 1 + escaped.map_or(0, char::len_utf8);
        let (taken, written) = match (is_inside, &from[..length]) {
            (false, ",") if is_last() => (1, ""),
            (false, one) => number.map_or((length, one), |number| (number.len(), "null")),
            (true, "\n") => (1, "\\n"),
            (true, "\r") => (1, "\\r"),
            (true, "\t") => (1, "\\t"),
            (true, one) => (length, one),
        };
        is_inside ^= written == "\"";
        corrected += written;
        rest = &from[taken..];
    }
    corrected + rest
}

/// The arrays of objects in a broken document that have a whole element; of what is broken, each part is an element.
pub fn broken_arrays(text: &str) -> Vec<RowArray<'_>> {
    let (mut arrays, mut from) = (Vec::new(), 0);
    while let Some(at) = text[from..].find('[') {
        let (before, after) = text.split_at(from + at);
        let after = after[1..].trim_start();
        from = text.len() - after.len();
        if after.starts_with('{') {
            let (elements, rest) = broken_elements(after);
            if elements
                .iter()
                .any(|element| whole(element) == Some(*element))
            {
                let name = before.trim_end().trim_end_matches(':').rsplit('"').nth(1);
                arrays.push(RowArray {
                    path: name.unwrap_or_default().to_owned(),
                    elements: elements.into_iter().map(|it| (it, None)).collect(),
                });
                from = text.len() - rest.len();
            }
        }
    }
    arrays
}

/// The elements of the array with which a text begins, and the text after them. Elements begin alike, so one that is broken ends
/// before a comma and the next beginning. A text that ends in the array has an empty element at its end.
fn broken_elements(text: &str) -> (Vec<&str>, &str) {
    let key = first_key(text);
    let (mut elements, mut rest) = (Vec::new(), text);
    loop {
        let commas = rest.match_indices(',').map(|(at, _)| at);
        let is_end = |at: &usize| key.is_some() && first_key(&rest[at + 1..]) == key;
        let ends = commas.filter(is_end).chain([rest.len()]);
        // Objects inside of an element may begin like it.
        let mut tried = ends.clone().take(ENDS_TRIED_MAX);
        let element = tried.find_map(|end| whole(&rest[..end]));
        let element = element.unwrap_or_else(|| {
            let end = ends.clone().next().unwrap_or_default();
            rest[..end].trim_end()
        });
        elements.push(element);
        let after = rest[element.len()..].trim_start();
        let next = after.strip_prefix(',').unwrap_or(after).trim_start();
        if next.is_empty() && whole(element).is_some() {
            elements.push(next);
        }
        if next.is_empty() || next.starts_with(']') {
            return (elements, next);
        }
        rest = next;
    }
}

/// The name of the first member of the object with which a text begins.
fn first_key(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('{')?.split('"').nth(1)
}

/// The object with which a text begins, if nothing follows it, or the end of the array.
fn whole(text: &str) -> Option<&str> {
    let ends = text.rmatch_indices('}').take(ENDS_TRIED_MAX);
    let mut ends = ends.map(|(at, _)| text.split_at(at + 1));
    let is_whole = |(object, rest): &(&str, &str)| {
        let rest = rest.trim_start();
        let rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
        let is_end = rest.is_empty() || rest.starts_with(']');
        is_end && object.starts_with('{') && parse(object).is_ok()
    };
    ends.find(is_whole).map(|(object, _)| object)
}
