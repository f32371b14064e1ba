//! How texts are compared: one fold for search, names and every index, how a query matches a text, and the words of a
//! query: runs of letters and digits, without the plural ending of the query's language.
//!
//! The fold composes (Unicode NFC) and then folds case, simply and by code point (CaseFolding.txt, statuses C and S); ß
//! stays ß. A comparison by words also ignores accents and kinds of apostrophes and blanks.

use std::borrow::Cow;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use unicode_normalization::char::decompose_canonical;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

named! {
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
    pub enum TextMatch {
        /// The query as it is, anywhere.
        #[default]
        Substring = "substring",
        /// Each word of the query, without its plural ending, at the start of a word, in any order; or the whole query
        /// anywhere.
        Words = "words",
    }
}

/// The text that reviews must contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextQuery {
    pub text_match: TextMatch,
    /// Must occur in the text, unless all of `stems` do. Folded, plainly if words are searched.
    pub whole: String,
    /// [`PluralEndings::stems`], each of which must begin a word. Empty if only the whole query counts.
    pub stems: Vec<String>,
}

impl TextQuery {
    pub fn new(query: &str, text_match: TextMatch, plural_endings: PluralEndings) -> Self {
        let (whole, stems) = match text_match {
            TextMatch::Substring => (fold(query), Vec::new()),
            TextMatch::Words => {
                let whole = fold_plainly(query);
                let stems = plural_endings.stems(&whole);
                (whole, stems)
            }
        };
        Self {
            text_match,
            whole,
            stems,
        }
    }

    /// Texts that the plain form of every match contains: all stems, because the whole query contains them too; without stems,
    /// the query.
    pub fn plain_parts(&self) -> Vec<String> {
        match self.text_match {
            TextMatch::Substring => vec![plain(&self.whole)],
            TextMatch::Words if self.stems.is_empty() => vec![self.whole.clone()],
            TextMatch::Words => self.stems.clone(),
        }
    }
}

/// The plural endings of one language, each with the number of bytes to remove. The first ending that matches a word
/// counts; 0 bytes protect a word that only looks like a plural. Stems match the start of words, so more than the
/// plural ending may be removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PluralEndings(&'static [(&'static str, usize)]);

/// Minimum number of characters that must remain when an ending is removed.
const STEM_CHARACTERS_MIN: usize = 3;

#[rustfmt::skip]
const ENGLISH: PluralEndings = PluralEndings(&[
    ("ies", 3), ("sses", 2), ("shes", 2), ("ches", 2), ("xes", 2), ("zes", 2), ("ss", 0), ("us", 0), ("is", 0), ("s", 1),
]);
const SPANISH: PluralEndings = PluralEndings(&[("ones", 4), ("ces", 3), ("es", 2), ("s", 1)]);
const GERMAN: PluralEndings =
    PluralEndings(&[("nen", 3), ("en", 2), ("er", 2), ("e", 1), ("s", 1)]);
const FRENCH: PluralEndings =
    PluralEndings(&[("eaux", 1), ("aux", 3), ("eux", 1), ("oux", 1), ("s", 1)]);

impl Default for PluralEndings {
    fn default() -> Self {
        ENGLISH
    }
}

impl PluralEndings {
    /// The endings for a BCP 47 tag; English ones without a tag or for a language without a table.
    pub fn of(tag: Option<&str>) -> Self {
        let tag = tag.unwrap_or_default();
        let language = tag.split('-').next().unwrap_or_default();
        match language.to_ascii_lowercase().as_str() {
            "es" => SPANISH,
            "de" => GERMAN,
            "fr" => FRENCH,
            _ => ENGLISH,
        }
    }

    fn stem<'a>(&self, word: &'a str) -> &'a str {
        let mut fitting = (self.0.iter()).filter(|(ending, _)| word.ends_with(ending));
        let stem = fitting.find_map(|(_, bytes)| {
            let stem = &word[..word.len() - bytes];
            (stem.chars().count() >= STEM_CHARACTERS_MIN).then_some(stem)
        });
        stem.unwrap_or(word)
    }

    /// The stems of the words in a folded query, longest first. Stems that are a prefix of another one are left out,
    /// because they match wherever that one does. Empty if only the whole query counts: a query in a script without
    /// spaces, without a word, or of one word without an ending, which matches anywhere.
    pub fn stems(&self, folded: &str) -> Vec<String> {
        if folded.chars().any(is_unspaced) {
            return Vec::new();
        }
        let words = folded.split(|character| !is_of_word(character));
        let mut stems: Vec<&str> = words
            .filter(|word| !word.is_empty())
            .map(|word| self.stem(word))
            .collect();
        stems.sort_unstable_by(|one, other| (other.len(), *one).cmp(&(one.len(), *other)));
        let mut kept: Vec<String> = Vec::new();
        for stem in stems {
            if !kept.iter().any(|longer| longer.starts_with(stem)) {
                kept.push(stem.to_owned());
            }
        }
        kept.retain(|stem| *stem != folded);
        kept
    }
}

/// Whether a character belongs to a word: a letter or digit of a script that has spaces between words.
pub fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() && !is_unspaced(character)
}

/// Whether a character's script has no spaces between words: Thai, Lao, Burmese, Khmer, Japanese and Chinese (Unicode
/// Standard Annex 14, classes SA and ID).
fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{2E80}'..='\u{2FDF}'
        | '\u{3005}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{FF66}'..='\u{FF9F}' | '\u{20000}'..='\u{3FFFF}')
}

const MAPPER: CaseMapperBorrowed<'static> = CaseMapper::new();

/// The text composed (Unicode NFC).
pub fn compose(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc(text) {
        Cow::Borrowed(text)
    } else {
        text.nfc().collect::<String>().into()
    }
}

/// Composed, then with Unicode's simple case folding of each character.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let folded = |character| MAPPER.simple_fold(character);
    compose(text).chars().map(folded).collect()
}

/// The fold for a comparison by words: without accents, with `'` for every apostrophe and a space for every blank that is
/// not ASCII.
pub fn fold_plainly(text: &str) -> String {
    plain(&fold(text))
}

/// The text as [`fold`] and as [`fold_plainly`] make it.
pub fn fold_both(text: &str) -> (String, String) {
    let folded = fold(text);
    let plain = plain(&folded);
    (folded, plain)
}

/// The plain form of a folded text: by character, so that a part of the text stays a part.
fn plain(folded: &str) -> String {
    if folded.is_ascii() {
        return folded.replace('`', "'");
    }
    folded.chars().filter_map(fold_plain_character).collect()
}

/// `None` for a combining accent.
pub fn fold_plain_character(character: char) -> Option<char> {
    let plain = match character {
        character if is_accent(character) => return None,
        '\u{2018}'
        | '\u{2019}'
        | '\u{201B}'
        | '\u{2032}'
        | '\u{02B9}'
        | '\u{02BB}'..='\u{02BD}'
        | '\u{FF07}'
        | '\u{0060}'
        | '\u{00B4}' => '\'',
        character if !character.is_ascii() && character.is_whitespace() => ' ',
        character => without_accents(character),
    };
    Some(MAPPER.simple_fold(plain))
}

/// The character without its accents, or as it is if it has none.
fn without_accents(character: char) -> char {
    if character.is_ascii() {
        return character;
    }
    let (mut base, mut has_accents) = (None, false);
    decompose_canonical(character, |part| {
        if base.is_none() {
            base = Some(part);
        } else {
            has_accents = is_accent(part);
        }
    });
    base.filter(|_| has_accents).unwrap_or(character)
}

/// The blocks of combining marks of Latin, Greek and Cyrillic letters.
const fn is_accent(character: char) -> bool {
    matches!(character, '\u{0300}'..='\u{036F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}')
}

/// A text as queries compare it.
#[derive(Debug, Clone, Copy)]
pub struct FoldedText<'a> {
    /// As [`fold`] makes it.
    pub folded: &'a str,
    /// As [`fold_plainly`] makes it.
    pub plain: &'a str,
}

#[cfg(test)]
mod tests {
    use super::{PluralEndings, fold, fold_plainly};

    #[test]
    fn plural_and_singular_have_the_same_stem() {
        for (tag, plural, stem) in [
            (None, "heaters", "heater"),
            (None, "batteries", "batter"),
            (None, "boxes", "box"),
            (None, "glass", "glass"),
            (None, "thermos", "thermo"),
            (None, "ties", "tie"),
            (None, "gas", "gas"),
            (Some("en-GB"), "leaks", "leak"),
            (Some("es-MX"), "reparaciones", "reparaci"),
            (Some("es"), "luces", "luc"),
            (Some("es"), "narices", "nari"),
            (Some("es"), "tuberías", "tubería"),
            (Some("de"), "heizungen", "heizung"),
            (Some("de"), "rohre", "rohr"),
            (Some("DE-at"), "technikerinnen", "technikerin"),
            (Some("fr"), "tuyaux", "tuy"),
            (Some("fr"), "chauffeaux", "chauffeau"),
            (Some("tlh"), "pipes", "pipe"),
        ] {
            let endings = PluralEndings::of(tag);
            assert_eq!(endings.stem(plural), stem, "{tag:?} {plural}");
        }
    }

    #[test]
    fn implied_words_and_queries_without_words_give_no_stems() {
        for (question, stems) in [
            ("leak repair", vec!["repair", "leak"]),
            ("water heaters", vec!["heater", "water"]),
            ("the thermostats, the", vec!["thermostat"]),
            ("the theme", vec!["theme"]),
            ("leaks", vec!["leak"]),
            ("leak", vec![]),
            ("leak!", vec!["leak"]),
            ("100% !", vec!["100"]),
            ("%", vec![]),
            ("東京 repairs", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(
                PluralEndings::default().stems(question),
                stems,
                "{question:?}"
            );
        }
    }

    #[test]
    fn texts_are_composed_and_folded_by_character() {
        for (text, folded) in [
            ("", ""),
            ("Ångström ÉTÉ", "ångström été"),
            ("STRASSE straße", "strasse straße"),
            ("ẞ", "ß"),
            ("Σίσυφος", "σίσυφοσ"),
            // The Kelvin sign and the long s fold into ASCII.
            ("\u{212A}ſ", "ks"),
            // Dotted capital I has no simple folding, and dotless i is itself.
            ("İıI", "İıi"),
            ("e\u{301}", "é"),
            ("東京 ТЕСТ", "東京 тест"),
        ] {
            assert_eq!(fold(text), folded);
        }
    }

    #[test]
    fn the_plain_form_has_no_accents_and_one_apostrophe_and_blank() {
        for (text, plain) in [
            ("Déjà vu", "deja vu"),
            ("De\u{301}ja\u{300}", "deja"),
            ("didn\u{2019}t\u{a0}rain\n", "didn't rain\n"),
            ("Ёлка й ñ ø ß İ", "елка и n ø ß i"),
            ("한국어 x\u{302}", "한국어 x"),
        ] {
            assert_eq!(fold_plainly(text), plain);
        }
    }
}
