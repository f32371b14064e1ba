//! What the rules and the classifier found in each sentence, the candidates for findings that follow, the findings, and
//! the polarity of the text as a whole.

use std::ops::Range;

use super::decision::{AspectCandidate, Decision, DecisionBasis, Figures, decide};
use super::engine::{AspectHeads, RuleEngine};
use super::parsed_sentence::{About, ParsedSentence};
use super::score;
use crate::insights::analysis::{Finding, Hit, MARGIN, Polarity};
use crate::insights::classifier::{AspectScores, OutputHead, SentencePart, UNIT};
use crate::insights::text::{Token, TokenizedText};
use crate::insights::trades::{Cue, Meaning};

/// Maximum absolute value of every figure, which limits the weight of one sentence.
const FIGURE_MAX: i32 = 4 * UNIT;
/// Minimum odds of a candidate without a rule: below this value, about 1 in 2,000 is a finding.
const ODDS_MIN: i32 = -UNIT;
/// Maximum absolute value of a rule's score.
const SCORE_MAX: i32 = 6;

/// A sentence with the results of the rules and the classifier.
#[derive(Debug)]
pub struct SentenceReading<'engine> {
    /// The rules' findings with the index of their aspect.
    rules: Vec<(usize, Finding)>,
    /// Numbers of rule findings with praise and with blame, including opinions without an aspect.
    judged: [i32; 2],
    pub scores: AspectScores<'engine>,
    /// The subject of each part, and whether it states a fact.
    about: Vec<About>,
    /// Whether the sentence has more than numbers and marks.
    pub has_words: bool,
    /// The classifier's score for praise minus that for blame, for the whole sentence; 0 without words.
    pub lead: i32,
    /// The aspects of the words that name one in a complaint.
    named: Vec<usize>,
    /// Whether it begins with what the customer did.
    tells_deed: bool,
}

impl<'engine> SentenceReading<'engine> {
    pub fn new(
        engine: &'engine RuleEngine,
        text: &TokenizedText,
        parsed: &ParsedSentence<'_>,
        sentence: u32,
    ) -> Self {
        let tokens = parsed.tokens(0..parsed.units.len());
        let mut rules = score::sentence(engine, text, parsed, sentence);
        let judged = [Polarity::Positive, Polarity::Negative].map(|polarity| {
            let alike = rules.iter().filter(|(_, one)| one.polarity == polarity);
            i32::try_from(alike.count()).unwrap_or(i32::MAX)
        });
        // Without strays, a finding of the role `overall` needs a phrase of its own.
        let overall = engine.trade.overall.filter(|_| !engine.trade.has_strays);
        rules.retain(|(aspect, finding)| {
            let mut hits = finding.hits.iter();
            overall != Some(*aspect)
                || hits.any(|hit| hit.rule.starts_with("phrase:") || hit.rule.starts_with("plain:"))
        });
        let has_words = text.tokens()[tokens.clone()].iter().any(Token::is_word);
        let unread: Vec<Range<usize>> = parsed
            .items
            .iter()
            .filter(|item| item.meaning == Meaning::Cue(Cue::Unread))
            .map(|item| parsed.tokens(item.start..item.end))
            .collect();
        let named = parsed
            .items
            .iter()
            .filter_map(|item| {
                if let Meaning::Complains(aspect) | Meaning::Names(aspect) = item.meaning {
                    Some(aspect)
                } else {
                    None
                }
            })
            .filter(|aspect| engine.trade.overall != Some(*aspect))
            .collect();
        let mut items = parsed.items.iter();
        let tells_deed = items.any(|item| item.meaning == Meaning::Cue(Cue::Deed));
        let scores = engine.classifier.classify(text, tokens, &unread);
        let parts = scores.parts.iter();
        let about = parts.map(|part| about(parsed, part)).collect();
        let lead = scores.whole().lead().clamp(-FIGURE_MAX, FIGURE_MAX);
        Self {
            lead: if has_words { lead } else { 0 },
            named,
            tells_deed,
            rules,
            judged,
            about,
            has_words,
            scores,
        }
    }

    /// Praise minus blame among the rules' findings.
    const fn balance(&self) -> i32 {
        self.judged[0] - self.judged[1]
    }

    /// The evidence that the sentence of a review of one or two stars complains, in units of 1/[`UNIT`].
    pub fn complaint(&self) -> i32 {
        let complaint = if self.has_words {
            self.scores.whole().complaint
        } else {
            0
        };
        complaint - self.lead / LEAD_PART - RULES_COMPLAINT * self.balance().signum()
    }
}

fn about(parsed: &ParsedSentence<'_>, part: &SentencePart) -> About {
    let at = parsed
        .units
        .partition_point(|unit| unit.start < part.tokens.start);
    let at = if at < parsed.units.len() { at } else { 0 };
    parsed.clauses[parsed.clause_at(at)].about
}

/// All candidates of a text, by sentence, then by aspect.
pub fn candidates(engine: &RuleEngine, read: &[SentenceReading<'_>]) -> Vec<AspectCandidate> {
    let leads: i32 = read.iter().map(|sentence| sentence.lead).sum();
    let balance: i32 = read.iter().map(SentenceReading::balance).sum();
    let sentences = i32::try_from(read.len()).unwrap_or(i32::MAX - 1);
    let mut all = Vec::with_capacity(read.len() * 2);
    for (number, sentence) in read.iter().enumerate() {
        let context = [
            (leads - sentence.lead) / (sentences + 1),
            (balance - sentence.balance()) * UNIT / (sentences + 1),
            if sentences == 1 { UNIT } else { 0 },
        ];
        for aspect in 0..engine.trade.aspects.len() {
            let rule = sentence
                .rules
                .iter()
                .find(|(found, _)| *found == aspect)
                .map(|(_, finding)| finding);
            let heads = engine.detected[aspect];
            let part = match (heads, rule) {
                (Some(heads), _) => loudest(&sentence.scores.parts, heads.aspect),
                (None, Some(_)) => sentence.scores.parts.len() - 1,
                (None, None) => continue,
            };
            let odds = heads.map(|heads| sentence.scores.parts[part].aspects[heads.aspect]);
            if rule.is_none() && odds.is_none_or(|odds| odds < ODDS_MIN) {
                continue;
            }
            all.push(AspectCandidate {
                aspect,
                sentence: number,
                part,
                rule: rule.map(|finding| finding.polarity),
                about: sentence.about[part],
                basis: match heads {
                    _ if !sentence.has_words => DecisionBasis::Rules,
                    None if rule.is_some_and(is_plain) => DecisionBasis::Rules,
                    Some(_) if rule.is_some_and(is_plain) => DecisionBasis::Plain,
                    Some(_) => DecisionBasis::Aspect,
                    None => DecisionBasis::Polarity,
                },
                figures: figures(sentence, part, heads, rule, context),
            });
        }
    }
    all
}

/// Whether a finding of the rules has a phrase that needs no confirmation.
fn is_plain(rule: &Finding) -> bool {
    rule.polarity.judges() && rule.hits.iter().any(|hit| hit.rule.starts_with("plain:"))
}

/// The part with the highest score of that head.
fn loudest(parts: &[SentencePart], head: usize) -> usize {
    let all = parts.iter().enumerate();
    all.max_by_key(|(_, part)| part.aspects[head])
        .map_or(0, |(at, _)| at)
}

fn figures(
    sentence: &SentenceReading<'_>,
    at: usize,
    heads: Option<AspectHeads>,
    rule: Option<&Finding>,
    [lead_elsewhere, findings_elsewhere, only_sentence]: [i32; 3],
) -> Figures {
    let clip = |value: i32| value.clamp(-FIGURE_MAX, FIGURE_MAX);
    let is = |is: bool| if is { UNIT } else { 0 };
    let (part, whole) = (&sentence.scores.parts[at], sentence.scores.whole());
    let odds = |part: &SentencePart| heads.map_or(0, |heads| clip(part.aspects[heads.aspect]));
    let odds_of = |side: usize| heads.map_or(0, |heads| clip(part.aspects[heads.judgements[side]]));
    let neutral = |part: &SentencePart| {
        let [negative, neutral, positive] = part.labels;
        clip(neutral - negative.max(positive))
    };
    let score = rule.map_or(0, |rule| rule.score.clamp(-SCORE_MAX, SCORE_MAX) * UNIT / 3);
    let label = rule.map(|rule| rule.polarity);
    [
        UNIT,
        odds(part),
        odds(part).max(0),
        odds(whole),
        odds_of(0),
        odds_of(1),
        clip(part.lead()),
        neutral(part),
        clip(whole.lead()),
        neutral(whole),
        lead_elsewhere,
        findings_elsewhere,
        only_sentence,
        is(sentence.about[at] != About::default()),
        is(rule.is_some()),
        is(label == Some(Polarity::Positive)),
        is(label == Some(Polarity::Negative)),
        is(label == Some(Polarity::Uncertain)),
        is(label == Some(Polarity::Neutral)),
        score,
        score.abs(),
        if rule.is_some() { clip(part.lead()) } else { 0 },
    ]
}

/// Absolute score of a label that the rules did not give.
const POINTS: i32 = MARGIN + 1;
/// Points that the classifier adds to a judgement that it confirms. They do not change the label, but the clearest
/// sentences are quoted first.
const BACKING: i32 = 2;
/// Maximum difference to the score of the clearest aspect of the sentence, in units of 1/[`UNIT`], for a judgement that the
/// classifier confirms.
const BEHIND_MAX: i32 = 2 * UNIT;
/// Absolute score of an uncertain finding with a leading label; below `MARGIN`.
const LEANING: i32 = 1;
/// Minimum confidence of a judgement that the rules also make; below it, the finding is uncertain.
const CONFIDENCE_MIN: u8 = 60;
/// Minimum confidence of a judgement that only the classifier makes: between this minimum and the one above, 63 of 100
/// judgements were right in reviews by unknown authors.
const CONFIDENCE_MIN_ALONE: u8 = 70;
/// Weight of the score for praise minus blame in the evidence for a complaint: one in this many.
const LEAD_PART: i32 = 3;
/// Weight of the side that the rules take in the evidence for a complaint.
const RULES_COMPLAINT: i32 = 24;
/// Minimum evidence for a complaint in a review of one or two stars, in units of 1/[`UNIT`]: for a sentence with an aspect
/// or a word that names one, and for any other. In 322 sentences of such reviews by unknown authors, on which they were
/// chosen, 192 of 258 complaints are found, and none of 64 other sentences is blamed.
const COMPLAINT_MIN: i32 = 48;
const COMPLAINT_MIN_OVERALL: i32 = 54;
/// Added to this minimum if the sentence begins with what the customer did: in such reviews, 18 of 59 sentences without a
/// complaint begin so, and 19 of 246 with one.
const DEED_MORE: i32 = 44;
/// Confidence of such a complaint, the lowest without a rule: of 41 in reviews by unknown authors, 39 were complaints, 22
/// about that aspect.
const COMPLAINT_CONFIDENCE: u8 = 70;
/// Minimum score of the aspect of such a complaint, in units of 1/[`UNIT`]: if a word names it, and if no word does. Of 17
/// words in reviews by unknown authors, 9 name a less likely aspect, 3 of them the right one.
const COMPLAINT_NAMED_MIN: i32 = -48;
const COMPLAINT_ASPECT_MIN: i32 = 24;

/// The findings of a text: by sentence, then by position, then by aspect.
pub fn findings(
    engine: &RuleEngine,
    text: &TokenizedText,
    read: &mut [SentenceReading<'_>],
    candidates: &[AspectCandidate],
    of_stars: Option<Polarity>,
) -> Vec<Finding> {
    let mut all = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        if let Some(decision) = decide(engine.decisions.as_ref(), candidate, of_stars) {
            let sentence = &mut read[candidate.sentence];
            all.push(finding(
                engine, text, sentence, candidate, decision, of_stars,
            ));
        }
    }
    if of_stars == Some(Polarity::Negative) {
        add_complaints(engine, text, read, &mut all);
    }
    all.sort_by(|one, other| {
        (one.sentence, one.span, &one.aspect).cmp(&(other.sentence, other.span, &other.aspect))
    });
    all
}

/// Adds the complaints of a review of one or two stars: a sentence without a judgement blames an aspect that it probably
/// has, otherwise the aspect for opinions without a topic.
fn add_complaints(
    engine: &RuleEngine,
    text: &TokenizedText,
    read: &[SentenceReading<'_>],
    all: &mut Vec<Finding>,
) {
    for (number, sentence) in (0..).zip(read) {
        let whole = sentence.scores.whole();
        let is_of_others = (sentence.about.last()).is_some_and(|about| about.elsewhere);
        let mut here = all.iter().filter(|finding| finding.sentence == number);
        if is_of_others || here.any(|finding| finding.polarity.judges()) {
            continue;
        }
        let own = complaint_aspect(engine, sentence, whole);
        let least = if own.is_some() || !sentence.named.is_empty() {
            COMPLAINT_MIN
        } else {
            COMPLAINT_MIN_OVERALL
        };
        let least = least + if sentence.tells_deed { DEED_MORE } else { 0 };
        let aspect = own.or(engine.trade.overall);
        let Some(aspect) = aspect.filter(|_| sentence.complaint() >= least) else {
            continue;
        };
        let aspect = &engine.trade.aspects[aspect].id;
        let mut found = all.iter();
        let at = found.position(|one| one.sentence == number && one.aspect == *aspect);
        let at = at.unwrap_or_else(|| {
            all.push(Finding {
                aspect: aspect.clone(),
                sentence: number,
                span: text.span(whole.tokens.clone()),
                polarity: Polarity::Uncertain,
                score: 0,
                confidence: 0,
                hits: Vec::new(),
            });
            all.len() - 1
        });
        let words = (sentence.scores).strongest(&whole.tokens, OutputHead::Complaint);
        let words = words.unwrap_or_else(|| whole.tokens.clone());
        add_hit(&mut all[at], text, words, -POINTS);
        all[at].polarity = Polarity::Negative;
        all[at].confidence = COMPLAINT_CONFIDENCE;
    }
}

/// The aspect of a complaint: of those that the sentence names, the likeliest; otherwise one that it very probably has.
fn complaint_aspect(
    engine: &RuleEngine,
    sentence: &SentenceReading<'_>,
    whole: &SentencePart,
) -> Option<usize> {
    let odds = |aspect: &usize| {
        let heads = engine.detected[*aspect];
        heads.map_or(0, |heads| whole.aspects[heads.aspect])
    };
    let named = sentence.named.iter().copied().max_by_key(odds);
    let named = named.filter(|aspect| odds(aspect) >= COMPLAINT_NAMED_MIN);
    let overall = engine.trade.overall;
    let least = overall
        .map_or(i32::MIN, |overall| odds(&overall))
        .max(COMPLAINT_ASPECT_MIN);
    let others = (0..engine.trade.aspects.len()).filter(|aspect| overall != Some(*aspect));
    named.or_else(|| {
        others
            .max_by_key(odds)
            .filter(|aspect| odds(aspect) >= least)
    })
}

/// Adds a hit of the classifier that changes the score of a finding to `score`.
fn add_hit(finding: &mut Finding, text: &TokenizedText, words: Range<usize>, score: i32) {
    let hit = examples_hit(text, words, score - finding.score);
    finding.hits.push(hit);
    finding.score = score;
}

const fn sign(polarity: Polarity) -> i32 {
    match polarity {
        Polarity::Positive => 1,
        Polarity::Negative => -1,
        Polarity::Neutral | Polarity::Uncertain => 0,
    }
}

/// A finding with its label and confidence: by the text, and, if the text leaves it open, by the stars.
fn finding(
    engine: &RuleEngine,
    text: &TokenizedText,
    sentence: &mut SentenceReading<'_>,
    candidate: &AspectCandidate,
    decision: Decision,
    of_stars: Option<Polarity>,
) -> Finding {
    let (polarity, mut confidence) = (decision.label, decision.confidence);
    let mut rules = sentence.rules.iter();
    let rule = rules.position(|(found, _)| *found == candidate.aspect);
    let rule = rule.map(|at| sentence.rules.swap_remove(at).1);
    let scores = &sentence.scores;
    let part = &scores.parts[candidate.part];
    let heads = engine.detected[candidate.aspect];
    let head = heads.map(|heads| OutputHead::Aspect(heads.aspect));
    let mut finding = rule.unwrap_or_else(|| Finding {
        aspect: engine.trade.aspects[candidate.aspect].id.clone(),
        sentence: u32::try_from(candidate.sentence).unwrap_or(u32::MAX),
        span: text.span(part.tokens.clone()),
        polarity: Polarity::Neutral,
        score: 0,
        confidence: 0,
        hits: head
            .and_then(|head| scores.strongest(&part.tokens, head))
            .map(|run| examples_hit(text, run, 0))
            .into_iter()
            .collect(),
    });
    let sign = sign(polarity);
    let is_of_rule = finding.polarity == polarity;
    let is_without_evidence = polarity == Polarity::Negative && sentence.complaint() < 0;
    let is_excluded = !is_of_rule && (candidate.about.excludes(polarity) || is_without_evidence);
    let least = if is_of_rule {
        CONFIDENCE_MIN
    } else {
        CONFIDENCE_MIN_ALONE
    };
    let is_clear = match polarity {
        Polarity::Positive | Polarity::Negative => confidence >= least && !is_excluded,
        Polarity::Neutral => true,
        Polarity::Uncertain => false,
    };
    let points = match (is_clear, is_of_rule) {
        // An uncertain finding of the rules keeps its score, which leans to the side of their sum.
        (false, _) if polarity == Polarity::Uncertain => 0,
        (false, _) if is_excluded => -finding.score,
        (false, _) => {
            let mut leading = polarity;
            if let Some(of_stars) = of_stars {
                let is_deed = sentence.tells_deed && of_stars == Polarity::Negative;
                let sure = decision.with_stars;
                let sure = sure.filter(|_| !is_deed && !candidate.about.excludes(of_stars));
                leading = sure.map_or(Polarity::Uncertain, |_| of_stars);
                confidence = sure.unwrap_or(0);
            }
            self::sign(leading) * LEANING - finding.score
        }
        (true, true) if sign * part.lead() > 0 && finds_aspect(engine, scores, heads) => {
            sign * BACKING
        }
        (true, true) => 0,
        (true, false) => sign * POINTS - finding.score,
    };
    if points != 0 {
        let place = text.tokens_in(finding.span);
        let label = OutputHead::Label(usize::try_from(points.signum() + 1).unwrap_or_default());
        let words = scores.strongest(&place, label).unwrap_or(place);
        let score = finding.score + points;
        add_hit(&mut finding, text, words, score);
    }
    finding.polarity = if is_clear {
        polarity
    } else {
        Polarity::Uncertain
    };
    finding.confidence = confidence;
    finding
}

/// Whether the classifier finds the aspect in the sentence as a whole, and no other aspect much more clearly.
fn finds_aspect(
    engine: &RuleEngine,
    scores: &AspectScores<'_>,
    heads: Option<AspectHeads>,
) -> bool {
    let Some(heads) = heads else { return true };
    let whole = scores.whole();
    let all = engine.detected.iter().flatten();
    let clearest = all.map(|heads| whole.aspects[heads.aspect]).max();
    whole.aspects[heads.aspect] >= (clearest.unwrap_or_default() - BEHIND_MAX).max(0)
}

fn examples_hit(text: &TokenizedText, run: Range<usize>, points: i32) -> Hit {
    let words: Vec<&str> = run.clone().map(|token| text.word(token)).collect();
    Hit {
        rule: format!("examples:{}", words.join(" ")),
        span: text.span(run),
        points,
    }
}

/// Added to the number of sentences, so that a short text does not get a surer label than a long one.
const SENTENCES_PRIOR: i64 = 1;
/// Prior of a text, in thousandths of a logarithm of the odds. Half of the training reviews are content, but four in
/// five real ones are. With the reviews weighted accordingly, every value from 100 to 500 is about equally accurate
/// (973 to 975 of 1,000 Yelp sentences), and a lower one recognizes more discontented reviews.
const CONSTANT: i64 = 300;
/// Weight, in thousandths, of each whole unit of the mean score per sentence for praise minus blame.
const LEAD_WEIGHT: i64 = 2_822;
/// Weight, in thousandths, of the rules' findings if all have the same polarity.
const RULES_WEIGHT: i64 = 2_097;
/// Minimum absolute score, without the prior, of a text that gets a label without findings. Of 998 Yelp sentences, all of
/// which judge, 33 were neutral with 500; 25 of these lean, 14 of them to the right side.
const LEANS_MIN: i64 = 100;

/// The figures for the polarity of a text as a whole, in thousandths: the mean of the sentences' scores for praise minus
/// blame, and the rules' praise minus blame relative to the number of their findings.
pub fn document_figures(read: &[SentenceReading<'_>]) -> [i64; 2] {
    let leads: i64 = read.iter().map(|sentence| i64::from(sentence.lead)).sum();
    let sentences = i64::try_from(read.len()).unwrap_or_default();
    let [positive, negative] = [0, 1].map(|side: usize| -> i64 {
        let judged = read.iter().map(|sentence| sentence.judged[side]);
        judged.map(i64::from).sum()
    });
    [
        1_000 * leads / (i64::from(UNIT) * (sentences + SENTENCES_PRIOR)),
        1_000 * (positive - negative) / (positive + negative + 1),
    ]
}

/// The polarity of a text as a whole and its score, in thousandths of a logarithm of the odds; a positive score means
/// praise. A text that leans to neither side is neutral; any other text gets the label of the leading side.
pub fn overall(
    engine: &RuleEngine,
    read: &[SentenceReading<'_>],
    findings: &[Finding],
) -> (Polarity, i32) {
    let [lead, rules] = document_figures(read);
    // `0/10` is decided by the rules: the prior does not apply to it. In other languages, for which the weights were not
    // learned, the rules decide if they lean to one side.
    let has_words = read.iter().any(|sentence| sentence.has_words);
    let (constant, lead) = match (engine.trade.is_english(), rules) {
        (true, _) | (false, 0) if has_words => (CONSTANT, lead),
        (true, _) => (0, lead),
        (false, _) => (0, 0),
    };
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

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use crate::insights::Polarity;
    use crate::insights::aspects::RuleEngine;
    use crate::insights::text::TokenizedText;
    use crate::insights::trades::{HOME_SERVICES, shipped};

    static ENGINE: LazyLock<RuleEngine> =
        LazyLock::new(|| RuleEngine::new(shipped(HOME_SERVICES).unwrap()));

    fn overall(text: &str) -> Polarity {
        ENGINE.analyze(&TokenizedText::new(text)).overall.0
    }

    #[test]
    fn a_text_without_praise_is_not_positive() {
        assert_eq!(
            overall("Cold fries. We waited an hour and left."),
            Polarity::Negative
        );
        assert_eq!(overall("12:30"), Polarity::Neutral);
        assert_eq!(overall(""), Polarity::Neutral);
    }

    #[test]
    fn a_text_with_mixed_judgements_is_positive_or_negative() {
        for text in [
            "Friendly crew. Late by an hour.",
            "The price was fair, the work was bad.",
            "Good and bad.",
            "They were polite but slow.",
            "Great office, terrible repair.",
        ] {
            assert!(
                matches!(overall(text), Polarity::Positive | Polarity::Negative),
                "{text}: {:?}",
                overall(text)
            );
        }
    }

    #[test]
    fn the_overall_polarity_is_that_of_most_sentences() {
        let praise = "Great service, on time and friendly. The price was fair. Highly recommend!";
        let blame = "Never again. They were two hours late, rude, and the leak is back.";
        assert_eq!(overall(praise), Polarity::Positive);
        assert_eq!(overall(blame), Polarity::Negative);
    }
}
