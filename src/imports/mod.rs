//! Imports reviews from files. One walk, with one type between each two steps, and one transaction:
//!
//! ```text
//! bytes ──read(&Format)──► rows of cells ──row──► ReviewRow ──merge──► Change ──► written
//! ```
//!
//! - `collect` opens the files: `opened_file` says which parts one has, and `files` chooses their formats by the names of the columns: a
//!   platform's, in `platforms`, or what the source keeps;
//! - `read` says what a file is, and gives the rows of a part as cells ([`read::Table`]), and `draft` completes a format from their columns;
//! - `row` turns each row into a review as its source states it ([`row::ReviewRow`]), with the values of `value`;
//! - `merge` finds the review of each row, and merges both in memory, preserving the owner's decisions ([`merge::Change`]).
//!
//! `collect` takes the files of a call through all but the last step. A row is accepted or rejected by itself; a file that cannot be read stops
//! the import before anything is written. `native` is the form that exports write and imports read.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use sqlx::{Connection as _, SqliteConnection};

use crate::clock::Clock;
use crate::compute::run_long;
use crate::imports::collect::{Collected, collect};
use crate::imports::merge::{Change, MergeOutcome, Rules, merge_rows};
use crate::imports::owner::OwnerFile;
use crate::imports::platforms::NATIVE;
use crate::imports::read::bytes::file_names;
use crate::imports::row::ReviewRow;
use crate::model::business::{Business, Editorial};
use crate::model::{Calendar, ReviewId};
use crate::storage::business::{SampleState, note_sample, refuse_sample, sample_state};
use crate::storage::reviews::{
    self, FormatChange, KeptFormats, Known, Mark, RunChange, RunCounts, Scope, store_formats,
};
use crate::storage::{AtPath as _, Database, DatabaseState, DbError, Write, business};

mod collect;
mod draft;
mod fault;
mod files;
mod format;
mod merge;
pub mod native;
mod opened_file;
pub(crate) mod owner;
mod platforms;
mod read;
mod report;
mod request;
mod row;

/// Reads the values of cells. Each function is pure; its error contains the value, what is allowed, and advice for the user.
mod value {
    pub mod date;
    pub mod rating;
    pub mod text;
}

pub use draft::{Draft, DraftColumn, shown_cell, shown_values};
pub use files::{base_of, format_of, lost_public_columns};
pub use format::{
    Format, KeyUse, Missing, Names, Only, Paging, PublicColumn, PublicPart, basic_string,
    check_size, line_of,
};
pub use merge::guards::stop;
pub use merge::undo::{Undone, find_undo_command, undo};
pub use opened_file::is_empty_by;
pub use platforms::{find_format, format_names};
pub use read::bytes::INPUT_BYTES_MAX;
pub use read::page::is_page_without_reviews;
pub use report::{
    FileError, ImportError, ImportReport, Named, Outcome, Position, Refusal, Rejection, Watch,
    Watcher,
};
pub use request::{
    Doubtful, FormatArgument, ImportRequest, Mask, QUERY_VALUE, SOURCE_DEFAULT, parse_source_name,
    respell,
};
pub use value::date::DateOrder;

/// Reviews per statement.
const BATCH: usize = 500;

/// Merges the reviews of `request` into the existing ones, in one transaction. Rejected rows go to `watch` and do not stop the
/// import. Other writers wait only while it writes, unless the request `holds_lock`.
///
/// # Errors
/// [`ImportError`]; then nothing was changed. If another process wrote while the rows were compared, [`is_overtaken`].
///
/// [`is_overtaken`]: crate::storage::is_overtaken
pub async fn import(
    database: &Database,
    clock: &Clock,
    request: &ImportRequest,
    watch: Watcher<'_>,
) -> Result<ImportReport, ImportError> {
    let path = database.path();
    let files = read_files(database, clock, request, watch).await?;
    if request.dry_run {
        let mut reader = database.reader().await?;
        let stored = StoredReviews::load(&mut reader, path, &files).await?;
        return Ok(files.merge(stored, watch)?.outcome.report);
    }
    let (mut write, merged) = begin(database, files, watch).await?;
    let applied = apply(&mut write, path, merged, watch).await?;
    write.commit().await.at(path)?;
    Ok(applied.report)
}

/// The rows of an import.
#[derive(Debug)]
pub struct ImportedFiles {
    request: ImportRequest,
    kept: KeptFormats,
    collected: Collected,
}

/// What an import wrote.
#[derive(Debug)]
pub struct Applied {
    pub report: ImportReport,
    /// The number of the run; `None` of a fetch that changed nothing, and of a sample.
    pub run: Option<i64>,
}

/// Reads the files of `request` by the formats that their sources keep.
///
/// # Errors
/// [`ImportError`]
pub async fn read_files(
    database: &Database,
    clock: &Clock,
    request: &ImportRequest,
    watch: Watcher<'_>,
) -> Result<ImportedFiles, ImportError> {
    let path = database.path();
    let mut reader = database.reader().await?;
    refuse_sample(&mut reader, path).await?;
    let known = business::find(&mut reader).await.at(path)?;
    let zone = business::time_zone(&mut reader).await.at(path)?;
    let kept = reviews::load_formats(&mut reader).await.at(path)?;
    let counts = reviews::counts_by_source(&mut reader, &[]).await.at(path)?;
    drop(reader);
    let mut request = request.clone();
    if let Some(source) = &mut request.source {
        respell(source, &counts);
    }
    request.business = known;
    let calendar = Calendar {
        zone,
        now: clock.now(),
    };
    // Of a fetch, it runs where requests are answered.
    let collected = run_long(|| collect(&request, calendar, &kept, &counts, watch))?;
    Ok(ImportedFiles {
        request,
        kept,
        collected,
    })
}

/// Merges the rows with the stored reviews, and then begins the write; if the request `holds_lock`, before, so that nobody writes meanwhile.
///
/// # Errors
/// [`ImportError`], also if a guard stops the import, or another process wrote since the files were read ([`is_overtaken`]).
///
/// [`is_overtaken`]: crate::storage::is_overtaken
pub async fn begin(
    database: &Database,
    files: ImportedFiles,
    watch: Watcher<'_>,
) -> Result<(Write, MergedFiles), ImportError> {
    let path = database.path();
    if files.request.holds_lock {
        let mut write = database.write_as_owner().await?;
        let stored = StoredReviews::load(write.reader(), path, &files).await?;
        return Ok((write, files.merge(stored, watch)?));
    }
    let mut reader = database.reader().await?;
    let stored = StoredReviews::load(&mut reader, path, &files).await?;
    drop(reader);
    let state = stored.state;
    let merged = files.merge(stored, watch)?;
    let mut write = database.write_as_owner().await?;
    if DatabaseState::of(write.reader()).await.at(path)? != state {
        return Err(DbError::Overtaken(path.to_owned()).into());
    }
    Ok((write, merged))
}

/// What an import may meet, as stored at one moment.
struct StoredReviews {
    state: DatabaseState,
    known: Known,
    /// The IDs of all other reviews.
    other_ids: HashSet<ReviewId>,
    /// Those that earlier runs of the entry brought, if the import is a run.
    brought: Option<HashSet<ReviewId>>,
}

impl StoredReviews {
    /// # Errors
    /// As overtaken, if the business or a format was changed since the files were read.
    async fn load(
        connection: &mut SqliteConnection,
        path: &Path,
        files: &ImportedFiles,
    ) -> Result<Self, ImportError> {
        // All of it as it is at one moment; within a write, a part of that.
        let mut moment = connection.begin().await.at(path)?;
        if !files.request.is_sample {
            refuse_sample(&mut moment, path).await?;
            let business = business::find(&mut moment).await.at(path)?;
            let formats = reviews::load_formats(&mut moment).await.at(path)?;
            if (&business, &formats) != (&files.request.business, &files.kept) {
                return Err(DbError::Overtaken(path.to_owned()).into());
            }
        }
        let brought = match &files.request.run_of {
            Some(name) => Some(reviews::ids_of_entry(&mut moment, name).await.at(path)?),
            None => None,
        };
        let Collected { rows, deleted, .. } = &files.collected;
        let sources = sources_of(rows);
        let mut scope = scope_of(&sources, rows, deleted);
        let lacking = brought.iter().flatten();
        scope.ids.extend(lacking.map(ReviewId::as_str));
        let known = reviews::load_known(&mut moment, &scope).await.at(path)?;
        let stored = Self {
            state: DatabaseState::of(&mut moment).await.at(path)?,
            other_ids: reviews::other_ids(&mut moment, &known).await.at(path)?,
            known,
            brought,
        };
        moment.rollback().await.at(path)?;
        Ok(stored)
    }
}

/// What an import is about to write.
pub struct MergedFiles {
    request: ImportRequest,
    kept: KeptFormats,
    calendar: Calendar,
    business: Option<Business>,
    editorial: Option<Editorial>,
    formats: Vec<FormatChange>,
    sources: BTreeSet<String>,
    is_whole: bool,
    outcome: MergeOutcome,
}

impl ImportedFiles {
    /// Merges the rows with the stored reviews.
    fn merge(self, stored: StoredReviews, watch: Watcher<'_>) -> Result<MergedFiles, ImportError> {
        let Collected {
            calendar,
            rows,
            deleted,
            business,
            editorial,
            formats,
            report,
        } = self.collected;
        let sources = sources_of(&rows);
        let has_only = rows.iter().any(|row| row.format.only.is_some());
        let has_excerpts = report.files.iter().any(|file| file.excerpts);
        let is_whole = !(self.request.partial || has_only || has_excerpts);
        let rules = Rules {
            now: calendar.now,
            request: &self.request,
            brought: stored.brought,
            is_whole,
            other_ids: stored.other_ids,
        };
        let known = stored.known;
        let outcome = run_long(|| merge_rows(rows, deleted, known, &rules, report, watch))?;
        let rejected = outcome.report.count(Outcome::Rejected);
        if rejected > 0 && rejected == outcome.report.rows() && outcome.changes.is_empty() {
            let reason = "no row can be imported, and nothing was changed; correct the file, or, where the column of the IDs has none, \
                name it in the source's format: ignored = [\"NAME\"]";
            return Err(ImportError::Refused(reason.to_owned()));
        }
        Ok(MergedFiles {
            request: self.request,
            kept: self.kept,
            calendar,
            business,
            editorial,
            formats,
            sources,
            is_whole,
            outcome,
        })
    }
}

/// Writes the changes within `write`, which the caller commits.
///
/// # Errors
/// [`ImportError`]; then nothing is committed.
pub async fn apply(
    write: &mut Write,
    path: &Path,
    merged: MergedFiles,
    watch: Watcher<'_>,
) -> Result<Applied, ImportError> {
    let MergedFiles {
        request,
        kept,
        calendar: Calendar { zone, now },
        business,
        editorial,
        mut formats,
        sources,
        is_whole,
        mut outcome,
    } = merged;
    if let Some(business) = &business {
        business::replace(write, business).await.at(path)?;
    }
    if let Some(zone) = zone {
        business::note_time_zone(write, zone).await.at(path)?;
    }
    if let Some(texts) = editorial {
        let stored = business::editorial(write.reader()).await.at(path)?;
        if stored == Editorial::default() {
            business::replace_editorial(write, &texts).await.at(path)?;
        }
    }
    // A fetch that changes nothing but what the source said is no run that could be taken back.
    let mut changes = outcome.changes.iter();
    let has_changes =
        changes.any(|change| change.review.is_some() || change.kind == RunChange::Deleted);
    let mut run = None;
    if !request.is_sample && (has_changes || request.run_of.is_none()) {
        let sources: Vec<&str> = sources.iter().map(String::as_str).collect();
        let files = file_names(&request.files);
        let begun = reviews::begin_run(write, now, &files, &sources).await;
        run = Some(begun.at(path)?);
    }
    let ids = std::mem::take(&mut outcome.present);
    let report = std::mem::take(&mut outcome.report);
    let doubted = std::mem::take(&mut outcome.doubted);
    // A row that is new, as the owner says, is none of them.
    let are_new = request.doubtful == Some(Doubtful::New);
    let doubted = doubted.iter().filter(|_| !are_new);
    let written = write_changes(write, outcome, run, now, watch).await;
    written.at(path)?;
    if watch.is_stopped() {
        return Err(ImportError::Stopped);
    }
    let entry = request.run_of.as_deref();
    let noted = reviews::note_entry(write, entry, is_whole, &ids, doubted).await;
    noted.at(path)?;
    formats.retain(|change| change.before.is_some() || !kept.contains_key(&change.source));
    store_formats(write, &formats, run).await.at(path)?;
    if let Some(run) = run {
        let ended = reviews::end_run(write, run, counts(&report), &report.unread).await;
        ended.at(path)?;
    }
    Ok(Applied { report, run })
}

/// The names of the sources of these rows.
fn sources_of(rows: &[ReviewRow]) -> BTreeSet<String> {
    rows.iter().map(|row| row.source().to_owned()).collect()
}

/// What the rows of these sources, and the reviews that an export lists as deleted, may meet.
fn scope_of<'s>(
    sources: &'s BTreeSet<String>,
    rows: &'s [ReviewRow],
    deleted: &'s [Mark],
) -> Scope<'s> {
    let unnamed = rows.iter().filter(|row| row.source_name().is_none());
    let ids = unnamed.map(ReviewRow::id);
    let ids = ids.chain(deleted.iter().map(|mark| &mark.id));
    Scope {
        sources: sources.iter().map(String::as_str).collect(),
        ids: ids.map(ReviewId::as_str).collect(),
        contents: rows.iter().map(|row| row.digests.content).collect(),
    }
}

/// Writes the outcome of a merge, unless the import is to stop; `run` is the run, for a later undo, and `None` for a sample.
async fn write_changes(
    write: &mut Write,
    outcome: MergeOutcome,
    run: Option<i64>,
    now: DateTime<Utc>,
    watch: Watcher<'_>,
) -> sqlx::Result<()> {
    let mut changes = outcome.changes.into_iter();
    loop {
        let batch: Vec<Change> = changes.by_ref().take(BATCH).collect();
        if batch.is_empty() || watch.is_stopped() {
            break;
        }
        if let Some(run) = run {
            let notes = batch.iter();
            let notes = notes.map(|it| (&it.source.id, it.kind, it.former.as_deref()));
            reviews::note_run_reviews(write, run, notes).await?;
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
    }
    if let Some(run) = run {
        let notes = outcome.deleted.iter();
        let notes = notes.map(|mark| (&mark.id, RunChange::Deleted, None));
        reviews::note_run_reviews(write, run, notes).await?;
    }
    reviews::put_marks(write, &outcome.deleted).await
}

/// The counts that a run stores.
fn counts(report: &ImportReport) -> RunCounts {
    let count = |outcome| report.count(outcome).cast_signed();
    RunCounts {
        added: count(Outcome::New),
        updated: count(Outcome::Updated),
        unchanged: count(Outcome::Unchanged),
        withdrawn: count(Outcome::Withdrawn),
        rejected: count(Outcome::Rejected),
        doubtful: count(Outcome::Doubtful),
    }
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
    let business = OwnerFile::read_sample(&place)?.business(None, false)?;
    let place = folder.join("editorial.json");
    let editorial = if place.exists() {
        Some(OwnerFile::read_sample(&place)?.editorial(&Editorial::default())?)
    } else {
        None
    };
    let place = folder.join("reviews.jsonl");
    if !place.is_file() {
        return Err(missing(&place));
    }
    let request = ImportRequest {
        files: vec![place],
        format: Some(FormatArgument::BuiltIn(Arc::clone(&NATIVE))),
        is_sample: true,
        accept_changes: true,
        business: Some(business.clone()),
        ..ImportRequest::default()
    };
    let calendar = Calendar {
        zone: Some(business.time_zone),
        now: clock.now(),
    };
    let mut collected = collect(&request, calendar, &KeptFormats::new(), &[], watch)?;
    let path = database.path();
    let mut write = database.write_as_owner().await?;
    match sample_state(write.reader()).await.at(path)? {
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
    let known = business::find(write.reader()).await.at(path)?;
    // The owner may have edited those of a sample that is already there.
    if known.is_none() {
        collected.business = Some(business);
        collected.editorial = editorial;
    }
    let files = ImportedFiles {
        request,
        kept: KeptFormats::new(),
        collected,
    };
    let stored = StoredReviews::load(write.reader(), path, &files).await?;
    let merged = files.merge(stored, watch)?;
    let applied = apply(&mut write, path, merged, watch).await?;
    write.commit().await.at(path)?;
    Ok(applied.report)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::StatedReview;
    use crate::storage::reviews::KnownReview;

    /// An import of 200,000 rows beside as many known reviews has 400 MiB, of which a half is for their texts.
    #[test]
    fn rows_and_known_reviews_need_little_memory() {
        let row = size_of::<ReviewRow>() + size_of::<StatedReview>();
        let known = size_of::<(ReviewId, Box<KnownReview>)>() + size_of::<KnownReview>();
        let change = size_of::<Change>();
        assert!(200_000 * (row + known) <= 200 << 20, "{row} {known}");
        assert!(200_000 * (row + change) <= 200 << 20, "{row} {change}");
    }
}
