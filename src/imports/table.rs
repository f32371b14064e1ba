//! Rows of cells under columns, the one form of every file but our own lines of JSON: a delimited text, a sheet, or objects whose
//! members are cells (`read::json`).

use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use crate::imports::limits::ImportLimits;
use crate::imports::map::date::{DateOrder, Dates};
use crate::imports::map::questions::{ADDRESS, NUMBER};
use crate::imports::map::values::{
    Names, has_address, has_number, header_key, is_empty, names, same_name,
};
use crate::imports::report::{FileError, Position};
use crate::model::text::shorten;

/// Maximum size of a row, or of an element of JSON, in bytes.
pub const ROW_BYTES_MAX: usize = 1 << 20;
/// The text of a cell whose formula was never calculated, as in workbooks that a program wrote.
pub const NOT_CALCULATED: &str = "#NOT-CALCULATED!";
/// The column that says which rows of a sheet are hidden, by hand or by a filter, if some are: the owner may mean that they are not
/// public.
pub const HIDDEN_ROW: &str = "hidden row";

#[derive(Debug, Default)]
pub struct Table {
    /// Headers, or the paths of members.
    pub columns: Vec<String>,
    pub rows: Vec<TableRow>,
    /// Where its headers are, for the preview; `None` if the rows are objects.
    pub place: Option<String>,
    /// Of the workbook.
    pub other_sheets: Vec<String>,
    /// The members that are lists of objects, which have no columns.
    pub lists: Vec<String>,
    /// Whether its objects have more members than a table may have columns.
    pub has_more_columns: bool,
    /// Which columns have sentences, once somebody asked.
    pub sentences: OnceCell<Vec<bool>>,
}

#[derive(Debug)]
pub struct TableRow {
    pub at: Position,
    pub cells: Cells,
    /// The cells of the object that encloses the row, for all rows in it.
    pub around: Option<Arc<Cells>>,
    /// Why the row cannot be read as cells.
    pub fault: Option<Box<RowFault>>,
}

#[derive(Debug)]
pub struct RowFault {
    pub message: String,
    /// The row as JSON, if it has no cells.
    pub raw: Option<String>,
}

/// The cells of a row, which has a few of perhaps thousands of columns: one text, and where each cell is in it.
#[derive(Debug, Default)]
pub struct Cells {
    pub text: String,
    /// By column.
    places: Vec<CellPlace>,
    /// The columns that are there, and empty if they have no place: all before the end of a row of delimited text.
    pub there: Range<usize>,
}

#[derive(Debug)]
struct CellPlace {
    column: u32,
    start: u32,
    end: u32,
}

impl CellPlace {
    fn new(column: usize, start: usize, end: usize) -> Self {
        // The text of a row has at most 1 MiB, and a table a few thousand columns.
        let [column, start, end] =
            [column, start, end].map(|number| u32::try_from(number).unwrap_or(u32::MAX));
        Self { column, start, end }
    }

    const fn column(&self) -> usize {
        self.column as usize
    }

    fn of<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start as usize..self.end as usize]
    }
}

impl Cells {
    /// `None` if the object has no such member, or the row no such cell.
    pub fn get(&self, column: usize) -> Option<&str> {
        let found = self.places.binary_search_by_key(&column, CellPlace::column);
        match found {
            Ok(at) => Some(self.places[at].of(&self.text)),
            Err(_) => self.there.contains(&column).then_some(""),
        }
    }

    /// The cells that have a place, each with its column.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        let places = self.places.iter();
        places.map(|place| (place.column(), place.of(&self.text)))
    }

    /// Ends the cell whose text was added from `start` on, and which is beyond the last one.
    pub fn end_cell(&mut self, start: usize) {
        if self.text.len() > start {
            let place = CellPlace::new(self.there.end, start, self.text.len());
            self.places.push(place);
        }
        self.there.end += 1;
    }

    /// Puts a cell into any column; of several the last one counts, once they are sorted.
    pub fn put(&mut self, column: usize, cell: &str) {
        let start = self.text.len();
        self.text += cell;
        let place = CellPlace::new(column, start, self.text.len());
        self.places.push(place);
    }

    /// Sorts what was put, and frees what was reserved for more.
    pub fn finish(&mut self) {
        self.places.sort_by_key(CellPlace::column);
        self.places.dedup_by(|next, place| {
            let is_same = next.column == place.column;
            if is_same {
                std::mem::swap(next, place);
            }
            is_same
        });
        self.places.shrink_to_fit();
        self.text.shrink_to_fit();
    }

    /// The number of cells up to the last one that is not blank.
    pub fn filled(&self) -> usize {
        let last = self.all().rfind(|(_, cell)| !cell.trim().is_empty());
        last.map_or(0, |(column, _)| column + 1)
    }

    /// Leaves out the cells from `end` on.
    pub fn truncate(&mut self, end: usize) {
        self.there.end = self.there.end.min(end);
        self.places.retain(|place| place.column() < end);
    }

    fn bytes(&self) -> usize {
        self.text.len() + self.places.len() * size_of::<CellPlace>()
    }
}

impl Table {
    /// The column with this name, exactly or except for case, accents and punctuation.
    pub fn find(&self, name: &str) -> Option<usize> {
        find(&self.columns, name)
    }

    /// The columns with these names, in their order. Objects may have a member in two forms: `author.name` and `author[].name`.
    pub fn find_all(&self, list: Names) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for name in names(list) {
            let same = (0..self.columns.len())
                .filter(|column| self.is_objects() && same_name(&self.columns[*column], name));
            for column in self.find(name).into_iter().chain(same) {
                if !found.contains(&column) {
                    found.push(column);
                }
            }
        }
        found
    }

    pub const fn is_objects(&self) -> bool {
        self.place.is_none()
    }

    /// The cells of a column that are not empty, each with its row.
    pub fn cells(&self, column: usize) -> impl Iterator<Item = (&TableRow, &str)> {
        self.rows.iter().filter_map(move |row| {
            let text = row.cell(column)?.trim();
            (!is_empty(text, false) && row.fault.is_none()).then_some((row, text))
        })
    }
}

/// The column with this name among `columns`; otherwise the only one whose name has the same letters and digits.
pub fn find(columns: &[String], name: &str) -> Option<usize> {
    let exact = columns.iter().position(|column| column == name);
    exact.or_else(|| {
        let key = header_key(name);
        let mut same = (0..columns.len()).filter(|column| header_key(&columns[*column]) == key);
        same.next().filter(|_| same.next().is_none())
    })
}

/// Whether a table with these columns is an export: no other table has all three.
pub fn is_export(columns: &[String]) -> bool {
    ["id", "decided", "deleted"]
        .iter()
        .all(|name| find(columns, name).is_some())
}

/// The first dozen columns, for messages.
pub fn list_columns(columns: &[String]) -> String {
    let named: Vec<&str> = columns
        .iter()
        .map(String::as_str)
        .filter(|name| !name.is_empty())
        .collect();
    let more = if named.len() > 12 { ", …" } else { "" };
    format!("{}{more}", named[..named.len().min(12)].join(", "))
}

impl TableRow {
    /// `cells` in the order of their columns, or as they were put.
    pub fn new(at: Position, mut cells: Cells, fault: Option<RowFault>) -> Self {
        cells.finish();
        Self {
            at,
            cells,
            around: None,
            fault: fault.map(Box::new),
        }
    }

    /// `None` if the object has no such member, or the row no such cell.
    pub fn cell(&self, column: usize) -> Option<&str> {
        let around = || self.around.as_ref()?.get(column);
        self.cells.get(column).or_else(around)
    }

    /// The memory that it takes in a table, without what it shares with other rows.
    pub fn bytes(&self) -> usize {
        // Text and places of the cells.
        const BLOCKS: usize = 2 * BLOCK_BYTES;
        let fault = self.fault.as_ref().map_or(0, |fault| {
            let raw = fault.raw.as_ref().map_or(0, String::len);
            size_of::<RowFault>() + 3 * BLOCK_BYTES + fault.message.len() + raw
        });
        // A list of rows that grows is there twice while it is copied.
        2 * size_of::<Self>() + BLOCKS + self.cells.bytes() + fault
    }
}

/// What an allocator rounds a value up by, about.
pub const BLOCK_BYTES: usize = 16;

impl Table {
    /// Which columns have a cell that is not empty.
    pub fn filled(&self) -> Vec<bool> {
        let mut filled = vec![false; self.columns.len()];
        let mut last: Option<&Cells> = None;
        for row in self.rows.iter().filter(|row| row.fault.is_none()) {
            // Many rows share one.
            let around = row.around.as_deref();
            let new = around.filter(|around| !last.is_some_and(|last| std::ptr::eq(last, *around)));
            last = around;
            for cells in [Some(&row.cells), new].into_iter().flatten() {
                for (column, cell) in cells.all() {
                    filled[column] |= !is_empty(cell.trim(), false);
                }
            }
        }
        filled
    }

    /// Names the columns that have cells and no header by their place, and the second of two with one header, so that options can name
    /// them.
    pub fn name_columns(&mut self) {
        let mut taken = HashSet::new();
        for (column, is_filled) in self.filled().into_iter().enumerate() {
            let mut name = self.columns[column].trim().to_owned();
            if name.is_empty() {
                if !is_filled {
                    continue;
                }
                name = format!("column {}", column + 1);
            }
            let header = name.clone();
            let mut number = 2;
            while !taken.insert(header_key(&name)) {
                name = format!("{header} ({number})");
                number += 1;
            }
            self.columns[column] = name;
        }
    }
}

// Objects that rows refer to.

impl Table {
    /// Joins the objects that a document of JSON:API includes beside its rows to the rows with their ids in the column `reference`,
    /// under columns such as `included.attributes.state` (<https://jsonapi.org/format/#document-compound-documents>).
    pub fn join_included(
        mut self,
        included: &Self,
        reference: &str,
        limits: &mut ImportLimits<'_>,
    ) -> Result<Self, FileError> {
        let (Some(reference), Some(id)) = (self.find(reference), included.find("id")) else {
            return Ok(self);
        };
        let objects = included.rows.iter();
        let objects: HashMap<&str, &TableRow> = objects
            .filter_map(|row| Some((row.cell(id)?, row)))
            .collect();
        let columns = self.columns.len();
        for row in &mut self.rows {
            let found = row.cell(reference).and_then(|id| objects.get(id));
            let Some(object) = found else { continue };
            limits.take(object.bytes())?;
            for (column, cell) in object.cells.all() {
                row.cells.put(columns + column, cell);
            }
        }
        let names = included
            .columns
            .iter()
            .map(|name| format!("included.{name}"));
        self.columns.extend(names);
        Ok(self)
    }
}

// What the cells of a column look like: it decides what is asked and shown, and never how a review is read.

/// Words from which on a cell is a sentence.
const SENTENCE_WORDS_MIN: usize = 4;
/// Number of a column's cells that are shown.
const CELLS_SHOWN: usize = 2;
/// Maximum number of characters of a cell that is shown.
const CELL_CHARACTERS_MAX: usize = 30;
/// Maximum number of different values of a column that are shown, or kept.
const VALUES_MAX: usize = 50;

impl Table {
    /// Whether half of the column's filled cells are sentences, besides addresses and links.
    pub fn has_sentences(&self, column: usize) -> bool {
        self.sentences.get_or_init(|| self.find_sentences())[column]
    }

    fn find_sentences(&self) -> Vec<bool> {
        let is_sentence = |cell: &str| {
            let words = cell.split_whitespace();
            let words = words.filter(|word| {
                word.contains(char::is_alphabetic) && !word.contains("://") && !word.contains('@')
            });
            words.count() >= SENTENCE_WORDS_MIN
        };
        let mut counts = vec![(0, 0); self.columns.len()];
        for row in self.rows.iter().filter(|row| row.fault.is_none()) {
            let around = row.around.iter().flat_map(|around| around.all());
            for (column, cell) in row.cells.all().chain(around) {
                let (sentences, all) = &mut counts[column];
                *sentences += usize::from(is_sentence(cell));
                *all += usize::from(!is_empty(cell.trim(), false));
            }
        }
        let counts = counts.into_iter();
        counts
            .map(|(sentences, all)| sentences > 0 && sentences * 2 >= all)
            .collect()
    }

    /// Whether a column has cells, and all are such.
    pub fn has_only(&self, column: usize, is_such: fn(&str) -> bool) -> bool {
        let mut cells = self.cells(column).peekable();
        cells.peek().is_some() && cells.all(|(_, cell)| is_such(cell))
    }

    /// The first cells of a column, without what may be private.
    pub fn first_cells(&self, column: usize) -> String {
        let rows = self.rows.iter().filter(|row| row.fault.is_none());
        let cells = rows.take(CELLS_SHOWN);
        let cells = cells.map(|row| shown_cell(row.cell(column).unwrap_or_default()));
        cells.collect::<Vec<_>>().join(", ")
    }

    /// Whether the cells count the rows: 1, 2, 3 in their order and without a gap, perhaps from 0 or from the row below the header on.
    pub fn counts_rows(&self, column: usize) -> bool {
        let number = |row: &TableRow| {
            let cell = row.cell(column)?.trim().trim_start_matches('#');
            cell.trim_end_matches(".0").parse::<u64>().ok()
        };
        let mut numbers = self.rows.iter().map(number);
        let Some(Some(first)) = numbers.next() else {
            return false;
        };
        first <= 2
            && (first + 1..)
                .zip(numbers)
                .all(|(next, it)| it == Some(next))
    }

    /// The columns of the members of an object, or of a list of objects.
    pub fn inside<'h>(&'h self, header: &'h str) -> impl Iterator<Item = usize> + 'h {
        let columns = self.columns.iter().enumerate();
        let inside = columns.filter(move |(_, name)| {
            let rest = name.strip_prefix(header);
            !header.is_empty()
                && rest.is_some_and(|rest| rest.starts_with('.') || rest.starts_with("[]"))
        });
        inside.map(|(column, _)| column)
    }

    /// Whether a column only notes which rows have a list of objects, which has no columns.
    pub fn is_list(&self, column: usize) -> bool {
        let name = self.columns[column].strip_suffix("[]");
        name.is_some_and(|name| self.lists.iter().any(|list| list == name))
    }

    /// The first different cells of a column with their counts; an empty one is `""`.
    pub fn values(&self, column: usize) -> Vec<(String, u64)> {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut values: Vec<(String, u64)> = Vec::new();
        let mut members: Vec<usize> = self.inside(&self.columns[column]).collect();
        members.retain(|_| self.is_objects());
        for row in self.rows.iter().filter(|row| row.fault.is_none()) {
            let mut cell = row.cell(column).unwrap_or_default().trim();
            // An object is not empty, although its members have columns of their own.
            if cell.is_empty() && members.iter().any(|member| row.cell(*member).is_some()) {
                cell = "{…}";
            }
            let key = cell.to_lowercase();
            if values.len() == VALUES_MAX && !places.contains_key(&key) {
                continue;
            }
            let place = *places.entry(key).or_insert(values.len());
            if place == values.len() {
                values.push((cell.to_owned(), 0));
            }
            values[place].1 += 1;
        }
        values
    }
}

/// A cell in a table that may be pasted somewhere: without addresses and telephone numbers.
pub fn shown_cell(cell: &str) -> String {
    let line: Vec<&str> = cell.split_whitespace().collect();
    let line = line.join(" ");
    if line.is_empty() {
        return "(empty)".to_owned();
    }
    if has_address(&line) {
        return ADDRESS.to_owned();
    }
    if !is_date(&line) && has_number(&line) {
        return NUMBER.to_owned();
    }
    shorten(&line, CELL_CHARACTERS_MAX)
}

/// Whether a cell is a date in any order.
pub fn is_date(cell: &str) -> bool {
    let is_read = |order| {
        let dates = Dates {
            order: Some(order),
            ..Dates::default()
        };
        dates.parse(cell).is_ok()
    };
    DateOrder::BOTH.into_iter().any(is_read)
}
