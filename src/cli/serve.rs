//! `reviews serve`.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;

use super::{Outcome, say, seed, trade};
use crate::app::{App, HubOptions, Limits};
use crate::clock::Clock;
use crate::config::{DatabaseConfig, ServeConfig};
use crate::db::Database;
use crate::edition::Document;
use crate::edition::Press;
use crate::links::{DOCS_PATH, HUB_PATH, Links, MCP_PATH, OPENAPI_PATH, SEARCH_PATH};

/// Serve the reviews until told to stop
#[derive(Debug, Args)]
pub struct Serve {
    /// Load the sample data of this folder first, if the database is empty
    #[arg(long, value_name = "DIR")]
    seed: Option<PathBuf>,
    /// Show the settings in force, and serve nothing
    #[arg(long)]
    print_config: bool,
    // Last, for its help comes under headings.
    #[command(flatten)]
    config: ServeConfig,
}

impl Serve {
    pub(super) async fn run(self, database: &DatabaseConfig, clock: Clock) -> anyhow::Result<Outcome> {
        let path = database.path()?;
        self.config.hub.leases()?;
        if self.print_config {
            let base_url = self.config.links(self.config.listen)?;
            let (listen, hosts, hub) = (self.config.listen, &self.config.allowed_hosts, &self.config.hub);
            let trade = self.config.trade.path().map(|path| path.display().to_string()).unwrap_or_default();
            say(&format!(
                "DATABASE_URL={}\nREVIEWS_LISTEN={listen}\nREVIEWS_BASE_URL={base_url}\nREVIEWS_ALLOWED_HOSTS={hosts}\nREVIEWS_TRADE_FILE={trade}\n{hub}\n",
                database.url
            ))?;
            return Ok(Outcome::Done);
        }
        // Settings first: nothing is made or migrated for a service that cannot run.
        self.config.links(self.config.listen)?;
        let engine = trade::load(&self.config.trade)?;
        let nets = &self.config.hub.allow_callback_nets;
        if !nets.0.is_empty() {
            tracing::warn!("hub.nets_opened: callbacks may reach {nets} on any port, besides the public Internet");
        }
        let listener = TcpListener::bind(self.config.listen).await;
        let listener =
            listener.with_context(|| format!("cannot listen on {}; set REVIEWS_LISTEN to another address", self.config.listen))?;
        let bound = listener.local_addr()?;
        let links = self.config.links(bound)?;
        let shutdown = stop_signal()?;
        let hub = HubOptions::new(self.config.hub.clone())?;
        let (database, migrated) = Database::open(&path).await?;
        for name in &migrated.applied {
            tracing::info!("database.migrated: applied {name}");
        }
        if let Some(seeds) = &self.seed {
            seed::load_if_empty(&database, &clock, seeds).await?;
        }
        let press = Press::new(database, links.clone(), clock).with_engine(engine);
        let app = App::of(press, hub, self.config.allowed_hosts).await?;
        // Whether or not anybody reads it, we serve.
        let _ = say(&greeting(&app, &links, bound));
        app.serve(listener, shutdown, Limits::default()).await;
        let _ = say("Stopped.\n");
        Ok(Outcome::Done)
    }
}

/// Cancelled by the first SIGTERM or SIGINT.
fn stop_signal() -> anyhow::Result<CancellationToken> {
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let stop = CancellationToken::new();
    let stopped = stop.clone();
    #[expect(clippy::disallowed_methods, reason = "lives as long as the process: it waits for the signal that ends it")]
    tokio::spawn(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
        stopped.cancel();
    });
    Ok(stop)
}

fn greeting(app: &App, links: &Links, bound: SocketAddr) -> String {
    let edition = app.ctx().current.load();
    let withheld: u64 = edition.copy.withheld.values().sum();
    let published = edition.copy.shelf.len();
    let rows = [
        ("Home", "/"),
        ("Reviews", Document::Reviews.path()),
        ("Insights", Document::Insights.path()),
        ("Search", SEARCH_PATH),
        ("JSON Feed", Document::JsonFeed.path()),
        ("Atom", Document::AtomFeed.path()),
        ("MCP", MCP_PATH),
        ("WebSub hub", HUB_PATH),
        ("Swagger UI", DOCS_PATH),
        ("OpenAPI", OPENAPI_PATH),
        ("Health", "/healthz"),
        ("Metrics", "/metrics"),
    ];
    let rows = rows.map(|(name, path)| format!("  {name:<11} {}", links.absolute(path))).join("\n");
    format!(
        "Reviews of {}: {published} published, {withheld} withheld\n\n{rows}\n\n  Listening on {bound}\n  Database  {}\n\nStop with Ctrl-C.\n",
        edition.copy.business.name,
        app.database().path().display()
    )
}
