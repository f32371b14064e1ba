//! The patterns of phrases: their notation, and the matcher that finds all of them in a sentence at once.
//!
//! | written | matches |
//! |---|---|
//! | `on time` | these words, one after the other |
//! | `early|late` | one of these |
//! | `show~` | any form: show, shows, showed, showing |
//! | `@firm` | one of a list of words |
//! | `<number>` `<money>` `<name>` | a number, a sum, a capitalised word that is none of ours |
//! | `<gerund>` | a word that ends with `ing` |
//! | `right?` | the word or nothing |
//! | `(as promised|on time)?` | one of several sequences, and with `?` or nothing |
//! | `..` `..5` | up to three (five) other words, across no mark |
//! | `^` | where a sentence begins |

use std::collections::BTreeMap;
use std::ops::Range;

use super::text::{Capitalisation, TokenizedText};
use super::words::{Fingerprint, LanguageWords, WordMap};

/// Words by the name of a list, or irregular forms by their base form.
pub type Lists = BTreeMap<String, Vec<String>>;

/// The number of a word, list or class in patterns, or of several joined by `|`.
type Symbol = usize;

/// A step of one way to match a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum PatternStep {
    /// A gap of at most this many words.
    Gap(u8),
    /// One word with this symbol.
    Symbol(Symbol),
}

/// Maximum number of words in the gap `..`.
const GAP: u8 = 3;

/// All ways to match a part of a pattern.
type PatternWays = Vec<Vec<PatternStep>>;

/// The symbols of patterns: a literal, `base~`, `@list` or `<class>`, or several of them joined by `|`.
#[derive(Debug, Clone, Default)]
struct Symbols {
    names: Vec<String>,
    numbers: WordMap<Symbol>,
}

impl Symbols {
    fn number(&mut self, name: &str) -> Symbol {
        let number = self.numbers.entry(Fingerprint::of(name));
        *number.or_insert_with(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// The alternatives, of which those of one word each are a single way; and if it is optional, the empty one.
    fn join(&mut self, parts: PatternWays, is_optional: bool) -> PatternWays {
        if parts.len() == 1 && !is_optional {
            return parts;
        }
        let (mut joined, mut words) = (Vec::new(), Vec::new());
        for part in parts {
            match part.as_slice() {
                [PatternStep::Symbol(word)] if self.names[*word] != "^" => words.push(*word),
                _ => joined.push(part),
            }
        }
        if !words.is_empty() {
            let mut words: Vec<&str> = words.iter().map(|word| &*self.names[*word]).collect();
            words.sort_unstable();
            words.dedup();
            let name = words.join("|");
            joined.push(vec![PatternStep::Symbol(self.number(&name))]);
        }
        if is_optional {
            joined.push(Vec::new());
        }
        joined
    }
}

struct Parser<'text> {
    rest: &'text str,
    lists: &'text Lists,
    symbols: &'text mut Symbols,
}

impl Parser<'_> {
    /// The ways of each part up to the end, a `|` between sequences of a group, or a `)`.
    fn parts(&mut self, is_in_group: bool) -> Result<Vec<PatternWays>, &'static str> {
        let mut parts = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            parts.push(match self.rest.chars().next() {
                None | Some(')' | '|') => return Ok(parts),
                Some('(') => self.group()?,
                Some(_) => self.choice(is_in_group)?,
            });
        }
    }

    fn sequence(&mut self, is_in_group: bool) -> Result<PatternWays, &'static str> {
        let mut parts = self.parts(is_in_group)?;
        if parts.len() == 1 {
            return Ok(parts.remove(0));
        }
        let ways = parts.iter().fold(vec![Vec::new()], |ways, next| {
            let longer = ways.iter().flat_map(|way| {
                let parts = next.iter();
                parts.map(|part| [way.as_slice(), part].concat())
            });
            longer.collect()
        });
        Ok(ways)
    }

    /// A group from its `(` on, optional with a `?` after it: `(one way|another)?`
    fn group(&mut self) -> Result<PatternWays, &'static str> {
        let mut choices = Vec::new();
        self.rest = &self.rest[1..];
        loop {
            choices.extend(self.sequence(true)?);
            match self.rest.strip_prefix('|') {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        let closed = self.rest.strip_prefix(')');
        self.rest = closed.ok_or("a `(` that is not closed")?;
        let optional = self.rest.strip_prefix('?');
        self.rest = optional.unwrap_or(self.rest);
        Ok(self.symbols.join(choices, optional.is_some()))
    }

    /// `early|late?`, one word of each, or a gap
    fn choice(&mut self, is_in_group: bool) -> Result<PatternWays, &'static str> {
        // In a group `|` separates sequences; outside of it, `|` separates words.
        let end = self
            .rest
            .find(|c: char| c.is_whitespace() || c == '(' || c == ')' || c == '|' && is_in_group);
        let (word, rest) = self.rest.split_at(end.unwrap_or(self.rest.len()));
        self.rest = rest;
        if let Some(words) = word.strip_prefix("..") {
            let gap = if words.is_empty() {
                Ok(GAP)
            } else {
                words.parse()
            };
            let gap = gap.map_err(|_| "a gap that is neither `..` nor like `..5`")?;
            return Ok(vec![vec![PatternStep::Gap(gap)]]);
        }
        let optional = word.strip_suffix('?');
        let mut choices = Vec::new();
        for one in optional.unwrap_or(word).split('|') {
            choices.extend(self.symbol(one)?);
        }
        Ok(self.symbols.join(choices, optional.is_some()))
    }

    /// The alternatives of one name: a single symbol, or the entries of a list with several words.
    fn symbol(&mut self, word: &str) -> Result<PatternWays, &'static str> {
        if let Some(name) = word.strip_prefix('@') {
            let list = self.lists.get(name).ok_or("an unknown list")?;
            let mut entries = list.iter();
            // Each character by itself is many times faster in a debug build than a set of them.
            let marks = [' ', '(', '|', '?', '@'];
            if entries.any(|entry| marks.iter().any(|mark| entry.contains(*mark))) {
                let (rest, mut ways) = (self.rest, Vec::new());
                for entry in list {
                    self.rest = entry;
                    ways.extend(self.sequence(false)?);
                }
                self.rest = rest;
                return Ok(ways);
            }
        } else if word.is_empty() || !word.starts_with('<') && word.contains(char::is_uppercase) {
            return Err("an empty word, or one in upper case");
        }
        Ok(vec![vec![PatternStep::Symbol(self.symbols.number(word))]])
    }
}

// The matcher: a prefix tree of all patterns. Every word of a pattern has a number, its symbol, and so has every list and
// class; the vocabulary has the symbols of each word, so that only numbers are compared.

/// One or several tokens that are compared as one: a word, a mark, `$ 89`, `7 am`.
#[derive(Debug, Clone, Copy)]
pub struct WordUnit<'matcher> {
    /// Index of the first token in the text.
    pub start: usize,
    /// Index of the token after the last.
    pub end: usize,
    /// Ascending.
    symbols: &'matcher [Symbol],
    pub is_mark: bool,
    /// Whether a gap may contain it: words and commas, but no other mark.
    fits_gap: bool,
}

impl<'matcher> WordUnit<'matcher> {
    /// The unit of a name with these symbols; no gap contains it.
    pub const fn of_name(tokens: &Range<usize>, symbols: &'matcher [Symbol]) -> Self {
        Self {
            start: tokens.start,
            end: tokens.end,
            symbols,
            is_mark: false,
            fits_gap: false,
        }
    }
}

/// The patterns that match at one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PatternMatch<'matcher> {
    /// The first matching unit, counted within the sentence.
    pub start: usize,
    /// The unit after the last.
    pub end: usize,
    /// The units from `start` on that match words of the pattern rather than a gap: bit 0 is `start`.
    pub word_mask: u64,
    /// Indices of the patterns, ascending.
    pub patterns: &'matcher [usize],
}

#[derive(Debug, Clone, Default)]
struct PatternNode {
    /// The next nodes, by their steps.
    edges: Vec<(PatternStep, usize)>,
    /// The patterns that end here, ascending.
    patterns: Vec<usize>,
}

impl PatternNode {
    /// The node after a word with this symbol.
    fn after(&self, symbol: Symbol) -> Option<usize> {
        let edges = &self.edges;
        let found = edges.binary_search_by_key(&PatternStep::Symbol(symbol), |(step, _)| *step);
        found.ok().map(|at| edges[at].1)
    }
}

/// The prefix tree of patterns.
#[derive(Debug, Clone, Default)]
pub struct PatternTree {
    /// The first node is the root.
    nodes: Vec<PatternNode>,
    symbols: Symbols,
}

impl PatternTree {
    /// Adds a pattern under this number. The entries of a list with several words become alternatives.
    ///
    /// # Errors
    /// The error in the pattern.
    pub fn add(&mut self, number: usize, text: &str, lists: &Lists) -> Result<(), &'static str> {
        let symbols = &mut self.symbols;
        let mut parser = Parser {
            rest: text,
            lists,
            symbols,
        };
        let parts = parser.parts(false)?;
        if !parser.rest.is_empty() {
            return Err("an extra `)` or `|`");
        }
        if self.nodes.is_empty() {
            self.nodes.push(PatternNode::default());
        }
        self.insert(number, [0; 2], &parts);
        let PatternNode { edges, patterns } = &self.nodes[0];
        if matches!(edges.first(), Some((PatternStep::Gap(_), _))) || !patterns.is_empty() {
            return Err("a way to match that begins with a gap or has no word");
        }
        Ok(())
    }

    /// Continues from a node with these parts. A gap at the end of a pattern is left out: the last word leads to the node `end`.
    fn insert(&mut self, number: usize, [node, end]: [usize; 2], parts: &[PatternWays]) {
        let Some((ways, rest)) = parts.split_first() else {
            let patterns = &mut self.nodes[end].patterns;
            if let Err(at) = patterns.binary_search(&number) {
                patterns.insert(at, number);
            }
            return;
        };
        for way in ways {
            let [mut node, mut end] = [node, end];
            for step in way {
                node = self.follow(node, *step);
                if matches!(step, PatternStep::Symbol(_)) {
                    end = node;
                }
            }
            self.insert(number, [node, end], rest);
        }
    }

    /// The node after that step, which is created if there is none.
    fn follow(&mut self, node: usize, step: PatternStep) -> usize {
        let fresh = self.nodes.len();
        let edges = &mut self.nodes[node].edges;
        match edges.binary_search_by_key(&step, |(step, _)| *step) {
            Ok(at) => edges[at].1,
            Err(at) => {
                edges.insert(at, (step, fresh));
                self.nodes.push(PatternNode::default());
                fresh
            }
        }
    }
}

/// Finds all patterns in a sentence at once.
#[derive(Debug, Clone, Default)]
pub struct PatternMatcher {
    /// The prefix tree; the first node is the root.
    nodes: Vec<PatternNode>,
    /// The node of patterns that begin with `^`.
    beginning: Option<usize>,
    /// The symbols of each word by its fingerprint, ascending.
    vocabulary: WordMap<Vec<Symbol>>,
    /// The symbols of numbers, sums of money and names that are not in the vocabulary.
    number: Vec<Symbol>,
    money: Vec<Symbol>,
    name: Vec<Symbol>,
    gerund: Vec<Symbol>,
}

/// The ending of `<gerund>`, and the least number of letters before it.
const GERUND: &str = "ing";
const GERUND_STEM_MIN: usize = 2;

fn is_gerund(word: &str) -> bool {
    let stem = word.strip_suffix(GERUND);
    stem.is_some_and(|stem| stem.len() >= GERUND_STEM_MIN)
}

impl PatternMatcher {
    /// `words` are the words of a symbol; those of a class are the class itself.
    pub fn new(tree: PatternTree, words: impl Fn(&str) -> Vec<String>) -> Self {
        let PatternTree { mut nodes, symbols } = tree;
        // Words that are only read joined with others have no edge.
        let mut used = vec![false; symbols.names.len()];
        for node in &mut nodes {
            for (step, _) in &node.edges {
                if let PatternStep::Symbol(symbol) = step {
                    used[*symbol] = true;
                }
            }
            node.edges.shrink_to_fit();
            node.patterns.shrink_to_fit();
        }
        let beginning = symbols.numbers.get(&Fingerprint::of("^"));
        let beginning = beginning.and_then(|symbol| nodes[0].after(*symbol));
        let mut vocabulary = WordMap::<Vec<Symbol>>::default();
        let (mut numerals, mut gerunds) = (Vec::new(), Vec::new());
        let names = symbols.names.iter().enumerate();
        for (number, symbol) in names.filter(|(number, _)| used[*number]) {
            for word in words(symbol) {
                let fingerprint = Fingerprint::of(&word);
                vocabulary.entry(fingerprint).or_default().push(number);
                if word.starts_with(|c: char| c.is_ascii_digit()) {
                    numerals.push(fingerprint);
                }
                if is_gerund(&word) {
                    gerunds.push(fingerprint);
                }
            }
        }
        let classes = ["<number>", "<money>", "<name>", "<gerund>"];
        let [number, money, name, gerund] = classes.map(|class| {
            let symbols = vocabulary.remove(&Fingerprint::of(class));
            let mut symbols = symbols.unwrap_or_default();
            symbols.sort_unstable();
            symbols
        });
        // `3` is a literal in some pattern, and also a number.
        for (words, class) in [(numerals, &number), (gerunds, &gerund)] {
            for word in words {
                vocabulary.entry(word).or_default().extend(class);
            }
        }
        for symbols in vocabulary.values_mut() {
            symbols.sort_unstable();
            symbols.dedup();
        }
        Self {
            nodes,
            beginning,
            vocabulary,
            number,
            money,
            name,
            gerund,
        }
    }

    /// Every match in a sentence.
    pub fn find(&self, units: &[WordUnit<'_>]) -> Vec<PatternMatch<'_>> {
        let mut matches = Vec::new();
        if let Some(node) = self.beginning {
            self.search(units, node, 0..0, 0, &mut matches);
        }
        for start in 0..units.len() {
            self.step(units, 0, start..start, 0, &mut matches);
        }
        matches
    }

    /// Continues from the node that was reached with the units `over`.
    fn search<'matcher>(
        &'matcher self,
        units: &[WordUnit<'_>],
        node: usize,
        over: Range<usize>,
        word_mask: u64,
        matches: &mut Vec<PatternMatch<'matcher>>,
    ) {
        let PatternNode { edges, patterns } = &self.nodes[node];
        if !patterns.is_empty() {
            matches.push(PatternMatch {
                start: over.start,
                end: over.end,
                word_mask,
                patterns,
            });
        }
        self.step(units, node, over.clone(), word_mask, matches);
        for (step, next) in edges {
            let PatternStep::Gap(most) = step else {
                break;
            };
            for at in over.end..=over.end + usize::from(*most) {
                self.step(units, *next, over.start..at, word_mask, matches);
                if units.get(at).is_none_or(|unit| !unit.fits_gap) {
                    break;
                }
            }
        }
    }

    /// Follows the edges of a node over the unit after `over`.
    fn step<'matcher>(
        &'matcher self,
        units: &[WordUnit<'_>],
        node: usize,
        over: Range<usize>,
        word_mask: u64,
        matches: &mut Vec<PatternMatch<'matcher>>,
    ) {
        let Some(unit) = units.get(over.end) else {
            return;
        };
        let word_mask = word_mask | 1 << over.len().min(63);
        for symbol in unit.symbols {
            if let Some(next) = self.nodes[node].after(*symbol) {
                self.search(units, next, over.start..over.end + 1, word_mask, matches);
            }
        }
    }

    /// The symbols of a word, ascending.
    pub fn symbols(&self, word: &str) -> &[Symbol] {
        let symbols = self.vocabulary.get(&Fingerprint::of(word));
        symbols.map_or(&[], Vec::as_slice)
    }

    /// The units of a sentence.
    pub fn units(&self, text: &TokenizedText, sentence: Range<usize>) -> Vec<WordUnit<'_>> {
        let mut units = Vec::with_capacity(sentence.len());
        let (start, end) = (sentence.start, sentence.end);
        let mut at = start;
        while at < end {
            // In `¡Ramiro`, the opening mark of the sentence is not its first word.
            let is_first =
                at == start || at == start + 1 && matches!(text.word(start), "\u{a1}" | "\u{bf}");
            let (len, symbols) = self.unit(text, at, end, is_first);
            let is_mark = len == 1 && text.has_shape(at, Capitalisation::Mark);
            units.push(WordUnit {
                start: at,
                end: at + len,
                symbols,
                is_mark,
                fits_gap: !is_mark || text.word(at) == ",",
            });
            at += len;
        }
        units
    }

    /// The number of tokens in the unit at `at`, and its symbols.
    fn unit(
        &self,
        text: &TokenizedText,
        at: usize,
        end: usize,
        is_first: bool,
    ) -> (usize, &[Symbol]) {
        use Capitalisation::{Capitalised, Lower, Mark, Mixed, Number, Upper};
        let (token, word) = (&text.tokens()[at], text.word(at));
        let has_next = at + 1 < end;
        let is_sum = token.shape == Number
            && text.is_among(at + 1, &LanguageWords::english().money)
            || matches!(word, "$" | "€" | "£") && text.has_shape(at + 1, Number);
        if has_next && is_sum {
            return (2, &self.money);
        }
        if let Some(known) = self.vocabulary.get(&token.fingerprint) {
            return (1, known);
        }
        let symbols = match token.shape {
            Number => &self.number[..],
            Capitalised | Mixed if !is_first => &self.name,
            Lower if is_gerund(word) => &self.gerund,
            Capitalised | Mixed | Lower | Upper | Mark => &[],
        };
        (1, symbols)
    }
}

#[cfg(test)]
mod tests {
    use super::{Lists, PatternTree};

    fn lists() -> Lists {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        [
            ("word".to_owned(), list(&["fair", "just"])),
            ("long".to_owned(), list(&["on time", "fast"])),
        ]
        .into()
    }

    #[test]
    fn one_word_alternatives_are_one_way_and_sequences_several() {
        let ways = |text: &str| {
            let mut tree = PatternTree::default();
            tree.add(0, text, &lists()).unwrap();
            let ends = tree.nodes.iter().filter(|node| !node.patterns.is_empty());
            ends.count()
        };
        assert_eq!(ways("early|late"), 1);
        assert_eq!(ways("@word price"), 1);
        assert_eq!(ways("@long service"), 2);
        assert_eq!(ways("(right|exactly)? on time"), 2);
        assert_eq!(ways("(on time|as promised)"), 2);
        assert_eq!(ways("came .. (a|b|c d)?"), 3);
    }

    #[test]
    fn an_invalid_pattern_is_an_error() {
        for wrong in [
            "fair?", ".. fair", "a ..b c", "@nowhere", "fair)", "(fair", "a||b", "Fair", "",
        ] {
            let added = PatternTree::default().add(0, wrong, &lists());
            assert!(added.is_err(), "{wrong}");
        }
    }
}
