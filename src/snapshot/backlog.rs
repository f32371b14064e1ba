//! What is left to do about analyses when a snapshot is rendered: those that were made for it are
//! to be kept, and texts that it could not wait for are to be read. Shared by the publisher, which
//! fills it, and the job that works it off. Until an analysis is kept it stands here, so that a
//! snapshot that could not be published is not read once more for the next try.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::insights::store::NewAnalysis;

/// How many analyses wait to be kept at most; what does not fit is analyzed anew some time. About 3
/// KB each.
const KEPT_MAX: usize = 16_384;

/// See the head of this file.
#[derive(Debug, Default)]
pub struct Backlog {
    waiting: Mutex<Waiting>,
    is_analyzed: AtomicBool,
}

#[derive(Debug, Default)]
struct Waiting {
    analyses: VecDeque<Arc<NewAnalysis>>,
    /// The newest of each review.
    by_id: HashMap<String, Arc<NewAnalysis>>,
}

impl Backlog {
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

    fn lock(&self) -> MutexGuard<'_, Waiting> {
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
