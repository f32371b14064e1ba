//! The syntax of patterns: the texts that a phrase in a trade's file matches.
//!
//! | written | matches |
//! |---|---|
//! | `on time` | these words, one after the other |
//! | `early\|late` | one of these |
//! | `show~` | any form: show, shows, showed, showing |
//! | `@firm` | one of a list of words |
//! | `<number>` `<money>` `<time>` `<name>` | a number, a sum, a time of day, a capitalised word that is none of ours |
//! | `right?` | the word or nothing |
//! | `(as promised\|on time)?` | one of several sequences, and with `?` or nothing |
//! | `..` `..5` | up to three (five) other words, across no mark |
//! | `^` | where a sentence begins |

use std::collections::BTreeMap;

/// A part of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternItem {
    /// One word: a literal, `base~`, `@list` or `<class>`.
    Symbol(String),
    /// A gap of at most this many words.
    Gap(u8),
    /// One of several sequences; an empty one makes the others optional.
    Either(Vec<Vec<Self>>),
}

/// A step of one way to match a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PatternStep {
    /// One word with this symbol: like an item's, but several may be joined by `|`.
    Symbol(String),
    /// A gap of at most this many words.
    Gap(u8),
}

impl PatternStep {
    /// `None` for a gap.
    #[must_use]
    pub const fn symbol(&self) -> Option<&str> {
        match self {
            Self::Symbol(symbol) => Some(symbol.as_str()),
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
const CLASSES: [&str; 4] = ["<number>", "<money>", "<time>", "<name>"];

/// Parses a pattern into all ways to match it; `groups` contains the lists whose entries have several words, which
/// become alternatives.
///
/// # Errors
/// The error in the pattern.
pub fn parse(
    text: &str,
    lists: &BTreeMap<String, Vec<String>>,
) -> Result<(Vec<PatternItem>, Vec<Vec<PatternStep>>), String> {
    let mut parser = Parser {
        rest: text,
        depth: 0,
        lists,
    };
    let items = parser.sequence()?;
    if !parser.rest.is_empty() {
        return Err(format!("`{text}` has an extra `{}`", &parser.rest[..1]));
    }
    let ways = expand(&items).ok_or_else(|| {
        format!("`{text}` can match in more than {WAYS_MAX} ways: say it in several patterns")
    })?;
    if let Some(way) = ways
        .iter()
        .find(|way| way.iter().all(|step| matches!(step, PatternStep::Gap(_))))
    {
        return Err(format!(
            "`{text}` can match without a single word ({} steps)",
            way.len()
        ));
    }
    if ways.iter().any(|way| way.len() > STEPS_MAX) {
        return Err(format!("`{text}` has more than {STEPS_MAX} parts"));
    }
    if ways
        .iter()
        .any(|way| matches!(way.first(), Some(PatternStep::Gap(_))))
    {
        return Err(format!("`{text}` begins with a gap"));
    }
    Ok((items, ways))
}

/// All ways to match a pattern; `None` if there are too many. A gap at the end of a pattern is left out.
fn expand(items: &[PatternItem]) -> Option<Vec<Vec<PatternStep>>> {
    let mut ways = product(items)?;
    for way in &mut ways {
        while matches!(way.last(), Some(PatternStep::Gap(_))) {
            way.pop();
        }
    }
    Some(ways)
}

fn product(items: &[PatternItem]) -> Option<Vec<Vec<PatternStep>>> {
    let mut ways = vec![Vec::new()];
    for item in items {
        let parts: Vec<Vec<PatternStep>> = match item {
            PatternItem::Symbol(symbol) => vec![vec![PatternStep::Symbol(symbol.clone())]],
            PatternItem::Gap(words) => vec![vec![PatternStep::Gap(*words)]],
            PatternItem::Either(choices) => {
                let mut parts = Vec::new();
                for choice in choices {
                    parts.extend(product(choice)?);
                }
                join(parts)
            }
        };
        if ways.len() * parts.len() > WAYS_MAX {
            return None;
        }
        ways = ways
            .iter()
            .flat_map(|way| {
                parts
                    .iter()
                    .map(move |part| [way.as_slice(), part].concat())
            })
            .collect();
    }
    Some(ways)
}

/// Joins alternatives of one word each into one set, so that they are a single way.
fn join(parts: Vec<Vec<PatternStep>>) -> Vec<Vec<PatternStep>> {
    let (mut joined, mut words) = (Vec::new(), Vec::new());
    for part in parts {
        match part.as_slice() {
            [PatternStep::Symbol(word)] if word != "^" => words.push(word.clone()),
            _ => joined.push(part),
        }
    }
    words.sort();
    words.dedup();
    if !words.is_empty() {
        joined.push(vec![PatternStep::Symbol(words.join("|"))]);
    }
    joined
}

struct Parser<'text> {
    rest: &'text str,
    /// Nesting depth of groups.
    depth: usize,
    lists: &'text BTreeMap<String, Vec<String>>,
}

impl Parser<'_> {
    /// The items up to the end, a `|` between sequences of a group, or a `)`.
    fn sequence(&mut self) -> Result<Vec<PatternItem>, String> {
        let mut items = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            let Some(first) = self.rest.chars().next() else {
                break;
            };
            match first {
                ')' | '|' => break,
                '(' => items.push(self.group()?),
                _ => items.push(self.choice()?),
            }
        }
        Ok(items)
    }

    /// A group from its `(` on, optional with a `?` after it: `(one way|another)?`
    fn group(&mut self) -> Result<PatternItem, String> {
        self.rest = &self.rest[1..];
        self.depth += 1;
        let mut choices = vec![self.sequence()?];
        while let Some(rest) = self.rest.strip_prefix('|') {
            self.rest = rest;
            choices.push(self.sequence()?);
        }
        self.rest = self.rest.strip_prefix(')').ok_or("a `(` is never closed")?;
        self.depth -= 1;
        Ok(self.optional(choices))
    }

    /// `early|late?`, one word of each, or a gap
    fn choice(&mut self) -> Result<PatternItem, String> {
        // In a group `|` separates sequences; outside of it, `|` separates words.
        let ends =
            |c: char| c.is_whitespace() || c == '(' || c == ')' || c == '|' && self.depth > 0;
        let len = self.rest.find(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(len);
        self.rest = rest;
        if let Some(words) = word.strip_prefix("..") {
            let words = if words.is_empty() {
                GAP
            } else {
                words
                    .parse()
                    .map_err(|_| format!("`{word}` is not a gap: write `..` or `..5`"))?
            };
            return if words <= GAP_MAX {
                Ok(PatternItem::Gap(words))
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
        Ok(if is_optional {
            choices.insert(0, Vec::new());
            PatternItem::Either(choices)
        } else {
            match <[_; 1]>::try_from(choices) {
                Ok([one]) if one.len() == 1 => one.into_iter().next().ok_or("an empty word")?,
                Ok([one]) => PatternItem::Either(vec![one]),
                Err(choices) => PatternItem::Either(choices),
            }
        })
    }

    /// The sequences of one name: a single symbol, or the entries of a list with several words.
    fn symbol(&self, word: &str) -> Result<Vec<Vec<PatternItem>>, String> {
        let single = |word: &str| Ok(vec![vec![PatternItem::Symbol(word.to_owned())]]);
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
            return list
                .iter()
                .map(|entry| {
                    Parser {
                        rest: entry,
                        depth: 0,
                        lists: self.lists,
                    }
                    .sequence()
                })
                .collect();
        }
        if word.starts_with('<') {
            return if CLASSES.contains(&word) {
                single(word)
            } else {
                Err(format!("unknown class `{word}`: {}", CLASSES.join(" ")))
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

    fn optional(&mut self, mut choices: Vec<Vec<PatternItem>>) -> PatternItem {
        if let Some(rest) = self.rest.strip_prefix('?') {
            self.rest = rest;
            choices.insert(0, Vec::new());
        }
        PatternItem::Either(choices)
    }
}
