//! Merges the rows of an import with the stored reviews: it depends only on what the sources last said, on the stored reviews and on
//! the rows. `identity` finds the review of each row; the rules for one review are in `model::merge`.

use std::collections::{BTreeMap, HashMap, HashSet};

use chrono::{DateTime, Utc};
use serde_json::json;

use crate::imports::fault::RowKey;
use crate::imports::format::Missing;
use crate::imports::merge::guards::{Hiding, Tallies, check_missing};
use crate::imports::merge::identity::{Identified, RowMatch, identify, is_shared_name};
use crate::imports::read::ROWS_BETWEEN_LOOKS;
use crate::imports::report::{
    ImportError, ImportReport, Outcome, Watcher, preview, preview_change,
};
use crate::imports::request::{Doubtful, ImportRequest, SOURCE_DEFAULT};
use crate::imports::row::{Exported, HidingValue, ReviewRow, VALUES_MAX};
use crate::model::{
    ANONYMOUS, Digests, GONE, MAYBE_NOT_PUBLISHED, Merged, Review, ReviewId, Status, Unit, Units,
    adopt, fold, merge, short_name, withhold_unverified,
};
use crate::storage::reviews::{
    Former, INVALID_ROW, Known, KnownReview, Mark, ReviewState, RunChange, SourceRecord,
};

pub(crate) mod guards;
pub(crate) mod identity;
pub(crate) mod undo;

/// How rows are merged.
pub struct Rules<'r> {
    pub now: DateTime<Utc>,
    pub request: &'r ImportRequest,
    /// The reviews that earlier runs of the entry brought, if the import is a run.
    pub brought: Option<HashSet<ReviewId>>,
    /// Whether a review without a row is gone: the rows are all that its source has.
    pub is_whole: bool,
    /// The ids that a new review cannot have, besides those of known ones.
    pub other_ids: HashSet<ReviewId>,
}

impl Rules<'_> {
    /// Whether a row may touch a review that is there or was deleted. In a run, rows that name their source themselves touch only what
    /// the entry's runs brought: their author could name any source.
    fn may_touch(&self, row: &ReviewRow, id: &ReviewId) -> bool {
        let source = self.request.source_of(&row.format);
        let is_of_source = fold(row.source()) == fold(source);
        let brought = self.brought.as_ref();
        is_of_source || brought.is_none_or(|brought| brought.contains(id))
    }
}

/// What an import writes, and its report.
#[derive(Debug, Default)]
pub struct MergeOutcome {
    /// Reviews that change, or of which their source said something else before.
    pub changes: Vec<Change>,
    /// Marks of deleted reviews that were not there.
    pub deleted: Vec<Mark>,
    /// Ids of all reviews that have a row.
    pub present: HashSet<ReviewId>,
    /// Ids of reviews that a doubtful row may be.
    pub doubted: HashSet<ReviewId>,
    pub report: ImportReport,
}

#[derive(Debug)]
pub struct Change {
    /// `None` if the review stays as it is.
    pub review: Option<Review>,
    pub source: SourceRecord,
    pub kind: RunChange,
    /// Of a review that was there, or deleted.
    pub former: Option<Box<Former>>,
    /// The owner's note on a new review, from an export.
    pub note: Option<String>,
}

/// Reason for withheld reviews without a reason; the published counts use the same words.
const REASON_DEFAULT: &str = "not stated";
/// Why a row with an ID is rejected.
const OTHER_ID: &str = "id: another row or review has this ID, but another author, date and text; correct the file, or, where \
    the column has no IDs, name it in `ignored` of the source's format";
/// Why a row is rejected of whose review another row cannot be read.
const HIDDEN_ID: &str = "id: another row with this ID is rejected, and hides the review or a part of it; correct that row";

/// Merges the rows; `deleted` are reviews that an export lists as deleted, `report` is the report of reading.
///
/// # Errors
/// When nothing may be written, or the import is to stop.
pub fn merge_rows(
    rows: Vec<ReviewRow>,
    deleted: Vec<Mark>,
    known: Known,
    rules: &Rules<'_>,
    report: ImportReport,
    watch: Watcher<'_>,
) -> Result<MergeOutcome, ImportError> {
    let Identified {
        matches,
        doubted,
        hidden,
    } = identify(&rows, &known, rules.request, &rules.other_ids);
    let mut merging = Merging {
        watch,
        equals: EqualReviews::of(&known),
        rules,
        published: BTreeMap::new(),
        tallies: Tallies::of(&known),
        without_row: known,
        outcome: MergeOutcome {
            changes: Vec::with_capacity(rows.len()),
            doubted,
            report,
            ..MergeOutcome::default()
        },
    };
    for (number, (row, found)) in (0..).zip(rows.into_iter().zip(matches)) {
        if u64::is_multiple_of(number, ROWS_BETWEEN_LOOKS) && merging.watch.is_stopped() {
            return Err(ImportError::Stopped);
        }
        merging.row(row, found)?;
    }
    for mark in deleted {
        merging.note_deleted(mark);
    }
    merging.withhold_doubted(&hidden);
    let outcome = &mut merging.outcome;
    (merging.tallies).check(&mut outcome.report, rules.request)?;
    if rules.request.withdraw_missing && (!rules.is_whole || outcome.report.rows() == 0) {
        let reason = "--withdraw-missing: the rows are only some of the reviews, or none, so what they lack is not gone; nothing was changed";
        return Err(ImportError::Refused(reason.to_owned()));
    }
    if rules.is_whole {
        let mut missing = merging.missing();
        if rules.request.withdraw_missing {
            merging.withdraw(&mut missing)?;
        }
        let counts = missing.into_iter().filter(|(_, ids)| !ids.is_empty());
        let counts = counts.map(|(source, ids)| (source, ids.len() as u64));
        merging.outcome.report.without_row = counts.collect();
    }
    Ok(merging.outcome)
}

struct Merging<'r> {
    watch: Watcher<'r>,
    rules: &'r Rules<'r>,
    equals: EqualReviews,
    /// The number of published reviews that the files have of each source, without new ones.
    published: BTreeMap<String, usize>,
    tallies: Tallies,
    /// The stored and deleted reviews of which no row is merged yet.
    without_row: Known,
    outcome: MergeOutcome,
}

impl Merging<'_> {
    fn row(&mut self, row: ReviewRow, found: RowMatch) -> Result<(), ImportError> {
        match found {
            RowMatch::Known(id) if self.is_unreadable(&id) => {
                self.reject(&row, format!("the stored review {id} {INVALID_ROW}"))?;
            }
            RowMatch::Known(id) if !self.rules.may_touch(&row, &id) => {
                self.outcome.report.add(Outcome::OfOther, || id.to_string());
            }
            RowMatch::Known(_) | RowMatch::New(_) if self.is_hidden_by_rejected(&row) => {
                self.reject(&row, HIDDEN_ID.to_owned())?;
            }
            RowMatch::Known(id) | RowMatch::New(id) => self.merge_row(row, id),
            RowMatch::Doubtful(_) if self.note_copy_of_deleted(&row) => {}
            RowMatch::Doubtful(ids) => self.note_doubtful(&row, &ids),
            RowMatch::Rejected => self.reject(&row, OTHER_ID.to_owned())?,
            RowMatch::Repeated => self.outcome.report.add(Outcome::Repeated, String::new),
        }
        Ok(())
    }

    fn is_unreadable(&self, id: &ReviewId) -> bool {
        let known = self.without_row.get(id);
        known.is_some_and(|known| matches!(known.state, ReviewState::Unreadable))
    }

    fn is_hidden_by_rejected(&self, row: &ReviewRow) -> bool {
        let rejected = &self.outcome.report.rejected_hidden;
        let (review, is_shown) = (row.review(), row.review().status == Status::Published);
        let hidden = rejected
            .get(&(fold(row.source()), RowKey::Id(row.id().clone())))
            .filter(|_| is_shown);
        hidden.is_some_and(|hidden| {
            hidden.contains(&Unit::Status)
                || hidden.contains(&Unit::Author) && review.author != ANONYMOUS
                || hidden.contains(&Unit::Reply) && review.reply.is_some()
        })
    }

    fn note_doubtful(&mut self, row: &ReviewRow, ids: &[ReviewId]) {
        let report = &mut self.outcome.report;
        let file = report.files[row.file].name.clone();
        report.add(Outcome::Doubtful, || {
            let ids: Vec<&str> = ids.iter().map(ReviewId::as_str).collect();
            let (author, date) = (&row.review().author, row.review().date);
            let ids = ids.join(" or ");
            format!("{file}:{}: {author}, {date}: may be {ids}", row.at)
        });
    }

    /// Merges a row with the review `id`, which may be new. In this order: a deleted review stays so; a copy of a deleted one, or of one
    /// of another source, is not taken, and hides its review if it hides; a name that was taken away stays so; an older export publishes
    /// nothing; then unit by unit. What ends before that changes no review but by withholding it.
    fn merge_row(&mut self, row: ReviewRow, id: ReviewId) {
        self.outcome.present.insert(id.clone());
        let known = self.without_row.remove(&id).map(|known| *known);
        if let Some(known) = &known
            && known.is_deleted()
            && self.note_kept_deleted(&row, &id, known)
        {
            return;
        }
        let brings_content = brings_content(&row, known.as_ref());
        if brings_content && self.note_copy_of_deleted(&row)
            || self.note_copy_of_other_source(&row, known.as_ref(), brings_content)
        {
            let Some(known) = known else {
                self.outcome.present.remove(&id);
                return;
            };
            if known.shows_any(&row.hidden()) {
                let withheld = Status::withheld(MAYBE_NOT_PUBLISHED);
                self.outcome.set_status(&known, &withheld, self.rules.now);
            }
            return;
        }
        let values = &mut self.outcome.report.new_values;
        for value in &row.hiding {
            if values.len() < VALUES_MAX || values.contains_key(&**value) {
                *values.entry(HidingValue::clone(value)).or_default() += 1;
            }
        }
        self.note_stored(&row, &id, known.as_ref(), brings_content);
        let is_anonymized = known.as_ref().is_some_and(KnownReview::is_anonymized)
            || brings_content && self.equals.like(&row).any(|it| it.is_anonymized);
        let mut record = record_of(&row, &id, known.as_ref());
        let hidden = row.hidden();
        let (mut statement, exported) = (row.statement, row.exported);
        let exported = exported.map_or_else(Exported::default, |it| *it);
        statement.review.id = id;
        let there = known.as_ref();
        let mut blocks = row.format.public.iter();
        let is_said = blocks.any(|block| block.missing == Some(Missing::Hidden));
        let hiding = Hiding {
            was_by_source: there.is_some_and(KnownReview::is_withheld_by_source),
            is_by_value: !statement.unstated.contains(&Unit::Status)
                && statement.review.status != Status::Published
                && !is_said,
            units: hidden.clone(),
        };
        if exported.last_statement.is_some()
            && let Some(known) = &known
            && let Some(stored) = known.review()
            && stored.status != Status::Published
            && statement.review.updated_at < stored.updated_at
            && !known.last_statement().is_decided(Unit::Status, stored)
        {
            // An older export does not publish what is withheld since for its source.
            statement.review.status.clone_from(&stored.status);
        }
        let (state, former_record) = known.map(|known| (known.state, known.source)).unzip();
        let former_record = former_record.flatten();
        let (kind, stored, deletion) = match state {
            None | Some(ReviewState::Unreadable) => (RunChange::Added, None, None),
            Some(ReviewState::There(review)) => (RunChange::Changed, Some(review), None),
            Some(ReviewState::Deleted(deletion)) => (RunChange::Restored, None, Some(deletion)),
        };
        let mut merged = match &stored {
            None => adopt(&statement, exported.last_statement),
            Some(stored) => merge(stored, &record.last_statement(), &statement, self.rules.now),
        };
        let (review, now) = (&mut merged.review, self.rules.now);
        if stored.is_none() && review.updated_at.is_none() && review.changed_at() > now {
            // Its day has not begun in UTC.
            review.updated_at = Some(now);
        }
        if is_anonymized {
            ANONYMOUS.clone_into(&mut merged.review.author);
            merged.last_statement.decided.insert(Unit::Author);
        }
        record.set_last_statement(&merged.last_statement);
        let is_published = merged.review.status == Status::Published;
        let published = self.published.entry(record.source_name.clone());
        *published.or_default() += usize::from(is_published && stored.is_some());
        if let Some(stored) = &stored {
            let source = &record.source_name;
            self.tallies.count(source, stored, &merged.review, &hiding);
        }
        self.count(&merged, stored.as_ref());
        let is_same = stored.as_ref() == Some(&merged.review);
        let former = former_record.as_ref();
        let is_same_record = former.map_or(record.says_nothing(), |it| *it == record);
        if is_same && is_same_record {
            return;
        }
        let (stored, review, note) = (stored.as_ref(), merged.review, exported.note);
        let former = Former::new(stored, &review, former_record, deletion, &hidden);
        self.outcome.changes.push(Change {
            review: (!is_same).then_some(review),
            source: record,
            note: note.filter(|_| kind != RunChange::Changed),
            former: (kind != RunChange::Added).then(|| Box::new(former)),
            kind,
        });
    }

    /// Notes that a review stays deleted, and by an answer of the owner what identifies it from now on; returns false if such are
    /// restored.
    fn note_kept_deleted(&mut self, row: &ReviewRow, id: &ReviewId, known: &KnownReview) -> bool {
        if self.rules.request.restore {
            return false;
        }
        let report = &mut self.outcome.report;
        report.add(Outcome::KeptDeleted, || id.to_string());
        let Some(before) = &known.source else {
            return true;
        };
        let mut record = before.clone();
        record.id_at_source = record.id_at_source.or_else(|| row.id_at_source(id));
        if self.rules.request.doubtful == Some(Doubtful::Same) {
            record.digests = row.digests;
        }
        if record != *before && !row.statement.unstated.contains(&Unit::Text) {
            self.outcome.changes.push(Change {
                review: None,
                source: record,
                kind: RunChange::Deleted,
                former: Some(Box::new(Former::of_deleted(before.clone()))),
                note: None,
            });
        }
        true
    }

    /// Notes a row that is not stored because it equals a deleted review of any source; returns whether it is one.
    fn note_copy_of_deleted(&mut self, row: &ReviewRow) -> bool {
        let deleted = self.equals.deleted(row);
        let deleted = deleted.filter(|_| !self.rules.request.restore);
        if let Some(deleted) = deleted {
            let report = &mut self.outcome.report;
            report.add(Outcome::KeptDeleted, || deleted.id.to_string());
        }
        deleted.is_some()
    }

    /// Notes a row that equals a review of another source; returns whether it is not stored: a new one if such are to be left out, and one
    /// that `brings_content` if the author's name was taken away there.
    fn note_copy_of_other_source(
        &mut self,
        row: &ReviewRow,
        known: Option<&KnownReview>,
        brings_content: bool,
    ) -> bool {
        let others = self.equals.like(row);
        let others = others.filter(|it| !it.is_deleted && it.source_name != row.source());
        // An anonymized one if there is one: its name does not come back beside a copy that keeps it.
        let Some(other) = others.min_by_key(|it| !it.is_anonymized) else {
            return false;
        };
        let is_deleted = known.is_some_and(KnownReview::is_deleted);
        let is_anonymized = brings_content && !is_deleted && other.is_anonymized;
        let outcome = if is_anonymized {
            Outcome::KeptAnonymous
        } else {
            Outcome::Duplicate
        };
        self.outcome.report.add(outcome, || {
            let Review { author, date, .. } = row.review();
            let (id, theirs) = (&other.id, &other.source_name);
            let withheld = if other.is_withheld { ", withheld" } else { "" };
            format!("{author}, {date}: {id} of {theirs}{withheld}")
        });
        let is_left_out = is_anonymized || known.is_none() && self.rules.request.skip_duplicates;
        if is_left_out {
            *self.published.entry(row.source().to_owned()).or_default() += 1;
        }
        is_left_out
    }

    /// Notes a row that is stored: later rows may equal it, and the review may be one that was deleted.
    fn note_stored(
        &mut self,
        row: &ReviewRow,
        id: &ReviewId,
        known: Option<&KnownReview>,
        brings_content: bool,
    ) {
        let is_deleted = known.is_some_and(KnownReview::is_deleted);
        if is_deleted || brings_content && self.equals.deleted(row).is_some() {
            let report = &mut self.outcome.report;
            report.add(Outcome::Restored, || id.to_string());
        }
        self.equals.add(EqualReview {
            id: id.clone(),
            source_name: row.source().to_owned(),
            digests: row.digests,
            is_deleted: false,
            is_withheld: row.review().status != Status::Published,
            is_anonymized: false,
        });
    }

    /// `there` is the review before the merge.
    fn count(&mut self, merged: &Merged, there: Option<&Review>) {
        let review = &merged.review;
        let report = &mut self.outcome.report;
        match there {
            None => report.add(Outcome::New, || preview(review)),
            Some(there) if there == review => report.add(Outcome::Unchanged, String::new),
            Some(there) => report.add(Outcome::Updated, || preview_change(there, review)),
        }
        let mut edited = merged.kept_against_source.clone();
        if let Status::Withheld { reason } = &review.status {
            let reason = reason.as_deref().filter(|it| !it.is_empty());
            let reason = reason.unwrap_or(REASON_DEFAULT);
            edited.remove(&Unit::Status);
            if there.is_none_or(|there| there.status == Status::Published) {
                report.add(Outcome::NewlyWithheld, || {
                    format!("{} ({reason})", preview(review))
                });
            }
            *report.withheld.entry(reason.to_owned()).or_default() += 1;
            if there.is_some() && merged.last_statement.is_decided(Unit::Status, review) {
                report.add(Outcome::KeptWithheld, String::new);
            }
        }
        if !edited.is_empty() {
            let names: Vec<&str> = edited.into_iter().map(Unit::name).collect();
            report.add(Outcome::KeptEdited, || {
                format!("{} {}", review.id, names.join(" and "))
            });
        }
    }

    /// The published reviews of the files' sources that have no row, by source; of a run, those that its entry's runs stated last, of whatever
    /// source. A doubtful row may be one of them.
    fn missing(&self) -> BTreeMap<String, Vec<ReviewId>> {
        let has_doubts = self.outcome.report.count(Outcome::Doubtful) > 0;
        let brought = self.rules.brought.as_ref();
        let mut missing: BTreeMap<String, Vec<ReviewId>> = BTreeMap::new();
        for (id, known) in &self.without_row {
            let review = known.review();
            if let Some(record) = &known.source
                && review.is_some_and(|review| review.status == Status::Published)
                && brought.map_or_else(
                    || self.published.contains_key(&record.source_name),
                    |brought| brought.contains(id),
                )
                && !(has_doubts && self.outcome.doubted.contains(id))
            {
                let of_source = missing.entry(record.source_name.clone());
                of_source.or_default().push(id.clone());
            }
        }
        missing
    }

    fn reject(&mut self, row: &ReviewRow, error: String) -> Result<(), ImportError> {
        let review = row.review();
        let shown = json!({
            "id": review.id, "rating": review.rating, "date": review.date,
            "author": review.author, "title": review.title, "text": review.text,
        });
        let (report, at) = (&mut self.outcome.report, row.at.clone());
        let hidden = row.hidden();
        if !hidden.is_empty() {
            let key = (fold(row.source()), RowKey::Id(row.id().clone()));
            report
                .rejected_hidden
                .entry(key)
                .or_default()
                .extend(hidden);
        }
        let stored = report.reject(self.watch, row.file, at, error, shown);
        stored.map_err(|error| ImportError::Refused(format!("{error}; nothing was changed")))
    }

    fn note_deleted(&mut self, mark: Mark) {
        let (id, outcome) = (&mark.id, &mut self.outcome);
        let known = self.without_row.get(id);
        if known.is_some_and(|known| known.is_deleted()) {
            outcome.report.add(Outcome::KeptDeleted, || id.to_string());
        } else if known.is_some() || outcome.present.contains(id) {
            outcome.report.add(Outcome::StillThere, || id.to_string());
        } else {
            outcome.report.add(Outcome::NotedDeleted, String::new);
            outcome.deleted.push(mark);
        }
    }

    /// Withholds reviews that their source no longer lists, unless the owner published them although it hides them; the merge publishes
    /// them again when they come back. A large share must be confirmed, because a truncated file would otherwise hide most of a
    /// business's reviews. Leaves in `missing` those that stay public.
    fn withdraw(
        &mut self,
        missing: &mut BTreeMap<String, Vec<ReviewId>>,
    ) -> Result<(), ImportError> {
        let report = &mut self.outcome.report;
        let [rejected, doubtful] =
            [Outcome::Rejected, Outcome::Doubtful].map(|outcome| report.count(outcome));
        if rejected + doubtful > 0 {
            return Err(ImportError::Refused(format!(
                "--withdraw-missing: rejected rows: {rejected}, doubtful rows: {doubtful}; their reviews would count as missing; correct \
                 the file first, or import without this option; nothing was changed"
            )));
        }
        for (source, ids) in missing {
            let all = ids.len() + self.published.get(source).copied().unwrap_or_default();
            let report = &mut self.outcome.report;
            check_missing(self.rules.request, source, ids.len(), all, report)?;
            ids.retain(|id| {
                let (known, gone) = (&self.without_row[id], Status::withheld(GONE));
                let is_set = self.outcome.set_status(known, &gone, self.rules.now);
                let report = &mut self.outcome.report;
                if is_set {
                    report.add(Outcome::Withdrawn, || id.to_string());
                } else {
                    report.add(Outcome::KeptEdited, || format!("{id} status"));
                }
                !is_set
            });
        }
        Ok(())
    }

    /// Withholds reviews while a doubtful row that its source hides may be one of them, or such a row with their ID, or without one with
    /// their author and day, is rejected; a doubtful row that is new, as the owner says, is none.
    fn withhold_doubted(&mut self, doubted_hidden: &HashSet<ReviewId>) {
        let (outcome, now) = (&mut self.outcome, self.rules.now);
        let withheld = Status::withheld(MAYBE_NOT_PUBLISHED);
        let are_new = self.rules.request.doubtful == Some(Doubtful::New);
        let rejected = std::mem::take(&mut outcome.report.rejected_hidden);
        for (id, known) in &self.without_row {
            let brought = self.rules.brought.as_ref();
            let is_of_run = brought.is_none_or(|brought| brought.contains(id));
            let mut keys = row_keys(id, known).into_iter();
            let is_hidden = |key| {
                let hidden = rejected.get(&(fold(known.source_name()), key));
                hidden.is_some_and(|hidden| known.shows_any(hidden))
            };
            let is_rejected = is_of_run && !rejected.is_empty() && keys.any(is_hidden);
            if is_rejected || !are_new && doubted_hidden.contains(id) {
                if outcome.set_status(known, &withheld, now) {
                    if let Some(review) = known.review() {
                        self.tallies.count_hidden(known.source_name(), review);
                    }
                    let counts = &mut outcome.report.withheld;
                    *counts.entry(MAYBE_NOT_PUBLISHED.to_owned()).or_default() += 1;
                }
            } else if are_new
                && outcome.doubted.contains(id)
                && known.review().is_some_and(|it| it.status == withheld)
            {
                outcome.set_status(known, &Status::Published, now);
            }
        }
    }
}

impl MergeOutcome {
    /// Gives a review a status as its source's, unless the owner decided it; returns whether it did.
    fn set_status(&mut self, known: &KnownReview, status: &Status, now: DateTime<Utc>) -> bool {
        let KnownReview {
            state: ReviewState::There(review),
            source: Some(record),
            ..
        } = known
        else {
            return false;
        };
        let mut last = record.last_statement();
        let is_decided = last.decided.contains(&Unit::Status)
            || last.compare(Unit::Status, review) == Some(false);
        // One that is withheld keeps its reason.
        let was_public = review.status == Status::Published;
        if is_decided || was_public == (*status == Status::Published) {
            return false;
        }
        let mut after = review.clone();
        after.status = status.clone();
        let mut after = withhold_unverified(after);
        after.updated_at = after.updated_at.max(Some(now));
        last.set(Unit::Status, &after);
        let mut source = record.clone();
        source.set_last_statement(&last);
        match after.status.reason() {
            Some(reason) => self.report.add(Outcome::NewlyWithheld, || {
                format!("{} ({reason})", preview(review))
            }),
            None => self.report.add(Outcome::PublishedAgain, || preview(&after)),
        }
        let hidden = Units::new();
        let former = Former::new(Some(review), &after, Some(record.clone()), None, &hidden);
        self.changes.push(Change {
            former: Some(Box::new(former)),
            review: Some(after),
            source,
            kind: RunChange::Changed,
            note: None,
        });
        true
    }
}

/// What a rejected row of the review may have; a name that many share finds none.
fn row_keys(id: &ReviewId, known: &KnownReview) -> Vec<RowKey> {
    let id_at_source = known.id_at_source().and_then(|id| id.parse().ok());
    let mut keys = vec![RowKey::Id(id_at_source.unwrap_or_else(|| id.clone()))];
    let author = known.review().map(|review| &review.author);
    if author.is_some_and(|author| !is_shared_name(author)) {
        let digests = known.digests().into_iter();
        keys.extend(digests.flat_map(|it| {
            let text = RowKey::AuthorAndText(it.author(), it.text);
            [RowKey::AuthorAndDay(it.author_and_day), text]
        }));
    }
    keys
}

/// Whether the row has an author, a day, stars and a text that its review does not have together. A file without texts does not change
/// them.
fn brings_content(row: &ReviewRow, known: Option<&KnownReview>) -> bool {
    known.is_none_or(|known| {
        known.is_deleted()
            || !row.statement.unstated.contains(&Unit::Text)
                && (known.digests().iter()).all(|it| it.content != row.digests.content)
    })
}

/// What is kept of the source of the row's review `id`.
fn record_of(row: &ReviewRow, id: &ReviewId, known: Option<&KnownReview>) -> SourceRecord {
    let last = known.and_then(|known| known.source.as_ref());
    // Of a review that was deleted nothing else is kept.
    let kept = last.filter(|_| known.is_some_and(|known| !known.is_deleted()));
    let unstated = &row.statement.unstated;
    let stated = row.source_name();
    let name = stated.or(last.map(|last| last.source_name.as_str()));
    let mut record = kept.cloned().unwrap_or_else(|| {
        let name = name.unwrap_or(SOURCE_DEFAULT);
        SourceRecord::new(id.clone(), name.to_owned(), row.digests)
    });
    if let Some(name) = name {
        name.clone_into(&mut record.source_name);
    }
    // A file without texts does not change them.
    if !unstated.contains(&Unit::Text) {
        record.digests = row.digests;
    }
    let id_at_source = row.id_at_source(id);
    record.id_at_source = id_at_source.or_else(|| last?.id_at_source.clone());
    record.posted_at = row.posted_at;
    record
}

// Reviews of other sources, and deleted ones, with the same author, day, stars and text.

/// Maximum number of equal reviews that are kept; more are of one source, or made up.
const EQUALS_MAX: usize = 64;

/// Reviews by the digest of their content: those before the import, and as far as it is merged.
struct EqualReviews(HashMap<i64, Vec<EqualReview>>);

struct EqualReview {
    id: ReviewId,
    source_name: String,
    digests: Digests,
    is_deleted: bool,
    is_withheld: bool,
    is_anonymized: bool,
}

impl EqualReviews {
    fn of(known: &Known) -> Self {
        let mut equals = Self(HashMap::new());
        let (deleted, there): (Vec<_>, Vec<_>) =
            known.iter().partition(|(_, known)| known.is_deleted());
        for (id, known) in deleted.into_iter().chain(there) {
            let review = known.review();
            let last = known.source.as_ref().map(|record| record.digests);
            if let Some(digests) = last.or_else(|| known.digests().pop()) {
                equals.add(EqualReview {
                    id: id.clone(),
                    source_name: known.source_name().to_owned(),
                    digests,
                    is_deleted: known.is_deleted(),
                    is_withheld: review.is_some_and(|it| it.status != Status::Published),
                    is_anonymized: known.is_anonymized(),
                });
            }
        }
        equals
    }

    fn add(&mut self, review: EqualReview) {
        // Nearly all are alone.
        let equals = self.0.entry(review.digests.content);
        let equals = equals.or_insert_with(|| Vec::with_capacity(1));
        if equals.len() < EQUALS_MAX {
            equals.push(review);
        }
    }

    /// Without a text and a name, two may be of two persons.
    fn deleted(&self, row: &ReviewRow) -> Option<&EqualReview> {
        let is_of_one_person = !row.review().text.is_empty() || !is_shared_name(row.author());
        let mut equals = self.like(row);
        equals.find(|other| other.is_deleted && is_of_one_person)
    }

    /// Those with the row's content of which the author is the same, or one is the other's short name.
    fn like<'e>(&'e self, row: &ReviewRow) -> impl Iterator<Item = &'e EqualReview> {
        let digests = row.digests;
        let short = short_name(row.author());
        let is_short = short == row.author();
        let of_short = Digests::author_and_day(&short, row.source_day());
        let equals = self.0.get(&digests.content).into_iter().flatten();
        equals.filter(move |other| {
            let author_and_day = other.digests.author_and_day;
            is_short || author_and_day == digests.author_and_day || author_and_day == of_short
        })
    }
}
