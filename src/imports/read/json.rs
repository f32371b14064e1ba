//! JSON in memory: the arrays of objects in a document, JSON Lines, and objects as rows of cells.
//!
//! Elements are split with `serde_json`'s `RawValue`, so that one broken element rejects its row and not the file.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::imports::limits::ImportLimits;
use crate::imports::map::fields::is_one_of;
use crate::imports::map::values::{WORDS, is_in, names};
use crate::imports::platforms::Format;
use crate::imports::report::{FileError, Position};
use crate::imports::table::{BLOCK_BYTES, Cells, ROW_BYTES_MAX, RowFault, Table, TableRow};
use crate::model::json::{join, visit};
use crate::model::text::shown;
use crate::owner::fault::reason;

/// Maximum number of objects in such: each takes 640 bytes when it is parsed, even an empty one.
const ROW_OBJECTS_MAX: usize = 20_000;
/// Number of bytes that are kept of an overlong or broken row.
const BYTES_SHOWN: usize = 1 << 10;
/// Maximum depth of the members that become cells: objects in the reviews inside a document inside an API's answer.
const DEEP_MAX: usize = 5;
/// Number of rows whose members identify a format; a member may be missing in the first row.
const ROWS_LOOKED_AT: usize = 50;
/// Maximum length of the path of an object whose members become cells, in bytes: each of them repeats it.
const PATH_BYTES_MAX: usize = 1 << 10;
/// Maximum number of columns of a file of objects.
const COLUMNS_MAX: usize = 2_000;
/// How often the name of a column is there while it is decided what the column is.
const COLUMN_COPIES: usize = 8;
/// Before the members of the object that encloses an array of rows.
pub const PARENT: &str = "^";

/// A row; or an error message with the row as text, truncated if it is too long.
pub type RowValue = Result<Value, (String, Value)>;

/// A text of JSON: a document, several values that follow each other, or lines.
#[derive(Debug)]
pub struct JsonText<'t> {
    pub text: &'t str,
    /// Where rows may be: the document itself, the values or the lines; then the arrays of objects in the document, the
    /// outermost first.
    pub places: Vec<RowArray<'t>>,
}

/// Maximum depth of the array of rows in a document.
const ARRAYS_DEEP_MAX: usize = 4;

impl<'t> JsonText<'t> {
    /// Reads a text that begins with a bracket or a brace.
    pub fn of(text: &'t str, limits: &mut ImportLimits<'_>) -> Result<Self, FileError> {
        let places = match serde_json::from_str::<&RawValue>(text) {
            Ok(document) => places_in(document.get(), limits)?,
            Err(_) if has_lines(text) => vec![RowArray::lines(text, limits)?],
            Err(_) => {
                let mut elements = Vec::new();
                for value in serde_json::Deserializer::from_str(text).into_iter::<&RawValue>() {
                    limits.take(ELEMENT_BYTES)?;
                    elements.push((value?.get(), None));
                }
                vec![RowArray::new(String::new(), elements)]
            }
        };
        Ok(Self { text, places })
    }

    /// The document, if the text is one.
    pub fn document(&self) -> Option<&'t str> {
        let top = &self.places[0];
        let first = top
            .elements
            .first()
            .filter(|_| top.kind == RowKind::Document);
        first.map(|(document, _)| *document)
    }

    pub fn is_lines(&self) -> bool {
        self.places[0].kind == RowKind::Line
    }

    /// The number of the array with this path.
    pub fn find(&self, path: &str) -> Option<usize> {
        self.places.iter().position(|array| array.path == path)
    }
}

/// Whether the text has one value in each line, and not one or several values over several lines: one of its first lines is
/// an object, and the other may be broken.
fn has_lines(text: &str) -> bool {
    let mut first = text.trim_start().split('\n').take(2);
    first.any(|line| line.starts_with('{') && serde_json::from_str::<&RawValue>(line).is_ok())
}

/// Rows in a text: the elements of an array, or its lines.
#[derive(Debug)]
pub struct RowArray<'t> {
    /// As `result.reviews`, or `data[][].reviews_data`; empty at the top level.
    pub path: String,
    /// Each may be broken.
    pub elements: Vec<Element<'t>>,
    kind: RowKind,
}

/// A value, with the object that encloses its array, if that object is itself an element of one.
type Element<'t> = (&'t str, Option<&'t str>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowKind {
    Element,
    /// Of JSON Lines (<https://jsonlines.org>): a broken line does not affect the others.
    Line,
    Document,
}

/// What an element takes in memory while the arrays of a document are searched: its lists are copied, and grow.
const ELEMENT_BYTES: usize = 3 * size_of::<Element<'_>>();
/// What an array takes, without its elements.
const ARRAY_BYTES: usize = 512;

/// The document, then the arrays of objects in it, the outermost first.
fn places_in<'t>(
    document: &'t str,
    limits: &mut ImportLimits<'_>,
) -> Result<Vec<RowArray<'t>>, FileError> {
    let mut found = BTreeMap::new();
    let top = (document, None);
    find_arrays(top, "", ARRAYS_DEEP_MAX, &mut found, limits)?;
    let has_objects =
        |array: &RowArray<'_>| array.elements.iter().any(|(row, _)| row.starts_with('{'));
    let mut arrays: Vec<RowArray<'_>> = found.into_values().filter(has_objects).collect();
    arrays.sort_by_key(|array| array.path.matches('.').count());
    let top = RowArray {
        kind: RowKind::Document,
        ..RowArray::new(String::new(), vec![top])
    };
    Ok(std::iter::once(top).chain(arrays).collect())
}

/// Adds the arrays in a value whose path is `path`, by their paths: those of one member are one array over all elements. `around` is the
/// object that encloses the value, if that is an element of an array.
fn find_arrays<'t>(
    (value, around): Element<'t>,
    path: &str,
    deep: usize,
    found: &mut BTreeMap<String, RowArray<'t>>,
    limits: &mut ImportLimits<'_>,
) -> Result<(), FileError> {
    let is_list = value.starts_with('[');
    let mut elements = Vec::new();
    let mut add = |name: &str, inner: &'t str| {
        if is_list {
            limits.take(ELEMENT_BYTES)?;
            elements.push((inner, around));
        }
        if deep == 0 || !inner.starts_with(['[', '{']) {
            return Ok(());
        }
        let list = format!("{path}[]");
        match (is_list, inner.starts_with('[')) {
            (true, true) => find_arrays((inner, around), &list, deep - 1, found, limits),
            (true, false) => find_arrays((inner, Some(inner)), &list, deep, found, limits),
            (false, _) => find_arrays((inner, around), &join(path, name), deep - 1, found, limits),
        }
    };
    let fault = visit(value, |name, inner| match add(name, inner) {
        Ok(()) => ControlFlow::Continue(()),
        Err(fault) => ControlFlow::Break(fault),
    });
    if let Some(fault) = fault {
        return Err(fault);
    }
    if let Some(known) = found.get_mut(path) {
        known.elements.append(&mut elements);
    } else if is_list {
        limits.take(ARRAY_BYTES + path.len())?;
        let array = RowArray::new(path.to_owned(), elements);
        found.insert(path.to_owned(), array);
    }
    Ok(())
}

impl<'t> RowArray<'t> {
    const fn new(path: String, elements: Vec<(&'t str, Option<&'t str>)>) -> Self {
        Self {
            path,
            elements,
            kind: RowKind::Element,
        }
    }

    /// The lines of a text that are not blank.
    pub fn lines(text: &'t str, limits: &mut ImportLimits<'_>) -> Result<Self, FileError> {
        let mut lines = Vec::new();
        for line in text.split('\n').filter(|line| !line.trim().is_empty()) {
            limits.take(2 * size_of::<Element<'_>>())?;
            lines.push((line, None));
        }
        Ok(Self {
            kind: RowKind::Line,
            ..Self::new(String::new(), lines)
        })
    }

    /// The paths of the members of the first rows; of a document only its own members.
    pub fn names(&self) -> BTreeSet<String> {
        let first = self
            .elements
            .iter()
            .take(ROWS_LOOKED_AT)
            .map(|(element, _)| *element);
        let (mut objects, mut names) = (Objects::default(), BTreeSet::new());
        for row in first {
            let is_parsed = self.kind != RowKind::Document && too_large(row).is_none();
            if let Some(value) = is_parsed.then(|| serde_json::from_str(row).ok()).flatten() {
                objects.add_value(Position::Line(0), Ok(self.without_edge(value)));
                continue;
            }
            // An object that is broken or too large has names all the same.
            let object = Some(row).filter(|row| row.trim_start().starts_with('{'));
            visit(object.unwrap_or_default(), |name, _| {
                names.insert(name.to_owned());
                if names.len() < COLUMNS_MAX {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            });
        }
        names.extend(objects.table.columns);
        names
    }

    /// The rows; `text` is the text that contains them, in which U+FFFD stands for what is no UTF-8 if it `is_damaged`.
    pub fn rows(&self, text: &str, is_damaged: bool) -> impl Iterator<Item = RawRow<'t>> {
        let array: Arc<str> = self.path.as_str().into();
        let (mut line, mut end) = (1, 0);
        (0..).zip(&self.elements).map(move |(index, (row, _))| {
            let start = row.as_ptr() as usize - text.as_ptr() as usize;
            line += memchr::memchr_iter(b'\n', &text.as_bytes()[end..start]).count();
            end = start;
            let array = Arc::clone(&array);
            RawRow {
                at: match self.kind {
                    RowKind::Element => Position::Element { array, index },
                    RowKind::Line | RowKind::Document => Position::Line(line as u64),
                },
                line,
                text: (*row).into(),
                is_damaged: is_damaged && row.contains('\u{fffd}'),
            }
        })
    }

    /// The object itself, if the array has the edges of a GraphQL connection, which have nothing but a cursor beside it
    /// (<https://relay.dev/graphql/connections.htm>).
    fn without_edge(&self, mut value: Value) -> Value {
        let is_edges = self.path.rsplit('.').next() == Some("edges");
        let edge = value.as_object_mut().filter(|edge| {
            edge.get("node").is_some_and(Value::is_object)
                && edge.keys().all(|name| name == "node" || name == "cursor")
        });
        let node = edge
            .filter(|_| is_edges)
            .and_then(|edge| edge.remove("node"));
        node.unwrap_or(value)
    }

    /// The elements as a table, with the plain members of the elements that enclose the array. If it is no platform's, what the
    /// `document` says of all of them is in columns, too: its flags, and the name of the list.
    pub fn table(
        &self,
        json: &JsonText<'_>,
        is_damaged: bool,
        format: Option<&'static Format>,
        limits: &mut ImportLimits<'_>,
    ) -> Result<Table, FileError> {
        let mut objects = Objects::new(format);
        let document = json.document().filter(|_| format.is_none());
        let outer = document.map_or_else(|| Ok(BTreeMap::new()), |it| self.outer_flags(it))?;
        let mut last: Option<(Option<&str>, Arc<Cells>)> = None;
        for (row, (_, parent)) in self.rows(json.text, is_damaged).zip(&self.elements) {
            let value = row.parse().map(|value| self.without_edge(value));
            objects.add_value(row.at, value);
            if parent.is_some() || !outer.is_empty() {
                // Many rows share one.
                let known =
                    last.filter(|(known, _)| known.map(str::as_ptr) == parent.map(str::as_ptr));
                let around = || objects.cells_around(*parent, &outer);
                let cells = known.map_or_else(around, |it| Ok(it.1))?;
                if let Some(row) = objects.table.rows.last_mut() {
                    row.around = Some(Arc::clone(&cells));
                }
                last = Some((*parent, cells));
            }
            limits.take(std::mem::take(&mut objects.bytes))?;
        }
        Ok(objects.finish())
    }

    /// The members `true` and `false` of the objects that enclose the array in a document, and its path, if that may say something.
    fn outer_flags(&self, document: &str) -> Result<BTreeMap<String, Value>, FileError> {
        let mut flags = BTreeMap::new();
        let (mut object, mut place) = (document, PARENT.to_owned());
        for name in self.path.split('.') {
            let mut inner = "";
            let repeated = visit(object, |member, value| {
                let path = join(&place, member);
                if member == name {
                    inner = value;
                } else if matches!(value, "true" | "false")
                    && flags.len() < COLUMNS_MAX
                    && flags.insert(path, Value::from(value == "true")).is_some()
                {
                    return ControlFlow::Break(member.to_owned());
                }
                ControlFlow::Continue(())
            });
            if let Some(member) = repeated {
                return Err(FileError::new(format!(
                    "has the member {member} twice in one object; leave one out"
                )));
            }
            (object, place) = (inner, join(&place, name));
        }
        if !self.has_plain_name() {
            flags.insert(LIST.to_owned(), Value::from(self.path.as_str()));
        }
        Ok(flags)
    }

    /// Whether the names in its path say nothing of its rows.
    pub fn has_plain_name(&self) -> bool {
        let mut names = self.path.split('.').map(|name| name.trim_end_matches("[]"));
        names.all(|name| name.is_empty() || is_in(&WORDS.lists, &name.to_lowercase()))
    }
}

/// The column with the path of the list in which rows are.
const LIST: &str = "name of the list";

/// A row of JSON. It is parsed only when it is read, because all parsed rows of a large file need too much memory.
#[derive(Debug)]
pub struct RawRow<'t> {
    pub at: Position,
    /// The line on which it begins, from 1.
    line: usize,
    /// It may be broken.
    text: Cow<'t, str>,
    /// Whether some of it was not UTF-8 and is lost.
    is_damaged: bool,
}

impl RawRow<'_> {
    /// The row without the text of its file.
    pub fn into_owned(self, limits: &mut ImportLimits<'_>) -> Result<RawRow<'static>, FileError> {
        limits.take(2 * size_of::<Self>() + BLOCK_BYTES + self.text.len())?;
        let text = Cow::Owned(self.text.into_owned());
        Ok(RawRow { text, ..self })
    }

    /// The row; or an error message with the row as text, truncated if it is too long.
    pub fn parse(&self) -> RowValue {
        // A line is named by its position.
        let place = |offset: usize| match self.at {
            Position::Line(_) => String::new(),
            Position::Element { .. } => format!("line {}: ", self.line + offset),
        };
        let message = if let Some(message) = too_large(&self.text) {
            place(0) + &message
        } else if self.is_damaged {
            let place = place(0);
            format!(
                "{place}not UTF-8; save the file as UTF-8, or name its encoding with --encoding"
            )
        } else {
            match serde_json::from_str(&self.text) {
                Ok(value) => match repeated_member(&self.text) {
                    None => return Ok(value),
                    Some(name) => format!(
                        "{}{name}: stands twice in one object, so nobody knows which one counts; leave one out",
                        place(0)
                    ),
                },
                Err(error) => {
                    let (place, reason) = (place(error.line() - 1), reason(&error));
                    let column = error.column();
                    format!("{place}the JSON is broken in column {column} ({reason}); correct it")
                }
            }
        };
        let shown = self.text.floor_char_boundary(BYTES_SHOWN);
        Err((message, self.text[..shown].into()))
    }
}

/// A name that two members of one object have.
fn repeated_member(text: &str) -> Option<String> {
    // There may be millions of objects with one member.
    memchr::memchr_iter(b':', text.as_bytes()).nth(1)?;
    let mut names = HashSet::new();
    let is_object = text.trim_start().starts_with('{');
    visit(text, |name, value| {
        if is_object && !names.insert(name.to_owned()) {
            return ControlFlow::Break(name.to_owned());
        }
        let inner = Some(value).filter(|value| value.starts_with(['{', '[']));
        inner
            .and_then(repeated_member)
            .map_or(ControlFlow::Continue(()), ControlFlow::Break)
    })
}

/// That a row is too large to be parsed.
pub fn too_large(row: &str) -> Option<String> {
    if row.len() > ROW_BYTES_MAX {
        return Some(format!(
            "longer than {ROW_BYTES_MAX} bytes; shorten it, or write one review in a line"
        ));
    }
    let objects = memchr::memchr_iter(b'{', row.as_bytes()).count();
    (objects > ROW_OBJECTS_MAX)
        .then(|| format!("has more than {ROW_OBJECTS_MAX} objects; leave some out"))
}

/// Makes a table of objects: each member is a cell in the column of its path, as `reviewer.name` or, of the elements of an
/// array, `responses[].body`.
#[derive(Debug, Default)]
pub struct Objects {
    pub table: Table,
    numbers: HashMap<String, usize>,
    /// Of the row that is read.
    cells: Cells,
    /// The memory of what was added since somebody counted it.
    pub bytes: usize,
    /// The platform's format, whose file names members of lists; otherwise a list of objects has no columns.
    format: Option<&'static Format>,
}

impl Objects {
    pub fn new(format: Option<&'static Format>) -> Self {
        Self {
            format,
            ..Self::default()
        }
    }

    pub fn add_value(&mut self, at: Position, value: RowValue) {
        let fault = match &value {
            Ok(Value::Object(_)) => None,
            Ok(other) => {
                let message = format!("record: {} is not a JSON object in {{…}}", shown(other));
                Some((message, other.to_string()))
            }
            Err((message, raw)) => Some((message.clone(), raw.to_string())),
        };
        let fault = fault.map(|(message, raw)| RowFault {
            message,
            raw: Some(raw),
        });
        if let Ok(object @ Value::Object(_)) = value {
            self.put_all("", object);
        }
        let row = TableRow::new(at, std::mem::take(&mut self.cells), fault);
        self.bytes += row.bytes();
        self.table.rows.push(row);
    }

    /// The cells of the plain members of an object that encloses rows, and those of `outer`.
    fn cells_around(
        &mut self,
        object: Option<&str>,
        outer: &BTreeMap<String, Value>,
    ) -> Result<Arc<Cells>, FileError> {
        // A platform's file names plain members only.
        let starts = if self.format.is_some() { "[{" } else { "[" };
        let (mut members, mut left) = (outer.clone(), ROW_BYTES_MAX);
        let fault = visit(object.unwrap_or_default(), |name, member| {
            if member.starts_with(|start| starts.contains(start)) {
                return ControlFlow::Continue(());
            }
            let rest = left.checked_sub(name.len() + member.len());
            let Some(rest) = rest.filter(|_| too_large(member).is_none()) else {
                return ControlFlow::Break(FileError::new(
                    "has more than 1 MiB beside a list of reviews in one object; give a file with the reviews only",
                ));
            };
            left = rest;
            if let Ok(member) = serde_json::from_str(member) {
                members.insert(join(PARENT, name), member);
            }
            ControlFlow::Continue(())
        });
        fault.map_or(Ok(()), Err)?;
        for (path, member) in members {
            self.put_all(&path, member);
        }
        let row = TableRow::new(Position::Line(0), std::mem::take(&mut self.cells), None);
        self.bytes += row.bytes();
        Ok(Arc::new(row.cells))
    }

    /// Puts the values in `value`, whose path is `path`, into the cells.
    fn put_all(&mut self, path: &str, value: Value) {
        match value {
            Value::Object(members) if !members.is_empty() => {
                if path.matches('.').count() + 1 == DEEP_MAX || path.len() > PATH_BYTES_MAX {
                    // Members further inside are one cell, so that none is passed over.
                    self.put(path, &Value::Object(members).to_string());
                } else {
                    for (name, member) in members {
                        self.put_all(&join(path, &name), member);
                    }
                }
            }
            Value::Array(elements) if elements.iter().any(Value::is_object) => {
                let path_inside = format!("{path}[]");
                if let Some(format) = self.format {
                    // Of several answers the first public one counts. Elements with other members are of another kind.
                    let mut known: Vec<String> = Vec::new();
                    for element in elements {
                        let names = element.as_object().into_iter().flat_map(Map::keys);
                        let is_new = names.clone().all(|name| !known.contains(name));
                        if is_new && is_public_answer(format, &element, &path_inside) {
                            known.extend(names.cloned());
                            self.put_all(&path_inside, element);
                        }
                    }
                } else if self.put(&path_inside, "[…]") {
                    self.table.lists.push(path.to_owned());
                }
            }
            Value::Null | Value::Object(_) => {
                self.put(path, "");
            }
            Value::String(text) => {
                self.put(path, &text);
            }
            Value::Array(elements) if elements.is_empty() => {
                self.put(path, "");
            }
            Value::Array(elements) if self.format.is_none() => {
                let text = |value: &Value| {
                    let plain = value.as_str().map(str::to_owned);
                    plain.unwrap_or_else(|| value.to_string())
                };
                let texts: Vec<String> = elements.iter().map(text).collect();
                self.put(path, &texts.join("\n"));
            }
            Value::Array(elements) => {
                if let Some(Value::String(first)) = elements.first() {
                    self.put(&format!("{path}[]"), first);
                }
                self.put(path, &Value::Array(elements).to_string());
            }
            value @ (Value::Bool(_) | Value::Number(_)) => {
                self.put(path, &value.to_string());
            }
        }
    }

    /// The table. A member that is an object in some rows, and null in all others, has no cells of its own.
    pub fn finish(mut self) -> Table {
        let all = 0..self.table.columns.len();
        let filled = self.table.filled();
        let is_outer =
            |column: &usize| self.format.is_none() && !filled[*column] && self.has_members(*column);
        let outer: Vec<usize> = all.filter(is_outer).collect();
        for column in outer {
            self.table.columns[column].clear();
        }
        self.table
    }

    /// Whether members of a column have columns of their own.
    fn has_members(&self, column: usize) -> bool {
        let mut inside = self.table.inside(&self.table.columns[column]);
        inside.any(|member| !self.table.is_list(member))
    }

    /// Puts a cell into the column of its path; returns whether the column is new.
    fn put(&mut self, path: &str, text: &str) -> bool {
        let path = if path.is_empty() {
            "(empty name)"
        } else {
            path
        };
        let count = self.table.columns.len();
        let number = self.numbers.get(path).copied().unwrap_or(count);
        if number == COLUMNS_MAX {
            self.table.has_more_columns = true;
            return false;
        }
        if number == count {
            self.bytes += COLUMN_COPIES * path.len();
            self.table.columns.push(path.to_owned());
            self.numbers.insert(path.to_owned(), number);
        }
        self.cells.put(number, text);
        number == count
    }
}

/// Whether the platform's file says that an element of a list, whose path is `path`, is a public answer, or nothing of that.
fn is_public_answer(format: &'static Format, element: &Value, path: &str) -> bool {
    format.public_answer.iter().all(|sign| {
        let members = names(&sign.names).filter_map(|name| {
            let inner = name.strip_prefix(path)?.strip_prefix('.')?;
            inner
                .split('.')
                .try_fold(element, |object, name| object.get(name))
        });
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        members
            .map(text)
            .all(|value| is_one_of(&sign.values, &value))
    })
}
