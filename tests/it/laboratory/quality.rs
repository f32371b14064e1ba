//! Quality of the text analysis, measured with annotated sentences (`tests/gold/README.md`) and with stars.

use std::fmt::Display;
use std::fs;
use std::path::Path;

use reviews_service::insights::decide::OpinionFinder;
use reviews_service::insights::rules::{HOME_SERVICES, IDS};

use measure::{
    EvaluationFigures, Proportion, StarsShown, WholeQuality, aspect_ids, evaluate,
    evaluate_reviews, reviews, rows,
};

#[expect(dead_code, reason = "the example prints more")]
#[path = "../../../examples/evaluate/measure.rs"]
pub mod measure;

fn read(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/gold");
    fs::read_to_string(folder.join(file)).unwrap()
}

fn measure(file: &str) -> EvaluationFigures {
    let engine = OpinionFinder::built_in(HOME_SERVICES);
    let aspects = aspect_ids(engine.trade);
    evaluate(engine, &rows(file, &read(file), &aspects).unwrap())
}

#[test]
#[ignore = "run by .ci/nightly"]
fn held_out_ordinary_sentences_reach_the_promised_quality() {
    let quality = measure("ordinary_held_out.tsv");
    assert!(quality.n >= 250, "{} rows", quality.n);
    for (name, share, promised) in [
        ("aspect_f1", quality.pairs.f1(), 0.85),
        ("polarity_accuracy", quality.polarity_accuracy(), 0.85),
        ("coverage", quality.coverage(), 0.73),
        ("published_accuracy", quality.published_accuracy(), 0.92),
    ] {
        let (value, interval) = (share.value(), share.interval());
        assert!(value >= promised, "{name} {value:.3} {interval:.3?}");
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
        let file = format!("plain/{package}.jsonl");
        let quality = whole_reviews(package, &file, StarsShown::Hidden);
        assert!(quality.reviews >= 60, "{package}");
        for (share, floor) in [
            (quality.judged.precision(), right),
            (quality.blamed.precision(), right_of_blame),
            (quality.judged.recall(), found),
        ] {
            assert!(share.value() >= floor, "{package}: {share:?} < {floor}");
        }
    }
}

/// The quality figures that the insights publish.
#[test]
#[ignore = "run by .ci/nightly"]
#[expect(
    clippy::disallowed_methods,
    reason = "reads insta's variable for updating the file"
)]
fn the_published_quality_is_the_measured_one() {
    let mut lines = vec!["trade\ttask\tset\tmeasure\tn\tpart\twhole".to_owned()];
    // There are no annotated reviews of places to stay.
    for trade in IDS.into_iter().filter(|trade| *trade != "lodging") {
        let mut measured = Vec::new();
        if trade == HOME_SERVICES {
            for set in ["ordinary_held_out", "held_out"] {
                measured.extend(of_sentences(&measure(&format!("{set}.tsv")), set));
            }
        }
        let plain = format!("plain/{trade}.jsonl");
        for (file, set) in [
            ("reviews/held_out.jsonl", "synthetic_reviews_held_out"),
            (&plain, "synthetic_plain_reviews"),
        ] {
            let text_only = whole_reviews(trade, file, StarsShown::Hidden);
            measured.extend(of_reviews(&text_only, set));
            let with_stars = whole_reviews(trade, file, StarsShown::AtHand);
            // Only the lines about findings: stars never affect the polarity of the whole text.
            let mut lines = of_reviews(&with_stars, &format!("{set}_with_stars"));
            lines.retain(|line| line.starts_with("finding"));
            measured.extend(lines);
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

/// The quality of a package for the reviews of its trade in a file.
fn whole_reviews(package: &str, file: &str, stars: StarsShown) -> WholeQuality {
    let mut all = reviews(file, &read(file)).unwrap();
    all.retain(|review| review.package.as_deref() == Some(package));
    let engine = OpinionFinder::built_in(package);
    evaluate_reviews(engine, &all, stars)
}
