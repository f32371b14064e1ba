//! The part of each analysis that is counted. The analyses of all published reviews are in memory, so this part is small.

use super::analysis::{Analysis, Hit, Polarity, Sentence, TextLanguage, WITHDRAWN, witness};
use super::quotable::{is_quotable, is_stated};
use super::rules::Trade;
use crate::model::{FNV_OFFSET, MentionKind, Review, Vote, fnv1a};
use crate::wire::Witness;

/// Minimum confidence of a finding that is quoted: of those with 85, one in six was quoted wrongly.
pub const QUOTE_CONFIDENCE_MIN: u8 = 90;
/// Maximum length of a short sentence in code points.
const SHORT_CHARACTERS: u32 = 110;
/// Maximum number of findings of one text to which the masks of a name can refer.
pub const MASKED_FINDINGS_MAX: usize = u32::BITS as usize;

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
pub struct CompactFinding {
    /// Index of its aspect in the trade.
    pub aspect: u8,
    pub polarity: Polarity,
    /// Source of the judgement.
    pub source: FindingSource,
    /// Whether its sentence can be shown by itself.
    pub is_quotable: bool,
    /// Whether its sentence is short: a long one often says something else, too.
    pub is_short: bool,
    /// Sentence number, from 0, limited to the maximum of the type.
    pub sentence: u16,
    /// Percentage of similar cases that were right.
    pub confidence: u8,
}

/// The source of a finding, which determines whether it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingSource {
    /// Only the rules; such a finding is counted, but not shown.
    Rule,
    /// Only the classifier; such a finding is counted, but not shown, too.
    Classifier,
    /// Both the rules and the classifier.
    Both,
    /// The stars withdrew the judgement: it is uncertain.
    Withdrawn,
}

impl FindingSource {
    fn of(hits: &[Hit]) -> Self {
        // The stars come last.
        match hits.last().map(|hit| &*hit.rule) {
            Some(WITHDRAWN) => Self::Withdrawn,
            _ => match witness(hits) {
                Witness::Both => Self::Both,
                Witness::Rule => Self::Rule,
                Witness::Classifier => Self::Classifier,
            },
        }
    }
}

/// An entity that a review names or possibly names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactName {
    /// [`name_key`] of the value.
    pub key: u64,
    /// The findings about the entity: bit 0 is the first finding.
    pub finding_mask: u32,
    /// The findings in a sentence that names the entity unambiguously; of a person also in the next sentence.
    pub near_mask: u32,
    /// What the parts of sentences with the name say: a bit for each [`Polarity`].
    says: u8,
    pub kind: MentionKind,
    /// Whether the review names the entity unambiguously, as a recorded mention or in the text.
    pub is_linked: bool,
    /// Number of times that the text names it unambiguously; 0 if it is only recorded.
    pub mentions: u8,
    /// Number of times that the text names it ambiguously.
    pub ambiguous: u8,
}

impl CompactName {
    /// The vote of the review on a service or place: what the parts of sentences with its name say.
    pub fn vote(&self) -> Vote {
        let says = |polarity: Polarity| self.says >> polarity as u8 & 1 == 1;
        let (is_praised, is_blamed) = (says(Polarity::Positive), says(Polarity::Negative));
        Vote::fold(is_praised, is_blamed, says(Polarity::Uncertain))
    }

    /// Adds the counts of another spelling of the same entity.
    fn join(&mut self, other: Self) {
        self.finding_mask |= other.finding_mask;
        self.near_mask |= other.near_mask;
        self.says |= other.says;
        self.is_linked |= other.is_linked;
        self.mentions = self.mentions.saturating_add(other.mentions);
        self.ambiguous = self.ambiguous.saturating_add(other.ambiguous);
    }
}

impl CompactAnalysis {
    /// The name with that key, if the review names it or possibly names it.
    pub fn name(&self, kind: MentionKind, key: u64) -> Option<&CompactName> {
        let mut names = self.names.iter();
        names.find(|name| name.kind == kind && name.key == key)
    }

    /// The findings in the mask of a name.
    pub fn masked(&self, mask: u32) -> impl Iterator<Item = &CompactFinding> {
        bits(mask.into()).filter_map(move |number| self.findings.get(number))
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
        let is_quotable = |Sentence { span, .. }: &Sentence| {
            let place = |at: u32| places.get(at as usize).copied();
            (place(span.start).zip(place(span.end)))
                .is_some_and(|(start, end)| is_quotable(text, start..end))
        };
        let quotable: Vec<bool> = analysis.sentences.iter().map(is_quotable).collect();
        let findings: Box<[CompactFinding]> = analysis
            .findings
            .iter()
            .filter_map(|finding| {
                Some(CompactFinding {
                    aspect: u8::try_from(trade.aspect(&finding.aspect)?).ok()?,
                    polarity: finding.polarity,
                    source: FindingSource::of(&finding.hits),
                    is_quotable: quotable.get(finding.sentence as usize) == Some(&true)
                        && finding.confidence >= QUOTE_CONFIDENCE_MIN
                        && is_stated(finding),
                    is_short: (analysis.sentences.get(finding.sentence as usize))
                        .is_some_and(|one| one.span.end - one.span.start <= SHORT_CHARACTERS),
                    sentence: u16::try_from(finding.sentence).unwrap_or(u16::MAX),
                    confidence: finding.confidence,
                })
            })
            .collect();
        Self {
            language: analysis.language,
            overall: analysis.overall.0,
            sentences: analysis.sentences.iter().map(|one| one.polarity).collect(),
            names: names(analysis, review, &findings, trade.overall),
            findings,
        }
    }
}

/// The recorded names and the names in the text, joined.
fn names(
    analysis: &Analysis,
    review: &Review,
    findings: &[CompactFinding],
    overall: Option<usize>,
) -> Box<[CompactName]> {
    let name = |kind: MentionKind, value: &str, is_linked: bool| CompactName {
        key: name_key(kind, value),
        finding_mask: 0,
        near_mask: 0,
        says: 0,
        kind,
        is_linked,
        mentions: 0,
        ambiguous: 0,
    };
    let recorded = &review.mentions;
    let recorded = [
        (MentionKind::Technician, &recorded.technicians),
        (MentionKind::Service, &recorded.services),
        (MentionKind::ServiceArea, &recorded.service_areas),
    ];
    let recorded = recorded
        .into_iter()
        .flat_map(|(kind, values)| values.iter().map(move |value| name(kind, value, true)));
    let mentioned = analysis.mentions.iter().flat_map(|mention| {
        let is_linked = mention.link().is_some();
        let mask = move |last| {
            let first = mention.sentence;
            if is_linked {
                finding_mask(findings, first, last, overall)
            } else {
                0
            }
        };
        mention.candidates.iter().map(move |value| CompactName {
            finding_mask: mask(mention.through),
            near_mask: mask(match mention.kind {
                MentionKind::Technician => mention.sentence + 1,
                MentionKind::Service | MentionKind::ServiceArea => mention.sentence,
            }),
            says: u8::from(is_linked) << mention.polarity as u8,
            mentions: u8::from(is_linked),
            ambiguous: u8::from(!is_linked),
            ..name(mention.kind, value, is_linked)
        })
    });
    joined(recorded.chain(mentioned))
}

/// These names by kind, then by key, each once.
fn joined(names: impl Iterator<Item = CompactName>) -> Box<[CompactName]> {
    let mut joined: Vec<CompactName> = Vec::new();
    for name in names {
        match joined
            .iter_mut()
            .find(|other| (other.kind, other.key) == (name.kind, name.key))
        {
            Some(other) => other.join(name),
            None => joined.push(name),
        }
    }
    joined.sort_unstable_by_key(|name| (name.kind, name.key));
    joined.into()
}

/// The findings of the sentences from `first` through `last`, but for complaints without an aspect, which stand in no vote.
fn finding_mask(findings: &[CompactFinding], first: u32, last: u32, overall: Option<usize>) -> u32 {
    let is_open = |finding: &CompactFinding| {
        overall == Some(finding.aspect.into()) && finding.source == FindingSource::Classifier
    };
    let within = |finding: &CompactFinding| {
        (first..=last).contains(&u32::from(finding.sentence)) && !is_open(finding)
    };
    (0..)
        .zip(findings.iter().take(MASKED_FINDINGS_MAX))
        .filter(|(_, finding)| within(finding))
        .fold(0, |finding_mask, (at, _): (u32, _)| finding_mask | 1 << at)
}

/// The indices of set bits, ascending.
pub fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        bit
    })
}

/// The key of a value in compact analyses.
pub fn name_key(kind: MentionKind, value: &str) -> u64 {
    let hash = |text: &str| fnv1a(FNV_OFFSET, text.as_bytes());
    hash(kind.name()) ^ hash(value).rotate_left(1)
}

/// The vote of a review with these findings; `None` without findings.
pub fn review_vote<'a>(findings: impl Iterator<Item = &'a CompactFinding>) -> Option<Vote> {
    let mut says = [false; 4];
    for finding in findings {
        says[finding.polarity as usize] = true;
    }
    // In the order of the variants of `Polarity`.
    let [praises, blames, _, is_open] = says;
    let vote = Vote::fold(praises, blames, is_open);
    says.contains(&true).then_some(vote)
}

/// A review's vote on an aspect; `None` if it does not mention it.
pub fn vote_of(analysis: &CompactAnalysis, aspect: u8) -> Option<Vote> {
    let findings = analysis.findings.iter();
    review_vote(findings.filter(|finding| finding.aspect == aspect))
}
