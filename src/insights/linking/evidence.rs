//! Evidence for and against a name from its context: a title, a role, a typical predicate. The contexts that are patterns
//! are in `words.toml`.

use super::context::TokenContext;
use super::guards::Guards;
use super::name_forms::without_accents;
use super::words::WordClass::{
    self, Adverb, Bare, Be, BeforeMonth, CalendarName, Closing, Common, Deed, Firm, FirstName,
    Modal, Pair, Role, ThingName, With, WordName,
};
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
        let is_ordinary = word.is_any(&[Firm, Common, Deed, Be, Adverb]);
        let is_name = word.is(FirstName) || word.is(WordName) || word.id != 0;
        tokens[at].shape == Capitalisation::Capitalised
            && (word.is_unknown() || is_name && !is_ordinary)
    };
    let follows = context
        .at(1)
        .filter(|_| !context.has_s() && context.name.len() == 1);
    if follows.is_some_and(|at| !tokens[at].begins_line && is_name_like(at)) {
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
        word_name(context, is_stated, is_hinted)
    } else if is_hinted || context.is_capital() && !word.is_misspelled {
        Certainty::Named
    } else {
        Certainty::Weak
    }
}

/// The same for names that are also ordinary words.
fn word_name(context: &TokenContext<'_>, is_stated: bool, is_hinted: bool) -> Certainty {
    let (word, next) = (context.word(0), context.word(1));
    // A recorded mention does not turn an ordinary word into a name.
    let named = |is_named: bool| {
        if is_named {
            Certainty::Named
        } else {
            Certainty::Stranger
        }
    };
    let is_plain_deed = !next.is(Bare) && (acts(context) || is_subject(context));
    if !context.is_capital() {
        // `chase did great`, `ask for grant`
        let is_name = Guards::get().called.holds(context)
            || context.at(-1).is_none() && is_plain_deed && !is_thing_subject(context);
        return named(is_name && !word.is(CalendarName));
    }
    let is_month = word.is(CalendarName) && context.word(-1).is(BeforeMonth);
    if is_month || word.is(Modal) && Guards::get().commanded.holds(context) {
        return Certainty::Stranger;
    }
    if word.is(CalendarName) {
        return named(is_stated);
    }
    if context.is_at_start() {
        let is_aside = matches!(context.text(1), "," | "(") && !word.is(Modal)
            || Guards::get().addressed.holds(context);
        let is_stated = is_stated || is_aside || is_subject(context) || context.has_s();
        return named(
            is_hinted && !word.is(ThingName)
                || is_stated && !(word.is(ThingName) && is_thing_subject(context)),
        );
    }
    let is_introduced = is_announced(context) || Guards::get().listed.holds(context);
    if context.is_shouted() {
        return named(is_introduced);
    }
    // `the electric Bill`
    let is_usual = (context.word(-1)).is_any(&[Role, With, Adverb]);
    let is_thing = context.word(-1).begins_noun()
        || context.text(-1) == "at"
        || word.is(ThingName)
            && context.word(-2).begins_noun()
            && !context.is_capital_at(-1)
            && !is_usual;
    named(!is_thing || is_introduced)
}

/// `Bill was higher than quoted`, `Grant was approved`: the predicate is typical of things.
fn is_thing_subject(context: &TokenContext<'_>) -> bool {
    !acts(context) && Guards::get().thing_subject.holds(context)
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

/// Whether the name is not that of a person but of a street, a company or a school.
pub fn is_thing(context: &TokenContext<'_>) -> bool {
    let guards = Guards::get();
    if context.name.len() > 1 {
        guards.thing_of_full_name.holds(context)
    } else {
        guards.thing.holds(context)
    }
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
    let is_name = |at: &usize| context.tagged.is_capital(*at) || context.tagged.word(*at).is(Pair);
    let rest = || (context.name.end..tokens.len()).filter(|at| !context.tagged.is_mark(*at));
    let followers = rest().take(SIGNATURE_REST_MAX).take_while(is_name).count();
    if rest().nth(followers).is_some() {
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
    let is_stated = context.tagged.is_mark(at - 1)
        || is(1, Closing)
        || matches!(word(1), "says" | "said" | "from");
    word(1) == "," && is(2, Closing) || is_stated && followers <= 1 && is_author(context, author)
}

/// Whether the name is one of the words of the author's name.
pub fn is_author(context: &TokenContext<'_>, author: &str) -> bool {
    let word = without_accents(context.text(0));
    let mut words = author.split(|letter: char| !letter.is_alphanumeric());
    words.any(|one| without_accents(&one.to_lowercase()) == word)
}
