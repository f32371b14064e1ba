//! Fair queues: hosts take turns, and each has a limit on attempts in flight, so a host that hangs delays only itself.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use super::limits::Turn;
use crate::clock::Monotonic;

/// Due work by host.
#[derive(Debug)]
pub struct HostQueues<T> {
    in_flight_max: usize,
    queues: HashMap<String, VecDeque<T>>,
    /// The hosts with a non-empty queue, in the order in which they are served.
    turns: VecDeque<String>,
    in_flight: HashMap<String, usize>,
}

impl<T> HostQueues<T> {
    /// `in_flight_max` is per host.
    #[must_use]
    pub fn new(in_flight_max: usize) -> Self {
        Self {
            in_flight_max,
            queues: HashMap::new(),
            turns: VecDeque::new(),
            in_flight: HashMap::new(),
        }
    }

    pub fn push(&mut self, host: &str, due: T) {
        if let Some(queue) = self.queues.get_mut(host) {
            queue.push_back(due);
        } else {
            self.queues.insert(host.to_owned(), VecDeque::from([due]));
            self.turns.push_back(host.to_owned());
        }
    }

    /// Whether no work is queued.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.turns.is_empty()
    }

    /// Removes queued work; the counts of work in flight stay.
    pub fn clear(&mut self) {
        self.queues.clear();
        self.turns.clear();
    }

    /// The next work item whose host is below its limit and not resting; it counts as in flight.
    pub fn pop(&mut self, is_resting: impl Fn(&str) -> bool) -> Option<(String, T)> {
        for _ in 0..self.turns.len() {
            let host = self.turns.pop_front()?;
            let in_flight = self.in_flight.get(&host).copied().unwrap_or(0);
            if in_flight >= self.in_flight_max || is_resting(&host) {
                self.turns.push_back(host);
                continue;
            }
            let queue = self.queues.get_mut(&host)?;
            let due = queue.pop_front()?;
            if queue.is_empty() {
                self.queues.remove(&host);
            } else {
                self.turns.push_back(host.clone());
            }
            self.in_flight.insert(host.clone(), in_flight + 1);
            return Some((host, due));
        }
        None
    }

    /// Ends one attempt at `host`.
    pub fn done(&mut self, host: &str) {
        if let Some(count) = self.in_flight.get_mut(host) {
            *count -= 1;
            if *count == 0 {
                self.in_flight.remove(host);
            }
        }
    }
}

/// An unused booking is removed after this time, because its request no longer exists.
const FORGOTTEN_AFTER: Duration = Duration::from_hours(1);

/// The bookings of subscriptions that wait, by subscription.
#[derive(Debug, Default)]
pub struct WaitingSubscriptions(HashMap<i64, Turn>);

impl WaitingSubscriptions {
    pub fn insert(&mut self, subscription_id: i64, turn: Turn) {
        self.0.insert(subscription_id, turn);
    }

    /// Whether its booked time has not come yet.
    #[must_use]
    pub fn contains(&self, subscription_id: i64, now: Monotonic) -> bool {
        self.0
            .get(&subscription_id)
            .is_some_and(|turn| turn.at > now)
    }

    /// Removes its booking, whose time has come; `None` if it did not wait.
    pub fn take(&mut self, subscription_id: i64) -> Option<Turn> {
        self.0.remove(&subscription_id)
    }

    /// The next booked time. Removes unused bookings.
    pub fn next_at(&mut self, now: Monotonic) -> Option<Monotonic> {
        self.0.retain(|_, turn| turn.at + FORGOTTEN_AFTER > now);
        self.0
            .values()
            .map(|turn| turn.at)
            .filter(|at| *at > now)
            .min()
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn whoever_waits_is_told_from_those_whose_turn_has_come() {
        let (mut waiting, start) = (WaitingSubscriptions::default(), Monotonic::default());
        let at = |seconds| start + Duration::from_secs(seconds);
        waiting.insert(
            1,
            Turn {
                at: at(3),
                networks: Vec::new(),
            },
        );
        waiting.insert(
            2,
            Turn {
                at: at(6),
                networks: Vec::new(),
            },
        );
        assert_eq!(
            (
                waiting.contains(1, at(2)),
                waiting.contains(1, at(3)),
                waiting.contains(9, start)
            ),
            (true, false, false)
        );
        assert_eq!(
            (
                waiting.next_at(at(3)),
                waiting.take(1).is_some(),
                waiting.len()
            ),
            (Some(at(6)), true, 1)
        );
        assert_eq!(
            (waiting.next_at(at(3_700)), waiting.len()),
            (None, 0),
            "nobody came for it"
        );
    }
}
