//! The `reviews` binary: reads the command line, sets logging up, and turns what happened into an
//! exit code.

use std::process::ExitCode;

use reviews_service::cli::{Cli, Outcome, explain};
use tokio::runtime::Builder;

/// Threads do not wait for each other's memory, and what a snapshot or an encoder had goes back to
/// the system within a second. Set up in `.cargo/config.toml`, for what it is to do must be known
/// before `main`. SQLite uses it too. A debug build has the system's, because libfaketime hangs under jemalloc
/// (`tests/faults/15-clock-jumps.sh`).
#[cfg(not(debug_assertions))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// A busy thread looks for new connections and requests after so many steps of those that it has,
/// each of which may write a burst of some 50 µs. tokio's own 61 would let them wait for 3 ms.
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
            // What a command had to finish, it has; what it was told to give up is not waited for.
            runtime.shutdown_background();
            outcome
        });
    let code = match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            // Where nobody reads it, the exit code still says it.
            log.fail(&explain(&error));
            Outcome::Failed.into()
        }
    };
    log.close();
    code
}
