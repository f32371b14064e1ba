//! The program's help: examples, exit codes and files for `--help`, manual pages and `docs/REFERENCE.md`; shell
//! completions and the version, from the same definitions as the parser.

use std::fmt::Write as _;
use std::io::Write as _;

use anyhow::{Context as _, bail};
use clap::builder::StyledStr;
use clap::{Arg, Args, Command};
use clap_complete::Shell;
use clap_mangen::roff::{Roff, bold, roman};

use super::report::{Exit, say};
use crate::storage::sqlite_version;

/// A command line and its description.
type Example = (&'static str, &'static str);

/// Maximum width of the help.
const COLUMNS: usize = 80;
/// Options of `serve` that `mcp` accepts and ignores, so that both can use the same settings file.
const ONLY_SERVING: [&str; 4] = [
    "admin-listen",
    "security-contact",
    "connections-per-peer-max",
    "trusted-proxies",
];

/// The examples: the command, a command line, and what it does. Those of `insights` include its subcommands.
const EXAMPLES: &str = r#"
serve: reviews serve # serve reviews.db on http://127.0.0.1:8080
serve: reviews serve --listen 8090 --base-url https://reviews.example.com # serve behind a proxy
serve: reviews serve --seed seeds # try it with the sample firm
migrate: reviews migrate # bring reviews.db up to date
init: reviews init --name "Desert Peak" --type Plumber --time-zone America/Phoenix # set up a business
init: reviews init --telephone "+1 602 555 0100" # change one field
business: reviews business # print it as a business.json
business: reviews business business.json # merge the file into it
editorial: reviews editorial # print the texts as an editorial.json
editorial: reviews editorial editorial.json # merge the file into them
seed: reviews seed seeds # load the sample firm
import: reviews import takeout.zip # import a Google Takeout
import: reviews import feedback.csv --dry-run # show what an import would do
import: reviews import feedback.csv --map text=Comments # name the column with the texts
status: reviews status # show the state and the next step
status: reviews status --json # the same as JSON
undo: reviews undo --dry-run # show what it would remove
undo: reviews undo # undo the last import
undo: reviews undo 3 # undo import 3 of `reviews status`
source: reviews source # list the sources
source: reviews source rename Direct Angi # reviews of Direct become reviews of Angi
list: reviews list # the newest reviews, with their IDs
list: reviews list --rating 1 --status published # published reviews with one star
list: reviews list --query furnace # those that mention a word
show: reviews show 36928 # by the beginning of its ID
show: reviews show https://reviews.example.com/reviews/r-12 # by its permalink
withhold: reviews withhold r-12 --reason "under dispute" # remove a review from the pages
publish: reviews publish r-12 # publish it again
respond: reviews respond r-12 "Thank you, Ann." # answer a review
respond: reviews respond r-12 - # read the answer from standard input
respond: reviews respond r-12 --remove # remove the answer
delete: reviews delete r-13 # ask, then delete
delete: reviews delete r-13 --yes # delete without asking
export: reviews export reviews.jsonl # everything, to import elsewhere
export: reviews export reviews.csv # the reviews as a table
backup: reviews backup reviews-2026-11-20.db # copy the database
backup: reviews backup latest.db --force # overwrite the last copy
restore: reviews restore reviews-2026-11-20.db # put a backup in place; stop the service first
insights: reviews insights # show what customers say
insights: reviews insights explain r-12 # show why a review counts as it does
insights: reviews insights rebuild # analyse all reviews again
explain: reviews insights explain r-12 # show why a review counts as it does
rebuild: reviews insights rebuild # analyse all reviews again
subscriptions: reviews subscriptions # list the subscribers
mcp: reviews mcp --database /var/lib/reviews/reviews.db # the command for an agent's configuration
check: reviews check # verify reviews.db without changing it
healthcheck: reviews healthcheck # check whether the service is ready
completions: reviews completions bash # completions that bash loads with `source`
man: reviews man import # the manual page of one command
"#;

/// The program with examples, and without options that a command ignores.
pub(super) fn command(program: Command) -> Command {
    let program = program.max_term_width(COLUMNS);
    let globals: Vec<Arg> = program
        .get_arguments()
        .filter(|argument| argument.is_global_set())
        .map(|argument| argument.clone().hide(true))
        .collect();
    program.mut_subcommands(|command| described(command, &globals))
}

/// The command with its examples, and without options that it ignores.
fn described(command: Command, globals: &[Arg]) -> Command {
    let name = command.get_name().to_owned();
    let command = match name.as_str() {
        "completions" | "man" => command.args(globals.iter().cloned()),
        "healthcheck" => command.args(globals.first().cloned()), // --database
        "mcp" => command.mut_args(|argument| {
            let long = argument.get_long().unwrap_or_default();
            let is_unused = ONLY_SERVING.contains(&long) || long.starts_with("hub-");
            argument.hide(is_unused)
        }),
        _ => command,
    };
    let examples = examples_of(&name);
    let command = command.mut_subcommands(|command| described(command, globals));
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

const EXIT_CODES: [(&str, &str); 3] = [
    ("0", "Done."),
    (
        "1",
        "Finished, but an import rejected rows, or an export left some out.",
    ),
    ("2", "Failed; standard error has the reason and what to do."),
];

/// The files that commands read and write.
const FILES: [(&str, &str); 4] = [
    (
        "reviews.db",
        "The database, unless --database or DATABASE_URL names another; mode 0600. SQLite keeps reviews.db-wal and reviews.db-shm beside it, and the service reviews.db-sender.",
    ),
    (
        "reviews.db.before-restore-*",
        "The database that `reviews restore` replaced; the service removes it after 30 days.",
    ),
    (
        "/etc/reviews.env",
        "Settings, one NAME=VALUE per line, for every command that may read the file. Environment variables take precedence.",
    ),
    (
        "business.json, editorial.json",
        "The files that `reviews business` and `reviews editorial` print and load.",
    ),
];

// Shell completions, manual pages and the version, from the same definitions as the parser.

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
    pub(super) fn run(self, program: Command) -> anyhow::Result<Exit> {
        let mut text = Vec::new();
        clap_complete::generate(self.shell, &mut command(program), "reviews", &mut text);
        say(&String::from_utf8(text)?)
    }
}

impl Man {
    pub(super) fn run(self, program: Command) -> anyhow::Result<Exit> {
        let mut program = command(program);
        program.build();
        let page = match &self.command {
            None => program,
            Some(name) => {
                let commands: Vec<&str> =
                    program.get_subcommands().map(Command::get_name).collect();
                let Some(command) = program.find_subcommand(name) else {
                    bail!(
                        "unknown command `{name}`; name one of {}",
                        commands.join(", ")
                    );
                };
                command.clone().version(env!("CARGO_PKG_VERSION"))
            }
        };
        say(&page_of(page)?)
    }
}

/// The manual page of a command, with the sections of man-pages(7).
fn page_of(command: Command) -> anyhow::Result<String> {
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
    let mut examples = examples_of(&name);
    if examples.is_empty() {
        examples = ["init", "import", "serve"]
            .into_iter()
            .flat_map(examples_of)
            .collect();
    }
    section("EXAMPLES", &examples, &mut text)?;
    section("EXIT STATUS", &EXIT_CODES, &mut text)?;
    section("ENVIRONMENT", &variables, &mut text)?;
    section("FILES", &FILES, &mut text)?;
    page.render_version_section(&mut text)?;
    Ok(String::from_utf8(text)?)
}

/// The environment variables of a command with their descriptions.
fn variables(command: &Command) -> Vec<(String, String)> {
    let shown = command
        .get_arguments()
        .filter(|argument| !argument.is_hide_set());
    let variable = |argument: &Arg| {
        let name = argument.get_env()?.to_str()?.to_owned();
        Some((name, argument.get_help()?.to_string()))
    };
    shown.filter_map(variable).collect()
}

/// A section of terms and texts; empty if there are no entries.
fn section<T: AsRef<str>>(
    title: &str,
    entries: &[(T, T)],
    page: &mut Vec<u8>,
) -> anyhow::Result<()> {
    if entries.is_empty() {
        return Ok(());
    }
    let mut roff = Roff::default();
    roff.control("SH", [title]);
    for (term, text) in entries {
        roff.control("TP", []);
        roff.text([bold(term.as_ref())]);
        roff.text([roman(text.as_ref())]);
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
