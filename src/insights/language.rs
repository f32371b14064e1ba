//! Detects whether a text is English, by its words.

use super::analysis::TextLanguage;
use super::text::{Capitalisation, TokenizedText};
use super::words::{COMMON_WORDS, LanguageWords};

/// Minimum share of words that are common in English. Of 5,589 annotated and real English texts, 17 have fewer, and of 20 short
/// reviews in other languages, none has as many.
const COMMON_SHARE: (usize, usize) = (2, 5);
/// Minimum number of words of a text whose share says something: `Great work!` is English.
const SHORT: usize = 6;
/// Maximum number of words that are counted; more words do not change the result.
const WORDS_COUNTED: usize = 200;

/// The language of a text with the declared language `declared` (a BCP 47 tag), which decides only on short texts.
pub fn detect_language(text: &TokenizedText, declared: Option<&str>) -> TextLanguage {
    let english = LanguageWords::english();
    let (mut words, mut common, mut foreign) = (0, 0, 0);
    let all = (0..text.tokens().len()).filter(|at| text.tokens()[*at].is_word());
    for at in all.take(WORDS_COUNTED) {
        words += 1;
        let is_function_word = text.is_among(at, &english.function_words);
        let is_common = is_function_word
            || text.is_among(at, &english.telling_words)
            || COMMON_WORDS.contains_key(text.word(at));
        common += usize::from(is_common);
        foreign += usize::from(!is_function_word && text.is_among(at, &english.foreign_words));
    }
    if words == 0 && !is_mark_out_of(text) {
        return TextLanguage::None;
    }
    let (part, whole) = COMMON_SHARE;
    let may_be_english = || {
        let tag = declared.unwrap_or_default().to_ascii_lowercase();
        let words = text.words(0..text.tokens().len());
        (tag.is_empty() || tag.starts_with("en"))
            && words.chars().all(|c| !c.is_alphabetic() || c.is_ascii())
    };
    let is_english = common > foreign && common * whole >= words * part
        || words < SHORT && foreign == 0 && (words == 0 || may_be_english());
    if is_english {
        TextLanguage::English
    } else {
        TextLanguage::Other
    }
}

/// Whether a text without words is a rating such as `10/10`, which means the same in every language.
fn is_mark_out_of(text: &TokenizedText) -> bool {
    (1..text.tokens().len()).any(|at| {
        let mut beside = [at - 1, at + 1].into_iter();
        text.word(at) == "/" && beside.all(|at| text.has_shape(at, Capitalisation::Number))
    })
}

#[cfg(test)]
mod tests {
    use super::detect_language;
    use crate::insights::analysis::TextLanguage;
    use crate::insights::text::TokenizedText;

    #[test]
    fn words_or_a_declared_language_show_english() {
        use TextLanguage::{English, None as Empty, Other};
        for (text, declared, language) in [
            ("They came on time and fixed the leak.", Some("de"), English),
            ("Lovely biscuits! Fast delivery. Nice shop.", None, English),
            ("Super friendly, patient and competent lady.", None, English),
            ("great service!!", None, English),
            ("great service!!", Some("en-US"), English),
            // A mark is a judgement.
            ("😀 5/5 !!!", None, English),
            ("Gute Arbeit und nette Leute", None, Other),
            ("War wie immer sehr gut", None, Other),
            ("Rapide et pas cher, merci", None, Other),
            ("Muy amable", Some("es"), Other),
            ("No vino nadie.", None, Other),
            (
                "Sie kamen um acht und haben die Heizung sofort repariert.",
                None,
                Other,
            ),
            ("キッチンの蛇口交換をお願いしました。", None, Other),
            ("😀 !!! 5", None, Empty),
            ("", Some("en"), Empty),
        ] {
            let found = detect_language(&TokenizedText::new(text), declared);
            assert_eq!(found, language, "{text}");
        }
    }
}
