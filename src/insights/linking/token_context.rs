//! A name's surroundings within its sentence, and what they say for it. What they say against it
//! stands in `exclusions`.

use std::ops::Range;

use super::tagged_text::TaggedText;
use super::words::{Class, Word};

/// The longest aside between a name and its verb, in tokens.
const ASIDE_MAX: usize = 9;

/// A stretch of tokens that may be a name.
#[derive(Debug, Clone)]
pub struct TokenContext<'a> {
    /// The whole text, with what is known of its words.
    pub tagged: &'a TaggedText<'a>,
    /// The index of the sentence in the text.
    pub number: usize,
    /// The sentence's tokens, as a range of the text's.
    pub sentence: Range<usize>,
    /// The name's tokens, within those of the sentence.
    pub name: Range<usize>,
}

impl TokenContext<'_> {
    /// The `n`th token before the name, from 1, within the sentence.
    pub fn before(&self, n: usize) -> Option<usize> {
        self.name
            .start
            .checked_sub(n)
            .filter(|at| *at >= self.sentence.start)
    }

    /// The `n`th token after the name, from 1, within the sentence.
    pub fn after(&self, n: usize) -> Option<usize> {
        Some(self.name.end + n - 1).filter(|at| *at < self.sentence.end)
    }

    /// The word there, in lower case; empty where there is none.
    pub fn text_before(&self, n: usize) -> &str {
        self.before(n).map_or("", |at| self.tagged.text.word(at))
    }

    /// The word there, in lower case; empty where there is none.
    pub fn text_after(&self, n: usize) -> &str {
        self.after(n).map_or("", |at| self.tagged.text.word(at))
    }

    /// What is known of the word there.
    pub fn word_before(&self, n: usize) -> Word {
        self.before(n)
            .map_or_else(Word::default, |at| self.tagged.word(at))
    }

    /// What is known of the word there.
    pub fn word_after(&self, n: usize) -> Word {
        self.after(n)
            .map_or_else(Word::default, |at| self.tagged.word(at))
    }

    /// Whether the word there begins with a capital.
    pub fn is_capital_before(&self, n: usize) -> bool {
        self.before(n).is_some_and(|at| self.tagged.is_capital(at))
    }

    /// Whether the word there begins with a capital.
    pub fn is_capital_after(&self, n: usize) -> bool {
        self.after(n).is_some_and(|at| self.tagged.is_capital(at))
    }

    /// Whether the name's words are all written with a capital.
    pub fn is_capital(&self) -> bool {
        self.name.clone().all(|at| self.tagged.is_capital(at))
    }

    /// Whether capitals say nothing here.
    pub fn is_shouted(&self) -> bool {
        self.tagged.is_shouted(self.number)
    }

    /// Whether a capital would stand there anyway: at the beginning of the sentence, of a
    /// quotation, or after a colon.
    pub fn is_at_start(&self) -> bool {
        self.before(1).is_none_or(|at| {
            self.tagged.text.tokens()[self.name.start].begins_line
                || self.tagged.is_mark(at) && !matches!(self.text_before(1), "," | ")" | "&" | "/")
        })
    }

    /// Whether the name is written as a possessive, or as a plural.
    pub fn has_s(&self) -> bool {
        self.tagged.word(self.name.end - 1).has_s
    }

    /// Whether a title stands before the name: `Mr. Hale`.
    pub fn is_titled(&self) -> bool {
        let n = 1 + usize::from(self.text_before(1) == ".");
        self.word_before(n).is(Class::Title) && (self.is_capital_before(n) || self.name.len() == 1)
    }

    /// Whether what stands before the name announces a person: `our tech Will`, `ask for Will`,
    /// `thanks to Will`.
    pub fn is_announced(&self) -> bool {
        let skip = usize::from(matches!(
            self.text_before(1),
            "," | "(" | ":" | "\u{2014}" | "\"" | "-"
        ));
        let word = self.word_before(1 + skip);
        if word.is(Class::Role) || word.is(Class::Title) || word.is(Class::Called) {
            return true;
        }
        if matches!(self.text_before(1), "is" | "was" | "is," | "were")
            && self.word_before(2).is(Class::Called)
        {
            return true;
        }
        if word.is(Class::Thanks)
            || self.text_before(1 + skip) == "you" && self.text_before(2 + skip) == "thank"
        {
            return true;
        }
        self.is_called() || matches!(self.text_before(1), "requested" | "request")
    }

    /// Whether what stands before the name often stands before persons: `with Will`,
    /// `had Will out`.
    pub fn is_accompanied(&self) -> bool {
        self.word_before(1).is(Class::With)
    }

    /// Whether the name does what persons do: `Will explained`, `Will, who came`, `Will himself`.
    pub fn acts(&self) -> bool {
        if self.has_s() {
            return false;
        }
        // What ends like a past tense is a deed, too, if nothing else is known of it:
        // `Grant re-pitched the drains`.
        let is_past = |at: usize| {
            self.tagged.word(at).is_unknown()
                && self.tagged.text.word(at).ends_with("ed")
                && !self.tagged.is_capital(at)
        };
        let is_done =
            |at: usize| is_past(at) || self.tagged.text.word(at) == "re" && is_past(at + 1);
        if self.verb().is(Class::Deed) || self.predicate().is_some_and(is_done) {
            return true;
        }
        // `Will and his helper came`
        self.text_after(1) == "and"
            && (matches!(self.text_after(2), "his" | "her")
                || self.word_after(3).is(Class::Deed) && self.is_capital_after(2))
    }

    /// Whether the name is the subject of what things may be, too: `Will was great`.
    pub fn is_subject(&self) -> bool {
        !self.has_s() && self.verb().is(Class::Be)
    }

    /// What is known of the verb.
    fn verb(&self) -> Word {
        self.predicate()
            .map_or_else(Word::default, |at| self.tagged.word(at))
    }

    /// Where the verb would be: behind `, who`, `, the tech,`, `(from Mesa)`, `at the front desk`
    /// and adverbs.
    pub fn predicate(&self) -> Option<usize> {
        let mut n = 1;
        let close = match self.text_after(1) {
            "(" => ")",
            "," | "\u{2014}" => self.text_after(1),
            _ => "",
        };
        if matches!(self.text_after(2), "who" | "whose") && !close.is_empty() {
            n = 3;
        } else if let Some(end) =
            (3..=ASIDE_MAX).find(|n| !close.is_empty() && self.text_after(*n) == close)
        {
            n = end + 1;
        } else if matches!(self.text_after(1), "from" | "at" | "in" | "with")
            && let Some(end) = (2..=4).rev().find(|n| {
                self.word_after(*n).is(Class::Firm) || self.word_after(*n).is(Class::Staff)
            })
        {
            n = end + 1;
        }
        n += usize::from(self.word_after(n).is(Class::Adverb));
        self.after(n)
    }

    /// Whether it is spoken to: `Will, thank you`, or of the firm: `Will from Saltbush`.
    pub fn is_addressed(&self) -> bool {
        let next = self.word_after(2);
        match self.text_after(1) {
            "," => {
                next.is(Class::Thanks)
                    || matches!(self.text_after(2), "you" | "the" | "our" | "your" | "their")
            }
            "from" | "at" | "with" => next.is(Class::Firm) || self.word_after(3).is(Class::Firm),
            _ => false,
        }
    }

    /// Whether what stands before the name lets only a person follow: `ask for will`,
    /// `thanks to chase`, `named grant`.
    pub fn is_called(&self) -> bool {
        match self.text_before(1) {
            "to" => (2..=4).any(|n| self.word_before(n).is(Class::Thanks)),
            "for" => (2..=3).any(|n| self.word_before(n).is(Class::Ask)),
            "named" => true,
            "thanks" | "you"
                if self.text_before(1) == "thanks" || self.text_before(2) == "thank" =>
            {
                self.after(1).is_none_or(|at| self.tagged.is_mark(at))
                    || self.text_after(1) == "for"
            }
            _ => false,
        }
    }

    /// Whether it stands in a list with another first name: `Mike and Will`.
    pub fn is_listed(&self) -> bool {
        let is_name = |word: Word, is_capital: bool| {
            is_capital && (word.is(Class::FirstName) || word.id != 0)
        };
        self.word_before(1).is(Class::Pair)
            && is_name(self.word_before(2), self.is_capital_before(2))
            || self.word_after(1).is(Class::Pair)
                && is_name(self.word_after(2), self.is_capital_after(2))
    }
}
