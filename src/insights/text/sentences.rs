//! Finds the ends of sentences. A full stop ends a sentence, except after an abbreviation or an initial.

use std::ops::Range;

use super::{Capitalisation, Token, TokenizedText};
use crate::compute::steps;

/// Maximum number of tokens of a sentence; longer sentences are analysed in parts. Rules search a whole sentence, and a
/// text without sentence ends must not cost more than other texts of its length.
pub const SENTENCE_TOKENS_MAX: usize = 200;
/// Minimum number of tokens in most sentences, for the capacity.
const SENTENCE_TOKENS: usize = 8;
/// Maximum distance in tokens between the maximum length of a part and the mark where it ends, so that phrases stay
/// together.
const PART_MARKS_WITHIN: usize = 60;

/// Marks that may follow the end of a sentence and still belong to it.
const CLOSING: [&str; 4] = ["\"", ")", "'", "]"];

/// The sentences as ranges of tokens.
pub fn cut(text: &TokenizedText) -> Vec<Range<usize>> {
    let len = text.tokens().len();
    let mut sentences = Vec::with_capacity(len / SENTENCE_TOKENS + 1);
    let (mut start, mut at) = (0, 0);
    while at < len {
        steps::one();
        if text.tokens()[at].begins_line && at > start {
            push(text, start..at, &mut sentences);
            start = at;
        }
        at += 1;
        if ends(text, at - 1, start) {
            // In `fixed it (again!) for us`, the words after the parenthesis belong to the sentence.
            let closes = at < len && text.word(at) == ")" && !text.tokens()[at].is_apart;
            if closes
                && text.tokens().get(at + 1).is_some_and(|next| {
                    next.shape == Capitalisation::Lower
                        || next.shape == Capitalisation::Mark && !is_end_mark(text.word(at + 1))
                })
            {
                continue;
            }
            while at < len
                && (CLOSING.contains(&text.word(at)) && !text.tokens()[at].is_apart
                    || is_end_mark(text.word(at)))
            {
                steps::one();
                at += 1;
            }
            push(text, start..at, &mut sentences);
            start = at;
        }
    }
    if start < len {
        push(text, start..len, &mut sentences);
    }
    sentences
}

/// Adds a sentence, in parts if it is too long.
fn push(text: &TokenizedText, mut sentence: Range<usize>, sentences: &mut Vec<Range<usize>>) {
    while sentence.len() > SENTENCE_TOKENS_MAX {
        let most = sentence.start + SENTENCE_TOKENS_MAX;
        let marks = (most - PART_MARKS_WITHIN..most)
            .rev()
            .inspect(|_| steps::one());
        let mark = marks
            .into_iter()
            .find(|at| matches!(text.word(*at), "," | ";" | ":" | "." | "\u{2014}" | ")"));
        let end = mark.map_or(most, |mark| mark + 1);
        sentences.push(sentence.start..end);
        sentence.start = end;
    }
    sentences.push(sentence);
}

fn is_end_mark(word: &str) -> bool {
    matches!(word, "." | "!" | "?" | "\u{2026}")
}

/// Whether the sentence that began at `start` ends with the token at `at`.
fn ends(text: &TokenizedText, at: usize, start: usize) -> bool {
    let token = &text.tokens()[at];
    if token.shape != Capitalisation::Mark || !is_end_mark(text.word(at)) {
        return false;
    }
    let next = text.tokens().get(at + 1);
    let goes_on_small = next.is_some_and(|next| next.shape == Capitalisation::Lower);
    let is_run = token.span.end - token.span.start > 1;
    match text.word(at) {
        "." if is_run => !goes_on_small,
        "." => {
            let words = text.language_words();
            let is_behind = |words| at > start && text.is_among(at - 1, words);
            let abbreviates = is_behind(&words.abbreviations);
            // In `Mike S. came` the letter is an initial; but `we called I.` ends the sentence.
            let is_initial = at > start
                && text.word(at - 1).chars().count() == 1
                && !is_behind(&words.no_initials)
                && text.tokens()[at - 1].shape == Capitalisation::Capitalised
                && (goes_on_small
                    || next.is_some_and(|next| {
                        next.shape == Capitalisation::Capitalised && at - 1 == start
                    }));
            let is_inside = next.is_some_and(|next| {
                !next.is_apart && next.shape != Capitalisation::Mark && goes_on_small
            });
            let is_of_date = is_of_date(text, at, start) && next.is_some();
            !(abbreviates && next.is_some() || is_initial || is_inside || is_of_date)
        }
        "\u{2026}" => !goes_on_small,
        _ => true,
    }
}

/// Whether the full stop at `at` is part of a date: `15.03. we called`, `3. 5. 2024`.
fn is_of_date(text: &TokenizedText, at: usize, start: usize) -> bool {
    let number = |token: usize| {
        let is_number = |token: &Token| token.shape == Capitalisation::Number;
        let is_there = token >= start && text.tokens().get(token).is_some_and(is_number);
        is_there.then(|| text.word(token))
    };
    let day = |token: Option<usize>| {
        let digits = token.and_then(number)?;
        digits
            .parse()
            .ok()
            .filter(|day: &u8| (1..=31).contains(day))
    };
    let month = |token: usize| {
        let digits = number(token)?;
        digits
            .parse()
            .ok()
            .filter(|month: &u8| (1..=12).contains(month))
    };
    let is_stop = |token: usize| token < text.tokens().len() && text.word(token) == ".";
    let goes_on_small =
        (text.tokens().get(at + 1)).is_some_and(|next| next.shape == Capitalisation::Lower);
    // `15.03.` consists of a number and a full stop.
    let both = at
        .checked_sub(1)
        .and_then(number)
        .and_then(|both| both.split_once('.'));
    let is_both = both.is_some_and(|(day, month)| {
        let within =
            |digits: &str, most: u8| digits.parse().is_ok_and(|it: u8| (1..=most).contains(&it));
        within(day, 31) && within(month, 12)
    });
    is_both && (goes_on_small || number(at + 1).is_some())
        || day(at.checked_sub(1)).is_some() && month(at + 1).is_some() && is_stop(at + 2)
        || day(at.checked_sub(3)).is_some()
            && is_stop(at - 2)
            && month(at - 1).is_some()
            && (goes_on_small || number(at + 1).is_some())
}
