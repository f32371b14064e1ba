//! What the command line says of itself to others: completions for shells, manual pages, the version. All are made of the
//! same definitions that parse it.

use std::io::Write as _;

use anyhow::{Context as _, bail};
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;

use super::{Cli, Outcome, say};
use crate::storage::sqlite_version;

/// Print completions for a shell
#[derive(Debug, Args)]
pub struct Completions {
    /// Which one
    shell: Shell,
}

/// Print the manual page (roff), of the program or of one command
#[derive(Debug, Args)]
pub struct Man {
    /// A command, such as `serve` [default: the program]
    command: Option<String>,
}

impl Completions {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "reviews", &mut text);
        say(&String::from_utf8(text)?)?;
        Ok(Outcome::Done)
    }
}

impl Man {
    pub(super) fn run(self) -> anyhow::Result<Outcome> {
        let mut program = Cli::command();
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
                        "there is no command `{name}`; name one of {}",
                        commands.join(", ")
                    );
                };
                command.clone().version(env!("CARGO_PKG_VERSION"))
            }
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        say(&String::from_utf8(text)?)?;
        Ok(Outcome::Done)
    }
}

/// Prints the version with the commit that it was built from, and that of the SQLite inside.
pub(super) fn print_version() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let sqlite = runtime.block_on(sqlite_version())?;
    let (version, commit) = (env!("CARGO_PKG_VERSION"), env!("REVIEWS_COMMIT"));
    let line = format!("reviews {version} (commit {commit}, SQLite {sqlite})\n");
    let mut out = std::io::stdout();
    out.write_all(line.as_bytes())
        .context("cannot print the version")
}
