//! What the classifier looks at: runs of one, two and three words, within a sentence's parts, and
//! words that a negator turns round. Apart from the weights because training reads its examples
//! through this very code, so that the two cannot drift.

use std::ops::Range;

use crate::hash::{FNV_OFFSET, fnv1a, folded};
use crate::insights::text::{Shape, Text};

/// The longest run of words that is looked up.
pub const RUN_MAX: usize = 3;

/// Whether a token parts the sentence: a mark, or a word that opens the next part.
fn parts_at(text: &Text, token: usize) -> bool {
    let word = text.word(token);
    matches!(
        word,
        "," | ";" | ":" | "." | "!" | "?" | "\u{2026}" | "\u{2014}" | "(" | ")" | "\"" | "-" | "&"
    ) || matches!(
        word,
        "and" | "but" | "however" | "although" | "though" | "so" | "then" | "while" | "except"
    )
}

/// The parts of a sentence that have a word, in order. Marks and conjunctions between them belong
/// to none.
#[must_use]
pub fn parts(text: &Text, sentence: Range<usize>) -> Vec<Range<usize>> {
    let (mut parts, mut start) = (Vec::with_capacity(4), sentence.start);
    for token in sentence.clone() {
        if parts_at(text, token) {
            if start < token {
                parts.push(start..token);
            }
            start = token + 1;
        }
    }
    if start < sentence.end {
        parts.push(start..sentence.end);
    }
    parts
}

/// How many words after a negator it turns round.
const NEGATED_MAX: usize = 4;

/// Calls `each` with the key and the tokens of every run of up to [`RUN_MAX`] words in `scope`, and
/// of every word that a negator stands before. A run holds no parting mark.
pub fn runs(text: &Text, scope: Range<usize>, mut each: impl FnMut(u32, Range<usize>)) {
    let mut negated = 0..0;
    for start in scope.clone() {
        let word = form(text, start);
        if is_mark(word) || ends_negation(word) {
            negated = 0..0;
        } else if is_negator(word) {
            negated = start + 1..start + 1 + NEGATED_MAX;
        } else if negated.contains(&start) {
            let key = fnv1a(fnv1a(FNV_OFFSET, b"~"), word.as_bytes());
            each(folded(key), start..start + 1);
        }
        let mut hash = FNV_OFFSET;
        for end in start..scope.end.min(start + RUN_MAX) {
            let form = form(text, end);
            if is_mark(form) {
                break;
            }
            hash = fnv1a(fnv1a(hash, form.as_bytes()), b" ");
            each(folded(hash), start..end + 1);
        }
    }
}

/// How a token is looked up: numbers are alike.
fn form(text: &Text, token: usize) -> &str {
    if text.tokens()[token].shape == Shape::Number {
        "0"
    } else {
        text.word(token)
    }
}

/// Marks that stand between words; `!`, `?`, `$` and symbols say something themselves.
fn is_mark(form: &str) -> bool {
    matches!(
        form,
        "," | ";" | ":" | "." | "\u{2026}" | "\u{2014}" | "(" | ")" | "\"" | "-" | "'"
    )
}

/// Words after which the next ones say the opposite.
fn is_negator(form: &str) -> bool {
    form.ends_with("n't")
        || matches!(
            form,
            "not"
                | "no"
                | "never"
                | "without"
                | "nobody"
                | "nothing"
                | "none"
                | "neither"
                | "nor"
                | "hardly"
                | "barely"
                | "cannot"
        )
}

/// Words up to which a negator reaches.
fn ends_negation(form: &str) -> bool {
    matches!(form, "but" | "however" | "although" | "though")
}
