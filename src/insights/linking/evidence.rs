//! Evidence for and against a name from its context: a title, a role, a typical predicate. The contexts that are patterns
//! are in `words.toml`.

use super::context::TokenContext;
use super::guards::Guards;
use super::name_forms::without_accents;
use super::words::WordClass::{Bare, CalendarName, Closing, FirstName, ThingName, WordName};
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

/// `Mike Johnson`, `Cary Grant`: beside a word that is not part of a staff member's name.
pub fn is_part_of_another_name(context: &TokenContext<'_>) -> bool {
    if !context.is_capital() {
        return false;
    }
    let tokens = context.tagged.text.tokens();
    let is_name_like = |at: usize| {
        let word = context.tagged.word(at);
        tokens[at].shape == Capitalisation::Capitalised
            && (word.is_unknown() || word.is_any(&[FirstName, WordName]) || word.id != 0)
    };
    let follows = context
        .at(1)
        .filter(|_| !context.has_s() && context.name.len() == 1);
    if follows.is_some_and(is_name_like) {
        return true;
    }
    let Some(before) = context.at(-1).filter(|at| is_name_like(*at)) else {
        return false;
    };
    let word = context.tagged.word(before);
    // A capital at the beginning of the sentence is no evidence, except in `Jersey Mike's`. A plural or possessive is
    // not a first name.
    let is_surname = word.is(WordName) && !context.word(0).is(FirstName);
    !word.has_s && (word.is(FirstName) || is_surname || word.is_unknown())
}

/// The certainty that a surname without a first name names a staff member.
pub fn surname(context: &TokenContext<'_>) -> Certainty {
    let word = context.word(0);
    let is_ordinary = word.is_ordinary() || word.is(FirstName);
    let is_stated = acts(context) || is_announced(context);
    // `Roman was polite` is not about Priya Raman.
    let is_short = word.is_misspelled && context.text(0).len() < 7;
    if context.is_capital() && !is_short && (is_stated || !is_ordinary) {
        Certainty::Named
    } else {
        Certainty::Weak
    }
}

/// The certainty that a first name without a surname names a staff member.
pub fn first_name(context: &TokenContext<'_>) -> Certainty {
    let word = context.word(0);
    let is_stated = is_announced(context) || acts(context) || Guards::get().listed.holds(context);
    let is_hinted = is_stated || is_subject(context) || context.has_s();
    if word.is_ordinary() {
        word_name(context, is_stated)
    } else if is_hinted || context.is_capital() && !word.is_misspelled {
        Certainty::Named
    } else {
        Certainty::Weak
    }
}

/// The same for names that are also ordinary words.
fn word_name(context: &TokenContext<'_>, is_stated: bool) -> Certainty {
    let (word, next) = (context.word(0), context.word(1));
    // A recorded mention does not turn an ordinary word into a name.
    let named = |is_named: bool| {
        if is_named {
            Certainty::Named
        } else {
            Certainty::Stranger
        }
    };
    let is_thing_subject = Guards::get().thing_subject.holds(context);
    let is_plain_deed = !next.is(Bare) && (acts(context) || is_subject(context));
    if !context.is_capital() {
        // `chase did great`, `ask for grant`
        let is_name = Guards::get().called.holds(context)
            || context.at(-1).is_none() && is_plain_deed && !is_thing_subject;
        return named(is_name);
    }
    if word.is(CalendarName) {
        return named(is_stated);
    }
    if context.is_at_start() {
        let is_stated = is_stated
            || is_subject(context)
            || context.has_s()
            || Guards::get().addressed.holds(context);
        return named(is_stated && !(word.is(ThingName) && is_thing_subject));
    }
    let is_introduced = is_announced(context) || Guards::get().listed.holds(context);
    if context.is_shouted() {
        return named(is_introduced);
    }
    // `the electric Bill`
    let is_thing = context.word(-1).begins_noun()
        || context.text(-1) == "at"
        || word.is(ThingName) && context.word(-2).begins_noun();
    named(!is_thing || is_introduced)
}

/// Whether the words before the name announce a person: `our tech Will`, `ask for Will`, `thanks to Will`.
pub fn is_announced(context: &TokenContext<'_>) -> bool {
    let guards = Guards::get();
    guards.announced.holds(context) || guards.called.holds(context)
}

/// Whether the name is the subject of a typical predicate of people: `Will explained`, `Will, who came`, `Will himself`.
pub fn acts(context: &TokenContext<'_>) -> bool {
    !context.has_s() && Guards::get().acts.holds(context)
}

/// Whether the name is the subject of a predicate that is also possible for things: `Will was great`.
pub fn is_subject(context: &TokenContext<'_>) -> bool {
    !context.has_s() && Guards::get().subject.holds(context)
}

/// Whether somebody else is named: one who does not work for the business.
pub fn is_stranger(context: &TokenContext<'_>) -> bool {
    let guards = Guards::get();
    guards.stranger.holds(context) && !guards.own.holds(context)
}

/// Whether the name is the author's own at the end of a review: alone in the last sentence, or, if it is that of the author,
/// after a mark or a closing: `- Mike`, `Sincerely, Mike`.
pub fn is_signature(context: &TokenContext<'_>, author: &str) -> bool {
    let (tagged, at) = (context.tagged, context.name.start);
    let mut rest = context.name.end..tagged.text.tokens().len();
    if at == 0 || context.has_s() || rest.any(|at| !tagged.is_mark(at)) {
        return false;
    }
    let is_alone =
        tagged.is_capital(at) && (context.sentence.start..at).all(|at| tagged.is_mark(at));
    let is_stated = tagged.is_mark(at - 1)
        || tagged.word(at - 1).is(Closing)
        || matches!(tagged.text.word(at - 1), "says" | "said" | "from");
    is_alone || is_stated && is_author(context, author)
}

/// Whether the name is one of the words of the author's name.
fn is_author(context: &TokenContext<'_>, author: &str) -> bool {
    let word = without_accents(context.text(0));
    let mut words = author.split(|letter: char| !letter.is_alphanumeric());
    words.any(|one| without_accents(&one.to_lowercase()) == word)
}
