//! `reviews serve`.

mod descriptors;
mod signals;

use std::io::stdout;
use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Context;
use clap::Args;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::signals::{Ending, Signals};
use super::logging::Lines;
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
    pub(super) async fn run(self, database: DatabaseConfig, clock: Clock) -> anyhow::Result<Outcome> {
        database.path()?;
        self.config.hub.leases()?;
        if self.print_config {
            say(&self.settings(&database)?)?;
            return Ok(Outcome::Done);
        }
        let signals = Signals::catch()?;
        let (out, started, stop) = (Lines::start("stdout", stdout()), CancellationToken::new(), CancellationToken::new());
        let told = (out.clone(), started.clone(), stop.clone());
        let work = move || self.serve(database, clock, told.0, told.1, told.2);
        let ending = signals.guard(work, &started, &stop).await?;
        let outcome = match ending {
            Ending::Done(Err(error)) => return Err(error),
            Ending::Done(Ok(())) => {
                out.push(b"Stopped.\n");
                Outcome::Done
            }
            Ending::BeforeStart => {
                out.push(b"Stopped before it served.\n");
                Outcome::Done
            }
            Ending::AtOnce => {
                out.push(b"Stopped at once by a second signal; what was in flight was cut.\n");
                Outcome::Failed
            }
        };
        out.close();
        Ok(outcome)
    }

    /// Whether or not anybody reads what is printed, we serve: `out` never waits.
    async fn serve(
        self,
        database: DatabaseConfig,
        clock: Clock,
        out: Lines,
        started: CancellationToken,
        stop: CancellationToken,
    ) -> anyhow::Result<()> {
        // Settings first: nothing is made or migrated for a service that cannot run.
        let path = database.path()?;
        self.config.links(self.config.listen)?;
        let engine = trade::load(&self.config.trade)?;
        let nets = &self.config.hub.allow_callback_nets;
        if !nets.0.is_empty() {
            tracing::warn!("hub.nets_opened: callbacks may reach {nets} on any port, besides the public Internet");
        }
        descriptors::raise();
        let listener = TcpListener::bind(self.config.listen).await;
        let listener =
            listener.with_context(|| format!("cannot listen on {}; set REVIEWS_LISTEN to another address", self.config.listen))?;
        let bound = listener.local_addr()?;
        let links = self.config.links(bound)?;
        let hub = HubOptions::new(self.config.hub.clone())?;
        let (database, migrated) = Database::open(&path).await?;
        for name in &migrated.applied {
            tracing::info!("database.migrated: applied {name}");
        }
        if let Some(seeds) = &self.seed
            && let Some(report) = seed::load_if_empty(&database, &clock, seeds).await?
        {
            out.push(report.as_bytes());
        }
        let press = Press::new(database, links.clone(), clock).with_engine(engine);
        let app = App::of(press, hub, self.config.allowed_hosts).await?;
        started.cancel();
        out.push(greeting(&app, &links, bound).as_bytes());
        let connections_per_peer_max = usize::try_from(self.config.connections_per_peer_max).unwrap_or(usize::MAX);
        app.serve(listener, stop, Limits { connections_per_peer_max, ..Limits::default() }).await;
        Ok(())
    }

    /// The settings in force, as lines of an environment file.
    fn settings(&self, database: &DatabaseConfig) -> anyhow::Result<String> {
        let base_url = self.config.links(self.config.listen)?;
        let (listen, hosts, hub) = (self.config.listen, &self.config.allowed_hosts, &self.config.hub);
        let per_peer = self.config.connections_per_peer_max;
        let trade = self.config.trade.path().map(|path| path.display().to_string()).unwrap_or_default();
        Ok(format!(
            "DATABASE_URL={}\nREVIEWS_LISTEN={listen}\nREVIEWS_BASE_URL={base_url}\nREVIEWS_ALLOWED_HOSTS={hosts}\nREVIEWS_CONNECTIONS_PER_PEER_MAX={per_peer}\nREVIEWS_TRADE_FILE={trade}\n{hub}\n",
            database.url
        ))
    }
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
