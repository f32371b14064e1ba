//! The life of a subscription, as the specification's table has it. The table's CHECK lists the
//! same states; a test compares them.

use serde_json::Value;

/// Where a subscription is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// Asked for, and not verified yet.
    Pending,
    /// Verified: it gets what changes, until its lease ends.
    Active,
    /// The verification failed: it never was.
    Rejected,
    /// Ended by its subscriber, by 410, or by three failed deliveries in a row.
    Removed,
    /// Its lease ended and was not renewed.
    Lapsed,
}

/// What happens to a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Event {
    /// Somebody asks for it; only verifying changes anything.
    Requested,
    /// The callback confirmed that it wants it.
    SubscribeVerified,
    /// The callback confirmed that it wants it no more.
    UnsubscribeVerified,
    /// The callback did not confirm.
    VerificationFailed,
    /// Three deliveries in a row failed (SPEC; stricter than WebSub §7, which asks to go on until
    /// the lease ends).
    DeliveriesFailed,
    /// The callback answered 410.
    Gone,
    /// The lease reached its end.
    LeaseEnded,
}

impl State {
    /// Every state that a subscription can be in.
    pub const ALL: [Self; 5] = [
        Self::Pending,
        Self::Active,
        Self::Rejected,
        Self::Removed,
        Self::Lapsed,
    ];

    /// Its name in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Active => "active",
            Self::Rejected => "rejected",
            Self::Removed => "removed",
            Self::Lapsed => "lapsed",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// Where `event` leads from here; `None` where it cannot happen.
    #[must_use]
    pub const fn on(self, event: Event) -> Option<Self> {
        match (self, event) {
            // What is over can be asked for again.
            (Self::Pending | Self::Rejected | Self::Removed | Self::Lapsed, Event::Requested) => {
                Some(Self::Pending)
            }
            // What runs goes on until the new wish is verified (WebSub §5.1), and if that fails
            // (§5.3). What is verified holds, also where the subscription ended since it was asked
            // for.
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

/// Where `event` leads from each state that it can happen in, as a JSON object of names: a statement that moves a
/// subscription looks it up there, so that it needs no read before it.
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
