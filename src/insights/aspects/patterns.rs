//! Finds all patterns of a trade at once: a vocabulary maps words to symbols, each word of a text once, and one prefix
//! tree of symbols holds all patterns, so that only numbers are compared.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasherDefault;
use std::ops::Range;

use crate::insights::text::{Capitalisation, Fingerprint, TokenizedText, WordMap, WordSet};
use crate::insights::trades::{Cue, Meaning, PatternStep, Trade};

/// The number of a word, list or class.
type Symbol = u64;

/// Nodes by symbol.
type SymbolMap = HashMap<Symbol, u32, BuildHasherDefault<Fingerprint>>;

/// A rule's index in the trade.
pub type RuleIndex = u32;

/// Priority among overlapping matches of equal length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Rank {
    Judges,
    /// The rule names or hints at an aspect, is an opinion, or is a cue that does more than divide clauses.
    #[default]
    Other,
    /// The rule only divides clauses.
    Joins,
}

/// A place in the tree of patterns.
#[derive(Debug, Clone, Default)]
struct PatternNode {
    /// The next node by symbol.
    edges: SymbolMap,
    /// The next nodes after a gap of at most so many words.
    gaps: Vec<(u8, u32)>,
    /// The rules whose patterns end here.
    rules: Vec<RuleIndex>,
    rank: Rank,
    is_above: bool,
}

/// A prefix tree of all patterns; its first node is the root.
#[derive(Debug, Clone)]
pub struct PatternTrie {
    nodes: Vec<PatternNode>,
    /// The number of `^`, with which patterns at the beginning of a sentence begin.
    beginning: Option<Symbol>,
}

impl Default for PatternTrie {
    fn default() -> Self {
        Self {
            nodes: vec![PatternNode::default()],
            beginning: None,
        }
    }
}

/// Rules that match at one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'judge> {
    /// The first matching unit, counted within the sentence.
    pub start: usize,
    /// The unit after the last.
    pub end: usize,
    /// The units from `start` on that match words of the pattern rather than a gap: bit 0 is `start`.
    pub words: u64,
    /// In the trade's order.
    pub rules: &'judge [RuleIndex],
    pub rank: Rank,
    /// Whether it may overlap a statement, because it determines the subject, time or certainty of the statement.
    pub is_above: bool,
}

impl PatternTrie {
    pub fn new(trade: &Trade, numbers: &SymbolNumbers<'_>) -> Self {
        use Cue::{Afterwards, Breakdown, Firm, Joint, Open, Trouble};
        let mut trie = Self {
            beginning: numbers.0.get("^").copied(),
            ..Self::default()
        };
        for (rule, index) in trade.rules.iter().zip(0..) {
            for way in &rule.ways {
                trie.insert(way, numbers, index);
            }
        }
        for node in &mut trie.nodes {
            let meanings = || (node.rules.iter()).map(|rule| trade.rules[*rule as usize].meaning);
            let only = |cue| meanings().all(|meaning| meaning == Meaning::Cue(cue));
            node.rank = if meanings().any(|meaning| matches!(meaning, Meaning::Judges(..))) {
                Rank::Judges
            } else if only(Joint) {
                Rank::Joins
            } else {
                Rank::Other
            };
            node.is_above = [Firm, Open, Trouble, Breakdown, Afterwards]
                .into_iter()
                .any(only);
        }
        trie
    }

    fn insert(&mut self, way: &[PatternStep], numbers: &SymbolNumbers<'_>, rule: RuleIndex) {
        let mut at = 0;
        for step in way {
            let fresh = u32::try_from(self.nodes.len()).unwrap_or_default();
            let node = &mut self.nodes[at];
            let next = match step {
                PatternStep::Symbol(symbol) => {
                    let symbol = numbers.0.get(symbol.as_str()).copied();
                    *node
                        .edges
                        .entry(symbol.unwrap_or_default())
                        .or_insert(fresh)
                }
                PatternStep::Gap(words) => {
                    let known = node.gaps.iter().find(|(most, _)| most == words);
                    known.map(|(_, next)| *next).unwrap_or_else(|| {
                        node.gaps.push((*words, fresh));
                        fresh
                    })
                }
            };
            if next == fresh {
                self.nodes.push(PatternNode::default());
            }
            at = next as usize;
        }
        let rules = &mut self.nodes[at].rules;
        if !rules.contains(&rule) {
            rules.push(rule);
        }
    }

    /// Writes every match in a sentence to `matches`.
    pub fn find<'judge>(&'judge self, units: &[WordUnit<'_>], matches: &mut Vec<Match<'judge>>) {
        let mut search = TrieSearch {
            trie: self,
            units,
            matches,
        };
        let root = &self.nodes[0];
        if let Some(node) = self.beginning.and_then(|symbol| root.edges.get(&symbol)) {
            search.on(*node, 0..0, 0);
        }
        for start in 0..units.len() {
            search.step(root, start..start, 0);
        }
    }
}

struct TrieSearch<'walk, 'judge> {
    trie: &'judge PatternTrie,
    units: &'walk [WordUnit<'walk>],
    matches: &'walk mut Vec<Match<'judge>>,
}

impl<'judge> TrieSearch<'_, 'judge> {
    /// Continues from the node that was reached with the units `over`.
    fn on(&mut self, node: u32, over: Range<usize>, words: u64) {
        let node = &self.trie.nodes[node as usize];
        if !node.rules.is_empty() {
            self.matches.push(Match {
                start: over.start,
                end: over.end,
                words,
                rules: &node.rules,
                rank: node.rank,
                is_above: node.is_above,
            });
        }
        self.step(node, over.clone(), words);
        for (most, beyond) in &node.gaps {
            let beyond = &self.trie.nodes[*beyond as usize];
            let last = over.end + usize::from(*most);
            for at in over.end..=last {
                self.step(beyond, over.start..at, words);
                // A gap may contain words and commas, but no other mark.
                let passes = self
                    .units
                    .get(at)
                    .is_some_and(|unit| !unit.is_mark || unit.is_comma);
                if !passes {
                    break;
                }
            }
        }
    }

    /// Continues from a node with the unit after `over`.
    fn step(&mut self, node: &'judge PatternNode, over: Range<usize>, words: u64) {
        let Some(unit) = self.units.get(over.end).filter(|_| !node.edges.is_empty()) else {
            return;
        };
        let words = words | 1 << over.len().min(63);
        for symbol in unit.symbols {
            if let Some(next) = node.edges.get(symbol) {
                self.on(*next, over.start..over.end + 1, words);
            }
        }
    }
}

/// The number of each symbol in a trade's patterns.
#[derive(Debug)]
pub struct SymbolNumbers<'a>(HashMap<&'a str, Symbol>);

impl<'a> SymbolNumbers<'a> {
    pub fn new(trade: &'a Trade) -> Self {
        let ways = trade.rules.iter().flat_map(|rule| &rule.ways).flatten();
        let symbols: BTreeSet<&str> = ways.filter_map(PatternStep::symbol).collect();
        Self(symbols.into_iter().zip(1..).collect())
    }
}

/// The symbols of each word.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// By the word's fingerprint.
    words: WordMap<Box<[Symbol]>>,
    number: Box<[Symbol]>,
    money: Box<[Symbol]>,
    time: Box<[Symbol]>,
    name: Box<[Symbol]>,
}

/// One or several tokens that are compared as one: a word, a mark, `$ 89`, `7 am`.
#[derive(Debug, Clone, Copy)]
pub struct WordUnit<'judge> {
    /// Index of the first token in the text.
    pub start: usize,
    /// Index of the token after the last.
    pub end: usize,
    symbols: &'judge [Symbol],
    pub is_mark: bool,
    pub is_comma: bool,
}

impl Vocabulary {
    /// Contains all words in the trade's patterns and lists.
    pub fn new(trade: &Trade, numbers: &SymbolNumbers<'_>) -> Self {
        let mut vocabulary = Self::default();
        let mut words: BTreeMap<String, BTreeSet<Symbol>> = BTreeMap::new();
        for (symbol, number) in &numbers.0 {
            for word in members(trade, symbol) {
                words.entry(word).or_default().insert(*number);
            }
        }
        let mut class = |name: &str| words.remove(name).unwrap_or_default().into_iter().collect();
        (vocabulary.number, vocabulary.money) = (class("<number>"), class("<money>"));
        (vocabulary.time, vocabulary.name) = (class("<time>"), class("<name>"));
        // `3` is a literal in some pattern, and also a number.
        for (_, symbols) in words
            .iter_mut()
            .filter(|(word, _)| word.starts_with(|c: char| c.is_ascii_digit()))
        {
            symbols.extend(vocabulary.number.iter().copied());
        }
        let language = trade.language_words();
        for (right, wrong) in &trade.spellings {
            for spelling in wrong {
                let forms = language.forms(right).into_iter();
                for (form, other) in forms.zip(language.forms(spelling)) {
                    let symbols = words.get(&form).cloned().unwrap_or_default();
                    words.entry(other).or_default().extend(symbols);
                }
            }
        }
        let words = words.into_iter();
        let words =
            words.map(|(word, symbols)| (Fingerprint::of(&word), symbols.into_iter().collect()));
        vocabulary.words = words.collect();
        vocabulary
    }

    /// Writes the units of a sentence.
    pub fn units<'judge>(
        &'judge self,
        text: &TokenizedText,
        Range { start, end }: Range<usize>,
        units: &mut Vec<WordUnit<'judge>>,
    ) {
        units.clear();
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
                is_comma: is_mark && text.word(at) == ",",
            });
            at += len;
        }
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
        let language = text.language_words();
        let goes_on = |words: &WordSet| at + 1 < end && text.is_among(at + 1, words);
        if token.shape == Number {
            if goes_on(&language.money) {
                return (2, &self.money);
            }
            if goes_on(&language.times) {
                return (2, &self.time);
            }
            if word.contains(':') || word.ends_with("am") || word.ends_with("pm") {
                return (1, &self.time);
            }
        }
        if matches!(word, "$" | "€" | "£") && at + 1 < end && text.has_shape(at + 1, Number) {
            return (2, &self.money);
        }
        if let Some(known) = self.words.get(&token.fingerprint) {
            return (1, known);
        }
        let otherwise = match token.shape {
            Number => return (1, &self.number),
            Mark => return (1, &[]),
            Capitalised | Mixed if !is_first || goes_on(&language.after_names) => &*self.name,
            Capitalised | Mixed | Lower | Upper => &[],
        };
        (1, self.without_repeats(word).unwrap_or(otherwise))
    }

    /// The intended word for a spelling with repeated letters (`soooo`, `goood`).
    fn without_repeats(&self, word: &str) -> Option<&[Symbol]> {
        let bytes = word.as_bytes();
        if !bytes
            .windows(3)
            .any(|three| three[0] == three[1] && three[1] == three[2])
        {
            return None;
        }
        (1..=2).rev().find_map(|most| {
            let mut short = String::with_capacity(word.len());
            let mut run = 0;
            for letter in word.chars() {
                run = if short.ends_with(letter) { run + 1 } else { 1 };
                if run <= most {
                    short.push(letter);
                }
            }
            self.words
                .get(&Fingerprint::of(&short))
                .map(|symbols| &**symbols)
        })
    }
}

/// The words of a symbol; for a class, the class itself.
fn members(trade: &Trade, symbol: &str) -> Vec<String> {
    if symbol.len() > 1 && symbol.contains('|') {
        return symbol
            .split('|')
            .flat_map(|one| members(trade, one))
            .collect();
    }
    if let Some(list) = symbol
        .strip_prefix('@')
        .and_then(|name| trade.lists.get(name))
    {
        return list
            .iter()
            .flat_map(|entry| members(trade, entry))
            .collect();
    }
    let language = trade.language_words();
    match symbol.strip_suffix('~') {
        None => vec![language.compared(symbol)],
        Some(base) => {
            let irregular = trade.irregular.get(base).into_iter().flatten();
            let irregular = irregular.map(|form| language.compared(form));
            language.forms(base).into_iter().chain(irregular).collect()
        }
    }
}

/// All phrases of a trade, compiled.
#[derive(Debug, Clone, Default)]
pub struct CompiledRules {
    pub vocabulary: Vocabulary,
    pub trie: PatternTrie,
    /// For each rule the name of its hits, and its meaning.
    pub rules: Box<[(String, Meaning)]>,
}

impl CompiledRules {
    /// Takes the phrases out of `trade`.
    pub fn new(trade: &mut Trade) -> Self {
        let numbers = SymbolNumbers::new(trade);
        let trie = PatternTrie::new(trade, &numbers);
        let vocabulary = Vocabulary::new(trade, &numbers);
        let phrases = trade.take_phrases().into_iter();
        Self {
            trie,
            vocabulary,
            rules: phrases.map(|rule| (rule.id, rule.meaning)).collect(),
        }
    }
}
