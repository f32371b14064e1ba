//! The dictionary of the linker: one lookup per token returns the classes from `words.toml` and the number of the word
//! in the business's own names. The rules test classes, never spellings.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;
use std::sync::LazyLock;

use serde::Deserialize;
use serde::de::IntoDeserializer as _;
use serde::de::value::StrDeserializer;

use super::name_forms::{Misspellings, without_accents};
use crate::insights::text::{Capitalisation, Fingerprint, TokenizedText, WordMap};
use crate::model::parse_toml;

/// Words by class, and the contexts of names; the table is part of the digest of the method.
pub const TABLE: &str = include_str!("words.toml");

#[derive(Debug, Deserialize)]
pub struct WordTable {
    /// The words of each class, separated by spaces.
    pub words: BTreeMap<String, String>,
    pub lists: BTreeMap<String, Vec<String>>,
}

impl WordTable {
    pub fn get() -> &'static Self {
        static READ: LazyLock<WordTable> = LazyLock::new(|| parse_toml(TABLE));
        &READ
    }
}

/// The classes in `words.toml`, and classes that come from the business's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WordClass {
    Kin,
    KinMany,
    Job,
    Doctor,
    Title,
    Role,
    Street,
    State,
    Home,
    Near,
    Toward,
    Compass,
    Called,
    Thanks,
    Ask,
    Deed,
    Be,
    Bare,
    Own,
    Determiner,
    Other,
    Elsewhere,
    Trade,
    Pronoun,
    Link,
    Pair,
    WordName,
    ThingName,
    CalendarName,
    Common,
    Adverb,
    Rank,
    Closing,
    OfThings,
    Auxiliary,
    Infinitive,
    Actor,
    Crowd,
    Proof,
    Wide,
    Sundry,
    Staff,
    Money,
    Paying,
    OtherTrade,
    Away,
    House,
    /// In the table of short forms: the first name of any person.
    FirstName,
    /// In the business's name.
    Firm,
}

impl WordClass {
    const fn bit(self) -> u64 {
        1 << self as u64
    }

    /// The class of a section of `words.toml`.
    pub fn of_section(name: &str) -> Option<Self> {
        let name: StrDeserializer<'_, serde::de::value::Error> = name.into_deserializer();
        Self::deserialize(name).ok()
    }
}

/// The data of one word.
#[derive(Debug, Clone, Copy, Default)]
pub struct DictionaryWord {
    classes: u64,
    /// The word's number, from 1, if it occurs in one of the business's names.
    pub id: u32,
    /// Whether it is a plural or a possessive, with or without an apostrophe.
    pub has_s: bool,
    /// Whether it is a misspelling of the word with that number.
    pub is_misspelled: bool,
}

impl DictionaryWord {
    pub const fn is(self, class: WordClass) -> bool {
        self.classes & class.bit() != 0
    }

    pub fn is_any(self, classes: &[WordClass]) -> bool {
        classes.iter().any(|class| self.is(*class))
    }

    /// Whether it precedes a thing: `the`, `my`.
    pub const fn begins_noun(self) -> bool {
        self.is(WordClass::Determiner) || self.is(WordClass::Own)
    }

    /// Whether it is also an ordinary word.
    pub const fn is_ordinary(self) -> bool {
        self.is(WordClass::WordName) || self.is(WordClass::Common)
    }

    /// Whether it has neither a class nor a number.
    pub const fn is_unknown(self) -> bool {
        self.classes == 0 && self.id == 0
    }
}

/// The tables, and the words of the business's names.
#[derive(Debug, Clone, Default)]
pub struct Dictionary {
    known: WordMap<DictionaryWord>,
    len: u32,
    /// Accepts misspellings of the words with their numbers.
    pub misspellings: Misspellings,
}

impl Dictionary {
    /// The built-in table, without the names of a business.
    pub fn new() -> Self {
        let mut words = Self::default();
        for (class, list) in &WordTable::get().words {
            if let Some(class) = WordClass::of_section(class) {
                for word in list.split_whitespace() {
                    words.class(word, class);
                }
            }
        }
        words
    }

    pub fn class(&mut self, word: &str, class: WordClass) {
        self.known.entry(Fingerprint::of(word)).or_default().classes |= class.bit();
    }

    /// Gives all words of a class another one as well.
    pub fn classify(&mut self, class: WordClass, other: WordClass) {
        let all = self.known.values_mut();
        all.filter(|word| word.is(class))
            .for_each(|word| word.classes |= other.bit());
    }

    /// The number of a word in the business's names; a new number if it has none.
    pub fn number(&mut self, word: &str) -> u32 {
        let entry = self.known.entry(Fingerprint::of(word)).or_default();
        if entry.id == 0 {
            self.len = self.len.saturating_add(1);
            entry.id = self.len;
        }
        let id = entry.id;
        if !word.is_ascii() {
            self.variant(&without_accents(word), id, false);
        }
        id
    }

    /// Adds another spelling of the word with that number, unless the spelling is itself a word of the names.
    pub fn variant(&mut self, written: &str, id: u32, has_s: bool) {
        let entry = self.known.entry(Fingerprint::of(written)).or_default();
        if entry.id == 0 {
            (entry.id, entry.has_s) = (id, has_s);
        }
    }

    /// Must be called after all words were added.
    pub fn settle(&mut self) {
        // `the roofing guy` is the business's own if it is a roofing company.
        for word in self.known.values_mut() {
            if word.id != 0 || word.is(WordClass::Firm) {
                word.classes &= !WordClass::OtherTrade.bit();
            }
        }
    }

    /// `word` is in lower case and has that fingerprint.
    pub fn find(&self, word: &str, fingerprint: u64) -> DictionaryWord {
        let find = |key: u64| self.known.get(&key).copied();
        let possessive = || {
            Some(DictionaryWord {
                has_s: true,
                ..find(Fingerprint::of(word.strip_suffix("'s")?))?
            })
        };
        let plain = || {
            let accented = Some(word).filter(|word| !word.is_ascii())?;
            find(Fingerprint::of(&without_accents(accented)))
        };
        let found = find(fingerprint).or_else(possessive);
        found.or_else(plain).unwrap_or_default()
    }

    pub fn guess(&self, word: &str) -> DictionaryWord {
        let stem = word.strip_suffix("'s");
        let found = self.misspellings.find(stem.unwrap_or(word));
        let guess = found.map(|id| DictionaryWord {
            classes: 0,
            id,
            has_s: stem.is_some(),
            is_misspelled: true,
        });
        guess.unwrap_or_default()
    }
}

// Sequences of word numbers, with the values that they name. The longest match at a position wins.

/// Maximum number of values of a sequence; a sequence with more values is ignored, because it would identify nothing.
/// This also bounds the cost of one word for any roster.
const VALUES_MAX: usize = 64;

/// Maps sequences of words to values.
#[derive(Debug, Clone)]
pub struct NameTrie<V> {
    /// The node after a node and the number of the next word; the root is 0.
    edges: HashMap<(u32, u32), u32, BuildHasherDefault<Fingerprint>>,
    /// The values of each node; those of a node with more than [`VALUES_MAX`] do not count.
    values: Vec<Vec<V>>,
}

impl<V: Clone + PartialEq> NameTrie<V> {
    /// A value that occurs twice for one sequence counts once.
    pub fn new(entries: &[(Vec<u32>, V)]) -> Self {
        let (mut edges, mut all) = (HashMap::default(), vec![Vec::new()]);
        for (words, value) in entries {
            let mut at = 0;
            for word in words {
                at = *edges.entry((at, *word)).or_insert_with(|| {
                    all.push(Vec::new());
                    u32::try_from(all.len() - 1).unwrap_or_default()
                });
            }
            let values = &mut all[at as usize];
            if at > 0 && values.len() <= VALUES_MAX && !values.contains(value) {
                values.push(value.clone());
            }
        }
        Self { edges, values: all }
    }

    /// The longest entry that begins at a token and ends at the latest at `end`, with its end and its values.
    pub fn longest(
        &self,
        tagged: &TaggedText<'_>,
        start: usize,
        end: usize,
    ) -> Option<(usize, &[V])> {
        let (mut node, mut found) = (0, None);
        for at in start..end {
            let id = tagged.word(at).id;
            if id == 0 {
                break;
            }
            let Some(next) = self.edges.get(&(node, id)) else {
                break;
            };
            node = *next;
            let values = self.values[node as usize].as_slice();
            if (1..=VALUES_MAX).contains(&values.len()) {
                found = Some((at + 1, values));
            }
        }
        found
    }
}

// A text with the dictionary's data for each of its words; each word is looked up once.

#[derive(Debug)]
pub struct TaggedText<'a> {
    pub text: &'a TokenizedText,
    words: Vec<DictionaryWord>,
}

impl<'a> TaggedText<'a> {
    pub fn new(text: &'a TokenizedText, dictionary: &Dictionary) -> Self {
        let mut tagged = Self {
            text,
            words: Vec::with_capacity(text.tokens().len()),
        };
        for (at, token) in text.tokens().iter().enumerate() {
            let (word, is_capital) = (text.word(at), tagged.is_capital(at));
            let mut found = dictionary.find(word, token.fingerprint);
            if is_capital && found.is_unknown() {
                found = dictionary.guess(word);
            }
            tagged.words.push(found);
        }
        tagged
    }

    pub fn word(&self, token: usize) -> DictionaryWord {
        self.words.get(token).copied().unwrap_or_default()
    }

    /// Whether a token is capitalised.
    pub fn is_capital(&self, token: usize) -> bool {
        self.text.tokens()[token].is_capital()
    }

    pub fn is_mark(&self, token: usize) -> bool {
        self.text.tokens()[token].shape == Capitalisation::Mark
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_table_is_a_class_with_words() {
        let sections = &WordTable::get().words;
        // The classes after those of the table come from names.
        assert_eq!(sections.len(), WordClass::FirstName as usize);
        let words = Dictionary::new();
        for section in sections.keys() {
            let class = WordClass::of_section(section).expect(section);
            assert!(words.known.values().any(|word| word.is(class)), "{section}");
        }
    }
}
