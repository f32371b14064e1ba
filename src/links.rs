//! Every absolute URL that the service publishes, built from the base URL; the spelling by which URLs are compared; and the
//! addresses that are not on the public Internet.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use thiserror::Error;
use url::{Host, Url, form_urlencoded};

pub const HUB_PATH: &str = "/api/websub/hub";
pub const MCP_PATH: &str = "/mcp";
pub const SEARCH_API_PATH: &str = "/api/reviews/search";
pub const SEARCH_PAGE_PATH: &str = "/search";
pub const SEARCH_FEED_PATH: &str = "/search.atom";
/// `:id` matches one segment, as in the route table.
pub const PERMALINK_PATH: &str = "/reviews/:id";
pub const REVIEW_PATH: &str = "/api/reviews/:id";
pub const EVIDENCE_PATH: &str = "/insights/aspects/:id/evidence.json";
pub const OPENAPI_PATH: &str = "/.well-known/openapi.json";
/// RFC 9116 §3.
pub const SECURITY_PATH: &str = "/.well-known/security.txt";
pub const DOCS_PATH: &str = "/docs";

/// The public base URL, without a trailing slash, for example `https://reviews.sample.test`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
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
    let mut parts = url.split('%');
    let mut normal = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let escape = part.split_at_checked(2).and_then(|(digits, rest)| {
            let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
            Some((
                u8::from_str_radix(digits, 16).ok().filter(|_| is_hex)?,
                rest,
            ))
        });
        let _ = match escape {
            Some((byte, rest)) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                write!(normal, "{}{rest}", char::from(byte))
            }
            Some((byte, rest)) => write!(normal, "%{byte:02X}{rest}"),
            None => write!(normal, "%{part}"),
        };
    }
    Cow::Owned(normal)
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
        // Names of documentation: `example.com`, `firm.example` (RFC 2606 §2, §3; RFC 6761 §6.5).
        let mut labels = url.domain().unwrap_or_default().split('.');
        if labels.any(|label| label == "example") {
            return Err(fault(
                "is a placeholder; set REVIEWS_BASE_URL to the public URL of your service, in /etc/reviews.env or with --base-url",
            ));
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

/// Whether an address is not an ordinary public one. It must be canonical.
pub fn is_special(address: IpAddr) -> bool {
    SPECIAL.iter().any(|net| net.contains(&address))
        || address.is_ipv6() && !GLOBAL_UNICAST.contains(&address)
}

const fn v4([a, b, c, d]: [u8; 4], prefix: u8) -> IpNet {
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(a, b, c, d), prefix))
}

const fn v6(bits: u128, prefix: u8) -> IpNet {
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::from_bits(bits), prefix))
}

/// RFC 4291 §2.4: all global unicast addresses assigned so far are in it.
const GLOBAL_UNICAST: IpNet = v6(0x2000 << 112, 3);

/// The nets of the IANA IPv4 and IPv6 special-purpose address registries (RFC 6890 and its updates), including anycast and
/// cloud metadata services, and every IPv6 form that embeds an IPv4 address, because its translator may be inside our
/// network. For IPv6 those within `2000::/3`; all outside are special.
const SPECIAL: [IpNet; 23] = [
    v4([0, 0, 0, 0], 8),            // this network, RFC 791
    v4([10, 0, 0, 0], 8),           // private use, RFC 1918
    v4([100, 64, 0, 0], 10),        // shared address space, RFC 6598
    v4([127, 0, 0, 0], 8),          // loopback, RFC 1122
    v4([168, 63, 129, 16], 32),     // a cloud's metadata service
    v4([169, 254, 0, 0], 16),       // link-local and metadata services, RFC 3927
    v4([172, 16, 0, 0], 12),        // private use, RFC 1918
    v4([192, 0, 0, 0], 24),         // IETF protocol assignments, RFC 6890
    v4([192, 0, 2, 0], 24),         // documentation, RFC 5737
    v4([192, 31, 196, 0], 24),      // AS112 service, RFC 7535
    v4([192, 52, 193, 0], 24),      // multicast tunnelling, RFC 7450
    v4([192, 88, 99, 0], 24),       // 6to4 relays, RFC 7526
    v4([192, 168, 0, 0], 16),       // private use, RFC 1918
    v4([192, 175, 48, 0], 24),      // AS112 service, RFC 7534
    v4([198, 18, 0, 0], 15),        // benchmarking, RFC 2544
    v4([198, 51, 100, 0], 24),      // documentation, RFC 5737
    v4([203, 0, 113, 0], 24),       // documentation, RFC 5737
    v4([224, 0, 0, 0], 3),          // multicast, reserved and broadcast, RFC 5771, 1112, 919
    v6(0x2001 << 112, 23),          // IETF protocol assignments and Teredo, RFC 2928, 4380
    v6(0x2001_0db8 << 96, 32),      // documentation, RFC 3849
    v6(0x2002 << 112, 16),          // 6to4, RFC 3056
    v6(0x2620_004f_8000 << 80, 48), // AS112 service, RFC 7534
    v6(0x3fff << 112, 20),          // documentation, RFC 9637
];

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

#[cfg(test)]
mod tests {
    use super::Links;

    #[test]
    fn a_base_url_that_nobody_can_reach_is_refused() {
        for (text, reason) in [
            ("ftp://reviews.sample.test", "is neither http nor https"),
            (
                "https://reviews.sample.test/?a=b",
                "has more than a scheme, host, port and path",
            ),
            ("http://EXAMPLE.org:8080/reviews", "is a placeholder"),
            ("https://example.net.", "is a placeholder"),
            ("https://www.example.co.uk", "is a placeholder"),
            ("https://reviews.firm.example", "is a placeholder"),
        ] {
            let error = text.parse::<Links>().unwrap_err().to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
