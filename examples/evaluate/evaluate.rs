//! The arguments and the output of the evaluation: of sentences (`.tsv`) or of whole reviews (`.jsonl`: by text only, with
//! stars, and by classifier only).

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Parser;
use clap::builder::PossibleValuesParser;
use reviews_service::insights::Polarity;
use reviews_service::insights::decide::OpinionFinder;
use reviews_service::insights::rules::{CompiledRules, HOME_SERVICES, IDS};
use serde_json::{Value, json};

use super::measure::{
    AnnotatedReview, AnnotatedTexts, EvaluationFigures, Miss, Proportion, StarsShown, WholeQuality,
    aspect_ids, evaluate, evaluate_reviews, reviews, rows,
};

/// Measure the analysis against annotations: FILE.tsv with sentences (text, aspect, polarity) or FILE.jsonl with reviews
#[derive(Debug, Parser)]
pub struct Evaluate {
    /// The annotated file
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// A trade [default: the first one that the file is for]
    #[arg(long, value_parser = PossibleValuesParser::new(IDS))]
    trade: Option<String>,
    /// Print the figures as one JSON object, without the list of misses
    #[arg(long)]
    json: bool,
}

impl Evaluate {
    /// Returns the output.
    ///
    /// # Errors
    /// A file that cannot be read, with the line.
    pub fn run(&self) -> anyhow::Result<String> {
        let configured = self.trade.as_deref().map(OpinionFinder::built_in);
        let name = self.file.display().to_string();
        let content =
            fs::read_to_string(&self.file).with_context(|| format!("cannot read {name}"))?;
        if self.file.extension() == Some("jsonl".as_ref()) {
            return self.whole_reviews(configured, &name, &content);
        }
        let (engine, rows) = Self::read(configured, &name, &content)?;
        let quality = evaluate(engine, &rows);
        Ok(if self.json {
            format!("{}\n", figures(&quality))
        } else {
            told(&engine.trade.id, &quality)
        })
    }

    /// The rows of the file, and the engine for them: the configured trade, or the first package with all aspects of
    /// the file.
    fn read(
        configured: Option<&'static OpinionFinder>,
        name: &str,
        content: &str,
    ) -> anyhow::Result<(&'static OpinionFinder, AnnotatedTexts)> {
        let of = |engine: &OpinionFinder| rows(name, content, &aspect_ids(engine.trade));
        if let Some(engine) = configured {
            let rows = of(engine)?;
            return Ok((engine, rows));
        }
        let engines = IDS.map(OpinionFinder::built_in);
        let read = |engine: &'static OpinionFinder| anyhow::Ok((engine, of(engine)?));
        let fitting = engines.iter().find_map(|engine| read(engine).ok());
        fitting.map_or_else(|| read(engines[0]), Ok)
    }
}

/// The shares of an evaluation, by their names in JSON.
fn shares(quality: &EvaluationFigures) -> [(&'static str, Proportion); 6] {
    [
        ("aspect_precision", quality.pairs.precision()),
        ("aspect_recall", quality.pairs.recall()),
        ("aspect_f1", quality.pairs.f1()),
        ("polarity_accuracy", quality.polarity_accuracy()),
        ("coverage", quality.coverage()),
        ("published_accuracy", quality.published_accuracy()),
    ]
}

fn figures(quality: &EvaluationFigures) -> Value {
    let mut object = json!({ "n": quality.n, "texts": quality.texts, "polarity_macro_f1": rounded(quality.macro_f1()) });
    for (name, share) in shares(quality) {
        object[name] = json!(rounded(share.value()));
        object["ci95"][name] = json!(share.interval().map(rounded));
    }
    for (aspect, counts) in &quality.aspects {
        object["aspects"][aspect] = json!({
            "precision": rounded(counts.precision().value()),
            "recall": rounded(counts.recall().value()),
            "f1": rounded(counts.f1().value()),
            "both": counts.both, "reader_only": counts.analyzer, "annotator_only": counts.annotator,
        });
    }
    for ((expected, got), count) in &quality.confusion {
        object["confusion"][expected.name()][got.name()] = json!(count);
    }
    object
}

/// Four decimals, as published.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn told(trade: &str, quality: &EvaluationFigures) -> String {
    let mut text = String::new();
    for miss in &quality.misses {
        tell_miss(&mut text, miss);
    }
    let _ = writeln!(
        text,
        "\n{} rows, {} texts, read with {trade}\n",
        quality.n, quality.texts
    );
    for (name, share) in shares(quality) {
        let [low, high] = share.interval();
        let _ = writeln!(
            text,
            "{name:<20} {:.3}  ({low:.3} to {high:.3}), {} of {}",
            share.value(),
            share.part,
            share.whole
        );
    }
    let _ = writeln!(
        text,
        "{:<20} {:.3}",
        "polarity_macro_f1",
        quality.macro_f1()
    );
    let _ = writeln!(text, "\n{:<16} PRECISION  RECALL     F1", "ASPECT");
    for (aspect, counts) in &quality.aspects {
        let [precision, recall, f1] =
            [counts.precision(), counts.recall(), counts.f1()].map(Proportion::value);
        let _ = writeln!(
            text,
            "{aspect:<16}     {precision:.3}   {recall:.3}  {f1:.3}"
        );
    }
    let labels = [
        Polarity::Positive,
        Polarity::Negative,
        Polarity::Neutral,
        Polarity::Uncertain,
    ];
    let _ = writeln!(text, "\nANNOTATED  POSITIVE  NEGATIVE  NEUTRAL  UNCERTAIN");
    for expected in &labels[..3] {
        let count = |got: &Polarity| {
            let counted = quality.confusion.get(&(*expected, *got));
            counted.copied().unwrap_or(0)
        };
        let [positive, negative, neutral, uncertain] = labels.each_ref().map(count);
        let _ = writeln!(
            text,
            "{:<9}  {positive:>8}  {negative:>8}  {neutral:>7}  {uncertain:>9}",
            expected.name()
        );
    }
    text
}

fn tell_miss(text: &mut String, miss: &Miss) {
    let name = |polarity: Option<Polarity>| polarity.map_or("-", Polarity::name);
    let _ = writeln!(
        text,
        "{}: expected {}, got {}: {}",
        miss.aspect,
        name(miss.expected),
        name(miss.got),
        miss.text
    );
    for hit in &miss.hits {
        let words = hit.span.of(&miss.text).unwrap_or_default();
        let _ = writeln!(text, "  {:>+4}  {}  {words:?}", hit.points, hit.rule);
    }
}

// Measures the analysis of whole reviews: by text only, with stars, by rules only and by classifier only.

impl Evaluate {
    /// Evaluates the file's reviews with the configured trade, by default the first package that a review is of; reviews of
    /// another package are skipped. Returns the figures as text or JSON.
    fn whole_reviews(
        &self,
        configured: Option<&'static OpinionFinder>,
        name: &str,
        content: &str,
    ) -> anyhow::Result<String> {
        let mut reviews = reviews(name, content)?;
        let is_of = |review: &AnnotatedReview, id: &str| {
            let package = review.package.as_ref();
            package.is_none_or(|package| package == id)
        };
        let engine = configured.unwrap_or_else(|| {
            let mut ids = IDS.into_iter();
            let first = ids.find(|id| reviews.iter().any(|review| is_of(review, id)));
            OpinionFinder::built_in(first.unwrap_or(HOME_SERVICES))
        });
        let (id, all) = (&engine.trade.id, reviews.len());
        reviews.retain(|review| is_of(review, id));
        let skipped = all - reviews.len();
        let reader = engine;
        let mut only_classifier = reader.clone();
        only_classifier.rules = CompiledRules::default();
        let [all, with_stars, classifier] = [
            (reader, StarsShown::Hidden),
            (reader, StarsShown::AtHand),
            (&only_classifier, StarsShown::Hidden),
        ]
        .map(|(reader, stars)| evaluate_reviews(reader, &reviews, stars));
        let others = [
            ("with_stars", &with_stars),
            ("classifier_alone", &classifier),
        ];
        Ok(if self.json {
            let mut figures = whole_figures(id, &all, others);
            figures["of_other_packages"] = json!(skipped);
            format!("{figures}\n")
        } else {
            whole_table(id, &all, skipped, others)
        })
    }
}

/// The engine with stars, and the parts of the engine separately, by their names in JSON.
type Others<'a> = [(&'static str, &'a WholeQuality); 2];

fn whole_figures(trade: &str, all: &WholeQuality, others: Others<'_>) -> Value {
    let object = |quality: &WholeQuality| {
        let mut object = json!({});
        for (name, share) in quality.shares() {
            object[name] = json!({
                "value": rounded(share.value()), "ci95": share.interval().map(rounded), "part": share.part, "whole": share.whole,
            });
        }
        for (witness, share) in &quality.by_witness {
            object["by_witness"][*witness] = json!({ "part": share.part, "whole": share.whole });
        }
        object
    };
    let mut figures = object(all);
    figures["trade"] = json!(trade);
    figures["reviews"] = json!(all.reviews);
    figures["in_other_languages"] = json!(all.in_other_languages);
    for (name, quality) in others {
        figures[name] = object(quality);
    }
    figures
}

fn whole_table(trade: &str, all: &WholeQuality, skipped: usize, others: Others<'_>) -> String {
    let mut text = format!(
        "{} reviews read as {trade}, {} in other languages\n",
        all.reviews, all.in_other_languages
    );
    if skipped > 0 {
        let _ = writeln!(
            text,
            "{skipped} of other packages skipped; choose one with --trade"
        );
    }
    let _ = writeln!(
        text,
        "\n{:<20} SHARE  INTERVAL (95 %)        WITH STARS  CLASSIFIER ONLY",
        "FIGURE"
    );
    let columns = others.map(|(_, quality)| quality.shares());
    for (at, (name, share)) in all.shares().into_iter().enumerate() {
        let [low, high] = share.interval();
        let of = format!("{} of {}", share.part, share.whole);
        let [stars, classifier] = columns.each_ref().map(|shares| shares[at].1.value());
        let _ = writeln!(
            text,
            "{name:<20} {:.3}  ({low:.3} to {high:.3})  {of:<13} {stars:.3}       {classifier:.3}",
            share.value(),
        );
    }
    let _ = writeln!(text, "\nJUDGED BY    RIGHT");
    for (witness, Proportion { part, whole }) in &all.by_witness {
        let _ = writeln!(text, "{witness:<12} {part} of {whole}");
    }
    text
}
