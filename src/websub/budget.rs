//! How much one host is sent in an hour: enough for any subscriber, too little to drown one.

use std::collections::HashMap;

use chrono::{DateTime, Duration, Utc};

/// Hosts that are remembered; more than these are forgotten together, which errs on the side of sending.
const HOSTS_MAX: usize = 100_000;

/// Bytes per host and hour.
#[derive(Debug)]
pub struct Budget {
    bytes_per_hour: u64,
    spent: HashMap<String, (DateTime<Utc>, u64)>,
}

impl Budget {
    /// A budget of so many bytes for each host.
    #[must_use]
    pub fn new(bytes_per_hour: u64) -> Self {
        Self { bytes_per_hour, spent: HashMap::new() }
    }

    /// Whether `host` has had its share of this hour.
    #[must_use]
    pub fn is_spent(&self, host: &str, now: DateTime<Utc>) -> bool {
        self.spent.get(host).is_some_and(|(since, bytes)| *bytes >= self.bytes_per_hour && now < *since + Duration::hours(1))
    }

    /// Counts what `host` is sent now.
    pub fn spend(&mut self, host: &str, bytes: u64, now: DateTime<Utc>) {
        if self.spent.len() >= HOSTS_MAX {
            self.spent.clear();
        }
        let entry = self.spent.entry(host.to_owned()).or_insert((now, 0));
        if now >= entry.0 + Duration::hours(1) {
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
        let (mut budget, start) = (Budget::new(100), DateTime::UNIX_EPOCH);
        budget.spend("a", 60, start);
        assert!(!budget.is_spent("a", start));
        budget.spend("a", 60, start);
        assert!(budget.is_spent("a", start + Duration::minutes(59)));
        assert!(!budget.is_spent("a", start + Duration::minutes(60)));
        assert!(!budget.is_spent("b", start));
    }
}
