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
/// Options of `serve` that `mcp` accepts and ignores, so that both can use the same settings file.
const ONLY_SERVING: [&str; 6] = [
    "admin-listen",
    "allowed-hosts",
    "request-log",
    "security-contact",
    "connections-per-peer-max",
    "trusted-proxies",
];

/// The examples: the command, a command line, and what it does.
const EXAMPLES: &str = r#"
serve: reviews serve # serve reviews.db on http://127.0.0.1:8080
serve: reviews serve --listen 8090 --base-url https://reviews.sample.test # serve behind a proxy
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
sync: reviews sync add sheet '${SHEET_URL}' --every 1h # fetch a published sheet
sync: reviews sync list # the sources and their last runs
sync: reviews sync run sheet # fetch it now
sync add: reviews sync add sheet '${SHEET_URL}' --every 1h # fetch a published sheet
sync list: reviews sync list --json # the sources as JSON
sync run: reviews sync run # fetch all that are not paused
sync run: reviews sync run sheet --dry-run # show what a run would change
sync pause: reviews sync pause sheet # stop fetching it for a while
sync resume: reviews sync resume sheet # fetch it again
sync remove: reviews sync remove sheet # its reviews stay
sync add: reviews sync add google 'https://HOST/reviews' --header 'Authorization: Bearer ${TOKEN}' # with a secret of the environment
undo: reviews undo --dry-run # show what it would remove
undo: reviews undo # undo the last import
undo: reviews undo 3 # undo import 3 of `reviews status`
source: reviews source # list the sources
source: reviews source rename Direct Angi # reviews of Direct become reviews of Angi
source rename: reviews source rename Direct Angi # reviews of Direct become reviews of Angi
list: reviews list # the newest reviews, with their IDs
list: reviews list --rating 1 --status published # published reviews with one star
list: reviews list --query furnace # those that mention a word
show: reviews show 36928 # by the beginning of its ID
show: reviews show https://reviews.sample.test/reviews/r-12 # by its permalink
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
insights explain: reviews insights explain r-12 # show why a review counts as it does
insights rebuild: reviews insights rebuild # analyse all reviews again
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
    program.mut_subcommands(|command| described(command, "", &globals))
}

/// The command with its examples, and without options that it ignores.
fn described(command: Command, parent: &str, globals: &[Arg]) -> Command {
    let name = format!("{parent}{}", command.get_name());
    let command = match name.as_str() {
        "completions" | "man" => command.args(globals.iter().cloned()),
        "healthcheck" => command.args(globals.first().cloned()), // --database
        "mcp" => command.mut_args(|argument| {
            let long = argument.get_long().unwrap_or_default();
            let is_unused = ONLY_SERVING.contains(&long)
                || ["hub-", "sync-"]
                    .iter()
                    .any(|begin| long.starts_with(begin));
            argument.hide(is_unused)
        }),
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
    /// A command, such as `serve` or `sync add` [default: the program]
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
