//! Log lines as JSON, one object per line: `timestamp` (RFC 3339, UTC), `level`, `event` (the name in the table of
//! `docs/OPERATIONS.md`), `message`, `target` (the module) and `fields`.
//!
//! The formatter of `tracing-subscriber` has no member for the event's name, by which operators filter.

use std::fmt::{self, Write as _};

use serde_json::{Map, Value};
use tracing::{Event, Subscriber};
use tracing_serde::fields::AsMap;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

pub(super) struct Json;

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
        let fields = serde_json::to_value(event.field_map()).map_err(|_| fmt::Error)?;
        let (mut fields, about) = (object(fields), event.metadata());
        let message = fields.remove("message");
        let message = message.as_ref().and_then(Value::as_str).unwrap_or_default();
        let line = line(about.level().as_str(), message, about.target(), fields)?;
        writer.write_str(&line)
    }
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(members) => members,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

/// One line including its end. `message` may begin with the event's name.
pub(super) fn line(
    level: &str,
    message: &str,
    target: &str,
    fields: Map<String, Value>,
) -> Result<String, fmt::Error> {
    let mut timestamp = String::new();
    SystemTime.format_time(&mut Writer::new(&mut timestamp))?;
    let (event, message) = split(message);
    let members = [
        ("timestamp", Some(timestamp.into())),
        ("level", Some(level.into())),
        ("event", event.map(Value::from)),
        ("message", Some(message.into())),
        ("target", Some(target.into())),
        (
            "fields",
            Some(fields)
                .filter(|fields| !fields.is_empty())
                .map(Value::Object),
        ),
    ];
    let mut line = String::new();
    for (name, value) in members {
        if let Some(value) = value {
            let begin = if line.is_empty() { '{' } else { ',' };
            write!(line, "{begin}\"{name}\":{value}")?;
        }
    }
    line.push_str("}\n");
    Ok(line)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_one_object_whatever_is_in_its_message() {
        let fields = Map::from_iter([("error".to_owned(), Value::from("a \"quote\"\nand a line"))]);
        let line = line(
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
}
