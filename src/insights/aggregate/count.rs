//! Counts all compact analyses in one pass, newest first, without allocating for each analysis.

use chrono::{Datelike, NaiveDate};

use super::input::{AggregateInput, Roster};
use super::quotes::{Shortlist, quote_rank};
use crate::insights::analysis::{Polarity, TextLanguage};
use crate::insights::compact_analysis::{
    CompactAnalysis, CompactFinding, CompactName, MASKED_FINDINGS_MAX, WitnessCount, bits,
};
use crate::model::{MentionKind, Review, ReviewVote, Vote, VoteCounts};
use crate::wire::{Excluded, GeneratedFrom, LowRated, SettledFindings, Window};

const YEAR: i32 = 12;
/// Minimum number of reviews with a judgement for an aspect that only the classifier judges.
const UNRULED_MIN: u32 = 3;

/// Counts of one aspect or entity.
#[derive(Debug, Clone, Default)]
pub struct OpinionCounts {
    /// Number of reviews by vote.
    pub votes: VoteCounts,
    /// Number of times that texts judge or name it.
    pub mentions: u32,
    /// Number of times that texts name it ambiguously.
    pub ambiguous: u32,
    /// Number of reviews in which rules judge it, alone or with the classifier; only counted for aspects.
    pub ruled: u32,
    /// Quotable sentences: praise first, then blame.
    pub quotes: [Shortlist; 2],
}

impl OpinionCounts {
    /// Whether a review mentions it, and rules judge it, or enough reviews do if it is the classifier alone.
    pub const fn is_shown(&self) -> bool {
        let judged = self.votes.judged();
        self.votes.reviews() > 0 && (self.ruled > 0 || judged == 0 || judged >= UNRULED_MIN)
    }
}

#[derive(Debug, Clone)]
pub struct Month {
    /// Year times twelve, plus the month from 0.
    pub number: i32,
    /// The number of its first day.
    pub begins: i32,
    /// The votes on each aspect, followed by the votes on each entity.
    pub cells: Vec<VoteCounts>,
}

/// Figures about the reviews from which the insights were made.
#[derive(Debug, Clone, Default)]
pub struct Corpus {
    /// Number of reviews.
    pub reviews: u32,
    /// Number of reviews that are not analysed yet.
    pub unanalyzed: u32,
    /// Number of analysed reviews with a text.
    pub with_text: u32,
    /// Texts in a supported language.
    pub analysed: u32,
    /// Texts in another language.
    pub foreign: u32,
    /// Number of analysed texts by their polarity as a whole.
    pub overall: VoteCounts,
    /// The judgements that the stars withdrew.
    pub withdrawn: SettledFindings,
    /// The findings that the stars confirmed.
    pub confirmed: SettledFindings,
    pub low_rated: LowRated,
    /// The days of the oldest and of the newest review ([`crate::model::Day::number`]).
    pub window: Option<(i32, i32)>,
}

impl Corpus {
    pub fn generated_from(&self) -> GeneratedFrom {
        let excluded = [
            ("not_read_yet", self.unanalyzed),
            ("no_text", self.reviews - self.unanalyzed - self.with_text),
            ("no_words", self.with_text - self.analysed - self.foreign),
            ("not_english", self.foreign),
        ];
        let excluded = excluded
            .into_iter()
            .filter(|(_, n)| *n > 0)
            .map(|(reason, n)| Excluded {
                reason: reason.to_owned(),
                n,
            });
        let day = NaiveDate::from_num_days_from_ce_opt;
        let window = self.window.and_then(|(from, to)| {
            Some(Window {
                from: day(from)?,
                to: day(to)?,
            })
        });
        GeneratedFrom {
            reviews: self.reviews,
            with_text: self.with_text,
            analysed: self.analysed,
            excluded: excluded.collect(),
            window,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Counted {
    pub corpus: Corpus,
    /// Sentences of analysed texts.
    pub sentences: u32,
    /// Counts of the aspects in the trade's order.
    pub aspects: Vec<OpinionCounts>,
    /// Counts of the entities in the roster's order.
    pub entities: Vec<OpinionCounts>,
    /// Number of reviews that name an entity and judge an aspect: a row of aspects for each entity.
    pub joint: Vec<u32>,
    /// Months with reviews, newest first.
    pub months: Vec<Month>,
}

impl Counted {
    pub fn new(sources: &AggregateInput<'_>, roster: &Roster) -> Self {
        let aspects = sources.trade.aspects.len();
        let entities = roster.entries.len();
        let unanalyzed = u32::try_from(sources.unanalyzed).unwrap_or(u32::MAX);
        let mut counted = Self {
            corpus: Corpus {
                reviews: unanalyzed,
                unanalyzed,
                ..Corpus::default()
            },
            sentences: 0,
            aspects: vec![OpinionCounts::default(); aspects],
            entities: vec![OpinionCounts::default(); entities],
            joint: vec![0; aspects * entities],
            months: Vec::new(),
        };
        for (position, (review, compact_analysis)) in (0..).zip(sources.analyses) {
            counted.count(position, review, compact_analysis, roster);
        }
        counted
    }

    fn count(
        &mut self,
        position: u32,
        review: &Review,
        compact_analysis: &CompactAnalysis,
        roster: &Roster,
    ) {
        let (day, corpus) = (review.date.number(), &mut self.corpus);
        let (language, sentences) = (compact_analysis.language, compact_analysis.sentences);
        corpus.window.get_or_insert((day, day)).0 = day;
        corpus.reviews += 1;
        corpus.with_text += u32::from(sentences > 0 || language != TextLanguage::None);
        corpus.foreign += u32::from(language == TextLanguage::Other);
        let mut overall = Vote::Neutral;
        if language.is_read() {
            overall = Vote::from(compact_analysis.overall);
            corpus.analysed += 1;
            self.sentences += u32::from(sentences);
            corpus.overall.count(overall);
            if Polarity::of_stars(review.rating.stars()) == Some(Polarity::Negative) {
                corpus.low_rated.reviews += 1;
                corpus.low_rated.not_negative += u32::from(overall != Vote::Negative);
            }
        }
        for (backing, settled) in [
            (WitnessCount::Withdrawn, &mut corpus.withdrawn),
            (WitnessCount::Confirmed, &mut corpus.confirmed),
        ] {
            let findings = compact_analysis
                .findings
                .iter()
                .filter(|finding| finding.backing == backing)
                .count();
            settled.findings += u32::try_from(findings).unwrap_or(u32::MAX);
            settled.reviews += u32::from(findings > 0);
        }
        self.turn_to_month_of(day);
        let judged = self.count_aspects(position, review, compact_analysis);
        self.count_names(position, compact_analysis, roster, &judged, overall);
    }

    fn turn_to_month_of(&mut self, day: i32) {
        if self.months.last().is_some_and(|month| day >= month.begins) {
            return;
        }
        let Some(date) = NaiveDate::from_num_days_from_ce_opt(day) else {
            return;
        };
        let cells = self.aspects.len() + self.entities.len();
        self.months.push(Month {
            number: date.year() * YEAR + date.month0().cast_signed(),
            begins: day - date.day0().cast_signed(),
            cells: vec![VoteCounts::default(); cells],
        });
    }

    fn count_aspects(
        &mut self,
        position: u32,
        review: &Review,
        compact_analysis: &CompactAnalysis,
    ) -> Judged {
        let newest = self.corpus.window.map_or(0, |(_, newest)| newest);
        let mut judged = Judged::default();
        for (number, finding) in compact_analysis.findings.iter().enumerate() {
            let Some(opinion_counts) = self.aspects.get_mut(usize::from(finding.aspect)) else {
                continue;
            };
            judged.aspects |= 1 << finding.aspect;
            opinion_counts.mentions += 1;
            let is_ruled = finding.polarity.judges()
                && matches!(finding.backing, WitnessCount::Rule | WitnessCount::Both);
            judged.ruled |= u64::from(is_ruled) << finding.aspect;
            if let Some(list) = opinion_counts.quotes.get_mut(finding.polarity as usize) {
                let quote_rank = quote_rank(*finding, review, compact_analysis, newest);
                if let Some(kept) = judged.quote_ranks.get_mut(number) {
                    *kept = quote_rank;
                }
                if let Some(quote_rank) = quote_rank {
                    list.offer(position, quote_rank, *finding);
                }
            }
        }
        if let Some(month) = self.months.last_mut() {
            for aspect in bits(judged.aspects) {
                let findings = compact_analysis.findings.iter();
                let about_it = findings.filter(|finding| usize::from(finding.aspect) == aspect);
                if let Some(review) = review_vote(about_it) {
                    self.aspects[aspect].votes.count_review(review);
                    self.aspects[aspect].ruled += u32::from(judged.ruled >> aspect & 1 == 1);
                    month.cells[aspect].count_review(review);
                }
            }
        }
        judged
    }

    fn count_names(
        &mut self,
        position: u32,
        compact_analysis: &CompactAnalysis,
        roster: &Roster,
        judged: &Judged,
        overall: Vote,
    ) {
        let aspects = self.aspects.len();
        for name in &compact_analysis.names {
            let Some(entity) = roster.find(name.key) else {
                continue;
            };
            let opinion_counts = &mut self.entities[entity];
            opinion_counts.ambiguous += u32::from(name.ambiguous);
            if !name.is_linked {
                continue;
            }
            opinion_counts.mentions += u32::from(name.mentions);
            let is_person = name.kind == MentionKind::Technician;
            let about_it = compact_analysis
                .masked(name.finding_mask)
                .filter(|finding| usize::from(finding.aspect) < aspects);
            let mut review = review_vote(about_it).unwrap_or(ReviewVote {
                vote: Vote::Neutral,
                confirmed: None,
            });
            // A service or place gets the polarity of the review as a whole; a person only gets the judgements about
            // them.
            if review.vote == Vote::Neutral && !is_person {
                review.vote = overall;
            }
            opinion_counts.votes.count_review(review);
            let findings = findings_of(name, compact_analysis);
            let ranked = (0..)
                .zip(&compact_analysis.findings)
                .zip(judged.quote_ranks);
            for ((number, finding), quote_rank) in ranked {
                // A sentence about a person is not quoted as praise or blame if the review as a whole contradicts it.
                let is_fit = findings >> number & 1_u32 == 1
                    && (!is_person || finding.polarity == compact_analysis.overall);
                if let Some(list) = opinion_counts.quotes.get_mut(finding.polarity as usize)
                    && let Some(quote_rank) = quote_rank.filter(|_| is_fit)
                {
                    list.offer(position, quote_rank, *finding);
                }
            }
            if let Some(month) = self.months.last_mut() {
                month.cells[aspects + entity].count_review(review);
            }
            let joint = &mut self.joint[entity * aspects..][..aspects];
            bits(judged.aspects).for_each(|aspect| joint[aspect] += 1);
        }
    }
}

/// The judgements in one compact analysis.
#[derive(Default)]
struct Judged {
    /// A bit for each judged aspect.
    aspects: u64,
    /// A bit for each aspect that rules judge.
    ruled: u64,
    /// The rank of each finding's sentence as a quote, if it can be quoted.
    quote_ranks: [Option<u32>; MASKED_FINDINGS_MAX],
}

/// The quotable findings about `name`: those about it and no other name of its kind.
fn findings_of(name: &CompactName, compact_analysis: &CompactAnalysis) -> u32 {
    let others = compact_analysis
        .names
        .iter()
        .filter(|other| other.kind == name.kind && other.key != name.key);
    others.fold(name.finding_mask, |mask, other| mask & !other.finding_mask)
}

/// The vote of a review with these findings; `None` without findings.
pub fn review_vote<'a>(findings: impl Iterator<Item = &'a CompactFinding>) -> Option<ReviewVote> {
    let (mut says, mut confirmed) = ([false; 4], None);
    for finding in findings {
        says[finding.polarity_of_text() as usize] = true;
        if finding.backing == WitnessCount::Confirmed {
            confirmed = Some(finding.polarity.into());
        }
    }
    // In the order of the variants of `Polarity`.
    let [praises, blames, _, is_open] = says;
    let vote = Vote::fold(praises, blames, is_open);
    says.contains(&true).then_some(ReviewVote {
        vote,
        confirmed: confirmed.filter(|_| vote == Vote::Uncertain),
    })
}

/// A review's vote on an aspect; `None` if it does not mention it.
pub fn vote_of(compact_analysis: &CompactAnalysis, aspect: u8) -> Option<ReviewVote> {
    let findings = compact_analysis.findings.iter();
    review_vote(findings.filter(|finding| finding.aspect == aspect))
}
