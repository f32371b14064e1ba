//! The names of columns in a part of a file, by which its format is found: nothing is known of its rows.

use std::collections::{BTreeSet, HashSet};

use crate::imports::draft::named_field;
use crate::imports::format::{Format, Reader, ReviewField, column_key};

/// The names of columns in one part of a file: a table, a sheet, or a list in a document.
#[derive(Debug, Clone)]
pub struct FilePart {
    /// The path of a list, or the name of a sheet.
    pub place: String,
    pub columns: Vec<String>,
    /// Number of rows, of lists.
    pub rows: usize,
    /// Whether it is delimited text or a sheet.
    is_table: bool,
    keys: HashSet<String>,
}

impl FilePart {
    pub fn new(
        place: &str,
        columns: impl IntoIterator<Item = String>,
        rows: usize,
        is_table: bool,
    ) -> Self {
        let columns: Vec<String> = columns.into_iter().collect();
        Self {
            place: place.to_owned(),
            keys: columns.iter().map(|column| column_key(column)).collect(),
            columns,
            rows,
            is_table,
        }
    }

    /// Whether there is a name `name`, or one inside it: a name that identifies a format may be that of an object or a list. A mark at
    /// its beginning counts: `@type`, `_id`.
    fn has(&self, name: &str) -> bool {
        let is_inside = |column: &String| {
            let inside = column.strip_prefix(name);
            inside.is_some_and(|rest| rest.starts_with(['.', '[']))
        };
        let is_name = if name.starts_with(['@', '_']) {
            self.columns.iter().any(|column| column == name)
        } else {
            self.keys.contains(&column_key(name))
        };
        is_name || self.columns.iter().any(is_inside)
    }

    /// The number of fields of a review of which a column has an exact name.
    pub fn core_fields(&self) -> usize {
        let named = self.columns.iter().filter_map(|column| named_field(column));
        let named: BTreeSet<ReviewField> = named.collect();
        let core = ReviewField::CORE.iter();
        core.filter(|field| named.contains(field)).count()
    }

    /// Whether it has all names of one of the format's lists; a table of somebody else may have a few of them.
    pub fn has_keys(&self, format: &Format) -> bool {
        let has_field = |field| {
            let mut names = format.column_names(field).into_iter();
            names.any(|name| self.has(name))
        };
        let is_whole = !self.is_table
            || format.reader == Reader::Columns
                && (has_field(ReviewField::Rating) || has_field(ReviewField::Recommended))
                && has_field(ReviewField::Date)
                && has_field(ReviewField::Text);
        let mut keys = format.keys.iter();
        is_whole && keys.any(|set| set.split(", ").all(|name| self.has(name)))
    }

    /// Whether it has the columns that an owner's format needs.
    pub fn fits(&self, format: &Format) -> bool {
        let has = |names: &[&str]| names.iter().any(|name| self.has(name));
        let core = ReviewField::CORE.iter();
        let fields = core.filter_map(|field| format.fields.get(field));
        let mut fields = fields.filter(|names| !names.is_empty()).peekable();
        let only = format.only.as_ref().map(|only| only.column.as_str());
        let blocks = format.public_blocks();
        let mut blocks = blocks.iter().flat_map(|(_, blocks)| blocks.iter());
        fields.peek().is_some()
            && fields.all(|names| has(&names.among(&self.columns)))
            && only.is_none_or(|name| self.has(name))
            && blocks.all(|block| has(&block.names.among(&self.columns)))
    }

    /// Whether it has neither the stars nor the texts of an owner's format, so that it is another table.
    pub fn is_other(&self, format: &Format) -> bool {
        let lacks = |field| {
            let names = format.fields.get(&field);
            let names = names.map(|names| names.among(&self.columns));
            !names.unwrap_or_default().iter().any(|name| self.has(name))
        };
        lacks(ReviewField::Rating) && lacks(ReviewField::Text)
    }
}
