//! The texts of the insights, from templates: the summary, with the most frequent phrase of the complaints, and the
//! questions that reviews answer. Quantifiers follow from shares, numbers are those of the aggregates, and each sentence
//! has its evidence. The rule for praise and blame is the same.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::count::{Counted, OpinionCounts};
use super::input::AggregateInput;
use super::keyphrases::OwnNames;
use super::opinions::{SIDE_MIN, SIDE_PART, both_sides};
use super::quotes::{Originals, quote_rank};
use super::roster::{PERSON_MIN, Roster};
use super::topics::things;
use crate::insights::analysis::{Polarity, TextLanguage};
use crate::insights::packed_analysis::{PackedAnalysisRef, PackedFinding};
use crate::insights::trades::Trade;
use crate::model::{MentionKind, Vote, VoteCounts};
use crate::wire::{
    Aspect, Direction, Entities, Entity, Evidence, Faq, FaqBasis, Quote, Sentence, Share, Topic,
    TrendBasis,
};

/// Minimum number of reviews with a judgement for a sentence.
pub const REVIEWS_MIN: u32 = 5;
/// Maximum number of aspects mentioned for each side.
const SIDES_MAX: usize = 3;
/// Maximum number of names in one sentence.
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
    /// The complaints about the mentioned aspects, the clearest first.
    pub complaints: &'a [Complaint],
    /// All entities of the roster, in its order.
    pub entities: &'a Entities,
}

/// The sentences in a fixed order: all reviews, unrecognized discontent, praise, blame, trends, names, topics.
pub fn sentences(input: &NarrativeInput<'_>, topics: &[Topic]) -> Vec<Sentence> {
    let mut sentences = Vec::new();
    sentences.extend(overall(input));
    sentences.extend(unheard(input));
    let praised = told_sides(input.counted, input.sources.trade, true);
    for (rank, at) in praised.into_iter().enumerate() {
        sentences.push(side(input, at, rank, None));
    }
    for (rank, complaint) in input.complaints.iter().enumerate() {
        sentences.push(side(input, complaint.aspect, rank, Some(complaint)));
    }
    let aspects = input.aspects.iter().zip(&input.counted.aspects);
    let decided = aspects.filter(|(_, counts)| is_decided(&counts.votes));
    sentences.extend(decided.filter_map(|(aspect, _)| trend(aspect)));
    sentences.extend(names(input, MentionKind::Technician, "technicians", "Whom"));
    sentences.extend(names(input, MentionKind::Service, "services", "What"));
    sentences.extend(keyphrases(topics));
    sentences
}

/// A sentence whose only evidence are these figures.
fn sentence(template: &str, text: String, figures: &[(&str, u32)]) -> Sentence {
    let figures = figures.iter();
    let figures = figures.map(|(name, figure)| ((*name).to_owned(), *figure));
    Sentence {
        text,
        template: template.to_owned(),
        evidence: Evidence {
            figures: figures.collect(),
            ..Evidence::default()
        },
    }
}

fn overall(input: &NarrativeInput<'_>) -> Option<Sentence> {
    let votes = &input.counted.corpus.overall;
    let (positive, negative, judged) = (votes.positive, votes.negative, votes.judged());
    let rest = match negative {
        0 => "none speaks badly of it".to_owned(),
        1 => "1 speaks badly of it".to_owned(),
        some => format!("{some} speak badly of it"),
    };
    let (quantifier, name) = (quantifier(positive, judged), &input.sources.business.name);
    let text = format!(
        "{quantifier} of the {judged} reviews that judge {name} as a whole speak well of it ({positive}); {rest}."
    );
    let figures = [
        ("positive", positive),
        ("negative", negative),
        ("judged", judged),
    ];
    (judged >= REVIEWS_MIN).then(|| sentence("overall", text, &figures))
}

/// A sentence about the reviews with few stars that do not read as negative, and so are missing from the other figures.
fn unheard(input: &NarrativeInput<'_>) -> Option<Sentence> {
    let (reviews, unheard) = input.counted.corpus.discontent;
    let was = if unheard == 1 { "was" } else { "were" };
    let text =
        format!("{unheard} of {reviews} reviews with one or two stars {was} not read as negative.");
    let figures = [("unheard", unheard), ("reviews", reviews)];
    (reviews >= REVIEWS_MIN && unheard > 0).then(|| sentence("unheard", text, &figures))
}

/// Whether at most half of the votes are uncertain; otherwise there is no sentence.
fn is_decided(votes: &VoteCounts) -> bool {
    votes.uncertain * 2 <= votes.reviews()
}

/// The indices of the aspects with the clearest praise or blame, by the lower end of the share's interval. A side needs
/// three reviews and one in ten of the reviews with a judgement; the clearest aspect needs only the three reviews.
pub fn told_sides(counted: &Counted, trade: &Trade, is_praise: bool) -> Vec<usize> {
    let votes = counted.aspects.iter().map(|aspect| &aspect.votes);
    let mut clearest: Vec<(f64, usize, bool)> = votes
        .enumerate()
        .filter(|(at, votes)| trade.overall != Some(*at) && is_decided(votes))
        .filter_map(|(at, votes)| {
            let (side, judged) = (votes.side(is_praise), votes.judged());
            let share = Share::new(side, judged)?;
            (judged >= REVIEWS_MIN && side >= SIDE_MIN)
                .then(|| (share.ci95[0], at, side * SIDE_PART >= judged))
        })
        .collect();
    clearest.sort_by(|one, other| other.0.total_cmp(&one.0));
    let ranked = clearest.into_iter().enumerate();
    let told = ranked.filter(|(rank, (_, _, is_large))| *rank == 0 || *is_large);
    told.take(SIDES_MAX).map(|(_, (_, at, _))| at).collect()
}

/// Praise of an aspect or, with a `complaint`, blame, followed by the phrase of the most complaints. The wording
/// changes with the rank among the sentences of its kind, so that three consecutive sentences are never alike.
fn side(
    input: &NarrativeInput<'_>,
    at: usize,
    rank: usize,
    complaint: Option<&Complaint>,
) -> Sentence {
    let (aspect, votes) = (&input.aspects[at], &input.counted.aspects[at].votes);
    let (template, vote, confirmed) = match complaint {
        None => ("aspect_positive", Vote::Positive, votes.confirmed[0]),
        Some(_) => ("aspect_negative", Vote::Negative, votes.confirmed[1]),
    };
    let (label, name, sign) = (&aspect.label, inside(&aspect.label), vote.name());
    let (side, judged) = (votes.side(complaint.is_none()), votes.judged());
    let quantifier = quantifier(side, judged);
    let few = inside(quantifier);
    let mut text = match (rank, vote) {
        (0, _) => format!("{label}: {few} reviews that judge it are {sign} ({side} of {judged})"),
        (1, Vote::Positive) => {
            format!("{label}: praise in {few} reviews that judge it ({side} of {judged})")
        }
        (1, _) => format!(
            "{quantifier} reviews complain about {name} ({side} of the {judged} that judge it)"
        ),
        _ => format!("Of the {judged} reviews that judge {name}, {few} are {sign} ({side})"),
    };
    let phrase = complaint.and_then(|complaint| complaint.phrase.as_ref());
    let mut figures = vec![(sign, side), ("judged", judged), ("confirmed", confirmed)];
    if let Some(phrase) = phrase {
        let mut count = reviews(phrase.reviews);
        if let Some(newest) = phrase.newest {
            count = format!("{} of the {newest} newest complaints", phrase.reviews);
            figures.push(("newest", newest));
        }
        text += &[", often about “", &phrase.words, "” (", &count, ")"].concat();
        figures.push(("with_phrase", phrase.reviews));
    }
    text.push('.');
    let mut told = sentence(template, text, &figures);
    let quote = complaint.and_then(|complaint| complaint.quote.as_ref());
    let quotes = aspect.quotes.iter();
    let quotes = quotes.filter(|quote| quote.polarity == vote.into());
    told.evidence.aspect = Some(aspect.id.clone());
    told.evidence.topics = phrase.map(|phrase| vec![phrase.words.clone()]);
    told.evidence.review_ids = ids(quote.into_iter().chain(quotes));
    told.evidence.quote = quote.cloned();
    told
}

fn ids<'a>(quotes: impl Iterator<Item = &'a Quote>) -> Vec<String> {
    quotes
        .take(IDS_MAX)
        .map(|quote| quote.review_id.clone())
        .collect()
}

fn trend(aspect: &Aspect) -> Option<Sentence> {
    let word = match aspect.trend.direction {
        Direction::Up => "more",
        Direction::Down => "less",
        Direction::Flat | Direction::Unknown => return None,
    };
    let TrendBasis {
        recent, previous, ..
    } = aspect.trend.basis.as_ref()?;
    let text = format!(
        "{}: reviews have become {word} positive, {} of {} in the last half year against {} of {} in the one before.",
        aspect.label, recent.positive, recent.judged, previous.positive, previous.judged
    );
    let figures = [
        ("recent_positive", recent.positive),
        ("recent_judged", recent.judged),
        ("previous_positive", previous.positive),
        ("previous_judged", previous.judged),
        ("recent_confirmed", recent.confirmed.positive),
        ("previous_confirmed", previous.confirmed.positive),
    ];
    let mut trend = sentence("trend", text, &figures);
    trend.evidence.aspect = Some(aspect.id.clone());
    trend.evidence.review_ids = ids(aspect.quotes.iter());
    Some(trend)
}

/// The most frequently named entities, each named in at least three reviews.
fn names(
    input: &NarrativeInput<'_>,
    kind: MentionKind,
    template: &str,
    whom: &str,
) -> Option<Sentence> {
    let entities = input.entities.of(kind).iter();
    let mut most: Vec<&Entity> = entities.filter(|one| one.reviews >= PERSON_MIN).collect();
    most.sort_by_key(|one| Reverse(one.reviews));
    most.truncate(NAMES_MAX);
    let (first, rest) = most.split_first()?;
    let with_count = |one: &&Entity| {
        let name = match kind {
            MentionKind::Technician => one.name.clone(),
            MentionKind::Service | MentionKind::ServiceArea => inside(&one.name),
        };
        format!("{name} ({})", reviews(one.reviews))
    };
    let mut then = list(&rest.iter().map(with_count).collect::<Vec<_>>());
    if !then.is_empty() {
        then.insert_str(0, ", then ");
    }
    let text = format!("{whom} reviews name most: {}{then}.", with_count(first));
    let mut names = sentence(template, text, &[]);
    names.evidence.figures = by_rank(most.iter().map(|one| one.reviews));
    let called = |one: &&Entity| one.id.clone().unwrap_or_else(|| one.name.clone());
    names.evidence.entities = Some(most.iter().map(called).collect());
    names.evidence.review_ids = ids(most.iter().filter_map(|one| one.quotes.as_ref()?.first()));
    Some(names)
}

/// The numbers of reviews by rank, from 1.
fn by_rank(reviews: impl Iterator<Item = u32>) -> BTreeMap<String, u32> {
    let ranked = (1..).zip(reviews);
    ranked
        .map(|(rank, reviews)| (format!("reviews_{rank}"), reviews))
        .collect()
}

fn keyphrases(topics: &[Topic]) -> Option<Sentence> {
    let most = topics.iter().filter(|topic| topic.reviews >= REVIEWS_MIN);
    let most: Vec<&Topic> = most.take(NAMES_MAX).collect();
    let phrases: Vec<String> = most
        .iter()
        .map(|topic| format!("“{}” ({})", topic.phrase, reviews(topic.reviews)))
        .collect();
    let text = format!("Words that stand out: {}.", list(&phrases));
    let mut words = sentence("topics", text, &[]);
    words.evidence.figures = by_rank(most.iter().map(|topic| topic.reviews));
    words.evidence.topics = Some(most.iter().map(|topic| topic.phrase.clone()).collect());
    words.evidence.review_ids = ids(most.iter().filter_map(|topic| topic.quote.as_ref()));
    (!most.is_empty()).then_some(words)
}

// The words of the sentences: quantifiers that follow from intervals of shares, plurals, lists.

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

/// `1 review`, `2 reviews`.
pub fn reviews(count: u32) -> String {
    if count == 1 {
        "1 review".to_owned()
    } else {
        format!("{count} reviews")
    }
}

/// `one`, `one and two`, `one, two and three`.
pub fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// A label within a sentence: `Response time` becomes `response time`, but `AC repair` stays.
pub fn inside(label: &str) -> String {
    let mut characters = label.chars();
    let (Some(first), second) = (characters.next(), characters.next()) else {
        return String::new();
    };
    if second.is_some_and(char::is_uppercase) {
        return label.to_owned();
    }
    first
        .to_lowercase()
        .chain(second)
        .chain(characters)
        .collect()
}

/// Maximum number of complaints about an aspect that are read, the newest first.
const READ_MAX: usize = 60;
/// A phrase is shared by at least this many complaints, and by one in `SHARED_PART` of those that are read.
const SHARED_MIN: usize = 2;
const SHARED_PART: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// Index of the aspect.
    pub aspect: usize,
    pub phrase: Option<SharedPhrase>,
    /// A sentence of a complaint, with the phrase if there is one.
    pub quote: Option<Quote>,
}

/// The phrase of the most complaints; of equally frequent ones the longest, then the alphabetically first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPhrase {
    pub words: String,
    /// Number of complaints with the phrase among those that are read.
    pub reviews: u32,
    /// The number of complaints that are read; `None` if these are all.
    pub newest: Option<u32>,
}

/// A sentence that blames an aspect: the position of its review, its packed analysis, and the finding.
type Blame<'a> = (u32, PackedAnalysisRef<'a>, PackedFinding);

impl Complaint {
    pub fn about(
        aspect: usize,
        sources: &AggregateInput<'_>,
        counted: &Counted,
        own_names: &OwnNames,
        originals: &mut Originals<'_>,
    ) -> Self {
        let analyses = sources.segments.iter().flat_map(|segment| segment.iter());
        let blamed = (0..).zip(analyses).filter_map(|(position, analysis)| {
            let findings = analysis.findings.iter().filter(|finding| {
                usize::from(finding.aspect) == aspect
                    && finding.polarity_of_text() == Polarity::Negative
            });
            let blame: Vec<Blame<'_>> = findings
                .map(|finding| (position, analysis, *finding))
                .collect();
            // The words that identify noun phrases are English.
            let is_read = !blame.is_empty() && analysis.head.language == TextLanguage::English;
            is_read.then_some(blame)
        });
        let mut complaints: Vec<Vec<Blame<'_>>> = blamed.take(READ_MAX + 1).collect();
        let is_cut = complaints.len() > READ_MAX;
        complaints.truncate(READ_MAX);
        let shared = shared(&complaints, sources, own_names, originals);
        let of_aspect = &counted.aspects[aspect].quotes[1].best;
        let quotable = match &shared {
            Some((_, _, blame)) => ranked(blame, counted),
            None => (of_aspect.iter())
                .map(|candidate| (candidate.position, candidate.finding.sentence))
                .collect(),
        };
        let quote = quotable.into_iter().find_map(|(position, sentence)| {
            originals.quote(position, sentence, Polarity::Negative.into())
        });
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Self {
            aspect,
            phrase: shared.map(|(words, reviews, _)| SharedPhrase {
                words: words.join(" "),
                reviews: number(reviews),
                newest: is_cut.then(|| number(complaints.len())),
            }),
            quote,
        }
    }
}

/// The words of the phrase that the most complaints share, their number, and the sentences with the phrase.
fn shared<'a>(
    complaints: &[Vec<Blame<'a>>],
    sources: &AggregateInput<'_>,
    own_names: &OwnNames,
    originals: &mut Originals<'_>,
) -> Option<(Vec<String>, usize, Vec<Blame<'a>>)> {
    let mut with_phrase: BTreeMap<Vec<String>, Vec<Blame<'a>>> = BTreeMap::new();
    for blame in complaints.iter().flatten() {
        let (position, _, finding) = blame;
        let Some(opened) = originals.open(*position) else {
            continue;
        };
        let background = sources.trade.background();
        for phrase in things(&opened.text, usize::from(finding.sentence), background) {
            with_phrase.entry(phrase).or_default().push(*blame);
        }
    }
    let counted = with_phrase.into_iter().rev().map(|(words, blame)| {
        let reviews = blame.chunk_by(|one, other| one.0 == other.0).count();
        (words, reviews, blame)
    });
    let least = SHARED_MIN.max(complaints.len().div_ceil(SHARED_PART));
    counted
        .filter(|(words, reviews, _)| *reviews >= least && !own_names.cover(words))
        .max_by_key(|(words, reviews, _)| (*reviews, words.len()))
}

/// The positions and numbers of the quotable sentences, the best first; of equally good ones the newest.
fn ranked(blame: &[Blame<'_>], counted: &Counted) -> Vec<(u32, u16)> {
    let newest = counted.corpus.window.map_or(0, |(_, newest)| newest);
    let ranked = blame.iter().filter_map(|(position, analysis, finding)| {
        let rank = quote_rank(*finding, *analysis, newest - analysis.head.day)?;
        Some((Reverse(rank), *position, finding.sentence))
    });
    let ranked: BTreeSet<_> = ranked.collect();
    let place = |(_, position, sentence)| (position, sentence);
    ranked.into_iter().map(place).collect()
}

/// Maximum number of questions; aspects and services have all figures in their own sections.
const ANSWERS_MAX: usize = 6;
/// Maximum number of quotes in an answer: for the larger side, and for the other.
const ANSWER_QUOTES: (usize, usize) = (1, 1);
/// Maximum number of aspects in the answer about a service.
const ANSWER_ASPECTS_MAX: usize = 2;

/// The questions with the most judgements that the owner has not answered: about aspects, then about services, in the
/// order of their lists.
pub fn answers(input: &NarrativeInput<'_>, originals: &mut Originals<'_>) -> Vec<Faq> {
    let (counted, trade) = (input.counted, input.sources.trade);
    let is_judged = |counts: &OpinionCounts| counts.votes.judged() >= REVIEWS_MIN;
    let mut asked: Vec<(&OpinionCounts, Faq)> = Vec::new();
    for (aspect, counts) in trade.aspects.iter().zip(&counted.aspects) {
        if !is_judged(counts) || input.sources.answered.contains(&aspect.id) {
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
            confirmed: Some(counts.votes.confirmed.into()),
        };
        asked.push((counts, answered));
    }
    let counts = input.roster.entries.iter().zip(&counted.entities);
    let counts = counts.filter(|(entry, _)| entry.kind == MentionKind::Service);
    for (service, (_, counts)) in input.entities.services.iter().zip(counts) {
        let Some(id) = service.id.as_ref().filter(|_| is_judged(counts)) else {
            continue;
        };
        let both = both_counts(&counts.votes, "name it and judge something");
        let answered = Faq {
            id: format!("service-{id}"),
            question: format!("What do customers say about {}?", inside(&service.name)),
            answer: both + &most_judged(service, trade),
            basis: FaqBasis::Reviews,
            aspect: None,
            service: Some(id.clone()),
            evidence: None,
            confirmed: Some(counts.votes.confirmed.into()),
        };
        asked.push((counts, answered));
    }
    let mut asked: Vec<_> = asked.into_iter().enumerate().collect();
    asked.sort_by_key(|(_, (counts, _))| Reverse(counts.votes.judged()));
    asked.truncate(ANSWERS_MAX);
    asked.sort_by_key(|(at, _)| *at);
    let mut answers = Vec::with_capacity(asked.len());
    for (_, (counts, mut answered)) in asked {
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

/// A sentence about the aspects that are judged most in the reviews of a service; empty if there are none.
fn most_judged(service: &Entity, trade: &Trade) -> String {
    let overall = trade.overall.map(|at| &trade.aspects[at].id);
    let judged = service.aspects.iter().flatten();
    let most: Vec<String> = judged
        .filter(|aspect| aspect.id.as_ref() != overall)
        .take(ANSWER_ASPECTS_MAX)
        .map(|aspect| format!("{} ({})", inside(&aspect.name), reviews(aspect.reviews)))
        .collect();
    if most.is_empty() {
        return String::new();
    }
    format!(" What they judge most: {}.", list(&most))
}

/// The counts with the larger side first, or praise first if the sides are equal.
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
    let other = match other {
        0 => "none".to_owned(),
        some => some.to_string(),
    };
    format!(
        "{} reviews that {what} are {word}: {side} of {judged}; {other} {other_word}{mixed}.",
        quantifier(side, judged)
    )
}

#[cfg(test)]
mod tests {
    use super::{inside, list, quantifier, reviews};

    #[test]
    fn a_quantifier_claims_no_more_than_its_interval_bears() {
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
    fn words_agree_with_their_numbers() {
        assert_eq!(
            [0, 1, 2].map(reviews),
            ["0 reviews", "1 review", "2 reviews"]
        );
        let names = ["Ann", "Bo", "Cy"].map(str::to_owned);
        assert_eq!(
            [1, 2, 3].map(|count| list(&names[..count])),
            ["Ann", "Ann and Bo", "Ann, Bo and Cy"]
        );
        assert_eq!(
            ["Response time", "AC repair", ""].map(inside),
            ["response time", "AC repair", ""]
        );
    }
}
