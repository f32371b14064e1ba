//! Aggregates all packed analyses into the insights: one counting pass, and the figures of each aspect and entity derived
//! from the counts. A pure function: the same packed analyses in the same order give the same result.

mod count;
pub(crate) mod figures;
mod frequent_phrases;
mod keyphrases;
mod narrative;
mod quotes;
mod roster;
pub mod topics;
mod trends;

use std::collections::BTreeSet;

use super::analysis::MentionKind;
use super::packed_analysis::PackedAnalyses;
use super::trades::Trade;
use crate::model::business::Business;
use count::{Counted, OpinionCounts};
pub use count::{vote_of, votes_of};
use figures::round_to;
pub use figures::{ReviewVote, SampleConfidence, TrendDirection, Vote, VoteCounts, WilsonShare};
pub use frequent_phrases::{FrequentPhrases, RarePhrases};
pub use keyphrases::Keyphrase;
use keyphrases::{OwnNames, lift};
use narrative::Complaint;
pub use narrative::{Answered, SentenceEvidence, SummarySentence};
pub use quotes::{CustomerQuote, Original, slice};
use quotes::{Originals, Shortlist, pick};
pub use roster::PERSON_MIN;
use roster::{FewReviews, Roster};
use trends::trend;
pub use trends::{COMPARED_MIN, Compared, HalfYear, MonthCount, ShareTrend, fisher_exact, holm};

/// Input of the aggregation.
pub struct AggregateInput<'a> {
    /// The packed analyses of all published reviews, newest first.
    pub segments: &'a [&'a PackedAnalyses],
    /// Their most frequent phrases.
    pub phrases: &'a FrequentPhrases,
    /// Number of reviews that have no packed analysis yet.
    pub unanalyzed: usize,
    /// Returns the review at an index in the order of the packed analyses.
    pub original: &'a dyn Fn(usize) -> Option<Original>,
    /// The trade that defines the aspect numbers in the packed analyses.
    pub trade: &'a Trade,
    /// The business, with its technicians as they are published.
    pub business: &'a Business,
    /// Full names and aliases of the technicians, published or not; they never become topics.
    pub people: &'a [&'a str],
    /// Ids of the aspects that the owner's FAQ answers.
    pub answered: &'a BTreeSet<String>,
    /// Names in reviews that are not in the business's lists, sorted.
    pub others: &'a [(MentionKind, String)],
}

#[derive(Debug, Clone)]
pub struct AggregatedInsights {
    /// In the trade's order.
    pub aspects: Vec<AspectFigures>,
    /// Technicians, services, places: for each kind the business's own list in its order, then other names.
    pub entities: Vec<EntityFigures>,
    /// Distinctive phrases, the most significant first.
    pub topics: Vec<Keyphrase>,
    /// Questions with answers from the reviews.
    pub faq: Vec<Answered>,
    pub summary: Vec<SummarySentence>,
    pub corpus: Corpus,
}

/// Figures about the reviews from which the insights were made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
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
    /// Number of judgements that the stars withdrew, and number of reviews with such judgements.
    pub withdrawn: (u32, u32),
    /// Number of findings that the stars confirmed, and number of reviews with such findings.
    pub confirmed: (u32, u32),
    /// Number of analysed reviews with one or two stars; and the number of these whose polarity as a whole is not
    /// negative.
    pub discontent: (u32, u32),
    /// The days of the oldest and of the newest review ([`crate::model::Day::number`]).
    pub window: Option<(i32, i32)>,
}

/// Counts the packed analyses in one pass, and derives the insights from the counts.
pub fn aggregate(sources: &AggregateInput<'_>) -> AggregatedInsights {
    let (segments, trade, business) = (sources.segments, sources.trade, sources.business);
    let roster = Roster::new(business, sources.others);
    let counted = Counted::new(segments, trade.aspects.len(), &roster);
    let entities = counted.entities.iter();
    let named = entities.map(|entity| entity.votes.reviews()).collect();
    let few = FewReviews::new(segments, &roster, named);
    let mut originals = Originals::new(sources.original, few, trade);
    let own_names = OwnNames::new(business, sources.people);
    // A sentence is quoted only once, so the sections with the fewest candidates choose first.
    let mut topics = keyphrases::topics(sources, &counted, &own_names, &mut originals);
    let complaints: Vec<(usize, Complaint)> = narrative::told_sides(&counted, trade, false)
        .into_iter()
        .map(|aspect| {
            let [_, blame] = &counted.aspects[aspect].quotes;
            let complaint = Complaint::about(aspect, sources, blame, &own_names, &mut originals);
            (aspect, complaint)
        })
        .collect();
    let mut entities = entity_figures(&counted, &roster, &mut originals);
    let mut aspects = aspect_figures(&counted, trade, &roster, &topics, &mut originals);
    let of_entities = entities.iter_mut().filter_map(|one| one.detail.as_mut());
    let of_aspects = aspects.iter_mut().map(|aspect| &mut aspect.said);
    trends::settle(of_aspects.chain(of_entities).map(|said| &mut said.trend));
    let unanalyzed = u32::try_from(sources.unanalyzed).unwrap_or(u32::MAX);
    let corpus = Corpus {
        reviews: counted.corpus.reviews.saturating_add(unanalyzed),
        unanalyzed,
        ..counted.corpus
    };
    let input = narrative::NarrativeInput {
        sources,
        corpus: &corpus,
        counted: &counted,
        aspects: &aspects,
        complaints: &complaints,
        entities: &entities,
    };
    let faq = narrative::answers(&input, &mut originals);
    keyphrases::quote(&mut topics, &mut originals);
    AggregatedInsights {
        summary: narrative::sentences(&input, &topics),
        faq,
        aspects,
        entities,
        topics,
        corpus,
    }
}

/// Minimum number of reviews for which one side, praise or blame, is shown.
pub const SIDE_MIN: u32 = 3;
/// Minimum share of a side that is shown: one in this many reviews with a judgement.
pub const SIDE_PART: u32 = 10;
/// Maximum number of quotes for an aspect: for the larger side, and for the other.
const ASPECT_QUOTES: (usize, usize) = (3, 2);
/// Maximum number of quotes for an entity: for the larger side, and for the other.
const ENTITY_QUOTES: (usize, usize) = (1, 1);
/// Maximum number of joint figures in a list.
const JOINT_MAX: usize = 3;
/// Minimum number of reviews of a joint figure.
const JOINT_MIN: u32 = 3;
/// Number of months in an aspect's figures.
const ASPECT_MONTHS: i32 = 24;
/// Number of months in an entity's figures.
const ENTITY_MONTHS: i32 = 12;
/// Statistics of the opinions about an aspect or entity.
#[derive(Debug, Clone)]
pub struct OpinionStats {
    /// Reviews by their vote.
    pub votes: VoteCounts,
    /// Share of positive reviews among those with a judgement.
    pub positive_share: Option<WilsonShare>,
    /// Reliability of the share.
    pub confidence: SampleConfidence,
    /// Shares by month, with their direction.
    pub trend: ShareTrend,
    /// Quotes; the quotes of the larger side come first.
    pub quotes: Vec<CustomerQuote>,
}

#[derive(Debug, Clone)]
pub struct AspectFigures {
    /// The trade's id, for example `response_time`.
    pub id: String,
    /// Display name.
    pub label: String,
    /// A customer's question about it.
    pub question: String,
    /// Whether it has the trade's role `overall`: the business as a whole, which has a summary sentence of its own.
    pub is_overall: bool,
    /// Number of times that texts judge it.
    pub mentions: u32,
    /// Votes, trend and quotes of the reviews that mention it.
    pub said: OpinionStats,
    /// Topics that occur together with the aspect: phrase, and number of reviews.
    pub sub_topics: Vec<(String, u32)>,
    /// The entities named in its reviews, by index in [`AggregatedInsights::entities`].
    pub named: Vec<Joint>,
}

/// A technician, service or area that reviews name.
#[derive(Debug, Clone)]
pub struct EntityFigures {
    pub kind: MentionKind,
    /// Id chosen by the owner; `None` for places and for names that are not in the business's lists.
    pub id: Option<String>,
    /// The name in the business's list, or as recorded in reviews.
    pub name: String,
    /// Number of reviews that name it, as a recorded mention or in the text.
    pub reviews: u32,
    /// Number of times that texts name it unambiguously.
    pub mentions: u32,
    /// Number of times that texts name it ambiguously.
    pub ambiguous: u32,
    /// `None` for a person named in fewer than three reviews, and for an entity that no review names.
    pub detail: Option<OpinionStats>,
    /// The aspects judged in its reviews, by index in [`AggregatedInsights::aspects`].
    pub judged: Vec<Joint>,
}

/// An aspect and an entity that occur in the same reviews.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// Index of the other one of the two.
    pub at: usize,
    /// Number of reviews that mention both.
    pub reviews: u32,
    /// The number of reviews as a multiple of the number expected by chance, one decimal.
    pub lift: f64,
}

pub fn aspect_figures(
    counted: &Counted,
    trade: &Trade,
    roster: &Roster,
    topics: &[Keyphrase],
    originals: &mut Originals<'_>,
) -> Vec<AspectFigures> {
    let mut aspects = Vec::with_capacity(trade.aspects.len());
    for ((at, opinion_counts), aspect) in counted.aspects.iter().enumerate().zip(&trade.aspects) {
        let goes = |topic: &&Keyphrase| topic.aspect == Some(at);
        let mut sub_topics: Vec<(String, u32)> = topics
            .iter()
            .filter(goes)
            .map(|topic| (topic.phrase.clone(), topic.joint[at]))
            .collect();
        sub_topics.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        sub_topics.truncate(JOINT_MAX);
        let of = |kind: MentionKind| {
            let named = counted.entities.iter().zip(roster.entries()).enumerate();
            let joint = named
                .filter(|(_, (named, its))| its.kind == kind && its.is_told(named.votes.reviews()))
                .map(|(entity, _)| joint(counted, at, entity, entity));
            strongest(joint.collect())
        };
        aspects.push(AspectFigures {
            id: aspect.id.clone(),
            label: aspect.label.clone(),
            question: aspect.question.clone(),
            is_overall: trade.overall == Some(at),
            mentions: opinion_counts.mentions,
            said: opinion_stats(
                counted,
                opinion_counts,
                at,
                ASPECT_MONTHS,
                ASPECT_QUOTES,
                originals,
            ),
            sub_topics,
            named: MentionKind::ALL.map(of).concat(),
        });
    }
    aspects
}

pub fn entity_figures(
    counted: &Counted,
    roster: &Roster,
    originals: &mut Originals<'_>,
) -> Vec<EntityFigures> {
    let mut entities = Vec::with_capacity(roster.entries().len());
    for ((at, opinion_counts), known) in counted.entities.iter().enumerate().zip(roster.entries()) {
        let reviews = opinion_counts.votes.reviews();
        let cell = counted.aspects.len() + at;
        let is_told = known.is_told(reviews);
        let judged = (0..counted.aspects.len())
            .map(|aspect| joint(counted, aspect, at, aspect))
            .collect();
        entities.push(EntityFigures {
            kind: known.kind,
            id: known.id.clone(),
            name: known.name.clone(),
            reviews,
            mentions: opinion_counts.mentions,
            ambiguous: opinion_counts.ambiguous,
            detail: is_told.then(|| {
                opinion_stats(
                    counted,
                    opinion_counts,
                    cell,
                    ENTITY_MONTHS,
                    ENTITY_QUOTES,
                    originals,
                )
            }),
            judged: if is_told {
                strongest(judged)
            } else {
                Vec::new()
            },
        });
    }
    entities
}

/// The joint figure of an aspect and an entity; `at` is the index that it contains.
fn joint(counted: &Counted, aspect: usize, entity: usize, at: usize) -> Joint {
    let reviews = counted.joint[entity * counted.aspects.len() + aspect];
    let [one, other] = [&counted.aspects[aspect], &counted.entities[entity]]
        .map(|opinion_counts| opinion_counts.votes.reviews());
    Joint {
        at,
        reviews,
        lift: round_to(lift(reviews, one, other, counted.corpus.analysed), 10.0),
    }
}

fn strongest(mut joints: Vec<Joint>) -> Vec<Joint> {
    joints.retain(|joint| joint.reviews >= JOINT_MIN);
    joints.sort_by_key(|joint| (std::cmp::Reverse(joint.reviews), joint.at));
    joints.truncate(JOINT_MAX);
    joints
}

fn opinion_stats(
    counted: &Counted,
    opinion_counts: &OpinionCounts,
    cell: usize,
    months: i32,
    quotes: (usize, usize),
    originals: &mut Originals<'_>,
) -> OpinionStats {
    let votes = opinion_counts.votes;
    OpinionStats {
        votes,
        positive_share: WilsonShare::new(votes.positive, votes.judged()),
        confidence: SampleConfidence::of(votes.judged()),
        trend: trend(&counted.months, cell, months),
        quotes: both_sides(&votes, &opinion_counts.quotes, quotes, originals),
    }
}

/// Quotes of the larger side, and of the other side if that is shown.
pub fn both_sides(
    votes: &VoteCounts,
    [praise, blame]: &[Shortlist; 2],
    (more, less): (usize, usize),
    originals: &mut Originals<'_>,
) -> Vec<CustomerQuote> {
    // A mixed review counts for both sides.
    let [praised, blamed] = [votes.positive, votes.negative].map(|side| side + votes.mixed);
    let (sides, other) = if praised >= blamed {
        ((praise, blame), blamed)
    } else {
        ((blame, praise), praised)
    };
    let mut quotes = pick(sides.0, more, originals);
    if other >= SIDE_MIN && other * SIDE_PART >= votes.judged() {
        quotes.extend(pick(sides.1, less, originals));
    }
    quotes
}
