//! Per-host clients: one for each host, so that its connections can be bounded in number and in
//! age.
//!
//! A client's pool of idle connections has a bound per host only, and no bound on how long a
//! connection that is in use again and again may live. A fan-out to a hundred thousand hosts would
//! leave as many sockets behind, and the addresses of a busy host would never be judged again. So
//! each host gets a client of its own, of which few are kept, and none for long: dropping one
//! closes its connections. Making one takes about 2 µs, as they share one TLS configuration.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::Client;

use crate::clock::Monotonic;

/// How many hosts have a client; the one used longest ago gives way.
const CLIENTS_MAX: usize = 128;
/// How many idle connections a client keeps: with the bound above, the bound on idle sockets.
pub(super) const IDLE_PER_HOST_MAX: usize = 4;
/// Idle connections are closed after this.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// No client takes a request when it is older. With an exchange of 20 s, and the time above,
/// connections that anybody could get again live for 60 s at most.
const HOST_CLIENT_AGE_MAX: Duration = Duration::from_secs(20);

/// See the head of this file.
#[derive(Debug, Default)]
pub(super) struct HostClients {
    open: Mutex<Clients>,
}

#[derive(Debug, Default)]
struct Clients {
    host_clients: HashMap<String, HostClient>,
    uses: u64,
}

#[derive(Debug)]
struct HostClient {
    client: Client,
    opened_at: Monotonic,
    last_use: u64,
}

impl HostClients {
    /// The client for `host` (with its port): the one in use if it is young enough, or the one that
    /// `make` makes.
    pub(super) fn client<E>(
        &self,
        host: &str,
        now: Monotonic,
        make: impl FnOnce() -> Result<Client, E>,
    ) -> Result<Client, E> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.uses += 1;
        let uses = open.uses;
        if let Some(host_client) = open
            .host_clients
            .get_mut(host)
            .filter(|host_client| is_young(host_client, now))
        {
            host_client.last_use = uses;
            return Ok(host_client.client.clone());
        }
        let client = make()?;
        open.host_clients
            .retain(|_, host_client| is_young(host_client, now));
        if open.host_clients.len() >= CLIENTS_MAX {
            let oldest = open
                .host_clients
                .iter()
                .min_by_key(|(_, host_client)| host_client.last_use)
                .map(|(host, _)| host.clone());
            oldest.and_then(|host| open.host_clients.remove(&host));
        }
        open.host_clients.insert(
            host.to_owned(),
            HostClient {
                client: client.clone(),
                opened_at: now,
                last_use: uses,
            },
        );
        Ok(client)
    }
}

fn is_young(host_client: &HostClient, now: Monotonic) -> bool {
    now - host_client.opened_at < HOST_CLIENT_AGE_MAX
}
