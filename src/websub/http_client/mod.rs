//! The HTTPS client for callbacks, which are untrusted URLs (W3C WebSub §8; OWASP, Server-Side Request Forgery
//! Prevention).
//!
//! Every request to a callback uses this module: [`Policy`] decides which addresses and ports are permitted,
//! [`Callback`] which spellings are accepted, and [`Egress`] sends, without proxy or redirects and within limits of bytes
//! and time that the receiver cannot extend. Each request has a connection of its own to addresses that were just
//! checked ([`Egress::vet`]), so that they cannot change after the check.

mod callback;

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs as _};
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use futures_util::stream;
use http_body_util::StreamBody;
use hyper::body::Frame;
use reqwest::header::CONTENT_LENGTH;
use reqwest::{Client, Response};
use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio::sync::Semaphore;

use crate::config::bounds::{ADDRESSES_TRIED_MAX, ANSWER_FIELDS_MAX, LOOKUPS_MAX};
use crate::http::{NO_ROOTS, find_cause};
use crate::model::named;
use crate::snapshot::CachedBody;
use callback::permitted;

pub use callback::{Callback, Policy, Refused, with_parameters};

const USER_AGENT: &str = concat!("ReviewsService/", env!("CARGO_PKG_VERSION"), " (WebSub)");
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
    ) -> Result<Self, rustls::Error> {
        let tls = tls_config(roots)?;
        Ok(Self {
            policy,
            resolver,
            tls,
        })
    }

    /// Resolves `url` and checks all its addresses. One address that is not permitted rejects a name: the caller cannot
    /// choose the address that is connected to, and a name with both public and internal addresses is an attack or a
    /// mistake.
    ///
    /// # Errors
    /// If the URL, its name or one of its addresses is not permitted, or the lookup fails.
    pub async fn vet(&self, url: &str) -> Result<Vetted, Failure> {
        let callback = Callback::read(url).map_err(|_| Failure::Refused)?;
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
            return Err(Failure::Unreachable);
        }
        Ok(Vetted {
            callback,
            addresses,
        })
    }

    /// GETs a URL. The body of a 2xx is read up to `body_bytes_max` and, without its length, up to the end of the connection (RFC 9112
    /// §6.3), which many servers close without the `close_notify` of TLS: the caller must compare it as a whole.
    ///
    /// # Errors
    /// Without a response.
    pub async fn get(&self, vetted: Vetted, body_bytes_max: usize) -> Result<Answer, Failure> {
        let request = self.client(&vetted)?.get(vetted.callback.url);
        let mut response = request.send().await?;
        let mut answer = self.answer(&response, vetted.callback.port)?;
        while answer.is_success()
            && answer.body.len() <= body_bytes_max
            && let Ok(Some(piece)) = response.chunk().await
        {
            answer.body.extend_from_slice(&piece);
        }
        Ok(answer)
    }

    /// POSTs the content of `body` with `Content-Length`. The response's body is discarded.
    ///
    /// # Errors
    /// Without a response.
    pub async fn post(
        &self,
        vetted: Vetted,
        fields: &[(&str, &str)],
        body: Arc<CachedBody>,
    ) -> Result<Answer, Failure> {
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
    }

    /// Creating a client takes about 2 µs, because all share one TLS configuration.
    fn client(&self, vetted: &Vetted) -> Result<Client, Failure> {
        let addresses = vetted.addresses.iter();
        // The port is that of the URL.
        let addresses: Vec<_> = addresses.map(|one| SocketAddr::new(*one, 0)).collect();
        let client = Client::builder().user_agent(USER_AGENT).referer(false);
        let client = client.tls_backend_preconfigured(self.tls.clone());
        let client = client.resolve_to_addrs(&vetted.callback.host, &addresses);
        let client = client.https_only(true).http1_only().no_proxy();
        let client = client.http1_max_headers(ANSWER_FIELDS_MAX);
        let client = client.redirect(reqwest::redirect::Policy::none());
        let client = client.retry(reqwest::retry::never()).tcp_nodelay(true);
        let client = client.connect_timeout(CONNECT_TIMEOUT);
        let client = client.pool_max_idle_per_host(0);
        Ok(client.build()?)
    }

    /// The response without its body. Its remote address is checked again: if the client ever bypassed its resolver,
    /// the response is discarded.
    fn answer(&self, response: &Response, port: u16) -> Result<Answer, Failure> {
        let Some(remote) = response.remote_addr() else {
            return Err(Failure::Unreachable);
        };
        self.policy.permits(remote.ip(), port)?;
        Ok(Answer {
            status: response.status().as_u16(),
            body: Vec::new(),
        })
    }
}

// Name resolution. A trait, so that a test can return any addresses, or different ones each time; it checks nothing.

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
        Box::pin(async move {
            let turn = LOOKUPS.acquire().await.map_err(|_| Failure::NetworkDown)?;
            let lookup = move || {
                // Held until the thread is free, even if the caller has timed out.
                let _turn = turn;
                let found = (name.as_str(), 0).to_socket_addrs();
                found.map(|found| found.map(|address| address.ip()).collect())
            };
            let found = tokio::task::spawn_blocking(lookup).await;
            let found = found.map_err(|_| Failure::NetworkDown)?;
            found.map_err(|_| Failure::Unreachable)
        })
    }
}

// TLS: the machine's roots and those that the operator adds.
//
// Every connection verifies the certificate. Sessions are not resumed, because that would save only a tenth of a
// handshake and require a cache of other hosts' certificates.

/// The trusted roots for callbacks' certificates.
#[derive(Debug, Clone)]
pub struct Roots(Arc<RootCertStore>);

impl Roots {
    /// Loads the machine's roots (`SSL_CERT_FILE` and `SSL_CERT_DIR` apply), and those of `extra_pem`.
    ///
    /// # Errors
    /// If `extra_pem` is not PEM, is empty or has an unusable certificate.
    pub fn load(extra_pem: Option<&[u8]>) -> Result<Self, &'static str> {
        let mut store = RootCertStore::empty();
        let (usable, _) =
            store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        if usable == 0 {
            tracing::warn!(
                "hub.no_roots: this machine has no root certificates, so no public callback can be verified; install ca-certificates"
            );
        }
        if let Some(pem) = extra_pem {
            let certificates = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
            let certificates = certificates.map_err(|_| NO_ROOTS)?;
            let (added, refused) = store.add_parsable_certificates(certificates);
            if added == 0 || refused > 0 {
                return Err(NO_ROOTS);
            }
        }
        Ok(Self(Arc::new(store)))
    }
}

/// The configuration that all clients share.
///
/// # Errors
/// If the provider lacks a requested feature, which does not happen with the built-in one.
fn tls_config(roots: &Roots) -> Result<ClientConfig, rustls::Error> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider);
    // TLS 1.2 and 1.3.
    let builder = builder
        .with_safe_default_protocol_versions()?
        .with_root_certificates(Arc::clone(&roots.0));
    let mut config = builder.with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.resumption = Resumption::disabled();
    Ok(config)
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Redirects are not followed.
    pub status: u16,
    /// What [`Egress::get`] read of it.
    pub body: Vec<u8>,
}

impl Answer {
    pub const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }
}

named! {
    /// Why there was no response. Its name is stable, for the log and metrics.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Failure {
        /// Not permitted by the policy; nothing was sent.
        Refused = "refused",
        /// The name has no address, or the connection or the response failed.
        Unreachable = "unreachable",
        TimedOut = "timed_out",
        /// Nothing left this machine, because it has no route, no address or no socket. Such an attempt does not count.
        NetworkDown = "network_down",
    }
}

/// `ENFILE` and `EMFILE` (on every Unix): no file and no socket can be opened.
const NO_DESCRIPTORS: [i32; 2] = [23, 24];

impl From<reqwest::Error> for Failure {
    /// Its layers wrap one another, so all causes are searched.
    fn from(error: reqwest::Error) -> Self {
        if let Some(reason) = find_cause::<rustls::Error>(&error) {
            // The callback's owner needs the exact reason: expired, another name, an unknown root.
            tracing::info!(%reason, "websub.tls_failed: a callback's certificate or TLS version was not accepted");
        }
        let is_local = find_cause::<io::Error>(&error).is_some_and(|cause| {
            matches!(
                cause.kind(),
                io::ErrorKind::NetworkUnreachable
                    | io::ErrorKind::NetworkDown
                    | io::ErrorKind::AddrNotAvailable
                    | io::ErrorKind::AddrInUse
                    | io::ErrorKind::PermissionDenied
                    | io::ErrorKind::OutOfMemory
            ) || (cause.raw_os_error()).is_some_and(|code| NO_DESCRIPTORS.contains(&code))
        });
        if is_local {
            Self::NetworkDown
        } else {
            Self::Unreachable
        }
    }
}

impl From<Refused> for Failure {
    fn from(_: Refused) -> Self {
        Self::Refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_root_certificates_is_refused() {
        for pem in [
            "nonsense",
            "-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        ] {
            assert!(Roots::load(Some(pem.as_bytes())).is_err(), "{pem:?}");
        }
    }
}
