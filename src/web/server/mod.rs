//! The HTTP/1.1 server (RFC 9110, RFC 9112) between sockets and a [`poem::Endpoint`], with a limit on every resource.
//!
//! It replaces poem's server, which has no limits on connections, heads or slow readers and leaves Nagle's algorithm
//! on. hyper implements the protocol; its own error responses are replaced by problems. This module is independent of
//! the routes, but for the form of the hub's errors; `docs/OPERATIONS.md` describes the shutdown.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use admission::{Activity, Admission, AdmissionDecision, Peer, Refusal};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST, HeaderValue, RETRY_AFTER, TRANSFER_ENCODING,
};
use hyper::rt::Timer;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use ipnet::IpNet;
use poem::Endpoint;
use poem::http::uri::{Authority, Scheme};
use poem::http::{HeaderMap, Method, Uri};
use poem::web::{LocalAddr, RemoteAddr};
use socket::{Cycle, Overdue, Phase, Socket};
use tokio::io::{AsyncWriteExt, copy, sink};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;
use tokio::task::{JoinError, JoinSet};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::problem::about_blank;
use super::{PROBLEM, share};
use crate::clock::Clock;
use crate::links::HUB_PATH;
use crate::{metrics, wire};

pub use admission::{Excess, Shares};
pub use socket::Limits;

mod admission;
mod socket;

type BoxBody = http_body_util::combinators::BoxBody<Bytes, io::Error>;

/// Answers from a request's head only, without waiting; `None` if the endpoint must be called. It is called before the
/// request is converted for the endpoint, because the conversion costs more than such an answer.
pub type ReadyAnswer<E> = fn(&E, &Method, &Uri, &HeaderMap) -> Option<poem::Response>;

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
    admission: Admission<Weak<Connection<E>>>,
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
        let activity = |connection: &Weak<Connection<E>>| {
            let connection = connection.upgrade();
            connection.map_or(Activity::Closed, |connection| connection.activity())
        };
        match self.admission.decide(who, activity) {
            AdmissionDecision::Refuse(refusal) => return self.turn_away(stream, refusal),
            AdmissionDecision::InPlaceOf(number) => {
                metrics::CONNECTIONS_YIELDED.count(&[]);
                if let Some(other) = self.admission.get(number).and_then(Weak::upgrade) {
                    other.ask_to_go();
                }
            }
            AdmissionDecision::Admit => {}
        }
        // This fails only if the connection is already closed.
        let Ok(local) = stream.local_addr() else {
            return;
        };
        let connection = Arc::new(Connection {
            handler: Arc::clone(&self.handler),
            local,
            peer,
            cycle: Arc::new(Cycle::new()),
            had_body: AtomicBool::new(false),
            is_asked: AtomicBool::new(false),
            asked: Notify::new(),
        });
        self.admission.hold(who, Arc::downgrade(&connection));
        let held = hold(connection, stream, self.stopping.clone());
        self.connections.spawn(held);
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
            self.refusals
                .spawn(turn_away(early_response, stream, self.limits));
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

// One connection: hyper between its socket and the endpoint, and how the connection is closed after hyper returns.

/// Bytes read ahead, and bytes queued before a flush, per connection.
const BUFFER_BYTES: usize = 256 * 1024;

struct Handler<E> {
    endpoint: Arc<E>,
    at_hand: ReadyAnswer<E>,
    limits: Limits,
    http: http1::Builder,
}

impl<E> Handler<E> {
    fn new(endpoint: Arc<E>, at_hand: ReadyAnswer<E>, limits: Limits) -> Self {
        let mut http = http1::Builder::new();
        http.max_header_size(limits.head_bytes_max)
            .max_buf_size(BUFFER_BYTES.max(limits.head_bytes_max))
            // A client may close its side after the request and still expect the response.
            .half_close(true)
            // hyper would close without a response and use the same bound for idle time; the socket enforces the
            // deadlines.
            .header_read_timeout(None);
        Self {
            endpoint,
            at_hand,
            limits,
            http,
        }
    }
}

/// A connection, shared by its task and the server.
struct Connection<E> {
    handler: Arc<Handler<E>>,
    local: SocketAddr,
    peer: SocketAddr,
    cycle: Arc<Cycle>,
    /// Whether the last request had a body, part of which may be unread.
    had_body: AtomicBool,
    /// Whether it was asked to close to admit another connection.
    is_asked: AtomicBool,
    asked: Notify,
}

impl<E> Connection<E> {
    /// The current activity. A connection that has begun a request before it is asked to close stays open.
    fn activity(&self) -> Activity {
        if self.is_asked.load(Ordering::Relaxed) {
            return Activity::Closing;
        }
        match self.cycle.phase() {
            Phase::New => Activity::Silent,
            Phase::Idle => Activity::Idle,
            Phase::Head | Phase::Answering | Phase::Answered => Activity::Busy,
        }
    }

    fn ask_to_go(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
        self.asked.notify_one();
    }
}

async fn hold<E: Endpoint + 'static>(
    connection: Arc<Connection<E>>,
    stream: TcpStream,
    stop: CancellationToken,
) {
    let (limits, cycle) = (connection.handler.limits, &connection.cycle);
    let service = service_fn(|request: Request<Incoming>| {
        cycle.enter(Phase::Answering);
        answer(Arc::clone(&connection), request)
    });
    let socket = TokioIo::new(Socket::new(stream, Arc::clone(cycle), limits));
    let mut http = connection.handler.http.serve_connection(socket, service);
    let mut is_stopping = false;
    let result = loop {
        tokio::select! {
            biased;
            result = &mut http => break result,
            () = stop.cancelled(), if !is_stopping => {
                is_stopping = true;
                Pin::new(&mut http).graceful_shutdown();
            }
            // hyper has just read all bytes that arrived in the meantime.
            () = connection.asked.notified() => match cycle.phase() {
                Phase::New => return,
                Phase::Idle => Pin::new(&mut http).graceful_shutdown(),
                Phase::Head | Phase::Answering | Phase::Answered => connection.is_asked.store(false, Ordering::Relaxed),
            }
        }
    };
    let parts = http.into_parts();
    let socket = parts.io.into_inner();
    match finish(result, &socket, cycle.phase(), &parts.read_buf) {
        Finish::Close if connection.had_body.load(Ordering::Relaxed) && !socket.is_ended => {
            linger(socket.stream).await;
        }
        Finish::Close => {}
        Finish::Refuse(early_response) => {
            early_response
                .send(socket.stream, &parts.read_buf, &limits)
                .await;
        }
        Finish::Reset => {
            tracing::debug!(peer = %connection.peer, "server.reader_cut: a client read its response too slowly");
            // A plain close would leave the rest of the response to the system, which keeps sending it for minutes.
            let _ = socket.stream.set_zero_linger();
        }
    }
}

/// The ways in which a connection is closed after hyper returns.
#[derive(Debug, PartialEq, Eq)]
enum Finish {
    Close,
    Refuse(EarlyResponse),
    /// Reset without a response.
    Reset,
}

/// `unread` is what hyper read but could not parse.
fn finish(result: hyper::Result<()>, socket: &Socket, phase: Phase, unread: &[u8]) -> Finish {
    if let Some(status) = socket.rejected {
        return Finish::Refuse(EarlyResponse::from_status(status, unread));
    }
    // RFC 9112 §2.2: empty lines before a request are ignored.
    let has_begun = phase.is_reading() && !unread.trim_ascii_start().is_empty();
    match (socket.overdue, result) {
        (Some(Overdue::Taking), _) => Finish::Reset,
        (Some(Overdue::Sending), _) if has_begun => Finish::Refuse(EarlyResponse::HeadTooSlow),
        (None, Err(error)) if has_begun && error.is_incomplete_message() => {
            Finish::Refuse(EarlyResponse::Incomplete)
        }
        // For example the HTTP/2 preface, which hyper leaves to its caller.
        (None, Err(error)) if has_begun && error.is_parse() => {
            Finish::Refuse(EarlyResponse::Malformed)
        }
        (Some(Overdue::Sending) | None, _) => Finish::Close,
    }
}

async fn answer<E: Endpoint>(
    connection: Arc<Connection<E>>,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Infallible> {
    let handler = &*connection.handler;
    connection
        .had_body
        .store(!request.body().is_end_stream(), Ordering::Relaxed);
    let response = if let Some(early_response) = objection(&request) {
        let path = request.uri().path().as_bytes();
        let response = early_response.response(path, &handler.limits);
        response.map(|body| Full::from(body).map_err(|never| match never {}).boxed())
    } else if let Some(response) = (handler.at_hand)(
        &handler.endpoint,
        request.method(),
        request.uri(),
        request.headers(),
    ) {
        response.into()
    } else {
        let local = LocalAddr(connection.local.into());
        let remote = RemoteAddr(connection.peer.into());
        let request = (request, local, remote, Scheme::HTTP).into();
        // Boxed because its size would be moved with every response.
        Box::pin(handler.endpoint.get_response(request))
            .await
            .into()
    };
    let cycle = Arc::clone(&connection.cycle);
    Ok(response.map(|body| ResponseBody { body, cycle }))
}

/// The error response to an invalid head that hyper accepts.
fn objection(request: &Request<Incoming>) -> Option<EarlyResponse> {
    let uri = request.uri();
    let target_bytes = uri.path_and_query().map_or(0, |one| one.as_str().len())
        + uri.authority().map_or(0, |name| name.as_str().len());
    if target_bytes > URI_BYTES_MAX {
        return Some(EarlyResponse::TargetTooLong);
    }
    host_fault(request.version(), request.headers())
        .or_else(|| has_other_coding(request.headers()).then_some(EarlyResponse::CodingUnknown))
}

/// RFC 9112 §3.2: 400 for HTTP/1.1 without exactly one `Host`, and for a value that is not `uri-host [ ":" port ]`. An
/// empty value is valid for a target without an authority.
fn host_fault(version: Version, headers: &HeaderMap) -> Option<EarlyResponse> {
    let mut hosts = headers.get_all(HOST).iter();
    let (first, has_more) = (hosts.next(), hosts.next().is_some());
    match first {
        Some(_) if has_more => Some(EarlyResponse::HostMissing),
        None if version == Version::HTTP_11 => Some(EarlyResponse::HostMissing),
        Some(host) => (!is_host(host.as_bytes())).then_some(EarlyResponse::HostInvalid),
        None => None,
    }
}

fn is_host(given: &[u8]) -> bool {
    let is_port = |authority: &Authority| {
        let port = authority.as_str().strip_prefix(authority.host());
        port.is_some_and(|port| {
            port.is_empty()
                || port
                    .strip_prefix(':')
                    .is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()))
        })
    };
    given.is_empty() || Authority::try_from(given).is_ok_and(|authority| is_port(&authority))
}

/// Whether the body has a transfer coding other than chunked, which is not supported (RFC 9112 §6.1: 501).
fn has_other_coding(headers: &HeaderMap) -> bool {
    headers.get_all(TRANSFER_ENCODING).iter().any(|line| {
        let mut codings = line.as_bytes().split(|byte| *byte == b',');
        codings.any(|coding| {
            let coding = coding.trim_ascii();
            !coding.is_empty() && !coding.eq_ignore_ascii_case(b"chunked")
        })
    })
}

/// A response body. hyper drops it after reading all of it, which marks the end of the response.
struct ResponseBody {
    body: BoxBody,
    cycle: Arc<Cycle>,
}

impl Drop for ResponseBody {
    fn drop(&mut self) {
        self.cycle.enter(Phase::Answered);
    }
}

impl Body for ResponseBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

// Errors for requests that never reach a handler, as problems (RFC 9457) like every other error.

/// Timeout for a refused client: to send its first bytes, and again to receive the response.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EarlyResponse {
    /// 400: the bytes are not HTTP/1.x.
    Malformed,
    /// The client closed its side within a head.
    Incomplete,
    /// HTTP/1.1 without exactly one `Host` (RFC 9112 §3.2: 400).
    HostMissing,
    /// A `Host` that is not a name or address with an optional port (RFC 9112 §3.2: 400).
    HostInvalid,
    /// The body has an unsupported transfer coding (RFC 9112 §6.1: 501).
    CodingUnknown,
    HeadTooSlow,
    TargetTooLong,
    /// Too many header fields, or too many bytes in them.
    HeadTooLarge,
    /// All connections are in use.
    Crowded,
    /// The peer has reached its cap.
    PeerCrowded,
}

impl EarlyResponse {
    /// The error behind hyper's `status`, given the `head` that hyper rejected.
    ///
    /// hyper reports 431 for any oversized head; if the request line was too long, 414 is more precise.
    fn from_status(status: u16, head: &[u8]) -> Self {
        match status {
            414 => Self::TargetTooLong,
            431 if request_line(head).len() > URI_BYTES_MAX => Self::TargetTooLong,
            431 => Self::HeadTooLarge,
            _ => Self::Malformed,
        }
    }

    fn status_and_detail(self, limits: &Limits) -> (StatusCode, String) {
        let (status, detail) = match self {
            Self::Malformed => (
                StatusCode::BAD_REQUEST,
                "This is not an HTTP/1.1 request. Send a request line such as `GET /reviews.json HTTP/1.1`, then header fields \
                 such as `Host: example.com`, then an empty line.",
            ),
            Self::Incomplete => (
                StatusCode::BAD_REQUEST,
                "The request ended before the empty line that ends its head. Send the whole head.",
            ),
            Self::HostMissing => (
                StatusCode::BAD_REQUEST,
                "An HTTP/1.1 request needs a `Host` header field, once. Send exactly one.",
            ),
            Self::HostInvalid => (
                StatusCode::BAD_REQUEST,
                "The `Host` header field is not a host with an optional port. Send one such as `example.com` or \
                 `127.0.0.1:8080`.",
            ),
            Self::CodingUnknown => (
                StatusCode::NOT_IMPLEMENTED,
                "A body can be sent in chunks, and in no other transfer coding. Send `Transfer-Encoding: chunked` or a `Content-Length`.",
            ),
            Self::HeadTooSlow => {
                let seconds = limits.headers_timeout.as_secs_f64();
                let detail = format!(
                    "The request's head did not arrive within {seconds} s. Send the request line and the header fields at once."
                );
                return (StatusCode::REQUEST_TIMEOUT, detail);
            }
            Self::TargetTooLong => {
                let detail = format!(
                    "The request's target is longer than {URI_BYTES_MAX} bytes. Shorten its path or query."
                );
                return (StatusCode::URI_TOO_LONG, detail);
            }
            Self::HeadTooLarge => {
                let bytes = limits.head_bytes_max;
                let detail = format!(
                    "The request has more than {HEADERS_MAX} header fields, or more than {bytes} bytes of head. Send fewer or shorter \
                     ones, for example without cookies."
                );
                return (StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, detail);
            }
            Self::Crowded => (
                StatusCode::SERVICE_UNAVAILABLE,
                "Every connection is in use. Try again in a second.",
            ),
            Self::PeerCrowded => {
                let max = limits.connections_per_peer_max;
                let detail = format!(
                    "Your network has reached its limit of {max} open connections. Close some, or reuse them."
                );
                return (StatusCode::TOO_MANY_REQUESTS, detail);
            }
        };
        (status, detail.to_owned())
    }

    /// Without `Content-Length` and `Date`. The hub's errors are one line of text (WebSub §5.1.2).
    fn response(self, path: &[u8], limits: &Limits) -> Response<Vec<u8>> {
        let (status, detail) = self.status_and_detail(limits);
        let (content_type, body) = if path == HUB_PATH.as_bytes() {
            (
                "text/plain; charset=utf-8",
                format!("{detail}\n").into_bytes(),
            )
        } else {
            (PROBLEM, wire::json(&about_blank(status, detail)))
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        share(headers);
        let retry_after =
            matches!(self, Self::Crowded | Self::PeerCrowded).then_some((RETRY_AFTER, "1"));
        let own = [
            (CONTENT_TYPE, content_type),
            (CACHE_CONTROL, "no-store"),
            (CONNECTION, "close"),
        ];
        for (name, value) in own.into_iter().chain(retry_after) {
            headers.insert(name, HeaderValue::from_static(value));
        }
        response
    }

    /// The serialized response to `request`, of which the beginning is known; without the body for `HEAD`
    /// (RFC 9110 §9.3.2).
    fn to_bytes(self, request: &[u8], limits: &Limits) -> Vec<u8> {
        let mut words = request_line(request).split(|byte| *byte == b' ');
        let is_head = words.next() == Some(b"HEAD");
        let target = words.next().unwrap_or_default();
        let path = target.split(|byte| *byte == b'?').next();
        let response = self.response(path.unwrap_or_default(), limits);
        let (head, body) = response.into_parts();
        // RFC 9110 §6.6.1: a server with a clock sends `Date` in a 4xx.
        let date = httpdate::fmt_http_date(Clock::system().now().into());
        let mut answer = format!(
            "HTTP/1.1 {}\r\ncontent-length: {}\r\ndate: {date}\r\n",
            head.status,
            body.len()
        )
        .into_bytes();
        for (name, value) in &head.headers {
            answer.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
        }
        answer.extend(b"\r\n");
        if !is_head {
            answer.extend(body);
        }
        answer
    }

    /// Sends the answer and closes, within [`RESPONSE_TIMEOUT`].
    async fn send(self, mut stream: TcpStream, request: &[u8], limits: &Limits) {
        let answer = self.to_bytes(request, limits);
        let sent = async {
            stream.write_all(&answer).await?;
            stream.shutdown().await?;
            swallow(&mut stream).await
        };
        // A timeout or an error changes nothing: the connection is closed in any case.
        let _ = timeout(RESPONSE_TIMEOUT, sent).await;
    }
}

/// Reads until the client closes. Closing with unread bytes resets the connection, and a reset may overtake the
/// response (RFC 9112 §9.6).
async fn swallow(stream: &mut TcpStream) -> io::Result<()> {
    copy(stream, &mut sink()).await.map(drop)
}

/// Gives the client time to receive the response to a request whose body may be unread in part, then closes.
async fn linger(mut stream: TcpStream) {
    let _ = timeout(RESPONSE_TIMEOUT, swallow(&mut stream)).await;
}

/// Answers a connection that is not admitted.
async fn turn_away(early_response: EarlyResponse, stream: TcpStream, limits: Limits) {
    // Enough for the method and the path of the hub.
    let mut start = [0; 64];
    // Not before the request arrives: many clients treat an early response as a broken connection and retry at once.
    match timeout(RESPONSE_TIMEOUT, stream.peek(&mut start)).await {
        Ok(Ok(0) | Err(_)) => {}
        Ok(Ok(_)) | Err(_) => early_response.send(stream, &start, &limits).await,
    }
}

/// The request line of `head`, possibly incomplete.
fn request_line(head: &[u8]) -> &[u8] {
    // RFC 9112 §2.2: empty lines before it are skipped.
    let head = head.trim_ascii_start();
    head.split(|byte| *byte == b'\n').next().unwrap_or_default()
}
