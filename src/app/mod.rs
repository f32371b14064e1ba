//! Assembles the service: one database, one context, one table of routes, and its jobs.

mod hub;
mod operations;
mod publish;
mod routes;
mod schedule;

use std::net::{Ipv4Addr, Ipv6Addr};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
pub use hub::HubOptions;
use hub::HubRuntime;
use ipnet::{IpNet, Ipv4Net, Ipv6Net};
use poem::Response;
use poem::endpoint::BoxEndpoint;
pub use publish::Precompress;
use publish::{AnalyzePostponed, PublishChanges, Retry};
pub use routes::{RoutedService, service};
use tokio::io::{AsyncBufRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;

use crate::api::{self, Description};
use crate::config::{Contacts, Hosts, RequestLog};
use crate::mcp::catalog::Catalog;
use crate::mcp::{Mcp, OriginCheck};
use crate::pages::Pages;
use crate::snapshot::{Coding, CurrentSnapshot, PerSnapshot, Publisher, Snapshot};
use crate::storage::{Database, DbError};
use crate::web::context::Ctx;
pub use crate::web::server::ConnectionLimits;
use crate::web::{ListedRoute, Routes, server};
use crate::{mcp, metrics, pages};

/// Connections from this machine are exempt from limits, because they may come from a local proxy for many clients.
const LOOPBACK: [IpNet; 2] = [
    IpNet::V4(Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8)),
    IpNet::V6(Ipv6Net::new_assert(Ipv6Addr::LOCALHOST, 128)),
];
/// The quick one first.
const CODINGS: [Coding; 2] = [Coding::Gzip, Coding::Brotli];
/// Maximum number of rounds of [`App::drain`]; then it reports that a job does not finish.
const DRAIN_ROUNDS_MAX: usize = 100;

pub struct App {
    pub database: Database,
    pub ctx: Arc<Ctx>,
    /// The public routes within all middleware; it never fails.
    pub endpoint: Arc<BoxEndpoint<'static, Response>>,
    pub routes: Vec<ListedRoute>,
    /// The operators' routes, if they have a separate listener.
    admin: Option<RoutedService>,
    pub agents: Arc<Mcp>,
    publish: Mutex<PublishChanges>,
    precompress: Precompress,
    pub analyze: AnalyzePostponed,
    hub: HubRuntime,
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
        let AppOptions {
            hub,
            allowed_hosts,
            has_admin,
            contacts,
            request_log,
        } = options.into();
        let (database, links, clock) = (
            publisher.database.clone(),
            publisher.links.clone(),
            publisher.clock.clone(),
        );
        database.complete_text_index().await?;
        let mut changes = database.changes().await?;
        // Before the first read, so that a write in between is seen as a change.
        changes.any().await?;
        let first = publisher.first().await?;
        let origin_check = OriginCheck::new(&links.home(), allowed_hosts);
        let (trusted_proxies, random) = (hub.config.trusted_proxies.clone(), hub.random.clone());
        let ctx = Arc::new(Ctx {
            contacts,
            request_log,
            ..Ctx::new(CurrentSnapshot::new(first), clock, trusted_proxies)
        });
        let (hub, handler) = HubRuntime::new(&database, &ctx, hub)?;
        operations::report_release(&database).await?;
        let api = api::operations(&ctx, handler);
        let description = Description::new(api.clone(), links.absolute(""), mcp::describe);
        let description = Arc::new(description);
        let catalog = Catalog::new(Arc::clone(&ctx));
        let agents = Arc::new(Mcp::new(catalog, random, origin_check, &ctx));
        let pages = Arc::new(Pages {
            ctx: Arc::clone(&ctx),
            made: PerSnapshot::default(),
        });
        let operations = |routes, has_metrics| operations::routes(routes, &database, has_metrics);
        let admin = has_admin.then(|| {
            let routes = operations(Routes::default(), true);
            service(routes.list.clone(), routes.into_endpoint(), &ctx)
        });
        let routes = operations(Routes::default().api(api), !has_admin);
        let public = routes::public(routes, &ctx, &pages, &agents, &description);
        // The examples in the OpenAPI document depend on the data.
        let make_ahead = move |snapshot: &Arc<Snapshot>| {
            let mut bodies = pages.bodies(snapshot);
            bodies.push(description.body(snapshot));
            bodies
        };
        let precompress = Precompress::new(
            Arc::clone(&ctx),
            pages::fixed().into(),
            Arc::new(make_ahead),
        );
        let analyze = AnalyzePostponed {
            ctx: Arc::clone(&ctx),
            database: database.clone(),
            pass: std::sync::Mutex::default(),
        };
        let publish = PublishChanges {
            ctx: Arc::clone(&ctx),
            publisher,
            changes,
            wake: Arc::clone(&hub.wake),
            retry: Retry::default(),
        };
        Ok(Self {
            endpoint: public.endpoint,
            routes: public.routes,
            admin,
            analyze,
            publish: Mutex::new(publish),
            precompress,
            hub,
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

    /// Runs every job until none has work left, without moving the clock. For tests.
    ///
    /// # Errors
    /// If a job fails or does not finish.
    pub async fn drain(&self) -> anyhow::Result<()> {
        for _ in 0..DRAIN_ROUNDS_MAX {
            let published = self.publish_once().await?;
            let analyze = self.analyze.run_once().await?;
            let coded = self.precompress.run_once(&CODINGS).await;
            let sent = self.hub.run_once().await?;
            if self.database.may_publish() {
                let _ = self.database.erase_traces(u64::MAX).await?;
            }
            if !published && !analyze && !coded && !sent {
                return Ok(());
            }
        }
        anyhow::bail!("a job still has something to do after {DRAIN_ROUNDS_MAX} rounds")
    }
}

// Runs the service's listeners and jobs until shutdown. Every loop ends with its token and is awaited.

/// The delay after analyses could not be stored.
const ANALYZE_RETRY: Duration = Duration::from_secs(1);
/// Interval of queries for a node's state.
const ASK_NODE_INTERVAL: Duration = Duration::from_secs(1);
/// The age of a snapshot before it is compressed with more than gzip.
const SETTLE: Duration = Duration::from_secs(1);

impl App {
    /// Serves until `shutdown`, then finishes requests in flight and closes the database. Serves the operators' endpoints
    /// on `admin` until the end: during shutdown, `/readyz` reports it there.
    ///
    /// # Errors
    /// [`DbError::Replaced`], which stops it.
    pub async fn serve(
        &self,
        listener: TcpListener,
        admin: Option<TcpListener>,
        shutdown: CancellationToken,
        limits: ConnectionLimits,
    ) -> Result<(), DbError> {
        let jobs_end = CancellationToken::new();
        // They forward requests of many clients.
        let exempt: Vec<IpNet> = LOOPBACK
            .iter()
            .chain(&self.ctx.trusted_proxies)
            .copied()
            .collect();
        let listen = |listener, endpoint: &Arc<_>, stop| {
            server::serve(listener, Arc::clone(endpoint), stop, limits, exempt.clone())
        };
        let serve = async {
            listen(listener, &self.endpoint, shutdown.clone()).await;
            jobs_end.cancel();
        };
        let answer_operators = async {
            if let (Some(listener), Some(admin)) = (admin, &self.admin) {
                listen(listener, &admin.endpoint, jobs_end.clone()).await;
            }
        };
        let drain = async {
            shutdown.cancelled().await;
            self.ctx.draining.cancel();
        };
        let publish = async {
            self.keep_published(&jobs_end).await;
            shutdown.cancel();
        };
        let (precompress, analyze) = (
            self.keep_precompressed(&jobs_end),
            self.keep_analyzed(&jobs_end),
        );
        tokio::join!(
            serve,
            answer_operators,
            drain,
            publish,
            precompress,
            analyze,
            self.keep_asking_node(&jobs_end),
            self.hub.keep_delivering(&shutdown)
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
        let jobs_end = CancellationToken::new();
        let answer = async {
            let agent = self.agents.connect();
            let answered = jobs_end.run_until_cancelled(agent.run(input, output)).await;
            jobs_end.cancel();
            answered
        };
        let publish = async {
            self.keep_published(&jobs_end).await;
            jobs_end.cancel();
        };
        let (answered, (), ()) = tokio::join!(answer, publish, self.keep_analyzed(&jobs_end));
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

    /// Calls `run` repeatedly after the delay that it returns, until it returns `None` or `end`.
    async fn repeat(
        &self,
        end: &CancellationToken,
        mut run: impl AsyncFnMut() -> Option<Duration>,
    ) {
        let repeated = async {
            while let Some(wait) = run().await {
                if !wait.is_zero() {
                    self.ctx.clock.sleep(wait).await;
                }
            }
        };
        Box::pin(end.run_until_cancelled(repeated)).await;
    }

    async fn keep_published(&self, end: &CancellationToken) {
        self.repeat(end, async || self.watch_once().await).await;
    }

    /// Queries this node's state regularly, if many nodes share the database.
    async fn keep_asking_node(&self, end: &CancellationToken) {
        let mut retry = Retry::default();
        let ask = async || {
            match self.database.ask_node().await {
                Ok(true) => drop(retry.succeeded()),
                Ok(false) => return None,
                Err(error) => {
                    if retry.failed(error.to_string()) {
                        tracing::warn!(%error, "node.silent: the database server of this node does not answer; the last snapshot is \
                            still served");
                    }
                }
            }
            Some(ASK_NODE_INTERVAL)
        };
        self.repeat(end, ask).await;
    }

    async fn keep_precompressed(&self, end: &CancellationToken) {
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
        self.repeat(end, precompress).await;
    }

    async fn keep_analyzed(&self, end: &CancellationToken) {
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
        self.repeat(end, analyze).await;
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::{Args as _, Command, FromArgMatches as _};
    use rustls::crypto::ring;
    use rustls::pki_types::PrivateKeyDer;
    use tokio::sync::Notify;
    use tokio_rustls::TlsAcceptor;

    use super::schedule::set_gauges;
    use super::*;
    use crate::clock::Clock;
    use crate::config::HubConfig;
    use crate::websub::http_client::Roots;
    use crate::websub::store::HubGauges;

    /// Held by each test, because a process has one set of gauges.
    static SENDING: Mutex<()> = Mutex::const_new(());

    /// A service whose hub may deliver on this machine, and trusts `root` for that.
    async fn app(folder: &Path, root: Option<&str>) -> App {
        let (database, _) = Database::open(&folder.join("reviews.db")).await.unwrap();
        let links = "https://reviews.sample.test".parse().unwrap();
        let publisher = Publisher::new(database, links, Clock::system());
        let flags = ["hub", "--hub-allow-callback-nets", "127.0.0.0/8"];
        let matches = HubConfig::augment_args(Command::new("hub")).get_matches_from(flags);
        let hub = HubOptions {
            roots: Roots::load(root.map(str::as_bytes)).unwrap(),
            ..HubOptions::new(HubConfig::from_arg_matches(&matches).unwrap()).unwrap()
        };
        let app = App::new(publisher, hub).await;
        app.unwrap()
    }

    #[tokio::test]
    async fn an_interrupted_delivery_is_repeated_when_sending_resumes() {
        let _sending = SENDING.lock().await;
        let certified = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
        let tls = rustls::ServerConfig::builder_with_provider(ring::default_provider().into())
            .with_safe_default_protocol_versions()
            .unwrap();
        let key = PrivateKeyDer::Pkcs8(certified.signing_key.serialize_der().into());
        let tls = tls
            .with_no_client_auth()
            .with_single_cert(vec![certified.cert.der().clone()], key);
        let acceptor = TlsAcceptor::from(Arc::new(tls.unwrap()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, connected) = (listener.local_addr().unwrap().port(), Notify::new());
        // Keeps its first connection without an answer, and closes later ones.
        let receive = async {
            let mut kept = None;
            loop {
                let stream = acceptor
                    .accept(listener.accept().await.unwrap().0)
                    .await
                    .unwrap();
                kept.get_or_insert(stream);
                connected.notify_one();
            }
        };

        let folder = tempfile::tempdir().unwrap();
        let app = app(folder.path(), Some(&certified.cert.pem())).await;
        let mut write = app.database.write().await.unwrap();
        sqlx::query(
            "insert into subscription (document, callback, callback_key, host, state, lease_ends_at, created_at, updated_at)
             values ('reviews', ?1, ?1, '127.0.0.1', 'active', '2999-01-01T00:00:00.000Z', '', '')",
        )
        .bind(format!("https://127.0.0.1:{port}/"))
        .execute(&mut write)
        .await
        .unwrap();
        write.commit().await.unwrap();
        let send_twice = async {
            for number in [1, 2] {
                let stop = CancellationToken::new();
                let work = async {
                    let done =
                        tokio::time::timeout(Duration::from_secs(5), connected.notified()).await;
                    stop.cancel();
                    done
                };
                let (done, ()) = tokio::join!(work, app.hub.run_worker(&stop));
                assert!(done.is_ok(), "connection {number}");
            }
        };
        tokio::select! {
            () = send_twice => {}
            () = receive => {}
        }
    }

    #[tokio::test]
    async fn a_process_that_no_longer_sends_reports_no_subscriptions() {
        let _sending = SENDING.lock().await;
        let folder = tempfile::tempdir().unwrap();
        let app = app(folder.path(), None).await;
        let stop = CancellationToken::new();
        let lose_lease = async {
            while !metrics::render()
                .unwrap()
                .contains("reviews_websub_sender 1\n")
            {
                tokio::task::yield_now().await;
            }
            set_gauges(HubGauges {
                active: 4,
                pending: 3,
                due: 2,
                oldest_due_seconds: 100_000,
            });
            stop.cancel();
        };
        tokio::join!(app.hub.keep_delivering(&stop), lose_lease);
        let metrics = metrics::render().unwrap();
        for name in ["sender", "active", "pending", "due", "oldest_due_seconds"] {
            let line = format!("\nreviews_websub_{name} 0\n");
            assert!(metrics.contains(&line), "{name}: {metrics}");
        }
    }
}
