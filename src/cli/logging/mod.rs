//! Logging for the whole process: the filter, the format of lines, and panics, which are logged like everything else, as the
//! standard hook writes and waits. Where lines go is the matter of [`LineQueue`].

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

/// What is logged where nothing else is said.
const FILTER: &str = "info";

/// A filter as it is given, if it is one.
///
/// # Errors
/// What is wrong with it.
pub fn checked(given: &str) -> Result<String, String> {
    let advice = "write it like info, or warn,reviews_service=debug";
    EnvFilter::builder()
        .parse(given)
        .map(|_| given.to_owned())
        .map_err(|error| format!("{error}; {advice}"))
}

/// The filter, by which libraries that log each step of theirs log warnings at the most, unless it names them itself.
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

/// The log of the process, from [`start`] to its end.
pub struct Log {
    lines: LineQueue,
    format: LogFormat,
}

impl Log {
    /// Says why the command failed, whatever the filter.
    pub fn fail(&self, reason: &str) {
        let line = match self.format {
            LogFormat::Text => format!("error: {reason}\n"),
            LogFormat::Json => {
                let message = format!("command.failed: {reason}");
                // A text has room for any line.
                json::line("ERROR", &message, module_path!(), Map::new()).unwrap_or(message)
            }
        };
        self.lines.push(line.as_bytes());
    }

    /// Waits until what was queued is written, at most two seconds ([`LineQueue::close`]).
    pub fn close(&self) {
        self.lines.close();
    }
}

/// Sets logging up for the whole process, panics included. `filter` has been checked; an empty one is the default.
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
        // It would say them with `eprintln!`, which panics where nobody reads.
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
