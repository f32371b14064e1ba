//! Assembles the service: one database, one context, one table of routes, and its jobs.

mod operations;
mod publish;
mod routes;
mod schedule;
mod sender;

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use futures_util::future::BoxFuture;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use publish::{AnalyzePostponed, Precompress, PublishChanges, Retry};
pub use routes::{RoutedService, ServiceEndpoint, service};
pub use sender::HubOptions;
use sender::Sender;
use tokio::io::{AsyncBufRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::api::{self, Description};
use crate::config::{Contacts, Hosts, RequestLog};
use crate::mcp::{Mcp, OriginCheck};
use crate::snapshot::{Coding, CurrentSnapshot, Publisher};
use crate::storage::{AtPath as _, Database, DbError, sqlite_version};
use crate::web::context::Ctx;
pub use crate::web::server::ConnectionLimits;
use crate::web::{ListedRoute, Routes, server};
use crate::{mcp, metrics};

/// Connections from this machine are exempt from limits, because they may come from a local proxy for many clients.
const LOOPBACK: [IpNet; 2] = [
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8)),
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
];
/// The quick one first.
const CODINGS: [Coding; 2] = [Coding::Gzip, Coding::Brotli];
/// Rounds of [`App::drain`]; then it reports that a job does not finish.
const DRAIN_ROUNDS: usize = 100;

pub struct App {
    pub database: Database,
    pub ctx: Arc<Ctx>,
    /// The public routes; it never fails.
    pub endpoint: Arc<ServiceEndpoint>,
    pub routes: Vec<ListedRoute>,
    /// The operators' routes, if they have a separate listener.
    admin: Option<RoutedService>,
    pub agents: Arc<Mcp>,
    publish: Mutex<PublishChanges>,
    precompress: Precompress,
    pub analyze: AnalyzePostponed,
    sender: Sender,
}

pub struct AppOptions {
    pub hub: HubOptions,
    /// `/mcp` accepts requests under these in addition to the base URL's.
    pub allowed_hosts: Hosts,
    /// Whether the operators' endpoints have a separate listener; metrics are then served only there.
    pub has_admin: bool,
    pub contacts: Contacts,
    pub request_log: RequestLog,
}

impl From<HubOptions> for AppOptions {
    fn from(hub: HubOptions) -> Self {
        Self {
            hub,
            allowed_hosts: Hosts::default(),
            has_admin: false,
            contacts: Contacts::default(),
            request_log: RequestLog::default(),
        }
    }
}

impl App {
    /// Builds the service around a publisher.
    ///
    /// # Errors
    /// If the database cannot be read, the first snapshot not be published, or the hub not be set up.
    pub async fn new(publisher: Publisher, options: impl Into<AppOptions>) -> anyhow::Result<Self> {
        let options = options.into();
        let (database, links) = (publisher.database.clone(), publisher.links.clone());
        database.complete_text_index().await?;
        let sqlite = sqlite_version().await.at(database.path())?;
        let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("REVIEWS_COMMIT"));
        metrics::BUILD.gauge(&[version, commit, &sqlite]).set(1.0);
        let mut changes = database.changes().await?;
        changes.any().await?;
        let current = CurrentSnapshot::new(publisher.build(None).await?);
        let proxies = options.hub.config.trusted_proxies.clone();
        let ctx = Arc::new(Ctx {
            contacts: options.contacts,
            request_log: options.request_log,
            ..Ctx::new(current, publisher.clock.clone(), proxies)
        });
        let (sender, hub_endpoint) = Sender::build(&database, &ctx, options.hub)?;
        let api = api::operations(&ctx, hub_endpoint);
        let description = Description::new(api.clone(), links.absolute(""), mcp::describe);
        let description = Arc::new(description);
        let origin_check = OriginCheck::new(&links.home(), options.allowed_hosts);
        let agents = Arc::new(Mcp::build(&ctx, origin_check));
        let has_admin = options.has_admin;
        let admin = has_admin.then(|| routes::admin(&database, &ctx));
        let routes = operations::routes(Routes::default().api(api), &database, !has_admin);
        let public = routes::public(routes, &ctx, &agents, &description);
        let precompress = Precompress::new(&ctx, description);
        let analyze = AnalyzePostponed::new(&ctx, &database);
        let publish = PublishChanges::new(&ctx, publisher, changes, &sender.wake);
        Ok(Self {
            endpoint: public.endpoint,
            routes: public.routes,
            admin,
            analyze,
            publish: Mutex::new(publish),
            precompress,
            sender,
            database,
            ctx,
            agents,
        })
    }

    /// Publishes a snapshot if the database changed, and notifies the hub; returns the delay before the next check, or `None` if
    /// the path of the database leads to another file. The service calls this in a loop.
    pub async fn watch_once(&self) -> Option<Duration> {
        self.publish.lock().await.watch_once().await
    }

    /// Publishes a snapshot if the database changed; returns whether there is a new one. For tests.
    ///
    /// # Errors
    /// If the database cannot be read or publishing fails.
    pub async fn publish_once(&self) -> anyhow::Result<bool> {
        self.publish.lock().await.run_once().await
    }

    /// A run of each cron job, with its name. For tests.
    pub fn cron_jobs(
        &self,
    ) -> impl Iterator<Item = (&'static str, BoxFuture<'static, Result<(), DbError>>)> {
        schedule::runs(self.sender.job_context())
    }

    /// Makes all documents in all codings. For tests.
    pub async fn precompress(&self) {
        self.precompress.run_once(&CODINGS).await;
    }

    /// Runs every job until none has work left, without moving the clock; only codings are left out, which take a tenth of the time
    /// of most tests ([`Self::precompress`]). For tests.
    ///
    /// # Errors
    /// If a job fails or does not finish.
    pub async fn drain(&self) -> anyhow::Result<()> {
        for _ in 0..DRAIN_ROUNDS {
            let published = self.publish_once().await?;
            let analyze = self.analyze.run_once().await?;
            let sent = self.sender.run_once().await?;
            if self.database.may_send() {
                let _ = self.database.erase_traces(u64::MAX).await?;
            }
            if !published && !analyze && !sent {
                return Ok(());
            }
        }
        anyhow::bail!("a job still has something to do after {DRAIN_ROUNDS} rounds")
    }
}

// Runs the service's listeners and jobs until shutdown. Every loop ends with its token, named by what is cancelled, and is awaited.

/// The delay after analyses could not be stored.
const ANALYZE_RETRY: Duration = Duration::from_secs(1);
/// Interval of queries for a node's state.
const ASK_NODE_INTERVAL: Duration = Duration::from_secs(1);
/// The age of a snapshot before it is compressed with more than gzip.
const SETTLE: Duration = Duration::from_secs(1);

impl App {
    /// Serves until `serving` is cancelled, by the owner or because the database was replaced; then finishes requests in flight and closes
    /// the database. Serves the operators' endpoints on `admin` until the end: during shutdown, `/readyz` reports it there.
    ///
    /// # Errors
    /// [`DbError::Replaced`], which stops it.
    pub async fn serve(
        &self,
        listener: TcpListener,
        admin: Option<TcpListener>,
        serving: CancellationToken,
        limits: ConnectionLimits,
    ) -> Result<(), DbError> {
        // Cancelled after the last public request: ends the jobs and the operators' listener.
        let jobs = CancellationToken::new();
        // They forward requests of many clients.
        let exempt = LOOPBACK.iter().chain(&self.ctx.trusted_proxies);
        let exempt: Vec<IpNet> = exempt.copied().collect();
        let listen = |listener, endpoint: &Arc<_>, stop| {
            server::serve(listener, Arc::clone(endpoint), stop, limits, exempt.clone())
        };
        let serve = async {
            // The listener closes only once `/readyz` says so.
            listen(listener, &self.endpoint, self.ctx.draining.clone()).await;
            jobs.cancel();
        };
        let answer_operators = async {
            if let (Some(listener), Some(admin)) = (admin, &self.admin) {
                listen(listener, &admin.endpoint, jobs.clone()).await;
            }
        };
        let drain = async {
            serving.cancelled().await;
            self.ctx.draining.cancel();
        };
        let publish = async {
            self.keep_published(&jobs).await;
            serving.cancel();
        };
        tokio::join!(
            serve,
            answer_operators,
            drain,
            publish,
            self.keep_precompressed(&jobs),
            self.keep_analyzed(&jobs),
            self.keep_asking_node(&jobs),
            self.sender.keep_delivering(&serving)
        );
        self.close().await
    }

    /// Answers an MCP client's messages, one per line, until `input` ends, and follows changes of the database.
    /// Subscribers are not notified; only `serve` does that.
    ///
    /// # Errors
    /// If `input` cannot be read or `output` not be written; [`DbError::Replaced`].
    pub async fn answer_lines(
        &self,
        input: impl AsyncBufRead + Unpin,
        output: impl AsyncWrite + Unpin,
    ) -> anyhow::Result<()> {
        // Cancelled after the last message, or because the database was replaced.
        let jobs = CancellationToken::new();
        let answer = async {
            let agent = self.agents.connect();
            let answered = jobs.run_until_cancelled(agent.run(input, output)).await;
            jobs.cancel();
            answered
        };
        let publish = async {
            self.keep_published(&jobs).await;
            jobs.cancel();
        };
        let (answered, (), ()) = tokio::join!(answer, publish, self.keep_analyzed(&jobs));
        self.close().await?;
        let answered = answered.unwrap_or(Ok(()));
        answered.context("the connection to the agent failed")
    }

    /// # Errors
    /// [`DbError::Replaced`]; everything is closed anyway.
    async fn close(&self) -> Result<(), DbError> {
        self.ctx.compute.idle().await;
        if let Err(error) = self.publish.lock().await.changes.close().await {
            tracing::warn!(%error, "database.not_closed: the database was not closed cleanly; the next start recovers it");
        }
        self.database.close().await;
        if self.database.has_nodes() {
            return Ok(());
        }
        self.database.verify_place()
    }

    /// Calls `run` repeatedly after the delay that it returns, until it returns `None` or `jobs` is cancelled.
    async fn repeat(
        &self,
        jobs: &CancellationToken,
        mut run: impl AsyncFnMut() -> Option<Duration>,
    ) {
        let repeated = async {
            while let Some(wait) = run().await {
                if !wait.is_zero() {
                    self.ctx.clock.sleep(wait).await;
                }
            }
        };
        Box::pin(jobs.run_until_cancelled(repeated)).await;
    }

    async fn keep_published(&self, jobs: &CancellationToken) {
        self.repeat(jobs, async || self.watch_once().await).await;
    }

    /// Queries this node's state regularly, if many nodes share the database.
    async fn keep_asking_node(&self, jobs: &CancellationToken) {
        let mut retry = Retry::default();
        let ask = async || {
            match self.database.ask_node().await {
                Ok(true) => drop(retry.succeeded()),
                Ok(false) => return None,
                Err(error) => {
                    if retry.failed() {
                        tracing::warn!(%error, "node.silent: the database server of this node does not answer; the last snapshot is \
                            still served");
                    }
                }
            }
            Some(ASK_NODE_INTERVAL)
        };
        self.repeat(jobs, ask).await;
    }

    async fn keep_precompressed(&self, jobs: &CancellationToken) {
        let mut swaps = self.ctx.current.swaps();
        let precompress = async || {
            swaps.mark_unchanged();
            self.precompress.run_once(&[Coding::Gzip]).await;
            // While changes follow one another, the other codings would be outdated before they are sent.
            let settled = self.ctx.clock.sleep(SETTLE);
            let changed = tokio::select! {
                changed = swaps.changed() => changed,
                () = settled => {
                    self.precompress.run_once(&CODINGS).await;
                    swaps.changed().await
                }
            };
            changed.ok().map(|()| Duration::ZERO)
        };
        self.repeat(jobs, precompress).await;
    }

    async fn keep_analyzed(&self, jobs: &CancellationToken) {
        let mut swaps = self.ctx.current.swaps();
        let analyze = async || {
            swaps.mark_unchanged();
            match self.analyze.run_once().await {
                Ok(true) => Some(Duration::ZERO),
                Ok(false) => swaps.changed().await.ok().map(|()| Duration::ZERO),
                Err(error) => {
                    metrics::INSIGHTS_FAILURES.count(&["keep"]);
                    tracing::warn!(%error, "insights.not_kept: the analyses could not be stored, but are shown; trying again");
                    Some(ANALYZE_RETRY)
                }
            }
        };
        self.repeat(jobs, analyze).await;
    }
}
