//! How well whole reviews are read, by the text alone and with the stars at hand, beside the rules alone and the classifier
//! alone.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::insights::aspects::RuleEngine;
use crate::insights::aspects::combine::Decisions;
use crate::insights::classifier::NgramClassifier;
use crate::insights::evaluate::{
    Proportion, STARS, StarsShown, WholeQuality, evaluate_reviews, reviews,
};
use crate::insights::trades::{HOME_SERVICES, QUALITY_HEADER};
use crate::insights::{Engine, Engines};

/// What an evaluation has to say.
pub struct Report {
    /// For people, or as JSON.
    pub text: String,
    /// As lines of a package's `quality.tsv`.
    pub lines: String,
}

/// Reads the file's reviews by the trade that is set, else as home services, and tells how well.
/// Reviews that name another package are left out.
pub fn told(
    engines: &Engines,
    name: &str,
    content: &str,
    set: &str,
    is_json: bool,
) -> anyhow::Result<Report> {
    let shipped = || Engine::shipped(HOME_SERVICES);
    let engine = engines.set().map_or_else(shipped, Arc::clone);
    let mut reviews = reviews(name, content)?;
    let id = &engine.trade().id;
    reviews.retain(|review| review.package.as_ref().is_none_or(|package| package == id));
    let aspects = engine.trade().aspect_ids();
    let [all, with_stars, rules, classifier] = [
        (engine.rules(), StarsShown::Hidden),
        (engine.rules(), StarsShown::AtHand),
        (&only_rules(&engine), StarsShown::Hidden),
        (&without_rules(&engine), StarsShown::Hidden),
    ]
    .map(|(reader, stars)| evaluate_reviews(reader, &aspects, &reviews, stars));
    let others = [
        ("with_stars", &with_stars),
        ("rules_alone", &rules),
        ("classifier_alone", &classifier),
    ];
    Ok(Report {
        text: if is_json {
            format!("{}\n", figures(id, &all, others))
        } else {
            table(id, &all, others)
        },
        lines: lines(set, &all),
    })
}

/// What reads as `engine` does, but hears nothing: its rules alone, without the classifiers of aspects and of polarity.
fn only_rules(engine: &Engine) -> RuleEngine {
    RuleEngine::with(
        engine.trade(),
        NgramClassifier::default(),
        Decisions::of_rules(),
    )
}

/// What reads as `engine` does, but knows no phrase: its classifier alone.
fn without_rules(engine: &Engine) -> RuleEngine {
    let mut trade = engine.trade().clone();
    trade.rules.clear();
    let classifier = engine.rules().classifier().clone();
    RuleEngine::with(&trade, classifier, Decisions::built_in())
}

/// The reader that sees the stars, and parts of the reader by themselves, by their names in JSON.
type Others<'a> = [(&'static str, &'a WholeQuality); 3];

fn figures(trade: &str, all: &WholeQuality, others: Others<'_>) -> Value {
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
    figures["not_english"] = json!(all.not_english);
    for (name, quality) in others {
        figures[name] = object(quality);
    }
    figures
}

/// Four decimals, as figures are published.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn table(trade: &str, all: &WholeQuality, others: Others<'_>) -> String {
    let mut text = format!(
        "{} reviews read as {trade}, {} not English\n\n{:<20} SHARE  INTERVAL (95 %)        WITH STARS  RULES ALONE  CLASSIFIER ALONE\n",
        all.reviews, all.not_english, "FIGURE"
    );
    let columns = others.map(|(_, quality)| quality.shares());
    for (at, (name, share)) in all.shares().into_iter().enumerate() {
        let [low, high] = share.interval();
        let of = format!("{} of {}", share.part, share.whole);
        let [stars, rules, classifier] = columns.each_ref().map(|shares| shares[at].1.value());
        let _ = writeln!(
            text,
            "{name:<20} {:.3}  ({low:.3} to {high:.3})  {of:<13} {stars:.3}       {rules:.3}        {classifier:.3}",
            share.value(),
        );
    }
    let _ = writeln!(text, "\nJUDGED BY    RIGHT");
    let [(_, with_stars), ..] = others;
    let confirmed = with_stars.by_witness.get_key_value(STARS);
    for (witness, Proportion { part, whole }) in all.by_witness.iter().chain(confirmed) {
        let _ = writeln!(text, "{witness:<12} {part} of {whole}");
    }
    text
}

fn lines(set: &str, quality: &WholeQuality) -> String {
    format!("{QUALITY_HEADER}\n{}\n", quality.published(set).join("\n"))
}
