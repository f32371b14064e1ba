//! The part of each analysis that is counted. The analyses of all published reviews are in memory, so this part is small.

use std::collections::BTreeMap;

use super::analysis::{Analysis, Polarity, Sentence, TextLanguage};
use super::quotable::{is_quotable, is_stated};
use super::rules::Trade;
use crate::model::{FNV_OFFSET, MentionKind, Review, Vote, fnv1a};
use crate::wire::Witness;

/// Minimum confidence of a finding that is quoted: of those with 85, one in six was quoted wrongly.
pub const QUOTE_CONFIDENCE_MIN: u8 = 90;
/// Maximum length of a short sentence in code points.
const SHORT_CHARACTERS: u32 = 110;

/// One review, ready to be counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactAnalysis {
    /// Whether it was analysed.
    pub language: TextLanguage,
    /// The polarity of the text as a whole.
    pub overall: Polarity,
    /// What each sentence says.
    pub sentences: Box<[Polarity]>,
    /// In the order of the text.
    pub findings: Box<[CompactFinding]>,
    /// Named entities, recorded or in the text: by kind, then by key, each once.
    pub names: Box<[CompactName]>,
}

/// A finding, without its reasons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says something else of the finding"
)]
pub struct CompactFinding {
    /// Index of its aspect in the trade.
    pub aspect: u8,
    pub polarity: Polarity,
    /// Whether rules judge, alone or with the classifier.
    pub is_ruled: bool,
    /// Whether rules and classifier agree, and the stars did not withdraw the judgement: only such a finding is shown.
    pub is_agreed: bool,
    /// Whether its sentence can be shown by itself.
    pub is_quotable: bool,
    /// Whether its sentence is short: a long one often says something else, too.
    pub is_short: bool,
    /// Sentence number, from 0, limited to the maximum of the type.
    pub sentence: u16,
    /// Percentage of similar cases that were right.
    pub confidence: u8,
}

/// An entity that a review names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactName {
    /// [`name_key`] of the value.
    pub key: u64,
    pub kind: MentionKind,
    /// What the parts of sentences with the name say.
    pub vote: Vote,
    /// The sentences that name it, ascending, as [`CompactFinding::sentence`]; none if it is only recorded.
    pub sentences: Box<[u16]>,
}

impl CompactName {
    /// Whether the sentence of a finding names it.
    pub fn is_in_sentence_of(&self, finding: &CompactFinding) -> bool {
        self.sentences.contains(&finding.sentence)
    }
}

impl CompactAnalysis {
    /// The name with that key, if the review names it.
    pub fn name(&self, kind: MentionKind, key: u64) -> Option<&CompactName> {
        let mut names = self.names.iter();
        names.find(|name| name.kind == kind && name.key == key)
    }

    /// Removes the names of the kinds that do not meet the condition.
    pub fn retain_names(&mut self, condition: impl Fn(MentionKind) -> bool) {
        let names = std::mem::take(&mut self.names).into_iter();
        self.names = names.filter(|name| condition(name.kind)).collect();
    }

    /// Shortens the `analysis` of a review. Findings of aspects that `trade` does not have are left out.
    pub fn new(analysis: &Analysis, review: &Review, trade: &Trade) -> Self {
        let text = &*review.text;
        let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let places: Vec<usize> = places.collect();
        let quotable = analysis.sentences.iter().map(|Sentence { span, .. }| {
            let [start, end] = [span.start, span.end].map(|at| places.get(at as usize));
            let range = start.zip(end);
            range.is_some_and(|(start, end)| is_quotable(text, *start..*end))
        });
        let quotable: Vec<bool> = quotable.collect();
        let findings = analysis.findings.iter();
        let findings = findings.filter_map(|finding| {
            Some(CompactFinding {
                aspect: u8::try_from(trade.aspect(&finding.aspect)?).ok()?,
                polarity: finding.polarity,
                is_ruled: finding.polarity.judges() && finding.witness != Witness::Classifier,
                is_agreed: finding.witness == Witness::Both && !finding.is_withdrawn(),
                is_quotable: quotable.get(finding.sentence as usize) == Some(&true)
                    && finding.confidence >= QUOTE_CONFIDENCE_MIN
                    && is_stated(finding),
                is_short: (analysis.sentences.get(finding.sentence as usize))
                    .is_some_and(|one| one.span.end - one.span.start <= SHORT_CHARACTERS),
                sentence: limited(finding.sentence),
                confidence: finding.confidence,
            })
        });
        Self {
            language: analysis.language,
            overall: analysis.overall.0,
            sentences: analysis.sentences.iter().map(|one| one.polarity).collect(),
            names: names(analysis, review),
            findings: findings.collect(),
        }
    }
}

/// The number of a sentence in compact analyses.
fn limited(sentence: u32) -> u16 {
    u16::try_from(sentence).unwrap_or(u16::MAX)
}

/// The recorded names and those in the text, each once.
fn names(analysis: &Analysis, review: &Review) -> Box<[CompactName]> {
    let mut names: BTreeMap<(MentionKind, u64), (Vote, Vec<u16>)> = BTreeMap::new();
    let unjudged = (Vote::Neutral, Vec::new());
    for (kind, value) in review.mentions.pairs() {
        names.insert((kind, name_key(kind, value)), unjudged.clone());
    }
    for mention in &analysis.mentions {
        let key = (mention.kind, name_key(mention.kind, &mention.name));
        let (vote, sentences) = names.entry(key).or_insert_with(|| unjudged.clone());
        *vote = vote.combine(mention.polarity.into());
        sentences.push(limited(mention.sentence));
    }
    let names = names.into_iter();
    let names = names.map(|((kind, key), (vote, sentences))| CompactName {
        key,
        kind,
        vote,
        sentences: sentences.into(),
    });
    names.collect()
}

/// The key of a value in compact analyses; spellings of one name have one, as in the index of searches.
pub fn name_key(kind: MentionKind, value: &str) -> u64 {
    let [kind, value] =
        [kind.name(), &kind.value_key(value)].map(|text| fnv1a(FNV_OFFSET, text.as_bytes()));
    kind ^ value.rotate_left(1)
}

/// The vote of a review with these findings; `None` without findings.
pub fn review_vote<'a>(findings: impl Iterator<Item = &'a CompactFinding>) -> Option<Vote> {
    let votes = findings.map(|finding| Vote::from(finding.polarity));
    votes.reduce(Vote::combine)
}

/// A review's vote on an aspect; `None` if it does not mention it.
pub fn vote_of(analysis: &CompactAnalysis, aspect: u8) -> Option<Vote> {
    let findings = analysis.findings.iter();
    review_vote(findings.filter(|finding| finding.aspect == aspect))
}
