//! How well texts are read, held to annotated sentences (`docs/ANNOTATION.md`), to stars, and to a budget of none but integers.

use std::fs;
use std::path::Path;

use reviews_service::insights::evaluate::{Quality, evaluate, rows};
use reviews_service::insights::{Engine, Polarity};

/// What is promised of sentences that nobody looked at while the rules were written.
const ASPECT_F1: f64 = 0.85;
const POLARITY_ACCURACY: f64 = 0.85;
const COVERAGE: f64 = 0.73;
const PUBLISHED_ACCURACY: f64 = 0.92;

fn measure(file: &str) -> Quality {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gold").join(file);
    let content = fs::read_to_string(path).unwrap();
    let engine = Engine::built_in();
    let aspects: Vec<&str> = engine.trade().aspects.iter().map(|aspect| aspect.id.as_str()).collect();
    evaluate(engine.judge(), &rows(file, &content, &aspects).unwrap())
}

#[track_caller]
fn assert_promised(file: &str, least: usize) {
    let quality = measure(file);
    let figures = [
        ("aspect_f1", quality.pairs.f1(), ASPECT_F1),
        ("polarity_accuracy", quality.polarity_accuracy(), POLARITY_ACCURACY),
        ("coverage", quality.coverage(), COVERAGE),
        ("published_accuracy", quality.published_accuracy(), PUBLISHED_ACCURACY),
    ];
    assert!(quality.n >= least, "{file} has {} rows", quality.n);
    let short: Vec<String> = figures
        .iter()
        .filter(|(_, share, promised)| share.value() < *promised)
        .map(|(name, share, promised)| format!("{name} {:.3} {:.3?} < {promised}", share.value(), share.interval()))
        .collect();
    assert!(short.is_empty(), "{file}: {}", short.join(", "));
}

#[test]
fn ordinary_sentences_that_nobody_tuned_on_are_read_as_promised() {
    assert_promised("ordinary_held_out.tsv", 250);
}

#[test]
fn hard_sentences_that_nobody_tuned_on_are_read_as_promised() {
    assert_promised("held_out.tsv", 250);
}

#[test]
fn sentences_that_were_tuned_on_stay_read() {
    assert_promised("development.tsv", 250);
    assert_promised("ordinary_development.tsv", 250);
}

#[test]
fn the_text_alone_tells_whether_the_stars_are_many_or_few() {
    let seeds = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/reviews.jsonl")).unwrap();
    let (mut right, mut all) = (0, 0);
    for line in seeds.lines() {
        let review: serde_json::Value = serde_json::from_str(line).unwrap();
        let (Some(original), Some(stars)) = (review["text"].as_str(), review["rating"].as_u64()) else { continue };
        let text = reviews_service::insights::text::Text::new(original);
        let is_english = text.language(review["language"].as_str()) == reviews_service::insights::Language::English;
        if stars == 3 || !is_english {
            continue;
        }
        let expected = if stars > 3 { Polarity::Positive } else { Polarity::Negative };
        right += usize::from(Engine::built_in().judge().judge(&text).overall.0 == expected);
        all += 1;
    }
    assert!(all > 200 && right * 100 >= all * 93, "{right} of {all}");
}
