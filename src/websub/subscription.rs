//! A subscription: its states, and whom an exchange about it is with.

use crate::model::named;
use crate::snapshot::Document;

// The states of a subscription. The table's CHECK lists the same states; a test compares them.

named! {
    /// By its name in the database.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum State {
        /// Requested, and not verified yet. A subscription that is over can be requested again.
        Pending = "pending",
        /// Verified; receives changes until its lease ends. A new request changes it only once it is verified (WebSub §5.1).
        Active = "active",
        /// The first verification failed.
        Rejected = "rejected",
        /// Ended by its subscriber, by 410, or by three consecutive failed deliveries.
        Removed = "removed",
        /// The lease ended without renewal.
        Lapsed = "lapsed",
    }
}

/// Whom an exchange is with.
#[derive(Debug, Clone)]
pub struct Subscriber {
    /// Primary key of `subscription`.
    pub subscription_id: i64,
    pub document: Document,
    /// The callback in the spelling of the subscription, or of the request to verify.
    pub callback: String,
    /// Limits count by host.
    pub host: String,
}
