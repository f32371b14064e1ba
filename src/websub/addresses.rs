//! How often callbacks at one network may be asked to verify, whatever their names: anonymous
//! requests make us call strangers. Who would have to wait books a turn. Renewing and ending active
//! subscriptions has a share of its own, so that false requests that lead to a subscriber's address
//! do not keep it out.

use std::net::IpAddr;

use super::limits::{network, reserved};
use super::turns::{Bookings, Turn};
use crate::clock::{Clock, Monotonic};

/// What is dialled is counted by one IPv4 address, or by one IPv6 /48.
pub const ADDRESS_PREFIX: u32 = 48;

/// See the head of this file.
#[derive(Debug)]
pub struct Addresses {
    clock: Clock,
    all: Bookings<IpAddr>,
    reserved: Bookings<IpAddr>,
}

impl Addresses {
    /// `count` verifications a minute for each network, and a quarter as many more for active
    /// subscriptions.
    #[must_use]
    pub fn new(count: u64, clock: &Clock) -> Self {
        Self {
            clock: clock.clone(),
            all: Bookings::new(count, clock),
            reserved: Bookings::new(reserved(count), clock),
        }
    }

    /// Books a turn at all of `addresses`, but where `before` has one already.
    ///
    /// # Errors
    /// The turn, where it has not come yet.
    pub fn book(
        &self,
        before: Option<&Turn>,
        addresses: &[IpAddr],
        is_active: bool,
    ) -> Result<(), Turn> {
        let now = self.clock.monotonic();
        let mut turn = Turn {
            at: before.map_or(now, |turn| turn.at),
            networks: Vec::with_capacity(addresses.len()),
        };
        for address in addresses {
            let network = network(*address, ADDRESS_PREFIX);
            if turn.networks.contains(&network) {
                continue;
            }
            let is_booked = before.is_some_and(|turn| turn.networks.contains(&network));
            let next = if is_booked {
                now
            } else {
                self.next(&network, is_active, now)
            };
            if next > turn.at {
                turn.at = next;
                turn.networks.insert(0, network);
            } else {
                turn.networks.push(network);
            }
        }
        if turn.at > now { Err(turn) } else { Ok(()) }
    }

    fn next(&self, network: &IpAddr, is_active: bool, now: Monotonic) -> Monotonic {
        if is_active && !self.all.book_now(network) {
            return now + self.reserved.book(network);
        }
        if is_active {
            now
        } else {
            now + self.all.book(network)
        }
    }
}
