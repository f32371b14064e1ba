//! Whose failure it was: three failures in a row end a subscription, so those of our own network
//! must not count.
//!
//! Where the system says that nothing left this machine (no route, no address, no descriptor), it
//! was ours. Where nobody answered, it was ours as long as nothing outside has been reached since:
//! an attempt is made again before it counts, and counts once anybody, its own receiver included,
//! has given a sign of life.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::egress::{Blame, Egress, Failure};

/// With more than this, all are forgotten, which errs on the side of keeping subscriptions.
const DOUBTED_MAX: usize = 200_000;

/// What is in doubt: for each subscription, how many signs of life there had been when its first
/// uncounted attempt began.
#[derive(Clone)]
pub struct Doubts {
    egress: Arc<Egress>,
    since: Arc<Mutex<HashMap<i64, u64>>>,
}

impl Doubts {
    /// Nothing is in doubt yet.
    #[must_use]
    pub fn new(egress: Arc<Egress>) -> Self {
        Self {
            egress,
            since: Arc::default(),
        }
    }

    /// What [`Doubts::is_ours`] needs to know of an attempt that begins.
    #[must_use]
    pub fn signs_of_life(&self) -> u64 {
        self.egress.signs_of_life()
    }

    /// Whether an attempt failed by our fault, as far as can be told; `failure` is `None` where
    /// there was an answer. `signs_before` is what [`Doubts::signs_of_life`] said when it began.
    #[must_use]
    pub fn is_ours(
        &self,
        subscription_id: i64,
        failure: Option<&Failure>,
        signs_before: u64,
    ) -> bool {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        match failure.map_or(Blame::Theirs, Failure::blame) {
            Blame::Ours => true,
            Blame::Theirs => {
                since.remove(&subscription_id);
                false
            }
            Blame::Unclear => {
                if since.len() >= DOUBTED_MAX {
                    since.clear();
                }
                let first = *since.entry(subscription_id).or_insert(signs_before);
                let is_ours = self.egress.signs_of_life() == first;
                if !is_ours {
                    since.remove(&subscription_id);
                }
                is_ours
            }
        }
    }
}
