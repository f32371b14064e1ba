//! From counts to what is told of each aspect, and of each who or what is named.

use super::count::{Counted, OpinionCounts};
use super::few_reviews::PERSON_MIN;
use super::figures::{SampleConfidence, VoteCounts, WilsonShare, rounded};
use super::keyphrases::{Keyphrase, lift};
use super::quotes::{CustomerQuote, Originals, Shortlist, pick};
use super::roster::Roster;
use super::trends::{ShareTrend, trend};
use crate::insights::analysis::MentionKind;
use crate::insights::trades::Trade;

/// A side of opinion is shown if it has so many reviews ...
pub const SIDE_MIN: u32 = 3;
/// ... and one in so many of those that judge.
pub const SIDE_PART: u32 = 10;
/// Quotes of an aspect: of the side that more reviews take, and of the other.
const ASPECT_QUOTES: (usize, usize) = (3, 2);
/// Quotes of one who or what is named.
const ENTITY_QUOTES: (usize, usize) = (1, 1);
/// How many that go together are told.
const JOINT_MAX: usize = 3;
/// What goes together in fewer reviews is not told.
const JOINT_MIN: u32 = 3;
/// How many months of an aspect are told.
const ASPECT_MONTHS: i32 = 24;
/// How many months of one who or what is named are told.
const ENTITY_MONTHS: i32 = 12;
/// What is told of something that reviews speak of.
#[derive(Debug, Clone)]
pub struct OpinionStats {
    /// Reviews by what they say of it.
    pub votes: VoteCounts,
    /// The share of positive reviews among those that judge it.
    pub positive_share: Option<WilsonShare>,
    /// How much that can be relied on.
    pub confidence: SampleConfidence,
    /// By month, and where it is going.
    pub trend: ShareTrend,
    /// Words of customers: of the larger side first.
    pub quotes: Vec<CustomerQuote>,
}

/// One aspect of the trade, and all that is counted of it.
#[derive(Debug, Clone)]
pub struct AspectFigures {
    /// The trade's id of it, for example `response_time`.
    pub id: String,
    /// The trade's name of it, for readers.
    pub label: String,
    /// What a customer would ask.
    pub question: String,
    /// Whether it is the trade's role `overall`: of the firm as a whole, which has a sentence of its own.
    pub is_overall: bool,
    /// How often texts judge it.
    pub mentions: u32,
    /// Votes, trend and quotes of the reviews that speak of it.
    pub said: OpinionStats,
    /// Topics that go with it: phrase, and in how many of its reviews.
    pub sub_topics: Vec<(String, u32)>,
    /// Whom and what its reviews name, by the place in [`super::AggregatedInsights::entities`].
    pub named: Vec<Joint>,
}

/// Somebody or something that reviews name.
#[derive(Debug, Clone)]
pub struct EntityFigures {
    /// Whether it is a technician, a service or a place.
    pub kind: MentionKind,
    /// The firm's id; `None` for places and for what is in none of the firm's lists.
    pub id: Option<String>,
    /// The name in the firm's list, or the value that reviews have where no list has it.
    pub name: String,
    /// How many reviews name it, recorded or in the text.
    pub reviews: u32,
    /// How often texts name it for certain.
    pub mentions: u32,
    /// How often texts may mean it, and nobody can tell.
    pub ambiguous: u32,
    /// What is said of it; not of a person whom fewer than three name, nor of what nobody names.
    pub detail: Option<OpinionStats>,
    /// Which aspects its reviews judge, by the place in [`super::AggregatedInsights::aspects`].
    pub judged: Vec<Joint>,
}

/// Two things that the same reviews speak of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// The place of the other.
    pub at: usize,
    /// How many reviews speak of both.
    pub reviews: u32,
    /// How many times as many as by chance, one decimal.
    pub lift: f64,
}

/// Whether a side of so many reviews, of so many that judge, is shown. The same for praise and
/// blame.
#[must_use]
pub const fn is_shown(side: u32, judged: u32) -> bool {
    side >= SIDE_MIN && side * SIDE_PART >= judged
}

/// What is told of the aspects.
pub fn aspects(
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
            let members = roster
                .entries()
                .iter()
                .enumerate()
                .filter(move |(_, known)| known.kind == kind);
            let joint = members
                .map(|(entity, _)| joint(counted, at, entity, entity))
                .filter(|joint| {
                    kind != MentionKind::Technician
                        || counted.entities[joint.at].votes.reviews() >= PERSON_MIN
                });
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
            named: [
                of(MentionKind::Technician),
                of(MentionKind::Service),
                of(MentionKind::ServiceArea),
            ]
            .concat(),
        });
    }
    aspects
}

/// What is told of whom and what reviews name.
pub fn entities(
    counted: &Counted,
    roster: &Roster,
    originals: &mut Originals<'_>,
) -> Vec<EntityFigures> {
    let mut entities = Vec::with_capacity(roster.entries().len());
    for ((at, opinion_counts), known) in counted.entities.iter().enumerate().zip(roster.entries()) {
        let reviews = opinion_counts.votes.reviews();
        let least = if known.kind == MentionKind::Technician {
            PERSON_MIN
        } else {
            1
        };
        let cell = counted.aspects.len() + at;
        let is_told = reviews >= least;
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

/// How often an aspect and one who or what is named go together; `at` is the place of the one that
/// is told.
fn joint(counted: &Counted, aspect: usize, entity: usize, at: usize) -> Joint {
    let reviews = counted.joint[entity * counted.aspects.len() + aspect];
    let [one, other] = [&counted.aspects[aspect], &counted.entities[entity]]
        .map(|opinion_counts| opinion_counts.votes.reviews());
    Joint {
        at,
        reviews,
        lift: rounded(lift(reviews, one, other, counted.analysed), 10.0),
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

/// Quotes of the side that more reviews take; of the other where that is shown, too.
pub fn both_sides(
    votes: &VoteCounts,
    [praise, blame]: &[Shortlist; 2],
    (more, less): (usize, usize),
    originals: &mut Originals<'_>,
) -> Vec<CustomerQuote> {
    // A mixed review speaks for either side.
    let [praised, blamed] = [votes.positive, votes.negative].map(|side| side + votes.mixed);
    let (sides, other) = if praised >= blamed {
        ((praise, blame), blamed)
    } else {
        ((blame, praise), praised)
    };
    let mut quotes = pick(sides.0, more, originals);
    if is_shown(other, votes.judged()) {
        quotes.extend(pick(sides.1, less, originals));
    }
    quotes
}
