//! Limits the memory of MCP requests and their responses, in total and per peer. A response counts until the system
//! has accepted its last byte, which depends on its reader.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;

use crate::config::network;
use crate::metrics;
use crate::metrics::figure;
use crate::web::server::{Excess, Shares};

/// Maximum bytes of all requests and responses.
pub const BYTES_MAX: usize = 32 * 1024 * 1024;
/// The shares of the peers; a peer is an IPv4 address or an IPv6 /48.
const SHARES: Shares = Shares {
    all_max: BYTES_MAX,
    peer_max: BYTES_MAX / 4,
    few: 256 * 1024,
};

/// The bytes in use.
#[derive(Debug, Default)]
pub struct InFlight(Mutex<Held>);

#[derive(Debug, Default)]
struct Held {
    all: usize,
    of: HashMap<IpAddr, usize>,
}

/// The bytes of one request, which are released when this is dropped.
#[derive(Debug)]
pub struct Room {
    in_flight: Arc<InFlight>,
    peer: IpAddr,
    bytes: usize,
}

/// A response that keeps its bytes reserved.
struct HeldAnswer {
    json: String,
    _room: Room,
}

impl AsRef<[u8]> for HeldAnswer {
    fn as_ref(&self) -> &[u8] {
        self.json.as_bytes()
    }
}

impl InFlight {
    /// An empty reservation for the peer with that address.
    #[must_use]
    pub fn room(this: &Arc<Self>, address: IpAddr) -> Room {
        Room {
            in_flight: Arc::clone(this),
            peer: network(address, 48),
            bytes: 0,
        }
    }
}

impl Held {
    /// The reason to refuse `peer` a change of one of its reservations from `bytes` to `wanted`.
    fn objection(&self, peer: IpAddr, bytes: usize, wanted: usize) -> Option<&'static str> {
        let all = self.all - bytes + wanted;
        let own = self.of.get(&peer).copied().unwrap_or(0) - bytes + wanted;
        // Shrinking is always allowed.
        let excess = SHARES.excess(own, all).filter(|_| wanted > bytes)?;
        Some(match excess {
            Excess::Peer => "peer",
            Excess::Reserve | Excess::All => "all",
        })
    }
}

impl Room {
    /// Changes the reservation to `bytes`; returns false, without a change, if a limit is exceeded.
    #[must_use]
    pub fn resize(&mut self, bytes: usize) -> bool {
        let mut held = self
            .in_flight
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(reason) = held.objection(self.peer, self.bytes, bytes) {
            metrics::MCP_REFUSED.count(&[reason]);
            return false;
        }
        held.all = held.all - self.bytes + bytes;
        let mut own = match held.of.entry(self.peer) {
            Entry::Occupied(own) => own,
            Entry::Vacant(own) => own.insert_entry(0),
        };
        *own.get_mut() = *own.get() - self.bytes + bytes;
        if *own.get() == 0 {
            own.remove();
        }
        self.bytes = bytes;
        metrics::MCP_BYTES.gauge(&[]).set(figure(held.all as u64));
        true
    }

    /// `json` as a body that keeps the reservation until its last byte is written.
    #[must_use]
    pub fn hold(self, json: String) -> Bytes {
        Bytes::from_owner(HeldAnswer { json, _room: self })
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        let _ = self.resize(0);
    }
}
