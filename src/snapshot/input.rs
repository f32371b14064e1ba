//! The input of rendering: the reviews with their analyses, the business and its own texts; and how reviews are read
//! from the database for it. Missing analyses are made at once if that is quick; otherwise the reviews appear unanalyzed
//! and are analyzed for a later snapshot.
//!
//! Changes of writers that do not set `updated_at` are dated with the instant at which the publisher first sees them.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt as _;
use sqlx::SqliteConnection;
use tokio::task::yield_now;

use super::entries::Entries;
use super::entry::Entry;
use super::staff::Staff;
use crate::insights::store::{StoredAnalysis, stored};
use crate::insights::{Analyzer, PackedAnalysis, Subject, TEXT_CHARS_MAX};
use crate::links::Links;
use crate::metrics;
use crate::model::business::{Business, Editorial};
use crate::model::{MentionKind, Review, ReviewId, Status};
use crate::storage::reviews::{Binding, Changed, Numbered, Observation, newest};
use crate::storage::{CACHE_KIB, limit_cache};

#[derive(Debug, Clone, Default)]
pub struct SnapshotInput {
    /// Newest first.
    pub entries: Entries,
    /// The business with the shown names of its technicians.
    pub business: Business,
    /// The business's own texts.
    pub editorial: Editorial,
    /// The technicians and their shown names.
    pub staff: Arc<Staff>,
    /// Unpublished reviews by reason.
    pub withheld: BTreeMap<String, u64>,
    /// The base of the feed entries' IDs, if it differs from the current links.
    pub first_links: Option<Links>,
    /// The source of the analyses.
    pub analyzer: Arc<Analyzer>,
    /// Differs from `analyzer` if the roster changed and analyzing everything again takes long; until that is done,
    /// the former analyses are published.
    pub next_analyzer: Arc<Analyzer>,
}

impl SnapshotInput {
    /// Whether everything but the reviews is equal, with the same next analyzer; `analyzer` is ignored.
    pub fn is_same_but_for_reviews(&self, other: &Self) -> bool {
        let Self {
            entries: _,
            business,
            editorial,
            withheld,
            first_links,
            staff,
            analyzer: _,
            next_analyzer,
        } = self;
        (business, editorial, withheld) == (&other.business, &other.editorial, &other.withheld)
            && (first_links, staff) == (&other.first_links, &other.staff)
            && Arc::ptr_eq(next_analyzer, &other.next_analyzer)
    }

    /// The number of reviews to analyze, or to analyze again.
    pub fn behind(&self) -> usize {
        if self.analyzer.method() == self.next_analyzer.method() {
            self.entries.index().count_unanalyzed()
        } else {
            self.entries.len()
        }
    }
}

// Loads reviews with their stored analyses from the database.

/// Maximum work, as a [`cost`], for missing analyses when a snapshot is rendered: about 300 ms at ten bytes per
/// microsecond. A cost instead of a time, so that the same database always gives the same snapshot.
pub const ANALYZE_AT_ONCE_MAX: usize = 3_000_000;
/// The fixed cost of a review, expressed in bytes of text.
const REVIEW_COST: usize = 300;
/// Maximum number of bytes of a text that are analyzed: four per code point.
const TEXT_BYTES_MAX: usize = 4 * TEXT_CHARS_MAX;
/// The page cache while all reviews are read: rows of several tables belong to one review, and with [`CACHE_KIB`] half of
/// the pages would be read more than once.
const READ_ALL_CACHE_KIB: u32 = 16_384;
/// Reviews whose stored analyses are read at once.
const LOADED_AT_ONCE: usize = 256;
/// Reviews loaded or analyzed between two yields.
const BATCH: usize = 64;

/// The cost of analyzing `reviews` texts with `bytes` in total.
pub const fn cost(reviews: usize, bytes: usize) -> usize {
    reviews.saturating_mul(REVIEW_COST).saturating_add(bytes)
}

/// Builds the entries of one snapshot.
#[derive(Debug)]
pub struct EntryLoader<'a> {
    pub connection: &'a mut SqliteConnection,
    /// Its stored analyses are used.
    pub analyzer: Arc<Analyzer>,
    pub staff: Arc<Staff>,
    pub links: &'a Links,
    pub progress: &'a AnalysisProgress,
    /// The instant of changes by other writers: those that differ from `published`.
    pub now: DateTime<Utc>,
    pub published: Option<&'a SnapshotInput>,
    /// Results so far.
    pub loaded: Loaded,
}

/// Results of loading that are to be stored.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Analyses that are not stored yet.
    pub analyzed: Vec<StoredAnalysis>,
    /// Changes by other writers, first seen now.
    pub observed: Vec<Observation>,
    /// The reviews of these changes.
    pub undated: Vec<ReviewId>,
}

/// Reviews without analysis, if they are few enough to be analyzed at once.
#[derive(Debug, Default)]
struct Unanalyzed {
    reviews: Vec<(Numbered, String)>,
    cost: usize,
}

impl Unanalyzed {
    fn add(&mut self, numbered: &Numbered, hash: String) {
        self.cost = self
            .cost
            .saturating_add(cost(1, numbered.review.text.len().min(TEXT_BYTES_MAX)));
        if self.cost <= ANALYZE_AT_ONCE_MAX {
            self.reviews.push((numbered.clone(), hash));
        } else {
            self.reviews = Vec::new();
        }
    }
}

impl EntryLoader<'_> {
    /// Whether the entries are equivalent to those of `input`: the same method of analysis and the same shown names.
    pub fn is_of(&self, input: &SnapshotInput) -> bool {
        self.analyzer.method() == input.analyzer.method() && self.staff.shows_as(&input.staff)
    }

    /// Loads all published reviews; what did not change since `previous` is shared with it.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn all(&mut self, previous: &Entries) -> sqlx::Result<Entries> {
        limit_cache(self.connection, READ_ALL_CACHE_KIB).await?;
        let read = self.all_stored().await;
        limit_cache(self.connection, CACHE_KIB).await?;
        let (mut list, missing) = read?;
        let mut analyzed = self.analyze_all(missing.reviews).await;
        for entry in &mut list {
            if let Some(analyzed) = analyzed.remove(&entry.review.id) {
                *entry = Arc::new(analyzed);
            }
        }
        Ok(Entries::new(list, previous))
    }

    /// All published reviews with their stored analyses, newest first, and those without one.
    async fn all_stored(&mut self) -> sqlx::Result<(Vec<Arc<Entry>>, Unanalyzed)> {
        let reviews: Vec<Numbered> = newest(self.connection).try_collect().await?;
        let mut list = Vec::with_capacity(reviews.len());
        let (mut reviews, mut missing) = (reviews.into_iter(), Unanalyzed::default());
        while reviews.len() > 0 {
            let batch: Vec<Numbered> = reviews.by_ref().take(LOADED_AT_ONCE).collect();
            let mut kept = self.stored_analyses(&batch).await?;
            let loaded = &self.progress.loaded;
            loaded.fetch_add(batch.len() as u64, Ordering::Relaxed);
            for numbered in batch {
                let kept = kept.remove(numbered.review.id.as_str());
                let numbered = self.date(numbered, kept.as_ref());
                list.push(Arc::new(self.entry(
                    &self.staff,
                    numbered,
                    kept,
                    &mut missing,
                )));
            }
        }
        Ok((list, missing))
    }

    /// Applies these changes to `entries`.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub async fn revise(
        &mut self,
        entries: &Entries,
        changes: Vec<Changed>,
    ) -> sqlx::Result<Entries> {
        let (mut revised, mut missing) = (HashMap::new(), Unanalyzed::default());
        let mut published = Vec::with_capacity(changes.len());
        for Changed { id, review } in changes {
            match review.filter(|numbered| numbered.review.status == Status::Published) {
                Some(numbered) => published.push(numbered),
                None => drop(revised.insert(id, None)),
            }
        }
        while !published.is_empty() {
            let batch = published.split_off(published.len().saturating_sub(BATCH));
            let mut kept = self.stored_analyses(&batch).await?;
            for numbered in batch {
                let id = numbered.review.id.clone();
                let kept = kept.remove(id.as_str());
                let numbered = self.date(numbered, kept.as_ref());
                let entry = self.entry(&self.staff, numbered, kept, &mut missing);
                revised.insert(id, Some(entry));
            }
        }
        let analyzed = self.analyze_all(missing.reviews).await.into_iter();
        revised.extend(analyzed.map(|(id, entry)| (id, Some(entry))));
        Ok(entries.revise(revised.into_iter().collect()))
    }

    async fn stored_analyses(
        &mut self,
        reviews: &[Numbered],
    ) -> sqlx::Result<HashMap<String, StoredAnalysis>> {
        let ids: Vec<&str> = reviews
            .iter()
            .map(|numbered| numbered.review.id.as_str())
            .collect();
        stored(self.connection, &ids).await
    }

    /// The review, dated if another writer changed it; it keeps its instant if it renders as before.
    fn date(&mut self, mut numbered: Numbered, kept: Option<&StoredAnalysis>) -> Numbered {
        let Some(review_no) = numbered.review_no else {
            return numbered;
        };
        let stated_at = numbered.review.updated_at;
        let observed_at = match numbered.binding {
            Binding::Bound => return numbered,
            // The writer has set the date.
            Binding::New if stated_at.is_some() => None,
            Binding::New | Binding::Foreign => {
                let known = self.published.and_then(|published| {
                    let at = published.entries.find(&numbered.review.id)?;
                    Some((&published.staff, &published.entries[at]))
                });
                let floor = known
                    .map(|(_, entry)| entry.review.changed_at())
                    .max(stated_at);
                let is_as_before = known.is_some_and(|(staff, known)| {
                    numbered.review.updated_at = Some(known.review.changed_at());
                    // A changed display of technicians is not a change of the review.
                    let again = numbered.clone();
                    let entry = self.entry(staff, again, kept.cloned(), &mut Unanalyzed::default());
                    entry.json() == known.json()
                });
                if is_as_before {
                    // Nothing visible changed except, possibly, a later instant that the writer set.
                    floor
                } else {
                    Some(self.now.max(floor.unwrap_or_default()))
                }
            }
        };
        numbered.review.updated_at = observed_at.or(stated_at);
        self.loaded.observed.push(Observation {
            review_no,
            observed_at,
        });
        self.loaded.undated.push(numbered.review.id.clone());
        numbered
    }

    /// The entry of a review, with its stored analysis if there is one, and with technicians as `staff` shows them.
    fn entry(
        &self,
        staff: &Staff,
        numbered: Numbered,
        kept: Option<StoredAnalysis>,
        missing: &mut Unanalyzed,
    ) -> Entry {
        let review = &numbered.review;
        let hash = Subject::of(review).hash();
        let kept = kept.filter(|kept| kept.text_hash == hash);
        // Names of another method are shown until the text is analyzed again.
        let names = kept.as_ref().map(|kept| kept.analysis.names());
        let current = kept.filter(|kept| kept.method_hash == self.analyzer.method());
        let packed_analysis =
            current.map(|kept| PackedAnalysis::new(&kept.analysis, review, self.analyzer.trade()));
        if packed_analysis.is_none() {
            missing.add(&numbered, hash);
        }
        self.shown(staff, numbered, &names.unwrap_or_default(), packed_analysis)
    }

    /// The entry of a review with technicians as `staff` shows them.
    fn shown(
        &self,
        staff: &Staff,
        numbered: Numbered,
        names: &[(MentionKind, String)],
        packed_analysis: Option<PackedAnalysis>,
    ) -> Entry {
        let (review, names) = (staff.review(numbered.review), staff.names(names));
        let packed_analysis = packed_analysis.map(|analysis| staff.analysis(analysis));
        Entry::new(
            review,
            numbered.review_no,
            &names,
            packed_analysis,
            self.links,
        )
    }

    async fn analyze_all(&mut self, reviews: Vec<(Numbered, String)>) -> HashMap<ReviewId, Entry> {
        let mut entries = HashMap::with_capacity(reviews.len());
        for (numbered, text_hash) in reviews {
            if entries.len() % BATCH == BATCH - 1 {
                yield_now().await;
            }
            let id = numbered.review.id.clone();
            let kept = analyze(&self.analyzer, &numbered.review, text_hash);
            let packed_analysis =
                PackedAnalysis::new(&kept.analysis, &numbered.review, self.analyzer.trade());
            let names = kept.analysis.names();
            let entry = self.shown(&self.staff, numbered, &names, Some(packed_analysis));
            entries.insert(id, entry);
            self.loaded.analyzed.push(kept);
        }
        metrics::TEXTS_ANALYZED
            .counter(&[])
            .inc_by(entries.len() as u64);
        entries
    }
}

pub fn analyze(analyzer: &Analyzer, review: &Review, text_hash: String) -> StoredAnalysis {
    StoredAnalysis {
        id: review.id.to_string(),
        text_hash,
        method_hash: analyzer.method().to_owned(),
        analysis: analyzer.analyze(&Subject::of(review)),
    }
}

/// What the publisher and the job that analyzes postponed reviews tell each other.
#[derive(Debug, Default)]
pub struct AnalysisProgress {
    is_analyzed: AtomicBool,
    /// Reviews loaded since the start, each time they are.
    loaded: AtomicU64,
}

impl AnalysisProgress {
    /// Reviews loaded since the start, each time they are.
    pub fn count_loaded(&self) -> u64 {
        self.loaded.load(Ordering::Relaxed)
    }

    /// Signals that the postponed analyses are stored, so that the next snapshot can use them.
    pub fn set_analyzed(&self) {
        self.is_analyzed.store(true, Ordering::Release);
    }

    /// Whether [`AnalysisProgress::set_analyzed`] was called since the last [`AnalysisProgress::take_analyzed`].
    pub fn is_analyzed(&self) -> bool {
        self.is_analyzed.load(Ordering::Acquire)
    }

    /// Returns and clears the signal.
    pub fn take_analyzed(&self) -> bool {
        self.is_analyzed.swap(false, Ordering::AcqRel)
    }
}
