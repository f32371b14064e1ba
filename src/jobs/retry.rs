//! Work that fails is tried again with growing waits, and told of when its state changes: it fails,
//! it fails for another reason, it succeeds again. Pure policy: whoever owns the work waits and
//! logs.

use std::time::Duration;

/// The longest wait. Nothing is lost meanwhile, and what was mended must show soon.
const WAIT_MAX: Duration = Duration::from_secs(10);
/// 200 ms doubled so many times is above [`WAIT_MAX`].
const DOUBLINGS_MAX: u32 = 6;

/// How some work has fared lately.
#[derive(Debug, Default)]
pub struct Retry {
    failures: u32,
    reason: Option<String>,
}

impl Retry {
    /// Notes a failure for `reason`. Whether that is news: the work succeeded before, or failed for
    /// another reason.
    #[must_use]
    pub fn failed(&mut self, reason: String) -> bool {
        self.failures = self.failures.saturating_add(1);
        let is_news = self.reason.as_ref() != Some(&reason);
        self.reason = Some(reason);
        is_news
    }

    /// Notes a success; how many failures came before it, if that is news.
    #[must_use]
    pub fn succeeded(&mut self) -> Option<u32> {
        let failures = std::mem::take(&mut self.failures);
        self.reason.take().map(|_| failures)
    }

    /// How long to wait before the next try: `first` after a success or one failure, twice as long
    /// after each further one.
    #[must_use]
    pub fn wait(&self, first: Duration) -> Duration {
        let doublings = self.failures.saturating_sub(1).min(DOUBLINGS_MAX);
        if doublings == 0 {
            first
        } else {
            (first * 2_u32.pow(doublings)).min(WAIT_MAX.max(first))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Retry, WAIT_MAX};

    #[test]
    fn waits_grow_with_each_failure_up_to_a_bound_and_end_with_a_success() {
        let (mut retry, first) = (Retry::default(), Duration::from_millis(200));
        let mut waits = vec![retry.wait(first).as_millis()];
        for _ in 0..8 {
            let _ = retry.failed("locked".to_owned());
            waits.push(retry.wait(first).as_millis());
        }
        assert_eq!(
            waits,
            [200, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]
        );
        assert_eq!(retry.succeeded(), Some(8));
        assert_eq!(retry.wait(first), first);
        assert_eq!(retry.wait(Duration::from_mins(1)), Duration::from_mins(1));
        assert!(WAIT_MAX >= first);
    }

    #[test]
    fn only_a_change_of_state_is_news() {
        let mut retry = Retry::default();
        let said = ["locked", "locked", "full", "full", "locked"]
            .map(|reason| retry.failed(reason.to_owned()));
        assert_eq!(said, [true, false, true, false, true]);
        assert_eq!((retry.succeeded(), retry.succeeded()), (Some(5), None));
        assert!(retry.failed("locked".to_owned()));
    }
}
