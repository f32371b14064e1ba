//! The program's help: examples for `--help` and manual pages; shell completions, from the same definitions as the
//! parser.

use std::fmt::Write as _;

use anyhow::Context as _;
use clap::builder::StyledStr;
use clap::{Args, Command};
use clap_complete::Shell;

use super::report::Exit;
use super::session::Session;

const COLUMNS: usize = 80;

/// The examples: the command, a command line, and what it does.
const EXAMPLES: &str = include_str!("examples.txt");

/// The program with the examples of its commands.
pub(super) fn command(program: Command) -> Command {
    let program = program.max_term_width(COLUMNS);
    program.mut_subcommands(|command| described(command, ""))
}

/// The command with its examples.
fn described(command: Command, parent: &str) -> Command {
    let name = format!("{parent}{}", command.get_name());
    let examples = EXAMPLES.lines().filter_map(|line| {
        let (command, example) = line.split_once(": ")?;
        (command == name).then(|| example.split_once(" # "))?
    });
    let mut text = String::from("Examples:");
    for (line, does) in examples {
        let _ = write!(text, "\n  {line}\n      {does}");
    }
    let parent = format!("{name} ");
    let command = command.mut_subcommands(|command| described(command, &parent));
    command.after_help(StyledStr::from(text))
}

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
    pub(super) fn run(self, program: Command, session: &Session) -> anyhow::Result<Exit> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command(program), "reviews", &mut text);
        session.print_result(&String::from_utf8(text)?)
    }
}

impl Man {
    pub(super) fn run(self, program: Command, session: &Session) -> anyhow::Result<Exit> {
        let mut page = command(program);
        page.build();
        for name in &self.command {
            let command = page.find_subcommand(name);
            let command = command.with_context(|| {
                format!("unknown command `{name}`; `reviews --help` lists the commands")
            })?;
            page = command.clone().version(env!("CARGO_PKG_VERSION"));
        }
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        // The library's heading for what follows the options.
        let text = String::from_utf8(text)?.replace(".SH EXTRA\nExamples:\n", ".SH EXAMPLES\n");
        session.print_result(&text)
    }
}
