//! Tests that the analysis takes linear time in the length of the text. It counts steps for the worst texts of 20,000
//! characters: one text for each kind of step.

use super::{Analyzer, Engine, PackedAnalysis, Subject, TEXT_CHARS_MAX};
use crate::compute::steps;
use crate::model::business::{Business, Service, Technician};
use crate::model::{Mentions, Review};

/// Maximum number of steps per character. Ordinary reviews take about a tenth of that.
const STEPS_A_CHARACTER: u64 = 120;

/// The kinds of steps, each with a text unit that makes the step run as often as possible.
const WORST: [(&str, &str); 24] = [
    ("sentences: abbreviations that end none", "Dr. Mr. St. "),
    ("sentences: initials", "A. B. C. "),
    ("sentences: one a word", "Ok. "),
    ("sentences: parentheses that go on", "(a!) b "),
    ("tokens: one word", "a"),
    ("tokens: an acronym without an end", "a.b.c.d."),
    ("tokens: one mark", "!"),
    ("tokens: marks that differ", "!?.,;:"),
    ("tokens: combining marks", "e\u{301}\u{301}\u{301} "),
    ("language: words of none", "zqx wvk "),
    (
        "phrases: each judges",
        "on time great work fair price very friendly ",
    ),
    (
        "phrases: each is turned round",
        "not good not on time never late no mess ",
    ),
    (
        "phrases: gaps without an end",
        "they did not really in any way at all ",
    ),
    ("opinions without a name", "great good nice excellent "),
    (
        "opinions joined",
        "not friendly or helpful or nice or good or ",
    ),
    ("names of what is judged", "price work tech office "),
    ("clauses", "but, and they, but, however, "),
    ("cues", "very very really so too extremely "),
    ("quotation marks", "\"good\" \"work\" "),
    ("people", "Dana Whitfield Dana Mike They "),
    ("people: and who goes on", "Dana came. They. He. She. "),
    (
        "people: slips of the pen",
        "Danna Whitfeild Whittfieldd Danaa ",
    ),
    ("people: a signature that never comes", "Dana - ! ? - "),
    (
        "services and areas",
        "water heater Mesa and Gilbert/Mesa drain and Mesa North north ",
    ),
];

fn firm() -> Business {
    let technician = |id: &str, name: &str| Technician {
        id: id.to_owned(),
        name: name.to_owned(),
        aliases: vec!["Mikey".to_owned()],
    };
    let service = |id: &str, name: &str| Service {
        id: id.to_owned(),
        name: name.to_owned(),
        synonyms: vec!["drain".to_owned()],
    };
    Business {
        technicians: vec![
            technician("t1", "Dana Whitfield"),
            technician("t2", "Mike Whitfield"),
            technician("t3", "Mike Hale"),
        ],
        services: vec![
            service("water-heater", "Water heater repair"),
            service("drain", "Drain cleaning"),
        ],
        service_areas: ["Mesa", "Gilbert", "North Mesa", "North"]
            .map(str::to_owned)
            .to_vec(),
        ..Business::default()
    }
}

/// The number of steps for analyzing and packing a text.
fn steps_of(analyzer: &Analyzer, text: &str) -> u64 {
    let recorded = Mentions::new(
        vec!["Mike Hale".to_owned()],
        vec!["drain".to_owned()],
        Vec::new(),
    );
    let subject = Subject {
        text,
        language: Some("en"),
        author: "Dana W.",
        recorded: &recorded,
        stars: 3,
    };
    let before = steps::count();
    let analysis = analyzer.analyze(&subject);
    let _ = PackedAnalysis::new(&analysis, &review(text), analyzer.trade());
    steps::count() - before
}

fn review(text: &str) -> Review {
    use crate::model::{Method, Rating, Source, Status, Verification};
    Review {
        id: "r".parse().unwrap(),
        rating: Rating::try_from(5).unwrap(),
        date: "2026-11-20".parse().unwrap(),
        author: "Dana W.".to_owned(),
        title: None,
        text: text.to_owned(),
        language: None,
        source: Source {
            name: "Direct".to_owned(),
            url: None,
        },
        verification: Verification {
            verified: true,
            method: Method::Manual,
            verified_at: None,
        },
        mentions: Mentions::default(),
        response: None,
        status: Status::Published,
        updated_at: None,
    }
}

/// The text begins in English, so that all of it is analysed.
fn text_of(unit: &str, characters: usize) -> String {
    let opening =
        "They came out to our house and it was all that we had asked them for. ".repeat(6);
    opening
        .chars()
        .chain(unit.chars().cycle())
        .take(characters)
        .collect()
}

#[test]
fn every_step_over_the_worst_text_for_it_takes_as_long_as_the_text_is() {
    let analyzer = Analyzer::new(&firm(), &Engine::built_in());
    let mut faults = Vec::new();
    for (step, unit) in WORST {
        let [half, whole] = [TEXT_CHARS_MAX / 2, TEXT_CHARS_MAX]
            .map(|characters| steps_of(&analyzer, &text_of(unit, characters)));
        let a_character = whole / TEXT_CHARS_MAX as u64;
        if a_character > STEPS_A_CHARACTER || whole > half * 23 / 10 {
            faults.push(format!(
                "{step}: {whole} steps for {TEXT_CHARS_MAX} characters, {half} for half of them"
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn what_is_counted_is_counted() {
    let analyzer = Analyzer::new(&firm(), &Engine::built_in());
    // Ordinary words take steps in every part; without this check, the test above could pass without any counting.
    let text = "Dana was on time and very friendly. Great work at a fair price, and the drain in Mesa is fine now.";
    assert!(steps_of(&analyzer, text) > text.len() as u64);
}
