//! Undoes an import: removes the reviews that it added, and gives all others their former values and those of their
//! source, so that importing the files again does the same again. What has changed since is left unchanged, and so is
//! what its source hides.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use sqlx::SqliteConnection;

use crate::clock::Clock;
use crate::imports::report::{ImportError, ImportReport, Outcome, preview, preview_change};
use crate::model::text::quote_for_shell;
use crate::model::{GONE, Review, Status, Unit, fold};
use crate::storage::reviews::{
    self, ImportRun, KeptFormats, KnownReview, Mark, RunChange, RunReview, SourceRecord,
    UNDOABLE_DAYS_MAX, UNDOABLE_MAX,
};
use crate::storage::sync::hold_entry;
use crate::storage::{AtPath as _, Database, Write};

/// Reviews per batch.
const ROWS: usize = 500;

/// The outcome of an undo of one run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    pub run: ImportRun,
    pub report: ImportReport,
    /// What sources keep, before the undo and after it.
    pub formats: [KeptFormats; 2],
}

/// Undoes the newest import of the source with the given name, or of the one that was last imported by hand. With `is_dry_run`,
/// only counts.
///
/// # Errors
/// [`ImportError`]; then nothing was changed.
pub async fn undo(
    database: &Database,
    clock: &Clock,
    source: Option<&str>,
    is_dry_run: bool,
) -> Result<Undone, ImportError> {
    let (path, now) = (database.path(), clock.now());
    let mut write = database.write_as_owner().await?;
    reviews::forget_runs(&mut write, now).await.at(path)?;
    let runs = reviews::last_runs(write.reader(), i64::MAX).await;
    let runs = runs.at(path)?;
    let run = choose_run(&runs, source);
    let run = run.map_err(ImportError::Refused)?.clone();
    let before = reviews::load_formats(write.reader()).await.at(path)?;
    let report = take_back(&mut write, run.id, now).await.at(path)?;
    let after = reviews::load_formats(write.reader()).await.at(path)?;
    if let Some(entry) = &run.sync_entry {
        hold_entry(&mut write, entry).await.at(path)?;
    }
    if is_dry_run {
        write.rollback().await
    } else {
        write.commit().await
    }
    .at(path)?;
    Ok(Undone {
        formats: [before, after],
        run,
        report,
    })
}

/// The newest run of the source that is not undone; without a name, of those of the last run by hand. `runs` are all, newest first.
///
/// # Errors
/// Why nothing can be undone: there is no such run, its former values are not kept any more, or a later one comes first.
fn choose_run<'r>(runs: &'r [ImportRun], source: Option<&str>) -> Result<&'r ImportRun, String> {
    let standing: Vec<&ImportRun> = runs.iter().filter(|run| run.stands()).collect();
    // Without a source, the import that was just made is meant.
    let newest = runs.iter().find(|run| !run.is_scheduled);
    let newest = newest.filter(|run| source.is_none() && !run.stands() && run.undone_at.is_none());
    if let Some(newest) = newest
        && standing.iter().all(|run| run.id < newest.id)
        && let Some((name, run)) = find_before(runs, newest)
    {
        return Err(format!(
            "import {} changed nothing, so there is nothing of it to take back; {} takes back import {}",
            newest.id,
            undo_command(name),
            run.id
        ));
    }
    // An import that changed nothing does not count.
    let counted = runs.iter();
    let mut counted = counted.filter(|run| run.stands() || run.undone_at.is_some());
    let by_hand = counted.find(|run| !run.is_scheduled);
    let mut sources: Vec<&str> = source.into_iter().collect();
    if source.is_none() {
        let fetched = standing.iter().find(|run| run.is_scheduled);
        if let Some(run) = by_hand {
            sources.extend(run.sources.iter().map(String::as_str));
        }
        if let Some(newer) = fetched
            && by_hand.is_none_or(|by_hand| by_hand.id < newer.id)
        {
            let names = newer.sources.iter().map(String::as_str).chain(sources);
            let commands: BTreeSet<String> = names.map(undo_command).collect();
            let commands: Vec<String> = commands.into_iter().collect();
            return Err(format!(
                "import {} was fetched by the service after the last one by hand; say whose newest import goes: {}",
                newer.id,
                commands.join(" or ")
            ));
        }
    }
    let sources: Vec<String> = sources.into_iter().map(fold).collect();
    let mut newest = standing.iter();
    let found = newest.find(|run| run.sources.iter().any(|name| sources.contains(&fold(name))));
    let Some(run) = found else {
        let of = source.map_or(String::new(), |name| format!(" of {name}"));
        let mut others = standing.iter().flat_map(|run| &run.sources);
        let advice = others.next().map_or_else(
            || "`reviews status` lists the imports".to_owned(),
            |name| format!("{} takes back the newest one", undo_command(name)),
        );
        return Err(format!("no import{of} to undo; {advice}"));
    };
    if !run.is_kept {
        return Err(format!(
            "import {} can no longer be undone: former values are kept for the last {UNDOABLE_MAX} imports of a source, \
             at most {UNDOABLE_DAYS_MAX} days; `reviews restore FILE` restores a backup",
            run.id
        ));
    }
    // A run of several sources is the newest of all of them when it goes.
    for later in &standing {
        let shared = later.sources.iter().find(|name| run.sources.contains(name));
        if let Some(name) = shared.filter(|_| later.id > run.id && later.has_changes) {
            return Err(format!(
                "import {} has reviews of {name}, too, of which import {} is newer; {} takes that one back first",
                run.id,
                later.id,
                undo_command(name)
            ));
        }
    }
    Ok(run)
}

/// The import that can be undone before `newest`, which changed nothing, and its source: one of the same source if there is one.
fn find_before<'r>(
    runs: &'r [ImportRun],
    newest: &'r ImportRun,
) -> Option<(&'r str, &'r ImportRun)> {
    let others = runs.iter().filter(|run| run.stands());
    let names = newest
        .sources
        .iter()
        .chain(others.flat_map(|run| &run.sources));
    let mut found =
        names.filter_map(|name| Some((name.as_str(), choose_run(runs, Some(name)).ok()?)));
    found.next()
}

/// The command that takes back the import that brought the review, if that is the newest of its source.
pub async fn find_undo_command(
    connection: &mut SqliteConnection,
    id: &str,
    source: &str,
) -> sqlx::Result<Option<String>> {
    let runs = reviews::last_runs(&mut *connection, i64::MAX).await?;
    let Ok(run) = choose_run(&runs, Some(source)) else {
        return Ok(None);
    };
    let rows = reviews::run_reviews(connection, run.id).await?;
    let is_brought = |row: &RunReview| row.change == RunChange::Added && row.is_untouched;
    let brought = rows.iter().any(|row| row.id == id && is_brought(row));
    Ok(brought.then(|| undo_command(source)))
}

fn undo_command(source: &str) -> String {
    format!("`reviews undo --source {}`", quote_for_shell(source))
}

async fn take_back(write: &mut Write, run: i64, now: DateTime<Utc>) -> sqlx::Result<ImportReport> {
    let mut report = ImportReport {
        is_undo: true,
        ..ImportReport::default()
    };
    reviews::take_back_formats(write, run).await?;
    let rows = reviews::run_reviews(write.reader(), run).await?;
    for rows in rows.chunks(ROWS) {
        let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
        let stored = reviews::load_reviews(write.reader(), &ids).await?;
        let mut batch = Batch::default();
        for row in rows {
            let known = stored.get(row.id.as_str()).map(Box::as_ref);
            batch.add(row, known, &mut report)?;
        }
        batch.write(write, run, now).await?;
    }
    reviews::note_undone(write, run, now).await?;
    Ok(report)
}

/// What an undo does with reviews of a run.
#[derive(Default)]
struct Batch<'r> {
    /// Reviews that are not left.
    done: Vec<&'r str>,
    removed: Vec<&'r str>,
    /// IDs that no longer count as deleted.
    unmarked: Vec<&'r str>,
    /// Restored reviews, which are deleted again, and their marks.
    deleted: Vec<&'r str>,
    marks: Vec<Mark>,
    /// What identified reviews that are still deleted.
    kept: Vec<SourceRecord>,
    reverted: Vec<Review>,
    sources: Vec<SourceRecord>,
    /// Reviews that no source had given.
    sourceless: Vec<&'r str>,
    /// Reviews that stay as they are, because their source hides them.
    hidden: Vec<&'r str>,
}

impl<'r> Batch<'r> {
    /// `known` is what is stored of the review now.
    fn add(
        &mut self,
        row: &'r RunReview,
        known: Option<&KnownReview>,
        report: &mut ImportReport,
    ) -> sqlx::Result<()> {
        let id = row.id.as_str();
        let former = row.former.as_ref();
        let mut source = former.and_then(|former| former.source.clone());
        let known = known.filter(|known| !known.is_deleted());
        match (row.change, known, former) {
            // One that was deleted since keeps its mark.
            (RunChange::Deleted, None, _) if row.is_untouched => {
                if let Some(source) = source {
                    self.kept.push(source);
                } else {
                    report.add(Outcome::DecisionUndone, || format!("{id} deleted"));
                    self.unmarked.push(id);
                }
            }
            (_, None, _) => report.add(Outcome::Gone, String::new),
            (change, Some(_), _) if !row.is_untouched || change == RunChange::Deleted => {
                report.add(Outcome::Left, || format!("{id} (changed since)"));
                return Ok(());
            }
            (RunChange::Added | RunChange::Deleted, Some(known), _) => {
                report.add(Outcome::Removed, || preview_known(id, known));
                let decided = known.decisions().into_iter();
                let decided = decided.map(Unit::name).collect::<Vec<_>>().join(" and ");
                if !decided.is_empty() {
                    report.add(Outcome::DecisionUndone, || format!("{id} {decided}"));
                }
                self.removed.push(id);
            }
            (RunChange::Restored, Some(known), _) => {
                report.add(Outcome::DeletedAgain, || preview_known(id, known));
                self.deleted.push(id);
                self.marks.extend(former.and_then(|former| former.mark(id)));
            }
            (RunChange::Changed, Some(known), former) => {
                let Some((review, former)) = known.review().zip(former) else {
                    report.add(Outcome::Left, || {
                        format!("{id} (its former values cannot be read)")
                    });
                    return Ok(());
                };
                let mut before = Review {
                    updated_at: review.updated_at,
                    ..former.review(review)?
                };
                if is_hidden_since(&before, review) {
                    report.add(Outcome::Left, || format!("{id} (its source hides it)"));
                    self.hidden.push(id);
                    return Ok(());
                }
                // What this run hid stays so, and what a later one hid, which is undone already.
                let last = known.last_statement();
                let mut hidden = vec![Unit::Author, Unit::Reply];
                hidden.retain(|unit| last.is_hidden(*unit));
                let mut hides = former.hides;
                for unit in &hidden {
                    hides |= !unit.is_same(&before, review);
                    unit.copy(review, &mut before);
                }
                if hides {
                    report.add(Outcome::Left, || {
                        format!("{id} in part (its source hides its author's name or its answer)")
                    });
                }
                if before.status == Status::Published && review.status != Status::Published {
                    report.add(Outcome::PublishedAgain, || preview(&before));
                }
                if before != *review {
                    report.add(Outcome::Updated, || preview_change(review, &before));
                    self.reverted.push(before);
                }
                if (hides || !hidden.is_empty())
                    && let Some(present) = &known.source
                {
                    let record = source.get_or_insert_with(|| present.clone());
                    let mut statement = record.last_statement();
                    statement.keep_hidden(&last);
                    record.set_last_statement(&statement);
                }
                match source {
                    Some(source) => self.sources.push(source),
                    None => self.sourceless.push(id),
                }
            }
        }
        self.done.push(id);
        Ok(())
    }

    async fn write(mut self, write: &mut Write, run: i64, now: DateTime<Utc>) -> sqlx::Result<()> {
        for review in &mut self.reverted {
            review.updated_at = review.updated_at.max(Some(now));
        }
        reviews::delete_all(write, &self.removed).await?;
        self.unmarked.extend(self.removed);
        reviews::remove_marks(write, &self.unmarked).await?;
        reviews::delete_all(write, &self.deleted).await?;
        reviews::put_marks(write, &self.marks).await?;
        reviews::update_marks(write, &self.kept).await?;
        reviews::upsert(write, &self.reverted, now).await?;
        reviews::note_sources(write, &self.sources).await?;
        reviews::forget_sources(write, &self.sourceless).await?;
        reviews::pass_over_run_reviews(write, run, &self.hidden).await?;
        reviews::forget_run_reviews(write, run, &self.done).await?;
        Ok(())
    }
}

fn preview_known(id: &str, known: &KnownReview) -> String {
    known.review().map_or_else(|| id.to_owned(), preview)
}

/// Whether the source has hidden the review by the import, so that it must not be published again.
fn is_hidden_since(before: &Review, after: &Review) -> bool {
    let was_open = before.status == Status::Published || before.status.is_of_import();
    was_open && after.status != Status::Published && after.status != Status::withheld(GONE)
}
