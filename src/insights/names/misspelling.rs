//! Names with one slip of the pen: a letter too many, missing, wrong, or swapped with its neighbour. Every name is indexed under
//! itself and under itself without each of its letters, so that a word is compared with the few names that it may be.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::words::Fnv;

/// Shorter names have too many neighbours that are names of others.
const LETTERS_MIN: usize = 5;

/// Names by their deletions.
#[derive(Debug, Clone, Default)]
pub struct Misspellings {
    names: Vec<(Vec<char>, u16)>,
    deletions: HashMap<u64, Vec<u32>, BuildHasherDefault<Fnv>>,
}

impl Misspellings {
    /// Takes near spellings of `word` for it, from now on.
    pub fn add(&mut self, word: &str, id: u16) {
        let letters: Vec<char> = word.chars().collect();
        if letters.len() < LETTERS_MIN || self.names.iter().any(|(known, _)| *known == letters) {
            return;
        }
        let index = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        for key in keys(&letters) {
            let names = self.deletions.entry(key).or_default();
            if !names.contains(&index) {
                names.push(index);
            }
        }
        self.names.push((letters, id));
    }

    /// The one name that `word` is a misspelling of.
    pub fn find(&self, word: &str) -> Option<u16> {
        if self.names.is_empty() || word.len() < LETTERS_MIN {
            return None;
        }
        let letters: Vec<char> = word.chars().collect();
        if letters.len() < LETTERS_MIN {
            return None;
        }
        let mut found = None;
        for key in keys(&letters) {
            for index in self.deletions.get(&key).into_iter().flatten() {
                let (name, id) = &self.names[*index as usize];
                if is_one_slip(&letters, name) {
                    if found.is_some_and(|found| found != *id) {
                        return None;
                    }
                    found = Some(*id);
                }
            }
        }
        found
    }
}

/// Hashes of the word and of the word without each letter.
fn keys(letters: &[char]) -> impl Iterator<Item = u64> {
    (0..=letters.len()).map(|left_out| {
        let mut hasher = Fnv::default();
        for (at, letter) in letters.iter().enumerate() {
            if at != left_out {
                hasher.write(&u32::from(*letter).to_le_bytes());
            }
        }
        hasher.finish()
    })
}

/// Whether one insertion, deletion, substitution or swap makes one of the other, and the first letter stays.
fn is_one_slip(one: &[char], other: &[char]) -> bool {
    if one.first() != other.first() || one.len().abs_diff(other.len()) > 1 {
        return false;
    }
    let same = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (one, other) = (&one[same..], &other[same..]);
    let same = one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count();
    match (&one[..one.len() - same], &other[..other.len() - same]) {
        ([_], [] | [_]) | ([], [_]) => true,
        ([a, b], [c, d]) => a == d && b == c,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_slip_is_forgiven_where_one_name_alone_is_meant() {
        let mut names = Misspellings::default();
        for (name, id) in [("danielle", 1), ("roberto", 2), ("alvarez", 3), ("marina", 4), ("martina", 5), ("priya", 6)] {
            names.add(name, id);
        }
        for (written, id) in [("daneille", 1), ("daniele", 1), ("daniellle", 1), ("danyelle", 1), ("alverez", 3), ("pryia", 6)] {
            assert_eq!(names.find(written), Some(id), "{written}");
        }
        for written in ["martna", "doberto", "danila", "pria", "rob", "danielle's"] {
            assert_eq!(names.find(written), (written == "martna").then_some(5), "{written}");
        }
        assert_eq!(names.find("marxina"), None, "marina and martina are as near");
    }
}
