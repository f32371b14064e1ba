//! Imports reviews from files.
//!
//! Three steps, with one type between each:
//!
//! - `read` opens the files, detects the format of each by its content, and gives its rows ([`read::InputFile`], with a `table::Table`);
//! - `map` decides what the columns mean, by the format's file in `platforms` or by what the owner says, and turns each row into a
//!   review as its source states it ([`map::collector::Row`]);
//! - `merge` finds the review of each row, merges both in memory, preserving the owner's decisions, and writes the changes
//!   ([`merge::outcome::Change`]) in one transaction.
//!
//! A row is accepted or rejected by itself; a file that cannot be read stops the import before anything is written.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::clock::Clock;
use crate::imports::limits::Limits;
use crate::imports::map::collector::{Collected, Collector};
use crate::imports::merge::apply;
use crate::imports::merge::outcome::{Change, MERGED_BYTES, Rules, merge_rows};
use crate::imports::read::detect::format_of_text;
use crate::imports::read::text::decode;
use crate::model::Calendar;
use crate::model::business::Editorial;
use crate::owner::OwnerFile;
use crate::storage::business::{SampleState, note_sample, sample_state};
use crate::storage::columns::KeptColumns;
use crate::storage::reviews::{self, PlaceCount, RunCounts};
use crate::storage::sync::brought_reviews;
use crate::storage::{AtPath as _, Database, Write, business};

pub mod export;
mod limits;
pub(crate) mod map;
mod mask;
mod merge;
mod platforms;
mod read;
mod report;
mod request;
mod table;

pub use map::fields::{ReviewField, Subject};
pub use map::questions::{
    Asks, Question, ShownTables, Undecided, VALUE, missing_option, noun, shown_value,
};
pub use map::values::header_key;
pub use mask::{Mask, QUERY_VALUE};
pub(crate) use merge::follow_zone;
pub use merge::rename::{Renamed, rename_source, respell};
pub use merge::undo::{Undone, undo};
pub use platforms::{Format, Paging, find_format, format_names};
pub use read::{is_taken_from_folders, open_below, open_root};
pub use report::{
    INPUT_BYTES_MAX, ImportError, ImportOutcome, ImportReport, MassChange, MergeError, Named,
    NewValue, Position, Rejection, Verdict, Watch, Watcher,
};
pub use request::{ColumnChoices, DoubtfulChoice, ImportRequest, SOURCE_DEFAULT, composed};

/// Of a database that holds sample data.
const SAMPLE: &str = "the database holds sample data, which is not mixed with your own reviews; nothing was changed; remove it \
     with `reviews init --discard-sample --name NAME`, or mix both with --with-sample";

/// Merges the reviews of `request` into the existing ones, in one transaction. Rejected rows go to `watch` and do not
/// stop the import.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn import(
    database: &Database,
    clock: &Clock,
    request: &ImportRequest,
    watch: Watcher<'_>,
) -> Result<ImportReport, ImportError> {
    let now = clock.now();
    let path = database.path();
    let mut reader = database.reader().await?;
    let state = sample_state(&mut reader).await.at(path)?;
    let known = business::find(&mut reader).await.at(path)?;
    let zone = business::time_zone(&mut reader).await.at(path)?;
    let kept = KeptColumns::load(&mut reader).await.at(path)?;
    let places = reviews::counts_by_place(&mut reader).await.at(path)?;
    drop(reader);
    let mut request = request.clone();
    let respelled = request
        .source
        .as_mut()
        .and_then(|name| respell(name, &places));
    request.business = known;
    let request = &request;
    refuse_sample(state, request)?;
    let calendar = Calendar { zone, now };
    let mut collected = gather(request, calendar, kept.clone(), &places, watch)?;
    collected.report.notes.extend(respelled);
    let mut write = database.write_as_owner().await?;
    // Another program may have written since the files were read.
    let state = sample_state(write.for_reading()).await.at(path)?;
    refuse_sample(state, request)?;
    if state == SampleState::Alone {
        note_sample(&mut write, true).await.at(path)?;
    }
    if business::find(write.for_reading()).await.at(path)? != request.business {
        collected.business = None;
    }
    let merged = merge_collected(&mut write, collected, &kept, request, watch).await;
    let report = merged.map_err(|error| error.at(path))?;
    if request.dry_run {
        write.rollback().await
    } else {
        write.commit().await
    }
    .at(path)?;
    Ok(report)
}

fn refuse_sample(state: SampleState, request: &ImportRequest) -> Result<(), ImportError> {
    if state == SampleState::Alone && !request.with_sample {
        return Err(ImportError::Refused(SAMPLE.to_owned()));
    }
    Ok(())
}

/// Merges the collected reviews within `write`, which the caller commits.
async fn merge_collected(
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
        mut report,
    } = collected;
    let zone = match &business {
        Some(business) => {
            business::replace(write, business).await?;
            zone
        }
        // A shell may have changed the time zone since the last import.
        None => business::time_zone(write.for_reading()).await?,
    };
    if let Some(zone) = zone {
        report.moved = follow_zone(write, zone, now).await?;
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
        doubted: &outcome.doubted,
        has_changes: outcome.changes.iter().any(Change::is_visible),
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
    outcome.withdraw(&verdict.gone, &rules);
    let report = std::mem::take(&mut outcome.report);
    apply(write, outcome, run, now, watch).await?;
    let columns_run = run.filter(|_| verdict.undoes_columns);
    columns.store(write, before, columns_run, now).await?;
    if let Some(run) = run {
        reviews::end_run(write, run, counts(&report)).await?;
    }
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
        doubtful: count(report.doubtful.count),
    }
}

/// Reads the files of `request`, and turns their rows into reviews.
fn gather(
    request: &ImportRequest,
    calendar: Calendar,
    kept: KeptColumns,
    places: &[PlaceCount],
    watch: Watcher<'_>,
) -> Result<Collected, ImportError> {
    let read = read::read(request, &kept, Limits::new(Some(&*watch)));
    if watch.is_stopped() {
        return Err(ImportError::Stopped);
    }
    let (files, limits) = read?;
    let collector = Collector::new(calendar, request, (&mut *watch, limits), kept, places);
    let collected = map::map(&files, collector, MERGED_BYTES);
    if watch.is_stopped() {
        return Err(ImportError::Stopped);
    }
    collected
}

/// The format of a file; `None` if it is unknown.
pub fn format_of(content: &[u8], request: &ImportRequest) -> Option<&'static Format> {
    let limits = &mut Limits::new(None);
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
    let mut collected = gather(&request, calendar, KeptColumns::default(), &[], watch)?;
    let path = database.path();
    let mut write = database.write_as_owner().await?;
    match sample_state(write.for_reading()).await.at(path)? {
        SampleState::Empty | SampleState::Alone => {
            note_sample(&mut write, false).await.at(path)?;
        }
        SampleState::Mixed | SampleState::Own => {
            return Err(ImportError::Refused(format!(
                "the database {} holds a business's own data, which is not mixed with sample data; nothing was changed; set \
                 DATABASE_URL to another file for the sample",
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
    let merged = merge_collected(
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
