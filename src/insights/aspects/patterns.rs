//! Finds all patterns of a trade at once: a vocabulary maps words to symbols, each word of a text once, and one prefix
//! tree of symbols holds all patterns, so that only numbers are compared.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use crate::insights::text::{Capitalisation, Fingerprint, TokenizedText, WordMap, WordSet};
use crate::insights::trades::{Cue, Meaning, PatternStep, Trade};

/// The number of a word, list or class.
type Symbol = u32;

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

#[derive(Debug, Clone, Default)]
struct PatternNode {
    /// By symbol, the next node.
    edges: Vec<(Symbol, u32)>,
    /// By the maximum number of words of a gap, the node after it.
    gaps: Vec<(u8, u32)>,
    rules: Vec<RuleIndex>,
    rank: Rank,
    is_above: bool,
}

/// A prefix tree of all patterns; its root is the first node.
#[derive(Debug, Clone, Default)]
pub struct PatternTrie {
    nodes: Vec<PatternNode>,
    /// The edges of the root, by symbol; 0 where no pattern begins with the symbol.
    first: Vec<u32>,
    /// The node of patterns that begin with `^`; 0 if there are none.
    beginning: u32,
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
        let mut nodes = vec![PatternNode::default()];
        for (rule, index) in trade.rules.iter().zip(0..) {
            for way in &rule.ways {
                insert(&mut nodes, way, numbers, index);
            }
        }
        for node in &mut nodes {
            node.edges.shrink_to_fit();
            let rules = node.rules.iter();
            let meanings = || {
                rules
                    .clone()
                    .map(|rule| trade.rules[*rule as usize].meaning)
            };
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
                .any(only)
                || meanings().all(|meaning| matches!(meaning, Meaning::Complains(_)));
        }
        let mut first = vec![0; numbers.len() + 1];
        for (symbol, node) in &nodes[0].edges {
            first[*symbol as usize] = *node;
        }
        Self {
            beginning: numbers.get("^").map_or(0, |symbol| first[*symbol as usize]),
            first,
            nodes,
        }
    }

    /// Writes every match in a sentence to `matches`.
    pub fn find<'judge>(&'judge self, units: &[WordUnit<'_>], matches: &mut Vec<Match<'judge>>) {
        let mut search = TrieSearch {
            trie: self,
            units,
            matches,
        };
        if self.beginning != 0 {
            search.on(self.beginning, 0..0, 0);
        }
        for (start, unit) in units.iter().enumerate() {
            let nodes = unit
                .symbols
                .iter()
                .map(|symbol| self.first[*symbol as usize]);
            for node in nodes.filter(|node| *node != 0) {
                search.on(node, start..start + 1, 1);
            }
        }
    }
}

struct TrieSearch<'walk, 'judge> {
    trie: &'judge PatternTrie,
    units: &'walk [WordUnit<'walk>],
    matches: &'walk mut Vec<Match<'judge>>,
}

impl TrieSearch<'_, '_> {
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

    /// Follows the edges of a node with the unit after `over`.
    fn step(&mut self, node: &PatternNode, over: Range<usize>, words: u64) {
        let Some(unit) = self.units.get(over.end) else {
            return;
        };
        let words = words | 1 << over.len().min(63);
        let mut on = |next: u32| self.on(next, over.start..over.end + 1, words);
        // Iterates over the shorter list.
        if node.edges.len() <= unit.symbols.len() {
            for (symbol, next) in &node.edges {
                if unit.symbols.binary_search(symbol).is_ok() {
                    on(*next);
                }
            }
        } else {
            for symbol in unit.symbols {
                if let Ok(at) = node
                    .edges
                    .binary_search_by_key(symbol, |(symbol, _)| *symbol)
                {
                    on(node.edges[at].1);
                }
            }
        }
    }
}

fn insert(
    nodes: &mut Vec<PatternNode>,
    way: &[PatternStep],
    numbers: &SymbolNumbers<'_>,
    rule: RuleIndex,
) {
    let mut node = 0;
    for step in way {
        let fresh = u32::try_from(nodes.len()).unwrap_or_default();
        let PatternNode { edges, gaps, .. } = &mut nodes[node];
        let next = match step {
            PatternStep::Symbol(symbol) => follow(edges, numbers[symbol.as_str()], fresh),
            PatternStep::Gap(words) => follow(gaps, *words, fresh),
        };
        if next == fresh {
            nodes.push(PatternNode::default());
        }
        node = next as usize;
    }
    if !nodes[node].rules.contains(&rule) {
        nodes[node].rules.push(rule);
    }
}

/// The node of a key; `fresh` if it has none yet.
fn follow<K: Copy + Ord>(next: &mut Vec<(K, u32)>, key: K, fresh: u32) -> u32 {
    let place = next.binary_search_by_key(&key, |(key, _)| *key);
    let at = place.unwrap_or_else(|at| {
        next.insert(at, (key, fresh));
        at
    });
    next[at].1
}

/// The number of each symbol in a trade's patterns, from 1.
type SymbolNumbers<'a> = HashMap<&'a str, Symbol>;

fn symbol_numbers(trade: &Trade) -> SymbolNumbers<'_> {
    let steps = trade.rules.iter().flat_map(|rule| &rule.ways).flatten();
    let symbols: BTreeSet<&str> = steps.filter_map(PatternStep::symbol).collect();
    symbols.into_iter().zip(1..).collect()
}

/// The symbols of each word.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// By the word's fingerprint.
    words: WordMap<Symbols>,
    number: Symbols,
    money: Symbols,
    name: Symbols,
}

/// The symbols of a word.
type Symbols = Box<[Symbol]>;

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
        for (symbol, number) in numbers {
            for word in members(trade, symbol) {
                words.entry(word).or_default().insert(*number);
            }
        }
        let mut class = |name: &str| -> Symbols {
            let symbols = words.remove(name).unwrap_or_default();
            symbols.into_iter().collect()
        };
        (vocabulary.number, vocabulary.money) = (class("<number>"), class("<money>"));
        vocabulary.name = class("<name>");
        // `3` is a literal in some pattern, and also a number.
        for (_, symbols) in words
            .iter_mut()
            .filter(|(word, _)| word.starts_with(|c: char| c.is_ascii_digit()))
        {
            symbols.extend(&vocabulary.number);
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
        vocabulary.words = words
            .into_iter()
            .map(|(word, symbols)| (Fingerprint::of(&word), symbols.into_iter().collect()))
            .collect();
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
        if token.shape == Number && goes_on(&language.money) {
            return (2, &self.money);
        }
        if matches!(word, "$" | "€" | "£") && at + 1 < end && text.has_shape(at + 1, Number) {
            return (2, &self.money);
        }
        if let Some(known) = self.words.get(&token.fingerprint) {
            return (1, known);
        }
        let symbols = match token.shape {
            Number => &*self.number,
            Capitalised | Mixed if !is_first => &*self.name,
            Capitalised | Mixed | Lower | Upper | Mark => &[],
        };
        (1, symbols)
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
            let irregular = trade
                .irregular
                .get(base)
                .into_iter()
                .flatten()
                .map(|form| language.compared(form));
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
        let numbers = symbol_numbers(trade);
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
