//! Errors of a whole file or a whole import. An error in a single row is a [`Rejection`](super::Rejection), which does
//! not stop the import.

use std::error::Error as StdError;
use std::io;

use thiserror::Error;

use crate::imports::map::fields::FieldError;
use crate::imports::platforms::format_names;
use crate::storage::DbError;

/// Maximum bytes that one import may read, unpacked, over all its files: 1 GiB.
pub const INPUT_BYTES_MAX: u64 = 1 << 30;
/// Maximum number of review files in a folder or archive.
pub const FILES_MAX: usize = 10_000;

/// The reason why a file cannot be imported, with advice for the user.
#[derive(Debug, Error)]
pub enum FileError {
    /// The operating system refused to read it.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// The import would fill the memory.
    #[error(
        "the files of one import may have at most {} MiB in total, unpacked; split it into several imports",
        INPUT_BYTES_MAX >> 20
    )]
    TooLarge,
    /// The import would not end in reasonable time.
    #[error("holds more than {FILES_MAX} files of reviews; give the folders in it one by one")]
    TooMany,
    #[error(
        "is not UTF-8; save it as UTF-8, or convert it, for example from Windows-1252 with `iconv -f WINDOWS-1252 -t UTF-8`"
    )]
    NotUtf8,
    /// Unsupported compression.
    #[error("is packed with {0}; unpack it and give the file or folder")]
    Packed(&'static str),
    /// The file is not text.
    #[error("is {0}, not an export of reviews")]
    Binary(&'static str),
    /// The zip archive is damaged, encrypted or of an unsupported kind.
    #[error("the zip archive cannot be read ({0}); unpack it and give the folder")]
    Archive(String),
    #[error(
        "holds no reviews*.json; export `Google Business Profile` with https://takeout.google.com, or name the file of another \
         export itself, unpacked"
    )]
    NoReviews,
    /// The reviews were written by one Google Maps user, and are not about the business.
    #[error(
        "holds the places that a Google Maps user has reviewed, not the reviews of a business; \
         export `Google Business Profile` with https://takeout.google.com and give its reviews.json, or the whole archive"
    )]
    MapsReviews,
    #[error(
        "is {said}: none of the known formats ({}); {advice}", format_names().collect::<Vec<_>>().join(", ")
    )]
    Unknown {
        /// The apparent kind of file, with some field names.
        said: String,
        /// Advice on how to import the file.
        advice: String,
    },
    /// The requested format does not fit this kind of file.
    #[error(
        "is {said}, which cannot be read as {format}; leave --format out, or pass --format table for a table"
    )]
    Misfit {
        format: &'static str,
        /// The apparent kind of file, with some field names.
        said: String,
    },
    /// The table lacks columns that every review needs.
    #[error("is a table with the columns {columns}: {}", wrong_columns(.unknown, .lacks, .text.as_deref(), .doubtful))]
    Columns {
        /// Fields that several columns may fill, and these columns.
        doubtful: Vec<(&'static str, Vec<String>)>,
        /// Required fields that no column fills.
        lacks: Vec<&'static str>,
        /// Columns named by `--map` that the table does not have.
        unknown: Vec<String>,
        /// The column that probably has the texts.
        text: Option<String>,
        /// The first dozen headers, separated by commas.
        columns: String,
    },
    /// `--sheet` names a missing sheet.
    #[error("has no sheet \"{wanted}\"; its sheets are {}", .there.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "))]
    NoSuchSheet { wanted: String, there: Vec<String> },
    /// `--header-row` names a missing row, or one too far down.
    #[error(
        "has no row {0} among its first 200 rows that are not empty; leave --header-row out, or name the header row"
    )]
    NoSuchRow(u64),
    /// `--sheet` or `--header-row` for a file without tables.
    #[error("is {said}, which has no {what}; leave --{what} out")]
    NoTable {
        /// The apparent kind of file.
        said: String,
        /// The option, without its dashes.
        what: &'static str,
    },
    #[error("has {0} columns; at most 1000 are supported")]
    TooManyColumns(usize),
    /// Usually an unclosed quote.
    #[error(
        "line {0}: the row that starts here is larger than 1 MiB; close the quote that was opened in it, or shorten it"
    )]
    RowTooLong(u64),
    /// A cell of delimited text that does not end: the file was cut off, or a quotation mark is missing.
    #[error(
        "line {0}: a quotation mark opens a cell and none closes it, so all that follows would be part of this row; close it, \
         or export the file again if its end is missing"
    )]
    OpenQuotes(u64),
    /// Ratings up to 10 without `--scale`.
    #[error(
        "line {line}: a rating of {found} means that the scale ends at 10; pass --scale 10, because 5 out of 10 would otherwise \
         become five stars"
    )]
    Scale {
        /// Line on which the row begins, from 1; in a workbook, the row.
        line: u64,
        /// The rating as in the file.
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
    /// The page or file would fill the memory.
    #[error(
        "the page, or the file of linked data, has more than 16 MiB; take the JSON-LD out of it and split it"
    )]
    PageTooLarge,
    /// The linked data contain no reviews; with the kind of file.
    #[error(
        "is {0}; give the export of the platform, or a page whose source has schema.org reviews as JSON-LD"
    )]
    NoLinkedReviews(String),
    /// An archive of another kind.
    #[error(
        "is {0}, not an export of reviews; export `Google Business Profile` with https://takeout.google.com, or give the file of reviews itself"
    )]
    OtherArchive(&'static str),
    /// A whole document whose JSON is broken.
    #[error("line {line}, column {column}: the JSON is broken ({reason}); export it again")]
    Json {
        /// From 1.
        line: usize,
        /// In bytes, from 1.
        column: usize,
        /// The parser's message without the position.
        reason: String,
    },
    /// Its business has wrong values, or its editorial texts.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
    Members(Vec<FieldError>),
    /// The document's business sets the time zone, but the document comes after other files.
    #[error(
        "contains the business, whose time zone {0} also sets the days of the files before it; give this file first"
    )]
    BusinessLate(String),
    /// `--map` for a format whose names are fixed.
    #[error("is in the format {0}, whose field names are fixed; leave --map out")]
    MapUnused(&'static str),
    /// Standard input is given twice, but can be read only once.
    #[error("standard input can be read only once; give `-` only once")]
    InputTwice,
    /// The file has instants, but the time zone of the business is unknown.
    #[error(
        "has times, whose days depend on the business's time zone, which is not set; run `reviews init --time-zone ZONE` first, \
         for example America/Phoenix"
    )]
    NoTimeZone,
    /// The reviews are of several locations, and none was chosen.
    #[error(
        "the reviews are of {} locations: {}; one service publishes one location; name it with --location",
        .0.len(), .0.iter().map(|(name, count)| format!("{name} ({count})")).collect::<Vec<_>>().join(", ")
    )]
    Locations(Vec<(String, u64)>),
    /// No review of the requested location.
    #[error("--location {meant}: no review is of that location; name one of {}", there.join(", "))]
    NoSuchLocation {
        meant: String,
        /// The locations in the rows, with their listing's name if known.
        there: Vec<String>,
    },
    /// A format that has only some of a place's reviews was given for an operation that needs all of them.
    #[error(
        "is {0}, which gives only some of the reviews, so a missing one may still exist; leave --withdraw-missing out"
    )]
    Excerpts(&'static str),
    /// The rows, or an archive, cannot be written to temporary storage.
    #[error(
        "the rows cannot be stored in the folder for temporary files: {0}; nothing was changed; free some disk space, or set \
         TMPDIR"
    )]
    Staging(Box<dyn StdError + Send + Sync>),
    /// The rejected rows cannot be stored.
    #[error("a rejected row cannot be stored: {0}; nothing was changed")]
    Rejects(io::Error),
}

#[derive(Debug, Error)]
#[error("{file}: {fault}")]
pub struct FailedFile {
    /// File name; for a file in an archive or folder, with the container's name.
    pub file: String,
    pub fault: FileError,
}

/// Why an import failed; nothing was changed.
#[derive(Debug, Error)]
pub enum ImportError {
    /// All files that cannot be imported.
    #[error("{}", failed(.0))]
    Files(Vec<FailedFile>),
    /// The rows cannot be written to or read from temporary storage.
    #[error(transparent)]
    Staging(FileError),
    /// The database holds sample data.
    #[error(
        "the database holds sample data, which is not mixed with your own reviews; nothing was changed; remove it with `reviews \
         init --discard-sample --name NAME`, or mix both with --with-sample"
    )]
    Sample,
    /// The import would do more than requested, or something that was probably not intended.
    #[error("{0}; nothing was changed")]
    Refused(String),
    /// The database could not be read or written.
    #[error("{0}")]
    Database(#[from] DbError),
}

impl FileError {
    /// The faults of a member's value, whose paths begin at that member.
    pub fn of_member(name: &str, mut faults: Vec<FieldError>) -> Self {
        for fault in &mut faults {
            fault.path = format!("{name}.{}", fault.path);
        }
        Self::Members(faults)
    }

    pub(super) fn staging(error: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self::Staging(error.into())
    }

    /// Classifies an I/O error while reading.
    pub(super) fn reading(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::FileTooLarge {
            Self::TooLarge
        } else {
            Self::Unreadable(error)
        }
    }

    /// An error of `serde_json` about a whole document in memory.
    pub(super) fn json(error: &serde_json::Error) -> Self {
        Self::Json {
            line: error.line(),
            column: error.column(),
            reason: reason(error),
        }
    }
}

/// The message of `serde_json` without the position, which is shown separately.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// Maximum number of failed files that are listed.
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

/// The message about a table's columns. Unknown `--map` names come first, because a wrong name may be the reason for a
/// missing field.
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
