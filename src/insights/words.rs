//! The words of English: the tables of its file (words that identify it, sentence ends, negators, inflection), and the
//! fingerprints by which words are looked up.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::model::{FNV_OFFSET, fnv1a, parse_toml};

// Fingerprints of words: one fast hash for all word tables. The tables are fixed before a text arrives, so no text can
// cause collisions on purpose. A word has the same fingerprint on every platform.

/// Values by the fingerprints of words.
pub type WordMap<T> = HashMap<u64, T, BuildHasherDefault<Fingerprint>>;

/// A hasher for words, and for keys that already are fingerprints.
#[derive(Debug, Clone, Copy, Default)]
pub struct Fingerprint(u64);

impl Fingerprint {
    /// Mixes 64 more bits into a key.
    pub const fn mix(key: u64, piece: u64) -> u64 {
        let key = (key ^ piece).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        key ^ key >> 29
    }

    /// The fingerprint of a word. It has 64 bits: two of a few thousand words collide in one of 10^12 dictionaries.
    pub fn of(word: &str) -> u64 {
        fnv1a(FNV_OFFSET, word.as_bytes())
    }
}

impl Hasher for Fingerprint {
    fn write(&mut self, bytes: &[u8]) {
        self.0 = fnv1a(self.0, bytes);
    }

    fn write_u64(&mut self, key: u64) {
        self.0 = key;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

// The data of the language besides the phrases: words that identify it, sentence ends, negators, inflection.

/// Words by their fingerprints. In a file they are separated by spaces.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct WordSet(HashSet<u64, BuildHasherDefault<Fingerprint>>);

impl WordSet {
    pub fn contains(&self, fingerprint: u64) -> bool {
        self.0.contains(&fingerprint)
    }

    pub fn fingerprints(&self) -> impl Iterator<Item = u64> {
        self.0.iter().copied()
    }
}

impl From<String> for WordSet {
    fn from(words: String) -> Self {
        words.split_whitespace().collect()
    }
}

impl<'a> FromIterator<&'a str> for WordSet {
    fn from_iter<T: IntoIterator<Item = &'a str>>(words: T) -> Self {
        Self(words.into_iter().map(Fingerprint::of).collect())
    }
}

/// Phrases of one to a few words, by the words' fingerprints. In a file they are separated by commas or line breaks.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct PhraseSet(Vec<Vec<u64>>);

impl PhraseSet {
    /// Whether one of the phrases begins `words`, which are fingerprints.
    pub fn begins(&self, words: &[u64]) -> bool {
        self.0.iter().any(|phrase| words.starts_with(phrase))
    }
}

impl From<String> for PhraseSet {
    fn from(phrases: String) -> Self {
        let phrases = phrases.split([',', '\n']).map(str::split_whitespace);
        let phrases = phrases.map(|words| words.map(Fingerprint::of).collect());
        let phrases = phrases.filter(|phrase: &Vec<u64>| !phrase.is_empty());
        Self(phrases.collect())
    }
}

/// Marks without a meaning of their own, unlike `!`, `?`, `$` and symbols. They end the scope of a negator.
const SILENT_MARKS: &str = ", ; : . \u{2026} \u{2014} ( ) \" - '";
/// Marks that divide a sentence.
const PARTING_MARKS: &str = ", ; : . ! ? \u{2026} \u{2014} ( ) \" - &";

/// The structural role of a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenRole {
    /// Whether it divides the sentence: a mark, or a word that begins the next part.
    pub parts: bool,
    /// Whether it is a mark without a meaning of its own.
    pub is_mark: bool,
    /// Its effect on the words after it.
    pub negation: Negation,
}

/// The effect of a token on the negation of the words after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Negation {
    /// No effect.
    #[default]
    GoesOn,
    /// The next words are negated.
    Begins,
    /// Ends the scope of a negator before it.
    Ends,
}

/// Inflection: the forms of a word with a given ending.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inflection {
    /// The ending of the base form; of several matching endings, the longest counts.
    of: String,
    /// The endings of the other forms, separated by spaces.
    forms: String,
}

/// The language, as its file describes it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LanguageWords {
    /// Words that occur in every longer text and hardly ever in other languages.
    pub function_words: WordSet,
    /// Words that identify a short text.
    pub telling_words: WordSet,
    /// Words of other languages: a short text with them is not in this one.
    pub foreign_words: WordSet,
    /// Words after which a full stop does not end a sentence.
    pub abbreviations: WordSet,
    /// The same if the next word is in lower case.
    pub soft_abbreviations: WordSet,
    /// Single letters that are words and not initials.
    pub no_initials: WordSet,
    /// Words after a number that make it an amount of money.
    pub money: WordSet,
    /// The names of the months, and their abbreviations.
    pub months: WordSet,
    /// Words that begin the next part of a sentence.
    openers: WordSet,
    /// Words with which a subject begins.
    pub subjects: WordSet,
    /// Words that negate those after them.
    negators: WordSet,
    /// Words that end the scope of a negator.
    pub turns: WordSet,
    #[serde(skip)]
    roles: WordMap<TokenRole>,
    /// Words with this ending negate.
    pub negator_ending: String,
    endings: Vec<Inflection>,
    /// Words at the beginning of a sentence that continue the previous one.
    pub leaning: WordSet,
    /// Pronouns that refer to the previous sentence, except before one of the words `pointed`: `this company`.
    pub pointers: WordSet,
    pub pointed: WordSet,
    /// Phrases of sentences that are no quotes: about another business, a hope, thanks in irony.
    pub no_quote: PhraseSet,
    /// Phrases of sentences that do not praise, but state a wish, a condition or a duty.
    pub no_praise: PhraseSet,
    /// Phrases of sentences that do not blame, but state why the customer called.
    pub no_blame: PhraseSet,
}

impl LanguageWords {
    pub fn english() -> &'static Self {
        static ENGLISH: LazyLock<LanguageWords> = LazyLock::new(|| {
            let mut words: LanguageWords = parse_toml(SOURCE);
            words.set_roles();
            words
        });
        &ENGLISH
    }

    fn set_roles(&mut self) {
        let [parting, silent] =
            [PARTING_MARKS, SILENT_MARKS].map(|marks| WordSet::from(marks.to_owned()));
        for word in parting.fingerprints().chain(self.openers.fingerprints()) {
            self.roles.entry(word).or_default().parts = true;
        }
        for word in silent.fingerprints() {
            let role = self.roles.entry(word).or_default();
            (role.is_mark, role.negation) = (true, Negation::Ends);
        }
        for word in self.negators.fingerprints() {
            self.roles.entry(word).or_default().negation = Negation::Begins;
        }
        for word in self.turns.fingerprints() {
            self.roles.entry(word).or_default().negation = Negation::Ends;
        }
    }

    /// The role of the token with the given fingerprint.
    pub fn role(&self, fingerprint: u64) -> TokenRole {
        self.roles.get(&fingerprint).copied().unwrap_or_default()
    }

    /// The regular forms of a word, beginning with the word itself. Some forms do not exist, which does no harm.
    pub fn forms(&self, base: &str) -> Vec<String> {
        let fitting = self.endings.iter().filter(|one| base.ends_with(&one.of));
        let mut forms = vec![base.to_owned()];
        if let Some(ending) = fitting.max_by_key(|one| one.of.len()) {
            let stem = &base[..base.len() - ending.of.len()];
            let endings = ending.forms.split_whitespace();
            forms.extend(endings.map(|form| format!("{stem}{form}")));
        }
        forms
    }
}

/// A word without its plural and possessive ending: `leak` for `leaks`, `dish` for `dishes`, `battery` for `batteries`.
pub fn singular(word: &str) -> Cow<'_, str> {
    let word = word.strip_suffix("'s").unwrap_or(word);
    if let Some(stem) = word.strip_suffix("ies").filter(|stem| stem.len() > 2) {
        return format!("{stem}y").into();
    }
    let endings = [
        ("sses", 2),
        ("shes", 2),
        ("ches", 2),
        ("xes", 2),
        ("ss", 0),
        ("us", 0),
        ("is", 0),
        ("s", 1),
    ];
    let ending = endings.iter().find(|(ending, _)| word.ends_with(ending));
    let stem = &word[..word.len() - ending.map_or(0, |(_, letters)| *letters)];
    if stem.len() < STEM_MIN { word } else { stem }.into()
}

/// Minimum number of letters of a word without its plural ending.
const STEM_MIN: usize = 2;

/// The file of the common words.
pub const COMMON: &str = include_str!("common_words.txt");

/// Common words, by whether they are the most frequent ones. A frequent one is no part of a topic: `the`, `great`, `time`. Any
/// other one alone says nothing: `employees`, `future`, `solution`.
pub static COMMON_WORDS: LazyLock<HashMap<&str, bool>> = LazyLock::new(|| {
    let (frequent, others) = COMMON.split_once("\n\n").unwrap_or_default();
    let words = [(frequent, true), (others, false)].into_iter();
    let lines = words.flat_map(|(words, value)| words.lines().map(move |line| (line, value)));
    let lines = lines.filter(|(line, _)| !line.starts_with('#'));
    let words = lines.flat_map(|(line, value)| line.split(' ').map(move |word| (word, value)));
    words.collect()
});

/// The file of the language.
pub const SOURCE: &str = include_str!("languages/en.toml");

#[cfg(test)]
mod tests {
    use super::singular;

    #[test]
    fn plural_and_singular_are_one_word() {
        for (one, many) in [
            ("dish", "dishes"),
            ("lunch", "lunches"),
            ("glass", "glasses"),
            ("box", "boxes"),
            ("key", "keys"),
            ("service", "services"),
            ("battery", "batteries"),
            ("ac", "acs"),
        ] {
            assert_eq!(singular(many), one, "{many}");
            assert_eq!(singular(one), one, "{one}");
        }
        for word in ["bus", "this", "basis", "address"] {
            assert_eq!(singular(word), word);
        }
    }
}
