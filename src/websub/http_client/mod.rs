//! The HTTPS client for callbacks, which are untrusted URLs (W3C WebSub §8; OWASP, Server-Side Request Forgery
//! Prevention).
//!
//! Every request to a callback uses this module: [`Policy`] decides which addresses and ports are permitted,
//! [`Callback`] which spellings are accepted, and [`Egress`] sends, without proxy or redirects and within limits of bytes
//! and time that the receiver cannot extend. Each request has a connection of its own to addresses that were just
//! checked ([`Egress::vet`]), so that they cannot change after the check.

mod callback;

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use reqwest::header::{CONTENT_LENGTH, TRANSFER_ENCODING};
use reqwest::{Client, Response};
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, RootCertStore};
use thiserror::Error;
use tokio::sync::Semaphore;

use crate::clock::Clock;
use crate::config::bounds::{ADDRESSES_TRIED_MAX, ANSWER_FIELDS_MAX, LOOKUPS_MAX};
use crate::http::find_cause;
use crate::model::named;
use crate::snapshot::CachedBody;
use callback::permitted;

pub use callback::{Callback, CallbackFault, Policy, Refused, with_parameters};

const USER_AGENT: &str = "ReviewsService/1.0 (+WebSub hub)";
/// Covers TCP and TLS.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The client for all requests to callbacks; there is one.
pub struct Egress {
    pub policy: Arc<Policy>,
    resolver: Arc<dyn Resolver>,
    tls: ClientConfig,
}

/// A URL whose checked addresses are the only ones to connect to. Valid for one request, immediately.
#[derive(Debug)]
pub struct Vetted {
    callback: Callback,
    /// At least one.
    pub addresses: Vec<IpAddr>,
}

impl Egress {
    /// Permits connections that `policy` permits and `roots` certify.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new(
        policy: Arc<Policy>,
        roots: &Roots,
        resolver: Arc<dyn Resolver>,
        clock: Clock,
    ) -> Result<Self, rustls::Error> {
        let tls = tls_config(roots, clock)?;
        Ok(Self {
            policy,
            resolver,
            tls,
        })
    }

    /// Resolves `url` and checks all its addresses. One address that is not permitted rejects a name: the caller cannot
    /// choose the address that is connected to, and a name with both public and internal addresses is an attack or a
    /// mistake. A lookup takes at most 4 s.
    ///
    /// # Errors
    /// If the URL, its name or one of its addresses is not permitted, or the lookup fails.
    pub async fn vet(&self, url: &str) -> Result<Vetted, Failure> {
        let callback = Callback::read(url).map_err(|_| Failure::Unsendable)?;
        if let Some(known) = &callback.known_addresses {
            let addresses = permitted(known, callback.port, &self.policy)?;
            return Ok(Vetted {
                callback,
                addresses,
            });
        }
        let mut addresses = Vec::new();
        for address in self.resolver.resolve(callback.host.clone()).await? {
            self.policy.permits(address, callback.port)?;
            let address = address.to_canonical();
            if addresses.len() < ADDRESSES_TRIED_MAX && !addresses.contains(&address) {
                addresses.push(address);
            }
        }
        if addresses.is_empty() {
            return Err(Failure::NameUnknown);
        }
        Ok(Vetted {
            callback,
            addresses,
        })
    }

    /// GETs `url`.
    ///
    /// # Errors
    /// Without a response, or if a 2xx has a longer body or the exchange exceeds `total_timeout`.
    pub async fn get(
        &self,
        url: &str,
        body_bytes_max: usize,
        total_timeout: Duration,
    ) -> Result<Answer, Failure> {
        with_deadline(total_timeout, async {
            let vetted = self.vet(url).await?;
            self.get_vetted(vetted, body_bytes_max).await
        })
        .await
    }

    /// POSTs the content of `body` with `Content-Length`. The response's body is discarded.
    ///
    /// # Errors
    /// Without a response, or if the exchange exceeds `total_timeout`.
    pub async fn post(
        &self,
        url: &str,
        fields: &[(&str, &str)],
        body: Arc<CachedBody>,
        total_timeout: Duration,
    ) -> Result<Answer, Failure> {
        let exchange = async {
            let vetted = self.vet(url).await?;
            let mut request = self.client(&vetted)?.post(vetted.callback.url);
            for (name, value) in fields {
                request = request.header(*name, *value);
            }
            let length = body.content.length();
            // The pieces are shared, not copied.
            let pieces = (0..body.content.pieces.len()).map(move |number| {
                Ok::<_, Infallible>(Frame::data(body.content.pieces[number].clone()))
            });
            let pieces = reqwest::Body::wrap(StreamBody::new(stream::iter(pieces)));
            let request = request.header(CONTENT_LENGTH, length).body(pieces);
            self.answer(&request.send().await?, vetted.callback.port)
        };
        with_deadline(total_timeout, exchange).await
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
        let request = self.client(&vetted)?.get(vetted.callback.url);
        let response = request.send().await?;
        let mut answer = self.answer(&response, vetted.callback.port)?;
        if answer.is_success() {
            answer.body = read(response, body_bytes_max).await?;
        }
        Ok(answer)
    }

    /// Creating a client takes about 2 µs, because all share one TLS configuration.
    fn client(&self, vetted: &Vetted) -> Result<Client, Failure> {
        let addresses = vetted.addresses.iter();
        // The port is that of the URL.
        let addresses: Vec<_> = addresses.map(|one| SocketAddr::new(*one, 0)).collect();
        let client = Client::builder()
            .tls_backend_preconfigured(self.tls.clone())
            .resolve_to_addrs(&vetted.callback.host, &addresses)
            .https_only(true)
            .http1_only()
            .http1_max_headers(ANSWER_FIELDS_MAX)
            .no_proxy()
            .redirect(reqwest::redirect::Policy::none())
            .retry(reqwest::retry::never())
            .referer(false)
            .user_agent(USER_AGENT)
            .tcp_nodelay(true)
            .connect_timeout(CONNECT_TIMEOUT)
            .pool_max_idle_per_host(0);
        Ok(client.build()?)
    }

    /// The response without its body. Its remote address is checked again: if the client ever bypassed its resolver,
    /// the response is discarded.
    fn answer(&self, response: &Response, port: u16) -> Result<Answer, Failure> {
        let Some(remote) = response.remote_addr() else {
            return Err(Failure::Protocol);
        };
        self.policy.permits(remote.ip(), port)?;
        Ok(Answer {
            status: response.status().as_u16(),
            body: Vec::new(),
        })
    }
}

/// Applies a deadline to the whole exchange, so a slow receiver is cut off like a silent one.
async fn with_deadline<T>(
    timeout: Duration,
    exchange: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    tokio::time::timeout(timeout, exchange)
        .await
        .unwrap_or(Err(Failure::TimedOut))
}

// Name resolution. A trait, so that a test can return any addresses, or different ones each time; it checks nothing.

/// Less than the deadline of an exchange, so that a silent resolver is distinguished from a silent receiver.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(4);

/// The only source of addresses for host names.
pub trait Resolver: Send + Sync + 'static {
    /// All addresses of `name`, in the order in which to try them.
    ///
    /// # Errors
    /// If it has none, or the lookup fails.
    fn resolve(&self, name: String) -> BoxFuture<'static, Result<Vec<IpAddr>, Failure>>;
}

/// `getaddrinfo`, so `/etc/hosts` and `/etc/resolv.conf` apply.
#[derive(Debug, Clone)]
pub struct SystemResolver;

static LOOKUPS: Semaphore = Semaphore::const_new(LOOKUPS_MAX);

impl Resolver for SystemResolver {
    fn resolve(&self, name: String) -> BoxFuture<'static, Result<Vec<IpAddr>, Failure>> {
        let lookup = async move {
            let turn = LOOKUPS.acquire().await.map_err(|_| Failure::NetworkDown)?;
            let lookup = move || {
                // Held until the thread is free, even if the caller has timed out.
                let _turn = turn;
                match (name.as_str(), 0).to_socket_addrs() {
                    Ok(found) => Ok(found.map(|address| address.ip()).collect()),
                    // Without a descriptor `/etc/hosts` cannot be read, so the result means nothing.
                    Err(_) if is_out_of_descriptors() => Err(Failure::NetworkDown),
                    Err(_) => Err(Failure::NameUnknown),
                }
            };
            tokio::task::spawn_blocking(lookup)
                .await
                .unwrap_or(Err(Failure::NetworkDown))
        };
        let looked_up = tokio::time::timeout(LOOKUP_TIMEOUT, lookup);
        Box::pin(looked_up.map(|found| found.unwrap_or(Err(Failure::NameUnknown))))
    }
}

/// Whether opening a file fails for lack of descriptors. `getaddrinfo` reports only that it failed.
fn is_out_of_descriptors() -> bool {
    let opened = std::fs::File::open("/dev/null");
    opened.is_err_and(|error| {
        error
            .raw_os_error()
            .is_some_and(|code| NO_DESCRIPTORS.contains(&code))
    })
}

// TLS: the machine's roots and those that the operator adds.
//
// Every connection verifies the certificate. Sessions are not resumed, because that would save only a tenth of a
// handshake and require a cache of other hosts' certificates. Time comes from [`Clock`].

/// The trusted roots for callbacks' certificates.
#[derive(Debug, Clone)]
pub struct Roots(Arc<RootCertStore>);

/// The reason why the extra roots cannot be used, as the end of a sentence.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct RootsError(String);

impl Roots {
    /// Loads the machine's roots (`SSL_CERT_FILE` and `SSL_CERT_DIR` apply), and those of `extra_pem`.
    ///
    /// # Errors
    /// If `extra_pem` is not PEM, is empty or has an unusable certificate.
    pub fn load(extra_pem: Option<&[u8]>) -> Result<Self, RootsError> {
        let mut store = RootCertStore::empty();
        let (usable, _) =
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if usable == 0 {
            tracing::warn!(
                "hub.no_roots: this machine has no root certificates, so no public callback can be verified; install ca-certificates"
            );
        }
        if let Some(pem) = extra_pem {
            add_pem(&mut store, pem)?;
        }
        Ok(Self(Arc::new(store)))
    }
}

fn add_pem(store: &mut RootCertStore, pem: &[u8]) -> Result<(), RootsError> {
    let mut added = 0;
    for certificate in CertificateDer::pem_slice_iter(pem) {
        added += 1;
        let certificate = certificate.map_err(|error| {
            RootsError(format!("it is not a PEM file of certificates ({error})"))
        })?;
        store.add(certificate).map_err(|error| {
            let reason = format!("its certificate number {added} cannot be a root ({error})");
            RootsError(reason)
        })?;
    }
    if added == 0 {
        let reason =
            "it holds no certificate; a PEM certificate begins with -----BEGIN CERTIFICATE-----";
        return Err(RootsError(reason.to_owned()));
    }
    Ok(())
}

/// The configuration that all clients share.
///
/// # Errors
/// If the provider lacks a requested feature, which does not happen with the built-in one.
fn tls_config(roots: &Roots, clock: Clock) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_details(provider, Arc::new(Time(clock)));
    // TLS 1.2 and 1.3.
    let builder = builder
        .with_safe_default_protocol_versions()?
        .with_root_certificates(Arc::clone(&roots.0));
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

#[derive(Debug)]
struct Time(Clock);

impl TimeProvider for Time {
    fn current_time(&self) -> Option<UnixTime> {
        let seconds = u64::try_from(self.0.now().timestamp()).ok()?;
        Some(UnixTime::since_unix_epoch(Duration::from_secs(seconds)))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Redirects are not followed.
    pub status: u16,
    /// The whole body if the caller asked for it and the status is 2xx; otherwise empty.
    pub body: Vec<u8>,
}

impl Answer {
    pub const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }
}

/// The whole body, at most `bytes_max`. A body without a length ends with the connection (RFC 9112 §6.3); many servers close
/// it without the `close_notify` of TLS.
async fn read(mut response: Response, bytes_max: usize) -> Result<Vec<u8>, Failure> {
    let headers = response.headers();
    let has_length =
        headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING);
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(chunk)) if body.len() + chunk.len() > bytes_max => {
                return Err(Failure::Protocol);
            }
            Ok(Some(chunk)) => body.extend_from_slice(&chunk),
            Err(error) if has_length || !is_end_of_stream(&error) => return Err(error.into()),
            Ok(None) | Err(_) => return Ok(body),
        }
    }
}

/// `ENFILE` and `EMFILE` (on every Unix): no file and no socket can be opened.
pub(super) const NO_DESCRIPTORS: [i32; 2] = [23, 24];

named! {
    /// Its name is stable, for the log and metrics.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Failure {
        /// Not permitted by the policy; nothing was sent.
        Refused = "refused",
        /// The name has no address, or could not be looked up.
        NameUnknown = "name_unknown",
        /// No connection within 5 s, although there is a route from this machine.
        Connect = "connect",
        /// No route, no address or no socket on this machine.
        NetworkDown = "network_down",
        /// Certificate, name or version.
        Tls = "tls",
        /// Connected, but no complete response in time.
        TimedOut = "timed_out",
        /// Closed before the response was complete.
        Closed = "closed",
        /// Not an HTTP response, or one that is longer than the caller's limit.
        Protocol = "protocol",
        /// The request could not be built; a bug of ours.
        Unsendable = "unsendable",
    }
}

impl Failure {
    /// Whether nothing left this machine, through no fault of the receiver. Such an attempt does not count.
    pub const fn is_local(self) -> bool {
        matches!(self, Self::NetworkDown | Self::Unsendable)
    }

    /// The reason and what to do, as the end of a sentence about the callback.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Refused => {
                "its name leads to an address that is not public; use a public one, or allow its network in \
                 REVIEWS_HUB_ALLOW_CALLBACK_NETS"
            }
            Self::NameUnknown => {
                "no address of its name was found; check its DNS records, and the resolver of this machine"
            }
            Self::Connect => {
                "it accepted no connection within 5 s; check that the receiver runs, and its firewall"
            }
            Self::NetworkDown => "this machine has no route or no free socket; check its network",
            Self::TimedOut => "it did not answer within 10 s",
            Self::Tls => {
                "its certificate is not trusted or is for another name; use one of a public authority, or add its root to \
                 REVIEWS_HUB_CA_FILE"
            }
            Self::Closed => "it closed the connection before its answer was complete",
            Self::Protocol => {
                "its answer is not HTTP/1.1 or too long; answer with the value of hub.challenge and nothing else"
            }
            Self::Unsendable => "the request could not be made; report it",
        }
    }

    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "the standard library adds kinds; what is unknown is no fault of ours"
    )]
    fn of_io(kind: io::ErrorKind, code: Option<i32>) -> Self {
        if code.is_some_and(|code| NO_DESCRIPTORS.contains(&code)) {
            return Self::NetworkDown;
        }
        match kind {
            io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::NetworkDown
            | io::ErrorKind::AddrNotAvailable
            | io::ErrorKind::AddrInUse
            | io::ErrorKind::PermissionDenied
            | io::ErrorKind::OutOfMemory => Self::NetworkDown,
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof
            | io::ErrorKind::NotConnected
            | io::ErrorKind::WriteZero => Self::Closed,
            _ => Self::Connect,
        }
    }
}

impl From<reqwest::Error> for Failure {
    /// Its layers wrap one another, so all causes are searched.
    fn from(error: reqwest::Error) -> Self {
        if let Some(reason) = find_cause::<rustls::Error>(&error) {
            // The callback's owner needs the exact reason: expired, another name, an unknown root.
            tracing::info!(%reason, "websub.tls_failed: a callback's certificate or TLS version was not accepted");
            return Self::Tls;
        }
        // Its clients have no other timeout than that of connecting.
        if error.is_timeout() {
            return Self::Connect;
        }
        if find_cause::<hyper::Error>(&error).is_some_and(hyper::Error::is_parse) {
            return Self::Protocol;
        }
        match find_cause::<io::Error>(&error) {
            Some(reason) => Self::of_io(reason.kind(), reason.raw_os_error()),
            None if error.is_connect() => Self::Connect,
            None if error.is_builder() => Self::Unsendable,
            None => Self::Closed,
        }
    }
}

impl From<Refused> for Failure {
    fn from(_: Refused) -> Self {
        Self::Refused
    }
}

/// Whether the connection ended without an end of the response, and not by a reset.
pub fn is_end_of_stream(error: &reqwest::Error) -> bool {
    find_cause::<io::Error>(error).is_some_and(|cause| cause.kind() == io::ErrorKind::UnexpectedEof)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_root_certificates_is_refused() {
        for (pem, word) in [
            ("nonsense", "no certificate"),
            (
                "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
                "not a PEM file",
            ),
            (
                "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                "number 1 cannot be a root",
            ),
        ] {
            let fault = Roots::load(Some(pem.as_bytes())).unwrap_err().to_string();
            assert!(fault.contains(word), "{pem:?}: {fault}");
        }
    }
}
