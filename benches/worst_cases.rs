//! CPU time grows linearly with the length of a text, whatever its words, and with the number of services. Fails if it does not.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a measurement prints results, reads its size from the environment, and panics on errors"
)]

mod support;

use std::hint::black_box;
use std::time::Duration;

use reviews_service::insights::rules::HOME_SERVICES;
use reviews_service::insights::{AnalysisInput, Analyzer, TEXT_CHARS_MAX};
use reviews_service::model::business::{Business, Service, Technician};
use support::cpu::timed;
use support::table;

/// Maximum factor by which the time may grow if the input doubles; 2 is linear.
const GROWTH_MAX: f64 = 3.0;

/// The steps of an analysis, each with a text unit that makes the step run as often as possible.
const WORST: [(&str, &str); 24] = [
    ("sentences: abbreviations that end none", "Dr. Mr. St. "),
    ("sentences: initials", "A. B. C. "),
    ("sentences: one for each word", "Ok. "),
    ("sentences: parentheses that go on", "(a!) b "),
    ("tokens: one word", "a"),
    ("tokens: an acronym without an end", "a.b.c.d."),
    ("tokens: one mark", "!"),
    ("tokens: marks that differ", "!?.,;:"),
    ("tokens: combining marks", "e\u{301}\u{301}\u{301} "),
    ("language: words of no language", "zqx wvk "),
    (
        "phrases: each judges",
        "on time great work fair price very friendly ",
    ),
    (
        "phrases: each is negated",
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
    ("names of aspects", "price work tech office "),
    ("clauses", "but, and they, but, however, "),
    ("cues", "very very really so too extremely "),
    ("quotation marks", "\"good\" \"work\" "),
    ("people", "Dana Whitfield Dana Mike They "),
    ("people: pronouns", "Dana came. They. He. She. "),
    ("people: misspellings", "Danna Whitfeild Whittfieldd Danaa "),
    ("people: a signature that never comes", "Dana - ! ? - "),
    (
        "services and areas",
        "water heater Mesa and Gilbert/Mesa drain and Mesa North north ",
    ),
];

fn main() {
    let analyzer = Analyzer::new(&business(), Some(HOME_SERVICES));
    let mut rows = Vec::new();
    for (step, unit) in WORST {
        // The text begins in English, so that all of it is analysed.
        let opening =
            "They came out to our house and it was all that we had asked them for. ".repeat(6);
        let times = [TEXT_CHARS_MAX / 2, TEXT_CHARS_MAX].map(|characters| {
            let text: String = opening
                .chars()
                .chain(unit.chars().cycle())
                .take(characters)
                .collect();
            median(|| {
                black_box(analyzer.analyze(&AnalysisInput {
                    text: &text,
                    language: Some("en"),
                    author: "Dana W.",
                    stars: 3,
                }));
            })
        });
        rows.push((step, times));
    }
    let times = [5_000, 10_000].map(|services| {
        let business = business_with_services(services);
        median(|| {
            black_box(Analyzer::new(&business, Some(HOME_SERVICES)));
        })
    });
    rows.push(("services: 10,000 with synonyms", times));
    println!("| case | half | whole | growth |\n|---|---:|---:|---:|");
    let mut is_linear = true;
    for (step, [half, whole]) in rows {
        let growth = whole.as_secs_f64() / half.as_secs_f64();
        is_linear &= growth <= GROWTH_MAX;
        let time = |duration: Duration| table::time(Some(duration.as_secs_f64() * 1e9));
        println!(
            "| {step} | {} | {} | {growth:.1} |",
            time(half),
            time(whole)
        );
    }
    assert!(is_linear, "a case above grew more than {GROWTH_MAX} times");
}

/// The median CPU time of several runs.
fn median(mut run: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..9).map(|_| timed(&mut run).1).collect();
    times.sort();
    times[times.len() / 2]
}

fn business() -> Business {
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

/// A business with services that have words of their own, words shared with a few, and words shared with all.
fn business_with_services(count: usize) -> Business {
    let service = |number: usize| Service {
        id: format!("service-{number}"),
        name: format!("Brand{number} water heater repair"),
        synonyms: vec![
            format!("tune {number}"),
            format!("valve {number} check"),
            format!("repair of unit {}", number / 3),
            "service call".to_owned(),
            "tune up".to_owned(),
        ],
    };
    Business {
        services: (0..count).map(service).collect(),
        ..Business::default()
    }
}
