//! The program's help: examples for `--help` and manual pages; shell completions and the version, from the same
//! definitions as the parser.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::{Context as _, bail};
use clap::builder::StyledStr;
use clap::{Arg, Args, Command};
use clap_complete::Shell;

use super::report::{Exit, print_result};
use crate::storage::sqlite_version;

/// A command line and its description.
type Example = (&'static str, &'static str);

const COLUMNS: usize = 80;

/// The examples: the command, a command line, and what it does.
const EXAMPLES: &str = include_str!("examples.txt");

/// The program with examples, and without options that a command ignores.
pub(super) fn command(program: Command) -> Command {
    let program = program.max_term_width(COLUMNS);
    let globals: Vec<Arg> = program
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(|argument| argument.clone().hide(true))
        .collect();
    program.mut_subcommands(|command| described(command, "", &globals))
}

/// The command with its examples, and without options that it ignores.
fn described(command: Command, parent: &str, globals: &[Arg]) -> Command {
    let name = format!("{parent}{}", command.get_name());
    let command = match name.as_str() {
        "completions" | "man" => command.args(globals.iter().cloned()),
        "healthcheck" => command.args(globals.first().cloned()), // --database
        _ => command,
    };
    let examples = examples_of(&name);
    let parent = format!("{name} ");
    let command = command.mut_subcommands(|command| described(command, &parent, globals));
    if examples.is_empty() {
        return command;
    }
    let mut text = String::from("Examples:");
    for (line, does) in examples {
        let _ = write!(text, "\n  {line}\n      {does}");
    }
    command.after_help(StyledStr::from(text))
}

/// Example commands with what they do.
pub fn examples_of(name: &str) -> Vec<Example> {
    let example = |line: &'static str| {
        let (command, example) = line.split_once(": ")?;
        (command == name).then(|| example.split_once(" # "))?
    };
    EXAMPLES.lines().filter_map(example).collect()
}

// Shell completions, manual pages and the version, from the same definitions as the parser.

/// The end of every manual page.
const MANUAL_SECTIONS: &str = r#".SH "EXIT STATUS"
0 done, 1 some rows were rejected, 2 failed
.SH ENVIRONMENT
Each option names its variable. Options have precedence over variables, and these over the file of settings.
.SH FILES
.TP
/etc/reviews.env
settings, one NAME=VALUE a line
.TP
reviews.db
the default database
"#;

/// Print completions for a shell
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    shell: Shell,
}

/// Print the manual page (roff) of the program or of one command
#[derive(Debug, Args)]
pub struct Man {
    /// A command, such as `serve` or `sync run` [default: the program]
    #[arg(value_name = "COMMAND")]
    command: Vec<String>,
}

impl Completions {
    pub(super) fn run(self, program: Command) -> anyhow::Result<Exit> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command(program), "reviews", &mut text);
        print_result(&String::from_utf8(text)?)
    }
}

impl Man {
    pub(super) fn run(self, program: Command) -> anyhow::Result<Exit> {
        let mut page = command(program);
        page.build();
        for name in &self.command {
            let Some(command) = page.find_subcommand(name) else {
                let commands: Vec<&str> = page.get_subcommands().map(Command::get_name).collect();
                bail!(
                    "unknown command `{name}`; name one of {}",
                    commands.join(", ")
                );
            };
            page = command.clone().version(env!("CARGO_PKG_VERSION"));
        }
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        // The library's heading for what follows the options.
        let text = String::from_utf8(text)?.replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n");
        print_result(&(text + MANUAL_SECTIONS))
    }
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
