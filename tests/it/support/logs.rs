//! Captures the log lines of a test.
//!
//! The process has one subscriber, because `tracing` caches per process whether a statement is enabled: a thread's own
//! subscriber would miss statements that another thread ran first. A test's lines are those within its span, on any thread.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, Once};

use tracing::span::{EnteredSpan, Id};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

/// The lines of each span of [`Logs::begin`], by span ID.
static CAPTURED: Mutex<Option<HashMap<Id, String>>> = Mutex::new(None);

/// The lines logged since [`Logs::begin`].
pub struct Logs(Id);

impl Logs {
    /// Captures lines of this thread, and of the work that other threads do for it, until the guard is dropped.
    pub fn begin() -> (Self, EnteredSpan) {
        static SUBSCRIBER: Once = Once::new();
        SUBSCRIBER.call_once(|| {
            tracing_subscriber::fmt()
                .with_writer(std::io::sink)
                .event_format(BySpan(Format::default().with_ansi(false)))
                .init();
            // Statements that ran while the subscriber was being set may be cached as disabled.
            tracing::callsite::rebuild_interest_cache();
        });
        let span = tracing::error_span!("test");
        let id = span.id().expect("the subscriber enables every span");
        let mut captured = CAPTURED.lock().unwrap();
        captured
            .get_or_insert_default()
            .insert(id.clone(), String::new());
        (Self(id), span.entered())
    }

    /// The lines that contain `event`.
    pub fn with(&self, event: &str) -> Vec<String> {
        let captured = CAPTURED.lock().unwrap();
        captured.as_ref().unwrap()[&self.0]
            .lines()
            .filter(|line| line.contains(event))
            .map(str::to_owned)
            .collect()
    }
}

impl Drop for Logs {
    fn drop(&mut self) {
        if let Some(captured) = CAPTURED.lock().unwrap().as_mut() {
            captured.remove(&self.0);
        }
    }
}

/// Adds each line to the capturing spans around it.
struct BySpan(Format<Full>);

impl<S, N> FormatEvent<S, N> for BySpan
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        _: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        for span in context.event_scope().into_iter().flatten() {
            let mut line = String::new();
            self.0
                .format_event(context, Writer::new(&mut line), event)?;
            let mut captured = CAPTURED.lock().unwrap();
            if let Some(lines) = captured.as_mut().and_then(|all| all.get_mut(&span.id())) {
                lines.push_str(&line);
            }
        }
        Ok(())
    }
}
