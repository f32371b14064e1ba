//! Which phrases are topics, and what they go together with. Packed analyses keep hashes of
//! phrases; the words are read from a review that has them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

use super::AggregateInput;
use super::count::{ASPECTS_MAX, Counted, bits};
use super::figures::OVERALL;
use super::figures::{Vote, Votes, log_likelihood};
use super::heavy_hitters::{Marked, each_marked, heavy_hitters};
use super::quotes::{Opened, Originals, Quote, SENTENCE_MAX};
use super::topics::{BACKGROUND, background, phrases};
use crate::business::Business;
use crate::insights::analysis::Polarity;
use crate::insights::packed_analysis::{
    PackedAnalyses, PackedAnalysisRef, PackedFinding, phrase_hash,
};
use crate::insights::text::Text;
use crate::insights::trade::Trade;
use crate::steps;

/// A phrase in fewer reviews, or in less than this part of them, is no topic.
const REVIEWS_MIN: u32 = 4;
/// That part: one in so many of the analysed reviews.
const REVIEWS_SHARE: u32 = 1_000;
/// How many topics there are at most.
const TOPICS_MAX: usize = 24;
/// What stands out less may be chance: the quantile of 99.99 % of the chi-squared distribution.
const LIKELIHOOD_MIN: f64 = 15.13;
/// How many reviews are looked at for a quote, and for the aspect that a topic goes with.
const QUOTED_FROM: usize = 12;
/// A quote of a topic reads best with so many code points.
const QUOTE_MIN: u32 = 35;
/// The longest such quote, in code points; [`QUOTE_MIN`] is the shortest.
const QUOTE_MAX: u32 = 120;
/// An aspect goes with a topic if so many sentences have both, ...
const JOINT_MIN: usize = 2;
/// ... and one in so many of those looked at.
const JOINT_PART: usize = 4;

/// A phrase that stands out.
#[derive(Debug, Clone)]
pub struct Topic {
    /// One to three words, folded, with single spaces between.
    pub phrase: String,
    /// How many reviews have it.
    pub reviews: u32,
    /// How many would by chance.
    pub expected: f64,
    /// How much that differs.
    pub log_likelihood: f64,
    /// The aspect that it goes with most often.
    pub aspect: Option<usize>,
    /// How many of its reviews judge each aspect.
    pub joint: Vec<u32>,
    /// Its reviews by how they speak as a whole.
    pub overall: Votes,
    /// A sentence that has it.
    pub quote: Option<Quote>,
}

/// A phrase that is looked at closely.
struct Phrase {
    words: Vec<String>,
    hash: u32,
    reviews: u32,
    expected: f64,
    likelihood: f64,
}

/// The topics of all packed analyses, the clearest first.
#[must_use]
pub fn topics(
    sources: &AggregateInput<'_>,
    counted: &Counted,
    originals: &mut Originals<'_>,
) -> Vec<Topic> {
    let AggregateInput {
        segments,
        business,
        trade,
        ..
    } = *sources;
    let heavy_hitters = heavy_hitters(segments, REVIEWS_MIN.max(counted.analysed / REVIEWS_SHARE));
    let known = Known::new(business);
    let mut found = words_of(&heavy_hitters, originals);
    found.retain(|phrase| !known.names(&phrase.words));
    judge(&mut found, &heavy_hitters, counted.sentences);
    found.retain(|phrase| phrase.likelihood >= LIKELIHOOD_MIN);
    found.sort_by(|one, other| {
        other
            .likelihood
            .total_cmp(&one.likelihood)
            .then_with(|| one.words.cmp(&other.words))
    });
    let mut chosen = collapse(found);
    chosen.truncate(TOPICS_MAX);
    together(segments, trade, &chosen, originals)
}

/// The words of the frequent phrases, from the newest review that has each.
fn words_of(
    heavy_hitters: &BTreeMap<u32, (u32, u32)>,
    originals: &mut Originals<'_>,
) -> Vec<Phrase> {
    let newest: BTreeSet<u32> = heavy_hitters.values().map(|(_, newest)| *newest).collect();
    let mut found = Vec::with_capacity(heavy_hitters.len());
    for position in newest {
        let Some(opened) = originals.open(position) else {
            continue;
        };
        for phrase in phrases(&opened.text) {
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

/// What the firm is called, who works there, and what it offers: those are counted by name.
struct Known {
    /// Words of people's and places' names and of the firm's own, and of the names of services,
    /// each without its plural.
    words: HashSet<String>,
    /// Services as customers call them, likewise.
    services: HashSet<Vec<String>>,
}

impl Known {
    fn new(business: &Business) -> Self {
        let cut = |name: &str| {
            let text = Text::new(name);
            steps::add(text.tokens().len());
            (0..text.tokens().len())
                .map(|token| stem(text.word(token)).to_owned())
                .collect::<Vec<_>>()
        };
        let people = business
            .technicians
            .iter()
            .flat_map(|one| one.aliases.iter().chain([&one.name]));
        let named = people
            .chain(&business.service_areas)
            .chain([&business.name])
            .map(String::as_str);
        let words = named
            .chain(business.services.iter().map(|one| one.name.as_str()))
            .flat_map(cut)
            .collect();
        let called = business
            .services
            .iter()
            .flat_map(|one| one.synonyms.iter().chain([&one.name]));
        Self {
            words,
            services: called
                .map(|name| cut(name))
                .filter(|name| !name.is_empty())
                .collect(),
        }
    }

    fn names(&self, phrase: &[String]) -> bool {
        let phrase: Vec<String> = phrase.iter().map(|word| stem(word).to_owned()).collect();
        let mut parts = (1..=phrase.len())
            .flat_map(|len| phrase.windows(len))
            .inspect(|_| steps::one());
        phrase.iter().all(|word| self.words.contains(word))
            || parts.any(|part| self.services.contains(part))
    }
}

/// A word without its plural, or another word's genitive.
fn stem(word: &str) -> &str {
    word.trim_end_matches('s')
}

/// How many reviews would have each phrase if its words came by chance: a word as often as in other
/// trades' reviews, or, in a row of several, as often as here where that is more.
fn judge(found: &mut [Phrase], heavy_hitters: &BTreeMap<u32, (u32, u32)>, sentences: u32) {
    let (of, length) = (f64::from(sentences.max(1)), BACKGROUND.1);
    for phrase in found {
        let is_one = phrase.words.len() == 1;
        let here = |word: &String| {
            heavy_hitters
                .get(&phrase_hash(word))
                .map_or(0.0, |(reviews, _)| f64::from(*reviews) / of)
        };
        let chance = |word: &String| {
            if is_one {
                background(word)
            } else {
                background(word).max(here(word))
            }
        };
        // In a sentence that has both words, the second follows the first in one of so many places.
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

/// Of phrases that stand in one another, and of singular and plural, one: the longer where it has
/// half of the shorter one's reviews, else the shorter; of one and many the more frequent.
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

/// The chosen phrases with what they go together with.
fn together(
    segments: &[&PackedAnalyses],
    trade: &Trade,
    chosen: &[Phrase],
    originals: &mut Originals<'_>,
) -> Vec<Topic> {
    let aspects = trade.aspects.len().min(ASPECTS_MAX);
    let mut by_hash: Vec<(u32, usize)> = chosen.iter().map(|phrase| phrase.hash).zip(0..).collect();
    by_hash.sort_unstable();
    let marked = Marked::new(by_hash.iter().map(|(hash, _)| *hash));
    let mut topics: Vec<Topic> = chosen.iter().map(|phrase| bare(phrase, aspects)).collect();
    let mut newest: Vec<Vec<(u32, PackedAnalysisRef<'_>)>> = vec![Vec::new(); topics.len()];
    each_marked(segments, &marked, |before, segment, index, hash| {
        let Ok(found) = by_hash.binary_search_by_key(&hash, |(hash, _)| *hash) else {
            return;
        };
        let at = by_hash[found].1;
        let topic = &mut topics[at];
        let packed_analysis = segment.get(index);
        topic.overall.count(packed_analysis.head.overall.into());
        bits(judged(packed_analysis.findings)).for_each(|aspect| {
            topic
                .joint
                .get_mut(aspect)
                .into_iter()
                .for_each(|joint| *joint += 1);
        });
        if newest[at].len() < QUOTED_FROM {
            newest[at].push((
                u32::try_from(before + index).unwrap_or(u32::MAX),
                packed_analysis,
            ));
        }
    });
    for ((topic, phrase), newest) in topics.iter_mut().zip(chosen).zip(newest) {
        let found = |(position, packed_analysis): (u32, PackedAnalysisRef<'_>)| {
            find(&*originals.open(position)?, packed_analysis, &phrase.words)
        };
        let found: Vec<Found> = newest.into_iter().filter_map(found).collect();
        topic.aspect = aspect_of(&found, trade);
        let quoted = found
            .into_iter()
            .filter(|found| found.quote.is_some())
            .enumerate();
        let best = quoted.max_by_key(|(at, found)| (found.quote_rank, std::cmp::Reverse(*at)));
        topic.quote = best.and_then(|(_, found)| found.quote);
    }
    topics
}

/// The aspects of these marks, a bit for each.
fn judged<'a>(findings: impl IntoIterator<Item = &'a PackedFinding>) -> u64 {
    findings.into_iter().fold(0, |judged, finding| {
        judged | 1_u64.checked_shl(finding.aspect.into()).unwrap_or(0)
    })
}

fn bare(phrase: &Phrase, aspects: usize) -> Topic {
    Topic {
        phrase: phrase.words.join(" "),
        reviews: phrase.reviews,
        expected: phrase.expected,
        log_likelihood: phrase.likelihood,
        aspect: None,
        joint: vec![0; aspects],
        overall: Votes::default(),
        quote: None,
    }
}

/// How many times as many reviews have both as would by chance.
#[must_use]
pub fn lift(joint: u32, one: u32, other: u32, all: u32) -> f64 {
    if one == 0 || other == 0 {
        0.0
    } else {
        f64::from(joint) * f64::from(all) / (f64::from(one) * f64::from(other))
    }
}

/// The aspect that is judged most often in the sentences with those words, in the newest reviews
/// that have them; at least twice, and in a quarter of them.
fn aspect_of(sentences: &[Found], trade: &Trade) -> Option<usize> {
    let count = |aspect: usize| {
        sentences
            .iter()
            .filter(|found| found.judged >> aspect & 1 == 1)
            .count()
    };
    let aspects = (0..trade.aspects.len().min(ASPECTS_MAX))
        .filter(|aspect| trade.aspects[*aspect].id != OVERALL);
    let best = aspects
        .map(|aspect| (count(aspect), aspect))
        .max_by_key(|(count, aspect)| (*count, std::cmp::Reverse(*aspect)));
    best.filter(|(count, _)| *count >= JOINT_MIN && count * JOINT_PART >= sentences.len())
        .map(|(_, aspect)| aspect)
}

/// A sentence with the words of a topic.
struct Found {
    /// The aspects that it judges.
    judged: u64,
    /// How good a quote it is.
    quote_rank: u32,
    quote: Option<Quote>,
}

/// The first sentence with those words.
fn find(
    opened: &Opened,
    packed_analysis: PackedAnalysisRef<'_>,
    words: &[String],
) -> Option<Found> {
    let text = &opened.text;
    let has = |tokens: &Range<usize>| {
        tokens.clone().any(|at| {
            words
                .iter()
                .enumerate()
                .all(|(step, word)| at + step < tokens.end && text.word(at + step) == word)
        })
    };
    let (sentence, tokens) = (0..)
        .zip(text.sentences())
        .find(|(_, tokens)| has(tokens))?;
    let span = text.span(tokens.clone());
    let findings = || {
        packed_analysis
            .findings
            .iter()
            .filter(move |finding| u32::from(finding.sentence) == sentence)
    };
    let judged = judged(findings());
    let says = |polarity| findings().any(|finding| finding.polarity == polarity);
    let vote = Vote::fold(
        says(Polarity::Positive),
        says(Polarity::Negative),
        says(Polarity::Uncertain),
    );
    let length = span.end - span.start;
    let quote_rank = u32::from(judged > 0) + u32::from((QUOTE_MIN..=QUOTE_MAX).contains(&length));
    let quote = if length > SENTENCE_MAX {
        None
    } else {
        Quote::new(opened, sentence, span, vote)
    };
    Some(Found {
        judged,
        quote_rank,
        quote,
    })
}
