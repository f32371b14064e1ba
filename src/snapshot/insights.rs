//! Builds the insights: aggregates the compact analyses and finds the quoted reviews.

use std::collections::BTreeSet;

use super::input::SnapshotInput;
use crate::insights::decide::WEIGHTS_DIGEST;
use crate::insights::rules::Measured;
use crate::insights::{AggregateInput, aggregate};
use crate::model::MentionKind;
use crate::wire;

/// The only measure that is not a share.
const F1: &str = "f1";

pub fn insights(input: &SnapshotInput) -> wire::Insights {
    let analyzed = input.entries.iter();
    let analyzed = analyzed.filter_map(|entry| Some((&entry.review, entry.analysis.as_ref()?)));
    let analyses: Vec<_> = analyzed.collect();
    let technicians = input.own_business.technicians.iter();
    let people = technicians.flat_map(|one| one.aliases.iter().chain([&one.name]));
    let people: Vec<&str> = people.map(String::as_str).collect();
    let sources = AggregateInput {
        analyses: &analyses,
        unanalyzed: input.entries.len() - analyses.len(),
        trade: input.analyzer.trade,
        business: &input.business,
        people: &people,
        editorial: &input.editorial,
        mentioned: &mentioned(input),
    };
    let mut insights = aggregate(&sources, method(input));
    for aspect in &mut insights.aspects {
        aspect.evidence_url = input.links.evidence(&aspect.id);
    }
    insights
}

/// The mentions of all reviews in every spelling, sorted.
fn mentioned(input: &SnapshotInput) -> BTreeSet<(MentionKind, &str)> {
    let mut mentioned = BTreeSet::new();
    for kind in MentionKind::ALL {
        let values = input.entries.index().mentioned(kind).iter();
        let spellings = values.flat_map(|(_, value)| &value.spellings);
        mentioned.extend(spellings.map(|spelling| (kind, spelling.as_str())));
    }
    mentioned
}

/// Without the counts.
fn method(input: &SnapshotInput) -> wire::InsightsMethod {
    let trade = input.analyzer.trade;
    wire::InsightsMethod {
        engine: concat!("reviews-service ", env!("CARGO_PKG_VERSION")).to_owned(),
        description:
            "Every text is read by rules and small integer weights. The stars may withdraw a judgement; below four stars, a complaint \
             needs less evidence in the text. A review has one vote for each aspect. The same reviews give the same bytes."
                .to_owned(),
        trade: wire::MethodTrade {
            id: trade.published_id().to_owned(),
            label: trade.label.clone(),
            is_measured: !trade.quality.is_empty(),
        },
        trade_sha256: trade.digest(),
        weights_sha256: WEIGHTS_DIGEST.clone(),
        deterministic: true,
        offset_unit: "code_point".to_owned(),
        quality: trade.quality.iter().map(quality).collect(),
        ..wire::InsightsMethod::default()
    }
}

fn quality(measured: &Measured) -> wire::Quality {
    let [part, whole, n] = [measured.part, measured.whole, measured.n]
        .map(|count| u32::try_from(count).unwrap_or(u32::MAX));
    let share = wire::Share::new(part, whole);
    // An F1 score counts agreement twice, so its numerator and denominator are not a sample.
    let interval = share.filter(|_| measured.measure != F1);
    wire::Quality {
        task: measured.task.clone(),
        set: measured.set.clone(),
        n,
        measure: measured.measure.clone(),
        value: share.map_or(0.0, |share| share.value),
        low: interval.map(|share| share.low),
        high: interval.map(|share| share.high),
    }
}
