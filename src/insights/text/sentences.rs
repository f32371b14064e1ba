//! Finds the ends of sentences, and which sentences can be quoted by themselves. A full stop ends a sentence, except after
//! an abbreviation or an initial. A quotable sentence is whole, of a readable length, and does not depend on the previous
//! one.

use std::ops::{Range, RangeInclusive};

use super::{Capitalisation, TokenizedText};
use crate::compute::steps;
use crate::insights::analysis::TextSpan;

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
            let goes_on = text.has_shape(at + 1, Capitalisation::Lower)
                || text.has_shape(at + 1, Capitalisation::Mark) && !is_end_mark(text.word(at + 1));
            if closes && goes_on {
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
    let goes_on_small = text.has_shape(at + 1, Capitalisation::Lower);
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
                && text.has_shape(at - 1, Capitalisation::Capitalised)
                && (goes_on_small
                    || text.has_shape(at + 1, Capitalisation::Capitalised) && at - 1 == start);
            let is_inside = goes_on_small && next.is_some_and(|next| !next.is_apart);
            let is_of_date = is_of_date(text, at, start) && next.is_some();
            !(abbreviates && next.is_some() || is_initial || is_inside || is_of_date)
        }
        "\u{2026}" => !goes_on_small,
        _ => true,
    }
}

/// Whether the full stop at `at` is part of a date: `15.03. we called`, `3. 5. 2024`.
fn is_of_date(text: &TokenizedText, at: usize, start: usize) -> bool {
    const DAYS: u8 = 31;
    const MONTHS: u8 = 12;
    let number = |token: usize| {
        let is_there = token >= start && text.has_shape(token, Capitalisation::Number);
        is_there.then(|| text.word(token))
    };
    let within =
        |digits: &str, most: u8| digits.parse().is_ok_and(|it: u8| (1..=most).contains(&it));
    let is_day = |token: Option<usize>| {
        let digits = token.and_then(number);
        digits.is_some_and(|digits| within(digits, DAYS))
    };
    let is_month = |token: usize| number(token).is_some_and(|digits| within(digits, MONTHS));
    let is_stop = |token: usize| token < text.tokens().len() && text.word(token) == ".";
    let goes_on = text.has_shape(at + 1, Capitalisation::Lower) || number(at + 1).is_some();
    // `15.03.` consists of a number and a full stop.
    let both = at
        .checked_sub(1)
        .and_then(number)
        .and_then(|both| both.split_once('.'));
    let is_both = both.is_some_and(|(day, month)| within(day, DAYS) && within(month, MONTHS));
    is_both && goes_on
        || is_day(at.checked_sub(1)) && is_month(at + 1) && is_stop(at + 2)
        || is_day(at.checked_sub(3)) && is_stop(at - 2) && is_month(at - 1) && goes_on
}

/// Length of a quote in code points: shorter sentences have too little content, and longer ones are not read.
pub const QUOTE_LENGTH: RangeInclusive<u32> = 25..=220;
/// Beginnings of sentences that continue the previous one.
const LEANING: [&str; 16] = [
    "and", "but", "or", "nor", "so", "yet", "plus", "then", "also", "which", "who", "because",
    "that", "however", "though", "although",
];
/// Maximum number of words before a colon that marks a label: `Day 6: nobody came.`
const LABEL_WORDS: usize = 3;
/// Characters that are allowed before the first word.
const QUOTE_OPENING: [char; 6] = ['"', '\'', '(', '[', '\u{201c}', '\u{2018}'];
/// Characters that are allowed after the last mark.
const QUOTE_CLOSING: [char; 6] = ['"', '\'', ')', ']', '\u{201d}', '\u{2019}'];

/// Whether `span` of a text, in code points, can be quoted. It must follow the beginning of the text or the end of a
/// sentence. It must begin in upper case or with a number, without a conjunction or label, and end with its mark or
/// with the text.
pub fn is_quotable(text: &[char], span: TextSpan) -> bool {
    let (start, end) = (span.start as usize, span.end as usize);
    let (Some(before), Some(sentence), Some(after)) =
        (text.get(..start), text.get(start..end), text.get(end..))
    else {
        return false;
    };
    QUOTE_LENGTH.contains(&(span.end - span.start))
        && begins_behind(before)
        && begins_well(sentence)
        && (ends_with_mark(sentence) || after.iter().all(|letter| letter.is_whitespace()))
        && is_closed(sentence)
}

/// Whether a sentence can begin after `before`: at the beginning of the text, after the end of another sentence, or in
/// a new paragraph.
fn begins_behind(before: &[char]) -> bool {
    let words = trim_end(before);
    let lines = before[words.len()..]
        .iter()
        .filter(|letter| **letter == '\n');
    words.is_empty() || ends_with_mark(words) || lines.count() > 1
}

fn begins_well(sentence: &[char]) -> bool {
    let sentence = match sentence.split_first() {
        Some((first, rest)) if QUOTE_OPENING.contains(first) => rest,
        _ => sentence,
    };
    let word: String = sentence
        .iter()
        .take_while(|letter| letter.is_alphanumeric())
        .flat_map(|letter| letter.to_lowercase())
        .collect();
    let is_first = |letter: &char| {
        letter.is_alphanumeric() && !letter.is_lowercase() || matches!(letter, '$' | '€' | '£')
    };
    let mut words = sentence
        .split(|letter| letter.is_whitespace())
        .take(LABEL_WORDS);
    let has_label = words.any(|word| word.last() == Some(&':'));
    sentence.first().is_some_and(is_first) && !LEANING.contains(&word.as_str()) && !has_label
}

fn ends_with_mark(words: &[char]) -> bool {
    let mut words = trim_end(words).iter();
    let last = words.rfind(|letter| !QUOTE_CLOSING.contains(letter));
    matches!(last, Some('.' | '!' | '?' | '\u{2026}'))
}

/// Whether all quotation marks and brackets are closed, so that the quote is complete.
fn is_closed(sentence: &[char]) -> bool {
    let count = |wanted: &[char]| {
        sentence
            .iter()
            .filter(|letter| wanted.contains(letter))
            .count()
    };
    count(&['"']) % 2 == 0 && count(&['(', '[', '\u{201c}']) == count(&[')', ']', '\u{201d}'])
}

fn trim_end(words: &[char]) -> &[char] {
    let last = words.iter().rposition(|letter| !letter.is_whitespace());
    last.map_or(&[], |last| &words[..=last])
}

#[cfg(test)]
mod tests {
    use super::is_quotable;
    use crate::insights::analysis::TextSpan;

    /// Whether the part of `text` between the bars can be quoted.
    fn can_be_quoted(text: &str) -> bool {
        let parts: Vec<&str> = text.split('|').collect();
        let [before, quoted, after] = parts.as_slice() else {
            panic!("{text}")
        };
        let length = |part: &str| u32::try_from(part.chars().count()).unwrap();
        let whole: Vec<char> = [*before, *quoted, *after].concat().chars().collect();
        let start = length(before);
        is_quotable(
            &whole,
            TextSpan {
                start,
                end: start + length(quoted),
            },
        )
    }

    #[test]
    fn whole_sentences_that_stand_by_themselves_can_be_quoted() {
        for text in [
            "|They came on time and were polite.| Would call again.",
            "Great. |He left the yard cleaner than it was!|",
            "\"Great.\" |Priya said \"no problem\" and fixed it (twice).| Bye.",
            "Great job\n\n|They came on time and were polite| ",
            "|2 hours later they were at our door.|",
            "|\u{201c}Done right the first time,\u{201d} as they say.|",
            "|Über kind people, every one of them.|",
        ] {
            assert!(can_be_quoted(text), "{text}");
        }
    }

    #[test]
    fn clauses_fragments_and_what_leans_on_another_sentence_cannot() {
        let long = format!("|They {}came.|", "really ".repeat(31));
        for text in [
            "They came, |and showed me how to clean the tank.|",
            "Fixed it |They came on time and were polite.|",
            "We hired\n|Mike to put in a new water heater.|",
            "Nice. |and saved us around four hundred dollars.|",
            "Nice. |And saved us around four hundred dollars.|",
            "Nice. |But saved us around four hundred dollars.|",
            "|told me it had maybe two winters left.|",
            "|They came on time and were polite| and more",
            "|Went with someone else.|",
            "|He said \"no problem and fixed it that day.| Really.\"",
            "|Day 6: a different person who could not find it.|",
            "|\u{1f335} Always on time, always nice to us.|",
            long.as_str(),
        ] {
            assert!(!can_be_quoted(text), "{text}");
        }
    }
}
