//! How well the reading agrees with annotators.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use serde_json::{Value, json};

use crate::cli::{Outcome, say};
use crate::insights::Engine;
use crate::insights::Polarity;
use crate::insights::evaluate::{Miss, Quality, Share, evaluate, rows};

/// Compare the reading with annotated sentences: a file with the columns text, aspect and polarity, tabs between
#[derive(Debug, Args)]
pub struct Evaluate {
    /// The annotated file
    #[arg(value_name = "FILE.tsv")]
    file: PathBuf,
    /// Print the figures as one JSON object, and no misses
    #[arg(long)]
    json: bool,
}

impl Evaluate {
    pub(super) fn run(&self, engine: &Engine) -> anyhow::Result<Outcome> {
        let name = self.file.display().to_string();
        let content =
            fs::read_to_string(&self.file).with_context(|| format!("cannot read {name}"))?;
        let aspects: Vec<&str> = engine
            .trade()
            .aspects
            .iter()
            .map(|aspect| aspect.id.as_str())
            .collect();
        let quality = evaluate(engine.rules(), &rows(&name, &content, &aspects)?);
        say(&if self.json {
            format!("{}\n", figures(&quality))
        } else {
            told(&quality)
        })?;
        Ok(Outcome::Done)
    }
}

/// The figures that people ask for, by their names.
fn shares(quality: &Quality) -> [(&'static str, Share); 6] {
    [
        ("aspect_precision", quality.pairs.precision()),
        ("aspect_recall", quality.pairs.recall()),
        ("aspect_f1", quality.pairs.f1()),
        ("polarity_accuracy", quality.polarity_accuracy()),
        ("coverage", quality.coverage()),
        ("published_accuracy", quality.published_accuracy()),
    ]
}

fn figures(quality: &Quality) -> Value {
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

/// Four decimals, as figures are published.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn told(quality: &Quality) -> String {
    let mut text = String::new();
    for miss in &quality.misses {
        tell_miss(&mut text, miss);
    }
    let _ = writeln!(text, "\n{} rows, {} texts\n", quality.n, quality.texts);
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
            [counts.precision(), counts.recall(), counts.f1()].map(Share::value);
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
            quality
                .confusion
                .get(&(*expected, *got))
                .copied()
                .unwrap_or(0)
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
    let characters: Vec<char> = miss.text.chars().collect();
    for hit in &miss.hits {
        let words: String = characters
            .get(hit.span.start as usize..hit.span.end as usize)
            .unwrap_or_default()
            .iter()
            .collect();
        let _ = writeln!(text, "  {:>+4}  {}  {words:?}", hit.points, hit.rule);
    }
}
