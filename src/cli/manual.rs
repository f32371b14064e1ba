//! Shell completions, manual pages and the version, from the same definitions as the parser.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use clap::Args;
use clap_complete::Shell;
use clap_mangen::roff::{Roff, bold, roman};

use super::{Outcome, guide, say};
use crate::storage::sqlite_version;

/// Print completions for a shell
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Print the manual page (roff) of the program or of one command
#[derive(Debug, Args)]
pub struct Man {
    /// A command, such as `serve` [default: the program]
    command: Option<String>,
}

impl Completions {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut guide::command(), "reviews", &mut text);
        say(&String::from_utf8(text)?)?;
        Ok(Outcome::Done)
    }
}

impl Man {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let mut program = guide::command();
        program.build();
        let page = match &self.command {
            None => program,
            Some(name) => {
                let commands: Vec<&str> = program
                    .get_subcommands()
                    .map(clap::Command::get_name)
                    .collect();
                let Some(command) = program.find_subcommand(name) else {
                    bail!(
                        "unknown command `{name}`; name one of {}",
                        commands.join(", ")
                    );
                };
                command.clone().version(env!("CARGO_PKG_VERSION"))
            }
        };
        say(&page_of(page)?)?;
        Ok(Outcome::Done)
    }
}

/// The manual page of a command, with the sections of man-pages(7).
fn page_of(command: clap::Command) -> anyhow::Result<String> {
    let name = command.get_name().to_owned();
    let variables = variables(&command);
    // The examples have their own section.
    let page = clap_mangen::Man::new(command.after_help(None::<&'static str>));
    let mut text = Vec::new();
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    page.render_subcommands_section(&mut text)?;
    let examples = match guide::examples_of(&name) {
        [] => guide::examples_of("init")
            .iter()
            .chain(guide::examples_of("import"))
            .chain(guide::examples_of("serve"))
            .copied()
            .collect(),
        its => its.to_vec(),
    };
    let examples: Vec<(String, String)> = examples.into_iter().map(owned).collect();
    let codes: Vec<(String, String)> = guide::EXIT_CODES.into_iter().map(owned).collect();
    let files: Vec<(String, String)> = guide::FILES.into_iter().map(owned).collect();
    for (title, entries) in [
        ("EXAMPLES", examples),
        ("EXIT STATUS", codes),
        ("ENVIRONMENT", variables),
        ("FILES", files),
    ] {
        section(title, &entries, &mut text)?;
    }
    page.render_version_section(&mut text)?;
    Ok(String::from_utf8(text)?)
}

fn owned((term, text): (&str, &str)) -> (String, String) {
    (term.to_owned(), text.to_owned())
}

/// The environment variables of a command with their descriptions.
fn variables(command: &clap::Command) -> Vec<(String, String)> {
    let shown = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set());
    let variable = |argument: &clap::Arg| {
        let name = argument.get_env()?.to_str()?.to_owned();
        Some((name, argument.get_help()?.to_string()))
    };
    shown.filter_map(variable).collect()
}

/// A section of terms and texts; empty if there are no entries.
fn section(title: &str, entries: &[(String, String)], page: &mut Vec<u8>) -> anyhow::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut roff = Roff::default();
    roff.control("SH", [title]);
    for (term, text) in entries {
        roff.control("TP", []);
        roff.text([bold(term.as_str())]);
        roff.text([roman(text.as_str())]);
    }
    roff.to_writer(page)?;
    Ok(())
}

/// Prints the versions of the program, with its commit, and of the bundled SQLite.
pub(super) fn print_version() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let sqlite = runtime.block_on(sqlite_version())?;
    let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("REVIEWS_COMMIT"));
    let line = format!("reviews {version} (commit {commit}, SQLite {sqlite})\n");
    let mut out = std::io::stdout();
    out.write_all(line.as_bytes())
        .context("cannot print the version")
}
