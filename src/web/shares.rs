//! What clients share, such as connections or bytes in memory: bounded in all and for each peer.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use crate::compute::lock;
use crate::metrics::{Gauge, figure};

#[derive(Debug)]
pub struct Shares {
    pub max: usize,
    pub peer_max: usize,
    /// The last quarter is for peers that hold at most this.
    pub few: usize,
    /// Shows what all peers hold.
    pub gauge: Option<Gauge>,
    pub held: Mutex<Held>,
}

#[derive(Debug, Default)]
pub struct Held {
    all: usize,
    by_peer: HashMap<IpAddr, usize>,
}

/// The share of one connection or request, which is given back when this is dropped.
#[derive(Debug)]
pub struct Share {
    shares: Arc<Shares>,
    /// `None` counts only in all.
    peer: Option<IpAddr>,
    size: usize,
}

impl Share {
    /// An empty share.
    pub const fn new(shares: Arc<Shares>, peer: Option<IpAddr>) -> Self {
        Self {
            shares,
            peer,
            size: 0,
        }
    }

    /// Changes the size. Shrinking is always possible.
    ///
    /// # Errors
    /// The limit that does not allow it, `all` or `peer`; then nothing changes.
    pub fn resize(&mut self, size: usize) -> Result<(), &'static str> {
        let mut held = lock(&self.shares.held);
        let all = held.all - self.size + size;
        let own = self.peer.map_or(0, |peer| {
            held.by_peer.get(&peer).copied().unwrap_or(0) - self.size + size
        });
        let Shares {
            max, peer_max, few, ..
        } = *self.shares;
        if size > self.size && own > peer_max {
            return Err("peer");
        }
        if size > self.size && (all > max || all > max / 4 * 3 && own > few) {
            return Err("all");
        }
        held.all = all;
        if let Some(gauge) = &self.shares.gauge {
            gauge.set(figure(all as u64));
        }
        match self.peer {
            Some(peer) if own > 0 => held.by_peer.insert(peer, own),
            Some(peer) => held.by_peer.remove(&peer),
            None => None,
        };
        self.size = size;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let _ = self.resize(0);
    }
}
