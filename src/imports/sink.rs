//! Where formats put what they read. Formats know this and nothing of the database; what becomes of
//! a row is the collector's affair.

use serde_json::Value;

use super::fields::Problem;
use super::file_error::FileError;
use super::format::Format;
use super::incoming::Incoming;
use super::report::{Position, TableColumns};
use crate::business::Business;
use crate::reviews::ReviewId;

/// What is known of a file before its rows are read.
#[derive(Debug)]
pub(super) struct FileStart {
    /// What messages call it.
    pub(super) name: String,
    /// The format that was detected, or that the caller named.
    pub(super) format: &'static Format,
}

/// The row as it stood in the file, for whoever mends it: asked for only where it is rejected.
pub(super) type Raw<'r> = &'r dyn Fn() -> Value;

/// Takes in a file's rows, in their order.
///
/// Every method may stop the whole import with a [`FileError`]; a row that is wrong goes to
/// [`RowSink::reject`] and stops nothing.
pub(super) trait RowSink {
    /// What comes next is from this file.
    fn begin(&mut self, file: FileStart) -> Result<(), FileError>;

    /// The file is a table, and this becomes of its columns.
    fn table(&mut self, columns: &TableColumns);

    /// A review. Its days are judged here: `raw` is the row, where they are wrong.
    fn review(&mut self, at: Position, incoming: Incoming, raw: Raw<'_>) -> Result<(), FileError>;

    /// A review that the owner deleted: of our own export alone (CONTRACT §1, `export`).
    fn deleted(&mut self, at: Position, id: ReviewId) -> Result<(), FileError>;

    /// A row that no review can be made of, with everything that is wrong with it.
    fn reject(
        &mut self,
        at: Position,
        raw: Raw<'_>,
        problems: Vec<Problem>,
    ) -> Result<(), FileError>;

    /// The business that a file brings along; `business` is asked for only where there is none yet.
    fn business(
        &mut self,
        business: &mut dyn FnMut() -> Result<Business, FileError>,
    ) -> Result<(), FileError>;
}

/// Hands over what was made of a row.
pub(super) fn take(
    sink: &mut dyn RowSink,
    at: Position,
    made: Result<Incoming, Vec<Problem>>,
    raw: Raw<'_>,
) -> Result<(), FileError> {
    match made {
        Ok(incoming) => sink.review(at, incoming, raw),
        Err(problems) => sink.reject(at, raw, problems),
    }
}
