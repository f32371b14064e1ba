//! The forms of a person's name: full, short, alias, surname, and without accents.

use std::collections::{BTreeMap, HashSet};

use strsim::osa_distance;

use crate::insights::text::{Capitalisation, Fingerprint, TokenizedText, WordMap, plain_letters};

/// The form in which a name is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// First name and surname, or an alias of several words.
    Full,
    /// The first name, or an alias of one word.
    Given,
    /// A short or long form, or another spelling, of the first name.
    Nickname,
    /// The surname only.
    Surname,
}

/// The words of a name, without marks, titles (`Dr.` is no first name), degrees and generation suffixes.
pub fn parts(name: &str) -> Vec<String> {
    let is_title = |word: &&str| {
        matches!(
            *word,
            "dr" | "doctor" | "prof" | "professor" | "mr" | "mrs" | "ms" | "miss" | "sir"
        )
    };
    let is_suffix = |word: &&str| {
        matches!(
            *word,
            "jr" | "sr" | "ii" | "iii" | "md" | "dds" | "dmd" | "dvm" | "rn" | "np" | "phd"
        )
    };
    let text = TokenizedText::new(name);
    let parts = words(&text).skip_while(is_title);
    parts
        .filter(|word| !is_suffix(word))
        .map(str::to_owned)
        .collect()
}

/// The words and numbers of a text, without marks.
pub fn words(text: &TokenizedText) -> impl Iterator<Item = &str> {
    (0..text.tokens().len())
        .filter(|token| text.tokens()[*token].shape != Capitalisation::Mark)
        .map(|token| text.word(token))
}

pub fn forms(
    name: &[String],
    aliases: &[String],
    nicknames: &Nicknames,
) -> Vec<(Vec<String>, How)> {
    let Some((first, rest)) = name.split_first() else {
        return Vec::new();
    };
    let how = if rest.is_empty() {
        How::Given
    } else {
        How::Full
    };
    let mut forms = vec![(name.to_vec(), how)];
    let mut firsts = vec![(first.clone(), How::Given)];
    let plain = without_accents(first);
    if plain != *first {
        firsts.push((plain, How::Given));
    }
    let surnames: Vec<&String> = rest.iter().rev().take(2).collect();
    for alias in aliases.iter().map(|alias| parts(alias)) {
        match alias.as_slice() {
            [] => {}
            [one] => {
                firsts.push((one.clone(), How::Given));
                let spellings = nicknames.spellings(one).iter();
                firsts.extend(spellings.map(|other| ((*other).to_owned(), How::Nickname)));
            }
            [one, .., last] if surnames.contains(&last) => firsts.push((one.clone(), How::Given)),
            _ => forms.push((alias, How::Full)),
        }
    }
    for other in nicknames
        .forms(first)
        .iter()
        .chain(nicknames.spellings(first))
    {
        if firsts.iter().all(|(known, _)| known != other) {
            firsts.push(((*other).to_owned(), How::Nickname));
        }
    }
    for (first, how) in firsts {
        for surname in &surnames {
            forms.push((vec![first.clone(), (*surname).clone()], How::Full));
        }
        forms.push((vec![first], how));
    }
    forms.extend(
        rest.last()
            .map(|surname| (vec![surname.clone()], How::Surname)),
    );
    forms
}

pub fn without_accents(word: &str) -> String {
    plain_letters(word.chars()).collect()
}

// Equivalent first names: short forms and spellings, read from two tables.

pub const SHORT: &str = include_str!("nicknames.txt");
pub const SPELLINGS: &str = include_str!("spellings.txt");

/// Both tables of first names, by name.
#[derive(Debug)]
pub struct Nicknames {
    forms: BTreeMap<&'static str, Vec<&'static str>>,
    spellings: BTreeMap<&'static str, Vec<&'static str>>,
}

impl Nicknames {
    /// Reads the built-in tables, `nicknames.txt` and `spellings.txt`.
    pub fn new() -> Self {
        let mut forms: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (full, short) in rows(SHORT).filter_map(|row| row.split_once(": ")) {
            for short in short.split_whitespace() {
                forms.entry(full).or_default().push(short);
                forms.entry(short).or_default().push(full);
            }
        }
        let mut spellings: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for row in rows(SPELLINGS) {
            for name in row.split_whitespace() {
                spellings
                    .entry(name)
                    .or_default()
                    .extend(row.split_whitespace().filter(|other| *other != name));
            }
        }
        Self { forms, spellings }
    }

    /// The short forms of a full first name, and the full forms of a short one, but not other short forms of the same
    /// name.
    pub fn forms(&self, name: &str) -> &[&'static str] {
        self.forms.get(name).map_or(&[], Vec::as_slice)
    }

    pub fn spellings(&self, name: &str) -> &[&'static str] {
        self.spellings.get(name).map_or(&[], Vec::as_slice)
    }

    /// Every first name of the tables.
    pub fn all(&self) -> impl Iterator<Item = &'static str> {
        self.forms.keys().copied()
    }
}

fn rows(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|row| !row.starts_with('#'))
}

// Misspelled names: one letter added, missing, wrong, or swapped with its neighbour; in long names, two such errors.
// Each name is indexed by its forms without one or two letters, so that a word is compared only with a few names.

/// Minimum length of a name; shorter names are too similar to other names.
const LETTERS_MIN: usize = 5;
/// Minimum length of a name in which two errors are accepted anywhere. In shorter names, two errors must be between the
/// first two letters and the last one.
const LETTERS_MIN_FOR_TWO: usize = 7;
/// Maximum length of a name; longer words are not compared with names.
const LETTERS_MAX: usize = 16;
/// Maximum number of errors.
const SLIPS_MAX: usize = 2;

/// Names by their forms with deleted letters.
#[derive(Debug, Clone, Default)]
pub struct Misspellings {
    names: Vec<(String, u32)>,
    known: HashSet<String>,
    /// First letters of all names.
    firsts: HashSet<char>,
    deletions: WordMap<Vec<u32>>,
}

impl Misspellings {
    /// Adds `word`, so that its misspellings are found.
    pub fn add(&mut self, word: &str, id: u32) {
        let letters: Vec<char> = word.chars().collect();
        if !(LETTERS_MIN..=LETTERS_MAX).contains(&letters.len())
            || !self.known.insert(word.to_owned())
        {
            return;
        }
        self.firsts.insert(letters[0]);
        let index = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        each_key(&letters, true, |key| {
            let names = self.deletions.entry(key).or_default();
            // The keys of the same name are consecutive.
            if names.last() != Some(&index) {
                names.push(index);
            }
        });
        self.names.push((word.to_owned(), id));
    }

    /// The id of the most similar name of which `word` is a misspelling, and whether that is uncertain because of two
    /// errors or few letters; `None` if there are several such names.
    pub fn find(&self, word: &str) -> Option<(u32, bool)> {
        let first = word.chars().next()?;
        if word.len() + 1 < LETTERS_MIN || !self.firsts.contains(&first) {
            return None;
        }
        let letters: Vec<char> = word.chars().take(LETTERS_MAX + SLIPS_MAX + 1).collect();
        if letters.len() > LETTERS_MAX + SLIPS_MAX {
            return None;
        }
        let mut best: Option<(usize, u32)> = None;
        let mut is_tied = false;
        each_key(&letters, letters.len() >= LETTERS_MIN, |key| {
            for index in self.deletions.get(&key).into_iter().flatten() {
                let (name, id) = &self.names[*index as usize];
                let slips = osa_distance(word, name);
                let is_framed = name.chars().take(2).eq(word.chars().take(2))
                    && name.chars().last() == word.chars().last()
                    && letters.len() > LETTERS_MIN;
                let may_be_two = is_framed || name.chars().count() >= LETTERS_MIN_FOR_TWO;
                let is_near = name.starts_with(first) && (slips <= 1 || slips == 2 && may_be_two);
                match best {
                    _ if !is_near => {}
                    Some((least, known)) if slips == least => is_tied |= known != *id,
                    Some((least, _)) if slips > least => {}
                    Some(_) | None => (best, is_tied) = (Some((slips, *id)), false),
                }
            }
        });
        let (slips, id) = best.filter(|_| !is_tied)?;
        Some((id, slips > 1 || letters.len() < LETTERS_MIN))
    }
}

/// The fingerprints of the word, of the word without each letter, and, with `without_two`, without any two letters.
fn each_key(letters: &[char], without_two: bool, mut visit: impl FnMut(u64)) {
    let key = |one: usize, other: usize| {
        let kept = letters
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != one && *at != other);
        kept.fold(0_u64, |key, (_, letter)| {
            Fingerprint::mix(key, u64::from(u32::from(*letter)))
        })
    };
    let none = letters.len();
    visit(key(none, none));
    for one in 0..letters.len() {
        visit(key(one, none));
        if without_two {
            (one + 1..letters.len()).for_each(|other| visit(key(one, other)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::without_accents;

    #[test]
    fn accents_are_removed_from_names() {
        assert_eq!(
            ["josé", "zoë", "łukasz", "søren", "ðan"].map(without_accents),
            ["jose", "zoe", "lukasz", "soren", "ðan"]
        );
    }
}

#[cfg(test)]
mod nicknames_tests {
    use super::*;

    #[test]
    fn short_forms_match_the_full_name_but_not_each_other() {
        let names = Nicknames::new();
        let of = |name: &str| names.forms(name);
        assert!(of("michael").contains(&"mike") && of("mike").contains(&"michael"));
        assert!(of("william").contains(&"bill") && of("will").contains(&"william"));
        assert!(!of("bob").contains(&"rob"));
        assert_eq!(names.spellings("brian"), ["bryan", "bryon"]);
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
            names.add(name, id);
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
            assert_eq!(names().find(written), Some((id, false)), "{written}");
        }
        for written in ["doberto", "danila", "mkie", "rob", "prunyo"] {
            assert_eq!(names().find(written), None, "{written}");
        }
        assert_eq!(names().find("martinna").map(|(id, _)| id), Some(5));
        assert_eq!(
            names().find("marxina"),
            None,
            "marina and martina are as near"
        );
    }

    #[test]
    fn two_typos_or_one_in_a_short_name_give_an_uncertain_match() {
        for (written, id) in [("danyell", 1), ("alvares", 3), ("alveres", 3), ("pria", 6)] {
            let is_far = written != "alvares";
            assert_eq!(names().find(written), Some((id, is_far)), "{written}");
        }
    }
}
