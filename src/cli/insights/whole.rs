//! How well whole reviews are read, beside the rules alone and the classifier alone.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::insights::aspects::RuleEngine;
use crate::insights::aspects::combine::Decisions;
use crate::insights::evaluate::{Proportion, WholeQuality, evaluate_reviews, reviews};
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
    let [all, rules, classifier] = [
        engine.rules(),
        &engine.rules().clone().decided_by(Decisions::of_rules()),
        &without_rules(&engine),
    ]
    .map(|reader| evaluate_reviews(reader, &aspects, &reviews));
    let alone = [("rules_alone", &rules), ("classifier_alone", &classifier)];
    Ok(Report {
        text: if is_json {
            format!("{}\n", figures(id, &all, alone))
        } else {
            table(id, &all, alone)
        },
        lines: lines(set, &all),
    })
}

/// What reads as `engine` does, but knows no phrase: its classifier alone.
fn without_rules(engine: &Engine) -> RuleEngine {
    let mut trade = engine.trade().clone();
    trade.rules.clear();
    let classifier = engine.rules().classifier().clone();
    RuleEngine::with(&trade, classifier, Decisions::built_in())
}

/// Parts of the reader by themselves, by their names in JSON.
type Alone<'a> = [(&'static str, &'a WholeQuality); 2];

fn figures(trade: &str, all: &WholeQuality, alone: Alone<'_>) -> Value {
    let object = |quality: &WholeQuality| {
        let mut object = json!({});
        for (name, share) in quality.shares() {
            object[name] = json!({
                "value": rounded(share.value()), "ci95": share.interval().map(rounded), "part": share.part, "whole": share.whole,
            });
        }
        object
    };
    let mut figures = object(all);
    figures["trade"] = json!(trade);
    figures["reviews"] = json!(all.reviews);
    figures["not_english"] = json!(all.not_english);
    for (name, quality) in alone {
        figures[name] = object(quality);
    }
    for (witness, share) in &all.by_witness {
        figures["by_witness"][*witness] = json!({ "part": share.part, "whole": share.whole });
    }
    figures
}

/// Four decimals, as figures are published.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn table(trade: &str, all: &WholeQuality, [(_, rules), (_, classifier)]: Alone<'_>) -> String {
    let mut text = format!(
        "{} reviews read as {trade}, {} not English\n\n{:<20} SHARE  INTERVAL (95 %)        RULES ALONE  CLASSIFIER ALONE\n",
        all.reviews, all.not_english, "FIGURE"
    );
    let alone = rules.shares().into_iter().zip(classifier.shares());
    for ((name, share), ((_, rules), (_, classifier))) in all.shares().into_iter().zip(alone) {
        let [low, high] = share.interval();
        let of = format!("{} of {}", share.part, share.whole);
        let _ = writeln!(
            text,
            "{name:<20} {:.3}  ({low:.3} to {high:.3})  {of:<13} {:.3}        {:.3}",
            share.value(),
            rules.value(),
            classifier.value()
        );
    }
    let _ = writeln!(text, "\nJUDGED BY    RIGHT");
    for (witness, Proportion { part, whole }) in &all.by_witness {
        let _ = writeln!(text, "{witness:<12} {part} of {whole}");
    }
    text
}

fn lines(set: &str, quality: &WholeQuality) -> String {
    format!("{QUALITY_HEADER}\n{}\n", quality.published(set).join("\n"))
}
