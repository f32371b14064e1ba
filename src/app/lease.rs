//! Sending on a cluster: while this process holds the lease (CONTRACT §9). Apart from the hub, which on one machine needs a
//! lock alone.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::hub::HubRuntime;
use crate::telemetry::catalog;
use crate::websub::delivery_timeout;

/// How often a process looks whether it may send, and after how many of these one that may prolongs that.
const LEASE_INTERVAL: Duration = Duration::from_millis(500);
const LEASE_INTERVALS: u32 = 8;
/// A node whose rqlited has not heard of the leader for so long does not ask for the lease.
const CUT_OFF_AFTER: Duration = Duration::from_secs(3);

impl HubRuntime {
    /// Sends while this process holds the cluster's lease, again and again, until `stop`.
    pub(super) async fn keep_delivering_by_lease(&self, stop: &CancellationToken) {
        while stop.run_until_cancelled(self.lease()).await.is_some() {
            tracing::info!("cluster.lease_taken: this process raises versions and sends");
            let lost = stop.child_token();
            tokio::join!(self.deliver(&lost), self.keep_lease(&lost));
            self.worker.lock().await.forget_results();
            self.give_up().await;
            catalog::HUB_SENDER.gauge(&[]).set(0.0);
            if !stop.is_cancelled() {
                tracing::warn!(
                    "cluster.lease_lost: another process may send now; this one goes on serving"
                );
            }
        }
        self.give_up().await;
    }

    /// Leaves the lease to others, where this process still has it.
    async fn give_up(&self) {
        if let Err(error) = self.database.give_up_lease().await {
            tracing::warn!(%error, "cluster.lease_kept: the lease ends by itself, and another process sends after that");
        }
    }

    /// Waits until this process has the lease.
    async fn lease(&self) {
        let mut is_told = false;
        loop {
            // A node that is cut off could neither raise versions nor see what is due.
            let standing = self.database.node_standing();
            if standing.is_some_and(|node| node.heard_ago > CUT_OFF_AFTER) {
                self.clock.sleep(LEASE_INTERVAL).await;
                continue;
            }
            match self.database.renew_lease(self.longest_delivery()).await {
                Ok(true) => return,
                Ok(false) => is_told = false,
                Err(error) if !is_told => {
                    tracing::warn!(%error, "cluster.no_lease: this process cannot ask for the lease; trying again");
                    is_told = true;
                }
                Err(_) => {}
            }
            self.clock.sleep(LEASE_INTERVAL).await;
        }
    }

    /// Prolongs the lease until it is lost or `end`, which it then brings about.
    async fn keep_lease(&self, end: &CancellationToken) {
        let keep = async {
            let mut wait = LEASE_INTERVAL * LEASE_INTERVALS;
            loop {
                self.clock.sleep(wait).await;
                if !self.database.has_seen_lease().await.unwrap_or(false) {
                    tracing::warn!(
                        "cluster.node_behind: this node's file does not follow the cluster; the lease is left to another one"
                    );
                    return;
                }
                wait = match self.database.renew_lease(self.longest_delivery()).await {
                    Ok(true) => LEASE_INTERVAL * LEASE_INTERVALS,
                    Ok(false) => return,
                    Err(error) => {
                        tracing::warn!(%error, "cluster.lease_not_prolonged: trying again until it ends");
                        LEASE_INTERVAL
                    }
                };
                if self.database.lease_left().is_zero() {
                    return;
                }
            }
        };
        end.run_until_cancelled(keep).await;
        end.cancel();
    }

    pub(super) fn longest_delivery(&self) -> Duration {
        let snapshot = self.current.load();
        let bytes = snapshot
            .documents()
            .map(|document| document.body.content.len());
        delivery_timeout(bytes.max().unwrap_or(0))
    }
}
