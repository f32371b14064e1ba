//! The limits of one server, in total and per client.

use std::time::Duration;

/// Limits of one server, in total and per client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum number of open connections; further ones get a 503. Default 768: below the usual 1,024 file descriptors,
    /// so that some are left for the database and outgoing requests; `reviews serve` raises it if the process may open
    /// more.
    pub connections_max: usize,
    /// Maximum number of connections of one peer (an IPv4 address or an IPv6 /64); a /48 may have four times as many.
    /// Default 64, many times the number that a browser opens.
    pub connections_per_peer_max: usize,
    /// Timeout for the rest of a request's head after its first byte, and for the first byte after connecting. Default
    /// 10 s.
    pub headers_timeout: Duration,
    /// Timeout for the first byte of the next request after a response. Default 75 s.
    pub keep_alive_timeout: Duration,
    /// Timeout for reading a request's body. After it, reading fails with an error whose source is an [`std::io::Error`] of
    /// kind `TimedOut`. Default 30 s.
    pub body_timeout: Duration,
    /// Maximum bytes of a request's head: request line and header fields. Default 32 KiB.
    pub head_bytes_max: usize,
    /// Minimum rate at which a client must receive a response, in bytes per second. Default 16 KiB/s.
    pub write_bytes_per_second_min: u32,
    /// The maximum delay of a client against that rate; a client that receives nothing is cut off after this time.
    /// Default 30 s.
    pub write_slack: Duration,
    /// Timeout for a whole response, from the first write that had to wait for the client. Default 30 min.
    pub response_timeout: Duration,
    /// Timeout for requests in flight when shutdown begins. Default 10 s.
    pub shutdown_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections_max: 768,
            connections_per_peer_max: 64,
            headers_timeout: Duration::from_secs(10),
            keep_alive_timeout: Duration::from_secs(75),
            body_timeout: Duration::from_secs(30),
            head_bytes_max: 32 * 1024,
            write_bytes_per_second_min: 16 * 1024,
            write_slack: Duration::from_secs(30),
            response_timeout: Duration::from_mins(30),
            shutdown_timeout: Duration::from_secs(10),
        }
    }
}
