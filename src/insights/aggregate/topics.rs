//! Candidate phrases for topics: words and sequences of words that these reviews use far more often than chance and the
//! reviews of other trades would explain. The phrases of a text are found during its analysis; topics are selected when
//! all phrases are counted.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use super::quotes::{SegmentedOriginal, fits_stars};
use crate::insights::analysis::Polarity;
use crate::insights::compact_analysis::{CompactFinding, WitnessCount};
use crate::insights::text::{Capitalisation, Fingerprint, TokenizedText, WordMap};
use crate::insights::trades::Trade;
use crate::model::Vote;

// Word frequencies in reviews of other trades, so that topics are words that these reviews use more often than others.

/// A line for each word with the number of sentences that contain it, a tab between; other lines are comments.
const BACKGROUND: &str = include_str!("../trades/shared/background.tsv");
/// Number of all its sentences.
const SENTENCES: f64 = 6_293.0;

/// The counts by the word's fingerprint.
static COUNTS: LazyLock<WordMap<u16>> = LazyLock::new(|| {
    let count = |line: &str| {
        let (word, count) = line.split_once('\t')?;
        Some((Fingerprint::of(word), count.parse().ok()?))
    };
    BACKGROUND.lines().filter_map(count).collect()
});

/// The number of sentences that contain the word with that fingerprint.
fn count_elsewhere(fingerprint: u64) -> u16 {
    COUNTS.get(&fingerprint).copied().unwrap_or_default()
}

/// The share of sentences that contain a word; never 0, because the table is only a sample.
pub fn share_elsewhere(word: &str) -> f64 {
    (f64::from(count_elsewhere(Fingerprint::of(word))) + 0.5) / SENTENCES
}

/// Average number of words of a sentence in the table of common words.
pub const SENTENCE_WORDS: f64 = 24.0;
/// Maximum number of those sentences with a word that can be a topic by itself; more frequent words are too common.
const COMMON: u16 = 25;
/// Minimum number of letters of a word in a topic, unless it is an acronym.
const LETTERS_MIN: usize = 3;
/// Pairs that are phrases although neither word is plain.
const PAIRS: [(&str, &str); 2] = [("same", "day"), ("next", "day")];

/// The role that a word can have in a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PhraseWordClass {
    /// Never part of a phrase.
    Stop,
    /// Part of a phrase only beside a plain word.
    Weak,
    /// The same, but never its last word.
    Deed,
    /// Part of a phrase, or a phrase by itself if it is not common elsewhere.
    Plain,
}

/// The class of stop words, weak words and deeds, by their fingerprints; any other word is plain.
static WORDS: LazyLock<WordMap<PhraseWordClass>> = LazyLock::new(|| {
    by_word([
        (include_str!("weak_words.txt"), PhraseWordClass::Weak),
        (include_str!("deeds.txt"), PhraseWordClass::Deed),
        (include_str!("stop_words.txt"), PhraseWordClass::Stop),
    ])
});

/// The words of each list with its value; a word in several lists has the last value. Lines that begin with `#` are
/// comments.
fn by_word<T: Copy, const N: usize>(lists: [(&str, T); N]) -> WordMap<T> {
    let mut words = WordMap::default();
    for (list, value) in lists {
        let lines = list.lines().filter(|line| !line.starts_with('#'));
        for word in lines.flat_map(str::split_whitespace) {
            words.insert(Fingerprint::of(word), value);
        }
    }
    words
}

/// The use of a phrase, determined by the words before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhraseUse {
    /// It names a thing: `the boiler`, `their old water heater`.
    Thing,
    /// It does not name a thing: `we carried`, `very competent`.
    Other,
    /// Unknown.
    Unclear,
}

/// The meaning of a word for the phrase after it, by the word's fingerprint; other words have none.
static BEFORE: LazyLock<WordMap<PhraseUse>> = LazyLock::new(|| {
    by_word([
        (include_str!("before_things.txt"), PhraseUse::Thing),
        (include_str!("before_others.txt"), PhraseUse::Other),
    ])
});

/// Maximum number of words between `the` and the thing.
const BETWEEN_MAX: usize = 2;

/// The use of the phrase that begins at a token.
fn phrase_use(text: &TokenizedText, sentence: &Range<usize>, start: usize) -> PhraseUse {
    let before = (sentence.start..start).rev();
    for (distance, token) in before.take(BETWEEN_MAX + 1).enumerate() {
        let fingerprint = text.tokens()[token].fingerprint;
        match BEFORE.get(&fingerprint) {
            Some(PhraseUse::Other) if distance > 0 => return PhraseUse::Unclear,
            Some(found) => return *found,
            None => {}
        }
        let is_stop = WORDS.get(&fingerprint) == Some(&PhraseWordClass::Stop);
        if is_stop || text.tokens()[token].shape == Capitalisation::Mark {
            return PhraseUse::Unclear;
        }
    }
    PhraseUse::Unclear
}

/// The candidate phrases of a text: folded, each once, sorted.
pub fn phrases(text: &TokenizedText) -> Vec<&str> {
    let (mut phrases, mut classes) = (Vec::new(), Vec::new());
    for sentence in text.sentences() {
        let start = sentence.start;
        classes.clear();
        let tokens = sentence.clone();
        classes.extend(tokens.map(|token| class(text, token, token == start)));
        let of = |token: usize| {
            let class = classes.get(token - start);
            class.map_or(PhraseWordClass::Stop, |(class, _)| *class)
        };
        for at in sentence.clone() {
            let (first, count) = classes[at - start];
            if first == PhraseWordClass::Stop || phrase_use(text, sentence, at) == PhraseUse::Other
            {
                continue;
            }
            if first == PhraseWordClass::Plain && count <= COMMON {
                phrases.push(text.word(at));
            }
            let is_pair = match (first, of(at + 1)) {
                (PhraseWordClass::Plain, PhraseWordClass::Plain | PhraseWordClass::Weak)
                | (_, PhraseWordClass::Plain) => true,
                (
                    PhraseWordClass::Weak | PhraseWordClass::Deed,
                    PhraseWordClass::Weak | PhraseWordClass::Deed,
                ) => PAIRS.contains(&(text.word(at), text.word(at + 1))),
                (_, PhraseWordClass::Stop)
                | (PhraseWordClass::Plain, PhraseWordClass::Deed)
                | (PhraseWordClass::Stop, PhraseWordClass::Weak | PhraseWordClass::Deed) => false,
            };
            if is_pair {
                phrases.push(text.words(at..at + 2));
            }
        }
    }
    phrases.sort_unstable();
    phrases.dedup();
    phrases
}

/// The class of a token, and for a plain one its frequency elsewhere. Names, brands and numbers are no topics: words
/// capitalised within a sentence count as stop words.
fn class(text: &TokenizedText, token: usize, begins: bool) -> (PhraseWordClass, u16) {
    let (word, token) = (text.word(token), text.tokens()[token]);
    let is_word = match token.shape {
        Capitalisation::Lower => word.len() >= LETTERS_MIN,
        Capitalisation::Capitalised => begins && word.len() >= LETTERS_MIN,
        Capitalisation::Upper => true,
        Capitalisation::Mixed | Capitalisation::Number | Capitalisation::Mark => false,
    };
    if !is_word || word.is_empty() || word.contains('\'') {
        return (PhraseWordClass::Stop, 0);
    }
    match WORDS.get(&token.fingerprint) {
        Some(class) => (*class, 0),
        None => (PhraseWordClass::Plain, count_elsewhere(token.fingerprint)),
    }
}

// The sentences with a topic's words: their aspect, and their quality as a quote.

/// Best length of a topic's quote in code points.
const BEST_LENGTH: RangeInclusive<u32> = 35..=120;
/// Minimum number of sentences with both an aspect and a topic.
const JOINT_MIN: usize = 2;
/// Minimum share of such sentences among the sentences read: one in this many.
const JOINT_PART: usize = 4;

/// The aspects of these findings as a mask with a bit for each.
pub fn aspect_bits<'a>(findings: impl IntoIterator<Item = &'a CompactFinding>) -> u64 {
    findings.into_iter().fold(0, |judged, finding| {
        judged | 1_u64.checked_shl(finding.aspect.into()).unwrap_or(0)
    })
}

/// The aspect that the rules and the classifier both judge most often in the sentences with those words, in the newest
/// reviews; it must be judged at least twice, and in a quarter of the sentences.
pub fn aspect_of(sentences: &[TopicSentence], trade: &Trade) -> Option<usize> {
    let count = |aspect| {
        let about_it = sentences.iter().filter(|found| found.is_about(aspect));
        about_it.count()
    };
    let aspects = (0..trade.aspects.len()).filter(|aspect| trade.overall != Some(*aspect));
    let best = aspects
        .map(|aspect| (count(aspect), aspect))
        .max_by_key(|(count, aspect)| (*count, std::cmp::Reverse(*aspect)));
    best.filter(|(count, _)| *count >= JOINT_MIN && count * JOINT_PART >= sentences.len())
        .map(|(_, aspect)| aspect)
}

/// A sentence with the words of a topic.
#[derive(Debug, Clone, Copy)]
pub struct TopicSentence {
    /// Index of its review, newest first.
    pub position: u32,
    /// Sentence number, from 0.
    pub sentence: u16,
    /// The aspects on which the rules and the classifier agree.
    judged: u64,
    /// Their combined vote; `None` if the sentence cannot be quoted.
    pub vote: Option<Vote>,
    /// The use of the phrase in this sentence.
    pub phrase_use: PhraseUse,
    /// Quality as a quote; a larger value is better.
    pub rank: u32,
}

/// Whether a phrase of `words` words names a thing: more sentences must use it as a thing than otherwise. For a single
/// word, these must be at least half of all sentences.
pub fn is_thing(words: usize, sentences: &[TopicSentence]) -> bool {
    let count = |phrase_use| {
        let of_use = sentences.iter().filter(|one| one.phrase_use == phrase_use);
        of_use.count()
    };
    let (things, others) = (count(PhraseUse::Thing), count(PhraseUse::Other));
    things > others && (words > 1 || 2 * things >= sentences.len())
}

impl TopicSentence {
    /// Whether the rules and the classifier agree on that aspect.
    pub const fn is_about(&self, aspect: usize) -> bool {
        self.judged >> aspect & 1 == 1
    }
}

/// The first sentence with those words.
pub fn find(
    opened: &SegmentedOriginal<'_>,
    position: u32,
    words: &[String],
) -> Option<TopicSentence> {
    let text = &opened.text;
    let (sentence, tokens, start) =
        (0..).zip(text.sentences()).find_map(|(sentence, tokens)| {
            Some((sentence, tokens, text.position_of(tokens, words)?))
        })?;
    let span = text.span(tokens.clone());
    let findings = || {
        let findings = opened.analysis.findings.iter();
        findings.filter(move |finding| finding.sentence == sentence)
    };
    let shown = || findings().filter(|finding| finding.backing == WitnessCount::Both);
    let judged = aspect_bits(shown());
    let says = |polarity| findings().any(|finding| finding.polarity_of_text() == polarity);
    let vote = Vote::fold(
        says(Polarity::Positive),
        says(Polarity::Negative),
        says(Polarity::Uncertain),
    );
    let stars = opened.review.rating.stars();
    let can_be_shown = shown().any(|finding| finding.is_quotable)
        && shown().all(|finding| fits_stars(finding.polarity, stars))
        && vote != Vote::Uncertain;
    let is_typical = vote == Vote::from(opened.analysis.overall);
    Some(TopicSentence {
        position,
        sentence,
        judged,
        vote: can_be_shown.then_some(vote),
        phrase_use: phrase_use(text, tokens, start),
        rank: 2 * u32::from(is_typical) + u32::from(BEST_LENGTH.contains(&(span.end - span.start))),
    })
}

#[cfg(test)]
mod tests {
    use super::{BACKGROUND, COUNTS, PhraseUse, phrase_use, phrases, share_elsewhere};
    use crate::insights::text::TokenizedText;

    #[test]
    fn words_that_can_name_a_thing_are_candidate_phrases() {
        for (text, expected) in [
            (
                "He wore shoe covers, and Debbie got a second opinion on 3 Trane units.",
                &["covers", "opinion", "second opinion", "shoe", "shoe covers"][..],
            ),
            ("Peace of mind the same day!", &["peace", "same day"]),
            ("We carried the old boiler.", &["boiler", "old boiler"]),
            ("They were very competent and we rang.", &[]),
        ] {
            let tokenized = TokenizedText::new(text);
            assert_eq!(phrases(&tokenized), expected, "{text}");
        }
    }

    #[test]
    fn preceding_words_decide_if_a_phrase_names_a_thing() {
        for (text, expected) in [
            ("The boiler failed.", PhraseUse::Thing),
            ("Their old noisy boiler failed.", PhraseUse::Thing),
            ("We boiler failed.", PhraseUse::Other),
            ("It is very boiler.", PhraseUse::Other),
            ("On boiler.", PhraseUse::Unclear),
            ("Boiler failed.", PhraseUse::Unclear),
            ("We fixed boiler.", PhraseUse::Unclear),
        ] {
            let text = TokenizedText::new(text);
            let all = 0..text.tokens().len();
            let start = all.clone().find(|at| text.word(*at) == "boiler").unwrap();
            assert_eq!(phrase_use(&text, &all, start), expected, "{}", text.word(0));
        }
    }

    #[test]
    fn the_table_of_frequencies_has_all_sentences_and_words() {
        assert!(BACKGROUND.contains(" 6293 sentences") && COUNTS.len() == 3_148);
        assert!(share_elsewhere("food") > 0.05 && share_elsewhere("xyz") > 0.0);
    }
}
