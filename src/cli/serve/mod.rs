//! `reviews serve`.

mod descriptors;
mod signals;

use std::io::stdout;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use self::signals::{Ending, Signals};
use super::logging::{LineQueue, LogFormat};
use super::{LogConfig, Outcome, file_size, say, seed, trade};
use crate::app::{App, HubOptions, Limits};
use crate::clock::Clock;
use crate::config::{DatabaseConfig, ListenConfig, ServeConfig};
use crate::db::Database;
use crate::links::{DOCS_PATH, HUB_PATH, Links, MCP_PATH, OPENAPI_PATH, SEARCH_PATH};
use crate::mcp::escaped;
use crate::server::listen;
use crate::snapshot::Document;
use crate::snapshot::Publisher;

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
    pub(super) async fn run(
        self,
        database: DatabaseConfig,
        log: &LogConfig,
        clock: Clock,
    ) -> anyhow::Result<Outcome> {
        database.path()?;
        self.config.hub.leases()?;
        if self.print_config {
            say(&self.settings(&database, log)?)?;
            return Ok(Outcome::Done);
        }
        let signals = Signals::catch()?;
        // Where logs are JSON, all that there is to say is an event of the log.
        let out = (log.format == LogFormat::Text).then(|| LineQueue::start("stdout", stdout()));
        let (started, stop) = (CancellationToken::new(), CancellationToken::new());
        let told = (out.clone(), started.clone(), stop.clone());
        let work = move || self.serve(database, clock, told.0, told.1, told.2);
        let ending = signals.guard(work, &started, &stop).await?;
        let (outcome, said) = match ending {
            Ending::Done(Err(error)) => return Err(error),
            Ending::Done(Ok(())) => (Outcome::Done, "Stopped."),
            Ending::BeforeStart => (Outcome::Done, "Stopped before it served."),
            Ending::AtOnce => (
                Outcome::Failed,
                "Stopped at once by a second signal; what was in flight was cut.",
            ),
        };
        tracing::info!("server.stopped: {said}");
        if let Some(out) = out {
            out.push(format!("{said}\n").as_bytes());
            out.close();
        }
        Ok(outcome)
    }

    /// Whether or not anybody reads what is printed, we serve: `out` never waits.
    async fn serve(
        self,
        database: DatabaseConfig,
        clock: Clock,
        out: Option<LineQueue>,
        started: CancellationToken,
        stop: CancellationToken,
    ) -> anyhow::Result<()> {
        // Settings first: nothing is made or migrated for a service that cannot run.
        let address = database.address()?;
        self.config.links(self.config.listen.public)?;
        let engines = trade::load(&self.config.trade)?;
        let nets = &self.config.hub.allow_callback_nets;
        if !nets.0.is_empty() {
            tracing::warn!(
                "hub.nets_opened: callbacks may reach {nets} on any port, besides the public Internet"
            );
        }
        descriptors::raise();
        file_size::tell();
        let listener = listen(self.config.listen.public);
        let listener = listener.with_context(|| {
            format!(
                "cannot listen on {}; set REVIEWS_LISTEN to another address",
                self.config.listen.public
            )
        })?;
        let admin = match self.config.listen.admin {
            None => None,
            Some(address) => Some(listen(address).with_context(|| {
                format!("cannot listen on {address}; set REVIEWS_ADMIN_LISTEN to another address")
            })?),
        };
        let bound = Bound {
            public: listener.local_addr()?,
            admin: admin.as_ref().map(TcpListener::local_addr).transpose()?,
        };
        let links = self.config.links(bound.public)?;
        let hub = HubOptions::new(self.config.hub.clone())?;
        let (database, migrated) = Database::open_at(&address).await?;
        for name in &migrated.applied {
            tracing::info!("database.migrated: applied {name}");
        }
        if let Some(seeds) = &self.seed
            && let Some(report) = seed::load_if_empty(&database, &clock, seeds).await?
            && let Some(out) = &out
        {
            out.push(report.as_bytes());
        }
        if let Err(error) = database.renew_lease(Duration::ZERO).await {
            tracing::warn!(%error, "cluster.no_lease: this process raises no versions yet");
        }
        let publisher = Publisher::new(database, links.clone(), clock).with_engines(engines);
        let app = App::of(publisher, hub, self.config.allowed_hosts, admin.is_some()).await?;
        app.ctx().set_contacts(self.config.security_contact.0);
        started.cancel();
        greet(&app, &links, &bound, out.as_ref());
        let connections_per_peer_max =
            usize::try_from(self.config.connections_per_peer_max).unwrap_or(usize::MAX);
        let limits = Limits::default();
        let limits = Limits {
            connections_max: descriptors::connections_max(limits.connections_max),
            connections_per_peer_max,
            ..limits
        };
        Box::pin(app.serve_with_admin(listener, admin, stop, limits)).await;
        Ok(())
    }

    /// The settings in force, as lines of an environment file that means the same when it is loaded.
    fn settings(&self, database: &DatabaseConfig, log: &LogConfig) -> anyhow::Result<String> {
        let links = self.config.links(self.config.listen.public)?;
        // Which port it will be is not known yet; the line that says nothing leaves it open.
        let base_url = if self.config.base_url().is_none() && self.config.listen.public.port() == 0
        {
            String::new()
        } else {
            links.to_string()
        };
        let ListenConfig {
            public: listen,
            admin,
        } = &self.config.listen;
        let admin = admin.map(|address| address.to_string()).unwrap_or_default();
        let (hosts, hub) = (&self.config.allowed_hosts, &self.config.hub);
        let per_peer = self.config.connections_per_peer_max;
        let shown = |path: Option<&Path>| path.map(|path| path.display().to_string());
        let package = shown(self.config.trade.package()).unwrap_or_default();
        let trade = shown(self.config.trade.file()).unwrap_or_default();
        let contact = &self.config.security_contact;
        let LogConfig { filter, format } = log;
        Ok(format!(
            "DATABASE_URL={}\nREVIEWS_LISTEN={listen}\nREVIEWS_ADMIN_LISTEN={admin}\nREVIEWS_BASE_URL={base_url}\nREVIEWS_ALLOWED_HOSTS={hosts}\nREVIEWS_SECURITY_CONTACT={contact}\nREVIEWS_CONNECTIONS_PER_PEER_MAX={per_peer}\nREVIEWS_TRADE={package}\nREVIEWS_TRADE_FILE={trade}\nRUST_LOG={filter}\nREVIEWS_LOG_FORMAT={format}\n{hub}\n",
            database.url
        ))
    }
}

/// The addresses that were really bound.
struct Bound {
    public: SocketAddr,
    admin: Option<SocketAddr>,
}

/// Says what is served and where: on standard output, or as an event of the log where there is no such output.
fn greet(app: &App, links: &Links, bound: &Bound, out: Option<&LineQueue>) {
    let snapshot = app.ctx().current.load();
    let name = &snapshot.input.business.name;
    let withheld: u64 = snapshot.input.withheld.values().sum();
    let published = snapshot.input.review_index.len();
    let database = app.database().path().display();
    let (listen, admin) = (bound.public, bound.admin);
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
        ("Health", "/readyz"),
        ("Metrics", "/metrics"),
    ];
    let rows = rows.map(|(label, path)| match admin {
        Some(admin) if matches!(label, "Health" | "Metrics") => {
            (label, format!("http://{admin}{path}"))
        }
        _ => (label, links.absolute(path)),
    });
    let Some(out) = out else {
        let [
            home,
            reviews,
            insights,
            search,
            json_feed,
            atom,
            mcp,
            hub,
            docs,
            openapi,
            health,
            metrics,
        ] = rows.map(|(_, url)| url);
        tracing::info!(
            published, withheld, %listen, admin = admin.map(|admin| admin.to_string()), %database,
            home, reviews, insights, search, json_feed, atom, mcp, hub, docs, openapi, health, metrics,
            "server.started: the reviews of {name} are served"
        );
        return;
    };
    let rows = rows
        .map(|(label, url)| format!("  {label:<11} {url}"))
        .join("\n");
    let admin = admin
        .map(|admin| format!(", for operators on {admin}"))
        .unwrap_or_default();
    let greeting = format!(
        "Reviews of {name}: {published} published, {withheld} withheld\n\n{rows}\n\n  Listening on {listen}{admin}\n  Database  {database}\n\nStop with Ctrl-C.\n",
    );
    out.push(escaped(greeting).as_bytes());
}
