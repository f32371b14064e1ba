//! The forms of a person's name: full, short, alias, surname, and without accents.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use strsim::osa_distance;

use crate::insights::text::{Capitalisation, TokenizedText, plain_letters};

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

const TITLES: &str = "dr doctor prof professor mr mrs ms miss sir";
/// Degrees, and suffixes of generations.
const SUFFIXES: &str = "jr sr ii iii md dds dmd dvm rn np phd";

/// The words of a name, without marks, [`TITLES`] (`Dr.` is no first name) and [`SUFFIXES`].
pub fn parts(name: &str) -> Vec<String> {
    let is_among = |list: &str, word: &str| list.split(' ').any(|one| one == word);
    let text = TokenizedText::new(name);
    words(&text)
        .skip_while(|word| is_among(TITLES, word))
        .filter(|word| !is_among(SUFFIXES, word))
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

// Misspelled names: one letter added, missing, wrong, or swapped with its neighbour. The first letter is right.

/// Lengths of the names that are compared; shorter ones are too similar to other names, and longer ones hardly exist.
const LETTERS: RangeInclusive<usize> = 5..=16;

/// Names with their numbers, by the first letter.
#[derive(Debug, Clone, Default)]
pub struct Misspellings(BTreeMap<char, BTreeMap<String, u32>>);

impl Misspellings {
    /// Adds `word`, so that its misspellings are found.
    pub fn add(&mut self, word: &str, id: u32) {
        let is_compared = LETTERS.contains(&word.chars().count());
        if let Some(first) = word.chars().next().filter(|_| is_compared) {
            let names = self.0.entry(first).or_default();
            names.entry(word.to_owned()).or_insert(id);
        }
    }

    /// The id of the name of which `word` is a misspelling; `None` if there are several.
    pub fn find(&self, word: &str) -> Option<u32> {
        let names = self.0.get(&word.chars().next()?)?;
        if !LETTERS.contains(&word.chars().count()) {
            return None;
        }
        let is_near = |(name, _): &(&String, &u32)| {
            name.len().abs_diff(word.len()) <= 2 && osa_distance(word, name) <= 1
        };
        let mut near = names.iter().filter(is_near).map(|(_, id)| *id);
        let id = near.next()?;
        near.all(|other| other == id).then_some(id)
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
            assert_eq!(names().find(written), Some(id), "{written}");
        }
        for written in ["doberto", "danila", "mkie", "rob", "prunyo", "danyell"] {
            assert_eq!(names().find(written), None, "{written}");
        }
        assert_eq!(names().find("martinna"), Some(5));
        assert_eq!(
            names().find("marxina"),
            None,
            "marina and martina are as near"
        );
    }
}
