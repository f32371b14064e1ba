//! Notifies systemd (`sd_notify(3)`): the service is ready, still answers, stops. Nothing is sent without
//! `NOTIFY_SOCKET`.

use std::future::pending;
use std::net::SocketAddr;
use std::time::Duration;

use sd_notify::{NotifyState, notify, watchdog_enabled};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::healthcheck::{TIMEOUT, ask, reachable};
use crate::clock::Clock;

/// Minimum interval of notifications, even for a shorter watchdog timeout.
const PING_INTERVAL_MIN: Duration = Duration::from_millis(10);

/// Reports that the service is ready; then, with a watchdog, that it answers at `listen`, until `stop`.
pub(super) async fn report(listen: SocketAddr, clock: &Clock, stop: &CancellationToken) {
    tell(&NotifyState::Ready);
    let ping = async {
        let Some(patience) = watchdog_enabled() else {
            return pending().await;
        };
        // Half the timeout, as sd_watchdog_enabled(3) recommends.
        let interval = (patience / 2).max(PING_INTERVAL_MIN);
        loop {
            // Any status counts: a service that refuses requests works.
            if let Ok(Ok(_)) = timeout(TIMEOUT, ask(reachable(listen), "/healthz")).await {
                tell(&NotifyState::Watchdog);
            }
            clock.sleep(interval).await;
        }
    };
    stop.run_until_cancelled(ping).await;
    tell(&NotifyState::Stopping);
}

fn tell(state: &NotifyState<'_>) {
    if let Err(error) = notify(std::slice::from_ref(state)) {
        tracing::warn!(%error, "server.not_notified: NOTIFY_SOCKET does not accept `{state}`");
    }
}
