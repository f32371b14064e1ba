//! The docs name every route, setting, command, log event and metric, and the commands in them work. They are the pages
//! at the root, `docs/*.md`, `docs/guides/*.md`, and those beside seeds and tests.

mod commands;

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Arg, Command, CommandFactory};
use reviews_service::cli::Cli;
use reviews_service::imports::KeyUse;
use reviews_service::metrics;
use reviews_service::sync::{KEYS, SyncFile};
use serde_json::Value;

use crate::support::{TestApp, rows, str_of, with_sample};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Paths and texts of all pages.
fn pages() -> Vec<(PathBuf, String)> {
    let single = "README.md CHANGELOG.md CONTRIBUTING.md SECURITY.md seeds/README.md tests/faults/README.md tests/gold/README.md \
        tests/it/websub/README.md";
    let mut paths: Vec<PathBuf> = single.split(' ').map(|name| root().join(name)).collect();
    for folder in ["docs", "docs/guides"] {
        let docs = fs::read_dir(root().join(folder)).unwrap();
        let docs = docs.map(|entry| entry.unwrap().path());
        paths.extend(docs.filter(|path| path.extension().is_some_and(|end| end == "md")));
    }
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).unwrap();
        (path, text)
    };
    paths.into_iter().map(read).collect()
}

fn docs() -> String {
    pages().into_iter().map(|(_, text)| text).collect()
}

/// Texts between backticks within a line.
fn quoted(text: &str) -> Vec<&str> {
    let codes = text
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2));
    codes.filter(|code| !code.is_empty()).collect()
}

/// Paths and texts of all files in a folder of the package, except those that are not text.
pub fn files_below(folder: &str) -> Vec<(PathBuf, String)> {
    let mut folders = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                folders.push(path);
            } else if !["weights", "br", "ttf"].contains(&&*extension) {
                found.push((path.clone(), fs::read_to_string(&path).unwrap()));
            }
        }
    }
    found
}

/// Asserts that the docs have these names in backticks.
#[track_caller]
fn assert_documented(names: impl IntoIterator<Item = String>) {
    let docs = docs();
    let words: HashSet<&str> = quoted(&docs).into_iter().flat_map(words).collect();
    let mut missing: Vec<String> = names.into_iter().collect();
    missing.retain(|name| !words.contains(name.as_str()));
    assert!(missing.is_empty(), "in no backticks: {missing:#?}");
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| c.is_whitespace() || "[]|=,()".contains(c))
}

/// The route that answers `path`.
fn route_of<'a>(app: &'a TestApp, path: &str) -> Option<&'a str> {
    let matches = |route: &str| {
        let (mut route, mut segments) = (route.split('/'), path.split('/'));
        loop {
            match (route.next(), segments.next()) {
                (None, None) => return true,
                (Some(part), Some(segment)) if part == segment => {}
                (Some(part), Some(segment)) if part.starts_with(':') && !segment.is_empty() => {}
                _ => return false,
            }
        }
    };
    let mut routes = app.app().routes.iter().map(|route| route.path.as_str());
    // A route without parameters precedes one with.
    let exact = routes.clone().find(|route| *route == path);
    exact.or_else(|| routes.find(|route| matches(route)))
}

#[tokio::test]
async fn every_route_is_documented() {
    let (app, docs) = (TestApp::empty().await, docs());
    let words = quoted(&docs)
        .into_iter()
        .flat_map(|code| code.split([' ', '?']));
    let paths = words.filter(|word| word.starts_with('/'));
    let paths: HashSet<&str> = paths.filter_map(|path| route_of(&app, path)).collect();
    for route in &app.app().routes {
        // Assets have a digest in their name; the docs name only their folder.
        let is_asset = route.path == "/assets/:file" && docs.contains("`/assets/`");
        assert!(is_asset || paths.contains(&*route.path), "{}", route.path);
    }
}

fn each_argument(command: &Command, take: &mut impl FnMut(&Arg)) {
    for argument in command.get_arguments() {
        if !["help", "version"].contains(&argument.get_id().as_str()) {
            take(argument);
        }
    }
    for command in command.get_subcommands() {
        if command.get_name() != "help" {
            each_argument(command, take);
        }
    }
}

#[test]
fn every_command_flag_and_setting_is_documented() {
    let mut names = vec!["RUST_LOG".to_owned()];
    let cli = Cli::command();
    let commands = cli.get_subcommands();
    names.extend(commands.map(|command| command.get_name().to_owned()));
    each_argument(&cli, &mut |argument| {
        let variable = argument.get_env().and_then(|variable| variable.to_str());
        names.extend(argument.get_long().map(|long| format!("--{long}")));
        names.extend(variable.map(str::to_owned));
    });
    assert_documented(names);
}

/// Each setting as `serve --help` describes it, under its heading there.
fn settings() -> String {
    let cli = Cli::command();
    let serve = cli.find_subcommand("serve").unwrap();
    let mut lists: Vec<(&str, String)> = Vec::new();
    for argument in cli.get_arguments().chain(serve.get_arguments()) {
        let (Some(variable), Some(flag)) = (argument.get_env(), argument.get_long()) else {
            continue;
        };
        let is_shown = !argument.is_hide_default_value_set();
        let values = argument.get_default_values().iter().filter(|_| is_shown);
        let default: String = values
            .map(|value| format!(" (`{}`)", value.display()))
            .collect();
        let (variable, meaning) = (variable.display(), argument.get_help().unwrap());
        let line = format!("- `{variable}`, `--{flag}`{default}: {meaning}\n");
        let heading = argument.get_help_heading().unwrap_or("Options");
        match lists.iter_mut().find(|(name, _)| *name == heading) {
            Some((_, list)) => *list += &line,
            None => lists.push((heading, line)),
        }
    }
    let lists = lists.into_iter();
    let lists: Vec<String> = lists
        .map(|(heading, list)| format!("**{heading}**\n\n{list}"))
        .collect();
    lists.join("\n")
}

/// The table of settings is that of the program; `INSTA_UPDATE=always` writes it.
#[test]
fn the_settings_of_the_reference_are_those_of_the_program() {
    let path = root().join("docs/REFERENCE.md");
    let page = fs::read_to_string(&path).unwrap();
    let (before, rest) = page.split_once("**Global options**").unwrap();
    let (_, after) = rest.split_once("\n### Notes on settings").unwrap();
    let expected = format!("{before}{}\n### Notes on settings{after}", settings());
    #[expect(
        clippy::disallowed_methods,
        reason = "insta has the variable, the service does not"
    )]
    let update = std::env::var("INSTA_UPDATE");
    if update.is_ok_and(|update| update == "always") {
        fs::write(path, expected).unwrap();
    } else {
        assert_eq!(page, expected);
    }
}

#[test]
fn every_internal_link_of_the_docs_has_a_target() {
    for (page, text) in pages() {
        for rest in text.split("](").skip(1) {
            let target = rest.split([')', ' ']).next().unwrap_or_default();
            let path = target.split('#').next().unwrap_or_default();
            let is_outside = target.contains("://") || target.starts_with("mailto:");
            let is_found = path.is_empty() || page.parent().unwrap().join(path).exists();
            assert!(is_outside || is_found, "{}: {target}", page.display());
        }
    }
}

/// The page of keys is that of the type: each key is in its table as the program describes it.
#[test]
fn every_key_of_a_format_is_documented() {
    let page = fs::read_to_string(root().join("docs/FORMAT.md")).unwrap();
    let rows: Vec<&str> = page
        .lines()
        .filter(|line| line.starts_with("| `"))
        .collect();
    let source = fs::read_to_string(root().join("src/imports/format.rs")).unwrap();
    let (_, keys) = source.split_once("pub struct Format {").unwrap();
    let (keys, _) = keys.split_once("\n}").unwrap();
    let (mut meaning, mut described) = ("", vec![]);
    for line in keys.lines().map(str::trim) {
        if let Some(text) = line.strip_prefix("/// ") {
            meaning = text;
        }
        let key = line
            .strip_prefix("pub ")
            .and_then(|it| it.split(':').next());
        let used = key.and_then(|key| Some((key, KeyUse::of(key)?)));
        if let Some((key, used)) = used.filter(|_| !meaning.is_empty()) {
            let used = match used {
                KeyUse::Like => "all, also beside `like`",
                KeyUse::Owner => "all",
                KeyUse::BuiltIn => "built-in",
            };
            let meaning = std::mem::take(&mut meaning).replace('|', "\\|");
            described.push(format!("| `{key}` | {used} | {meaning} |"));
        }
    }
    described.sort();
    let mut rows = rows;
    rows.sort_unstable();
    assert_eq!(rows, described);
}

#[test]
fn entries_of_the_docs_can_be_read_and_have_every_key() {
    let mut shown = String::new();
    for page in ["keep-reviews-fresh", "google-business-profile"] {
        let page = root().join(format!("docs/guides/{page}.md"));
        let text = fs::read_to_string(page).unwrap();
        for block in text.split("```toml\n").skip(1) {
            let block = block.split("```").next().unwrap();
            if let Err(fault) = SyncFile::parse(block, Path::new("/etc/reviews.sync.toml")) {
                panic!("{fault}: {block}");
            }
        }
        shown += &text;
    }
    for key in KEYS {
        assert!(shown.contains(&format!("- `{key}")), "{key}");
    }
}

#[test]
fn every_metric_is_documented() {
    assert_documented(metrics::ALL.iter().map(|metric| metric.name.to_owned()));
}

/// The names of all logged events, from `tracing::warn!(…, "name: …")`.
fn events() -> BTreeSet<String> {
    let name = |literal: &str| {
        let (name, _) = literal.split_once(": ")?;
        let is_plain = |c: char| c.is_ascii_lowercase() || c == '.' || c == '_';
        let is_name = name.contains('.') && name.chars().all(is_plain);
        is_name.then(|| name.to_owned())
    };
    let mut found = BTreeSet::new();
    for (path, text) in files_below("src") {
        for level in ["error", "warn", "info", "debug", "trace"] {
            for call in text.split(&format!("tracing::{level}!(")).skip(1) {
                let call = call.split(");").next().unwrap_or_default();
                let event = call.split('"').find_map(name);
                let path = path.display();
                found.insert(event.unwrap_or_else(|| panic!("{path}: no event: {call}")));
            }
        }
    }
    found
}

#[test]
fn every_log_event_is_documented() {
    assert_documented(events());
}

#[test]
fn the_queries_for_datasette_run_on_the_sample() {
    with_sample(async |app| {
        let file = fs::read_to_string(root().join("examples/datasette.json")).unwrap();
        let file: Value = serde_json::from_str(&file).unwrap();
        let queries = file["databases"]["reviews"]["queries"].as_object().unwrap();
        assert_eq!(queries.len(), 10);
        for query in queries.values() {
            let sql = str_of(&query["sql"]).replace(":text", "'water heater'");
            rows(&app.path(), &sql);
        }
    });
}
