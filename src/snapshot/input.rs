//! The input of rendering: the reviews with their analyses, the business and its own texts; and how reviews are read
//! from the database for it. Missing analyses are made at once, the newest reviews first, as far as that is quick; the other
//! reviews appear unanalyzed and are analyzed for a later snapshot.
//!
//! Changes of writers that do not set `updated_at` are dated with the instant at which the publisher first sees them.

use std::collections::{BTreeSet, HashSet};
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use futures_util::TryStreamExt as _;
use sqlx::SqliteConnection;

use super::entries::{Entries, Entry};
use crate::compute::lock;
use crate::insights::store::{StoredAnalysis, parse};
use crate::insights::{Analysis, AnalysisInput, Analyzer, CompactAnalysis, TEXT_CHARS_MAX};
use crate::links::Links;
use crate::metrics;
use crate::model::business::{Business, Editorial, PublishStaff};
use crate::model::{Day, MentionKind, PublishedReview, Review, ReviewId};
use crate::storage::reviews::{AnalysisRow, Dating, Numbered, Observation, Reasons, newest};

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
    /// The analyses that a later snapshot has, if not all are here.
    pub postponed: Option<Arc<PostponedAnalyses>>,
}

/// Analyses that take too long for the snapshot that needs them. They are made after it, those of the newest reviews first.
#[derive(Debug)]
pub struct PostponedAnalyses {
    /// Differs from that of the snapshot if the roster changed; then all reviews are analyzed again, and until the analyses are
    /// stored, the former ones are published.
    pub analyzer: Arc<Analyzer>,
    progress: Mutex<AnalysisProgress>,
}

/// How far the postponed analyses are.
#[derive(Debug, Clone)]
pub enum AnalysisProgress {
    Begun,
    /// Those from the newest review through the one with this day and ID are stored.
    StoredThrough(Day, ReviewId),
    /// All are stored: the next snapshot has them.
    Stored,
}

impl PostponedAnalyses {
    pub fn new(analyzer: &Arc<Analyzer>) -> Arc<Self> {
        Arc::new(Self {
            analyzer: Arc::clone(analyzer),
            progress: Mutex::new(AnalysisProgress::Begun),
        })
    }

    pub fn progress(&self) -> AnalysisProgress {
        lock(&self.progress).clone()
    }

    pub fn set_progress(&self, progress: AnalysisProgress) {
        *lock(&self.progress) = progress;
    }
}

impl SnapshotInput {
    /// Whether the insights of `other` are the same. `analyzer` only says whether `entries` are analyzed again.
    pub fn has_insights_of(&self, other: &Self) -> bool {
        self.entries.is_same_as(&other.entries)
            && (&self.own_business, &self.editorial) == (&other.own_business, &other.editorial)
    }

    /// The review at that position, as it is published.
    pub fn review(&self, at: usize) -> PublishedReview {
        let review = &self.entries[at].review;
        PublishedReview::new(review, self.links.review(review.id.as_str()))
    }

    /// Whether the next snapshot has the analyses that this one lacks.
    pub fn has_stored_analyses(&self) -> bool {
        let postponed = self.postponed.as_ref();
        postponed.is_some_and(|one| matches!(one.progress(), AnalysisProgress::Stored))
    }
}

// Loads reviews with their stored analyses from the database.

/// Maximum work, as a [`cost`], for missing analyses when a snapshot is rendered: about 300 ms at ten bytes per
/// microsecond; the rest follows in the next one. A cost instead of a time, so that the same database always gives the same snapshot.
pub const ANALYZE_AT_ONCE_MAX: usize = 3_000_000;
/// The fixed cost of a review, expressed in bytes of text.
const REVIEW_COST: usize = 300;
/// Maximum number of bytes of a text that are analyzed: four per code point.
const TEXT_BYTES_MAX: usize = 4 * TEXT_CHARS_MAX;

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
    /// The [`cost`] of these analyses.
    cost: usize,
    /// Changes by other writers, first seen now.
    pub observed: Vec<Observation>,
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
        let mut list = Vec::new();
        let mut reviews = newest(connection);
        while let Some(numbered) = reviews.try_next().await? {
            list.push(Arc::new(self.entry(numbered)));
        }
        Ok(Entries::new(list, previous, self.links))
    }

    /// Replaces the entries of the reviews `ids` by those of `reviews`, which are published.
    pub fn revise(
        &mut self,
        entries: &Entries,
        ids: &HashSet<ReviewId>,
        mut reviews: Vec<Numbered>,
    ) -> Entries {
        // Newest first, as when all are loaded.
        reviews.sort_by(|one, other| {
            let (one, other) = (&one.review, &other.review);
            (other.date, &one.id).cmp(&(one.date, &other.id))
        });
        let revised: Vec<Entry> = reviews.into_iter().map(|one| self.entry(one)).collect();
        entries.revise(ids, revised, self.links)
    }

    /// The entry of a review as it is published: without technicians if none are shown, and with the names that its text mentions.
    fn entry(&mut self, numbered: Numbered) -> Entry {
        let mut review = numbered.review;
        let (analysis, names) = self.analyze(&review, numbered.analysis);
        let recorded = review.mentions.pairs();
        let pairs = recorded.chain(names.iter().map(|(kind, name)| (*kind, name)));
        let pairs = pairs.filter(|(kind, _)| self.publishes(*kind));
        review.mentions = pairs.map(|(kind, name)| (kind, name.clone())).collect();
        let analysis = analysis.map(|mut analysis| {
            analysis.retain_names(|kind| self.publishes(kind));
            analysis
        });
        self.date(&mut review, numbered.dating);
        Entry {
            review_no: numbered.review_no,
            review,
            analysis,
        }
    }

    fn publishes(&self, kind: MentionKind) -> bool {
        kind != MentionKind::Technician || self.publish_staff != PublishStaff::Off
    }

    /// The stored analysis of a review, or a new one if there is time for it; and the names in its text.
    fn analyze(
        &mut self,
        review: &Review,
        stored: Option<AnalysisRow>,
    ) -> (Option<CompactAnalysis>, BTreeSet<(MentionKind, String)>) {
        let analyzer = &self.analyzer;
        let hash = AnalysisInput::of(review).hash();
        let stored = stored.filter(|row| row.text_hash == hash);
        let is_current = (stored.as_ref()).is_some_and(|row| row.method_hash == analyzer.method());
        let known = stored.as_ref().and_then(parse);
        if let Some(analysis) = known.as_ref().filter(|_| is_current) {
            let compact = CompactAnalysis::new(analysis, review, analyzer.trade);
            return (Some(compact), analysis.names());
        }
        self.loaded.cost += cost(1, review.text.len().min(TEXT_BYTES_MAX));
        if self.loaded.cost > ANALYZE_AT_ONCE_MAX {
            // Names of another method are shown until the text is analyzed again.
            let names = known.as_ref().map(Analysis::names);
            return (None, names.unwrap_or_default());
        }
        let new = analyze(analyzer, review);
        let compact = CompactAnalysis::new(&new.analysis, review, analyzer.trade);
        let names = new.analysis.names();
        self.loaded.analyzed.push(new);
        (Some(compact), names)
    }

    /// Dates a review that another writer changed; it keeps its instant if it renders as before.
    fn date(&mut self, review: &mut Review, dating: Dating) {
        let stated_at = review.updated_at;
        let observed_at = match dating {
            Dating::Dated => return,
            // The writer has set the date.
            Dating::NeverDated if stated_at.is_some() => None,
            Dating::NeverDated | Dating::ChangedSince => {
                let known = self.published.and_then(|published| {
                    let at = published.entries.find(&review.id)?;
                    Some(&published.entries[at].review)
                });
                let is_as_before = known.is_some_and(|known| is_same_but_for_date(review, known));
                let floor = known.map(Review::changed_at).max(stated_at);
                // A later instant that the writer set is kept, even if nothing else changed.
                (!is_as_before).then(|| self.now.max(floor.unwrap_or_default()))
            }
        };
        review.updated_at = observed_at.or(stated_at);
        let id = review.id.clone();
        self.loaded.observed.push(Observation { id, observed_at });
    }
}

fn is_same_but_for_date(one: &Review, other: &Review) -> bool {
    let mut dated = one.clone();
    dated.updated_at = other.updated_at;
    dated == *other
}

pub fn analyze(analyzer: &Analyzer, review: &Review) -> StoredAnalysis {
    metrics::TEXTS_ANALYZED.count(&[]);
    let input = AnalysisInput::of(review);
    StoredAnalysis {
        id: review.id.to_string(),
        text_hash: input.hash(),
        method_hash: analyzer.method().to_owned(),
        analysis: analyzer.analyze(&input),
    }
}
