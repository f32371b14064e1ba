//! The docs name every route, setting, command, log event and metric, and the commands in them work. They are the pages
//! at the root, `docs/*.md`, `docs/guides/*.md`, and those beside seeds and tests.

mod commands;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, CommandFactory};
use reviews_service::cli::Cli;
use reviews_service::metrics;

use crate::support::TestApp;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Paths and texts of all pages.
fn pages() -> Vec<(PathBuf, String)> {
    let single = [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "seeds/README.md",
        "tests/faults/README.md",
        "tests/gold/README.md",
        "tests/it/websub/README.md",
    ];
    let mut paths: Vec<PathBuf> = single.iter().map(|name| root().join(name)).collect();
    for folder in ["docs", "docs/guides"] {
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

/// Texts between backticks within a line.
fn quoted(text: &str) -> Vec<&str> {
    text.lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter(|code| !code.is_empty())
        .collect()
}

/// Paths and texts of all files in `src`.
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
            } else if path.extension().is_none_or(|extension| {
                extension != "weights" && extension != "br" && extension != "ttf"
            }) {
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

/// The route that answers `path`.
fn route_of<'a>(app: &'a TestApp, path: &str) -> Option<&'a str> {
    let segments: Vec<&str> = path.split('/').collect();
    let matches = |route: &str| {
        let route: Vec<&str> = route.split('/').collect();
        route.len() == segments.len()
            && route.iter().zip(&segments).all(|(wanted, segment)| {
                wanted == segment || wanted.starts_with(':') && !segment.is_empty()
            })
    };
    let mut routes = app.routes().iter().map(|route| route.path.as_str());
    // A route without parameters precedes one with.
    let exact = routes.clone().find(|route| *route == path);
    exact.or_else(|| routes.find(|route| matches(route)))
}

#[tokio::test]
async fn every_route_is_documented() {
    let (app, docs) = (TestApp::empty().await, docs());
    let paths: BTreeSet<&str> = quoted(&docs)
        .into_iter()
        .flat_map(|code| code.split([' ', '?']))
        .filter(|word| word.starts_with('/'))
        .filter_map(|path| route_of(&app, path))
        .collect();
    // Assets have a digest in their name; the docs name only their folder.
    let is_asset = |pattern: &&str| *pattern == "/assets/:file" && docs.contains("`/assets/`");
    let patterns = app
        .routes()
        .iter()
        .map(|route| route.path.as_str())
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
fn every_internal_link_of_the_docs_has_a_target() {
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

#[test]
fn every_metric_is_documented() {
    let names = metrics::ALL.iter().map(|metric| metric.name.to_owned());
    assert_all_in(&docs(), names);
}

/// The names of all logged events, from `tracing::warn!(…, "name: …")`.
fn events() -> BTreeSet<String> {
    let name = |literal: &str| {
        let (name, _) = literal.split_once(": ")?;
        let is_name = name.contains('.')
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '.' || c == '_');
        is_name.then(|| name.to_owned())
    };
    let mut found = BTreeSet::new();
    for (path, text) in sources() {
        for level in ["error", "warn", "info", "debug", "trace"] {
            for call in text.split(&format!("tracing::{level}!(")).skip(1) {
                let call = call.split(");").next().unwrap_or_default();
                let event = call.split('"').find_map(name);
                found.insert(
                    event.unwrap_or_else(|| panic!("{}: no event: {call}", path.display())),
                );
            }
        }
    }
    found
}

#[test]
fn every_log_event_is_documented() {
    assert_all_in(&docs(), events());
}

#[test]
fn every_file_named_in_the_docs_exists() {
    let folders = [
        "src/",
        "tests/",
        "docs/",
        "examples/",
        "packaging/",
        "migrations/",
    ];
    for (page, text) in pages() {
        for name in text.split('`').skip(1).step_by(2) {
            let name = name.split([' ', '*']).next().unwrap_or_default();
            let is_path = folders.iter().any(|folder| name.starts_with(folder));
            // `ekomi` is the platform that a guide adds.
            let is_example = name.contains("ekomi")
                || name.contains(char::is_uppercase) && !name.ends_with(".md");
            assert!(
                !is_path || is_example || root().join(name).exists(),
                "{}: {name}",
                page.display()
            );
        }
    }
}

#[test]
fn every_test_named_in_a_list_of_tests_exists() {
    let code: String = ["src", "tests/it"]
        .into_iter()
        .flat_map(|folder| files_below(root().join(folder)))
        .map(|(_, text)| text)
        .collect();
    let has = |name: &str| code.contains(&format!("fn {name}("));
    for page in ["tests/faults/README.md", "tests/it/websub/README.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        for name in text.split('`').skip(1).step_by(2) {
            let is_test = name.len() > 16
                && name
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            assert!(!is_test || has(name), "{page}: {name}");
        }
    }
    // The suite leaves out tests by name, and whole modules.
    let suite = fs::read_to_string(root().join("tests/cluster/suite")).unwrap();
    let (_, rest) = suite.split_once("not=(\n").unwrap();
    let (skipped, _) = rest.split_once("\n)").unwrap();
    let lines = skipped.lines().filter(|line| !line.trim().starts_with('#'));
    for name in lines.flat_map(str::split_whitespace) {
        assert!(
            name.ends_with("::") || code.contains(name),
            "tests/cluster/suite: {name}"
        );
    }
}
