//! What an import did, and what it says on the way. Plain values: how they are printed is `cli`'s
//! business.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::{fmt, io};

use serde_json::Value;

use crate::model::Review;
use crate::storage::reviews::Written;

/// How many columns that are not used are named.
const COLUMNS_SHOWN_MAX: usize = 50;
/// How many characters a line of the preview of a table has on a terminal, where it can be broken.
const LINE_CHARACTERS: usize = 80;

/// What one import did, or would do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// What was read, in the order of reading.
    pub files: Vec<FileReport>,
    /// New, updated and unchanged reviews.
    pub written: Written,
    /// Rows that no review could be made of.
    pub rejected: u64,
    /// Reviews of this call that do not appear, by reason.
    pub withheld: BTreeMap<String, u64>,
    /// How many of the updated ones do not appear.
    pub updated_withheld: u64,
    /// Rows that were taken in, repeated ones included.
    pub taken: u64,
    /// Rows of locations that were not meant.
    pub elsewhere: u64,
    /// Reviews that the owner withholds, and the source gives.
    pub kept_withheld: Named,
    /// Reviews of which the source says one thing and the owner another: id and fields.
    pub kept_edited: Named,
    /// Reviews that the owner deleted, and the file has.
    pub kept_deleted: Named,
    /// Reviews that are there although our own export says that the owner deleted them.
    pub still_there: Named,
    /// Deleted reviews of our own export that were not known here.
    pub noted_deleted: u64,
    /// Rows without an id that were left out: each of them may complete two reviews, or two of them the same.
    pub undecided: Named,
    /// Rows that answer others and are no answer of the shop to a review of this call.
    pub left_out: u64,
    /// Reviews that another source gave already.
    pub duplicates: Named,
    /// Reviews whose day moved with the business's time zone.
    pub moved: u64,
    /// Reviews withheld because their source no longer gives them.
    pub withdrawn: Named,
    /// Rows whose id came again in this call, so that another one counted.
    pub repeated: u64,
    /// The name of the business that came along, where there was none before.
    pub business: Option<String>,
    /// Whether a business that came along was left out, because the database has one.
    pub has_left_out_business: bool,
    /// What the source calls the firm's location, where the business has no name yet.
    pub listing: Option<String>,
}

/// What one file, or one file of an archive, held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileReport {
    /// Its name; for a file of an archive or folder with what it stands in.
    pub name: String,
    /// The format's name, as `--format` takes it.
    pub format: &'static str,
    /// How many rows it has, blank lines left aside.
    pub rows: u64,
    /// How many of them were rejected.
    pub rejected: u64,
}

/// What became of a table's columns.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TableColumns {
    /// The sheet of a workbook.
    pub sheet: Option<String>,
    /// Its other sheets, which are not read.
    pub other_sheets: Vec<String>,
    /// The row with the headers, from 1; in delimited text the line.
    pub row: u64,
    /// Our fields, and the columns of each that are looked at, the first that is filled before the others.
    pub used: Vec<(&'static str, Vec<String>)>,
    /// The columns that are not looked at.
    pub unused: Vec<String>,
}

impl TableColumns {
    /// Where the headers are, as it stands behind the file's name.
    #[must_use]
    pub fn place(&self) -> String {
        let sheet = self.sheet.as_ref();
        let sheet = sheet.map_or_else(String::new, |name| format!(", sheet \"{name}\""));
        format!("{sheet}, header in row {}", self.row)
    }
}

/// A line for the fields, one for the columns that are not used, and one for the other sheets; with `{:#}`, these lines
/// are broken for a terminal.
impl fmt::Display for TableColumns {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = |(field, columns): &(&str, Vec<String>)| match columns.as_slice() {
            [] => format!("{field} ← (none)"),
            some => format!("{field} ← {}", some.join(", ")),
        };
        let fields: Vec<String> = self.used.iter().map(field).collect();
        let room = if f.alternate() {
            LINE_CHARACTERS
        } else {
            usize::MAX
        };
        let mut lines = line("  ", &fields, "    ", room);
        if !self.unused.is_empty() {
            lines += &line("\n  not used: ", &listed(&self.unused), " ", room);
        }
        if !self.other_sheets.is_empty() {
            let sheets = listed(&self.other_sheets);
            lines += &line("\n  other sheets (--sheet): ", &sheets, " ", room);
        }
        f.write_str(&lines)
    }
}

/// The first names, with commas behind them, and how many more there are.
fn listed(names: &[String]) -> Vec<String> {
    let shown = &names[..names.len().min(COLUMNS_SHOWN_MAX)];
    let mut listed: Vec<String> = shown.iter().map(|name| format!("{name},")).collect();
    if let Some(last) = listed.last_mut() {
        last.pop();
    }
    match names.len() - shown.len() {
        0 => {}
        more => listed.push(format!("and {more} more")),
    }
    listed
}

/// `parts` behind `head`, broken where a line would have more than `room` characters.
fn line(head: &str, parts: &[String], separator: &str, room: usize) -> String {
    let (mut text, mut length) = (
        head.to_owned(),
        head.trim_start_matches('\n').chars().count(),
    );
    for (index, part) in parts.iter().enumerate() {
        let separator = if index == 0 { "" } else { separator };
        let more = separator.len() + part.chars().count();
        if index > 0 && length + more > room {
            text += "\n    ";
            length = 4 + part.chars().count();
        } else {
            text += separator;
            length += more;
        }
        text += part;
    }
    text
}

/// A row that no review could be made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Rejection {
    /// The name of its file, as in `FileReport::name`.
    pub file: String,
    /// Where in the file.
    pub at: Position,
    /// What was wrong, and what to do.
    pub error: String,
    /// The row: as JSON where it is some, else as text, cut where it is too long.
    pub row: Value,
}

/// Where a row stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Position {
    /// A line of its own; the column (in bytes, from 1) where the JSON is broken.
    Line {
        /// The line on which the row begins, from 1.
        line: u64,
        /// Where the JSON is broken, in bytes from 1; `None` where it is not.
        column: Option<usize>,
    },
    /// An element of the document's `reviews`, from 0.
    Element(u64),
    /// An element, from 0, of another array.
    Within {
        /// The array's path, as `result.reviews`; empty for the outermost.
        array: Arc<str>,
        /// The place of the element in the array, from 0.
        index: u64,
    },
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line { line, column: None } => write!(f, "{line}"),
            Self::Line {
                line,
                column: Some(column),
            } => write!(f, "{line}:{column}"),
            Self::Element(index) => write!(f, " reviews[{index}]"),
            Self::Within { array, index } => write!(f, " {array}[{index}]"),
        }
    }
}

impl fmt::Display for Rejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.at, self.error)
    }
}

/// Hears of an import while it runs.
pub trait Watch {
    /// So many rows have been read so far.
    fn read(&mut self, rows: u64);

    /// The file is a table with these columns. Said before its rows are read.
    fn table(&mut self, _file: &str, _columns: &TableColumns) {}

    /// So many bytes of all that the files have were read, packed as they are; not said where they cannot be counted before.
    fn advanced(&mut self, _read: u64, _of: u64) {}

    /// One of the first reviews of a table, where nothing will be written.
    fn sample(&mut self, _at: &Position, _review: &Review) {}

    /// A row was rejected.
    ///
    /// # Errors
    /// Where it cannot be noted; then the import fails and nothing is written.
    fn rejected(&mut self, rejection: Rejection) -> io::Result<()>;

    /// So many of the reviews have been written so far.
    fn written(&mut self, done: usize, of: usize);
}

/// What hears of an import, and is handed from task to task with it.
pub type Watcher<'a> = &'a mut (dyn Watch + Send);

/// Keeps the rejections, and shows nothing. For callers without a terminal.
#[derive(Debug, Default)]
pub struct Quiet {
    /// The rejected rows, in the order of reading.
    pub rejections: Vec<Rejection>,
    /// What became of the columns of each table.
    pub tables: Vec<TableColumns>,
}

impl Watch for Quiet {
    fn read(&mut self, _rows: u64) {}

    fn table(&mut self, _file: &str, columns: &TableColumns) {
        self.tables.push(columns.clone());
    }

    fn rejected(&mut self, rejection: Rejection) -> io::Result<()> {
        self.rejections.push(rejection);
        Ok(())
    }

    fn written(&mut self, _done: usize, _of: usize) {}
}

// Lists of reviews that a report names: counted all, named as far as a reader wants to read.

/// How many are named.
const NAMED_MAX: usize = 20;

/// Reviews that a report counts and names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// How many there are.
    pub count: u64,
    /// The first of them, each by its id and what there is to say of it.
    pub names: Vec<String>,
}

impl Named {
    /// Counts one more; `name` is called only where it will be among the named.
    pub fn add(&mut self, name: impl FnOnce() -> String) {
        self.count += 1;
        if self.names.len() < NAMED_MAX {
            self.names.push(name());
        }
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.names.join(", "))?;
        let more = self.count.saturating_sub(self.names.len() as u64);
        if more > 0 {
            write!(f, " and {more} more")
        } else {
            Ok(())
        }
    }
}
