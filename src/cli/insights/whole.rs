//! How well whole reviews are read, beside the rules alone.

use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::insights::aspects::decision::Decisions;
use crate::insights::evaluate::{Share, WholeQuality, evaluate_reviews, reviews};
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
    let all = evaluate_reviews(engine.rules(), &aspects, &reviews);
    let rules = engine.rules().clone().decided_by(Decisions::of_rules());
    let rules = evaluate_reviews(&rules, &aspects, &reviews);
    Ok(Report {
        text: if is_json {
            format!("{}\n", figures(id, &all, &rules))
        } else {
            table(id, &all, &rules)
        },
        lines: lines(set, &all),
    })
}

fn figures(trade: &str, all: &WholeQuality, rules: &WholeQuality) -> Value {
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
    figures["rules_alone"] = object(rules);
    for (witness, share) in &all.by_witness {
        figures["by_witness"][*witness] = json!({ "part": share.part, "whole": share.whole });
    }
    figures
}

/// Four decimals, as figures are published.
fn rounded(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}

fn table(trade: &str, all: &WholeQuality, rules: &WholeQuality) -> String {
    let mut text = format!(
        "{} reviews read as {trade}, {} not English\n\n{:<20} SHARE  INTERVAL (95 %)        OF      RULES ALONE\n",
        all.reviews, all.not_english, "FIGURE"
    );
    for ((name, share), (_, alone)) in all.shares().into_iter().zip(rules.shares()) {
        let [low, high] = share.interval();
        let of = format!("{} of {}", share.part, share.whole);
        let _ = writeln!(
            text,
            "{name:<20} {:.3}  ({low:.3} to {high:.3})  {of:<13}  {:.3}",
            share.value(),
            alone.value()
        );
    }
    let _ = writeln!(text, "\nJUDGED BY    RIGHT");
    for (witness, Share { part, whole }) in &all.by_witness {
        let _ = writeln!(text, "{witness:<12} {part} of {whole}");
    }
    text
}

fn lines(set: &str, quality: &WholeQuality) -> String {
    format!("{QUALITY_HEADER}\n{}\n", quality.published(set).join("\n"))
}
