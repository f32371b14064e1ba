//! The listener: hyper's HTTP/1.1 (RFC 9112) around a [`poem::Endpoint`].
//!
//! It replaces poem's server, which limits neither connections nor slow readers and leaves Nagle's algorithm on. What
//! ends before there is a request (a head that cannot be read or comes too slowly, a connection above a limit) is
//! answered by hyper without a body, or closed.

use std::collections::HashMap;
use std::convert::Infallible;
use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use poem::http::uri::Scheme;
use poem::web::{LocalAddr, RemoteAddr};
use poem::{Endpoint, Request, Response};
use tokio::io::{AsyncWriteExt, copy, sink};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{Id, JoinError, JoinSet};
use tokio::time::timeout;
use tokio_io_timeout::TimeoutStream;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::compute::network;
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

/// Serves `endpoint` on `listener` until `accepting` is cancelled, then lets requests in flight finish within
/// [`ConnectionLimits::shutdown_timeout`], cuts the rest, and returns once every task has ended.
///
/// A panic outside of the handlers ends only its own connection. Peers in the nets of `exempt` may have
/// any number of connections because many clients share them.
pub async fn serve<E: Endpoint<Output = Response> + 'static>(
    listener: TcpListener,
    endpoint: Arc<E>,
    accepting: CancellationToken,
    limits: ConnectionLimits,
    exempt: Vec<IpNet>,
) {
    let address = listener.local_addr().map(|address| address.to_string());
    tracing::info!(
        address = address.ok(),
        "server.listening: connections are accepted"
    );
    limit_unsent(&listener);
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(limits.head_timeout)
        .max_header_size(HEAD_BYTES_MAX)
        .max_buf_size(BUFFER_BYTES)
        // A client may close its side after the request and still expect the response.
        .half_close(true);
    // Cancelled once the listener is closed: a connection then ends with the request that it is in.
    let keep_alive = CancellationToken::new();
    let (mut connections, clock) = (Connections::default(), Clock::system());
    loop {
        let accepted = tokio::select! {
            () = accepting.cancelled() => break,
            Some(ended) = connections.tasks.join_next_with_id() => {
                connections.forget(&ended);
                continue;
            }
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, peer)) => {
                let address = peer.ip().to_canonical();
                let is_exempt = exempt.iter().any(|net| net.contains(&address));
                let network = (!is_exempt).then(|| network(address, 64));
                if let Some(limit) = connections.reached_limit(network, limits) {
                    metrics::CONNECTIONS_REFUSED.count(&[limit]);
                    continue;
                }
                let (http, endpoint) = (http.clone(), Arc::clone(&endpoint));
                let served =
                    serve_connection(stream, peer, http, endpoint, limits, keep_alive.clone());
                let task = connections.tasks.spawn(served);
                connections
                    .networks
                    .extend(network.map(|network| (task.id(), network)));
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::error!(%error, "server.accept_failed: no new connection can be taken, trying again until it works");
                tokio::select! {
                    () = accepting.cancelled() => break,
                    () = clock.sleep(ACCEPT_PAUSE) => {}
                }
            }
        }
    }
    // The listener is closed first, so that the system refuses new connections instead of queueing them.
    drop(listener);
    keep_alive.cancel();
    connections.end(limits.shutdown_timeout).await;
}

/// Serves one connection until it closes, then lets the client read the end of its response.
async fn serve_connection<E: Endpoint<Output = Response> + 'static>(
    stream: TcpStream,
    peer: SocketAddr,
    http: http1::Builder,
    endpoint: Arc<E>,
    limits: ConnectionLimits,
    keep_alive: CancellationToken,
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
        () = keep_alive.cancelled() => None,
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

/// The open connections, bounded in all and for each peer.
#[derive(Default)]
struct Connections {
    tasks: JoinSet<()>,
    /// The networks of those that the limit for each peer counts.
    networks: HashMap<Id, IpAddr>,
}

impl Connections {
    /// The limit that a further connection would exceed: `all` or `peer`.
    fn reached_limit(
        &self,
        peer: Option<IpAddr>,
        limits: ConnectionLimits,
    ) -> Option<&'static str> {
        let networks = self.networks.values();
        let of_peer = networks.filter(|other| peer == Some(**other));
        if self.tasks.len() >= limits.connections_max {
            Some("all")
        } else if of_peer.count() >= limits.connections_per_peer_max {
            Some("peer")
        } else {
            None
        }
    }

    fn forget(&mut self, ended: &Result<(Id, ()), JoinError>) {
        let id = match ended {
            Ok((id, ())) => *id,
            Err(panic) => panic.id(),
        };
        self.networks.remove(&id);
    }

    /// Waits until all have ended, and cuts those that have not in time.
    async fn end(mut self, time_max: Duration) {
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if timeout(time_max, ended).await.is_err() {
            tracing::warn!(
                connections = self.tasks.len(),
                "server.cut: the time to stop is over; connections still in use are closed"
            );
            self.tasks.shutdown().await;
        }
    }
}
