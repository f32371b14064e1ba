//! How much a name's surroundings say for it, by what kind of name it is. The rules that speak
//! against any name stand in `exclusions`.

use super::token_context::TokenContext;
use super::words::Class;
use crate::insights::text::Shape;

/// How certain it is that somebody of the firm's is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// A full name, an initial, a title.
    Sure,
    /// A first name in the right surroundings.
    Named,
    /// Too little: only with the job's record.
    Weak,
    /// Somebody else is named.
    Stranger,
}

/// Whether a name of several words is written like one: where its last is an ordinary word, a
/// capital is needed.
pub fn is_written_as_name(context: &TokenContext<'_>) -> bool {
    let last = context.name.end - 1;
    let is_word = context.tagged.word(last).is(Class::WordName)
        || context.tagged.word(last).is(Class::Common);
    !is_word || context.tagged.is_capital(last) && !context.is_shouted()
}

/// `Mike Johnson`, `Cary Grant`: a name beside it that is none of ours.
pub fn is_part_of_another_name(context: &TokenContext<'_>) -> bool {
    if !context.is_capital() {
        return false;
    }
    let tokens = context.tagged.text.tokens();
    let is_name_like = |at: usize| {
        let word = context.tagged.word(at);
        let is_ordinary = [
            Class::Firm,
            Class::Common,
            Class::Deed,
            Class::Be,
            Class::Adverb,
        ]
        .into_iter()
        .any(|class| word.is(class));
        let is_name = word.is(Class::FirstName) || word.is(Class::WordName) || word.id != 0;
        tokens[at].shape == Shape::Capitalised && (word.is_unknown() || is_name && !is_ordinary)
    };
    // `Danielle Steel novels`, but not `Mike Great Job`
    let is_lone_capital = |at: usize| {
        let is_other = |class: Class| context.tagged.word(at).is(class);
        let is_function = [
            Class::Deed,
            Class::Be,
            Class::Adverb,
            Class::Link,
            Class::Pair,
            Class::Near,
            Class::Toward,
            Class::Pronoun,
            Class::Firm,
        ]
        .into_iter()
        .any(is_other);
        tokens[at].shape == Shape::Capitalised
            && is_other(Class::Common)
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
    // A capital at the beginning of the sentence says nothing, but `Jersey Mike's`; a plural or
    // possessive is no first name.
    let is_surname =
        word.is(Class::WordName) && !context.tagged.word(context.name.start).is(Class::FirstName);
    !word.has_s && (word.is(Class::FirstName) || is_surname || word.is_unknown())
}

/// How certainly a surname alone names somebody.
pub fn surname(context: &TokenContext<'_>) -> Certainty {
    let word = context.tagged.word(context.name.start);
    let is_ordinary = [Class::WordName, Class::Common, Class::FirstName]
        .into_iter()
        .any(|class| word.is(class));
    let is_told = context.acts() || context.is_announced();
    let is_thing =
        context.word_before(1).is(Class::Determiner) || context.word_before(1).is(Class::Own);
    let is_short = word.is_misspelled && context.tagged.text.word(context.name.start).len() < 7;
    let is_lower = !context.is_capital() && !is_ordinary && (is_told || context.is_subject());
    if is_lower || context.is_capital() && !is_thing && !is_short && (is_told || !is_ordinary) {
        Certainty::Named
    } else {
        Certainty::Weak
    }
}

/// How certainly a first name alone names somebody.
pub fn first_name(context: &TokenContext<'_>) -> Certainty {
    let word = context.tagged.word(context.name.start);
    let is_word = word.is(Class::WordName) || word.is(Class::Common);
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

/// For names that are words, too.
#[expect(
    clippy::too_many_lines,
    reason = "to be split: lines are shorter than when it was written"
)]
fn word_name(context: &TokenContext<'_>, is_told: bool, is_hinted: bool) -> Certainty {
    let (word, next) = (
        context.tagged.word(context.name.start),
        context.word_after(1),
    );
    // The job's record does not make a name of a word.
    let named = |is_named: bool| {
        if is_named {
            Certainty::Named
        } else {
            Certainty::Stranger
        }
    };
    let is_plain_deed = !next.is(Class::Bare) && (context.acts() || context.is_subject());
    if !context.is_capital() {
        // `chase did great`, `ask for grant`
        let is_name = context.is_called()
            || context.before(1).is_none() && is_plain_deed && !is_thing_subject(context);
        return if is_name && !word.is(Class::CalendarName) {
            Certainty::Named
        } else {
            Certainty::Stranger
        };
    }
    let is_verb = next.is(Class::Bare)
        && (word.is(Class::Modal) || !next.is(Class::Deed) && context.is_at_start());
    let follows_preposition = context.word_before(1).is(Class::Toward)
        && context.text_before(1) != "and"
        || context.word_before(1).is(Class::BeforeMonth);
    let is_spoken_to = (is_hinted || follows_preposition)
        && !context.is_at_start()
        && !context.acts()
        && !context.is_shouted();
    let is_month = word.is(Class::CalendarName) && context.word_before(1).is(Class::BeforeMonth);
    if is_month
        || is_verb && !is_spoken_to && !context.has_s()
        || context.text_after(1) == ","
            && word.is(Class::Modal)
            && context.predicate().is_some_and(|at| is_bare(context, at))
    {
        return Certainty::Stranger;
    }
    if word.is(Class::CalendarName) {
        return named(is_told);
    }
    if context.is_at_start() {
        let is_aside = matches!(context.text_after(1), "," | "(") && !word.is(Class::Modal)
            || context.is_addressed();
        let is_told = is_told || is_aside || context.is_subject() || context.has_s();
        return named(
            is_hinted && !word.is(Class::ThingName)
                || is_told && !(word.is(Class::ThingName) && is_thing_subject(context)),
        );
    }
    let is_introduced = context.is_announced() || context.is_listed();
    if context.is_shouted() {
        return named(is_introduced);
    }
    // `Modern Art hangs there`, `the electric Bill`, `my Living Will`, `an SRP Grant`
    let is_usual = context.word_before(1).is(Class::Role)
        || context.word_before(1).is(Class::With)
        || context.word_before(1).is(Class::Adverb);
    let is_titled = !is_usual
        && context.is_capital_before(1)
        && context.word_before(1).is(Class::Common)
        && (context.before(2).is_some() || word.is(Class::ThingName));
    let is_owned = |n: usize| {
        context.word_before(n).is(Class::Determiner) || context.word_before(n).is(Class::Own)
    };
    let is_thing = is_owned(1)
        || context.text_before(1) == "at"
        || word.is(Class::ThingName) && is_owned(2) && !context.is_capital_before(1) && !is_usual
        || is_titled
        || context.before(1).is_some_and(|at| {
            context.tagged.text.tokens()[at].shape == Shape::Upper
                && !context.tagged.word(at).is(Class::Firm)
                && context.tagged.text.word(at).len() > 1
        });
    named(!is_thing || is_introduced)
}

fn is_bare(context: &TokenContext<'_>, at: usize) -> bool {
    context.tagged.word(at).is(Class::Bare) && !context.tagged.word(at).is(Class::Deed)
}

/// `Bill was higher than quoted`, `Grant was approved`: what follows is said of things.
fn is_thing_subject(context: &TokenContext<'_>) -> bool {
    !context.acts() && (1..=3).any(|n| context.word_after(n).is(Class::OfThings))
}
