//! SIGTERM and SIGINT, which end a command; `serve` stops cleanly.

use std::io;

use tokio::runtime::Handle;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::spawn_blocking;

use super::report::Exit;

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

    /// The next signal: its name, and the exit code of a command that it ends.
    pub(super) async fn next(&mut self) -> (&'static str, Exit) {
        tokio::select! {
            _ = self.terminate.recv() => ("SIGTERM", Exit::Terminated),
            _ = self.interrupt.recv() => ("SIGINT", Exit::Interrupted),
        }
    }
}

/// Runs a command until it is done or a signal ends it. It runs on another thread, so that a signal is noticed while it
/// computes or waits for input.
///
/// # Errors
/// Those of the command, and if it panics.
pub(super) async fn run_until_signal<W: Future<Output = anyhow::Result<Exit>>>(
    command: impl FnOnce() -> W + Send + 'static,
) -> anyhow::Result<Exit> {
    let mut signals = Signals::catch()?;
    let runtime = Handle::current();
    let done = spawn_blocking(move || runtime.block_on(command()));
    tokio::select! {
        done = done => done?,
        (_, exit) = signals.next() => Ok(exit),
    }
}
