//! What every handler shares: the state (snapshot, clock and compute), the client's address, and reading a body
//! within a number of bytes and a time.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper::body::Bytes;
use ipnet::IpNet;
use poem::error::ReadBodyError;
use poem::http::header::CONTENT_LENGTH;
use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use poem::{Addr, Body, FromRequest, Request, RequestBody};
use tokio::sync::OnceCell;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::problem::HttpProblem;
use crate::clock::{Clock, Monotonic};
use crate::compute::{Compute, Crowded, Slot, lock, network};
use crate::config::{Contacts, Nets, RequestLog};
use crate::metrics;
use crate::snapshot::{
    CurrentSnapshot, PerSnapshot, Snapshot, read_newer_transparency, read_transparency,
};
use crate::storage::DbError;
use crate::wire;

/// The `Retry-After` when too many requests wait.
pub const CROWDED_PAUSE: Duration = Duration::from_secs(1);
/// A change is published within a second, unless publishing fails.
const PUBLISHED_WAIT_MAX: Duration = Duration::from_secs(2);

/// There is one, shared by all handlers and jobs.
#[derive(Debug)]
pub struct Ctx {
    pub current: Arc<CurrentSnapshot>,
    /// Forgotten after any change of the database, because it also depends on what no snapshot has.
    pub transparency: PerSnapshot<OnceCell<Arc<wire::Transparency>>>,
    pub clock: Clock,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Nets,
    pub compute: Compute,
    /// Since when publishing has been failing.
    pub failing_since: Mutex<Option<Monotonic>>,
    /// URIs for reporting security issues (RFC 9116).
    pub contacts: Contacts,
    pub request_log: RequestLog,
    /// Cancelled when the service is shutting down and should receive no new requests.
    pub draining: CancellationToken,
}

impl Ctx {
    pub fn new(current: CurrentSnapshot, clock: Clock, trusted_proxies: Nets) -> Self {
        let (compute, current) = (Compute::default(), Arc::new(current));
        Self {
            current,
            transparency: PerSnapshot::default(),
            clock,
            trusted_proxies,
            compute,
            failing_since: Mutex::default(),
            contacts: Contacts::default(),
            request_log: RequestLog::default(),
            draining: CancellationToken::new(),
        }
    }

    /// How long publishing has been failing; `None` if it works.
    pub fn failing_for(&self) -> Option<Duration> {
        lock(&self.failing_since).map(|since| self.clock.monotonic() - since)
    }

    /// Waits for the client's turn to compute (IPv6: its /64), which lasts until the slot is dropped.
    ///
    /// # Errors
    /// 503 if too many requests wait.
    pub async fn turn(&self, client: ClientAddress) -> Result<Slot, HttpProblem> {
        let slot = self.compute.turns.slot(client.network(64)).await;
        slot.map_err(|Crowded| {
            metrics::COMPUTE_REFUSED.count(&[]);
            HttpProblem::retry_later(
                StatusCode::SERVICE_UNAVAILABLE,
                "Too many requests are waiting; try again later.",
                CROWDED_PAUSE,
            )
        })
    }

    /// The current snapshot and how its reviews are collected and checked. If the database has changed since, and the snapshot has no
    /// figures of its own, this is of the next snapshot; while publishing fails, its figures are newer. Both come with the client's turn
    /// to compute, in which nothing waits for that snapshot.
    ///
    /// # Errors
    /// 503 if too many requests wait, or the database cannot be read.
    pub async fn transparency(
        &self,
        client: ClientAddress,
    ) -> Result<(Slot, Arc<Snapshot>, Arc<wire::Transparency>), HttpProblem> {
        let mut swaps = self.current.swaps();
        let read = async {
            loop {
                swaps.mark_unchanged();
                let slot = self.turn(client).await?;
                let snapshot = self.current.load();
                let made = self.transparency.of(&snapshot);
                // Concurrent requests wait for one result.
                let read = async || match read_transparency(&snapshot).await {
                    Ok(read) => read.map(Arc::new).ok_or(None),
                    Err(error) => Err(Some(error)),
                };
                match made.get_or_try_init(read).await {
                    Ok(transparency) => {
                        let transparency = Arc::clone(transparency);
                        break Ok((slot, snapshot, transparency));
                    }
                    Err(Some(error)) => break Err(transparency_not_read(&error)),
                    Err(None) => {
                        drop(slot);
                        // Its sender is a field of the context.
                        let _ = swaps.changed().await;
                    }
                }
            }
        };
        if let Ok(read) = timeout(PUBLISHED_WAIT_MAX, read).await {
            return read;
        }
        let slot = self.turn(client).await?;
        let snapshot = self.current.load();
        let read = match read_transparency(&snapshot).await {
            Ok(None) => read_newer_transparency(&snapshot).await,
            Ok(Some(transparency)) => Ok(transparency),
            Err(error) => Err(error),
        };
        let transparency = read.map_err(|error| transparency_not_read(&error))?;
        Ok((slot, snapshot, Arc::new(transparency)))
    }
}

fn transparency_not_read(error: &DbError) -> HttpProblem {
    tracing::warn!(%error, "transparency.not_read: the database cannot be read");
    HttpProblem::retry_later(
        StatusCode::SERVICE_UNAVAILABLE,
        "The database cannot be read just now; try again later.",
        CROWDED_PAUSE,
    )
}

// The client's address, also behind trusted proxies (`X-Forwarded-For`). Each proxy appends the address of its peer, so the field
// is read from the right, and only while the entries come from trusted proxies; the client can write anything to the left.

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// `None` if it is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientAddress(pub Option<IpAddr>);

impl ClientAddress {
    /// By the trusted proxies of the context in `request`.
    pub fn of(request: &Request) -> Self {
        let (Addr::SocketAddr(peer), Some(ctx)) =
            (&request.remote_addr().0, request.data::<Arc<Ctx>>())
        else {
            return Self(None);
        };
        let lines = request.headers().get_all(FORWARDED_FOR).iter();
        let lines = lines.map(|line: &HeaderValue| line.to_str().ok());
        Self(Some(source(peer.ip(), lines, &ctx.trusted_proxies)))
    }

    /// The network that counts as one client: the IPv4 address, or the IPv6 network of the first `prefix` bits.
    pub fn network(self, prefix: u32) -> IpAddr {
        network(self.0.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED)), prefix)
    }
}

impl<'a> FromRequest<'a> for ClientAddress {
    async fn from_request(request: &'a Request, _: &mut RequestBody) -> poem::Result<Self> {
        Ok(Self::of(request))
    }
}

/// The `peer`, or, if the peer is a trusted proxy, the nearest hop that is not one. An entry that is not an address
/// ends the chain, and the last trusted hop is used. `values` are the field's lines in order; `None` is a line that is
/// not text.
fn source<'v>(
    peer: IpAddr,
    values: impl DoubleEndedIterator<Item = Option<&'v str>>,
    trusted: &[IpNet],
) -> IpAddr {
    let entries = values
        .rev()
        .flat_map(|value| value.unwrap_or("unknown").rsplit(','));
    // Empty list elements are ignored (RFC 9110 §5.6.1).
    let mut entries = entries.map(str::trim).filter(|entry| !entry.is_empty());
    let mut source = peer.to_canonical();
    while trusted.iter().any(|net| net.contains(&source)) {
        match entries.next().map(str::parse::<IpAddr>) {
            Some(Ok(address)) => source = address.to_canonical(),
            Some(Err(_)) | None => break,
        }
    }
    source
}

/// Timeout for a whole body.
pub const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// # Errors
/// 413 if it has more than `bytes_max`, 408 if it does not arrive within `time_max`, 400 if it is cut off or malformed.
pub async fn read_body(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
    time_max: Duration,
) -> Result<Bytes, HttpProblem> {
    let too_large = HttpProblem::new(
        StatusCode::PAYLOAD_TOO_LARGE,
        format!("A body may have at most {bytes_max} bytes."),
    );
    let length = headers.get(CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > bytes_max as u64) {
        return Err(too_large);
    }
    match timeout(time_max, body.into_bytes_limit(bytes_max)).await {
        Ok(Ok(body)) => Ok(body),
        Ok(Err(ReadBodyError::PayloadTooLarge)) => Err(too_large),
        Ok(Err(_)) => Err(HttpProblem::new(
            StatusCode::BAD_REQUEST,
            "The body is incomplete, or its chunks are malformed (RFC 9112 §7.1).",
        )),
        Err(_) => Err(HttpProblem::new(
            StatusCode::REQUEST_TIMEOUT,
            "The body did not arrive completely in time.",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_client_is_the_first_untrusted_hop_from_the_right() {
        let trusted = ["10.0.0.0/8", "fd00::/8"].map(|net| net.parse().unwrap());
        for (peer, lines, expected) in [
            // An untrusted peer's field is ignored.
            ("198.51.100.1", &["203.0.113.1"][..], "198.51.100.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("::ffff:10.0.0.1", &["198.51.100.9"], "198.51.100.9"),
            ("10.0.0.1", &["203.0.113.3, 198.51.100.9"], "198.51.100.9"),
            (
                "10.0.0.1",
                &["203.0.113.3,198.51.100.9 ,10.0.0.7"],
                "198.51.100.9",
            ),
            // The client's own entry names a trusted proxy.
            ("10.0.0.1", &["10.0.0.9, 198.51.100.9"], "198.51.100.9"),
            // Several lines are one list (RFC 9110 §5.3).
            (
                "10.0.0.1",
                &["203.0.113.3", "198.51.100.9", "10.0.0.7"],
                "198.51.100.9",
            ),
            ("10.0.0.1", &["10.0.0.3, 10.0.0.2"], "10.0.0.3"),
            ("10.0.0.1", &[" , 198.51.100.9,, "], "198.51.100.9"),
            ("fd00::1", &["2001:db8::1"], "2001:db8::1"),
            // An entry with a port is no address.
            ("10.0.0.1", &["198.51.100.9, 10.0.0.7:80"], "10.0.0.1"),
        ] {
            let source = source(
                peer.parse().unwrap(),
                lines.iter().map(|line| Some(*line)),
                &trusted,
            );
            assert_eq!(
                source,
                expected.parse::<IpAddr>().unwrap(),
                "{peer} {lines:?}"
            );
        }
    }
}
