//! When to try again. Pure policy: what an attempt came to goes in, what happens next comes out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::config::RetryDelays;
use crate::websub::http_client::{Blame, Egress, Failure};

/// Three failed attempts in a row end a subscription.
pub const ATTEMPTS_MAX: u32 = 3;
/// Waits are made up to this share longer, so that what failed together is not tried together.
const JITTER_SHARE: f64 = 0.1;
/// How long to wait while the failure is ours: such attempts do not count.
pub const OUTAGE_DELAY: Duration = Duration::from_mins(1);

/// What one attempt to deliver came to.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryResult {
    /// Any 2xx: the subscriber has the version now.
    Delivered,
    /// 410: the subscriber wants no more.
    Gone,
    /// Anything else; with the wait that the answer asked for.
    Failed {
        /// `Retry-After`, where there was one.
        retry_after: Option<Duration>,
    },
    /// Our own network or resolver is down: nothing was learnt about the subscriber.
    Ours,
}

/// What happens to the subscription then.
#[must_use]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    /// It is level; its failures are forgotten.
    Rest,
    /// It is tried again after the wait, having failed so many times in a row.
    Retry {
        /// Failed attempts in a row, this one included.
        failures: u32,
        /// How long to wait.
        after: Duration,
    },
    /// It ends, and is told so.
    EndDenied,
    /// It ends, without a word: 410 said it all.
    EndGone,
}

/// What follows an attempt of a subscription that had failed `failures` times in a row before.
/// `jitter` is a random number from 0 to 1.
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
            // What the subscriber asks for is honoured up to twice our own wait, and never shortens
            // it.
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

// Whose failure it was: three failures in a row end a subscription, so those of our own network
// must not count.
//
// Where the system says that nothing left this machine (no route, no address, no descriptor), it
// was ours. Where nobody answered, it was ours as long as nothing outside has been reached since:
// an attempt is made again before it counts, and counts once anybody, its own receiver included,
// has given a sign of life.

/// With more than this, all are forgotten, which errs on the side of keeping subscriptions.
const UNCLEAR_MAX: usize = 200_000;

/// Tells failures of our own network from those of callbacks. Kept is for each subscription how many
/// signs of life there had been when its first uncounted attempt began.
#[derive(Clone)]
pub struct Outages {
    egress: Arc<Egress>,
    since: Arc<Mutex<HashMap<i64, u64>>>,
}

impl Outages {
    /// Nothing has failed yet.
    #[must_use]
    pub fn new(egress: Arc<Egress>) -> Self {
        Self {
            egress,
            since: Arc::default(),
        }
    }

    /// Whether an attempt failed by our fault, as far as can be told; `failure` is `None` where
    /// there was an answer. `signs_before` is what [`Egress::signs_of_life`] said when it began.
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
