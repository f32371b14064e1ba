//! What commands show on a terminal besides their result: questions, and the progress of long work.

use std::io;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::clock::Clock;
use crate::mcp::escaped;

/// Whether standard input and standard error are a terminal.
pub(super) fn can_ask() -> bool {
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

// A progress bar on standard error: phase and percent. Only on a terminal, and until it is dropped.

/// Interval of progress updates.
const LOOK_INTERVAL: Duration = Duration::from_millis(250);

/// A bar for a phase of `total` steps; hidden unless standard error is a terminal.
pub(super) fn progress(phase: &'static str, total: u64) -> ProgressBar {
    ProgressBar::new(total.max(1))
        .with_style(style("{msg} {wide_bar} {percent} %"))
        .with_message(phase)
}

/// Runs `work` and regularly shows the number of finished steps.
pub(super) async fn watch<T>(
    bar: ProgressBar,
    work: impl Future<Output = T>,
    done: impl Fn() -> u64,
) -> T {
    let clock = Clock::system();
    let mut work = std::pin::pin!(work);
    loop {
        tokio::select! {
            result = &mut work => return result,
            () = clock.sleep(LOOK_INTERVAL) => bar.set_position(done()),
        }
    }
}

/// The templates are constant; an invalid one would only look plainer.
pub(super) fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
