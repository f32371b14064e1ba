//! How commands word what they show to people, and their exit codes.

use std::fmt::Write as _;
use std::io;
use std::iter;
use std::process::ExitCode;

use chrono::DateTime;
use chrono_tz::Tz;
use indicatif::ProgressStyle;
use rustix::process::{Resource, getrlimit};

use crate::model::text::escaped;

/// How a command ended, with its exit code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Exit {
    Done = 0,
    /// Some rows were rejected by an import, or left out of an export.
    SomeRejected = 1,
    /// The command failed and reported why.
    Failed = 2,
    /// SIGINT ended the command; the code is as shells report it.
    Interrupted = 130,
    /// SIGTERM ended the command.
    Terminated = 143,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// The error in one line, outermost cause first, with the limit on file sizes if that may be the cause. A cause that is
/// already part of a message is not repeated. Control characters are escaped.
pub fn explain_error(error: &anyhow::Error) -> String {
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !message.contains(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    // Some errors contain only the system's message. SQLite reports that a write failed (SQLITE_IOERR), and not why.
    let too_large = io::Error::from(rustix::io::Errno::FBIG).to_string();
    if let Some(bytes) = getrlimit(Resource::Fsize).current
        && (message.contains("disk I/O error") || message.contains(&too_large))
    {
        message = format!(
            "files are limited to {bytes} bytes (ulimit -f, LimitFSIZE=), which may be the cause; raise that limit and try again: {message}"
        );
    }
    escaped(message)
}

/// The count with the words for one or for several.
pub fn counted(count: u64, one: &str, several: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { several })
}

/// A stored instant in the business's time zone, with the zone's abbreviation; unchanged if it is none.
pub fn format_instant(stored: &str, zone: Tz) -> String {
    match DateTime::parse_from_rfc3339(stored) {
        Ok(instant) => {
            let local = instant.with_timezone(&zone);
            local.format("%Y-%m-%d %H:%M %Z").to_string()
        }
        Err(_) => stored.to_owned(),
    }
}

/// A line for each label and line of its value, with the values below each other; an empty value has none.
pub fn format_lines(width: usize, values: &[(&str, String)]) -> String {
    let mut text = String::new();
    for (label, value) in values {
        let lines = value.lines().filter(|line| !line.is_empty());
        for (label, line) in iter::once(*label).chain(iter::repeat("")).zip(lines) {
            let _ = writeln!(text, "{label:<width$}{line}");
        }
    }
    text
}

/// Rows under their heads, each column as wide as its widest cell, numbers to the right.
pub fn format_table<const N: usize>(heads: [&str; N], rows: Vec<[String; N]>) -> String {
    let rows = [vec![heads.map(str::to_owned)], rows].concat();
    let widths: [usize; N] = std::array::from_fn(|column| {
        let widths = rows.iter().map(|row| row[column].chars().count());
        widths.max().unwrap_or(0)
    });
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| {
            if cell.bytes().all(|byte| byte.is_ascii_digit()) {
                format!("{cell:>width$}")
            } else {
                format!("{cell:<width$}")
            }
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// The templates are constant; an invalid one would only look plainer.
pub fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
