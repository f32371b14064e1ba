//! Merges staged reviews with the existing ones and reports the outcome. It works in batches in id order, so that
//! memory does not grow with the number of reviews. The rules are in `model::merge`.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::imports::file_error::ImportError;
use crate::imports::map::{Answer, Noted, SOURCE_DEFAULT};
use crate::imports::platforms::id_prefix;
use crate::imports::report::{ImportReport, Watcher};
use crate::imports::request::ImportRequest;
use crate::model::{
    Base, DUPLICATE, DigestKey, GONE, Merged, Review, ReviewId, Statement, Status, Unit, Units,
    adopt, merge,
};
use crate::storage::imports::{RowToStage, StagedRow, Staging};
use crate::storage::reviews::{self, KnownReviews, RunChange, SourceVersion};
use crate::storage::{DbError, Write};

pub(crate) mod collector;
pub(crate) mod completing;
pub(crate) mod time_zone;
pub(crate) mod undo;

/// A staged row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Staged {
    Review(Box<StagedReview>),
    /// Id of a review that the owner deleted.
    Deleted(ReviewId),
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagedReview {
    pub said: Statement,
    /// The business's location, by the source's name for it.
    pub location: Option<String>,
    /// Whether its row has an id; otherwise the id is a digest of the row.
    pub has_id: bool,
    /// When it last changed at the source; of rows with the same id, the newest counts.
    #[serde(skip)]
    pub changed_at: Option<DateTime<Utc>>,
    pub noted: Noted,
}

impl StagedReview {
    /// The source's own name, even if the owner renamed it.
    pub fn source_name(&self) -> &str {
        let own = &self.said.review.source.name;
        self.noted.source_name.as_ref().unwrap_or(own)
    }

    /// Whether the row has an id of its own that names no platform: another table may have the same id.
    fn counts_from_one(&self) -> bool {
        let former = self.noted.former.as_ref();
        self.has_id && former.is_some_and(|former| former.id.is_none())
    }

    /// The number at the end of the row's id, if earlier rows of the file are equal; see [`Staging::answer`].
    pub fn number(&self) -> Option<&str> {
        let id = self.said.review.id.as_str();
        let number = id.split_once('.').map(|(_, number)| number);
        number.filter(|_| !self.has_id && self.said.review.text.is_empty())
    }
}

impl Staged {
    /// `file` is the number of the row's file.
    pub fn push(&self, file: usize, staging: &mut Staging) -> sqlx::Result<()> {
        let id = self.id().as_str();
        let Self::Review(review) = self else {
            return staging.push(&RowToStage {
                id,
                ..RowToStage::default()
            });
        };
        let encode = |error: serde_json::Error| sqlx::Error::Encode(error.into());
        staging.push(&RowToStage {
            id,
            updated_us: review.changed_at.map(|at| at.timestamp_micros()),
            review: Some(serde_json::to_string(review).map_err(encode)?),
            may_be_there: !review.has_id || review.noted.former.is_some(),
            writer: review.noted.writer.as_deref(),
            // Equal stars on one day may be of several customers; equal texts are not.
            file: (!review.has_id && review.said.review.text.is_empty()).then_some(file),
        })
    }

    /// Reads a staged row, with the answer from another row.
    pub fn read((id, review, answer): StagedRow) -> sqlx::Result<Self> {
        let lost = |error: serde_json::Error| sqlx::Error::Decode(error.into());
        let id = id.parse::<ReviewId>();
        let id = id.map_err(|error| sqlx::Error::Decode(error.into()))?;
        let Some(review) = review else {
            return Ok(Self::Deleted(id));
        };
        let mut review: StagedReview = serde_json::from_str(&review).map_err(lost)?;
        // The id may have changed since.
        review.said.review.id = id;
        if let Some(answer) = answer {
            let (response, responded_at): Answer = serde_json::from_str(&answer).map_err(lost)?;
            review.said.review.response = Some(response);
            review.said.unsaid.remove(Unit::Response);
            review.noted.responded_at = responded_at;
        }
        Ok(Self::Review(Box::new(review)))
    }

    pub const fn id(&self) -> &ReviewId {
        match self {
            Self::Review(review) => &review.said.review.id,
            Self::Deleted(id) => id,
        }
    }
}

/// Errors of a merge; nothing was changed.
#[derive(Debug, Error)]
pub enum MergeError {
    /// The merge would exceed the request, or is ambiguous.
    #[error("{0}")]
    Refused(String),
    /// The database could not be read or written.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
}

impl MergeError {
    /// The import's error; `path` is the database.
    pub fn at(self, path: &Path) -> ImportError {
        match self {
            Self::Refused(reason) => ImportError::Refused(format!("{reason}; nothing was changed")),
            Self::Database(error) => DbError::at(path, error).into(),
        }
    }
}

/// Reason for withheld reviews without a reason; the published counts use the same words.
const REASON_DEFAULT: &str = "not stated";

/// Rows per transaction of a cluster.
const GROUP_MAX: usize = 5_000;

/// If at least this many reviews have the same fingerprint, the import keeps the state of that fingerprint to its end.
/// This bounds the cost of each review and the number of kept fingerprints.
const ALIKE_KEPT_MIN: u64 = 16;
/// Maximum number of sources with a published review that are kept for one fingerprint. Without a review's own source
/// and the review itself, at least one still remains.
const ALIKE_SOURCES_MAX: usize = 4;

/// The merge of one import within a transaction, which the caller commits or rolls back.
pub struct Merging<'w> {
    pub write: &'w mut Write,
    pub key: DigestKey,
    pub now: DateTime<Utc>,
    pub request: &'w ImportRequest,
    pub report: ImportReport,
    /// The run, for a later undo; `None` for a sample.
    pub run: Option<i64>,
    /// The sources of the merged reviews, with their locations as the files give them.
    places: BTreeSet<(String, Option<String>)>,
    alike: HashMap<i64, Alike>,
    /// Number of rows that repeat a row of another source, and the first of these sources.
    again: u64,
    again_from: String,
}

/// The reviews with one fingerprint.
#[derive(Debug, Default)]
struct Alike {
    reviews: u64,
    /// For each source, the id of its first published review and its name.
    published: Vec<(String, String)>,
    /// The same of reviews that the owner or their source withheld.
    withheld: Vec<(String, String)>,
}

impl<'w> Merging<'w> {
    /// A merge within `write`, which the caller commits; `report` is the report of reading.
    pub async fn new(
        write: &'w mut Write,
        now: DateTime<Utc>,
        request: &'w ImportRequest,
        report: ImportReport,
    ) -> sqlx::Result<Self> {
        let key = reviews::digest_key(write).await?;
        Ok(Self {
            write,
            key,
            now,
            request,
            report,
            run: None,
            places: BTreeSet::new(),
            alike: HashMap::new(),
            again: 0,
            again_from: String::new(),
        })
    }

    /// Merges all staged rows in batches; reports progress to `watch` after each.
    pub async fn all(&mut self, staging: &mut Staging, watch: Watcher<'_>) -> sqlx::Result<()> {
        let count = staging.count().await?;
        let staged = count + self.report.undecided.count;
        self.report.repeated = self.report.taken.saturating_sub(staged);
        let of = usize::try_from(count).unwrap_or(usize::MAX);
        let (mut last, mut done, mut in_group) = (String::new(), 0, 0);
        loop {
            let rows = staging.after(&last).await?.into_iter();
            let staged = rows.map(Staged::read).collect::<sqlx::Result<Vec<_>>>()?;
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
        let mut standing = reviews::standing(self.write.for_reading(), &ids).await?;
        self.add_unreadable(&mut standing, &staged).await?;
        let mut merged = Vec::with_capacity(staged.len());
        let mut newly_deleted = Vec::new();
        for one in &staged {
            match one {
                Staged::Review(review) => merged.extend(self.merged(&standing, review)),
                Staged::Deleted(id) if standing.reviews.contains_key(id.as_str()) => {
                    self.report.still_there.add(|| id.to_string());
                }
                Staged::Deleted(id) if standing.deleted.contains(id.as_str()) => {
                    self.report.kept_deleted.add(|| id.to_string());
                }
                Staged::Deleted(id) => newly_deleted.push(id.as_str()),
            }
        }
        self.report.noted_deleted += newly_deleted.len() as u64;
        self.find_duplicates(&standing, &mut merged).await?;
        let (mut changed, mut sources) = (Vec::new(), Vec::new());
        for (row, source) in merged {
            self.count(&standing, &row);
            let base = row.base;
            if !standing.has_same(&row.review) {
                changed.push(row.review);
            }
            sources.push(SourceVersion { base, ..source });
        }
        if !changed.is_empty() {
            reviews::upsert(self.write, &changed, self.now).await?;
            self.note_added(&standing, &changed).await?;
        }
        if !newly_deleted.is_empty() {
            reviews::note_deleted(self.write, &newly_deleted).await?;
        }
        reviews::note_sources(self.write, &sources).await
    }

    /// Adds the reviews whose rows cannot be read: as their sources state them now, with the owner's decisions.
    async fn add_unreadable(
        &mut self,
        standing: &mut KnownReviews,
        staged: &[Staged],
    ) -> sqlx::Result<()> {
        let reviews = staged.iter().filter_map(|one| match one {
            Staged::Review(review) => Some(&review.said.review),
            Staged::Deleted(_) => None,
        });
        let unknown: HashMap<&str, &Review> = reviews
            .map(|review| (review.id.as_str(), review))
            .filter(|(id, _)| !standing.reviews.contains_key(*id))
            .collect();
        let ids: Vec<&str> = unknown.keys().copied().collect();
        for (id, (status, response)) in
            reviews::stored_decisions(self.write.for_reading(), &ids).await?
        {
            if let Some(said) = unknown.get(id.as_str()) {
                let review = Review {
                    response,
                    status,
                    ..(*said).clone()
                };
                standing.reviews.insert(id.clone(), review);
                standing.unreadable.insert(id);
            }
        }
        Ok(())
    }

    /// Records the reviews that were not there before.
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

    /// The merged review; `None` if the owner deleted it.
    fn merged(
        &mut self,
        standing: &KnownReviews,
        staged: &StagedReview,
    ) -> Option<(Merged, SourceVersion)> {
        let said = &staged.said;
        let id = said.review.id.clone();
        let before = standing.reviews.get(id.as_str());
        let known = standing.sources.get(id.as_str());
        let source_name = match known {
            Some(known) if said.unsaid.has(Unit::Source) => &known.source_name,
            Some(_) | None => staged.source_name(),
        };
        let place = (source_name.to_owned(), staged.location.clone());
        self.places.insert(place);
        if before.is_none() && standing.deleted.contains(id.as_str()) && !self.request.restore {
            self.report.kept_deleted.add(|| id.to_string());
            return None;
        }
        if let Some(there) = before {
            let from = known.map_or(&there.source.name, |known| &known.source_name);
            if staged.counts_from_one()
                && from != source_name
                && !is_same_review(there, &said.review)
            {
                self.report.taken_ids.add(|| format!("{id} of {from}"));
                return None;
            }
        }
        let merged = match before {
            None => adopt(&self.key, said),
            Some(row) => {
                let base = known.map(|known| known.base.clone()).unwrap_or_default();
                merge(&self.key, row, &base, said, self.now)
            }
        };
        let responded_at = if said.unsaid.has(Unit::Response) {
            known.and_then(|known| known.responded_at)
        } else {
            staged.noted.responded_at
        };
        let location = staged.location.clone();
        let source = SourceVersion {
            source_name: source_name.to_owned(),
            location: location.or_else(|| known.and_then(|known| known.location.clone())),
            posted_at: staged.noted.posted_at,
            responded_at,
            // A file without texts does not change the fingerprint.
            fingerprint: known.filter(|_| said.unsaid.has(Unit::Text)).map_or_else(
                || self.key.fingerprint(&said.review),
                |known| known.fingerprint,
            ),
            base: Base::default(),
            id,
        };
        Some((merged, source))
    }

    /// Finds reviews that another source already provided, or the same source in another format; reports them, and
    /// withholds them if requested. A withheld review counts only for copies that are not public yet.
    async fn find_duplicates(
        &mut self,
        standing: &KnownReviews,
        merged: &mut [(Merged, SourceVersion)],
    ) -> sqlx::Result<()> {
        let mut alike = std::mem::take(&mut self.alike);
        let unknown: HashSet<i64> = merged
            .iter()
            .map(|(_, source)| source.fingerprint)
            .filter(|fingerprint| !alike.contains_key(fingerprint))
            .collect();
        let unknown: Vec<i64> = unknown.into_iter().collect();
        for group in reviews::alike(self.write.for_reading(), &unknown).await? {
            let its = alike.entry(group.fingerprint).or_default();
            its.reviews += group.reviews;
            for (list, id) in [
                (&mut its.published, group.published),
                (&mut its.withheld, group.withheld),
            ] {
                if list.len() < ALIKE_SOURCES_MAX {
                    list.extend(id.map(|id| (id, group.source_name.clone())));
                }
            }
        }
        for (row, source) in merged {
            let id = source.id.as_str();
            let its = alike.entry(source.fingerprint).or_default();
            its.reviews += 1;
            if row.review.status != Status::Published {
                // An unpublished review has no copies.
                its.published.retain(|(other, _)| other != id);
                continue;
            }
            let is_public = standing.reviews.get(id);
            let is_public = is_public.is_some_and(|its| its.status == Status::Published);
            let withheld = its.withheld.iter().filter(|_| !is_public);
            let other = its.published.iter().chain(withheld).find(|(other, from)| {
                let is_other_format =
                    || !row.review.text.is_empty() && id_prefix(other) != id_prefix(id);
                other != id && (*from != source.source_name || is_other_format())
            });
            if let Some((other, from)) = other {
                self.report
                    .duplicates
                    .add(|| format!("{id} is {other} of {from}"));
                let named = self.request.source.as_deref().unwrap_or(SOURCE_DEFAULT);
                if source.source_name == named && *from != named && is_same_shape(id, other) {
                    self.again += 1;
                    self.again_from.clone_from(from);
                }
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
            let is_rare = |its: &Alike| its.reviews < ALIKE_KEPT_MIN;
            if alike.get(&fingerprint).is_some_and(is_rare) {
                alike.remove(&fingerprint);
            }
        }
        self.alike = alike;
        Ok(())
    }

    /// Refuses an import that only duplicates an earlier one because `--source` is missing or differs: ids of rows
    /// without an id also depend on the source.
    pub fn refuse_other_source(&self) -> Result<(), MergeError> {
        let (new, known) = (self.report.new, self.report.updated + self.report.unchanged);
        let is_again = new > 0 && self.again == new && known == 0;
        if !is_again || self.request.skip_duplicates {
            return Ok(());
        }
        let from = &self.again_from;
        Err(MergeError::Refused(format!(
            "every review of this import already exists as one from {from}, because IDs of rows without one include the source; \
             pass --source \"{from}\" if they are from there, or withhold these with --skip-duplicates"
        )))
    }

    /// Withholds a duplicate, unless the owner published it nevertheless; returns whether it did.
    fn withhold_duplicate(&self, row: &mut Merged) -> bool {
        let copy = Review {
            status: Status::withheld(DUPLICATE),
            ..row.review.clone()
        };
        let now = self.key.digest(Unit::Status, &row.review);
        let then = self.key.digest(Unit::Status, &copy);
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
        match standing.reviews.get(review.id.as_str()) {
            None => self.report.new += 1,
            Some(_) if standing.has_same(review) => self.report.unchanged += 1,
            Some(_) => {
                self.report.updated += 1;
                let is_withheld = review.status != Status::Published;
                self.report.updated_withheld += u64::from(is_withheld);
            }
        }
        if let Status::Withheld { reason } = &review.status {
            let reason = reason.as_deref().filter(|reason| !reason.is_empty());
            let reason = reason.unwrap_or(REASON_DEFAULT).to_owned();
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

/// Whether a table may have both as the same review, once with and once without its text.
fn is_same_review(one: &Review, other: &Review) -> bool {
    let texts = [&one.text, &other.text];
    let is_text_same = texts[0] == texts[1] || texts.iter().any(|text| text.is_empty());
    (&one.author, one.date, one.rating) == (&other.author, other.date, other.rating) && is_text_same
}

/// Whether both ids are digests of rows of the same format.
fn is_same_shape(one: &str, other: &str) -> bool {
    fn format(id: &str) -> Option<&str> {
        let (format, digest) = id.rsplit_once('-')?;
        let digest = digest.split('.').next()?;
        let is_digest = digest.len() == 32 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_digest.then_some(format)
    }
    format(one).is_some() && format(one) == format(other)
}

// `--withdraw-missing`: withholds reviews that their source no longer lists; the merge publishes them again when they
// come back. A large share must be confirmed, because a truncated file would otherwise hide most of a business's
// reviews.

/// Percentage of a source's reviews above which `--yes` is required.
const SHARE_PERCENT_MAX: usize = 10;
/// Reviews per batch of withdrawing.
const WITHDRAW_ROWS: i64 = 500;

/// Withholds reviews that the sources and locations of this import no longer list. A large share needs `--yes`: without
/// it, the error ends the import, whose write is then dropped.
pub async fn withdraw_missing(
    merging: &mut Merging<'_>,
    staging: &mut Staging,
) -> Result<(), MergeError> {
    let refused = |reason| Err(MergeError::Refused(format!("--withdraw-missing: {reason}")));
    let rejected = merging.report.rejected;
    if rejected > 0 {
        return refused(format!(
            "{rejected} rows were rejected, and their reviews would count as missing; correct them first"
        ));
    }
    let skipped = merging.report.skipped();
    if skipped > 0 {
        return refused(format!(
            "{skipped} rows are skipped, and their reviews would count as missing; import without this option first"
        ));
    }
    for (source, location) in std::mem::take(&mut merging.places) {
        let (mut all, mut missing, mut last) = (0, 0, String::new());
        loop {
            let location = location.as_deref();
            let rows = reviews::sources_at(
                merging.write.for_reading(),
                &source,
                location,
                &last,
                WITHDRAW_ROWS,
            )
            .await?;
            let Some(end) = rows.last() else { break };
            last = end.id.to_string();
            merging.write.end_group();
            let ids: Vec<&str> = rows.iter().map(|row| row.id.as_str()).collect();
            let published = reviews::published(merging.write.for_reading(), &ids).await?;
            all += published.len();
            let known = staging.known(&ids).await?;
            let gone: HashMap<String, Review> = published
                .into_iter()
                .map(|numbered| (numbered.review.id.to_string(), numbered.review))
                .filter(|(id, _)| !known.contains(id))
                .collect();
            missing += gone.len();
            withdraw(merging, rows, gone).await?;
        }
        if missing * 100 > all * SHARE_PERCENT_MAX && !merging.request.yes {
            let location = location.map(|name| format!(" of {name}"));
            return refused(format!(
                "{missing} of {all} reviews that {source}{} gave are missing, more than {SHARE_PERCENT_MAX} %; check that the file \
                 is complete, and add --yes to withhold them",
                location.unwrap_or_default()
            ));
        }
    }
    Ok(())
}

/// Withholds these published reviews, except those that the owner published although the source hides them. `rows` has
/// the versions of their source.
async fn withdraw(
    merging: &mut Merging<'_>,
    rows: Vec<SourceVersion>,
    mut published: HashMap<String, Review>,
) -> sqlx::Result<()> {
    let (mut reviews, mut sources) = (Vec::new(), Vec::new());
    for mut row in rows {
        let Some(review) = published.remove(row.id.as_str()) else {
            continue;
        };
        let before = merging.key.digest(Unit::Status, &review);
        if row
            .base
            .get(Unit::Status)
            .is_some_and(|base| base != before)
        {
            let kept = &mut merging.report.kept_edited;
            kept.add(|| format!("{} status", row.id));
            continue;
        }
        let gone = Review {
            status: Status::withheld(GONE),
            updated_at: review.updated_at.max(Some(merging.now)),
            ..review
        };
        let after = merging.key.digest(Unit::Status, &gone);
        row.base.set(Unit::Status, after);
        merging.report.withdrawn.add(|| row.id.to_string());
        reviews.push(gone);
        sources.push(row);
    }
    if reviews.is_empty() {
        return Ok(());
    }
    reviews::upsert(merging.write, &reviews, merging.now).await?;
    if let Some(run) = merging.run {
        let ids: Vec<&str> = reviews.iter().map(|review| review.id.as_str()).collect();
        reviews::note_run_reviews(merging.write, run, RunChange::Withdrawn, &ids).await?;
    }
    reviews::note_sources(merging.write, &sources).await
}
