//! SIGTERM and SIGINT: the first one asks the service to stop, the second one ends it at once, whatever it is doing.
//!
//! The work runs on a thread of its own, so that a signal is heard while a start computes or a stop waits.

use std::io;

use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::spawn_blocking;
use tokio_util::sync::CancellationToken;

/// What ended the work.
#[must_use]
pub(super) enum Ending<T> {
    /// It came to its end by itself, or because it was asked to.
    Done(T),
    /// A signal came before it had started: there was nothing to finish.
    BeforeStart,
    /// A second signal came: what was in flight was cut.
    AtOnce,
}

/// Both signals, caught from now on.
pub(super) struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    pub(super) fn catch() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
        })
    }

    async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.terminate.recv() => "SIGTERM",
            _ = self.interrupt.recv() => "SIGINT",
        }
    }

    /// Does `work`, which finishes what is in flight once `stop` is cancelled, and says with `started` that there is such.
    ///
    /// # Errors
    /// Where it panicked.
    pub(super) async fn guard<T: Send + 'static, W: Future<Output = T>>(
        mut self,
        work: impl FnOnce() -> W + Send + 'static,
        started: &CancellationToken,
        stop: &CancellationToken,
    ) -> anyhow::Result<Ending<T>> {
        let runtime = Handle::current();
        let mut work = spawn_blocking(move || runtime.block_on(work()));
        loop {
            tokio::select! {
                done = &mut work => return Ok(Ending::Done(done?)),
                signal = self.next() => {
                    if stop.is_cancelled() {
                        return Ok(Ending::AtOnce);
                    }
                    tracing::info!(
                        signal,
                        "server.stopping: no new connection is accepted; what is in flight has 10 s"
                    );
                    stop.cancel();
                    if !started.is_cancelled() {
                        return Ok(Ending::BeforeStart);
                    }
                }
            }
        }
    }
}
