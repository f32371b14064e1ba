//! The merge of an import: a pure function of what the sources said before, what stands, and what the rows say now.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde_json::json;

use crate::imports::map::SOURCE_DEFAULT;
use crate::imports::merge::collector::{DeletedRow, Row};
use crate::imports::merge::identity::{Identity, Known, KnownReview, Rules, identify, is_derived};
use crate::imports::platforms::id_prefix;
use crate::imports::report::{ImportReport, Rejection, preview, preview_change};
use crate::model::{
    Base, DUPLICATE, DigestKey, Fingerprints, GONE, Merged, Review, ReviewId, Status, Unit, Units,
    adopt, is_one_name, merge,
};
use crate::storage::reviews::{Former, RunChange, SourceVersion};

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
    /// For [`RunChange::Changed`].
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
        let is_deleted = |known: &KnownReview| known.review.is_none();
        if self.outcome.others.get(&id).is_some_and(is_deleted) && !self.rules.request.restore {
            return report.kept_deleted.add(|| id.to_string());
        }
        let known = self.outcome.others.remove(&id);
        let (kind, known) = match known.as_ref() {
            None => (RunChange::Added, None),
            Some(known) if is_deleted(known) => (RunChange::Restored, None),
            known => (RunChange::Changed, known),
        };
        let fingerprints = Fingerprints::new(row.review());
        // A derived id of a known review may differ from that of the row, whose text was edited.
        let has_id = row.incoming.has_own_id || kind == RunChange::Added;
        let own_id = (id != *row.id() && has_id).then(|| row.id().to_string());
        let incoming = row.incoming;
        let before = known.and_then(|known| known.source.as_ref());
        let stored = before.map(|before| before.source_name.as_str());
        let source_name = incoming.source_name().or(stored).unwrap_or(SOURCE_DEFAULT);
        let source_name = source_name.to_owned();
        let statement = incoming.statement_of(&id);
        let place = (source_name.clone(), incoming.location.clone());
        let key = &self.rules.key;
        let there = known.and_then(|known| known.review.as_ref());
        let mut base = before.map(|before| before.base.clone()).unwrap_or_default();
        // A review that an import withheld as a duplicate counts as published once its copies are gone.
        let is_shown =
            statement.unstated.has(Unit::Status) || statement.review.status == Status::Published;
        let freed = there.filter(|there| {
            is_shown
                && there.status == Status::withheld(DUPLICATE)
                && base.get(Unit::Status) == Some(key.digest(Unit::Status, there))
                && !self.copies.has_any(&id, &source_name, fingerprints)
        });
        let freed = freed.map(|there| Review {
            status: Status::Published,
            updated_at: there.updated_at.max(Some(self.rules.now)),
            ..there.clone()
        });
        if let Some(freed) = &freed {
            base.set(Unit::Status, key.digest(Unit::Status, freed));
        }
        let mut merged = match freed.as_ref().or(there) {
            None => adopt(key, &statement),
            Some(there) => merge(key, there, &base, &statement, self.rules.now),
        };
        let source = SourceVersion {
            source_name,
            location: (incoming.location)
                .or_else(|| before.and_then(|before| before.location.clone())),
            posted_at: incoming.posted_at,
            responded_at: if statement.unstated.has(Unit::Response) {
                before.and_then(|before| before.responded_at)
            } else {
                incoming.responded_at
            },
            // A file without texts does not change the fingerprints.
            fingerprints: before
                .filter(|_| statement.unstated.has(Unit::Text))
                .map_or(fingerprints, |before| before.fingerprints),
            own_id: own_id
                .or(incoming.id_at_source)
                .or_else(|| before.and_then(|before| before.own_id.clone())),
            base: Base::default(),
            id,
        };
        let was_published = there.is_some_and(|there| there.status == Status::Published);
        if let Some(copy) = self.copies.add(&merged.review, &source, was_published) {
            let is_same_row =
                kind == RunChange::Added && copy.has_same_form(&source, incoming.has_own_id);
            self.report_copy(&merged.review, &source, &copy, is_same_row);
            // The copy of another source or format is withheld on request, and if the owner deleted or withheld that one.
            if (self.rules.request.skip_duplicates || copy.is_decided)
                && withhold_duplicate(self.rules, &mut merged)
            {
                self.copies.remove(&source);
            }
        }
        let is_published = merged.review.status == Status::Published;
        *self.places.entry(place).or_default() += usize::from(is_published);
        let there = there.zip(known.map(|known| known.is_readable));
        self.count(&merged, there);
        let source = SourceVersion {
            base: merged.base,
            ..source
        };
        let is_same = there == Some((&merged.review, true));
        if is_same && before == Some(&source) {
            return;
        }
        let former = there.map(|(there, _)| Former::new(there, &merged.review, before.cloned()));
        self.outcome.changes.push(Change {
            review: (!is_same).then_some(merged.review),
            source,
            kind,
            note: incoming.note.filter(|_| former.is_none()),
            former,
        });
    }

    /// Reports a copy of a review; `is_same_row` is whether both look like one row, imported under two sources.
    fn report_copy(
        &mut self,
        review: &Review,
        source: &SourceVersion,
        copy: &Copy,
        is_same_row: bool,
    ) {
        let (theirs, ours) = (&copy.source_name, &source.source_name);
        let report = &mut self.outcome.report;
        report.duplicates.add(|| {
            let Review {
                id, author, date, ..
            } = review;
            format!("{author}, {date}: {id} of {ours}, {} of {theirs}", copy.id)
        });
        if is_same_row {
            let names = (theirs.clone(), ours.clone());
            *report.renamed.entry(names).or_default() += 1;
        }
    }

    /// `there` is the review before the merge, with whether its row can be read.
    fn count(&mut self, merged: &Merged, there: Option<(&Review, bool)>) {
        let review = &merged.review;
        let report = &mut self.outcome.report;
        let reason = status_reason(review);
        let was_withheld = there.is_some_and(|(there, _)| there.status != Status::Published);
        match there {
            None => {
                report.new += 1;
                if reason.is_none() {
                    report.newly_published.add(|| preview(review));
                }
            }
            Some((there, true)) if there == review => report.unchanged += 1,
            Some((there, _)) => {
                report.updated += 1;
                report.updated_withheld += u64::from(reason.is_some());
                report.changed.add(|| preview_change(there, review));
            }
        }
        let mut edited = merged.kept;
        if let Some(reason) = reason {
            edited.remove(Unit::Status);
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
        if edited != Units::NONE {
            let names: Vec<&str> = edited.iter().map(Unit::name).collect();
            report
                .kept_edited
                .add(|| format!("{} {}", review.id, names.join(" and ")));
        }
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
        if known.is_some_and(|known| known.review.is_none()) {
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
        for (count, became) in [
            (report.rejected, "were rejected"),
            (report.undecided.count, "are skipped"),
        ] {
            if count > 0 {
                return Err(format!(
                    "--withdraw-missing: {count} rows {became}, and their reviews would count as missing; correct them first, or \
                     import without this option"
                ));
            }
        }
        for ((name, location), there) in std::mem::take(&mut self.places) {
            let is_gone = |(_, known): &(&ReviewId, &KnownReview)| {
                let (review, source) = (known.review.as_ref(), known.source.as_ref());
                review.is_some_and(|review| review.status == Status::Published)
                    && source.is_some_and(|it| it.source_name == name && it.location == location)
            };
            let gone = self.outcome.others.iter().filter(is_gone);
            let gone: Vec<ReviewId> = gone.map(|(id, _)| id.clone()).collect();
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
                review: Some(review),
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
                former: Some(Former::new(review, &gone, Some(source.clone()))),
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
    if !merged.taken.has(Unit::Status) {
        merged.review.updated_at = merged.review.updated_at.max(Some(rules.now));
    }
    merged.taken.insert(Unit::Status);
    true
}

// Copies: reviews of two sources, or of two formats of one, with the same author, day, stars and text.

/// Maximum number of copies that are compared with a review.
const COPIES_MAX: usize = 64;

/// The reviews with each fingerprint, before the import and as far as it is merged: of each source and author the first
/// published one and the first hidden one, which the owner or the source withheld, or the owner deleted.
#[derive(Debug)]
pub struct Copies(HashMap<i64, Vec<Copy>>);

/// A copy of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    pub id: String,
    pub source_name: String,
    /// `None` of a deleted review.
    author: Option<String>,
    is_hidden: bool,
    /// Whether the owner deleted or withheld it.
    is_decided: bool,
}

impl Copies {
    fn of(known: &Known, key: &DigestKey) -> Self {
        let sources = known.values();
        let sources = sources.filter_map(|it| Some((it.source.as_ref()?, it.review.as_ref())));
        let mut sources: Vec<_> = sources.collect();
        // Published copies are named first.
        sources.sort_by_key(|(_, review)| match review.map(|review| &review.status) {
            Some(Status::Published) => 0,
            Some(Status::Withheld { .. }) => 1,
            None => 2,
        });
        let mut copies: HashMap<i64, Vec<Copy>> = HashMap::new();
        for (source, review) in sources {
            let status = review.map(|review| &review.status);
            if [DUPLICATE, GONE].contains(&status.and_then(Status::reason).unwrap_or_default()) {
                continue;
            }
            let is_hidden = status != Some(&Status::Published);
            let last = source.base.get(Unit::Status);
            let copy = Copy {
                id: source.id.to_string(),
                source_name: source.source_name.clone(),
                author: review.map(|review| review.author.clone()),
                is_hidden,
                is_decided: is_hidden
                    && review.is_none_or(|it| last != Some(key.digest(Unit::Status, it))),
            };
            let group = copies.entry(source.fingerprints.content).or_default();
            let is_like = |other: &Copy| {
                let names = (&other.source_name, &other.author);
                names == (&copy.source_name, &copy.author) && other.is_hidden == copy.is_hidden
            };
            if group.len() < COPIES_MAX && !group.iter().any(is_like) {
                group.push(copy);
            }
        }
        Self(copies)
    }

    /// Adds a merged review; returns its copy, if there is one. Hidden reviews are copies only of reviews that are not
    /// public yet: otherwise the owner could not withhold one of two.
    pub fn add(
        &mut self,
        review: &Review,
        source: &SourceVersion,
        is_public: bool,
    ) -> Option<Copy> {
        let id = review.id.as_str();
        if review.status != Status::Published {
            // An unpublished review has no copies.
            self.remove(source);
            return None;
        }
        let copies = self.0.entry(source.fingerprints.content).or_default();
        let copy = copies.iter().find(|other| {
            let is_other_format =
                || !review.text.is_empty() && id_prefix(&other.id) != id_prefix(id);
            let author = other.author.as_deref();
            !(is_public && other.is_hidden)
                && other.id != id
                && author.is_none_or(|author| is_one_name(author, &review.author))
                && (other.source_name != source.source_name || is_other_format())
        });
        let copy = copy.cloned();
        let is_own = |other: &Copy| {
            let is_author = other.author.as_ref() == Some(&review.author);
            !other.is_hidden && other.source_name == source.source_name && is_author
        };
        if copy.is_none() && copies.len() < COPIES_MAX && !copies.iter().any(is_own) {
            let copy = Copy {
                id: id.to_owned(),
                source_name: source.source_name.clone(),
                author: Some(review.author.clone()),
                is_hidden: false,
                is_decided: false,
            };
            let first_hidden = copies.partition_point(|copy| !copy.is_hidden);
            copies.insert(first_hidden, copy);
        }
        copy
    }

    /// Whether another review with these fingerprints is of another source or format.
    fn has_any(&self, id: &ReviewId, source_name: &str, fingerprints: Fingerprints) -> bool {
        let copies = self.0.get(&fingerprints.content).into_iter().flatten();
        let mut others = copies.filter(|other| other.id != id.as_str());
        others.any(|other| {
            other.source_name != source_name || id_prefix(&other.id) != id_prefix(id.as_str())
        })
    }

    /// Removes a review that is withheld as a duplicate.
    pub fn remove(&mut self, source: &SourceVersion) {
        if let Some(copies) = self.0.get_mut(&source.fingerprints.content) {
            copies.retain(|other| other.is_hidden || other.id != source.id.as_str());
        }
    }
}

impl Copy {
    /// Whether the copy and a row look like the same row, imported under two sources.
    pub fn has_same_form(&self, source: &SourceVersion, has_own_id: bool) -> bool {
        if self.source_name == source.source_name {
            return false;
        }
        if has_own_id {
            return source.own_id.as_ref() == Some(&self.id);
        }
        let prefix = |id: &str| id.rsplit_once('-').map(|(prefix, _)| prefix.to_owned());
        is_derived(&source.id)
            && self.id.parse().is_ok_and(|id| is_derived(&id))
            && prefix(source.id.as_str()) == prefix(&self.id)
    }
}
