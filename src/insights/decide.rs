//! Decides what the rules and the classifier find in a text. For each sentence and aspect, the judgement of the rules, the
//! scores of the classifier and the polarity of the rest of the text are the features of a linear decision. The rules can
//! explain their judgement, and the classifier knows common usage; every change by the classifier is a hit of its own, so
//! that a score remains the sum of its hits. The polarity of the text as a whole follows from the same scores and findings.
//! All arithmetic uses integers in a fixed order, so a text has the same findings on every platform.
//! `examples/train_classifier` learns the weights from these features.

use std::cell::LazyCell;
use std::cmp::Reverse;
use std::ops::Range;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::analysis::{CONFIDENCE_OF_RULES, Finding, Hit, MARGIN, Polarity, TextSpan, WITHDRAWN};
use super::classifier::{
    BLAME, Classifier, LABELS, LEXICON_FEATURES, NgramTokens, PRAISE, SentencePart, SentenceScores,
    UNIT, WEIGHTS, judgement_head,
};
use super::rules::{CompiledRules, Cue, IDS, OVERALL, Trade};
use super::score::{ParsedSentence, judge_sentence};
use super::text::{Token, TokenizedText};
use super::words::LanguageWords;
use crate::model::{hex, parse_toml};
use crate::wire::Witness;

// The thresholds of all decisions. Scores and log-odds are in units of 1/[`UNIT`], confidences in percent. After a change of one
// of them, measure it (`docs/TRADE.md`). Only the first one and those of the features below need `train_classifier --data`.

/// Minimum log-odds of a candidate without a rule: below this value, about 1 in 2,000 is a finding.
const ODDS_MIN: i32 = -UNIT;
/// Minimum confidence of a judgement; below it, a finding of the rules is uncertain, and one of the classifier alone is none.
/// `is_complaint` is blame where complaints are looked for: in reviews of one and two stars by unknown authors, 86 % of the blame
/// has the right aspect so, otherwise 83 %.
const fn confidence_min(judge: Witness, is_complaint: bool) -> u8 {
    match (judge, is_complaint) {
        (Witness::Both, _) | (Witness::Rule, false) => 60,
        (Witness::Rule, true) => 80,
        (Witness::Classifier, false) => 70,
        (Witness::Classifier, true) => 75,
    }
}
/// Confidence of a complaint that only this evidence shows, the lowest without a rule.
const COMPLAINT_CONFIDENCE: u8 = 70;
/// Minimum score of the head for blame of an aspect, in units of 1/[`UNIT`], for a complaint about it.
const COMPLAINT_ASPECT_MIN: i32 = 20;
/// Maximum number of stars of a review in which complaints are looked for. In reviews of three stars, 53 % of the complaints are
/// heard so instead of 38 %, and 3.5 % of the other sentences get blame for an aspect instead of 2.9 %.
const COMPLAINT_STARS_MAX: u8 = 3;

/// Whether complaints are looked for in a review with these stars.
fn hears_complaints(stars: Option<u8>) -> bool {
    stars.is_some_and(|stars| stars <= COMPLAINT_STARS_MAX)
}

/// Minimum score for praise minus blame, in units of 1/[`UNIT`], of a part of a sentence that judges without a finding. Of 455 such
/// parts with a judged word of MAMS, 435 were right.
const PART_LEAD_MIN: i32 = 24;
/// Minimum absolute score, without the prior, of a text that gets a label without findings. Of 998 Yelp sentences, all of
/// which judge, 33 were neutral with 500; 25 of these lean, 14 of them to the right side.
const LEANS_MIN: i64 = 100;
/// Minimum confidence of blame that contradicts four stars: of the rules, alone or with the classifier, and of the classifier
/// alone. In annotated reviews of four stars, 80 of 93 such judgements were right.
const BLAME_SURE_FROM: [u8; 2] = [70, 90];
/// Minimum confidence of blame that contradicts five stars, which rules and classifier must make: of 10 such judgements, 8 were
/// right.
const BLAME_SURE_FROM_OF_FIVE: u8 = 95;
/// Minimum confidence of praise that contradicts the stars: of 35 such judgements in reviews of one to three stars, 20
/// were right.
const PRAISE_SURE_FROM: u8 = 90;

/// The findings of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFindings {
    /// By sentence, then by position, then by aspect: each aspect once per sentence.
    pub findings: Vec<Finding>,
    /// The polarity of the text as a whole, and its score.
    pub overall: (Polarity, i32),
    /// The parts of each sentence in order, and what each says; the whole sentence comes last.
    pub parts: Vec<Vec<(TextSpan, Polarity)>>,
}

/// Finds the opinions in texts of one language about businesses of one trade.
#[derive(Debug, Clone)]
pub struct OpinionFinder {
    pub trade: &'static Trade,
    pub rules: CompiledRules,
    pub classifier: Arc<Classifier>,
    pub decisions: DecisionWeights,
    /// The heads of each aspect in the classifier, if it has them.
    heads: Vec<Option<AspectHeads>>,
}

/// The indices of an aspect's heads in the classifier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct AspectHeads {
    /// Whether the sentence has the aspect.
    aspect: usize,
    /// Whether it blames, and whether it praises the aspect.
    judgements: [usize; 2],
}

impl AspectHeads {
    /// `None` for an aspect that the classifier did not learn.
    fn find(classifier: &Classifier, id: &str) -> Option<Self> {
        Some(Self {
            aspect: classifier.head(id)?,
            judgements: [
                classifier.head(&judgement_head(id, LABELS[BLAME]))?,
                classifier.head(&judgement_head(id, LABELS[PRAISE]))?,
            ],
        })
    }
}

impl OpinionFinder {
    /// The one for the trade with that id (one of [`IDS`]), or for the general one. It is created on first use.
    pub fn built_in(id: &str) -> &'static Self {
        static BUILT_IN: [OnceLock<OpinionFinder>; IDS.len()] =
            [const { OnceLock::new() }; IDS.len()];
        let at = IDS.iter().position(|one| *one == id);
        BUILT_IN[at.unwrap_or(IDS.len() - 1)]
            .get_or_init(|| Self::new(Trade::built_in(id), Classifier::built_in()))
    }

    /// Compiles a trade's patterns: about 40 ms for home services.
    pub fn new(trade: &'static Trade, classifier: Arc<Classifier>) -> Self {
        let aspects = trade.aspects.iter();
        let heads = aspects.map(|one| AspectHeads::find(&classifier, &one.id));
        Self {
            heads: heads.collect(),
            rules: CompiledRules::new(trade),
            classifier,
            decisions: DecisionWeights::built_in(),
            trade,
        }
    }

    /// Judges a text in the language of the trade. Stars may withdraw a judgement; where they are few, a complaint needs less
    /// evidence.
    pub fn analyze(&self, text: &TokenizedText, stars: Option<u8>) -> TextFindings {
        let mut sentences = self.read_sentences(text);
        let candidates = self.candidates(&sentences);
        let hears_complaints = hears_complaints(stars);
        let mut findings = Vec::with_capacity(candidates.len());
        for candidate in &candidates {
            let sentence = &mut sentences[candidate.sentence];
            findings.extend(self.judge_candidate(text, sentence, candidate, stars));
        }
        if hears_complaints {
            self.add_complaints(text, &sentences, &mut findings);
        }
        findings.sort_by(|one, other| {
            (one.sentence, one.span, &one.aspect).cmp(&(other.sentence, other.span, &other.aspect))
        });
        let mut overall = Self::overall(&sentences, &findings);
        // It blames no aspect: what it complains about is unknown, and may be what it seems to praise.
        let mut placed = findings.iter().filter(|one| one.aspect != OVERALL);
        let has_unplaced_complaint =
            hears_complaints && placed.all(|one| one.polarity != Polarity::Negative);
        if let Some(stars) = stars {
            let findings = findings.iter_mut();
            let unannounced = findings.filter(|one| !sentences[one.sentence as usize].has_drawback);
            withdraw_by_stars(unannounced, stars, has_unplaced_complaint);
            let is_too_good = overall.0 == Polarity::Positive && hears_complaints;
            if is_too_good || overall.0.contradicts(stars) {
                overall.0 = Polarity::Uncertain;
            }
        }
        let parts = (0..).zip(&sentences).map(|(number, sentence)| {
            // A complaint without an aspect is in no vote.
            let here = findings.iter().filter(|one| {
                let has_vote = one.aspect != OVERALL || one.witness != Witness::Classifier;
                one.sentence == number && has_vote
            });
            let here: Vec<&Finding> = here.collect();
            let parts = sentence.scores.parts.iter().map(|part| {
                let span = text.span(part.tokens.clone());
                let polarity = part_polarity(part, span, sentence.has_words, &here, stars);
                if has_unplaced_complaint && polarity == Polarity::Positive {
                    return (span, Polarity::Uncertain);
                }
                (span, polarity)
            });
            parts.collect()
        });
        TextFindings {
            parts: parts.collect(),
            findings,
            overall,
        }
    }

    /// The finding of a candidate, unless it is none.
    fn judge_candidate(
        &self,
        text: &TokenizedText,
        sentence: &mut SentenceReading<'_>,
        candidate: &AspectCandidate,
        stars: Option<u8>,
    ) -> Option<Finding> {
        let decision = Decision::new(&self.decisions, candidate);
        let clear_rule = candidate.rule.filter(|label| {
            label.judges() && candidate.is_strong && !self.is_learned()
                || *label == Polarity::Negative && sentence.has_drawback
        });
        let of_rule = clear_rule.map(|label| Decision::of_rule(label, decision));
        let mut decision = of_rule.or(decision)?;
        let (label, is_praise) = (decision.label, decision.label == Polarity::Positive);
        let hears_complaints = hears_complaints(stars);
        let may_be_of_others = stars.is_some() && label.judges() && hears_complaints == is_praise;
        if may_be_of_others && sentence.is_of_others(text, candidate, label)
            || is_praise && sentence.praises_nothing(text, candidate)
        {
            decision.confidence = 0;
        }
        let is_complaint = hears_complaints && label == Polarity::Negative;
        self.finding(text, sentence, candidate, decision, is_complaint)
    }
}

/// What a part of a sentence says: its findings, otherwise the label that the classifier is sure of and the stars do not
/// contradict.
fn part_polarity(
    part: &SentencePart,
    span: TextSpan,
    has_words: bool,
    findings: &[&Finding],
    stars: Option<u8>,
) -> Polarity {
    let within = findings.iter();
    let within = within.filter(|one| one.span.start < span.end && span.start < one.span.end);
    let [praises, blames] = [Polarity::Positive, Polarity::Negative]
        .map(|side| within.clone().any(|one| one.polarity == side));
    let lead = if has_words { part.lead() } else { 0 };
    let leading = match lead.signum() {
        _ if lead.abs() < PART_LEAD_MIN => Polarity::Neutral,
        1 => Polarity::Positive,
        _ => Polarity::Negative,
    };
    let found = match (praises, blames) {
        (false, false) if stars.is_some_and(|stars| leading.contradicts(stars)) => {
            return Polarity::Uncertain;
        }
        (false, false) => return leading,
        (true, false) => Polarity::Positive,
        (false, true) => Polarity::Negative,
        (true, true) => Polarity::Uncertain,
    };
    // Of 733 parts with findings, 659 were right, and of 663 that the classifier does not contradict, 635.
    if found.sign() * lead < 0 {
        Polarity::Uncertain
    } else {
        found
    }
}

// What is decided about, and by which features.

/// Features with their names, in units of 1/[`UNIT`].
pub type Features = Vec<(&'static str, i32)>;

/// Maximum absolute value of every feature, which limits the weight of one sentence.
const FEATURE_MAX: i32 = 4 * UNIT;
/// So many tenths of a lexicon's feature are one whole unit.
const LEXICON_SCALE: i32 = 20;
/// Maximum absolute value of a rule's score.
const SCORE_MAX: i32 = 6;

/// A feature that is either true or not.
const fn flag(is_set: bool) -> i32 {
    if is_set { UNIT } else { 0 }
}

fn clamped(feature: i32) -> i32 {
    feature.clamp(-FEATURE_MAX, FEATURE_MAX)
}

/// The features of the lexicon.
fn named_lexicon_features(part: &SentencePart) -> impl Iterator<Item = (&'static str, i32)> {
    let features = LEXICON_FEATURES.into_iter().zip(part.lexicon);
    features.map(|(name, tenths)| (name, clamped(tenths * UNIT / LEXICON_SCALE)))
}

/// A sentence with the results of the rules and the classifier.
#[derive(Debug)]
pub struct SentenceReading<'finder> {
    /// The rules' findings with the index of their aspect.
    rules: Vec<(usize, Finding)>,
    /// Numbers of rule findings with praise and with blame, including opinions without an aspect.
    judged: [i32; 2],
    scores: SentenceScores<'finder>,
    /// Whether the sentence has more than numbers and marks.
    has_words: bool,
    /// The classifier's score for praise minus that for blame, for the whole sentence; 0 without words.
    lead: i32,
    /// Whether it begins with what the customer did.
    has_deed: bool,
    /// The tokens at which a wish begins, or words about something else than the business: their part praises nothing.
    unpraised: Vec<usize>,
    /// The words about others, each from a cue to the next part with a subject of its own.
    others: Vec<Range<usize>>,
    /// Whether it announces blame.
    has_drawback: bool,
}

impl SentenceReading<'_> {
    /// Praise minus blame among the rules' findings.
    const fn balance(&self) -> i32 {
        self.judged[0] - self.judged[1]
    }

    /// Whether the clause of the candidate is a wish, or about something else than the business.
    fn praises_nothing(&self, text: &TokenizedText, candidate: &AspectCandidate) -> bool {
        let mut rules = self.rules.iter();
        let tokens = match rules.find(|(found, _)| *found == candidate.aspect) {
            Some((_, finding)) => text.tokens_in(finding.span),
            None => self.scores.parts[candidate.part].tokens.clone(),
        };
        self.unpraised.iter().any(|at| tokens.contains(at))
    }

    /// Whether such a judgement of the candidate begins among words about others.
    fn is_of_others(
        &self,
        text: &TokenizedText,
        candidate: &AspectCandidate,
        label: Polarity,
    ) -> bool {
        let mut rules = self.rules.iter();
        let rule = rules.find(|(found, _)| *found == candidate.aspect);
        let hits = rule.into_iter().flat_map(|(_, finding)| &finding.hits);
        let judging = hits.filter(|hit| hit.points.signum() == label.sign());
        let start = judging.map(|hit| text.tokens_in(hit.span).start).min();
        let start = start.unwrap_or(self.scores.parts[candidate.part].tokens.start);
        self.others.iter().any(|tokens| tokens.contains(&start))
    }
}

/// An aspect that a sentence possibly mentions.
#[derive(Debug, Clone)]
pub struct AspectCandidate {
    /// Index of the aspect in the trade.
    pub aspect: usize,
    /// Sentence number, from 0.
    pub sentence: usize,
    /// Index of the sentence's part with the highest score for the aspect.
    part: usize,
    /// The judgement of the rules, if they found the aspect.
    rule: Option<Polarity>,
    /// Whether it is more than mild.
    is_strong: bool,
    /// Whether the classifier is asked; it cannot distinguish the numbers in `10/10`.
    pub has_words: bool,
    /// The input of the decision.
    pub features: Features,
}

impl OpinionFinder {
    /// The sentences of a text, each read by the rules and by the classifier.
    pub fn read_sentences(&self, text: &TokenizedText) -> Vec<SentenceReading<'_>> {
        let sentences = (0..).zip(text.sentences());
        sentences
            .map(|(number, tokens)| self.read_sentence(text, number, tokens.clone()))
            .collect()
    }

    fn read_sentence(
        &self,
        text: &TokenizedText,
        number: u32,
        tokens: Range<usize>,
    ) -> SentenceReading<'_> {
        let parsed = ParsedSentence::new(&self.rules, text, tokens.clone());
        let parts = LazyCell::new(|| NgramTokens::read(text, tokens.clone()).parts());
        let from_cue = |words: Range<usize>| {
            words.start..next_subject(text, &parts, words.end).unwrap_or(tokens.end)
        };
        let strangers: Vec<Range<usize>> = parsed.cues(Cue::Strangers).map(from_cue).collect();
        if !strangers.is_empty() {
            let mut text = text.clone();
            text.hide_words(strangers.into_iter().flatten());
            return self.read_sentence(&text, number, tokens);
        }
        let mut rules = judge_sentence(self.trade, &self.rules, text, &parsed, number);
        let judged = [Polarity::Positive, Polarity::Negative].map(|polarity| {
            let alike = rules.iter().filter(|(_, one)| one.polarity == polarity);
            i32::try_from(alike.count()).unwrap_or(i32::MAX)
        });
        let overall = self.trade.overall();
        if !self.trade.has_strays {
            // A finding of the aspect `overall` needs a phrase of its own.
            rules.retain(|(aspect, finding)| {
                let mut hits = finding.hits.iter();
                *aspect != overall || hits.any(|hit| hit.rule.starts_with("phrase:"))
            });
        }
        let idioms: Vec<Range<usize>> = parsed.cues(Cue::Idioms).collect();
        let mut scores = self.classifier.classify(text, tokens.clone(), &idioms);
        let unpraised = parsed.cues(Cue::Elsewhere).chain(parsed.cues(Cue::Wishes));
        let unpraised: Vec<usize> = unpraised.map(|words| words.start).collect();
        for at in &unpraised {
            let mut parts = scores.parts.iter_mut();
            if let Some(part) = parts.find(|part| part.tokens.contains(at)) {
                part.labels[PRAISE] = part.labels[PRAISE].min(part.labels[BLAME]);
            }
        }
        let others = parsed.cues(Cue::Others).map(from_cue).collect();
        let has_words = text.tokens()[tokens].iter().any(Token::is_word);
        let lead = if has_words { scores.whole().lead() } else { 0 };
        let [has_deed, has_drawback] =
            [Cue::Deeds, Cue::Drawbacks].map(|cue| parsed.cues(cue).next().is_some());
        SentenceReading {
            rules,
            judged,
            has_words,
            lead: clamped(lead),
            has_deed,
            has_drawback,
            unpraised,
            others,
            scores,
        }
    }

    /// The candidates for findings, by sentence, then by aspect.
    pub fn candidates(&self, sentences: &[SentenceReading<'_>]) -> Vec<AspectCandidate> {
        let leads: i32 = sentences.iter().map(|sentence| sentence.lead).sum();
        let balance: i32 = sentences.iter().map(SentenceReading::balance).sum();
        let count = i32::try_from(sentences.len()).unwrap_or(i32::MAX - 1);
        let mut all = Vec::with_capacity(sentences.len() * 2);
        for (number, sentence) in sentences.iter().enumerate() {
            let elsewhere = [
                ("lead_elsewhere", (leads - sentence.lead) / (count + 1)),
                (
                    "findings_elsewhere",
                    (balance - sentence.balance()) * UNIT / (count + 1),
                ),
                ("only_sentence", flag(count == 1)),
            ];
            let parts = &sentence.scores.parts;
            for (aspect, heads) in self.heads.iter().enumerate() {
                let mut rules = sentence.rules.iter();
                let rule = rules.find(|(found, _)| *found == aspect);
                let rule = rule.map(|(_, finding)| finding);
                let part = heads.map_or(parts.len() - 1, |heads| {
                    let all = parts.iter().enumerate();
                    let highest = all.max_by_key(|(_, part)| part.aspects[heads.aspect]);
                    highest.map_or(0, |(at, _)| at)
                });
                let odds = heads.map_or(i32::MIN, |heads| parts[part].aspects[heads.aspect]);
                // About a trade without annotated texts the classifier learned nothing.
                if rule.is_none() && (odds < ODDS_MIN || !self.is_learned()) {
                    continue;
                }
                all.push(AspectCandidate {
                    aspect,
                    sentence: number,
                    part,
                    rule: rule.map(|finding| finding.polarity),
                    is_strong: rule.is_some_and(|finding| finding.score.abs() > MARGIN),
                    has_words: sentence.has_words,
                    features: aspect_features(sentence, part, *heads, rule, elsewhere),
                });
            }
        }
        all
    }
}

/// Where the next part from a token on begins that has a subject of its own, as far as its first word shows it, or a contrast.
fn next_subject(text: &TokenizedText, parts: &[Range<usize>], from: usize) -> Option<usize> {
    let words = LanguageWords::english();
    let starts = parts.iter().map(|part| part.start);
    let mut later = starts.filter(|at| *at >= from);
    later.find(|at| {
        // `The last plumber charged $600 and it leaked.`
        let is_same = text.word(*at - 1) == "and" && matches!(text.word(*at), "it" | "he" | "she");
        let is_subject = text.tokens()[*at].is_capital() || text.is_among(*at, &words.subjects);
        is_subject && !is_same || text.is_among(*at - 1, &words.turns)
    })
}

/// The features by which an aspect of a sentence is decided; `elsewhere` are those of the rest of the text.
fn aspect_features(
    sentence: &SentenceReading<'_>,
    part: usize,
    heads: Option<AspectHeads>,
    rule: Option<&Finding>,
    elsewhere: [(&'static str, i32); 3],
) -> Features {
    let (part, whole) = (&sentence.scores.parts[part], sentence.scores.whole());
    let odds = |part: &SentencePart| heads.map_or(0, |heads| clamped(part.aspects[heads.aspect]));
    let odds_of_judgement =
        |side: usize| heads.map_or(0, |heads| clamped(part.aspects[heads.judgements[side]]));
    let score = rule.map_or(0, |rule| rule.score.clamp(-SCORE_MAX, SCORE_MAX) * UNIT / 3);
    let label = rule.map(|rule| rule.polarity);
    let lead = clamped(part.lead());
    let mut features = vec![
        ("constant", UNIT),
        ("odds", odds(part)),
        ("odds_above_even", odds(part).max(0)),
        ("odds_of_sentence", odds(whole)),
        ("odds_of_blame", odds_of_judgement(0)),
        ("odds_of_praise", odds_of_judgement(1)),
        ("lead", lead),
        ("neutral", clamped(part.neutral_lead())),
        ("lead_of_sentence", clamped(whole.lead())),
        ("neutral_of_sentence", clamped(whole.neutral_lead())),
    ];
    features.extend(elsewhere);
    features.extend([
        ("rule", flag(rule.is_some())),
        ("rule_positive", flag(label == Some(Polarity::Positive))),
        ("rule_negative", flag(label == Some(Polarity::Negative))),
        ("rule_uncertain", flag(label == Some(Polarity::Uncertain))),
        ("rule_neutral", flag(label == Some(Polarity::Neutral))),
        ("rule_score", score),
        ("rule_strength", score.abs()),
        ("rule_lead", if rule.is_some() { lead } else { 0 }),
    ]);
    features.extend(named_lexicon_features(part));
    features
}

// The decision: the features say no finding, or a label with a confidence. The sums are linear, with integer weights that
// `examples/train_classifier` learned and calibrated on annotated reviews. No other text by the authors of these reviews was
// used to train the classifier.

/// The [`DecisionWeights`].
const BUILT_IN: &str = include_str!("decision.toml");

/// SHA-256 of all weights, of the lexicon and of the decision, in hexadecimal. Every snapshot states it, and they have 2 MB.
pub static WEIGHTS_DIGEST: LazyLock<String> = LazyLock::new(|| {
    let weights = WEIGHTS.concat();
    hex(&Sha256::digest([&weights, BUILT_IN.as_bytes()].concat()))
});
/// Number of outcomes: no finding, negative, neutral, positive.
const OUTCOMES: usize = 4;
/// The labels of all outcomes except the first.
const OUTCOME_LABELS: [Polarity; OUTCOMES - 1] =
    [Polarity::Negative, Polarity::Neutral, Polarity::Positive];

/// The weights, in thousandths of a logarithm of the odds for each whole unit of a feature. The names of the features are for
/// readers; they are in the order of the features.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionWeights {
    /// The minimum evidence for a complaint.
    pub complaint_min: i32,
    /// For each feature of a complaint in a review of few stars, a weight.
    pub complaint: Vec<(String, i32)>,
    /// For each feature of a candidate, a weight for each outcome.
    pub outcomes: Vec<(String, [i32; OUTCOMES])>,
    /// Percentages, ascending, each with the margin from which it applies.
    pub confidence: Vec<(u8, i32)>,
}

impl DecisionWeights {
    /// The program's own weights.
    pub fn built_in() -> Self {
        parse_toml(BUILT_IN)
    }

    /// The evidence that a sentence of a review of few stars complains, in thousandths of a logarithm of the odds.
    pub fn complaint(&self, features: &Features) -> i32 {
        let products = features.iter().zip(&self.complaint);
        let products = products.map(|((_, value), (_, weight))| value * weight);
        products.sum::<i32>() / UNIT
    }

    /// The sum of each outcome, in thousandths of a logarithm of the odds.
    pub fn sums(&self, features: &Features) -> [i32; OUTCOMES] {
        let mut sums = [0; OUTCOMES];
        for ((_, value), (_, weights)) in features.iter().zip(&self.outcomes) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += value * weight;
            }
        }
        sums.map(|sum| sum / UNIT)
    }

    /// The percentage of right decisions among those with such a margin; `None` if another outcome is likelier.
    fn percentage(&self, margin: i32) -> Option<u8> {
        let mut falling = self.confidence.iter().rev();
        let reached = falling.find(|(_, least)| margin >= *least);
        (margin > 0).then(|| reached.map_or(0, |(percent, _)| *percent))
    }
}

/// The leading label, and its margin over all other outcomes; it is negative if no finding is likelier.
pub fn leader(sums: &[i32; OUTCOMES]) -> (usize, i32) {
    let label = (1..OUTCOMES).max_by_key(|at| sums[*at]).unwrap_or(1);
    let others = (0..OUTCOMES).filter(|at| *at != label);
    let next = others.map(|at| sums[at]).max().unwrap_or_default();
    (label - 1, sums[label] - next)
}

/// The label of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Decision {
    /// The label by the text.
    label: Polarity,
    /// Percentage of similar cases in which aspect and label were right.
    confidence: u8,
}

impl Decision {
    /// The label of the rules, whatever was decided.
    fn of_rule(label: Polarity, decision: Option<Self>) -> Self {
        let same = decision.filter(|one| one.label == label);
        Self {
            label,
            confidence: same.map_or(CONFIDENCE_OF_RULES, |one| {
                one.confidence.max(CONFIDENCE_OF_RULES)
            }),
        }
    }

    /// `None` if the candidate is no finding. Without words, the findings of the rules are accepted unchanged.
    fn new(weights: &DecisionWeights, candidate: &AspectCandidate) -> Option<Self> {
        if !candidate.has_words {
            return candidate.rule.map(|label| Self::of_rule(label, None));
        }
        let sums = weights.sums(&candidate.features);
        let (label, margin) = leader(&sums);
        Some(Self {
            label: OUTCOME_LABELS[label],
            confidence: weights.percentage(margin)?,
        })
    }
}

// From a decision to a finding. Its points only explain it; its label and its confidence decide.

/// Absolute score of a label that the rules did not give.
const POINTS: i32 = MARGIN + 1;
/// Points that the classifier adds to a judgement that it confirms, so that its words are among the reasons.
const BACKING: i32 = 2;
/// Absolute score of an uncertain finding with a leading label; below `MARGIN`.
const LEANING: i32 = 1;

impl OpinionFinder {
    /// A finding with its label and confidence; `None` if only the classifier suspects it.
    fn finding(
        &self,
        text: &TokenizedText,
        sentence: &mut SentenceReading<'_>,
        candidate: &AspectCandidate,
        decision: Decision,
        is_complaint: bool,
    ) -> Option<Finding> {
        // A sentence has one candidate for an aspect, so no other one needs its rule.
        let mut rules = sentence.rules.iter();
        let rule = rules.position(|(found, _)| *found == candidate.aspect);
        let rule = rule.map(|at| sentence.rules.swap_remove(at).1);
        let scores = &sentence.scores;
        let part = &scores.parts[candidate.part];
        let heads = self.heads[candidate.aspect];
        let has_rule = rule.is_some();
        let mut finding = rule.unwrap_or_else(|| {
            let words = heads.and_then(|heads| scores.strongest(&part.tokens, heads.aspect));
            let hit = words.map(|words| examples_hit(text, words, 0));
            Finding {
                hits: hit.into_iter().collect(),
                ..self.empty_finding(text, candidate.aspect, candidate.sentence, part)
            }
        });
        let (label, is_of_rule) = (decision.label, finding.polarity == decision.label);
        // The classifier finds the aspect in the sentence, too.
        let has_aspect = heads.is_none_or(|heads| scores.whole().aspects[heads.aspect] >= 0);
        let is_backed = is_of_rule && label.sign() * part.lead() > 0 && has_aspect;
        let judge = |is_backed| match (is_of_rule, is_backed) {
            (true, true) => Witness::Both,
            (true, false) => Witness::Rule,
            (false, _) => Witness::Classifier,
        };
        // The rules decide alone about a trade without annotated texts.
        let least = confidence_min(judge(is_backed || !self.is_learned()), is_complaint);
        let is_doubtful = label.judges() && decision.confidence < least;
        if is_doubtful && !has_rule {
            return None;
        }
        finding.confidence = decision.confidence;
        finding.witness = judge(is_backed);
        finding.polarity = if is_doubtful {
            Polarity::Uncertain
        } else {
            label
        };
        let points = if label == Polarity::Uncertain {
            // An uncertain finding of the rules keeps its score, which leans to the side of their sum.
            0
        } else if finding.polarity == Polarity::Uncertain {
            label.sign() * LEANING - finding.score
        } else if !is_of_rule {
            label.sign() * POINTS - finding.score
        } else if is_backed {
            label.sign() * BACKING
        } else {
            0
        };
        if points != 0 {
            let tokens = text.tokens_in(finding.span);
            let head = scores.label_heads + if points > 0 { PRAISE } else { BLAME };
            let words = scores.strongest(&tokens, head).unwrap_or(tokens);
            add_hit(&mut finding, text, words, points);
        }
        Some(finding)
    }

    /// A finding without hits in a part of a sentence.
    fn empty_finding(
        &self,
        text: &TokenizedText,
        aspect: usize,
        sentence: usize,
        part: &SentencePart,
    ) -> Finding {
        Finding {
            aspect: self.trade.aspects[aspect].id.clone(),
            sentence: u32::try_from(sentence).unwrap_or(u32::MAX),
            span: text.span(part.tokens.clone()),
            polarity: Polarity::Neutral,
            witness: Witness::Classifier,
            score: 0,
            confidence: 0,
            hits: Vec::new(),
        }
    }
}

/// Adds a hit of the classifier with these points.
fn add_hit(finding: &mut Finding, text: &TokenizedText, words: Range<usize>, points: i32) {
    finding.hits.push(examples_hit(text, words, points));
    finding.score += points;
}

fn examples_hit(text: &TokenizedText, tokens: Range<usize>, points: i32) -> Hit {
    let words: Vec<&str> = tokens.clone().map(|token| text.word(token)).collect();
    Hit {
        rule: format!("examples:{}", words.join(" ")),
        span: text.span(tokens),
        points,
    }
}

// Complaints in reviews of at most [`COMPLAINT_STARS_MAX`] stars: a sentence without a judgement blames an aspect that it probably has, otherwise
// the aspect for opinions without a topic.

impl OpinionFinder {
    fn add_complaints(
        &self,
        text: &TokenizedText,
        sentences: &[SentenceReading<'_>],
        findings: &mut Vec<Finding>,
    ) {
        for (number, sentence) in sentences.iter().enumerate() {
            let whole = sentence.scores.whole();
            let mut here = (findings.iter()).filter(|one| one.sentence as usize == number);
            let evidence = self.decisions.complaint(&self.complaint_features(sentence));
            if evidence < self.decisions.complaint_min || here.any(|one| one.polarity.judges()) {
                continue;
            }
            let aspect = self.complaint_aspect(sentence);
            let id = &self.trade.aspects[aspect].id;
            let mut found = findings.iter();
            let at = found.position(|one| one.sentence as usize == number && one.aspect == *id);
            let at = at.unwrap_or_else(|| {
                findings.push(self.empty_finding(text, aspect, number, whole));
                findings.len() - 1
            });
            let finding = &mut findings[at];
            let scores = &sentence.scores;
            let words = scores.strongest(&whole.tokens, scores.label_heads + LABELS.len());
            let words = words.unwrap_or_else(|| whole.tokens.clone());
            add_hit(finding, text, words, -POINTS - finding.score);
            finding.polarity = Polarity::Negative;
            finding.confidence = COMPLAINT_CONFIDENCE;
            finding.witness = Witness::Classifier;
        }
    }

    /// The features that decide whether a sentence complains.
    pub fn complaint_features(&self, sentence: &SentenceReading<'_>) -> Features {
        let whole = sentence.scores.whole();
        let has_words = sentence.has_words;
        let complaint = if has_words { whole.complaint } else { 0 };
        let overall = self.heads[self.trade.overall()];
        let others = self.heads[..self.trade.overall()].iter();
        let blamed = others.flatten().map(|heads| heads.judgements[0]);
        let blamed = blamed.map(|head| whole.aspects[head]).max();
        let mut features = vec![
            ("constant", UNIT),
            ("complaint", clamped(complaint)),
            ("lead", sentence.lead),
            ("rules_praise", flag(sentence.judged[0] > 0)),
            ("rules_blame", flag(sentence.judged[1] > 0)),
            ("deed", flag(sentence.has_deed)),
            (
                "overall",
                overall.map_or(0, |heads| clamped(whole.aspects[heads.aspect])),
            ),
            ("blamed", blamed.map_or(0, clamped)),
        ];
        features.extend(named_lexicon_features(whole));
        features
    }

    /// Whether the trade has annotated texts, from which classifier and decision learned.
    fn is_learned(&self) -> bool {
        !self.trade.quality.is_empty()
    }

    /// The aspect of a complaint: the one that the sentence most probably blames, or [`OVERALL`] if it may be any.
    fn complaint_aspect(&self, sentence: &SentenceReading<'_>) -> usize {
        let (whole, overall) = (sentence.scores.whole(), self.trade.overall());
        let blamed = (0..overall).map(|aspect| {
            let blame = self.heads[aspect].map(|heads| heads.judgements[0]);
            let odds = blame.map_or(i32::MIN, |head| whole.aspects[head]);
            (odds, Reverse(aspect))
        });
        let blamed = blamed.max();
        let blamed = blamed.filter(|(odds, _)| *odds >= COMPLAINT_ASPECT_MIN);
        blamed.map_or(overall, |(_, Reverse(aspect))| aspect)
    }
}

// The polarity of a text as a whole.

/// Added to the number of sentences, so that a short text does not get a surer label than a long one.
const SENTENCES_PRIOR: i64 = 1;
/// Prior of a text, in thousandths of a logarithm of the odds. Half of the training reviews are content, but four in
/// five real ones are. With the reviews weighted accordingly, every value from 100 to 500 is about equally accurate
/// (973 to 975 of 1,000 Yelp sentences), and a lower one recognizes more discontented reviews.
const CONSTANT: i64 = 300;
/// Weight, in thousandths, of each whole unit of the mean score per sentence for praise minus blame.
const LEAD_WEIGHT: i64 = 2_736;
/// Weight, in thousandths, of the rules' findings if all have the same polarity.
const RULES_WEIGHT: i64 = 1_944;
/// The features for the polarity of a text as a whole, in thousandths: the mean of the sentences' scores for praise minus
/// blame, and the rules' praise minus blame relative to the number of their findings.
pub fn text_features(sentences: &[SentenceReading<'_>]) -> [i64; 2] {
    let leads = sentences.iter().map(|sentence| i64::from(sentence.lead));
    let leads: i64 = leads.sum();
    let count = i64::try_from(sentences.len()).unwrap_or_default();
    let [positive, negative] = [0, 1].map(|side: usize| -> i64 {
        let judged = sentences.iter().map(|sentence| sentence.judged[side]);
        judged.map(i64::from).sum()
    });
    [
        1_000 * leads / (i64::from(UNIT) * (count + SENTENCES_PRIOR)),
        1_000 * (positive - negative) / (positive + negative + 1),
    ]
}

impl OpinionFinder {
    /// The polarity of a text as a whole and its score, in thousandths of a logarithm of the odds; a positive score means
    /// praise. A text that leans to neither side is neutral; any other text gets the label of the leading side.
    fn overall(sentences: &[SentenceReading<'_>], findings: &[Finding]) -> (Polarity, i32) {
        let [lead, rules] = text_features(sentences);
        // `0/10` is decided by the rules: the prior does not apply to it.
        let has_words = sentences.iter().any(|sentence| sentence.has_words);
        let constant = if has_words { CONSTANT } else { 0 };
        let own = (LEAD_WEIGHT * lead + RULES_WEIGHT * rules) / 1_000;
        let has_judgement = findings.iter().any(|finding| finding.polarity.judges());
        let is_judged = has_judgement || own.abs() >= LEANS_MIN;
        let score = constant + own;
        let polarity = match score.signum() {
            _ if !is_judged => Polarity::Neutral,
            1 => Polarity::Positive,
            -1 => Polarity::Negative,
            _ => Polarity::Uncertain,
        };
        (polarity, i32::try_from(score).unwrap_or_default())
    }
}

// The stars withdraw a judgement that contradicts them and is not sure enough; and the praise of a review with a complaint
// whose aspect is unknown. They create no finding.

/// The most stars of a review.
const ALL_STARS: u8 = 5;

/// Each withdrawal is a hit, so that the points remain the sum of the hits.
fn withdraw_by_stars<'a>(
    findings: impl Iterator<Item = &'a mut Finding>,
    stars: u8,
    has_unplaced_complaint: bool,
) {
    for finding in findings.filter(|one| {
        has_unplaced_complaint && one.polarity == Polarity::Positive || is_withdrawn(one, stars)
    }) {
        finding.hits.push(Hit {
            rule: WITHDRAWN.to_owned(),
            span: finding.span,
            points: -finding.score,
        });
        finding.score = 0;
        finding.polarity = Polarity::Uncertain;
    }
}

/// Whether the stars withdraw the judgement of a finding.
fn is_withdrawn(finding: &Finding, stars: u8) -> bool {
    let witness = finding.witness;
    let (sure_from, needs_both) = match finding.polarity {
        Polarity::Negative if stars < ALL_STARS => (
            BLAME_SURE_FROM[usize::from(witness == Witness::Classifier)],
            false,
        ),
        Polarity::Negative => (BLAME_SURE_FROM_OF_FIVE, true),
        Polarity::Positive | Polarity::Neutral | Polarity::Uncertain => (PRAISE_SURE_FROM, true),
    };
    finding.polarity.contradicts(stars)
        && (finding.confidence < sure_from || needs_both && witness != Witness::Both)
}

#[cfg(test)]
mod tests {
    use super::OpinionFinder;
    use crate::insights::analysis::{Finding, Polarity};
    use crate::insights::rules::{GENERAL, HOME_SERVICES};
    use crate::insights::text::TokenizedText;
    use crate::wire::Witness;

    fn engine() -> &'static OpinionFinder {
        OpinionFinder::built_in(HOME_SERVICES)
    }

    #[test]
    fn the_table_has_a_row_for_each_feature_in_order() {
        let decisions = super::DecisionWeights::built_in();
        let text = TokenizedText::new("They were late.");
        let sentences = engine().read_sentences(&text);
        let candidates = engine().candidates(&sentences);
        let complaint = engine().complaint_features(&sentences[0]);
        let rows = decisions.outcomes.iter().map(|(name, _)| name);
        assert!(rows.eq(candidates[0].features.iter().map(|(name, _)| name)));
        let rows = decisions.complaint.iter().map(|(name, _)| name);
        assert!(rows.eq(complaint.iter().map(|(name, _)| name)));
    }

    /// `price+ workmanship-`, sorted.
    fn list_findings(findings: &[Finding]) -> String {
        let sign = |polarity| match polarity {
            Polarity::Positive => '+',
            Polarity::Negative => '-',
            Polarity::Neutral => '=',
            Polarity::Uncertain => '?',
        };
        let mut listed: Vec<String> = findings
            .iter()
            .map(|one| format!("{}{}", one.aspect, sign(one.polarity)))
            .collect();
        listed.sort();
        listed.join(" ")
    }

    #[test]
    fn the_rules_alone_judge_by_scope_contrast_and_conclusion() {
        for (text, expected) in [
            // A negator inverts only the words in scope.
            ("He wasn't rude.", "professionalism+"),
            ("The crew was not friendly or polite.", "professionalism-"),
            ("They never left a mess.", "cleanliness+"),
            ("No hidden fees.", "honesty+ price+"),
            ("I have nothing but good things to say.", "overall+"),
            ("You can't go wrong with these folks.", "overall+"),
            // After a contrast, the conclusion decides within an aspect.
            (
                "Although pricey, the repair was perfect.",
                "price- workmanship+",
            ),
            (
                "Nice fellow, but the faucet is still dripping.",
                "professionalism+ workmanship-",
            ),
            ("A little expensive but worth every penny.", "price+"),
            // Amounts and facts are neutral without a judgement.
            ("The trip fee is $79.", "price="),
            ("The bill came in under the estimate.", "price+"),
            ("The bill was twice what they quoted.", "price-"),
            ("Do they offer a warranty?", "warranty="),
            ("If it fails again I will update this.", "workmanship="),
        ] {
            let text = TokenizedText::new(text);
            let sentences = engine().read_sentences(&text).into_iter();
            let rules = sentences.flat_map(|sentence| sentence.rules);
            let findings: Vec<Finding> = rules.map(|(_, finding)| finding).collect();
            assert_eq!(list_findings(&findings), expected);
        }
    }

    #[test]
    fn act_of_the_customer_is_no_complaint_in_a_low_review() {
        let general = OpinionFinder::built_in(GENERAL);
        for text in [
            "I ordered two shirts for my son in March.",
            "My mother lives two hours away.",
            "I told her that it could not be mine.",
        ] {
            let found = general.analyze(&TokenizedText::new(text), Some(1));
            let found = list_findings(&found.findings);
            assert!(!found.contains('-'), "{text}: {found}");
        }
    }

    #[test]
    fn a_classifier_hit_has_only_words_of_the_same_aspect() {
        let engine = engine();
        let mut named = 0;
        for (original, aspect, others) in [
            (
                "The price was fair, but the dispatcher was horribly rude.",
                "price",
                "rude",
            ),
            (
                "He was an hour late, and the repair is excellent.",
                "punctuality",
                "excellent",
            ),
            (
                "The office was rude, and the work is flawless.",
                "professionalism",
                "flawless",
            ),
            (
                "Great communication, and they left a filthy mess.",
                "communication",
                "filthy",
            ),
            (
                "The bill was outrageous, the technician was friendly.",
                "price",
                "friendly",
            ),
        ] {
            let findings = engine.analyze(&TokenizedText::new(original), None).findings;
            let of_aspect = findings.iter().filter(|finding| finding.aspect == aspect);
            for hit in of_aspect.flat_map(|finding| &finding.hits) {
                assert!(!hit.rule.contains(others), "{original}: {hit:?}");
                named += usize::from(hit.rule.starts_with("examples:"));
            }
        }
        assert!(named >= 3, "the premise: {named}");
    }

    #[test]
    fn the_classifier_confirms_findings_of_the_rules() {
        for (text, aspect) in [
            ("My wife liked that he was on time.", "punctuality"),
            ("The crew was very polite and friendly.", "professionalism"),
            (
                "They came on time, and the price was fair for the work.",
                "price",
            ),
            (
                "The bill was higher than the estimate and nobody explained why.",
                "price",
            ),
        ] {
            let findings = engine().analyze(&TokenizedText::new(text), None).findings;
            let found = findings.iter().find(|one| one.aspect == aspect).unwrap();
            assert_eq!(found.witness, Witness::Both, "{text} {aspect}");
        }
    }

    #[test]
    fn a_text_without_judgements_is_neutral_overall() {
        let engine = engine();
        let overall = |text: &str| engine.analyze(&TokenizedText::new(text), None).overall.0;
        assert_eq!(overall("15.03.2024, 12:30"), Polarity::Neutral);
        assert_eq!(
            overall("Nobody showed up and nobody called. Stay away."),
            Polarity::Negative
        );
    }

    #[test]
    fn words_about_others_that_contradict_the_stars_are_no_finding() {
        let found = |text: &str, stars| {
            let found = engine().analyze(&TokenizedText::new(text), Some(stars));
            list_findings(&found.findings)
        };
        for text in [
            "They came on time, unlike Joe's Plumbing, who was rude and late.",
            "If you want rude techs, call someone else.",
            "After a bad experience with another plumber, I found them.",
            "My last roofer took my deposit and disappeared.",
            "Other companies never returned my calls.",
            "I called two other companies and they never showed up.",
            "Most contractors are liars who never show up, not these guys.",
            "I was dreading a week without hot water and it turned out to be four hours.",
        ] {
            let found = found(text, 5);
            assert!(!found.contains('-'), "{text}: {found}");
        }
        for text in [
            "A bit more expensive than other companies.",
            "Faster than the last company but twice the money.",
            "Unlike the last company, they were late.",
        ] {
            let found = found(text, 4);
            assert!(found.contains('-'), "{text}: {found}");
        }
        let outcome = "They never came. Another company was here in an hour, friendly and cheap.";
        assert_eq!(
            found(outcome, 1).matches('+').count(),
            0,
            "praise of another"
        );
        assert!(found("Another plumber told me they did it wrong.", 1).contains('-'));
    }

    #[test]
    fn words_about_somebody_else_are_no_finding() {
        let found = |text: &str, stars| {
            let found = engine().analyze(&TokenizedText::new(text), Some(stars));
            assert!(found.parts.len() == 1, "{text}");
            (
                list_findings(&found.findings),
                found.parts[0].last().unwrap().1,
            )
        };
        for text in [
            "Our previous plumber was rude and dirty.",
            "The last company charged us $3,000 and left the AC worse.",
            "My neighbor's plumber was cheap, fast and friendly, but booked out.",
            "A buddy of mine did a sloppy job on the drain.",
            "The landlord was slow to respond.",
            "The city took four weeks for the permit.",
            "The manufacturer would not honor the warranty.",
            "Lowe's charged me $900 and it leaked.",
            "Home Depot's installer left a mess everywhere.",
            "The water heater that Home Depot installed leaked within a month.",
            "The technician from Sears was late twice.",
            "My wife was so patient and friendly through all of this.",
            "Bob's Plumbing across town is very professional.",
            "The new faucet from Delta is beautiful and was a fair price.",
        ] {
            for stars in [1, 5] {
                let nothing = (String::new(), Polarity::Neutral);
                assert_eq!(found(text, stars), nothing, "{text}");
            }
        }
        for text in [
            "The plumber was late.",
            "They sent a handyman who was rude and left a mess.",
            "The last guy they sent was rude.",
            "The electrician they sent was rude.",
            "My wife was ignored by them and charged double.",
            "The landlord called them and they never came.",
            "The city inspector failed their sloppy work.",
            "The landlord was furious because they left a mess.",
            "The last company was cheap, these people overcharged me.",
        ] {
            assert!(found(text, 1).0.contains('-'), "{text}");
        }
        let praise = "The last company was rude, but these guys were polite and on time.";
        assert_eq!(found(praise, 5).0, "professionalism+ punctuality+");
    }

    #[test]
    fn a_complaint_of_a_bad_review_is_heard() {
        let found = |text: &str, stars| {
            let text = TokenizedText::new(text);
            list_findings(&engine().analyze(&text, Some(stars)).findings)
        };
        let complaint = "Nothing ever comes of these emails.";
        assert!(found(complaint, 1).contains("overall-"));
        assert!(!found(complaint, 4).contains('-'));
    }

    #[test]
    fn praise_is_uncertain_if_the_complaint_is_not_heard() {
        let found = |text: &str, stars| {
            let found = engine().analyze(&TokenizedText::new(text), Some(stars));
            (list_findings(&found.findings), found.overall.0)
        };
        let praise = "The crew was very polite and friendly.";
        let praised = "professionalism+".to_owned();
        assert_eq!(found(praise, 4), (praised, Polarity::Positive));
        let unsure = "professionalism?".to_owned();
        assert_eq!(found(praise, 3), (unsure, Polarity::Uncertain));
        let both = found(&format!("{praise} The bill was twice what they quoted."), 3);
        assert_eq!(both.0, "price- professionalism+");
    }

    #[test]
    fn a_very_long_sentence_is_analysed() {
        let engine = engine();
        let endless = "they never called back and the price was not fair or ".repeat(2_000);
        assert!(
            !engine
                .analyze(&TokenizedText::new(&endless), None)
                .findings
                .is_empty()
        );
    }
}

#[cfg(test)]
mod tests_of_stars {
    use super::withdraw_by_stars;
    use crate::insights::analysis::{Finding, Hit, Polarity, TextSpan};
    use crate::wire::Witness;

    fn finding(polarity: Polarity, witness: Witness, confidence: u8) -> Finding {
        let score = 3 * polarity.sign();
        let hit = Hit {
            rule: "phrase:said".to_owned(),
            span: TextSpan::default(),
            points: score,
        };
        Finding {
            aspect: "price".to_owned(),
            sentence: 0,
            span: TextSpan::default(),
            polarity,
            witness,
            score,
            confidence,
            hits: vec![hit],
        }
    }

    #[test]
    fn contrary_findings_stay_if_confident() {
        use Polarity::{Negative, Neutral, Positive};
        use Witness::{Both, Classifier, Rule};
        for (polarity, stars, witness, sure_from) in [
            (Negative, 4, Rule, 70),
            (Negative, 4, Classifier, 90),
            (Negative, 4, Both, 70),
            (Negative, 5, Both, 95),
            (Positive, 2, Both, 90),
            // Never sure enough.
            (Negative, 5, Rule, 101),
            (Positive, 1, Classifier, 101),
            // Not contrary.
            (Negative, 3, Rule, 0),
            (Negative, 1, Rule, 0),
            (Positive, 3, Rule, 0),
            (Neutral, 1, Rule, 0),
        ] {
            for confidence in [0, sure_from.max(5) - 5, sure_from.min(100), 100] {
                let mut found = [finding(polarity, witness, confidence)];
                withdraw_by_stars(found.iter_mut(), stars, false);
                let left = if confidence < sure_from {
                    Polarity::Uncertain
                } else {
                    polarity
                };
                assert_eq!(found[0].polarity, left, "{polarity:?} of {confidence}");
            }
        }
    }
}
