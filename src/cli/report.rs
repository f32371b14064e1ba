//! What commands show to people: results, reports and errors, with their exit codes; on a terminal also questions and the
//! progress of long work.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::iter;
use std::process::ExitCode;

use anyhow::Context as _;
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

/// Prints the report of a command that is done, whether or not the report is read: a closed pipe (`| head -0`) is
/// ignored, and any other error is reported.
pub fn print_report(text: &str) -> Exit {
    if let Err(error) = io::stdout().write_all(escaped(text.to_owned()).as_bytes())
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        let _ = writeln!(
            io::stderr(),
            "warning: done, but the report cannot be printed: {error}"
        );
    }
    Exit::Done
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

/// Prints the result of a command, text or JSON. Control characters are escaped, because the texts of reviews are
/// untrusted. A reader that closes the pipe (`| head`) has what it wants.
pub fn print_result(text: &str) -> anyhow::Result<Exit> {
    match io::stdout().write_all(escaped(text.to_owned()).as_bytes()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot print the result")
        }
        Ok(()) | Err(_) => Ok(Exit::Done),
    }
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

// Questions.

/// Whether standard input and standard error are a terminal.
pub fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Prints a message next to the questions.
///
/// # Errors
/// If the terminal cannot be written.
pub fn print_note(text: &str) -> io::Result<()> {
    writeln!(io::stderr(), "{}", escaped(text.to_owned()))
}

/// Asks for a line, which is empty at the end of input; without blanks around it.
///
/// # Errors
/// If the terminal cannot be read or written.
pub fn read_answer(prompt: &str) -> io::Result<String> {
    let mut out = io::stderr();
    write!(out, "{}", escaped(prompt.to_owned()))?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}

/// Asks for confirmation; the default is no.
///
/// # Errors
/// If the terminal cannot be read or written.
pub fn confirm(question: &str) -> io::Result<bool> {
    let answer = read_answer(&format!("{question} [y/N] "))?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}

/// The templates are constant; an invalid one would only look plainer.
pub fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
