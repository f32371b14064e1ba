//! Detects the language of a text, and whether it is supported.

use std::sync::LazyLock;

use super::analysis::TextLanguage;
use super::text::{Capitalisation, TokenizedText};
use super::topics::COMMON_WORDS;
use super::words::{LanguageWords, WordMap, WordSet};

/// Minimum number of words for statistics; texts with fewer words are too short.
const SHORT: usize = 6;
/// Minimum share of English function words in an English text that needs no further test: one word in this many.
const ENGLISH_ONE_IN: usize = 5;
/// Minimum number and share of them in a text with another declared language for which no statistics are needed.
const CLEAR_MIN: usize = 6;
const CLEAR_ONE_IN: usize = 3;
/// Minimum share of typical words in a short text in another language: one word in this many.
const TELLING_ONE_IN: usize = 3;
/// Minimum share of common English words in a text whose language the statistics do not know: one word in this many.
const UNKNOWN_ONE_IN: usize = 4;
/// From this number of words, the other words of short texts are not needed.
const TELLING_WORDS: usize = 20;
/// Minimum confidence of an unreliable guess.
const CONFIDENCE_MIN: f64 = 0.25;
/// Maximum number of words that are counted; more words do not change the result.
const WORDS_COUNTED: usize = 200;
/// The first code point after ASCII.
const ASCII_END: char = '\u{80}';

/// The lists that have a word.
#[derive(Debug, Clone, Copy, Default)]
struct TellingWord {
    is_english: bool,
    /// Whether it identifies a short English text.
    tells_english: bool,
    /// Whether it is of another language.
    is_foreign: bool,
}

/// The words of the lists.
static TELLING_LIST: LazyLock<WordMap<TellingWord>> = LazyLock::new(|| {
    let mut words: WordMap<TellingWord> = WordMap::default();
    let english = LanguageWords::english();
    let mut mark = |all: &WordSet, mark: &dyn Fn(&mut TellingWord)| {
        let all = all.fingerprints();
        all.for_each(|word| mark(words.entry(word).or_default()));
    };
    mark(&english.function_words, &|word| word.is_english = true);
    mark(&english.telling_words, &|word| word.tells_english = true);
    mark(&english.foreign_words, &|word| word.is_foreign = true);
    words
});

/// The counts of a text's words by language.
#[derive(Default)]
struct LanguageCounts {
    words: usize,
    english: usize,
    /// English words of short texts, and words of other languages.
    telling: usize,
    foreign: usize,
}

/// The language of a text with the declared language `declared` (a BCP 47 tag): by its typical words, and, if these do
/// not decide, by statistics.
pub fn detect_language(text: &TokenizedText, declared: Option<&str>) -> TextLanguage {
    let counts = count_words(text);
    let words = counts.words;
    if words == 0 {
        return if is_mark_out_of(text) {
            TextLanguage::English
        } else {
            TextLanguage::None
        };
    }
    let primary = declared
        .and_then(|tag| tag.split(['-', '_']).next())
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is_declared_other = !primary.is_empty() && !primary.starts_with("en");
    if words < TELLING_WORDS && !is_declared_other {
        if counts.foreign > counts.telling && counts.foreign * TELLING_ONE_IN >= words {
            return TextLanguage::Other;
        }
        if counts.telling > counts.foreign && counts.telling * TELLING_ONE_IN >= words {
            return TextLanguage::English;
        }
    }
    // Other languages also have a few of these words, such as `in` and `was`.
    let is_clear = || {
        !is_declared_other
            || counts.english >= CLEAR_MIN && counts.english * CLEAR_ONE_IN >= words
            || statistics(text).as_ref().is_some_and(is_english)
    };
    let is_english = if counts.english * ENGLISH_ONE_IN >= words && is_clear() {
        true
    } else if words < SHORT {
        // `Great work!` is English.
        !is_declared_other && has_only_ascii_letters(text)
    } else {
        is_english_by_statistics(text, counts.words, is_declared_other)
    };
    if is_english {
        TextLanguage::English
    } else {
        TextLanguage::Other
    }
}

/// Counts the words that identify languages.
fn count_words(text: &TokenizedText) -> LanguageCounts {
    let mut counts = LanguageCounts::default();
    let words = text.tokens().iter();
    for word in words.filter(|token| token.is_word()).take(WORDS_COUNTED) {
        counts.words += 1;
        let Some(known) = TELLING_LIST.get(&word.fingerprint) else {
            continue;
        };
        counts.english += usize::from(known.is_english);
        counts.telling += usize::from(known.is_english || known.tells_english);
        counts.foreign += usize::from(known.is_foreign && !known.is_english);
    }
    counts
}

/// Whether a longer text whose typical words do not decide is English.
fn is_english_by_statistics(text: &TokenizedText, words: usize, is_declared_other: bool) -> bool {
    // The statistics do not know every language: `me e mire ne tirane` is Albanian.
    let is_common = |at: &usize| {
        let function_words = &LanguageWords::english().function_words;
        COMMON_WORDS.contains_key(text.word(*at)) || text.is_among(*at, function_words)
    };
    let has_english_words = || {
        let tokens = 0..text.tokens().len();
        let counted = tokens.filter(|at| text.tokens()[*at].is_word()).take(words);
        counted.filter(is_common).count() * UNKNOWN_ONE_IN >= words
    };
    let Some(info) = statistics(text) else {
        return has_english_words() && !is_declared_other;
    };
    let is_sure = info.is_reliable() || !is_declared_other && info.confidence() >= CONFIDENCE_MIN;
    let is_detected_other = info.lang() != whatlang::Lang::Eng && is_sure;
    !is_detected_other
        && info.script() == whatlang::Script::Latin
        && (is_english(&info) || !is_declared_other && has_english_words())
}

/// What the statistics guess.
fn statistics(text: &TokenizedText) -> Option<whatlang::Info> {
    whatlang::detect(text.words(0..text.tokens().len()))
}

fn is_english(info: &whatlang::Info) -> bool {
    info.lang() == whatlang::Lang::Eng && info.confidence() >= CONFIDENCE_MIN
}

/// Whether a text without words is a rating such as `10/10`, which means the same in every language.
fn is_mark_out_of(text: &TokenizedText) -> bool {
    let is_number = |token: usize| text.has_shape(token, Capitalisation::Number);
    (1..text.tokens().len())
        .any(|at| text.word(at) == "/" && is_number(at - 1) && is_number(at + 1))
}

fn has_only_ascii_letters(text: &TokenizedText) -> bool {
    let mut letters = (0..text.tokens().len()).flat_map(|token| text.word(token).chars());
    letters.all(|c| !c.is_alphabetic() || c < ASCII_END)
}

#[cfg(test)]
mod tests {
    use super::detect_language;
    use crate::insights::analysis::TextLanguage;
    use crate::insights::text::TokenizedText;

    #[test]
    fn opinion_words_show_that_short_texts_are_english() {
        let detected = |text: &str| detect_language(&TokenizedText::new(text), None);
        for text in [
            "Lovely biscuits! Fast delivery. Nice shop.",
            "Super friendly, patient and competent lady.",
            "Great work!",
        ] {
            assert_eq!(detected(text), TextLanguage::English, "{text}");
        }
        for text in [
            "Gute Arbeit und nette Leute",
            "War wie immer sehr gut",
            "Rapide et pas cher, merci",
            "Muy amable el señor",
            "No vino nadie.",
            "Excelente servicio",
        ] {
            assert_eq!(detected(text), TextLanguage::Other, "{text}");
        }
    }
}
