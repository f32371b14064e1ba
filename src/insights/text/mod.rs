//! From a review's text to words and sentences. What is compared is normalised; every token keeps
//! its place in the original, so that whatever is found can be cut out of the text that the
//! customer wrote.

mod fingerprint;
mod language;
mod sentences;
mod tokens;

use std::ops::Range;

use super::analysis::{Language, Span};
pub use fingerprint::Fingerprint;

/// How a token is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// No upper-case letters: `great`, `don't`
    Lower,
    /// Its first letter alone is upper case: `Great`, `I`
    Capitalised,
    /// `AC`, `NOT`: two or more letters, all upper case
    Upper,
    /// Any other mixture of cases: `DeShawn`
    Mixed,
    /// Begins with a digit: `24`, `7:30`, `2,400`, `5th`
    Number,
    /// Anything else, one character each, but a run of the same one is one token: `.`, `!!!`, `$`,
    /// an emoji
    Mark,
}

/// A word, a number or a mark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    /// Its place in the original text.
    pub span: Span,
    /// How it is written there.
    pub shape: Shape,
    /// Whether it stands apart from the token before it: white space, a hyphen, or the text's
    /// beginning.
    pub is_apart: bool,
    /// Whether a line ended before it.
    pub begins_line: bool,
    /// Of the token as it is compared: every table of words is asked by it.
    pub fingerprint: u64,
    start: u32,
    end: u32,
}

/// A text, cut up.
#[derive(Debug, Clone, Default)]
pub struct Text {
    normal: String,
    tokens: Vec<Token>,
    sentences: Vec<Range<usize>>,
}

impl Text {
    /// Cuts `original` into tokens and sentences, and normalises its words.
    #[must_use]
    pub fn new(original: &str) -> Self {
        let (normal, tokens) = tokens::cut(original);
        let mut text = Self {
            normal,
            tokens,
            sentences: Vec::new(),
        };
        text.sentences = sentences::cut(&text);
        text
    }

    /// Its tokens, in order.
    #[must_use]
    pub fn tokens(&self) -> &[Token] {
        &self.tokens
    }

    /// Its sentences: ranges of tokens, in order, never empty, together all tokens.
    #[must_use]
    pub fn sentences(&self) -> &[Range<usize>] {
        &self.sentences
    }

    /// A token as it is compared: lower case, straight apostrophes, `a/c` and `A.C.` as `ac`.
    #[must_use]
    pub fn word(&self, token: usize) -> &str {
        let token = &self.tokens[token];
        &self.normal[token.start as usize..token.end as usize]
    }

    /// Whether it is English, and so can be read. `declared` is the language tag that came with it,
    /// if any.
    #[must_use]
    pub fn language(&self, declared: Option<&str>) -> Language {
        language::guess(self, declared)
    }

    /// All words, normalised, with spaces between.
    fn normal_words(&self) -> String {
        (0..self.tokens.len())
            .map(|token| self.word(token))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// The place of a range of tokens in the original.
    #[must_use]
    pub fn span(&self, tokens: Range<usize>) -> Span {
        match self
            .tokens
            .get(tokens)
            .and_then(|tokens| Some((tokens.first()?, tokens.last()?)))
        {
            Some((first, last)) => Span {
                start: first.span.start,
                end: last.span.end,
            },
            None => Span::default(),
        }
    }
}

#[cfg(test)]
mod tests;
