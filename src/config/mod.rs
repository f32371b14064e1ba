//! The settings: a flag, else its environment variable, else the default. No other module reads the environment.

mod database;
mod hub;
mod values;

use std::fs::File;
use std::io::{self, Read};
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use clap::builder::RangedI64ValueParser;
use clap::{Args, ValueEnum};
use thiserror::Error;

use crate::links::{BaseUrlError, Links};

pub use database::{ClusterAddress, DatabaseAddress, DatabaseConfig};
pub use hub::{HubConfig, HubLimits, LeaseBounds};
pub use values::{Contacts, Hosts, Nets, RetryDelays, TimeSpan};

/// How texts are read.
#[derive(Debug, Clone, Args)]
pub struct TradeConfig {
    /// Trade package that defines topics and phrases: a folder, or one of home_services, food, general [default: by the
    /// business's type]
    #[expect(clippy::doc_markdown, reason = "`--help` prints it as it is")]
    #[arg(
        id = "trade_package",
        long = "trade",
        value_name = "DIR",
        env = "REVIEWS_TRADE",
        global = true
    )]
    pub package: Option<PathBuf>,
    /// Trade package as one TOML file
    #[arg(long, value_name = "FILE", env = "REVIEWS_TRADE_FILE", global = true)]
    pub trade_file: Option<PathBuf>,
}

/// The address that `serve` listens on, and the base URL of what it publishes.
#[derive(Debug, Clone, Args)]
pub struct ListenConfig {
    /// Address and port to listen on; port 0 takes a free one
    #[arg(
        long = "listen",
        value_name = "ADDR:PORT",
        env = "REVIEWS_LISTEN",
        default_value = "127.0.0.1:8080",
        value_parser = listen_address
    )]
    pub public: SocketAddr,
    /// Address and port of a listener for operators: /metrics, /healthz and /readyz; /metrics is then served only there
    #[arg(
        long = "admin-listen",
        value_name = "ADDR:PORT",
        env = "REVIEWS_ADMIN_LISTEN",
        value_parser = listen_address
    )]
    pub admin: Option<SocketAddr>,
}

/// An address with a port; a port by itself and `localhost` mean loopback.
fn listen_address(given: &str) -> Result<SocketAddr, String> {
    let port = given
        .strip_prefix("localhost:")
        .or_else(|| given.strip_prefix(':'))
        .unwrap_or(given);
    if let Ok(port) = port.parse::<u16>() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    given.parse().map_err(|_| {
        "write it like 127.0.0.1:8080, [::1]:8080, localhost:8080 or 8080; 0.0.0.0:8080 listens on every address".to_owned()
    })
}

fn connections() -> RangedI64ValueParser<u32> {
    RangedI64ValueParser::new().range(1..=i64::from(u32::MAX))
}

/// What `serve` needs to know besides.
#[derive(Debug, Clone, Args)]
pub struct ServeConfig {
    /// The listening address and the base URL.
    #[command(flatten)]
    pub listen: ListenConfig,
    /// Public URL of the service [default: http:// and the listen address]
    #[arg(long, value_name = "URL", env = "REVIEWS_BASE_URL")]
    pub base_url: Option<String>,
    /// Hosts, besides the base URL's, under which /mcp may be called and whose pages may call it
    #[arg(
        long,
        value_name = "HOSTS",
        env = "REVIEWS_ALLOWED_HOSTS",
        default_value = "",
        hide_default_value = true
    )]
    pub allowed_hosts: Hosts,
    /// Contacts for security reports, for /.well-known/security.txt: mailto:, https: or tel: URIs, comma-separated
    #[arg(
        long,
        value_name = "URIS",
        env = "REVIEWS_SECURITY_CONTACT",
        default_value = "",
        hide_default_value = true
    )]
    pub security_contact: Contacts,
    /// Maximum number of open connections per peer (an IPv4 address or an IPv6 /64); four times as many per IPv6 /48
    #[arg(long, value_name = "N", env = "REVIEWS_CONNECTIONS_PER_PEER_MAX", default_value = "64", value_parser = connections())]
    pub connections_per_peer_max: u32,
    /// Requests to log, each with an ID that also appears in its error document
    #[arg(
        long,
        value_name = "WHICH",
        env = "REVIEWS_REQUEST_LOG",
        default_value = "off"
    )]
    pub request_log: RequestLog,
    /// How texts are read.
    #[command(flatten)]
    pub trade: TradeConfig,
    /// The settings of the WebSub hub.
    #[command(flatten)]
    pub hub: HubConfig,
}

/// Which requests are logged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum RequestLog {
    /// None
    #[default]
    Off,
    /// Requests answered with status 400 or higher
    Errors,
    /// All requests
    All,
}

/// An invalid setting; the message explains what is wrong and what to do.
#[derive(Debug, Error)]
pub enum ConfigError {
    /// `DATABASE_URL` is not a SQLite file.
    #[error(
        "DATABASE_URL `{0}` does not name a SQLite file; write it like sqlite://reviews.db or sqlite:///var/lib/reviews.db, or, \
         on a cluster, rqlite://127.0.0.1:4001?file=/var/lib/rqlite/db.sqlite"
    )]
    Database(String),
    /// `DATABASE_URL` is an incomplete or invalid rqlite URL.
    #[error(
        "DATABASE_URL: {0}; write it like rqlite://127.0.0.1:4001,10.0.0.2:4001?file=/var/lib/rqlite/db.sqlite, this node's own \
         rqlited first"
    )]
    Cluster(&'static str),
    /// `DATABASE_URL` has parameters, which are not supported.
    #[error(
        "DATABASE_URL `{url}` asks for `{parameters}`, which is not supported; leave out everything from the `?` on (`reviews \
         check` writes nothing, whatever the URL)"
    )]
    DatabaseParameters {
        /// Without credentials.
        url: String,
        /// The text after the question mark.
        parameters: String,
    },
    /// `REVIEWS_BASE_URL` is invalid.
    #[error("REVIEWS_BASE_URL: {0}")]
    BaseUrl(#[from] BaseUrlError),
    /// An unspecified listen address does not determine a base URL.
    #[error(
        "REVIEWS_LISTEN is {0}, an unspecified address, which gives no public URL; set REVIEWS_BASE_URL too"
    )]
    BaseUrlMissing(SocketAddr),
    /// The bounds of leases are not in order.
    #[error(
        "REVIEWS_HUB_LEASE_SECONDS_MIN ({min}), _DEFAULT ({default}) and _MAX ({max}) must be in ascending order"
    )]
    Leases {
        /// In seconds.
        min: u64,
        /// In seconds.
        default: u64,
        /// In seconds.
        max: u64,
    },
}

impl ServeConfig {
    #[must_use]
    pub fn base_url(&self) -> Option<&str> {
        self.base_url.as_deref().filter(|url| !url.is_empty())
    }

    /// The links for the base URL, or for the address that was bound.
    ///
    /// # Errors
    /// If the base URL is invalid, or missing although the address is unspecified.
    pub fn links(&self, bound: SocketAddr) -> Result<Links, ConfigError> {
        match self.base_url() {
            Some(url) => Ok(url.parse()?),
            None if bound.ip().is_unspecified() => Err(ConfigError::BaseUrlMissing(bound)),
            None => Ok(format!("http://{bound}").parse()?),
        }
    }
}

// Files that settings and commands name are read whole, up to a size limit, because a given path may be `/dev/zero` or the
// wrong file.

/// The bytes of the file at `path`, at most `mib_max` MiB.
///
/// # Errors
/// The operating system's error; [`io::ErrorKind::FileTooLarge`] if the file is larger.
pub(crate) fn read_file(path: &Path, mib_max: u64) -> io::Result<Vec<u8>> {
    let bytes_max = mib_max << 20;
    let mut bytes = Vec::new();
    File::open(path)?
        .take(bytes_max + 1)
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        let message = format!("it has more than {mib_max} MiB; check that it is the right file");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The text of the file at `path`, at most `mib_max` MiB.
///
/// # Errors
/// Those of [`read_file`]; [`io::ErrorKind::InvalidData`] if it is not UTF-8.
pub(crate) fn read_text(path: &Path, mib_max: u64) -> io::Result<String> {
    String::from_utf8(read_file(path, mib_max)?)
        .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::listen_address;

    #[test]
    fn a_port_alone_is_one_of_this_machine() {
        for given in ["8090", ":8090", "localhost:8090", "127.0.0.1:8090"] {
            let address = listen_address(given).unwrap();
            assert_eq!(address.to_string(), "127.0.0.1:8090", "{given}");
        }
        assert_eq!(listen_address("[::]:80").unwrap().to_string(), "[::]:80");
        for wrong in ["localhost", "99999", ":", "example.com:80", ""] {
            let said = listen_address(wrong).unwrap_err();
            assert!(said.contains("localhost:8080"), "{wrong}: {said}");
        }
    }
}
