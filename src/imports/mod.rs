//! Imports reviews from files.
//!
//! `read` opens a file, detects its format by its content, and extracts rows from lines, arrays, tables or pages. `map`
//! turns each row into a review, by the format's entry in `platforms`. `merge` stages the reviews on disk and writes
//! them in one transaction, preserving the owner's decisions. Each row is accepted or rejected independently; a file
//! that cannot be read stops the import before anything is written.

pub mod export;
mod file_error;
mod map;
mod merge;
mod platforms;
mod read;
mod report;
mod request;
pub(crate) mod seed;

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

pub use file_error::{FailedFile, FileError, INPUT_BYTES_MAX, ImportError};
pub use map::fields::FieldError;
pub use map::{Rename, RenameError};
pub(crate) use merge::{time_zone, undo};
pub use platforms::{Format, find_format, format_names};
pub use read::open::is_taken_from_folders;
pub use report::{FileReport, ImportReport, Named, Position, Rejection, TableColumns, Watch};
pub use request::ImportRequest;

use crate::clock::Clock;
use crate::model::business::{Business, Editorial};
use crate::storage::business::{SampleState, note_sample, sample_state};
use crate::storage::reviews::{self, RunCounts};
use crate::storage::{AtPath as _, Database, DbError, Write, business};
use merge::collector::{Collected, Collector};
use merge::{MergeError, Merging, completing};
use read::detect::{self, Detected, FileShape};
use read::open::{self, Budget, Opened};
use report::Watcher;

/// Merges the reviews of `order` into the existing ones, in one transaction. Rejected rows go to `watch` and do not
/// stop the import.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn import(
    database: &Database,
    clock: &Clock,
    order: &ImportRequest,
    watch: Watcher<'_>,
) -> Result<ImportReport, ImportError> {
    let now = clock.now();
    let path = database.path();
    let (known, zone, sample) = before(database).await.at(path)?;
    if sample == SampleState::Alone && !order.with_sample {
        return Err(ImportError::Sample);
    }
    let is_known = known.is_some();
    let gathered = gather(order, now, is_known, zone, watch, detect::detect);
    let mut collected = gathered.map_err(ImportError::Files)?;
    let staging = &mut collected.staging;
    let failed = |error| ImportError::Staging(FileError::staging(error));
    staging.put().await.map_err(failed)?;
    collected.report.left_out += staging.answer().await.map_err(failed)?;
    let mut write = database.write_long(clock).await?;
    let merged = merged(&mut write, collected, (known, sample), order, now, watch).await;
    let report = merged.map_err(|error| match error {
        MergeError::Refused(reason) => ImportError::Refused(reason),
        MergeError::Database(error) => DbError::at(path, error).into(),
    })?;
    if order.dry_run {
        write.rollback().await
    } else {
        write.commit().await
    }
    .at(path)?;
    if !order.dry_run
        && let Err(error) = database.merge_text_index().await
    {
        tracing::warn!(
            %error,
            "text_index.not_merged: everything is imported, but searches take longer than they need to; the next import \
             tries again"
        );
    }
    Ok(report)
}

/// The business, its time zone if it was ever set, and whether there is sample data.
async fn before(database: &Database) -> sqlx::Result<(Option<Business>, Option<Tz>, SampleState)> {
    let mut reader = database.readers().acquire().await?;
    Ok((
        business::find(&mut reader).await?,
        business::time_zone(&mut reader).await?,
        sample_state(&mut reader).await?,
    ))
}

/// Merges the collected reviews within `write`, which the caller commits.
async fn merged(
    write: &mut Write,
    collected: Collected,
    (known, sample): (Option<Business>, SampleState),
    order: &ImportRequest,
    now: DateTime<Utc>,
    watch: Watcher<'_>,
) -> Result<ImportReport, MergeError> {
    let Collected {
        mut staging,
        business: brought,
        zone,
        editorial,
        mut report,
    } = collected;
    if brought.is_some() || known.is_some_and(|its| its.name != Business::default().name) {
        report.listing = None;
    }
    if let Some(brought) = &brought {
        business::replace(write, brought).await?;
        if let Some(zone) = zone {
            business::note_time_zone(write, zone).await?;
        }
    }
    if let Some(texts) = editorial
        && business::editorial(write).await? == Editorial::default()
    {
        business::replace_editorial(write, &texts).await?;
    }
    if sample == SampleState::Alone {
        note_sample(write, true).await?;
    }
    if let Some(zone) = business::time_zone(write).await? {
        // A shell may have changed the time zone since the last import.
        report.moved = time_zone::follow(write, zone, now).await?;
    }
    let run = reviews::begin_run(write, now, &file_names(&order.files)).await?;
    let mut merging = Merging::new(write, now, order, report).await?;
    merging.run = Some(run);
    completing::find(&mut merging, &mut staging).await?;
    merging.all(&mut staging, watch).await?;
    merging.refuse_other_source()?;
    if order.withdraw_missing {
        merge::withdraw_missing(&mut merging, &mut staging).await?;
    }
    let report = merging.report;
    reviews::end_run(write, run, counts(&report)).await?;
    Ok(report)
}

/// File names without folders.
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

/// The counts that a run stores.
fn counts(report: &ImportReport) -> RunCounts {
    let count = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
    RunCounts {
        added: count(report.new),
        updated: count(report.updated),
        unchanged: count(report.unchanged),
        withdrawn: count(report.withdrawn.count),
        rejected: count(report.rejected),
    }
}

/// Reads all files of `order`; `find` detects a file's format by its shape. Reports every file that cannot be read.
fn gather(
    order: &ImportRequest,
    now: DateTime<Utc>,
    is_known: bool,
    zone: Option<Tz>,
    watch: Watcher<'_>,
    find: impl Fn(FileShape, &ImportRequest) -> Result<Detected, FileError>,
) -> Result<Collected, Vec<FailedFile>> {
    let failed = |file: &str, fault| {
        let file = file.to_owned();
        vec![FailedFile { file, fault }]
    };
    let stdin = order.files.iter().filter(|file| *file == Path::new("-"));
    if stdin.count() > 1 {
        return Err(failed("-", FileError::InputTwice));
    }
    let budget = Budget::new(&order.files);
    let collector = Collector::new(now, is_known, zone, order, &budget, watch);
    let mut collector = collector.map_err(|fault| failed("import", fault))?;
    let mut take = |opened: Opened<'_>| match opened {
        Opened::Listing(listing) => {
            collector.listing(listing);
            Ok(())
        }
        Opened::Reviews(mut input) => {
            let found = find(input.shape, order)?;
            collector.begin(input.name, found.format)?;
            read::read(&found, &mut *input.all, order, &mut collector)
        }
    };
    let mut faults = Vec::new();
    for file in &order.files {
        open::open(file, order, &budget, &mut take, &mut faults);
    }
    if faults.is_empty() {
        collector.finish().map_err(|fault| failed("import", fault))
    } else {
        Err(faults)
    }
}
