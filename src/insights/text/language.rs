//! Which language a text is in, as far as reading it goes: English or not.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use super::{Capitalisation, Fingerprint, Token, TokenizedText};
use crate::compute::steps;
use crate::insights::analysis::Language;

/// Words that every English text of some length has, and that other languages hardly have; by their
/// fingerprints.
static FUNCTION_WORDS: LazyLock<HashSet<u64, BuildHasherDefault<Fingerprint>>> =
    LazyLock::new(|| {
        let words = "a i \
            an as at be by he if in is it my of on so to up us we no \
            all and are but did for had has her him his how not our out she the was who you \
            from have than that them they this very were what when will with your \
            about after again their there which would";
        words.split_whitespace().map(Fingerprint::of).collect()
    });
/// Texts of fewer words are too short for statistics.
const SHORT: usize = 6;
/// A text is English without a closer look if one word in so many is one of its function words.
const ENGLISH_ONE_IN: usize = 5;
/// A guess of less confidence that is not called reliable either says nothing; a short line of
/// Spanish has 0.26.
const CONFIDENCE_MIN: f64 = 0.25;
/// Beyond so many words the answer is known.
const WORDS_MAX: usize = 200;

/// Whether it says nothing by itself, as `a` or `our`.
#[must_use]
pub fn is_function_word(word: &str) -> bool {
    FUNCTION_WORDS.contains(&Fingerprint::of(word))
}

/// The language of a text that its author or platform declared to be in `declared` (a BCP 47 tag).
pub fn guess(text: &TokenizedText, declared: Option<&str>) -> Language {
    let is_declared_other =
        declared.is_some_and(|tag| !tag.is_empty() && !tag.to_ascii_lowercase().starts_with("en"));
    let is_word =
        |token: &&Token| !matches!(token.shape, Capitalisation::Mark | Capitalisation::Number);
    let words = text.tokens().iter().inspect(|_| steps::one());
    let most = text.tokens().len().min(WORDS_MAX);
    let (mut count, mut english) = (0, 0);
    for word in words.filter(is_word).take(WORDS_MAX) {
        count += 1;
        english += usize::from(FUNCTION_WORDS.contains(&word.fingerprint));
        if english * ENGLISH_ONE_IN >= most && !is_declared_other {
            return Language::English;
        }
    }
    match count {
        0 if is_mark_out_of(text) => Language::English,
        0 => Language::None,
        _ if english * ENGLISH_ONE_IN >= count && !(is_declared_other && count < SHORT) => {
            Language::English
        }
        _ if count < SHORT => short(text, is_declared_other),
        _ => long(text),
    }
}

/// Whether a text without words holds a mark, `10/10`: that says the same in every language.
fn is_mark_out_of(text: &TokenizedText) -> bool {
    let is_number = |token: usize| {
        text.tokens()
            .get(token)
            .is_some_and(|token| token.shape == Capitalisation::Number)
    };
    (1..text.tokens().len())
        .inspect(|_| steps::one())
        .any(|at| text.word(at) == "/" && is_number(at - 1) && is_number(at + 1))
}

/// `Great work!` is English if nobody says otherwise and its letters could be.
fn short(text: &TokenizedText, is_declared_other: bool) -> Language {
    let is_latin = (0..text.tokens().len()).all(|token| {
        text.word(token)
            .chars()
            .all(|c| !c.is_alphabetic() || c.is_ascii())
    });
    if is_latin && !is_declared_other {
        Language::English
    } else {
        Language::Other
    }
}

fn long(text: &TokenizedText) -> Language {
    let words = text.normal_words();
    steps::add(words.len());
    match whatlang::detect(&words) {
        Some(info)
            if info.lang() != whatlang::Lang::Eng
                && (info.is_reliable() || info.confidence() >= CONFIDENCE_MIN) =>
        {
            Language::Other
        }
        Some(info) if info.script() != whatlang::Script::Latin => Language::Other,
        _ => Language::English,
    }
}
