//! The states and transitions of a subscription. The table's CHECK lists the same states; a test compares them.

use serde_json::Value;

use crate::model::named;

named! {
    /// By its name in the database.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum State {
        /// Requested, and not verified yet.
        Pending = "pending",
        /// Verified; receives changes until its lease ends.
        Active = "active",
        /// The first verification failed.
        Rejected = "rejected",
        /// Ended by its subscriber, by 410, or by three consecutive failed deliveries.
        Removed = "removed",
        /// The lease ended without renewal.
        Lapsed = "lapsed",
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// Changes an active subscription only once it is verified.
    Requested,
    SubscribeVerified,
    UnsubscribeVerified,
    VerificationFailed,
    /// Three consecutive deliveries failed (stricter than WebSub §7, which asks to retry until the lease ends).
    DeliveriesFailed,
    /// 410.
    Gone,
    LeaseEnded,
}

impl State {
    /// The next state; `None` if `event` cannot happen in this one.
    #[must_use]
    pub const fn on(self, event: Event) -> Option<Self> {
        match (self, event) {
            // A subscription that is over can be requested again.
            (Self::Pending | Self::Rejected | Self::Removed | Self::Lapsed, Event::Requested) => {
                Some(Self::Pending)
            }
            // An active subscription continues until the new request is verified (WebSub §5.1), and if that fails
            // (§5.3). A verification holds even if the subscription ended after the request.
            (Self::Active, Event::Requested | Event::VerificationFailed)
            | (
                Self::Pending | Self::Active | Self::Rejected | Self::Removed | Self::Lapsed,
                Event::SubscribeVerified,
            ) => Some(Self::Active),
            (Self::Pending | Self::Active, Event::UnsubscribeVerified)
            | (Self::Active, Event::DeliveriesFailed | Event::Gone) => Some(Self::Removed),
            (Self::Pending, Event::VerificationFailed) => Some(Self::Rejected),
            (Self::Active, Event::LeaseEnded) => Some(Self::Lapsed),
            (Self::Pending, Event::DeliveriesFailed | Event::Gone | Event::LeaseEnded)
            | (
                Self::Rejected | Self::Removed | Self::Lapsed,
                Event::UnsubscribeVerified
                | Event::VerificationFailed
                | Event::DeliveriesFailed
                | Event::Gone
                | Event::LeaseEnded,
            ) => None,
        }
    }
}

/// The transitions of `event` as a JSON object from state to state, so that an update statement can apply them without
/// a read before.
#[must_use]
pub fn transitions(event: Event) -> String {
    let moves = State::ALL.into_iter().filter_map(|from| {
        let to = from.on(event)?;
        Some((from.name().to_owned(), Value::from(to.name())))
    });
    Value::Object(moves.collect()).to_string()
}

#[cfg(test)]
mod tests {
    use super::{Event, State, transitions};

    #[test]
    fn transitions_list_where_an_event_leads() {
        let gone: serde_json::Value = serde_json::from_str(&transitions(Event::Gone)).unwrap();
        assert_eq!(gone, serde_json::json!({"active": "removed"}));
    }

    #[test]
    fn the_table_of_the_specification_holds() {
        for (from, event, to) in [
            (
                State::Pending,
                Event::SubscribeVerified,
                Some(State::Active),
            ),
            (
                State::Pending,
                Event::VerificationFailed,
                Some(State::Rejected),
            ),
            (
                State::Active,
                Event::UnsubscribeVerified,
                Some(State::Removed),
            ),
            (State::Active, Event::DeliveriesFailed, Some(State::Removed)),
            (State::Active, Event::LeaseEnded, Some(State::Lapsed)),
            (State::Active, Event::SubscribeVerified, Some(State::Active)),
            (
                State::Active,
                Event::VerificationFailed,
                Some(State::Active),
            ),
            (State::Lapsed, Event::Requested, Some(State::Pending)),
            (State::Lapsed, Event::SubscribeVerified, Some(State::Active)),
            (State::Lapsed, Event::Gone, None),
        ] {
            assert_eq!(from.on(event), to, "{from:?} {event:?}");
        }
    }

    #[test]
    fn names_lead_back() {
        for state in State::ALL {
            assert_eq!(State::find(state.name()), Some(state));
        }
    }
}
