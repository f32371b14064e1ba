//! The figures of each aspect and of each entity: votes, trend, quotes, and what is mentioned together with it.

use super::count::{Counted, OpinionCounts};
use super::figures::{VoteCounts, round_to};
use super::keyphrases::Keyphrase;
use super::quotes::{CustomerQuote, Originals, pick};
use super::roster::Roster;
use super::trends::{ShareTrend, trend};
use crate::insights::analysis::MentionKind;
use crate::insights::trades::Trade;

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
    /// The entities named in its reviews, by index in [`super::AggregatedInsights::entities`].
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
    /// The aspects judged in its reviews, by index in [`super::AggregatedInsights::aspects`].
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
    let aspects = counted.aspects.iter().zip(&trade.aspects).enumerate();
    let figures = aspects.map(|(at, (opinion_counts, aspect))| {
        let goes = topics.iter().filter(|topic| topic.aspect == Some(at));
        let mut sub_topics: Vec<(String, u32)> = goes
            .map(|topic| (topic.phrase.clone(), topic.joint[at]))
            .collect();
        sub_topics.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
        sub_topics.truncate(JOINT_MAX);
        let of = |kind: MentionKind| {
            let named = counted.entities.iter().zip(&roster.entries).enumerate();
            let of_kind = named
                .filter(|(_, (named, its))| its.kind == kind && its.is_told(named.votes.reviews()));
            strongest(of_kind.map(|(entity, _)| joint(counted, at, entity, entity)))
        };
        AspectFigures {
            id: aspect.id.clone(),
            label: aspect.label.clone(),
            question: aspect.question.clone(),
            is_overall: trade.overall == Some(at),
            mentions: opinion_counts.mentions,
            said: OpinionStats {
                votes: opinion_counts.votes,
                trend: trend(&counted.months, at, ASPECT_MONTHS),
                quotes: both_sides(opinion_counts, ASPECT_QUOTES, originals),
            },
            sub_topics,
            named: MentionKind::ALL.map(of).concat(),
        }
    });
    figures.collect()
}

pub fn entity_figures(
    counted: &Counted,
    roster: &Roster,
    originals: &mut Originals<'_>,
) -> Vec<EntityFigures> {
    let aspects = counted.aspects.len();
    let entities = counted.entities.iter().zip(&roster.entries).enumerate();
    let figures = entities.map(|(at, (opinion_counts, known))| {
        let reviews = opinion_counts.votes.reviews();
        let is_told = known.is_told(reviews);
        let judged = (0..aspects).filter(|_| is_told);
        EntityFigures {
            kind: known.kind,
            id: known.id.clone(),
            name: known.name.clone(),
            reviews,
            mentions: opinion_counts.mentions,
            ambiguous: opinion_counts.ambiguous,
            detail: is_told.then(|| OpinionStats {
                votes: opinion_counts.votes,
                trend: trend(&counted.months, aspects + at, ENTITY_MONTHS),
                quotes: both_sides(opinion_counts, ENTITY_QUOTES, originals),
            }),
            judged: strongest(judged.map(|aspect| joint(counted, aspect, at, aspect))),
        }
    });
    figures.collect()
}

/// The joint figure of an aspect and an entity; `at` is the index that it contains.
fn joint(counted: &Counted, aspect: usize, entity: usize, at: usize) -> Joint {
    let reviews = counted.joint[entity * counted.aspects.len() + aspect];
    let [one, other] = [&counted.aspects[aspect], &counted.entities[entity]]
        .map(|opinion_counts| f64::from(opinion_counts.votes.reviews()));
    let both = f64::from(reviews) * f64::from(counted.corpus.analysed);
    Joint {
        at,
        reviews,
        lift: round_to(both / (one * other), 10.0),
    }
}

fn strongest(joints: impl Iterator<Item = Joint>) -> Vec<Joint> {
    let mut joints: Vec<Joint> = joints.filter(|one| one.reviews >= JOINT_MIN).collect();
    joints.sort_by_key(|joint| (std::cmp::Reverse(joint.reviews), joint.at));
    joints.truncate(JOINT_MAX);
    joints
}

/// Quotes of the larger side, and of the other side if that is shown.
pub fn both_sides(
    opinion_counts: &OpinionCounts,
    (more, less): (usize, usize),
    originals: &mut Originals<'_>,
) -> Vec<CustomerQuote> {
    let (votes, [praise, blame]) = (opinion_counts.votes, &opinion_counts.quotes);
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
