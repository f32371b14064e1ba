//! Value types of settings: time spans (`90s`, `15m`, `2h`), and lists of nets, hosts and contacts.

use std::fmt;
use std::net::IpAddr;
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;
use url::{Host, Url};

/// A whole number of seconds, minutes or hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan(pub Duration);

/// The units in seconds, largest first.
const UNITS: [(char, u64); 3] = [('h', 3_600), ('m', 60), ('s', 1)];
/// Longer spans are rejected, so that a mistaken unit is noticed.
const SPAN_SECONDS_MAX: u64 = 366 * 24 * 3_600;

impl FromStr for TimeSpan {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let fault = || format!("`{given}` is not a duration; write it like 90s, 15m or 2h");
        let (digits, seconds) = UNITS
            .iter()
            .find_map(|(unit, seconds)| Some((given.strip_suffix(*unit)?, *seconds)))
            .ok_or_else(fault)?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(fault());
        }
        let seconds = digits
            .parse::<u64>()
            .ok()
            .and_then(|count| count.checked_mul(seconds))
            .filter(|all| *all <= SPAN_SECONDS_MAX);
        let seconds = seconds.ok_or_else(|| {
            format!("`{given}` is longer than a year; write it like 90s, 15m or 2h")
        })?;
        Ok(Self(Duration::from_secs(seconds)))
    }
}

impl fmt::Display for TimeSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.0.as_secs();
        let fits = |(_, seconds): &(char, u64)| all > 0 && all.is_multiple_of(*seconds);
        let (unit, seconds) = UNITS.into_iter().find(fits).unwrap_or(('s', 1));
        write!(f, "{}{unit}", all / seconds)
    }
}

/// The delays before the second and the third attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryDelays(pub [TimeSpan; 2]);

impl FromStr for RetryDelays {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let spans: Vec<TimeSpan> = given
            .split(',')
            .map(|span| span.trim().parse())
            .collect::<Result<_, _>>()?;
        match <[TimeSpan; 2]>::try_from(spans) {
            Ok(spans) if spans.iter().all(|span| span.0 > Duration::ZERO) => Ok(Self(spans)),
            Ok(_) => Err(format!(
                "`{given}` has a wait of zero; each must be 1s or longer"
            )),
            Err(_) => Err(format!(
                "`{given}` must be exactly two durations, the waits before the 2nd and 3rd attempt, like 10m,12h"
            )),
        }
    }
}

impl fmt::Display for RetryDelays {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [second, third] = self.0;
        write!(f, "{second},{third}")
    }
}

/// Nets in CIDR notation, comma-separated; may be empty. A bare address is a net of one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Nets(pub Vec<IpNet>);

impl FromStr for Nets {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let net = |part: &str| {
            let net = part
                .parse()
                .or_else(|_| part.parse::<IpAddr>().map(IpNet::from));
            net.map_err(|_| {
                format!("`{part}` is not a network; write networks like 127.0.0.0/8,fd00::/8")
            })
        };
        elements(given, net).map(Self)
    }
}

impl fmt::Display for Nets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(f, &self.0)
    }
}

/// The parsed elements of a list that is separated by commas; the list may be empty.
fn elements<T>(given: &str, parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    let parts = given.split(',').map(str::trim);
    parts.filter(|part| !part.is_empty()).map(parse).collect()
}

fn write_list<T: fmt::Display>(f: &mut fmt::Formatter<'_>, list: &[T]) -> fmt::Result {
    for (index, one) in list.iter().enumerate() {
        write!(f, "{}{one}", if index == 0 { "" } else { "," })?;
    }
    Ok(())
}

// Contacts for security issues in `/.well-known/security.txt` (RFC 9116 §2.5.3).

/// URIs of contacts, comma-separated, the preferred one first; may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contacts(pub Vec<String>);

/// One contact: web addresses must be https (RFC 9116 §2.5.3), and a parsed URL has no line breaks.
fn contact(given: &str) -> Result<String, String> {
    let is_known = |url: &Url| match url.scheme() {
        "https" => url.host().is_some(),
        "mailto" => url.path().contains('@'),
        "tel" => !url.path().is_empty(),
        _ => false,
    };
    let url = Url::parse(given).ok().filter(is_known);
    url.map(String::from).ok_or_else(|| {
        format!(
            "`{given}` is not a contact URI; write mailto:security@example.com, https://example.com/security or \
             tel:+1-201-555-0123"
        )
    })
}

impl FromStr for Contacts {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        elements(given, contact).map(Self)
    }
}

impl fmt::Display for Contacts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(f, &self.0)
    }
}

// Lists of host names in settings: `agents.example.com,app.example.com:8443`.

/// A host's name or address, with an optional port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostName {
    /// The name in lower case, or the address.
    pub host: Host,
    /// `None` allows every port.
    pub port: Option<u16>,
}

/// Comma-separated; may be empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hosts(pub Vec<HostName>);

impl FromStr for HostName {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let fault = || {
            format!(
                "`{given}` is not a host name; write hosts like agents.example.com,app.example.com:8443"
            )
        };
        let is_port = |port: &str| !port.is_empty() && !port.ends_with(']');
        let (name, port) = match given.rsplit_once(':').filter(|(_, port)| is_port(port)) {
            Some((name, port)) => (name, Some(port.parse().map_err(|_| fault())?)),
            None => (given, None),
        };
        // A URL parser accepts a star, but no host has one.
        let host = Host::parse(name)
            .ok()
            .filter(|_| !name.contains('*'))
            .ok_or_else(fault)?;
        Ok(Self { host, port })
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

impl FromStr for Hosts {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        elements(given, str::parse).map(Self)
    }
}

impl fmt::Display for Hosts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_list(f, &self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_whole_seconds_minutes_or_hours() {
        for (given, seconds, shown) in [
            ("90s", 90, "90s"),
            ("15m", 900, "15m"),
            ("2h", 7_200, "2h"),
            ("120s", 120, "2m"),
            ("0s", 0, "0s"),
            ("48h", 172_800, "48h"),
        ] {
            let span: TimeSpan = given.parse().unwrap();
            assert_eq!(
                (span.0.as_secs(), span.to_string().as_str()),
                (seconds, shown),
                "{given}"
            );
        }
        for given in [
            "",
            "s",
            "90",
            "1.5h",
            "-1s",
            "+1s",
            "1 h",
            "1d",
            "1H",
            "9999999h",
            "99999999999999999999s",
            "1hh",
            "éh",
        ] {
            assert!(given.parse::<TimeSpan>().is_err(), "{given}");
        }
    }

    #[test]
    fn retry_delays_are_exactly_two() {
        let delays: RetryDelays = "10m, 12h".parse().unwrap();
        assert_eq!(delays.to_string(), "10m,12h");
        for given in ["", "10m", "1m,2m,3m", "10m,", "10m,0s", "10m;12h"] {
            assert!(given.parse::<RetryDelays>().is_err(), "{given}");
        }
    }

    #[test]
    fn nets_are_a_list_that_may_be_empty() {
        let nets: Nets = "127.0.0.0/8, ::1,fd00::/8".parse().unwrap();
        assert_eq!(nets.to_string(), "127.0.0.0/8,::1/128,fd00::/8");
        assert_eq!("".parse::<Nets>().unwrap(), Nets::default());
        for given in ["127.0.0.0/33", "localhost", "10.0.0.0-10.0.0.9", "10/8"] {
            assert!(given.parse::<Nets>().is_err(), "{given}");
        }
    }

    #[test]
    fn contacts_are_addresses_that_somebody_reads() {
        let contacts: Contacts = "mailto:a@example.com, https://example.com/s"
            .parse()
            .unwrap();
        assert_eq!(
            contacts.to_string(),
            "mailto:a@example.com,https://example.com/s"
        );
        assert_eq!("".parse::<Contacts>().unwrap(), Contacts::default());
        for wrong in [
            "a@example.com",
            "http://example.com",
            "javascript:alert(1)",
            "mailto:nobody",
            "tel:",
        ] {
            let said = wrong.parse::<Contacts>().unwrap_err();
            assert!(
                said.starts_with(&format!("`{wrong}` is not a contact URI")),
                "{said}"
            );
        }
    }

    #[test]
    fn hosts_are_shown_as_they_are_compared() {
        for (given, shown) in [
            ("", ""),
            ("Agents.Example.com", "agents.example.com"),
            (" a.example , b.example:8443,", "a.example,b.example:8443"),
            (
                "192.0.2.1:80,[2001:DB8::1],[::1]:8080",
                "192.0.2.1:80,[2001:db8::1],[::1]:8080",
            ),
            ("bücher.example", "xn--bcher-kva.example"),
        ] {
            assert_eq!(
                given.parse::<Hosts>().unwrap().to_string(),
                shown,
                "{given}"
            );
        }
    }

    #[test]
    fn what_is_no_host_is_told_how_to_write_one() {
        for given in [
            "https://a.example",
            "*",
            "*.example",
            "a b",
            "a.example:port",
            "a.example:99999",
            "a/b",
            ":80",
        ] {
            let said = given.parse::<Hosts>().unwrap_err();
            assert!(
                said.contains(given) && said.contains("app.example.com:8443"),
                "{given}: {said}"
            );
        }
    }
}
