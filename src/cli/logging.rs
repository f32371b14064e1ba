//! The log of a command: the filter, the format, and panics, which are logged because the standard hook writes and
//! may block.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write};

use clap::{Args, ValueEnum};
use tracing::dispatcher::{self, DefaultGuard, Dispatch};
use tracing_appender::non_blocking::{NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::{Writer, debug_fn};

use super::session::{Host, Session};
use crate::model::text::escaped;

const FILTER: &str = "info";
/// The target of this program's events.
const OWN: &str = "reviews_service";
/// Whatever the filter says, the client of fetches does not log addresses, which may have values of `${…}`.
const WITHOUT_ADDRESSES: &str = "hyper_util=warn,reqwest=warn";
/// The log never blocks the service: a separate thread writes the lines. Lines beyond these, and those that cannot be written,
/// are dropped.
const QUEUED_LINES_MAX: usize = 8_192;

/// What is logged, and how.
#[derive(Debug, Clone, Args)]
pub struct LogConfig {
    /// Log filter: a level, and levels of libraries by name, such as `debug,rustls=info`; others log warnings [default: info]
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
    let advice = "write it like debug, or debug,rustls=info";
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

/// The log of a command. Dropping it waits at most a second until queued lines are written.
pub struct Log {
    writer: NonBlocking,
    /// Of a log that is the thread's alone. Dropped before the queue is emptied, so that nothing is added then.
    _scope: Option<DefaultGuard>,
    _guard: WorkerGuard,
}

impl Log {
    /// Sets up the log of the process, including panics, or that of the thread.
    pub fn start(config: &LogConfig, session: &Session) -> Self {
        let queue = NonBlockingBuilder::default().buffered_lines_limit(QUEUED_LINES_MAX);
        let (writer, guard) = queue.finish(session.errors.clone());
        let subscriber = subscriber(config, writer.clone(), session.errors.is_terminal);
        let scope = match session.host {
            Host::Process => {
                // Only this sets it.
                let _ = dispatcher::set_global_default(subscriber);
                log_panics();
                None
            }
            Host::Thread(_) => Some(dispatcher::set_default(&subscriber)),
        };
        Self {
            writer,
            _scope: scope,
            _guard: guard,
        }
    }

    /// Writes why the command failed, regardless of the filter.
    pub fn fail(&self, reason: &str) {
        let line = format!("error: {reason}\n");
        // The queue drops lines instead of failing.
        let _ = self.writer.clone().write_all(line.as_bytes());
    }
}

/// The directives of `filter`, in which a level by itself is that of this program: libraries log warnings at most, unless they are
/// named.
fn directives(filter: &str) -> String {
    let (mut levels, mut named) = (Vec::new(), Vec::new());
    let parts = filter.split(',').map(str::trim);
    for part in parts.filter(|part| !part.is_empty()) {
        match part.parse::<LevelFilter>() {
            Ok(level) => levels.push(format!("{},{OWN}={level}", level.min(LevelFilter::WARN))),
            Err(_) => named.push(part.to_owned()),
        }
    }
    // A later directive replaces an earlier one for the same target.
    let all = [levels, named, vec![WITHOUT_ADDRESSES.to_owned()]];
    all.concat().join(",")
}

/// Writes JSON without hidden characters, which the standard encoding of JSON leaves as they are.
struct EscapedLines<W>(W);

impl<W: Write> Write for EscapedLines<W> {
    /// `line` is a whole one.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let text = escaped(String::from_utf8_lossy(line).into_owned());
        self.0.write_all(text.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes the events of the filter as lines of the format.
fn subscriber(config: &LogConfig, writer: NonBlocking, has_colors: bool) -> Dispatch {
    let filter = Some(config.filter.trim()).filter(|filter| !filter.is_empty());
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(directives(filter.unwrap_or(FILTER))))
        // It would report them with `eprintln!`, which panics if standard error is closed.
        .log_internal_errors(false);
    match config.format {
        LogFormat::Text => {
            let fields = debug_fn(|writer: &mut Writer<'_>, field, value| {
                let text = escaped(format!("{value:?}"));
                match field.name() {
                    "message" => writer.write_str(&text),
                    // A line break of foreign words would begin a line that looks like another event.
                    name => write!(writer, "{name}={}", text.replace('\n', "\\n")),
                }
            });
            subscriber
                .with_writer(writer)
                .fmt_fields(fields.delimited(" "))
                .with_ansi(has_colors)
                .into()
        }
        LogFormat::Json => subscriber
            .json()
            .with_writer(move || EscapedLines(writer.clone()))
            .into(),
    }
}

fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = Backtrace::capture();
        if backtrace.status() == BacktraceStatus::Captured {
            tracing::error!("process.panicked: {panic}\n{backtrace}");
        } else {
            tracing::error!("process.panicked: {panic}");
        }
    }));
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use serde_json::Value;
    use tracing::Level;
    use tracing_subscriber::EnvFilter;
    use tracing_subscriber::layer::SubscriberExt as _;

    use super::{EscapedLines, directives};

    #[test]
    fn lines_of_json_have_no_hidden_characters() {
        let line = serde_json::json!({"file": "a\u{202e}\u{9b}31m\u{1b}[2J"});
        let mut written = Vec::new();
        let mut lines = EscapedLines(&mut written);
        lines.write_all(format!("{line}\n").as_bytes()).unwrap();
        let written = String::from_utf8(written).unwrap();
        assert_eq!(written, "{\"file\":\"a\\u202e\\u009b31m\\u001b[2J\"}\n");
        assert_eq!(written.parse::<Value>().unwrap(), line);
    }

    #[test]
    fn a_level_is_that_of_this_program_and_of_libraries_that_are_named() {
        for (filter, own, scheduler, fetches) in [
            (
                "info",
                Some(Level::INFO),
                Some(Level::WARN),
                Some(Level::WARN),
            ),
            (
                "error",
                Some(Level::ERROR),
                Some(Level::ERROR),
                Some(Level::WARN),
            ),
            (
                "TRACE",
                Some(Level::TRACE),
                Some(Level::WARN),
                Some(Level::WARN),
            ),
            (
                "tokio_cron_scheduler=info, debug,reqwest=trace",
                Some(Level::DEBUG),
                Some(Level::INFO),
                Some(Level::WARN),
            ),
            (
                "reviews_service=debug,warn",
                Some(Level::DEBUG),
                Some(Level::WARN),
                Some(Level::WARN),
            ),
            ("off", None, None, Some(Level::WARN)),
        ] {
            let subscriber =
                tracing_subscriber::registry().with(EnvFilter::new(directives(filter)));
            tracing::subscriber::with_default(subscriber, || {
                // Each call registers a place of its own, so that none is answered from a cache.
                macro_rules! most {
                    ($target:literal) => {
                        [
                            (tracing::enabled!(target: $target, Level::TRACE), Level::TRACE),
                            (tracing::enabled!(target: $target, Level::DEBUG), Level::DEBUG),
                            (tracing::enabled!(target: $target, Level::INFO), Level::INFO),
                            (tracing::enabled!(target: $target, Level::WARN), Level::WARN),
                            (tracing::enabled!(target: $target, Level::ERROR), Level::ERROR),
                        ]
                        .into_iter()
                        .find_map(|(is_enabled, level)| is_enabled.then_some(level))
                    };
                }
                let most = [
                    most!("reviews_service::app"),
                    most!("tokio_cron_scheduler::job"),
                    most!("reqwest::connect"),
                ];
                assert_eq!(most, [own, scheduler, fetches], "{filter}");
            });
        }
    }
}
