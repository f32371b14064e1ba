//! One exchange with a callback: a verification, a delivery, or the word that a subscription was
//! ended. What it came to is decided here and written down by the worker.

mod delivery;
pub mod verification;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
pub use delivery::delivery_timeout;

use super::limits::Addresses;
use super::schedule::Doubts;
use super::store::AttemptRecord;
use crate::clock::{Clock, Monotonic};
use crate::config::RetryDelays;
use crate::links::Links;
use crate::random::Random;
use crate::snapshot::Document;
use crate::websub::http_client::{Callback, Egress};

/// For the whole of a verification, and of the word that a subscription was ended.
pub const VERIFY_TIMEOUT: Duration = Duration::from_secs(10);
/// A challenge is 64 characters; what is longer is another body.
const VERIFY_BODY_MAX: usize = 1_024;

/// Sends verifications and deliveries, and says what became of each.
#[derive(Clone)]
pub struct Exchange {
    /// The only way out.
    pub egress: Arc<Egress>,
    /// The clock by which attempts are dated.
    pub clock: Clock,
    /// For challenges and jitter.
    pub random: Random,
    /// For topics and the hub.
    pub links: Links,
    /// The waits between attempts.
    pub delays: RetryDelays,
    /// How often one network may be asked to verify.
    pub by_address: Arc<Addresses>,
    /// Whose failures are in doubt.
    pub doubts: Doubts,
}

/// When an exchange began: the instant that is kept, and what its duration is measured from.
#[derive(Clone, Copy)]
struct Began {
    at: DateTime<Utc>,
    monotonic: Monotonic,
    /// How many signs of life there had been from outside.
    signs: u64,
}

impl Exchange {
    /// Whether a callback surely leads into a net that the operator opened, and is free of the
    /// limits per host.
    #[must_use]
    pub fn is_free(&self, callback: &str) -> bool {
        let policy = self.egress.policy();
        Callback::parse(callback, policy).is_ok_and(|callback| callback.is_allowed_besides(policy))
    }

    fn record(
        &self,
        kind: &'static str,
        document: Document,
        callback: &str,
        began: Began,
        status: Option<u16>,
        reason: String,
    ) -> AttemptRecord {
        let duration_ms = i64::try_from((self.clock.monotonic() - began.monotonic).as_millis())
            .unwrap_or(i64::MAX);
        AttemptRecord {
            kind,
            document,
            callback: callback.to_owned(),
            version: None,
            status,
            reason,
            at: began.at,
            duration_ms,
        }
    }

    fn began(&self) -> Began {
        Began {
            at: self.clock.now(),
            monotonic: self.clock.monotonic(),
            signs: self.doubts.signs_of_life(),
        }
    }
}
