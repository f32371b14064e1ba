//! Phrases that stand out: words, and words in a row, that these reviews use far more often than
//! chance and other trades' reviews would have it. Which phrases a text has is decided when it is
//! read; which of them are topics, when all are counted.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::LazyLock;

use crate::insights::text::{Fingerprint, Shape, Text, Token};
use crate::insights::trades::Background;
use crate::steps;

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
enum Class {
    /// No part of a phrase, except [`LINK`] between two plain words.
    Stop,
    /// Part of it, beside a word that is plain.
    Weak,
    /// Part of it, or, if it is not common elsewhere, all of it.
    Plain,
}

/// The class of the words that are small or weak, by their fingerprints; any other is plain.
static WORDS: LazyLock<HashMap<u64, Class, BuildHasherDefault<Fingerprint>>> =
    LazyLock::new(|| {
        let mut words = HashMap::default();
        for (file, class) in [
            (include_str!("weak_words.txt"), Class::Weak),
            (include_str!("stop_words.txt"), Class::Stop),
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
pub fn phrases(text: &Text, background: &Background) -> Vec<String> {
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
    text: &Text,
    classes: &[(Class, u16)],
    sentence: Range<usize>,
    mut take: impl FnMut(Range<usize>),
) {
    let start = sentence.start;
    let of = |token: usize| {
        classes
            .get(token - start)
            .map_or(Class::Stop, |(class, _)| *class)
    };
    for at in sentence {
        steps::one();
        let (first, count) = classes[at - start];
        if first == Class::Stop {
            continue;
        }
        if first == Class::Plain && count <= COMMON {
            take(at..at + 1);
        }
        match (first, of(at + 1), of(at + 2)) {
            (Class::Weak, Class::Weak, _) => {
                if PAIRS
                    .iter()
                    .any(|pair| pair.split_once(' ') == Some((text.word(at), text.word(at + 1))))
                {
                    take(at..at + 2);
                }
            }
            (_, Class::Plain | Class::Weak, third) => {
                take(at..at + 2);
                if first == Class::Plain && third == Class::Plain {
                    take(at..at + 3);
                }
            }
            (Class::Plain, Class::Stop, Class::Plain) if text.word(at + 1) == LINK => {
                take(at..at + 3);
            }
            (_, Class::Stop, _) => {}
        }
    }
}

/// The class of a token, and how common it is if it is plain. Names, brands and numbers are no topics: what is
/// capitalised inside of a sentence is left out.
fn class(text: &Text, background: &Background, token: usize, begins: bool) -> (Class, u16) {
    let (
        Token {
            shape, fingerprint, ..
        },
        word,
    ) = (text.tokens()[token], text.word(token));
    let is_word = match shape {
        Shape::Lower => word.len() >= LETTERS_MIN,
        Shape::Capitalised => begins && word.len() >= LETTERS_MIN,
        Shape::Upper => true,
        Shape::Mixed | Shape::Number | Shape::Mark => false,
    };
    if !is_word || word.contains('\'') {
        return (Class::Stop, 0);
    }
    match WORDS.get(&fingerprint) {
        Some(class) => (*class, 0),
        None => (Class::Plain, background.count_of(fingerprint)),
    }
}

#[cfg(test)]
mod tests {
    use super::phrases;
    use crate::insights::text::Text;
    use crate::insights::trades::Background;

    #[test]
    fn phrases_are_plain_words_and_rows_of_words_without_names_numbers_and_small_words() {
        let text = Text::new(
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
