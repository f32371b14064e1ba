//! Quality of the text analysis, measured with annotated sentences (`tests/gold/README.md`) and with stars.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use reviews_service::insights::aspects::RuleEngine;
use reviews_service::insights::text::TokenizedText;
use reviews_service::insights::trades::IDS;
use reviews_service::insights::{Engine, Polarity};

use measure::{
    EvaluationFigures, Proportion, StarsShown, WholeQuality, evaluate, evaluate_reviews, reviews,
    rows,
};

#[path = "../../examples/evaluate/evaluate.rs"]
pub mod evaluate;
#[path = "../../examples/evaluate/measure.rs"]
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
fn held_out_ordinary_sentences_reach_the_promised_quality() {
    assert_quality("ordinary_held_out.tsv", 250);
}

/// Idiom, irony and unlisted phrases do not reach the promised quality. These floors, just below the measured figures
/// (`docs/INSIGHTS.md`), detect losses. A judgement that would be wrong too often is left uncertain.
#[test]
fn held_out_hard_sentences_reach_the_required_quality() {
    let quality = measure("held_out.tsv");
    let floors = [
        (quality.pairs.f1(), 0.74),
        (quality.published_accuracy(), 0.88),
        (quality.coverage(), 0.65),
    ];
    assert!(
        quality.n >= 250 && floors.iter().all(|(share, floor)| share.value() >= *floor),
        "{floors:?}"
    );
}

#[test]
fn development_sentences_reach_the_required_quality() {
    assert_quality("ordinary_development.tsv", 250);
    let hard = measure("development.tsv");
    let floors = [
        (hard.pairs.f1(), 0.97),
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

/// Compares a package's published figures with these lines.
#[expect(
    clippy::disallowed_methods,
    reason = "reads insta's variable for updating the file"
)]
#[track_caller]
fn assert_published(file: &str, lines: &[String]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("src/insights/trades")
        .join(file);
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

/// The quality figures that the insights publish.
#[test]
fn the_published_quality_is_the_measured_one() {
    let mut lines = vec!["task\tset\tmeasure\tn\tpart\twhole".to_owned()];
    for file in ["ordinary_held_out", "held_out"] {
        let quality = measure(&format!("{file}.tsv"));
        let n = quality.n;
        let mut tell = |task: &str, measure: &str, share: Proportion| {
            lines.push(format!(
                "{task}\t{file}\t{measure}\t{n}\t{}\t{}",
                share.part, share.whole
            ));
        };
        tell("aspect", "f1", quality.pairs.f1());
        tell("aspect_polarity", "accuracy", quality.polarity_accuracy());
        tell("aspect_polarity", "coverage", quality.coverage());
        tell(
            "aspect_polarity",
            "published_accuracy",
            quality.published_accuracy(),
        );
    }
    for package in IDS {
        let mut lines = if package == "home_services" {
            lines.clone()
        } else {
            lines[..1].to_vec()
        };
        for (file, set) in [
            (
                "reviews/held_out.jsonl".to_owned(),
                "synthetic_reviews_held_out",
            ),
            (format!("plain/{package}.jsonl"), "synthetic_plain_reviews"),
        ] {
            lines.extend(whole_reviews(package, &file, StarsShown::Hidden).published(set));
            let with_stars = whole_reviews(package, &file, StarsShown::AtHand);
            lines.extend(of_findings(&with_stars, set));
        }
        assert_published(&format!("{package}/quality.tsv"), &lines);
    }
}

/// The figures that decide on publishing findings in another language must be those of the held-out reviews in
/// `tests/gold/<language>`.
#[test]
fn the_quality_of_other_languages_is_the_measured_one() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for package in IDS {
        let engine = Engine::shipped(package);
        for trade in &engine.trade.languages {
            let words = &trade.words;
            let (code, from) = (words.code.as_str(), words.published_from.as_ref().unwrap());
            let mut lines = vec!["task\tset\tmeasure\tn\tpart\twhole".to_owned()];
            let mut all = Vec::new();
            for file in fs::read_dir(root.join("tests/gold").join(code))
                .into_iter()
                .flatten()
            {
                let path = file.unwrap().path();
                let content = fs::read_to_string(&path).unwrap();
                all.extend(reviews(&path.display().to_string(), &content).unwrap());
            }
            all.retain(|review| review.package.as_deref() == Some(package));
            if !all.is_empty() {
                let rules = engine.reader(words.code).unwrap();
                let alone = evaluate_reviews(&engine, rules, &all, StarsShown::Hidden);
                lines.extend(alone.published(&from.set));
                lines.extend(alone.published_by_aspect(&from.set));
                let with_stars = evaluate_reviews(&engine, rules, &all, StarsShown::AtHand);
                lines.extend(of_findings(&with_stars, &from.set));
            }
            assert_published(&format!("{package}/{code}/quality.tsv"), &lines);
        }
    }
}

/// Only the lines about findings: stars never affect the polarity of the whole text.
fn of_findings(with_stars: &WholeQuality, set: &str) -> Vec<String> {
    let mut lines = with_stars.published(&format!("{set}_with_stars"));
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

/// For the development reviews that `is_wanted` accepts, by trade: the numbers of pairs of review and aspect that the rules
/// of a package find correctly, find wrongly, and miss, among its aspects.
fn pairs_of_reviews(package: &str, is_wanted: fn(&str) -> bool) -> [usize; 3] {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gold/reviews/development.jsonl");
    let engine = Engine::shipped(package);
    let mut rules = engine.rules().clone();
    rules.decisions = None;
    let mut pairs = [0; 3];
    for line in fs::read_to_string(path).unwrap().lines() {
        let review: serde_json::Value = serde_json::from_str(line).unwrap();
        if !is_wanted(review["trade"].as_str().unwrap()) {
            continue;
        }
        let annotated: BTreeSet<&str> = review["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|finding| finding["aspect"].as_str().unwrap())
            .filter(|aspect| engine.trade.aspect(aspect).is_some())
            .collect();
        let analysis = rules.analyze(&TokenizedText::new(review["text"].as_str().unwrap()));
        let findings = analysis.findings.iter();
        let found: BTreeSet<&str> = findings.map(|finding| finding.aspect.as_str()).collect();
        pairs[0] += found.intersection(&annotated).count();
        pairs[1] += found.difference(&annotated).count();
        pairs[2] += annotated.difference(&found).count();
    }
    pairs
}

/// Floors that detect losses. The packages were written with these reviews, so the figures are not published.
#[test]
fn the_rules_of_the_packages_reach_the_required_quality() {
    const HOMES: [&str; 8] = [
        "plumbing",
        "heating",
        "air conditioning",
        "electric",
        "drains",
        "roofing",
        "cleaning",
        "water heaters",
    ];
    for (package, is_wanted, precision, recall) in [
        (
            "food",
            (|trade| trade == "food") as fn(&str) -> bool,
            88,
            75,
        ),
        ("general", |trade| trade == "food", 85, 45),
        (
            "general",
            |trade| trade != "food" && !HOMES.contains(&trade),
            85,
            40,
        ),
        ("general", |trade| HOMES.contains(&trade), 78, 30),
    ] {
        let [both, found, annotated] = pairs_of_reviews(package, is_wanted);
        assert!(
            both * 100 >= (both + found) * precision && both * 100 >= (both + annotated) * recall,
            "{package}: {both} right, {found} wrong, {annotated} missed"
        );
    }
}
