//! The sentences that have a topic's words: which aspect they judge, and which of them to quote.

use std::ops::Range;

use super::count::ASPECTS_MAX;
use super::figures::{OVERALL, Vote};
use super::quotes::{Opened, Quote, SENTENCE_MAX};
use crate::insights::analysis::Polarity;
use crate::insights::packed_analysis::{PackedAnalysisRef, PackedFinding};
use crate::insights::trades::Trade;

/// A quote of a topic reads best with so many code points.
const QUOTE_MIN: u32 = 35;
/// The longest such quote, in code points; [`QUOTE_MIN`] is the shortest.
const QUOTE_MAX: u32 = 120;
/// An aspect goes with a topic if so many sentences have both, ...
const JOINT_MIN: usize = 2;
/// ... and one in so many of those looked at.
const JOINT_PART: usize = 4;

/// The aspects of these marks, a bit for each.
pub fn judged<'a>(findings: impl IntoIterator<Item = &'a PackedFinding>) -> u64 {
    findings.into_iter().fold(0, |judged, finding| {
        judged | 1_u64.checked_shl(finding.aspect.into()).unwrap_or(0)
    })
}

/// The aspect that is judged most often in the sentences with those words, in the newest reviews
/// that have them; at least twice, and in a quarter of them.
pub fn aspect_of(sentences: &[TopicSentence], trade: &Trade) -> Option<usize> {
    let count = |aspect: usize| {
        sentences
            .iter()
            .filter(|found| found.judged >> aspect & 1 == 1)
            .count()
    };
    let aspects = (0..trade.aspects.len().min(ASPECTS_MAX))
        .filter(|aspect| trade.aspects[*aspect].id != OVERALL);
    let best = aspects
        .map(|aspect| (count(aspect), aspect))
        .max_by_key(|(count, aspect)| (*count, std::cmp::Reverse(*aspect)));
    best.filter(|(count, _)| *count >= JOINT_MIN && count * JOINT_PART >= sentences.len())
        .map(|(_, aspect)| aspect)
}

/// A sentence with the words of a topic.
pub struct TopicSentence {
    /// The aspects that it judges.
    judged: u64,
    /// How good a quote it is; more is better.
    pub quote_rank: u32,
    /// The sentence as a quote; `None` where it is too long.
    pub quote: Option<Quote>,
}

/// The first sentence with those words.
pub fn find(
    opened: &Opened,
    packed_analysis: PackedAnalysisRef<'_>,
    words: &[String],
) -> Option<TopicSentence> {
    let text = &opened.text;
    let has = |tokens: &Range<usize>| {
        tokens.clone().any(|at| {
            words
                .iter()
                .enumerate()
                .all(|(step, word)| at + step < tokens.end && text.word(at + step) == word)
        })
    };
    let (sentence, tokens) = (0..)
        .zip(text.sentences())
        .find(|(_, tokens)| has(tokens))?;
    let span = text.span(tokens.clone());
    let findings = || {
        packed_analysis
            .findings
            .iter()
            .filter(move |finding| u32::from(finding.sentence) == sentence)
    };
    let judged = judged(findings());
    let says = |polarity| findings().any(|finding| finding.polarity == polarity);
    let vote = Vote::fold(
        says(Polarity::Positive),
        says(Polarity::Negative),
        says(Polarity::Uncertain),
    );
    let length = span.end - span.start;
    let quote_rank = u32::from(judged > 0) + u32::from((QUOTE_MIN..=QUOTE_MAX).contains(&length));
    let quote = if length > SENTENCE_MAX {
        None
    } else {
        Quote::new(opened, sentence, span, vote)
    };
    Some(TopicSentence {
        judged,
        quote_rank,
        quote,
    })
}
