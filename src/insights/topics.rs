//! Topics: things that many reviews name, like `shoe covers`. One counter counts phrases of one or two words in the newest
//! reviews. A phrase is a topic if it stands for a thing and is not made of words that every text has.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::ops::Range;

use super::analysis::TextLanguage;
use super::analyzer::first_characters;
use super::classifier::STRENGTHS;
use super::compact::CompactAnalysis;
use super::count::AggregateInput;
use super::names::words_only;
use super::text::{Capitalisation, TokenizedText};
use super::words::{COMMON_WORDS, Fingerprint, WordMap, singular};
use crate::model::business::Business;
use crate::model::{Vote, VoteCounts};
use crate::wire::Topic;

/// Number of the newest reviews in which phrases are counted.
const REVIEWS_READ: usize = 1_000;
/// Minimum number of reviews with a topic.
const REVIEWS_MIN: usize = 4;
/// Minimum share of reviews with a topic: one in this many.
const REVIEWS_PART: usize = 50;
const TOPICS_SHOWN: usize = 24;
/// Minimum number of letters of a word in a topic.
const LETTERS_MIN: usize = 3;
/// How closely the words of a pair belong together: the square of the number of its reviews is at least one in this many of
/// the product of those of its words.
const PAIR_PART: usize = 8;
/// Minimum share of the uses of a phrase in which it stands for a thing: one in this many.
const THING_PART: usize = 6;
/// Minimum number of sentences with a topic that judge something, and their minimum share: one in this many. Without them, 17 sets
/// of reviews have 41 topics instead of 17, and many say nothing: `tourists`, `closet`.
const JUDGED_MIN: usize = 2;
const JUDGED_PART: usize = 3;
/// Words before a thing.
const ARTICLES: [&str; 16] = [
    "a", "an", "the", "this", "these", "those", "my", "our", "your", "his", "her", "their", "its",
    "no", "any", "every",
];

/// A phrase in a sentence of a text.
struct PhraseUse {
    text: usize,
    sentence: u16,
    is_thing: bool,
}

/// The topics, the most frequent first.
pub fn find_topics(sources: &AggregateInput<'_>) -> Vec<Topic> {
    let own_names = OwnNames::new(sources.business, sources.people);
    let read = sources.analyses.iter();
    let read = read.filter(|(_, analysis)| analysis.language == TextLanguage::English);
    let read = read.take(REVIEWS_READ);
    let phrases = phrase_uses(read.clone().map(|(review, _)| &*review.text));
    let texts: Vec<&CompactAnalysis> = read.map(|(_, analysis)| *analysis).collect();
    let reviews = |phrase: &str| {
        let uses = phrases.get(&key(phrase)).map_or(&[][..], |(_, uses)| uses);
        uses.chunk_by(|one, other| one.text == other.text).count()
    };
    let least = REVIEWS_MIN.max(texts.len().div_ceil(REVIEWS_PART));
    let mut things: Vec<(&str, &[PhraseUse])> = phrases
        .values()
        .map(|(phrase, uses)| (phrase.as_str(), uses.as_slice()))
        .filter(|(phrase, uses)| {
            let things = uses.iter().filter(|one| one.is_thing).count();
            uses.len() >= least
                && reviews(phrase) >= least
                && is_distinctive(phrase, reviews)
                && things * THING_PART >= uses.len()
                && !own_names.cover(phrase)
                && is_judged(uses, &texts)
        })
        .collect();
    // Pairs come first: `shoe covers` stands for `covers`.
    things.sort_by_key(|(phrase, uses)| (!phrase.contains(' '), Reverse(uses.len()), *phrase));
    let (mut taken, mut topics) = (HashSet::new(), Vec::new());
    for (phrase, uses) in things {
        let stems: Vec<_> = phrase.split(' ').map(singular).collect();
        if stems.iter().all(|word| !taken.contains(word)) {
            taken.extend(stems);
            topics.push(topic(phrase, uses, &texts));
        }
    }
    // Of equally frequent ones, pairs come first.
    topics.sort_by_key(|topic| Reverse(topic.votes.mention_count));
    topics.truncate(TOPICS_SHOWN);
    topics
}

/// All phrases in the analysed parts of the texts by their keys, as they are first written, with their uses in the order of the
/// texts.
fn phrase_uses<'a>(texts: impl Iterator<Item = &'a str>) -> WordMap<(String, Vec<PhraseUse>)> {
    let mut phrases = WordMap::<(String, Vec<PhraseUse>)>::default();
    for (at, text) in texts.enumerate() {
        let text = TokenizedText::new(first_characters(text));
        for (sentence, words) in all_phrases(&text) {
            let phrase = text.words(words.clone());
            let tokens = &text.sentences()[usize::from(sentence)];
            let found = phrases.entry(key(phrase));
            let (_, uses) = found.or_insert_with(|| (phrase.to_owned(), Vec::new()));
            uses.push(PhraseUse {
                text: at,
                sentence,
                is_thing: is_thing(&text, tokens, words),
            });
        }
    }
    phrases
}

/// Every word that can be part of a topic, and every pair of them, with the number of its sentence.
fn all_phrases(text: &TokenizedText) -> impl Iterator<Item = (u16, Range<usize>)> {
    let sentences = (0..=u16::MAX).zip(text.sentences());
    sentences.flat_map(move |(number, sentence)| {
        let is_part = |at| is_part(text, sentence, at);
        let starts = sentence.clone().filter(move |at| is_part(*at));
        starts.flat_map(move |at| {
            let pair = is_part(at + 1).then_some((number, at..at + 2));
            [(number, at..at + 1)].into_iter().chain(pair)
        })
    })
}

/// Whether a token is a word of its sentence that can be part of a topic. Names, brands and numbers cannot: words with
/// capitals within a sentence.
fn is_part(text: &TokenizedText, sentence: &Range<usize>, at: usize) -> bool {
    if !sentence.contains(&at) {
        return false;
    }
    let (word, shape) = (text.word(at), text.tokens()[at].shape);
    let is_word = shape == Capitalisation::Lower
        || shape == Capitalisation::Capitalised && at == sentence.start;
    is_word
        && word.len() >= LETTERS_MIN
        && !word.contains('\'')
        && COMMON_WORDS.get(word) != Some(&true)
}

/// The same for singular and plural.
fn key(phrase: &str) -> u64 {
    let words = phrase.split(' ');
    words.fold(0, |key, word| {
        Fingerprint::mix(key, Fingerprint::of(&singular(word)))
    })
}

/// Whether a word is not common, or the words of a pair belong together; `reviews` counts those with a phrase.
fn is_distinctive(phrase: &str, reviews: impl Fn(&str) -> usize) -> bool {
    if let Some((first, last)) = phrase.split_once(' ') {
        return reviews(phrase).pow(2) * PAIR_PART >= reviews(first) * reviews(last);
    }
    // `outstanding` judges, but names nothing.
    !STRENGTHS.contains_key(&Fingerprint::of(phrase))
        && !COMMON_WORDS.contains_key(phrase)
        && !COMMON_WORDS.contains_key(&*singular(phrase))
}

/// Whether a phrase stands for a thing: behind an article, and at the end of what is named (`the boiler failed`, not `the
/// boiler room`). One word may stand before a pair: `a new water heater`.
fn is_thing(text: &TokenizedText, sentence: &Range<usize>, words: Range<usize>) -> bool {
    let before = (sentence.start..words.start).rev().take(words.len());
    let mut before = before.take_while(|at| !text.has_shape(*at, Capitalisation::Mark));
    before.any(|at| ARTICLES.contains(&text.word(at))) && !is_part(text, sentence, words.end)
}

/// Whether enough sentences with a phrase have an opinion on which rules and classifier agree; otherwise it is no topic.
fn is_judged(uses: &[PhraseUse], texts: &[&CompactAnalysis]) -> bool {
    let judged = uses.iter().filter(|one| {
        let mut findings = texts[one.text].findings.iter();
        findings.any(|finding| {
            finding.sentence == one.sentence && finding.is_agreed && finding.polarity.judges()
        })
    });
    let judged = judged.count();
    judged >= JUDGED_MIN && judged * JUDGED_PART >= uses.len()
}

/// A topic with its votes: what all sentences of a review with the phrase say. The uses are in the order of the texts.
fn topic(phrase: &str, uses: &[PhraseUse], texts: &[&CompactAnalysis]) -> Topic {
    let mut votes = VoteCounts::default();
    for uses in uses.chunk_by(|one, other| one.text == other.text) {
        let sentences = &texts[uses[0].text].sentences;
        let polarities = uses.iter();
        let polarities = polarities.filter_map(|one| sentences.get(usize::from(one.sentence)));
        let of_sentences = polarities.map(|one| Vote::from(*one));
        votes.count(of_sentences.fold(Vote::Neutral, Vote::combine));
    }
    Topic {
        id: phrase.replace(' ', "-"),
        phrase: phrase.to_owned(),
        votes: (&votes).into(),
    }
}

fn singular_words(name: &str) -> impl Iterator<Item = String> {
    let words = words_only(&TokenizedText::new(name)).into_iter();
    words.map(|word| singular(&word).into_owned())
}

/// The words in the names of the business, its people, services and places, without plural endings. They are counted as
/// names.
struct OwnNames {
    words: HashSet<String>,
    /// Those of people: no topic has one of them.
    people: HashSet<String>,
    /// `autorepair`: what every such business has says nothing about this one.
    kind: String,
}

impl OwnNames {
    /// `people` are the names of all staff, published or not.
    fn new(business: &Business, people: &[&str]) -> Self {
        let names = business.service_names().chain(&business.service_areas);
        let people = people.iter().flat_map(|name| singular_words(name));
        Self {
            words: (names.chain([&business.name]))
                .flat_map(|name| singular_words(name))
                .collect(),
            kind: business.kind.to_lowercase(),
            people: people.collect(),
        }
    }

    /// Whether a phrase consists of these words or has a person's name.
    fn cover(&self, phrase: &str) -> bool {
        let mut words = phrase.split(' ').map(singular);
        let mut all = words.clone();
        all.all(|word| self.words.contains(&*word) || self.kind.contains(&*word))
            || words.any(|word| self.people.contains(&*word))
    }
}

#[cfg(test)]
mod tests {
    use super::{all_phrases, key, phrase_uses};
    use crate::insights::analyzer::TEXT_CHARS_MAX;
    use crate::insights::text::TokenizedText;

    #[test]
    fn no_phrase_has_the_rating_or_an_adverb() {
        let text = "Five stars, they came right away and worked hard on the boiler.";
        let text = TokenizedText::new(text);
        let phrases: Vec<&str> = all_phrases(&text).map(|(_, at)| text.words(at)).collect();
        assert_eq!(phrases, ["five", "worked", "boiler"]);
    }

    #[test]
    fn no_phrase_is_behind_the_analysed_part_of_a_text() {
        let long = "The boiler. ".repeat(TEXT_CHARS_MAX / 12) + "The boiler and the kettle.";
        let phrases = phrase_uses([&*long, "The kettles."].into_iter());
        let count = |phrase: &str| phrases[&key(phrase)].1.len();
        assert_eq!((count("boiler"), count("kettle")), (TEXT_CHARS_MAX / 12, 1));
    }
}
