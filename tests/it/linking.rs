//! Precision and recall of names found in reviews, on annotated sentences (`tests/gold/README.md`) and trap sentences.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use reviews_service::insights::people::Linker;
use reviews_service::insights::text::TokenizedText;
use reviews_service::model::MentionKind;
use reviews_service::model::business::{Business, Technician};
use serde_json::Value;

use crate::laboratory::quality::measure::AgreementCounts;

const KINDS: [(MentionKind, &str); 3] = [
    (MentionKind::Technician, "technicians"),
    (MentionKind::Service, "services"),
    (MentionKind::ServiceArea, "service_areas"),
];

/// An annotated text and its expected links.
struct Row {
    text: String,
    author: String,
    /// Links in the order of [`KINDS`].
    expected: [BTreeSet<String>; 3],
}

/// The sample business.
fn sample_business() -> Business {
    let mut sample: Value = include_str!("../../seeds/business.json").parse().unwrap();
    let [name, kind] = ["name", "type"].map(|member| sample[member].as_str().unwrap().to_owned());
    Business {
        name,
        kind,
        technicians: serde_json::from_value(sample["technicians"].take()).unwrap(),
        services: serde_json::from_value(sample["services"].take()).unwrap(),
        service_areas: serde_json::from_value(sample["service_areas"].take()).unwrap(),
        ..Business::default()
    }
}

fn links(field: &str) -> BTreeSet<String> {
    let links = field.split('|').filter(|link| !link.is_empty());
    links.map(str::to_owned).collect()
}

/// The rows of a file of `tests`.
fn rows(file: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests")
        .join(file);
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text
        .lines()
        .map(|line| line.split('\t').collect::<Vec<_>>());
    let head = lines.next().unwrap();
    let row = |fields: Vec<&str>| {
        let field = |name: &str| {
            let at = head.iter().position(|known| *known == name);
            at.and_then(|at| fields.get(at).copied()).unwrap_or("")
        };
        Row {
            text: field("text").to_owned(),
            author: field("author").to_owned(),
            expected: KINDS.map(|(_, name)| links(field(name))),
        }
    };
    lines.map(row).collect()
}

fn found(names: &Linker, row: &Row, kind: MentionKind) -> BTreeSet<String> {
    let mentions = names.mentions(&TokenizedText::new(&row.text), &row.author);
    let mentions = mentions.into_iter().filter(|mention| mention.kind == kind);
    mentions.map(|mention| mention.name).collect()
}

/// The held-out half was not used for development. 2 of its 93 links to technicians are wrong.
#[test]
fn names_in_held_out_sentences_reach_the_required_quality() {
    let names = Linker::new(&sample_business());
    let mut counts = [AgreementCounts::default(); 3];
    for row in rows("gold/names_held_out.tsv") {
        for ((counts, (kind, _)), expected) in counts.iter_mut().zip(KINDS).zip(&row.expected) {
            let found = found(&names, &row, kind);
            for link in expected.union(&found) {
                counts.add(expected.contains(link), found.contains(link));
            }
        }
    }
    let [technicians, services, areas] = counts;
    assert!(technicians.precision().value() >= 0.97, "{technicians:?}");
    assert!(technicians.recall().value() >= 0.95, "{technicians:?}");
    assert!(services.f1().value() >= 0.92, "{services:?}");
    assert!(areas.precision().value() >= 0.97, "{areas:?}");
}

/// Asserts that each row has exactly the expected links of this kind.
fn check_links(names: &Linker, rows: &[Row], at: usize) {
    let (kind, name) = KINDS[at];
    for row in rows {
        let (found, text) = (found(names, row, kind), &row.text);
        assert_eq!(found, row.expected[at], "{name} in: {text}");
    }
}

#[test]
fn trap_sentences_give_exactly_the_expected_links() {
    let (names, rows) = (Linker::new(&sample_business()), rows("names/traps.tsv"));
    (0..KINDS.len()).for_each(|at| check_links(&names, &rows, at));
}

/// All names in this file are also ordinary words, like Mark.
#[test]
fn names_that_are_also_words_are_linked_only_when_used_as_names() {
    let rows = rows("names/word_names.tsv");
    let staff: BTreeSet<&String> = rows.iter().flat_map(|row| &row.expected[0]).collect();
    let technician = |name: &String| Technician {
        id: name.clone(),
        name: name.clone(),
        aliases: Vec::new(),
    };
    let names = Linker::new(&Business {
        technicians: staff.into_iter().map(technician).collect(),
        ..Business::default()
    });
    check_links(&names, &rows, 0);
}
