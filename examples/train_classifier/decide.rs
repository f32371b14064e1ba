//! Learns how to weigh rules against the classifier, from whole reviews, each analyzed by a classifier that was trained
//! without its author.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use reviews_service::insights::classifier::UNIT;
use reviews_service::insights::decide::{DecisionWeights, Features, OpinionFinder, leader};
use reviews_service::insights::text::TokenizedText;

use crate::dense;
use crate::own::Review;

/// Outcomes: no finding, negative, neutral, positive.
const OUTCOMES: usize = 4;
/// Percentages of correct decisions for which a margin is written.
const PERCENTAGES: [u8; 10] = [50, 55, 60, 65, 70, 75, 80, 85, 90, 95];
/// Minimum number of decisions above a margin.
const JUDGEMENTS_MIN: usize = 40;

/// Minimum evidence for a complaint in reviews of one to three stars, in thousandths of a logarithm of the odds. In held-out reviews
/// of one and two stars, 62 % of the sentences with a complaint have it or a judgement, and 14 % of the others. With 2,650, 52 %
/// and 7 %.
const COMPLAINT_EVIDENCE_MIN: i32 = 2_000;

/// A candidate, with its outcome according to the annotators.
pub struct Row {
    features: Features,
    outcome: usize,
}

/// Adds the rows of one review to `rows`.
pub fn rows(engine: &OpinionFinder, review: &Review, rows: &mut Vec<Row>) {
    let (joined, said) = review.joined();
    let text = TokenizedText::new(&joined);
    let candidates = engine.candidates(&engine.read_sentences(&text));
    let spans: Vec<_> = text.sentence_spans().collect();
    // The annotated polarities by sentence and aspect.
    let mut gold: BTreeMap<(usize, &str), [bool; 3]> = BTreeMap::new();
    for (start, end, aspect, label) in &said {
        let overlap = |at: &usize| {
            i64::from(spans[*at].end.min(*end)) - i64::from(spans[*at].start.max(*start))
        };
        if let Some(at) = (0..spans.len()).max_by_key(overlap) {
            gold.entry((at, aspect)).or_default()[*label] = true;
        }
    }
    for candidate in candidates {
        if !candidate.has_words {
            continue;
        }
        let aspect = &*engine.trade.aspects[candidate.aspect].id;
        let outcome = match gold.get(&(candidate.sentence, aspect)) {
            None => 0,
            Some([true, _, false]) => 1,
            Some([false, _, true]) => 3,
            Some(_) => 2,
        };
        rows.push(Row {
            features: candidate.features,
            outcome,
        });
    }
}

/// A sentence of a review of one or two stars, and whether it complains.
pub struct Complaint {
    features: Features,
    complains: bool,
}

/// Adds the sentences of a review of one or two stars to `rows`.
pub fn complaints(engine: &OpinionFinder, review: &Review, rows: &mut Vec<Complaint>) {
    let text = TokenizedText::new(&review.joined().0);
    let read = engine.read_sentences(&text);
    let spans: Vec<_> = text.sentence_spans().collect();
    let mut start = 0;
    for sentence in review.sentences() {
        let end = start + u32::try_from(sentence.text.chars().count()).unwrap_or(u32::MAX);
        let mut spans = spans.iter();
        let own = spans.position(|span| (start..end).contains(&span.start));
        if let Some((complains, at)) = sentence.complains().zip(own) {
            let features = engine.complaint_features(&read[at]);
            rows.push(Complaint {
                features,
                complains,
            });
        }
        start = end + 1;
    }
}

/// Figures in whole units.
fn whole_units(features: &Features) -> Vec<f32> {
    let features = features.iter();
    let features = features.map(|(_, value)| *value as f32 / UNIT as f32);
    features.collect()
}

/// Each figure with its weights in thousandths.
fn named<const WEIGHTS: usize>(
    features: &Features,
    weights: &[f32],
) -> Vec<(String, [i32; WEIGHTS])> {
    let rows = weights.as_chunks::<WEIGHTS>().0.iter();
    let rows = rows.map(|row| row.map(|weight| (weight * 1_000.0).round() as i32));
    let names = features.iter().map(|(name, _)| (*name).to_owned());
    names.zip(rows).collect()
}

/// The content of `decision.toml`.
pub fn table(rows: &[Row], complaints: &[Complaint]) -> String {
    let examples = rows.iter();
    let examples = examples.map(|row| (whole_units(&row.features), row.outcome));
    let weights = dense::learn(&examples.collect::<Vec<_>>(), OUTCOMES);
    let outcomes = rows.first().map(|row| named(&row.features, &weights));
    let examples = complaints.iter();
    let examples = examples.map(|row| (whole_units(&row.features), usize::from(row.complains)));
    let weights = dense::learn_odds(&examples.collect::<Vec<_>>());
    let complaint = complaints.first().map(|row| named(&row.features, &weights));
    let complaint = complaint.into_iter().flatten();
    let mut decisions = DecisionWeights {
        complaint_min: COMPLAINT_EVIDENCE_MIN,
        complaint: complaint.map(|(name, [weight])| (name, weight)).collect(),
        outcomes: outcomes.unwrap_or_default(),
        confidence: Vec::new(),
    };
    print_heard(&decisions, complaints);
    decisions.confidence = calibration(by_text(&decisions, rows));
    format(&decisions)
}

fn format(decisions: &DecisionWeights) -> String {
    let mut file = format!(
        "# Written by examples/train_classifier. Weights for no finding, negative, neutral, positive, in thousandths.\n\
         complaint_min = {}\n",
        decisions.complaint_min
    );
    let mut list = |name: &str, rows: Vec<String>| {
        let rows: Vec<String> = rows.iter().map(|row| format!("  {row},\n")).collect();
        let rows = rows.concat();
        let _ = write!(file, "{name} = [\n{rows}]\n");
    };
    let complaint = decisions.complaint.iter();
    let complaint = complaint.map(|(name, weight)| format!("[{name:?}, {weight}]"));
    list("complaint", complaint.collect());
    let outcomes = decisions.outcomes.iter();
    let outcomes = outcomes.map(|(name, weights)| format!("[{name:?}, {weights:?}]"));
    list("outcomes", outcomes.collect());
    let confidence = decisions.confidence.iter();
    let confidence = confidence.map(|(percent, margin)| format!("[{percent}, {margin}]"));
    list("confidence", confidence.collect());
    file
}

/// Prints how many sentences with a complaint, and how many others, have enough evidence.
fn print_heard(decisions: &DecisionWeights, complaints: &[Complaint]) {
    for complains in [true, false] {
        let all = complaints.iter().filter(|row| row.complains == complains);
        let heard = all
            .clone()
            .filter(|row| decisions.complaint(&row.features) >= COMPLAINT_EVIDENCE_MIN);
        let (heard, all) = (heard.count(), all.count());
        println!(
            "sentences that complain ({complains}) in reviews by unknown authors: {heard} of {all} heard"
        );
    }
}

/// The margin of each decision by the text, and whether it is correct.
fn by_text(decisions: &DecisionWeights, rows: &[Row]) -> Vec<(i32, bool)> {
    let judged = rows.iter().filter_map(|row| {
        let (label, margin) = leader(&decisions.sums(&row.features));
        (margin > 0 && label != 1).then_some((margin, row.outcome == label + 1))
    });
    judged.collect()
}

/// For each percentage, the margin from which this percentage of decisions with a similar margin is correct.
fn calibration(mut judged: Vec<(i32, bool)>) -> Vec<(u8, i32)> {
    judged.sort_unstable();
    let rows = judged.iter();
    let rows = rows.map(|(margin, is_right)| {
        let figures = vec![1.0, *margin as f32 / 1_000.0];
        (figures, usize::from(*is_right))
    });
    let rows: Vec<dense::Row> = rows.collect();
    if rows.len() < JUDGEMENTS_MIN {
        return Vec::new();
    }
    let [constant, slope] = dense::learn_odds(&rows)[..] else {
        return Vec::new();
    };
    PERCENTAGES
        .iter()
        .map(|percent| {
            let share = f32::from(*percent) / 100.0;
            let odds = (share / (1.0 - share)).ln();
            (
                *percent,
                ((odds - constant) / slope * 1_000.0).round() as i32,
            )
        })
        .collect()
}
