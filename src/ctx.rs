//! What the surfaces are handed: the edition that is out, the links, the clock, and the sheets that never change.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::clock::Clock;
use crate::compute::Compute;
use crate::edition::{Current, Sheet};
use crate::links::Links;
use crate::search::TextIndex;

/// One for the whole service, shared by everything that answers.
#[derive(Debug)]
pub struct Ctx {
    /// The edition that is out.
    pub current: Arc<Current>,
    /// Every absolute URL.
    pub links: Links,
    /// The time.
    pub clock: Clock,
    /// Where work is done that takes CPU.
    pub compute: Compute,
    /// Where searches find what is rare.
    pub text_index: TextIndex,
    fixed: OnceLock<Vec<Arc<Sheet>>>,
    is_draining: AtomicBool,
}

impl Ctx {
    /// The context of a service whose first edition is out.
    #[must_use]
    pub fn new(current: Current, links: Links, clock: Clock, text_index: TextIndex) -> Self {
        let (compute, current) = (Compute::default(), Arc::new(current));
        Self { current, links, clock, compute, text_index, fixed: OnceLock::new(), is_draining: AtomicBool::new(false) }
    }

    /// The sheets that stay the same while the service runs, to be coded ahead like documents.
    #[must_use]
    pub fn fixed(&self) -> &[Arc<Sheet>] {
        self.fixed.get().map_or(&[], Vec::as_slice)
    }

    /// Tells, once, which sheets those are.
    pub fn set_fixed(&self, sheets: Vec<Arc<Sheet>>) {
        let _ = self.fixed.set(sheets);
    }

    /// Whether the service is about to stop, so that no new work should be sent here.
    #[must_use]
    pub fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// From now on it is.
    pub fn drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }
}
