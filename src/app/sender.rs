//! What the one process with the right to send runs beside the server, and how it gets that right: the hub's worker, the fetching of
//! entries, and the cron jobs. Every process has the hub's intake of requests.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Error, anyhow};
use tokio::sync::{Mutex, Notify, Semaphore};
use tokio_util::sync::CancellationToken;

use super::publish::Retry;
use super::schedule::{CronSchedule, JobContext, expire, measure, set_gauges};
use crate::clock::Clock;
use crate::config::{HubConfig, SyncConfig, read_file};
use crate::http::check_root_file;
use crate::snapshot::CurrentSnapshot;
use crate::storage::{Database, DbError};
use crate::sync::{EntryScheduler, SyncRunner};
use crate::web::context::Ctx;
use crate::websub::http_client::{Egress, Policy, Resolver, Roots, SystemResolver};
use crate::websub::store::HubGauges;
use crate::websub::{Exchange, RateLimits, SubscriptionIntake, Worker, longest_delivery};
use crate::{api, metrics};

/// Interval of attempts to become the sending process.
const LOCK_INTERVAL: Duration = Duration::from_millis(200);
/// Interval at which the holder of the lease renews it, and that of further attempts if one fails.
const LEASE_INTERVAL: Duration = Duration::from_secs(4);
const LEASE_RETRY_INTERVAL: Duration = Duration::from_millis(500);

#[derive(Clone)]
pub struct HubOptions {
    pub config: HubConfig,
    pub roots: Roots,
    /// Resolves callbacks' hosts; replaceable in tests.
    pub resolver: Arc<dyn Resolver>,
    /// What the sending process fetches.
    pub sync: SyncConfig,
}

impl HubOptions {
    /// For `serve`: the system's resolver, the machine's roots and the configured ones.
    ///
    /// # Errors
    /// If the configured roots cannot be read, or there are none.
    pub fn new(config: HubConfig) -> anyhow::Result<Self> {
        check_root_file().map_err(Error::msg)?;
        let roots = match &config.ca_file {
            None => Roots::load(None).map_err(Error::msg)?,
            Some(path) => {
                let name = format!("REVIEWS_HUB_CA_FILE {}", path.display());
                let pem = read_file(path)
                    .map_err(|reason| anyhow!("{name}: {reason}; name a readable PEM file"))?;
                Roots::load(Some(&pem)).map_err(|reason| anyhow!("{name}: {reason}"))?
            }
        };
        Ok(Self {
            config,
            roots,
            resolver: Arc::new(SystemResolver),
            sync: SyncConfig::default(),
        })
    }
}

pub struct Sender {
    database: Database,
    current: Arc<CurrentSnapshot>,
    clock: Clock,
    /// Notifies the worker of a change.
    pub(super) wake: Arc<Notify>,
    worker: Mutex<Worker>,
    entries: Arc<EntryScheduler>,
}

impl Sender {
    /// The sender of `ctx`, and the HTTP handler of the hub.
    pub(super) fn build(
        database: &Database,
        ctx: &Ctx,
        options: HubOptions,
    ) -> anyhow::Result<(Self, api::HubEndpoint)> {
        let config = options.config;
        let (database, clock, wake) = (database.clone(), &ctx.clock, Arc::new(Notify::new()));
        let policy = Arc::new(Policy {
            allowed: config.allow_callback_nets,
        });
        let resolver = options.resolver;
        let egress = Egress::new(Arc::clone(&policy), &options.roots, resolver);
        let rates = Arc::new(RateLimits::new(&config.limits, clock));
        let runner = SyncRunner::new(&database, clock, options.sync);
        let links = &ctx.current.load().input.links;
        let exchange = Exchange {
            egress: egress.context("TLS cannot be set up")?,
            clock: clock.clone(),
            links: links.clone(),
            delays: config.retry_delays,
            rates: Arc::clone(&rates),
            signing: Semaphore::new(1),
        };
        let worker = Worker::new(
            database.clone(),
            Arc::clone(&ctx.current),
            exchange,
            Arc::clone(&wake),
        );
        let intake = SubscriptionIntake {
            database: database.clone(),
            links: links.clone(),
            clock: clock.clone(),
            policy,
            leases: config.leases.checked()?,
            rates,
            wake: Arc::clone(&wake),
        };
        let sender = Self {
            database,
            current: Arc::clone(&ctx.current),
            clock: clock.clone(),
            wake,
            worker: Mutex::new(worker),
            entries: Arc::new(EntryScheduler::new(runner)),
        };
        let intake = Arc::new(intake);
        Ok((sender, api::HubEndpoint { intake }))
    }

    /// Sends whenever this process may, until `serving` is cancelled; exchanges in flight then get ten seconds.
    pub(super) async fn keep_delivering(&self, serving: &CancellationToken) {
        while let Some(()) = serving.run_until_cancelled(self.await_lease()).await {
            // Cancelled with `serving`, or when the lease is lost.
            let sending = serving.child_token();
            tokio::join!(self.run_worker(&sending), self.keep_lease(&sending));
            self.worker.lock().await.forget_results();
            self.release_lease().await;
            metrics::HUB_SENDER.gauge(&[]).set(0.0);
            // The process that sends now reports them; here, the last figures would stay and keep alerts firing.
            set_gauges(HubGauges::default());
            if !serving.is_cancelled() {
                tracing::warn!(
                    "node.lease_lost: another process may send now; this one still serves"
                );
            }
        }
        self.release_lease().await;
    }

    pub(super) async fn run_worker(&self, sending: &CancellationToken) {
        metrics::HUB_SENDER.gauge(&[]).set(1.0);
        let schedule = CronSchedule::start(self.job_context()).await;
        let schedule =
            schedule.inspect_err(|error| tracing::error!(%error, "schedule.not_started: the scheduler is not running; nothing is fetched \
                or tried again"));
        let mut worker = self.worker.lock().await;
        worker.run(sending).await;
        drop(worker);
        if let Ok(schedule) = schedule {
            schedule.stop().await;
        }
        // The process that fetches now has them.
        self.entries.forget_measures();
    }

    pub(super) fn job_context(&self) -> JobContext {
        JobContext {
            database: self.database.clone(),
            clock: self.clock.clone(),
            wake: Arc::clone(&self.wake),
            sync: Arc::clone(&self.entries),
            stop: CancellationToken::new(),
        }
    }

    /// Waits until this process may send. Of attempts with the same result, only the first is logged; errors may be
    /// temporary.
    async fn await_lease(&self) {
        let (mut second, mut failing) = (Retry::default(), Retry::default());
        loop {
            let exchange = self.longest_delivery();
            match self.database.take_lease(exchange).await {
                Ok(true) => return,
                Ok(false) => {
                    if second.failed() {
                        tracing::info!(
                            "websub.second: another process sends; this one takes over when that one stops"
                        );
                    }
                }
                Err(error) => {
                    if failing.failed() {
                        tracing::error!(%error, "websub.no_sender: this process cannot get the right to deliver; trying again");
                    }
                }
            }
            self.clock.sleep(LOCK_INTERVAL).await;
        }
    }

    /// Does all due work, for tests.
    pub(super) async fn run_once(&self) -> Result<bool, DbError> {
        if !self.database.take_lease(self.longest_delivery()).await? {
            return Ok(false);
        }
        let ended = expire(&self.database, &self.clock).await?;
        let fetched = self.entries.run_once(&CancellationToken::new()).await?;
        let sent = self.worker.lock().await.run_once().await?;
        measure(&self.database, &self.clock).await?;
        Ok(sent || fetched || ended)
    }

    /// Releases the lease if this process still holds it.
    async fn release_lease(&self) {
        if let Err(error) = self.database.give_up_lease().await {
            tracing::warn!(%error, "node.lease_kept: the lease was not released; it expires, and then another process sends");
        }
    }

    /// Renews the lease until it is lost or `sending` is cancelled; then cancels `sending`.
    async fn keep_lease(&self, sending: &CancellationToken) {
        let keep = async {
            let mut wait = LEASE_INTERVAL;
            loop {
                self.clock.sleep(wait).await;
                wait = match self.database.take_lease(self.longest_delivery()).await {
                    Ok(true) => LEASE_INTERVAL,
                    Ok(false) => return,
                    Err(error) => {
                        tracing::warn!(%error, "node.lease_not_prolonged: the lease could not be extended; trying again until \
                            it expires");
                        LEASE_RETRY_INTERVAL
                    }
                };
                if self.database.lease_left().is_zero() {
                    return;
                }
            }
        };
        sending.run_until_cancelled(keep).await;
        sending.cancel();
    }

    pub(super) fn longest_delivery(&self) -> Duration {
        let snapshot = self.current.load();
        let bytes = snapshot
            .documents()
            .map(|document| document.body.content.length());
        longest_delivery(bytes.max().unwrap_or(0))
    }
}
