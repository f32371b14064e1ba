//! Logging of the process: the filter, the format, and panics, which are logged because the standard hook writes and
//! may block.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, IsTerminal, Stderr, Write, stderr};
use std::sync::mpsc::channel;
use std::time::Duration;

use clap::{Args, ValueEnum};
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

use crate::metrics;
use crate::model::text::escaped;

const FILTER: &str = "info";

/// What is logged, and how.
#[derive(Debug, Clone, Args)]
pub struct LogConfig {
    /// Log filter, for example `info` or `warn,reviews_service=debug` [default: info]
    #[arg(
        id = "log_filter",
        long = "log",
        value_name = "FILTER",
        env = "RUST_LOG",
        default_value = "",
        hide_default_value = true,
        help_heading = "Global options",
        global = true,
        value_parser = checked
    )]
    pub filter: String,
    /// Log format: text for people, or one JSON object per line
    #[arg(
        id = "log_format",
        long = "log-format",
        value_name = "FORMAT",
        env = "REVIEWS_LOG_FORMAT",
        default_value = "text",
        help_heading = "Global options",
        global = true
    )]
    pub format: LogFormat,
}

/// Checks a filter.
///
/// # Errors
/// If it is not valid.
pub fn checked(filter: &str) -> Result<String, String> {
    let advice = "write it like info, or warn,reviews_service=debug";
    EnvFilter::builder()
        .parse(filter)
        .map(|_| filter.to_owned())
        .map_err(|error| format!("{error}; {advice}"))
}

/// How log lines are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One object per line, for log collectors.
    Json,
}

/// The log from [`start`] to the end of the process.
pub struct Log {
    writer: NonBlocking,
    guard: WorkerGuard,
    format: LogFormat,
}

impl Log {
    /// Writes why the command failed: as text regardless of the filter.
    pub fn fail(&self, reason: &str) {
        match self.format {
            LogFormat::Text => {
                let line = format!("error: {reason}\n");
                // The queue drops lines instead of failing.
                let _ = self.writer.clone().write_all(line.as_bytes());
            }
            LogFormat::Json => tracing::error!("command.failed: {reason}"),
        }
    }

    /// Waits at most two seconds until queued lines are written.
    #[expect(
        clippy::disallowed_methods,
        reason = "it ends with the process: it may wait for ever for what it writes to"
    )]
    pub fn close(self) {
        let (closed, is_closed) = channel();
        std::thread::spawn(move || {
            drop(self.guard);
            closed.send(())
        });
        // After a timeout there is no output left to report it to.
        let _ = is_closed.recv_timeout(CLOSE_TIMEOUT);
    }
}

/// The filter with a limit for a verbose library: its warnings at most, unless the filter names it.
fn with_quiet_scheduler(filter: &str) -> String {
    let levels = filter.split(',').map(|directive| directive.trim().parse());
    let level = levels.filter_map(Result::ok).next_back();
    let limit = level.unwrap_or(LevelFilter::OFF).min(LevelFilter::WARN);
    format!("tokio_cron_scheduler={limit},{filter}")
}

/// Sets up logging for the process, including panics. `filter` is valid; an empty one is the default.
pub fn start(filter: &str, format: LogFormat) -> Log {
    let filter = if filter.trim().is_empty() {
        FILTER
    } else {
        filter
    };
    let filter = EnvFilter::new(with_quiet_scheduler(filter));
    let queue = NonBlockingBuilder::default().buffered_lines_limit(QUEUED_LINES_MAX);
    let (writer, guard) = queue.finish(CountingOutput(stderr()));
    metrics::watch_dropped_lines(writer.error_counter());
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(writer.clone())
        // It would report them with `eprintln!`, which panics if standard error is closed.
        .log_internal_errors(false);
    match format {
        LogFormat::Text => {
            let fields = debug_fn(|writer: &mut Writer<'_>, field, value| {
                let text = escaped(format!("{value:?}"));
                match field.name() {
                    "message" => writer.write_str(&text),
                    // A line break of foreign words would begin a line that looks like another event.
                    name => write!(writer, "{name}={}", text.replace('\n', "\\n")),
                }
            });
            let subscriber = subscriber.fmt_fields(fields.delimited(" "));
            subscriber.with_ansi(stderr().is_terminal()).init();
        }
        LogFormat::Json => subscriber.json().init(),
    }
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            tracing::error!("process.panicked: {panic}\n{backtrace}");
        } else {
            tracing::error!("process.panicked: {panic}");
        }
    }));
    Log {
        writer,
        guard,
        format,
    }
}

// The log never blocks the service: a separate thread writes the lines. Lines beyond the queue, and those that cannot be
// written, are dropped and counted (`reviews_output_lines_dropped_total`).

const QUEUED_LINES_MAX: usize = 8_192;
/// The maximum wait of the process at its end for queued lines.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

struct CountingOutput(Stderr);

impl Write for CountingOutput {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match self.0.write(line) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                metrics::LINES_DROPPED.count(&["stderr"]);
                Ok(line.len())
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
