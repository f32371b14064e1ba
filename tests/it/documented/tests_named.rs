//! Tests that the docs name as evidence for rules and promises exist.

use std::collections::BTreeSet;
use std::fs;

use super::{files_below, quoted, root, sources_text};

/// Names of all functions in these folders.
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
fn every_rule_of_websub_has_a_function_and_a_test() {
    let page =
        fs::read_to_string(root().join("tests/it/websub/README.md")).expect("the page is there");
    let (sources, tests) = (functions(&["src"]), functions(&["tests/it/websub"]));
    let code: String = sources_text();
    let (mut rules, mut named) = (BTreeSet::new(), BTreeSet::new());
    for row in page
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
            assert!(tests.contains(test), "{test} is not a test of the hub");
            named.insert(test.to_owned());
        }
    }
    let bound: BTreeSet<u32> = (1..=7).chain(9..=44).collect();
    assert_eq!(rules, bound, "rules in the table");
    let left_out: Vec<&String> = tests
        .iter()
        .filter(|test| test.starts_with("rule_") && !named.contains(*test))
        .collect();
    assert!(left_out.is_empty(), "the table leaves out {left_out:?}");
}

#[test]
fn every_test_of_faults_and_attacks_exists() {
    let count = tests_named_in("tests/faults/README.md");
    assert!(count >= 100, "{count} tests");
}

/// Number of tests named in the third column of a page's tables. Panics if one does not exist.
fn tests_named_in(page: &str) -> usize {
    let page = fs::read_to_string(root().join(page)).expect("the page is there");
    let tests = functions(&["src", "tests/it"]);
    let mut count = 0;
    for row in page.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").collect();
        let [_promise, _fault, shown_by, ..] = &cells[..] else {
            panic!("{row}")
        };
        for name in quoted(shown_by) {
            count += 1;
            let is_there = if name.contains('/') {
                root().join(name).exists()
            } else {
                tests.contains(name)
            };
            assert!(is_there, "{name} is not a test");
        }
    }
    count
}
