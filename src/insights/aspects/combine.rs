//! What the classifier says about a sentence's findings. Rules know why they found something, the
//! classifier knows what people say: it adds what it hears clearly, takes away what nobody would
//! say so, settles what they leave open, and backs what it hears likewise. All of it are hits of
//! their own, so that a score is the sum of its hits here too. The constants were chosen on
//! `tests/gold/validation.tsv`.

use std::ops::Range;

use super::parsed_sentence::{About, ParsedSentence};
use super::{MARGIN, RuleEngine, score};
use crate::insights::analysis::{Finding, Hit, Polarity};
use crate::insights::classifier::{ASPECTS, AspectScores, LABELS, Part, UNIT};
use crate::insights::model::Scores;
use crate::insights::text::{Shape, Text};
use crate::steps;

/// Evidence below this speaks against an aspect whatever a rule found: words that those who speak
/// of it do not use.
const EVIDENCE_TO_KEEP: i32 = -UNIT * 3 / 4;
/// From these odds on an aspect is spoken of, although no rule found it: about 60 %.
const ODDS_TO_ADD: i32 = UNIT / 2;
/// What a label must be ahead of the next one to settle what rules leave uncertain: about 60 %
/// against 40 %.
const LEAD_TO_SETTLE: i32 = UNIT / 2;
/// And to judge what rules take for a fact: about 82 % against 18 %.
const LEAD_TO_ENGINE: i32 = UNIT * 3 / 2;
/// The points of a label that only the classifier gives.
const POINTS: i32 = MARGIN + 1;
/// The lead with which the polarity model breaks a tie, in thousandths of a logarithm of the odds:
/// 95 % against 5 %.
const TIE_LEAD: i32 = 3_000;
/// What it adds to a judgement that it hears likewise. It changes no label; the clearest sentences
/// are quoted first.
const BACKING: i32 = 2;

/// How a part of the sentence sounds: the label's points in sign, and by how much it leads.
struct Sound {
    sign: i32,
    lead: i32,
}

/// Revises the findings of one sentence, which are those from `first` on. Returns by how much praise
/// leads in the sentence as a whole, in the classifier's units; `None` of one without a word.
pub fn revise(
    engine: &RuleEngine,
    text: &Text,
    parsed: &ParsedSentence<'_>,
    sentence: u32,
    first: usize,
    findings: &mut Vec<Finding>,
) -> Option<i32> {
    let (first_unit, last_unit) = parsed.units.first().zip(parsed.units.last())?;
    let tokens = first_unit.start..last_unit.end;
    // `10/10` is for the rules: numbers look alike to the classifier.
    let has_words = tokens
        .clone()
        .any(|token| !matches!(text.tokens()[token].shape, Shape::Number | Shape::Mark));
    let scores = engine.classifier.classify(text, tokens);
    let about_us: Vec<&Part> = scores
        .parts
        .iter()
        .filter(|part| is_about_us(parsed, part))
        .collect();
    let mut revised = findings.split_off(first);
    for (aspect, its) in engine.detected.iter().enumerate() {
        let Some(its) = *its else { continue };
        let sum = |part: &&Part| {
            steps::one();
            part.sums[its]
        };
        let found = revised
            .iter()
            .position(|finding| finding.aspect == engine.aspects[aspect]);
        let part = if found.is_some() {
            scores.parts.iter().max_by_key(sum)
        } else {
            about_us.iter().copied().max_by_key(sum)
        };
        let Some(part) = part else { continue };
        let (odds, evidence) = (
            part.sums[its],
            part.sums[its] - engine.classifier.biases()[its],
        );
        match found {
            Some(at) if evidence < EVIDENCE_TO_KEEP => drop(revised.remove(at)),
            Some(at) => settle(engine, text, &scores, part, odds, &mut revised[at]),
            None if odds > ODDS_TO_ADD => {
                revised.push(add(engine, text, &scores, part, aspect, its, sentence));
            }
            None => {}
        }
    }
    revised.sort_by(|one, other| (one.span, &one.aspect).cmp(&(other.span, &other.aspect)));
    findings.append(&mut revised);
    let whole = scores.parts.last().filter(|_| has_words);
    Some(whole.map_or(0, |whole| {
        let labels = &whole.sums[ASPECTS.len()..];
        labels[LABELS - 1] - labels[0]
    }))
}

/// Whether what a part says is about this firm, and said as a fact.
fn is_about_us(parsed: &ParsedSentence<'_>, part: &Part) -> bool {
    let at = parsed
        .units
        .partition_point(|unit| unit.start < part.tokens.start);
    let at = if at < parsed.units.len() { at } else { 0 };
    let clause = &parsed.clauses[parsed.clause_at(at)];
    clause.about == About::default()
}

fn sound(part: &Part) -> Sound {
    let labels = &part.sums[ASPECTS.len()..];
    let best = (0..LABELS)
        .max_by_key(|label| labels[*label])
        .unwrap_or_default();
    let next = (0..LABELS)
        .filter(|label| *label != best)
        .map(|label| labels[label])
        .max()
        .unwrap_or_default();
    Sound {
        sign: [-1, 0, 1][best],
        lead: labels[best] - next,
    }
}

/// Settles what rules leave uncertain, judges what they take for a fact where nobody would say so
/// of one, and backs what sounds as they say.
fn settle(
    engine: &RuleEngine,
    text: &Text,
    scores: &AspectScores<'_>,
    part: &Part,
    odds: i32,
    finding: &mut Finding,
) {
    let sound = sound(part);
    let (is_enough, points) = match finding.polarity {
        Polarity::Uncertain if sound.lead < LEAD_TO_SETTLE => {
            return break_tie(engine, text, part, finding);
        }
        Polarity::Uncertain => (
            sound.lead >= LEAD_TO_SETTLE,
            sound.sign * POINTS - finding.score,
        ),
        Polarity::Neutral => (
            sound.lead >= LEAD_TO_ENGINE,
            sound.sign * POINTS - finding.score,
        ),
        Polarity::Positive | Polarity::Negative => {
            let is_alike = sound.sign == finding.score.signum() && sound.lead >= LEAD_TO_ENGINE;
            (is_alike && odds > ODDS_TO_ADD, sound.sign * BACKING)
        }
    };
    if !is_enough || points == 0 {
        return;
    }
    weigh(finding, hit(text, scores, part, sound.sign, points));
}

/// Adds a hit that decides: what it leaves at 0 is a fact.
fn weigh(finding: &mut Finding, hit: Hit) {
    finding.score += hit.points;
    finding.hits.push(hit);
    finding.polarity = score::label(finding.score, false);
}

/// Where neither rules nor examples tell, the polarity model does, if it is sure. It learned from
/// reviews of restaurants.
fn break_tie(engine: &RuleEngine, text: &Text, part: &Part, finding: &mut Finding) {
    let Some(model) = engine.model() else { return };
    let Scores {
        negative,
        neutral: _,
        positive,
        hits,
    } = model.score(text, part.tokens.clone(), 0..0);
    let lead = positive - negative;
    if lead.abs() < TIE_LEAD {
        return;
    }
    let points = lead.signum() * POINTS - finding.score;
    let span = hits
        .first()
        .map_or_else(|| text.span(part.tokens.clone()), |hit| hit.span);
    let rule = hits
        .into_iter()
        .next()
        .map_or_else(|| "model".to_owned(), |hit| hit.rule);
    weigh(finding, Hit { rule, span, points });
}

/// A finding that only the classifier makes.
fn add(
    engine: &RuleEngine,
    text: &Text,
    scores: &AspectScores<'_>,
    part: &Part,
    aspect: usize,
    its: usize,
    sentence: u32,
) -> Finding {
    let sound = sound(part);
    let why = scores.strongest(&part.tokens, its);
    let mut hits: Vec<Hit> = why.map(|(run, _)| told(text, run, 0)).into_iter().collect();
    let is_clear = sound.lead >= LEAD_TO_SETTLE;
    let points = if is_clear { sound.sign * POINTS } else { 0 };
    hits.push(hit(text, scores, part, sound.sign, points));
    let polarity = score::label(points, !is_clear);
    Finding {
        aspect: engine.aspects[aspect].clone(),
        sentence,
        span: text.span(part.tokens.clone()),
        polarity,
        score: points,
        hits,
    }
}

/// Why a part sounds as it does: the run of words that says most for it.
fn hit(text: &Text, scores: &AspectScores<'_>, part: &Part, sign: i32, points: i32) -> Hit {
    let label = ASPECTS.len() + usize::try_from(sign + 1).unwrap_or_default();
    let run = scores
        .strongest(&part.tokens, label)
        .map_or_else(|| part.tokens.clone(), |(run, _)| run);
    told(text, run, points)
}

fn told(text: &Text, run: Range<usize>, points: i32) -> Hit {
    let words: Vec<&str> = run.clone().map(|token| text.word(token)).collect();
    Hit {
        rule: format!("examples:{}", words.join(" ")),
        span: text.span(run),
        points,
    }
}
