//! Selects topics from the phrases, with the aspects that they occur with. Packed analyses contain only hashes of
//! phrases, often millions: all are first counted approximately in a small table that fits into the cache; then the
//! frequent ones are counted exactly, and their words are read from a review with the phrase.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasherDefault;

use super::AggregateInput;
use super::count::{ASPECTS_MAX, Counted, bits};
use super::figures::{Vote, VoteCounts, log_likelihood};
use super::quotes::{CustomerQuote, Originals};
use super::topics::{
    SENTENCE_WORDS, TopicSentence, aspect_bits, aspect_of, find, is_thing, phrases,
};
use crate::compute::steps;
use crate::insights::packed_analysis::{PackedAnalyses, PackedAnalysisRef, phrase_hash};
use crate::insights::text::{Fingerprint, TokenizedText};
use crate::insights::trades::{Background, Trade};
use crate::model::business::Business;

/// Minimum number of reviews with a topic.
const REVIEWS_MIN: u32 = 4;
/// Minimum share of reviews with a topic: one in this many analysed reviews.
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
#[derive(Debug, Clone)]
pub struct Keyphrase {
    /// One to three words, folded, separated by single spaces.
    pub phrase: String,
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
    /// Chosen by [`quote`].
    pub quote: Option<CustomerQuote>,
}

/// A candidate for a topic.
struct Phrase {
    words: Vec<String>,
    hash: u32,
    reviews: u32,
    expected: f64,
    likelihood: f64,
}

/// The topics of all packed analyses, the most significant first, without quotes.
#[must_use]
pub fn topics(
    sources: &AggregateInput<'_>,
    counted: &Counted,
    own_names: &OwnNames,
    originals: &mut Originals<'_>,
) -> Vec<Keyphrase> {
    let AggregateInput {
        segments, trade, ..
    } = *sources;
    let heavy_hitters = heavy_hitters(
        segments,
        REVIEWS_MIN.max(counted.corpus.analysed / REVIEWS_SHARE),
    );
    let background = trade.background();
    let mut found = words_of(&heavy_hitters, background, originals);
    found.retain(|phrase| !own_names.cover(&phrase.words));
    judge(&mut found, background, &heavy_hitters, counted.sentences);
    found.retain(|phrase| phrase.likelihood >= LIKELIHOOD_MIN);
    found.sort_by(|one, other| {
        other
            .likelihood
            .total_cmp(&one.likelihood)
            .then_with(|| one.words.cmp(&other.words))
    });
    let mut chosen = collapse(found);
    chosen.truncate(CANDIDATES_MAX);
    together(segments, trade, &chosen, originals)
}

/// The words of frequent phrases, each from the newest review with the phrase.
fn words_of(
    heavy_hitters: &BTreeMap<u32, (u32, u32)>,
    background: &Background,
    originals: &mut Originals<'_>,
) -> Vec<Phrase> {
    let newest: BTreeSet<u32> = heavy_hitters.values().map(|(_, newest)| *newest).collect();
    let mut found = Vec::with_capacity(heavy_hitters.len());
    for position in newest {
        let Some(opened) = originals.open(position) else {
            continue;
        };
        for phrase in phrases(&opened.text, background) {
            let hash = phrase_hash(&phrase);
            if let Some((reviews, _)) = heavy_hitters
                .get(&hash)
                .filter(|(_, newest)| *newest == position)
            {
                let words = phrase.split(' ').map(str::to_owned).collect();
                found.push(Phrase {
                    words,
                    hash,
                    reviews: *reviews,
                    expected: 0.0,
                    likelihood: 0.0,
                });
            }
        }
    }
    found
}

/// Computes the number of reviews expected to have each phrase by chance. A single word is expected as often as in
/// reviews of other trades; in a phrase of several words, each is expected as often as in these reviews if that is
/// more.
fn judge(
    found: &mut [Phrase],
    background: &Background,
    heavy_hitters: &BTreeMap<u32, (u32, u32)>,
    sentences: u32,
) {
    let (of, length) = (f64::from(sentences.max(1)), SENTENCE_WORDS);
    for phrase in found {
        let is_one = phrase.words.len() == 1;
        let here = |word: &String| {
            heavy_hitters
                .get(&phrase_hash(word))
                .map_or(0.0, |(reviews, _)| f64::from(*reviews) / of)
        };
        let chance = |word: &String| {
            if is_one {
                background.share(word)
            } else {
                background.share(word).max(here(word))
            }
        };
        // In a sentence with both words, the second follows the first at one of `length` positions.
        phrase.expected = of
            * length
            * phrase
                .words
                .iter()
                .map(|word| chance(word) / length)
                .product::<f64>();
        phrase.likelihood = log_likelihood(phrase.reviews, phrase.expected);
    }
}

/// Merges phrases contained in one another: keeps the longer phrase if it has at least half of the shorter one's
/// reviews, and otherwise the shorter one. Of singular and plural, keeps the more frequent.
fn collapse(found: Vec<Phrase>) -> Vec<Phrase> {
    let mut kept: Vec<Phrase> = Vec::new();
    'next: for phrase in found {
        let mut beaten = Vec::new();
        for (at, other) in kept.iter().enumerate() {
            let (long, short) = if phrase.words.len() > other.words.len() {
                (&phrase, other)
            } else {
                (other, &phrase)
            };
            let alike = |one: &String, other: &String| {
                one.trim_end_matches('s') == other.trim_end_matches('s')
            };
            let is_within = long
                .words
                .windows(short.words.len())
                .any(|part| part.iter().zip(&short.words).all(|(a, b)| alike(a, b)));
            if !is_within {
                continue;
            }
            let is_same_length = long.words.len() == short.words.len();
            let long_wins = if is_same_length {
                long.reviews >= short.reviews
            } else {
                long.reviews * 2 >= short.reviews
            };
            if long_wins == std::ptr::eq(long, other) {
                continue 'next;
            }
            beaten.push(at);
        }
        for at in beaten.into_iter().rev() {
            kept.remove(at);
        }
        kept.push(phrase);
    }
    kept
}

/// The selected phrases, with the aspects that they occur with.
fn together(
    segments: &[&PackedAnalyses],
    trade: &Trade,
    chosen: &[Phrase],
    originals: &mut Originals<'_>,
) -> Vec<Keyphrase> {
    let aspects = trade.aspects.len().min(ASPECTS_MAX);
    let mut by_hash: Vec<(u32, usize)> = chosen.iter().map(|phrase| phrase.hash).zip(0..).collect();
    by_hash.sort_unstable();
    let marked = Marked::new(by_hash.iter().map(|(hash, _)| *hash));
    let bare = |phrase: &Phrase| Keyphrase {
        phrase: phrase.words.join(" "),
        reviews: phrase.reviews,
        expected: phrase.expected,
        log_likelihood: phrase.likelihood,
        aspect: None,
        joint: vec![0; aspects],
        overall: VoteCounts::default(),
        quotable: Vec::new(),
        quote: None,
    };
    let mut topics: Vec<Keyphrase> = chosen.iter().map(bare).collect();
    let mut newest: Vec<Vec<(u32, PackedAnalysisRef<'_>)>> = vec![Vec::new(); topics.len()];
    each_marked(segments, &marked, |before, segment, index, hash| {
        let Ok(found) = by_hash.binary_search_by_key(&hash, |(hash, _)| *hash) else {
            return;
        };
        let at = by_hash[found].1;
        let topic = &mut topics[at];
        let packed_analysis = segment.get(index);
        topic.overall.count(packed_analysis.head.overall.into());
        bits(aspect_bits(packed_analysis.findings)).for_each(|aspect| {
            if let Some(joint) = topic.joint.get_mut(aspect) {
                *joint += 1;
            }
        });
        if newest[at].len() < QUOTED_FROM {
            newest[at].push((
                u32::try_from(before + index).unwrap_or(u32::MAX),
                packed_analysis,
            ));
        }
    });
    let mut things = Vec::new();
    for ((mut topic, phrase), newest) in topics.into_iter().zip(chosen).zip(newest) {
        let found =
            |one: (u32, PackedAnalysisRef<'_>)| find(&*originals.open(one.0)?, one, &phrase.words);
        let found: Vec<TopicSentence> = newest.into_iter().filter_map(found).collect();
        if !is_thing(phrase.words.len(), &found) {
            continue;
        }
        // No quote may contradict the counts shown beside it.
        let VoteCounts {
            positive, negative, ..
        } = topic.overall;
        let bears = |vote| match vote {
            Vote::Positive => positive >= negative,
            Vote::Negative => negative >= positive,
            Vote::Neutral | Vote::Mixed | Vote::Uncertain => true,
        };
        topic.aspect = aspect_of(&found, trade);
        let mut ranked: Vec<(u32, TopicSentence)> = found
            .into_iter()
            .filter(|found| found.vote.is_some_and(bears))
            .filter_map(|found| Some((found.rank(topic.aspect)?, found)))
            .collect();
        // Of equally ranked sentences, the newest comes first.
        ranked.sort_by_key(|(rank, _)| Reverse(*rank));
        topic.quotable = ranked.into_iter().map(|(_, found)| found).collect();
        things.push(topic);
        if things.len() == TOPICS_MAX {
            break;
        }
    }
    things
}

/// Chooses the quotes of the topics, beginning with the most significant topic.
pub fn quote(topics: &mut [Keyphrase], originals: &mut Originals<'_>) {
    for topic in topics {
        topic.quote = std::mem::take(&mut topic.quotable)
            .into_iter()
            .find_map(|found| originals.quote(found.position, found.sentence, found.vote?));
    }
}

/// The number of reviews with both, as a multiple of the number expected by chance.
#[must_use]
pub fn lift(joint: u32, one: u32, other: u32, all: u32) -> f64 {
    if one == 0 || other == 0 {
        0.0
    } else {
        f64::from(joint) * f64::from(all) / (f64::from(one) * f64::from(other))
    }
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
            steps::add(text.tokens().len());
            (0..text.tokens().len())
                .map(|token| stem(text.word(token)).to_owned())
                .collect::<Vec<_>>()
        };
        let listed = business.technicians.iter();
        let shown: HashSet<String> = listed
            .flat_map(|one| one.aliases.iter().chain([&one.name]))
            .flat_map(|name| cut(name))
            .collect();
        let of_people: HashSet<String> = people.iter().copied().flat_map(cut).collect();
        let named = business.service_areas.iter().chain([&business.name]);
        let named = named.map(String::as_str);
        let words = named
            .chain(business.services.iter().map(|one| one.name.as_str()))
            .flat_map(cut)
            .chain(of_people.iter().cloned())
            .collect();
        let called = business
            .services
            .iter()
            .flat_map(|one| one.synonyms.iter().chain([&one.name]));
        Self {
            words,
            hidden: of_people.difference(&shown).cloned().collect(),
            services: called
                .map(|name| cut(name))
                .filter(|name| !name.is_empty())
                .collect(),
        }
    }

    /// Whether a phrase consists only of these words, or contains a service or an unpublished name.
    pub fn cover(&self, phrase: &[String]) -> bool {
        let phrase: Vec<String> = phrase.iter().map(|word| stem(word).to_owned()).collect();
        let mut parts = (1..=phrase.len())
            .flat_map(|len| phrase.windows(len))
            .inspect(|_| steps::one());
        phrase.iter().all(|word| self.words.contains(word))
            || phrase.iter().any(|word| self.hidden.contains(word))
            || parts.any(|part| self.services.contains(part))
    }
}

/// A word without its plural or genitive ending.
fn stem(word: &str) -> &str {
    word.trim_end_matches('s')
}

/// Number of bits of a hash that the approximate count uses.
const ROUGH_BITS: u32 = 16;
/// Maximum number of phrases that are returned; only the most frequent ones are.
const CLOSELY: usize = 160;
/// Number of hashes tested at once: one for each bit.
const AT_ONCE: usize = u64::BITS as usize;

const fn rough(hash: u32) -> usize {
    (hash >> (u32::BITS - ROUGH_BITS)) as usize
}

/// The number of reviews with a phrase and the newest of these reviews, by the phrase's hash; only the most frequent
/// phrases, each with at least `least` reviews.
pub fn heavy_hitters(segments: &[&PackedAnalyses], least: u32) -> BTreeMap<u32, (u32, u32)> {
    let counts = rough_counts(segments);
    let mut cells = 2 * CLOSELY;
    loop {
        // An approximate count is never too small: a phrase outside of the fullest cells has at most as many reviews as
        // the next cell.
        let fullest = nth_largest(&counts, cells).max(least);
        let mut heavy_hitters = exact(segments, &counts, fullest);
        heavy_hitters.retain(|(_, reviews, _)| *reviews >= least);
        heavy_hitters.sort_unstable_by_key(|(hash, reviews, _)| (Reverse(*reviews), *hash));
        heavy_hitters.truncate(CLOSELY);
        let is_certain = heavy_hitters
            .get(CLOSELY - 1)
            .is_some_and(|(_, reviews, _)| *reviews >= fullest);
        if is_certain || fullest == least {
            let newest = |newest| u32::try_from(newest).unwrap_or(u32::MAX);
            return heavy_hitters
                .into_iter()
                .map(|(hash, reviews, at)| (hash, (reviews, newest(at))))
                .collect();
        }
        cells *= 4;
    }
}

/// The number of reviews with a phrase of each truncated hash; more if a review has several such phrases.
fn rough_counts(segments: &[&PackedAnalyses]) -> Vec<u32> {
    let mut counts = vec![0; 1 << ROUGH_BITS];
    for segment in segments {
        segment
            .phrases()
            .iter()
            .for_each(|hash| counts[rough(*hash)] += 1);
    }
    counts
}

/// The `n`th largest of the counts, or 0 if there are fewer.
fn nth_largest(counts: &[u32], n: usize) -> u32 {
    let mut counts = counts.to_vec();
    if n < counts.len() {
        *counts
            .select_nth_unstable_by_key(n, |count| Reverse(*count))
            .1
    } else {
        0
    }
}

/// Hash, number of reviews and newest review of all phrases in cells with a count of at least `fullest`.
fn exact(segments: &[&PackedAnalyses], counts: &[u32], fullest: u32) -> Vec<(u32, u32, usize)> {
    let marked = Marked::of_rough(
        (0..)
            .zip(counts)
            .filter(|(_, count)| **count >= fullest)
            .map(|(at, _)| at),
    );
    let mut exact: HashMap<u32, (u32, usize), BuildHasherDefault<Fingerprint>> = HashMap::default();
    each_marked(segments, &marked, |before, _, packed_analysis, hash| {
        let (reviews, _) = exact.entry(hash).or_insert((0, before + packed_analysis));
        *reviews += 1;
    });
    let exact = exact.into_iter();
    exact
        .map(|(hash, (reviews, newest))| (hash, reviews, newest))
        .collect()
}

/// A bit for each truncated hash: small enough for the cache while millions of hashes are tested.
pub struct Marked(Vec<u64>);

impl Marked {
    /// The bits of these hashes.
    pub fn new(hashes: impl Iterator<Item = u32>) -> Self {
        Self::of_rough(hashes.map(rough))
    }

    fn of_rough(rough: impl Iterator<Item = usize>) -> Self {
        let mut bits = vec![0; (1 << ROUGH_BITS) / 64];
        rough.for_each(|at| bits[at / 64] |= 1 << (at % 64));
        Self(bits)
    }

    fn bit(&self, hash: u32) -> u64 {
        let at = rough(hash);
        self.0[at / 64] >> (at % 64) & 1
    }
}

/// Calls `take` with every marked phrase: the number of packed analyses before its segment, the segment, the index of
/// the packed analysis in it, and the hash.
pub fn each_marked<'a>(
    segments: &[&'a PackedAnalyses],
    marked: &Marked,
    mut take: impl FnMut(usize, &'a PackedAnalyses, usize, u32),
) {
    let mut before = 0;
    for segment in segments {
        let mut packed_analysis = 0;
        for (start, some) in (0..)
            .step_by(AT_ONCE)
            .zip(segment.phrases().chunks(AT_ONCE))
        {
            // There is no branch for each hash, because marked hashes cannot be predicted.
            for at in bits(
                (0..)
                    .zip(some)
                    .fold(0, |mask, (at, hash)| mask | marked.bit(*hash) << at),
            ) {
                packed_analysis = segment.with_phrase(start + at, packed_analysis);
                take(before, segment, packed_analysis, some[at]);
            }
        }
        before += segment.len();
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BTreeMap;

    use super::{CLOSELY, heavy_hitters};
    use crate::insights::analysis::{Polarity, TextLanguage};
    use crate::insights::packed_analysis::{PackedAnalyses, PackedAnalysisRef, PackedHead};

    /// Packed analyses in segments of seven; their phrases have numbers below `phrases` and are distributed evenly or
    /// unevenly.
    fn segments(packed_analyses: u64, phrases: u64, is_even: bool) -> Vec<PackedAnalyses> {
        let head = PackedHead {
            day: 0,
            stars: 5,
            language: TextLanguage::English,
            overall: Polarity::Neutral,
            sentences: 1,
        };
        let mut segments = vec![PackedAnalyses::default()];
        for packed_analysis in 0..packed_analyses {
            let draw = |at: u64| {
                let drawn =
                    (packed_analysis * 50 + at + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
                let most = if is_even {
                    phrases
                } else {
                    1 + drawn % phrases
                };
                u32::try_from((drawn / 7) % most)
                    .unwrap()
                    .wrapping_mul(0x9E37_79B1)
            };
            let mut hashes: Vec<u32> = (0..50).map(draw).collect();
            hashes.sort_unstable();
            hashes.dedup();
            if packed_analysis % 7 == 0 {
                segments.push(PackedAnalyses::default());
            }
            segments.last_mut().unwrap().push(PackedAnalysisRef {
                head,
                findings: &[],
                names: &[],
                phrases: &hashes,
            });
        }
        segments
    }

    #[test]
    fn what_is_heavy_hitters_is_what_counting_every_phrase_finds() {
        for (packed_analyses, phrases, is_even, least) in [
            (0, 1, true, 4),
            (300, 40, true, 4),
            (2_000, 4_000, true, 4),
            (2_000, 4_000, false, 4),
            (900, 90_000, true, 2),
        ] {
            let segments = segments(packed_analyses, phrases, is_even);
            let mut counts: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
            for (position, packed_analysis) in
                (0..).zip(segments.iter().flat_map(PackedAnalyses::iter))
            {
                packed_analysis
                    .phrases
                    .iter()
                    .for_each(|hash| counts.entry(*hash).or_insert((0, position)).0 += 1);
            }
            let mut counted: Vec<(u32, (u32, u32))> = counts
                .into_iter()
                .filter(|(_, (reviews, _))| *reviews >= least)
                .collect();
            counted.sort_by_key(|(hash, (reviews, _))| (Reverse(*reviews), *hash));
            counted.truncate(CLOSELY);
            let borrowed: Vec<&PackedAnalyses> = segments.iter().collect();
            assert_eq!(
                heavy_hitters(&borrowed, least),
                counted.into_iter().collect(),
                "{packed_analyses} {phrases} {is_even}"
            );
        }
    }
}
