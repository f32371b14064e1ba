//! The settings: a flag, else its environment variable, else the file of settings, else the default.
//!
//! The derived arguments are the one table of settings, each with its name, default, unit and what it bounds: `--help`,
//! `--print-config` and the list in `docs/REFERENCE.md` come from them.
#![expect(clippy::doc_markdown, reason = "`--help` prints comments as they are")]

pub mod bounds;
mod environment;
mod files;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use clap::builder::RangedU64ValueParser;
use clap::{Args, Command, FromArgMatches as _, ValueEnum};
use ipnet::IpNet;
use sqlx::sqlite::SqliteConnectOptions;
use thiserror::Error;
use url::{Host, Url};

pub use environment::Environment;
pub(crate) use environment::{SettingsFile, note_variable};
pub use files::{open_regular, read_file, read_text, read_text_of, read_text_or_pipe};

use crate::links::{BaseUrlError, Links};

/// How texts are read.
#[derive(Debug, Clone, Args)]
pub struct TradeConfig {
    /// Trade whose topics and phrases are used [default: by the business's type]
    #[arg(
        long,
        value_name = "NAME",
        value_parser = ["home_services", "food", "general"],
        env = "REVIEWS_TRADE",
        global = true
    )]
    pub trade: Option<String>,
}

/// The address that `serve` listens on.
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
}

#[derive(Debug, Clone, Args)]
pub struct AdminConfig {
    /// Address and port of a listener for operators: /metrics, /healthz and /readyz; /metrics is then served only there
    #[arg(
        long = "admin-listen",
        value_name = "ADDR:PORT",
        env = "REVIEWS_ADMIN_LISTEN",
        value_parser = listen_address
    )]
    pub listen: Option<SocketAddr>,
}

/// The base URL of what `serve` publishes.
#[derive(Debug, Clone, Args)]
pub struct BaseUrlConfig {
    /// Public URL of the service [default: http:// and the listen address]
    #[arg(long, value_name = "URL", env = "REVIEWS_BASE_URL")]
    base_url: Option<String>,
}

/// An address with a port; a port by itself and `localhost` mean loopback.
fn listen_address(text: &str) -> Result<SocketAddr, String> {
    let port = text
        .strip_prefix("localhost:")
        .or_else(|| text.strip_prefix(':'))
        .unwrap_or(text);
    if let Ok(port) = port.parse::<u16>() {
        return Ok(SocketAddr::from((Ipv4Addr::LOCALHOST, port)));
    }
    text.parse().map_err(|_| {
        "write it like 127.0.0.1:8080, [::1]:8080, localhost:8080 or 8080; 0.0.0.0:8080 listens on every address".to_owned()
    })
}

/// What `serve` needs to know besides.
#[derive(Debug, Clone, Args)]
pub struct ServeConfig {
    #[command(flatten)]
    pub listen: ListenConfig,
    #[command(flatten)]
    pub admin: AdminConfig,
    #[command(flatten)]
    pub base: BaseUrlConfig,
    /// Hosts, besides the base URL's, under which /mcp may be called and whose pages may call it
    #[arg(
        long,
        value_name = "HOSTS",
        env = "REVIEWS_ALLOWED_HOSTS",
        value_delimiter = ',',
        value_parser = host
    )]
    pub allowed_hosts: Vec<Host>,
    /// Contacts for security reports, for /.well-known/security.txt: mailto:, https: or tel: URIs, comma-separated
    #[arg(
        long,
        value_name = "URIS",
        env = "REVIEWS_SECURITY_CONTACT",
        value_delimiter = ',',
        value_parser = contact
    )]
    pub security_contact: Vec<String>,
    /// Maximum number of open connections per peer (an IPv4 address or an IPv6 /64)
    #[arg(long, value_name = "N", env = "REVIEWS_CONNECTIONS_PER_PEER_MAX", default_value = "64", value_parser = clap::value_parser!(u32).range(1..))]
    pub connections_per_peer_max: u32,
    /// Requests to log
    #[arg(
        long,
        value_name = "WHICH",
        env = "REVIEWS_REQUEST_LOG",
        default_value = "off"
    )]
    pub request_log: RequestLog,
    #[command(flatten)]
    pub trade: TradeConfig,
    #[command(flatten)]
    pub sync: SyncConfig,
    // Last, because its help has headings.
    #[command(flatten)]
    pub hub: HubConfig,
}

/// What is fetched on a schedule, and whom that trusts.
#[derive(Debug, Clone, Default, Args)]
pub struct SyncConfig {
    /// PEM file of root certificates to trust where reviews are fetched, besides the system's
    #[arg(long, value_name = "FILE", env = "REVIEWS_SYNC_CA_FILE")]
    pub sync_ca_file: Option<PathBuf>,
    /// TOML file of what is fetched on a schedule [default: NAME.sync.toml beside NAME.db]
    #[arg(long, value_name = "FILE", env = "REVIEWS_SYNC_FILE")]
    pub sync_file: Option<PathBuf>,
    /// Has the values that entries name, and is that of their commands.
    #[arg(skip)]
    pub environment: Environment,
}

impl SyncConfig {
    /// These settings for a command that is run in `environment`.
    #[must_use]
    pub fn within(self, environment: &Environment) -> Self {
        Self {
            sync_ca_file: self.sync_ca_file.map(|path| environment.resolve(&path)),
            sync_file: self.sync_file.map(|path| environment.resolve(&path)),
            environment: environment.clone(),
        }
    }
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
    #[error(
        "DATABASE_URL `{0}` does not name a SQLite file; write it like sqlite://reviews.db or sqlite:///var/lib/reviews.db, \
         without parameters, or, on a cluster, rqlite://127.0.0.1:4001?file=/var/lib/rqlite/db.sqlite"
    )]
    Database(String),
    #[error(
        "DATABASE_URL: {0}; write it like rqlite://127.0.0.1:4001,10.0.0.2:4001?file=/var/lib/rqlite/db.sqlite, this node's own \
         rqlited first"
    )]
    Cluster(&'static str),
    #[error(
        "a backup cannot be restored into a cluster while its nodes run; load it with rqlite's own restore, see docs/CLUSTER.md"
    )]
    RestoreOfCluster,
    #[error("REVIEWS_BASE_URL: {0}")]
    BaseUrl(#[from] BaseUrlError),
    /// An unspecified listen address does not determine a base URL.
    #[error(
        "REVIEWS_LISTEN is {0}, an unspecified address, which gives no public URL; write the line \
         `REVIEWS_BASE_URL=https://YOUR-HOST` into /etc/reviews.env, or pass --base-url https://YOUR-HOST"
    )]
    BaseUrlMissing(SocketAddr),
    #[error(
        "REVIEWS_HUB_LEASE_SECONDS_MIN ({min}), _DEFAULT ({default}) and _MAX ({max}) must be in ascending order"
    )]
    Leases { min: u64, default: u64, max: u64 },
}

impl BaseUrlConfig {
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

// The location of the database: a file, or an rqlite cluster with the file of this node's rqlited. Separate because every
// command needs it. Opens nothing.

/// What every command needs to know: where the database is.
#[derive(Debug, Clone, Args)]
pub struct DatabaseConfig {
    /// The database: a file's path, sqlite://PATH, or an rqlite cluster's URL
    #[arg(
        long = "database",
        value_name = "PATH|URL",
        help_heading = "Global options",
        env = "DATABASE_URL",
        hide_env_values = true,
        default_value = "sqlite://reviews.db",
        global = true
    )]
    pub url: String,
    /// In which its relative paths are.
    #[arg(skip)]
    pub environment: Environment,
}

/// The parsed [`DatabaseConfig::url`]. No `Debug`: it may have a password.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseAddress {
    /// A SQLite file that this program writes.
    File(PathBuf),
    Cluster(ClusterAddress),
}

/// An rqlite cluster, seen from one of its nodes.
#[derive(Clone, PartialEq, Eq)]
pub struct ClusterAddress {
    /// The nodes' HTTP APIs in the order of use, this node's own first; with user name and password if the cluster
    /// requires them.
    pub nodes: Vec<Url>,
    /// The SQLite file of this node's rqlited; read, never written.
    pub file: PathBuf,
}

impl DatabaseAddress {
    /// The file to read.
    pub fn file(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Cluster(cluster) => &cluster.file,
        }
    }

    /// The file that this program writes; `None` if many nodes share the database.
    pub fn own_file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Cluster(_) => None,
        }
    }
}

impl DatabaseConfig {
    /// The file to read: the database, or the replica of this node's rqlited.
    ///
    /// # Errors
    /// Those of [`DatabaseConfig::address`].
    pub fn path(&self) -> Result<PathBuf, ConfigError> {
        Ok(self.address()?.file().to_owned())
    }

    /// Parses the URL.
    ///
    /// # Errors
    /// If it is none of: a path, `sqlite://PATH` without parameters (an in-memory database could not be shared with
    /// another process), `rqlite://HOST:PORT?file=PATH`.
    pub fn address(&self) -> Result<DatabaseAddress, ConfigError> {
        if let Some(rest) = self.url.strip_prefix("rqlite://") {
            let mut cluster = cluster(rest)?;
            cluster.file = self.environment.resolve(&cluster.file);
            return Ok(DatabaseAddress::Cluster(cluster));
        }
        // A text without a scheme and parameters is not a URL.
        if !self.url.is_empty() && !self.url.contains([':', '?', '@']) {
            let path = self.environment.resolve(Path::new(&self.url));
            return Ok(DatabaseAddress::File(path));
        }
        let options = SqliteConnectOptions::from_str(&self.url).ok();
        let path = options
            .as_ref()
            .map(SqliteConnectOptions::get_filename)
            .filter(|path| {
                self.url.starts_with("sqlite:")
                    && !self.url.contains('?')
                    && !self.url.contains(":memory:")
                    && !path.as_os_str().is_empty()
            })
            .ok_or_else(|| ConfigError::Database(without_credentials(&self.url)))?;
        Ok(DatabaseAddress::File(self.environment.resolve(path)))
    }
}

/// The URL for errors: anything before an `@` may be a password, for any scheme.
fn without_credentials(url: &str) -> String {
    let Some((before, after)) = url.rsplit_once('@') else {
        return url.to_owned();
    };
    let scheme = before.find("://").map_or(0, |at| at + "://".len());
    format!("{}…@{after}", &url[..scheme])
}

/// `[USER:PASSWORD@]HOST:PORT[,HOST:PORT…]?file=PATH[&tls=on]`.
fn cluster(rest: &str) -> Result<ClusterAddress, ConfigError> {
    let fault = |reason| Err(ConfigError::Cluster(reason));
    let Some((authority, parameters)) = rest.split_once('?') else {
        return fault("the path of this node's file is missing");
    };
    let (mut file, mut scheme) = (None, "http");
    // In a path, a `+` is a plus sign and not a space.
    let parameters = parameters.replace('+', "%2B");
    for (name, value) in url::form_urlencoded::parse(parameters.as_bytes()) {
        match (name.as_ref(), value.as_ref()) {
            ("file", _) => {
                file.get_or_insert(value);
            }
            ("tls", "on") => scheme = "https",
            ("tls", "off") => scheme = "http",
            ("tls", _) => return fault("tls must be on or off"),
            _ => return fault("it has a parameter other than `file` and `tls`"),
        }
    }
    let Some(file) = file.filter(|file| !file.is_empty()) else {
        return fault("the path of this node's file is missing");
    };
    let (credentials, hosts) = match authority.rsplit_once('@') {
        Some((credentials, hosts)) => (format!("{credentials}@"), hosts),
        None => (String::new(), authority),
    };
    let mut nodes = Vec::new();
    for host in hosts.trim_end_matches('/').split(',') {
        let node = Url::parse(&format!("{scheme}://{credentials}{host}/"));
        let port = host.rsplit_once(':').map(|(_, port)| port.parse::<u16>());
        match node {
            Ok(node) if node.path() == "/" && matches!(port, Some(Ok(_))) => nodes.push(node),
            Ok(_) | Err(_) => return fault("each node must be HOST:PORT"),
        }
    }
    Ok(ClusterAddress {
        nodes,
        file: PathBuf::from(file.as_ref()),
    })
}

// The hub's settings: retries, leases, allowed networks and limits against abuse.

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
    #[command(flatten)]
    pub leases: LeaseBounds,
    /// PEM file of root certificates to trust for callbacks, besides the system's
    #[arg(long = "hub-ca-file", value_name = "FILE", env = "REVIEWS_HUB_CA_FILE")]
    pub ca_file: Option<PathBuf>,
    /// Networks (CIDR) that callbacks may be in, on any port, besides the public Internet
    #[arg(
        long = "hub-allow-callback-nets",
        value_name = "NETS",
        env = "REVIEWS_HUB_ALLOW_CALLBACK_NETS",
        value_delimiter = ',',
        value_parser = net
    )]
    pub allow_callback_nets: Vec<IpNet>,
    /// Networks (CIDR) of proxies whose X-Forwarded-For is trusted
    #[arg(
        long,
        value_name = "NETS",
        env = "REVIEWS_TRUSTED_PROXIES",
        value_delimiter = ',',
        value_parser = net
    )]
    pub trusted_proxies: Vec<IpNet>,
    #[command(flatten)]
    pub limits: HubLimits,
}

impl HubConfig {
    /// The defaults, whatever the environment says.
    ///
    /// # Errors
    /// If one is invalid.
    pub fn defaults() -> clap::error::Result<Self> {
        let command = Self::augment_args(Command::new("hub"));
        let command = command.mut_args(|argument| argument.env(None::<&'static str>));
        Self::from_arg_matches(&command.try_get_matches_from(["hub"])?)
    }
}

/// The hub's limits against abuse: beyond them it answers 429 or 503 with `Retry-After`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
#[command(next_help_heading = "WebSub hub: limits against abuse")]
pub struct HubLimits {
    /// Maximum requests to the hub per minute from one source address (IPv6: one /48)
    #[arg(long = "hub-requests-per-source-per-minute", value_name = "N", env = "REVIEWS_HUB_REQUESTS_PER_SOURCE_PER_MINUTE", default_value = "60", value_parser = limit())]
    pub requests_per_source_per_minute: u64,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Args)]
pub struct LeaseBounds {
    /// Shortest lease granted, in seconds
    #[arg(id = "lease_seconds_min", long = "hub-lease-seconds-min", value_name = "N", env = "REVIEWS_HUB_LEASE_SECONDS_MIN", default_value = "300", value_parser = lease_seconds())]
    pub min: u64,
    /// Lease granted when the subscriber does not request one, in seconds
    #[arg(id = "lease_seconds_default", long = "hub-lease-seconds-default", value_name = "N", env = "REVIEWS_HUB_LEASE_SECONDS_DEFAULT", default_value = "864000", value_parser = lease_seconds())]
    pub default: u64,
    /// Longest lease granted, in seconds
    #[arg(id = "lease_seconds_max", long = "hub-lease-seconds-max", value_name = "N", env = "REVIEWS_HUB_LEASE_SECONDS_MAX", default_value = "7776000", value_parser = lease_seconds())]
    pub max: u64,
}

impl LeaseBounds {
    /// The bounds, if they do not contradict each other.
    ///
    /// # Errors
    /// If they are not in order.
    pub const fn checked(self) -> Result<Self, ConfigError> {
        let Self { min, default, max } = self;
        if min <= default && default <= max {
            Ok(self)
        } else {
            Err(ConfigError::Leases { min, default, max })
        }
    }

    /// The granted lease for a requested one, both in seconds.
    pub fn grant(&self, wish_seconds: Option<u64>) -> u64 {
        wish_seconds.map_or(self.default, |wish| wish.clamp(self.min, self.max))
    }
}

// Value types of settings: time spans (`90s`, `15m`, `2h`), and lists of nets, hosts and contacts.

/// A whole number of seconds, minutes or hours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeSpan(pub Duration);

/// The units in seconds, largest first.
const UNITS: [(char, u64); 3] = [('h', 3_600), ('m', 60), ('s', 1)];
/// Longer spans are rejected, so that a mistaken unit is noticed.
const SPAN_SECONDS_MAX: u64 = 366 * 24 * 3_600;

impl FromStr for TimeSpan {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unit = UNITS
            .iter()
            .find_map(|(unit, seconds)| Some((text.strip_suffix(*unit)?, *seconds)));
        let seconds = unit
            .filter(|(digits, _)| digits.bytes().all(|byte| byte.is_ascii_digit()))
            .and_then(|(digits, seconds)| digits.parse::<u64>().ok()?.checked_mul(seconds))
            .filter(|all| *all <= SPAN_SECONDS_MAX);
        let span = seconds.map(|seconds| Self(Duration::from_secs(seconds)));
        span.ok_or_else(|| {
            format!("`{text}` is not a duration of at most a year; write it like 90s, 15m or 2h")
        })
    }
}

/// The delays before the second and the third attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryDelays(pub [TimeSpan; 2]);

impl FromStr for RetryDelays {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let spans: Vec<TimeSpan> = text
            .split(',')
            .map(|span| span.trim().parse())
            .collect::<Result<_, _>>()?;
        match <[TimeSpan; 2]>::try_from(spans) {
            Ok(spans) if spans.iter().all(|span| span.0 > Duration::ZERO) => Ok(Self(spans)),
            Ok(_) | Err(_) => Err(format!(
                "`{text}` must be exactly two durations of 1s or longer, the waits before the 2nd and 3rd attempt, like 10m,12h"
            )),
        }
    }
}

pub type Nets = Vec<IpNet>;

/// A net in CIDR notation. A bare address is a net of one.
fn net(text: &str) -> Result<IpNet, String> {
    let text = text.trim();
    let net = text
        .parse()
        .or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    net.map_err(|_| format!("`{text}` is not a network; write networks like 127.0.0.0/8,fd00::/8"))
}

/// Contacts for security issues, for `/.well-known/security.txt`.
pub type Contacts = Vec<String>;

/// One contact: web addresses must be https (RFC 9116 §2.5.3), and a parsed URL has no line breaks.
fn contact(text: &str) -> Result<String, String> {
    let url = Url::parse(text.trim()).ok();
    let url = url.filter(|url| ["https", "mailto", "tel"].contains(&url.scheme()));
    url.map(String::from).ok_or_else(|| {
        format!(
            "`{text}` is not a contact URI; write mailto:security@example.com, https://example.com/security or \
             tel:+1-201-555-0123"
        )
    })
}

/// Names or addresses of hosts.
pub type Hosts = Vec<Host>;

fn host(text: &str) -> Result<Host, String> {
    // A URL parser accepts a star, but no host has one.
    let text = text.trim();
    let host = Host::parse(text).ok().filter(|_| !text.contains('*'));
    host.ok_or_else(|| {
        format!(
            "`{text}` is not a host name; write hosts like agents.example.com,app.example.com, without ports"
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;

    use super::{DatabaseAddress, DatabaseConfig, listen_address, *};

    #[test]
    fn a_port_without_a_host_is_bound_to_loopback() {
        for text in ["8090", ":8090", "localhost:8090", "127.0.0.1:8090"] {
            let address = listen_address(text).unwrap();
            assert_eq!(address.to_string(), "127.0.0.1:8090", "{text}");
        }
        assert_eq!(listen_address("[::]:80").unwrap().to_string(), "[::]:80");
        for wrong in ["localhost", "99999", ":", "example.com:80", ""] {
            let message = listen_address(wrong).unwrap_err();
            assert!(message.contains("localhost:8080"), "{wrong}: {message}");
        }
    }

    fn address(url: &str) -> Result<DatabaseAddress, String> {
        DatabaseConfig {
            url: url.to_owned(),
            environment: Environment::default(),
        }
        .address()
        .map_err(|error| error.to_string())
    }

    #[test]
    fn a_cluster_has_nodes_and_the_file_of_this_node() {
        let url = "rqlite://10.0.0.1:4001,[::1]:4001?file=/var/lib/a%20b+c/db.sqlite";
        let Ok(DatabaseAddress::Cluster(cluster)) = address(url) else {
            panic!("a cluster");
        };
        let nodes: Vec<&str> = cluster.nodes.iter().map(Url::as_str).collect();
        assert_eq!(nodes, ["http://10.0.0.1:4001/", "http://[::1]:4001/"]);
        assert_eq!(cluster.file, Path::new("/var/lib/a b+c/db.sqlite"));
    }

    #[test]
    fn credentials_and_tls_hold_for_every_node() {
        let url = "rqlite://jo:secret@a:4001,b:4001?tls=on&file=db.sqlite";
        let Ok(DatabaseAddress::Cluster(cluster)) = address(url) else {
            panic!("a cluster");
        };
        for node in &cluster.nodes {
            assert_eq!((node.scheme(), node.username()), ("https", "jo"));
            assert_eq!(node.password(), Some("secret"));
        }
    }

    #[test]
    fn a_wrong_cluster_address_is_refused_with_an_example() {
        for url in [
            "rqlite://127.0.0.1:4001",
            "rqlite://127.0.0.1?file=a",
            "rqlite://a:1,,b:2?file=a",
            "rqlite://a:1?file=a&tls=maybe",
            "rqlite://a:1?file=a&level=none",
        ] {
            let message = address(url).err().unwrap();
            assert!(
                message.contains("rqlite://127.0.0.1:4001"),
                "{url}: {message}"
            );
        }
    }

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
            let message = read(&arguments).unwrap_err();
            assert!(message.contains(word), "{arguments:?}: {message}");
        }
    }

    #[test]
    fn durations_are_whole_seconds_minutes_or_hours() {
        for (text, seconds) in [("90s", 90), ("15m", 900), ("2h", 7_200)] {
            let span: TimeSpan = text.parse().unwrap();
            assert_eq!(span.0.as_secs(), seconds, "{text}");
        }
        for text in ["", "90", "1.5h", "-1s", "1d", "9999999h", "éh"] {
            assert!(text.parse::<TimeSpan>().is_err(), "{text}");
        }
    }

    #[test]
    fn contacts_must_be_mailto_or_https_addresses() {
        for right in ["mailto:a@example.com", "https://example.com/s"] {
            assert_eq!(contact(right).unwrap(), right);
        }
        for wrong in ["a@example.com", "http://example.com"] {
            let message = contact(wrong).unwrap_err();
            assert!(
                message.starts_with(&format!("`{wrong}` is not a contact URI")),
                "{message}"
            );
        }
    }

    #[test]
    fn a_wrong_host_is_refused_with_an_example() {
        for text in ["https://a.example", "*", "a b", "a.example:99999"] {
            let message = host(text).unwrap_err();
            assert!(
                message.contains(text) && message.contains("app.example.com"),
                "{text}: {message}"
            );
        }
    }
}
