//! Why a whole file, or a whole import, cannot be. What is wrong with a single row is a
//! [`Rejection`](super::Rejection), which stops nothing.

use std::fmt;
use std::io;

use thiserror::Error;

use crate::imports::map::Format;
use crate::imports::map::fields::Problem;
use crate::storage::DbError;

/// How many bytes one import may read, unpacked, over all its files: 1 GiB.
pub const INPUT_BYTES_MAX: u64 = 1 << 30;
/// How many files of reviews a folder or archive may hold.
pub const FILES_MAX: usize = 10_000;

/// Why nothing of a file is imported, with what to do about it.
#[derive(Debug, Error)]
pub enum FileError {
    /// The operating system would not let us read it.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// It would fill the memory.
    #[error(
        "the files of one import may have at most {} MiB in total, unpacked; split it into several imports",
        INPUT_BYTES_MAX >> 20
    )]
    TooLarge,
    /// It would take for ever.
    #[error("holds more than {FILES_MAX} files of reviews; give the folders in it one by one")]
    TooMany,
    /// It is in another encoding.
    #[error("is {0}, not UTF-8; convert it, for example with `iconv -f {0} -t UTF-8`")]
    Encoding(&'static str),
    /// It is packed in a way that we do not unpack.
    #[error("is packed with {0}; unpack it and give the file or folder")]
    Packed(&'static str),
    /// A file that is no text.
    #[error("is {0}, not an export of reviews")]
    Binary(&'static str),
    /// The zip archive is damaged, encrypted or of a kind that we do not unpack.
    #[error("the zip archive cannot be read ({0}); unpack it and give the folder")]
    Archive(String),
    /// A folder or archive without reviews.
    #[error(
        "holds no reviews*.json; export `Google Business Profile` with https://takeout.google.com, or name the file itself"
    )]
    NoReviews,
    /// The reviews that somebody wrote as a Google Maps user, instead of those that the business
    /// got.
    #[error(
        "holds the places that a Google Maps user has reviewed, not the reviews of a business; \
         export `Google Business Profile` with https://takeout.google.com and give its reviews.json, or the whole archive"
    )]
    MapsReviews,
    /// None of the formats.
    #[error(
        "is {said}: none of the known formats ({}); {advice}", Format::names().collect::<Vec<_>>().join(", ")
    )]
    Unknown {
        /// What the file seems to be, with some of its fields' names.
        said: String,
        /// How it can be read all the same.
        advice: String,
    },
    /// A format was asked for that a file of that kind cannot be.
    #[error(
        "is {said}, which cannot be read as {format}; leave --format out, or pass --format table for a table"
    )]
    Misfit {
        /// The name of the format that was asked for.
        format: &'static str,
        /// What the file seems to be, with some of its fields' names.
        said: String,
    },
    /// A table without columns that every review needs.
    #[error("is a table with the columns {columns}: {}", wrong_columns(.unknown, .lacks, .text.as_deref(), .doubtful))]
    Columns {
        /// Such fields of which several columns may each be meant, and these.
        doubtful: Vec<(&'static str, Vec<String>)>,
        /// Our fields that no column fills.
        lacks: Vec<&'static str>,
        /// Columns that --map names and the table does not have.
        unknown: Vec<String>,
        /// The column that may have the texts.
        text: Option<String>,
        /// Its headers, the first dozen, with commas between.
        columns: String,
    },
    /// --sheet names a sheet that is not there.
    #[error("has no sheet \"{wanted}\"; its sheets are {}", .there.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "))]
    NoSuchSheet {
        /// What was asked for.
        wanted: String,
        /// The names of all sheets.
        there: Vec<String>,
    },
    /// --header-row names a row that is not there, or too far below.
    #[error(
        "has no row {0} among its first 200 rows that are not empty; leave --header-row out, or name the header row"
    )]
    NoSuchRow(u64),
    /// --sheet or --header-row for what has none.
    #[error("is {said}, which has no {what}; leave --{what} out")]
    NoTable {
        /// What the file seems to be.
        said: String,
        /// The option, without its dashes.
        what: &'static str,
    },
    /// No table of reviews has so many.
    #[error("has {0} columns; at most 1000 are supported")]
    TooManyColumns(usize),
    /// A quote that nobody closes, most probably.
    #[error(
        "line {0}: the row that starts here is larger than 1 MiB; close the quote that was opened in it, or shorten it"
    )]
    RowTooLong(u64),
    /// Delimited text that cannot be taken apart.
    #[error("line {line}: the row cannot be read ({reason})")]
    Table {
        /// The line on which the row begins, from 1.
        line: u64,
        /// The kind of error in the `csv` crate, in its debug form.
        reason: String,
    },
    /// Ratings up to 10 where nobody said so.
    #[error(
        "line {line}: a rating of {found} means that the scale ends at 10; pass --scale 10, because 5 out of 10 would otherwise \
         become five stars"
    )]
    Scale {
        /// The line on which the row begins, from 1; of a workbook, the row.
        line: u64,
        /// The rating as the file has it.
        found: String,
    },
    /// The workbook is damaged, encrypted or empty.
    #[error("the workbook cannot be read ({0}); save it as CSV and import that file")]
    Workbook(String),
    /// It would fill the memory.
    #[error(
        "the workbook is too large (at most 32 MiB packed and 256 MiB unpacked); save it as CSV, which has no such limit"
    )]
    WorkbookTooLarge,
    /// It would fill the memory.
    #[error(
        "the page, or the file of linked data, has more than 16 MiB; take the JSON-LD out of it and split it"
    )]
    PageTooLarge,
    /// A page that says nothing of reviews.
    #[error("{}", no_linked_reviews(*.elements, *.is_page))]
    NoLinkedReviews {
        /// How many elements of linked data it has.
        elements: usize,
        /// Whether it is a page of HTML.
        is_page: bool,
    },
    /// An archive of something else.
    #[error(
        "is {0}, not an export of reviews; export `Google Business Profile` with https://takeout.google.com, or give the file of reviews itself"
    )]
    OtherArchive(&'static str),
    /// A whole document whose JSON is broken.
    #[error("line {line}, column {column}: the JSON is broken ({reason}); export it again")]
    Json {
        /// The line of the fault, from 1.
        line: usize,
        /// The column of the fault, in bytes from 1.
        column: usize,
        /// What the parser says of the fault, without the place.
        reason: String,
    },
    /// The document's business is wrong.
    #[error("business.{0}")]
    Business(Problem),
    /// The document's business comes too late.
    #[error(
        "contains the business, whose time zone {0} also sets the days of the files before it; give this file first"
    )]
    BusinessLate(String),
    /// Renaming fields of a format whose names are fixed.
    #[error("is in the format {0}, whose field names are fixed; leave --map out")]
    MapUnused(&'static str),
    /// The same input twice where it can be read only once.
    #[error("standard input can be read only once; give `-` only once")]
    InputTwice,
    /// Instants, and nobody has said where the business is.
    #[error(
        "has times, whose days depend on the business's time zone, which is not set; run `reviews init --time-zone ZONE` first, \
         for example America/Phoenix"
    )]
    NoTimeZone,
    /// Reviews of several of the firm's locations.
    #[error(
        "the reviews are of {} locations: {}; one service publishes one location; name it with --location",
        .0.len(), .0.iter().map(|(name, count)| format!("{name} ({count})")).collect::<Vec<_>>().join(", ")
    )]
    Locations(Vec<(String, u64)>),
    /// No review of the location that was asked for.
    #[error("--location {meant}: no review is of that location; name one of {}", there.join(", "))]
    NoSuchLocation {
        /// What was asked for.
        meant: String,
        /// The locations that the rows name, each with its listing's name where that is known.
        there: Vec<String>,
    },
    /// Some of a place's reviews, where all are needed.
    #[error(
        "is {0}, which gives only some of the reviews, so a missing one may still exist; leave --withdraw-missing out"
    )]
    Excerpts(&'static str),
    /// The rows cannot be kept until they are merged.
    #[error(
        "the rows cannot be stored in the folder for temporary files: {0}; nothing was changed; free some disk space, or set \
         TMPDIR"
    )]
    Staging(io::Error),
    /// The rows cannot be put into their temporary table.
    #[error(
        "the rows cannot be stored in the folder for temporary files: {0}; nothing was changed; free some disk space, or set \
         TMPDIR"
    )]
    Rows(sqlx::Error),
    /// The rejected rows cannot be noted.
    #[error("a rejected row cannot be stored: {0}; nothing was changed")]
    Rejects(io::Error),
}

/// A file and its fault.
#[derive(Debug)]
pub struct FailedFile {
    /// The file's name; for a file of an archive or folder with what it stands in.
    pub file: String,
    /// Why it cannot be imported.
    pub fault: FileError,
}

impl fmt::Display for FailedFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.fault)
    }
}

/// Why an import failed. Nothing was changed then.
#[derive(Debug, Error)]
pub enum ImportError {
    /// Some files cannot be imported: all of them that were met.
    #[error("{}", failed(.0))]
    Files(Vec<FailedFile>),
    /// The rows cannot be kept until they are merged, or not be read back.
    #[error(
        "the rows cannot be stored in the folder for temporary files: {0}; nothing was changed; free some disk space, or set \
         TMPDIR"
    )]
    Staging(sqlx::Error),
    /// The database holds a sample's reviews.
    #[error(
        "the database holds sample data, which is not mixed with your own reviews; nothing was changed; remove it with `reviews \
         init --discard-sample --name NAME`, or mix both with --with-sample"
    )]
    Sample,
    /// It would do more than was asked for, or something else than was meant.
    #[error("{0}; nothing was changed")]
    Refused(String),
    /// The database could not be read or written.
    #[error(transparent)]
    Database(#[from] DbError),
}

impl FileError {
    /// Gives what went wrong while reading its own kind.
    pub(super) fn reading(error: io::Error) -> Self {
        match error.downcast::<TooLarge>() {
            Ok(TooLarge) => Self::TooLarge,
            Err(error) => Self::Unreadable(error),
        }
    }

    /// Gives what was wrong with a whole document its own kind.
    pub(super) fn json(error: serde_json::Error) -> Self {
        if error.is_io() {
            return Self::reading(error.into());
        }
        Self::Json {
            line: error.line(),
            column: error.column(),
            reason: reason(&error),
        }
    }
}

/// What `serde_json` says, without the place, which is said apart.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// How many files that failed are shown one by one.
const FAILED_SHOWN_MAX: usize = 20;

fn failed(files: &[FailedFile]) -> String {
    let shown = files.iter().take(FAILED_SHOWN_MAX);
    let mut lines: Vec<String> = shown.map(ToString::to_string).collect();
    if files.len() > FAILED_SHOWN_MAX {
        let more = files.len() - FAILED_SHOWN_MAX;
        lines.push(format!("{more} more files cannot be imported"));
    }
    lines.join("\n")
}

/// What is wrong with a table's columns, the names that somebody gave first: a wrong one may be why the others lack.
fn wrong_columns(
    unknown: &[String],
    lacks: &[&str],
    text: Option<&str>,
    doubtful: &[(&'static str, Vec<String>)],
) -> String {
    let mut parts = Vec::new();
    if !unknown.is_empty() {
        let unknown = unknown.join(", ");
        parts.push(format!("it has no column {unknown}, which --map names"));
    }
    if !lacks.is_empty() {
        parts.push(lacking(lacks, text));
    }
    for (field, columns) in doubtful {
        parts.push(format!("the {field} may be {}", columns.join(" or ")));
    }
    parts.join("; ")
}

fn lacking(lacks: &[&str], text: Option<&str>) -> String {
    if lacks == ["text"] {
        let column = text.unwrap_or("COLUMN");
        let column = if column.contains(['"', '$', '`', '\\', '!']) {
            format!("'{}'", column.replace('\'', r"'\''"))
        } else {
            format!("\"{column}\"")
        };
        return format!(
            "no column is recognised as the text; pass --map text={column}, or --no-text if there is none"
        );
    }
    let maps: Vec<String> = lacks
        .iter()
        .map(|field| format!("--map {field}=COLUMN"))
        .collect();
    let without_text = if lacks.contains(&"text") {
        " (or --no-text if there is no text)"
    } else {
        ""
    };
    format!(
        "none of them is recognised as the {}; name it with {}{without_text}",
        lacks.join(", the "),
        maps.join(" ")
    )
}

fn no_linked_reviews(elements: usize, is_page: bool) -> String {
    let advice =
        "give the export of the platform, or a page whose source has schema.org reviews as JSON-LD";
    match (is_page, elements) {
        (true, 0) => {
            format!(
                "is a page of HTML or XML without structured data (no <script type=\"application/ld+json\">); {advice}"
            )
        }
        (true, _) => format!(
            "is a page whose structured data has no Review ({elements} elements were looked at); {advice}"
        ),
        (false, _) => format!("is linked data without a Review; {advice}"),
    }
}

/// What the bounded reader says when the bound is reached.
#[derive(Debug, Error)]
#[error("too large")]
pub(super) struct TooLarge;
