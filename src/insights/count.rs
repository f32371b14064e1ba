//! Counts the compact analyses of all reviews in one pass, newest first: votes on aspects and names, and months. The best
//! sentences for quotes are collected on the way. A pure function: the same analyses in the same order give the same counts.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use chrono::Datelike as _;

use super::analysis::{Polarity, TextLanguage};
use super::compact::{CompactAnalysis, CompactFinding, QUOTE_CONFIDENCE_MIN, name_key, vote_of};
use super::rules::Trade;
use super::words::WordMap;
use crate::model::business::{Business, Editorial};
use crate::model::{ComparisonVerdict, MentionKind, Review, Vote, VoteCounts, round_to};
use crate::wire::{
    self, Excluded, GeneratedFrom, InsightTrend, LowRated, Temporal, VotesOfMonth, VotesOverTime,
};

/// Input of the aggregation.
pub struct AggregateInput<'a> {
    /// All analyzed reviews with their compact analyses, newest first.
    pub analyses: &'a [(&'a Review, &'a CompactAnalysis)],
    /// Number of reviews that have no compact analysis yet.
    pub unanalyzed: usize,
    /// The trade that defines the aspect numbers in the compact analyses.
    pub trade: &'a Trade,
    /// The business, with its technicians as they are published.
    pub business: &'a Business,
    /// Full names and aliases of the technicians, published or not; they never become topics.
    pub people: &'a [&'a str],
    /// The owner's own texts.
    pub editorial: &'a Editorial,
    /// Names in reviews, whether or not they are in the business's lists, sorted.
    pub mentioned: &'a BTreeSet<(MentionKind, &'a str)>,
}

/// A technician, service or place, with its votes.
#[derive(Debug, Clone)]
pub struct RosterEntry {
    pub kind: MentionKind,
    /// Id chosen by the owner; `None` for places and for names that are not in the business's lists.
    pub id: Option<String>,
    /// The name in the business's list, or as recorded in reviews.
    pub name: String,
    pub votes: VoteCounts,
}

/// All counted entities.
#[derive(Debug, Clone, Default)]
pub struct Roster {
    /// Technicians, then services, then places.
    pub entries: Vec<RosterEntry>,
    /// The number of each entity by its key.
    numbers: WordMap<usize>,
}

impl Roster {
    /// The business's technicians, services and places in its own order; each kind is followed by its other names in
    /// `mentioned`, in their order.
    fn new(business: &Business, mentioned: &BTreeSet<(MentionKind, &str)>) -> Self {
        let mut roster = Self::default();
        for kind in MentionKind::ALL {
            match kind {
                MentionKind::Technician => (business.technicians.iter())
                    .for_each(|one| roster.add(kind, Some(&one.id), &one.name, &one.name)),
                MentionKind::Service => (business.services.iter())
                    .for_each(|one| roster.add(kind, Some(&one.id), &one.name, &one.id)),
                MentionKind::ServiceArea => (business.service_areas.iter())
                    .for_each(|name| roster.add(kind, None, name, name)),
            }
            for (_, value) in mentioned
                .iter()
                .filter(|(mention_kind, _)| *mention_kind == kind)
            {
                roster.add(kind, None, value, value);
            }
        }
        roster
    }

    /// Adds an entity that is not yet in the roster; `value` is its value in mentions.
    fn add(&mut self, kind: MentionKind, id: Option<&String>, name: &str, value: &str) {
        self.numbers
            .entry(name_key(kind, value))
            .or_insert_with(|| {
                self.entries.push(RosterEntry {
                    kind,
                    id: id.cloned(),
                    name: name.to_owned(),
                    votes: VoteCounts::default(),
                });
                self.entries.len() - 1
            });
    }

    /// The number of the entity with that key.
    pub fn find(&self, key: u64) -> Option<usize> {
        self.numbers.get(&key).copied()
    }
}

/// Minimum number of reviews that name a person; below it, only their count is shown.
pub const PERSON_MIN: u32 = 3;

// The counts.

/// Minimum number of reviews with a judgement for an aspect that only the classifier judges.
const UNRULED_MIN: u32 = 3;

/// Counts of one aspect.
#[derive(Debug, Clone, Default)]
pub struct OpinionCounts {
    /// Number of reviews by vote.
    pub votes: VoteCounts,
    /// The newest reviews that judge it, at most [`EXAMPLES_SHOWN`], by their index, newest first.
    pub examples: Vec<u32>,
    /// Number of reviews in which rules judge it, alone or with the classifier.
    pub ruled: u32,
    /// Quotable sentences: praise first, then blame.
    pub quotes: [Vec<QuoteCandidate>; 2],
}

/// Maximum number of examples of reviews.
const EXAMPLES_SHOWN: usize = 3;

impl OpinionCounts {
    /// Whether rules judge it, or enough reviews do if it is the classifier alone.
    pub const fn is_shown(&self) -> bool {
        let judged = self.votes.judged();
        judged > 0 && (self.ruled > 0 || judged >= UNRULED_MIN)
    }
}

#[derive(Debug, Clone)]
pub struct Month {
    /// Year times twelve, plus the month from 0.
    pub number: i32,
    /// Number of its reviews, the sum of their stars, and how many have four or five.
    pub reviews: u32,
    pub stars: u32,
    pub good: u32,
    /// Its analysed texts by their polarity as a whole.
    pub overall: VoteCounts,
    /// The votes on each aspect.
    pub cells: Vec<VoteCounts>,
}

/// The counts of all reviews.
#[derive(Debug, Clone, Default)]
pub struct Counted {
    /// Number of reviews that are not analysed yet.
    unanalyzed: u32,
    /// Number of the others.
    analyzed: u32,
    /// Number of these with a text.
    pub with_text: u32,
    /// Texts in another language.
    pub foreign: u32,
    /// Number of analysed texts by their polarity as a whole.
    pub overall: VoteCounts,
    pub low_rated: LowRated,
    /// Counts of the shown aspects in the trade's order.
    pub aspects: Vec<OpinionCounts>,
    pub roster: Roster,
    /// Months with reviews, newest first.
    pub months: Vec<Month>,
}

impl Counted {
    pub fn new(sources: &AggregateInput<'_>) -> Self {
        let aspects = sources.trade.shown_aspects().len();
        let mut counted = Self {
            unanalyzed: u32::try_from(sources.unanalyzed).unwrap_or(u32::MAX),
            aspects: vec![OpinionCounts::default(); aspects],
            roster: Roster::new(sources.business, sources.mentioned),
            ..Self::default()
        };
        let newest = sources.analyses.first();
        let newest = newest.map_or(0, |(review, _)| review.date.number());
        for (position, (review, analysis)) in (0..).zip(sources.analyses) {
            counted.collect_quotes(position, review, analysis, newest);
            counted.count(position, review, analysis, sources.trade);
        }
        let aspects = counted.aspects.iter_mut();
        aspects.flat_map(|one| &mut one.quotes).for_each(keep_best);
        counted
    }

    /// Number of reviews.
    pub const fn reviews(&self) -> u32 {
        self.analyzed + self.unanalyzed
    }

    pub fn generated_from(&self) -> GeneratedFrom {
        let analysed = self.overall.reviews();
        let excluded = [
            ("not_read_yet", self.unanalyzed),
            ("no_text", self.analyzed - self.with_text),
            ("no_words", self.with_text - analysed - self.foreign),
            ("not_english", self.foreign),
        ];
        let excluded = excluded.into_iter().filter(|(_, n)| *n > 0);
        let excluded = excluded.map(|(reason, n)| Excluded {
            reason: reason.to_owned(),
            n,
        });
        GeneratedFrom {
            with_text: self.with_text,
            analysed,
            excluded: excluded.collect(),
        }
    }

    fn count(&mut self, position: u32, review: &Review, analysis: &CompactAnalysis, trade: &Trade) {
        let (language, stars) = (analysis.language, review.rating.stars());
        let has_sentences = !analysis.sentences.is_empty();
        let month = month_of(&mut self.months, review, self.aspects.len());
        month.reviews += 1;
        month.stars += u32::from(stars);
        month.good += u32::from(stars >= GOOD_STARS_MIN);
        self.analyzed += 1;
        self.with_text += u32::from(has_sentences || language != TextLanguage::None);
        self.foreign += u32::from(language == TextLanguage::Other);
        if language == TextLanguage::English {
            let overall = Vote::from(analysis.overall);
            month.overall.count(overall);
            self.overall.count(overall);
            if Polarity::of_stars(stars) == Some(Polarity::Negative) {
                self.low_rated.reviews += 1;
                let blame = analysis.findings.iter().filter(|finding| {
                    finding.polarity == Polarity::Negative
                        && usize::from(finding.aspect) == trade.overall()
                });
                let blame = u32::try_from(blame.count()).unwrap_or(u32::MAX);
                self.low_rated.without_aspect += blame;
            }
        }
        for (aspect, (counts, cell)) in (0..).zip(self.aspects.iter_mut().zip(&mut month.cells)) {
            let Some(vote) = vote_of(analysis, aspect) else {
                continue;
            };
            let mut findings = analysis.findings.iter();
            let is_ruled = findings.any(|one| one.aspect == aspect && one.is_ruled);
            counts.votes.count(vote);
            counts.ruled += u32::from(is_ruled);
            if vote.judges() && counts.examples.len() < EXAMPLES_SHOWN {
                counts.examples.push(position);
            }
            cell.count(vote);
        }
        for name in &analysis.names {
            if let Some(entity) = self.roster.find(name.key) {
                self.roster.entries[entity].votes.count(name.vote);
            }
        }
    }

    fn collect_quotes(
        &mut self,
        position: u32,
        review: &Review,
        analysis: &CompactAnalysis,
        newest: i32,
    ) {
        for finding in &analysis.findings {
            let counts = self.aspects.get_mut(usize::from(finding.aspect));
            let quotes = counts.map(|counts| &mut counts.quotes);
            if let Some(list) = quotes.and_then(|all| all.get_mut(finding.polarity as usize))
                && let Some(quote_rank) = quote_rank(*finding, review, analysis, newest)
            {
                list.push(QuoteCandidate {
                    quote_rank,
                    position,
                    finding: *finding,
                });
            }
        }
    }
}

/// The month of a review, which is the last one, or a new one with so many aspects.
fn month_of<'a>(months: &'a mut Vec<Month>, review: &Review, aspects: usize) -> &'a mut Month {
    let date = review.date.date();
    let number = date.year() * MONTHS + date.month0().cast_signed();
    if months.last().is_none_or(|month| number < month.number) {
        months.push(Month {
            number,
            reviews: 0,
            stars: 0,
            good: 0,
            overall: VoteCounts::default(),
            cells: vec![VoteCounts::default(); aspects],
        });
    }
    let last = months.len() - 1;
    &mut months[last]
}

// The best sentences for quotes, collected while counting.

/// Maximum number of candidates in a list.
const LISTED: usize = 12;
/// Maximum age of a recent review in days, relative to the newest review.
const RECENT_DAYS: i32 = 730;

/// A quotable finding.
#[derive(Debug, Clone, Copy)]
pub struct QuoteCandidate {
    /// Its quality as a quote.
    quote_rank: u32,
    /// Index of its review, newest first.
    pub position: u32,
    /// The finding in the quoted sentence.
    pub finding: CompactFinding,
}

/// Keeps the best candidates, one of each review, the best first; of equally good ones the newest.
fn keep_best(candidates: &mut Vec<QuoteCandidate>) {
    candidates.sort_by_key(|one| (Reverse(one.quote_rank), one.position));
    let mut reviews = BTreeSet::new();
    candidates.retain(|one| reviews.len() < LISTED && reviews.insert(one.position));
}

/// The quality of the sentence of `finding` as a quote; `newest` is the day of the newest review. `None` if it cannot be
/// quoted, if the stars or another finding of the sentence contradict it, or if the sentence is clearer about another
/// aspect: it is quoted for one only.
fn quote_rank(
    finding: CompactFinding,
    review: &Review,
    analysis: &CompactAnalysis,
    newest: i32,
) -> Option<u32> {
    let stars = review.rating.stars();
    let findings = analysis.findings.iter();
    let mut of_sentence = findings.filter(|other| other.sentence == finding.sentence);
    let is_undivided = of_sentence
        .clone()
        .all(|other| other.polarity == finding.polarity || !other.polarity.judges());
    let agreed = of_sentence.clone().filter(|other| other.is_agreed);
    let clearest = agreed.max_by_key(|other| (other.confidence, Reverse(other.aspect)));
    let can_be_shown = clearest == Some(&finding) && finding.is_quotable && is_undivided;
    if !can_be_shown || finding.polarity.contradicts(stars) {
        return None;
    }
    let sure = finding.confidence.saturating_sub(QUOTE_CONFIDENCE_MIN);
    let is_about_it = of_sentence.all(|other| other.aspect == finding.aspect);
    Some(
        2 * u32::from(sure)
            + 2 * u32::from(newest - review.date.number() < RECENT_DAYS)
            + 4 * u32::from(analysis.overall == finding.polarity)
            + 4 * u32::from(Polarity::of_stars(stars).is_some())
            + 4 * u32::from(is_about_it)
            + 4 * u32::from(finding.is_short),
    )
}

// Months and trends.

/// Stars from which a review counts as good in the trend of ratings.
const GOOD_STARS_MIN: u8 = 4;
/// Number of months of a year.
const MONTHS: i32 = 12;
/// Number of months in each of the two compared periods.
const HALF_YEAR: i32 = 6;
/// Number of months in the figures of one thing.
const MONTHS_SHOWN: i32 = 24;

/// The votes in one cell of the counts by month.
pub fn votes_over_time(months: &[Month], cell: usize) -> VotesOverTime {
    let newest = newest(months);
    let shown = months.iter().rev().filter(|month| {
        (0..MONTHS_SHOWN).contains(&(newest - month.number)) && month.cells[cell].reviews() > 0
    });
    let shown = shown.map(|month| VotesOfMonth {
        month: year_and_month(month.number),
        mention_count: month.cells[cell].reviews(),
        positive_count: month.cells[cell].positive,
        mixed_count: month.cells[cell].mixed,
        negative_count: month.cells[cell].negative,
    });
    VotesOverTime {
        monthly: shown.collect(),
        trend: trend(months, |month| {
            let votes = &month.cells[cell];
            (votes.positive, votes.judged())
        }),
    }
}

/// Ratings and whole texts by month.
pub fn temporal(months: &[Month]) -> Temporal {
    let shown = months.iter().rev().map(|month| {
        let VoteCounts {
            positive, negative, ..
        } = month.overall;
        wire::Month {
            month: year_and_month(month.number),
            review_count: month.reviews,
            rating_value: round_to(f64::from(month.stars) / f64::from(month.reviews), 1e2),
            positive_count: positive,
            neutral_count: month.overall.reviews() - positive - negative,
            negative_count: negative,
        }
    });
    Temporal {
        monthly: shown.collect(),
        trend: trend(months, |month| (month.good, month.reviews)),
    }
}

/// Compares a share (part and whole) of the half year that ends with the newest month with that of the one before.
fn trend(months: &[Month], share: impl Fn(&Month) -> (u32, u32)) -> InsightTrend {
    let newest = newest(months);
    let [before, now] = [newest - HALF_YEAR, newest].map(|last| {
        let within = months.iter();
        let within = within.filter(|month| (last - HALF_YEAR + 1..=last).contains(&month.number));
        let shares = within.map(&share);
        shares.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
    });
    ComparisonVerdict::of(before, now).into()
}

fn newest(months: &[Month]) -> i32 {
    months.first().map_or(0, |month| month.number)
}

/// The month with that number: the year times twelve, plus the month from 0.
fn year_and_month(number: i32) -> String {
    format!(
        "{:04}-{:02}",
        number.div_euclid(MONTHS),
        number.rem_euclid(MONTHS) + 1
    )
}

#[cfg(test)]
mod tests {
    use super::{Month, votes_over_time};
    use crate::model::VoteCounts;
    use crate::wire::InsightTrend;

    fn month(number: i32, positive: u32, negative: u32) -> Month {
        let votes = VoteCounts {
            positive,
            negative,
            ..VoteCounts::default()
        };
        Month {
            number,
            reviews: votes.reviews(),
            stars: 0,
            good: 0,
            overall: votes,
            cells: vec![votes],
        }
    }

    #[test]
    fn trend_compares_the_shares_of_two_half_years() {
        for (before, now, trend) in [
            ((55, 5), (30, 30), InsightTrend::Declining),
            ((30, 30), (55, 5), InsightTrend::Improving),
            ((25, 5), (18, 2), InsightTrend::Steady),
            ((9, 0), (0, 90), InsightTrend::TooFew),
        ] {
            let months = [month(12, now.0, now.1), month(6, before.0, before.1)];
            assert_eq!(
                votes_over_time(&months, 0).trend,
                trend,
                "{before:?} {now:?}"
            );
        }
    }
}
