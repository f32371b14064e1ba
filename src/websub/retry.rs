//! Decides when to retry a failed delivery, and whether the failure counts.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::config::RetryDelays;
use crate::websub::http_client::{Blame, Failure};

/// Consecutive failed attempts that end a subscription: one more than there are delays.
pub const ATTEMPTS_MAX: u32 = 3;
/// Delays are extended by up to this share, so that simultaneous failures are not retried simultaneously.
const JITTER_SHARE: f64 = 0.1;
/// The delay while our own network fails; such attempts do not count.
pub const OUTAGE_DELAY: Duration = Duration::from_mins(1);

/// The wait after a failed attempt of a subscription with `failures` consecutive failures before; `None` if it ends.
/// `retry_after` is the response's `Retry-After`, if it had one.
#[must_use]
pub fn wait_after(
    delays: &RetryDelays,
    failures: u32,
    retry_after: Option<Duration>,
) -> Option<Duration> {
    // There is a delay after every attempt but the last.
    let base = delays.0.get(failures as usize)?.0;
    // `Retry-After` is honoured up to twice the regular delay, and never shortens it.
    Some(retry_after.map_or(base, |asked| asked.clamp(base, base * 2)))
}

/// `jitter` is a random number from 0 to 1.
#[must_use]
pub fn spread(wait: Duration, jitter: f64) -> Duration {
    wait.mul_f64(1.0 + JITTER_SHARE * jitter.clamp(0.0, 1.0))
}

// The cause of a failure: three consecutive failures end a subscription, so failures of our own network must not count.
//
// If the system reports that nothing left this machine (no route, no address, no descriptor), it is ours. If there is
// no response, it is ours until something outside has been reached since: the attempt is repeated before it counts,
// and counts after any sign of life, including one of its own receiver.

/// Maximum number of entries. Beyond it all are forgotten: keeping a dead subscription is better than ending a live
/// one.
const UNCLEAR_MAX: usize = 200_000;

/// Distinguishes failures of our own network from those of callbacks. Stores per subscription the signs of life at the
/// start of its first uncounted attempt.
#[derive(Clone, Default)]
pub struct Outages(Arc<Mutex<HashMap<i64, u64>>>);

impl Outages {
    /// Whether our own network probably caused the failure of an attempt; `failure` is `None` if there was a response.
    /// `signs_before` and `signs_now` are the client's signs of life at its start and at its end.
    #[must_use]
    pub fn is_ours(
        &self,
        subscription_id: i64,
        failure: Option<&Failure>,
        signs_before: u64,
        signs_now: u64,
    ) -> bool {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match failure.map_or(Blame::Theirs, Failure::blame) {
            Blame::Ours => true,
            Blame::Theirs => {
                since.remove(&subscription_id);
                false
            }
            Blame::Unclear => {
                if since.len() >= UNCLEAR_MAX {
                    since.clear();
                }
                let first = *since.entry(subscription_id).or_insert(signs_before);
                let is_ours = signs_now == first;
                if !is_ours {
                    since.remove(&subscription_id);
                }
                is_ours
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TimeSpan;

    const MINUTES: Duration = Duration::from_mins(10);
    const HOURS: Duration = Duration::from_hours(12);
    const DELAYS: RetryDelays = RetryDelays([TimeSpan(MINUTES), TimeSpan(HOURS)]);

    #[test]
    fn three_failures_in_a_row_end_it() {
        assert_eq!(wait_after(&DELAYS, 0, None), Some(MINUTES));
        assert_eq!(wait_after(&DELAYS, 1, None), Some(HOURS));
        assert_eq!(wait_after(&DELAYS, ATTEMPTS_MAX - 1, None), None);
    }

    #[test]
    fn retry_after_lengthens_a_wait_up_to_twice() {
        for (asked, after) in [
            (1, MINUTES),
            (900, Duration::from_mins(15)),
            (1_000_000, MINUTES * 2),
        ] {
            let asked = Duration::from_secs(asked);
            assert_eq!(wait_after(&DELAYS, 0, Some(asked)), Some(after));
        }
    }

    #[test]
    fn jitter_never_shortens_a_wait() {
        assert_eq!(spread(MINUTES, 0.0), MINUTES);
        assert_eq!(spread(MINUTES, 1.0), Duration::from_mins(11));
    }
}
