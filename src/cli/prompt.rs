//! Questions on a terminal.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use crate::mcp::escaped;

/// Whether standard input and standard error are a terminal.
pub(super) fn is_possible() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// The trimmed answer; empty at the end of the input.
///
/// # Errors
/// If the terminal cannot be read or written.
pub(super) fn ask(question: &str) -> io::Result<String> {
    let mut out = io::stderr();
    write!(out, "{} ", escaped(question.to_owned()))?;
    out.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer)?;
    Ok(answer.trim().to_owned())
}

/// Prints a message next to the questions.
///
/// # Errors
/// If the terminal cannot be written.
pub(super) fn say(text: &str) -> io::Result<()> {
    writeln!(io::stderr(), "{}", escaped(text.to_owned()))
}

/// Asks for confirmation; the default is no.
///
/// # Errors
/// If the terminal cannot be read or written.
pub(super) fn confirm(question: &str) -> io::Result<bool> {
    let answer = ask(&format!("{question} [y/N]"))?;
    Ok(matches!(answer.to_lowercase().as_str(), "y" | "yes"))
}
