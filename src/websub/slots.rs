//! An exchange under way: it has a place among the prompt ones until it turns out to be slow, so
//! that those that hang hold up nobody.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit};

use super::store::{AttemptRecord, Outcome};
use super::turns::Turn;
use crate::clock::Clock;
use crate::telemetry::catalog;

/// After this an exchange counts as slow.
const SLOW_AFTER: Duration = Duration::from_secs(1);

/// What an exchange came to.
pub enum Came {
    /// A result, to be written down.
    To(Outcome, AttemptRecord),
    /// Nothing was sent: a limit put it off until this turn.
    Waits(Turn, Outcome, AttemptRecord),
}

/// Does `work`; when it turns out to be slow, gives its place among the prompt ones back and tells
/// `room`.
pub async fn in_slot(
    work: impl Future<Output = Came>,
    permit: OwnedSemaphorePermit,
    room: Arc<Notify>,
) -> Came {
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
pub fn count(outcome: &Outcome, record: &AttemptRecord) {
    match outcome {
        Outcome::Delivered { .. } => catalog::HUB_DELIVERED.count(&[]),
        Outcome::Verified { .. } => catalog::HUB_VERIFIED.count(&[]),
        Outcome::VerifyAgain { .. }
        | Outcome::VerifyLater { .. }
        | Outcome::Waits { .. }
        | Outcome::NotVerified { .. }
        | Outcome::Retry { .. }
        | Outcome::Ended { .. } => {
            catalog::HUB_FAILED.count(&[record.kind, &record.reason]);
        }
    }
}
