//! Writes what an import staged: merges each review with what is there, and tells
//! what became of it.
//!
//! In the order of the ids and bit by bit, so that it needs the same memory however many there are.
//! The law itself is `reviews::merge`.

use std::collections::{HashMap, HashSet};

use chrono::{DateTime, Utc};

use super::ImportRequest;
use super::collector::Watcher;
use super::report::Report;
use super::store::{Staged, StagedReview, Staging};
use crate::compute::steps;
use crate::model::{Base, DUPLICATE, DigestKey, Merged, Review, Status, Unit, Units, adopt, merge};
use crate::storage::Write;
use crate::storage::reviews::{self, KnownReviews, RunChange, SourceRow};

/// How withheld reviews are counted that do not say why; the same word as in the published counts.
const REASON_DEFAULT: &str = "not stated";

/// How many rows a cluster is given in one transaction.
const GROUP_MAX: usize = 5_000;

/// How many reviews have one fingerprint before what is known of them is kept for the whole import: then none of them costs
/// more than any other, and few fingerprints are kept.
const ALIKE_KEPT_MIN: u64 = 16;
/// Of how many sources a published review is remembered for one fingerprint: beside a review's own source, and beside itself,
/// one is left.
const ALIKE_SOURCES_MAX: usize = 4;

/// The merge of one import within a transaction, which the caller commits or rolls back.
pub(super) struct Merging<'w> {
    pub(super) write: &'w mut Write,
    pub(super) key: DigestKey,
    pub(super) now: DateTime<Utc>,
    pub(super) request: &'w ImportRequest,
    pub(super) report: Report,
    /// The number of the run that can be taken back; none for a sample.
    pub(super) run: Option<i64>,
    alike: HashMap<i64, Alike>,
}

/// The reviews that have one fingerprint.
#[derive(Debug, Default)]
struct Alike {
    reviews: u64,
    /// The id of the first published review of each source, and what the source calls itself.
    published: Vec<(String, String)>,
}

/// What is to be written of one batch.
#[derive(Default)]
struct Batch {
    reviews: Vec<Review>,
    sources: Vec<SourceRow>,
    deleted: Vec<String>,
}

impl<'w> Merging<'w> {
    /// A merge within `write`, which the caller commits; `report` is what reading has found.
    pub(super) async fn new(
        write: &'w mut Write,
        now: DateTime<Utc>,
        request: &'w ImportRequest,
        report: Report,
    ) -> sqlx::Result<Self> {
        let key = reviews::digest_key(write).await?;
        Ok(Self {
            write,
            key,
            now,
            request,
            report,
            run: None,
            alike: HashMap::new(),
        })
    }

    /// Merges everything staged, batch by batch, and tells `watch` after each.
    pub(super) async fn all(
        &mut self,
        staging: &mut Staging,
        watch: Watcher<'_>,
    ) -> sqlx::Result<()> {
        let count = staging.count().await?;
        let staged = count + self.report.undecided.count;
        self.report.repeated = self.report.taken.saturating_sub(staged);
        let of = usize::try_from(count).unwrap_or(usize::MAX);
        let (mut last, mut done, mut in_group) = (String::new(), 0, 0);
        loop {
            let staged = staging.after(&last).await?;
            let Some(end) = staged.last() else {
                return Ok(());
            };
            last = end.id().to_string();
            done += staged.len();
            in_group += staged.len();
            if in_group > GROUP_MAX {
                self.write.end_group();
                in_group = staged.len();
            }
            self.batch(staged).await?;
            watch.written(done, of);
        }
    }

    async fn batch(&mut self, staged: Vec<Staged>) -> sqlx::Result<()> {
        let ids: Vec<&str> = staged.iter().map(|one| one.id().as_str()).collect();
        let standing = reviews::standing(self.write, &ids).await?;
        let mut batch = Batch::default();
        let mut merged = Vec::with_capacity(staged.len());
        for one in staged {
            match one {
                Staged::Deleted(id) => self.deleted(&standing, id.as_str(), &mut batch),
                Staged::Review(review) => merged.extend(self.merged(&standing, *review)),
            }
        }
        self.find_duplicates(&mut merged).await?;
        for (row, source) in merged {
            self.count(&standing, &row);
            let before = standing.reviews.get(row.review.id.as_str());
            if before != Some(&row.review) {
                batch.reviews.push(row.review);
            }
            batch.sources.push(SourceRow {
                base: row.base,
                ..source
            });
        }
        if !batch.reviews.is_empty() {
            reviews::upsert(self.write, &batch.reviews, self.now).await?;
            self.note_added(&standing, &batch.reviews).await?;
        }
        let deleted: Vec<&str> = batch.deleted.iter().map(String::as_str).collect();
        if !deleted.is_empty() {
            reviews::note_deleted(self.write, &deleted).await?;
        }
        reviews::note_sources(self.write, &batch.sources).await
    }

    /// Notes which reviews were not there before.
    async fn note_added(
        &mut self,
        standing: &KnownReviews,
        reviews: &[Review],
    ) -> sqlx::Result<()> {
        let Some(run) = self.run else { return Ok(()) };
        let ids = reviews.iter().map(|review| review.id.as_str());
        let new = ids.filter(|id| !standing.reviews.contains_key(*id));
        let (restored, added): (Vec<&str>, Vec<&str>) =
            new.partition(|id| standing.deleted.contains(*id));
        reviews::note_run_reviews(self.write, run, RunChange::Added, &added).await?;
        reviews::note_run_reviews(self.write, run, RunChange::Restored, &restored).await
    }

    /// A row that says that the owner deleted a review.
    fn deleted(&mut self, standing: &KnownReviews, id: &str, batch: &mut Batch) {
        if standing.reviews.contains_key(id) {
            self.report.still_there.add(|| id.to_owned());
        } else if standing.deleted.contains(id) {
            self.report.kept_deleted.add(|| id.to_owned());
        } else {
            self.report.noted_deleted += 1;
            batch.deleted.push(id.to_owned());
        }
    }

    /// The merge of a review with what is known of it; nothing where the owner deleted it.
    fn merged(
        &mut self,
        standing: &KnownReviews,
        staged: StagedReview,
    ) -> Option<(Merged, SourceRow)> {
        let StagedReview {
            said,
            location,
            posted_at,
            responded_at,
            source_name,
            has_id: _,
            former: _,
            writer: _,
        } = staged;
        let id = said.review.id.clone();
        let before = standing.reviews.get(id.as_str());
        if before.is_none() && standing.deleted.contains(id.as_str()) && !self.request.restore {
            self.report.kept_deleted.add(|| id.to_string());
            return None;
        }
        let known = standing.sources.get(id.as_str());
        let merged = match before {
            None => adopt(&self.key, &said),
            Some(row) => merge(
                &self.key,
                row,
                &known.map(|known| known.base.clone()).unwrap_or_default(),
                &said,
                self.now,
            ),
        };
        let source_name = match known {
            Some(known) if said.unsaid.has(Unit::Source) => known.source_name.clone(),
            Some(_) | None => source_name.unwrap_or_else(|| said.review.source.name.clone()),
        };
        let known_or = |given, of: fn(&SourceRow) -> Option<DateTime<Utc>>, unit| {
            if said.unsaid.has(unit) {
                known.and_then(of)
            } else {
                given
            }
        };
        let source = SourceRow {
            source_name,
            location: location.or_else(|| known.and_then(|known| known.location.clone())),
            posted_at: known_or(posted_at, |known| known.posted_at, Unit::Date),
            responded_at: known_or(responded_at, |known| known.responded_at, Unit::Response),
            // A file that says nothing of texts changes nothing about what is alike.
            fingerprint: known.filter(|_| said.unsaid.has(Unit::Text)).map_or_else(
                || self.key.fingerprint(&said.review),
                |known| known.fingerprint,
            ),
            base: Base::default(),
            id,
        };
        Some((merged, source))
    }

    /// Finds reviews that another source gave already: reports them, and withholds them where that
    /// is wished.
    async fn find_duplicates(&mut self, merged: &mut [(Merged, SourceRow)]) -> sqlx::Result<()> {
        let mut alike = std::mem::take(&mut self.alike);
        let unknown: HashSet<i64> = merged
            .iter()
            .map(|(_, source)| source.fingerprint)
            .filter(|fingerprint| !alike.contains_key(fingerprint))
            .collect();
        let unknown: Vec<i64> = unknown.into_iter().collect();
        for group in reviews::alike(self.write, &unknown).await? {
            steps::add(usize::try_from(group.reviews).unwrap_or(usize::MAX));
            let its = alike.entry(group.fingerprint).or_default();
            its.reviews += group.reviews;
            if its.published.len() < ALIKE_SOURCES_MAX {
                let first = group.published.map(|id| (id, group.source_name));
                its.published.extend(first);
            }
        }
        for (row, source) in merged {
            let id = source.id.as_str();
            let its = alike.entry(source.fingerprint).or_default();
            its.reviews += 1;
            steps::add(1 + its.published.len());
            if row.review.status != Status::Published {
                // What does not appear has no copies.
                its.published.retain(|(other, _)| other != id);
                continue;
            }
            let other = its
                .published
                .iter()
                .find(|(other, from)| other != id && *from != source.source_name);
            if let Some((other, from)) = other {
                self.report
                    .duplicates
                    .add(|| format!("{id} is {other} of {from}"));
                if self.request.skip_duplicates && self.withhold_duplicate(row) {
                    its.published.retain(|(other, _)| other != id);
                }
            } else if its
                .published
                .iter()
                .all(|(_, from)| *from != source.source_name)
            {
                its.published
                    .push((id.to_owned(), source.source_name.clone()));
            }
        }
        for fingerprint in unknown {
            if alike
                .get(&fingerprint)
                .is_some_and(|its| its.reviews < ALIKE_KEPT_MIN)
            {
                alike.remove(&fingerprint);
            }
        }
        self.alike = alike;
        Ok(())
    }

    /// Withholds a copy, unless the owner published it in spite of being one; says whether it did.
    fn withhold_duplicate(&self, row: &mut Merged) -> bool {
        let copy = Review {
            status: Status::Withheld {
                reason: Some(DUPLICATE.to_owned()),
            },
            ..row.review.clone()
        };
        let (now, then) = (
            self.key.digest(Unit::Status, &row.review),
            self.key.digest(Unit::Status, &copy),
        );
        if row.base.get(Unit::Status).is_some_and(|base| base != now) {
            return false;
        }
        row.base.set(Unit::Status, then);
        row.review = copy;
        if !row.taken.has(Unit::Status) {
            row.review.updated_at = row.review.updated_at.max(Some(self.now));
        }
        row.taken.insert(Unit::Status);
        true
    }

    fn count(&mut self, standing: &KnownReviews, row: &Merged) {
        let review = &row.review;
        let written = &mut self.report.written;
        match standing.reviews.get(review.id.as_str()) {
            None => written.new += 1,
            Some(before) if before == review => written.unchanged += 1,
            Some(_) => {
                written.updated += 1;
                let is_withheld = review.status != Status::Published;
                self.report.updated_withheld += u64::from(is_withheld);
            }
        }
        if let Status::Withheld { reason } = &review.status {
            let reason = reason
                .clone()
                .filter(|reason| !reason.is_empty())
                .unwrap_or_else(|| REASON_DEFAULT.to_owned());
            *self.report.withheld.entry(reason).or_default() += 1;
            let is_own = row.base.get(Unit::Status) != Some(self.key.digest(Unit::Status, review));
            if is_own && standing.reviews.contains_key(review.id.as_str()) {
                self.report.kept_withheld.add(|| review.id.to_string());
            }
        }
        let mut edited = row.kept;
        if review.status != Status::Published {
            edited.remove(Unit::Status);
        }
        if edited != Units::NONE {
            let names: Vec<&str> = edited.iter().map(Unit::name).collect();
            self.report
                .kept_edited
                .add(|| format!("{} {}", review.id, names.join(" and ")));
        }
    }
}
