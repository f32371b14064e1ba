//! From rows to entries: reviews are taken out of the database with what is kept of their analyses,
//! and what is missing is read at once if that takes no longer than a moment. Otherwise they appear
//! unanalyzed, and are read for a later snapshot.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sqlx::SqliteConnection;
use tokio::task::yield_now;

use super::entry::Entry;
use super::index::{ReviewIndex, ReviewIndexBuilder};
use super::input::SnapshotInput;
use super::observer::Observer;
use super::staff::Staff;
use crate::insights::store::{NewAnalysis, StoredAnalysis, stored};
use crate::insights::{Analyzer, MentionKind, PackedAnalysis, Subject, TEXT_CHARS_MAX};
use crate::links::Links;
use crate::metrics;
use crate::model::{Review, ReviewId, Status};
use crate::storage::reviews::{Changed, Newest, Numbered, Observation};

/// How much is read while readers wait for a snapshot, in [`cost`]: about 300 ms at ten bytes a
/// microsecond. Counted and not timed, so that the same database always gives the same snapshot.
pub const ANALYZE_AT_ONCE_MAX: usize = 3_000_000;
/// What a review costs besides the bytes of its text: as many bytes as take as long.
const REVIEW_COST: usize = 300;
/// How many bytes of a text are read at most: four for each code point.
const TEXT_BYTES_MAX: usize = 4 * TEXT_CHARS_MAX;
/// How many reviews are looked up, or read, at a time; in between others may work.
const BATCH: usize = 64;

/// What it costs to read so many texts with so many bytes together.
#[must_use]
pub const fn cost(reviews: usize, bytes: usize) -> usize {
    reviews.saturating_mul(REVIEW_COST).saturating_add(bytes)
}

/// Makes entries for one snapshot.
#[derive(Debug)]
pub struct EntryLoader<'a> {
    connection: &'a mut SqliteConnection,
    analyzer: Arc<Analyzer>,
    staff: Arc<Staff>,
    /// As whom technicians are shown in what is out.
    staff_out: Option<Arc<Staff>>,
    links: &'a Links,
    backlog: &'a Backlog,
    /// What was read for this snapshot, and is to be kept.
    analyzed: Vec<NewAnalysis>,
    observer: Observer,
}

/// What was made for a snapshot, and is to be stored.
#[derive(Debug, Default)]
pub struct Loaded {
    /// Analyses of texts made for this snapshot, not stored yet.
    pub analyzed: Vec<NewAnalysis>,
    /// What others changed, first seen now.
    pub observed: Vec<Observation>,
    /// Of which reviews that is.
    pub undated: Vec<ReviewId>,
}

/// Reviews that are to be read, as long as they are few enough to be read at once.
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

impl<'a> EntryLoader<'a> {
    /// Entries of what `connection` sees, with links, analyses and names of staff of these, and with what
    /// `backlog` has of these analyses.
    pub fn new(
        connection: &'a mut SqliteConnection,
        analyzer: Arc<Analyzer>,
        staff: Arc<Staff>,
        links: &'a Links,
        backlog: &'a Backlog,
    ) -> Self {
        Self {
            connection,
            analyzer,
            staff,
            staff_out: None,
            links,
            backlog,
            analyzed: Vec::new(),
            observer: Observer::default(),
        }
    }

    /// The same, which dates what others changed; what is out shows technicians as `staff_out`.
    #[must_use]
    pub fn observing(self, observer: Observer, staff_out: Option<Arc<Staff>>) -> Self {
        Self {
            staff_out,
            observer,
            ..self
        }
    }

    /// Whether these are entries as those of `input`: analyzed by the same, and showing the same names.
    #[must_use]
    pub fn is_of(&self, input: &SnapshotInput) -> bool {
        self.analyzer.method() == input.analyzer.method() && self.staff.shows_as(&input.staff)
    }

    /// What it is taken out of.
    pub const fn connection(&mut self) -> &mut SqliteConnection {
        self.connection
    }

    /// What was made for this snapshot, and is to be stored.
    #[must_use]
    pub fn into_loaded(self) -> Loaded {
        let (observed, undated) = self.observer.into_observed();
        Loaded {
            analyzed: self.analyzed,
            observed,
            undated,
        }
    }

    /// A review index of all published reviews.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn all(&mut self) -> sqlx::Result<ReviewIndex> {
        let (mut newest, mut builder, mut missing) = (
            Newest::default(),
            ReviewIndexBuilder::default(),
            Unanalyzed::default(),
        );
        while let Some(reviews) = newest.next_numbered(self.connection).await? {
            let mut kept = self.stored_analyses(&reviews).await?;
            self.backlog.count_read(reviews.len());
            for numbered in reviews {
                let kept = kept.remove(numbered.review.id.as_str());
                let numbered = self.date(numbered, kept.as_ref());
                builder.push(&self.entry(numbered, kept, &mut missing));
            }
        }
        let review_index = builder.finish();
        if missing.reviews.is_empty() {
            return Ok(review_index);
        }
        let analyzed = self.analyze_all(missing.reviews).await;
        Ok(review_index.revise(analyzed))
    }

    /// `review_index` after these changes.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn revise(
        &mut self,
        review_index: &ReviewIndex,
        changes: Vec<Changed>,
    ) -> sqlx::Result<ReviewIndex> {
        let (mut entries, mut missing): (HashMap<ReviewId, Option<Entry>>, _) =
            (HashMap::new(), Unanalyzed::default());
        let mut published = Vec::with_capacity(changes.len());
        for Changed { id, review } in changes {
            match review.filter(|numbered| numbered.review.status == Status::Published) {
                Some(numbered) => published.push(numbered),
                None => drop(entries.insert(id, None)),
            }
        }
        while !published.is_empty() {
            let batch = published.split_off(published.len().saturating_sub(BATCH));
            let mut kept = self.stored_analyses(&batch).await?;
            for numbered in batch {
                let (id, kept) = (
                    numbered.review.id.clone(),
                    kept.remove(numbered.review.id.as_str()),
                );
                let numbered = self.date(numbered, kept.as_ref());
                let entry = self.entry(numbered, kept, &mut missing);
                entries.insert(id, Some(entry));
            }
        }
        entries.extend(self.analyze_all(missing.reviews).await);
        Ok(review_index.revise(entries.into_iter().collect()))
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

    /// The review, dated where somebody else changed it.
    fn date(&mut self, numbered: Numbered, kept: Option<&StoredAnalysis>) -> Numbered {
        let mut observer = std::mem::take(&mut self.observer);
        // Who is shown and as whom is no change of a review: it is rendered as it would have been.
        let staff = self.staff_out.as_deref().unwrap_or(&self.staff);
        let numbered = observer.date(numbered, |numbered| {
            let mut missing = Unanalyzed::default();
            let entry = self.entry_with(staff, numbered.clone(), kept.cloned(), &mut missing);
            entry.json
        });
        self.observer = observer;
        numbered
    }

    /// The entry of a review, given what is kept of its reading.
    fn entry(
        &self,
        numbered: Numbered,
        kept: Option<StoredAnalysis>,
        missing: &mut Unanalyzed,
    ) -> Entry {
        self.entry_with(&self.staff, numbered, kept, missing)
    }

    /// The same, with technicians as `staff` shows them.
    fn entry_with(
        &self,
        staff: &Staff,
        numbered: Numbered,
        kept: Option<StoredAnalysis>,
        missing: &mut Unanalyzed,
    ) -> Entry {
        let hash = Subject::of(&numbered.review).hash();
        let review_no = numbered.review_no;
        let waits = |kept: &Arc<NewAnalysis>| {
            kept.text_hash == hash && kept.method_hash == self.analyzer.method()
        };
        if let Some(waiting) = self.backlog.find(numbered.review.id.as_str()).filter(waits) {
            // Stars and day may have changed since, which are not read and stand in the packed
            // analysis.
            let packed_analysis =
                PackedAnalysis::new(&waiting.analysis, &numbered.review, self.analyzer.trade());
            let names = waiting.analysis.names();
            let entry = self.analyzed(staff, numbered.review, &names, packed_analysis);
            return entry.numbered(review_no);
        }
        let Some(kept) = kept.filter(|kept| kept.text_hash == hash) else {
            missing.add(&numbered, hash);
            let review = staff.review(numbered.review);
            return Entry::unanalyzed(review, self.links).numbered(review_no);
        };
        let packed_analysis = if kept.method_hash == self.analyzer.method() {
            kept.packed_analysis(&numbered.review)
        } else {
            None
        };
        let Some(packed_analysis) = packed_analysis else {
            missing.add(&numbered, hash);
            let (review, names) = (staff.review(numbered.review), staff.names(&kept.names));
            return Entry::to_reanalyze(review, &names, self.links).numbered(review_no);
        };
        let entry = self.analyzed(staff, numbered.review, &kept.names, packed_analysis);
        entry.numbered(review_no)
    }

    /// The entry of a review with its analysis, with technicians as `staff` shows them.
    fn analyzed(
        &self,
        staff: &Staff,
        review: Review,
        names: &[(MentionKind, String)],
        packed_analysis: PackedAnalysis,
    ) -> Entry {
        Entry::analyzed(
            staff.review(review),
            &staff.names(names),
            staff.analysis(packed_analysis),
            self.links,
        )
    }

    async fn analyze_all(
        &mut self,
        reviews: Vec<(Numbered, String)>,
    ) -> Vec<(ReviewId, Option<Entry>)> {
        let mut entries = Vec::with_capacity(reviews.len());
        for (numbered, text_hash) in reviews {
            let Numbered {
                review_no, review, ..
            } = numbered;
            if entries.len() % BATCH == BATCH - 1 {
                yield_now().await;
            }
            let id = review.id.clone();
            let kept = analyze(&self.analyzer, &review, text_hash);
            let (names, packed_analysis) = (kept.analysis.names(), kept.packed_analysis.clone());
            let entry = self.analyzed(&self.staff, review, &names, packed_analysis);
            entries.push((id, Some(entry.numbered(review_no))));
            self.analyzed.push(kept);
        }
        metrics::TEXTS_ANALYZED
            .counter(&[])
            .increment(entries.len() as u64);
        entries
    }
}

/// Reads one review's text, whose hash is this.
#[must_use]
pub fn analyze(analyzer: &Analyzer, review: &Review, text_hash: String) -> NewAnalysis {
    let analysis = analyzer.analyze(&Subject::of(review));
    let packed_analysis = PackedAnalysis::new(&analysis, review, analyzer.trade());
    NewAnalysis {
        id: review.id.to_string(),
        text_hash,
        method_hash: analyzer.method().to_owned(),
        analysis,
        packed_analysis,
    }
}

// What is left to do about analyses when a snapshot is rendered: those that were made for it are
// to be kept, and texts that it could not wait for are to be read. Shared by the publisher, which
// fills it, and the job that works it off. Until an analysis is kept it stands here, so that a
// snapshot that could not be published is not read once more for the next try.

/// How many analyses wait to be kept at most; what does not fit is analyzed again later. About 3
/// KB each.
const KEPT_MAX: usize = 16_384;

/// See the head of this file.
#[derive(Debug, Default)]
pub struct Backlog {
    waiting: Mutex<WaitingAnalyses>,
    is_analyzed: AtomicBool,
    /// How many reviews were read since the start.
    read: AtomicU64,
}

#[derive(Debug, Default)]
struct WaitingAnalyses {
    analyses: VecDeque<Arc<NewAnalysis>>,
    /// The newest of each review.
    by_id: HashMap<String, Arc<NewAnalysis>>,
}

impl Backlog {
    /// How many reviews were read since the start, each as often as it was.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    fn count_read(&self, reviews: usize) {
        self.read.fetch_add(reviews as u64, Ordering::Relaxed);
    }

    /// Adds analyses that are to be kept.
    pub fn add(&self, analyses: Vec<NewAnalysis>) {
        let mut waiting = self.lock();
        let room = KEPT_MAX.saturating_sub(waiting.analyses.len());
        for analysis in analyses.into_iter().take(room).map(Arc::new) {
            waiting
                .by_id
                .insert(analysis.id.clone(), Arc::clone(&analysis));
            waiting.analyses.push_back(analysis);
        }
    }

    /// Up to `count` of those that were added first; they stay until [`Backlog::remove`].
    #[must_use]
    pub fn first(&self, count: usize) -> Vec<Arc<NewAnalysis>> {
        self.lock()
            .analyses
            .iter()
            .take(count)
            .map(Arc::clone)
            .collect()
    }

    /// Takes these away, which are kept now.
    pub fn remove(&self, analyses: &[Arc<NewAnalysis>]) {
        let mut waiting = self.lock();
        for analysis in analyses {
            if waiting
                .analyses
                .front()
                .is_some_and(|first| Arc::ptr_eq(first, analysis))
            {
                waiting.analyses.pop_front();
            } else {
                waiting.analyses.retain(|its| !Arc::ptr_eq(its, analysis));
            }
            if waiting
                .by_id
                .get(&analysis.id)
                .is_some_and(|its| Arc::ptr_eq(its, analysis))
            {
                waiting.by_id.remove(&analysis.id);
            }
        }
    }

    /// The newest reading of that review that waits to be kept, if there is one.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<NewAnalysis>> {
        self.lock().by_id.get(id).map(Arc::clone)
    }

    /// How many analyses wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().analyses.len()
    }

    /// Whether every review is analyzed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, WaitingAnalyses> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that what the snapshot could not wait for has been read and kept, so that the next one
    /// can have it.
    pub fn set_analyzed(&self) {
        self.is_analyzed.store(true, Ordering::Release);
    }

    /// Whether that was said since the last [`Backlog::take_analyzed`].
    #[must_use]
    pub fn is_analyzed(&self) -> bool {
        self.is_analyzed.load(Ordering::Acquire)
    }

    /// Whether that was said; it has to be said again.
    #[must_use]
    pub fn take_analyzed(&self) -> bool {
        self.is_analyzed.swap(false, Ordering::AcqRel)
    }
}
