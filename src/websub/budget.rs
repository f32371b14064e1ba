//! How much one host is sent in an hour: enough for any subscriber, too little to drown one. Hours
//! are measured on the monotonic clock.

use std::collections::HashMap;
use std::time::Duration;

use crate::clock::Monotonic;

const HOUR: Duration = Duration::from_hours(1);

/// Hosts that are remembered; more than these are forgotten together, which errs on the side of
/// sending.
const HOSTS_MAX: usize = 100_000;

/// Bytes per host and hour.
#[derive(Debug)]
pub struct Budget {
    bytes_per_hour: u64,
    spent: HashMap<String, (Monotonic, u64)>,
}

impl Budget {
    /// A budget of so many bytes for each host.
    #[must_use]
    pub fn new(bytes_per_hour: u64) -> Self {
        Self {
            bytes_per_hour,
            spent: HashMap::new(),
        }
    }

    /// Whether `host` has had its share of this hour.
    #[must_use]
    pub fn is_spent(&self, host: &str, now: Monotonic) -> bool {
        self.spent
            .get(host)
            .is_some_and(|(since, bytes)| *bytes >= self.bytes_per_hour && now < *since + HOUR)
    }

    /// Counts what `host` is sent now.
    pub fn spend(&mut self, host: &str, bytes: u64, now: Monotonic) {
        if self.spent.len() >= HOSTS_MAX {
            self.spent.clear();
        }
        let entry = self.spent.entry(host.to_owned()).or_insert((now, 0));
        if now >= entry.0 + HOUR {
            *entry = (now, 0);
        }
        entry.1 += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_rests_until_its_hour_is_over() {
        let (mut budget, start) = (Budget::new(100), Monotonic::default());
        budget.spend("a", 60, start);
        assert!(!budget.is_spent("a", start));
        budget.spend("a", 60, start);
        assert!(budget.is_spent("a", start + Duration::from_mins(59)));
        assert!(!budget.is_spent("a", start + HOUR));
        assert!(!budget.is_spent("b", start));
    }
}
