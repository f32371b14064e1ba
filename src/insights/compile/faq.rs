//! Questions that the reviews answer: one for each aspect and each service that enough of them speak of. Answers are counts and
//! words of customers; nothing else is claimed.

use super::figures::Vote;
use super::parts::{Aspect, Entity, Said};
use super::quotes::Quote;
use super::summary::{REVIEWS_MIN, Told};
use super::words::{inside, list, quantifier, reviews};
use crate::insights::reading::Kind;

/// How many aspects are told of a service.
const ASPECTS_MAX: usize = 2;

/// A question with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// `aspect-` or `service-` and the id.
    pub id: String,
    /// The question.
    pub question: String,
    /// The answer.
    pub answer: String,
    /// The aspect that it is about.
    pub aspect: Option<String>,
    /// The service that it is about.
    pub service: Option<String>,
    /// The reviews that are quoted.
    pub review_ids: Vec<String>,
}

/// The questions: of aspects, then of services, in their order.
pub fn answers(told: &Told<'_>) -> Vec<Answered> {
    let aspects = told.aspects.iter().filter(|aspect| aspect.said.votes.judged() >= REVIEWS_MIN).map(of_aspect);
    let services = told.entities.iter().filter(|one| one.kind == Kind::Service && one.reviews >= REVIEWS_MIN);
    aspects.chain(services.filter_map(|service| of_service(service, told.aspects))).collect()
}

fn of_aspect(aspect: &Aspect) -> Answered {
    let votes = &aspect.said.votes;
    let judged = votes.judged();
    let counts = format!(
        "{} reviews that judge {} are positive: {} of {judged}, {} negative{}.",
        quantifier(votes.positive, judged),
        inside(&aspect.label),
        votes.positive,
        votes.negative,
        if votes.mixed > 0 { format!(" and {} mixed", votes.mixed) } else { String::new() }
    );
    let (quoted, review_ids) = quoted(&aspect.said);
    Answered {
        id: format!("aspect-{}", aspect.id),
        question: aspect.question.clone(),
        answer: counts + &quoted,
        aspect: Some(aspect.id.clone()),
        service: None,
        review_ids,
    }
}

fn of_service(service: &Entity, aspects: &[Aspect]) -> Option<Answered> {
    let (id, (said, overall)) = (service.id.as_ref()?, service.detail.as_ref()?);
    let verb = if service.reviews == 1 { "names" } else { "name" };
    let counts = format!(
        "{} {verb} it; as a whole {} of them {} positive and {} negative.",
        reviews(service.reviews),
        overall.positive,
        if overall.positive == 1 { "is" } else { "are" },
        overall.negative
    );
    let most = service.judged.iter().filter(|joint| aspects[joint.at].id != "overall").take(ASPECTS_MAX);
    let most: Vec<String> =
        most.map(|joint| format!("{} ({})", inside(&aspects[joint.at].label), reviews(joint.reviews))).collect();
    let judged = if most.is_empty() { String::new() } else { format!(" What they judge most: {}.", list(&most)) };
    let (quoted, review_ids) = quoted(said);
    Some(Answered {
        id: format!("service-{id}"),
        question: format!("What do customers say about {}?", inside(&service.name)),
        answer: counts + &judged + &quoted,
        aspect: None,
        service: Some(id.clone()),
        review_ids,
    })
}

/// The first words of either side, and whose they are.
fn quoted(said: &Said) -> (String, Vec<String>) {
    let first = said.quotes.first();
    let other = said.quotes.iter().find(|quote| first.is_some_and(|first| first.polarity != quote.polarity));
    let second = other.or_else(|| said.quotes.get(1));
    let shown: Vec<&Quote> = first.into_iter().chain(second).collect();
    let text = shown.iter().map(|quote| {
        let who = if quote.polarity == Vote::Negative { "One of the unhappy customers" } else { "One of the happy customers" };
        format!(" {who} writes: “{}”", quote.text)
    });
    (text.collect(), shown.iter().map(|quote| quote.review_id.clone()).collect())
}
