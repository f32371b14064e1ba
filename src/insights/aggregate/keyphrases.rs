//! Selects topics from the frequent phrases, with the aspects that they occur with. The words of a phrase are read from a
//! review with the phrase.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasherDefault;

use super::count::Counted;
use super::input::AggregateInput;
use super::quotes::Originals;
use super::topics::{
    SENTENCE_WORDS, TopicSentence, aspect_bits, aspect_of, find, is_thing, phrases, share_elsewhere,
};
use crate::insights::compact_analysis::{CompactAnalysis, bits, phrase_hash};
use crate::insights::text::{Fingerprint, TokenizedText};
use crate::insights::trades::Trade;
use crate::model::business::Business;
use crate::model::statistics::{log_likelihood, round_to};
use crate::model::{Review, Vote, VoteCounts};
use crate::wire::Topic;

/// Minimum share of reviews with a topic: one in this many analysed reviews; at least [`REVIEWS_MIN`].
const REVIEWS_SHARE: u32 = 1_000;
/// Minimum number of reviews with a topic.
const REVIEWS_MIN: u32 = 4;
/// Maximum number of phrases that may become topics.
const PHRASES_MAX: usize = 160;
/// Maximum number of topics.
const TOPICS_MAX: usize = 24;
/// Maximum number of phrases that are checked for naming a thing.
const CANDIDATES_MAX: usize = 3 * TOPICS_MAX;
/// Minimum log-likelihood ratio; smaller ones may be chance (99.99 % quantile of the chi-squared distribution).
const LIKELIHOOD_MIN: f64 = 15.13;
/// A phrase of one in this many reviews is a topic, however frequent it is elsewhere.
const FREQUENT_PART: u32 = 4;
/// Maximum number of reviews that are read for a topic's quote and aspect.
const QUOTED_FROM: usize = 12;
/// A distinctive phrase.
#[derive(Debug, Clone, Default)]
pub struct Keyphrase {
    /// One or two words, folded, separated by single spaces.
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

/// The topics of all compact analyses, the most significant first.
pub fn topics(
    sources: &AggregateInput<'_>,
    counted: &Counted,
    own_names: &OwnNames,
    originals: &mut Originals<'_>,
) -> Vec<Keyphrase> {
    let least = REVIEWS_MIN.max(counted.corpus.analysed / REVIEWS_SHARE);
    let frequent = frequent(sources.analyses, least);
    let mut found = candidates(&frequent, counted, originals);
    let analysed = counted.corpus.analysed;
    found.retain(|one| {
        let is_frequent = one.reviews * FREQUENT_PART >= analysed;
        (one.log_likelihood >= LIKELIHOOD_MIN || is_frequent) && !own_names.cover(&one.words)
    });
    found.sort_by(|one, other| {
        other
            .log_likelihood
            .total_cmp(&one.log_likelihood)
            .then_with(|| one.words.cmp(&other.words))
    });
    let mut chosen = distinct(found);
    chosen.truncate(CANDIDATES_MAX);
    together(sources, &frequent, chosen, originals)
}

/// The positions of the reviews with each phrase, by its hash.
type PhraseReviews = BTreeMap<u32, Vec<u32>>;

/// The phrases of the most reviews, each of at least `least`.
fn frequent(analyses: &[(&Review, &CompactAnalysis)], least: u32) -> PhraseReviews {
    let phrases = analyses.iter().flat_map(|(_, analysis)| &analysis.phrases);
    let mut hashes: Vec<u32> = phrases.copied().collect();
    hashes.sort_unstable();
    let equal = hashes.chunk_by(|one, other| one == other);
    let mut most: Vec<&[u32]> = equal.filter(|all| all.len() >= least as usize).collect();
    most.sort_unstable_by_key(|all| (Reverse(all.len()), all[0]));
    most.truncate(PHRASES_MAX);
    let mut reviews: HashMap<u32, Vec<u32>, BuildHasherDefault<Fingerprint>> =
        most.iter().map(|all| (all[0], Vec::new())).collect();
    for (position, (_, analysis)) in (0..).zip(analyses) {
        for hash in &analysis.phrases {
            if let Some(reviews) = reviews.get_mut(hash) {
                reviews.push(position);
            }
        }
    }
    reviews.into_iter().collect()
}

/// The frequent phrases, with the words of each from the newest review with the phrase.
fn candidates(
    frequent: &PhraseReviews,
    counted: &Counted,
    originals: &mut Originals<'_>,
) -> Vec<Keyphrase> {
    let newest: BTreeSet<u32> = frequent
        .values()
        .filter_map(|all| all.first().copied())
        .collect();
    let mut found = Vec::with_capacity(frequent.len());
    for position in newest {
        for phrase in phrases(&originals.open(position).text) {
            if let Some(reviews) = frequent.get(&phrase_hash(phrase))
                && reviews.first() == Some(&position)
            {
                let reviews = u32::try_from(reviews.len()).unwrap_or(u32::MAX);
                let words: Vec<String> = phrase.split(' ').map(str::to_owned).collect();
                let expected = expected(&words, frequent, counted.sentences);
                found.push(Keyphrase {
                    phrase: phrase.to_owned(),
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
fn expected(words: &[String], frequent: &PhraseReviews, sentences: u32) -> f64 {
    let (of, length) = (f64::from(sentences.max(1)), SENTENCE_WORDS);
    let chance = |word: &String| {
        let elsewhere = share_elsewhere(word);
        match frequent.get(&phrase_hash(word)) {
            Some(reviews) if words.len() > 1 => {
                elsewhere.max(f64::from(u32::try_from(reviews.len()).unwrap_or(u32::MAX)) / of)
            }
            _ => elsewhere,
        }
    };
    // In a sentence with both words, the second follows the first at one of `length` positions.
    let in_place = words.iter().map(|word| chance(word) / length);
    of * length * in_place.product::<f64>()
}

/// Of phrases of which one has all words of the other, the most significant one, which comes first in `found`.
fn distinct(found: Vec<Keyphrase>) -> Vec<Keyphrase> {
    let is_within = |short: &Keyphrase, long: &Keyphrase| {
        let stems: Vec<&str> = long.words.iter().map(|word| stem(word)).collect();
        let mut words = short.words.iter();
        words.all(|word| stems.contains(&stem(word)))
    };
    let mut kept: Vec<Keyphrase> = Vec::new();
    for phrase in found {
        if !(kept.iter()).any(|other| is_within(other, &phrase) || is_within(&phrase, other)) {
            kept.push(phrase);
        }
    }
    kept
}

/// The selected phrases that name a thing in a quotable sentence, with the aspects that they occur with.
fn together(
    sources: &AggregateInput<'_>,
    frequent: &PhraseReviews,
    topics: Vec<Keyphrase>,
    originals: &mut Originals<'_>,
) -> Vec<Keyphrase> {
    let mut things = Vec::new();
    for mut topic in topics {
        let reviews = frequent
            .get(&phrase_hash(&topic.phrase))
            .map_or(&[][..], Vec::as_slice);
        for (_, analysis) in reviews.iter().map(|at| sources.analyses[*at as usize]) {
            topic.overall.count(analysis.overall.into());
            for aspect in bits(aspect_bits(&analysis.findings)) {
                if let Some(joint) = topic.joint.get_mut(aspect) {
                    *joint += 1;
                }
            }
        }
        let newest = reviews.iter().take(QUOTED_FROM);
        let found: Vec<TopicSentence> = newest
            .filter_map(|at| find(originals.open(*at), *at, &topic.words))
            .collect();
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
        let shown: HashSet<String> = technicians
            .flat_map(|one| one.aliases.iter().chain([&one.name]))
            .flat_map(|name| cut(name))
            .collect();
        let of_people: HashSet<String> = people.iter().copied().flat_map(cut).collect();
        let services = business.services.iter();
        let named = services
            .clone()
            .map(|one| &one.name)
            .chain(&business.service_areas)
            .chain([&business.name]);
        // `AutoRepair`: what kind of business it is, says nothing about it.
        let letters = business.kind.chars();
        let kind: String = letters
            .flat_map(|letter| {
                letter
                    .is_uppercase()
                    .then_some(' ')
                    .into_iter()
                    .chain([letter])
            })
            .collect();
        let words = named.flat_map(|name| cut(name)).chain(cut(&kind));
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
