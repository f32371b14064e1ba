//! What the classifier looks at: runs of one, two and three words, within a sentence's parts. Apart
//! from the weights because training reads its examples through this very code, so that the two
//! cannot drift.

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

/// Calls `each` with the key and the tokens of every run of up to [`RUN_MAX`] words in `scope`. A
/// run holds no parting mark.
pub fn runs(text: &Text, scope: Range<usize>, mut each: impl FnMut(u32, Range<usize>)) {
    for start in scope.clone() {
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
