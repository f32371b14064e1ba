//! The one clock. Time is input: whatever decides by time is handed a [`Clock`], so that a test can set it.
//!
//! Nothing else in the crate reads the system's time or sleeps (held by a lint).

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::sync::watch;

/// Tells the time and waits for it. Cloning shares the same clock.
#[derive(Debug, Clone)]
pub struct Clock(Source);

#[derive(Debug, Clone)]
enum Source {
    System,
    Manual(Arc<watch::Sender<DateTime<Utc>>>),
}

impl Clock {
    /// The machine's clock.
    #[must_use]
    pub const fn system() -> Self {
        Self(Source::System)
    }

    /// A clock that stands at `now` until [`Clock::advance`] moves it.
    #[must_use]
    pub fn manual(now: DateTime<Utc>) -> Self {
        Self(Source::Manual(Arc::new(watch::Sender::new(now))))
    }

    /// The current instant.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that asks the system")]
    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            Source::System => Utc::now(),
            Source::Manual(now) => *now.borrow(),
        }
    }

    /// Moves a manual clock, forwards or backwards. The system's clock is not ours to move: nothing happens.
    pub fn advance(&self, by: chrono::Duration) {
        if let Source::Manual(now) = &self.0 {
            now.send_modify(|now| *now += by);
        }
    }

    /// How many wait for a manual clock to be moved; none ever wait so for the system's.
    #[must_use]
    pub fn waiting(&self) -> usize {
        match &self.0 {
            Source::System => 0,
            Source::Manual(now) => now.receiver_count(),
        }
    }

    /// Returns once `duration` has passed on this clock.
    pub async fn sleep(&self, duration: Duration) {
        let until = self.now() + chrono::Duration::from_std(duration).unwrap_or(chrono::Duration::MAX);
        self.sleep_until(until).await;
    }

    /// Returns once this clock shows `until` or later.
    #[expect(clippy::disallowed_methods, reason = "this is the one place that waits for the system")]
    pub async fn sleep_until(&self, until: DateTime<Utc>) {
        match &self.0 {
            Source::System => {
                let wait = (until - self.now()).to_std().unwrap_or_default();
                tokio::time::sleep(wait).await;
            }
            Source::Manual(now) => {
                let mut now = now.subscribe();
                // The sender lives in `self`, so waiting cannot fail while we are borrowed.
                let _ = now.wait_for(|now| *now >= until).await;
            }
        }
    }
}
