//! What is left to do about readings when an edition is out: those that were made for it are to be kept, and texts that
//! it could not wait for are to be read. Shared by the press, which fills it, and the job that works it off.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::insights::store::Kept;

/// How many readings wait to be kept at most; what does not fit is read anew some time. About 3 KB each.
const KEPT_MAX: usize = 16_384;

/// See the head of this file.
#[derive(Debug, Default)]
pub struct Backlog {
    readings: Mutex<Vec<Kept>>,
    is_read: AtomicBool,
}

impl Backlog {
    /// Adds readings that are to be kept.
    pub fn add(&self, readings: Vec<Kept>) {
        let mut waiting = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        let room = KEPT_MAX.saturating_sub(waiting.len());
        waiting.extend(readings.into_iter().take(room));
    }

    /// Takes up to `count` of those that were added first.
    #[must_use]
    pub fn take(&self, count: usize) -> Vec<Kept> {
        let mut waiting = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        let count = count.min(waiting.len());
        waiting.drain(..count).collect()
    }

    /// Puts back, before all others, what could not be kept.
    pub fn put_back(&self, readings: Vec<Kept>) {
        let mut waiting = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.splice(..0, readings);
        waiting.truncate(KEPT_MAX);
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
