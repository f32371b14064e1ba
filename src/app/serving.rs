//! Runs the service's listeners and jobs until shutdown. Every loop ends with its token and is awaited.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{App, Limits, ResponsePolicy};
use crate::metrics;

/// The delay after analyses could not be stored.
const ANALYZE_RETRY: Duration = Duration::from_secs(1);
/// Interval of queries to a node's rqlited.
const ASK_NODE_INTERVAL: Duration = Duration::from_secs(1);
/// The age of a snapshot before it is compressed with more than gzip.
const SETTLE: Duration = Duration::from_secs(1);
/// Interval of sorting observations: at 20,000 responses per second, 100,000 observations accumulate, some 2 MB.
const SORT_INTERVAL: Duration = Duration::from_secs(5);

impl App {
    /// Serves until `shutdown`, then finishes requests in flight and closes the database.
    pub async fn serve(&self, listener: TcpListener, shutdown: CancellationToken, limits: Limits) {
        Box::pin(self.serve_with_admin(listener, None, shutdown, limits)).await;
    }

    /// Also serves the operators' endpoints on `admin`, until the end: during shutdown, `/readyz` reports it there.
    pub async fn serve_with_admin(
        &self,
        listener: TcpListener,
        admin: Option<TcpListener>,
        shutdown: CancellationToken,
        limits: Limits,
    ) {
        let jobs_end = CancellationToken::new();
        let serve = async {
            crate::web::server::serve(
                listener,
                self.endpoint(),
                ResponsePolicy::at_hand,
                shutdown.clone(),
                limits,
                self.exempt.clone(),
            )
            .await;
            jobs_end.cancel();
        };
        let answer_operators = async {
            if let (Some(listener), Some(admin)) = (admin, &self.admin) {
                let (endpoint, exempt) = (Arc::clone(admin), self.exempt.clone());
                let at_hand = ResponsePolicy::at_hand;
                crate::web::server::serve(
                    listener,
                    endpoint,
                    at_hand,
                    jobs_end.clone(),
                    limits,
                    exempt,
                )
                .await;
            }
        };
        let drain = async {
            shutdown.cancelled().await;
            self.ctx.drain();
        };
        let (publish, precompress, analyze) = (
            self.keep_published(&jobs_end),
            self.keep_precompressed(&jobs_end),
            self.keep_analyzed(&jobs_end),
        );
        tokio::join!(
            serve,
            answer_operators,
            drain,
            self.keep_sorted(&jobs_end),
            publish,
            precompress,
            analyze,
            self.keep_asking_node(&jobs_end),
            self.hub.keep_delivering(&shutdown)
        );
        self.close().await;
    }

    /// Answers an MCP client's messages, one per line, until `input` ends, and follows changes of the database.
    /// Subscribers are not notified; only `serve` does that.
    ///
    /// # Errors
    /// If `input` cannot be read or `output` not be written.
    pub async fn answer_lines(
        &self,
        input: impl AsyncBufRead + Unpin,
        output: impl AsyncWrite + Unpin,
    ) -> io::Result<()> {
        let jobs_end = CancellationToken::new();
        let answer = async {
            let answered = self.agents.connect().run(input, output).await;
            jobs_end.cancel();
            answered
        };
        let (answered, (), (), ()) = tokio::join!(
            answer,
            self.keep_sorted(&jobs_end),
            self.keep_published(&jobs_end),
            self.keep_analyzed(&jobs_end),
        );
        self.close().await;
        answered
    }

    async fn close(&self) {
        self.ctx.compute.idle().await;
        if let Err(error) = self.publish.lock().await.close().await {
            tracing::warn!(%error, "database.not_closed: the database was not closed cleanly; the next start recovers it");
        }
        self.database.close().await;
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
        self.repeat(end, async || Some(self.watch_once().await))
            .await;
    }

    /// Sorts observations into their buckets even if the metrics are not scraped.
    async fn keep_sorted(&self, end: &CancellationToken) {
        let sort = async || {
            metrics::sort_observations();
            Some(SORT_INTERVAL)
        };
        self.repeat(end, sort).await;
    }

    /// In a cluster, queries this node's state regularly.
    async fn keep_asking_node(&self, end: &CancellationToken) {
        let mut is_told = false;
        let ask = async || {
            if !self.database.is_cluster() {
                return None;
            }
            match self.database.ask_node().await {
                Ok(()) => is_told = false,
                Err(error) if !is_told => {
                    tracing::warn!(%error, "cluster.node_silent: this node's rqlited does not answer; the last snapshot is still \
                        served");
                    is_told = true;
                }
                Err(_) => {}
            }
            Some(ASK_NODE_INTERVAL)
        };
        self.repeat(end, ask).await;
    }

    async fn keep_precompressed(&self, end: &CancellationToken) {
        let mut swaps = self.ctx.current.swaps();
        let precompress = async || {
            swaps.mark_unchanged();
            self.precompress.run_quick_once().await;
            // While changes follow one another, the other codings would be outdated before they are sent.
            let settled = self.ctx.clock.sleep(SETTLE);
            let changed = tokio::select! {
                changed = swaps.changed() => changed,
                () = settled => {
                    self.precompress.run_once().await;
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
