//! The commands that run until they are stopped: `reviews serve` and `reviews mcp`.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Args;
use futures_util::future::LocalBoxFuture;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{BufReader, duplex};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use tokio_util::io::SyncIoBridge;
use tokio_util::sync::CancellationToken;

use super::Signals;
use super::database::existing_address;
use super::import::load_if_empty;
use super::report::{Exit, counted};
use super::session::Session;
use crate::app::{App, AppOptions, ConnectionLimits, HubOptions};
use crate::config::bounds::CONNECTIONS_MAX;
use crate::config::{
    BaseUrlConfig, DatabaseAddress, DatabaseConfig, HubConfig, ListenConfig, ServeConfig,
    SyncConfig, TradeConfig,
};
use crate::links::{DOCS_PATH, HUB_PATH, Links, MCP_PATH, OPENAPI_PATH, SEARCH_API_PATH};
use crate::model::business::SET_UP_COMMAND;
use crate::model::text::quote_for_shell;
use crate::snapshot::{Document, Publisher, served_base};
use crate::storage::{AtPath as _, Database, DbError, Opening};
use crate::sync::SyncFile;
use crate::web::server::listen;

/// Serve the reviews until stopped
#[derive(Debug, Args)]
pub struct Serve {
    /// Load the sample data of this folder first, if the database is empty
    #[arg(long, value_name = "DIR")]
    seed: Option<PathBuf>,
    /// Print the settings in effect and exit
    #[arg(long)]
    pub(super) print_config: bool,
    /// For `--print-config`: every setting as it was given, by the name of its variable.
    #[arg(skip)]
    pub(super) settings: Vec<(String, String)>,
    // Last, because its help has headings.
    #[command(flatten)]
    config: ServeConfig,
}

impl Serve {
    pub(super) async fn run(
        mut self,
        database: DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        database.path()?;
        self.config.hub.leases.checked()?;
        if self.print_config {
            return session.print_result(&self.settings()?);
        }
        let environment = &session.environment;
        self.seed = self.seed.map(|folder| environment.resolve(&folder));
        self.config.sync = self.config.sync.within(environment);
        let hub = &mut self.config.hub;
        hub.ca_file = hub.ca_file.take().map(|file| environment.resolve(&file));
        let signals = Signals::catch(&session.host)?;
        let (started, stop) = (CancellationToken::new(), CancellationToken::new());
        let (is_started, is_stopped) = (started.clone(), stop.clone());
        let own = session.clone();
        let work = move || self.serve(database, own, is_started, is_stopped);
        let (exit, reason) = signals.guard(work, &started, &stop).await?;
        tracing::info!("server.stopped: {reason}");
        session.print_report(&format!("{reason}\n"));
        Ok(exit)
    }

    async fn serve(
        self,
        database: DatabaseConfig,
        session: Session,
        started: CancellationToken,
        stop: CancellationToken,
    ) -> anyhow::Result<()> {
        // Settings first, so that nothing is created or migrated for a service that cannot run.
        let address = database.address()?;
        self.config.base.links(self.config.listen.public)?;
        let nets = &self.config.hub.allow_callback_nets;
        if !nets.is_empty() {
            let nets: Vec<String> = nets.iter().map(ToString::to_string).collect();
            let nets = nets.join(",");
            tracing::warn!(
                "hub.nets_opened: callbacks may reach {nets} on any port, besides the public Internet"
            );
        }
        let connections_max = raise_file_limit();
        let listen = |address: SocketAddr, setting: &str| {
            let reason = format!("cannot listen on {address}; set {setting} to another address");
            listen(address).context(reason)
        };
        let listener = listen(self.config.listen.public, "REVIEWS_LISTEN")?;
        let admin = self.config.admin.listen;
        let admin = admin.map(|address| listen(address, "REVIEWS_ADMIN_LISTEN"));
        let admin = admin.transpose()?;
        let bound = listener.local_addr()?;
        let bound_admin = admin.as_ref().map(TcpListener::local_addr).transpose()?;
        let links = self.config.base.links(bound)?;
        let hub = HubOptions {
            sync: self.config.sync.clone(),
            ..HubOptions::new(self.config.hub.clone())?
        };
        if let Some(seeds) = &self.seed {
            // A new file stays only if its sample data can be loaded.
            let opening = Opening::open(&address).await?;
            let loaded = load_if_empty(&opening.database, &session, seeds).await;
            opening.finish(loaded).await?;
        }
        let database = open_database(&address).await?;
        if let Err(error) = database.take_lease(Duration::ZERO).await {
            tracing::warn!(%error, "node.no_lease: this process publishes no versions yet");
        }
        let publisher = Publisher {
            trade: self.config.trade.trade.clone(),
            ..Publisher::new(database, links.clone(), session.clock.clone())
        };
        let options = AppOptions {
            hub,
            allowed_hosts: self.config.allowed_hosts,
            has_admin: admin.is_some(),
            contacts: self.config.security_contact,
            request_log: self.config.request_log,
        };
        let app = App::new(publisher, options).await?;
        started.cancel();
        let greeting = format_greeting(&app, &links, bound, bound_admin, &self.config.sync);
        session.print_report(&greeting);
        let limits = ConnectionLimits {
            connections_max,
            connections_per_peer_max: usize::try_from(self.config.connections_per_peer_max)
                .unwrap_or(usize::MAX),
            ..ConnectionLimits::default()
        };
        Ok(Box::pin(app.serve(listener, admin, stop.clone(), limits)).await?)
    }

    /// The settings as lines of an environment file, which gives the same settings when it is loaded.
    fn settings(&self) -> anyhow::Result<String> {
        let links = self.config.base.links(self.config.listen.public)?;
        // The port is not known yet; an empty line leaves the base URL open.
        let is_open =
            self.config.base.base_url().is_none() && self.config.listen.public.port() == 0;
        let lines = self
            .settings
            .iter()
            .map(|(name, value)| match name.as_str() {
                "REVIEWS_BASE_URL" if !is_open => format!("{name}={links}\n"),
                _ => format!("{name}={value}\n"),
            });
        Ok(lines.collect())
    }
}

/// The name and addresses of the service.
fn format_greeting(
    app: &App,
    links: &Links,
    listen: SocketAddr,
    admin: Option<SocketAddr>,
    sync: &SyncConfig,
) -> String {
    let snapshot = app.ctx.current.load();
    let business = &snapshot.input.business;
    let set_up = (!business.is_set_up()).then(|| set_up_command(&app.database));
    let withheld = snapshot.input.withheld.count;
    let published = snapshot.input.entries.len();
    let database = app.database.path().display();
    let sync = match SyncFile::read(sync, app.database.path()) {
        Ok(None) => String::new(),
        Ok(Some(file)) => {
            let entries = counted(file.entries.len() as u64, "entry", "entries");
            format!("  Sync      {}, {entries}\n", file.path.display())
        }
        Err(fault) => format!("  Sync      nothing is fetched: {fault}\n"),
    };
    let rows = [
        ("Home", "/"),
        ("Reviews", Document::Reviews.path()),
        ("Insights", Document::Insights.path()),
        ("Search", SEARCH_API_PATH),
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
    let rows = rows
        .map(|(label, url)| format!("  {label:<11} {url}"))
        .join("\n");
    let admin = admin
        .map(|admin| format!(", for operators on {admin}"))
        .unwrap_or_default();
    let heading = match set_up {
        Some(command) => format!(
            "This service is not set up yet. In another terminal, set up your business:\n\n  {command}"
        ),
        None => format!(
            "Reviews of {}: {published} published, {withheld} withheld",
            business.name
        ),
    };
    format!(
        "{heading}\n\n{rows}\n\n  Listening on {listen}{admin}\n  Database  {database}\n{sync}\nStop with Ctrl-C.\n",
    )
}

/// The command that sets up the business in this database.
fn set_up_command(database: &Database) -> String {
    let path = database.path().to_string_lossy();
    // On many nodes, the file is only read; commands need the URL, which may have a password.
    if path == "reviews.db" || database.has_nodes() {
        return SET_UP_COMMAND.to_owned();
    }
    format!("{SET_UP_COMMAND} --database {}", quote_for_shell(&path))
}

// File descriptors: every connection and callback takes one. Most systems start a process with a soft limit of 1,024
// for programs that use `select`; this one does not, so it raises the limit as far as allowed.

/// Enough for connections, callbacks in flight (1,024), the database and a reserve.
const FILES_TARGET: u64 = 65_536;
/// File descriptors for each open connection, so that most are left for the rest.
const FILES_PER_CONNECTION: u64 = 4;

/// Raises the soft limit of open files, and returns how many connections it allows.
fn raise_file_limit() -> usize {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let target = maximum.map_or(FILES_TARGET, |maximum| maximum.min(FILES_TARGET));
    if current.is_some_and(|current| current < target) {
        let current = Some(target);
        // The value that the system reports applies, not the one that was set.
        let _ = setrlimit(Resource::Nofile, Rlimit { current, maximum });
    }
    let Some(files) = getrlimit(Resource::Nofile).current else {
        return CONNECTIONS_MAX;
    };
    let connections = usize::try_from(files / FILES_PER_CONNECTION).unwrap_or(CONNECTIONS_MAX);
    connections.clamp(1, CONNECTIONS_MAX)
}

// SIGTERM and SIGINT ask the service to stop. The work runs on another thread, so that they are handled while it computes.

impl Signals {
    /// Runs `work`, which finishes requests in flight after `stop` is cancelled; `started` is cancelled once there can
    /// be any. Returns the exit code and a sentence for the owner.
    ///
    /// # Errors
    /// Those of the work, and if it panics.
    async fn guard<W: Future<Output = anyhow::Result<()>>>(
        mut self,
        work: impl FnOnce() -> W + Send + 'static,
        started: &CancellationToken,
        stop: &CancellationToken,
    ) -> anyhow::Result<(Exit, &'static str)> {
        let mut work: LocalBoxFuture<'_, anyhow::Result<()>> = match &self {
            Self::OfProcess { .. } => {
                let runtime = Handle::current();
                let done = spawn_blocking(move || runtime.block_on(work()));
                Box::pin(async { done.await? })
            }
            Self::Token(_) => Box::pin(work()),
        };
        tokio::select! {
            done = &mut work => return done.map(|()| (Exit::Done, "Stopped.")),
            (signal, _) = self.next() => {
                tracing::info!(
                    signal,
                    "server.stopping: no new connection is accepted; requests in progress have 10 s to finish"
                );
            }
        }
        stop.cancel();
        if !started.is_cancelled() {
            return Ok((Exit::Done, "Stopped before serving."));
        }
        // Ctrl-C again means now. SIGTERM again does not: timeout(1), for example, sends it to the process and then to its
        // group.
        tokio::select! {
            done = work => done.map(|()| (Exit::Done, "Stopped.")),
            () = self.interrupted() => {
                Ok((Exit::Interrupted, "Stopped at once; requests in progress were cut off."))
            }
        }
    }
}

/// Opens the database of a long-running process, and logs the applied migrations.
async fn open_database(address: &DatabaseAddress) -> Result<Database, DbError> {
    let (database, migrated) = Database::open_at(address).await?;
    // A new database has had nothing to migrate.
    if migrated.applied.len() < migrated.total {
        for name in &migrated.applied {
            tracing::info!("database.migrated: applied {name}");
        }
    }
    Ok(database)
}

/// Bytes between the agent and the server that wait to be read.
const PIPE_BYTES: usize = 64 << 10;

/// Run an MCP server on standard input and output for a local AI agent
#[derive(Debug, Args)]
pub struct McpCommand {
    // The settings of `serve` for links and insights.
    #[command(flatten)]
    listen: ListenConfig,
    #[command(flatten)]
    base: BaseUrlConfig,
    #[command(flatten)]
    trade: TradeConfig,
}

impl McpCommand {
    pub(super) async fn run(
        self,
        database: DatabaseConfig,
        session: &Session,
    ) -> anyhow::Result<Exit> {
        // An agent that is started in the wrong folder must not create a database there.
        let address = existing_address(&database)?;
        let configured = self.base.links(self.listen.public)?;
        let has_base_url = self.base.base_url().is_some();
        // The hub sends nothing here, whatever its settings.
        let hub = HubOptions::new(HubConfig::defaults()?)?;
        let database = open_database(&address).await?;
        // A local agent is configured with the database alone; its links lead to the public pages of the service, if it had any.
        let served = served_base(&mut *database.reader().await?)
            .await
            .at(database.path())?
            .filter(|_| !has_base_url);
        let links = served.unwrap_or(configured);
        let publisher = Publisher {
            trade: self.trade.trade.clone(),
            ..Publisher::new(database, links, session.clock.clone())
        };
        let app = App::new(publisher, hub).await?;
        // Reading and writing may wait for the agent, so threads do that. The one that reads may still wait at the end.
        let (mut from_agent, mut to_agent) = (session.input.take(), session.output.clone());
        let (requests, input) = duplex(PIPE_BYTES);
        let (output, answers) = duplex(PIPE_BYTES);
        spawn_blocking(move || io::copy(&mut from_agent, &mut SyncIoBridge::new(requests)));
        let written =
            spawn_blocking(move || io::copy(&mut SyncIoBridge::new(answers), &mut to_agent));
        Box::pin(app.answer_lines(BufReader::new(input), output)).await?;
        written
            .await?
            .context("the connection to the agent failed")?;
        Ok(Exit::Done)
    }
}
