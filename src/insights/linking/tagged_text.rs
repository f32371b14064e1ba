//! A text with what the dictionary knows of each of its words, looked up once.

use super::words::{Word, Words};
use crate::insights::text::{Shape, Text};
use crate::steps;

/// A text with what is known of its words.
#[derive(Debug)]
pub struct TaggedText<'a> {
    /// The text whose tokens were looked up.
    pub text: &'a Text,
    words: Vec<Word>,
    /// A sentence is shouted when most of its words are upper case: capitals say nothing there.
    shouted: Vec<bool>,
}

impl<'a> TaggedText<'a> {
    /// Looks every word up once.
    pub fn new(text: &'a Text, dictionary: &Words) -> Self {
        let mut words = Vec::with_capacity(text.tokens().len());
        for (at, token) in text.tokens().iter().enumerate() {
            steps::one();
            words.push(match token.shape {
                Shape::Number => Word::default(),
                Shape::Lower | Shape::Mark => {
                    dictionary.find(text.word(at), token.fingerprint, false)
                }
                Shape::Capitalised | Shape::Upper | Shape::Mixed => {
                    let word = dictionary.find(text.word(at), token.fingerprint, true);
                    if word.is_unknown() {
                        dictionary.guess(text.word(at))
                    } else {
                        word
                    }
                }
            });
        }
        let is_shouted = |sentence: &std::ops::Range<usize>| {
            let shapes = || {
                text.tokens()[sentence.clone()]
                    .iter()
                    .map(|token| token.shape)
            };
            let upper = shapes().filter(|shape| *shape == Shape::Upper).count();
            upper >= 2
                && upper
                    > shapes()
                        .filter(|shape| {
                            matches!(shape, Shape::Lower | Shape::Capitalised | Shape::Mixed)
                        })
                        .count()
        };
        let shouted = text.sentences().iter().map(is_shouted).collect();
        Self {
            text,
            words,
            shouted,
        }
    }

    /// What is known of a token.
    pub fn word(&self, token: usize) -> Word {
        self.words.get(token).copied().unwrap_or_default()
    }

    /// Whether the sentence's capitals say nothing.
    pub fn is_shouted(&self, sentence: usize) -> bool {
        self.shouted.get(sentence).copied().unwrap_or_default()
    }

    /// Whether a token begins with a capital.
    pub fn is_capital(&self, token: usize) -> bool {
        matches!(
            self.text.tokens()[token].shape,
            Shape::Capitalised | Shape::Upper | Shape::Mixed
        )
    }

    /// Whether a token is a mark.
    pub fn is_mark(&self, token: usize) -> bool {
        self.text.tokens()[token].shape == Shape::Mark
    }
}
