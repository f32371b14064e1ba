//! The places that the firm serves. A place's name is often a person's or a street's, so a capital alone says nothing.

use std::ops::Range;

use super::place::Place;
use super::trie::Trie;
use super::words::{Class, Page, Words};
use crate::insights::text::{Shape, Text};

/// The declared places.
#[derive(Debug, Clone)]
pub struct Areas {
    names: Vec<String>,
    forms: Trie<u16>,
}

impl Areas {
    /// The places, with their words put into `words`.
    pub fn new(names: &[String], words: &mut Words) -> Self {
        let mut entries = Vec::new();
        for (area, name) in (0..).zip(names) {
            let text = Text::new(name);
            let form: Vec<u16> = (0..text.tokens().len())
                .filter(|token| text.tokens()[*token].shape != Shape::Mark)
                .map(|token| words.number(text.word(token)))
                .collect();
            if !form.is_empty() {
                entries.push((form, area));
            }
        }
        Self { names: names.to_vec(), forms: Trie::new(&entries) }
    }

    /// The places named, in order: which, where, and by which rule.
    pub fn find(&self, page: &Page<'_>) -> Vec<(&str, usize, Range<usize>, &'static str)> {
        let mut found: Vec<(&str, usize, Range<usize>, &'static str)> = Vec::new();
        for (number, sentence) in page.text.sentences().iter().enumerate() {
            let mut at = sentence.start;
            while at < sentence.end {
                let longest = if page.word(at).id == 0 { None } else { self.forms.longest(page, at, sentence.end) };
                let Some((end, [area, ..])) = longest else {
                    at += 1;
                    continue;
                };
                let place = Place { page, number, sentence: sentence.clone(), name: at..end };
                // A place joined to one that was found is one, too: `in Mesa, Gilbert and Chandler`.
                let is_joined = found.last().is_some_and(|(.., last, _)| {
                    last.end < at && last.end >= sentence.start && (last.end..at).all(|between| page.word(between).is(Class::Pair))
                });
                if let Some(rule) = rule(&place, is_joined) {
                    found.push((&self.names[usize::from(*area)], number, at..end, rule));
                }
                at = end;
            }
        }
        found
    }
}

/// Why the words are that place.
fn rule(place: &Place<'_>, is_joined: bool) -> Option<&'static str> {
    let next = place.word_after(1);
    let is_many = place.name.len() > 1;
    let is_capital =
        place.is_capital() || place.page.is_shouted(place.number) && place.name.clone().all(|at| place.page.is_capital(at));
    let is_known = |at: usize| place.page.word(at).is_misspelled;
    if !(is_capital || is_many) || place.name.clone().any(is_known) || is_street(place) || is_of_another_name(place) {
        return None;
    }
    if is_capital && has_state(place) {
        return Some("area_and_state");
    }
    let mut n = 1;
    while place.word_before(n).is(Class::Compass) || n == 1 && matches!(place.text_before(1), "the" | "beautiful" | "sunny" | "hot")
    {
        n += 1;
    }
    if place.word_before(n).is(Class::Near) {
        return Some("area");
    }
    let is_home = next.is(Class::Home) || next.is(Class::Compass) && place.word_after(2).is(Class::Home);
    if is_home
        && (is_many
            || place.word_before(n).is(Class::Own)
            || place.word_before(n).is(Class::Determiner)
            || place.text_before(1) == "the"
            || is_capital && !place.is_at_start())
    {
        return Some("area");
    }
    if is_joined || is_many && is_capital {
        return Some("area");
    }
    let is_thanks = (2..=4).any(|n| place.word_before(n).is(Class::Thanks));
    let is_direction = place.word_before(n).is(Class::Toward) && !matches!(place.text_before(n), "and" | "like");
    let is_person = place.acts() || place.is_subject() || place.text_before(1) == "from" && place.word_before(2).is(Class::With);
    if is_direction && is_capital && !is_thanks && !is_person && !is_spoken_to(place) {
        return Some("area");
    }
    (n > 1 && place.word_before(1).is(Class::Compass) && is_capital && !place.is_capital_before(1)).then_some("area")
}

/// `spoke to Gilbert`, `a call from Chandler`, `for Gilbert`: persons.
fn is_spoken_to(place: &Place<'_>) -> bool {
    matches!(
        place.text_before(2),
        "spoke"
            | "talked"
            | "speak"
            | "talk"
            | "speaking"
            | "talking"
            | "call"
            | "text"
            | "email"
            | "ask"
            | "asked"
            | "message"
            | "visit"
            | "said"
            | "listened"
            | "gave"
            | "paid"
            | "word"
            | "note"
            | "response"
            | "reply"
            | "help"
    ) || matches!(place.text_before(1), "of" | "for")
        && !place.word_before(2).is(Class::Home)
        && !matches!(
            place.text_before(2),
            "part"
                | "parts"
                | "end"
                | "all"
                | "most"
                | "edge"
                | "out"
                | "side"
                | "corner"
                | "city"
                | "town"
                | "outskirts"
                | "heart"
                | "residents"
                | "people"
        )
}

fn has_state(place: &Place<'_>) -> bool {
    let n = 1 + usize::from(place.text_after(1) == ",");
    place.word_after(n).is(Class::State) && place.is_capital_after(n)
}

/// `Mesa Dr`, `on Gilbert`, `Gilbert and Baseline`
fn is_street(place: &Place<'_>) -> bool {
    let n = 1 + usize::from(matches!(place.text_after(1), "." | "'s"));
    let street = place.word_after(n);
    let is_street = street.is(Class::Street)
        && (place.is_capital_after(n)
            || !place.is_capital()
            || matches!(place.text_after(n), "road" | "rd" | "street" | "st" | "ave" | "blvd" | "dr"));
    if is_street {
        return true;
    }
    let is_corner = matches!(place.text_after(1), "and" | "&" | "/")
        && place.is_capital_after(2)
        && place.word_after(2).id == 0
        && !place.word_after(2).is(Class::Pair);
    is_corner && matches!(place.text_before(1), "near" | "at" | "on" | "off" | "of" | "around" | "between" | "by")
        || matches!(place.text_before(1), "on" | "off" | "at") && !place.word_after(1).is(Class::Home)
}

/// `Mr. Gilbert`, `Bob Gilbert`, `Mesa Plumbing`, `Gilbert High School`: a longer name that this is part of.
fn is_of_another_name(place: &Place<'_>) -> bool {
    if place.is_titled() {
        return true;
    }
    if let Some(before) = place.before(1).filter(|at| place.page.text.tokens()[*at].shape == Shape::Capitalised) {
        let word = place.page.word(before);
        if word.is(Class::FirstName)
            && !word.is(Class::Compass)
            && !word.is(Class::Near)
            && !word.is(Class::Toward)
            && !place.page.is_mark(before)
        {
            return true;
        }
        if before > place.sentence.start && word.is_unknown() {
            return true;
        }
    }
    let Some(after) = place.after(1).filter(|at| place.page.is_capital(*at) && !place.page.is_shouted(place.number)) else {
        return false;
    };
    let word = place.page.word(after);
    if word.is(Class::State) || word.is(Class::Home) && !word.is(Class::Trade) || has_state(place) {
        return false;
    }
    word.is(Class::Trade)
        || word.is(Class::Firm)
        || word.is_unknown() && place.page.text.tokens()[after].shape == Shape::Capitalised
}
