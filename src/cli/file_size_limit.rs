//! The limit on file sizes (`RLIMIT_FSIZE`: `ulimit -f`, `LimitFSIZE=`). Writing beyond it raises SIGXFSZ, which ends
//! the process, unless it is caught: then the write fails like any other (setrlimit(2)), and can be undone and
//! reported.

use std::io;

use rustix::process::{Resource, Signal, getrlimit};
use tokio::signal::unix::{SignalKind, signal};

/// Catches the signal until the process ends.
///
/// # Errors
/// The system's error.
pub fn catch_signal() -> io::Result<()> {
    // The handler stays installed (tokio::signal::unix::signal, "Caveats"), even without a listener.
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
}

/// Logs the limit at start.
pub fn log_file_size_limit() {
    if let Some(bytes) = limit() {
        tracing::warn!(
            bytes,
            "process.small_files: files are limited to {bytes} bytes (ulimit -f, LimitFSIZE=): a database that reaches the limit \
             accepts no more writes"
        );
    }
}

/// Adds the limit to an error that it may have caused: SQLite reports only a failed write, and some other errors
/// contain only the system's message.
pub fn with_limit_named(error: anyhow::Error) -> anyhow::Error {
    match limit() {
        Some(bytes) if error.chain().any(is_failed_write) => error.context(format!(
            "files are limited to {bytes} bytes (ulimit -f, LimitFSIZE=), which may be the cause; raise that limit and try again"
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
