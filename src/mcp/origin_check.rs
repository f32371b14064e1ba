//! Checks `Origin` and `Host`: only pages of this service, of this machine and of hosts that the operator allows may
//! send requests, and only under a known name (DNS rebinding). MCP requires both checks of HTTP servers.

use poem::http::header::{HOST, ORIGIN};
use poem::http::uri::Authority;
use poem::http::{HeaderMap, HeaderValue, Uri};
use url::{Host, Origin, Url};

use crate::config::Hosts;
use crate::links::Links;

#[derive(Debug)]
pub struct OriginCheck {
    base: Option<Url>,
    allowed: Hosts,
}

impl OriginCheck {
    /// Accepts the base URL's host, this machine and `allowed`.
    #[must_use]
    pub fn new(links: &Links, allowed: Hosts) -> Self {
        Self {
            base: Url::parse(&links.home()).ok(),
            allowed,
        }
    }

    /// The error for a foreign request; `None` if it is accepted.
    #[must_use]
    pub fn stranger(&self, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let named = headers.get_all(HOST).iter().map(HeaderValue::as_bytes);
        let mut hosts = uri
            .authority()
            .map(|authority| authority.as_str().as_bytes())
            .into_iter()
            .chain(named);
        if !hosts.all(|host| self.knows_host(host)) {
            return Some(
                "This Host is not allowed; use the service's public name, or add yours to REVIEWS_ALLOWED_HOSTS.",
            );
        }
        // Browsers always send it; other clients need not.
        if !headers
            .get_all(ORIGIN)
            .iter()
            .all(|origin| self.knows_origin(origin))
        {
            return Some(
                "This Origin is not allowed; the operator can add its host to REVIEWS_ALLOWED_HOSTS.",
            );
        }
        None
    }

    fn knows_host(&self, given: &[u8]) -> bool {
        let Ok(authority) = Authority::try_from(given) else {
            return false;
        };
        let Ok(host) = Host::parse(authority.host()) else {
            return false;
        };
        // The port may be a proxy's; only the name can be forged by DNS rebinding.
        self.base
            .as_ref()
            .and_then(Url::host)
            .is_some_and(|ours| ours.to_owned() == host)
            || is_loopback(&host)
            || self.is_allowed(&host, authority.port_u16())
    }

    fn knows_origin(&self, given: &HeaderValue) -> bool {
        let Some(url) = given.to_str().ok().and_then(|given| Url::parse(given).ok()) else {
            return false;
        };
        let origin = url.origin();
        let Origin::Tuple(scheme, host, port) = &origin else {
            return false;
        };
        matches!(scheme.as_str(), "http" | "https")
            && (self
                .base
                .as_ref()
                .is_some_and(|base| base.origin() == origin)
                || is_loopback(host)
                || self.is_allowed(host, Some(*port)))
    }

    fn is_allowed(&self, host: &Host, port: Option<u16>) -> bool {
        self.allowed.0.iter().any(|allowed| {
            allowed.host == *host && (allowed.port.is_none() || allowed.port == port)
        })
    }
}

fn is_loopback(host: &Host) -> bool {
    match host {
        Host::Domain(name) => name == "localhost",
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use poem::http::HeaderName;

    use super::*;

    fn lets_in(name: HeaderName, value: &str) -> bool {
        let origin_check = OriginCheck::new(
            &"https://reviews.example.com".parse().unwrap(),
            "agents.example.com,app.example.com:8443".parse().unwrap(),
        );
        let headers =
            HeaderMap::from_iter([(name, HeaderValue::from_bytes(value.as_bytes()).unwrap())]);
        origin_check
            .stranger(&Uri::from_static("/mcp"), &headers)
            .is_none()
    }

    #[test]
    fn hosts_are_known_by_their_name() {
        for host in [
            "reviews.example.com",
            "Reviews.Example.com:8080",
            "localhost:1",
            "127.0.0.1:8080",
            "127.1.2.3",
            "[::1]:80",
            "agents.example.com:9",
            "app.example.com:8443",
        ] {
            assert!(lets_in(HOST, host), "{host}");
        }
        for host in [
            "evil.example.com",
            "reviews.example.com.evil.example",
            "xreviews.example.com",
            "app.example.com",
            "app.example.com:8080",
            "localhost.evil.example",
            "10.0.0.1",
            "0.0.0.0",
            "",
            "a b",
            "é",
        ] {
            assert!(!lets_in(HOST, host), "{host}");
        }
    }

    #[test]
    fn origins_are_known_by_scheme_name_and_port() {
        for origin in [
            "https://reviews.example.com",
            "https://reviews.example.com:443",
            "HTTPS://REVIEWS.EXAMPLE.COM",
            "http://localhost:6274",
            "https://127.0.0.1",
            "http://[::1]:3000",
            "http://agents.example.com",
            "https://agents.example.com:1",
            "https://app.example.com:8443",
        ] {
            assert!(lets_in(ORIGIN, origin), "{origin}");
        }
        for origin in [
            "http://reviews.example.com",
            "https://reviews.example.com:8443",
            "https://evil.example.com",
            "https://reviews.example.com.evil.example",
            "https://app.example.com",
            "null",
            "",
            "file://",
            "reviews.example.com",
            "ftp://localhost",
            "chrome-extension://localhost",
            "é",
        ] {
            assert!(!lets_in(ORIGIN, origin), "{origin}");
        }
    }

    #[test]
    fn one_stranger_among_several_is_a_stranger() {
        let origin_check =
            OriginCheck::new(&"http://127.0.0.1:8080".parse().unwrap(), Hosts::default());
        let known = HeaderValue::from_static("http://127.0.0.1:8080");
        let mut headers = HeaderMap::from_iter([(ORIGIN, known)]);
        assert!(
            origin_check
                .stranger(&Uri::from_static("/mcp"), &headers)
                .is_none()
        );
        headers.append(ORIGIN, HeaderValue::from_static("http://evil.example"));
        assert!(
            origin_check
                .stranger(&Uri::from_static("/mcp"), &headers)
                .is_some()
        );
        assert!(
            origin_check
                .stranger(
                    &Uri::from_static("http://evil.example/mcp"),
                    &HeaderMap::new()
                )
                .is_some()
        );
    }
}
