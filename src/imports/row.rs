//! One row of a file, whatever it came in: an object of JSON, or the cells of a table under their
//! headers.
//!
//! Apart from the readers, which make rows, and from the platforms, which say what a column means.
//! A column is found by its name as it stands, else by its letters and digits alone, else by a path
//! into nested objects.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::fields::{Problem, TEXT_BYTES_MAX, shown};
use super::values::same_name;

/// A row as its reader holds it, borrowed.
#[derive(Debug, Clone, Copy)]
pub(super) enum Row<'r> {
    /// An object of JSON.
    Json(&'r Map<String, Value>),
    /// Cells of a table. There are as many as columns.
    Cells(&'r Columns, &'r [String]),
}

/// The headers of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Columns(pub(super) Vec<String>);

/// What a platform calls a field: names in the order in which they are asked for.
#[derive(Debug, Clone, Default)]
pub(super) struct Lookup {
    names: Vec<Cow<'static, str>>,
    /// The columns of the table that have these names, where it is one.
    columns: Vec<usize>,
}

/// A value that was found, and what the file calls it.
#[derive(Debug, Clone)]
pub(super) struct Found<'r> {
    /// The column's header or the path in the object.
    pub(super) path: Cow<'r, str>,
    /// The value there; of a table, the cell as a JSON string.
    pub(super) value: Cow<'r, Value>,
}

impl Lookup {
    /// A field of one of these names.
    pub(super) fn new(names: Vec<Cow<'static, str>>, columns: Option<&Columns>) -> Self {
        let column = |name: &Cow<'static, str>| columns.and_then(|columns| columns.find(name));
        let columns = names.iter().filter_map(column).collect();
        Self { names, columns }
    }

    /// The column of that number.
    pub(super) fn column(number: usize, columns: &Columns) -> Self {
        Self {
            names: columns
                .0
                .get(number)
                .cloned()
                .map(Cow::Owned)
                .into_iter()
                .collect(),
            columns: vec![number],
        }
    }

    /// The numbers of the table's columns that have these names.
    pub(super) fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Whether it is what that member of an object is taken for.
    pub(super) fn takes(&self, member: &str) -> bool {
        self.names.iter().any(|name| same_name(name, member))
    }

    /// Whether the table has such a column.
    pub(super) fn is_column(&self) -> bool {
        !self.columns.is_empty()
    }

    /// The first name, for complaints about a field that is not there.
    pub(super) fn name(&self) -> &str {
        self.names.first().map_or("", |name| name)
    }
}

impl Columns {
    /// The headers for a message, the first dozen.
    pub(super) fn listed(&self) -> String {
        let more = if self.0.len() > 12 { ", …" } else { "" };
        format!(
            "{}{more}",
            self.0
                .iter()
                .take(12)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        )
    }

    /// The column of that name, exactly or but for case, blanks and signs.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let exact = self.0.iter().position(|its| its == name);
        exact.or_else(|| self.0.iter().position(|its| same_name(its, name)))
    }
}

impl<'r> Row<'r> {
    /// Whether the row has such a field at all, be it empty.
    pub(super) fn has(self, field: &Lookup) -> bool {
        match self {
            Self::Json(map) => field.names.iter().any(|name| inside(map, name).is_some()),
            Self::Cells(..) => !field.columns.is_empty(),
        }
    }

    /// The first value of that field that is not empty. A null and blanks are empty.
    pub(super) fn get(self, field: &'r Lookup) -> Option<Found<'r>> {
        match self {
            Self::Json(map) => field.names.iter().find_map(|name| {
                let value = inside(map, name).filter(|value| !is_empty(value))?;
                Some(Found {
                    path: Cow::Borrowed(name),
                    value: Cow::Borrowed(value),
                })
            }),
            Self::Cells(columns, cells) => field.columns.iter().find_map(|column| {
                let cell = cells.get(*column).filter(|cell| !cell.trim().is_empty())?;
                Some(Found {
                    path: Cow::Borrowed(&columns.0[*column]),
                    value: Cow::Owned(Value::from(cell.as_str())),
                })
            }),
        }
    }

    /// What the file calls that field here, for complaints.
    pub(super) fn path(self, field: &Lookup) -> String {
        match self {
            Self::Cells(columns, _) => field
                .columns
                .first()
                .map_or(field.name(), |column| &columns.0[*column])
                .to_owned(),
            Self::Json(_) => field.name().to_owned(),
        }
    }
}

impl Found<'_> {
    /// A complaint about it.
    pub(super) fn problem(&self, message: impl Into<String>) -> Problem {
        Problem {
            path: self.path.clone().into_owned(),
            message: message.into(),
        }
    }

    /// It as a text; numbers and truth values as they are written.
    pub(super) fn text(&self) -> Result<String, Problem> {
        let text = match self.value.as_ref() {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            other @ (Value::Null | Value::Array(_) | Value::Object(_)) => {
                return Err(self.problem(format!(
                    "{} is not a text, a number, true or false",
                    shown(other)
                )));
            }
        };
        if text.len() > TEXT_BYTES_MAX {
            return Err(self.problem(format!(
                "has {} bytes; at most {TEXT_BYTES_MAX} are taken",
                text.len()
            )));
        }
        // SQLite's text functions end at a NUL, so what stands behind it would be stored and never
        // found.
        if text.contains('\0') {
            return Err(self.problem("has a NUL character; remove it"));
        }
        Ok(text)
    }

    /// It as a list of names: an array, or a text with semicolons or bars between.
    pub(super) fn texts(&self) -> Result<Vec<String>, Problem> {
        if let Value::Array(elements) = self.value.as_ref() {
            let name = |element: &Value| element.as_str().map(|name| name.trim().to_owned());
            let names: Option<Vec<String>> = elements.iter().map(name).collect();
            return names.ok_or_else(|| {
                self.problem(format!(
                    "{} is not a list of names",
                    shown(self.value.as_ref())
                ))
            });
        }
        let text = self.text()?;
        Ok(text
            .split([';', '|'])
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect())
    }
}

/// The value of `path` in `map`: a member of that name, else of that name but for case and signs,
/// else inside of members. `responses[].body` is the first element's.
fn inside<'m>(map: &'m Map<String, Value>, path: &str) -> Option<&'m Value> {
    if let Some(value) = map.get(path) {
        return Some(value);
    }
    let nested = path.split_once('.').and_then(|(outer, inner)| {
        match map.get(outer.trim_end_matches("[]"))? {
            Value::Object(members) => inside(members, inner),
            // Nothing at all is a statement, too: of everything in it.
            nothing @ Value::Null => Some(nothing),
            nothing @ Value::Array(elements) if outer.ends_with("[]") && elements.is_empty() => {
                Some(nothing)
            }
            Value::Array(elements) if outer.ends_with("[]") => {
                inside(elements.first()?.as_object()?, inner)
            }
            Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
        }
    });
    nested.or_else(|| {
        map.iter()
            .find(|(name, _)| same_name(name, path))
            .map(|(_, value)| value)
    })
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(elements) => elements.is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}
