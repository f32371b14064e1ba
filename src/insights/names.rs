//! The words by which names are recognised: a dictionary gives each word of a text its classes, which `names.toml` lists, and
//! its number in the business's own names. Misspelled names get the number of the right ones.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use serde::Deserialize;
use strsim::osa_distance;

use super::text::{Capitalisation, TokenizedText};
use super::words::{Fingerprint, WordMap, plain_letters};
use crate::model::{named, parse_toml};
use WordClass::{Common, Firm, FirstName, WordName};

/// Words by class, and the contexts of names; the table is part of the digest of the method.
pub const TABLE: &str = include_str!("names.toml");

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

named! {
    /// The classes in `names.toml`, and classes that come from the business's names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum WordClass {
        Kin = "kin",
        KinMany = "kin_many",
        Job = "job",
        Doctor = "doctor",
        Title = "title",
        Role = "role",
        Street = "street",
        State = "state",
        Home = "home",
        Near = "near",
        Toward = "toward",
        Compass = "compass",
        Called = "called",
        Thanks = "thanks",
        Ask = "ask",
        Deed = "deed",
        Be = "be",
        Bare = "bare",
        Own = "own",
        Determiner = "determiner",
        Other = "other",
        Elsewhere = "elsewhere",
        Trade = "trade",
        Pronoun = "pronoun",
        Link = "link",
        Pair = "pair",
        WordName = "word_name",
        ThingName = "thing_name",
        CalendarName = "calendar_name",
        Common = "common",
        Adverb = "adverb",
        Rank = "rank",
        Closing = "closing",
        OfThings = "of_things",
        Auxiliary = "auxiliary",
        Infinitive = "infinitive",
        Actor = "actor",
        Crowd = "crowd",
        Proof = "proof",
        Wide = "wide",
        Sundry = "sundry",
        Staff = "staff",
        Money = "money",
        Paying = "paying",
        OtherTrade = "other_trade",
        Away = "away",
        House = "house",
        /// In the table of short forms: the first name of any person.
        FirstName = "first_name",
        /// In the business's name.
        Firm = "firm",
    }
}

impl WordClass {
    const fn bit(self) -> u64 {
        1 << self as u64
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
        self.is(WordName) || self.is(Common)
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
            if let Some(class) = WordClass::find(class) {
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
            if word.id != 0 || word.is(Firm) {
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

    /// The word of the business's names of which `word`, which has none of their numbers, is a misspelling. Another first
    /// name is one only if it sounds the same.
    fn guess(&self, word: &str, is_first_name: bool) -> DictionaryWord {
        let stem = word.strip_suffix("'s");
        let found = self.misspellings.find(stem.unwrap_or(word), is_first_name);
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
const NAMED_MAX: usize = 64;

/// Maps sequences of words to values.
#[derive(Debug, Clone)]
pub struct NameTrie<V> {
    /// The node after a node and the number of the next word; the root is 0.
    edges: HashMap<(u32, u32), u32, BuildHasherDefault<Fingerprint>>,
    /// The values of each node; those of a node with more than [`NAMED_MAX`] do not count.
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
            if at > 0 && values.len() <= NAMED_MAX && !values.contains(value) {
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
            if (1..=NAMED_MAX).contains(&values.len()) {
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
            let is_first_name = found.classes == FirstName.bit() && found.id == 0;
            if is_capital && (found.is_unknown() || is_first_name) {
                let guess = dictionary.guess(word, is_first_name);
                found = if guess.id == 0 { found } else { guess };
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

// Misspelled names: one letter added, missing, wrong, or swapped with its neighbour, or the same sound. The first letter is
// right.

/// Lengths of names of which a letter may be wrong; shorter ones are too similar to other names.
const LETTERS: RangeInclusive<usize> = 5..=16;
/// Minimum number of bytes of names that are compared by sound: `All` is not `Al`.
const SOUND_BYTES_MIN: usize = 3;

/// A word of a name.
#[derive(Debug, Clone)]
struct SpelledName {
    word: String,
    sound: String,
    id: u32,
    /// Whether a letter may be wrong.
    is_compared: bool,
}

/// The words of the business's names of people.
#[derive(Debug, Clone, Default)]
pub struct Misspellings(Vec<SpelledName>);

impl Misspellings {
    /// Adds `word`, so that its misspellings are found; of a short form, only those with the same sound.
    pub fn add(&mut self, word: &str, id: u32, is_short_form: bool) {
        if self.0.iter().all(|known| known.word != word) {
            self.0.push(SpelledName {
                word: word.to_owned(),
                sound: sound(word),
                id,
                is_compared: !is_short_form && LETTERS.contains(&word.chars().count()),
            });
        }
    }

    /// The id of the name of which `word` is a misspelling; `None` if there are several.
    fn find(&self, word: &str, is_only_by_sound: bool) -> Option<u32> {
        let is_compared = !is_only_by_sound && LETTERS.contains(&word.chars().count());
        let spoken = sound(word);
        let is_near = |known: &&SpelledName| {
            let other = &known.word;
            let has_other_letter = || {
                known.is_compared
                    && is_compared
                    && other.len().abs_diff(word.len()) <= 2
                    && osa_distance(word, other) <= 1
            };
            other.chars().next() == word.chars().next()
                && (known.sound == spoken && other.len().min(word.len()) >= SOUND_BYTES_MIN
                    || has_other_letter())
        };
        let mut near = self.0.iter().filter(is_near).map(|known| known.id);
        let id = near.next()?;
        near.all(|other| other == id).then_some(id)
    }
}

/// A word as it is spoken, roughly: `Bryan` as `Brian`, `Erik` as `Eric`, `Jon` as `John`, `Thomas` as `Tomasz`.
fn sound(word: &str) -> String {
    let mut sound = String::new();
    for letter in word.chars() {
        let letter = match letter {
            'y' => 'i',
            'c' => 'k',
            'z' => 's',
            other => other,
        };
        let is_silent =
            letter == 'h' && !sound.is_empty() && !sound.ends_with(['g', 'k', 'p', 's', 'w']);
        if !is_silent && !sound.ends_with(letter) {
            sound.push(letter);
        }
    }
    sound
}

pub fn without_accents(word: &str) -> String {
    plain_letters(word.chars()).collect()
}

/// The words and numbers of a text, without marks.
pub fn words_of(text: &TokenizedText) -> impl Iterator<Item = &str> {
    (0..text.tokens().len())
        .filter(|token| text.tokens()[*token].shape != Capitalisation::Mark)
        .map(|token| text.word(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_of_the_table_is_a_class_with_words() {
        let sections = &WordTable::get().words;
        // The classes after those of the table come from names.
        assert_eq!(sections.len(), FirstName as usize);
        let words = Dictionary::new();
        for section in sections.keys() {
            let class = WordClass::find(section).expect(section);
            assert!(words.known.values().any(|word| word.is(class)), "{section}");
        }
    }
}

#[cfg(test)]
mod misspelling_tests {
    use super::*;

    fn names() -> Misspellings {
        let mut names = Misspellings::default();
        for (name, id) in [
            ("danielle", 1),
            ("roberto", 2),
            ("alvarez", 3),
            ("marina", 4),
            ("martina", 5),
            ("priya", 6),
            ("mike", 7),
        ] {
            names.add(name, id, false);
        }
        names
    }

    #[test]
    fn one_typo_is_accepted_if_only_one_name_is_near() {
        for (written, id) in [
            ("daneille", 1),
            ("daniele", 1),
            ("daniellle", 1),
            ("danyelle", 1),
            ("alverez", 3),
            ("pryia", 6),
        ] {
            assert_eq!(names().find(written, false), Some(id), "{written}");
        }
        for written in ["doberto", "danila", "mkie", "rob", "prunyo", "danyell"] {
            assert_eq!(names().find(written, false), None, "{written}");
        }
        assert_eq!(names().find("martinna", false), Some(5));
        assert_eq!(
            names().find("marxina", false),
            None,
            "marina and martina are as near"
        );
    }

    #[test]
    fn spelling_of_the_same_sound_is_accepted_for_short_names() {
        let mut names = Misspellings::default();
        for (name, id) in [
            ("will", 1),
            ("tomasz", 2),
            ("dani", 3),
            ("eric", 4),
            ("john", 5),
        ] {
            names.add(name, id, id == 3);
        }
        let found = ["wil", "thomas", "danni", "erik", "jon"].map(|name| names.find(name, false));
        assert_eq!(found, [1, 2, 3, 4, 5].map(Some));
        let found = ["wall", "dana", "kurt", "chon"].map(|name| names.find(name, false));
        assert_eq!(found, [None; 4]);
    }
}
