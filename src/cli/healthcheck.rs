//! The command `reviews healthcheck`: checks a running service, for containers and scripts without an HTTP client.
//!
//! It uses the listen settings of `serve` and plain HTTP on this machine, so it does not need the restricted client of
//! the hub.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Args;
use reqwest::StatusCode;

use super::report::Exit;
use super::session::Session;
use crate::config::{AdminConfig, ListenConfig};
use crate::http::client_builder;

/// The timeout of the exchange: below Docker's 30 s, above any delay of `/readyz`.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Check whether a running service is ready: exit code 0 if it is, 2 if it is not or does not answer
#[derive(Debug, Args)]
pub struct Healthcheck {
    #[command(flatten)]
    listen: ListenConfig,
    #[command(flatten)]
    admin: AdminConfig,
}

impl Healthcheck {
    pub(super) async fn run(self, session: &Session) -> anyhow::Result<Exit> {
        // Systems connect to an unspecified address by loopback.
        let address = self.admin.listen.unwrap_or(self.listen.public);
        let url = format!("http://{address}/readyz");
        // Plain HTTP needs no certificates, so none are loaded.
        let client = client_builder().no_proxy().tls_certs_only([]);
        let client = client.timeout(TIMEOUT).build()?;
        let answer = async {
            let response = client.get(&url).send().await?;
            Ok::<_, reqwest::Error>((response.status(), response.text().await?))
        };
        let (status, body) = answer.await.with_context(|| {
            format!(
                "nothing answers on {address}; check that the service is running, and that REVIEWS_LISTEN and REVIEWS_ADMIN_LISTEN are \
                 set as for the service"
            )
        })?;
        ensure!(
            status == StatusCode::OK,
            "{url} answers {}: {}",
            status.as_u16(),
            body.trim()
        );
        session.print_result(&body)
    }
}
