//! Requests to sources: HTTPS, redirects that carry no secret to another origin, retries, and limits of time and size. The
//! addresses are the owner's, so this is not the hub's guarded client.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{
    ACCEPT_ENCODING, AsHeaderName, HeaderMap, IF_MODIFIED_SINCE, IF_NONE_MATCH, LOCATION,
    RETRY_AFTER,
};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client, Response, StatusCode};
use thiserror::Error;
use url::Url;

use crate::clock::Clock;
use crate::compute::lock;
use crate::config::{Environment, SyncConfig, read_file};
use crate::http::{NO_ROOTS, check_root_file, client_builder};
use crate::imports::Mask;
use crate::links::{is_local, is_special};
use crate::storage::DbError;

const USER_AGENT: &str = concat!("reviews-service/", env!("CARGO_PKG_VERSION"), " (sync)");
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// For one request, its body included.
const REQUEST_TIMEOUT: Duration = Duration::from_mins(1);
/// Of one page, as it is sent and as it is read.
pub const PAGE_BYTES_MAX: u64 = 16 << 20;
const REDIRECTS_MAX: usize = 5;
/// Waits before the second, third and fourth attempt, unless the server names another.
pub const RETRY_WAITS: [Duration; 3] = [
    Duration::from_secs(1),
    Duration::from_secs(4),
    Duration::from_secs(15),
];
/// A longer `Retry-After` ends the run.
const RETRY_AFTER_MAX: Duration = Duration::from_mins(2);

/// Why a run imported nothing. The message is stored and shown, so it has no words of a server: neither its headers nor rows of
/// its answer.
#[derive(Debug, Error)]
pub enum SyncError {
    #[error("{message}")]
    Failed {
        message: String,
        /// What is shown instead where the run was asked for; it may repeat rows.
        details: Option<String>,
    },
    /// The server may answer later; the next run begins no earlier than it says.
    #[error("{reason}")]
    Busy {
        reason: String,
        wait: Option<Duration>,
    },
    #[error("it is being fetched just now; try again when that is done")]
    Running,
    #[error(transparent)]
    Database(#[from] DbError),
}

impl SyncError {
    /// Says on which page it is, but for the first.
    pub fn at_page(mut self, number: usize) -> Self {
        if let Self::Failed {
            message: reason, ..
        }
        | Self::Busy { reason, .. } = &mut self
            && number > 1
        {
            *reason = format!("page {number}: {reason}");
        }
        self
    }
}

impl From<String> for SyncError {
    fn from(message: String) -> Self {
        Self::Failed {
            message,
            details: None,
        }
    }
}

impl From<&str> for SyncError {
    fn from(message: &str) -> Self {
        message.to_owned().into()
    }
}

/// Why an answer with the status 200 cannot be used.
pub const NO_REVIEWS: &str = "status 200: no reviews found";

/// An answer whose body is in a file.
#[derive(Debug)]
pub struct FetchedPage {
    pub status: StatusCode,
    pub headers: HeaderMap,
}

pub struct SourceClient {
    pub http: Client,
    names: HostAddresses,
    clock: Clock,
    pub environment: Environment,
    /// Whether `http://` of other machines is fetched.
    allows_http: bool,
}

/// The addresses of hosts, which stay the same for a run: an address that was judged is the one that is connected to.
#[derive(Clone, Default)]
struct HostAddresses(Arc<Mutex<HashMap<String, Vec<SocketAddr>>>>);

impl HostAddresses {
    async fn addresses(&self, host: &str) -> io::Result<Vec<SocketAddr>> {
        if let Some(known) = lock(&self.0).get(host) {
            return Ok(known.clone());
        }
        // The port of the URL replaces this one.
        let found: Vec<SocketAddr> = tokio::net::lookup_host((host, 0)).await?.collect();
        let mut known = lock(&self.0);
        Ok(known.entry(host.to_owned()).or_insert(found).clone())
    }

    /// Of each of the host's addresses whether it is not public; nothing of a name that only a proxy knows.
    async fn are_private(&self, url: &Url) -> Vec<bool> {
        let host = url.host_str().unwrap_or_default();
        let addresses = self.addresses(host.trim_matches(['[', ']'])).await;
        let addresses = addresses.into_iter().flatten();
        let addresses = addresses.map(|address| address.ip().to_canonical());
        addresses.map(is_special).collect()
    }
}

impl Resolve for HostAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let names = self.clone();
        Box::pin(async move {
            let found = names.addresses(name.as_str()).await?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

impl SourceClient {
    /// A client for one run.
    ///
    /// # Errors
    /// If the configured roots cannot be read.
    pub fn new(config: &SyncConfig, clock: &Clock, allows_http: bool) -> Result<Self, SyncError> {
        check_root_file()?;
        let mut roots = Vec::new();
        if let Some(path) = &config.sync_ca_file {
            let path_shown = path.display();
            let pem = read_file(path).map_err(|error| {
                format!("REVIEWS_SYNC_CA_FILE {path_shown}: {error}; name a readable PEM file")
            })?;
            roots = Certificate::from_pem_bundle(&pem).unwrap_or_default();
            if roots.is_empty() {
                return Err(format!("REVIEWS_SYNC_CA_FILE {path_shown}: {NO_ROOTS}").into());
            }
        }
        let names = HostAddresses::default();
        let http = client_builder().tls_certs_merge(roots);
        let http = http.user_agent(USER_AGENT).referer(false);
        let http = http.redirect(Policy::none());
        let http = http.retry(reqwest::retry::never());
        let http = http.connect_timeout(CONNECT_TIMEOUT);
        let http = http.timeout(REQUEST_TIMEOUT);
        let http = http.dns_resolver(Arc::new(names.clone())).build();
        Ok(Self {
            http: http.map_err(|error| format!("TLS cannot be set up: {error}"))?,
            names,
            clock: clock.clone(),
            environment: config.environment.clone(),
            allows_http,
        })
    }

    /// Repeats a request while the server is busy, three times at most.
    ///
    /// # Errors
    /// Those of the last attempt; also if the server wants a long wait.
    pub async fn retry<'a, T>(
        &self,
        attempt: impl Fn() -> BoxFuture<'a, Result<T, SyncError>>,
    ) -> Result<T, SyncError> {
        for default in RETRY_WAITS {
            let answered = attempt().await;
            let Err(SyncError::Busy { wait, .. }) = &answered else {
                return answered;
            };
            let wait = wait.unwrap_or(default);
            if wait > RETRY_AFTER_MAX {
                return answered;
            }
            self.clock.sleep(wait).await;
        }
        attempt().await
    }

    /// The time for which a busy server wants to be left alone.
    pub fn retry_after(&self, headers: &HeaderMap) -> Option<Duration> {
        let field = headers.get(RETRY_AFTER)?.to_str().ok()?;
        self.clock.retry_after(field.trim())
    }

    /// Gets a page, following redirects: only the source's own origin gets the headers, and only the first address the validators. Writes the
    /// body, of at most `bytes_left`, to `file`.
    ///
    /// # Errors
    /// Without an answer that could be one, and [`SyncError::Busy`] after a time-out, 429 and 5xx.
    pub async fn get(
        &self,
        first: &Url,
        headers: &HeaderMap,
        mask: &Mask,
        file: &Path,
        bytes_left: u64,
    ) -> Result<FetchedPage, SyncError> {
        let (mut url, mut is_own, mut is_public) = (first.clone(), true, false);
        let mut headers = headers.clone();
        check_scheme(&url, self.allows_http)?;
        for _ in 0..=REDIRECTS_MAX {
            // Some servers code the body all the same, which is undone where it is read.
            let get = self.http.get(url.clone());
            let mut get = get.header(ACCEPT_ENCODING, "identity");
            if is_own {
                get = get.headers(headers.clone());
            }
            let response = get.send().await.map_err(|error| failure_of(&error))?;
            let is_redirect = matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308);
            let location = response.headers().get(LOCATION).filter(|_| is_redirect);
            let Some(mut next) = location.and_then(|next| url.join(next.to_str().ok()?).ok())
            else {
                return self.read(response, file, bytes_left).await;
            };
            headers.remove(IF_NONE_MATCH);
            headers.remove(IF_MODIFIED_SINCE);
            if url.scheme() == "https" && next.scheme() != "https" {
                return Err("the server redirects from https to another scheme".into());
            }
            check_scheme(&next, self.allows_http)?;
            // By name, because a proxy may be the one that is connected to.
            let are_private = self.names.are_private(&url).await;
            is_public |= are_private.is_empty() || are_private.contains(&false);
            if is_public && self.names.are_private(&next).await.contains(&true) {
                return Err("the server redirects from a public to a private address".into());
            }
            is_own &= next.origin() == first.origin();
            if is_own {
                // Credentials belong to the source, whatever address it redirects to.
                let (user, password) = (first.username(), first.password());
                let _ = (next.set_username(user)).and_then(|()| next.set_password(password));
            } else if mask.is_in(next.as_str()) {
                return Err(
                    "the server redirects to another origin, with a secret in the address; write the address of that origin as url"
                        .into(),
                );
            }
            url = next;
        }
        Err(format!("the server redirects more than {REDIRECTS_MAX} times").into())
    }

    async fn read(
        &self,
        mut response: Response,
        path: &Path,
        bytes_left: u64,
    ) -> Result<FetchedPage, SyncError> {
        let page = FetchedPage {
            status: response.status(),
            headers: response.headers().clone(),
        };
        // Whatever its body is, which may be too large or cut off.
        if is_busy(page.status) {
            return Err(SyncError::Busy {
                wait: self.retry_after(&page.headers),
                reason: format!("status {}", page.status.as_u16()),
            });
        }
        let (mut file, mut bytes) = (File::create(path)?, 0);
        while let Some(chunk) = response.chunk().await.map_err(|error| failure_of(&error))? {
            bytes += chunk.len() as u64;
            check_size(bytes, bytes_left)?;
            file.write_all(&chunk)?;
        }
        Ok(page)
    }
}

pub fn is_busy(status: StatusCode) -> bool {
    status == StatusCode::TOO_MANY_REQUESTS || status.is_server_error()
}

impl FetchedPage {
    pub fn header(&self, name: impl AsHeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

/// Refuses schemes other than `https`, and `http` of other machines unless that is allowed.
pub fn check_scheme(url: &Url, allows_http: bool) -> Result<(), &'static str> {
    match url.scheme() {
        "https" => Ok(()),
        "http" if allows_http || url.host().is_some_and(is_local) => Ok(()),
        "http" => Err(
            "http:// sends secrets and reviews in the clear; use https://, or add allow_http = true",
        ),
        _ => Err("only https:// is fetched; write the URL like https://HOST/PATH"),
    }
}

/// Refuses a page, or what has been read of it, of more bytes than a page may have or the run may still read.
pub fn check_size(bytes: u64, bytes_left: u64) -> Result<(), &'static str> {
    if bytes <= PAGE_BYTES_MAX.min(bytes_left) {
        return Ok(());
    }
    Err(
        "the answer is too large (a page may have 16 MiB, all pages of a run 256 MiB); ask for fewer reviews per page",
    )
}

/// Of the folder in which pages are stored.
impl From<io::Error> for SyncError {
    fn from(error: io::Error) -> Self {
        format!(
            "the pages cannot be stored in the folder for temporary files: {error}; free some space, or set TMPDIR"
        )
        .into()
    }
}

/// Words for a request without an answer; those of a library may be the server's, such as the names in its certificate.
pub fn failure_of(error: &reqwest::Error) -> SyncError {
    if error.is_timeout() {
        return SyncError::Busy {
            reason: "the server did not answer in time".to_owned(),
            wait: None,
        };
    }
    let reason = if error.is_connect() {
        "no connection; check the URL's host and port, and the server's certificate: it must be valid, of that host, and of an authority \
         that the system knows or REVIEWS_SYNC_CA_FILE names"
    } else {
        "the answer is no HTTP, or not whole; check the URL's scheme and port"
    };
    reason.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_host_may_have_public_and_private_addresses() {
        let names = HostAddresses::default();
        let both = ["192.168.1.9:0", "93.184.216.34:0"].map(|it| it.parse().unwrap());
        lock(&names.0).insert("both.test".to_owned(), both.to_vec());
        let url = "https://both.test/r".parse().unwrap();
        assert_eq!(names.are_private(&url).await, [true, false]);
    }
}
