//! Imports: reviews that come from somewhere else, made ours.
//!
//! A file's way: `sources` opens it, `detect` finds its format by content, `read` takes its rows
//! out of lines, arrays, tables or pages, the entry in `platforms` says what they mean, `collector`
//! keeps what counts, and one transaction writes it. Each row is judged by itself; a file that
//! cannot be read stops the whole call before anything is written.

pub mod export;
mod file_error;
mod map;
mod merge;
mod platforms;
mod read;
mod report;
pub mod seed;

use std::num::NonZeroU8;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

pub use file_error::{FailedFile, FileError, INPUT_BYTES_MAX, ImportError};
pub use map::fields::Problem;
pub use map::{Format, Rename, RenameError};
pub use merge::{time_zone, undo};
pub use read::open::is_taken_from_folders;
pub use report::{FileReport, Named, Position, Quiet, Rejection, Report, TableColumns, Watch};

use crate::clock::Clock;
use crate::model::business::{Business, Editorial};
use crate::storage;
use crate::storage::business::sample;
use crate::storage::reviews::{self, RunCounts};
use crate::storage::{Database, DbError};
use merge::collector::{Collected, Collector, Watcher};
use merge::{Merging, completing, withdraw};
use read::{detect, open};

/// What is to be imported, and how.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command by itself"
)]
pub struct ImportRequest {
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
    /// Where reviews are from of which their file does not say it.
    pub source: Option<String>,
    /// The sheet of a workbook that is read; else the first that has reviews.
    pub sheet: Option<String>,
    /// The row of a table that has its headers, from 1; else it is found.
    pub header_row: Option<u64>,
    /// Whether a table may be without a column of texts.
    pub no_text: bool,
    /// Whether to do everything and then leave the database as it was.
    pub dry_run: bool,
    /// Whether reviews that the owner deleted come back.
    pub restore: bool,
    /// Whether copies of other sources' reviews are withheld.
    pub skip_duplicates: bool,
    /// Whether authors' names stay whole that were never public.
    pub full_names: bool,
    /// The only location whose reviews are meant.
    pub location: Option<String>,
    /// Whether reviews that their source no longer gives are withheld.
    pub withdraw_missing: bool,
    /// Whether that may be many of them.
    pub yes: bool,
    /// Whether they may be mixed into a sample.
    pub with_sample: bool,
}

/// Merges the reviews in `order` into those that are there, all in one transaction.
/// Rows that are wrong are told to `watch`, and stop nothing.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn import(
    database: &Database,
    clock: &Clock,
    order: &ImportRequest,
    watch: &mut (dyn Watch + Send),
) -> Result<Report, ImportError> {
    let now = clock.now();
    let fault = |error| DbError::at(database.path(), error);
    let mut reader = database.readers().acquire().await.map_err(fault)?;
    let known = storage::business::find(&mut reader).await.map_err(fault)?;
    let is_known = known.is_some();
    let is_named = known.is_some_and(|business| business.name != Business::default().name);
    let zone = storage::business::time_zone(&mut reader)
        .await
        .map_err(fault)?;
    let state = sample::state(&mut reader).await.map_err(fault)?;
    drop(reader);
    if state == sample::SampleState::Alone && !order.with_sample {
        return Err(ImportError::Sample);
    }
    let Collected {
        mut staging,
        business,
        has_zone,
        editorial: texts,
        mut report,
    } = gather(order, now, is_known, zone, watch).map_err(ImportError::Files)?;
    if is_named || business.is_some() {
        report.listing = None;
    }
    staging.put().await.map_err(ImportError::Staging)?;
    report.left_out += staging.answer().await.map_err(ImportError::Staging)?;
    let mut write = database.write_long(clock).await?;
    if let Some(business) = &business {
        storage::business::replace(&mut write, business)
            .await
            .map_err(fault)?;
        if has_zone {
            storage::business::note_time_zone(&mut write, business.time_zone)
                .await
                .map_err(fault)?;
        }
    }
    if let Some(texts) = texts
        && storage::business::editorial(&mut write)
            .await
            .map_err(fault)?
            == Editorial::default()
    {
        storage::business::replace_editorial(&mut write, &texts)
            .await
            .map_err(fault)?;
    }
    if state == sample::SampleState::Alone {
        sample::note(&mut write, true).await.map_err(fault)?;
    }
    let mut moved = 0;
    if let Some(zone) = storage::business::time_zone(&mut write)
        .await
        .map_err(fault)?
    {
        // A shell may have changed it since the last import.
        moved = time_zone::follow(&mut write, zone, now)
            .await
            .map_err(fault)?;
    }
    let run = reviews::begin_run(&mut write, now, &file_names(&order.files))
        .await
        .map_err(fault)?;
    let mut merging = Merging::new(&mut write, now, order, report)
        .await
        .map_err(fault)?;
    merging.run = Some(run);
    completing::find(&mut merging, &mut staging)
        .await
        .map_err(fault)?;
    merging.all(&mut staging, watch).await.map_err(fault)?;
    if order.withdraw_missing {
        withdraw::missing(&mut merging, &mut staging, order.yes)
            .await
            .map_err(|error| match error {
                withdraw::WithdrawError::Refused(reason) => ImportError::Withdrawal(reason),
                withdraw::WithdrawError::Database(error) => fault(error).into(),
            })?;
    }
    let report = Report {
        moved,
        ..merging.report
    };
    reviews::end_run(&mut write, run, counts(&report))
        .await
        .map_err(fault)?;
    if order.dry_run {
        write.rollback().await
    } else {
        write.commit().await
    }
    .map_err(fault)?;
    Ok(report)
}

/// What files are called, without their folders.
fn file_names(files: &[PathBuf]) -> Vec<String> {
    let name = |file: &PathBuf| {
        let name = file.file_name().map(|name| name.to_string_lossy());
        match name {
            Some(name) if name != "-" => name.into_owned(),
            Some(_) => "standard input".to_owned(),
            None => "a folder".to_owned(),
        }
    };
    files.iter().map(name).collect()
}

/// What an import came to, as its run keeps it.
fn counts(report: &Report) -> RunCounts {
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    RunCounts {
        added: count(report.written.new),
        updated: count(report.written.updated),
        unchanged: count(report.written.unchanged),
        withdrawn: count(report.withdrawn.count),
        rejected: count(report.rejected),
    }
}

/// Reads everything in `order`. Where files cannot be read, says so of each of them.
fn gather(
    order: &ImportRequest,
    now: DateTime<Utc>,
    is_known: bool,
    zone: Option<Tz>,
    watch: Watcher<'_>,
) -> Result<Collected, Vec<FailedFile>> {
    let mut faults = Vec::new();
    let stdin = order.files.iter().filter(|file| *file == Path::new("-"));
    if stdin.count() > 1 {
        return Err(vec![FailedFile {
            file: "-".to_owned(),
            fault: FileError::InputTwice,
        }]);
    }
    let all = |fault| {
        vec![FailedFile {
            file: "import".to_owned(),
            fault,
        }]
    };
    let mut collector = Collector::new(now, is_known, zone, order, watch).map_err(all)?;
    let budget = open::Budget::default();
    let mut take = |opened: open::Opened<'_>| {
        let mut input = match opened {
            open::Opened::Reviews(input) => input,
            open::Opened::Listing(listing) => {
                collector.listing(listing);
                return Ok(());
            }
        };
        let found = detect::detect(input.shape, order)?;
        collector.begin(input.name, found.format)?;
        read::read(&found, &mut *input.all, order, &mut collector)
    };
    for file in &order.files {
        open::open(file, order, &budget, &mut take, &mut faults);
    }
    if faults.is_empty() {
        collector.finish().map_err(all)
    } else {
        Err(faults)
    }
}
