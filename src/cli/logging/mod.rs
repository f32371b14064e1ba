//! Logging of the process: the filter, the format, and panics, which are logged because the standard hook writes and
//! may block. [`LineQueue`] writes the lines.

mod json;
mod line_queue;

use std::backtrace::{Backtrace, BacktraceStatus};
use std::fmt;
use std::io::{IsTerminal, stderr};

use clap::ValueEnum;
use serde_json::Map;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

pub use self::line_queue::LineQueue;

/// The default filter.
const FILTER: &str = "info";

/// Checks a filter.
///
/// # Errors
/// If it is not valid.
pub fn checked(given: &str) -> Result<String, String> {
    let advice = "write it like info, or warn,reviews_service=debug";
    EnvFilter::builder()
        .parse(given)
        .map(|_| given.to_owned())
        .map_err(|error| format!("{error}; {advice}"))
}

/// Limits verbose libraries to warnings, unless the filter names them.
fn with_quiet_libraries(given: &str) -> String {
    let level = given
        .split(',')
        .rev()
        .find_map(|part| part.trim().parse::<LevelFilter>().ok());
    let quiet = level.unwrap_or(LevelFilter::OFF).min(LevelFilter::WARN);
    format!("tokio_cron_scheduler={quiet},rmcp={quiet},{given}")
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object per line, for log collectors.
    Json,
}

impl fmt::Display for LogFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "text",
            Self::Json => "json",
        })
    }
}

/// The log from [`start`] to the end of the process.
pub struct Log {
    lines: LineQueue,
    format: LogFormat,
}

impl Log {
    /// Logs why the command failed, regardless of the filter.
    pub fn fail(&self, reason: &str) {
        let line = match self.format {
            LogFormat::Text => format!("error: {reason}\n"),
            LogFormat::Json => {
                let message = format!("command.failed: {reason}");
                // Building a line in memory cannot fail.
                json::line("ERROR", &message, module_path!(), Map::new()).unwrap_or(message)
            }
        };
        self.lines.push(line.as_bytes());
    }

    /// Waits at most two seconds until queued lines are written ([`LineQueue::close`]).
    pub fn close(&self) {
        self.lines.close();
    }
}

/// Sets up logging for the process, including panics. `filter` is valid; an empty one is the default.
#[must_use]
pub fn start(filter: &str, format: LogFormat) -> Log {
    let filter = EnvFilter::new(with_quiet_libraries(if filter.trim().is_empty() {
        FILTER
    } else {
        filter
    }));
    let lines = LineQueue::start("stderr", stderr());
    let writer = lines.clone();
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || writer.clone())
        // It would report them with `eprintln!`, which panics if standard error is closed.
        .log_internal_errors(false);
    match format {
        LogFormat::Text => subscriber.with_ansi(stderr().is_terminal()).init(),
        LogFormat::Json => subscriber.with_ansi(false).event_format(json::Json).init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            tracing::error!("process.panicked: {panic}\n{backtrace}");
        } else {
            tracing::error!("process.panicked: {panic}");
        }
    }));
    Log { lines, format }
}

#[cfg(test)]
mod tests {
    use super::with_quiet_libraries;

    #[test]
    fn libraries_log_warnings_at_the_most_unless_they_are_named() {
        for (given, level) in [
            ("info", "warn"),
            ("trace,hyper=info", "warn"),
            ("reviews_service=debug,error", "error"),
            ("off", "off"),
            ("reviews_service=debug", "off"),
            ("info,rmcp=debug", "warn"),
        ] {
            let expected = format!("tokio_cron_scheduler={level},rmcp={level},{given}");
            assert_eq!(with_quiet_libraries(given), expected);
        }
    }
}
