//! Evidence for and against a name from its context. For it, by kind of name: a title, a role, a typical predicate.
//! Against it: it is the customer's husband, another company's plumber, a street, or the author; each guard tests the
//! name's context, and one positive test is sufficient.

use std::ops::Range;

use super::words::{DictionaryWord, NameTrie, TaggedText, WordClass};
use crate::compute::steps;
use crate::insights::analysis::{Mention, MentionKind};
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
        let is_ordinary = word.is_any(&[
            WordClass::Firm,
            WordClass::Common,
            WordClass::Deed,
            WordClass::Be,
            WordClass::Adverb,
        ]);
        let is_name = word.is(WordClass::FirstName) || word.is(WordClass::WordName) || word.id != 0;
        tokens[at].shape == Capitalisation::Capitalised
            && (word.is_unknown() || is_name && !is_ordinary)
    };
    // `Danielle Steel novels`, but not `Mike Great Job`
    let is_lone_capital = |at: usize| {
        let word = context.tagged.word(at);
        let is_function = word.is_any(&[
            WordClass::Deed,
            WordClass::Be,
            WordClass::Adverb,
            WordClass::Link,
            WordClass::Pair,
            WordClass::Near,
            WordClass::Toward,
            WordClass::Pronoun,
            WordClass::Firm,
        ]);
        tokens[at].shape == Capitalisation::Capitalised
            && word.is(WordClass::Common)
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
    let is_ordinary = word.is_any(&[WordClass::WordName, WordClass::Common, WordClass::FirstName]);
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

// The context of a name within its sentence, and the evidence for the name. The evidence against it is further below.

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
                steps::one();
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
            rule,
        }
    }

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

/// Whether the person does not work for the business.
pub fn is_stranger(context: &TokenContext<'_>) -> bool {
    is_kin_before(context)
        || is_kin_after(context)
        || is_of_the_household(context)
        || is_from_elsewhere(context)
        || is_of_another_firm(context)
        || sends_another_firm(context)
        || is_self(context)
        || is_in_public_life(context)
}

/// `Danielle and I`, `Will lives next door`, `Grant is five`, `little Chase`, `a Curtis myself`
fn is_of_the_household(context: &TokenContext<'_>) -> bool {
    let is_child = matches!(context.text_after(1), "is" | "turned" | ",")
        && (2..=3).any(|n| {
            is_age(context, n)
                && (n == 2 || matches!(context.text_after(2), "only" | "just" | "almost"))
        });
    let is_watching = matches!(context.text_after(1), "loved" | "loves" | "enjoyed")
        && context.text_after(2) == "watching";
    let is_any = matches!(
        context.text_before(1),
        "a" | "an" | "fellow" | "every" | "my"
    ) && context.name.len() == 1;
    // `Will's mom`
    let is_child = is_child
        || context.has_s()
            && matches!(
                context.text_after(1),
                "mom" | "dad" | "mother" | "father" | "teacher" | "daycare"
            );
    // `Thomas the Tank Engine`
    let is_any = is_any
        || context.text_after(1) == "the" && context.is_capital_after(2) && !context.is_shouted();
    let is_quoted = matches!(
        context.text_after(1),
        "said" | "wrote" | "mentioned" | "says"
    ) && (2..=5).any(|n| {
        matches!(
            context.text_after(n),
            "review" | "reviews" | "below" | "above"
        )
    });
    let is_couple = matches!(context.text_after(1), "and" | "&") && context.text_after(2) == "i";
    is_child
        || is_watching
        || is_any
        || is_couple
        || is_quoted
        || matches!(context.text_before(1), "little" | "lil" | "baby")
        || context.word_after(1).is(WordClass::Sundry)
        || matches!(context.text_before(1), "and") && matches!(context.text_before(2), "i" | "me")
}

/// `five`, `5 years old`, but not `5 minutes`
fn is_age(context: &TokenContext<'_>, n: usize) -> bool {
    let is_number = context
        .text_after(n)
        .starts_with(|first: char| first.is_ascii_digit())
        || matches!(
            context.text_after(n),
            "two" | "three" | "four" | "five" | "six" | "seven" | "eight" | "nine" | "ten"
        );
    is_number
        && (context
            .after(n + 1)
            .is_none_or(|at| context.tagged.is_mark(at))
            || matches!(
                context.text_after(n + 1),
                "years" | "and" | "year" | "months"
            ))
}

/// Whether the name is not that of a person but of a street, a company or a school.
pub fn is_thing(context: &TokenContext<'_>) -> bool {
    let next = context.word_after(1);
    let is_numbered = context
        .text_before(1)
        .starts_with(|first: char| first.is_ascii_digit())
        && !next.is(WordClass::Deed);
    let tokens = context.tagged.text.tokens();
    let is_proper = context.after(1).is_some_and(|at| {
        tokens[at].shape == Capitalisation::Capitalised && !tokens[at].begins_line
    });
    if context.name.len() > 1 {
        return context.has_s() && is_proper && next.id == 0;
    }
    // `my Chase card`, `paid with Chase`, `the Grant residence`
    let is_paid = context.word_before(1).is(WordClass::Toward)
        || matches!(context.text_before(1), "with" | "by" | "at");
    if next.is(WordClass::Money)
        || is_paid && (2..=4).any(|n| context.word_before(n).is(WordClass::Paying))
        || matches!(
            context.text_after(1),
            "family" | "families" | "household" | "residence" | "estate" | "clan"
        )
    {
        return true;
    }
    if next.is(WordClass::Street)
        && !next.is(WordClass::Deed)
        && (context.is_capital_after(1) || is_numbered)
    {
        return true;
    }
    // `Chase Bank`, `Will County`, `Mike's Hard Lemonade`
    let is_firm = next.is(WordClass::Trade)
        || next.is(WordClass::Elsewhere)
        || context.has_s() && next.id == 0 && !next.is(WordClass::FirstName);
    // `Hale & Sons`
    let is_house = matches!(context.text_after(1), "and" | "&")
        && matches!(
            context.text_after(2),
            "sons" | "co" | "associates" | "partners" | "brothers" | "daughters"
        )
        && context.is_capital_after(2);
    is_proper && (is_firm || is_numbered) || is_house
}

/// `my husband Mike`, `our neighbor, Will`, `my son's name is Grant`, `my friends Mike and Will`
fn is_kin_before(context: &TokenContext<'_>) -> bool {
    let mut n = if context.is_titled() {
        2 + usize::from(context.text_before(1) == ".")
    } else {
        1
    };
    n += usize::from(matches!(
        context.text_before(n),
        "," | "(" | "\u{2014}" | "\"" | "-"
    ));
    if matches!(context.text_before(n), "is" | "was")
        && (context.word_before(n + 1).is(WordClass::Called) || is_kin(context, n + 1))
    {
        n += 1;
    }
    if context.word_before(n).is(WordClass::Called) {
        n += 1;
        n += usize::from(matches!(context.text_before(n), "is" | "was") && is_kin(context, n + 1));
    }
    if is_kin(context, n)
        || context.text_before(n) == "law"
            && context.text_before(n + 1) == "in"
            && is_kin(context, n + 2)
    {
        return true;
    }
    // Skips a list of names and conjunctions before the name.
    let mut n = 1;
    while n <= FIRM_REACH
        && context.word_before(n).is(WordClass::Pair)
        && context.is_capital_before(n + 1)
    {
        n += 2;
        if context
            .word_before(n + usize::from(context.text_before(n) == ","))
            .is(WordClass::KinMany)
        {
            return true;
        }
    }
    false
}

fn is_kin(context: &TokenContext<'_>, n: usize) -> bool {
    let word = context.word_before(n);
    if word.is(WordClass::Role) {
        // In `the kid, Will,` the name is a staff member's; in `my kid Will` and `our property manager Will` it is not.
        return word.is(WordClass::Kin) && context.word_before(n + 1).is(WordClass::Own)
            || context.text_before(n) == "partner"
                && matches!(context.text_before(n + 1), "my" | "our")
            || matches!(
                context.text_before(n + 1),
                "property" | "apartment" | "building" | "bank" | "hotel" | "hoa"
            );
    }
    word.is(WordClass::Kin) || word.is(WordClass::KinMany)
}

/// `Mike, my husband,` `Grant (our neighbor)`, `Curtis, a friend,` `Mike is my brother`,
/// `Chase the dog`
fn is_kin_after(context: &TokenContext<'_>) -> bool {
    let is_link = matches!(
        context.text_after(1),
        "," | "(" | "\u{2014}" | "-" | "is" | "was" | "being"
    );
    let n = 1 + usize::from(is_link);
    let is_owned = context.word_after(n).is(WordClass::Own) && (is_link || context.has_s());
    if !(is_owned || context.word_after(n).is(WordClass::Determiner)) {
        return false;
    }
    let is_aside = matches!(context.text_after(1), "," | "-");
    (n + 1..=n + 3).take_while(|n| context.after(*n).is_some_and(|at| !context.tagged.is_mark(at))).any(|n| {
        let word = context.word_after(n);
        let is_closed = context.after(n + 1).is_none_or(|at| context.tagged.is_mark(at))
            || matches!(context.text_after(n + 1), "who" | "so" | "but" | "of" | "from" | "and" if context.text_after(n + 2) != "i");
        (word.is(WordClass::Kin) || word.is(WordClass::KinMany)) && !word.is(WordClass::Role) && (is_closed || !is_aside)
    })
}

/// `President Grant`, `Dr. Hale`, `Ulysses S. Grant`
fn is_in_public_life(context: &TokenContext<'_>) -> bool {
    let n = 1 + usize::from(context.text_before(1) == ".");
    let is_letter = n == 2
        && context.text_before(2).chars().count() == 1
        && context.is_capital_before(2)
        && context.is_capital_before(3);
    context.word_before(n).is(WordClass::Rank)
        && context.is_capital_before(n)
        && !context.is_shouted()
        || is_letter
}

/// `Mike next door`, `Art across the street`, `Danielle from church`
fn is_from_elsewhere(context: &TokenContext<'_>) -> bool {
    let n = 1 + usize::from(matches!(context.text_after(1), "from" | "," | "(" | "who"));
    match (context.text_after(n), context.text_after(n + 1)) {
        ("next", "door") | ("across", "the") => return true,
        ("up" | "down", "the")
            if matches!(
                context.text_after(n + 2),
                "street" | "road" | "block" | "hall" | "hill"
            ) =>
        {
            return true;
        }
        _ => {}
    }
    matches!(context.text_after(1), "from" | "at")
        && matches!(
            context.text_after(2),
            "church" | "work" | "school" | "nextdoor" | "my"
        )
        || is_with_another_firm(context)
}

/// `I'm Mike`, `this is Mike`, `my name is Mike`
fn is_self(context: &TokenContext<'_>) -> bool {
    match context.text_before(1) {
        "i'm" | "im" => true,
        "am" => context.text_before(2) == "i",
        "name's" => context.text_before(2) == "my" || context.before(2).is_none(),
        "" if context.text_after(1) == "here" => {
            !matches!(context.text_after(2), "within" | "in" | "by" | "the")
        }
        "is" => {
            context.text_before(2) == "this" && context.before(3).is_none()
                || context.text_before(2) == "name" && context.text_before(3) == "my"
        }
        _ => false,
    }
}

// Names of people who work for a company other than the reviewed one.

/// Maximum distance in words between a name and another company after it.
pub const FIRM_REACH: usize = 5;
/// `Joe from the other company`, `Mike with Acme`, `Roberto at Home Depot`,
/// `Grant, who works for the city`
pub fn is_with_another_firm(context: &TokenContext<'_>) -> bool {
    let mut n = 1 + usize::from(matches!(context.text_after(1), "," | "("));
    n += usize::from(context.text_after(n) == "who");
    let is_at_work = matches!(context.text_after(n), "works" | "worked" | "working");
    n += usize::from(is_at_work);
    if !(matches!(
        context.text_after(n),
        "from" | "at" | "with" | "of" | "over"
    ) || is_at_work && context.text_after(n) == "for")
    {
        return false;
    }
    n += 1 + usize::from(matches!(context.text_after(n + 1), "at" | "with"));
    let firm = context.word_after(n);
    let is_name = firm.is_unknown()
        || firm.id == 0
            && (firm.is(WordClass::WordName) || firm.is(WordClass::FirstName))
            && !firm.is(WordClass::Firm);
    let is_named = is_name && context.is_capital_after(n);
    let is_any = matches!(context.text_after(n), "a" | "another");
    n += usize::from(
        context.word_after(n).is(WordClass::Determiner) && context.text_after(n) != "another"
            || context.word_after(n).is(WordClass::Own),
    );
    let (word, next) = (context.word_after(n), context.word_after(n + 1));
    let is_other = match context.text_after(n) {
        "another" => true,
        "other" | "last" | "first" | "old" => {
            next.is(WordClass::Elsewhere) || context.text_after(n + 1) == "one"
        }
        _ => word.is(WordClass::Other),
    };
    let is_depot = context.is_capital_after(n)
        && next.is(WordClass::Elsewhere)
        && context.is_capital_after(n + 1);
    let is_elsewhere = word.is(WordClass::Elsewhere) && (is_any || !is_ours(context.text_after(n)));
    is_named || is_other || is_depot || is_elsewhere
}

/// `the previous plumber, Mike`, `the other company's tech Mike`,
/// `the guy from the other company, Mike,`
pub fn is_of_another_firm(context: &TokenContext<'_>) -> bool {
    let is_aside = matches!(context.text_before(1), "," | "(" | "-" | "\u{2014}");
    let mut n = 1 + usize::from(is_aside);
    n += usize::from(context.word_before(n).is(WordClass::Called));
    let is_role = context.word_before(n).is(WordClass::Role);
    if is_role
        && context.text_before(n + 1) == "another"
        && !matches!(context.text_before(n), "tech" | "technician")
        || is_aside
            && matches!(
                context.text_before(2),
                "before"
                    | "previously"
                    | "earlier"
                    | "street"
                    | "door"
                    | "hall"
                    | "road"
                    | "block"
                    | "church"
                    | "school"
                    | "gym"
                    | "club"
                    | "neighborhood"
            )
        || is_role
            && context.word_before(n + 1).is(WordClass::OtherTrade)
            && context.word_before(n + 1).id == 0
            && !context.word_before(n + 1).is(WordClass::Firm)
    {
        return true;
    }
    n += usize::from(is_role);
    let word = context.word_before(n);
    let is_theirs =
        is_role && word.has_s && (word.is(WordClass::Kin) || word.is(WordClass::KinMany));
    is_theirs
        || word.is(WordClass::Other)
        || word.is(WordClass::Elsewhere)
            && (word.has_s || is_role || is_aside)
            && !is_ours_before(context, n)
}

/// `the other company sent Mike`
pub fn sends_another_firm(context: &TokenContext<'_>) -> bool {
    if !matches!(
        context.text_before(1),
        "sent" | "had" | "send" | "of" | "and"
    ) {
        return false;
    }
    // `Acme sent Chase`
    if context.text_before(1) == "sent"
        && context.word_before(2).is_unknown()
        && context.is_capital_before(2)
    {
        return true;
    }
    (2..=FIRM_REACH).any(|n| {
        let word = context.word_before(n);
        word.is(WordClass::Elsewhere)
            && (!is_ours(context.text_before(n))
                || context.word_before(n + 1).is(WordClass::Other)
                || matches!(context.text_before(n + 1), "other" | "another" | "last"))
    })
}

/// Whether the word means the reviewed business, as in `the company`.
fn is_ours(word: &str) -> bool {
    matches!(
        word,
        "company"
            | "company's"
            | "firm"
            | "outfit"
            | "store"
            | "contractor"
            | "contractors"
            | "companies"
    )
}

/// Whether the word `n` before the name means the reviewed business.
fn is_ours_before(context: &TokenContext<'_>, n: usize) -> bool {
    is_ours(context.text_before(n))
        && !(context.word_before(n + 1).is(WordClass::Other)
            || matches!(context.text_before(n + 1), "other" | "another" | "last"))
}

// The author's own name at the end of a review.

/// Maximum number of words after the first name in a signature.
const SIGNATURE_REST_MAX: usize = 4;

/// Whether the name is a signature: `- Mike` at the end, `Sincerely, Mike`, or a name on the last line. `Thanks, Mike`
/// is a signature only if it is the author's name.
pub fn is_signature(context: &TokenContext<'_>, author: &str) -> bool {
    let tokens = context.tagged.text.tokens();
    let at = context.name.start;
    if at == 0 || context.has_s() {
        return false;
    }
    // A surname, an initial or a second author may follow.
    let is_name =
        |at: &usize| context.tagged.is_capital(*at) || context.tagged.word(*at).is(WordClass::Pair);
    let mut rest = (context.name.end..tokens.len())
        .inspect(|_| steps::one())
        .filter(|at| !context.tagged.is_mark(*at));
    let followers = rest
        .by_ref()
        .take(SIGNATURE_REST_MAX)
        .take_while(is_name)
        .count();
    if (context.name.end..tokens.len())
        .inspect(|_| steps::one())
        .filter(|at| !context.tagged.is_mark(*at))
        .nth(followers)
        .is_some()
    {
        return false;
    }
    // The last sentence consists only of the name.
    if at == context.sentence.start && followers == 0 && context.tagged.is_capital(at) {
        return true;
    }
    let word = |back: usize| {
        at.checked_sub(back)
            .map_or("", |at| context.tagged.text.word(at))
    };
    let is = |back: usize, class: WordClass| {
        at.checked_sub(back)
            .is_some_and(|at| context.tagged.word(at).is(class))
    };
    let is_break = at == 1
        || tokens[at - 1].begins_line
        || matches!(word(2), "." | "!" | "?" | ")" | "\"" | "thanks" | ",");
    if matches!(word(1), "-" | "\u{2014}" | "~" | "*") && is_break || tokens[at].begins_line {
        return true;
    }
    let is_said = context.tagged.is_mark(at - 1)
        || is(1, WordClass::Closing)
        || matches!(word(1), "says" | "said" | "from");
    word(1) == "," && is(2, WordClass::Closing)
        || is_said && followers <= 1 && is_author(context, author)
}

fn is_author(context: &TokenContext<'_>, author: &str) -> bool {
    let name = context.tagged.text.word(context.name.start);
    author
        .split(|letter: char| !letter.is_alphanumeric())
        .any(|word| word.to_lowercase() == name)
}
