//! The docs say everything there is, and nothing there is not. They are the pages at the root,
//! `seeds/README.md`, `docs/*.md` and `docs/decisions/*.md`; the README's commands are run here, or
//! read by the parser that reads them in earnest.

mod tables;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, CommandFactory};
use reviews_service::cli::Cli;

use crate::support::{Generator, TestApp, Tool, needs, sqlite3};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every page, with its path.
fn pages() -> Vec<(PathBuf, String)> {
    let single = [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "seeds/README.md",
    ];
    let mut paths: Vec<PathBuf> = single.iter().map(|name| root().join(name)).collect();
    for folder in ["docs", "docs/decisions"] {
        let docs =
            fs::read_dir(root().join(folder)).unwrap_or_else(|error| panic!("{folder}: {error}"));
        paths.extend(
            docs.map(|entry| entry.unwrap().path())
                .filter(|path| path.extension().is_some_and(|end| end == "md")),
        );
    }
    paths
        .into_iter()
        .map(|path| {
            (
                path.clone(),
                fs::read_to_string(&path)
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display())),
            )
        })
        .collect()
}

fn docs() -> String {
    pages().into_iter().map(|(_, text)| text).collect()
}

/// What stands between backticks, on one line each.
fn quoted(text: &str) -> Vec<&str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|code| !code.is_empty())
        .collect()
}

/// Every file of the crate, with its path.
fn sources() -> Vec<(PathBuf, String)> {
    files_below(root().join("src"))
}

fn files_below(folder: PathBuf) -> Vec<(PathBuf, String)> {
    let mut folders = vec![folder];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path
                .extension()
                .is_none_or(|extension| extension != "weights")
            {
                found.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

#[track_caller]
fn assert_all_in(docs: &str, names: impl IntoIterator<Item = String>) {
    let quoted = quoted(docs);
    let missing: Vec<String> = names
        .into_iter()
        .filter(|name| {
            !quoted
                .iter()
                .any(|code| words(code).contains(&name.as_str()))
        })
        .collect();
    assert!(
        missing.is_empty(),
        "the docs do not name, in backticks: {missing:#?}"
    );
}

fn words(code: &str) -> Vec<&str> {
    code.split(|c: char| c.is_whitespace() || "[]|=,()".contains(c))
        .collect()
}

#[tokio::test]
async fn every_route_is_documented() {
    let (app, docs) = (TestApp::empty().await, docs());
    let routes = app.app().routes();
    let paths: BTreeSet<&str> = quoted(&docs)
        .into_iter()
        .flat_map(|code| code.split([' ', '?']))
        .filter(|word| word.starts_with('/'))
        .filter_map(|path| routes.find(path).map(|route| route.pattern))
        .collect();
    // Files of the pages have their digest in the name; the docs name their folder.
    let is_asset = |pattern: &&str| pattern.starts_with("/assets/") && docs.contains("`/assets/`");
    let patterns = routes
        .routes()
        .iter()
        .map(|route| route.pattern)
        .filter(|pattern| !is_asset(pattern));
    let missing: Vec<&str> = patterns
        .filter(|pattern| !paths.contains(pattern))
        .collect();
    assert!(missing.is_empty(), "the docs do not name {missing:?}");
}

fn each_argument(command: &Command, take: &mut impl FnMut(&str, &Arg)) {
    for argument in command
        .get_arguments()
        .filter(|argument| !["help", "version"].contains(&argument.get_id().as_str()))
    {
        take(command.get_name(), argument);
    }
    command
        .get_subcommands()
        .filter(|command| command.get_name() != "help")
        .for_each(|command| each_argument(command, take));
}

#[test]
fn every_command_flag_and_setting_is_documented() {
    let mut names = vec!["RUST_LOG".to_owned()];
    let cli = Cli::command();
    names.extend(
        cli.get_subcommands()
            .map(|command| command.get_name().to_owned()),
    );
    each_argument(&cli, &mut |_, argument| {
        names.extend(argument.get_long().map(|long| format!("--{long}")));
        names.extend(
            argument
                .get_env()
                .map(|variable| variable.to_str().unwrap().to_owned()),
        );
    });
    assert_all_in(&docs(), names);
}

#[test]
fn every_setting_in_the_docs_is_one() {
    let mut known: BTreeSet<String> = [
        "RUST_LOG",
        "SQLX_OFFLINE",
        "INSTA_UPDATE",
        "REVIEWS_TEST_REQUIRE",
    ]
    .map(str::to_owned)
    .into();
    each_argument(&Cli::command(), &mut |_, argument| {
        known.extend(
            argument
                .get_env()
                .map(|variable| variable.to_str().unwrap().to_owned()),
        );
    });
    let docs = docs();
    let named = quoted(&docs).into_iter().flat_map(words).filter(|word| {
        (word.starts_with("REVIEWS_") || *word == "DATABASE_URL")
            && word.chars().all(|c| c.is_ascii_uppercase() || c == '_')
    });
    let unknown: Vec<&str> = named.filter(|name| !known.contains(*name)).collect();
    assert!(
        unknown.is_empty(),
        "the docs name settings that there are not: {unknown:?}"
    );
}

#[test]
fn every_log_line_begins_with_its_event() {
    let is_event = |text: &str| {
        let name = text.split(": ").next().unwrap_or_default();
        text.contains(": ")
            && name.contains('.')
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '.' || c == '_')
    };
    let mut faults = Vec::new();
    for (path, text) in sources() {
        for mark in [
            "tracing::error!(",
            "tracing::warn!(",
            "tracing::info!(",
            "tracing::debug!(",
        ] {
            for call in text.split(mark).skip(1) {
                let call = call.split(");").next().unwrap_or_default();
                if !call.split('"').any(is_event) {
                    faults.push(format!("{}: {mark}{call}", path.display()));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[test]
fn every_link_within_the_docs_leads_somewhere() {
    let mut broken = Vec::new();
    for (page, text) in pages() {
        for rest in text.split("](").skip(1) {
            let target = rest.split([')', ' ']).next().unwrap_or_default();
            let path = target.split('#').next().unwrap_or_default();
            if path.is_empty() || target.contains("://") || target.starts_with("mailto:") {
                continue;
            }
            if !page.parent().unwrap().join(path).exists() {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// The lines of all shell blocks, without their comments.
fn shell_lines(text: &str) -> Vec<String> {
    let blocks = text
        .split("```sh\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next());
    // A backslash at its end continues a line.
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

/// The words of a line as a shell takes them: what stands in double quotes is one.
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

/// The SQL of a line for the `sqlite3` shell.
fn statement(line: &str) -> String {
    let sql = line
        .split_once('"')
        .and_then(|(_, rest)| rest.rsplit_once('"'))
        .map_or("", |(sql, _)| sql);
    sql.replace("\\\"", "\"")
}

/// Reads the words of a `reviews` command as the binary would.
fn parse(words: &[&str], line: &str) {
    // What stands for something else: a file, and what may be left out.
    let words = words
        .iter()
        .filter(|word| !word.starts_with('[') && !word.ends_with(']'))
        .map(|word| word.trim_end_matches('…'));
    let result = Cli::command().try_get_matches_from(words);
    assert!(
        result.is_ok(),
        "`{line}` is no command: {}",
        result.unwrap_err()
    );
}

#[tokio::test]
#[expect(
    clippy::too_many_lines,
    reason = "to be split: lines are shorter than when it was written"
)]
async fn the_commands_in_the_docs_are_the_ones_that_there_are() {
    let app = TestApp::with(&Generator::new(1).reviews(20)).await;
    let justfile = fs::read_to_string(root().join("justfile")).expect("there is a justfile");
    let mut count = 0;
    for (page, text) in pages() {
        for line in &shell_lines(&text) {
            count += 1;
            // NAME=VALUE before a command sets it for that command.
            let is_setting = |word: &&str| {
                word.split_once('=')
                    .is_some_and(|(name, _)| name == name.to_uppercase())
            };
            let words: Vec<&str> = words_of(line).into_iter().skip_while(is_setting).collect();
            match words.as_slice() {
                ["reviews", ..] => parse(&words, line),
                ["cargo", "run", "--release", "--example", example, ..] => {
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
                ["cargo", "run", rest @ ..] => {
                    let own = rest
                        .iter()
                        .position(|word| *word == "--")
                        .map_or(&[][..], |at| &rest[at..]);
                    parse(
                        &[&["reviews"], own.get(1..).unwrap_or_default()].concat(),
                        line,
                    );
                }
                ["just", recipe, ..] => assert!(
                    justfile.contains(&format!("\n{recipe}")),
                    "no recipe {recipe}"
                ),
                ["sqlite3", ..] => drop(sqlite3(&app.path(), &statement(line))),
                // Not ours: what they make is used by the lines behind them.
                [
                    "cargo",
                    "test" | "build" | "install" | "bench" | "clippy" | "fmt",
                    ..,
                ]
                | ["openssl", ..] => {}
                ["./verify"] => assert!(root().join("verify").exists(), "there is no ./verify"),
                ["curl", ..] => {
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
                        app.app()
                            .routes()
                            .find(path.split('?').next().unwrap_or_default())
                            .is_some(),
                        "{line}: nothing answers {path}"
                    );
                }
                _ => panic!(
                    "{}: what does `{line}` run? Teach this test.",
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
async fn the_real_shell_takes_every_statement_of_the_docs() {
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

/// Every function's name in these folders.
fn functions(folders: &[&str]) -> BTreeSet<String> {
    let texts = folders
        .iter()
        .flat_map(|folder| files_below(root().join(folder)))
        .map(|(_, text)| text);
    let names = |text: String| {
        let after = text
            .split("fn ")
            .skip(1)
            .map(|rest| rest.split(['(', '<']).next().unwrap_or_default().to_owned());
        after.collect::<Vec<_>>()
    };
    texts.flat_map(names).collect()
}

#[test]
fn every_rule_of_websub_has_its_function_and_its_test() {
    let page = fs::read_to_string(root().join("docs/WEBSUB.md")).expect("there is docs/WEBSUB.md");
    let (sources, tests) = (functions(&["src"]), functions(&["tests/it/websub"]));
    let code: String = sources_text();
    let (mut rules, mut named) = (BTreeSet::new(), BTreeSet::new());
    for row in page
        .split("## Rules")
        .nth(1)
        .unwrap()
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains('`'))
    {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [first, .., kept_by, held_by] = &cells[..] else {
            panic!("{row}")
        };
        rules.extend(
            first
                .split(',')
                .filter_map(|number| number.trim().parse::<u32>().ok()),
        );
        for path in quoted(kept_by) {
            let name = path.rsplit("::").next().unwrap_or_default();
            assert!(
                sources.contains(name)
                    || code.contains(&format!("struct {name}"))
                    || code.contains(&format!("mod {name};")),
                "{path}"
            );
        }
        for test in quoted(held_by) {
            assert!(tests.contains(test), "{test} is no test of the hub");
            named.insert(test.to_owned());
        }
    }
    let bound: BTreeSet<u32> = (1..=7).chain(9..=44).collect();
    assert_eq!(rules, bound, "every rule has its row");
    let left_out: Vec<&String> = tests
        .iter()
        .filter(|test| test.starts_with("rule_") && !named.contains(*test))
        .collect();
    assert!(left_out.is_empty(), "the table leaves out {left_out:?}");
}

#[test]
fn every_test_that_shows_a_promise_of_reliability_is_one() {
    let page = fs::read_to_string(root().join("docs/RELIABILITY.md"))
        .expect("there is docs/RELIABILITY.md");
    let tests = functions(&["src", "tests/it"]);
    let mut count = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [_promise, _fault, shown_by, ..] = &cells[..] else {
            panic!("{row}")
        };
        for name in quoted(shown_by) {
            count += 1;
            let is_there = name
                .strip_prefix("tests/")
                .map_or(tests.contains(name), |_| root().join(name).exists());
            assert!(is_there, "{name} is no test");
        }
    }
    assert!(count >= 40, "{count} tests");
}

fn sources_text() -> String {
    sources().into_iter().map(|(_, text)| text).collect()
}

#[test]
fn every_just_recipe_in_the_docs_is_one() {
    let justfile = fs::read_to_string(root().join("justfile")).expect("there is a justfile");
    let docs = docs();
    for recipe in quoted(&docs)
        .into_iter()
        .filter_map(|code| code.strip_prefix("just "))
    {
        let recipe = recipe.split_whitespace().next().unwrap_or_default();
        assert!(
            justfile
                .lines()
                .any(|line| line.split([' ', ':']).next() == Some(recipe)),
            "`just {recipe}` is no recipe"
        );
    }
}
