//! The figures of each aspect and of each entity: votes, trend, quotes, and what is mentioned together with it.

use std::cmp::Reverse;

use super::count::{Counted, OpinionCounts};
use super::input::{AggregateInput, Roster, RosterEntry};
use super::keyphrases::Keyphrase;
use super::quotes::{Originals, pick};
use super::trends::trend;
use crate::insights::trades::AspectDefinition;
use crate::model::MentionKind;
use crate::model::statistics::round_to;
use crate::wire::{
    Aspect, CoMention, CoMentioned, Confidence, Entities, Entity, InsightQuote, Share, SubTopic,
};

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

/// The figures of all aspects of the trade, in its order; also of those that no review mentions.
pub fn aspect_figures(
    sources: &AggregateInput<'_>,
    counted: &Counted,
    roster: &Roster,
    topics: &[Keyphrase],
    originals: &mut Originals<'_>,
) -> Vec<Aspect> {
    let aspects = counted.aspects.iter().zip(&sources.trade.aspects);
    let figures = aspects.enumerate().map(|(at, (opinion_counts, aspect))| {
        let goes = topics.iter().filter(|topic| topic.aspect == Some(at));
        let mut sub_topics: Vec<SubTopic> = goes
            .map(|topic| SubTopic {
                phrase: topic.phrase.clone(),
                reviews: topic.joint[at],
            })
            .collect();
        sub_topics.sort_by(|one, other| {
            let by_count = other.reviews.cmp(&one.reviews);
            by_count.then_with(|| one.phrase.cmp(&other.phrase))
        });
        sub_topics.truncate(JOINT_MAX);
        let of = |kind: MentionKind| {
            let named = counted.entities.iter().zip(&roster.entries).enumerate();
            let of_kind = named.filter(|(_, (named, entry))| {
                entry.kind == kind && entry.is_stated(named.votes.reviews())
            });
            strongest(of_kind.filter_map(|(entity, (_, entry))| {
                joint(counted, at, entity, entry.id.as_ref(), &entry.name)
            }))
        };
        let votes = &opinion_counts.votes;
        Aspect {
            id: aspect.id.clone(),
            label: aspect.label.clone(),
            reviews: votes.reviews(),
            mentions: opinion_counts.mentions,
            positive: votes.positive,
            negative: votes.negative,
            neutral: votes.neutral,
            mixed: votes.mixed,
            uncertain: votes.uncertain,
            confirmed: votes.confirmed.into(),
            positive_share: Share::new(votes.positive, votes.judged()),
            confidence: Confidence::of(votes.judged()),
            trend: trend(&counted.months, at, ASPECT_MONTHS),
            sub_topics,
            co_mentioned: CoMentioned {
                technicians: of(MentionKind::Technician),
                services: of(MentionKind::Service),
                service_areas: of(MentionKind::ServiceArea),
            },
            quotes: both_sides(opinion_counts, ASPECT_QUOTES, originals),
            evidence_url: sources.links.evidence(&aspect.id),
        }
    });
    figures.collect()
}

/// The figures of all entities of the roster, in its order.
pub fn entity_figures(
    counted: &Counted,
    aspects: &[AspectDefinition],
    roster: &Roster,
    originals: &mut Originals<'_>,
) -> Entities {
    let mut of = |kind: MentionKind| {
        let entries = (0..).zip(&roster.entries);
        let of_kind = entries.filter(|(_, entry)| entry.kind == kind);
        of_kind
            .map(|(at, entry)| entity(counted, aspects, at, entry, originals))
            .collect()
    };
    Entities {
        technicians: of(MentionKind::Technician),
        services: of(MentionKind::Service),
        service_areas: of(MentionKind::ServiceArea),
    }
}

fn entity(
    counted: &Counted,
    aspects: &[AspectDefinition],
    at: usize,
    entry: &RosterEntry,
    originals: &mut Originals<'_>,
) -> Entity {
    let opinion_counts = &counted.entities[at];
    let votes = &opinion_counts.votes;
    let stated = entry.is_stated(votes.reviews()).then_some(votes);
    let judged = (0..).zip(aspects).filter_map(|(at_aspect, aspect)| {
        joint(counted, at_aspect, at, Some(&aspect.id), &aspect.label)
    });
    Entity {
        id: entry.id.clone(),
        name: entry.name.clone(),
        reviews: votes.reviews(),
        mentions: opinion_counts.mentions,
        ambiguous_mentions: opinion_counts.ambiguous,
        positive: stated.map(|votes| votes.positive),
        negative: stated.map(|votes| votes.negative),
        neutral: stated.map(|votes| votes.neutral),
        mixed: stated.map(|votes| votes.mixed),
        uncertain: stated.map(|votes| votes.uncertain),
        confirmed: stated.map(|votes| votes.confirmed.into()),
        positive_share: stated.and_then(|votes| Share::new(votes.positive, votes.judged())),
        confidence: stated.map(|votes| Confidence::of(votes.judged())),
        trend: stated.map(|_| trend(&counted.months, aspects.len() + at, ENTITY_MONTHS)),
        aspects: stated.map(|_| strongest(judged)),
        quotes: stated.map(|_| both_sides(opinion_counts, ENTITY_QUOTES, originals)),
    }
}

/// The reviews that mention both an aspect and an entity, of which `id` and `name` are the other one's; `None` if they are
/// too few.
fn joint(
    counted: &Counted,
    aspect: usize,
    entity: usize,
    id: Option<&String>,
    name: &str,
) -> Option<CoMention> {
    let reviews = counted.joint[entity * counted.aspects.len() + aspect];
    let [one, other] = [&counted.aspects[aspect], &counted.entities[entity]]
        .map(|opinion_counts| f64::from(opinion_counts.votes.reviews()));
    let both = f64::from(reviews) * f64::from(counted.corpus.analysed);
    (reviews >= JOINT_MIN).then(|| CoMention {
        id: id.cloned(),
        name: name.to_owned(),
        reviews,
        lift: round_to(both / (one * other), 1e1),
    })
}

fn strongest(joints: impl Iterator<Item = CoMention>) -> Vec<CoMention> {
    let mut joints: Vec<CoMention> = joints.collect();
    joints.sort_by_key(|joint| Reverse(joint.reviews));
    joints.truncate(JOINT_MAX);
    joints
}

/// Quotes of the larger side, and of the other side if that is shown.
pub fn both_sides(
    opinion_counts: &OpinionCounts,
    (more, less): (usize, usize),
    originals: &mut Originals<'_>,
) -> Vec<InsightQuote> {
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
