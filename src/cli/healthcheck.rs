//! `reviews healthcheck`: asks a running service whether it is ready, for containers and scripts that have no HTTP client.
//!
//! It asks by the settings that `serve` listens by, over plain HTTP on this machine, and so has no use for `egress`, which
//! guards what leaves it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{Outcome, say};
use crate::config::ListenConfig;

/// How long the whole exchange may take: less than the 30 s after which Docker gives up, more than `/readyz` ever waits.
const TIMEOUT: Duration = Duration::from_secs(5);
/// What is read of an answer; ours have less than one.
const ANSWER_BYTES_MAX: u64 = 64 << 10;

/// Ask a running service whether it is ready: exit code 0 where it is, 2 where it is not or does not answer
#[derive(Debug, Args)]
pub struct Healthcheck {
    /// Ask only whether it answers at all (`/healthz`), not whether requests should come to it (`/readyz`)
    #[arg(long)]
    live: bool,
    #[command(flatten)]
    listen: ListenConfig,
}

impl Healthcheck {
    pub(super) async fn run(self) -> anyhow::Result<Outcome> {
        let address = reachable(self.listen.admin.unwrap_or(self.listen.public));
        if address.port() == 0 {
            bail!(
                "port 0 is whichever was free; name the address that the service printed, with --listen ADDR:PORT"
            );
        }
        let path = if self.live { "/healthz" } else { "/readyz" };
        let answer = timeout(TIMEOUT, ask(address, path));
        let answer = answer.await.with_context(|| {
            format!(
                "http://{address}{path} does not answer within {} s",
                TIMEOUT.as_secs()
            )
        })??;
        let (status, body) = parts(&answer).with_context(|| {
            format!("what answers on {address} is no HTTP; is it this service that listens there?")
        })?;
        if status != 200 {
            bail!("http://{address}{path} answers {status}: {}", detail(body));
        }
        say(body)?;
        Ok(Outcome::Done)
    }
}

/// Where a service that listens on every address can be reached from here.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        IpAddr::V4(_) | IpAddr::V6(_) => listen.ip(),
    };
    SocketAddr::new(ip, listen.port())
}

async fn ask(address: SocketAddr, path: &str) -> anyhow::Result<String> {
    let stream = TcpStream::connect(address).await;
    let mut stream = stream.with_context(|| {
        format!("nothing answers on {address}; is the service running, and are REVIEWS_LISTEN and REVIEWS_ADMIN_LISTEN set as for it?")
    })?;
    let request = format!("GET {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    let failed = || format!("{address} took the connection and did not answer");
    stream
        .write_all(request.as_bytes())
        .await
        .with_context(failed)?;
    let mut answer = Vec::new();
    let read = stream.take(ANSWER_BYTES_MAX).read_to_end(&mut answer).await;
    read.with_context(failed)?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// The status and the body of an answer.
fn parts(answer: &str) -> Option<(u16, &str)> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.1 ")?.get(..3)?.parse().ok()?;
    Some((status, body))
}

/// What a problem says, or the text as it is.
fn detail(body: &str) -> String {
    let problem: Option<Value> = serde_json::from_str(body).ok();
    let detail = problem
        .as_ref()
        .and_then(|problem| problem["detail"].as_str());
    detail.unwrap_or(body).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_on_every_address_is_asked_on_loopback() {
        for (listen, asked) in [
            ("0.0.0.0:8080", "127.0.0.1:8080"),
            ("[::]:8080", "[::1]:8080"),
            ("192.0.2.1:80", "192.0.2.1:80"),
        ] {
            assert_eq!(reachable(listen.parse().unwrap()), asked.parse().unwrap());
        }
    }

    #[test]
    fn an_answer_is_read_and_anything_else_is_none() {
        assert_eq!(
            parts("HTTP/1.1 200 OK\r\na: b\r\n\r\nok\n"),
            Some((200, "ok\n"))
        );
        assert_eq!(parts("SSH-2.0-OpenSSH\r\n\r\n"), None);
        assert_eq!(parts("HTTP/1.1 2"), None);
        assert_eq!(detail(r#"{"detail":"Stopping."}"#), "Stopping.");
        assert_eq!(detail("no JSON\n"), "no JSON");
    }
}
