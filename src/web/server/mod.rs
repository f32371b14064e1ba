//! The HTTP/1.1 server (RFC 9110, RFC 9112) between sockets and a [`poem::Endpoint`], with a limit on every resource.
//!
//! It replaces poem's server, which has no limits on connections, heads or slow readers and leaves Nagle's algorithm
//! on. hyper implements the protocol; its own error responses are replaced by problems. This module is independent of
//! the routes; `docs/OPERATIONS.md` describes the shutdown.

mod admission;
mod connection;
mod early_response;
mod socket;

use std::io;
use std::net::SocketAddr;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use admission::{Activity, Admission, AdmissionDecision, Peer, Refusal};
pub use admission::{Excess, Shares};
use connection::{ConnectionHandle, Handler};
use early_response::EarlyResponse;
use hyper::rt::Timer;
use hyper_util::rt::TokioTimer;
use ipnet::IpNet;
use poem::http::{HeaderMap, Method, Uri};
use poem::{Endpoint, Response};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::metrics;

type BoxBody = http_body_util::combinators::BoxBody<bytes::Bytes, io::Error>;

/// Answers from a request's head only, without waiting; `None` if the endpoint must be called. It is called before the
/// request is converted for the endpoint, because the conversion costs more than such an answer.
pub type ReadyAnswer<E> = fn(&E, &Method, &Uri, &HeaderMap) -> Option<Response>;

/// Pause after the system refuses an accept (no file descriptors, no memory): long enough not to spin, short enough
/// that connection attempts do not time out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Minimum interval between two log lines about refused connections.
const CROWDED_PAUSE: Duration = Duration::from_secs(1);

/// Maximum bytes of a request's target: the longest `query` is 1,000 characters of four bytes, each percent-encoded,
/// plus other parameters (RFC 9110 §4.1 asks for at least 8,000).
const URI_BYTES_MAX: usize = 16 * 1024;

/// Maximum number of header fields of a request: hyper's own limit, which is not set, because that costs an allocation
/// per request. The answer 431 names it.
const HEADERS_MAX: usize = 100;

/// Maximum number of refusals sent concurrently; connections beyond it are closed without a response.
const REFUSALS_MAX: usize = 64;

/// Maximum unsent bytes that the system buffers per client. It reports progress in steps of about this size; with its
/// default (4 MiB and more) a steady reader at the minimum rate would look stalled for a minute, and every stalled
/// reader would hold that much memory.
#[cfg(any(target_os = "linux", target_os = "android"))]
const UNSENT_BYTES_MAX: u32 = 128 * 1024;

/// Limits of one server, in total and per client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of open connections; further ones get a 503. Default 768: below the usual 1,024 file descriptors,
    /// so that some are left for the database and outgoing requests; `reviews serve` raises it if the process may open
    /// more.
    pub connections_max: usize,
    /// Maximum number of connections of one peer (an IPv4 address or an IPv6 /64); a /48 may have four times as many.
    /// Default 64, many times the number that a browser opens.
    pub connections_per_peer_max: usize,
    /// Timeout for the rest of a request's head after its first byte, and for the first byte after connecting. Default
    /// 10 s.
    pub headers_timeout: Duration,
    /// Timeout for the first byte of the next request after a response. Default 75 s.
    pub keep_alive_timeout: Duration,
    /// Timeout for reading a request's body. After it, reading fails with an error whose source is an [`io::Error`] of
    /// kind `TimedOut`. Default 30 s.
    pub body_timeout: Duration,
    /// Maximum bytes of a request's head: request line and header fields. Default 32 KiB.
    pub head_bytes_max: usize,
    /// Maximum bytes read ahead, and maximum bytes queued before a flush, per connection. Default 256 KiB; at least 8
    /// KiB and at least [`Self::head_bytes_max`].
    pub buffer_bytes_max: usize,
    /// Minimum rate at which a client must receive a response, in bytes per second. Default 16 KiB/s.
    pub write_bytes_per_second_min: u32,
    /// The maximum delay of a client against that rate; a client that receives nothing is cut off after this time.
    /// Default 30 s.
    pub write_slack: Duration,
    /// Timeout for a whole response, from the first write that had to wait for the client. Default 30 min.
    pub response_timeout: Duration,
    /// Timeout for requests in flight when shutdown begins. Default 10 s.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 768,
            connections_per_peer_max: 64,
            headers_timeout: Duration::from_secs(10),
            keep_alive_timeout: Duration::from_secs(75),
            body_timeout: Duration::from_secs(30),
            head_bytes_max: 32 * 1024,
            buffer_bytes_max: 256 * 1024,
            write_bytes_per_second_min: 16 * 1024,
            write_slack: Duration::from_secs(30),
            response_timeout: Duration::from_mins(30),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// Serves `endpoint` on `listener` until `shutdown`, then lets requests in flight finish within
/// [`Limits::shutdown_timeout`], cuts the rest, and returns once every task has ended.
///
/// A panic in the endpoint ends only its own connection and is logged. Peers in the nets of `exempt` may have any
/// number of connections because many clients share them.
pub async fn serve<E: Endpoint + 'static>(
    listener: TcpListener,
    endpoint: Arc<E>,
    at_hand: ReadyAnswer<E>,
    shutdown: CancellationToken,
    limits: Limits,
    exempt: Vec<IpNet>,
) {
    let mut server = Server {
        handler: Arc::new(Handler::new(endpoint, at_hand, limits)),
        limits,
        exempt,
        admission: Admission::new(limits.connections_max, limits.connections_per_peer_max),
        stopping: CancellationToken::new(),
        connections: JoinSet::new(),
        refusals: JoinSet::new(),
        crowded_at: None,
        accepting: true,
    };
    bound_unsent(&listener);
    let address = listener.local_addr().map(|address| address.to_string());
    tracing::info!(
        address = address.ok(),
        "server.listening: connections are accepted"
    );
    let clock = Clock::system();
    loop {
        tokio::select! {
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => server.admit(stream, peer),
                Err(error) => if server.must_pause(&error) {
                    tokio::select! {
                        () = shutdown.cancelled() => break,
                        () = clock.sleep(ACCEPT_PAUSE) => {}
                    }
                }
            },
            Some(ended) = server.connections.join_next() => report(ended),
            Some(ended) = server.refusals.join_next() => report(ended),
        }
    }
    // The listener is closed first, so that the system refuses new connections instead of queueing them.
    drop(listener);
    server.stop().await;
}

/// Sets [`UNSENT_BYTES_MAX`] on `listener`, from which its connections inherit it.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn bound_unsent(listener: &TcpListener) {
    let socket = socket2::SockRef::from(listener);
    if let Err(error) = socket.set_tcp_notsent_lowat(UNSENT_BYTES_MAX) {
        tracing::warn!(%error, "server.unsent_unbounded: the system does not limit unsent bytes, so slow readers are detected \
            later");
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
const fn bound_unsent(_listener: &TcpListener) {}

struct Server<E> {
    handler: Arc<Handler<E>>,
    limits: Limits,
    exempt: Vec<IpNet>,
    admission: Admission<Weak<ConnectionHandle>>,
    /// Asks all connections to finish their requests and close.
    stopping: CancellationToken,
    connections: JoinSet<()>,
    refusals: JoinSet<()>,
    /// The time of the last log line about a refusal for lack of connections.
    crowded_at: Option<Instant>,
    /// Whether the last accept succeeded: of consecutive failures, only the first is logged.
    accepting: bool,
}

impl<E: Endpoint + 'static> Server<E> {
    /// Spawns a task that serves or refuses a new connection, or closes it.
    fn admit(&mut self, stream: TcpStream, peer: SocketAddr) {
        self.accepting = true;
        // A small response must not wait for the acknowledgement of the one before (Nagle and delayed ACK: 40 ms).
        // This fails only on a closed connection, which the first read reports.
        let _ = stream.set_nodelay(true);
        while let Some(ended) = self.connections.try_join_next() {
            report(ended);
        }
        let who = Peer::of(peer.ip(), &self.exempt);
        let activity = |handle: &Weak<ConnectionHandle>| {
            handle
                .upgrade()
                .map_or(Activity::Closed, |handle| handle.activity())
        };
        match self.admission.decide(who, activity) {
            AdmissionDecision::Refuse(refusal) => return self.turn_away(stream, refusal),
            AdmissionDecision::InPlaceOf(number) => {
                metrics::CONNECTIONS_YIELDED.count(&[]);
                if let Some(handle) = self.admission.get(number).and_then(Weak::upgrade) {
                    handle.ask_to_go();
                }
            }
            AdmissionDecision::Admit => {}
        }
        let handle = Arc::new(ConnectionHandle::new());
        self.admission.hold(who, Arc::downgrade(&handle));
        self.connections.spawn(connection::hold(
            Arc::clone(&self.handler),
            stream,
            peer,
            self.stopping.clone(),
            handle,
        ));
    }

    /// Sends the reason, or closes without a response if too many refusals are being sent.
    fn turn_away(&mut self, stream: TcpStream, refusal: Refusal) {
        let (early_response, reason, refusals_max) = match refusal {
            // One peer must not use up the refusals of the others.
            Refusal::Peer => (EarlyResponse::PeerCrowded, "peer", REFUSALS_MAX / 2),
            Refusal::All => (EarlyResponse::Crowded, "all", REFUSALS_MAX),
        };
        metrics::CONNECTIONS_REFUSED.count(&[reason]);
        if refusal == Refusal::All {
            self.log_crowded();
        }
        if self.refusals.len() < refusals_max {
            self.refusals.spawn(early_response::turn_away(
                early_response,
                stream,
                self.limits,
            ));
        }
    }

    fn log_crowded(&mut self) {
        let now = TokioTimer::new().now();
        if self
            .crowded_at
            .is_none_or(|at| now.duration_since(at) >= CROWDED_PAUSE)
        {
            self.crowded_at = Some(now);
            let connections = self.admission.len();
            tracing::warn!(
                connections,
                "server.crowded: every connection is in use, new ones are answered 503"
            );
        }
    }

    /// Whether accepting must pause after `error`.
    fn must_pause(&mut self, error: &io::Error) -> bool {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
        // accept(2): these concern only the one connection, which was closed before it was accepted.
        if matches!(
            error.kind(),
            ConnectionAborted | ConnectionReset | Interrupted
        ) {
            return false;
        }
        if self.accepting {
            tracing::error!(%error, "server.accept_failed: no new connection can be taken, trying again until it works");
        }
        self.accepting = false;
        true
    }

    /// Waits for requests in flight, then cuts the rest.
    async fn stop(mut self) {
        self.stopping.cancel();
        let finished = async {
            while let Some(ended) = self.connections.join_next().await {
                report(ended);
            }
            while let Some(ended) = self.refusals.join_next().await {
                report(ended);
            }
        };
        if timeout(self.limits.shutdown_timeout, finished)
            .await
            .is_err()
        {
            let connections = self.connections.len();
            tracing::warn!(
                connections,
                "server.cut: the time to stop is over; connections still in use are closed"
            );
            self.connections.shutdown().await;
            self.refusals.shutdown().await;
        }
    }
}

/// Logs a panic of a connection's task.
fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "server.panicked: a request's handling panicked and its connection was closed");
    }
}

// The listening socket.

/// Connections that may wait to be accepted; the system may allow fewer (on Linux `net.core.somaxconn`, 4,096 since
/// 5.4). A client that finds the queue full retries a second later, so the queue is large enough for a burst.
const BACKLOG: u32 = 4_096;

/// Listens on `address`, which may have been in use a moment ago.
///
/// # Errors
/// The system's error from creating, binding or listening.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On Windows, this option would let other processes take the address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
