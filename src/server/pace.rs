//! How long a socket may keep us waiting: the rate a reader has to hold, and one timer for all of a
//! connection's deadlines.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::rt::{Sleep, Timer};
use hyper_util::rt::TokioTimer;

use super::Limits;

/// Until when a client must have taken more of a response.
///
/// Time is earned by bytes: each byte that the socket takes puts the deadline off by what it may
/// cost at the least rate, but never further than the slack from now. So a steady reader above the
/// rate is never cut, however coarse the steps in which the system reports its progress, and one
/// that stops is cut after the slack, however fast it was.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    due_by: Instant,
    /// The end of the whole response's time.
    end_at: Instant,
    /// Since when there has been nothing to write: this time is not the client's.
    paused_at: Option<Instant>,
}

impl Pace {
    pub(super) fn start(now: Instant, limits: &Limits) -> Self {
        Self {
            due_by: now + limits.write_slack,
            end_at: now + limits.response_timeout,
            paused_at: None,
        }
    }

    pub(super) fn deadline(self) -> Instant {
        self.due_by.min(self.end_at)
    }

    pub(super) fn earn(&mut self, bytes: usize, now: Instant, limits: &Limits) {
        let rate = u64::from(limits.write_bytes_per_second_min.max(1));
        let nanoseconds = (bytes as u64).saturating_mul(1_000_000_000) / rate;
        self.due_by =
            (self.due_by + Duration::from_nanos(nanoseconds)).min(now + limits.write_slack);
    }

    pub(super) fn pause(&mut self, now: Instant) {
        self.paused_at.get_or_insert(now);
    }

    pub(super) fn resume(&mut self, now: Instant) {
        if let Some(paused_at) = self.paused_at.take() {
            self.due_by += now.saturating_duration_since(paused_at);
        }
    }
}

/// One timer for all deadlines of a connection.
///
/// It is set anew only for an earlier deadline. For a later one it is left to ring early and then
/// set, so that a connection that stays busy touches the runtime's timers once in a long while, not
/// once per request.
#[derive(Default)]
pub(super) struct Alarm(Option<(Instant, Pin<Box<dyn Sleep>>)>);

impl Alarm {
    /// The clock that the alarm goes by.
    pub(super) fn now() -> Instant {
        TokioTimer::new().now()
    }

    /// Whether `deadline` has passed; if not, the task is woken then or earlier.
    pub(super) fn poll_passed(&mut self, context: &mut Context<'_>, deadline: Instant) -> bool {
        let timer = TokioTimer::new();
        let (rings_at, sleep) = self
            .0
            .get_or_insert_with(|| (deadline, timer.sleep_until(deadline)));
        if *rings_at > deadline {
            *rings_at = deadline;
            timer.reset(sleep, deadline);
        }
        loop {
            match sleep.as_mut().poll(context) {
                Poll::Pending => return false,
                Poll::Ready(()) if *rings_at >= deadline => return true,
                Poll::Ready(()) => {
                    *rings_at = deadline;
                    timer.reset(sleep, deadline);
                }
            }
        }
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "any instant will do, and only the system makes one"
)]
mod tests {
    use super::*;

    const LIMITS: fn() -> Limits = || Limits {
        write_bytes_per_second_min: 1_000,
        write_slack: Duration::from_secs(10),
        response_timeout: Duration::from_secs(100),
        ..Limits::default()
    };

    /// Seconds from `from` to the pace's deadline.
    fn left(pace: Pace, from: Instant) -> u64 {
        pace.deadline().duration_since(from).as_secs()
    }

    #[test]
    fn a_reader_that_takes_nothing_has_the_slack() {
        let now = Instant::now();
        assert_eq!(left(Pace::start(now, &LIMITS()), now), 10);
    }

    #[test]
    fn bytes_put_the_deadline_off_by_what_they_cost() {
        let start = Instant::now();
        let mut pace = Pace::start(start, &LIMITS());
        pace.earn(2_000, start + Duration::from_secs(5), &LIMITS());
        assert_eq!(left(pace, start), 12);
    }

    #[test]
    fn a_fast_start_buys_no_more_than_the_slack() {
        let start = Instant::now();
        let mut pace = Pace::start(start, &LIMITS());
        pace.earn(50_000_000, start + Duration::from_secs(5), &LIMITS());
        assert_eq!(left(pace, start), 15);
    }

    #[test]
    fn time_without_anything_to_write_is_not_the_readers() {
        let start = Instant::now();
        let mut pace = Pace::start(start, &LIMITS());
        pace.pause(start + Duration::from_secs(2));
        pace.pause(start + Duration::from_secs(6));
        pace.resume(start + Duration::from_secs(9));
        assert_eq!(left(pace, start), 17);
    }

    #[test]
    fn no_rate_outlasts_the_time_of_the_whole_response() {
        let start = Instant::now();
        let mut pace = Pace::start(start, &LIMITS());
        for second in 0..200 {
            pace.earn(2_000, start + Duration::from_secs(second), &LIMITS());
        }
        assert_eq!(left(pace, start), 100);
    }
}
