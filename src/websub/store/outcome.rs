//! What came of an attempt: for the subscription, and for the operator. Values alone; writing them
//! down is `record`'s.

use std::net::IpAddr;

use chrono::{DateTime, Utc};

use super::super::state::Event;
use super::request::Mode;
use crate::snapshot::Document;

/// What an attempt was, for the operator.
#[derive(Debug, Clone)]
pub struct AttemptRecord {
    /// `verification`, `delivery` or `denial`.
    pub kind: &'static str,
    /// The document that the attempt was about.
    pub document: Document,
    /// The callback URL that was called.
    pub callback: String,
    /// The version that was sent; none for a verification.
    pub version: Option<i64>,
    /// The HTTP status, where there was an answer.
    pub status: Option<u16>,
    /// `ok`, or why it failed.
    pub reason: String,
    /// The instant at which the attempt began.
    pub at: DateTime<Utc>,
    /// How long it took.
    pub duration_ms: i64,
}

impl AttemptRecord {
    /// What came of it in a word, the same for all kinds: `ok`, `status 404`, or why there was no
    /// answer that counts.
    #[must_use]
    pub fn outcome(&self) -> String {
        match self.status {
            Some(status) if self.reason == "status" => format!("status {status}"),
            Some(_) | None => self.reason.clone(),
        }
    }
}

/// What came of an attempt, for the subscription.
#[derive(Debug, Clone)]
pub enum Outcome {
    /// The callback confirmed the intent.
    Verified {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// Which request of it.
        serial: i64,
        /// Whether subscribing or unsubscribing was confirmed.
        mode: Mode,
        /// Counted from the moment the verification was sent (WebSub §5.3).
        lease_ends_at: DateTime<Utc>,
    },
    /// Nobody answered; it is tried once more.
    VerifyAgain {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// Which request of it.
        serial: i64,
        /// The instant at which the next attempt is due.
        at: DateTime<Utc>,
    },
    /// Nothing was learnt; it is tried as if for the first time.
    VerifyLater {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// Which request of it.
        serial: i64,
        /// The instant at which the next attempt is due.
        at: DateTime<Utc>,
    },
    /// Nobody was asked: a limit put it off until its turn.
    Waits {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// The network that the callback leads to, and whose turn it waits for.
        network: Option<IpAddr>,
    },
    /// The callback did not confirm.
    NotVerified {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// Which request of it.
        serial: i64,
    },
    /// It has that version now.
    Delivered {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// The version that was delivered.
        version: i64,
        /// How many bytes it was.
        bytes: i64,
    },
    /// It is tried again.
    Retry {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// Failed attempts in a row.
        failures: u32,
        /// The instant at which the next attempt is due.
        at: DateTime<Utc>,
    },
    /// The subscription is over.
    Ended {
        /// The key of its row in `subscription`.
        subscription_id: i64,
        /// What ended it: `Gone` or `DeliveriesFailed`.
        event: Event,
    },
}

impl Outcome {
    /// Which subscription it is about.
    #[must_use]
    pub const fn subscription_id(&self) -> i64 {
        match self {
            Self::Verified {
                subscription_id, ..
            }
            | Self::VerifyAgain {
                subscription_id, ..
            }
            | Self::VerifyLater {
                subscription_id, ..
            }
            | Self::Waits {
                subscription_id, ..
            }
            | Self::NotVerified {
                subscription_id, ..
            }
            | Self::Delivered {
                subscription_id, ..
            }
            | Self::Retry {
                subscription_id, ..
            }
            | Self::Ended {
                subscription_id, ..
            } => *subscription_id,
        }
    }

    /// When it is due again.
    #[must_use]
    pub const fn again_at(&self) -> Option<DateTime<Utc>> {
        match self {
            Self::VerifyAgain { at, .. }
            | Self::VerifyLater { at, .. }
            | Self::Retry { at, .. } => Some(*at),
            Self::Verified { .. }
            | Self::Waits { .. }
            | Self::NotVerified { .. }
            | Self::Delivered { .. }
            | Self::Ended { .. } => None,
        }
    }
}
