//! Bytes to rows of cells: `bytes` opens files, `text`, `workbook`, `json` and `page` read each kind. Reading knows columns by their names
//! only, never what they mean.
//!
//! What one import may hold is bounded here, while rows are read ([`Bounds`]).

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde_json::Value;

use crate::imports::fault::{FileError, Position};
use crate::imports::format::{Names, find_column, is_same_column};
use crate::imports::value::text::{TEXT_BYTES_MAX, is_empty};

pub(crate) mod bytes;
pub(crate) mod json;
pub(crate) mod page;
pub(crate) mod text;
pub(crate) mod workbook;

/// Maximum size of a row or an element of JSON in bytes.
pub const ROW_BYTES_MAX: usize = 1 << 20;
/// Maximum number of columns: no table of reviews has more.
pub const COLUMNS_MAX: usize = 1_000;
/// Maximum numbers of rows and cells of one import, and of the bytes of its cells.
pub const ROWS_MAX: u64 = 200_000;
const CELLS_MAX: u64 = 4_000_000;
const CELL_BYTES_MAX: u64 = 128 << 20;
/// Rows between two looks at the stop, or cells of a workbook.
pub const ROWS_BETWEEN_LOOKS: u64 = 256;
/// Maximum number of bytes of several values of one column; no more are added to them.
const VALUES_BYTES_MAX: usize = 1 << 10;
/// The cell of a member that is a list of objects, in an owner's format.
pub const LIST: &str = "(list of objects)";
/// The text of a cell whose formula was never calculated, as in workbooks that a program wrote.
pub const NOT_CALCULATED: &str = "#NOT-CALCULATED!";

/// What an import has read so far, over all its files.
#[derive(Debug, Default)]
pub struct ReadCounts {
    rows: u64,
    cells: u64,
    bytes: u64,
    /// How often something was counted.
    counted: u64,
}

/// What a reader reads next.
#[derive(Debug, Clone, Copy, Default)]
pub struct Amount {
    /// None of a row that is passed over.
    pub rows: u64,
    /// Those up to the end of the row.
    pub columns: usize,
    /// Those that are not empty, and their bytes.
    pub cells: usize,
    pub bytes: usize,
}

/// What an import may still read.
pub struct Bounds<'w> {
    counts: &'w mut ReadCounts,
    is_stopped: &'w dyn Fn() -> bool,
}

impl<'w> Bounds<'w> {
    pub const fn new(counts: &'w mut ReadCounts, is_stopped: &'w dyn Fn() -> bool) -> Self {
        Self { counts, is_stopped }
    }

    /// Counts a row, or a cell of one, before it is kept or passed over.
    ///
    /// # Errors
    /// When the import has more than it may, or is to stop.
    pub fn count(&mut self, amount: Amount) -> Result<(), FileError> {
        if amount.columns > COLUMNS_MAX {
            return Err(too_many_columns());
        }
        let counts = &mut *self.counts;
        counts.rows += amount.rows;
        counts.cells += amount.cells as u64;
        counts.bytes += amount.bytes as u64;
        counts.counted += 1;
        for (count, max, noun) in [
            (counts.rows, ROWS_MAX, "rows"),
            (counts.cells, CELLS_MAX, "cells"),
            (counts.bytes, CELL_BYTES_MAX, "bytes of cells"),
        ] {
            if count > max {
                return Err(FileError::new(format!(
                    "the import has more than {max} {noun}; split it, and import one part after the other"
                )));
            }
        }
        if counts.counted.is_multiple_of(ROWS_BETWEEN_LOOKS) && (self.is_stopped)() {
            return Err(FileError::new("stopped"));
        }
        Ok(())
    }
}

pub fn too_many_columns() -> FileError {
    FileError::new(format!(
        "has more than {COLUMNS_MAX} columns; give the columns of reviews only"
    ))
}

/// Rows of cells under columns: a delimited text, a sheet, or objects whose members are cells.
#[derive(Debug, Default)]
pub struct Table {
    /// Headers, or the paths of members.
    pub columns: Vec<String>,
    pub rows: Vec<Row>,
    /// Where its rows are, for reports: `, sheet "Reviews"`.
    pub place: String,
    pub is_objects: bool,
    /// What a document says beside the list of its rows.
    pub beside: Vec<(String, String)>,
    /// The row that has names of columns, if its header has none.
    pub names_below: Option<u64>,
    /// The headers of columns that were renamed because another column cannot be told apart from them.
    pub doubles: BTreeMap<usize, String>,
    /// All names of columns in the format: a column that it names as another one never replaces a missing one.
    pub named: BTreeSet<String>,
}

#[derive(Debug)]
pub struct Row {
    /// Index of its file in the report.
    pub file: usize,
    pub at: Position,
    pub cells: Cells,
    pub fault: Option<Box<RowFault>>,
}

/// Why a row cannot be imported, whatever its cells say.
#[derive(Debug)]
pub struct RowFault {
    pub message: String,
    /// The row, if it is none of cells; a text if it is no JSON, truncated if it is too long.
    pub raw: Option<Value>,
}

impl RowFault {
    pub const fn new(message: String) -> Self {
        Self { message, raw: None }
    }
}

/// The cells of a row, which has a few of perhaps a thousand columns.
#[derive(Debug, Default)]
pub struct Cells {
    /// In the order of their columns, once they are finished.
    filled: Vec<(u32, Box<str>)>,
    /// The columns of texts that are longer than one may be, which are not kept.
    long: Vec<u32>,
    /// Of a list of replies of which none is public: the blocks that hide the first, each on a line by its first name as names are compared.
    pub reply_hidden_by: Option<Box<str>>,
    /// The number of columns that are there, and empty if no cell is kept: all before the end of a row of delimited text.
    pub width: usize,
}

impl Cells {
    /// `None` if the object has no such member, or the row no such cell.
    pub fn get(&self, column: usize) -> Option<&str> {
        let filled = &self.filled;
        match filled.binary_search_by_key(&column, |(column, _)| *column as usize) {
            Ok(at) => Some(&self.filled[at].1),
            Err(_) => (column < self.width).then_some(""),
        }
    }

    /// The cells that are kept, each with its column.
    pub fn all(&self) -> impl DoubleEndedIterator<Item = (usize, &str)> {
        let cells = self.filled.iter();
        cells.map(|(column, cell)| (*column as usize, &**cell))
    }

    /// The cells up to the end of the row, those of a header, without blanks around them.
    pub fn texts(&self) -> Vec<String> {
        let texts = (0..self.width).map(|at| self.get(at).unwrap_or_default());
        texts.map(|text| text.trim().to_owned()).collect()
    }

    /// Puts a cell into any column.
    pub fn put(&mut self, column: usize, cell: &str) {
        // A table has at most a thousand columns.
        let column = u32::try_from(column).unwrap_or(u32::MAX);
        if cell.len() > TEXT_BYTES_MAX {
            self.long.push(column);
        } else {
            self.filled.push((column, cell.into()));
        }
    }

    /// Whether the column has a text that is longer than one may be.
    pub fn is_long(&self, column: usize) -> bool {
        self.long.iter().any(|long| *long as usize == column)
    }

    /// Takes away the cells that are not to be kept.
    pub fn retain(&mut self, is_kept: impl Fn(&str) -> bool) {
        self.filled.retain(|(_, cell)| is_kept(cell));
    }

    /// Moves each cell to the column at its place in `columns`.
    fn move_to(&mut self, columns: &[usize]) {
        let filled = self.filled.iter_mut().map(|(column, _)| column);
        for column in filled.chain(&mut self.long) {
            *column = u32::try_from(columns[*column as usize]).unwrap_or(u32::MAX);
        }
        self.filled.sort_by_key(|(column, _)| *column);
    }

    /// Sorts what was put, and frees what was reserved for more. Of a column with several values all count: a format that publishes one
    /// of them does not publish what another one hides.
    pub fn finish(&mut self) {
        self.filled.sort_by_key(|(column, _)| *column);
        self.filled.dedup_by(|next, first| {
            let is_same = next.0 == first.0;
            if is_same && next.1 != first.1 && first.1.len() < VALUES_BYTES_MAX {
                first.1 = format!("{} / {}", first.1, next.1).into();
            }
            is_same
        });
        self.filled.shrink_to_fit();
    }

    pub const fn count(&self) -> usize {
        self.filled.len()
    }

    pub fn bytes(&self) -> usize {
        self.filled.iter().map(|(_, cell)| cell.len()).sum()
    }
}

impl Row {
    pub fn new(at: Position, mut cells: Cells, fault: Option<RowFault>) -> Self {
        cells.finish();
        Self {
            file: 0,
            at,
            cells,
            fault: fault.map(Box::new),
        }
    }

    /// `None` if the object has no such member, or the row no such cell.
    pub fn cell(&self, column: usize) -> Option<&str> {
        self.cells.get(column)
    }
}

impl Table {
    pub fn push(&mut self, at: Position, cells: Cells, fault: Option<RowFault>) {
        self.rows.push(Row::new(at, cells, fault));
    }

    /// The column with this name exactly, otherwise the only one that it means.
    pub fn find(&self, name: &str) -> Option<usize> {
        find_column(&self.columns, name).filter(|column| !self.is_other(*column, name))
    }

    /// Whether the format names the column as another one.
    fn is_other(&self, column: usize, name: &str) -> bool {
        let header = &self.columns[column];
        header != name && self.named.contains(header)
    }

    /// The columns with these names, in their order; of objects, all that a name means.
    pub fn find_all(&self, names: &[&str]) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        for name in names {
            found.extend(self.find(name).filter(|column| !found.contains(column)));
            for column in (0..self.columns.len()).filter(|_| self.is_objects) {
                let is_named = is_same_column(&self.columns[column], name);
                if is_named && !self.is_other(column, name) && !found.contains(&column) {
                    found.push(column);
                }
            }
        }
        found
    }

    /// The columns that names mean, in their order.
    pub fn columns_of(&self, names: &Names) -> Vec<usize> {
        self.find_all(&names.among(&self.columns))
    }

    /// The cells of a column that are not empty, each with its row.
    pub fn cells(&self, column: usize) -> impl Iterator<Item = (&Row, &str)> {
        self.rows.iter().filter_map(move |row| {
            let text = row.cell(column)?.trim();
            (!is_empty(text, false) && row.fault.is_none()).then_some((row, text))
        })
    }

    /// Whether a column has a cell that is not blank.
    pub fn has_cells(&self, column: usize) -> bool {
        let mut rows = self.rows.iter().filter(|row| row.fault.is_none());
        rows.any(|row| {
            let is_filled = row.cell(column).is_some_and(|it| !it.trim().is_empty());
            is_filled || row.cells.is_long(column)
        })
    }

    /// Takes away the rows that have the ID of another one in a column; returns their number.
    pub fn remove_answers(&mut self, column: usize) -> usize {
        let count = self.rows.len();
        let is_id = |cell: &str| !matches!(cell.trim(), "" | "0");
        self.rows.retain(|row| !row.cell(column).is_some_and(is_id));
        count - self.rows.len()
    }

    /// Adds the rows of another file, which is read by the same format.
    ///
    /// # Errors
    /// If it has other columns; those of objects may be others in each.
    pub fn append(&mut self, other: Self) -> Result<(), FileError> {
        let [names, other_names] = [&*self, &other].map(|it| BTreeSet::from_iter(&it.columns));
        if self.is_objects != other.is_objects || !self.is_objects && names != other_names {
            return Err(FileError::new(
                "has other columns than the files before it, so it has another format; import it by itself",
            ));
        }
        let numbers = self.columns.iter().cloned().zip(0..);
        let mut numbers: HashMap<String, usize> = numbers.collect();
        let mut places = Vec::new();
        for name in other.columns {
            let count = self.columns.len();
            let number = *numbers.entry(name.clone()).or_insert(count);
            if number == count {
                self.columns.push(name);
            }
            places.push(number);
        }
        if self.columns.len() > COLUMNS_MAX {
            return Err(too_many_columns());
        }
        for mut row in other.rows {
            row.cells.move_to(&places);
            self.rows.push(row);
        }
        self.beside.extend(other.beside);
        Ok(())
    }

    /// Names the columns that have cells and no header by their place, and the second of two equal ones, so that a format can name them.
    pub fn name_columns(&mut self) {
        let mut taken: HashMap<String, usize> = HashMap::new();
        for column in 0..self.columns.len() {
            let mut name = self.columns[column].trim().to_owned();
            if name.is_empty() {
                if !self.has_cells(column) {
                    continue;
                }
                name = format!("column {}", column + 1);
            }
            let header = name.clone();
            let mut number = taken.get(&header).copied().unwrap_or(0) + 1;
            while number > 1 && taken.contains_key(&format!("{header} ({number})")) {
                number += 1;
            }
            taken.insert(header.clone(), number);
            if number > 1 {
                name = format!("{header} ({number})");
                taken.insert(name.clone(), 1);
                self.doubles.insert(column, header);
            }
            self.columns[column] = name;
        }
    }

    /// Whether the cells count the rows: in their order and without a gap, from 0 or 1 on. From another number on they may be IDs.
    pub fn counts_rows(&self, column: usize) -> bool {
        let numbers = self.rows.iter().map(|row| {
            let cell = row.cell(column)?.trim().trim_start_matches('#');
            let number = cell.strip_suffix(".0").unwrap_or(cell);
            number.trim_end_matches('.').parse::<u64>().ok()
        });
        let numbers: Vec<u64> = numbers.collect::<Option<_>>().unwrap_or_default();
        numbers.len() > 1
            && numbers[0] <= 1
            && numbers.windows(2).all(|pair| pair[1] == pair[0] + 1)
    }
}
