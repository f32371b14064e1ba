//! How much a name's surroundings say for it, by what kind of name it is. The rules that speak against any name stand in `guards`.

use super::place::Place;
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

/// Whether a name of several words is written like one: where its last is an ordinary word, a capital is needed.
pub fn is_written_as_name(place: &Place<'_>) -> bool {
    let last = place.name.end - 1;
    let is_word = place.page.word(last).is(Class::WordName) || place.page.word(last).is(Class::Common);
    !is_word || place.page.is_capital(last) && !place.is_shouted()
}

/// `Mike Johnson`, `Cary Grant`: a name beside it that is none of ours.
pub fn is_part_of_another_name(place: &Place<'_>) -> bool {
    if !place.is_capital() {
        return false;
    }
    let tokens = place.page.text.tokens();
    let is_name_like = |at: usize| {
        let word = place.page.word(at);
        let is_ordinary =
            [Class::Firm, Class::Common, Class::Deed, Class::Be, Class::Adverb].into_iter().any(|class| word.is(class));
        let is_name = word.is(Class::FirstName) || word.is(Class::WordName) || word.id != 0;
        tokens[at].shape == Shape::Capitalised && (word.is_unknown() || is_name && !is_ordinary)
    };
    // `Danielle Steel novels`, but not `Mike Great Job`
    let is_lone_capital = |at: usize| {
        let is_other = |class: Class| place.page.word(at).is(class);
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
            && place.after(2).is_some_and(|next| !place.page.is_capital(next) && !place.page.is_mark(next))
    };
    let follows = place.after(1).filter(|_| !place.has_s() && place.name.len() == 1);
    if follows.is_some_and(|at| !tokens[at].begins_line && (is_name_like(at) || is_lone_capital(at))) {
        return true;
    }
    let Some(before) = place.before(1).filter(|at| is_name_like(*at)) else { return false };
    let word = place.page.word(before);
    // A capital at the beginning of the sentence says nothing, but `Jersey Mike's`; a plural or possessive is no first name.
    let is_surname = word.is(Class::WordName) && !place.page.word(place.name.start).is(Class::FirstName);
    !word.has_s && (word.is(Class::FirstName) || is_surname || word.is_unknown())
}

/// How certainly a surname alone names somebody.
pub fn surname(place: &Place<'_>) -> Certainty {
    let word = place.page.word(place.name.start);
    let is_ordinary = [Class::WordName, Class::Common, Class::FirstName].into_iter().any(|class| word.is(class));
    let is_told = place.acts() || place.is_announced();
    let is_thing = place.word_before(1).is(Class::Determiner) || place.word_before(1).is(Class::Own);
    let is_short = word.is_misspelled && place.page.text.word(place.name.start).len() < 7;
    let is_lower = !place.is_capital() && !is_ordinary && (is_told || place.is_subject());
    if is_lower || place.is_capital() && !is_thing && !is_short && (is_told || !is_ordinary) {
        Certainty::Named
    } else {
        Certainty::Weak
    }
}

/// How certainly a first name alone names somebody.
pub fn first_name(place: &Place<'_>) -> Certainty {
    let word = place.page.word(place.name.start);
    let is_word = word.is(Class::WordName) || word.is(Class::Common);
    let is_told = place.is_announced() || place.acts() || place.is_listed();
    let is_hinted = is_told || place.is_accompanied() || place.is_subject() || place.has_s();
    let named = |is_named: bool| if is_named { Certainty::Named } else { Certainty::Weak };
    if is_word { word_name(place, is_told, is_hinted) } else { named(is_hinted || place.is_capital() && !word.is_misspelled) }
}

/// For names that are words, too.
fn word_name(place: &Place<'_>, is_told: bool, is_hinted: bool) -> Certainty {
    let (word, next) = (place.page.word(place.name.start), place.word_after(1));
    // The job's record does not make a name of a word.
    let named = |is_named: bool| if is_named { Certainty::Named } else { Certainty::Stranger };
    let is_plain_deed = !next.is(Class::Bare) && (place.acts() || place.is_subject());
    if !place.is_capital() {
        // `chase did great`, `ask for grant`
        let is_name = place.is_called() || place.before(1).is_none() && is_plain_deed && !is_thing_subject(place);
        return if is_name && !word.is(Class::CalendarName) { Certainty::Named } else { Certainty::Stranger };
    }
    let is_verb = next.is(Class::Bare) && (word.is(Class::Modal) || !next.is(Class::Deed) && place.is_at_start());
    let follows_preposition =
        place.word_before(1).is(Class::Toward) && place.text_before(1) != "and" || place.word_before(1).is(Class::BeforeMonth);
    let is_spoken_to = (is_hinted || follows_preposition) && !place.is_at_start() && !place.acts() && !place.is_shouted();
    let is_month = word.is(Class::CalendarName) && place.word_before(1).is(Class::BeforeMonth);
    if is_month
        || is_verb && !is_spoken_to && !place.has_s()
        || place.text_after(1) == "," && word.is(Class::Modal) && place.predicate().is_some_and(|at| is_bare(place, at))
    {
        return Certainty::Stranger;
    }
    if word.is(Class::CalendarName) {
        return named(is_told);
    }
    if place.is_at_start() {
        let is_aside = matches!(place.text_after(1), "," | "(") && !word.is(Class::Modal) || place.is_addressed();
        let is_told = is_told || is_aside || place.is_subject() || place.has_s();
        return named(
            is_hinted && !word.is(Class::ThingName) || is_told && !(word.is(Class::ThingName) && is_thing_subject(place)),
        );
    }
    let is_introduced = place.is_announced() || place.is_listed();
    if place.is_shouted() {
        return named(is_introduced);
    }
    // `Modern Art hangs there`, `the electric Bill`, `my Living Will`, `an SRP Grant`
    let is_usual =
        place.word_before(1).is(Class::Role) || place.word_before(1).is(Class::With) || place.word_before(1).is(Class::Adverb);
    let is_titled = !is_usual
        && place.is_capital_before(1)
        && place.word_before(1).is(Class::Common)
        && (place.before(2).is_some() || word.is(Class::ThingName));
    let is_owned = |n: usize| place.word_before(n).is(Class::Determiner) || place.word_before(n).is(Class::Own);
    let is_thing = is_owned(1)
        || place.text_before(1) == "at"
        || word.is(Class::ThingName) && is_owned(2) && !place.is_capital_before(1) && !is_usual
        || is_titled
        || place.before(1).is_some_and(|at| {
            place.page.text.tokens()[at].shape == Shape::Upper
                && !place.page.word(at).is(Class::Firm)
                && place.page.text.word(at).len() > 1
        });
    named(!is_thing || is_introduced)
}

fn is_bare(place: &Place<'_>, at: usize) -> bool {
    place.page.word(at).is(Class::Bare) && !place.page.word(at).is(Class::Deed)
}

/// `Bill was higher than quoted`, `Grant was approved`: what follows is said of things.
fn is_thing_subject(place: &Place<'_>) -> bool {
    !place.acts() && (1..=3).any(|n| place.word_after(n).is(Class::OfThings))
}
