//! Logging of the process: the filter, the format, and panics, which are logged because the standard hook writes and
//! may block.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{IsTerminal as _, Write as _, stderr};

use clap::{Args, ValueEnum};
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

use crate::model::text::escaped;

/// The scheduler logs each of its steps.
const FILTER: &str = "info,tokio_cron_scheduler=warn";
/// Whatever the filter says, the client of fetches does not log addresses, which may have values of `${…}`.
const WITHOUT_ADDRESSES: &str = "hyper_util=info,reqwest=info";
/// The log never blocks the service: a separate thread writes the lines. Lines beyond these, and those that cannot be written,
/// are dropped.
const QUEUED_LINES_MAX: usize = 8_192;

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

/// The log from [`start`] to the end of the process. Dropping it waits at most a second until queued lines are written.
pub struct Log {
    writer: NonBlocking,
    _guard: WorkerGuard,
}

impl Log {
    /// Writes why the command failed, regardless of the filter.
    pub fn fail(&self, reason: &str) {
        let line = format!("error: {reason}\n");
        // The queue drops lines instead of failing.
        let _ = self.writer.clone().write_all(line.as_bytes());
    }
}

/// Sets up logging for the process, including panics. `filter` is valid; an empty one is the default.
pub fn start(filter: &str, format: LogFormat) -> Log {
    let filter = Some(filter.trim()).filter(|filter| !filter.is_empty());
    let queue = NonBlockingBuilder::default().buffered_lines_limit(QUEUED_LINES_MAX);
    let (writer, guard) = queue.finish(stderr());
    let filter = format!("{},{WITHOUT_ADDRESSES}", filter.unwrap_or(FILTER));
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(filter))
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
        _guard: guard,
    }
}
