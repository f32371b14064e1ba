//! The sentences that have a topic's words: which aspect they judge, and which of them to quote.

use std::ops::{Range, RangeInclusive};

use super::count::ASPECTS_MAX;
use super::figures::Vote;
use super::quotes::{Opened, fits_stars};
use crate::insights::analysis::Polarity;
use crate::insights::packed_analysis::{Backing, PackedAnalysisRef, PackedFinding};
use crate::insights::trades::Trade;

/// A quote of a topic reads best with so many code points.
const BEST_LENGTH: RangeInclusive<u32> = 35..=120;
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

/// The aspect that both witnesses find judged most often in the sentences with those words, in the newest reviews that have
/// them; at least twice, and in a quarter of them.
pub fn aspect_of(sentences: &[TopicSentence], trade: &Trade) -> Option<usize> {
    let count = |aspect: usize| {
        sentences
            .iter()
            .filter(|found| found.judged >> aspect & 1 == 1)
            .count()
    };
    let aspects =
        (0..trade.aspects.len().min(ASPECTS_MAX)).filter(|aspect| trade.overall != Some(*aspect));
    let best = aspects
        .map(|aspect| (count(aspect), aspect))
        .max_by_key(|(count, aspect)| (*count, std::cmp::Reverse(*aspect)));
    best.filter(|(count, _)| *count >= JOINT_MIN && count * JOINT_PART >= sentences.len())
        .map(|(_, aspect)| aspect)
}

/// A sentence with the words of a topic.
#[derive(Debug, Clone, Copy)]
pub struct TopicSentence {
    /// The place of its review in the order of all.
    pub position: u32,
    /// Which sentence of that review, counted from 0.
    pub sentence: u16,
    /// The aspects of which both witnesses say the same there.
    judged: u64,
    /// How these speak; `None` where the sentence cannot be quoted.
    pub vote: Option<Vote>,
    /// How good a quote it is; more is better.
    rank: u32,
}

impl TopicSentence {
    /// How good a quote it is for a topic of that aspect; `None` where it is about another one.
    pub fn rank(&self, aspect: Option<usize>) -> Option<u32> {
        let is_about_it = aspect.is_none_or(|aspect| self.judged >> aspect & 1 == 1);
        (is_about_it && self.vote.is_some()).then_some(self.rank)
    }
}

/// The first sentence with those words.
pub fn find(
    opened: &Opened,
    (position, packed_analysis): (u32, PackedAnalysisRef<'_>),
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
        let findings = packed_analysis.findings.iter();
        findings.filter(move |finding| finding.sentence == sentence)
    };
    let shown = || findings().filter(|finding| finding.backing == Backing::Both);
    let judged = judged(shown());
    let says = |polarity| findings().any(|finding| finding.polarity == polarity);
    let vote = Vote::fold(
        says(Polarity::Positive),
        says(Polarity::Negative),
        says(Polarity::Uncertain),
    );
    let head = packed_analysis.head;
    let can_be_shown = shown().any(|finding| finding.is_quotable)
        && shown().all(|finding| fits_stars(finding.polarity, head.stars))
        && vote != Vote::Uncertain;
    let is_typical = vote == Vote::from(head.overall);
    Some(TopicSentence {
        position,
        sentence,
        judged,
        vote: can_be_shown.then_some(vote),
        rank: 2 * u32::from(is_typical) + u32::from(BEST_LENGTH.contains(&(span.end - span.start))),
    })
}
