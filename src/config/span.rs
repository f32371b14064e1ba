//! Value types of settings: time spans (`90s`, `15m`, `2h`), lists of them, and lists of nets.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;
use std::time::Duration;

use ipnet::IpNet;

/// A whole number of seconds, minutes or hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan(pub Duration);

/// Longer spans are rejected, so that a mistaken unit is noticed.
const SPAN_SECONDS_MAX: u64 = 366 * 24 * 3_600;

impl FromStr for TimeSpan {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let fault = || format!("`{given}` is not a duration; write it like 90s, 15m or 2h");
        let (digits, seconds) = match given.as_bytes() {
            [.., b's'] => (&given[..given.len() - 1], 1),
            [.., b'm'] => (&given[..given.len() - 1], 60),
            [.., b'h'] => (&given[..given.len() - 1], 3_600),
            [..] => return Err(fault()),
        };
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
        match self.0.as_secs() {
            seconds if seconds > 0 && seconds.is_multiple_of(3_600) => {
                write!(f, "{}h", seconds / 3_600)
            }
            seconds if seconds > 0 && seconds.is_multiple_of(60) => write!(f, "{}m", seconds / 60),
            seconds => write!(f, "{seconds}s"),
        }
    }
}

/// The delays before the second and the third attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryDelays(pub [TimeSpan; 2]);

impl FromStr for RetryDelays {
    type Err = String;

    fn from_str(given: &str) -> Result<Self, String> {
        let fault = || {
            format!(
                "`{given}` must be exactly two durations, the waits before the 2nd and 3rd attempt, like 10m,12h"
            )
        };
        let spans: Vec<TimeSpan> = given
            .split(',')
            .map(|span| span.trim().parse())
            .collect::<Result<_, _>>()?;
        match <[TimeSpan; 2]>::try_from(spans) {
            Ok(spans) if spans.iter().all(|span| span.0 > Duration::ZERO) => Ok(Self(spans)),
            Ok(_) => Err(format!(
                "`{given}` has a wait of zero; each must be 1s or longer"
            )),
            Err(_) => Err(fault()),
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

/// The network that an address counts for: the IPv4 address itself, or the IPv6 network of the first `prefix` bits (1
/// to 128).
#[must_use]
pub fn network(address: IpAddr, prefix: u32) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(
            address.to_bits() & (u128::MAX << (128 - prefix)),
        )),
    }
}

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
        given
            .split(',')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(net)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl fmt::Display for Nets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, net) in self.0.iter().enumerate() {
            write!(f, "{}{net}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
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
}
