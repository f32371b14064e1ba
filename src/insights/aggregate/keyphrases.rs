//! Selects topics from the frequent phrases, with the aspects that they occur with. The words of a phrase are read from a
//! review with the phrase.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::count::Counted;
use super::frequent_phrases::{Marked, REVIEWS_MIN, each_marked};
use super::input::AggregateInput;
use super::quotes::Originals;
use super::topics::{
    SENTENCE_WORDS, TopicSentence, aspect_bits, aspect_of, find, is_thing, phrases,
};
use crate::insights::packed_analysis::{bits, phrase_hash};
use crate::insights::text::TokenizedText;
use crate::insights::trades::{Background, Trade};
use crate::model::business::Business;
use crate::model::statistics::{log_likelihood, round_to};
use crate::model::{Vote, VoteCounts};
use crate::wire::Topic;

/// Minimum share of reviews with a topic: one in this many analysed reviews; at least [`REVIEWS_MIN`].
const REVIEWS_SHARE: u32 = 1_000;
/// Maximum number of topics.
const TOPICS_MAX: usize = 24;
/// Maximum number of phrases that are checked for naming a thing.
const CANDIDATES_MAX: usize = 3 * TOPICS_MAX;
/// Minimum log-likelihood ratio; smaller ones may be chance (99.99 % quantile of the chi-squared distribution).
const LIKELIHOOD_MIN: f64 = 15.13;
/// Maximum number of reviews that are read for a topic's quote and aspect.
const QUOTED_FROM: usize = 12;
/// A distinctive phrase.
#[derive(Debug, Clone, Default)]
pub struct Keyphrase {
    /// One to three words, folded, separated by single spaces.
    pub phrase: String,
    words: Vec<String>,
    /// Number of reviews with the phrase.
    pub reviews: u32,
    /// Number of reviews expected to have the phrase by chance.
    pub expected: f64,
    /// Log-likelihood ratio of the two numbers.
    pub log_likelihood: f64,
    /// Index of the aspect that it occurs with most often.
    pub aspect: Option<usize>,
    /// Number of its reviews that judge each aspect.
    pub joint: Vec<u32>,
    /// Polarities of its reviews as a whole.
    pub overall: VoteCounts,
    /// Quotable sentences with the phrase, the best first.
    quotable: Vec<TopicSentence>,
}

/// The topics of all packed analyses, the most significant first.
pub fn topics(
    sources: &AggregateInput<'_>,
    counted: &Counted,
    own_names: &OwnNames,
    originals: &mut Originals<'_>,
) -> Vec<Keyphrase> {
    let least = REVIEWS_MIN.max(counted.corpus.analysed / REVIEWS_SHARE);
    let mut frequent = sources.phrases.reviews().clone();
    frequent.retain(|_, (reviews, _)| *reviews >= least);
    let background = sources.trade.background();
    let mut found = candidates(&frequent, background, counted, originals);
    found.retain(|one| one.log_likelihood >= LIKELIHOOD_MIN && !own_names.cover(&one.words));
    found.sort_by(|one, other| {
        other
            .log_likelihood
            .total_cmp(&one.log_likelihood)
            .then_with(|| one.words.cmp(&other.words))
    });
    let mut chosen = collapse(found);
    chosen.truncate(CANDIDATES_MAX);
    together(sources, chosen, originals)
}

/// The frequent phrases, with the words of each from the newest review with the phrase.
fn candidates(
    frequent: &BTreeMap<u32, (u32, u32)>,
    background: &Background,
    counted: &Counted,
    originals: &mut Originals<'_>,
) -> Vec<Keyphrase> {
    let newest: BTreeSet<u32> = frequent.values().map(|(_, newest)| *newest).collect();
    let mut found = Vec::with_capacity(frequent.len());
    for position in newest {
        let Some(opened) = originals.open(position) else {
            continue;
        };
        for phrase in phrases(&opened.text, background) {
            if let Some(&(reviews, newest)) = frequent.get(&phrase_hash(&phrase))
                && newest == position
            {
                let words: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
                let expected = expected(&words, background, frequent, counted.sentences);
                found.push(Keyphrase {
                    phrase,
                    words,
                    reviews,
                    expected,
                    log_likelihood: log_likelihood(reviews, expected),
                    joint: vec![0; counted.aspects.len()],
                    ..Keyphrase::default()
                });
            }
        }
    }
    found
}

/// The number of reviews expected to have a phrase by chance. A single word is expected as often as in reviews of other
/// trades; in a phrase of several words, each is expected as often as in these reviews if that is more.
fn expected(
    words: &[String],
    background: &Background,
    frequent: &BTreeMap<u32, (u32, u32)>,
    sentences: u32,
) -> f64 {
    let (of, length) = (f64::from(sentences.max(1)), SENTENCE_WORDS);
    let chance = |word: &String| {
        let elsewhere = background.share(word);
        match frequent.get(&phrase_hash(word)) {
            Some((reviews, _)) if words.len() > 1 => elsewhere.max(f64::from(*reviews) / of),
            _ => elsewhere,
        }
    };
    // In a sentence with both words, the second follows the first at one of `length` positions.
    let in_place = words.iter().map(|word| chance(word) / length);
    of * length * in_place.product::<f64>()
}

/// Merges phrases contained in one another: keeps the longer phrase if it has at least half of the shorter one's
/// reviews, and otherwise the shorter one. Of singular and plural, keeps the more frequent.
fn collapse(found: Vec<Keyphrase>) -> Vec<Keyphrase> {
    let mut kept: Vec<Keyphrase> = Vec::new();
    for phrase in found {
        // Whether the other phrase is kept instead of this one; `None` if neither contains the other.
        let wins = |other: &Keyphrase| {
            let is_longer = phrase.words.len() > other.words.len();
            let (long, short) = if is_longer {
                (&phrase, other)
            } else {
                (other, &phrase)
            };
            let is_short = |part: &[String]| {
                let mut words = part.iter().zip(&short.words);
                words.all(|(word, other)| stem(word) == stem(other))
            };
            let is_within = long.words.windows(short.words.len()).any(is_short);
            let is_same_length = long.words.len() == short.words.len();
            let share = if is_same_length { 1 } else { 2 };
            is_within.then_some((long.reviews * share >= short.reviews) != is_longer)
        };
        if kept.iter().all(|other| wins(other) != Some(true)) {
            kept.retain(|other| wins(other).is_none());
            kept.push(phrase);
        }
    }
    kept
}

/// The selected phrases that name a thing in a quotable sentence, with the aspects that they occur with.
fn together(
    sources: &AggregateInput<'_>,
    mut topics: Vec<Keyphrase>,
    originals: &mut Originals<'_>,
) -> Vec<Keyphrase> {
    let hashes = topics.iter().map(|topic| phrase_hash(&topic.phrase));
    let by_hash: BTreeMap<u32, usize> = hashes.zip(0..).collect();
    let marked = Marked::new(by_hash.keys().copied());
    let mut newest: Vec<Vec<u32>> = vec![Vec::new(); topics.len()];
    each_marked(
        sources.analyses,
        &marked,
        |position, packed_analysis, hash| {
            let Some(&at) = by_hash.get(&hash) else {
                return;
            };
            let topic = &mut topics[at];
            topic.overall.count(packed_analysis.head.overall.into());
            bits(aspect_bits(&packed_analysis.findings)).for_each(|aspect| {
                if let Some(joint) = topic.joint.get_mut(aspect) {
                    *joint += 1;
                }
            });
            if newest[at].len() < QUOTED_FROM {
                newest[at].push(position);
            }
        },
    );
    let mut things = Vec::new();
    for (mut topic, newest) in topics.into_iter().zip(newest) {
        let found = |position| find(originals.open(position)?, position, &topic.words);
        let found: Vec<TopicSentence> = newest.into_iter().filter_map(found).collect();
        if !is_thing(topic.words.len(), &found) {
            continue;
        }
        // No quote may contradict the counts shown beside it.
        let votes = topic.overall;
        let bears = |vote| match vote {
            Vote::Positive => votes.positive >= votes.negative,
            Vote::Negative => votes.negative >= votes.positive,
            Vote::Neutral | Vote::Mixed | Vote::Uncertain => true,
        };
        topic.aspect = aspect_of(&found, sources.trade);
        let is_about_it = |found: &TopicSentence| topic.aspect.is_none_or(|at| found.is_about(at));
        let mut quotable = found;
        quotable.retain(|found| found.vote.is_some_and(bears) && is_about_it(found));
        // Of equally ranked sentences, the newest comes first.
        quotable.sort_by_key(|found| Reverse(found.rank));
        if quotable.is_empty() {
            continue;
        }
        topic.quotable = quotable;
        things.push(topic);
        if things.len() == TOPICS_MAX {
            break;
        }
    }
    things
}

/// The topics with their quotes, without those of which every sentence is quoted elsewhere; the most significant one
/// chooses first.
pub fn quoted(phrases: Vec<Keyphrase>, trade: &Trade, originals: &mut Originals<'_>) -> Vec<Topic> {
    let mut quote =
        |found: TopicSentence| originals.quote(found.position, found.sentence, found.vote?);
    let topic = |phrase: Keyphrase| {
        Some(Topic {
            id: phrase.phrase.replace(' ', "-"),
            phrase: phrase.phrase,
            reviews: phrase.reviews,
            expected: round_to(phrase.expected, 1e2),
            log_likelihood: round_to(phrase.log_likelihood, 1e1),
            aspect: phrase.aspect.map(|at| trade.aspects[at].id.clone()),
            positive: phrase.overall.positive,
            negative: phrase.overall.negative,
            quote: phrase.quotable.into_iter().find_map(&mut quote)?,
        })
    };
    phrases.into_iter().filter_map(topic).collect()
}

// The business's own names: phrases that consist of them do not become topics, because they are counted as names.

/// The names of the business, its staff and its services.
pub struct OwnNames {
    /// Words of the names of people, places, services and the business, each without its plural ending.
    words: HashSet<String>,
    /// Words of unpublished names of people.
    hidden: HashSet<String>,
    /// Names and synonyms of services, each word without its plural ending.
    services: HashSet<Vec<String>>,
}

impl OwnNames {
    /// `people` are the names of the staff.
    pub fn new(business: &Business, people: &[&str]) -> Self {
        let cut = |name: &str| {
            let text = TokenizedText::new(name);
            (0..text.tokens().len())
                .map(|token| stem(text.word(token)).to_owned())
                .collect::<Vec<_>>()
        };
        let technicians = business.technicians.iter();
        let shown = technicians.flat_map(|one| one.aliases.iter().chain([&one.name]));
        let shown: HashSet<String> = shown.flat_map(|name| cut(name)).collect();
        let of_people: HashSet<String> = people.iter().copied().flat_map(cut).collect();
        let services = business.services.iter();
        let named = services.clone().map(|one| &one.name);
        let named = named.chain(&business.service_areas).chain([&business.name]);
        let words = named.flat_map(|name| cut(name));
        let called = services.flat_map(|one| one.synonyms.iter().chain([&one.name]));
        Self {
            words: words.chain(of_people.iter().cloned()).collect(),
            hidden: of_people.difference(&shown).cloned().collect(),
            services: called.map(|name| cut(name)).collect(),
        }
    }

    /// Whether a phrase consists only of these words, or contains a service or an unpublished name.
    pub fn cover(&self, phrase: &[String]) -> bool {
        let phrase: Vec<String> = phrase.iter().map(|word| stem(word).to_owned()).collect();
        let mut parts = (1..=phrase.len()).flat_map(|len| phrase.windows(len));
        phrase.iter().all(|word| self.words.contains(word))
            || phrase.iter().any(|word| self.hidden.contains(word))
            || parts.any(|part| self.services.contains(part))
    }
}

/// A word without its plural or genitive ending.
fn stem(word: &str) -> &str {
    word.trim_end_matches('s')
}
