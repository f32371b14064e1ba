//! What is made of an edition once and then given to everybody who asks. It is made when it is first asked for, and goes with
//! its edition.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::edition::Edition;

/// What was made of the edition that was asked for last.
#[derive(Debug, Default)]
pub struct PerEdition<T>(Mutex<(Weak<Edition>, Arc<T>)>);

impl<T: Default> PerEdition<T> {
    /// What was made of `edition`: nothing yet, where another one was asked for last.
    #[must_use]
    pub fn of(&self, edition: &Arc<Edition>) -> Arc<T> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // While we hold it weakly, its address is not given to another.
        if !std::ptr::eq(last.0.as_ptr(), Arc::as_ptr(edition)) {
            *last = (Arc::downgrade(edition), Arc::default());
        }
        Arc::clone(&last.1)
    }
}
