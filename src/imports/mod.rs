//! Imports reviews from files. Three steps, with one type between each, and one transaction:
//!
//! ```text
//! files ──read──► Table ──map──► ReviewRow ──merge──► Change ──► written
//! ```
//!
//! - `read` opens the files, detects the format of each by its content, and gives its rows as a table of cells ([`table::Table`]);
//! - `map` decides what the columns mean, by the format's file in `platforms` or by what the owner says, and turns each row into a
//!   review as its source states it ([`incoming::ReviewRow`]);
//! - `merge` finds the review of each row, and merges both in memory, preserving the owner's decisions ([`merge::Change`]).
//!
//! A row is accepted or rejected by itself; a file that cannot be read stops the import before anything is written. `native` is our own
//! form, which exports write and imports read.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::clock::Clock;
use crate::imports::limits::ImportLimits;
use crate::imports::map::{Collected, Collector};
use crate::imports::merge::{Change, MERGED_BYTES, MergeOutcome, Rules, merge_rows};
use crate::imports::read::detect::format_of_text;
use crate::imports::read::text::decode;
use crate::model::Calendar;
use crate::model::business::Editorial;
use crate::owner::OwnerFile;
use crate::storage::business::{SampleState, note_sample, refuse_sample, sample_state};
use crate::storage::columns::KeptColumns;
use crate::storage::reviews::{self, RunChange, RunCounts, SourceCounts};
use crate::storage::sync::brought_reviews;
use crate::storage::{AtPath as _, Database, Write, business};

mod incoming;
mod limits;
pub(crate) mod map;
mod merge;
pub mod native;
mod platforms;
mod read;
mod report;
mod request;
mod table;

pub use map::fields::{PublicSubject, ReviewField};
pub use map::questions::{
    Asks, Question, ShownTables, Undecided, VALUE, missing_option, noun, shown_value,
};
pub use map::values::header_key;
pub use merge::rename::{Renamed, rename_source};
pub use merge::undo::{Undone, undo};
pub use platforms::{Format, Paging, find_format, format_names};
pub use read::{is_taken_from_folders, open_below, open_root};
pub use report::{
    INPUT_BYTES_MAX, ImportError, ImportOutcome, ImportReport, ImportVerdict, MassChange,
    MergeError, Named, NewValue, Position, Rejection, Watch, Watcher,
};
pub use request::{
    ColumnChoices, Doubtful, ImportRequest, Mask, QUERY_VALUE, SOURCE_DEFAULT, composed, respell,
};

/// Reviews per statement.
const BATCH: usize = 500;
/// Changes per transaction, if many nodes share the database.
const GROUP_MAX: usize = 5_000;

/// Merges the reviews of `request` into the existing ones, in one transaction; if many nodes share the database, in groups of
/// [`GROUP_MAX`] changes. Rejected rows go to `watch` and do not stop the import.
///
/// # Errors
/// [`ImportError`]; then nothing was changed, except for the groups before that of the error.
pub async fn import(
    database: &Database,
    clock: &Clock,
    request: &ImportRequest,
    watch: Watcher<'_>,
) -> Result<ImportReport, ImportError> {
    let now = clock.now();
    let path = database.path();
    let mut reader = database.reader().await?;
    refuse_sample(&mut reader, path).await?;
    let known = business::find(&mut reader).await.at(path)?;
    let zone = business::time_zone(&mut reader).await.at(path)?;
    let kept = KeptColumns::load(&mut reader).await.at(path)?;
    let counts = reviews::counts_by_source(&mut reader).await.at(path)?;
    drop(reader);
    let mut request = request.clone();
    let respelled = request
        .source
        .as_mut()
        .and_then(|name| respell(name, &counts));
    request.business = known;
    let request = &request;
    let calendar = Calendar { zone, now };
    let mut collected = read_and_map(request, calendar, kept.clone(), &counts, watch)?;
    collected.report.notes.extend(respelled);
    let mut write = database.write_as_owner().await?;
    // Another program may have written since the files were read.
    refuse_sample(write.for_reading(), path).await?;
    if business::find(write.for_reading()).await.at(path)? != request.business
        && collected.business.take().is_some()
    {
        collected.editorial = None;
        collected.report.business = None;
        collected.report.has_left_out_business = true;
    }
    let merged = merge_and_write(&mut write, collected, &kept, request, watch).await;
    let report = merged.map_err(|error| error.at(path))?;
    if request.dry_run {
        write.rollback().await
    } else {
        write.commit().await
    }
    .at(path)?;
    Ok(report)
}

/// Reads the files of `request`, and maps their rows to reviews.
fn read_and_map(
    request: &ImportRequest,
    calendar: Calendar,
    kept: KeptColumns,
    counts: &[SourceCounts],
    watch: Watcher<'_>,
) -> Result<Collected, ImportError> {
    let read = read::read(request, &kept, ImportLimits::new(Some(&*watch)));
    if watch.is_stopped() {
        return Err(ImportError::Stopped);
    }
    let (files, limits) = read?;
    let collector = Collector::new(calendar, request, (&mut *watch, limits), kept, counts);
    let collected = map::map(&files, collector, MERGED_BYTES);
    if watch.is_stopped() {
        return Err(ImportError::Stopped);
    }
    collected
}

/// Merges the collected reviews with the stored ones, and writes the changes within `write`, which the caller commits.
async fn merge_and_write(
    write: &mut Write,
    collected: Collected,
    before: &KeptColumns,
    request: &ImportRequest,
    watch: Watcher<'_>,
) -> Result<ImportReport, MergeError> {
    let Collected {
        calendar: Calendar { zone, now },
        rows,
        deleted,
        business,
        editorial,
        columns,
        report,
    } = collected;
    if let Some(business) = &business {
        business::replace(write, business).await?;
    }
    if let Some(zone) = zone {
        business::note_time_zone(write, zone).await?;
    }
    if let Some(texts) = editorial {
        let stored = business::editorial(write.for_reading()).await?;
        if stored == Editorial::default() {
            business::replace_editorial(write, &texts).await?;
        }
    }
    let brought = match &request.run_of {
        Some(name) => Some(brought_reviews(write.for_reading(), name).await?),
        None => None,
    };
    let rules = Rules {
        now,
        request,
        brought,
    };
    let known = reviews::load_known(write.for_reading()).await?;
    let sources: BTreeSet<String> = rows.iter().map(|row| row.source().to_owned()).collect();
    let mut outcome = merge_rows(rows, deleted, known, &rules, report, watch)?;
    let mut run = None;
    if !request.is_sample {
        let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
        run = Some(reviews::begin_run(write, now, &file_names(&request.files), &sources).await?);
    }
    let decided = ImportOutcome {
        report: &outcome.report,
        ids: &outcome.present,
        has_changes: outcome.changes.iter().any(Change::is_visible),
        is_one_group: outcome.changes.len() <= GROUP_MAX,
        mass_change: outcome
            .mass_change
            .as_ref()
            .filter(|_| !request.accept_changes && !request.is_sample),
        mass_withholding: outcome
            .mass_withholding
            .as_deref()
            .filter(|_| !request.accept_changes),
        run,
    };
    let verdict = watch.decide(write, decided).await?;
    if let Some(forgotten) = run.filter(|_| !verdict.keeps_run) {
        reviews::forget_run(write, forgotten).await?;
        run = None;
    }
    let report = std::mem::take(&mut outcome.report);
    write_changes(write, outcome, run, now, watch).await?;
    let columns_run = run.filter(|_| verdict.undoes_columns);
    columns.store(write, before, columns_run, now).await?;
    if let Some(run) = run {
        reviews::end_run(write, run, counts(&report)).await?;
    }
    Ok(report)
}

/// Writes the outcome of a merge; `run` is the run, for a later undo, and `None` for a sample.
///
/// # Errors
/// When the database refuses the write, or the import is to stop.
async fn write_changes(
    write: &mut Write,
    outcome: MergeOutcome,
    run: Option<i64>,
    now: DateTime<Utc>,
    watch: Watcher<'_>,
) -> Result<(), MergeError> {
    let of = outcome.changes.len();
    let (mut done, mut in_group) = (0, 0);
    let mut changes = outcome.changes.into_iter();
    loop {
        let batch: Vec<Change> = changes.by_ref().take(BATCH).collect();
        if batch.is_empty() {
            break;
        }
        if watch.is_stopped() {
            return Err(MergeError::Stopped);
        }
        done += batch.len();
        in_group += batch.len();
        if in_group > GROUP_MAX {
            write.end_group();
            in_group = batch.len();
        }
        if let Some(run) = run {
            let notes: Vec<_> = batch
                .iter()
                .map(|change| {
                    (
                        change.source.id.as_str(),
                        change.kind,
                        change.former.as_ref(),
                    )
                })
                .collect();
            reviews::note_run_reviews(write, run, &notes).await?;
        }
        let (mut reviews, mut sources, mut deleted) = (Vec::new(), Vec::new(), Vec::new());
        let mut notes = Vec::new();
        for change in batch {
            notes.extend(change.note.map(|note| (change.source.id.clone(), note)));
            reviews.extend(change.review);
            if change.kind == RunChange::Deleted {
                deleted.push(change.source);
            } else if !change.source.says_nothing() {
                sources.push(change.source);
            }
        }
        if !reviews.is_empty() {
            reviews::upsert(write, &reviews, now).await?;
        }
        reviews::note_sources(write, &sources).await?;
        reviews::update_marks(write, &deleted).await?;
        for (id, note) in notes {
            reviews::set_note(write, id.as_str(), Some(&note)).await?;
        }
        watch.written(done, of);
    }
    if let Some(run) = run {
        let notes = outcome.deleted.iter();
        let notes = notes.map(|mark| (mark.id.as_str(), RunChange::Deleted, None));
        reviews::note_run_reviews(write, run, &notes.collect::<Vec<_>>()).await?;
    }
    reviews::put_marks(write, &outcome.deleted).await?;
    Ok(())
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
        doubtful: count(report.doubtful.count),
    }
}

/// The format of a file; `None` if it is unknown.
pub fn format_of(content: &[u8], request: &ImportRequest) -> Option<&'static Format> {
    let limits = &mut ImportLimits::new(None);
    limits.take(content.len()).ok()?;
    let decoded = decode(content, request.encoding, request.country(), limits).ok()?;
    format_of_text(&decoded.text, request, limits).ok()
}

// Sample data: a folder of business.json, reviews.jsonl and, if present, editorial.json, which is loaded like an import.

/// A required file is missing.
fn missing(path: &Path) -> ImportError {
    ImportError::Refused(format!(
        "{}: no such file; a folder of sample data has business.json and reviews.jsonl, and may have editorial.json",
        path.display()
    ))
}

/// Loads the sample data in `folder` in one transaction; repeating it changes nothing. Invalid rows of reviews.jsonl go
/// to `watch`.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn load_sample(
    database: &Database,
    clock: &Clock,
    folder: &Path,
    watch: Watcher<'_>,
) -> Result<ImportReport, ImportError> {
    let place = folder.join("business.json");
    if matches!(place.try_exists(), Ok(false)) {
        return Err(missing(&place));
    }
    let business = OwnerFile::read(&place)?.business(None, false)?;
    let place = folder.join("editorial.json");
    let editorial = if place.exists() {
        Some(OwnerFile::read(&place)?.editorial(&Editorial::default())?)
    } else {
        None
    };
    let place = folder.join("reviews.jsonl");
    if !place.is_file() {
        return Err(missing(&place));
    }
    let request = ImportRequest {
        files: vec![place],
        is_sample: true,
        business: Some(business.clone()),
        ..ImportRequest::default()
    };
    let calendar = Calendar {
        zone: Some(business.time_zone),
        now: clock.now(),
    };
    let mut collected = read_and_map(&request, calendar, KeptColumns::default(), &[], watch)?;
    let path = database.path();
    let mut write = database.write_as_owner().await?;
    match sample_state(write.for_reading()).await.at(path)? {
        SampleState::Empty | SampleState::Sample => {
            note_sample(&mut write).await.at(path)?;
        }
        SampleState::Own => {
            return Err(ImportError::Refused(format!(
                "the database {} holds a business's own data, which never mix with a sample; nothing was changed; \
                 `reviews seed DIR --database sample.db` loads the sample into a file of its own",
                path.display()
            )));
        }
    }
    let known = business::find(write.for_reading()).await.at(path)?;
    // The owner may have edited those of a sample that is already there.
    if known.is_none() {
        collected.business = Some(business);
        collected.editorial = editorial;
    }
    let merged = merge_and_write(
        &mut write,
        collected,
        &KeptColumns::default(),
        &request,
        watch,
    )
    .await;
    let report = merged.map_err(|error| error.at(path))?;
    write.commit().await.at(path)?;
    Ok(report)
}
