//! Detects the language of a text, and whether it is supported.

use super::analysis::{Language, TextLanguage};
use super::text::{Capitalisation, TokenizedText};
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
/// From this number of words, the other words of short texts are not needed.
const TELLING_WORDS: usize = 20;
/// Minimum number of such words in a text of more than one word, because a single one may be a name.
const TELLING_MIN: usize = 2;
/// Minimum share of such words in a longer text with a declared language: one word in this many.
const DECLARED_ONE_IN: usize = 8;
/// Minimum confidence of an unreliable guess; a short line of Spanish has 0.26.
const CONFIDENCE_MIN: f64 = 0.25;
/// Maximum number of words that are counted; more words do not change the result.
const WORDS_MAX: usize = 200;
/// The first code point after ASCII.
const ASCII_END: char = '\u{80}';
/// The first code point after the Latin letters.
const LATIN_END: char = '\u{250}';

/// The languages of which a word is a function word, and those of which it identifies a short text.
#[derive(Debug, Clone, Copy, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "one for each list that may have the word"
)]
struct TellingWord {
    is_english: bool,
    /// Whether it identifies a short English text.
    tells_english: bool,
    /// Whether it is of a language that is not supported.
    is_foreign: bool,
    is_spanish: bool,
    /// Whether it identifies a short Spanish text.
    tells_spanish: bool,
}

/// Detects whether a text is in one of a trade's languages.
#[derive(Debug, Clone)]
pub struct LanguageDetector {
    /// Whether the trade has phrases for Spanish.
    has_spanish: bool,
    words: WordMap<TellingWord>,
}

/// The counts of a text's words by language.
struct LanguageCounts {
    words: usize,
    english: usize,
    /// English words of short texts, and words of languages that are not supported.
    telling: usize,
    foreign: usize,
    /// Spanish function words, and these with the words that identify short texts.
    spanish: [usize; 2],
}

impl LanguageDetector {
    pub fn new(has_spanish: bool) -> Self {
        let mut words: WordMap<TellingWord> = WordMap::default();
        let english = LanguageWords::english();
        let mut mark = |all: &WordSet, mark: &dyn Fn(&mut TellingWord)| {
            let all = all.fingerprints();
            all.for_each(|word| mark(words.entry(word).or_default()));
        };
        mark(&english.function_words, &|word| word.is_english = true);
        mark(&english.telling_words, &|word| word.tells_english = true);
        mark(&english.foreign_words, &|word| word.is_foreign = true);
        if has_spanish {
            let spanish = LanguageWords::of(Language::Spanish);
            mark(&spanish.function_words, &|word| word.is_spanish = true);
            mark(&spanish.telling_words, &|word| word.tells_spanish = true);
        }
        Self { has_spanish, words }
    }

    /// The language of a text with the declared language `declared` (a BCP 47 tag): by its typical words, and, if these do
    /// not decide, by statistics.
    pub fn language(&self, text: &TokenizedText, declared: Option<&str>) -> TextLanguage {
        let counts = self.counts(text);
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
        let is_declared_spanish = self.has_spanish && primary == Language::Spanish.name();
        let (rival, [function, telling]) =
            if is_declared_spanish || self.has_spanish && !is_declared_other {
                (TextLanguage::Spanish, counts.spanish)
            } else {
                (TextLanguage::Other, [0, 0])
            };
        if words < TELLING_WORDS
            && !is_declared_other
            && telling < counts.telling.max(counts.foreign)
        {
            if counts.foreign > counts.telling && counts.foreign * TELLING_ONE_IN >= words {
                return TextLanguage::Other;
            }
            if counts.telling > counts.foreign && counts.telling * TELLING_ONE_IN >= words {
                return TextLanguage::English;
            }
        }
        let is_rivalled = function > counts.english || words < SHORT && telling > counts.english;
        // Other languages also have a few of these words, such as `in` and `was`.
        let is_clear = || {
            !is_declared_other
                || counts.english >= CLEAR_MIN && counts.english * CLEAR_ONE_IN >= words
                || statistics(text).as_ref().is_some_and(is_english)
        };
        if counts.english * ENGLISH_ONE_IN >= words && !is_rivalled && is_clear() {
            return TextLanguage::English;
        }
        if words < SHORT {
            let is_stated = telling > counts.english
                && telling >= words.min(TELLING_MIN)
                && telling * TELLING_ONE_IN >= words;
            return if is_stated || is_declared_spanish && has_only_letters_below(text, LATIN_END) {
                rival
            } else if !is_declared_other && has_only_letters_below(text, ASCII_END) {
                // `Great work!` is English.
                TextLanguage::English
            } else {
                TextLanguage::Other
            };
        }
        if is_declared_spanish && function * DECLARED_ONE_IN >= words {
            return rival;
        }
        let is_likely = function > counts.english && telling * TELLING_ONE_IN >= words;
        self.language_by_statistics(text, rival, is_likely, is_declared_other)
    }

    /// The language of a longer text whose typical words do not decide. `is_likely` is whether its words are
    /// more often of `rival` than English.
    fn language_by_statistics(
        &self,
        text: &TokenizedText,
        rival: TextLanguage,
        is_likely: bool,
        is_declared_other: bool,
    ) -> TextLanguage {
        let Some(info) = statistics(text) else {
            return if is_likely || is_declared_other {
                rival
            } else {
                TextLanguage::English
            };
        };
        let detected = self.detected(info.lang());
        let is_guess = !is_declared_other && info.confidence() >= CONFIDENCE_MIN;
        // For one or two lines, the statistics confuse related languages.
        if is_likely && (detected == rival || !info.is_reliable()) {
            rival
        } else if detected != TextLanguage::English && (info.is_reliable() || is_guess) {
            detected
        } else if info.script() != whatlang::Script::Latin {
            TextLanguage::Other
        } else if is_declared_other && !is_english(&info) {
            rival
        } else {
            TextLanguage::English
        }
    }

    /// What the statistics detected.
    fn detected(&self, language: whatlang::Lang) -> TextLanguage {
        if language == whatlang::Lang::Eng {
            TextLanguage::English
        } else if language == whatlang::Lang::Spa && self.has_spanish {
            TextLanguage::Spanish
        } else {
            TextLanguage::Other
        }
    }

    /// Counts the words that identify languages.
    fn counts(&self, text: &TokenizedText) -> LanguageCounts {
        let mut counts = LanguageCounts {
            words: 0,
            english: 0,
            telling: 0,
            foreign: 0,
            spanish: [0; 2],
        };
        let words = text.tokens().iter();
        for word in words.filter(|token| token.is_word()).take(WORDS_MAX) {
            counts.words += 1;
            let Some(known) = self.words.get(&word.fingerprint) else {
                continue;
            };
            counts.spanish[0] += usize::from(known.is_spanish);
            counts.spanish[1] += usize::from(known.is_spanish || known.tells_spanish);
            counts.english += usize::from(known.is_english);
            counts.telling += usize::from(known.is_english || known.tells_english);
            counts.foreign += usize::from(known.is_foreign && !known.is_english);
        }
        counts
    }
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

/// Whether all letters are before this code point.
fn has_only_letters_below(text: &TokenizedText, end: char) -> bool {
    let mut letters = (0..text.tokens().len()).flat_map(|token| text.word(token).chars());
    letters.all(|c| !c.is_alphabetic() || c < end)
}

#[cfg(test)]
mod tests {
    use super::LanguageDetector;
    use crate::insights::analysis::TextLanguage;
    use crate::insights::text::TokenizedText;

    #[test]
    fn opinion_words_show_that_short_texts_are_english() {
        let detector = LanguageDetector::new(false);
        let detected = |text: &str| detector.language(&TokenizedText::new(text), None);
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
        ] {
            assert_eq!(detected(text), TextLanguage::Other, "{text}");
        }
    }
}
