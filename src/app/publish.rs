//! What follows a change of the database: publishes the next snapshot, analyses the texts that it could not wait for, and
//! compresses its bodies before they are requested.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;

use crate::api::Description;
use crate::compute::{Compute, lock};
use crate::insights::store::{StoredAnalysis, save};
use crate::metrics;
use crate::snapshot::input::AnalysisProgress;
use crate::snapshot::{CachedBody, Coding, CurrentSnapshot, Publisher, Role, analyze};
use crate::storage::{Changes, Database, DbError};
use crate::web::context::Ctx;

/// Interval of checks for changes. A change must be published within a second.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub struct PublishChanges {
    ctx: Arc<Ctx>,
    publisher: Publisher,
    pub changes: Changes,
    /// Notifies the hub's worker of every change, also of requests that another process accepted.
    wake: Arc<Notify>,
    retry: Retry,
    /// That at the last run.
    role: Role,
}

impl PublishChanges {
    /// `publisher` has rendered the first snapshot of `ctx`.
    pub fn new(ctx: &Arc<Ctx>, publisher: Publisher, changes: Changes, wake: &Arc<Notify>) -> Self {
        Self {
            ctx: Arc::clone(ctx),
            role: Role::of(&publisher.database),
            publisher,
            changes,
            wake: Arc::clone(wake),
            retry: Retry::default(),
        }
    }

    /// Runs once and logs changes between success and failure. Returns the delay until the next run; `None` if the path of the
    /// database leads to another file: its log is then written back to the opened one.
    pub async fn watch_once(&mut self) -> Option<Duration> {
        match self.run_once().await {
            Ok(_) => {
                *lock(&self.ctx.failing_since) = None;
                let failures = self.retry.succeeded();
                if failures > 0 {
                    tracing::info!(failures, "snapshot.published_again: publishing works again");
                }
            }
            // A node's file that rqlited replaces during a run is followed at the next one.
            Err(error)
                if matches!(error.downcast_ref(), Some(DbError::Replaced(_)))
                    && !self.publisher.database.has_nodes() =>
            {
                self.publisher.database.close().await;
                return None;
            }
            Err(error) => {
                metrics::PUBLISH_FAILURES.count(&[]);
                lock(&self.ctx.failing_since).get_or_insert(self.ctx.clock.monotonic());
                if self.retry.failed() {
                    tracing::error!(
                        %error,
                        "snapshot.not_published: the previous snapshot is still served; trying again with growing waits, up to 10 s"
                    );
                }
            }
        }
        Some(self.retry.wait())
    }

    /// Publishes a snapshot if the database changed; returns whether there is a new one.
    ///
    /// # Errors
    /// If it is unknown whether there are changes, or they cannot be rendered. The previous snapshot stays, and the next run tries
    /// again.
    pub async fn run_once(&mut self) -> anyhow::Result<bool> {
        // Open connections keep using a file that was replaced, and would not see further changes.
        let database = &self.publisher.database;
        if let Some(changes) = database.follow_file().await? {
            let mut former = std::mem::replace(&mut self.changes, changes);
            former.close().await?;
        }
        // Until this node's file has this process's own writes, it is older than the published state.
        if !database.has_own_writes().await? {
            self.changes.forget();
            return Ok(false);
        }
        // A new sender publishes what the former one left.
        let role = Role::of(database);
        if role != std::mem::replace(&mut self.role, role) {
            self.changes.forget();
        }
        if self.changes.any().await? {
            self.wake.notify_one();
        } else if !self.ctx.current.load().input.has_stored_analyses() {
            return Ok(false);
        }
        let started = self.ctx.clock.monotonic();
        let next = self.next().await.inspect_err(|_| self.changes.forget())?;
        self.ctx.transparency.forget();
        let Some((reviews, change_no)) = next else {
            return Ok(false);
        };
        self.wake.notify_one();
        let duration = self.ctx.clock.monotonic() - started;
        metrics::PUBLISH_SECONDS_TAKEN
            .histogram(&[])
            .observe(duration.as_secs_f64());
        tracing::info!(
            reviews,
            change_no,
            duration_ms = duration.as_secs_f64() * 1e3,
            "snapshot.published: a new snapshot is served"
        );
        Ok(true)
    }

    /// Publishes the next snapshot if there is one; returns the number of its reviews and its change number. The
    /// previous one is swapped and freed on the compute thread, because both take time with many reviews.
    async fn next(&self) -> anyhow::Result<Option<(usize, i64)>> {
        let (publisher, current) = (self.publisher.clone(), Arc::clone(&self.ctx.current));
        let publishing = async move {
            let next = publisher.next(&current.load()).await?;
            anyhow::Ok(next.map(|next| {
                let figures = (next.input.entries.len(), next.position.change_no);
                current.swap(next);
                figures
            }))
        };
        // Boxed, because it is large and the futures around it have it inside.
        self.ctx.compute.drive(Box::pin(publishing)).await?
    }
}

// Retries with increasing delays. Only changes are logged: the first failure, and success.

/// Short enough that a repaired fault is soon noticed.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

#[derive(Debug, Default)]
pub struct Retry {
    failures: u32,
}

impl Retry {
    /// Records a failure and returns whether to log it: after a success.
    pub const fn failed(&mut self) -> bool {
        self.failures = self.failures.saturating_add(1);
        self.failures == 1
    }

    /// Records a success and returns the number of previous failures.
    pub fn succeeded(&mut self) -> u32 {
        std::mem::take(&mut self.failures)
    }

    /// The delay before the next attempt: [`WATCH_INTERVAL`], doubled with each failure after the first.
    fn wait(&self) -> Duration {
        let doublings = self.failures.saturating_sub(1);
        let wait = WATCH_INTERVAL.saturating_mul(2_u32.saturating_pow(doublings));
        wait.min(LONGEST_WAIT)
    }
}

// Analyses of reviews that a snapshot could not wait for. Each run is bounded, so that shutdown is quick and other writers get
// their turn.

/// Reviews that one run analyzes and stores in one transaction.
const REVIEWS_PER_RUN: usize = 512;

#[derive(Debug)]
pub struct AnalyzePostponed {
    current: Arc<CurrentSnapshot>,
    compute: Compute,
    database: Database,
}

impl AnalyzePostponed {
    pub fn new(ctx: &Ctx, database: &Database) -> Self {
        Self {
            current: Arc::clone(&ctx.current),
            compute: ctx.compute.clone(),
            database: database.clone(),
        }
    }

    /// Analyzes some reviews without analysis and stores the results; returns whether there was work. When all are done,
    /// the next snapshot can use them.
    ///
    /// # Errors
    /// If the database fails or an analysis panics; the next run tries again.
    pub async fn run_once(&self) -> anyhow::Result<bool> {
        let snapshot = self.current.load();
        let input = &snapshot.input;
        let Some(postponed) = input.postponed.clone() else {
            return Ok(false);
        };
        let first = match postponed.progress() {
            AnalysisProgress::Begun => 0,
            AnalysisProgress::StoredThrough(day, id) => {
                input.entries.count_through(day, id.as_str())
            }
            AnalysisProgress::Stored => return Ok(false),
        };
        let is_all = input.analyzer.method() != postponed.analyzer.method();
        let entries = input.entries[first..].iter();
        let missing = entries.filter(|entry| is_all || entry.analysis.is_none());
        let entries: Vec<_> = missing.take(REVIEWS_PER_RUN).cloned().collect();
        let change_no = snapshot.position.change_no;
        drop(snapshot);
        let Some(last) = entries.last().cloned() else {
            postponed.set_progress(AnalysisProgress::Stored);
            return Ok(true);
        };
        let analyzer = Arc::clone(&postponed.analyzer);
        let analyze_all = move || -> Vec<StoredAnalysis> {
            let reviews = entries.iter().map(|entry| &entry.review);
            reviews.map(|review| analyze(&analyzer, review)).collect()
        };
        let analyses = self.compute.run(analyze_all).await?;
        save(&self.database, &analyses, change_no).await?;
        let (day, id) = (last.review.date, last.id().clone());
        postponed.set_progress(AnalysisProgress::StoredThrough(day, id));
        Ok(true)
    }
}

// Compression of documents before they are requested.

#[derive(Clone)]
pub struct Precompress {
    ctx: Arc<Ctx>,
    /// Its example of an ID is that of the oldest review.
    description: Arc<Description>,
}

impl Precompress {
    pub fn new(ctx: &Arc<Ctx>, description: Arc<Description>) -> Self {
        let ctx = Arc::clone(ctx);
        Self { ctx, description }
    }

    /// Makes every missing body in these codings, those of the first coding first, and small ones first.
    pub async fn run_once(&self, codings: &[Coding]) {
        let mut bodies = self.bodies();
        bodies.sort_by_key(|body| body.content.length());
        for &coding in codings {
            for body in &bodies {
                let is_offered = Coding::for_length(body.content.length()).contains(&coding);
                if is_offered && body.coded(coding).is_none() {
                    self.code(body, coding).await;
                }
            }
        }
    }

    /// The documents of the current snapshot, and the description of the API.
    fn bodies(&self) -> Vec<Arc<CachedBody>> {
        let snapshot = self.ctx.current.load();
        let documents = snapshot.documents().map(|published| &published.body);
        let mut bodies: Vec<_> = documents.cloned().collect();
        bodies.push(self.description.body(&snapshot));
        bodies
    }

    /// Compresses a body unless it is replaced meanwhile or the service stops.
    async fn code(&self, body: &Arc<CachedBody>, coding: Coding) {
        let (job, body) = (self.clone(), Arc::clone(body));
        let coded = self.ctx.compute.run(move || {
            let is_cancelled = || {
                let mut published = job.bodies().into_iter();
                job.ctx.draining.is_cancelled() || published.all(|one| !Arc::ptr_eq(&one, &body))
            };
            if let Some(coded) = coding.compress(&body.content.pieces, &is_cancelled) {
                body.set_coded(coding, coded);
            }
        });
        // After a panic in an encoder the coding is not offered; identity always is.
        if let Err(error) = coded.await {
            tracing::error!(%error, coding = coding.name(), "coding.failed: a content coding failed and is not offered");
        }
    }
}
