//! The hub's rows: what was asked for, who is subscribed, what is due, and what came of it.

mod attempt;
mod due;
mod list;
mod outcome;
mod record;
mod request;
mod tidy;
mod transition;

use chrono::{DateTime, SecondsFormat, Utc};
pub use due::{Due, DueDelivery, DueVerification, deliveries, next_due_at, verifications};
pub use list::{HubGauges, SubscriptionRow, gauges, list};
pub use outcome::{AttemptRecord, Outcome};
pub use record::record;
pub use request::{
    Counts, Mode, SubscriptionRequest, accept, counts, is_known, known_callbacks, requested,
};
pub use tidy::{bound, expire, prune};

/// The one spelling of instants in the hub's tables, which compare as texts.
fn text(instant: DateTime<Utc>) -> String {
    instant.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Reads an instant back; what is none counts as long ago.
fn instant(text: &str) -> DateTime<Utc> {
    DateTime::parse_from_rfc3339(text).map_or(DateTime::UNIX_EPOCH, |instant| instant.to_utc())
}
