//! One connection: hyper between its socket and the endpoint, and how the connection is closed after hyper returns.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::header::{HOST, HeaderMap, TRANSFER_ENCODING};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, Version};
use hyper_util::rt::TokioIo;
use poem::Endpoint;
use poem::http::uri::{Authority, Scheme};
use poem::web::{LocalAddr, RemoteAddr};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::admission::Activity;
use super::early_response::{self, EarlyResponse};
use super::socket::{Cycle, Overdue, Phase, Socket};
use super::{BoxBody, Limits, ReadyAnswer, URI_BYTES_MAX};

/// The smallest buffer that hyper's builder accepts (it panics below).
const BUFFER_BYTES_MIN: usize = 8 * 1024;

pub(super) struct Handler<E> {
    endpoint: Arc<E>,
    at_hand: ReadyAnswer<E>,
    limits: Limits,
    http: http1::Builder,
}

impl<E> Handler<E> {
    pub(super) fn new(endpoint: Arc<E>, at_hand: ReadyAnswer<E>, limits: Limits) -> Self {
        let mut http = http1::Builder::new();
        http.max_header_size(limits.head_bytes_max)
            .max_buf_size(
                limits
                    .buffer_bytes_max
                    .max(limits.head_bytes_max)
                    .max(BUFFER_BYTES_MIN),
            )
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

/// The server's handle of a connection: its activity, and a way to ask it to close.
pub(super) struct ConnectionHandle {
    cycle: Arc<Cycle>,
    is_asked: AtomicBool,
    asked: Notify,
}

impl ConnectionHandle {
    pub(super) fn new() -> Self {
        Self {
            cycle: Arc::new(Cycle::new()),
            is_asked: AtomicBool::new(false),
            asked: Notify::new(),
        }
    }

    /// The current activity. A connection that has begun a request before it is asked to close stays open.
    pub(super) fn activity(&self) -> Activity {
        if self.is_asked.load(Ordering::Relaxed) {
            return Activity::Closing;
        }
        match self.cycle.phase() {
            Phase::New => Activity::Silent,
            Phase::Idle => Activity::Idle,
            Phase::Head | Phase::Answering | Phase::Answered => Activity::Busy,
        }
    }

    /// Asks it to close to admit another connection.
    pub(super) fn ask_to_go(&self) {
        self.is_asked.store(true, Ordering::Relaxed);
        self.asked.notify_one();
    }
}

struct HttpConnection<E> {
    handler: Arc<Handler<E>>,
    local: LocalAddr,
    remote: RemoteAddr,
    cycle: Arc<Cycle>,
    /// Whether the last request had a body, part of which may be unread.
    had_body: AtomicBool,
}

pub(super) async fn hold<E: Endpoint + 'static>(
    handler: Arc<Handler<E>>,
    stream: TcpStream,
    peer: SocketAddr,
    stop: CancellationToken,
    handle: Arc<ConnectionHandle>,
) {
    // This fails only if the connection is already closed.
    let Ok(local) = stream.local_addr() else {
        return;
    };
    let limits = handler.limits;
    let cycle = Arc::clone(&handle.cycle);
    let shared = Arc::new(HttpConnection {
        handler: Arc::clone(&handler),
        local: LocalAddr(local.into()),
        remote: RemoteAddr(peer.into()),
        cycle: Arc::clone(&cycle),
        had_body: AtomicBool::new(false),
    });
    let service = service_fn(|request: Request<Incoming>| {
        shared.cycle.enter(Phase::Answering);
        answer(Arc::clone(&shared), request)
    });
    let socket = TokioIo::new(Socket::new(stream, Arc::clone(&cycle), limits));
    let mut http = handler.http.serve_connection(socket, service);
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
            () = handle.asked.notified() => match cycle.phase() {
                Phase::New => return,
                Phase::Idle => Pin::new(&mut http).graceful_shutdown(),
                Phase::Head | Phase::Answering | Phase::Answered => handle.is_asked.store(false, Ordering::Relaxed),
            }
        }
    };
    let parts = http.into_parts();
    let socket = parts.io.into_inner();
    match finish(result, &socket, cycle.phase(), &parts.read_buf) {
        Finish::Close if shared.had_body.load(Ordering::Relaxed) && !socket.is_ended() => {
            early_response::linger(socket.into_stream()).await;
        }
        Finish::Close => {}
        Finish::Refuse(early_response) => {
            early_response
                .send(
                    socket.into_stream(),
                    early_response::is_head(&parts.read_buf),
                    &limits,
                )
                .await;
        }
        Finish::Reset => {
            tracing::debug!(%peer, "server.reader_cut: a client read its response too slowly");
            // A plain close would leave the rest of the response to the system, which keeps sending it for minutes.
            let _ = socket.into_stream().set_zero_linger();
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
    if let Some(status) = socket.rejected() {
        return Finish::Refuse(EarlyResponse::from_status(status, unread));
    }
    // RFC 9112 §2.2: empty lines before a request are ignored.
    let has_begun = phase.is_reading() && !unread.trim_ascii_start().is_empty();
    match (socket.overdue(), result) {
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
    connection: Arc<HttpConnection<E>>,
    request: Request<Incoming>,
) -> Result<Response<ResponseBody>, Infallible> {
    let handler = &*connection.handler;
    connection
        .had_body
        .store(!request.body().is_end_stream(), Ordering::Relaxed);
    connection
        .cycle
        .expect_body(request.body().size_hint().exact());
    let response = if let Some(early_response) = objection(&request) {
        early_response.to_response(&handler.limits)
    } else if let Some(response) = (handler.at_hand)(
        &handler.endpoint,
        request.method(),
        request.uri(),
        request.headers(),
    ) {
        response.into()
    } else {
        let (local, remote) = (connection.local.clone(), connection.remote.clone());
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
    let target_bytes = uri.path().len()
        + uri.query().map_or(0, str::len)
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
