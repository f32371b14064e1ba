//! From candidates to findings. Rules know why they found something, the classifier knows what
//! people say; `decision` weighs both. What the classifier adds, takes away or settles is a hit of
//! its own, so that a score is the sum of its hits here too.

use std::ops::Range;

use super::candidates::{Candidate, SentenceReading};
use super::decision::Decision;
use super::{MARGIN, RuleEngine};
use crate::insights::analysis::{Finding, Hit, Polarity};
use crate::insights::classifier::{AspectScores, Head, Part};
use crate::insights::text::Text;

/// The points of a label that the rules did not give.
const POINTS: i32 = MARGIN + 1;
/// What the classifier adds to a judgement that it hears likewise. It changes no label; the
/// clearest sentences are quoted first.
const BACKING: i32 = 2;
/// A judgement that a rule makes too is left open where it is right in fewer of a hundred cases.
const CONFIDENCE_MIN: u8 = 60;
/// One that the classifier makes by itself: of those between the two, 63 of a hundred were right in reviews
/// of authors that it did not know.
const CONFIDENCE_MIN_ALONE: u8 = 70;

/// How many bytes most runs of words take with what stands before them.
const RULE_BYTES: usize = 40;

/// The findings of a text: by sentence, then by place, then by aspect.
pub fn findings(
    engine: &RuleEngine,
    text: &Text,
    read: &mut [SentenceReading<'_>],
    candidates: &[Candidate],
) -> Vec<Finding> {
    let mut all = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        let Some(decision) = engine.decisions.decide(candidate) else {
            continue;
        };
        let sentence = &mut read[candidate.sentence];
        let rule = sentence.take_rule(candidate.aspect);
        let scores = &sentence.scores;
        all.push(finding(engine, text, scores, candidate, rule, decision));
    }
    all.sort_by(|one, other| {
        (one.sentence, one.span, &one.aspect).cmp(&(other.sentence, other.span, &other.aspect))
    });
    all
}

fn finding(
    engine: &RuleEngine,
    text: &Text,
    scores: &AspectScores<'_>,
    candidate: &Candidate,
    rule: Option<Finding>,
    Decision {
        polarity,
        confidence,
    }: Decision,
) -> Finding {
    let part = &scores.parts[candidate.part];
    let head = engine.detected[candidate.aspect].map(Head::Aspect);
    let mut finding = rule.unwrap_or_else(|| Finding {
        aspect: engine.aspects[candidate.aspect].clone(),
        sentence: u32::try_from(candidate.sentence).unwrap_or(u32::MAX),
        span: text.span(part.tokens.clone()),
        polarity: Polarity::Neutral,
        score: 0,
        confidence: 0,
        hits: head
            .and_then(|head| scores.strongest(&part.tokens, head))
            .map(|(run, _)| told(text, run, 0))
            .into_iter()
            .collect(),
    });
    let sign = match polarity {
        Polarity::Positive => 1,
        Polarity::Negative => -1,
        Polarity::Neutral | Polarity::Uncertain => 0,
    };
    let least = if finding.polarity == polarity {
        CONFIDENCE_MIN
    } else {
        CONFIDENCE_MIN_ALONE
    };
    let is_clear = match polarity {
        Polarity::Positive | Polarity::Negative => confidence >= least,
        Polarity::Neutral => true,
        Polarity::Uncertain => false,
    };
    let points = match (is_clear, finding.polarity == polarity) {
        (false, _) => -finding.score,
        (true, true) if sign * part.lead() > 0 => sign * BACKING,
        (true, true) => 0,
        (true, false) => sign * POINTS - finding.score,
    };
    if points != 0 {
        let hit = hit(text, scores, part, sign, points);
        finding.score += hit.points;
        finding.hits.push(hit);
    }
    finding.polarity = if is_clear {
        polarity
    } else {
        Polarity::Uncertain
    };
    finding.confidence = confidence;
    finding
}

/// Why a part sounds as it does: the run of words that says most for it.
fn hit(text: &Text, scores: &AspectScores<'_>, part: &Part, sign: i32, points: i32) -> Hit {
    let label = usize::try_from(sign + 1).unwrap_or_default();
    let run = scores
        .strongest(&part.tokens, Head::Label(label))
        .map_or_else(|| part.tokens.clone(), |(run, _)| run);
    told(text, run, points)
}

fn told(text: &Text, run: Range<usize>, points: i32) -> Hit {
    let mut rule = String::with_capacity(RULE_BYTES);
    rule.push_str("examples:");
    for token in run.clone() {
        if token > run.start {
            rule.push(' ');
        }
        rule.push_str(text.word(token));
    }
    Hit {
        rule,
        span: text.span(run),
        points,
    }
}
