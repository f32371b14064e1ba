//! Positive evidence for a name from its context, by kind of name. The rules against any name are in `exclusions`.

use std::ops::Range;

use super::words::{DictionaryWord, TaggedText, WordClass};
use crate::insights::text::Capitalisation;

/// How certain it is that a member of the staff is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// A full name, an initial, a title.
    Sure,
    /// A first name in a typical context.
    Named,
    /// Too little evidence: the name counts only with a recorded mention.
    Weak,
    /// Another person is named.
    Stranger,
}

/// Whether a name of several words is written like a name: if its last word is also an ordinary word, it needs a
/// capital.
pub fn is_written_as_name(context: &TokenContext<'_>) -> bool {
    let last = context.name.end - 1;
    let is_word = context.tagged.word(last).is(WordClass::WordName)
        || context.tagged.word(last).is(WordClass::Common);
    !is_word || context.tagged.is_capital(last) && !context.is_shouted()
}

/// `Mike Johnson`, `Cary Grant`: beside a word that is not part of a staff member's name.
pub fn is_part_of_another_name(context: &TokenContext<'_>) -> bool {
    if !context.is_capital() {
        return false;
    }
    let tokens = context.tagged.text.tokens();
    let is_name_like = |at: usize| {
        let word = context.tagged.word(at);
        let is_ordinary = [
            WordClass::Firm,
            WordClass::Common,
            WordClass::Deed,
            WordClass::Be,
            WordClass::Adverb,
        ]
        .into_iter()
        .any(|class| word.is(class));
        let is_name = word.is(WordClass::FirstName) || word.is(WordClass::WordName) || word.id != 0;
        tokens[at].shape == Capitalisation::Capitalised
            && (word.is_unknown() || is_name && !is_ordinary)
    };
    // `Danielle Steel novels`, but not `Mike Great Job`
    let is_lone_capital = |at: usize| {
        let is_other = |class: WordClass| context.tagged.word(at).is(class);
        let is_function = [
            WordClass::Deed,
            WordClass::Be,
            WordClass::Adverb,
            WordClass::Link,
            WordClass::Pair,
            WordClass::Near,
            WordClass::Toward,
            WordClass::Pronoun,
            WordClass::Firm,
        ]
        .into_iter()
        .any(is_other);
        tokens[at].shape == Capitalisation::Capitalised
            && is_other(WordClass::Common)
            && !is_function
            && context.after(2).is_some_and(|next| {
                !context.tagged.is_capital(next) && !context.tagged.is_mark(next)
            })
    };
    let follows = context
        .after(1)
        .filter(|_| !context.has_s() && context.name.len() == 1);
    if follows
        .is_some_and(|at| !tokens[at].begins_line && (is_name_like(at) || is_lone_capital(at)))
    {
        return true;
    }
    let Some(before) = context.before(1).filter(|at| is_name_like(*at)) else {
        return false;
    };
    let word = context.tagged.word(before);
    // A capital at the beginning of the sentence is no evidence, except in `Jersey Mike's`. A plural or possessive is
    // not a first name.
    let is_surname = word.is(WordClass::WordName)
        && !context
            .tagged
            .word(context.name.start)
            .is(WordClass::FirstName);
    !word.has_s && (word.is(WordClass::FirstName) || is_surname || word.is_unknown())
}

/// The certainty that a surname without a first name names a staff member.
pub fn surname(context: &TokenContext<'_>) -> Certainty {
    let word = context.tagged.word(context.name.start);
    let is_ordinary = [WordClass::WordName, WordClass::Common, WordClass::FirstName]
        .into_iter()
        .any(|class| word.is(class));
    let is_told = context.acts() || context.is_announced();
    let is_thing = context.word_before(1).is(WordClass::Determiner)
        || context.word_before(1).is(WordClass::Own);
    let is_short = word.is_misspelled && context.tagged.text.word(context.name.start).len() < 7;
    let is_lower = !context.is_capital() && !is_ordinary && (is_told || context.is_subject());
    if is_lower || context.is_capital() && !is_thing && !is_short && (is_told || !is_ordinary) {
        Certainty::Named
    } else {
        Certainty::Weak
    }
}

/// The certainty that a first name without a surname names a staff member.
pub fn first_name(context: &TokenContext<'_>) -> Certainty {
    let word = context.tagged.word(context.name.start);
    let is_word = word.is(WordClass::WordName) || word.is(WordClass::Common);
    let is_told = context.is_announced() || context.acts() || context.is_listed();
    let is_hinted = is_told || context.is_accompanied() || context.is_subject() || context.has_s();
    let named = |is_named: bool| {
        if is_named {
            Certainty::Named
        } else {
            Certainty::Weak
        }
    };
    if is_word {
        word_name(context, is_told, is_hinted)
    } else {
        named(is_hinted || context.is_capital() && !word.is_misspelled)
    }
}

/// The same for names that are also ordinary words.
fn word_name(context: &TokenContext<'_>, is_told: bool, is_hinted: bool) -> Certainty {
    let (word, next) = (
        context.tagged.word(context.name.start),
        context.word_after(1),
    );
    // A recorded mention does not turn an ordinary word into a name.
    let named = |is_named: bool| {
        if is_named {
            Certainty::Named
        } else {
            Certainty::Stranger
        }
    };
    let is_plain_deed = !next.is(WordClass::Bare) && (context.acts() || context.is_subject());
    if !context.is_capital() {
        // `chase did great`, `ask for grant`
        let is_name = context.is_called()
            || context.before(1).is_none() && is_plain_deed && !is_thing_subject(context);
        return if is_name && !word.is(WordClass::CalendarName) {
            Certainty::Named
        } else {
            Certainty::Stranger
        };
    }
    let is_verb = next.is(WordClass::Bare)
        && (word.is(WordClass::Modal) || !next.is(WordClass::Deed) && context.is_at_start());
    let follows_preposition = context.word_before(1).is(WordClass::Toward)
        && context.text_before(1) != "and"
        || context.word_before(1).is(WordClass::BeforeMonth);
    let is_spoken_to = (is_hinted || follows_preposition)
        && !context.is_at_start()
        && !context.acts()
        && !context.is_shouted();
    let is_month =
        word.is(WordClass::CalendarName) && context.word_before(1).is(WordClass::BeforeMonth);
    if is_month
        || is_verb && !is_spoken_to && !context.has_s()
        || context.text_after(1) == ","
            && word.is(WordClass::Modal)
            && context.predicate().is_some_and(|at| is_bare(context, at))
    {
        return Certainty::Stranger;
    }
    if word.is(WordClass::CalendarName) {
        return named(is_told);
    }
    if context.is_at_start() {
        let is_aside = matches!(context.text_after(1), "," | "(") && !word.is(WordClass::Modal)
            || context.is_addressed();
        let is_told = is_told || is_aside || context.is_subject() || context.has_s();
        return named(
            is_hinted && !word.is(WordClass::ThingName)
                || is_told && !(word.is(WordClass::ThingName) && is_thing_subject(context)),
        );
    }
    let is_introduced = context.is_announced() || context.is_listed();
    if context.is_shouted() {
        return named(is_introduced);
    }
    // `Modern Art hangs there`, `the electric Bill`, `my Living Will`, `an SRP Grant`
    let is_usual = context.word_before(1).is(WordClass::Role)
        || context.word_before(1).is(WordClass::With)
        || context.word_before(1).is(WordClass::Adverb);
    let is_titled = !is_usual
        && context.is_capital_before(1)
        && context.word_before(1).is(WordClass::Common)
        && (context.before(2).is_some() || word.is(WordClass::ThingName));
    let is_owned = |n: usize| {
        context.word_before(n).is(WordClass::Determiner)
            || context.word_before(n).is(WordClass::Own)
    };
    let is_thing = is_owned(1)
        || context.text_before(1) == "at"
        || word.is(WordClass::ThingName)
            && is_owned(2)
            && !context.is_capital_before(1)
            && !is_usual
        || is_titled
        || context.before(1).is_some_and(|at| {
            context.tagged.text.tokens()[at].shape == Capitalisation::Upper
                && !context.tagged.word(at).is(WordClass::Firm)
                && context.tagged.text.word(at).len() > 1
        });
    named(!is_thing || is_introduced)
}

fn is_bare(context: &TokenContext<'_>, at: usize) -> bool {
    context.tagged.word(at).is(WordClass::Bare) && !context.tagged.word(at).is(WordClass::Deed)
}

/// `Bill was higher than quoted`, `Grant was approved`: the predicate is typical of things.
fn is_thing_subject(context: &TokenContext<'_>) -> bool {
    !context.acts() && (1..=3).any(|n| context.word_after(n).is(WordClass::OfThings))
}

// The context of a name within its sentence, and the evidence for the name. The evidence against it is in `exclusions`.

/// Maximum length of an aside between a name and its verb, in tokens.
const ASIDE_MAX: usize = 9;

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

    /// The word in lower case; empty if there is none.
    pub fn text_before(&self, n: usize) -> &str {
        self.before(n).map_or("", |at| self.tagged.text.word(at))
    }

    /// The word in lower case; empty if there is none.
    pub fn text_after(&self, n: usize) -> &str {
        self.after(n).map_or("", |at| self.tagged.text.word(at))
    }

    pub fn word_before(&self, n: usize) -> DictionaryWord {
        self.before(n)
            .map_or_else(DictionaryWord::default, |at| self.tagged.word(at))
    }

    pub fn word_after(&self, n: usize) -> DictionaryWord {
        self.after(n)
            .map_or_else(DictionaryWord::default, |at| self.tagged.word(at))
    }

    pub fn is_capital_before(&self, n: usize) -> bool {
        self.before(n).is_some_and(|at| self.tagged.is_capital(at))
    }

    pub fn is_capital_after(&self, n: usize) -> bool {
        self.after(n).is_some_and(|at| self.tagged.is_capital(at))
    }

    /// Whether all words of the name are capitalised.
    pub fn is_capital(&self) -> bool {
        self.name.clone().all(|at| self.tagged.is_capital(at))
    }

    /// Whether the sentence is in capitals, so that capitals are no evidence.
    pub fn is_shouted(&self) -> bool {
        self.tagged.is_shouted(self.number)
    }

    /// Whether a capital is usual at this position: at the beginning of the sentence or of a quotation, or after a
    /// colon.
    pub fn is_at_start(&self) -> bool {
        self.before(1).is_none_or(|at| {
            self.tagged.text.tokens()[self.name.start].begins_line
                || self.tagged.is_mark(at) && !matches!(self.text_before(1), "," | ")" | "&" | "/")
        })
    }

    /// Whether the name is a possessive or a plural.
    pub fn has_s(&self) -> bool {
        self.tagged.word(self.name.end - 1).has_s
    }

    /// Whether a title precedes the name: `Mr. Hale`.
    pub fn is_titled(&self) -> bool {
        let n = 1 + usize::from(self.text_before(1) == ".");
        self.word_before(n).is(WordClass::Title)
            && (self.is_capital_before(n) || self.name.len() == 1)
    }

    /// Whether the words before the name announce a person: `our tech Will`, `ask for Will`, `thanks to Will`.
    pub fn is_announced(&self) -> bool {
        let skip = usize::from(matches!(
            self.text_before(1),
            "," | "(" | ":" | "\u{2014}" | "\"" | "-"
        ));
        let word = self.word_before(1 + skip);
        if word.is(WordClass::Role) || word.is(WordClass::Title) || word.is(WordClass::Called) {
            return true;
        }
        if matches!(self.text_before(1), "is" | "was" | "is," | "were")
            && self.word_before(2).is(WordClass::Called)
        {
            return true;
        }
        if word.is(WordClass::Thanks)
            || self.text_before(1 + skip) == "you" && self.text_before(2 + skip) == "thank"
        {
            return true;
        }
        self.is_called() || matches!(self.text_before(1), "requested" | "request")
    }

    /// Whether the word before the name often precedes people: `with Will`, `had Will out`.
    pub fn is_accompanied(&self) -> bool {
        self.word_before(1).is(WordClass::With)
    }

    /// Whether the name is the subject of a typical predicate of people: `Will explained`, `Will, who came`,
    /// `Will himself`.
    pub fn acts(&self) -> bool {
        if self.has_s() {
            return false;
        }
        // An unknown word that ends like a past tense counts as an action: `Grant re-pitched the drains`.
        let is_past = |at: usize| {
            self.tagged.word(at).is_unknown()
                && self.tagged.text.word(at).ends_with("ed")
                && !self.tagged.is_capital(at)
        };
        let is_done =
            |at: usize| is_past(at) || self.tagged.text.word(at) == "re" && is_past(at + 1);
        if self.verb().is(WordClass::Deed) || self.predicate().is_some_and(is_done) {
            return true;
        }
        // `Will and his helper came`
        self.text_after(1) == "and"
            && (matches!(self.text_after(2), "his" | "her")
                || self.word_after(3).is(WordClass::Deed) && self.is_capital_after(2))
    }

    /// Whether the name is the subject of a predicate that is also possible for things: `Will was great`.
    pub fn is_subject(&self) -> bool {
        !self.has_s() && self.verb().is(WordClass::Be)
    }

    fn verb(&self) -> DictionaryWord {
        self.predicate()
            .map_or_else(DictionaryWord::default, |at| self.tagged.word(at))
    }

    /// The position of the verb after `, who`, `, the tech,`, `(from Mesa)`, `at the front desk` and adverbs.
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
                self.word_after(*n).is(WordClass::Firm) || self.word_after(*n).is(WordClass::Staff)
            })
        {
            n = end + 1;
        }
        n += usize::from(self.word_after(n).is(WordClass::Adverb));
        self.after(n)
    }

    /// Whether the text addresses the person, as in `Will, thank you`, or adds the company, as in `Will from Saltbush`.
    pub fn is_addressed(&self) -> bool {
        let next = self.word_after(2);
        match self.text_after(1) {
            "," => {
                next.is(WordClass::Thanks)
                    || matches!(self.text_after(2), "you" | "the" | "our" | "your" | "their")
            }
            "from" | "at" | "with" => {
                next.is(WordClass::Firm) || self.word_after(3).is(WordClass::Firm)
            }
            _ => false,
        }
    }

    /// Whether only a person can follow the words before the name: `ask for will`, `thanks to chase`, `named grant`.
    pub fn is_called(&self) -> bool {
        match self.text_before(1) {
            "to" => (2..=4).any(|n| self.word_before(n).is(WordClass::Thanks)),
            "for" => (2..=3).any(|n| self.word_before(n).is(WordClass::Ask)),
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

    /// Whether it is listed with another first name: `Mike and Will`.
    pub fn is_listed(&self) -> bool {
        let is_name = |word: DictionaryWord, is_capital: bool| {
            is_capital && (word.is(WordClass::FirstName) || word.id != 0)
        };
        self.word_before(1).is(WordClass::Pair)
            && is_name(self.word_before(2), self.is_capital_before(2))
            || self.word_after(1).is(WordClass::Pair)
                && is_name(self.word_after(2), self.is_capital_after(2))
    }
}
