//! Every absolute URL that the service publishes, built from the base URL, and the spelling by which URLs are compared.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::str::FromStr;

use thiserror::Error;
use url::{Host, Url, form_urlencoded};

pub const HUB_PATH: &str = "/api/websub/hub";
pub const MCP_PATH: &str = "/mcp";
pub const SEARCH_PATH: &str = "/api/reviews/search";
/// `:id` matches one segment, as in the route table.
pub const PERMALINK_PATH: &str = "/reviews/:id";
pub const REVIEW_PATH: &str = "/api/reviews/:id";
pub const EVIDENCE_PATH: &str = "/insights/aspects/:id/evidence.json";
pub const OPENAPI_PATH: &str = "/.well-known/openapi.json";
/// RFC 9116 §3.
pub const SECURITY_PATH: &str = "/.well-known/security.txt";
pub const DOCS_PATH: &str = "/docs";

/// The public base URL, without a trailing slash, for example `https://reviews.sample.test`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    base: String,
}

#[derive(Debug, Error)]
#[error("the base URL `{text}` {reason}")]
pub struct BaseUrlError {
    text: String,
    reason: String,
}

/// `path` with these parameters.
pub fn with_query<N: AsRef<str>, V: AsRef<str>>(
    path: &str,
    pairs: impl IntoIterator<Item = (N, V)>,
) -> String {
    let mut query = form_urlencoded::Serializer::new(String::new());
    match query.extend_pairs(pairs).finish() {
        query if query.is_empty() => path.to_owned(),
        query => format!("{path}?{query}"),
    }
}

/// Whether a stored address may become a link: only http and https, because a browser would run some others as code.
pub fn is_web(url: &str) -> bool {
    url.starts_with("https://") || url.starts_with("http://")
}

/// Decodes unreserved characters (W3C WebSub §5.1: `%7E` is `~`) and writes other escapes in upper case (RFC 3986
/// §6.2.2), so that equivalent spellings are equal. `%2F` stays, so it does not split a segment of a path.
pub fn normal(url: &str) -> Cow<'_, str> {
    if !url.contains('%') {
        return Cow::Borrowed(url);
    }
    let (mut normal, mut rest) = (String::with_capacity(url.len()), url);
    while let Some((before, after)) = rest.split_once('%') {
        normal.push_str(before);
        match after.get(..2).and_then(|digits| {
            u8::from_str_radix(digits, 16)
                .ok()
                .filter(|_| !digits.starts_with('+'))
        }) {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                normal.push(char::from(byte));
                rest = &after[2..];
            }
            Some(byte) => {
                let _ = write!(normal, "%{byte:02X}");
                rest = &after[2..];
            }
            None => {
                normal.push('%');
                rest = after;
            }
        }
    }
    normal.push_str(rest);
    Cow::Owned(normal)
}

/// Whether a name, in lower case, is reserved for documentation (RFC 2606 §2, §3; RFC 6761 §6.5).
fn is_placeholder(domain: &str) -> bool {
    let domain = domain.trim_end_matches('.');
    let reserved = ["example", "example.com", "example.net", "example.org"];
    reserved.into_iter().any(|name| {
        (domain.strip_suffix(name)).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    })
}

impl FromStr for Links {
    type Err = BaseUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fault = |reason: &str| BaseUrlError {
            text: text.to_owned(),
            reason: format!("{reason}; write it like https://reviews.sample.test"),
        };
        let url = Url::parse(text).map_err(|error| fault(&format!("is not a URL ({error})")))?;
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
        if url.domain().is_some_and(is_placeholder) {
            return Err(BaseUrlError {
                text: text.to_owned(),
                reason: "is a placeholder: no service can be reached under example.com, .net, .org or .example; \
                         set REVIEWS_BASE_URL to the public URL of your service, in /etc/reviews.env or with --base-url"
                    .to_owned(),
            });
        }
        Ok(Self {
            base: url.as_str().trim_end_matches('/').to_owned(),
        })
    }
}

/// Whether a host is this machine (RFC 6761 §6.3, RFC 6890).
pub fn is_local<S: AsRef<str>>(host: Host<S>) -> bool {
    match host {
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.to_canonical().is_loopback(),
        Host::Domain(name) => {
            let name = name.as_ref().trim_end_matches('.');
            name == "localhost" || name.ends_with(".localhost")
        }
    }
}

impl fmt::Display for Links {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

impl Links {
    /// Whether the base URL is on this machine, so that nothing is published under it.
    pub fn is_loopback(&self) -> bool {
        Url::parse(&self.base).is_ok_and(|url| url.host().is_some_and(is_local))
    }

    /// The path of the base URL without a trailing slash, the prefix of every path on a page; empty at a host's root.
    pub fn base_path(&self) -> &str {
        let host = self.base.find("://").map_or(0, |at| at + 3);
        self.base[host..]
            .find('/')
            .map_or("", |slash| &self.base[host + slash..])
    }

    /// `path` begins with a slash.
    pub fn absolute(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }

    /// Aspect IDs consist of lowercase letters, digits and underscores.
    pub fn evidence(&self, aspect_id: &str) -> String {
        self.absolute(&EVIDENCE_PATH.replace(":id", aspect_id))
    }

    /// Every character that an ID may have is allowed unescaped in a path (RFC 3986 §3.3).
    pub fn review(&self, review_id: &str) -> String {
        self.absolute(&PERMALINK_PATH.replace(":id", review_id))
    }

    pub fn hub(&self) -> String {
        self.absolute(HUB_PATH)
    }

    pub fn home(&self) -> String {
        self.absolute("/")
    }
}
