//! The `reviews` binary: reads the command line, sets logging up, and turns what happened into an exit code.

use std::io::{IsTerminal, Write, stderr};
use std::process::ExitCode;

use clap::Parser;
use reviews_service::cli::{Cli, Outcome, explain};
use tracing_subscriber::EnvFilter;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,tokio_cron_scheduler=warn,rmcp=warn"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(stderr).with_ansi(stderr().is_terminal()).init();
    let outcome = tokio::runtime::Runtime::new().map_err(anyhow::Error::from).and_then(|runtime| runtime.block_on(cli.run()));
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) => {
            // Where nobody reads it, the exit code still says it.
            let _ = writeln!(stderr(), "error: {}", explain(&error));
            Outcome::Failed.into()
        }
    }
}
