//! The listener: hyper's HTTP/1.1 (RFC 9112) around a [`poem::Endpoint`].
//!
//! It replaces poem's server, which limits neither connections nor slow readers and leaves Nagle's algorithm on. What
//! ends before there is a request (a head that cannot be read or comes too slowly, a connection above a limit) is
//! answered by hyper without a body, or closed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use poem::http::uri::Scheme;
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Endpoint, Request, Response};
use tokio::io::{AsyncWriteExt, copy, sink};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::compute::{lock, network};
use crate::config::bounds::HEAD_BYTES_MAX;
#[cfg(any(target_os = "linux", target_os = "android"))]
use crate::config::bounds::UNSENT_BYTES_MAX;
use crate::metrics;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Maximum number of open connections. Default 768: below the usual 1,024 file descriptors, so that some are left
    /// for the database and outgoing requests; `reviews serve` raises it if the process may open more.
    pub connections_max: usize,
    /// Maximum number of connections of one peer (an IPv4 address or an IPv6 /64). Default 64, many times the number
    /// that a browser opens.
    pub connections_per_peer_max: usize,
    /// Timeout for a request's head, and for the next request on an open connection. Default 30 s.
    pub head_timeout: Duration,
    /// Time without progress after which a client that does not read its response is cut off. Default 30 s.
    pub write_timeout: Duration,
    /// Timeout for requests in flight when shutdown begins. Default 10 s.
    pub shutdown_timeout: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections_max: 768,
            connections_per_peer_max: 64,
            head_timeout: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}

/// Bytes read ahead, and bytes queued before a flush, per connection.
const BUFFER_BYTES: usize = 256 * 1024;
/// Pause after the system refuses an accept (no file descriptors, no memory): long enough not to spin or to fill the log,
/// short enough that connection attempts do not time out.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);
/// Time for which a closed connection is still read: closing with unread bytes resets it, and a reset may overtake the
/// response (RFC 9112 §9.6).
const LINGER: Duration = Duration::from_secs(1);
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
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Serves `endpoint` on `listener` until `shutdown`, then lets requests in flight finish within
/// [`ConnectionLimits::shutdown_timeout`], cuts the rest, and returns once every task has ended.
///
/// A panic outside of the handlers ends only its own connection and is logged. Peers in the nets of `exempt` may have
/// any number of connections because many clients share them.
pub async fn serve<E: Endpoint<Output = Response> + 'static>(
    listener: TcpListener,
    endpoint: Arc<E>,
    shutdown: CancellationToken,
    limits: ConnectionLimits,
    exempt: Vec<IpNet>,
) {
    let address = listener.local_addr().map(|address| address.to_string());
    tracing::info!(
        address = address.ok(),
        "server.listening: connections are accepted"
    );
    limit_unsent(&listener);
    let places = Arc::new(Places {
        max: limits.connections_max,
        peer_max: limits.connections_per_peer_max,
        held: Mutex::default(),
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_header_size(HEAD_BYTES_MAX)
        .max_buf_size(BUFFER_BYTES)
        // A client may close its side after the request and still expect the response.
        .half_close(true);
    let (mut connections, stopping) = (JoinSet::new(), CancellationToken::new());
    let clock = Clock::system();
    loop {
        let accepted = tokio::select! {
            () = shutdown.cancelled() => break,
            Some(ended) = connections.join_next() => {
                report_panic(ended);
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let address = peer.ip().to_canonical();
                let is_exempt = exempt.iter().any(|net| net.contains(&address));
                let network = (!is_exempt).then(|| network(address, 64));
                let place = match places.take(network) {
                    Ok(place) => place,
                    Err(limit) => {
                        metrics::CONNECTIONS_REFUSED.count(&[limit]);
                        continue;
                    }
                };
                let (http, endpoint) = (http.clone(), Arc::clone(&endpoint));
                let held = serve_connection(stream, peer, http, endpoint, limits, stopping.clone());
                connections.spawn(async move {
                    held.await;
                    drop(place);
                });
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::error!(%error, "server.accept_failed: no new connection can be taken, trying again until it works");
                tokio::select! {
                    () = shutdown.cancelled() => break,
                    () = clock.sleep(ACCEPT_PAUSE) => {}
                }
            }
        }
    }
    // The listener is closed first, so that the system refuses new connections instead of queueing them.
    drop(listener);
    stopping.cancel();
    let finished = async {
        while let Some(ended) = connections.join_next().await {
            report_panic(ended);
        }
    };
    if timeout(limits.shutdown_timeout, finished).await.is_err() {
        let count = connections.len();
        tracing::warn!(
            connections = count,
            "server.cut: the time to stop is over; connections still in use are closed"
        );
        connections.shutdown().await;
    }
}

/// Serves one connection until it closes, then lets the client read the end of its response.
async fn serve_connection<E: Endpoint<Output = Response> + 'static>(
    stream: TcpStream,
    peer: SocketAddr,
    http: http1::Builder,
    endpoint: Arc<E>,
    limits: ConnectionLimits,
    stopping: CancellationToken,
) {
    // A small response must not wait for the acknowledgement of the one before (Nagle and delayed ACK: 40 ms).
    // These fail only on a closed connection.
    let (Ok(()), Ok(local)) = (stream.set_nodelay(true), stream.local_addr()) else {
        return;
    };
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write_timeout));
    let service = service_fn(|request| respond(Arc::clone(&endpoint), request, local, peer));
    let mut connection = http.serve_connection(TokioIo::new(Box::pin(stream)), service);
    let ended = tokio::select! {
        ended = &mut connection => Some(ended),
        () = stopping.cancelled() => None,
    };
    let ended = if let Some(ended) = ended {
        ended
    } else {
        Pin::new(&mut connection).graceful_shutdown();
        (&mut connection).await
    };
    let mut stream = connection.into_parts().io.into_inner();
    if ended.is_err_and(|error| is_write_timeout(&error)) {
        tracing::debug!(%peer, "server.reader_cut: a client did not read its response");
        // A plain close would leave the rest of the response to the system, which keeps sending it for minutes.
        let _ = stream.get_ref().set_zero_linger();
        return;
    }
    let lingered = async {
        stream.shutdown().await?;
        copy(&mut stream, &mut sink()).await
    };
    // A timeout or an error changes nothing: the connection is closed in any case.
    let _ = timeout(LINGER, lingered).await;
}

async fn respond<E: Endpoint<Output = Response>>(
    endpoint: Arc<E>,
    request: hyper::Request<Incoming>,
    local: SocketAddr,
    peer: SocketAddr,
) -> Result<hyper::Response<BoxBody<Bytes, io::Error>>, Infallible> {
    let (local, remote) = (LocalAddr(local.into()), RemoteAddr(peer.into()));
    let request = Request::from((request, local, remote, Scheme::HTTP));
    Ok(endpoint.get_response(request).await.into())
}

fn is_write_timeout(error: &hyper::Error) -> bool {
    let cause = error
        .source()
        .and_then(<dyn Error>::downcast_ref::<io::Error>);
    cause.is_some_and(|cause| cause.kind() == io::ErrorKind::TimedOut)
}

/// accept(2): these concern only the one connection, which was closed before it was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionReset, Interrupted};
    matches!(
        error.kind(),
        ConnectionAborted | ConnectionReset | Interrupted
    )
}

fn report_panic(ended: Result<(), JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        tracing::error!(%error, "server.panicked: a request's handling panicked and its connection was closed");
    }
}

/// Sets [`UNSENT_BYTES_MAX`] on `listener`, from which its connections inherit it.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn limit_unsent(listener: &TcpListener) {
    let socket = socket2::SockRef::from(listener);
    if let Err(error) = socket.set_tcp_notsent_lowat(UNSENT_BYTES_MAX) {
        tracing::warn!(%error, "server.unsent_unbounded: the system does not limit unsent bytes, so slow readers are detected \
            later");
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
const fn limit_unsent(_listener: &TcpListener) {}

/// The connections, bounded in all and for each peer.
#[derive(Debug)]
struct Places {
    max: usize,
    peer_max: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    all: usize,
    by_peer: HashMap<IpAddr, usize>,
}

/// Given back when it is dropped.
#[derive(Debug)]
struct Place {
    places: Arc<Places>,
    peer: Option<IpAddr>,
}

impl Places {
    /// A place for `peer`; one without a peer counts only in all.
    ///
    /// # Errors
    /// The limit that is reached: `all` or `peer`.
    fn take(self: &Arc<Self>, peer: Option<IpAddr>) -> Result<Place, &'static str> {
        let mut held = lock(&self.held);
        if held.all >= self.max {
            return Err("all");
        }
        if let Some(peer) = peer {
            let own = held.by_peer.get(&peer).copied().unwrap_or(0);
            if own >= self.peer_max {
                return Err("peer");
            }
            held.by_peer.insert(peer, own + 1);
        }
        held.all += 1;
        let places = Arc::clone(self);
        Ok(Place { places, peer })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut held = lock(&self.places.held);
        held.all -= 1;
        if let Some(Entry::Occupied(mut own)) = self.peer.map(|peer| held.by_peer.entry(peer)) {
            *own.get_mut() -= 1;
            if *own.get() == 0 {
                own.remove();
            }
        }
    }
}
