//! The law of growth: with four times the reviews, no command and no job takes more than five times the steps of SQLite, on databases in use:
//! imported, served until analysed, partly decided on and edited.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use clap::CommandFactory;
use reviews_service::cli::Cli;
use reviews_service::clock::Clock;
use reviews_service::metrics::DATABASE_STEPS;

use super::*;
use crate::support::TestApp;

const FEW: usize = 500;
const MANY: usize = 2_000;
/// For four times the reviews.
const GROWTH_MAX: u64 = 5;
/// For a command about one review: an index that is a level deeper, and the end of what a statement counts (100 steps).
const FLAT_MAX: u64 = 500;

/// Every command but those that open no database, once for each way in which it works.
const COMMANDS: &[&str] = &[
    "anonymize r7",
    "backup new.db",
    "business",
    "business business.json",
    "check",
    "delete r7 --yes",
    "editorial",
    "editorial editorial.json",
    "export new.csv --format csv",
    "export new.jsonl",
    "import all.jsonl",
    "import all.jsonl --dry-run",
    "import one.jsonl",
    "import some.jsonl --withdraw-missing --accept-changes",
    "init --telephone 1",
    "insights explain r7",
    "list --json",
    "list --limit 5",
    "list --query pump",
    "list --rating 5 --status withheld",
    "list --source Direct",
    "mcp",
    "migrate",
    "restore copy.db --yes",
    "source",
    "source format Direct",
    "source rename Direct Own",
    "status",
    "status --json",
    "subscriptions",
    "sync list",
    "sync run site",
    "sync run site --dry-run",
    "undo",
    "undo --dry-run",
];
/// What the number of reviews does not matter to.
const FLAT_COMMANDS: &[&str] = &[
    "publish r24",
    "reply r5 --remove",
    "reply r7 Thanks!",
    "show r7",
    "show r19",
    "show r499 --json",
    "withhold r7 --reason spam",
    "withhold https://reviews.sample.test/reviews/r7/ --reason spam",
];
/// These open no database, refuse one that is a firm's, or have a test of their own here.
const OTHERS: &[&str] = &["completions", "healthcheck", "man", "seed", "serve"];

/// Files by their names.
type Files = Vec<(String, Vec<u8>)>;

/// The folder of a firm with this many reviews.
fn made(count: usize) -> Files {
    let home = Home::new();
    let rows = |numbers: &mut dyn Iterator<Item = usize>, words: &str| {
        numbers.map(|n| row(n, words) + "\n").collect::<String>()
    };
    home.file("business.json", r#"{"telephone": "+1 480 555 0100"}"#);
    home.file(
        "editorial.json",
        r#"{"summary": {"text": "Quick and tidy."}}"#,
    );
    home.file("one.jsonl", &rows(&mut (0..1), "tidy"));
    home.file("all.jsonl", &rows(&mut (0..count), "tidy"));
    let some = rows(&mut (0..count).step_by(7), "neat");
    home.file("some.jsonl", &some);
    home.run_ok(
        "init --name Peak --type Plumber --time-zone America/Phoenix",
        "",
    );
    home.run_ok("import all.jsonl", &format!("{count} new"));
    home.analyze();
    home.sql(
        "update review set text = text || ' Edited later.' where substr(review_id, 2) % 10 = 3;
         update review set status = 'withheld', withheld_reason = 'private' where substr(review_id, 2) % 20 = 4;
         update review set reply_text = 'Thanks', reply_on = '2026-11-01' where substr(review_id, 2) % 15 = 5;
         delete from review where substr(review_id, 2) % 25 = 6",
    );
    for decision in [
        "withhold r1 --reason spam",
        "reply r2 Thanks",
        "anonymize r8",
        "delete r9 --yes",
    ] {
        home.run_ok(decision, "");
    }
    home.run_ok("import some.jsonl", " updated");
    home.analyze();
    home.run_ok("backup copy.db", "");
    let names = home.file_names().into_iter();
    let files = names.map(|name| {
        (
            name.clone(),
            fs::read(home.folder.path().join(name)).unwrap(),
        )
    });
    files.collect()
}

/// A native row in whose text the insights find several aspects.
fn row(number: usize, words: &str) -> String {
    let text = format!(
        "The technician came on day {number} and repaired the heat pump quickly, very {words} and friendly work number {}.",
        number * 3
    );
    let date = format!("2026-0{}-1{}", 1 + number % 9, number % 10);
    let (id, rating) = (format!("r{number}"), 1 + number * 7 % 5);
    json!({"id": id, "rating": rating, "date": date, "author": format!("Cust {number}"), "text": text}).to_string()
}

/// A copy of that folder.
fn home(count: usize) -> Home {
    static MADE: LazyLock<[Files; 2]> = LazyLock::new(|| [made(FEW), made(MANY)]);
    let home = Home::new();
    for (name, bytes) in &MADE[usize::from(count == MANY)] {
        fs::write(home.folder.path().join(name), bytes).unwrap();
    }
    home
}

/// Runs a command, whose exit code is 0.
fn run(command: &str, count: usize, site: &Site) {
    let home = home(count);
    let entry = format!(
        "[site]\nurl = '{}'\nsource = 'Site'\nformat = 'site.toml'\npartial = true\n",
        site.url("/rows")
    );
    home.file("reviews.sync.toml", &entry);
    home.file(
        "site.toml",
        "[fields]\nid = 'No'\nrating = 'Stars'\ndate = 'Date'\nauthor = 'Name'\ntext = 'Said'\n",
    );
    if command == "serve" {
        home.serve().stop();
    } else {
        home.run(command).done();
    }
}

/// The steps that a test of this module prints, by what takes them and by the number of reviews. They are counted for a whole process, so
/// it is run in one of its own.
fn counted_by(test: &str) -> BTreeMap<(String, usize), u64> {
    let mut command = Command::new(std::env::current_exe().unwrap());
    let name = format!("process::growth::{test}");
    command.args(["--ignored", "--exact", &name, "--nocapture"]);
    let done = output_of(command.env_clear());
    done.done();
    let lines = done.out.lines();
    lines
        .filter_map(|line| {
            let mut parts = line.strip_prefix("steps: ")?.split(" | ");
            let mut next = || parts.next().unwrap();
            let (name, count, steps) = (next(), next(), next());
            let key = (name.to_owned(), count.parse().unwrap());
            Some((key, steps.parse().unwrap()))
        })
        .collect()
}

#[expect(clippy::print_stdout, reason = "another test reads the steps")]
fn print_steps(name: &str, count: usize, steps: u64) {
    println!("steps: {name} | {count} | {steps}");
}

#[test]
#[ignore = "counts the steps of its whole process, which another test starts"]
fn steps_of_each_command() {
    let site = Site::start(|_| {
        SiteAnswer::csv("No,Stars,Date,Name,Said\n1,5,2026-11-02,Ann,They came at once\n")
    });
    let counter = DATABASE_STEPS.counter(&[]);
    for count in [FEW, MANY] {
        home(count);
        for command in [COMMANDS, FLAT_COMMANDS, &["serve"]].concat() {
            let before = counter.get();
            run(command, count, &site);
            print_steps(command, count, counter.get() - before);
        }
    }
}

/// The steps of each command.
fn steps_of_commands(command: &str, count: usize) -> u64 {
    static STEPS: LazyLock<BTreeMap<(String, usize), u64>> =
        LazyLock::new(|| counted_by("steps_of_each_command"));
    STEPS[&(command.to_owned(), count)]
}

/// What grew too fast, one line each.
fn faults(
    names: &[&str],
    steps: impl Fn(&str, usize) -> u64,
    limit: impl Fn(u64) -> u64,
) -> Vec<String> {
    let faults = names.iter().filter_map(|name| {
        let (few, many) = (steps(name, FEW), steps(name, MANY));
        (many > limit(few))
            .then(|| format!("{name}: {few} steps for {FEW} reviews, {many} for {MANY}"))
    });
    faults.collect()
}

fn grows(few: u64) -> u64 {
    few * GROWTH_MAX
}

#[test]
fn no_command_grows_faster_than_the_reviews() {
    assert_eq!(faults(COMMANDS, steps_of_commands, grows), [""; 0]);
}

#[test]
fn a_command_about_one_review_does_not_grow() {
    let limit = |few| few + FLAT_MAX;
    assert_eq!(faults(FLAT_COMMANDS, steps_of_commands, limit), [""; 0]);
}

#[test]
fn each_command_is_measured() {
    let commands = Cli::command();
    let all: BTreeSet<&str> = commands
        .get_subcommands()
        .map(clap::Command::get_name)
        .collect();
    let lines = [COMMANDS, FLAT_COMMANDS, OTHERS].concat();
    let measured: BTreeSet<&str> = lines
        .iter()
        .filter_map(|line| line.split(' ').next())
        .collect();
    assert_eq!(measured, all);
}

#[test]
fn a_start_grows_no_faster_than_the_reviews() {
    assert_eq!(faults(&["serve"], steps_of_commands, grows), [""; 0]);
}

#[test]
fn no_job_grows_faster_than_the_reviews() {
    let counted = counted_by("steps_of_each_job");
    let names: BTreeSet<&str> = counted.keys().map(|(name, _)| name.as_str()).collect();
    let names = Vec::from_iter(names);
    assert_eq!(
        names,
        [
            "analyze", "erase", "expire", "measure", "prune", "publish", "sync", "wake"
        ]
    );
    let steps = |name: &str, count| counted[&(name.to_owned(), count)];
    assert_eq!(faults(&names, steps, |few| grows(few.max(100))), [""; 0]);
}

#[tokio::test]
#[ignore = "counts the steps of its whole process, which another test starts"]
async fn steps_of_each_job() {
    for count in [FEW, MANY] {
        let Home { folder, .. } = home(count);
        let clock = Clock::manual("2026-12-01T12:00:00Z".parse().unwrap());
        let app = TestApp::at(folder, clock).await;
        app.sql("update review set text = 'Rude and late, but the new heat pump works.' where review_id = 'r7'");
        let counter = DATABASE_STEPS.counter(&[]);
        let mut before = counter.get();
        let mut note = |job: &str| {
            let steps = counter.get() - before;
            before += steps;
            print_steps(job, count, steps);
        };
        assert!(app.app().publish_once().await.unwrap());
        note("publish");
        app.app().analyze.run_once().await.unwrap();
        note("analyze");
        app.sql("delete from review where substr(review_id, 2) % 25 = 7");
        app.app().publish_once().await.unwrap();
        // Former values of imports are kept for 30 days.
        app.advance(chrono::Duration::days(31));
        note("publish");
        for (name, run) in app.app().cron_jobs() {
            run.await.unwrap();
            note(name);
        }
    }
}
