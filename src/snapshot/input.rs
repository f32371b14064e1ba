//! The input of rendering: the reviews with their analyses, the business and its own texts; and how reviews are read
//! from the database for it. Missing analyses are made at once if that is quick; otherwise the reviews appear unanalyzed
//! and are analyzed for a later snapshot.
//!
//! Changes of writers that do not set `updated_at` are dated with the instant at which the publisher first sees them.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt as _;
use sqlx::SqliteConnection;
use tokio::task::yield_now;

use super::entries::{Entries, Entry};
use crate::insights::store::{StoredAnalysis, parse};
use crate::insights::{Analysis, AnalysisInput, Analyzer, CompactAnalysis, TEXT_CHARS_MAX};
use crate::links::Links;
use crate::metrics;
use crate::model::business::{Business, Editorial, PublishStaff};
use crate::model::{MentionKind, Review, ReviewId};
use crate::storage::reviews::{Binding, Numbered, Observation, Reasons, newest};
use crate::storage::{CACHE_KIB, limit_cache};
use crate::wire;

#[derive(Debug, Clone, Default)]
pub struct SnapshotInput {
    /// Newest first.
    pub entries: Entries,
    /// The business as published: without technicians if none are shown.
    pub business: Business,
    /// The business with all its technicians, whose names the analyses find.
    pub own_business: Arc<Business>,
    /// The business's own texts.
    pub editorial: Editorial,
    /// Unpublished reviews by reason.
    pub withheld: Reasons,
    /// The base URL of the addresses in all bodies.
    pub links: Links,
    /// The base of the feed entries' IDs.
    pub first_links: Links,
    /// The source of the analyses.
    pub analyzer: Arc<Analyzer>,
    /// The analyses that follow in a later snapshot, if not all are here.
    pub analysing: Option<Arc<Analysing>>,
}

/// Analyses that take too long for the snapshot that needs them.
#[derive(Debug)]
pub struct Analysing {
    /// Differs from that of the snapshot if the roster changed; until all are stored, the former analyses are published.
    pub analyzer: Arc<Analyzer>,
    are_stored: AtomicBool,
}

impl Analysing {
    pub fn new(analyzer: &Arc<Analyzer>) -> Self {
        Self {
            analyzer: Arc::clone(analyzer),
            are_stored: AtomicBool::new(false),
        }
    }

    /// Whether all are stored, so that the next snapshot can use them.
    pub fn are_stored(&self) -> bool {
        self.are_stored.load(Ordering::Relaxed)
    }

    pub fn finish(&self) {
        self.are_stored.store(true, Ordering::Relaxed);
    }
}

impl SnapshotInput {
    /// Whether the insights of `other` are the same. `analyzer` only says whether `entries` are analyzed again.
    pub fn has_insights_of(&self, other: &Self) -> bool {
        self.entries.is_same_as(&other.entries)
            && (&self.own_business, &self.editorial) == (&other.own_business, &other.editorial)
    }

    /// The review at that position, as it is published.
    pub fn review(&self, at: usize) -> wire::Review {
        let review = &self.entries[at].review;
        wire::Review::new(review, self.links.review(review.id.as_str()))
    }

    /// The analyzer of the next snapshot's analyses.
    pub fn next_analyzer(&self) -> &Arc<Analyzer> {
        let analysing = self.analysing.as_ref();
        analysing.map_or(&self.analyzer, |analysing| &analysing.analyzer)
    }

    /// Whether the analyses that follow are stored.
    pub fn has_next_analyses(&self) -> bool {
        self.analysing.as_ref().is_some_and(|one| one.are_stored())
    }

    /// Whether all reviews are analyzed again.
    pub fn is_analyzed_again(&self) -> bool {
        self.analyzer.method() != self.next_analyzer().method()
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
/// Reviews analyzed between two yields.
const BATCH: usize = 64;

/// The cost of analyzing `reviews` texts with `bytes` in total.
pub const fn cost(reviews: usize, bytes: usize) -> usize {
    reviews.saturating_mul(REVIEW_COST).saturating_add(bytes)
}

/// Builds the entries of one snapshot.
#[derive(Debug)]
pub struct EntryLoader<'a> {
    /// Its stored analyses are used.
    pub analyzer: Arc<Analyzer>,
    pub publish_staff: PublishStaff,
    pub links: &'a Links,
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
    /// Whether the entries are equivalent to those of `input`: the same method of analysis, and technicians shown alike.
    pub fn is_of(&self, input: &SnapshotInput) -> bool {
        self.analyzer.method() == input.analyzer.method()
            && self.publish_staff == input.business.publish_staff
    }

    /// Loads all published reviews; what did not change since `previous` is shared with it.
    pub async fn all(
        &mut self,
        connection: &mut SqliteConnection,
        previous: &Entries,
    ) -> sqlx::Result<Entries> {
        limit_cache(connection, READ_ALL_CACHE_KIB).await?;
        let (mut list, mut missing) = (Vec::new(), Unanalyzed::default());
        let mut reviews = newest(connection);
        while let Some(numbered) = reviews.try_next().await? {
            let numbered = self.date(numbered);
            list.push(Arc::new(self.entry(numbered, &mut missing)));
        }
        drop(reviews);
        limit_cache(connection, CACHE_KIB).await?;
        let mut analyzed = self.analyze_all(missing.reviews).await;
        for entry in &mut list {
            if let Some(analyzed) = analyzed.remove(&entry.review.id) {
                *entry = Arc::new(analyzed);
            }
        }
        Ok(Entries::new(list, previous, self.links))
    }

    /// Replaces the entries of the reviews `ids` by those of `reviews`, which are published.
    pub async fn revise(
        &mut self,
        entries: &Entries,
        ids: &HashSet<ReviewId>,
        reviews: Vec<Numbered>,
    ) -> Entries {
        let (mut revised, mut missing) = (HashMap::new(), Unanalyzed::default());
        for numbered in reviews {
            let numbered = self.date(numbered);
            let id = numbered.review.id.clone();
            revised.insert(id, self.entry(numbered, &mut missing));
        }
        revised.extend(self.analyze_all(missing.reviews).await);
        entries.revise(ids, revised.into_values(), self.links)
    }

    /// The review, dated if another writer changed it; it keeps its instant if it renders as before.
    fn date(&mut self, mut numbered: Numbered) -> Numbered {
        let stated_at = numbered.review.updated_at;
        let observed_at = match numbered.binding {
            Binding::Bound => return numbered,
            // The writer has set the date.
            Binding::New if stated_at.is_some() => None,
            Binding::New | Binding::Foreign => {
                let known = self.published.and_then(|published| {
                    let at = published.entries.find(&numbered.review.id)?;
                    Some(&published.entries[at].review)
                });
                let floor = known.map(Review::changed_at).max(stated_at);
                let is_as_before = known.is_some_and(|known| {
                    let mut again = self.entry(numbered.clone(), &mut Unanalyzed::default());
                    again.review.updated_at = known.updated_at;
                    again.review == *known
                });
                // A later instant that the writer set is kept, even if nothing else changed.
                (!is_as_before).then(|| self.now.max(floor.unwrap_or_default()))
            }
        };
        numbered.review.updated_at = observed_at.or(stated_at);
        let id = numbered.review.id.clone();
        self.loaded.observed.push(Observation { id, observed_at });
        numbered
    }

    /// The entry of a review, with its stored analysis if there is one.
    fn entry(&self, mut numbered: Numbered, missing: &mut Unanalyzed) -> Entry {
        let hash = AnalysisInput::of(&numbered.review).hash();
        let stored = numbered.analysis.take().filter(|row| row.text_hash == hash);
        let analysis = stored.as_ref().and_then(parse);
        // Names of another method are shown until the text is analyzed again.
        let names = analysis.as_ref().map(Analysis::names);
        let is_current = stored.is_some_and(|row| row.method_hash == self.analyzer.method());
        let (review, trade) = (&numbered.review, self.analyzer.trade);
        let compact_analysis = analysis
            .filter(|_| is_current)
            .map(|analysis| CompactAnalysis::new(&analysis, review, trade));
        if compact_analysis.is_none() {
            missing.add(&numbered, hash);
        }
        let names = names.unwrap_or_default();
        let (review_no, review) = (numbered.review_no, numbered.review);
        entry(
            self.publish_staff,
            review_no,
            review,
            &names,
            compact_analysis,
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
            let compact_analysis =
                CompactAnalysis::new(&kept.analysis, &numbered.review, self.analyzer.trade);
            let names = kept.analysis.names();
            let (review_no, review) = (numbered.review_no, numbered.review);
            let analysis = Some(compact_analysis);
            let entry = entry(self.publish_staff, review_no, review, &names, analysis);
            entries.insert(id, entry);
            self.loaded.analyzed.push(kept);
        }
        metrics::TEXTS_ANALYZED
            .counter(&[])
            .inc_by(entries.len() as u64);
        entries
    }
}

/// The entry of a review, without technicians if none are shown. `names` were found in its text, and are added to the recorded
/// ones.
fn entry(
    publish_staff: PublishStaff,
    review_no: Option<i64>,
    mut review: Review,
    names: &BTreeSet<(MentionKind, String)>,
    mut analysis: Option<CompactAnalysis>,
) -> Entry {
    let is_hidden = |kind| publish_staff == PublishStaff::Off && kind == MentionKind::Technician;
    let recorded = review.mentions.pairs();
    let pairs = recorded.chain(names.iter().map(|(kind, name)| (*kind, name)));
    review.mentions = pairs
        .filter(|(kind, _)| !is_hidden(*kind))
        .map(|(kind, name)| (kind, name.clone()))
        .collect();
    if let Some(analysis) = &mut analysis {
        analysis.retain_names(|kind| !is_hidden(kind));
    }
    Entry {
        review_no,
        review,
        analysis,
    }
}

pub fn analyze(analyzer: &Analyzer, review: &Review, text_hash: String) -> StoredAnalysis {
    StoredAnalysis {
        id: review.id.to_string(),
        text_hash,
        method_hash: analyzer.method().to_owned(),
        analysis: analyzer.analyze(&AnalysisInput::of(review)),
    }
}
