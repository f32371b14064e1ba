//! The syntax of patterns: the texts that a phrase in a trade's file matches.
//!
//! | written | matches |
//! |---|---|
//! | `on time` | these words, one after the other |
//! | `early\|late` | one of these |
//! | `show~` | any form: show, shows, showed, showing |
//! | `@firm` | one of a list of words |
//! | `<number>` `<money>` `<name>` | a number, a sum, a capitalised word that is none of ours |
//! | `right?` | the word or nothing |
//! | `(as promised\|on time)?` | one of several sequences, and with `?` or nothing |
//! | `..` `..5` | up to three (five) other words, across no mark |
//! | `^` | where a sentence begins |

use std::collections::BTreeMap;
use std::sync::Arc;

/// A step of one way to match a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PatternStep {
    /// One word with this symbol: a literal, `base~`, `@list` or `<class>`, or several of them joined by `|`.
    Symbol(Arc<str>),
    /// A gap of at most this many words.
    Gap(u8),
}

impl PatternStep {
    /// `None` for a gap.
    pub fn symbol(&self) -> Option<&str> {
        match self {
            Self::Symbol(symbol) => Some(symbol),
            Self::Gap(_) => None,
        }
    }
}

/// Maximum number of words in the gap `..`.
const GAP: u8 = 3;
/// Maximum number of words in any gap.
const GAP_MAX: u8 = 9;
/// Maximum number of ways to match one pattern.
const WAYS_MAX: usize = 4096;
/// Maximum number of steps of one way; with its gaps it covers at most 64 words.
const STEPS_MAX: usize = 16;
/// Maximum number of groups and lists within one another.
const LEVELS_MAX: usize = 32;
/// The classes of words in the phrases of a trade.
pub const CLASSES: [&str; 3] = ["<number>", "<money>", "<name>"];

/// Parses a pattern into its name and all ways to match it. The name consists of its words, with the first of several
/// alternatives and without optional parts. `lists` contains the lists by name; the entries of a list with several words
/// become alternatives. `classes` are those in angle brackets.
///
/// # Errors
/// The error in the pattern.
pub fn parse(
    text: &str,
    lists: &BTreeMap<String, Vec<String>>,
    classes: &[&str],
) -> Result<(String, Vec<Vec<PatternStep>>), String> {
    let mut parser = Parser {
        rest: text,
        level: 0,
        lists,
        classes,
    };
    let PatternPart { name, ways } = parser.sequence(false)?;
    if !parser.rest.is_empty() {
        return Err(format!("`{text}` has an extra `{}`", &parser.rest[..1]));
    }
    let mut ways = ways.ok_or_else(|| {
        format!("`{text}` can match in more than {WAYS_MAX} ways: say it in several patterns")
    })?;
    // A gap at the end of a pattern is left out.
    for way in &mut ways {
        while matches!(way.last(), Some(PatternStep::Gap(_))) {
            way.pop();
        }
    }
    if ways.iter().any(Vec::is_empty) {
        return Err(format!(
            "`{text}` can match without a single word (0 steps)"
        ));
    }
    if ways.iter().any(|way| way.len() > STEPS_MAX) {
        return Err(format!("`{text}` has more than {STEPS_MAX} parts"));
    }
    if (ways.iter()).any(|way| matches!(way.first(), Some(PatternStep::Gap(_)))) {
        return Err(format!("`{text}` begins with a gap"));
    }
    Ok((name, ways))
}

/// A pattern, or a part of one.
struct PatternPart {
    name: String,
    /// `None` if there are more than [`WAYS_MAX`].
    ways: Option<Vec<Vec<PatternStep>>>,
}

impl PatternPart {
    /// The part that matches in one way.
    fn of(name: &str, way: Vec<PatternStep>) -> Self {
        Self {
            name: name.to_owned(),
            ways: Some(vec![way]),
        }
    }

    /// One of several parts, or with `is_optional` none of them.
    fn either(mut choices: Vec<Self>, is_optional: bool) -> Self {
        if is_optional {
            choices.insert(0, Self::of("", Vec::new()));
        } else if choices.len() == 1 {
            return choices.remove(0);
        }
        let name = choices.first().map(|choice| choice.name.clone());
        let ways: Option<Vec<_>> = choices.into_iter().map(|choice| choice.ways).collect();
        Self {
            name: name.unwrap_or_default(),
            ways: ways.map(|ways| join(ways.into_iter().flatten())),
        }
    }

    /// Adds a part after this one.
    fn push(&mut self, next: Self) {
        if !self.name.is_empty() && !next.name.is_empty() {
            self.name.push('_');
        }
        self.name.push_str(&next.name);
        let both = self
            .ways
            .take()
            .zip(next.ways)
            .filter(|(own, added)| own.len() * added.len() <= WAYS_MAX);
        self.ways = both.map(|(own, added)| {
            let mut ways = Vec::with_capacity(own.len() * added.len());
            for way in &own {
                ways.extend(added.iter().map(|part| [way.as_slice(), part].concat()));
            }
            ways
        });
    }
}

/// Joins alternatives of one word each into one set, so that they are a single way.
fn join(parts: impl Iterator<Item = Vec<PatternStep>>) -> Vec<Vec<PatternStep>> {
    let (mut joined, mut words) = (Vec::new(), Vec::new());
    for part in parts {
        match part.as_slice() {
            [PatternStep::Symbol(word)] if word.as_ref() != "^" => words.push(word.clone()),
            _ => joined.push(part),
        }
    }
    words.sort();
    words.dedup();
    if !words.is_empty() {
        joined.push(vec![PatternStep::Symbol(words.join("|").into())]);
    }
    joined
}

struct Parser<'text> {
    rest: &'text str,
    /// Number of groups and lists around `rest`.
    level: usize,
    lists: &'text BTreeMap<String, Vec<String>>,
    classes: &'text [&'text str],
}

impl Parser<'_> {
    /// The level of a group or list within this one.
    fn next_level(&self) -> Result<usize, String> {
        if self.level == LEVELS_MAX {
            return Err(format!(
                "groups and lists are more than {LEVELS_MAX} deep; does a list contain itself?"
            ));
        }
        Ok(self.level + 1)
    }

    /// The parts up to the end, a `|` between sequences of a group, or a `)`.
    fn sequence(&mut self, is_in_group: bool) -> Result<PatternPart, String> {
        let mut sequence = PatternPart::of("", Vec::new());
        loop {
            self.rest = self.rest.trim_start();
            sequence.push(match self.rest.chars().next() {
                None | Some(')' | '|') => return Ok(sequence),
                Some('(') => self.group()?,
                Some(_) => self.choice(is_in_group)?,
            });
        }
    }

    /// A group from its `(` on, optional with a `?` after it: `(one way|another)?`
    fn group(&mut self) -> Result<PatternPart, String> {
        self.rest = &self.rest[1..];
        self.level = self.next_level()?;
        let mut choices = vec![self.sequence(true)?];
        while let Some(rest) = self.rest.strip_prefix('|') {
            self.rest = rest;
            choices.push(self.sequence(true)?);
        }
        self.rest = self.rest.strip_prefix(')').ok_or("a `(` is never closed")?;
        self.level -= 1;
        let optional = self.rest.strip_prefix('?');
        self.rest = optional.unwrap_or(self.rest);
        Ok(PatternPart::either(choices, optional.is_some()))
    }

    /// `early|late?`, one word of each, or a gap
    fn choice(&mut self, is_in_group: bool) -> Result<PatternPart, String> {
        // In a group `|` separates sequences; outside of it, `|` separates words.
        let ends = |c: char| c.is_whitespace() || c == '(' || c == ')' || c == '|' && is_in_group;
        let len = self.rest.find(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(len);
        self.rest = rest;
        if let Some(words) = word.strip_prefix("..") {
            let words = match words {
                "" => GAP,
                words => (words.parse())
                    .map_err(|_| format!("`{word}` is not a gap: write `..` or `..5`"))?,
            };
            return if words <= GAP_MAX {
                Ok(PatternPart::of("", vec![PatternStep::Gap(words)]))
            } else {
                Err(format!("a gap may skip at most {GAP_MAX} words"))
            };
        }
        let (word, is_optional) = word
            .strip_suffix('?')
            .map_or((word, false), |word| (word, true));
        let mut choices = Vec::new();
        for one in word.split('|') {
            choices.extend(self.symbol(one)?);
        }
        Ok(PatternPart::either(choices, is_optional))
    }

    /// The alternatives of one name: a single symbol, or the entries of a list with several words.
    fn symbol(&self, word: &str) -> Result<Vec<PatternPart>, String> {
        let single = |word: &str| {
            let name = word.trim_matches(['~', '@', '<', '>', '^']);
            let symbol = PatternStep::Symbol(word.into());
            Ok(vec![PatternPart::of(name, vec![symbol])])
        };
        if word.is_empty() {
            return Err("an alternative is empty".to_owned());
        }
        if let Some(name) = word.strip_prefix('@') {
            let list = self
                .lists
                .get(name)
                .ok_or_else(|| format!("unknown list `{name}`"))?;
            if list
                .iter()
                .all(|entry| !entry.contains([' ', '(', '|', '?', '@']))
            {
                return single(word);
            }
            let level = self.next_level()?;
            let sequence = |rest: &String| {
                Parser {
                    rest,
                    level,
                    ..*self
                }
                .sequence(false)
            };
            return list.iter().map(sequence).collect();
        }
        if word.starts_with('<') {
            return if self.classes.contains(&word) {
                single(word)
            } else {
                Err(format!(
                    "unknown class `{word}`: {}",
                    self.classes.join(" ")
                ))
            };
        }
        let plain = word.strip_suffix('~').unwrap_or(word);
        if word == "^" {
            return single(word);
        }
        let is_word = plain
            .chars()
            .all(|c| c.is_alphanumeric() && !c.is_uppercase() || c == '\'')
            || plain.chars().count() == 1;
        if is_word {
            single(word)
        } else {
            Err(format!(
                "`{word}` is not a word: use lower case and no hyphen (write two words)"
            ))
        }
    }
}
