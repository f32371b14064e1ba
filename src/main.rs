//! The `reviews` binary: parses the command line, sets up logging and maps the outcome to an exit code.

use std::process::ExitCode;

use reviews_service::cli::{Cli, Exit, explain_error};
use tokio::runtime::Builder;

/// jemalloc has per-thread arenas and returns a snapshot's or encoder's memory to the system within a second. It is
/// configured in `.cargo/config.toml` because its options must be known before `main`. SQLite uses it too. A debug
/// build uses the system's allocator because libfaketime hangs under jemalloc (`tests/faults/15-clock-jumps.sh`).
#[cfg(not(debug_assertions))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// A busy thread polls for new connections and requests after this many task polls, each of which may write a burst of
/// some 50 µs. With tokio's default of 61 they would wait for 3 ms.
const EVENT_INTERVAL: u32 = 8;

fn main() -> ExitCode {
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(code) => return code,
    };
    let log = cli.start_log();
    let outcome = Builder::new_multi_thread()
        .enable_all()
        .event_interval(EVENT_INTERVAL)
        .build()
        .map_err(anyhow::Error::from)
        .and_then(|runtime| {
            let outcome = runtime.block_on(cli.run());
            // A command awaits the tasks that must finish; the others end with the process. A runtime that shuts down would panic
            // in a task that waits for a time.
            std::mem::forget(runtime);
            outcome
        });
    let code = match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            // If the log cannot be written, the exit code still reports the failure.
            log.fail(&explain_error(&error));
            Exit::Failed.into()
        }
    };
    drop(log);
    code
}
