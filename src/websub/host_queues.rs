//! Who is next: hosts take turns, and each has only so many attempts in flight. A host that hangs
//! holds up itself alone.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, OwnedSemaphorePermit};

use super::limits::Turn;
use super::store::{AttemptRecord, Outcome};
use crate::clock::Clock;
use crate::metrics;

/// What is due, by host.
#[derive(Debug)]
pub struct HostQueues<T> {
    in_flight_max: usize,
    queues: HashMap<String, VecDeque<T>>,
    /// The hosts with something in their queue, in the order of their turns.
    turns: VecDeque<String>,
    in_flight: HashMap<String, usize>,
}

impl<T> HostQueues<T> {
    /// Nothing is due yet; each host may have `in_flight_max` attempts at a time.
    #[must_use]
    pub fn new(in_flight_max: usize) -> Self {
        Self {
            in_flight_max,
            queues: HashMap::new(),
            turns: VecDeque::new(),
            in_flight: HashMap::new(),
        }
    }

    /// Adds what is due at `host`.
    pub fn push(&mut self, host: &str, due: T) {
        if let Some(queue) = self.queues.get_mut(host) {
            queue.push_back(due);
        } else {
            self.queues.insert(host.to_owned(), VecDeque::from([due]));
            self.turns.push_back(host.to_owned());
        }
    }

    /// Whether nothing is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Forgets what is due, to be read again; what is in flight stays counted.
    pub fn clear(&mut self) {
        self.queues.clear();
        self.turns.clear();
    }

    /// The next one whose host has room and is not `resting`; it is in flight from now on.
    pub fn pop(&mut self, is_resting: impl Fn(&str) -> bool) -> Option<(String, T)> {
        for _ in 0..self.turns.len() {
            let host = self.turns.pop_front()?;
            let has_room = self
                .in_flight
                .get(&host)
                .is_none_or(|count| *count < self.in_flight_max)
                && !is_resting(&host);
            let due = if has_room {
                self.queues.get_mut(&host).and_then(VecDeque::pop_front)
            } else {
                None
            };
            if self
                .queues
                .get(&host)
                .is_some_and(|queue| !queue.is_empty())
            {
                self.turns.push_back(host.clone());
            } else {
                self.queues.remove(&host);
            }
            if let Some(due) = due {
                *self.in_flight.entry(host.clone()).or_default() += 1;
                return Some((host, due));
            }
        }
        None
    }

    /// One attempt at `host` has come to its end.
    pub fn done(&mut self, host: &str) {
        if let Some(count) = self.in_flight.get_mut(host) {
            *count -= 1;
            if *count == 0 {
                self.in_flight.remove(host);
            }
        }
    }
}

// An exchange under way: it has a place among the prompt ones until it turns out to be slow, so
// that those that hang hold up nobody.

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
        Outcome::Delivered { .. } => metrics::HUB_DELIVERED.count(&[]),
        Outcome::Verified { .. } => metrics::HUB_VERIFIED.count(&[]),
        Outcome::VerifyAgain { .. }
        | Outcome::VerifyLater { .. }
        | Outcome::Waits { .. }
        | Outcome::NotVerified { .. }
        | Outcome::Retry { .. }
        | Outcome::Ended { .. } => {
            metrics::HUB_FAILED.count(&[record.kind, &record.reason]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::HostQueues;

    #[test]
    fn hosts_take_turns_and_have_only_so_many_in_flight() {
        let mut ready = HostQueues::new(2);
        for number in 0..4 {
            ready.push("many", number);
        }
        ready.push("one", 9);
        let pop = |ready: &mut HostQueues<i32>| ready.pop(|_| false).map(|(_, due)| due);
        assert_eq!(
            [
                pop(&mut ready),
                pop(&mut ready),
                pop(&mut ready),
                pop(&mut ready)
            ],
            [Some(0), Some(9), Some(1), None]
        );
        ready.done("many");
        assert_eq!([pop(&mut ready), pop(&mut ready)], [Some(2), None]);
        ready.done("many");
        assert_eq!(pop(&mut ready), Some(3));
        assert!(ready.is_empty());
    }

    #[test]
    fn a_resting_host_keeps_its_turn() {
        let mut ready = HostQueues::new(1);
        ready.push("tired", 1);
        assert_eq!(ready.pop(|_| true), None);
        assert_eq!(ready.pop(|_| false), Some(("tired".to_owned(), 1)));
    }
}
