//! The edition that is out, behind one atomic pointer. Whoever answers loads it once and answers from it alone.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use arc_swap::ArcSwap;
use tokio::sync::watch;

use super::document::Document;
use super::print::Copy;
use super::publication::Publication;
use super::sheet::Sheet;
use crate::reviews::store::Reading;

/// How many editions stay alive behind the current one; readers of older ones are cut off.
const SUPERSEDED_MAX: usize = 4;
/// How many totals an edition remembers.
const TOTALS_MAX: usize = 4_096;

/// A document as it is out: its sheet, and what is known about its publication.
#[derive(Debug)]
pub struct Printed {
    /// Which one.
    pub document: Document,
    /// Its bytes, in every coding that is ready.
    pub sheet: Arc<Sheet>,
    /// Its version, and when it changed.
    pub publication: Publication,
}

/// What everybody reads: all documents printed of the same reviews. Immutable but for what is remembered about it.
#[derive(Debug)]
pub struct Edition {
    /// Which state of the database it is.
    pub reading: Reading,
    /// What it was printed from.
    pub copy: Copy,
    documents: Vec<Arc<Printed>>,
    totals: Mutex<HashMap<String, (u64, bool)>>,
    is_revoked: AtomicBool,
}

impl Edition {
    /// An edition of these documents: all of them, in the order of [`Document::ALL`].
    #[must_use]
    pub fn new(reading: Reading, copy: Copy, documents: Vec<Arc<Printed>>) -> Self {
        Self { reading, copy, documents, totals: Mutex::default(), is_revoked: AtomicBool::new(false) }
    }

    /// One of its documents.
    #[must_use]
    pub fn document(&self, document: Document) -> &Arc<Printed> {
        &self.documents[document.index()]
    }

    /// All its documents.
    pub fn documents(&self) -> impl Iterator<Item = &Arc<Printed>> {
        self.documents.iter()
    }

    /// Whether it is so old that answers still being read from it must end.
    #[must_use]
    pub fn is_revoked(&self) -> bool {
        self.is_revoked.load(Ordering::Relaxed)
    }

    /// The total of a question (and whether it is exact), if it was counted before.
    #[must_use]
    pub fn total(&self, question: &str) -> Option<(u64, bool)> {
        self.totals.lock().unwrap_or_else(PoisonError::into_inner).get(question).copied()
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

/// The pointer to the edition that is out.
#[derive(Debug)]
pub struct Current {
    edition: ArcSwap<Edition>,
    superseded: Mutex<VecDeque<Weak<Edition>>>,
    swaps: watch::Sender<u64>,
}

impl Current {
    /// Puts the first edition out.
    #[must_use]
    pub fn new(first: Edition) -> Self {
        Self { edition: ArcSwap::from_pointee(first), superseded: Mutex::default(), swaps: watch::Sender::new(0) }
    }

    /// The edition that is out.
    #[must_use]
    pub fn load(&self) -> Arc<Edition> {
        self.edition.load_full()
    }

    /// Whether `edition` is the one that is out.
    #[must_use]
    pub fn is(&self, edition: &Arc<Edition>) -> bool {
        Arc::ptr_eq(&self.edition.load(), edition)
    }

    /// Puts another edition out. At most four older ones stay alive: readers of the oldest are cut off.
    pub fn swap(&self, next: Edition) {
        let old = self.edition.swap(Arc::new(next));
        let mut superseded = self.superseded.lock().unwrap_or_else(PoisonError::into_inner);
        superseded.push_back(Arc::downgrade(&old));
        drop(old);
        superseded.retain(|edition| edition.strong_count() > 0);
        while superseded.len() > SUPERSEDED_MAX {
            if let Some(oldest) = superseded.pop_front().and_then(|edition| edition.upgrade()) {
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
