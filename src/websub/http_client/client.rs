//! Sends one request and receives one response, within limits of time and size that the receiver cannot extend.
//!
//! A GET gets its own connection to addresses that were just checked ([`Egress::vet`]), so that its caller can count
//! by address before connecting. A POST uses the client of its host, which reuses connections for a while.

use std::collections::HashMap;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use reqwest::header::RETRY_AFTER;
use reqwest::{Client, Response};
use rustls::ClientConfig;
use tower::util::MapResponseLayer;

use super::callback::Target;
use super::failure::Failure;
use super::policy::Policy;
use super::tls;
use super::tls::Roots;
use super::vetting::{PinnedResolver, Resolver, VettingResolver, vet};
use crate::clock::{Clock, Monotonic};

const USER_AGENT: &str = "ReviewsService/1.0 (+WebSub hub)";
/// Covers lookup, TCP and TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// A response with more header fields is an error.
const FIELDS_MAX: usize = 64;

/// The client for all requests to callbacks; there is one.
pub struct Egress {
    policy: Arc<Policy>,
    resolver: Arc<dyn Resolver>,
    tls: ClientConfig,
    host_clients: Mutex<HostClients>,
    clock: Clock,
    signs_of_life: Arc<AtomicU64>,
}

/// A URL whose checked addresses are the only ones to connect to. Valid for one request, immediately.
#[derive(Debug)]
pub struct Vetted {
    target: Target,
    addresses: Vec<IpAddr>,
}

impl Vetted {
    /// At least one.
    #[must_use]
    pub fn addresses(&self) -> &[IpAddr] {
        &self.addresses
    }
}

impl Egress {
    /// Permits connections that `policy` permits and `roots` certify.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new(
        policy: Policy,
        roots: &Roots,
        resolver: Arc<dyn Resolver>,
        clock: Clock,
    ) -> Result<Self, rustls::Error> {
        let tls = tls::config(roots, &clock)?;
        Ok(Self {
            policy: Arc::new(policy),
            resolver,
            tls,
            host_clients: Mutex::default(),
            clock,
            signs_of_life: Arc::default(),
        })
    }

    #[must_use]
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Counts evidence that the network works: connections established (including TLS) and responses. If it does not
    /// change while requests fail, our own network may be down.
    #[must_use]
    pub fn signs_of_life(&self) -> u64 {
        self.signs_of_life.load(Ordering::Relaxed)
    }

    /// Resolves `url` and checks all its addresses. A lookup takes at most 4 s.
    ///
    /// # Errors
    /// If the URL, its name or one of its addresses is not permitted, or the lookup fails.
    pub async fn vet(&self, url: &str) -> Result<Vetted, Failure> {
        let target = Target::parse(url)?;
        let addresses = vet(&target, &self.policy, &*self.resolver).await?;
        Ok(Vetted { target, addresses })
    }

    /// GETs `url` over its own connection.
    ///
    /// # Errors
    /// Without a response, or if a 2xx has a longer body or the exchange exceeds `total_timeout`.
    pub async fn get(
        &self,
        url: &str,
        body_bytes_max: usize,
        total_timeout: Duration,
    ) -> Result<Answer, Failure> {
        within(total_timeout, async {
            let vetted = self.vet(url).await?;
            self.get_vetted(vetted, body_bytes_max).await
        })
        .await
    }

    /// POSTs the concatenated `pieces` with `Content-Length`. The response's body is discarded.
    ///
    /// # Errors
    /// Without a response, or if the exchange exceeds `total_timeout`.
    pub async fn post<P>(
        &self,
        url: &str,
        fields: &[(&str, &str)],
        pieces: P,
        total_timeout: Duration,
    ) -> Result<Answer, Failure>
    where
        P: AsRef<[Bytes]> + Send + Sync + Unpin + 'static,
    {
        let exchange = async {
            let target = Target::parse(url)?;
            // A client calls its resolver only for names, so literal addresses are checked here.
            target.judge(&self.policy)?;
            let (port, url) = (target.port, target.url.clone());
            let mut request = self.host_client(target)?.post(url);
            for (name, value) in fields {
                request = request.header(*name, *value);
            }
            let request = request.body(reqwest::Body::wrap(Upload::new(pieces)));
            let response = request.send().await.map_err(|error| Failure::of(&error))?;
            let answer = self.answer(&response, port)?;
            drain(response).await;
            Ok(answer)
        };
        within(total_timeout, exchange).await
    }

    /// GETs vetted addresses like [`Egress::get`], but without a deadline: the caller's includes the vetting.
    ///
    /// # Errors
    /// Those of [`Egress::get`].
    pub async fn get_vetted(
        &self,
        vetted: Vetted,
        body_bytes_max: usize,
    ) -> Result<Answer, Failure> {
        let Vetted { target, addresses } = vetted;
        let port = target.port;
        let client = self.client(PinnedResolver { addresses, port }, 0)?;
        let response = client
            .get(target.url)
            .send()
            .await
            .map_err(|error| Failure::of(&error))?;
        let mut answer = self.answer(&response, port)?;
        if answer.is_success() {
            answer.body = read(response, body_bytes_max).await?;
        }
        Ok(answer)
    }

    /// See [`HostClients`].
    fn host_client(&self, target: Target) -> Result<Client, Failure> {
        let host = format!(
            "{}:{}",
            target.url.host_str().unwrap_or_default(),
            target.port
        );
        let make = || {
            let guard = VettingResolver {
                target,
                policy: Arc::clone(&self.policy),
                resolver: Arc::clone(&self.resolver),
            };
            self.client(guard, IDLE_PER_HOST_MAX)
        };
        let now = self.clock.monotonic();
        let clients = self.host_clients.lock();
        let mut clients = clients.unwrap_or_else(PoisonError::into_inner);
        clients.client(host, now, make)
    }

    fn client(
        &self,
        resolver: impl reqwest::dns::Resolve + 'static,
        idle_max: usize,
    ) -> Result<Client, Failure> {
        let signs = Arc::clone(&self.signs_of_life);
        Client::builder()
            .connector_layer(MapResponseLayer::new(move |connection| {
                signs.fetch_add(1, Ordering::Relaxed);
                connection
            }))
            .tls_backend_preconfigured(self.tls.clone())
            .dns_resolver(Arc::new(resolver))
            .https_only(true)
            .http1_only()
            .http1_max_headers(FIELDS_MAX)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .user_agent(USER_AGENT)
            .tcp_nodelay(true)
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_idle_timeout(IDLE_TIMEOUT)
            .pool_max_idle_per_host(idle_max)
            .build()
            .map_err(|error| Failure::of(&error))
    }

    /// The response without its body. Its remote address is checked again: if the client ever bypassed its resolver,
    /// the response is discarded.
    fn answer(&self, response: &Response, port: u16) -> Result<Answer, Failure> {
        let Some(remote) = response.remote_addr() else {
            return Err(Failure::Protocol("it came from nowhere".to_owned()));
        };
        self.policy.permits(remote.ip(), port)?;
        self.signs_of_life.fetch_add(1, Ordering::Relaxed);
        Ok(Answer {
            status: response.status().as_u16(),
            body: Vec::new(),
            retry_after: response
                .headers()
                .get(RETRY_AFTER)
                .and_then(|value| self.retry_after(value.to_str().ok()?)),
            address: remote.ip().to_canonical(),
        })
    }

    /// Seconds or an HTTP date.
    fn retry_after(&self, value: &str) -> Option<Duration> {
        if value.bytes().all(|byte| byte.is_ascii_digit()) {
            return value.parse().ok().map(Duration::from_secs);
        }
        let until = httpdate::parse_http_date(value).ok()?;
        Some(
            until
                .duration_since(SystemTime::from(self.clock.now()))
                .unwrap_or_default(),
        )
    }
}

/// Applies a deadline to the whole exchange, so a slow receiver is cut off like a silent one.
async fn within<T>(
    timeout: Duration,
    exchange: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::time::timeout(timeout, exchange)
        .await
        .unwrap_or(Err(Failure::TimedOut))
}

// One client per host, so that its connections are limited in number and age.
//
// A client's pool limits idle connections only per host, and does not limit the age of a connection in use. A fan-out
// to a hundred thousand hosts would leave a hundred thousand sockets open, and the addresses of a busy host would never
// be checked again. Dropping a client closes its connections. Creating one takes about 2 µs, because all share one TLS
// configuration.

/// Hosts with a client; the least recently used one is dropped.
const CLIENTS_MAX: usize = 128;
/// Idle connections per client; with [`CLIENTS_MAX`] this limits idle sockets.
const IDLE_PER_HOST_MAX: usize = 4;
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);
/// An older client takes no request. With an exchange of 20 s and [`IDLE_TIMEOUT`], reusable connections live for at
/// most 60 s.
const HOST_CLIENT_AGE_MAX: Duration = Duration::from_secs(20);

#[derive(Default)]
struct HostClients {
    by_host: HashMap<String, HostClient>,
    uses: u64,
}

struct HostClient {
    client: Client,
    opened_at: Monotonic,
    last_use: u64,
}

impl HostClients {
    /// The client for `host` (with its port): the current one if it is young enough, otherwise the one that `make`
    /// returns.
    fn client<E>(
        &mut self,
        host: String,
        now: Monotonic,
        make: impl FnOnce() -> Result<Client, E>,
    ) -> Result<Client, E> {
        self.uses += 1;
        let known = self.by_host.get_mut(&host);
        if let Some(known) = known.filter(|known| is_young(known, now)) {
            known.last_use = self.uses;
            return Ok(known.client.clone());
        }
        let client = make()?;
        self.by_host.retain(|_, known| is_young(known, now));
        if self.by_host.len() >= CLIENTS_MAX {
            let oldest = self.by_host.iter().min_by_key(|(_, known)| known.last_use);
            let oldest = oldest.map(|(host, _)| host.clone());
            oldest.and_then(|host| self.by_host.remove(&host));
        }
        let opened = HostClient {
            client: client.clone(),
            opened_at: now,
            last_use: self.uses,
        };
        self.by_host.insert(host, opened);
        Ok(client)
    }
}

fn is_young(client: &HostClient, now: Monotonic) -> bool {
    now - client.opened_at < HOST_CLIENT_AGE_MAX
}

// The response. Its body is read up to a limit if the caller needs it, otherwise only so that the connection can be
// reused.

/// Limits for discarding a body so that the connection can be reused; beyond them the connection is closed.
const DRAIN_BYTES_MAX: u64 = 4_096;
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Redirects are not followed.
    pub status: u16,
    /// The whole body if the caller asked for it and the status is 2xx; otherwise empty.
    pub body: Vec<u8>,
    /// RFC 9110 §10.2.3.
    pub retry_after: Option<Duration>,
    /// The address that was connected to.
    pub address: IpAddr,
}

impl Answer {
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }
}

/// The whole body, at most `bytes_max`.
async fn read(mut response: Response, bytes_max: usize) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| Failure::of(&error))?
    {
        if body.len() + chunk.len() > bytes_max {
            return Err(Failure::TooLong { bytes_max });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Reads a short body to its end so that the connection can be reused. Errors are ignored.
async fn drain(mut response: Response) {
    if (response.content_length()).is_some_and(|bytes| bytes > DRAIN_BYTES_MAX) {
        return;
    }
    let rest = async {
        let mut bytes = 0;
        while let Ok(Some(chunk)) = response.chunk().await {
            bytes += chunk.len() as u64;
            if bytes > DRAIN_BYTES_MAX {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, rest).await;
}

// The body of a POST: shared pieces with a known length.

/// Pieces are not copied.
struct Upload<P> {
    pieces: P,
    next: usize,
    left_bytes: u64,
}

impl<P: AsRef<[Bytes]>> Upload<P> {
    fn new(pieces: P) -> Self {
        let left_bytes = pieces.as_ref().iter().map(|piece| piece.len() as u64).sum();
        Self {
            pieces,
            next: 0,
            left_bytes,
        }
    }
}

impl<P: AsRef<[Bytes]> + Unpin> hyper::body::Body for Upload<P> {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let Some(piece) = self.pieces.as_ref().get(self.next).cloned() else {
            return Poll::Ready(None);
        };
        self.next += 1;
        self.left_bytes -= piece.len() as u64;
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.left_bytes == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left_bytes)
    }
}
