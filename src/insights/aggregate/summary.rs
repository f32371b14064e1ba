//! The summary: a few sentences from templates. Quantifiers follow from shares, numbers are those of the aggregates,
//! and each sentence has its evidence. The rule for praise and blame is the same.

use std::collections::{BTreeMap, BTreeSet};

use super::complaints::Complaint;
use super::count::Counted;
use super::few_reviews::PERSON_MIN;
use super::figures::{TrendDirection, VoteCounts, WilsonShare};
use super::keyphrases::Keyphrase;
use super::parts::{AspectFigures, EntityFigures, SIDE_MIN, SIDE_PART};
use super::quotes::CustomerQuote;
use super::{Corpus, Vote};
use crate::insights::analysis::MentionKind;
use crate::insights::trades::Trade;
use crate::model::business::Business;

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
    /// Ids of the aspects that the owner's FAQ answers.
    pub answered: &'a BTreeSet<String>,
    /// For the sentence about the reviews as a whole, which names the business.
    pub business: &'a Business,
    /// Totals of all reviews, with the polarities of whole texts.
    pub corpus: &'a Corpus,
    /// The counts, with the quotable sentences.
    pub counted: &'a Counted,
    pub trade: &'a Trade,
    /// In the trade's order.
    pub aspects: &'a [AspectFigures],
    /// The complaints about the mentioned aspects with the aspects' indices, the clearest first.
    pub complaints: &'a [(usize, Complaint)],
    /// Entities that reviews name.
    pub entities: &'a [EntityFigures],
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummarySentence {
    /// In English.
    pub text: String,
    /// Name of its template.
    pub template: &'static str,
    pub evidence: SentenceEvidence,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SentenceEvidence {
    /// `None` if the sentence is not about a single aspect.
    pub aspect: Option<String>,
    /// Names or ids of the mentioned entities.
    pub entities: Vec<String>,
    /// Mentioned phrases.
    pub topics: Vec<String>,
    /// The numbers in the sentence, by name; repeated names have the suffixes `_1`, `_2`, ... in the order of the
    /// sentence.
    pub figures: BTreeMap<String, u32>,
    /// Some of the reviews that support it.
    pub review_ids: Vec<String>,
    /// A customer's words that support it.
    pub quote: Option<CustomerQuote>,
}

/// The sentences in a fixed order: all reviews, unrecognized discontent, praise, blame, trends, names, topics.
pub fn sentences(input: &NarrativeInput<'_>, topics: &[Keyphrase]) -> Vec<SummarySentence> {
    let mut sentences = Vec::new();
    sentences.extend(overall(input));
    sentences.extend(unheard(input));
    let praised = told_sides(input.counted, input.trade, true).into_iter();
    sentences.extend(
        praised
            .enumerate()
            .map(|(rank, at)| praise(&input.aspects[at], rank)),
    );
    let blamed = input.complaints.iter().enumerate();
    sentences
        .extend(blamed.map(|(rank, (at, complaint))| blame(&input.aspects[*at], rank, complaint)));
    let aspects = input.aspects.iter();
    let decided = aspects.filter(|aspect| is_decided(&aspect.said.votes));
    sentences.extend(decided.filter_map(trend));
    sentences.extend(names(input, MentionKind::Technician, "technicians"));
    sentences.extend(names(input, MentionKind::Service, "services"));
    sentences.extend(keyphrases(topics));
    sentences
}

fn figures<const N: usize>(figures: [(&str, u32); N]) -> BTreeMap<String, u32> {
    figures
        .into_iter()
        .map(|(name, figure)| (name.to_owned(), figure))
        .collect()
}

fn overall(input: &NarrativeInput<'_>) -> Option<SummarySentence> {
    let votes = &input.corpus.overall;
    let (positive, negative, judged) = (votes.positive, votes.negative, votes.judged());
    let rest = match negative {
        0 => "none speaks badly of it".to_owned(),
        1 => "1 speaks badly of it".to_owned(),
        some => format!("{some} speak badly of it"),
    };
    let (quantifier, name) = (quantifier(positive, judged), &input.business.name);
    let text = format!(
        "{quantifier} of the {judged} reviews that judge {name} as a whole speak well of it ({positive}); {rest}."
    );
    let figures = figures([
        ("positive", positive),
        ("negative", negative),
        ("judged", judged),
    ]);
    let evidence = SentenceEvidence {
        figures,
        ..SentenceEvidence::default()
    };
    (judged >= REVIEWS_MIN).then_some(SummarySentence {
        text,
        template: "overall",
        evidence,
    })
}

/// A sentence about the reviews with few stars that do not read as negative, and so are missing from the other figures.
fn unheard(input: &NarrativeInput<'_>) -> Option<SummarySentence> {
    let (reviews, unheard) = input.corpus.discontent;
    let was = if unheard == 1 { "was" } else { "were" };
    let figures = figures([("unheard", unheard), ("reviews", reviews)]);
    (reviews >= REVIEWS_MIN && unheard > 0).then(|| SummarySentence {
        text: format!(
            "{unheard} of {reviews} reviews with one or two stars {was} not read as negative."
        ),
        template: "unheard",
        evidence: SentenceEvidence {
            figures,
            ..SentenceEvidence::default()
        },
    })
}

/// Whether at most half of the votes are uncertain; otherwise there is no sentence.
fn is_decided(votes: &VoteCounts) -> bool {
    votes.uncertain * 2 <= votes.reviews()
}

/// The indices of the aspects with the clearest praise or blame, by the lower end of the share's interval. A side needs
/// three reviews and one in ten of the reviews with a judgement; the clearest aspect needs only the three reviews.
pub fn told_sides(counted: &Counted, trade: &Trade, is_praise: bool) -> Vec<usize> {
    let votes = counted.aspects.iter().map(|aspect| &aspect.votes);
    let mut clearest: Vec<(f64, usize, &VoteCounts)> = votes
        .enumerate()
        .filter(|(at, votes)| {
            let is_enough = votes.judged() >= REVIEWS_MIN && votes.side(is_praise) >= SIDE_MIN;
            trade.overall != Some(*at) && is_enough && is_decided(votes)
        })
        .filter_map(|(at, votes)| {
            let share = WilsonShare::new(votes.side(is_praise), votes.judged())?;
            Some((share.ci95[0], at, votes))
        })
        .collect();
    clearest.sort_by(|one, other| other.0.total_cmp(&one.0));
    let is_told = |(rank, (_, _, votes)): &(usize, (f64, usize, &VoteCounts))| {
        *rank == 0 || votes.side(is_praise) * SIDE_PART >= votes.judged()
    };
    let told = clearest.into_iter().enumerate().filter(is_told);
    told.take(SIDES_MAX).map(|(_, (_, at, _))| at).collect()
}

/// The wording changes with the rank among the sentences of its kind, so that three consecutive sentences are never
/// alike.
fn praise(aspect: &AspectFigures, rank: usize) -> SummarySentence {
    let votes = &aspect.said.votes;
    let (label, name) = (&aspect.label, inside(&aspect.label));
    let (side, judged) = (votes.side(true), votes.judged());
    let quantifier = inside(quantifier(side, judged));
    let text = match rank {
        0 => format!(
            "{label}: {quantifier} reviews that judge it are positive ({side} of {judged})."
        ),
        1 => format!("{label}: praise in {quantifier} reviews that judge it ({side} of {judged})."),
        _ => format!(
            "Of the {judged} reviews that judge {name}, {quantifier} are positive ({side})."
        ),
    };
    let quotes = aspect.said.quotes.iter();
    SummarySentence {
        text,
        template: "aspect_positive",
        evidence: SentenceEvidence {
            aspect: Some(aspect.id.clone()),
            figures: figures([
                ("positive", side),
                ("judged", judged),
                ("confirmed", votes.confirmed[0]),
            ]),
            review_ids: ids(quotes.filter(|quote| quote.polarity == Vote::Positive)),
            ..SentenceEvidence::default()
        },
    }
}

/// As [`praise`], followed by the phrase that the complaints share.
fn blame(aspect: &AspectFigures, rank: usize, complaint: &Complaint) -> SummarySentence {
    let votes = &aspect.said.votes;
    let (label, name) = (&aspect.label, inside(&aspect.label));
    let (side, judged) = (votes.side(false), votes.judged());
    let quantifier = quantifier(side, judged);
    let mut text = match rank {
        0 => format!(
            "{label}: {} reviews that judge it are negative ({side} of {judged})",
            inside(quantifier)
        ),
        1 => format!(
            "{quantifier} reviews complain about {name} ({side} of the {judged} that judge it)"
        ),
        _ => format!(
            "Of the {judged} reviews that judge {name}, {} are negative ({side})",
            inside(quantifier)
        ),
    };
    let mut figures = figures([
        ("negative", side),
        ("judged", judged),
        ("confirmed", votes.confirmed[1]),
    ]);
    let (phrase, quote) = (complaint.phrase.as_ref(), complaint.quote.as_ref());
    if let Some((phrase, count)) = phrase {
        let most = [", most often about “", phrase, "” (", &reviews(*count), ")"].concat();
        text.push_str(&most);
        figures.insert("with_phrase".to_owned(), *count);
    }
    text.push('.');
    let quotes = aspect.said.quotes.iter();
    let blaming = quotes.filter(|quote| quote.polarity == Vote::Negative);
    SummarySentence {
        text,
        template: "aspect_negative",
        evidence: SentenceEvidence {
            aspect: Some(aspect.id.clone()),
            topics: phrase
                .map(|(phrase, _)| phrase.clone())
                .into_iter()
                .collect(),
            figures,
            review_ids: ids(quote.into_iter().chain(blaming)),
            quote: quote.cloned(),
            ..SentenceEvidence::default()
        },
    }
}

fn ids<'a>(quotes: impl Iterator<Item = &'a CustomerQuote>) -> Vec<String> {
    quotes
        .take(IDS_MAX)
        .map(|quote| quote.review_id.clone())
        .collect()
}

fn trend(aspect: &AspectFigures) -> Option<SummarySentence> {
    let word = match aspect.said.trend.direction {
        TrendDirection::Up => "more",
        TrendDirection::Down => "less",
        TrendDirection::Flat | TrendDirection::Unknown => return None,
    };
    let compared = aspect.said.trend.compared?;
    let [now, before] = [compared.recent, compared.previous];
    let text = format!(
        "{}: reviews have become {word} positive, {} of {} in the last half year against {} of {} in the one before.",
        aspect.label, now.positive, now.judged, before.positive, before.judged
    );
    let figures = figures([
        ("recent_positive", now.positive),
        ("recent_judged", now.judged),
        ("previous_positive", before.positive),
        ("previous_judged", before.judged),
        ("recent_confirmed", now.confirmed[0]),
        ("previous_confirmed", before.confirmed[0]),
    ]);
    let review_ids = ids(aspect.said.quotes.iter());
    let evidence = SentenceEvidence {
        aspect: Some(aspect.id.clone()),
        figures,
        review_ids,
        ..SentenceEvidence::default()
    };
    Some(SummarySentence {
        text,
        template: "trend",
        evidence,
    })
}

/// The most frequently named entities, each named in at least three reviews.
fn names(
    input: &NarrativeInput<'_>,
    kind: MentionKind,
    template: &'static str,
) -> Option<SummarySentence> {
    let mut most: Vec<&EntityFigures> = input
        .entities
        .iter()
        .filter(|one| one.kind == kind && one.reviews >= PERSON_MIN)
        .collect();
    most.sort_by_key(|one| std::cmp::Reverse(one.reviews));
    most.truncate(NAMES_MAX);
    let (first, rest) = most.split_first()?;
    let is_person = kind == MentionKind::Technician;
    let what = if is_person {
        "Whom reviews name most"
    } else {
        "What reviews name most"
    };
    let name = |one: &EntityFigures| {
        if is_person {
            one.name.clone()
        } else {
            inside(&one.name)
        }
    };
    let with_count = |one: &&EntityFigures| format!("{} ({})", name(one), reviews(one.reviews));
    let then = if rest.is_empty() {
        String::new()
    } else {
        format!(
            ", then {}",
            list(&rest.iter().map(with_count).collect::<Vec<_>>())
        )
    };
    let text = format!("{what}: {}{then}.", with_count(first));
    let figures = (1..)
        .zip(&most)
        .map(|(rank, one)| (format!("reviews_{rank}"), one.reviews))
        .collect();
    let entities = most
        .iter()
        .map(|one| one.id.clone().unwrap_or_else(|| one.name.clone()))
        .collect();
    let review_ids = ids(most
        .iter()
        .filter_map(|one| one.detail.as_ref()?.quotes.first()));
    Some(SummarySentence {
        text,
        template,
        evidence: SentenceEvidence {
            entities,
            figures,
            review_ids,
            ..SentenceEvidence::default()
        },
    })
}

fn keyphrases(topics: &[Keyphrase]) -> Option<SummarySentence> {
    let most: Vec<&Keyphrase> = topics
        .iter()
        .filter(|topic| topic.reviews >= REVIEWS_MIN)
        .take(NAMES_MAX)
        .collect();
    let phrases: Vec<String> = most
        .iter()
        .map(|topic| format!("“{}” ({})", topic.phrase, reviews(topic.reviews)))
        .collect();
    let evidence = SentenceEvidence {
        topics: most.iter().map(|topic| topic.phrase.clone()).collect(),
        figures: (1..)
            .zip(&most)
            .map(|(rank, topic)| (format!("reviews_{rank}"), topic.reviews))
            .collect(),
        review_ids: ids(most.iter().filter_map(|topic| topic.quote.as_ref())),
        ..SentenceEvidence::default()
    };
    let text = format!("Words that stand out: {}.", list(&phrases));
    (!most.is_empty()).then_some(SummarySentence {
        text,
        template: "topics",
        evidence,
    })
}

// The words of the sentences: quantifiers that follow from intervals of shares, plurals, lists.

/// The quantifier for a share. `Some`, `Many` and `Most` claim no more than the lower end of the share's 95 % interval
/// allows; `Few` requires that even its upper end is small.
#[must_use]
pub fn quantifier(part: u32, of: u32) -> &'static str {
    let Some([low, high]) = WilsonShare::new(part, of).map(|share| share.ci95) else {
        return "Few";
    };
    match low {
        _ if high < 0.1 => "Few",
        0.5.. => "Most",
        0.3.. => "Many",
        0.1.. => "Some",
        _ if u64::from(part) * 10 < u64::from(of) => "Few",
        _ => "Some",
    }
}

/// `1 review`, `2 reviews`.
#[must_use]
pub fn reviews(count: u32) -> String {
    if count == 1 {
        "1 review".to_owned()
    } else {
        format!("{count} reviews")
    }
}

/// `one`, `one and two`, `one, two and three`.
#[must_use]
pub fn list(parts: &[String]) -> String {
    match parts {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}

/// A label within a sentence: `Response time` becomes `response time`, but `AC repair` stays.
#[must_use]
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
