//! Counts all packed analyses in one pass, newest first, without allocating for each analysis.

use chrono::{Datelike, NaiveDate};

use super::Corpus;
use super::figures::{ReviewVote, Vote, VoteCounts, at};
use super::quotes::{Shortlist, quote_rank};
use super::roster::Roster;
use crate::insights::analysis::{MentionKind, TextLanguage};
use crate::insights::packed_analysis::{
    PackedAnalyses, PackedAnalysisRef, PackedName, WitnessCount,
};
use crate::insights::witness::DISCONTENT_MAX;

/// Each aspect is one bit of a mask.
pub const ASPECTS_MAX: usize = 64;
const YEAR: i32 = 12;

/// Counts of one aspect or entity.
#[derive(Debug, Clone, Default)]
pub struct OpinionCounts {
    /// Number of reviews by vote.
    pub votes: VoteCounts,
    /// Number of times that texts judge or name it.
    pub mentions: u32,
    /// Number of times that texts name it ambiguously.
    pub ambiguous: u32,
    /// Quotable sentences: praise first, then blame.
    pub quotes: [Shortlist; 2],
}

#[derive(Debug, Clone)]
pub struct Month {
    /// Year times twelve, plus the month from 0.
    pub number: i32,
    /// The votes on each aspect, followed by the votes on each entity.
    pub cells: Vec<VoteCounts>,
}

#[derive(Debug, Clone)]
pub struct Counted {
    /// Without the reviews that are not analysed yet.
    pub corpus: Corpus,
    /// Sentences of analysed texts.
    pub sentences: u32,
    /// Counts of the aspects in the trade's order; at most `ASPECTS_MAX`.
    pub aspects: Vec<OpinionCounts>,
    /// Counts of the entities in the roster's order.
    pub entities: Vec<OpinionCounts>,
    /// Number of reviews that name an entity and judge an aspect: a row of aspects for each entity.
    pub joint: Vec<u32>,
    /// Months with reviews, newest first.
    pub months: Vec<Month>,
}

impl Counted {
    /// Counts `segments`, newest first; `aspects` is the number of the trade's aspects.
    #[must_use]
    pub fn new(segments: &[&PackedAnalyses], aspects: usize, roster: &Roster) -> Self {
        let (aspects, entities) = (aspects.min(ASPECTS_MAX), roster.entries().len());
        let newest = segments
            .iter()
            .find(|segment| !segment.is_empty())
            .map(|segment| segment.get(0).head.day);
        let oldest = segments
            .iter()
            .rev()
            .find_map(|segment| Some(segment.get(segment.len().checked_sub(1)?).head.day));
        let mut counted = Self {
            corpus: Corpus {
                window: oldest.zip(newest),
                ..Corpus::default()
            },
            sentences: 0,
            aspects: vec![OpinionCounts::default(); aspects],
            entities: vec![OpinionCounts::default(); entities],
            joint: vec![0; aspects * entities],
            months: Vec::new(),
        };
        let mut pass = CountingPass {
            roster,
            newest: newest.unwrap_or_default(),
            month_begins: i32::MAX,
            position: 0,
        };
        for packed_analysis in segments.iter().flat_map(|segment| segment.iter()) {
            pass.count(&mut counted, packed_analysis);
        }
        counted
    }
}

/// State of the pass.
struct CountingPass<'a> {
    roster: &'a Roster,
    newest: i32,
    /// First day of the last month counted.
    month_begins: i32,
    position: u32,
}

/// The findings of one packed analysis as bit masks.
#[derive(Default)]
struct Masks {
    /// Aspects by polarity, in the order of [`at`].
    aspects: [u64; 4],
    /// Findings by polarity, in the order of [`at`].
    findings: [u32; 4],
    /// The aspects and findings that the text judges without the help of the stars.
    text_judges: (u64, u32),
    /// The rank of each finding's sentence as a quote, if it can be quoted.
    quote_rank: [Option<u32>; u32::BITS as usize],
}

impl CountingPass<'_> {
    fn count(&mut self, counted: &mut Counted, packed_analysis: PackedAnalysisRef<'_>) {
        let head = packed_analysis.head;
        counted.corpus.reviews += 1;
        counted.corpus.with_text +=
            u32::from(head.sentences > 0 || head.language != TextLanguage::None);
        counted.corpus.foreign += u32::from(head.language == TextLanguage::Other);
        let is_analysed = head.language.is_read();
        let overall = if is_analysed {
            Vote::from(head.overall)
        } else {
            Vote::Neutral
        };
        if is_analysed {
            counted.corpus.analysed += 1;
            counted.sentences += u32::from(head.sentences);
            counted.corpus.overall.count(overall);
            if head.stars <= DISCONTENT_MAX {
                counted.corpus.discontent.0 += 1;
                counted.corpus.discontent.1 += u32::from(overall != Vote::Negative);
            }
        }
        self.turn_to_month_of(counted, head.day);
        let judged = self.judgements(counted, packed_analysis);
        self.names(counted, packed_analysis, &judged, overall);
        self.position += 1;
    }

    fn turn_to_month_of(&mut self, counted: &mut Counted, day: i32) {
        if day >= self.month_begins {
            return;
        }
        let Some(date) = NaiveDate::from_num_days_from_ce_opt(day) else {
            return;
        };
        self.month_begins = day - date.day0().cast_signed();
        let number = date.year() * YEAR + date.month0().cast_signed();
        counted.months.push(Month {
            number,
            cells: vec![VoteCounts::default(); counted.aspects.len() + counted.entities.len()],
        });
    }

    /// Counts the aspects of a packed analysis; returns its findings as masks.
    fn judgements(&self, counted: &mut Counted, packed_analysis: PackedAnalysisRef<'_>) -> Masks {
        let mut masks = Masks::default();
        for (number, finding) in (0_u32..).zip(packed_analysis.findings) {
            let Some(opinion_counts) = counted.aspects.get_mut(usize::from(finding.aspect)) else {
                continue;
            };
            let polarity = at(finding.polarity);
            masks.aspects[polarity] |= 1 << finding.aspect;
            masks.findings[polarity] |= 1_u32.checked_shl(number).unwrap_or(0);
            if finding.polarity_of_text().judges() {
                masks.text_judges.0 |= 1 << finding.aspect;
                masks.text_judges.1 |= 1_u32.checked_shl(number).unwrap_or(0);
            }
            opinion_counts.mentions += 1;
            if let Some(list) = opinion_counts.quotes.get_mut(polarity) {
                let age = self.newest - packed_analysis.head.day;
                let quote_rank = quote_rank(*finding, packed_analysis, age);
                if let Some(kept) = masks.quote_rank.get_mut(number as usize) {
                    *kept = quote_rank;
                }
                if let Some(quote_rank) = quote_rank {
                    list.offer(self.position, quote_rank, *finding);
                }
            }
        }
        for (backing, settled) in [
            (WitnessCount::Withdrawn, &mut counted.corpus.withdrawn),
            (WitnessCount::Confirmed, &mut counted.corpus.confirmed),
        ] {
            let findings = packed_analysis.findings.iter();
            let findings = findings
                .filter(|finding| finding.backing == backing)
                .count();
            settled.0 += u32::try_from(findings).unwrap_or(u32::MAX);
            settled.1 += u32::from(findings > 0);
        }
        let [praised, blamed, neutral, uncertain] = masks.aspects;
        let Some(month) = counted.months.last_mut() else {
            return masks;
        };
        for aspect in bits(praised | blamed | neutral | uncertain) {
            let holds = |mask: u64| mask >> aspect & 1 == 1;
            let vote = Vote::fold(holds(praised), holds(blamed), holds(uncertain));
            let review = ReviewVote {
                vote,
                is_confirmed: vote.judges() && !holds(masks.text_judges.0),
            };
            counted.aspects[aspect].votes.count_review(review);
            month.cells[aspect].count_review(review);
        }
        masks
    }

    fn names(
        &self,
        counted: &mut Counted,
        packed_analysis: PackedAnalysisRef<'_>,
        masks: &Masks,
        overall: Vote,
    ) {
        let aspects = counted.aspects.len();
        let judged = masks.aspects.iter().fold(0, |all, mask| all | mask);
        for name in packed_analysis.names {
            let Some(entity) = self.roster.find(name.key) else {
                continue;
            };
            let opinion_counts = &mut counted.entities[entity];
            opinion_counts.ambiguous += u32::from(name.ambiguous);
            if !name.is_linked {
                continue;
            }
            opinion_counts.mentions += u32::from(name.mentions);
            let is_person = name.kind == MentionKind::Technician;
            let [praised, blamed, _, uncertain] = masks
                .findings
                .map(|findings| findings & name.finding_mask != 0);
            // A service or place gets the polarity of the review as a whole; a person only gets the judgements about
            // them.
            let said = Vote::fold(praised, blamed, uncertain);
            let vote = if said == Vote::Neutral && !is_person {
                overall
            } else {
                said
            };
            let text_judges = masks.text_judges.1 & name.finding_mask != 0;
            let review = ReviewVote {
                vote,
                is_confirmed: said.judges() && !text_judges,
            };
            opinion_counts.votes.count_review(review);
            let told = findings_of(name, packed_analysis);
            let ranked = (0..).zip(packed_analysis.findings).zip(masks.quote_rank);
            for ((number, finding), quote_rank) in ranked {
                // A sentence about a person is not quoted as praise or blame if the review as a whole contradicts it.
                let is_fit = told >> number & 1_u32 == 1
                    && (!is_person || finding.polarity == packed_analysis.head.overall);
                if let Some(list) = opinion_counts.quotes.get_mut(at(finding.polarity))
                    && let Some(quote_rank) = quote_rank.filter(|_| is_fit)
                {
                    list.offer(self.position, quote_rank, *finding);
                }
            }
            if let Some(month) = counted.months.last_mut() {
                month.cells[aspects + entity].count_review(review);
            }
            let joint = &mut counted.joint[entity * aspects..][..aspects];
            bits(judged).for_each(|aspect| joint[aspect] += 1);
        }
    }
}

/// The quotable findings about `name`: findings about it and no other name of its kind; for a service or place,
/// findings in the sentence that names it or in the next one that continues about it.
fn findings_of(name: &PackedName, packed_analysis: PackedAnalysisRef<'_>) -> u32 {
    let own = match name.kind {
        MentionKind::Technician => name.finding_mask,
        MentionKind::Service | MentionKind::ServiceArea => name.finding_mask & name.near_mask,
    };
    let others = packed_analysis.names.iter();
    let others = others.filter(|other| other.kind == name.kind && other.key != name.key);
    others.fold(own, |mask, other| mask & !other.finding_mask)
}

/// A review's vote on an aspect; `None` if it does not mention it.
#[must_use]
pub fn vote_of(packed_analysis: PackedAnalysisRef<'_>, aspect: u8) -> Option<ReviewVote> {
    let findings = packed_analysis.findings.iter();
    ReviewVote::of(findings.filter(|finding| finding.aspect == aspect))
}

/// The votes of these reviews on each aspect.
pub fn votes_of<'a>(
    packed_analyses: impl Iterator<Item = PackedAnalysisRef<'a>>,
    aspects: usize,
) -> Vec<VoteCounts> {
    let mut votes = vec![VoteCounts::default(); aspects];
    for packed_analysis in packed_analyses {
        for (aspect, votes) in (0..).zip(&mut votes) {
            if let Some(vote) = vote_of(packed_analysis, aspect) {
                votes.count_review(vote);
            }
        }
    }
    votes
}

/// The indices of set bits, ascending.
pub fn bits(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (mask != 0).then(|| mask.trailing_zeros() as usize);
        mask &= mask.wrapping_sub(1);
        bit
    })
}
