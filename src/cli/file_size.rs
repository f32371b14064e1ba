//! The limit on the size of files (`RLIMIT_FSIZE`: `ulimit -f`, `LimitFSIZE=`). Who writes beyond it is sent
//! SIGXFSZ, which ends a process in the midst of whatever it does, unless it is caught: then the write fails
//! like any other (setrlimit(2)), and what failed can be taken back and said.

use std::io;

use rustix::process::{Resource, Signal, getrlimit};
use tokio::signal::unix::{SignalKind, signal};

/// Catches the signal, from now until the process ends.
///
/// # Errors
/// What the system says.
pub(super) fn catch_signal() -> io::Result<()> {
    // Once it is caught it stays so (tokio::signal::unix::signal, "Caveats"), whether or not anybody listens.
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
}

/// Says at a start that there is a limit.
pub(super) fn tell() {
    if let Some(bytes) = limit() {
        tracing::warn!(
            bytes,
            "process.small_files: no file may grow beyond {bytes} bytes (ulimit -f, LimitFSIZE=): a database that meets this takes nothing more"
        );
    }
}

/// Names the limit where a write may have failed for it: SQLite says no more than that it failed, and of
/// other files some errors hold no more than what the system said.
pub(super) fn name(error: anyhow::Error) -> anyhow::Error {
    match limit() {
        Some(bytes) if error.chain().any(is_failed_write) => error.context(format!(
            "no file may grow beyond {bytes} bytes (ulimit -f, LimitFSIZE=), which may be why; raise that limit and try again"
        )),
        Some(_) | None => error,
    }
}

fn limit() -> Option<u64> {
    getrlimit(Resource::Fsize).current
}

fn is_failed_write(cause: &(dyn std::error::Error + 'static)) -> bool {
    let said = cause.to_string();
    // SQLITE_IOERR (https://www.sqlite.org/rescode.html#ioerr).
    said.contains("disk I/O error")
        || said.contains(&io::Error::from(rustix::io::Errno::FBIG).to_string())
}
