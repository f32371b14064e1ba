//! What is made of a snapshot once and then given to everybody who asks. It is made when it is
//! first asked for, and goes with its snapshot.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::snapshot::Snapshot;

/// What was made of the snapshot that was asked for last.
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
