//! The `reviews` binary: runs the command line in a process of its own, and maps the outcome to an exit code.

use std::io::Write as _;
use std::process::ExitCode;

use reviews_service::cli::{self, Exit, Session};
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
    let mut session = Session::of_process();
    let built = Builder::new_multi_thread()
        .enable_all()
        .event_interval(EVENT_INTERVAL)
        .build();
    let runtime = match built {
        Ok(runtime) => runtime,
        Err(error) => {
            let _ = writeln!(session.errors, "error: {error}");
            return Exit::Failed.into();
        }
    };
    let exit = runtime.block_on(cli::run(session));
    // A command awaits the tasks that must finish; the others end with the process. A runtime that shuts down would panic
    // in a task that waits for a time.
    std::mem::forget(runtime);
    exit.into()
}
