//! Imports: reviews that come from somewhere else, made ours.
//!
//! A file's way: `sources` opens it, `detect` finds its format by content, `read` takes its rows
//! out of lines, arrays, tables or pages, the entry in `platforms` says what they mean, `collector`
//! keeps what counts, and one transaction writes it. Each row is judged by itself; a file that
//! cannot be read stops the whole call before anything is written.

mod bounds;
mod collector;
mod completing;
mod detect;
mod editorial;
pub mod export;
mod fields;
mod file_error;
mod format;
mod incoming;
mod json_stream;
mod lines;
mod merging;
mod plan;
mod platform;
mod platforms;
mod profile;
mod read;
mod record;
mod report;
mod row;
pub mod seed;
mod shape;
mod sources;
mod spool;
mod store;
mod table;
pub mod time_zone;
pub mod undo;
mod values;
mod withdraw;

use std::num::NonZeroU8;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use chrono_tz::Tz;

pub use bounds::INPUT_BYTES_MAX;
pub use fields::Problem;
pub use file_error::{FailedFile, FileError, ImportError};
pub use format::Format;
pub use lines::{Rename, RenameError};
pub use platform::Options;
pub use report::{FileReport, Named, Position, Quiet, Rejection, Report, TableColumns, Watch};
pub use sources::is_taken_from_folders;

use crate::clock::Clock;
use crate::model::business::{Business, Editorial};
use crate::storage;
use crate::storage::business::sample;
use crate::storage::reviews::{self, RunCounts};
use crate::storage::{Database, DbError};
use collector::{Collected, Collector, Terms, Watcher};
use merging::{Merging, Wishes};
use read::{FileStart, RowSink as _};
use store::Staging;

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
        spool,
        business,
        has_zone,
        editorial: texts,
        mut report,
    } = gather(order, now, is_known, zone, watch).map_err(ImportError::Files)?;
    if is_named || business.is_some() {
        report.listing = None;
    }
    let mut staging = Staging::fill(spool).await.map_err(ImportError::Staging)?;
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
    let wishes = Wishes {
        restore: order.restore,
        skip_duplicates: order.skip_duplicates,
    };
    let run = reviews::begin_run(&mut write, now, &file_names(&order.files))
        .await
        .map_err(fault)?;
    let mut merging = Merging::new(&mut write, now, wishes, report)
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
    let terms = Terms {
        has_renames: !order.renames.is_empty(),
        location: order.location.as_deref(),
        full_names: order.full_names,
        is_whole: order.withdraw_missing,
    };
    let all = |fault| {
        vec![FailedFile {
            file: "import".to_owned(),
            fault,
        }]
    };
    let mut collector = Collector::new(now, is_known, zone, terms, watch).map_err(all)?;
    let options = Options {
        renames: &order.renames,
        scale: order.scale,
        date_format: order.date_format.as_deref(),
        no_text: order.no_text,
    };
    let budget = sources::Budget::default();
    let mut take = |opened: sources::Opened<'_>| {
        let mut input = match opened {
            sources::Opened::Reviews(input) => input,
            sources::Opened::Listing(listing) => {
                collector.listing(listing);
                return Ok(());
            }
        };
        let found = detect::detect(input.shape, order.format, &order.renames)?;
        collector.begin(FileStart {
            name: input.name,
            format: found.format,
        })?;
        read::read(&found, &mut *input.all, options, &mut collector)
    };
    for file in &order.files {
        sources::open(file, &budget, &mut take, &mut faults);
    }
    if faults.is_empty() {
        collector.finish().map_err(all)
    } else {
        Err(faults)
    }
}
