//! Decides when to retry. Pure: an attempt's result in, the next step out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::config::RetryDelays;
use crate::websub::http_client::{Blame, Egress, Failure};

/// Consecutive failed attempts that end a subscription.
pub const ATTEMPTS_MAX: u32 = 3;
/// Delays are extended by up to this share, so that simultaneous failures are not retried simultaneously.
const JITTER_SHARE: f64 = 0.1;
/// The delay while our own network fails; such attempts do not count.
pub const OUTAGE_DELAY: Duration = Duration::from_mins(1);

#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryResult {
    /// 2xx.
    Delivered,
    /// 410.
    Gone,
    /// Any other result.
    Failed {
        /// `Retry-After`, if the response had one.
        retry_after: Option<Duration>,
    },
    /// Our own network or resolver is down, so nothing is known about the subscriber.
    Ours,
}

#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// The subscriber is up to date; its failures are reset.
    Rest,
    Retry {
        /// Consecutive failures, this one included.
        failures: u32,
        after: Duration,
    },
    /// The subscription ends, and the subscriber is notified.
    EndDenied,
    /// The subscription ends without a notification, because the subscriber answered 410.
    EndGone,
}

/// The step after an attempt of a subscription with `failures` consecutive failures before. `jitter` is a random
/// number from 0 to 1.
pub fn next(delays: &RetryDelays, failures: u32, attempt: DeliveryResult, jitter: f64) -> NextStep {
    match attempt {
        DeliveryResult::Delivered => NextStep::Rest,
        DeliveryResult::Gone => NextStep::EndGone,
        DeliveryResult::Ours => NextStep::Retry {
            failures,
            after: spread(OUTAGE_DELAY, jitter),
        },
        DeliveryResult::Failed { .. } if failures + 1 >= ATTEMPTS_MAX => NextStep::EndDenied,
        DeliveryResult::Failed { retry_after } => {
            let base = delays.0[(failures as usize).min(delays.0.len() - 1)].0;
            // `Retry-After` is honoured up to twice the regular delay, and never shortens it.
            let asked = retry_after.map_or(base, |asked| asked.clamp(base, base * 2));
            NextStep::Retry {
                failures: failures + 1,
                after: spread(asked, jitter),
            }
        }
    }
}

fn spread(wait: Duration, jitter: f64) -> Duration {
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
#[derive(Clone)]
pub struct Outages {
    egress: Arc<Egress>,
    since: Arc<Mutex<HashMap<i64, u64>>>,
}

impl Outages {
    #[must_use]
    pub fn new(egress: Arc<Egress>) -> Self {
        Self {
            egress,
            since: Arc::default(),
        }
    }

    /// Whether our own network probably caused the failure of an attempt; `failure` is `None` if there was a response.
    /// `signs_before` is [`Egress::signs_of_life`] at its start.
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
                if since.len() >= UNCLEAR_MAX {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TimeSpan;

    const MINUTES: Duration = Duration::from_mins(10);
    const HOURS: Duration = Duration::from_hours(12);
    const DELAYS: RetryDelays = RetryDelays([TimeSpan(MINUTES), TimeSpan(HOURS)]);

    #[test]
    fn three_failures_in_a_row_end_it() {
        let failed = DeliveryResult::Failed { retry_after: None };
        assert_eq!(
            next(&DELAYS, 0, failed, 0.0),
            NextStep::Retry {
                failures: 1,
                after: MINUTES
            }
        );
        assert_eq!(
            next(&DELAYS, 1, failed, 0.0),
            NextStep::Retry {
                failures: 2,
                after: HOURS
            }
        );
        assert_eq!(next(&DELAYS, 2, failed, 0.0), NextStep::EndDenied);
    }

    #[test]
    fn retry_after_lengthens_a_wait_up_to_twice() {
        for (asked, after) in [
            (1, MINUTES),
            (900, Duration::from_mins(15)),
            (1_000_000, MINUTES * 2),
        ] {
            let attempt = DeliveryResult::Failed {
                retry_after: Some(Duration::from_secs(asked)),
            };
            assert_eq!(
                next(&DELAYS, 0, attempt, 0.0),
                NextStep::Retry { failures: 1, after }
            );
        }
    }

    #[test]
    fn our_own_outage_counts_for_nobody() {
        assert_eq!(
            next(&DELAYS, 2, DeliveryResult::Ours, 0.0),
            NextStep::Retry {
                failures: 2,
                after: OUTAGE_DELAY
            }
        );
    }

    #[test]
    fn success_forgets_and_gone_ends() {
        assert_eq!(
            next(&DELAYS, 2, DeliveryResult::Delivered, 0.5),
            NextStep::Rest
        );
        assert_eq!(
            next(&DELAYS, 0, DeliveryResult::Gone, 0.5),
            NextStep::EndGone
        );
    }

    #[test]
    fn jitter_never_shortens_a_wait() {
        let NextStep::Retry { after, .. } = next(
            &DELAYS,
            0,
            DeliveryResult::Failed { retry_after: None },
            1.0,
        ) else {
            panic!()
        };
        assert_eq!(after, Duration::from_mins(11));
    }
}
