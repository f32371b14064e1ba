//! The command `reviews healthcheck`: checks a running service, for containers and scripts without an HTTP client.
//!
//! It uses the listen settings of `serve` and plain HTTP on this machine, so it does not need the restricted client of
//! the hub.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use anyhow::{Context as _, anyhow, ensure};
use clap::Args;
use reqwest::StatusCode;
use reqwest::redirect::Policy;
use serde_json::Value;
use tokio::time::timeout;

use super::report::{Exit, print_result};
use crate::config::{AdminConfig, ListenConfig};
use crate::http::{client_builder, read_body};

/// The timeout of the exchange: below Docker's 30 s, above any delay of `/readyz`.
const TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of bytes read of a response; the responses of the service are shorter.
const BODY_BYTES_MAX: usize = 64 << 10;

/// Check whether a running service is ready: exit code 0 if it is, 2 if it is not or does not answer
#[derive(Debug, Args)]
pub struct Healthcheck {
    #[command(flatten)]
    listen: ListenConfig,
    #[command(flatten)]
    admin: AdminConfig,
}

impl Healthcheck {
    pub(super) async fn run(self) -> anyhow::Result<Exit> {
        let address = reachable(self.admin.listen.unwrap_or(self.listen.public));
        ensure!(
            address.port() != 0,
            "port 0 means any free port; name the address that the service printed with --listen ADDR:PORT"
        );
        let url = format!("http://{address}/readyz");
        let answer = timeout(TIMEOUT, request(address, "/readyz")).await;
        let (status, body) = answer
            .with_context(|| format!("{url} does not answer within {} s", TIMEOUT.as_secs()))??;
        ensure!(
            status == StatusCode::OK,
            "{url} answers {}: {}",
            status.as_u16(),
            detail(&body)
        );
        print_result(&body)
    }
}

/// The loopback address for an unspecified listen address.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        IpAddr::V4(_) | IpAddr::V6(_) => listen.ip(),
    };
    SocketAddr::new(ip, listen.port())
}

/// The response's status and body.
async fn request(address: SocketAddr, path: &str) -> anyhow::Result<(StatusCode, String)> {
    // Plain HTTP needs no certificates, so none are loaded.
    let client = client_builder()
        .no_proxy()
        .redirect(Policy::none())
        .tls_certs_only([])
        .build()?;
    let request = client.get(format!("http://{address}{path}"));
    let failed = |error| failed(address, error);
    let response = request.send().await.map_err(failed)?;
    let status = response.status();
    let body = read_body(response, BODY_BYTES_MAX).await.map_err(failed)?;
    Ok((status, String::from_utf8_lossy(&body).into_owned()))
}

/// The error with its innermost cause, which is the informative one.
fn failed(address: SocketAddr, error: reqwest::Error) -> anyhow::Error {
    let is_connect = error.is_connect();
    let cause = anyhow::Error::new(error).root_cause().to_string();
    anyhow!(cause).context(if is_connect {
        format!("nothing answers on {address}; check that the service is running, and that REVIEWS_LISTEN and \
            REVIEWS_ADMIN_LISTEN are set as for the service")
    } else {
        format!("{address} took the connection and did not answer in HTTP; check that this service listens there")
    })
}

/// The detail of a problem, or the text as it is.
fn detail(body: &str) -> String {
    let problem: Option<Value> = serde_json::from_str(body).ok();
    let detail = problem
        .as_ref()
        .and_then(|problem| problem["detail"].as_str());
    detail.unwrap_or(body).trim().to_owned()
}
