//! The context of a name within its sentence.

use std::ops::Range;

use super::words::{DictionaryWord, NameTrie, TaggedText, WordClass};
use crate::insights::analysis::Mention;
use crate::insights::text::Capitalisation;
use crate::model::MentionKind;

/// A range of tokens that may be a name.
#[derive(Debug, Clone)]
pub struct TokenContext<'a> {
    /// The whole text with the dictionary's data.
    pub tagged: &'a TaggedText<'a>,
    /// Index of the sentence in the text.
    pub number: usize,
    /// The sentence's tokens, as a range of the text's.
    pub sentence: Range<usize>,
    /// The name's tokens, within those of the sentence.
    pub name: Range<usize>,
}

impl<'a> TokenContext<'a> {
    /// Calls `take` with every longest match of `names` in a text, in order, and its values. A match that `take` extends
    /// is passed as a whole.
    pub fn each<V: Clone + PartialEq>(
        tagged: &'a TaggedText<'a>,
        names: &NameTrie<V>,
        mut take: impl FnMut(&mut Self, &[V]),
    ) {
        for (number, sentence) in tagged.text.sentences().iter().enumerate() {
            let mut at = sentence.start;
            while at < sentence.end {
                let Some((end, values)) = names.longest(tagged, at, sentence.end) else {
                    at += 1;
                    continue;
                };
                let mut context = Self {
                    tagged,
                    number,
                    sentence: sentence.clone(),
                    name: at..end,
                };
                take(&mut context, values);
                at = context.name.end;
            }
        }
    }

    /// The name as a mention that ends with its sentence.
    pub fn mention(
        &self,
        kind: MentionKind,
        candidates: Vec<String>,
        rule: &'static str,
    ) -> Mention {
        let sentence = u32::try_from(self.number).unwrap_or(u32::MAX);
        Mention {
            kind,
            candidates,
            sentence,
            through: sentence,
            span: self.tagged.text.span(self.name.clone()),
            rule: rule.to_owned(),
        }
    }

    /// The token at a distance from the name, within the sentence: 1 is the token after it, -1 the one before it, and 0
    /// its first.
    pub fn at(&self, n: isize) -> Option<usize> {
        let at = if n <= 0 {
            self.name.start.checked_add_signed(n)
        } else {
            self.name.end.checked_add_signed(n - 1)
        };
        at.filter(|at| self.sentence.contains(at))
    }

    /// The word in lower case; empty if there is none.
    pub fn text(&self, n: isize) -> &str {
        self.at(n).map_or("", |at| self.tagged.text.word(at))
    }

    pub fn word(&self, n: isize) -> DictionaryWord {
        self.at(n)
            .map(|at| self.tagged.word(at))
            .unwrap_or_default()
    }

    pub fn is_capital_at(&self, n: isize) -> bool {
        self.at(n).is_some_and(|at| self.tagged.is_capital(at))
    }

    /// Whether there is a mark or no token.
    pub fn is_end(&self, n: isize) -> bool {
        self.at(n).is_none_or(|at| self.tagged.is_mark(at))
    }

    /// The words of the name.
    pub fn words(&self) -> impl Iterator<Item = DictionaryWord> {
        self.name.clone().map(|at| self.tagged.word(at))
    }

    /// Whether all words of the name are capitalised.
    pub fn is_capital(&self) -> bool {
        self.name.clone().all(|at| self.tagged.is_capital(at))
    }

    /// Whether most words of the sentence are upper case, so that capitals are no evidence.
    pub fn is_shouted(&self) -> bool {
        let words = || {
            self.tagged.text.tokens()[self.sentence.clone()]
                .iter()
                .filter(|token| token.is_word())
        };
        let upper = words()
            .filter(|word| word.shape == Capitalisation::Upper)
            .count();
        upper >= 2 && 2 * upper > words().count()
    }

    /// Whether a capital is usual at this position: at the beginning of the sentence or of a quotation, or after a
    /// colon.
    pub fn is_at_start(&self) -> bool {
        self.at(-1).is_none_or(|at| {
            self.tagged.text.tokens()[self.name.start].begins_line
                || self.tagged.is_mark(at) && !matches!(self.text(-1), "," | ")" | "&" | "/")
        })
    }

    /// Whether the name is a possessive or a plural.
    pub fn has_s(&self) -> bool {
        self.tagged.word(self.name.end - 1).has_s
    }

    /// Whether a title precedes the name: `Mr. Hale`.
    pub fn is_titled(&self) -> bool {
        let n = if self.text(-1) == "." { -2 } else { -1 };
        // `The doctor will see you.`
        let is_word = self.word(0).is_ordinary() && !self.is_capital();
        self.word(n).is(WordClass::Title) && !is_word
    }
}
