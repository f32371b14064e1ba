//! Quality of the text analysis, measured with annotated sentences (`tests/gold/README.md`) and with stars.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use reviews_service::insights::decide::RuleEngine;
use reviews_service::insights::rules::{GENERAL, HOME_SERVICES, IDS, aspect_task};
use reviews_service::insights::text::TokenizedText;
use reviews_service::insights::{Engine, LanguageCode, Polarity};

use measure::{
    EvaluationFigures, Proportion, StarsShown, WholeQuality, evaluate, evaluate_reviews, reviews,
    rows,
};

#[path = "../../../examples/evaluate/evaluate.rs"]
pub mod evaluate;
#[path = "../../../examples/evaluate/measure.rs"]
mod measure;

/// The promised quality for held-out sentences.
const ASPECT_F1: f64 = 0.85;
const POLARITY_ACCURACY: f64 = 0.85;
const COVERAGE: f64 = 0.73;
const PUBLISHED_ACCURACY: f64 = 0.92;

fn measure(file: &str) -> EvaluationFigures {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/gold")
        .join(file);
    let content = fs::read_to_string(path).unwrap();
    let engine = Engine::built_in();
    let aspects = engine.trade.aspect_ids();
    evaluate(engine.rules(), &rows(file, &content, &aspects).unwrap())
}

#[track_caller]
fn assert_quality(file: &str, least: usize) {
    let quality = measure(file);
    let figures = [
        ("aspect_f1", quality.pairs.f1(), ASPECT_F1),
        (
            "polarity_accuracy",
            quality.polarity_accuracy(),
            POLARITY_ACCURACY,
        ),
        ("coverage", quality.coverage(), COVERAGE),
        (
            "published_accuracy",
            quality.published_accuracy(),
            PUBLISHED_ACCURACY,
        ),
    ];
    assert!(quality.n >= least, "{file} has {} rows", quality.n);
    let short: Vec<String> = figures
        .iter()
        .filter(|(_, share, promised)| share.value() < *promised)
        .map(|(name, share, promised)| {
            format!(
                "{name} {:.3} {:.3?} < {promised}",
                share.value(),
                share.interval()
            )
        })
        .collect();
    assert!(short.is_empty(), "{file}: {}", short.join(", "));
}

#[test]
#[ignore = "run by .ci/nightly"]
fn held_out_ordinary_sentences_reach_the_promised_quality() {
    assert_quality("ordinary_held_out.tsv", 250);
}

/// Idiom, irony and unlisted phrases do not reach the promised quality. These floors, just below the measured figures
/// (`docs/INSIGHTS.md`), detect losses. A judgement that would be wrong too often is left uncertain.
#[test]
#[ignore = "run by .ci/nightly"]
fn held_out_hard_sentences_reach_the_required_quality() {
    let quality = measure("held_out.tsv");
    let floors = [
        (quality.pairs.f1(), 0.72),
        (quality.published_accuracy(), 0.88),
        (quality.coverage(), 0.65),
    ];
    assert!(
        quality.n >= 250 && floors.iter().all(|(share, floor)| share.value() >= *floor),
        "{floors:?}"
    );
}

#[test]
#[ignore = "run by .ci/nightly"]
fn development_sentences_reach_the_required_quality() {
    assert_quality("ordinary_development.tsv", 250);
    let hard = measure("development.tsv");
    let floors = [
        (hard.pairs.f1(), 0.96),
        (hard.published_accuracy(), 0.94),
        (hard.coverage(), 0.87),
    ];
    assert!(
        hard.n >= 250 && floors.iter().all(|(share, floor)| share.value() >= *floor),
        "{floors:?}"
    );
}

/// For the reviews of a file without those of 3 stars: their number, the number of bad ones, and for how many of all and of
/// the bad ones the text predicts the side of the stars.
fn against_stars(file: &str, stars: &str) -> [usize; 4] {
    against_stars_of(Engine::built_in().rules(), file, stars)
}

fn against_stars_of(rules: &RuleEngine, file: &str, stars: &str) -> [usize; 4] {
    let content = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).unwrap();
    let [mut all, mut bad, mut right, mut right_of_bad] = [0; 4];
    for line in content.lines() {
        let review: serde_json::Value = serde_json::from_str(line).unwrap();
        let (Some(original), Some(stars)) = (review["text"].as_str(), review[stars].as_u64())
        else {
            continue;
        };
        let text = TokenizedText::new(original);
        let is_english = Engine::built_in().language(&text, review["language"].as_str())
            == reviews_service::insights::TextLanguage::English;
        if stars == 3 || !is_english {
            continue;
        }
        let is_bad = stars < 3;
        let expected = if is_bad {
            Polarity::Negative
        } else {
            Polarity::Positive
        };
        let is_right = rules.analyze(&text).overall.0 == expected;
        all += 1;
        bad += usize::from(is_bad);
        right += usize::from(is_right);
        right_of_bad += usize::from(is_right && is_bad);
    }
    [all, bad, right, right_of_bad]
}

/// Uncertain and neutral count as wrong. The sample and development reviews are wittier than real ones: of held-out plain
/// reviews, 19 in 20 are right (`docs/INSIGHTS.md`).
#[test]
#[ignore = "run by .ci/nightly"]
fn the_text_predicts_whether_the_rating_is_high_or_low() {
    let [all, bad, right, right_of_bad] = against_stars("seeds/reviews.jsonl", "rating");
    assert!(
        all > 200 && right * 100 >= all * 79 && right_of_bad * 100 >= bad * 70,
        "seeds: {right} of {all}, {right_of_bad} of {bad} bad ones"
    );
    let [all, bad, right, right_of_bad] =
        against_stars("tests/gold/reviews/development.jsonl", "stars");
    assert!(
        all > 250 && right * 100 >= all * 62 && right_of_bad * 100 >= bad * 74,
        "reviews by many authors: {right} of {all}, {right_of_bad} of {bad} bad ones"
    );
}

/// Plain reviews by authors whose other texts were not used for training or tuning; the floors are slightly below the
/// measured figures (`docs/INSIGHTS.md`).
#[test]
#[ignore = "run by .ci/nightly"]
fn held_out_plain_reviews_get_the_right_polarity() {
    for (package, least, least_of_bad) in [
        ("home_services", 94, 90),
        ("food", 92, 88),
        ("general", 90, 88),
    ] {
        let engine = Engine::shipped(package);
        let file = format!("tests/gold/plain/{package}.jsonl");
        let [all, bad, right, right_of_bad] = against_stars_of(engine.rules(), &file, "stars");
        assert!(
            all > 45 && right * 100 >= all * least && right_of_bad * 100 >= bad * least_of_bad,
            "{package}: {right} of {all}, {right_of_bad} of {bad} bad ones"
        );
    }
}

/// For the same reviews: the precision of all judgements and of negative ones, and the recall.
#[test]
#[ignore = "run by .ci/nightly"]
fn findings_of_held_out_plain_reviews_reach_the_quality() {
    for (package, right, right_of_blame, found) in [
        ("home_services", 0.88, 0.84, 0.55),
        ("food", 0.87, 0.87, 0.59),
        ("general", 0.90, 0.87, 0.42),
    ] {
        let quality = whole_reviews(
            package,
            &format!("plain/{package}.jsonl"),
            StarsShown::Hidden,
        );
        let figures = [
            (quality.judged.precision(), right),
            (quality.blamed.precision(), right_of_blame),
            (quality.judged.recall(), found),
        ];
        assert!(
            quality.reviews >= 60 && figures.iter().all(|(share, floor)| share.value() >= *floor),
            "{package}: {figures:?}"
        );
    }
}

/// The quality figures that the insights publish. In another language, they decide which findings are published.
#[test]
#[ignore = "run by .ci/nightly"]
#[expect(
    clippy::disallowed_methods,
    reason = "reads insta's variable for updating the file"
)]
fn the_published_quality_is_the_measured_one() {
    let mut lines = vec!["trade\ttask\tset\tmeasure\tn\tpart\twhole".to_owned()];
    for trade in IDS {
        let mut measured = Vec::new();
        if trade == HOME_SERVICES {
            for set in ["ordinary_held_out", "held_out"] {
                measured.extend(of_sentences(&measure(&format!("{set}.tsv")), set));
            }
        }
        for (file, set) in [
            (
                "reviews/held_out.jsonl".to_owned(),
                "synthetic_reviews_held_out",
            ),
            (format!("plain/{trade}.jsonl"), "synthetic_plain_reviews"),
        ] {
            measured.extend(of_reviews(
                &whole_reviews(trade, &file, StarsShown::Hidden),
                set,
            ));
            let with_stars = whole_reviews(trade, &file, StarsShown::AtHand);
            measured.extend(of_findings(&with_stars, set));
        }
        if trade == GENERAL {
            measured.extend(in_spanish());
        }
        lines.extend(measured.iter().map(|line| format!("{trade}\t{line}")));
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/insights/rules/quality.tsv");
    let measured = lines.join("\n") + "\n";
    if std::env::var_os("INSTA_UPDATE").is_some_and(|wish| wish == "always") {
        fs::write(&path, &measured).unwrap();
    }
    assert_eq!(
        fs::read_to_string(path).unwrap(),
        measured,
        "update it with INSTA_UPDATE=always"
    );
}

fn of_sentences(quality: &EvaluationFigures, set: &str) -> Vec<String> {
    let figures = [
        ("aspect", "f1", quality.pairs.f1()),
        ("aspect_polarity", "accuracy", quality.polarity_accuracy()),
        ("aspect_polarity", "coverage", quality.coverage()),
        (
            "aspect_polarity",
            "published_accuracy",
            quality.published_accuracy(),
        ),
    ];
    quality_lines(set, quality.n, figures)
}

/// The figures of the general trade for the held-out reviews in Spanish.
fn in_spanish() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gold/es/general.jsonl");
    let all = reviews("es/general.jsonl", &fs::read_to_string(path).unwrap()).unwrap();
    let engine = Engine::shipped(GENERAL);
    let rules = engine.reader(LanguageCode::find("es").unwrap()).unwrap();
    let set = &rules.trade.words.published_from.as_ref().unwrap().set;
    let text_only = evaluate_reviews(&engine, rules, &all, StarsShown::Hidden);
    let with_stars = evaluate_reviews(&engine, rules, &all, StarsShown::AtHand);
    [
        of_reviews(&text_only, set),
        of_aspects(&text_only, set),
        of_findings(&with_stars, set),
    ]
    .concat()
}

/// The measures of findings and of whole texts.
fn of_reviews(quality: &WholeQuality, set: &str) -> Vec<String> {
    let figures = [
        ("finding", "precision", quality.judged.precision()),
        ("finding", "recall", quality.judged.recall()),
        ("finding_negative", "precision", quality.blamed.precision()),
        ("finding_negative", "recall", quality.blamed.recall()),
        ("review_polarity", "accuracy", quality.against_stars),
        (
            "review_polarity",
            "recall_negative",
            quality.bad_against_stars,
        ),
    ];
    quality_lines(set, quality.reviews, figures)
}

/// The precision of each aspect's judgements.
fn of_aspects(quality: &WholeQuality, set: &str) -> Vec<String> {
    let figures = quality.by_aspect.iter();
    let figures = figures.map(|(id, counts)| (aspect_task(id), "precision", counts.precision()));
    quality_lines(set, quality.reviews, figures)
}

/// Lines of `quality.tsv` for the set `set` of `n` rows: each task with its measure and its share, without shares of nothing.
fn quality_lines<T: Display>(
    set: &str,
    n: usize,
    figures: impl IntoIterator<Item = (T, &'static str, Proportion)>,
) -> Vec<String> {
    let figures = figures.into_iter();
    figures
        .filter(|(.., share)| share.whole > 0)
        .map(|(task, measure, Proportion { part, whole })| {
            format!("{task}\t{set}\t{measure}\t{n}\t{part}\t{whole}")
        })
        .collect()
}

/// Only the lines about findings: stars never affect the polarity of the whole text.
fn of_findings(with_stars: &WholeQuality, set: &str) -> Vec<String> {
    let mut lines = of_reviews(with_stars, &format!("{set}_with_stars"));
    lines.retain(|line| line.starts_with("finding"));
    lines
}

/// The quality of a package for the reviews of its trade in a file.
fn whole_reviews(package: &str, file: &str, stars: StarsShown) -> WholeQuality {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/gold")
        .join(file);
    let mut all = reviews(file, &fs::read_to_string(path).unwrap()).unwrap();
    all.retain(|review| review.package.as_deref() == Some(package));
    let engine = Engine::shipped(package);
    evaluate_reviews(&engine, engine.rules(), &all, stars)
}
