//! Questions that the reviews answer: of aspects and services those that most of them judge, where
//! the firm itself has no answer. Answers are counts and words of customers; nothing else is
//! claimed.

use super::figures::{Vote, VoteCounts};
use super::parts::{AspectFigures, EntityFigures, OpinionStats, is_shown};
use super::quotes::CustomerQuote;
use super::summary::{NarrativeInput, REVIEWS_MIN, inside, list, quantifier, reviews};
use crate::insights::analysis::MentionKind;

/// How many questions are answered: the aspects and services themselves have all of this.
const ANSWERS_MAX: usize = 6;
/// How many aspects are told of a service.
const ASPECTS_MAX: usize = 2;

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// `aspect-` or `service-` and the id.
    pub id: String,
    /// The aspect's question from the trade, or one made of the service's name.
    pub question: String,
    /// Counts by polarity, for a service what is judged most, and at most two quotes.
    pub answer: String,
    /// The aspect that it is about.
    pub aspect: Option<String>,
    /// The service that it is about.
    pub service: Option<String>,
    /// The reviews that are quoted.
    pub review_ids: Vec<String>,
    /// How many of the positive and of the negative reviews that are counted the stars confirmed.
    pub confirmed: [u32; 2],
}

/// The questions that most reviews judge and the firm does not answer: of aspects, then of services, in their order.
pub fn answers(input: &NarrativeInput<'_>) -> Vec<Answered> {
    let aspects = input
        .aspects
        .iter()
        .filter(|aspect| !input.answered.contains(aspect.id.as_str()))
        .map(|aspect| (aspect.said.votes.judged(), of_aspect(aspect)));
    let services = input
        .entities
        .iter()
        .filter(|one| one.kind == MentionKind::Service)
        .filter_map(|one| {
            let judged = one.detail.as_ref()?.votes.judged();
            Some((judged, of_service(one, input.aspects)?))
        });
    let asked = aspects.chain(services);
    let mut asked: Vec<(usize, (u32, Answered))> = asked
        .filter(|(judged, _)| *judged >= REVIEWS_MIN)
        .enumerate()
        .collect();
    asked.sort_by_key(|(_, (judged, _))| std::cmp::Reverse(*judged));
    asked.truncate(ANSWERS_MAX);
    asked.sort_by_key(|(at, _)| *at);
    asked
        .into_iter()
        .map(|(_, (_, answered))| answered)
        .collect()
}

fn of_aspect(aspect: &AspectFigures) -> Answered {
    let (quoted, review_ids) = quotes_and_authors(&aspect.said);
    Answered {
        id: format!("aspect-{}", aspect.id),
        question: aspect.question.clone(),
        answer: counts(&aspect.said.votes, "judge it") + &quoted,
        aspect: Some(aspect.id.clone()),
        service: None,
        review_ids,
        confirmed: aspect.said.votes.confirmed,
    }
}

fn of_service(service: &EntityFigures, aspects: &[AspectFigures]) -> Option<Answered> {
    let (id, said) = (service.id.as_ref()?, service.detail.as_ref()?);
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
    let (quoted, review_ids) = quotes_and_authors(said);
    Some(Answered {
        id: format!("service-{id}"),
        question: format!("What do customers say about {}?", inside(&service.name)),
        answer: counts(&said.votes, "name it and judge something") + &judged + &quoted,
        aspect: None,
        service: Some(id.clone()),
        review_ids,
        confirmed: said.votes.confirmed,
    })
}

/// The larger side first; praise where they are equal.
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

/// The first words of either side, and whose they are.
fn quotes_and_authors(said: &OpinionStats) -> (String, Vec<String>) {
    let first = said.quotes.first();
    let other = said
        .quotes
        .iter()
        .find(|quote| first.is_some_and(|first| first.polarity != quote.polarity));
    // Praise twice would hide blame that is there, and no sentence of which can be quoted.
    let votes = &said.votes;
    let smaller = votes.positive.min(votes.negative) + votes.mixed;
    let has_two_sides = is_shown(smaller, votes.judged());
    let second = other.or_else(|| said.quotes.get(1).filter(|_| !has_two_sides));
    let shown: Vec<&CustomerQuote> = first.into_iter().chain(second).collect();
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
