//! Commands in the docs are run, or parsed as the program does.

use std::fmt::Write as _;
use std::fs;

use clap::{Arg, ArgAction, Command, CommandFactory};
use reviews_service::cli::{Cli, guide};

use super::{pages, pattern_of, root};
use crate::support::{Generator, TestApp, Tool, needs, sqlite3};

/// The lines of all shell blocks without comments.
fn shell_lines(text: &str) -> Vec<String> {
    let blocks = text
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    // A backslash at the end continues the line.
    let whole = blocks.map(|block| block.replace("\\\n", " "));
    let lines = |block: String| {
        let lines = block
            .lines()
            .map(|line| line.split(" #").next().unwrap_or_default().trim());
        let lines = lines.filter(|line| !line.is_empty());
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    whole.flat_map(lines).collect()
}

/// The words of a line as a shell splits them; only double quotes are supported.
fn words_of(line: &str) -> Vec<&str> {
    let parts = (0..).zip(line.split('"'));
    let words = parts.map(|(at, part): (usize, _)| {
        if at % 2 == 1 {
            vec![part]
        } else {
            part.split_whitespace().collect()
        }
    });
    words.flatten().collect()
}

/// The SQL of a line that calls `sqlite3`.
fn statement(line: &str) -> String {
    let sql = line
        .split_once('"')
        .and_then(|(_, rest)| rest.rsplit_once('"'))
        .map_or("", |(sql, _)| sql);
    sql.replace("\\\"", "\"")
}

/// Asserts that the arguments of a `reviews` command can be parsed.
fn parse(words: &[&str], line: &str) {
    // Remove brackets for optional arguments and the ellipsis for repetition.
    let words = words
        .iter()
        .filter(|word| !word.starts_with('[') && !word.ends_with(']'))
        .map(|word| word.trim_end_matches('…'));
    let result = Cli::command().try_get_matches_from(words);
    assert!(
        result.is_ok(),
        "`{line}` is not a command: {}",
        result.unwrap_err()
    );
}

/// Asserts that a route exists for the URL of a `curl` command.
fn check_url(app: &TestApp, words: &[&str], line: &str) {
    let url = words
        .iter()
        .find(|word| word.contains("://"))
        .unwrap_or_else(|| panic!("no URL in {line}"));
    let path = format!(
        "/{}",
        url.trim_matches(['"', '\''])
            .splitn(4, '/')
            .nth(3)
            .unwrap_or_default()
    );
    assert!(
        pattern_of(app, &path).is_some(),
        "{line}: no route for {path}"
    );
}

/// Parses the arguments of `cargo run` after `--` as those of `reviews`.
fn parse_run(rest: &[&str], line: &str) {
    let own = rest
        .iter()
        .position(|word| *word == "--")
        .map_or(&[][..], |at| &rest[at..]);
    parse(
        &[&["reviews"], own.get(1..).unwrap_or_default()].concat(),
        line,
    );
}

#[tokio::test]
async fn every_command_in_the_docs_exists() {
    let app = TestApp::with(&Generator::new(1).reviews(20)).await;
    let justfile = fs::read_to_string(root().join("justfile")).expect("there is a justfile");
    let mut count = 0;
    for (page, text) in pages() {
        for line in &shell_lines(&text) {
            count += 1;
            // Skip NAME=VALUE, which sets an environment variable for the command.
            let is_setting = |word: &&str| {
                word.split_once('=')
                    .is_some_and(|(name, _)| name == name.to_uppercase())
            };
            let words: Vec<&str> = words_of(line).into_iter().skip_while(is_setting).collect();
            match words.as_slice() {
                ["reviews", ..] => parse(&words, line),
                ["cargo", "run", "--release", "--example", example, ..]
                | ["cargo", "run", "--profile", _, "--example", example, ..] => {
                    let examples = root().join("examples");
                    let is_there = examples.join(example).is_dir()
                        || examples.join(format!("{example}.rs")).is_file();
                    assert!(is_there, "{line}: no such example");
                }
                ["cargo", "run", "--example", example, ..] => {
                    assert!(
                        root().join(format!("examples/{example}.rs")).is_file(),
                        "{line}: no such example"
                    );
                }
                ["cargo", "run", rest @ ..] => parse_run(rest, line),
                ["just", recipe, ..] => assert!(
                    justfile.contains(&format!("\n{recipe}")),
                    "no recipe {recipe}"
                ),
                ["sqlite3", ..] => drop(sqlite3(&app.path(), &statement(line))),
                // Other programs are not run here.
                [
                    "cargo",
                    "test" | "build" | "install" | "bench" | "clippy" | "fmt",
                    ..,
                ]
                | ["openssl" | "rqlited" | "export" | "npx", ..] => {}
                [script, ..]
                    if script.starts_with("benches/") || script.starts_with("examples/") =>
                {
                    assert!(root().join(script).is_file(), "there is no {script}");
                }
                ["./verify"] => assert!(root().join("verify").exists(), "there is no ./verify"),
                ["curl", ..] => check_url(&app, &words, line),
                _ => panic!(
                    "{}: unknown command `{line}`; add it to this test",
                    page.display()
                ),
            }
        }
    }
    assert!(count >= 8, "{count} commands");
    app.drain().await;
    assert_eq!(app.get("/readyz").await.status, 200);
}

#[tokio::test]
async fn the_sqlite3_shell_accepts_every_statement_of_the_docs() {
    let (shell, app) = (
        needs!(Tool::Shell),
        TestApp::with(&Generator::new(1).reviews(20)).await,
    );
    let mut count = 0;
    for (page, text) in pages() {
        for line in shell_lines(&text)
            .into_iter()
            .filter(|line| line.starts_with("sqlite3 "))
        {
            count += 1;
            let output = std::process::Command::new(&shell)
                .arg(app.path())
                .arg(statement(&line))
                .output()
                .unwrap();
            assert!(
                output.status.success(),
                "{}: {line}: {}",
                page.display(),
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    assert!(count >= 5, "{count} statements");
}

#[test]
fn the_table_of_commands_is_generated_from_the_help() {
    let reference = fs::read_to_string(root().join("docs/REFERENCE.md")).unwrap();
    let table = table(&Cli::command());
    assert!(
        reference.contains(&format!("\n{table}\n")),
        "docs/REFERENCE.md should have:\n{table}"
    );
}

#[test]
fn the_examples_of_the_reference_are_those_of_the_help() {
    let reference = fs::read_to_string(root().join("docs/REFERENCE.md")).unwrap();
    let examples = markdown(&Cli::command());
    assert!(
        reference.contains(&examples),
        "docs/REFERENCE.md should have:\n{examples}"
    );
}

/// The maximum width of a command with its arguments in the table of `docs/REFERENCE.md`, in bytes.
const USAGE_MAX: usize = 88;

/// The Markdown table of commands for `docs/REFERENCE.md`, with their arguments and descriptions.
fn table(program: &Command) -> String {
    let mut text = String::from("| command | does |\n|---|---|\n");
    for command in program.get_subcommands() {
        rows(command, "reviews", &mut text);
    }
    text
}

/// The rows of a command and of its subcommands. Arguments that do not fit in the first row go into further rows.
fn rows(command: &Command, before: &str, text: &mut String) {
    let line = format!("{before} {}", command.get_name());
    let mut usage = line.clone();
    let mut does = command
        .get_about()
        .map_or_else(String::new, ToString::to_string);
    let own = command
        .get_arguments()
        .filter(|argument| argument.get_env().is_none() && !argument.is_hide_set());
    for argument in own.map(usage_of) {
        if usage.len() + 1 + argument.len() > USAGE_MAX {
            let _ = writeln!(text, "| `{usage}` | {does} |");
            usage.clone_from(&line);
            does = String::from("options");
        }
        let _ = write!(usage, " {argument}");
    }
    let _ = writeln!(text, "| `{usage}` | {does} |");
    for command in command.get_subcommands() {
        rows(command, &line, text);
    }
}

/// An argument in a usage line; optional ones are in brackets.
fn usage_of(argument: &Arg) -> String {
    let takes_value = argument.get_action().takes_values();
    let names = argument.get_value_names().filter(|_| takes_value);
    let values = names.unwrap_or_default().join(" ");
    let several = if argument.is_positional() && matches!(argument.get_action(), ArgAction::Append)
    {
        "…"
    } else {
        ""
    };
    let flag = argument
        .get_long()
        .map_or_else(String::new, |long| format!("--{long}"));
    let text = format!("{flag} {values}{several}");
    let text = text.trim();
    if argument.is_required_set() {
        text.to_owned()
    } else {
        format!("[{text}]")
    }
}

/// The examples as a block of Markdown for `docs/REFERENCE.md`.
fn markdown(program: &Command) -> String {
    let mut text = String::from("```sh\n");
    let commands = program.get_subcommands().map(Command::get_name);
    let examples: Vec<_> = commands.flat_map(guide::examples_of).collect();
    let width = examples.iter().map(|(line, _)| line.chars().count()).max();
    for (line, does) in examples {
        let _ = writeln!(text, "{line:<width$}  # {does}", width = width.unwrap_or(0));
    }
    text.push_str("```\n");
    text
}
