//! Every absolute URL that we publish, made from the base URL in one place.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;
use url::{Host, Url};

/// Where the hub listens, below the base URL.
pub const HUB_PATH: &str = "/api/websub/hub";
/// Where agents ask, below the base URL.
pub const MCP_PATH: &str = "/mcp";
/// Where reviews are searched.
pub const SEARCH_PATH: &str = "/api/reviews/search";
/// Where one review is, as a page; `:name` stands for one segment, here and in the route table.
pub const PERMALINK_PATH: &str = "/reviews/:id";
/// Where one review is, as JSON.
pub const REVIEW_PATH: &str = "/api/reviews/:id";
/// Where the evidence of an aspect is.
pub const EVIDENCE_PATH: &str = "/insights/aspects/:id/evidence.json";
/// Where the description of the API is.
pub const OPENAPI_PATH: &str = "/.well-known/openapi.json";
/// Where it is said to whom security faults are reported (RFC 9116 §3).
pub const SECURITY_PATH: &str = "/.well-known/security.txt";
/// Where Swagger UI is.
pub const DOCS_PATH: &str = "/docs";

/// The public base URL, without a trailing slash, for example `https://reviews.example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    base: String,
}

/// A base URL that cannot be one.
#[derive(Debug, Error)]
#[error("the base URL `{given}` {reason}; write it like https://reviews.example.com")]
pub struct BaseUrlError {
    given: String,
    reason: String,
}

/// Whether an address that somebody wrote may be a link: nothing that a browser would run.
#[must_use]
pub fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

impl FromStr for Links {
    type Err = BaseUrlError;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let fault = |reason: &str| BaseUrlError {
            given: given.to_owned(),
            reason: reason.to_owned(),
        };
        let url = Url::parse(given).map_err(|error| fault(&format!("is not a URL ({error})")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(fault("is neither http nor https"));
        }
        if url.host_str().is_none_or(str::is_empty) {
            return Err(fault("has no host"));
        }
        if url.query().is_some()
            || url.fragment().is_some()
            || !url.username().is_empty()
            || url.password().is_some()
        {
            return Err(fault("has more than a scheme, host, port and path"));
        }
        Ok(Self {
            base: url.as_str().trim_end_matches('/').to_owned(),
        })
    }
}

impl fmt::Display for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

impl Links {
    /// Whether the base URL leads to the machine that asks (RFC 6761 §6.3, RFC 6890): one under which nothing is published.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let url = Url::parse(&self.base);
        match url.as_ref().ok().and_then(Url::host) {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.to_canonical().is_loopback(),
            Some(Host::Domain(name)) => {
                let name = name.trim_end_matches('.');
                name == "localhost" || name.ends_with(".localhost")
            }
            None => false,
        }
    }

    /// The path of the base URL, without a slash at its end: what every path on a page begins with.
    /// Empty at a host's root.
    #[must_use]
    pub fn base_path(&self) -> &str {
        let host = self.base.find("://").map_or(0, |at| at + 3);
        self.base[host..]
            .find('/')
            .map_or("", |slash| &self.base[host + slash..])
    }

    /// The URL of `path`, which begins with a slash.
    #[must_use]
    pub fn absolute(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// The evidence of an aspect. Ids of aspects are words of small letters, digits and
    /// underscores.
    #[must_use]
    pub fn evidence(&self, aspect_id: &str) -> String {
        self.absolute(&EVIDENCE_PATH.replace(":id", aspect_id))
    }

    /// The permalink of a review. Every character that an id may have stands for itself in a path
    /// (RFC 3986 §3.3).
    #[must_use]
    pub fn review(&self, review_id: &str) -> String {
        self.absolute(&PERMALINK_PATH.replace(":id", review_id))
    }

    /// The absolute URL of the WebSub hub.
    #[must_use]
    pub fn hub(&self) -> String {
        self.absolute(HUB_PATH)
    }

    /// The page at the root, with its slash.
    #[must_use]
    pub fn home(&self) -> String {
        self.absolute("/")
    }
}
