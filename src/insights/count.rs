//! Counting: the part of each analysis that is counted, and one pass over all of them, newest first, that counts votes,
//! names and months. A pure function: the same analyses in the same order give the same counts.

use std::cmp::{Ordering, Reverse};
use std::collections::BTreeSet;

use chrono::{Datelike, NaiveDate};

use super::analysis::{
    Analysis, CONFIRMED, Hit, Polarity, TextLanguage, TextSpan, WITHDRAWN, witness,
};
use super::rules::Trade;
use super::text::{WordMap, is_quotable, is_stated};
use crate::links::Links;
use crate::model::business::{Business, Editorial};
use crate::model::statistics::{COMPARED_MIN, compare, round_to};
use crate::model::{FNV_OFFSET, MentionKind, Review, ReviewVote, Vote, VoteCounts, fnv1a};
use crate::wire::{
    Direction, Excluded, GeneratedFrom, InsightMonth, LowRated, SettledFindings, Trend, TrendBasis,
    TrendPeriod, Window, Witness,
};

/// Maximum number of findings of one text to which the masks of a name can refer.
pub const MASKED_FINDINGS_MAX: usize = u32::BITS as usize;

/// One review, ready to be counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactAnalysis {
    /// Whether it was analysed.
    pub language: TextLanguage,
    /// The polarity of the text as a whole.
    pub overall: Polarity,
    /// Number of sentences, limited to the maximum of the type.
    pub sentences: u16,
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
    pub backing: WitnessCount,
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
pub enum WitnessCount {
    /// Only the rules; such a finding is counted, but not shown.
    Rule,
    /// Only the classifier; such a finding is counted, but not shown, too.
    Classifier,
    /// Both the rules and the classifier.
    Both,
    /// The stars withdrew the judgement: it is uncertain.
    Withdrawn,
    /// The stars confirmed a finding that the text left open: it is counted separately and not shown.
    Confirmed,
}

impl CompactFinding {
    /// The polarity without the stars: a confirmed finding is uncertain.
    pub fn polarity_of_text(&self) -> Polarity {
        if self.backing == WitnessCount::Confirmed {
            Polarity::Uncertain
        } else {
            self.polarity
        }
    }
}

impl WitnessCount {
    fn of(hits: &[Hit]) -> Self {
        // The stars come last.
        match hits.last().map(|hit| &*hit.rule) {
            Some(WITHDRAWN) => Self::Withdrawn,
            Some(CONFIRMED) => Self::Confirmed,
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
    /// The findings in a sentence that names the entity unambiguously, or in the next sentence.
    pub near_mask: u32,
    pub kind: MentionKind,
    /// Whether the review names the entity unambiguously, as a recorded mention or in the text.
    pub is_linked: bool,
    /// Number of times that the text names it unambiguously; 0 if it is only recorded.
    pub mentions: u8,
    /// Number of times that the text names it ambiguously.
    pub ambiguous: u8,
}

impl CompactName {
    /// Adds the counts of another spelling of the same entity.
    fn join(&mut self, other: Self) {
        self.finding_mask |= other.finding_mask;
        self.near_mask |= other.near_mask;
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

    /// Replaces the keys of the names of that kind; `None` removes the name. Names with the same key are joined.
    pub fn renamed(mut self, kind: MentionKind, key: impl Fn(u64) -> Option<u64>) -> Self {
        self.names = joined(self.names.into_iter().filter_map(|name| {
            if name.kind != kind {
                return Some(name);
            }
            let key = key(name.key)?;
            Some(CompactName { key, ..name })
        }));
        self
    }

    /// Shortens the `analysis` of a review. Findings of aspects that `trade` does not have are left out.
    pub fn new(analysis: &Analysis, review: &Review, trade: &Trade) -> Self {
        let text = &*review.text;
        let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let places: Vec<usize> = places.collect();
        let is_quotable = |TextSpan { start, end }: &TextSpan| {
            let place = |at: u32| places.get(at as usize).copied();
            (place(*start).zip(place(*end)))
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
                    backing: WitnessCount::of(&finding.hits),
                    is_quotable: quotable.get(finding.sentence as usize) == Some(&true)
                        && finding.confidence >= QUOTE_CONFIDENCE_MIN
                        && is_stated(finding),
                    is_short: (analysis.sentences.get(finding.sentence as usize))
                        .is_some_and(|span| span.end - span.start <= SHORT_MAX),
                    sentence: u16::try_from(finding.sentence).unwrap_or(u16::MAX),
                    confidence: finding.confidence,
                })
            })
            .collect();
        Self {
            language: analysis.language,
            overall: analysis.overall.0,
            sentences: u16::try_from(analysis.sentences.len()).unwrap_or(u16::MAX),
            names: names(analysis, review, &findings),
            findings,
        }
    }
}

/// The recorded names and the names in the text, joined.
fn names(analysis: &Analysis, review: &Review, findings: &[CompactFinding]) -> Box<[CompactName]> {
    let name = |kind: MentionKind, value: &str, is_linked: bool| CompactName {
        key: name_key(kind, value),
        finding_mask: 0,
        near_mask: 0,
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
                finding_mask(findings, first, last)
            } else {
                0
            }
        };
        mention.candidates.iter().map(move |value| CompactName {
            finding_mask: mask(mention.through),
            near_mask: mask(mention.sentence + 1),
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

/// The findings of the sentences from `first` through `last`.
fn finding_mask(findings: &[CompactFinding], first: u32, last: u32) -> u32 {
    let within = |finding: &CompactFinding| (first..=last).contains(&u32::from(finding.sentence));
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
    fnv(kind.name().as_bytes()) ^ fnv(value.as_bytes()).rotate_left(1)
}

fn fnv(bytes: &[u8]) -> u64 {
    fnv1a(FNV_OFFSET, bytes)
}

// What is counted, and the names.

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
    /// Ids of the aspects that the owner's FAQ answers.
    pub answered: &'a BTreeSet<String>,
    /// Names in reviews, whether or not they are in the business's lists, sorted.
    pub mentioned: &'a BTreeSet<(MentionKind, &'a str)>,
    /// For the addresses of evidence.
    pub links: &'a Links,
}

/// A technician, service or place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RosterEntry {
    pub kind: MentionKind,
    /// Id chosen by the owner; `None` for places and for names that are not in the business's lists.
    pub id: Option<String>,
    /// The name in the business's list, or as recorded in reviews.
    pub name: String,
}

impl RosterEntry {
    /// Whether more than its count is shown if so many reviews name it.
    pub fn is_stated(&self, reviews: u32) -> bool {
        let least = match self.kind {
            MentionKind::Technician => PERSON_MIN,
            MentionKind::Service | MentionKind::ServiceArea => 1,
        };
        reviews >= least
    }
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
    pub fn new(business: &Business, mentioned: &BTreeSet<(MentionKind, &str)>) -> Self {
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
        if language.analyzed().is_some() {
            overall = Vote::from(compact_analysis.overall);
            corpus.analysed += 1;
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
        self.turn_to_month_of(review.date.date());
        let judged = self.count_aspects(position, review, compact_analysis);
        self.count_names(position, compact_analysis, roster, &judged, overall);
    }

    fn turn_to_month_of(&mut self, date: NaiveDate) {
        let number = date.year() * MONTHS + date.month0().cast_signed();
        if self.months.last().is_none_or(|month| number < month.number) {
            let cells = self.aspects.len() + self.entities.len();
            self.months.push(Month {
                number,
                cells: vec![VoteCounts::default(); cells],
            });
        }
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

// The best sentences for quotes, collected while counting.

/// Maximum length of a short sentence in code points.
const SHORT_MAX: u32 = 110;
/// Maximum number of candidates in a list.
const LISTED: usize = 12;
/// Minimum confidence of a finding that is quoted: of those with 85, one in six was quoted wrongly.
const QUOTE_CONFIDENCE_MIN: u8 = 90;
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

/// The best candidates, the best first; of equally good ones the newest.
#[derive(Debug, Clone, Default)]
pub struct Shortlist {
    pub best: Vec<QuoteCandidate>,
}

impl Shortlist {
    /// Adds a finding of the review at `position` if it is among the best; calls must begin with the newest review.
    pub fn offer(&mut self, position: u32, quote_rank: u32, finding: CompactFinding) {
        let is_better = |other: &QuoteCandidate| other.quote_rank >= quote_rank;
        if self.best.len() == LISTED && self.best.last().is_some_and(is_better) {
            return;
        }
        // Only the better candidate of each review is kept.
        let mine = self
            .best
            .iter()
            .position(|other| other.position == position);
        if let Some(mine) = mine {
            if is_better(&self.best[mine]) {
                return;
            }
            self.best.remove(mine);
        }
        self.best.truncate(LISTED - 1);
        let at = self.best.partition_point(is_better);
        let candidate = QuoteCandidate {
            quote_rank,
            position,
            finding,
        };
        self.best.insert(at, candidate);
    }
}

/// The quality of the sentence of `finding` as a quote; `newest` is the day of the newest review. `None` if it cannot be
/// quoted, if the stars or another finding of the sentence contradict it, or if the sentence is clearer about another
/// aspect: it is quoted for one only.
fn quote_rank(
    finding: CompactFinding,
    review: &Review,
    compact_analysis: &CompactAnalysis,
    newest: i32,
) -> Option<u32> {
    let stars = review.rating.stars();
    let of_sentence = || {
        let findings = compact_analysis.findings.iter();
        findings.filter(|other| other.sentence == finding.sentence)
    };
    let is_undivided =
        of_sentence().all(|other| other.polarity == finding.polarity || !other.polarity.judges());
    let clearest = of_sentence()
        .filter(|other| other.backing == WitnessCount::Both)
        .max_by_key(|other| (other.confidence, Reverse(other.aspect)));
    let can_be_shown = clearest == Some(&finding) && finding.is_quotable && is_undivided;
    if !can_be_shown || finding.polarity.contradicts(stars) {
        return None;
    }
    let sure = finding.confidence.saturating_sub(QUOTE_CONFIDENCE_MIN);
    let is_about_it = of_sentence().all(|other| other.aspect == finding.aspect);
    Some(
        2 * u32::from(sure)
            + 2 * u32::from(newest - review.date.number() < RECENT_DAYS)
            + 4 * u32::from(compact_analysis.overall == finding.polarity)
            + 4 * u32::from(Polarity::of_stars(stars).is_some())
            + 4 * u32::from(is_about_it)
            + 4 * u32::from(finding.is_short),
    )
}

// Trends.

/// Number of months of a year.
const MONTHS: i32 = 12;
/// Number of months in each of the two compared periods.
const HALF_YEAR: i32 = 6;
/// Further ahead of the month before it, a month is mistaken, for example one that somebody wrote with `sqlite3`.
const FAR_AHEAD_MONTHS: i32 = 36;

/// Gives each comparison its p-value and direction: all of one document are tested together.
pub fn compare_trends<'a>(trends: impl Iterator<Item = &'a mut Trend>) {
    let compared: Vec<(&mut Direction, &mut TrendBasis)> = trends
        .filter_map(|trend| Some((&mut trend.direction, trend.basis.as_mut()?)))
        .collect();
    let share = |period: &TrendPeriod| (period.positive, period.judged);
    let shares: Vec<_> = compared
        .iter()
        .map(|(_, basis)| [share(&basis.previous), share(&basis.recent)])
        .collect();
    let comparisons = u32::try_from(compared.len()).unwrap_or(u32::MAX);
    for ((direction, basis), found) in compared.into_iter().zip(compare(&shares)) {
        let Some(found) = found else { continue };
        basis.comparisons = comparisons;
        basis.p_value = round_to(found.p_value, 1e4);
        *direction = match found.change {
            Ordering::Greater => Direction::Up,
            Ordering::Less => Direction::Down,
            Ordering::Equal => Direction::Flat,
        };
    }
}

/// The months of one cell of the counts, and the last two half years if there are enough reviews to compare them, which
/// [`compare_trends`] does.
pub fn trend(months: &[Month], cell: usize, months_max: i32) -> Trend {
    let newest = newest(months);
    let shown = months
        .iter()
        .rev()
        .filter(|month| {
            (0..months_max).contains(&(newest - month.number)) && month.cells[cell].reviews() > 0
        })
        .map(|month| InsightMonth {
            month: year_and_month(month.number),
            reviews: month.cells[cell].reviews(),
            positive: month.cells[cell].positive,
            negative: month.cells[cell].negative,
        });
    let [recent, previous] =
        [newest, newest - HALF_YEAR].map(|last| (last, half_year(months, cell, last)));
    let is_enough = recent.1.judged().min(previous.1.judged()) >= COMPARED_MIN;
    Trend {
        months: shown.collect(),
        direction: Direction::Unknown,
        basis: is_enough.then(|| TrendBasis {
            test: "fisher_exact_holm_95".to_owned(),
            p_value: 1.0,
            comparisons: 1,
            recent: period(recent),
            previous: period(previous),
        }),
    }
}

/// The newest month, but for one that is so far ahead of all others that its day must be mistaken.
fn newest(months: &[Month]) -> i32 {
    let mut pairs = months.windows(2);
    let near = pairs.find(|pair| pair[0].number - pair[1].number < FAR_AHEAD_MONTHS);
    near.map_or(months, |pair| pair)
        .first()
        .map_or(0, |month| month.number)
}

/// The votes of the half year that ends with month `last`.
fn half_year(months: &[Month], cell: usize, last: i32) -> VoteCounts {
    let mut votes = VoteCounts::default();
    let within = months.iter();
    within
        .filter(|month| (last - HALF_YEAR + 1..=last).contains(&month.number))
        .for_each(|month| votes.add(&month.cells[cell]));
    votes
}

/// The half year that ends with month `last`, with its votes.
fn period((last, votes): (i32, VoteCounts)) -> TrendPeriod {
    TrendPeriod {
        from: year_and_month(last - HALF_YEAR + 1),
        to: year_and_month(last),
        positive: votes.positive,
        judged: votes.judged(),
    }
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
    use super::{Month, compare_trends, newest, trend};
    use crate::model::VoteCounts;
    use crate::wire::{Direction, Trend, TrendBasis, TrendPeriod};

    fn compared(now: (u32, u32), before: (u32, u32)) -> Trend {
        let period = |(positive, judged)| TrendPeriod {
            from: String::new(),
            to: String::new(),
            positive,
            judged,
        };
        Trend {
            months: Vec::new(),
            direction: Direction::Unknown,
            basis: Some(TrendBasis {
                test: String::new(),
                p_value: 1.0,
                comparisons: 1,
                recent: period(now),
                previous: period(before),
            }),
        }
    }

    fn directions(mut trends: Vec<Trend>) -> Vec<Direction> {
        compare_trends(trends.iter_mut());
        trends.iter().map(|trend| trend.direction).collect()
    }

    #[test]
    fn month_years_ahead_does_not_hide_the_others() {
        let month = |number| Month {
            number,
            cells: vec![VoteCounts {
                positive: 1,
                ..VoteCounts::default()
            }],
        };
        for (numbers, expected, shown) in [
            (&[60, 3, 2, 0][..], 3, 3),
            (&[30, 3, 2], 30, 1),
            (&[60, 3], 60, 1),
            (&[3], 3, 1),
            (&[], 0, 0),
        ] {
            let months: Vec<Month> = numbers.iter().copied().map(month).collect();
            assert_eq!(newest(&months), expected, "{numbers:?}");
            assert_eq!(trend(&months, 0, 24).months.len(), shown, "{numbers:?}");
        }
    }

    #[test]
    fn a_significant_difference_has_a_direction() {
        assert_eq!(
            directions(vec![compared((30, 60), (55, 60))]),
            [Direction::Down]
        );
        assert_eq!(
            directions(vec![compared((55, 60), (30, 60))]),
            [Direction::Up]
        );
        assert_eq!(
            directions(vec![compared((18, 20), (25, 30))]),
            [Direction::Flat]
        );
    }

    #[test]
    fn one_weak_difference_among_many_comparisons_is_flat() {
        // p = 0.02: significant as a single test, but not as one of ten.
        let weak = || compared((19, 20), (12, 20));
        assert_eq!(directions(vec![weak()]), [Direction::Up]);
        let mut ten: Vec<Trend> = (0..9).map(|_| compared((15, 20), (15, 20))).collect();
        ten.insert(0, weak());
        let all = directions(ten);
        assert!(all.iter().all(|one| *one == Direction::Flat), "{all:?}");
    }
}
