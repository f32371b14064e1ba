//! The HTTP/1.1 server: sockets on one side, a [`poem::Endpoint`] on the other, and a bound on
//! everything between.
//!
//! It stands in for poem's own server, which offers no bound on connections, heads or slow readers
//! and leaves Nagle's algorithm on. hyper does the protocol; what hyper answers by itself leaves as
//! a problem like every other error. Nothing here knows a route. The outside rules are RFC 9110 and
//! RFC 9112; how it stops stands in `docs/OPERATIONS.md`.

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

/// A body as poem hands it over.
type BoxBody = http_body_util::combinators::BoxBody<bytes::Bytes, io::Error>;

/// The answer of an endpoint that needs nothing but a request's head, and waits for nothing; `None`
/// where the endpoint is to be called. It is asked for before anything is made of the request, which
/// costs more than such an answer.
pub type ReadyAnswer<E> = fn(&E, &Method, &Uri, &HeaderMap) -> Option<Response>;

/// How long accepting rests after the system refused (no file descriptors, no memory): long enough
/// not to spin, short enough that nobody's connection attempt times out.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The least time between two lines in the log that say that there is no place left.
const CROWDED_PAUSE: Duration = Duration::from_secs(1);

/// What one server allows its clients, together and each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Connections open at a time; who comes later gets a 503. Default 768: below the usual 1,024
    /// file descriptors, so that the database and outgoing requests still find theirs; `reviews
    /// serve` allows more where it finds more of them.
    pub connections_max: usize,
    /// Connections of one peer: an IPv4 address or an IPv6 /64; a /48 may have four times as many.
    /// Default 64, many times what a browser opens.
    pub connections_per_peer_max: usize,
    /// Connections being told so at a time; who comes on top of these is closed without a word.
    /// Default 64.
    pub refusals_max: usize,
    /// How long a refused client is waited for: to send its first bytes, and again to take the
    /// answer. Default 1 s.
    pub early_response_timeout: Duration,
    /// From the first byte of a request's head to its last, and from connecting to the first byte.
    /// Default 10 s.
    pub headers_timeout: Duration,
    /// Between an answer and the first byte of the next request. Default 75 s.
    pub keep_alive_timeout: Duration,
    /// For a request's body, from the moment it is waited for. Reading then fails with an error
    /// whose source is an [`io::Error`] of kind `TimedOut`. Default 30 s.
    pub body_timeout: Duration,
    /// Bytes of a request's head: request line and header fields. Default 32 KiB.
    pub head_bytes_max: usize,
    /// Bytes of a request's target. Default 16 KiB: the longest question is 1,000 characters of
    /// four bytes, each percent-encoded, beside its other parameters (RFC 9110 §4.1 asks for 8,000
    /// at least).
    pub uri_bytes_max: usize,
    /// Header fields of a request. Default 100; anything else costs an allocation per request.
    pub headers_max: usize,
    /// Bytes read ahead, and bytes queued before a flush, of one connection. Default 256 KiB; at
    /// least 8 KiB and a head.
    pub buffer_bytes_max: usize,
    /// The rate at which a client must take a response, in bytes per second. Default 16 KiB/s.
    pub write_bytes_per_second_min: u32,
    /// By how much a client may fall behind that rate, so also how long it may take nothing at all.
    /// Default 30 s.
    pub write_slack: Duration,
    /// Bytes that the system may hold for a client beside those on their way. It reports progress
    /// in steps of this order; without a bound (4 MiB and more) a steady reader at the least rate
    /// would look stalled for a minute, and every stalled one would hold that much memory. Linux
    /// and Android only. Default 128 KiB.
    pub unsent_bytes_max: u32,
    /// For the whole of a response, from the first time the client had to be waited for. Default 30
    /// min.
    pub response_timeout: Duration,
    /// What is in flight when the stop is asked for has this long to finish. Default 10 s.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 768,
            connections_per_peer_max: 64,
            refusals_max: 64,
            early_response_timeout: Duration::from_secs(1),
            headers_timeout: Duration::from_secs(10),
            keep_alive_timeout: Duration::from_secs(75),
            body_timeout: Duration::from_secs(30),
            head_bytes_max: 32 * 1024,
            uri_bytes_max: 16 * 1024,
            headers_max: 100,
            buffer_bytes_max: 256 * 1024,
            write_bytes_per_second_min: 16 * 1024,
            write_slack: Duration::from_secs(30),
            unsent_bytes_max: 128 * 1024,
            response_timeout: Duration::from_mins(30),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// Serves `endpoint` on `listener` until `shutdown`, then lets what is in flight finish within
/// [`Limits::shutdown_timeout`], cuts the rest, and returns once every task has ended.
///
/// A panic in the endpoint ends its own connection only, and is logged. Peers in the nets of
/// `exempt` may have any number of connections: behind them stands everybody.
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
    bound_unsent(&listener, limits);
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
    // Closing the listener first: whoever connects from now on is refused by the system, not left
    // waiting.
    drop(listener);
    server.stop().await;
}

/// Sets [`Limits::unsent_bytes_max`] for all connections of `listener`, which inherit it.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn bound_unsent(listener: &TcpListener, limits: Limits) {
    if let Err(error) =
        socket2::SockRef::from(listener).set_tcp_notsent_lowat(limits.unsent_bytes_max)
    {
        tracing::warn!(%error, "server.unsent_unbounded: the system does not limit unsent bytes, so slow readers are detected \
            later");
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
const fn bound_unsent(_listener: &TcpListener, _limits: Limits) {}

struct Server<E> {
    handler: Arc<Handler<E>>,
    limits: Limits,
    exempt: Vec<IpNet>,
    admission: Admission<Weak<ConnectionHandle>>,
    /// Tells all connections to finish what is in flight, and to go.
    stopping: CancellationToken,
    connections: JoinSet<()>,
    refusals: JoinSet<()>,
    /// When it was last logged that there is no place left.
    crowded_at: Option<Instant>,
    /// Whether the last accept worked: of a run of failures, only the first is logged.
    accepting: bool,
}

impl<E: Endpoint + 'static> Server<E> {
    /// Gives a new connection its task, or a task that turns it away, or closes it.
    fn admit(&mut self, stream: TcpStream, peer: SocketAddr) {
        self.accepting = true;
        // A small answer must not wait for the acknowledgement of the one before (Nagle and delayed
        // ACK: 40 ms). It fails only on a connection that is gone already, which its first read
        // will tell.
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

    /// Says why there is no place, or closes without a word where many are being told.
    fn turn_away(&mut self, stream: TcpStream, refusal: Refusal) {
        let (early_response, reason, refusals_max) = match refusal {
            // One peer must not keep the others from hearing what it hears itself.
            Refusal::Peer => (
                EarlyResponse::PeerCrowded,
                "peer",
                self.limits.refusals_max / 2,
            ),
            Refusal::All => (EarlyResponse::Crowded, "all", self.limits.refusals_max),
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

    /// Whether accepting must rest a moment after `error`.
    fn must_pause(&mut self, error: &io::Error) -> bool {
        use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
        // accept(2): these tell of the one connection, which was gone before it was taken.
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

    /// Lets what is in flight finish, then cuts the rest.
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

/// Says so when a connection's task ended in a panic.
fn report(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "server.panicked: a request's handling panicked and its connection was closed");
    }
}

// The socket that connections come in by.

/// How many connections may wait to be accepted; the system may allow fewer (on Linux
/// `net.core.somaxconn`, 4,096 since 5.4). Whoever finds no room asks again a second later, so
/// there is room for what a burst brings while the processors have other work.
const BACKLOG: u32 = 4_096;

/// Listens on `address`, which may have been in use a moment ago.
///
/// # Errors
/// What the system says.
pub fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // On Windows it would let others take the address.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
