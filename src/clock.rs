//! The only clock of the crate (a lint enforces it), so that a test can set the time; only waits and
//! limits of the runtime (timeouts, schedules, the HTTP server) have its own.
//!
//! The wall clock returns instants, which are stored and published; it may be set forwards or backwards at any moment.
//! The monotonic clock measures durations; it never goes back and is meaningful only within this process.
#![expect(
    clippy::disallowed_methods,
    reason = "this is the one place that asks the system, and waits for it"
)]

use std::ops::{Add, Sub};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use tokio::sync::watch;

/// Cloning shares the same clock.
#[derive(Debug, Clone)]
pub struct Clock(TimeSource);

#[derive(Debug, Clone)]
enum TimeSource {
    System,
    Manual(Arc<watch::Sender<Manual>>),
}

#[derive(Debug, Clone, Copy)]
struct Manual {
    wall: DateTime<Utc>,
    monotonic: Monotonic,
}

/// A point on the monotonic clock, comparable only within the same process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Monotonic(Duration);

impl Monotonic {
    /// The time since the clock's start; no instant is earlier.
    pub const fn since_start(self) -> Duration {
        self.0
    }
}

impl Add<Duration> for Monotonic {
    type Output = Self;

    fn add(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }
}

impl Sub for Monotonic {
    type Output = Duration;

    /// The time since `earlier`; zero if `earlier` is later.
    fn sub(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}

/// The first use of the monotonic clock in this process.
static START: LazyLock<Instant> = LazyLock::new(Instant::now);

impl Clock {
    pub const fn system() -> Self {
        Self(TimeSource::System)
    }

    /// A clock that stays at `now` until [`Clock::advance`] moves it.
    pub fn manual(now: DateTime<Utc>) -> Self {
        Self(TimeSource::Manual(Arc::new(watch::Sender::new(Manual {
            wall: now,
            monotonic: Monotonic::default(),
        }))))
    }

    pub fn now(&self) -> DateTime<Utc> {
        match &self.0 {
            TimeSource::System => Utc::now(),
            TimeSource::Manual(now) => now.borrow().wall,
        }
    }

    /// The wait that `Retry-After` names (RFC 9110 §10.2.3): seconds, or a date.
    pub fn retry_after(&self, field: &str) -> Option<Duration> {
        if field.bytes().all(|byte| byte.is_ascii_digit()) {
            return field.parse().ok().map(Duration::from_secs);
        }
        let until = DateTime::parse_from_rfc2822(field).ok()?.to_utc();
        Some((until - self.now()).to_std().unwrap_or_default())
    }

    pub fn monotonic(&self) -> Monotonic {
        match &self.0 {
            TimeSource::System => Monotonic(START.elapsed()),
            TimeSource::Manual(now) => now.borrow().monotonic,
        }
    }

    /// Moves a manual clock. A negative duration moves only the wall clock. No effect on the system's clock.
    pub fn advance(&self, by: chrono::Duration) {
        if let TimeSource::Manual(now) = &self.0 {
            now.send_modify(|now| {
                now.wall += by;
                now.monotonic = now.monotonic + by.to_std().unwrap_or_default();
            });
        }
    }

    /// The number of tasks that wait for a manual clock to move; 0 for the system's.
    pub fn waiting(&self) -> usize {
        match &self.0 {
            TimeSource::System => 0,
            TimeSource::Manual(now) => now.receiver_count(),
        }
    }

    /// Unaffected by changes of the wall clock.
    pub async fn sleep(&self, duration: Duration) {
        self.sleep_until(self.monotonic() + duration).await;
    }

    pub async fn sleep_until(&self, until: Monotonic) {
        match &self.0 {
            TimeSource::System => tokio::time::sleep(until - self.monotonic()).await,
            TimeSource::Manual(now) => {
                let mut now = now.subscribe();
                // `self` holds the sender and is borrowed, so waiting cannot fail.
                let _ = now.wait_for(|now| now.monotonic >= until).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const HOUR: chrono::Duration = chrono::Duration::hours(1);

    /// Sets the wall clock forwards or backwards, as an operator or NTP does, without advancing the monotonic clock.
    fn set_wall(clock: &Clock, by: chrono::Duration) {
        if let TimeSource::Manual(now) = &clock.0 {
            now.send_modify(|now| now.wall += by);
        }
    }

    #[test]
    fn a_wait_is_seconds_or_a_date() {
        let clock = Clock::manual(DateTime::UNIX_EPOCH + chrono::Duration::days(20_000));
        for (field, seconds) in [
            ("900", Some(900)),
            ("Wed, 04 Oct 2024 00:15:00 GMT", None),
            ("Fri, 04 Oct 2024 00:15:00 GMT", Some(900)),
            ("Thu, 03 Oct 2024 00:00:00 GMT", Some(0)),
            ("soon", None),
        ] {
            let wait = clock.retry_after(field).map(|wait| wait.as_secs());
            assert_eq!(wait, seconds, "{field}");
        }
    }

    #[test]
    fn setting_the_wall_clock_does_not_change_a_wait() {
        for by in [HOUR, -HOUR] {
            let clock = Clock::manual(DateTime::UNIX_EPOCH + chrono::Duration::days(20_000));
            let wait = clock.sleep(Duration::from_mins(1)).shared();
            assert_eq!(wait.clone().now_or_never(), None);
            set_wall(&clock, by);
            assert_eq!(
                wait.clone().now_or_never(),
                None,
                "{by}: no time has passed"
            );
            clock.advance(chrono::Duration::minutes(1));
            assert_eq!(wait.now_or_never(), Some(()), "{by}: a minute has passed");
        }
    }
}
