//! Measures the analysis of whole reviews: by text only, with stars, by rules only and by classifier only.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Context as _;
use serde_json::{Value, json};

use crate::insights::aspects::RuleEngine;
use crate::insights::aspects::decision::Decisions;
use crate::insights::classifier::NgramClassifier;
use crate::insights::evaluate::{
    Proportion, STARS, StarsShown, WholeQuality, evaluate_reviews, reviews,
};
use crate::insights::trades::{HOME_SERVICES, QUALITY_HEADER};
use crate::insights::{Engine, Engines, LanguageCode, Trade};

/// The result of an evaluation.
pub struct Report {
    /// As text or JSON.
    pub text: String,
    /// As lines of a package's `quality.tsv`.
    pub lines: String,
}

/// Evaluates the file's reviews with the configured trade, by default home services. Reviews of another package are
/// skipped.
pub fn told(
    engines: &Engines,
    (name, content): (&str, &str),
    set: &str,
    language: LanguageCode,
    is_json: bool,
) -> anyhow::Result<Report> {
    let shipped = || Engine::shipped(HOME_SERVICES);
    let engine = engines.set().map_or_else(shipped, Arc::clone);
    let mut reviews = reviews(name, content)?;
    let id = &engine.trade().id;
    reviews.retain(|review| review.package.as_ref().is_none_or(|package| package == id));
    let (trade, reader) = reader(&engine, language)?;
    let [all, with_stars, rules, classifier] = [
        (reader, StarsShown::Hidden),
        (reader, StarsShown::AtHand),
        (&only_rules(trade), StarsShown::Hidden),
        (&without_rules(trade, reader), StarsShown::Hidden),
    ]
    .map(|(reader, stars)| evaluate_reviews(&engine, reader, &reviews, stars));
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
        lines: lines(set, &all, language),
    })
}

/// The trade in that language, with its engine.
///
/// # Errors
/// If the trade does not support the language.
pub fn reader(engine: &Engine, language: LanguageCode) -> anyhow::Result<(&Trade, &RuleEngine)> {
    let id = &engine.trade().id;
    engine
        .reader(language)
        .with_context(|| format!("the package {id} has no language `{}`", language.as_str()))
}

/// The engine with only the rules of `trade`: its classifier detects neither aspects nor polarity.
fn only_rules(trade: &Trade) -> RuleEngine {
    RuleEngine::with(trade, NgramClassifier::default(), Decisions::of_rules())
}

/// The engine `reader` without rules: only its classifier.
fn without_rules(trade: &Trade, reader: &RuleEngine) -> RuleEngine {
    let mut trade = trade.clone();
    trade.rules.clear();
    RuleEngine::with(&trade, reader.classifier().clone(), Decisions::built_in())
}

/// The engine with stars, and the parts of the engine separately, by their names in JSON.
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
    figures["in_other_languages"] = json!(all.in_other_languages);
    for (name, quality) in others {
        figures[name] = object(quality);
    }
    figures
}

/// Four decimals, as published.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn table(trade: &str, all: &WholeQuality, others: Others<'_>) -> String {
    let mut text = format!(
        "{} reviews read as {trade}, {} in other languages\n\n{:<20} SHARE  INTERVAL (95 %)        WITH STARS  RULES ONLY   \
         CLASSIFIER ONLY\n",
        all.reviews, all.in_other_languages, "FIGURE"
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

/// For languages other than English also the figures per aspect, which decide whether an aspect is published.
fn lines(set: &str, quality: &WholeQuality, language: LanguageCode) -> String {
    let mut lines = quality.published(set);
    if language != LanguageCode::ENGLISH {
        lines.extend(quality.published_by_aspect(set));
    }
    format!("{QUALITY_HEADER}\n{}\n", lines.join("\n"))
}
