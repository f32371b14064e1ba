//! Detects the language of a text, and whether it is supported.

use std::sync::Arc;

use super::analysis::{LanguageCode, TextLanguage};
use super::text::{Capitalisation, LanguageWords, TokenizedText, WordMap, WordSet};

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

/// Bit masks of the languages in which a word is a function word, and of those in which it identifies a short text.
#[derive(Debug, Clone, Copy, Default)]
struct TellingWord {
    is_english: bool,
    /// Whether it identifies a short English text.
    tells_english: bool,
    /// Whether it is of a language that is not supported.
    is_foreign: bool,
    function: u32,
    telling: u32,
}

/// Detects which of a trade's languages a text is in.
#[derive(Debug, Clone)]
pub struct LanguageDetector {
    /// Each with its name in the statistics.
    others: Vec<(LanguageCode, Option<whatlang::Lang>)>,
    words: WordMap<TellingWord>,
}

/// The counts of a text's words by language.
struct LanguageCounts {
    words: usize,
    english: usize,
    /// English words of short texts, and words of languages that are not supported.
    telling: usize,
    foreign: usize,
    /// For each other language the number of its function words and of its words that identify short texts.
    others: Vec<[usize; 2]>,
}

impl LanguageDetector {
    /// The detector supports these languages besides English; the words of the first 32 identify them.
    pub fn new(others: &[&Arc<LanguageWords>]) -> Self {
        let mut words: WordMap<TellingWord> = WordMap::default();
        let english = LanguageWords::english();
        let mut mark = |all: &WordSet, mark: &dyn Fn(&mut TellingWord)| {
            let all = all.fingerprints();
            all.for_each(|word| mark(words.entry(word).or_default()));
        };
        mark(&english.function_words, &|word| word.is_english = true);
        mark(&english.telling_words, &|word| word.tells_english = true);
        mark(&english.foreign_words, &|word| word.is_foreign = true);
        for (other, bit) in others.iter().zip(0..u32::BITS) {
            mark(&other.function_words, &|word| word.function |= 1 << bit);
            mark(&other.telling_words, &|word| word.telling |= 1 << bit);
        }
        let statistics = |words: &LanguageWords| whatlang::Lang::from_code(&words.whatlang);
        let others = others.iter().map(|words| (words.code, statistics(words)));
        Self {
            others: others.collect(),
            words,
        }
    }

    /// The language of a text with the declared language `declared` (a BCP 47 tag).
    pub fn language(&self, text: &TokenizedText, declared: Option<&str>) -> TextLanguage {
        let primary = declared
            .and_then(|tag| tag.split(['-', '_']).next())
            .unwrap_or_default()
            .to_ascii_lowercase();
        let is_declared_other = !primary.is_empty() && !primary.starts_with("en");
        let counts = self.counts(text);
        // The declared other language, if it is supported; without a declared one, the one with the most words.
        let mut others = self.others.iter().zip(&counts.others);
        let rival = if is_declared_other {
            others.find(|((code, _), _)| code.as_str() == primary)
        } else {
            others.max_by_key(|(_, [_, telling])| *telling)
        };
        let is_declared = rival.is_some_and(|((code, _), _)| code.as_str() == primary);
        let (rival, [function, telling]) = rival
            .map_or((TextLanguage::Other, [0, 0]), |((code, _), counts)| {
                (TextLanguage::Also(*code), *counts)
            });
        let is_rivalled =
            function > counts.english || counts.words < SHORT && telling > counts.english;
        // Other languages also have a few of these words, such as `in` and `was`.
        let is_clear = || {
            !is_declared_other
                || counts.english >= CLEAR_MIN && counts.english * CLEAR_ONE_IN >= counts.words
                || statistics(text).as_ref().is_some_and(is_english)
        };
        let is_plain = counts.words < TELLING_WORDS
            && !is_declared_other
            && telling < counts.telling.max(counts.foreign);
        match counts.words {
            words
                if is_plain
                    && counts.foreign > counts.telling
                    && counts.foreign * TELLING_ONE_IN >= words =>
            {
                TextLanguage::Other
            }
            words
                if is_plain
                    && counts.telling > counts.foreign
                    && counts.telling * TELLING_ONE_IN >= words =>
            {
                TextLanguage::English
            }
            0 if is_mark_out_of(text) => TextLanguage::English,
            0 => TextLanguage::None,
            words if counts.english * ENGLISH_ONE_IN >= words && !is_rivalled && is_clear() => {
                TextLanguage::English
            }
            words if words < SHORT => {
                let is_stated = telling > counts.english
                    && telling >= words.min(TELLING_MIN)
                    && telling * TELLING_ONE_IN >= words;
                if is_stated || is_declared && has_only_letters_below(text, LATIN_END) {
                    rival
                } else if !is_declared_other && has_only_letters_below(text, ASCII_END) {
                    // `Great work!` is English.
                    TextLanguage::English
                } else {
                    TextLanguage::Other
                }
            }
            words if is_declared && function * DECLARED_ONE_IN >= words => rival,
            words => {
                let info = statistics(text);
                let detected = info
                    .as_ref()
                    .map_or(rival, |info| self.detected(info.lang()));
                let is_reliable = info.as_ref().is_some_and(whatlang::Info::is_reliable);
                let is_guess = |info: &whatlang::Info| {
                    !is_declared_other && info.confidence() >= CONFIDENCE_MIN
                };
                let is_sure = is_reliable || info.as_ref().is_some_and(is_guess);
                let is_likely = function > counts.english && telling * TELLING_ONE_IN >= words;
                // For one or two lines, the statistics confuse related languages.
                if is_likely && (detected == rival || !is_reliable) {
                    rival
                } else if detected != TextLanguage::English && is_sure {
                    detected
                } else if info
                    .as_ref()
                    .is_some_and(|info| info.script() != whatlang::Script::Latin)
                {
                    TextLanguage::Other
                } else if is_declared_other && !info.as_ref().is_some_and(is_english) {
                    rival
                } else {
                    TextLanguage::English
                }
            }
        }
    }

    /// What the statistics detected.
    fn detected(&self, language: whatlang::Lang) -> TextLanguage {
        let mut others = self.others.iter();
        match others.find(|(_, name)| *name == Some(language)) {
            Some((code, _)) => TextLanguage::Also(*code),
            None if language == whatlang::Lang::Eng => TextLanguage::English,
            None => TextLanguage::Other,
        }
    }

    /// Counts the words that identify languages.
    fn counts(&self, text: &TokenizedText) -> LanguageCounts {
        let mut counts = LanguageCounts {
            words: 0,
            english: 0,
            telling: 0,
            foreign: 0,
            others: vec![[0; 2]; self.others.len()],
        };
        let words = text.tokens().iter();
        for word in words.filter(|token| token.is_word()).take(WORDS_MAX) {
            counts.words += 1;
            let Some(known) = self.words.get(&word.fingerprint) else {
                continue;
            };
            for (bit, count) in (0..u32::BITS).zip(&mut counts.others) {
                let is_function = known.function >> bit & 1 == 1;
                count[0] += usize::from(is_function);
                count[1] += usize::from(is_function || known.telling >> bit & 1 == 1);
            }
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
    use std::sync::Arc;

    use super::LanguageDetector;
    use crate::insights::analysis::TextLanguage;
    use crate::insights::text::{LanguageWords, TokenizedText};

    #[test]
    fn opinion_words_show_that_short_texts_are_english() {
        let detector = LanguageDetector::new(&[]);
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

    #[test]
    fn words_of_a_33rd_language_match_no_other_language() {
        let language = |number: u8| {
            let letter = char::from(b'a' + number % 26);
            let code = format!("{}{letter}", char::from(b'a' + number / 26));
            let words = format!("code = '{code}'\nfunction_words = 'wort{code}'\n");
            Arc::new(LanguageWords::parse(&words).unwrap())
        };
        let all: Vec<_> = (0..33).map(language).collect();
        let detector = LanguageDetector::new(&all.iter().collect::<Vec<_>>());
        let detected = |word: &str| detector.language(&TokenizedText::new(word), None);
        assert_eq!(detected("wortaa wortaa"), TextLanguage::Also(all[0].code));
        assert_eq!(detected("wortbf wortbf"), TextLanguage::Also(all[31].code));
        assert_eq!(detected("wortbg wortbg"), TextLanguage::English);
    }
}
