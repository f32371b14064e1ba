//! Imports: reviews that come from somewhere else, made ours.
//!
//! A file's way: `sources` opens it, `detect` finds its format by content, `read` takes its rows out of lines, arrays, tables or
//! pages, the entry in `platforms` says what they mean, `intake` keeps what counts, and one transaction writes it. Each row is judged by
//! itself; a file that cannot be read stops the whole call before anything is written.

mod detect;
mod fault;
mod fields;
mod format;
mod html;
mod incoming;
mod intake;
mod json_stream;
mod lines;
mod locate;
mod plan;
mod platform;
mod platforms;
mod profile;
mod read;
mod record;
mod rename;
mod report;
mod row;
mod rules;
pub mod seed;
mod shape;
mod sink;
mod sources;
mod table;
mod values;

use std::num::NonZeroU8;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

pub use fault::{Fault, FileFault, ImportError};
pub use fields::Problem;
pub use format::Format;
pub use platform::Options;
pub use rename::{Rename, RenameError};
pub use report::{FileReport, Position, Quiet, Rejection, Report, Watch};
pub use sources::{INPUT_BYTES_MAX, is_taken_from_folders};

use crate::business::{self, Business};
use crate::clock::Clock;
use crate::db::{Database, DbError};
use intake::{Gathered, Intake, Watcher};
use sink::{FileStart, RowSink as _};

/// What is to be imported, and how.
#[derive(Debug, Clone, Default)]
pub struct Order {
    /// Files, zip archives, folders; `-` for standard input.
    pub files: Vec<PathBuf>,
    /// The format of all of them; where nobody says, each one's is found by its content.
    pub format: Option<&'static Format>,
    /// What the files call our fields.
    pub renames: Vec<Rename>,
    /// Where the ratings' scale ends; where nobody says, at 5.
    pub scale: Option<NonZeroU8>,
    /// How the dates are written, in the notation of strftime.
    pub date_format: Option<String>,
    /// Whether to do everything and then leave the database as it was.
    pub dry_run: bool,
}

/// Adds or updates the reviews in `order`, all in one transaction. Rows that are wrong are told to `watch`, and stop
/// nothing.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn import(
    database: &Database,
    clock: &Clock,
    order: &Order,
    watch: &mut (dyn Watch + Send),
) -> Result<Report, ImportError> {
    let now = clock.now();
    let fault = |error| DbError::at(database.path(), error);
    let known = business(database).await?;
    let gathered = gather(order, now, known.as_ref(), watch).map_err(ImportError::Files)?;
    let mut write = database.write_long(clock).await?;
    let report = gathered.write(&mut write, now, watch).await.map_err(fault)?;
    if order.dry_run { write.rollback().await } else { write.commit().await }.map_err(fault)?;
    Ok(report)
}

async fn business(database: &Database) -> Result<Option<Business>, DbError> {
    let fault = |error| DbError::at(database.path(), error);
    let mut reader = database.readers().acquire().await.map_err(fault)?;
    business::find(&mut reader).await.map_err(fault)
}

/// Reads everything in `order`. Where files cannot be read, says so of each of them.
fn gather(order: &Order, now: DateTime<Utc>, known: Option<&Business>, watch: Watcher<'_>) -> Result<Gathered, Vec<FileFault>> {
    let mut faults = Vec::new();
    let stdin = order.files.iter().filter(|file| *file == Path::new("-"));
    if stdin.count() > 1 {
        return Err(vec![FileFault { file: "-".to_owned(), fault: Fault::InputTwice }]);
    }
    let mut intake = Intake::new(now, known, &order.renames, watch);
    let options = Options { renames: &order.renames, scale: order.scale, date_format: order.date_format.as_deref() };
    let budget = sources::Budget::default();
    let mut take = |mut input: sources::Input<'_>| {
        let found = detect::detect(input.shape, order.format, !order.renames.is_empty())?;
        intake.begin(FileStart { name: input.name, format: found.format })?;
        read::read(&found, &mut *input.all, options, &mut intake)
    };
    for file in &order.files {
        sources::open(file, &budget, &mut take, &mut faults);
    }
    if faults.is_empty() { Ok(intake.finish()) } else { Err(faults) }
}
