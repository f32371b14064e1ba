//! JSON in memory: the lists of objects in a document, JSON Lines, and objects as rows of cells.
//!
//! Elements are split with `serde_json`'s `RawValue`, so that one broken element rejects its row and not the file.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::imports::fault::{FileError, Position, reason};
use crate::imports::format::{Format, PublicColumn, column_key};
use crate::imports::read::{
    Amount, Bounds, COLUMNS_MAX, Cells, LIST, ROW_BYTES_MAX, ROWS_MAX, RowFault, Table,
};
use crate::model::json::{add_member, join, member, parse, plain_text, visit};
use crate::model::text::shown;

/// Number of bytes that are kept of an overlong or broken row.
const BYTES_SHOWN: usize = 1 << 10;
/// Maximum depth of the members that become cells: objects in the reviews inside a document inside an API's answer.
const DEEP_MAX: usize = 5;
/// Maximum depth of the objects and lists around a list of rows.
const LISTS_DEEP_MAX: usize = 8;
/// Maximum number of lists with paths of their own, and of all their elements.
const LISTS_MAX: usize = 500;
const ELEMENTS_MAX: u64 = 4_000_000;
/// Number of rows whose members identify a format; a member may be missing in the first row.
const ROWS_LOOKED_AT: usize = 50;
/// Maximum length of the path of an object whose members become cells, in bytes: each of them repeats it.
const PATH_BYTES_MAX: usize = 1 << 10;
/// Maximum number of members beside a list that are shown.
const BESIDE_MAX: usize = 20;

/// The document that a text is, if it is one, and the lists of objects in it, the outermost first; without any, it is one row. Otherwise
/// the lines of the text, as they are if they `are_own_lines`.
///
/// # Errors
/// If it is broken, and not one value in each line.
pub fn read_lists(
    text: &str,
    are_own_lines: bool,
) -> Result<(Option<&str>, Vec<RowList<'_>>), FileError> {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(document) => Ok((Some(document.get()), lists_in(document.get())?)),
        Err(_) if are_own_lines || has_lines(text) => {
            let mut lines = RowList::new(String::new(), true);
            text.split('\n').try_for_each(|line| lines.push(line))?;
            Ok((None, vec![lines]))
        }
        Err(error) if has_no_number(text, &error) => Err(FileError::new(
            "has NaN or Infinity, which are no values of JSON; write null in their place",
        )),
        Err(error) => Err(error.into()),
    }
}

/// Whether what is no JSON is what some programs write for a number that there is not.
fn has_no_number(text: &str, error: &serde_json::Error) -> bool {
    let line = text.split('\n').nth(error.line().saturating_sub(1));
    let rest = line.and_then(|line| line.get(error.column().saturating_sub(1)..));
    rest.is_some_and(|rest| rest.starts_with("NaN") || rest.starts_with("Infinity"))
}

/// Whether the text has one value in each line: one of its first two lines is an object, or one below, if the next begins as one. In a
/// broken document, an element of a list that is a line by itself stands before the end of the list.
fn has_lines(text: &str) -> bool {
    let text = text.trim_start();
    let is_object =
        |line: &&str| line.starts_with('{') && serde_json::from_str::<&RawValue>(line).is_ok();
    let lines: Vec<&str> = text.split('\n').take(ROWS_LOOKED_AT).collect();
    let mut pairs = lines.windows(2);
    lines.iter().take(2).any(is_object)
        || text.starts_with('{')
            && pairs.any(|pair| is_object(&pair[0]) && pair[1].starts_with('{'))
}

/// Rows in a text: the elements of a list, or its lines, of which a document may be the only one.
#[derive(Debug)]
pub struct RowList<'t> {
    /// As `result.reviews`, or `data[].reviews`; empty at the top level.
    pub path: String,
    /// Each may be broken, and a line blank.
    pub elements: Vec<&'t str>,
    /// Of JSON Lines (<https://jsonlines.org>): a broken line does not affect the others.
    pub are_lines: bool,
}

fn lists_in(document: &str) -> Result<Vec<RowList<'_>>, FileError> {
    let (mut found, mut elements) = (BTreeMap::new(), 0);
    find_lists(document, "", LISTS_DEEP_MAX, &mut found, &mut elements)?;
    let mut lists: Vec<RowList<'_>> = found.into_values().collect();
    lists.retain(|list| list.elements.iter().any(|row| row.starts_with('{')));
    lists.sort_by_key(|list| list.path.matches(['.', '[']).count());
    // Linked data says at its top what its lists are.
    if lists.is_empty() || member(document, "@context").is_some() {
        let mut whole = RowList::new(String::new(), true);
        whole.elements.push(document);
        lists = vec![whole];
    }
    Ok(lists)
}

/// Adds the lists in a value by their paths: those of one member are one list over all elements; `elements` counts those of all lists.
fn find_lists<'t>(
    value: &'t str,
    path: &str,
    deep: usize,
    found: &mut BTreeMap<String, RowList<'t>>,
    elements: &mut u64,
) -> Result<(), FileError> {
    let is_list = value.starts_with('[');
    let mut add = |name: &str, inner: &'t str| {
        if is_list {
            let list = found.entry(path.to_owned());
            let list = list.or_insert_with(|| RowList::new(path.to_owned(), false));
            list.push(inner)?;
            *elements += 1;
        }
        if *elements > ELEMENTS_MAX {
            return Err(FileError::new(format!(
                "has lists with more than {ELEMENTS_MAX} elements; give a file with the reviews only"
            )));
        }
        if found.len() > LISTS_MAX {
            return Err(FileError::new(format!(
                "has more than {LISTS_MAX} lists; give a file with the reviews only"
            )));
        }
        if deep == 0 || !inner.starts_with(['[', '{']) {
            return Ok(());
        }
        let path = if is_list {
            format!("{path}[]")
        } else {
            join(path, name)
        };
        find_lists(inner, &path, deep - 1, found, elements)
    };
    let fault = visit(value, |name, inner| match add(name, inner) {
        Ok(()) => ControlFlow::Continue(()),
        Err(fault) => ControlFlow::Break(fault),
    });
    fault.map_or(Ok(()), Err)
}

impl<'t> RowList<'t> {
    const fn new(path: String, are_lines: bool) -> Self {
        Self {
            path,
            elements: Vec::new(),
            are_lines,
        }
    }

    fn push(&mut self, element: &'t str) -> Result<(), FileError> {
        if self.elements.len() as u64 > ROWS_MAX {
            return Err(FileError::new(format!(
                "has a list of more than {ROWS_MAX} elements; split it, and import one part after the other"
            )));
        }
        self.elements.push(element);
        Ok(())
    }

    pub fn texts(&self) -> impl Iterator<Item = &'t str> {
        let elements = self.elements.iter().copied();
        elements.filter(|row| !row.trim().is_empty())
    }

    pub fn rows(&self) -> impl Iterator<Item = (Position, &'t str)> {
        let array: Arc<str> = self.path.as_str().into();
        let rows = (0..).zip(self.elements.iter().copied());
        let rows = rows.filter(|(_, row)| !row.trim().is_empty());
        rows.map(move |(index, text)| {
            let at = if self.are_lines {
                Position::Line(index + 1)
            } else {
                let array = Arc::clone(&array);
                Position::Element { array, index }
            };
            (at, text)
        })
    }

    /// The elements as a table; `document` is what they are in.
    ///
    /// # Errors
    /// When there is more than an import may hold.
    pub fn table(
        &self,
        document: Option<&str>,
        format: &Format,
        bounds: &mut Bounds<'_>,
    ) -> Result<Table, FileError> {
        let mut objects = Objects::new(format);
        for (at, text) in self.rows() {
            let row = parse_row(text);
            if row.is_err() {
                objects.put_readable(text);
            }
            objects.add_value(at, row, bounds)?;
        }
        let mut table = objects.finish();
        if let Some(document) = document.filter(|_| format.is_table()) {
            table.beside = members_beside(document, &self.path);
        }
        if !self.path.is_empty() {
            table.place = format!(", {}", self.path);
        }
        Ok(table)
    }

    /// The paths of the members of the first rows; of a row that is broken or too large, only its own members.
    pub fn names(&self) -> Vec<String> {
        let mut objects = Objects::default();
        for text in self.texts().take(ROWS_LOOKED_AT) {
            if let Ok(value) = parse_row(text) {
                objects.put_all("", value);
                continue;
            }
            visit(text, |name, _| {
                objects.put(name, "");
                ControlFlow::<()>::Continue(())
            });
        }
        objects.table.columns
    }
}

/// The members of a document beside the list with this path, and of the objects that enclose it; of several in a list, of the first.
pub fn members_beside(document: &str, path: &str) -> Vec<(String, String)> {
    let (mut found, mut object, mut place) = (Vec::new(), document, String::new());
    for step in path.split('.') {
        let name = step.trim_end_matches("[]");
        let mut inner = object;
        if !name.is_empty() {
            visit(object, |member, value| {
                if member == name {
                    inner = value;
                } else if found.len() < BESIDE_MAX {
                    let value = match value.as_bytes().first() {
                        Some(b'{') => "{…}".to_owned(),
                        Some(b'[') => "[…]".to_owned(),
                        _ => serde_json::from_str(value).unwrap_or_else(|_| value.to_owned()),
                    };
                    found.push((join(&place, member), value));
                }
                ControlFlow::<()>::Continue(())
            });
        }
        for _ in 0..step.matches("[]").count() {
            inner = visit(inner, |_, element| ControlFlow::Break(element)).unwrap_or_default();
        }
        object = inner;
        place = join(&place, step);
    }
    found
}

/// A row that is one value of JSON.
pub fn parse_row(text: &str) -> Result<Value, RowFault> {
    let message = if text.len() > ROW_BYTES_MAX {
        format!("longer than {ROW_BYTES_MAX} bytes; shorten it, or write one review in a line")
    } else {
        match parse(text) {
            Ok(value) => return Ok(value),
            Err(error) => {
                let (column, reason) = (error.column(), reason(&error));
                format!("the JSON is broken in column {column} ({reason}); correct it")
            }
        }
    };
    let shown = text.floor_char_boundary(BYTES_SHOWN);
    Err(RowFault {
        message,
        raw: Some(text[..shown].into()),
    })
}

/// Calls `each` with the members that can be read of a row that cannot be read wholly: those before the place where it is broken, and none
/// that is itself broken or longer than a row.
fn visit_readable(text: &str, mut each: impl FnMut(&str, Value)) {
    let mut bytes = 0;
    visit(text, |name, member| {
        if member.len() > ROW_BYTES_MAX {
            return ControlFlow::Continue(());
        }
        // Together they are no more than those of a row.
        bytes += name.len() + member.len();
        if bytes > ROW_BYTES_MAX {
            return ControlFlow::Break(());
        }
        if let Ok(member) = parse(member) {
            each(name, member);
        }
        ControlFlow::Continue(())
    });
}

/// The members that can be read of a row that cannot be read wholly.
pub fn readable_members(text: &str) -> Value {
    let mut members = Map::new();
    visit_readable(text, |name, member| {
        add_member(&mut members, name.to_owned(), member);
    });
    members.into()
}

/// Makes a table of objects: each member is a cell in the column of its path, as `reviewer.name` or, of the elements of a
/// list in a built-in format, `responses[].body`.
#[derive(Debug, Default)]
pub struct Objects {
    pub table: Table,
    numbers: HashMap<String, usize>,
    /// Of the row that is read.
    cells: Cells,
    /// Whether that is a row which cannot be read wholly: it adds no columns but those that the format names.
    is_partial: bool,
    /// The names in the format, as names are compared.
    named: HashSet<String>,
    format: Format,
}

impl Objects {
    pub fn new(format: &Format) -> Self {
        let named = format.all_names();
        Self {
            format: format.clone(),
            named: named.iter().map(|name| column_key(name)).collect(),
            table: Table {
                is_objects: true,
                named,
                ..Table::default()
            },
            ..Self::default()
        }
    }

    pub fn add_value(
        &mut self,
        at: Position,
        value: Result<Value, RowFault>,
        bounds: &mut Bounds<'_>,
    ) -> Result<(), FileError> {
        let fault = match value {
            Ok(object @ Value::Object(_)) => {
                self.put_all("", object);
                None
            }
            Ok(other) => Some(RowFault {
                message: format!("record: {} is not a JSON object in {{…}}", shown(&other)),
                raw: Some(other),
            }),
            Err(fault) => Some(fault),
        };
        let cells = std::mem::take(&mut self.cells);
        bounds.count(Amount {
            rows: 1,
            columns: self.table.columns.len(),
            cells: cells.count(),
            bytes: cells.bytes(),
        })?;
        self.table.push(at, cells, fault);
        Ok(())
    }

    /// Puts what can be read of a row that cannot be read wholly into the cells: it may say that its review is hidden.
    fn put_readable(&mut self, text: &str) {
        self.is_partial = true;
        visit_readable(text, |name, member| self.put_all(name, member));
        self.is_partial = false;
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
                self.put_list(path, elements);
            }
            Value::Object(_) => self.put(path, ""),
            Value::Array(elements) => {
                let texts: Vec<String> = elements.iter().map(plain_text).collect();
                self.put(path, &texts.join("\n"));
            }
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                self.put(path, &plain_text(&plain));
            }
        }
    }

    /// Puts the members of the objects in a list into the cells. Of several replies the first public one counts; if there is none, the row
    /// hides its reply. Elements with other members are of another kind.
    fn put_list(&mut self, path: &str, elements: Vec<Value>) {
        // A built-in format names members of lists.
        if self.format.is_table() {
            return self.put(path, LIST);
        }
        let path_inside = format!("{path}[]");
        let (mut known, mut hidden_by): (Vec<String>, Option<String>) = (Vec::new(), None);
        for element in elements {
            let names = element.as_object().into_iter().flat_map(Map::keys);
            let is_new = names.clone().all(|name| !known.contains(name));
            let hiding = hiding_blocks(&self.format.public_reply, &element, &path_inside);
            if !hiding.is_empty() {
                hidden_by.get_or_insert_with(|| hiding.join("\n"));
            } else if is_new {
                known.extend(names.cloned());
                self.put_all(&path_inside, element);
            }
        }
        if let Some(blocks) = hidden_by.filter(|_| known.is_empty()) {
            self.cells.reply_hidden_by = Some(blocks.into());
        }
    }

    pub fn finish(mut self) -> Table {
        if self.format.is_table() {
            self.table.name_columns();
        }
        self.table
    }

    /// Puts a cell into the column of its path, and the location that a name of Google's has into a column of its own.
    fn put(&mut self, path: &str, text: &str) {
        let is_name = self.format.has_google_names && path.ends_with("name");
        let name = text.split_once("/locations/").filter(|_| is_name);
        if let Some((location, _)) = name.and_then(|(_, rest)| rest.split_once("/reviews/")) {
            self.put("location", location);
        }
        let count = self.table.columns.len();
        let number = self.numbers.get(path).copied().unwrap_or(count);
        // With one more, the row is refused when it is counted.
        if number > COLUMNS_MAX {
            return;
        }
        if number == count {
            if self.is_partial && !self.named.contains(&column_key(path)) {
                return;
            }
            self.table.columns.push(path.to_owned());
            self.numbers.insert(path.to_owned(), number);
        }
        self.cells.put(number, text);
    }
}

/// The blocks by which an element of a list, whose path is `path`, is no public reply, by their first names.
fn hiding_blocks(blocks: &[PublicColumn], element: &Value, path: &str) -> Vec<String> {
    let hides = |block: &&PublicColumn| {
        let names = block.names.parts().into_iter();
        let mut members = names.filter_map(|name| {
            let inner = name.strip_prefix(path)?.strip_prefix('.')?;
            inner
                .split('.')
                .try_fold(element, |object, name| object.get(name))
        });
        members.any(|value| !block.publishes(&plain_text(value)))
    };
    let hiding = blocks.iter().filter(hides);
    let names = hiding.filter_map(|block| block.names.parts().first().copied());
    names.map(column_key).collect()
}
