//! The merge of an import: a pure function of what the sources said before, what stands, and what the rows say now.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::json;

use crate::imports::map::SOURCE_DEFAULT;
use crate::imports::merge::collector::{DeletedRow, Row};
use crate::imports::merge::identity::{Identity, Rules, identify, is_derived, is_shared_name};
use crate::imports::platforms::id_prefix;
use crate::imports::report::{ImportReport, Rejection, preview, preview_change};
use crate::model::{
    DUPLICATE, DigestKey, Fingerprints, GONE, Merged, Review, ReviewId, Status, Unit, adopt,
    is_one_name, merge, short_name,
};
use crate::storage::reviews::{Former, Known, KnownReview, ReviewState, RunChange, SourceVersion};

/// What an import writes, and its report.
#[derive(Debug)]
pub struct Outcome {
    /// Reviews that change, or of which their source said something else before.
    pub changes: Vec<Change>,
    /// Reviews to mark as deleted by the owner.
    pub deleted: Vec<DeletedRow>,
    /// Rows that cannot be merged.
    pub rejections: Vec<Rejection>,
    /// Ids of all reviews that have a row.
    pub present: HashSet<ReviewId>,
    /// The reviews without a row.
    pub others: Known,
    pub report: ImportReport,
}

#[derive(Debug)]
pub struct Change {
    /// `None` if the review stays as it is.
    pub review: Option<Review>,
    pub source: SourceVersion,
    pub kind: RunChange,
    /// Of a review that was there, or deleted.
    pub former: Option<Former>,
    /// The owner's note on a new review, from an export.
    pub note: Option<String>,
}

/// Reason for withheld reviews without a reason; the published counts use the same words.
const REASON_DEFAULT: &str = "not stated";
/// Percentage of a source's reviews above which withdrawing them needs `--yes`.
const SHARE_PERCENT_MAX: usize = 10;

/// Merges the rows; `deleted` are reviews that one of our exports lists as deleted, `report` is the report of reading.
///
/// # Errors
/// The reason why nothing may be written.
pub fn merge_rows(
    rows: Vec<Row>,
    deleted: Vec<DeletedRow>,
    known: Known,
    rules: &Rules<'_>,
    report: ImportReport,
) -> (Outcome, Result<(), String>) {
    let identities = identify(&rows, &known, rules);
    let mut merging = Merging {
        copies: Copies::of(&known, &rules.key),
        rules,
        places: BTreeMap::new(),
        outcome: Outcome {
            changes: Vec::new(),
            deleted: Vec::new(),
            rejections: Vec::new(),
            present: HashSet::with_capacity(rows.len()),
            others: known,
            report,
        },
    };
    for (row, identity) in rows.into_iter().zip(identities) {
        merging.row(row, identity);
    }
    for row in deleted {
        merging.note_deleted(row);
    }
    merging.keep_sure_renames();
    let withdrawn = if rules.request.withdraw_missing {
        merging.withdraw_missing()
    } else {
        Ok(())
    };
    (merging.outcome, withdrawn)
}

struct Merging<'r> {
    rules: &'r Rules<'r>,
    copies: Copies,
    /// The number of published reviews that the files have of each source, with its location as the files give it.
    places: BTreeMap<(String, Option<String>), usize>,
    outcome: Outcome,
}

impl Merging<'_> {
    fn row(&mut self, row: Row, identity: Identity) {
        let report = &mut self.outcome.report;
        let id = match identity {
            Identity::Known(id) | Identity::New(id) => id,
            Identity::Undecided(reason) => {
                let name = || format!("{} of {} {reason}", row.review().author, row.review().date);
                return report.undecided.add(name);
            }
            Identity::Wrong(reason) => return self.reject(&row, reason),
            Identity::Repeated => {
                report.repeated += 1;
                return;
            }
        };
        self.outcome.present.insert(id.clone());
        let known = self.outcome.others.get(&id);
        if known.is_some_and(KnownReview::is_deleted) && !self.rules.request.restore {
            return report.kept_deleted.add(|| id.to_string());
        }
        let fingerprints = row.fingerprints();
        let row_id = row.id().clone();
        let incoming = row.incoming;
        let (stated_source, has_own_id) = (
            incoming.source_name().map(str::to_owned),
            incoming.has_own_id,
        );
        let hidden_parts = [
            ("author", incoming.hidden_name.is_some()),
            ("response", incoming.is_answer_hidden),
        ];
        let mut statement = incoming.statement;
        let prefix = id_prefix(id.as_str());
        let is_of_other_format = prefix != Some(row.format.id_prefix());
        if is_of_other_format && !row.format.is_native() && (!has_own_id || prefix.is_some()) {
            // Another format brought the review, and may know more of it: an empty cell takes nothing.
            let empty = Unit::ALL.into_iter();
            let empty = empty.filter(|unit| unit.is_unset(&statement.review));
            statement.unstated.extend(empty);
        }
        statement.review.id = id.clone();
        let (mut kind, mut there, mut is_readable, mut before) =
            (RunChange::Added, None, true, None);
        if let Some(known) = self.outcome.others.remove(&id) {
            before = known.source;
            (kind, there) = match known.state {
                ReviewState::There(review) => (RunChange::Changed, Some(review)),
                ReviewState::Unreadable(status, response) => {
                    is_readable = false;
                    let review = Review {
                        response,
                        status,
                        ..statement.review.clone()
                    };
                    (RunChange::Changed, Some(review))
                }
                ReviewState::Deleted => (RunChange::Restored, None),
            };
        }
        let last = before.as_ref().filter(|_| there.is_some());
        // A derived id of a known review may differ from that of the row, whose text was edited.
        let has_id = has_own_id || kind == RunChange::Added;
        let own_id = (id != row_id && has_id).then(|| row_id.to_string());
        let place = incoming.unpublished.location.clone();
        let mut source = SourceVersion {
            source_name: stated_source
                .or_else(|| last.map(|last| last.source_name.clone()))
                .unwrap_or_else(|| SOURCE_DEFAULT.to_owned()),
            location: incoming
                .unpublished
                .location
                .or_else(|| last?.location.clone()),
            posted_at: incoming.unpublished.posted_at,
            responded_at: if statement.unstated.contains(&Unit::Response) {
                last.and_then(|last| last.responded_at)
            } else {
                incoming.unpublished.responded_at
            },
            own_id: own_id
                .or(incoming.unpublished.id_at_source)
                .or_else(|| last?.own_id.clone()),
            base: last.map(|last| last.base.clone()).unwrap_or_default(),
            // A file without texts does not change them.
            fingerprints: last
                .filter(|_| statement.unstated.contains(&Unit::Text))
                .map_or(fingerprints, |last| last.fingerprints),
            id,
        };
        let key = &self.rules.key;
        // A review that an import withheld as a duplicate counts as published once its copies are gone.
        let is_shown = statement.unstated.contains(&Unit::Status)
            || statement.review.status == Status::Published;
        let is_freed = |there: &Review, source: &SourceVersion| {
            is_shown
                && there.status == Status::withheld(DUPLICATE)
                && source.base.get(Unit::Status) == Some(key.digest(Unit::Status, there))
                && self.copies.find(there, source, false).is_none()
        };
        let mut merged = match &there {
            None => adopt(key, &statement),
            Some(there) if is_freed(there, &source) => {
                let freed = Review {
                    status: Status::Published,
                    updated_at: there.updated_at.max(Some(self.rules.now)),
                    ..there.clone()
                };
                source
                    .base
                    .set(Unit::Status, key.digest(Unit::Status, &freed));
                merge(key, &freed, &source.base, &statement, self.rules.now)
            }
            Some(there) => merge(key, there, &source.base, &statement, self.rules.now),
        };
        self.withhold_copy(&mut merged, &source, there.as_ref());
        source.base = merged.base.clone();
        let is_published = merged.review.status == Status::Published;
        let place = (source.source_name.clone(), place);
        *self.places.entry(place).or_default() += usize::from(is_published);
        self.count(&merged, there.as_ref(), is_readable);
        let is_same = is_readable && there.as_ref() == Some(&merged.review);
        if is_same && last == Some(&source) {
            return;
        }
        let former = (kind != RunChange::Added).then(|| {
            let hidden: Vec<_> = hidden_parts
                .into_iter()
                .filter_map(|(name, is_hidden)| is_hidden.then_some(name))
                .collect();
            Former::new(there.as_ref(), &merged.review, before, &hidden)
        });
        self.outcome.changes.push(Change {
            review: (!is_same).then_some(merged.review),
            source,
            note: incoming
                .unpublished
                .note
                .filter(|_| kind != RunChange::Changed),
            kind,
            former,
        });
    }

    /// Reports a copy of the review. That of another source or format is withheld on request, and if the owner deleted or
    /// withheld the other one.
    fn withhold_copy(
        &mut self,
        merged: &mut Merged,
        source: &SourceVersion,
        there: Option<&Review>,
    ) {
        if merged.review.status != Status::Published {
            return self.copies.remove(source);
        }
        let was_published = there.is_some_and(|there| there.status == Status::Published);
        let Some(copy) = self.copies.find(&merged.review, source, was_published) else {
            return self.copies.insert(source, Some(&merged.review), false);
        };
        let (theirs, ours) = (&copy.source_name, &source.source_name);
        let report = &mut self.outcome.report;
        report.duplicates.add(|| {
            let Review {
                id, author, date, ..
            } = &merged.review;
            format!("{author}, {date}: {id} of {ours}, {} of {theirs}", copy.id)
        });
        if there.is_none() && copy.has_same_row(source) {
            let names = (theirs.clone(), ours.clone());
            *report.renamed.entry(names).or_default() += 1;
        }
        let is_sure = is_of_one_person(&merged.review);
        if (self.rules.request.skip_duplicates || copy.is_decided && is_sure)
            && withhold_duplicate(self.rules, merged)
        {
            self.copies.remove(source);
        }
    }

    /// `there` is the review before the merge.
    fn count(&mut self, merged: &Merged, there: Option<&Review>, is_readable: bool) {
        let review = &merged.review;
        let report = &mut self.outcome.report;
        let reason = status_reason(review);
        let was_withheld = there.is_some_and(|there| there.status != Status::Published);
        match there {
            None => {
                report.new += 1;
                if reason.is_none() {
                    report.newly_published.add(|| preview(review));
                }
            }
            Some(there) if is_readable && there == review => report.unchanged += 1,
            Some(there) => {
                report.updated += 1;
                report.updated_withheld += u64::from(reason.is_some());
                report.changed.add(|| preview_change(there, review));
            }
        }
        let mut edited = merged.kept.clone();
        if let Some(reason) = reason {
            edited.remove(&Unit::Status);
            if !was_withheld {
                report.note_withheld(review, reason);
            }
            *report.withheld.entry(reason.to_owned()).or_default() += 1;
            let is_own =
                merged.base.get(Unit::Status) != Some(self.rules.key.digest(Unit::Status, review));
            if is_own && there.is_some() {
                report.kept_withheld.add(|| review.id.to_string());
            }
        }
        if !edited.is_empty() {
            let names: Vec<&str> = edited.into_iter().map(Unit::name).collect();
            report
                .kept_edited
                .add(|| format!("{} {}", review.id, names.join(" and ")));
        }
    }

    /// Keeps the pairs of sources of which nearly all rows are there under the other name, if the files' own source is new:
    /// otherwise a few customers wrote to both.
    fn keep_sure_renames(&mut self) {
        let others = &self.outcome.others;
        let of = |name: &str| {
            let sources = others.values().filter_map(|known| known.source.as_ref());
            sources.filter(|source| source.source_name == name).count() as u64
        };
        let (changes, places) = (&self.outcome.changes, &self.places);
        self.outcome.report.renamed.retain(|(theirs, ours), count| {
            // A file that still has rows of the other source only moved some.
            let is_there = places.keys().any(|(name, _)| name == theirs);
            let is_ours = |change: &&Change| change.source.source_name == *ours;
            let mut rows = changes.iter().filter(is_ours);
            let is_new =
                of(ours) == 0 && rows.clone().all(|change| change.kind == RunChange::Added);
            let rows = rows.by_ref().count() as u64;
            !is_there && is_new && *count * 10 >= rows.min(of(theirs)) * 9
        });
    }

    fn reject(&mut self, row: &Row, error: String) {
        let report = &mut self.outcome.report;
        report.rejected += 1;
        let file = &mut report.files[row.file];
        file.rejected += 1;
        let Review {
            id,
            rating,
            date,
            author,
            title,
            text,
            ..
        } = row.review();
        self.outcome.rejections.push(Rejection {
            file: file.name.clone(),
            format: file.format,
            at: row.at.clone(),
            error,
            row: json!({"id": id, "rating": rating, "date": date, "author": author, "title": title, "text": text}),
        });
    }

    fn note_deleted(&mut self, row: DeletedRow) {
        let id = &row.0;
        let Outcome {
            report,
            others,
            present,
            deleted,
            ..
        } = &mut self.outcome;
        let known = others.get(id);
        if known.is_some_and(KnownReview::is_deleted) {
            report.kept_deleted.add(|| id.to_string());
        } else if known.is_some() || present.contains(id) {
            report.still_there.add(|| id.to_string());
        } else {
            report.noted_deleted += 1;
            deleted.push(row);
        }
    }

    /// Withholds reviews that their source and location no longer list; the merge publishes them again when they come
    /// back. A large share must be confirmed, because a truncated file would otherwise hide most of a business's reviews.
    fn withdraw_missing(&mut self) -> Result<(), String> {
        let report = &self.outcome.report;
        for (count, one, several) in [
            (report.rejected, "row was rejected", "rows were rejected"),
            (report.undecided.count, "row is skipped", "rows are skipped"),
        ] {
            let rows = if count == 1 { one } else { several };
            if count > 0 {
                return Err(format!(
                    "--withdraw-missing: {count} {rows}, so a review in the file would count as missing; correct the file first, \
                     or import without this option"
                ));
            }
        }
        for ((name, location), there) in std::mem::take(&mut self.places) {
            let is_gone = |(_, known): &(&ReviewId, &KnownReview)| {
                let (review, source) = (known.review(), known.source.as_ref());
                review.is_some_and(|review| review.status == Status::Published)
                    && source.is_some_and(|it| it.source_name == name && it.location == location)
            };
            let gone: Vec<ReviewId> = self
                .outcome
                .others
                .iter()
                .filter(is_gone)
                .map(|(id, _)| id.clone())
                .collect();
            let (missing, all) = (gone.len(), gone.len() + there);
            if missing * 100 > all * SHARE_PERCENT_MAX && !self.rules.request.yes {
                let location = location
                    .map(|name| format!(" of {name}"))
                    .unwrap_or_default();
                return Err(format!(
                    "--withdraw-missing: {missing} of {all} reviews that {name}{location} gave are missing, more than \
                     {SHARE_PERCENT_MAX} %; check that the file is complete, and add --yes to withhold them"
                ));
            }
            self.outcome.withdraw(&gone, self.rules);
        }
        Ok(())
    }
}

impl Outcome {
    /// Withholds published reviews as gone at the source, unless the owner published them although the source hides them.
    pub fn withdraw(&mut self, ids: &[ReviewId], rules: &Rules<'_>) {
        let (report, key) = (&mut self.report, &rules.key);
        let ids: BTreeSet<&ReviewId> = ids.iter().collect();
        for id in ids {
            let Some(KnownReview {
                state: ReviewState::There(review),
                source: Some(source),
                ..
            }) = self.others.get(id)
            else {
                continue;
            };
            let last = source.base.get(Unit::Status);
            if last.is_some_and(|last| last != key.digest(Unit::Status, review)) {
                report.kept_edited.add(|| format!("{id} status"));
                continue;
            }
            let gone = Review {
                status: Status::withheld(GONE),
                updated_at: review.updated_at.max(Some(rules.now)),
                ..review.clone()
            };
            let mut after = source.clone();
            let stated = key.digest(Unit::Status, &gone);
            after.base.set(Unit::Status, stated);
            report.withdrawn.add(|| id.to_string());
            report.note_withheld(review, GONE);
            self.changes.push(Change {
                former: Some(Former::new(Some(review), &gone, Some(source.clone()), &[])),
                review: Some(gone),
                source: after,
                kind: RunChange::Changed,
                note: None,
            });
        }
    }
}

/// Why the review is withheld, if it is.
fn status_reason(review: &Review) -> Option<&str> {
    if review.status == Status::Published {
        return None;
    }
    let reason = review.status.reason();
    Some(
        reason
            .filter(|reason| !reason.is_empty())
            .unwrap_or(REASON_DEFAULT),
    )
}

/// Whether copies of the review are of one person: without a text and a name they may be of two.
fn is_of_one_person(review: &Review) -> bool {
    !review.text.is_empty() || !is_shared_name(&review.author)
}

/// Withholds a duplicate, unless the owner published it nevertheless; returns whether it did.
fn withhold_duplicate(rules: &Rules<'_>, merged: &mut Merged) -> bool {
    let copy = Review {
        status: Status::withheld(DUPLICATE),
        ..merged.review.clone()
    };
    let now = rules.key.digest(Unit::Status, &merged.review);
    let then = rules.key.digest(Unit::Status, &copy);
    if merged
        .base
        .get(Unit::Status)
        .is_some_and(|base| base != now)
    {
        return false;
    }
    merged.base.set(Unit::Status, then);
    merged.review = copy;
    if !merged.taken.contains(&Unit::Status) {
        merged.review.updated_at = merged.review.updated_at.max(Some(rules.now));
    }
    merged.taken.insert(Unit::Status);
    true
}

/// Maximum number of copies that are compared with a review.
const COPIES_MAX: usize = 64;

/// The reviews that others may be copies of, of two sources or of two formats of one, by their author, day, stars and text:
/// before the import, and as far as it is merged. Of each source and author the first published one, and the first one that
/// the owner deleted or withheld.
struct Copies(HashMap<i64, Vec<Copy>>);

struct Copy {
    id: String,
    source_name: String,
    /// `None` of a deleted review.
    author: Option<String>,
    /// [`Fingerprints::author_day`].
    author_day: i64,
    /// Whether the owner deleted or withheld it.
    is_decided: bool,
}

impl Copies {
    fn of(known: &Known, key: &DigestKey) -> Self {
        let mut copies = Self(HashMap::new());
        let sources = known
            .values()
            .filter_map(|it| Some((it.source.as_ref()?, it.review())));
        for (source, review) in sources {
            let status = review.map(|review| &review.status);
            let last = source.base.get(Unit::Status);
            let is_decision = |review: &Review| last != Some(key.digest(Unit::Status, review));
            let is_published = status == Some(&Status::Published);
            let is_ours =
                [DUPLICATE, GONE].contains(&status.and_then(Status::reason).unwrap_or_default());
            // What the source withheld is no reason to withhold a copy.
            if is_published || !is_ours && review.is_none_or(is_decision) {
                copies.insert(source, review, !is_published);
            }
        }
        copies
    }

    fn insert(&mut self, source: &SourceVersion, review: Option<&Review>, is_decided: bool) {
        let copy = Copy {
            id: source.id.to_string(),
            source_name: source.source_name.clone(),
            author: review.map(|review| review.author.clone()),
            author_day: source.fingerprints.author_day,
            is_decided,
        };
        let group = self.0.entry(source.fingerprints.content).or_default();
        let is_like = |other: &Copy| {
            let names = (&other.source_name, other.author_day);
            names == (&copy.source_name, copy.author_day) && other.is_decided == is_decided
        };
        if group.len() < COPIES_MAX && !group.iter().any(is_like) {
            // Published copies are named first.
            let first_after = group.partition_point(|other| other.is_decided <= is_decided);
            group.insert(first_after, copy);
        }
    }

    /// A copy of a review. Hidden reviews are copies only of reviews that are not public yet: otherwise the owner could not
    /// withhold one of two.
    fn find(&self, review: &Review, source: &SourceVersion, is_public: bool) -> Option<&Copy> {
        let mut copies = self.0.get(&source.fingerprints.content)?.iter();
        let is_sure = is_of_one_person(review);
        copies.find(|other| {
            let is_other_format =
                || is_sure && id_prefix(&other.id) != id_prefix(review.id.as_str());
            !(is_public && other.is_decided)
                && other.id != review.id.as_str()
                && other.has_author_of(review, source)
                && (other.source_name != source.source_name || is_other_format())
        })
    }

    /// Removes a review that is withheld.
    fn remove(&mut self, source: &SourceVersion) {
        if let Some(copies) = self.0.get_mut(&source.fingerprints.content) {
            copies.retain(|other| other.is_decided || other.id != source.id.as_str());
        }
    }
}

impl Copy {
    /// Whether the authors are the same, or one is the other's short name. Of a deleted review only digests are kept.
    fn has_author_of(&self, review: &Review, source: &SourceVersion) -> bool {
        let short = short_name(&review.author);
        let is_one = self.author.as_ref().map_or_else(
            || {
                short == review.author
                    || self.author_day == Fingerprints::author_day(&short, review.date)
            },
            |author| is_one_name(author, &review.author),
        );
        is_one || self.author_day == source.fingerprints.author_day
    }

    /// Whether the copy looks like the review's row, imported under another source: it has the row's ID, or both IDs were
    /// derived from rows of one format.
    fn has_same_row(&self, source: &SourceVersion) -> bool {
        let id = source.own_id.as_deref().unwrap_or(source.id.as_str());
        let are_derived = || [id, &self.id].into_iter().all(is_derived);
        self.source_name != source.source_name
            && (id == self.id || are_derived() && id_prefix(id) == id_prefix(&self.id))
    }
}
