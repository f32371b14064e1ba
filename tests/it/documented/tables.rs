//! The tables of the docs equal the code: settings with flags and defaults, commands, routes, log events with levels, and
//! metrics with kinds and labels.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use clap::CommandFactory;
use reviews_service::cli::Cli;
use reviews_service::metrics;
use reviews_service::metrics::MetricKind;

use super::{each_argument, pages, quoted, root, sources, words};
use crate::support::TestApp;

/// The rows of a page's tables whose first column has this name, as cells.
fn rows(page: &str, first_column: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim().trim_matches('|').replace("\\|", "\u{1}");
        line.split('|')
            .map(|cell| cell.trim().replace('\u{1}', "|"))
            .collect()
    };
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.starts_with('|') && cells(line)[0] == first_column {
            let rows = lines
                .by_ref()
                .skip(1)
                .take_while(|line| line.starts_with('|'));
            found.extend(rows.map(cells));
        }
    }
    let firsts: BTreeSet<&String> = found.iter().map(|cells| &cells[0]).collect();
    assert_eq!(
        firsts.len(),
        found.len(),
        "{page}: the table `{first_column}` has a row twice"
    );
    found
}

/// Texts in backticks in a cell.
fn names(cell: &str) -> Vec<String> {
    quoted(cell).into_iter().map(str::to_owned).collect()
}

#[test]
fn the_table_of_metrics_equals_the_catalog() {
    let kind = |kind| match kind {
        MetricKind::Counter => "counter",
        MetricKind::Gauge => "gauge",
        MetricKind::Histogram(_) => "histogram",
    };
    let known: BTreeMap<String, (String, Vec<String>)> = metrics::ALL
        .iter()
        .map(|metric| {
            let labels = metric.labels.iter().map(|(name, _)| (*name).to_owned());
            let about = (kind(metric.kind).to_owned(), labels.collect());
            (metric.name.to_owned(), about)
        })
        .collect();
    let documented: BTreeMap<String, (String, Vec<String>)> = rows("docs/OPERATIONS.md", "metric")
        .into_iter()
        .map(|cells| {
            (
                names(&cells[0]).remove(0),
                (cells[1].clone(), names(&cells[2])),
            )
        })
        .collect();
    assert_eq!(documented, known);
    // Metrics are created only in the catalog.
    for (path, text) in sources() {
        let is_catalog = path.ends_with("src/metrics.rs");
        assert!(
            is_catalog || !text.contains("prometheus::"),
            "{} creates metrics outside the catalog",
            path.display()
        );
    }
}

/// All logged events and their levels, from `tracing::warn!(…, "name: …")`.
fn events() -> BTreeMap<String, String> {
    let name = |literal: &str| {
        let (name, _) = literal.split_once(": ")?;
        let is_name = name.contains('.')
            && name
                .chars()
                .all(|c| c.is_ascii_lowercase() || c == '.' || c == '_');
        is_name.then(|| name.to_owned())
    };
    let mut found = BTreeMap::new();
    for (path, text) in sources() {
        for level in ["error", "warn", "info", "debug", "trace"] {
            for call in text.split(&format!("tracing::{level}!(")).skip(1) {
                let call = call.split(");").next().unwrap_or_default();
                let event = call.split('"').find_map(name);
                let event = event.unwrap_or_else(|| panic!("{}: no event: {call}", path.display()));
                let known = found.insert(event.clone(), level.to_owned());
                assert!(
                    known.is_none_or(|known| known == level),
                    "{event} has two levels"
                );
            }
        }
    }
    // `cli::logging::Log::fail` writes this one without `tracing`.
    found.insert("command.failed".to_owned(), "error".to_owned());
    found
}

#[test]
fn the_table_of_log_events_has_exactly_the_logged_events() {
    let documented: BTreeMap<String, String> = rows("docs/OPERATIONS.md", "event")
        .into_iter()
        .flat_map(|cells| {
            let level = cells[1].clone();
            names(&cells[0])
                .into_iter()
                .map(move |name| (name, level.clone()))
        })
        .collect();
    assert_eq!(documented, events());
}

#[test]
fn the_table_of_settings_has_every_setting_with_flag_and_default() {
    let mut known = BTreeMap::new();
    each_argument(&Cli::command(), &mut |_, argument| {
        let Some(variable) = argument.get_env() else {
            return;
        };
        let defaults = argument.get_default_values();
        let default = defaults.first().map_or("", |value| value.to_str().unwrap());
        known.insert(
            variable.to_str().unwrap().to_owned(),
            (
                format!("--{}", argument.get_long().unwrap()),
                default.to_owned(),
            ),
        );
    });
    let documented: BTreeMap<String, (String, String)> = rows("docs/REFERENCE.md", "setting")
        .into_iter()
        .map(|cells| {
            let default = names(&cells[2]).into_iter().next().unwrap_or_default();
            (
                names(&cells[0]).remove(0),
                (names(&cells[1]).remove(0), default),
            )
        })
        .collect();
    assert_eq!(documented, known);
}

#[test]
fn the_table_of_commands_has_every_command_and_its_flags() {
    let rows = rows("docs/REFERENCE.md", "command");
    let documented: BTreeSet<String> = rows
        .iter()
        .flat_map(|cells| names(&cells[0]))
        .map(|code| code.split(' ').nth(1).unwrap_or_default().to_owned())
        .collect();
    let known: BTreeSet<String> = Cli::command()
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    assert_eq!(documented, known);
    for command in Cli::command().get_subcommands() {
        let name = command.get_name();
        let begin = format!("reviews {name}");
        let documented_row: Vec<String> = rows
            .iter()
            .map(|cells| cells[0].clone())
            .filter(|cell| cell.contains(&begin))
            .collect();
        let documented_row = documented_row.join(" ");
        let own = command
            .get_arguments()
            .filter(|argument| argument.get_env().is_none());
        for flag in own
            .filter_map(|argument| argument.get_long())
            .filter(|flag| *flag != "help")
        {
            assert!(
                documented_row.contains(&format!("--{flag}")),
                "{begin}: --{flag} is not in its row"
            );
        }
    }
}

#[test]
fn every_command_and_flag_in_the_docs_exists() {
    let mut known = BTreeSet::new();
    each_argument(&Cli::command(), &mut |_, argument| {
        known.extend(argument.get_long().map(|long| format!("--{long}")));
    });
    known.extend(["--help", "--version"].map(str::to_owned));
    let commands: BTreeSet<String> = Cli::command()
        .get_subcommands()
        .map(|command| command.get_name().to_owned())
        .collect();
    let mut faults = Vec::new();
    for (page, text) in pages() {
        for code in quoted(&text) {
            let Some(rest) = code.strip_prefix("reviews ") else {
                continue;
            };
            let (first, flags) = (
                words(rest),
                rest.split([' ', '[', ']', '|', ')', '=', ',', '(']),
            );
            let is_command = first.first().is_some_and(|word| {
                commands.contains(*word) || word.starts_with("--") || *word == "COMMAND"
            });
            let unknown = flags
                .filter(|word| word.starts_with("--") && *word != "--")
                .find(|word| !known.contains(*word));
            if !is_command || unknown.is_some() {
                faults.push(format!("{}: {code}", page.display()));
            }
        }
    }
    assert!(faults.is_empty(), "{faults:#?}");
}

#[tokio::test]
async fn the_table_of_routes_equals_the_routes() {
    let app = TestApp::empty().await;
    let routes = app.routes();
    let known: BTreeMap<String, BTreeSet<String>> = routes
        .iter()
        .filter(|route| !route.pattern.starts_with("/assets/"))
        .map(|route| {
            let methods = route.methods().into_iter().map(|method| method.to_string());
            let methods = methods.filter(|method| method != "OPTIONS" && method != "HEAD");
            (route.pattern.to_owned(), methods.collect())
        })
        .collect();
    let documented: BTreeMap<String, BTreeSet<String>> = rows("docs/REFERENCE.md", "route")
        .into_iter()
        .filter(|cells| names(&cells[0])[0] != "/assets/")
        .map(|cells| {
            let methods = cells[1].split(", ").map(str::to_owned);
            (names(&cells[0]).remove(0), methods.collect())
        })
        .collect();
    assert_eq!(documented, known);
}
