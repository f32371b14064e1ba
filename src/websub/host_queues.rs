//! Who is next: hosts take turns, and each has only so many attempts in flight. A host that hangs
//! holds up itself alone.

use std::collections::{HashMap, VecDeque};

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

    /// Forgets what is due, to be analyzed anew; what is in flight stays counted.
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
