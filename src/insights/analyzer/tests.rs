//! What decides an analysis, and its bounds.

use std::collections::BTreeSet;

use super::{Analyzer, Engine, Subject, TEXT_CHARS_MAX};
use crate::business::{Business, Technician};
use crate::insights::{Language, Trade};
use crate::reviews::Mentions;

fn subject<'a>(text: &'a str, recorded: &'a Mentions) -> Subject<'a> {
    Subject {
        text,
        language: None,
        author: "Jane D.",
        recorded,
        stars: 5,
    }
}

#[test]
fn whatever_decides_an_analysis_is_in_its_two_hashes() {
    let (none, some) = (
        Mentions::default(),
        Mentions::new(vec!["A".to_owned()], Vec::new(), Vec::new()),
    );
    let other = Mentions::new(Vec::new(), vec!["A".to_owned()], Vec::new());
    let subjects = [
        subject("Great.", &none),
        subject("Great!", &none),
        subject("Great.", &some),
        subject("Great.", &other),
        Subject {
            author: "Great.",
            ..subject("Jane D.", &none)
        },
        Subject {
            stars: 1,
            ..subject("Great.", &none)
        },
        Subject {
            language: Some("en"),
            ..subject("Great.", &none)
        },
    ];
    assert_eq!(
        subjects
            .iter()
            .map(Subject::hash)
            .collect::<BTreeSet<_>>()
            .len(),
        subjects.len()
    );
    let technician = Technician {
        id: "t".to_owned(),
        name: "Dana Ray".to_owned(),
        aliases: Vec::new(),
    };
    let firm = Business {
        technicians: vec![technician],
        ..Business::default()
    };
    let plain = std::sync::Arc::new(Engine::new(Trade::default()));
    let readers = [
        Analyzer::default(),
        Analyzer::new(&firm, &Engine::built_in()),
        Analyzer::new(&Business::default(), &plain),
    ];
    assert_eq!(
        readers
            .iter()
            .map(Analyzer::method)
            .collect::<BTreeSet<_>>()
            .len(),
        readers.len()
    );
    assert_eq!(Analyzer::default().method(), readers[0].method());
}

#[test]
fn what_says_nothing_about_texts_is_in_no_hash() {
    let described = Business {
        description: Some("New".to_owned()),
        ..Business::default()
    };
    assert_eq!(
        Analyzer::new(&described, &Engine::built_in()).method(),
        Analyzer::default().method()
    );
}

#[test]
fn a_text_is_read_up_to_a_bound_and_no_character_is_cut() {
    let none = Mentions::default();
    let analyzer = Analyzer::default();
    let long =
        "They were late. ".repeat(TEXT_CHARS_MAX / 16) + &"🙂".repeat(40) + " Great service!";
    let analysis = analyzer.analyze(&subject(&long, &none));
    assert_eq!(analysis.language, Language::English);
    assert!(
        analysis
            .sentences
            .iter()
            .all(|span| span.end as usize <= TEXT_CHARS_MAX),
        "{:?}",
        analysis.sentences.last()
    );
    let cut: String = long.chars().take(TEXT_CHARS_MAX).collect();
    assert_eq!(analysis, analyzer.analyze(&subject(&cut, &none)));
}

#[test]
fn what_is_not_english_or_has_no_words_is_counted_and_not_analysed() {
    let none = Mentions::default();
    for (text, language) in [
        ("", Language::None),
        ("👍👍", Language::None),
        ("Muy buen servicio, llegaron a tiempo.", Language::Other),
    ] {
        let analysis = Analyzer::default().analyze(&subject(text, &none));
        assert_eq!(analysis.language, language, "{text}");
        assert!(
            analysis.findings.is_empty()
                && analysis.mentions.is_empty()
                && analysis.phrases.is_empty(),
            "{text}"
        );
    }
}
