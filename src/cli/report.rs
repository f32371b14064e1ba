//! What every command prints at its end: its result, its report or its error; and its exit code.

use std::fmt::Write as _;
use std::io;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;

use crate::mcp::escaped;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Exit code 0.
    Done,
    /// Some rows were rejected by an import, or left out of an export: exit code 1.
    SomeRejected,
    /// The command failed and reported why: exit code 2.
    Failed,
}

impl From<Exit> for ExitCode {
    fn from(outcome: Exit) -> Self {
        match outcome {
            Exit::Done => Self::SUCCESS,
            Exit::SomeRejected => Self::from(1),
            Exit::Failed => Self::from(2),
        }
    }
}

/// Prints the report of a command that is done, whether or not the report is read: a closed pipe (`| head -0`) is
/// ignored, and any other error is reported.
pub fn report_done(text: &str) -> Exit {
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

/// The error in one line, outermost cause first. A cause that is already part of a message is not repeated. Control
/// characters are escaped.
pub fn explain(error: &anyhow::Error) -> String {
    let mut said = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !said.contains(&cause) {
            said = format!("{said}: {cause}");
        }
    }
    escaped(said)
}

/// Prints the result of a command, text or JSON. Control characters are escaped, because the texts of reviews are
/// untrusted. A closed pipe (`| head`) is an error instead of a panic.
pub fn say(text: &str) -> anyhow::Result<Exit> {
    io::stdout()
        .write_all(escaped(text.to_owned()).as_bytes())
        .context("cannot print the result")?;
    Ok(Exit::Done)
}

/// Adds the line `COUNT TEXT` to a report, unless the count is 0.
pub fn add_count(report: &mut String, count: u64, text: &str) {
    if count > 0 {
        // Writing into a String cannot fail.
        let _ = writeln!(report, "{count} {text}");
    }
}
