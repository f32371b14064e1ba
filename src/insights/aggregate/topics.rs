//! Phrases that stand out: words, and words in a row, that these reviews use far more often than
//! chance and other trades' reviews would have it. Which phrases a text has is decided when it is
//! read; which of them are topics, when all are counted.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use super::count::ASPECTS_MAX;
use super::figures::Vote;
use super::quotes::{SegmentedOriginal, fits_stars};
use crate::compute::steps;
use crate::insights::analysis::Polarity;
use crate::insights::packed_analysis::{PackedAnalysisRef, PackedFinding, WitnessCount};
use crate::insights::text::{Capitalisation, Fingerprint, Token, TokenizedText};
use crate::insights::trades::{Background, Trade};

/// How many words a sentence has of those that the table of common words was counted in.
pub const SENTENCE_WORDS: f64 = 24.0;
/// A word in more of those sentences is too common to be a topic alone.
const COMMON: u16 = 25;
/// A shorter word is no word of a topic, unless it is an acronym.
const LETTERS_MIN: usize = 3;
/// How many tokens there are in most texts for each phrase at least.
const PHRASE_TOKENS: usize = 3;
/// Pairs that say something although neither word does.
const PAIRS: [&str; 2] = ["same day", "next day"];
/// The only small word that a phrase may have inside.
const LINK: &str = "of";

/// What a word can be in a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PhraseWordClass {
    /// No part of a phrase, except [`LINK`] between two plain words.
    Stop,
    /// Part of it, beside a word that is plain.
    Weak,
    /// Part of it, or, if it is not common elsewhere, all of it.
    Plain,
}

/// The class of the words that are small or weak, by their fingerprints; any other is plain.
static WORDS: LazyLock<HashMap<u64, PhraseWordClass, BuildHasherDefault<Fingerprint>>> =
    LazyLock::new(|| {
        let mut words = HashMap::default();
        for (file, class) in [
            (include_str!("weak_words.txt"), PhraseWordClass::Weak),
            (include_str!("stop_words.txt"), PhraseWordClass::Stop),
        ] {
            let lines = file.lines().filter(|line| !line.starts_with('#'));
            for word in lines.flat_map(str::split_whitespace) {
                words.insert(Fingerprint::of(word), class);
            }
        }
        words
    });

/// The phrases of a text that may turn out to be topics, given how common words are elsewhere: folded,
/// each once, sorted.
#[must_use]
pub fn phrases(text: &TokenizedText, background: &Background) -> Vec<String> {
    let mut phrases = Vec::with_capacity(text.tokens().len() / PHRASE_TOKENS);
    let mut classes = Vec::new();
    for sentence in text.sentences() {
        classes.clear();
        classes.extend(
            sentence
                .clone()
                .map(|token| class(text, background, token, token == sentence.start)),
        );
        each_phrase(text, &classes, sentence.clone(), |tokens| {
            let mut phrase = String::with_capacity(24);
            for token in tokens {
                if !phrase.is_empty() {
                    phrase.push(' ');
                }
                phrase.push_str(text.word(token));
            }
            phrases.push(phrase);
        });
    }
    phrases.sort_unstable();
    phrases.dedup();
    phrases
}

/// Calls `take` with the tokens of every phrase of a sentence whose tokens are of these classes.
fn each_phrase(
    text: &TokenizedText,
    classes: &[(PhraseWordClass, u16)],
    sentence: Range<usize>,
    mut take: impl FnMut(Range<usize>),
) {
    let start = sentence.start;
    let of = |token: usize| {
        classes
            .get(token - start)
            .map_or(PhraseWordClass::Stop, |(class, _)| *class)
    };
    for at in sentence {
        steps::one();
        let (first, count) = classes[at - start];
        if first == PhraseWordClass::Stop {
            continue;
        }
        if first == PhraseWordClass::Plain && count <= COMMON {
            take(at..at + 1);
        }
        match (first, of(at + 1), of(at + 2)) {
            (PhraseWordClass::Weak, PhraseWordClass::Weak, _) => {
                if PAIRS
                    .iter()
                    .any(|pair| pair.split_once(' ') == Some((text.word(at), text.word(at + 1))))
                {
                    take(at..at + 2);
                }
            }
            (_, PhraseWordClass::Plain | PhraseWordClass::Weak, third) => {
                take(at..at + 2);
                if first == PhraseWordClass::Plain && third == PhraseWordClass::Plain {
                    take(at..at + 3);
                }
            }
            (PhraseWordClass::Plain, PhraseWordClass::Stop, PhraseWordClass::Plain)
                if text.word(at + 1) == LINK =>
            {
                take(at..at + 3);
            }
            (_, PhraseWordClass::Stop, _) => {}
        }
    }
}

/// The class of a token, and how common it is if it is plain. Names, brands and numbers are no topics: what is
/// capitalised inside of a sentence is left out.
fn class(
    text: &TokenizedText,
    background: &Background,
    token: usize,
    begins: bool,
) -> (PhraseWordClass, u16) {
    let (
        Token {
            shape, fingerprint, ..
        },
        word,
    ) = (text.tokens()[token], text.word(token));
    let is_word = match shape {
        Capitalisation::Lower => word.len() >= LETTERS_MIN,
        Capitalisation::Capitalised => begins && word.len() >= LETTERS_MIN,
        Capitalisation::Upper => true,
        Capitalisation::Mixed | Capitalisation::Number | Capitalisation::Mark => false,
    };
    if !is_word || word.contains('\'') {
        return (PhraseWordClass::Stop, 0);
    }
    match WORDS.get(&fingerprint) {
        Some(class) => (*class, 0),
        None => (PhraseWordClass::Plain, background.count_of(fingerprint)),
    }
}

// The sentences that have a topic's words: which aspect they judge, and which of them to quote.

/// A quote of a topic reads best with so many code points.
const BEST_LENGTH: RangeInclusive<u32> = 35..=120;
/// An aspect goes with a topic if so many sentences have both, ...
const JOINT_MIN: usize = 2;
/// ... and one in so many of those looked at.
const JOINT_PART: usize = 4;

/// The aspects of these marks, a bit for each.
pub fn aspect_bits<'a>(findings: impl IntoIterator<Item = &'a PackedFinding>) -> u64 {
    findings.into_iter().fold(0, |judged, finding| {
        judged | 1_u64.checked_shl(finding.aspect.into()).unwrap_or(0)
    })
}

/// The aspect that both witnesses find judged most often in the sentences with those words, in the newest reviews that have
/// them; at least twice, and in a quarter of them.
#[must_use]
pub fn aspect_of(sentences: &[TopicSentence], trade: &Trade) -> Option<usize> {
    let count = |aspect: usize| {
        sentences
            .iter()
            .filter(|found| found.judged >> aspect & 1 == 1)
            .count()
    };
    let aspects =
        (0..trade.aspects.len().min(ASPECTS_MAX)).filter(|aspect| trade.overall != Some(*aspect));
    let best = aspects
        .map(|aspect| (count(aspect), aspect))
        .max_by_key(|(count, aspect)| (*count, std::cmp::Reverse(*aspect)));
    best.filter(|(count, _)| *count >= JOINT_MIN && count * JOINT_PART >= sentences.len())
        .map(|(_, aspect)| aspect)
}

/// A sentence with the words of a topic.
#[derive(Debug, Clone, Copy)]
pub struct TopicSentence {
    /// The place of its review in the order of all.
    pub position: u32,
    /// Which sentence of that review, counted from 0.
    pub sentence: u16,
    /// The aspects of which both witnesses say the same there.
    judged: u64,
    /// How these speak; `None` where the sentence cannot be quoted.
    pub vote: Option<Vote>,
    /// How good a quote it is; more is better.
    rank: u32,
}

impl TopicSentence {
    /// How good a quote it is for a topic of that aspect; `None` where it is about another one.
    #[must_use]
    pub fn rank(&self, aspect: Option<usize>) -> Option<u32> {
        let is_about_it = aspect.is_none_or(|aspect| self.judged >> aspect & 1 == 1);
        (is_about_it && self.vote.is_some()).then_some(self.rank)
    }
}

/// The first sentence with those words.
#[must_use]
pub fn find(
    opened: &SegmentedOriginal,
    (position, packed_analysis): (u32, PackedAnalysisRef<'_>),
    words: &[String],
) -> Option<TopicSentence> {
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
        let findings = packed_analysis.findings.iter();
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
    let head = packed_analysis.head;
    let can_be_shown = shown().any(|finding| finding.is_quotable)
        && shown().all(|finding| fits_stars(finding.polarity, head.stars))
        && vote != Vote::Uncertain;
    let is_typical = vote == Vote::from(head.overall);
    Some(TopicSentence {
        position,
        sentence,
        judged,
        vote: can_be_shown.then_some(vote),
        rank: 2 * u32::from(is_typical) + u32::from(BEST_LENGTH.contains(&(span.end - span.start))),
    })
}

#[cfg(test)]
mod tests {
    use super::phrases;
    use crate::insights::text::TokenizedText;
    use crate::insights::trades::Background;

    #[test]
    fn phrases_are_plain_words_and_rows_of_words_without_names_numbers_and_small_words() {
        let text = TokenizedText::new(
            "He wore shoe covers, and Debbie got a second opinion on 3 Trane units. Peace of mind the same day!",
        );
        assert_eq!(
            phrases(&text, Background::shared()),
            [
                "opinion",
                "peace",
                "same day",
                "second opinion",
                "shoe",
                "shoe covers",
                "covers",
                "wore",
                "wore shoe",
                "wore shoe covers"
            ]
            .map(str::to_owned)
            .into_iter()
            .collect::<std::collections::BTreeSet<_>>()
            .into_iter()
            .collect::<Vec<_>>()
        );
    }
}
