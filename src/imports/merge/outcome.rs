//! The merge of an import: a pure function of what the sources said before, what stands, and what the rows say now.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::imports::export::{Exported, ExportedReview};
use crate::imports::map::SOURCE_DEFAULT;
use crate::imports::merge::collector::{DeletedRow, Row};
use crate::imports::merge::identity::{Identity, Known, KnownReview, Rules, identify, is_derived};
use crate::imports::platforms::{NATIVE, id_prefix};
use crate::imports::report::{ImportReport, Rejection, preview, preview_change};
use crate::model::{
    Base, Fingerprints, GONE, Merged, Review, ReviewId, Statement, Status, Unit, Units, adopt,
    merge,
};
use crate::storage::reviews::{AlikeReviews, DeletedReview, Former, RunChange, SourceVersion};

/// What an import writes, and its report.
#[derive(Debug)]
pub struct Outcome {
    /// Reviews that change, or of which their source said something else before.
    pub changes: Vec<Change>,
    /// Ids to mark as deleted by the owner.
    pub deleted: Vec<DeletedRow>,
    /// Rows that cannot be merged.
    pub rejections: Vec<Rejection>,
    /// Ids of all reviews that have a row.
    pub present: HashSet<ReviewId>,
    /// The reason why nothing may be written.
    pub refusal: Option<String>,
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
pub fn merge_rows(
    rows: Vec<Row>,
    deleted: Vec<DeletedRow>,
    mut known: Known,
    rules: &Rules<'_>,
    report: ImportReport,
) -> Outcome {
    let identities = identify(&rows, &known, rules);
    let fingerprints = std::mem::take(&mut known.fingerprints);
    let mut merging = Merging {
        copies: Copies::new(std::mem::take(&mut known.alike), &known.deleted),
        known,
        rules,
        places: BTreeMap::new(),
        outcome: Outcome {
            changes: Vec::new(),
            deleted: Vec::new(),
            rejections: Vec::new(),
            present: HashSet::with_capacity(rows.len()),
            refusal: None,
            report,
        },
    };
    for ((row, identity), fingerprints) in rows.into_iter().zip(identities).zip(fingerprints) {
        merging.row(row, identity, fingerprints);
    }
    for row in deleted {
        merging.note_deleted(row);
    }
    if rules.request.withdraw_missing {
        merging.outcome.refusal = merging.withdraw_missing().err();
    }
    merging.outcome
}

struct Merging<'r> {
    /// Without the reviews that are merged.
    known: Known,
    rules: &'r Rules<'r>,
    copies: Copies,
    /// The number of published reviews that the files have of each source, with its location as the files give it.
    places: BTreeMap<(String, Option<String>), usize>,
    outcome: Outcome,
}

impl Merging<'_> {
    fn row(&mut self, row: Row, identity: Identity, fingerprints: Fingerprints) {
        let (id, kind) = match identity {
            Identity::Known(id) => (id, RunChange::Changed),
            Identity::New(id) => (id, RunChange::Added),
            Identity::Deleted(id) if self.rules.request.restore => (id, RunChange::Restored),
            Identity::Deleted(id) => {
                self.outcome.report.kept_deleted.add(|| id.to_string());
                self.outcome.present.insert(id);
                return;
            }
            Identity::Undecided(reason) => {
                let name = || format!("{} of {} {reason}", row.review().author, row.review().date);
                self.outcome.report.undecided.add(name);
                return;
            }
            Identity::Wrong(reason) => return self.reject(&row, reason),
            Identity::Repeated => {
                self.outcome.report.repeated += 1;
                return;
            }
        };
        self.outcome.present.insert(id.clone());
        // A derived id of a known review may differ from that of the row, whose text was edited.
        let has_id = row.incoming.has_own_id || kind == RunChange::Added;
        let own_id = (id != *row.id() && has_id).then(|| row.id().to_string());
        let incoming = row.incoming;
        let stated_source = incoming.source_name().map(str::to_owned);
        let mut statement = incoming.statement;
        statement.review.id = id.clone();
        let known = self.known.reviews.remove(&id);
        let known = known.as_ref();
        let before = known.and_then(|known| known.source.as_ref());
        let stored = before.map(|before| &before.source_name);
        let source_name = stated_source.or_else(|| stored.cloned());
        let source_name = source_name.unwrap_or_else(|| SOURCE_DEFAULT.to_owned());
        let place = (source_name.clone(), incoming.location.clone());
        let key = &self.rules.key;
        let mut merged = match known {
            None => adopt(key, &statement),
            Some(known) => {
                let base = before.map(|before| before.base.clone()).unwrap_or_default();
                merge(key, &known.review, &base, &statement, self.rules.now)
            }
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
        let was_published = known.is_some_and(|known| known.review.status == Status::Published);
        if let Some(copy) = self.copies.add(&merged.review, &source, was_published) {
            let is_same_row =
                kind == RunChange::Added && copy.has_same_form(&source, incoming.has_own_id);
            self.report_copy(&merged.review, &source, &copy, is_same_row);
            // The copy of another source or format is withheld on request.
            if self.rules.request.skip_duplicates && withhold_duplicate(self.rules, &mut merged) {
                self.copies.remove(&source);
            }
        }
        let is_published = merged.review.status == Status::Published;
        *self.places.entry(place).or_default() += usize::from(is_published);
        self.count(&merged, known);
        self.write(merged, source, kind, known, incoming.note);
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

    fn count(&mut self, merged: &Merged, known: Option<&KnownReview>) {
        let review = &merged.review;
        let report = &mut self.outcome.report;
        let is_withheld = review.status != Status::Published;
        let was_withheld = known.is_some_and(|known| known.review.status != Status::Published);
        if let Some(reason) = status_reason(review)
            && !was_withheld
        {
            report.note_withheld(review, reason);
        }
        match known {
            None => {
                report.new += 1;
                if !is_withheld {
                    report.newly_published.add(|| preview(review));
                }
            }
            Some(known) if known.is_readable && known.review == *review => report.unchanged += 1,
            Some(known) => {
                report.updated += 1;
                report.updated_withheld += u64::from(is_withheld);
                report.changed.add(|| preview_change(&known.review, review));
            }
        }
        if let Some(reason) = status_reason(review) {
            *report.withheld.entry(reason.to_owned()).or_default() += 1;
            let is_own =
                merged.base.get(Unit::Status) != Some(self.rules.key.digest(Unit::Status, review));
            if is_own && known.is_some() {
                report.kept_withheld.add(|| review.id.to_string());
            }
        }
        let mut edited = merged.kept;
        if is_withheld {
            edited.remove(Unit::Status);
        }
        if edited != Units::NONE {
            let names: Vec<&str> = edited.iter().map(Unit::name).collect();
            report
                .kept_edited
                .add(|| format!("{} {}", review.id, names.join(" and ")));
        }
    }

    fn write(
        &mut self,
        merged: Merged,
        source: SourceVersion,
        kind: RunChange,
        known: Option<&KnownReview>,
        note: Option<String>,
    ) {
        let source = SourceVersion {
            base: merged.base,
            ..source
        };
        let change = match known {
            None => Change {
                review: Some(merged.review),
                source,
                kind,
                former: None,
                note,
            },
            Some(known) => {
                let is_same = known.is_readable && known.review == merged.review;
                if is_same && known.source.as_ref() == Some(&source) {
                    return;
                }
                let former = Former::new(&known.review, &merged.review, known.source.clone());
                Change {
                    review: (!is_same).then_some(merged.review),
                    source,
                    kind: RunChange::Changed,
                    former: Some(former),
                    note: None,
                }
            }
        };
        self.outcome.changes.push(change);
    }

    fn reject(&mut self, row: &Row, error: String) {
        let report = &mut self.outcome.report;
        report.rejected += 1;
        let Some(file) = report.files.get_mut(row.file) else {
            return;
        };
        file.rejected += 1;
        self.outcome.rejections.push(Rejection {
            file: file.name.clone(),
            // The row is written in the native form: what was read of it.
            format: NATIVE.name,
            at: row.at.clone(),
            error,
            row: native_row(row.incoming.statement.clone()),
        });
    }

    fn note_deleted(&mut self, row: DeletedRow) {
        let (report, id) = (&mut self.outcome.report, &row.id);
        if self.known.reviews.contains_key(id) || self.outcome.present.contains(id) {
            report.still_there.add(|| id.to_string());
        } else if self.known.deleted.contains_key(id) {
            report.kept_deleted.add(|| id.to_string());
        } else {
            report.noted_deleted += 1;
            self.outcome.deleted.push(row);
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
            let is_gone = |known: &&KnownReview| {
                let source = known.source.as_ref();
                known.review.status == Status::Published
                    && source.is_some_and(|it| it.source_name == name && it.location == location)
            };
            let mut gone: Vec<&KnownReview> = self.known.reviews.values().filter(is_gone).collect();
            gone.sort_unstable_by_key(|known| &known.review.id);
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
            for known in gone {
                let withdrawn = withdrawal(known, self.rules, &mut self.outcome.report);
                self.outcome.changes.extend(withdrawn);
            }
        }
        Ok(())
    }
}

/// Withholds a published review as gone at the source, unless the owner published it although the source hides it.
pub fn withdrawal(
    known: &KnownReview,
    rules: &Rules<'_>,
    report: &mut ImportReport,
) -> Option<Change> {
    let KnownReview {
        review,
        source: Some(source),
        ..
    } = known
    else {
        return None;
    };
    let key = &rules.key;
    let last = source.base.get(Unit::Status);
    if last.is_some_and(|last| last != key.digest(Unit::Status, review)) {
        report.kept_edited.add(|| format!("{} status", source.id));
        return None;
    }
    let gone = Review {
        status: Status::withheld(GONE),
        updated_at: review.updated_at.max(Some(rules.now)),
        ..review.clone()
    };
    let mut after = source.clone();
    after
        .base
        .set(Unit::Status, key.digest(Unit::Status, &gone));
    report.withdrawn.add(|| source.id.to_string());
    report.note_withheld(review, GONE);
    Some(Change {
        former: Some(Former::new(review, &gone, Some(source.clone()))),
        review: Some(gone),
        source: after,
        kind: RunChange::Changed,
        note: None,
    })
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
        status: Status::withheld(crate::model::DUPLICATE),
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

/// What a row states, as a native record.
fn native_row(statement: Statement) -> serde_json::Value {
    let Statement {
        review,
        unstated,
        decided,
    } = statement;
    let exported = ExportedReview {
        review,
        decided,
        source: None,
        note: None,
    };
    let mut record = Exported::Review(Box::new(exported)).json();
    if let Some(members) = record.as_object_mut() {
        for unit in unstated.iter() {
            members.remove(unit.name());
        }
    }
    record
}

// Copies: reviews of two sources, or of two formats of one, with the same author, day, stars and text.

/// The reviews with each fingerprint, before the import and as far as it is merged: of each source the first published one
/// and the first hidden one, which the owner or the source withheld, or the owner deleted.
#[derive(Debug)]
pub struct Copies(HashMap<i64, Vec<Copy>>);

/// A copy of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    pub id: String,
    pub source_name: String,
    is_hidden: bool,
}

impl Copies {
    pub fn new(
        alike: HashMap<i64, Vec<AlikeReviews>>,
        deleted: &HashMap<ReviewId, Option<DeletedReview>>,
    ) -> Self {
        let mut all: HashMap<i64, Vec<Copy>> = HashMap::new();
        for group in alike.into_values().flatten() {
            for (id, is_hidden) in [(group.published, false), (group.withheld, true)] {
                let source_name = group.source_name.clone();
                let copy = id.map(|id| Copy {
                    id,
                    source_name,
                    is_hidden,
                });
                all.entry(group.fingerprint).or_default().extend(copy);
            }
        }
        let mut deleted: Vec<&DeletedReview> = deleted.values().flatten().collect();
        deleted.sort_unstable_by_key(|review| &review.id);
        for review in deleted {
            all.entry(review.fingerprints.content)
                .or_default()
                .push(Copy {
                    id: review.id.to_string(),
                    source_name: review.source_name.clone(),
                    is_hidden: true,
                });
        }
        // Published copies are named first.
        all.values_mut()
            .for_each(|copies| copies.sort_by_key(|copy| copy.is_hidden));
        Self(all)
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
            !(is_public && other.is_hidden)
                && other.id != id
                && (other.source_name != source.source_name || is_other_format())
        });
        let copy = copy.cloned();
        let is_own = |other: &Copy| !other.is_hidden && other.source_name == source.source_name;
        if copy.is_none() && !copies.iter().any(is_own) {
            let copy = Copy {
                id: id.to_owned(),
                source_name: source.source_name.clone(),
                is_hidden: false,
            };
            let first_hidden = copies.partition_point(|copy| !copy.is_hidden);
            copies.insert(first_hidden, copy);
        }
        copy
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
