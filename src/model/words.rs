//! How texts are compared: one fold for search, names and every index; and the short forms of names.
//!
//! The fold composes (Unicode NFC) and then folds case, simply and by code point (CaseFolding.txt, statuses C and S); ß
//! stays ß. A comparison by words also ignores accents and kinds of apostrophes and blanks.

use std::borrow::Cow;

use icu_casemap::{CaseMapper, CaseMapperBorrowed};
use unicode_normalization::char::decompose_canonical;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

const MAPPER: CaseMapperBorrowed<'static> = CaseMapper::new();

/// The text composed (Unicode NFC).
pub fn compose(text: &str) -> Cow<'_, str> {
    if text.is_ascii() || is_nfc(text) {
        Cow::Borrowed(text)
    } else {
        text.nfc().collect::<String>().into()
    }
}

/// Words before and after a name that are none of it.
const TITLES: [&str; 6] = ["dr", "mr", "mrs", "ms", "prof", "herr"];
const SUFFIXES: [&str; 5] = ["jr", "sr", "ii", "iii", "iv"];

/// A name with the initial of its last word: `Jane Doe` and `Doe, Jane` become `Jane D.`. A single word and an already short
/// name stay unchanged.
pub fn short_name(name: &str) -> String {
    let has_word = |list: &[&str], word: &str| {
        let word = word.trim_end_matches('.').to_lowercase();
        list.contains(&word.as_str())
    };
    let turned = name
        .split_once(',')
        .filter(|(last, first)| {
            let is_suffix = first
                .split_whitespace()
                .all(|word| has_word(&SUFFIXES, word));
            !last.trim().is_empty() && !is_suffix && !first.contains(',')
        })
        .map(|(last, first)| format!("{first} {last}"));
    let plain = turned.as_deref().unwrap_or(name).replace(',', " ");
    let mut words: Vec<&str> = plain.split_whitespace().collect();
    while words.len() > 2 && has_word(&TITLES, words[0]) {
        words.remove(0);
    }
    while words.len() > 2 && words.last().is_some_and(|word| has_word(&SUFFIXES, word)) {
        words.pop();
    }
    let [first, .., last] = words.as_slice() else {
        return name.trim().to_owned();
    };
    // A number is no family name.
    if last.starts_with(|character: char| character.is_ascii_digit()) {
        return name.trim().to_owned();
    }
    // Without a letter or digit, as in "Jane (via phone)", only the first name is used.
    let initial = last.chars().find(|character| character.is_alphanumeric());
    initial.map_or_else(
        || (*first).to_owned(),
        |initial| format!("{first} {}.", initial.to_uppercase()),
    )
}

/// Composed, then with Unicode's simple case folding of each character.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let composed = compose(text);
    let characters = composed.chars();
    characters
        .map(|character| MAPPER.simple_fold(character))
        .collect()
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
pub fn without_accents(character: char) -> char {
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
    use super::{fold, short_name};

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
    fn a_family_name_is_shortened_to_the_initial() {
        for (name, short) in [
            ("Jane Doe", "Jane D."),
            ("  Jane   Mary van Doe ", "Jane D."),
            ("Jane D.", "Jane D."),
            ("Jane", "Jane"),
            ("María ñandú", "María Ñ."),
            ("Jane ***", "Jane"),
            ("Doe, Jane", "Jane D."),
            ("Jane Doe, Jr.", "Jane D."),
            ("Dr. Jane Doe III", "Jane D."),
            ("Dr. Doe", "Dr. D."),
            ("Customer 17", "Customer 17"),
        ] {
            assert_eq!(short_name(name), short);
        }
    }
}
