//! Why a whole file, or a whole import, cannot be. What is wrong with a single row is a
//! [`Rejection`](super::Rejection), which stops nothing.

use std::fmt;
use std::io;

use thiserror::Error;

use super::fields::Problem;
use super::sources::{FILES_MAX, INPUT_BYTES_MAX};
use crate::db::DbError;

/// Why nothing of a file is imported, with what to do about it.
#[derive(Debug, Error)]
pub enum Fault {
    /// The operating system would not let us read it.
    #[error("cannot be read: {0}")]
    Unreadable(io::Error),
    /// It would fill the memory.
    #[error(
        "all files of one import together may have {} MiB, unpacked; split it into several imports",
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
    /// The zip archive is damaged, encrypted or of a kind that we do not unpack.
    #[error("the zip archive cannot be read ({0}); unpack it and give the folder")]
    Archive(String),
    /// A folder or archive without reviews.
    #[error("holds no reviews*.json; export `Google Business Profile` with https://takeout.google.com, or name the file itself")]
    NoReviews,
    /// The reviews that somebody wrote as a Google Maps user, instead of those that the business got.
    #[error(
        "holds the places that a Google Maps user has reviewed, not the reviews of a business; \
         export `Google Business Profile` with https://takeout.google.com and give its reviews.json, or the whole archive"
    )]
    MapsReviews,
    /// A JSON array of reviews.
    #[error("is one JSON array; JSON Lines have one review in a line: `jq -c '.[]' FILE | reviews import -`")]
    Array,
    /// JSON objects that are spread over several lines.
    #[error("has reviews that go over several lines; JSON Lines have one in a line: `jq -c . FILE | reviews import -`")]
    Spread,
    /// None of the formats.
    #[error("is in none of the known formats: {}; say which with --format if it is one", .0.join(", "))]
    Unknown(Vec<&'static str>),
    /// A whole document whose JSON is broken.
    #[error("line {line}, column {column}: the JSON is broken ({reason}); export it again")]
    Json {
        /// From 1.
        line: usize,
        /// From 1.
        column: usize,
        /// What was expected.
        reason: String,
    },
    /// The document's business is wrong.
    #[error("business.{0}")]
    Business(Problem),
    /// The document's business comes too late.
    #[error("brings the business along, whose time zone {0} decides the days of the files before it too; give this file first")]
    BusinessLate(String),
    /// Renaming fields of a format whose names are fixed.
    #[error("is in the format {0}, whose field names are fixed; leave --map out")]
    MapUnused(&'static str),
    /// The same input twice where it can be read only once.
    #[error("standard input can be read only once; give `-` only once")]
    InputTwice,
    /// Instants, and nobody has said where the business is.
    #[error(
        "gives instants, and on which day they fall is known only with the business's time zone, which was never set; \
         run `reviews init --time-zone ZONE` first, for example America/Phoenix"
    )]
    NoTimeZone,
    /// Reviews of several of the firm's locations.
    #[error(
        "the reviews are of {} locations: {}; one service publishes those of one: say which with --location",
        .0.len(), .0.iter().map(|(name, count)| format!("{name} ({count})")).collect::<Vec<_>>().join(", ")
    )]
    Locations(Vec<(String, u64)>),
    /// No review of the location that was asked for.
    #[error("--location {meant}: no review is of that location; there are {}", there.join(", "))]
    NoSuchLocation {
        /// What was asked for.
        meant: String,
        /// What there is.
        there: Vec<String>,
    },
    /// Some of a place's reviews, where all are needed.
    #[error("is {0}, which gives only some of the reviews: what is missing says nothing; leave --withdraw-missing out")]
    Excerpts(&'static str),
    /// The rows cannot be kept until they are merged.
    #[error("the rows cannot be kept in the folder for temporary files: {0}; nothing was changed; free some room, or set TMPDIR")]
    Staging(io::Error),
    /// The rejected rows cannot be noted.
    #[error("a rejected row cannot be noted: {0}; nothing was changed")]
    Rejects(io::Error),
}

/// A file and its fault.
#[derive(Debug)]
pub struct FileFault {
    /// The file's name.
    pub file: String,
    /// Why it cannot be imported.
    pub fault: Fault,
}

impl fmt::Display for FileFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.fault)
    }
}

/// Why an import failed. Nothing was changed then.
#[derive(Debug, Error)]
pub enum ImportError {
    /// Some files cannot be imported: all of them that were met.
    #[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Files(Vec<FileFault>),
    /// The rows cannot be kept until they are merged, or not be read back.
    #[error("the rows cannot be kept in the folder for temporary files: {0}; nothing was changed; free some room, or set TMPDIR")]
    Staging(sqlx::Error),
    /// What --withdraw-missing would do is more than was asked for.
    #[error("{0}; nothing was changed")]
    Withdrawal(String),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DbError),
}

impl Fault {
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
        Self::Json { line: error.line(), column: error.column(), reason: reason(&error) }
    }
}

/// What `serde_json` says, without the place, which is said apart.
pub(super) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// What the bounded reader says when the bound is reached.
#[derive(Debug, Error)]
#[error("too large")]
pub(super) struct TooLarge;
