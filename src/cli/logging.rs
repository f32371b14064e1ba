//! Logging of the process: the filter, the format, and panics, which are logged because the standard hook writes and
//! may block. [`LineQueue`] writes the lines.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::collections::VecDeque;
use std::io::{IsTerminal, Write, stderr};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use std::{fmt, io};

use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Map, Value};
use tracing::{Event, Subscriber};
use tracing_serde::fields::AsMap;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use crate::compute::lock;
use crate::metrics;

/// The default filter.
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
                json_line("ERROR", &message, module_path!(), Map::new()).unwrap_or(message)
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
        LogFormat::Json => subscriber.with_ansi(false).event_format(Json).init(),
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

// Log lines as JSON, one object per line: `timestamp` (RFC 3339, UTC), `level`, `event` (the name in the table of
// `docs/OPERATIONS.md`), `message`, `target` (the module) and `fields`.
//
// The formatter of `tracing-subscriber` has no member for the event's name, by which operators filter.

struct Json;

impl<S, N> FormatEvent<S, N> for Json
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let Ok(Value::Object(mut fields)) = serde_json::to_value(event.field_map()) else {
            return Err(fmt::Error);
        };
        let about = event.metadata();
        let message = fields.remove("message");
        let message = message.as_ref().and_then(Value::as_str).unwrap_or_default();
        let line = json_line(about.level().as_str(), message, about.target(), fields)?;
        writer.write_str(&line)
    }
}

#[derive(Serialize)]
struct JsonLine<'a> {
    timestamp: &'a str,
    level: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    event: Option<&'a str>,
    message: &'a str,
    target: &'a str,
    #[serde(skip_serializing_if = "Map::is_empty")]
    fields: Map<String, Value>,
}

/// One line including its end. `message` may begin with the event's name.
fn json_line(
    level: &str,
    message: &str,
    target: &str,
    fields: Map<String, Value>,
) -> Result<String, fmt::Error> {
    let mut timestamp = String::new();
    SystemTime.format_time(&mut Writer::new(&mut timestamp))?;
    let (event, message) = split(message);
    let line = JsonLine {
        timestamp: &timestamp,
        level,
        event,
        message,
        target,
        fields,
    };
    let line = serde_json::to_string(&line).map_err(|_| fmt::Error)?;
    Ok(line + "\n")
}

/// Splits `database.gone: the file…` into event and message. Messages of other crates have no event.
fn split(message: &str) -> (Option<&str>, &str) {
    message
        .split_once(": ")
        .filter(|(name, _)| {
            name.contains('.')
                && name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c == '.' || c == '_')
        })
        .map_or((None, message), |(name, said)| (Some(name), said))
}

// A bounded queue that a separate thread writes to standard error or standard output, so that output never blocks the
// service.
//
// The reader of the log may be gone, stalled or out of disk. So a line is queued or dropped immediately; dropped
// lines are counted (`reviews_output_lines_dropped_total`) and logged once the output works again.
//
// `tracing-appender` (0.2.5) limits lines but not their bytes, does not count lines that could not be written, and
// prints to standard output if its queue is full at the end.

const QUEUED_LINES_MAX: usize = 8_192;
const QUEUED_BYTES_MAX: usize = 4 << 20;
/// The maximum wait of the process at its end for queued lines.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Accepts lines without waiting. Cloning shares the same queue.
#[derive(Clone)]
pub struct LineQueue(Arc<Shared>);

struct Shared {
    /// The output's name in metrics and in the log.
    stream: &'static str,
    queue: Mutex<Queue>,
    /// Notified when a line is queued or the queue is closed.
    filled: Condvar,
    /// Notified when all queued lines were written or failed.
    emptied: Condvar,
}

#[derive(Default)]
struct Queue {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    is_writing: bool,
    /// Lines dropped since the start, because the queue was full or writing failed.
    dropped: u64,
    /// Dropped lines that were logged.
    told: u64,
}

impl LineQueue {
    /// Starts the thread that writes to `out`; `stream` is its name.
    #[expect(
        clippy::disallowed_methods,
        reason = "it ends with the process: it may wait for ever for what it writes to"
    )]
    pub fn start(stream: &'static str, out: impl Write + Send + 'static) -> Self {
        let (queue, filled, emptied) = (Mutex::default(), Condvar::new(), Condvar::new());
        let lines = Self(Arc::new(Shared {
            stream,
            queue,
            filled,
            emptied,
        }));
        let writing = lines.clone();
        std::thread::spawn(move || writing.write_to(out));
        lines
    }

    /// Queues `line`, or drops it if the queue is full.
    pub fn push(&self, line: &[u8]) {
        let mut queue = lock(&self.0.queue);
        if queue.lines.len() >= QUEUED_LINES_MAX || queue.bytes + line.len() > QUEUED_BYTES_MAX {
            queue.dropped += 1;
            metrics::LINES_DROPPED.count(&[self.0.stream]);
            return;
        }
        queue.bytes += line.len();
        queue.lines.push_back(line.to_vec());
        drop(queue);
        self.0.filled.notify_one();
    }

    /// Waits at most two seconds until all queued lines are written.
    pub fn close(&self) {
        let is_busy = |queue: &mut Queue| queue.is_writing || !queue.lines.is_empty();
        // After a timeout there is no output left to report it to.
        drop(
            self.0
                .emptied
                .wait_timeout_while(lock(&self.0.queue), CLOSE_TIMEOUT, is_busy),
        );
    }

    fn write_to(&self, mut out: impl Write) {
        let mut has_failed = false;
        loop {
            let line = self.next();
            // A failed line may have been written in part.
            let start: &[u8] = if has_failed { b"\n" } else { b"" };
            has_failed = out
                .write_all(start)
                .and_then(|()| out.write_all(&line))
                .and_then(|()| out.flush())
                .is_err();
            if let Some(lines) = self.note(has_failed) {
                let stream = self.0.stream;
                tracing::warn!(
                    lines,
                    stream,
                    "log.dropped: lines are missing above, because the output was blocked or full"
                );
            }
        }
    }

    /// Waits for the next line.
    fn next(&self) -> Vec<u8> {
        let mut queue = lock(&self.0.queue);
        queue.is_writing = false;
        loop {
            if let Some(line) = queue.lines.pop_front() {
                queue.bytes -= line.len();
                queue.is_writing = true;
                return line;
            }
            self.0.emptied.notify_all();
            let filled = self.0.filled.wait(queue);
            queue = filled.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Records the result of a write; returns the number of lost lines that are not logged yet, once the output works
    /// again.
    fn note(&self, has_failed: bool) -> Option<u64> {
        let mut queue = lock(&self.0.queue);
        if has_failed {
            queue.dropped += 1;
            metrics::LINES_DROPPED.count(&[self.0.stream]);
            return None;
        }
        let lost = queue.dropped - queue.told;
        // Not while the queue is still full, so that a loss is logged only once, after it has ended.
        if lost == 0 || queue.lines.len() > QUEUED_LINES_MAX / 2 {
            return None;
        }
        queue.told = queue.dropped;
        Some(lost)
    }
}

/// Each write is one line. It never fails.
impl Write for LineQueue {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.push(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};

    use super::*;

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

    #[test]
    fn a_line_is_one_object_whatever_is_in_its_message() {
        let fields = Map::from_iter([("error".to_owned(), Value::from("a \"quote\"\nand a line"))]);
        let line = json_line(
            "WARN",
            "database.gone: it is\nnot there\u{1b}",
            "here",
            fields,
        )
        .unwrap();
        let (first, rest) = line.split_at(line.len() - 1);
        assert!(rest == "\n" && !first.contains('\n'), "{line}");
        let read: Value = serde_json::from_str(first).unwrap();
        assert_eq!(read["event"], "database.gone");
        assert_eq!(read["message"], "it is\nnot there\u{1b}");
        assert_eq!(read["fields"]["error"], "a \"quote\"\nand a line");
        assert!(read["timestamp"].as_str().unwrap().ends_with('Z'));
    }

    #[test]
    fn only_a_name_is_taken_for_an_event() {
        for (message, event) in [
            ("snapshot.published: a new one", Some("snapshot.published")),
            ("No such file: x", None),
            ("error: x", None),
            ("nothing else", None),
        ] {
            assert_eq!(split(message).0, event, "{message}");
        }
    }

    /// Writes only when it is allowed to, and sends the written bytes to the test.
    struct Gate {
        open: Receiver<bool>,
        written: Sender<String>,
    }

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if !self.open.recv().unwrap_or(true) {
                return Err(io::ErrorKind::StorageFull.into());
            }
            let _ = self
                .written
                .send(String::from_utf8_lossy(bytes).into_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn gate() -> (LineQueue, Sender<bool>, Receiver<String>) {
        let ((open, opened), (written, said)) = (channel(), channel());
        (
            LineQueue::start(
                "test",
                Gate {
                    open: opened,
                    written,
                },
            ),
            open,
            said,
        )
    }

    #[test]
    fn while_the_log_stalls_lines_are_dropped_and_counted_and_nobody_waits() {
        let (lines, open, said) = gate();
        let total = QUEUED_LINES_MAX + 100;
        lines.push(b"0\n");
        // The line is taken from the queue and waits at the gate.
        while !lock(&lines.0.queue).is_writing {
            std::thread::yield_now();
        }
        (1..total).for_each(|number| lines.push(format!("{number}\n").as_bytes()));
        assert_eq!(lock(&lines.0.queue).dropped, 99);
        let kept = total - usize::try_from(lock(&lines.0.queue).dropped).unwrap();
        drop(open);
        for number in 0..kept {
            assert_eq!(
                said.recv().unwrap(),
                format!("{number}\n"),
                "in their order, the first ones kept"
            );
        }
        lines.close();
    }

    #[test]
    fn what_waits_is_bounded_in_bytes_too() {
        let (lines, _open, _said) = gate();
        (0..6).for_each(|_| lines.push(&vec![b'x'; 1 << 20]));
        let dropped = lock(&lines.0.queue).dropped;
        assert!((1..=2).contains(&dropped), "{dropped}");
    }

    #[test]
    fn lines_that_cannot_be_written_are_counted_and_the_next_begins_a_line_of_its_own() {
        let (lines, open, said) = gate();
        lines.push(b"lost\n");
        open.send(false).unwrap();
        drop(open);
        lines.push(b"kept\n");
        assert_eq!(
            [said.recv().unwrap(), said.recv().unwrap()],
            ["\n", "kept\n"]
        );
        lines.close();
        let queue = lock(&lines.0.queue);
        assert_eq!((queue.dropped, queue.told), (1, 1));
    }
}
