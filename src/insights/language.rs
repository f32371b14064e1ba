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
/// The same in a text with another declared language, and their minimum number: other languages also have a few of these words,
/// such as `in` and `was`.
const CLEAR_ONE_IN: usize = 3;
const CLEAR_MIN: usize = 3;
/// Minimum share of typical words in a short text in another language: one word in this many.
const TELLING_ONE_IN: usize = 3;
/// From this number of words, the other words of short texts are not needed.
const TELLING_WORDS: usize = 20;
/// Minimum share of common English words in a text that statistics are not sure about: one word in this many.
const COMMON_ONE_IN: usize = 4;
/// Maximum number of words that are counted; more words do not change the result.
const WORDS_COUNTED: usize = 200;

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
    /// Words that are common in English reviews.
    common: usize,
}

/// The language of a text with the declared language `declared` (a BCP 47 tag): by its typical words, and, if these do
/// not decide, by statistics.
pub fn detect_language(text: &TokenizedText, declared: Option<&str>) -> TextLanguage {
    let counts = count_words(text);
    let words = counts.words;
    let is_declared_other = declared.is_some_and(|tag| {
        let tag = tag.to_ascii_lowercase();
        !tag.is_empty() && !tag.starts_with("en")
    });
    let is_english = if words == 0 {
        if !is_mark_out_of(text) {
            return TextLanguage::None;
        }
        true
    } else if is_declared_other {
        counts.english >= CLEAR_MIN && counts.english * CLEAR_ONE_IN >= words
    } else if words < TELLING_WORDS
        && counts.foreign != counts.telling
        && counts.foreign.max(counts.telling) * TELLING_ONE_IN >= words
    {
        counts.telling > counts.foreign
    } else if counts.english * ENGLISH_ONE_IN >= words {
        true
    } else if words < SHORT {
        // `Great work!` is English.
        text.words(0..text.tokens().len()).is_ascii()
    } else {
        counts.common * COMMON_ONE_IN >= words && !is_surely_other(text)
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
    let words = (0..text.tokens().len()).filter(|at| text.tokens()[*at].is_word());
    for at in words.take(WORDS_COUNTED) {
        counts.words += 1;
        let known = TELLING_LIST.get(&text.tokens()[at].fingerprint);
        let known = known.copied().unwrap_or_default();
        let is_common = known.is_english || COMMON_WORDS.contains_key(text.word(at));
        counts.english += usize::from(known.is_english);
        counts.telling += usize::from(known.is_english || known.tells_english);
        counts.foreign += usize::from(known.is_foreign && !known.is_english);
        counts.common += usize::from(is_common);
    }
    counts
}

/// Whether statistics are sure about another language. They do not know every language: `me e mire ne tirane` is Albanian.
fn is_surely_other(text: &TokenizedText) -> bool {
    let detected = whatlang::detect(text.words(0..text.tokens().len()));
    detected.is_some_and(|info| info.is_reliable() && info.lang() != whatlang::Lang::Eng)
}

/// Whether a text without words is a rating such as `10/10`, which means the same in every language.
fn is_mark_out_of(text: &TokenizedText) -> bool {
    let is_number = |token: usize| text.has_shape(token, Capitalisation::Number);
    (1..text.tokens().len())
        .any(|at| text.word(at) == "/" && is_number(at - 1) && is_number(at + 1))
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
