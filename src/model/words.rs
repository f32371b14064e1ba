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
        /// Each word of the query, in singular or plural, at the start of a word, in any order; or the whole query anywhere.
        Words = "words",
    }
}

/// The text that reviews must contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextQuery {
    pub text_match: TextMatch,
    /// Must occur in the text, unless all of `words` do. Folded, plainly if words are searched.
    pub whole: String,
    /// [`PluralEndings::words`]: of each, a form must begin a word of the text. Empty if only the whole query counts.
    pub words: Vec<WordForms>,
}

impl TextQuery {
    pub fn new(query: &str, text_match: TextMatch, plural_endings: PluralEndings) -> Self {
        let (whole, words) = match text_match {
            TextMatch::Substring => (fold(query), Vec::new()),
            TextMatch::Words => {
                let whole = fold_plainly(query);
                let words = plural_endings.words(&whole);
                (whole, words)
            }
        };
        Self {
            text_match,
            whole,
            words,
        }
    }

    /// Texts that every match contains, as it is compared: what all forms of a word begin with, because the whole query contains
    /// that too; without words, the query.
    pub fn parts(&self) -> Vec<String> {
        if self.words.is_empty() {
            vec![self.whole.clone()]
        } else {
            self.words.iter().map(common_start).collect()
        }
    }
}

/// The beginnings of a word's singular and plural, none of which begins with another.
pub type WordForms = Vec<String>;

/// What all forms of a word begin with.
fn common_start(word: &WordForms) -> String {
    let [first, others @ ..] = word.as_slice() else {
        return String::new();
    };
    let is_shared = |(at, letter): &(usize, char)| {
        let end = at + letter.len_utf8();
        others.iter().all(|other| other.starts_with(&first[..end]))
    };
    let shared = first.char_indices().take_while(is_shared);
    shared.map(|(_, letter)| letter).collect()
}

/// How the plurals of one language end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PluralEndings {
    /// Minimum number of characters of a singular.
    characters_min: usize,
    /// Endings of plurals without accents, each with the endings of their singulars. The first that ends a word counts; one that
    /// is its own singular protects words that only look like plurals.
    endings: &'static [(&'static str, &'static [&'static str])],
}

#[rustfmt::skip]
const ENGLISH: PluralEndings = PluralEndings {
    characters_min: 3,
    endings: &[
        ("ies", &["ie", "y"]), ("sses", &["ss"]), ("shes", &["sh"]), ("ches", &["ch"]), ("xes", &["x"]), ("zes", &["z"]),
        ("ss", &["ss"]), ("us", &["us"]), ("is", &["is"]), ("s", &[""]),
    ],
};
const SPANISH: PluralEndings = PluralEndings {
    characters_min: 3,
    endings: &[("ces", &["ce", "z"]), ("es", &[""]), ("s", &[""])],
};
/// Four characters, because "sehen" would find "sehr", and "Haus" "Hauptsache".
#[rustfmt::skip]
const GERMAN: PluralEndings = PluralEndings {
    characters_min: 4,
    endings: &[("nen", &[""]), ("en", &["", "a"]), ("er", &[""]), ("e", &[""]), ("s", &[""])],
};
#[rustfmt::skip]
const FRENCH: PluralEndings = PluralEndings {
    characters_min: 3,
    endings: &[
        ("eaux", &["eau"]), ("aux", &["au", "al", "ail"]), ("eux", &["eu"]), ("oux", &["ou"]), ("s", &[""]),
    ],
};

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

    fn forms(&self, word: &str) -> WordForms {
        let is_long = |singular: &str| singular.chars().count() >= self.characters_min;
        let mut endings = self.endings.iter();
        let singulars = endings.find_map(|(plural, singulars)| {
            let stem = word.strip_suffix(plural)?;
            let words: Vec<String> = singulars
                .iter()
                .map(|singular| format!("{stem}{singular}"))
                .filter(|word| is_long(word))
                .collect();
            (!words.is_empty()).then_some(words)
        });
        // Plurals that the singular does not begin.
        let plurals = self.endings.iter().flat_map(|(plural, singulars)| {
            let changed = (singulars.iter()).filter(|singular| !plural.starts_with(**singular));
            let stems = changed.filter_map(|singular| word.strip_suffix(singular));
            stems
                .filter(|_| is_long(word))
                .map(move |stem| format!("{stem}{plural}"))
        });
        let mut forms: Vec<String> = singulars.into_iter().flatten().chain(plurals).collect();
        forms.push(word.to_owned());
        forms.sort_unstable();
        // A form comes after those that it begins with.
        forms.dedup_by(|longer, shorter| longer.starts_with(shorter.as_str()));
        forms
    }

    /// The words of a folded query, longest first. Those that another one implies are left out. Empty if only the whole query
    /// counts: a query in a script without spaces, without a word, or of one word with one form, which matches anywhere.
    pub fn words(&self, folded: &str) -> Vec<WordForms> {
        if folded.chars().any(is_unspaced) {
            return Vec::new();
        }
        let mut words: Vec<WordForms> = folded
            .split(|character| !is_of_word(character))
            .filter(|word| !word.is_empty())
            .map(|word| self.forms(word))
            .collect();
        words.sort_unstable_by(|one, other| {
            (other[0].len(), &other[0]).cmp(&(one[0].len(), &one[0]))
        });
        let mut kept: Vec<WordForms> = Vec::new();
        for word in words {
            let is_implied = |other: &WordForms| {
                let begins = |form: &String| word.iter().any(|one| form.starts_with(one.as_str()));
                other.iter().all(begins)
            };
            if !kept.iter().any(is_implied) {
                kept.push(word);
            }
        }
        kept.retain(|word| *word != [folded]);
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

/// Whether two names are one, or one is the other's short form.
pub fn is_one_name(one: &str, other: &str) -> bool {
    one == other || short_name(one) == other || one == short_name(other)
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
    use super::{PluralEndings, fold, fold_plainly, short_name};

    #[test]
    fn singular_and_plural_of_a_word_both_match() {
        for (tag, word, forms) in [
            (None, "heaters", vec!["heater"]),
            (None, "batteries", vec!["batterie", "battery"]),
            (None, "battery", vec!["batteries", "battery"]),
            (None, "movies", vec!["movie", "movy"]),
            (None, "boxes", vec!["box"]),
            (None, "glass", vec!["glass"]),
            (None, "thermos", vec!["thermo"]),
            (None, "ties", vec!["tie"]),
            (None, "gas", vec!["gas"]),
            (Some("en-GB"), "leaks", vec!["leak"]),
            (Some("es-MX"), "reparaciones", vec!["reparacion"]),
            (Some("es"), "viajes", vec!["viaj"]),
            (Some("es"), "narices", vec!["narice", "nariz"]),
            (Some("es"), "nariz", vec!["narices", "nariz"]),
            (Some("es"), "tuberias", vec!["tuberia"]),
            (Some("de"), "heizungen", vec!["heizung"]),
            (Some("de"), "rohre", vec!["rohr"]),
            (Some("DE-at"), "technikerinnen", vec!["technikerin"]),
            (Some("de"), "firmen", vec!["firm"]),
            (Some("de"), "firma", vec!["firma", "firmen"]),
            (Some("de"), "sehen", vec!["seha", "sehen"]),
            (None, "cities", vec!["citie", "city"]),
            (None, "they", vec!["theies", "they"]),
            (Some("de"), "haus", vec!["haus"]),
            (Some("fr"), "tuyaux", vec!["tuyail", "tuyal", "tuyau"]),
            (Some("fr"), "travail", vec!["travail", "travaux"]),
            (Some("fr"), "chauffeaux", vec!["chauffeau"]),
            (Some("tlh"), "pipes", vec!["pipe"]),
        ] {
            let endings = PluralEndings::of(tag);
            assert_eq!(endings.forms(word), forms, "{tag:?} {word}");
        }
    }

    #[test]
    fn implied_words_and_queries_without_words_are_left_out() {
        for (question, words) in [
            ("leak repair", vec![vec!["repair"], vec!["leak"]]),
            ("water heaters", vec![vec!["heater"], vec!["water"]]),
            ("the thermostats, the", vec![vec!["thermostat"]]),
            ("the theme", vec![vec!["theme"]]),
            ("leaks", vec![vec!["leak"]]),
            ("leak", vec![]),
            ("leak!", vec![vec!["leak"]]),
            ("party", vec![vec!["parties", "party"]]),
            ("100% !", vec![vec!["100"]]),
            ("%", vec![]),
            ("東京 repairs", vec![]),
            ("", vec![]),
        ] {
            assert_eq!(
                PluralEndings::default().words(question),
                words,
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
