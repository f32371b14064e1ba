//! What is left to do about readings when an edition is printed: those that were made for it are to be kept, and texts that
//! it could not wait for are to be read. Shared by the press, which fills it, and the job that works it off. Until a reading
//! is kept it stands here, so that an edition that could not be published is not read once more for the next try.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::insights::store::Kept;

/// How many readings wait to be kept at most; what does not fit is read anew some time. About 3 KB each.
const KEPT_MAX: usize = 16_384;

/// See the head of this file.
#[derive(Debug, Default)]
pub struct Backlog {
    waiting: Mutex<Waiting>,
    is_read: AtomicBool,
}

#[derive(Debug, Default)]
struct Waiting {
    readings: VecDeque<Arc<Kept>>,
    /// The newest of each review.
    by_id: HashMap<String, Arc<Kept>>,
}

impl Backlog {
    /// Adds readings that are to be kept.
    pub fn add(&self, readings: Vec<Kept>) {
        let mut waiting = self.lock();
        let room = KEPT_MAX.saturating_sub(waiting.readings.len());
        for reading in readings.into_iter().take(room).map(Arc::new) {
            waiting.by_id.insert(reading.id.clone(), Arc::clone(&reading));
            waiting.readings.push_back(reading);
        }
    }

    /// Up to `count` of those that were added first; they stay until [`Backlog::remove`].
    #[must_use]
    pub fn first(&self, count: usize) -> Vec<Arc<Kept>> {
        self.lock().readings.iter().take(count).map(Arc::clone).collect()
    }

    /// Takes these away, which are kept now.
    pub fn remove(&self, readings: &[Arc<Kept>]) {
        let mut waiting = self.lock();
        for reading in readings {
            if waiting.readings.front().is_some_and(|first| Arc::ptr_eq(first, reading)) {
                waiting.readings.pop_front();
            } else {
                waiting.readings.retain(|its| !Arc::ptr_eq(its, reading));
            }
            if waiting.by_id.get(&reading.id).is_some_and(|its| Arc::ptr_eq(its, reading)) {
                waiting.by_id.remove(&reading.id);
            }
        }
    }

    /// The newest reading of that review that waits to be kept, if there is one.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<Kept>> {
        self.lock().by_id.get(id).map(Arc::clone)
    }

    /// How many readings wait.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().readings.len()
    }

    /// Whether none waits.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that what the edition could not wait for has been read and kept, so that the next one can have it.
    pub fn set_read(&self) {
        self.is_read.store(true, Ordering::Release);
    }

    /// Whether that was said since the last [`Backlog::take_read`].
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.is_read.load(Ordering::Acquire)
    }

    /// Whether that was said; it has to be said again.
    #[must_use]
    pub fn take_read(&self) -> bool {
        self.is_read.swap(false, Ordering::AcqRel)
    }
}
