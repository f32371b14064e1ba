//! Which first names stand for one another: short forms and spellings, read from two tables.

use std::collections::BTreeMap;

const SHORT: &str = include_str!("nicknames.txt");
const SPELLINGS: &str = include_str!("spellings.txt");

/// Both tables, by name.
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

    /// The short forms of a full first name, and the full forms of a short one; not the short
    /// forms' other short forms.
    pub fn forms(&self, name: &str) -> &[&'static str] {
        self.forms.get(name).map_or(&[], Vec::as_slice)
    }

    /// The other spellings of a first name.
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

/// What the outcome depends on beside the firm.
pub fn tables() -> [&'static str; 2] {
    [SHORT, SPELLINGS]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_and_full_forms_stand_for_one_another_but_not_short_forms_for_each_other() {
        let names = Nicknames::new();
        let of = |name: &str| names.forms(name);
        assert!(of("michael").contains(&"mike") && of("mike").contains(&"michael"));
        assert!(of("william").contains(&"bill") && of("will").contains(&"william"));
        assert!(!of("bob").contains(&"rob"));
        assert_eq!(names.spellings("brian"), ["bryan", "bryon"]);
    }
}
