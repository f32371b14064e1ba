//! Rows of cells under columns, the one form of every file but the native one: a delimited text, a sheet, or objects whose
//! members are cells (`read::json`).

use serde_json::Value;

use crate::imports::map::values::same_name;
use crate::imports::report::Position;

#[derive(Debug, Default)]
pub struct Table {
    /// Headers, or the paths of members.
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
    pub place: TablePlace,
}

/// Where the headers of a table are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TablePlace {
    /// The rows are objects.
    #[default]
    Objects,
    /// In delimited text; the line, from 1.
    Text(u64),
    Sheet(SheetPlace),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SheetPlace {
    pub sheet: String,
    /// From 1.
    pub row: u64,
    /// The other sheets of the workbook.
    pub others: Vec<String>,
}

#[derive(Debug)]
pub struct Row {
    pub at: Position,
    /// By the column's number, as in the file. `None`, or beyond the last cell: the object has no such member.
    pub cells: Vec<Option<Box<str>>>,
    /// Why the row cannot be read as cells.
    pub fault: Option<RowFault>,
}

#[derive(Debug)]
pub struct RowFault {
    pub message: String,
    /// The row, if it has no cells.
    pub raw: Option<Value>,
}

impl Table {
    /// The column with this name, exactly or except for case, accents and punctuation.
    pub fn find(&self, name: &str) -> Option<usize> {
        find(&self.columns, name)
    }

    pub const fn is_objects(&self) -> bool {
        matches!(self.place, TablePlace::Objects)
    }

    /// The cells of a column that are not blank, each with its row.
    pub fn cells(&self, column: usize) -> impl Iterator<Item = (&Row, &str)> {
        self.rows.iter().filter_map(move |row| {
            let text = row.cell(column)?.trim();
            (!text.is_empty() && row.fault.is_none()).then_some((row, text))
        })
    }
}

/// The column with this name among `columns`.
pub fn find(columns: &[String], name: &str) -> Option<usize> {
    let exact = columns.iter().position(|its| its == name);
    exact.or_else(|| columns.iter().position(|its| same_name(its, name)))
}

/// The first dozen columns, for messages.
pub fn list_columns(columns: &[String]) -> String {
    let more = if columns.len() > 12 { ", …" } else { "" };
    format!("{}{more}", columns[..columns.len().min(12)].join(", "))
}

impl Row {
    pub fn cell(&self, column: usize) -> Option<&str> {
        self.cells.get(column)?.as_deref()
    }
}
