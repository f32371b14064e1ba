//! The hub's settings: retries, leases, allowed networks and limits against abuse. `docs/REFERENCE.md` documents each.

use std::fmt;
use std::path::Path;

use clap::Args;
use clap::builder::RangedU64ValueParser;

use super::ConfigError;
use super::values::{Nets, RetryDelays};

/// A year; leases that never end are forbidden (W3C WebSub §5.3).
const LEASE_SECONDS_LIMIT: u64 = 31_536_000;

fn lease_seconds() -> RangedU64ValueParser {
    RangedU64ValueParser::new().range(1..=LEASE_SECONDS_LIMIT)
}

fn limit() -> RangedU64ValueParser {
    // SQLite's integers are signed.
    RangedU64ValueParser::new().range(1..=i64::MAX.unsigned_abs())
}

/// What the hub needs to know.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "WebSub hub")]
pub struct HubConfig {
    /// Waits before the 2nd and the 3rd attempt of a delivery, exactly two
    #[arg(
        long = "hub-retry-delays",
        value_name = "SPAN,SPAN",
        env = "REVIEWS_HUB_RETRY_DELAYS",
        default_value = "10m,12h"
    )]
    pub retry_delays: RetryDelays,
    /// Shortest lease granted, in seconds
    #[arg(long = "hub-lease-seconds-min", value_name = "N", env = "REVIEWS_HUB_LEASE_SECONDS_MIN", default_value = "300", value_parser = lease_seconds())]
    pub lease_seconds_min: u64,
    /// Lease granted when the subscriber does not request one, in seconds
    #[arg(long = "hub-lease-seconds-default", value_name = "N", env = "REVIEWS_HUB_LEASE_SECONDS_DEFAULT", default_value = "864000", value_parser = lease_seconds())]
    pub lease_seconds_default: u64,
    /// Longest lease granted, in seconds
    #[arg(long = "hub-lease-seconds-max", value_name = "N", env = "REVIEWS_HUB_LEASE_SECONDS_MAX", default_value = "7776000", value_parser = lease_seconds())]
    pub lease_seconds_max: u64,
    /// PEM file of root certificates to trust for callbacks, besides the system's
    #[arg(
        long = "hub-ca-file",
        value_name = "FILE",
        env = "REVIEWS_HUB_CA_FILE",
        default_value = "",
        hide_default_value = true
    )]
    pub ca_file: String,
    /// Networks (CIDR) that callbacks may be in, on any port, besides the public Internet
    #[arg(
        long = "hub-allow-callback-nets",
        value_name = "NETS",
        env = "REVIEWS_HUB_ALLOW_CALLBACK_NETS",
        default_value = "",
        hide_default_value = true
    )]
    pub allow_callback_nets: Nets,
    /// Networks (CIDR) of proxies whose X-Forwarded-For is trusted
    #[arg(
        long = "trusted-proxies",
        value_name = "NETS",
        env = "REVIEWS_TRUSTED_PROXIES",
        default_value = "",
        hide_default_value = true
    )]
    pub trusted_proxies: Nets,
    /// Its limits against abuse.
    #[command(flatten)]
    pub limits: HubLimits,
}

/// The hub's limits against abuse: beyond them it answers 429 or 503 with `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
#[command(next_help_heading = "WebSub hub: limits against abuse")]
pub struct HubLimits {
    /// Maximum requests to the hub per minute from one source address (IPv6: one /64)
    #[arg(long = "hub-requests-per-source-per-minute", value_name = "N", env = "REVIEWS_HUB_REQUESTS_PER_SOURCE_PER_MINUTE", default_value = "60", value_parser = limit())]
    pub requests_per_source_per_minute: u64,
    /// Maximum requests to the hub per minute from one IPv6 network (/48)
    #[arg(long = "hub-requests-per-network-per-minute", value_name = "N", env = "REVIEWS_HUB_REQUESTS_PER_NETWORK_PER_MINUTE", default_value = "240", value_parser = limit())]
    pub requests_per_network_per_minute: u64,
    /// Maximum verifications per minute sent to one callback host
    #[arg(long = "hub-verifications-per-host-per-minute", value_name = "N", env = "REVIEWS_HUB_VERIFICATIONS_PER_HOST_PER_MINUTE", default_value = "30", value_parser = limit())]
    pub verifications_per_host_per_minute: u64,
    /// Maximum verifications per minute sent to one resolved address (IPv4: /32, IPv6: /48)
    #[arg(long = "hub-verifications-per-address-per-minute", value_name = "N", env = "REVIEWS_HUB_VERIFICATIONS_PER_ADDRESS_PER_MINUTE", default_value = "60", value_parser = limit())]
    pub verifications_per_address_per_minute: u64,
    /// Maximum requests waiting for their verification
    #[arg(long = "hub-pending-max", value_name = "N", env = "REVIEWS_HUB_PENDING_MAX", default_value = "1000", value_parser = limit())]
    pub pending_max: u64,
    /// Maximum subscriptions of one callback host
    #[arg(long = "hub-subscriptions-per-host-max", value_name = "N", env = "REVIEWS_HUB_SUBSCRIPTIONS_PER_HOST_MAX", default_value = "1000", value_parser = limit())]
    pub subscriptions_per_host_max: u64,
    /// Maximum subscriptions of all callback hosts together
    #[arg(long = "hub-subscriptions-max", value_name = "N", env = "REVIEWS_HUB_SUBSCRIPTIONS_MAX", default_value = "200000", value_parser = limit())]
    pub subscriptions_max: u64,
    /// Maximum bytes delivered to one callback host per hour
    #[arg(long = "hub-bytes-per-host-per-hour", value_name = "N", env = "REVIEWS_HUB_BYTES_PER_HOST_PER_HOUR", default_value = "4294967296", value_parser = limit())]
    pub bytes_per_host_per_hour: u64,
}

/// In seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LeaseBounds {
    shortest: u64,
    default: u64,
    longest: u64,
}

impl LeaseBounds {
    /// `None` if the bounds are not in order or a lease could be 0.
    #[must_use]
    pub fn new(shortest: u64, default: u64, longest: u64) -> Option<Self> {
        let is_ordered = 0 < shortest && shortest <= default && default <= longest;
        is_ordered.then_some(Self {
            shortest,
            default,
            longest,
        })
    }

    /// The granted lease for a requested one, both in seconds.
    #[must_use]
    pub fn grant(&self, wish_seconds: Option<u64>) -> u64 {
        wish_seconds.map_or(self.default, |wish| wish.clamp(self.shortest, self.longest))
    }
}

impl HubConfig {
    /// The bounds of leases.
    ///
    /// # Errors
    /// If the three settings contradict each other.
    pub fn leases(&self) -> Result<LeaseBounds, ConfigError> {
        let (min, default, max) = (
            self.lease_seconds_min,
            self.lease_seconds_default,
            self.lease_seconds_max,
        );
        LeaseBounds::new(min, default, max).ok_or(ConfigError::Leases { min, default, max })
    }

    #[must_use]
    pub fn ca_file(&self) -> Option<&Path> {
        Some(Path::new(&self.ca_file)).filter(|path| !path.as_os_str().is_empty())
    }
}

/// For `serve --print-config`: one assignment per line, for every variable.
impl fmt::Display for HubConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            retry_delays,
            lease_seconds_min,
            lease_seconds_default,
            lease_seconds_max,
            ca_file,
            allow_callback_nets,
            trusted_proxies,
            limits,
        } = self;
        let HubLimits {
            requests_per_source_per_minute: per_source,
            requests_per_network_per_minute: per_network,
            verifications_per_host_per_minute: per_host,
            verifications_per_address_per_minute: per_address,
            pending_max,
            subscriptions_per_host_max,
            subscriptions_max,
            bytes_per_host_per_hour,
        } = limits;
        let settings: [(&str, &dyn fmt::Display); 15] = [
            ("TRUSTED_PROXIES", trusted_proxies),
            ("HUB_RETRY_DELAYS", retry_delays),
            ("HUB_LEASE_SECONDS_MIN", lease_seconds_min),
            ("HUB_LEASE_SECONDS_DEFAULT", lease_seconds_default),
            ("HUB_LEASE_SECONDS_MAX", lease_seconds_max),
            ("HUB_CA_FILE", ca_file),
            ("HUB_ALLOW_CALLBACK_NETS", allow_callback_nets),
            ("HUB_REQUESTS_PER_SOURCE_PER_MINUTE", per_source),
            ("HUB_REQUESTS_PER_NETWORK_PER_MINUTE", per_network),
            ("HUB_VERIFICATIONS_PER_HOST_PER_MINUTE", per_host),
            ("HUB_VERIFICATIONS_PER_ADDRESS_PER_MINUTE", per_address),
            ("HUB_PENDING_MAX", pending_max),
            ("HUB_SUBSCRIPTIONS_PER_HOST_MAX", subscriptions_per_host_max),
            ("HUB_SUBSCRIPTIONS_MAX", subscriptions_max),
            ("HUB_BYTES_PER_HOST_PER_HOUR", bytes_per_host_per_hour),
        ];
        for (index, (name, value)) in settings.iter().enumerate() {
            let line_break = if index == 0 { "" } else { "\n" };
            write!(f, "{line_break}REVIEWS_{name}={value}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Debug, Parser)]
    struct Line {
        #[command(flatten)]
        hub: HubConfig,
    }

    fn read(arguments: &[&str]) -> Result<HubConfig, String> {
        let line = Line::try_parse_from([&["reviews"], arguments].concat());
        line.map(|line| line.hub).map_err(|error| error.to_string())
    }

    #[test]
    fn defaults_are_the_documented_ones() {
        let hub = read(&[]).unwrap();
        assert_eq!(
            hub.leases().unwrap(),
            LeaseBounds::new(300, 864_000, 7_776_000).unwrap()
        );
        assert_eq!(hub.ca_file(), None);
        insta::assert_snapshot!(hub.to_string(), @"
        REVIEWS_TRUSTED_PROXIES=
        REVIEWS_HUB_RETRY_DELAYS=10m,12h
        REVIEWS_HUB_LEASE_SECONDS_MIN=300
        REVIEWS_HUB_LEASE_SECONDS_DEFAULT=864000
        REVIEWS_HUB_LEASE_SECONDS_MAX=7776000
        REVIEWS_HUB_CA_FILE=
        REVIEWS_HUB_ALLOW_CALLBACK_NETS=
        REVIEWS_HUB_REQUESTS_PER_SOURCE_PER_MINUTE=60
        REVIEWS_HUB_REQUESTS_PER_NETWORK_PER_MINUTE=240
        REVIEWS_HUB_VERIFICATIONS_PER_HOST_PER_MINUTE=30
        REVIEWS_HUB_VERIFICATIONS_PER_ADDRESS_PER_MINUTE=60
        REVIEWS_HUB_PENDING_MAX=1000
        REVIEWS_HUB_SUBSCRIPTIONS_PER_HOST_MAX=1000
        REVIEWS_HUB_SUBSCRIPTIONS_MAX=200000
        REVIEWS_HUB_BYTES_PER_HOST_PER_HOUR=4294967296
        ");
    }

    #[test]
    fn a_wrong_setting_says_how_to_write_it() {
        for (arguments, word) in [
            (["--hub-retry-delays", "10m"], "exactly two durations"),
            (["--hub-retry-delays", "10m,12"], "like 90s, 15m or 2h"),
            (["--hub-lease-seconds-min", "0"], "1..=31536000"),
            (["--hub-lease-seconds-max", "31536001"], "31536000"),
            (
                ["--hub-allow-callback-nets", "localhost"],
                "write networks like",
            ),
            (["--trusted-proxies", "10.0.0.0/99"], "write networks like"),
            (["--hub-pending-max", "0"], "1.."),
        ] {
            let said = read(&arguments).unwrap_err();
            assert!(said.contains(word), "{arguments:?}: {said}");
        }
    }

    #[test]
    fn leases_must_be_in_order() {
        let hub = read(&[
            "--hub-lease-seconds-min",
            "100",
            "--hub-lease-seconds-default",
            "99",
        ])
        .unwrap();
        let said = hub.leases().unwrap_err().to_string();
        assert!(
            said.contains("100")
                && said.contains("99")
                && said.contains("REVIEWS_HUB_LEASE_SECONDS_MIN"),
            "{said}"
        );
    }

    #[test]
    fn a_wish_is_clamped_and_its_absence_is_the_default() {
        let leases = LeaseBounds::new(300, 864_000, 7_776_000).unwrap();
        for (wish, granted) in [
            (None, 864_000),
            (Some(1), 300),
            (Some(300), 300),
            (Some(301), 301),
            (Some(7_776_000), 7_776_000),
            (Some(u64::MAX), 7_776_000),
        ] {
            assert_eq!(leases.grant(wish), granted, "{wish:?}");
        }
    }
}
