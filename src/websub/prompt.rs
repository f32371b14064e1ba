//! An exchange under way: it has a place among the prompt ones until it turns out to be slow, so that those that hang hold
//! up nobody.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit};

use super::store::{Outcome, Trial};
use super::turns::Turn;
use crate::clock::Clock;

/// After this an exchange counts as slow.
const SLOW_AFTER: Duration = Duration::from_secs(1);

/// What an exchange came to.
pub enum Came {
    /// A result, to be written down.
    To(Outcome, Trial),
    /// Nothing was sent: a limit put it off until its turn.
    Waits(Turn),
}

/// Does `work`; when it turns out to be slow, gives its place among the prompt ones back and tells `room`.
pub async fn promptly(work: impl Future<Output = Came>, permit: OwnedSemaphorePermit, room: Arc<Notify>) -> Came {
    let mut work = std::pin::pin!(work);
    let slow = Clock::system();
    tokio::select! {
        came = &mut work => came,
        () = slow.sleep(SLOW_AFTER) => {
            drop(permit);
            room.notify_one();
            work.await
        }
    }
}

/// Counts what was done.
pub fn count(outcome: &Outcome, trial: &Trial) {
    match outcome {
        Outcome::Delivered { .. } => metrics::counter!("websub_delivered_total").increment(1),
        Outcome::Verified { .. } => metrics::counter!("websub_verified_total").increment(1),
        Outcome::VerifyAgain { .. }
        | Outcome::VerifyLater { .. }
        | Outcome::NotVerified { .. }
        | Outcome::Retry { .. }
        | Outcome::Ended { .. } => {
            metrics::counter!("websub_failed_total", "kind" => trial.kind, "reason" => trial.reason.clone()).increment(1);
        }
    }
}
