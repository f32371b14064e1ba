//! The snapshot that is out, behind one atomic pointer. Whoever answers loads it once and answers
//! from it alone.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use arc_swap::{ArcSwap, Guard};
use chrono::{DateTime, Utc};
use tokio::sync::watch;

use super::coding::CachedBody;
use super::counts::MentionCounts;
use super::document::Document;
use super::input::SnapshotInput;
use super::publication::Publication;
use crate::model::ReviewId;
use crate::storage::reviews::DatabasePosition;
use crate::wire;

/// How many snapshots stay alive behind the current one; readers of older ones are cut off.
const SUPERSEDED_MAX: usize = 4;
/// How many totals a snapshot remembers.
const TOTALS_MAX: usize = 4_096;

/// A document as it is out: its cached body, and what is known about its publication.
#[derive(Debug)]
pub struct PublishedDocument {
    /// Which of the documents it is.
    pub document: Document,
    /// Its bytes, in every coding that is ready.
    pub body: Arc<CachedBody>,
    /// Its version, and when it changed.
    pub publication: Publication,
    /// Whether the publication's row is of these very bytes. On a cluster a node shows what it has rendered, also where
    /// the node that raises versions has rendered another state: then nothing is said of when it changed, and nothing sent.
    pub is_confirmed: bool,
}

impl PublishedDocument {
    /// The publication, where it is that of these bytes.
    #[must_use]
    pub fn confirmed(&self) -> Option<&Publication> {
        Some(&self.publication).filter(|_| self.is_confirmed)
    }
}

/// What everybody reads: all documents rendered of the same reviews. Immutable but for what is
/// remembered about it.
#[derive(Debug)]
pub struct Snapshot {
    /// Which state of the database it is.
    pub position: DatabasePosition,
    /// What it was rendered from.
    pub input: SnapshotInput,
    /// What its reviews say: the value of [`Document::Insights`].
    pub insights: Arc<wire::Insights>,
    /// Reviews that somebody else changed and whose change nobody has dated yet: shown as this process dates it.
    pub undated: Vec<ReviewId>,
    documents: Vec<Arc<PublishedDocument>>,
    counts: OnceLock<MentionCounts>,
    totals: Mutex<HashMap<String, (u64, bool)>>,
    is_revoked: AtomicBool,
}

impl Snapshot {
    /// A snapshot of these documents: all of them, in the order of [`Document::ALL`].
    #[must_use]
    pub fn new(
        position: DatabasePosition,
        input: SnapshotInput,
        insights: Arc<wire::Insights>,
        documents: Vec<Arc<PublishedDocument>>,
    ) -> Self {
        Self {
            position,
            input,
            insights,
            undated: Vec::new(),
            documents,
            counts: OnceLock::new(),
            totals: Mutex::default(),
            is_revoked: AtomicBool::new(false),
        }
    }

    /// One of its documents.
    #[must_use]
    pub fn document(&self, document: Document) -> &Arc<PublishedDocument> {
        &self.documents[document.index()]
    }

    /// When the dataset last changed.
    #[must_use]
    pub fn changed_at(&self) -> DateTime<Utc> {
        self.document(Document::Reviews).publication.changed_at
    }

    /// All documents of the snapshot, in the order of [`Document::ALL`].
    pub fn documents(&self) -> impl Iterator<Item = &Arc<PublishedDocument>> {
        self.documents.iter()
    }

    /// Whom and what its reviews mention, and how often; counted when it is first asked for.
    #[must_use]
    pub fn counts(&self) -> &MentionCounts {
        self.counts.get_or_init(|| MentionCounts::of(&self.input))
    }

    /// Whether it is so old that answers still being read from it must end.
    #[must_use]
    pub fn is_revoked(&self) -> bool {
        self.is_revoked.load(Ordering::Relaxed)
    }

    /// The total of a question (and whether it is exact), if it was counted before.
    #[must_use]
    pub fn total(&self, question: &str) -> Option<(u64, bool)> {
        self.totals
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(question)
            .copied()
    }

    /// Remembers the total of a question. A full memory starts anew: counting again is cheap.
    pub fn remember_total(&self, question: String, total: (u64, bool)) {
        let mut totals = self.totals.lock().unwrap_or_else(PoisonError::into_inner);
        if totals.len() >= TOTALS_MAX {
            totals.clear();
        }
        totals.insert(question, total);
    }
}

/// The pointer to the snapshot that is out.
#[derive(Debug)]
pub struct CurrentSnapshot {
    snapshot: ArcSwap<Snapshot>,
    superseded: Mutex<VecDeque<Weak<Snapshot>>>,
    swaps: watch::Sender<u64>,
}

impl CurrentSnapshot {
    /// Puts the first snapshot out.
    #[must_use]
    pub fn new(first: Snapshot) -> Self {
        Self {
            snapshot: ArcSwap::from_pointee(first),
            superseded: Mutex::default(),
            swaps: watch::Sender::new(0),
        }
    }

    /// The snapshot that is out.
    #[must_use]
    pub fn load(&self) -> Arc<Snapshot> {
        self.snapshot.load_full()
    }

    /// The same for a look that waits for nothing: no count is touched that all threads share.
    #[must_use]
    pub fn peek(&self) -> Guard<Arc<Snapshot>> {
        self.snapshot.load()
    }

    /// Whether `snapshot` is the one that is out.
    #[must_use]
    pub fn is(&self, snapshot: &Arc<Snapshot>) -> bool {
        Arc::ptr_eq(&self.snapshot.load(), snapshot)
    }

    /// Puts another snapshot out. At most four older ones stay alive: readers of the oldest are cut
    /// off.
    pub fn swap(&self, next: Snapshot) {
        let old = self.snapshot.swap(Arc::new(next));
        let mut superseded = self
            .superseded
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        superseded.push_back(Arc::downgrade(&old));
        drop(old);
        superseded.retain(|snapshot| snapshot.strong_count() > 0);
        while superseded.len() > SUPERSEDED_MAX {
            if let Some(oldest) = superseded
                .pop_front()
                .and_then(|snapshot| snapshot.upgrade())
            {
                oldest.is_revoked.store(true, Ordering::Relaxed);
            }
        }
        drop(superseded);
        self.swaps.send_modify(|swaps| *swaps += 1);
    }

    /// Tells of every swap: the count of swaps so far.
    #[must_use]
    pub fn swaps(&self) -> watch::Receiver<u64> {
        self.swaps.subscribe()
    }
}

/// What was made of the snapshot that was asked for last: it is made when it is first asked for,
/// then given to everybody who asks.
#[derive(Debug, Default)]
pub struct PerSnapshot<T>(Mutex<(Weak<Snapshot>, Arc<T>)>);

impl<T: Default> PerSnapshot<T> {
    /// What was made of `snapshot`: nothing yet, where another one was asked for last.
    #[must_use]
    pub fn of(&self, snapshot: &Arc<Snapshot>) -> Arc<T> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // While we hold it weakly, its address is not given to another.
        if !std::ptr::eq(last.0.as_ptr(), Arc::as_ptr(snapshot)) {
            *last = (Arc::downgrade(snapshot), Arc::default());
        }
        Arc::clone(&last.1)
    }
}
