//! The lines that are open: one client for each host, so that its connections can be bounded in number and in age.
//!
//! A client's pool of idle connections has a bound per host only, and no bound on how long a connection that is in use
//! again and again may live. A fan-out to a hundred thousand hosts would leave as many sockets behind, and the addresses of a
//! busy host would never be judged again. So each host gets a client of its own, of which few are kept, and none for long:
//! dropping one closes its connections. Making one takes about 2 µs, as they share one TLS configuration.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use reqwest::Client;

use crate::clock::Monotonic;

/// How many hosts have a line; the one used longest ago gives way.
const LINES_MAX: usize = 128;
/// How many idle connections a line keeps: with the line above, the bound on idle sockets.
pub(super) const IDLE_PER_LINE_MAX: usize = 4;
/// Idle connections are closed after this.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// No line takes a request when it is older. With an exchange of 20 s, and the time above, connections that anybody could get
/// again live for 60 s at most.
const LINE_AGE_MAX: Duration = Duration::from_secs(20);

/// See the head of this file.
#[derive(Debug, Default)]
pub(super) struct Lines {
    open: Mutex<Open>,
}

#[derive(Debug, Default)]
struct Open {
    lines: HashMap<String, Line>,
    uses: u64,
}

#[derive(Debug)]
struct Line {
    client: Client,
    opened_at: Monotonic,
    last_use: u64,
}

impl Lines {
    /// The client for `host` (with its port): the one in use if it is young enough, or the one that `make` makes.
    pub(super) fn client<E>(&self, host: &str, now: Monotonic, make: impl FnOnce() -> Result<Client, E>) -> Result<Client, E> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.uses += 1;
        let uses = open.uses;
        if let Some(line) = open.lines.get_mut(host).filter(|line| is_young(line, now)) {
            line.last_use = uses;
            return Ok(line.client.clone());
        }
        let client = make()?;
        open.lines.retain(|_, line| is_young(line, now));
        if open.lines.len() >= LINES_MAX {
            let oldest = open.lines.iter().min_by_key(|(_, line)| line.last_use).map(|(host, _)| host.clone());
            oldest.and_then(|host| open.lines.remove(&host));
        }
        open.lines.insert(host.to_owned(), Line { client: client.clone(), opened_at: now, last_use: uses });
        Ok(client)
    }
}

fn is_young(line: &Line, now: Monotonic) -> bool {
    now - line.opened_at < LINE_AGE_MAX
}
