//! Questions that reviews answer: about the aspects and services with the most judgements, if the owner has not
//! answered them. Answers consist only of counts and quotes.

use super::figures::{Vote, VoteCounts};
use super::parts::{AspectFigures, EntityFigures, OpinionStats, both_sides};
use super::quotes::{Originals, Shortlist};
use super::summary::{NarrativeInput, REVIEWS_MIN, inside, list, quantifier, reviews};
use crate::insights::analysis::MentionKind;

/// Maximum number of questions; aspects and services have all figures in their own sections.
const ANSWERS_MAX: usize = 6;
/// Maximum number of quotes in an answer: for the larger side, and for the other.
const ANSWER_QUOTES: (usize, usize) = (1, 1);
/// Maximum number of aspects in the answer about a service.
const ASPECTS_MAX: usize = 2;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// `aspect-` or `service-` and the id.
    pub id: String,
    /// The aspect's question from the trade, or one about the service's name.
    pub question: String,
    /// Counts by polarity; for a service, its most judged aspects; and at most two quotes.
    pub answer: String,
    /// Id of the aspect, if the question is about one.
    pub aspect: Option<String>,
    /// Id of the service, if the question is about one.
    pub service: Option<String>,
    /// Ids of the quoted reviews.
    pub review_ids: Vec<String>,
    /// Number of positive and negative reviews in the counts whose votes the stars confirmed.
    pub confirmed: [u32; 2],
}

/// The subject of a question.
enum Subject<'a> {
    Aspect(usize, &'a AspectFigures),
    Service(usize, &'a EntityFigures, &'a OpinionStats),
}

impl Subject<'_> {
    fn judged(&self) -> u32 {
        match self {
            Self::Aspect(_, aspect) => aspect.said.votes.judged(),
            Self::Service(_, _, said) => said.votes.judged(),
        }
    }
}

/// The questions with the most judgements that the owner has not answered: about aspects, then about services, in the
/// order of their lists.
pub fn answers(input: &NarrativeInput<'_>, originals: &mut Originals<'_>) -> Vec<Answered> {
    let aspects = (input.aspects.iter().enumerate())
        .filter(|(_, aspect)| !input.answered.contains(aspect.id.as_str()))
        .map(|(at, aspect)| Subject::Aspect(at, aspect));
    let services = (input.entities.iter().enumerate())
        .filter(|(_, one)| one.kind == MentionKind::Service && one.id.is_some())
        .filter_map(|(at, one)| Some(Subject::Service(at, one, one.detail.as_ref()?)));
    let mut asked: Vec<(usize, Subject<'_>)> = aspects
        .chain(services)
        .filter(|subject| subject.judged() >= REVIEWS_MIN)
        .enumerate()
        .collect();
    asked.sort_by_key(|(_, subject)| std::cmp::Reverse(subject.judged()));
    asked.truncate(ANSWERS_MAX);
    asked.sort_by_key(|(at, _)| *at);
    asked
        .into_iter()
        .map(|(_, subject)| match subject {
            Subject::Aspect(at, aspect) => {
                of_aspect(aspect, &input.counted.aspects[at].quotes, originals)
            }
            Subject::Service(at, service, said) => {
                let quotes = &input.counted.entities[at].quotes;
                of_service(service, said, input.aspects, quotes, originals)
            }
        })
        .collect()
}

fn of_aspect(
    aspect: &AspectFigures,
    quotes: &[Shortlist; 2],
    originals: &mut Originals<'_>,
) -> Answered {
    let votes = &aspect.said.votes;
    let (quoted, review_ids) = quotes_and_authors(votes, quotes, originals);
    Answered {
        id: format!("aspect-{}", aspect.id),
        question: aspect.question.clone(),
        answer: counts(votes, "judge it") + &quoted,
        aspect: Some(aspect.id.clone()),
        service: None,
        review_ids,
        confirmed: votes.confirmed,
    }
}

fn of_service(
    service: &EntityFigures,
    said: &OpinionStats,
    aspects: &[AspectFigures],
    quotes: &[Shortlist; 2],
    originals: &mut Originals<'_>,
) -> Answered {
    let most = service
        .judged
        .iter()
        .filter(|joint| !aspects[joint.at].is_overall)
        .take(ASPECTS_MAX);
    let most: Vec<String> = most
        .map(|joint| {
            format!(
                "{} ({})",
                inside(&aspects[joint.at].label),
                reviews(joint.reviews)
            )
        })
        .collect();
    let judged = if most.is_empty() {
        String::new()
    } else {
        format!(" What they judge most: {}.", list(&most))
    };
    let (quoted, review_ids) = quotes_and_authors(&said.votes, quotes, originals);
    let id = service.id.clone().unwrap_or_default();
    Answered {
        id: format!("service-{id}"),
        question: format!("What do customers say about {}?", inside(&service.name)),
        answer: counts(&said.votes, "name it and judge something") + &judged + &quoted,
        aspect: None,
        service: Some(id),
        review_ids,
        confirmed: said.votes.confirmed,
    }
}

/// The counts with the larger side first, or praise first if the sides are equal.
fn counts(votes: &VoteCounts, what: &str) -> String {
    let is_praise = votes.positive >= votes.negative;
    let ((word, side), (other_word, other)) = if is_praise {
        (("positive", votes.positive), ("negative", votes.negative))
    } else {
        (("negative", votes.negative), ("positive", votes.positive))
    };
    let judged = votes.judged();
    let mixed = if votes.mixed > 0 {
        format!(", {} mixed", votes.mixed)
    } else {
        String::new()
    };
    let other = if other == 0 {
        "none".to_owned()
    } else {
        other.to_string()
    };
    format!(
        "{} reviews that {what} are {word}: {side} of {judged}; {other} {other_word}{mixed}.",
        quantifier(side, judged)
    )
}

/// Quotes of both sides that are used in no other section, and their authors.
fn quotes_and_authors(
    votes: &VoteCounts,
    quotes: &[Shortlist; 2],
    originals: &mut Originals<'_>,
) -> (String, Vec<String>) {
    let shown = both_sides(votes, quotes, ANSWER_QUOTES, originals);
    let text = shown.iter().map(|quote| {
        let kind = if quote.polarity == Vote::Negative {
            "Criticism"
        } else {
            "Praise"
        };
        format!(" {kind}: “{}”", quote.text)
    });
    (
        text.collect(),
        shown.iter().map(|quote| quote.review_id.clone()).collect(),
    )
}
