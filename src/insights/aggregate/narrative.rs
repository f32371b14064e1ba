//! The texts of the insights, from templates: the summary, and the questions that reviews answer. Quantifiers follow from shares, numbers are those of the aggregates, and each sentence
//! has its evidence. The rule for praise and blame is the same.

use std::cmp::Reverse;

use super::count::{Counted, OpinionCounts};
use super::input::{AggregateInput, PERSON_MIN, Roster};
use super::opinions::{SIDE_MIN, both_sides};
use super::quotes::Originals;
use crate::insights::trades::Trade;
use crate::model::text::within_sentence;
use crate::model::{MentionKind, Vote, VoteCounts};
use crate::wire::{
    Aspect, Entities, Entity, Faq, FaqBasis, InsightQuote, Share, SummaryEvidence, SummarySentence,
    SummaryTemplate,
};

/// Minimum number of reviews with a judgement for an answer.
pub const REVIEWS_MIN: u32 = 5;
/// From this number of reviews, a sentence needs `JUDGED_MIN` reviews with a judgement; with fewer reviews, one in
/// `JUDGED_PART` of them, and at least [`PERSON_MIN`].
const MANY_REVIEWS: u32 = 100;
const JUDGED_MIN: u32 = 10;
const JUDGED_PART: u32 = 10;
/// Many blame a business or an aspect if one in this number of the reviews that judge it does.
const BLAMED_PART: u32 = 5;
/// Maximum number of names in one sentence, which has one `and`.
const NAMES_MAX: usize = 3;
/// Maximum number of review ids in a sentence's evidence.
const IDS_MAX: usize = 3;

/// The counted insights, from which the summary and the answers are made.
pub struct NarrativeInput<'a> {
    pub sources: &'a AggregateInput<'a>,
    /// The counts, with the quotable sentences.
    pub counted: &'a Counted,
    pub roster: &'a Roster,
    /// All aspects of the trade, in its order.
    pub aspects: &'a [Aspect],
    /// The most frequent complaint.
    pub complaint: Option<&'a Complaint>,
    /// All entities of the roster, in its order.
    pub entities: &'a Entities,
}

/// The sentences in a fixed order: all reviews, the most praised aspect, the most criticised one, names of people, names
/// of services. An aspect has one sentence.
pub fn sentences(input: &NarrativeInput<'_>) -> Vec<SummarySentence> {
    let praised = most_judged_aspect(input.counted, input.sources.trade, true);
    let is_divided = |complaint: &Complaint| praised == Some(complaint.aspect);
    // Where few of the judgements of the most praised aspect are complaints, it is not what is complained of most.
    let complaint = input.complaint.filter(|complaint| {
        let votes = &input.counted.aspects[complaint.aspect].votes;
        !is_divided(complaint) || votes.side(false) * BLAMED_PART >= votes.judged()
    });
    let of_complaint = |complaint: &Complaint| {
        let template = if is_divided(complaint) {
            SummaryTemplate::AspectDivided
        } else {
            SummaryTemplate::AspectNegative
        };
        of_aspect(input, template, complaint.aspect, complaint.quote.as_ref())
    };
    let of_praise = |at| of_aspect(input, SummaryTemplate::AspectPositive, at, None);
    let sentences = [
        overall(input),
        praised
            .filter(|_| !complaint.is_some_and(is_divided))
            .map(of_praise),
        complaint.map(of_complaint),
        names(input, MentionKind::Technician),
        names(input, MentionKind::Service),
    ];
    sentences.into_iter().flatten().collect()
}

/// Minimum number of reviews behind a figure of the summary.
fn figure_min(counted: &Counted) -> u32 {
    match counted.corpus.reviews {
        MANY_REVIEWS.. => JUDGED_MIN,
        few => few.div_ceil(JUDGED_PART).max(PERSON_MIN),
    }
}

/// A sentence whose only evidence are these figures.
fn sentence(template: SummaryTemplate, text: String, figures: &[(&str, u32)]) -> SummarySentence {
    let figures = figures
        .iter()
        .map(|(name, figure)| ((*name).to_owned(), *figure));
    SummarySentence {
        text,
        template,
        evidence: SummaryEvidence {
            figures: figures.collect(),
            ..SummaryEvidence::default()
        },
    }
}

fn overall(input: &NarrativeInput<'_>) -> Option<SummarySentence> {
    let votes = &input.counted.corpus.overall;
    let (positive, negative, judged) = (votes.positive, votes.negative, votes.judged());
    let ((more, how), (fewer, how_else)) = if positive >= negative {
        ((positive, "well"), (negative, "badly"))
    } else {
        ((negative, "badly"), (positive, "well"))
    };
    let rest = match fewer {
        0 => format!("none speaks {how_else} of it"),
        1 => format!("1 speaks {how_else} of it"),
        some => format!("{some} speak {how_else} of it"),
    };
    let name = &input.sources.business.name;
    let text = if positive == negative {
        format!(
            "The {judged} reviews that judge {name} as a whole are divided: {positive} positive, {negative} negative."
        )
    } else {
        let quantifier = quantifier(more, judged);
        format!(
            "{quantifier} of the {judged} reviews that judge {name} as a whole speak {how} of it ({more}); {rest}."
        )
    };
    let figures = [
        ("positive", positive),
        ("negative", negative),
        ("judged", judged),
    ];
    (judged >= figure_min(input.counted))
        .then(|| sentence(SummaryTemplate::Overall, text, &figures))
}

/// Whether at least as many reviews judge as are uncertain; otherwise there is no sentence.
const fn is_decided(votes: &VoteCounts) -> bool {
    votes.uncertain <= votes.judged()
}

/// Whether rules judge an aspect in at least half of its judgements; otherwise there is no sentence: the classifier alone
/// has the right aspect in 3 of 5 complaints of real reviews, the rules in 9 of 10.
const fn is_ruled(counts: &OpinionCounts) -> bool {
    counts.ruled * 2 >= counts.votes.judged()
}

/// The aspect with the most praise or the most blame, other than the firm as a whole; of equal ones, that with the larger
/// share. The side needs [`SIDE_MIN`] reviews; praise needs more than half of the judgements, and blame [`REVIEWS_MIN`].
pub fn most_judged_aspect(counted: &Counted, trade: &Trade, is_praise: bool) -> Option<usize> {
    let least = if is_praise {
        figure_min(counted)
    } else {
        figure_min(counted).max(REVIEWS_MIN)
    };
    let aspects = counted.aspects.iter().enumerate();
    aspects
        .filter(|(_, counts)| is_ruled(counts))
        .map(|(at, counts)| (at, &counts.votes))
        .filter(|(at, votes)| {
            trade.overall != Some(*at)
                && is_decided(votes)
                && votes.judged() >= least
                && votes.side(is_praise) >= SIDE_MIN
                && (!is_praise || votes.side(true) * 2 > votes.judged())
        })
        .max_by_key(|(at, votes)| {
            let by_share = Reverse(votes.judged());
            (votes.side(is_praise), by_share, Reverse(*at))
        })
        .map(|(at, _)| at)
}

/// Praise of an aspect, blame, or both, with quotes as evidence.
fn of_aspect(
    input: &NarrativeInput<'_>,
    template: SummaryTemplate,
    at: usize,
    quote: Option<&InsightQuote>,
) -> SummarySentence {
    let (aspect, votes) = (&input.aspects[at], &input.counted.aspects[at].votes);
    let (positive, negative, judged) = (votes.side(true), votes.side(false), votes.judged());
    let (vote, side) = if template == SummaryTemplate::AspectPositive {
        (Vote::Positive, positive)
    } else {
        (Vote::Negative, negative)
    };
    let sign = vote.name();
    let mut figures = vec![(sign, side), ("judged", judged)];
    let text = if template == SummaryTemplate::AspectDivided {
        figures.push((Vote::Positive.name(), positive));
        format!(
            "reviews that judge it are divided ({positive} of {judged} positive, {negative} negative)"
        )
    } else if judged < JUDGED_MIN {
        format!("{side} of {judged} reviews that judge it are {sign}")
    } else {
        let few = within_sentence(quantifier(side, judged));
        format!("{few} reviews that judge it are {sign} ({side} of {judged})")
    };
    let mut sentence = sentence(template, format!("{}: {text}.", aspect.label), &figures);
    let quotes = aspect.quotes.iter();
    let quotes = quotes.filter(|quote| quote.polarity == vote.into());
    sentence.evidence.aspect = Some(aspect.id.clone());
    sentence.evidence.review_ids = ids(quote.into_iter().chain(quotes));
    sentence.evidence.quote = quote.cloned();
    sentence
}

fn ids<'a>(quotes: impl Iterator<Item = &'a InsightQuote>) -> Vec<String> {
    quotes
        .take(IDS_MAX)
        .map(|quote| quote.review_id.clone())
        .collect()
}

/// The most frequently named people or services.
fn names(input: &NarrativeInput<'_>, kind: MentionKind) -> Option<SummarySentence> {
    let is_person = kind == MentionKind::Technician;
    let (template, whom) = if is_person {
        (SummaryTemplate::Technicians, "Whom")
    } else {
        (SummaryTemplate::Services, "What")
    };
    let least = figure_min(input.counted);
    let entities = input.entities.of(kind).iter();
    let mut most: Vec<&Entity> = entities.filter(|one| one.reviews >= least).collect();
    most.sort_by_key(|one| Reverse(one.reviews));
    most.truncate(NAMES_MAX);
    let mut named = most.iter().map(|one| {
        let name = if is_person {
            one.name.clone()
        } else {
            within_sentence(&one.name)
        };
        format!("{name} ({} reviews)", one.reviews)
    });
    let first = named.next()?;
    let rest = named.collect::<Vec<_>>().join(" and ");
    let then = if rest.is_empty() { "" } else { ", then " };
    let text = format!("{whom} reviews name most: {first}{then}{rest}.");
    let mut names = sentence(template, text, &[]);
    let ranked = (1..).zip(&most);
    names.evidence.figures = ranked
        .map(|(rank, one)| (format!("reviews_{rank}"), one.reviews))
        .collect();
    let called = |one: &&Entity| one.id.clone().unwrap_or_else(|| one.name.clone());
    names.evidence.entities = Some(most.iter().map(called).collect());
    names.evidence.review_ids = ids(most.iter().filter_map(|one| one.quotes.as_ref()?.first()));
    Some(names)
}

// The words of the sentences: quantifiers that follow from intervals of shares, and labels.

/// The quantifier for a share. `Some`, `Many` and `Most` claim no more than the lower end of the share's 95 % interval
/// allows; `Few` requires that even its upper end is small.
pub fn quantifier(part: u32, of: u32) -> &'static str {
    let Some(share) = Share::new(part, of) else {
        return "Few";
    };
    match share.ci95[0] {
        _ if share.ci95[1] < 0.1 => "Few",
        0.5.. => "Most",
        0.3.. => "Many",
        0.1.. => "Some",
        _ if u64::from(part) * 10 < u64::from(of) => "Few",
        _ => "Some",
    }
}

/// What is criticised most.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Index of the aspect.
    pub aspect: usize,
    /// A sentence that blames the aspect.
    pub quote: Option<InsightQuote>,
}

impl Complaint {
    /// A sentence that is quoted elsewhere is repeated only if there is no other.
    pub fn about(aspect: usize, counted: &Counted, originals: &mut Originals<'_>) -> Self {
        let [_, blame] = &counted.aspects[aspect].quotes;
        let places = || (blame.best.iter()).map(|one| (one.position, one.finding.sentence));
        let vote = Vote::Negative;
        let quote = places().find_map(|(at, sentence)| originals.quote(at, sentence, vote));
        let again = |(at, sentence)| originals.quote_again(at, sentence, vote);
        Self {
            aspect,
            quote: quote.or_else(|| places().find_map(again)),
        }
    }
}

/// Maximum number of questions; aspects and services have all figures in their own sections.
const ANSWERS_MAX: usize = 6;
/// Maximum number of quotes in an answer: for the larger side, and for the other.
const ANSWER_QUOTES: (usize, usize) = (1, 1);

/// The questions with the most judgements that the owner has not answered: about aspects, then about services, in the
/// order of their lists.
pub fn answers(input: &NarrativeInput<'_>, originals: &mut Originals<'_>) -> Vec<Faq> {
    let (counted, trade) = (input.counted, input.sources.trade);
    // In few reviews of a business that many blame, praise alone is no answer.
    let whole = &counted.corpus.overall;
    let is_blamed = whole.negative * BLAMED_PART >= whole.judged();
    let is_judged = |counts: &OpinionCounts| {
        let votes = &counts.votes;
        let is_praise_alone = votes.positive == votes.judged() && votes.positive < JUDGED_MIN;
        votes.judged() >= REVIEWS_MIN && is_decided(votes) && !(is_blamed && is_praise_alone)
    };
    let mut questions: Vec<(&OpinionCounts, Faq)> = Vec::new();
    for (aspect, counts) in trade.aspects.iter().zip(&counted.aspects) {
        let is_known = input.sources.answered.contains(&aspect.id);
        if is_known || !is_ruled(counts) || !is_judged(counts) {
            continue;
        }
        let answered = Faq {
            id: format!("aspect-{}", aspect.id),
            question: aspect.question.clone(),
            answer: both_counts(&counts.votes, "judge it"),
            basis: FaqBasis::Reviews,
            aspect: Some(aspect.id.clone()),
            service: None,
            evidence: None,
        };
        questions.push((counts, answered));
    }
    let counts = input
        .roster
        .entries
        .iter()
        .zip(&counted.entities)
        .filter(|(entry, _)| entry.kind == MentionKind::Service);
    for (service, (_, counts)) in input.entities.services.iter().zip(counts) {
        let Some(id) = service.id.as_ref().filter(|_| is_judged(counts)) else {
            continue;
        };
        let answered = Faq {
            id: format!("service-{id}"),
            question: format!(
                "What do customers say about {}?",
                within_sentence(&service.name)
            ),
            answer: both_counts(&counts.votes, "name it and judge something"),
            basis: FaqBasis::Reviews,
            aspect: None,
            service: Some(id.clone()),
            evidence: None,
        };
        questions.push((counts, answered));
    }
    let mut questions: Vec<_> = questions.into_iter().enumerate().collect();
    questions.sort_by_key(|(_, (counts, _))| Reverse(counts.votes.judged()));
    questions.truncate(ANSWERS_MAX);
    questions.sort_by_key(|(at, _)| *at);
    let mut answers = Vec::with_capacity(questions.len());
    for (_, (counts, mut answered)) in questions {
        let quotes = both_sides(counts, ANSWER_QUOTES, originals);
        for quote in &quotes {
            let kind = if quote.polarity == Vote::Negative.into() {
                " Criticism: “"
            } else {
                " Praise: “"
            };
            answered.answer += &[kind, &quote.text, "”"].concat();
        }
        let review_ids = quotes.into_iter().map(|quote| quote.review_id);
        answered.evidence = Some(review_ids.collect());
        answers.push(answered);
    }
    answers
}

/// The counts with the larger side first.
fn both_counts(votes: &VoteCounts, what: &str) -> String {
    let (praise, blame) = (("positive", votes.positive), ("negative", votes.negative));
    let ((word, side), (other_word, other)) = if praise.1 >= blame.1 {
        (praise, blame)
    } else {
        (blame, praise)
    };
    let judged = votes.judged();
    let mixed = match votes.mixed {
        0 => String::new(),
        some => format!(", {some} mixed"),
    };
    let share = if side == other {
        format!("Reviews that {what} are divided: {side} of {judged} are {word}")
    } else if judged < JUDGED_MIN {
        format!("{side} of {judged} reviews that {what} are {word}")
    } else {
        let many = quantifier(side, judged);
        format!("{many} reviews that {what} are {word}: {side} of {judged}")
    };
    let other = match other {
        0 => "none".to_owned(),
        some => some.to_string(),
    };
    format!("{share}; {other} {other_word}{mixed}.")
}

#[cfg(test)]
mod tests {
    use super::quantifier;
    use crate::model::text::within_sentence;

    #[test]
    fn a_quantifier_is_chosen_from_the_confidence_interval() {
        let words = [
            (3, 100),
            (9, 100),
            (20, 100),
            (45, 100),
            (58, 100),
            (61, 100),
            (5, 5),
            (3, 4),
            (0, 0),
        ];
        assert_eq!(
            words.map(|(part, of)| quantifier(part, of)),
            [
                "Few", "Few", "Some", "Many", "Many", "Most", "Most", "Many", "Few"
            ]
        );
    }

    #[test]
    fn a_label_within_a_sentence_is_in_lower_case_unless_short() {
        assert_eq!(
            ["Response time", "AC repair", ""].map(within_sentence),
            ["response time", "AC repair", ""]
        );
    }
}
