//! Finds all patterns of a trade at once: one prefix tree holds all patterns, and a vocabulary has the symbols of each
//! word, so that only numbers are compared.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use crate::insights::text::{Capitalisation, Fingerprint, TokenizedText, WordMap, WordSet};
use crate::insights::trades::{Cue, Meaning, PatternStep, Trade};

/// The number of a word, list or class, from [`GAPS`], or the maximum number of words of a gap.
type Symbol = u32;
const GAPS: Symbol = 1 << u8::BITS;

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

/// From a node to the next one, over a word or a gap.
#[derive(Debug, Clone, Copy, Default)]
struct Edge {
    symbol: Symbol,
    next: u32,
    /// The bits of its own words.
    words: u64,
    /// The bits of the words that may follow, and [`END`] if the next node has rules. They are here because most edges
    /// lead nowhere.
    followers: u64,
    /// The bits of the words that may follow after a gap.
    beyond: u64,
}

/// The bit of no word, for patterns that end.
const END: u64 = 1 << 63;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PatternNode {
    /// Its edges, as a range of those of the tree: by their next nodes, the gaps last.
    edges: Range<u32>,
    followers: u64,
    /// The rules of the patterns that end here, in the trade's order.
    pub rules: Vec<RuleIndex>,
    pub rank: Rank,
    /// Whether it may overlap a statement, because it determines the subject, time or certainty of the statement.
    pub is_above: bool,
}

/// A prefix tree of all patterns; its root is the first node.
#[derive(Debug, Clone)]
pub struct PatternTrie {
    nodes: Vec<PatternNode>,
    edges: Vec<Edge>,
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
    pub node: &'judge PatternNode,
}

impl PatternTrie {
    /// The tree of a trade's patterns, without followers.
    fn new<'trade>(trade: &'trade Trade, numbers: &mut SymbolNumbers<'trade>) -> Self {
        use Cue::{Afterwards, Breakdown, Deed, Firm, Joint, Open, Trouble};
        let (mut nodes, mut next) = (vec![PatternNode::default()], NextNodes::default());
        for (rule, index) in trade.rules.iter().zip(0..) {
            for way in &rule.ways {
                insert(&mut nodes, &mut next, way, numbers, index);
            }
        }
        for node in &mut nodes {
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
            node.is_above = [Firm, Open, Trouble, Breakdown, Afterwards, Deed]
                .into_iter()
                .any(only)
                || meanings().all(|meaning| matches!(meaning, Meaning::Complains(_)));
        }
        let beginning = numbers.get("^").and_then(|symbol| next.get(&(0, *symbol)));
        let beginning = beginning.copied().unwrap_or_default();
        let next = next.into_iter();
        let mut next: Vec<_> = next
            .map(|((node, symbol), next)| (node, symbol < GAPS, next, symbol))
            .collect();
        next.sort_unstable();
        for ((node, ..), at) in next.iter().zip(0..) {
            let edges = &mut nodes[*node as usize].edges;
            let start = if edges.end == 0 { at } else { edges.start };
            *edges = start..at + 1;
        }
        let edge = |(_, _, next, symbol)| Edge {
            symbol,
            next,
            ..Edge::default()
        };
        Self {
            nodes,
            edges: next.into_iter().map(edge).collect(),
            beginning,
        }
    }

    /// Writes the followers of all nodes and edges; `bits` has the bits of each symbol's words.
    fn set_followers(&mut self, bits: &[u64]) {
        for at in 0..self.nodes.len() {
            let node = &self.nodes[at];
            let end = if node.rules.is_empty() { 0 } else { END };
            let followers = self.edges(node).iter();
            let followers = followers.map(|edge| bits[edge.symbol as usize]);
            self.nodes[at].followers = followers.fold(end, |all, bits| all | bits);
        }
        for at in 0..self.edges.len() {
            let next = &self.nodes[self.edges[at].next as usize];
            let beyond = self.gaps(next);
            let beyond = beyond.map(|gap| self.nodes[gap.next as usize].followers);
            let beyond = beyond.fold(0, |all, followers| all | followers);
            let followers = next.followers;
            let edge = &mut self.edges[at];
            edge.words = bits[edge.symbol as usize];
            (edge.followers, edge.beyond) = (followers, beyond);
        }
    }

    fn edges(&self, node: &PatternNode) -> &[Edge] {
        &self.edges[node.edges.start as usize..node.edges.end as usize]
    }

    fn gaps(&self, node: &PatternNode) -> impl Iterator<Item = &Edge> {
        let edges = self.edges(node).iter().rev();
        edges.take_while(|edge| edge.symbol < GAPS)
    }

    /// Writes every match in a sentence to `matches`.
    pub fn find<'judge>(
        &'judge self,
        units: &[WordUnit<'judge>],
        matches: &mut Vec<Match<'judge>>,
    ) {
        let mut search = TrieSearch {
            trie: self,
            units,
            matches,
        };
        if self.beginning != 0 {
            search.on(self.beginning, 0..0, 0);
        }
        for (start, unit) in units.iter().enumerate() {
            for edge in &unit.word.starts {
                if search.goes_on(edge, start) {
                    search.on(edge.next, start..start + 1, 1);
                }
            }
        }
    }
}

struct TrieSearch<'walk, 'judge> {
    trie: &'judge PatternTrie,
    units: &'walk [WordUnit<'judge>],
    matches: &'walk mut Vec<Match<'judge>>,
}

impl TrieSearch<'_, '_> {
    /// Continues from the node that was reached with the units `over`.
    fn on(&mut self, number: u32, over: Range<usize>, words: u64) {
        let nodes = &self.trie.nodes;
        let node = &nodes[number as usize];
        if !node.rules.is_empty() {
            self.matches.push(Match {
                start: over.start,
                end: over.end,
                words,
                node,
            });
        }
        self.step(node.followers, number, over.clone(), words);
        for gap in self.trie.gaps(node) {
            let last = over.end + gap.symbol as usize;
            for at in over.end..=last {
                self.step(gap.followers, gap.next, over.start..at, words);
                if self.units.get(at).is_none_or(|unit| !unit.fits_gap) {
                    break;
                }
            }
        }
    }

    /// Follows the edges of a node with these followers over the unit after `over`.
    fn step(&mut self, followers: u64, node: u32, over: Range<usize>, words: u64) {
        let unit = self.units.get(over.end);
        let Some(unit) = unit.filter(|unit| unit.word.bits & followers != 0) else {
            return;
        };
        let node = &self.trie.nodes[node as usize];
        for edge in self.trie.edges(node) {
            if edge.words & unit.word.bits != 0
                && self.goes_on(edge, over.end)
                && unit.word.all.binary_search(&edge.symbol).is_ok()
            {
                let words = words | 1 << over.len().min(63);
                self.on(edge.next, over.start..over.end + 1, words);
            }
        }
    }

    /// Whether a pattern may go on with the text after the unit that follows an edge.
    fn goes_on(&self, edge: &Edge, unit: usize) -> bool {
        let after = self.units.get(unit + 1);
        let (bits, ahead) = after.map_or((0, 0), |after| (after.word.bits, after.ahead));
        edge.followers & (bits | END) != 0 || edge.beyond & ahead != 0
    }
}

/// The node after a node and a symbol.
type NextNodes = HashMap<(u32, Symbol), u32, BuildHasherDefault<Fingerprint>>;

fn insert<'trade>(
    nodes: &mut Vec<PatternNode>,
    next: &mut NextNodes,
    way: &'trade [PatternStep],
    numbers: &mut SymbolNumbers<'trade>,
    rule: RuleIndex,
) {
    let mut node = 0;
    for step in way {
        let symbol = match step {
            PatternStep::Gap(words) => Symbol::from(*words),
            PatternStep::Symbol(symbol) => {
                let fresh = Symbol::try_from(numbers.len()).unwrap_or_default();
                *numbers.entry(symbol).or_insert(GAPS + fresh)
            }
        };
        let fresh = u32::try_from(nodes.len()).unwrap_or_default();
        node = *next.entry((node, symbol)).or_insert(fresh);
        if node == fresh {
            nodes.push(PatternNode::default());
        }
    }
    let rules = &mut nodes[node as usize].rules;
    if !rules.contains(&rule) {
        rules.push(rule);
    }
}

/// The number of each symbol in a trade's patterns.
type SymbolNumbers<'trade> = HashMap<&'trade str, Symbol, BuildHasherDefault<Fingerprint>>;

/// The symbols of each word.
#[derive(Debug, Clone)]
pub struct Vocabulary {
    /// By the word's fingerprint, the index of its symbols. Words with the same symbols share them.
    words: WordMap<usize>,
    number: usize,
    money: usize,
    name: usize,
    /// The symbols of unknown words, which have none, are the first.
    symbols: Vec<WordSymbols>,
}

/// The symbols of a word.
#[derive(Debug, Clone)]
struct WordSymbols {
    /// Ascending.
    all: Box<[Symbol]>,
    /// The edges of the root with these symbols.
    starts: Box<[Edge]>,
    /// A bit that few other words have.
    bits: u64,
}

/// One or several tokens that are compared as one: a word, a mark, `$ 89`, `7 am`.
#[derive(Debug, Clone, Copy)]
pub struct WordUnit<'judge> {
    /// Index of the first token in the text.
    pub start: usize,
    /// Index of the token after the last.
    pub end: usize,
    word: &'judge WordSymbols,
    /// The bits of this unit, and of those after it that a gap can reach.
    ahead: u64,
    pub is_mark: bool,
    /// Whether a gap may contain it: words and commas, but no other mark.
    fits_gap: bool,
}

impl Vocabulary {
    /// Contains all words in the trade's patterns and lists. Writes the followers of `trie`.
    fn new(trade: &Trade, numbers: &SymbolNumbers<'_>, trie: &mut PatternTrie) -> Self {
        let (mut words, mut numerals) = (WordMap::<Vec<Symbol>>::default(), Vec::new());
        for (symbol, number) in numbers {
            for word in members(trade, symbol) {
                let fingerprint = Fingerprint::of(&word);
                words.entry(fingerprint).or_default().push(*number);
                if word.starts_with(|c: char| c.is_ascii_digit()) {
                    numerals.push(fingerprint);
                }
            }
        }
        let mut class = |class| words.remove(&Fingerprint::of(class)).unwrap_or_default();
        let [number, money, name] = ["<number>", "<money>", "<name>"].map(&mut class);
        // `3` is a literal in some pattern, and also a number.
        for numeral in numerals {
            words.entry(numeral).or_default().extend(&number);
        }
        let language = &trade.words;
        for (right, wrong) in &trade.spellings {
            for spelling in wrong {
                let forms = language.forms(right).into_iter();
                for (form, other) in forms.zip(language.forms(spelling)) {
                    let symbols = words.get(&Fingerprint::of(&form)).cloned();
                    let other = words.entry(Fingerprint::of(&other)).or_default();
                    other.extend(symbols.unwrap_or_default());
                }
            }
        }
        let (mut all, mut shared) = (Vec::new(), HashMap::new());
        let mut index = |mut symbols: Vec<Symbol>| {
            symbols.sort_unstable();
            symbols.dedup();
            *shared.entry(symbols).or_insert_with_key(|symbols| {
                all.push(WordSymbols {
                    all: symbols.as_slice().into(),
                    starts: Box::default(),
                    bits: 1 << (all.len() % 63),
                });
                all.len() - 1
            })
        };
        index(Vec::new());
        let [number, money, name] = [number, money, name].map(&mut index);
        let words = words.into_iter();
        let words = words
            .map(|(word, symbols)| (word, index(symbols)))
            .collect();
        let mut bits = vec![0; GAPS as usize + numbers.len()];
        for word in &all {
            for symbol in &word.all {
                bits[*symbol as usize] |= word.bits;
            }
        }
        trie.set_followers(&bits);
        let mut starts = vec![None; GAPS as usize + numbers.len()];
        for edge in trie.edges(&trie.nodes[0]) {
            starts[edge.symbol as usize] = Some(*edge);
        }
        for word in &mut all {
            let symbols = word.all.iter();
            word.starts = symbols
                .filter_map(|symbol| starts[*symbol as usize])
                .collect();
            word.starts.sort_unstable_by_key(|edge| edge.next);
        }
        Self {
            words,
            number,
            money,
            name,
            symbols: all,
        }
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
            let (len, word) = self.unit(text, at, end, is_first);
            let is_mark = len == 1 && text.has_shape(at, Capitalisation::Mark);
            units.push(WordUnit {
                start: at,
                end: at + len,
                word: &self.symbols[word],
                ahead: 0,
                is_mark,
                fits_gap: !is_mark || text.word(at) == ",",
            });
            at += len;
        }
        let mut ahead = 0;
        for unit in units.iter_mut().rev() {
            ahead = unit.word.bits | if unit.fits_gap { ahead } else { 0 };
            unit.ahead = ahead;
        }
    }

    /// The number of tokens in the unit at `at`, and the index of its symbols.
    fn unit(&self, text: &TokenizedText, at: usize, end: usize, is_first: bool) -> (usize, usize) {
        use Capitalisation::{Capitalised, Lower, Mark, Mixed, Number, Upper};
        let (token, word) = (&text.tokens()[at], text.word(at));
        let language = text.language_words();
        let goes_on = |words: &WordSet| at + 1 < end && text.is_among(at + 1, words);
        if token.shape == Number && goes_on(&language.money) {
            return (2, self.money);
        }
        if matches!(word, "$" | "€" | "£") && at + 1 < end && text.has_shape(at + 1, Number) {
            return (2, self.money);
        }
        if let Some(known) = self.words.get(&token.fingerprint) {
            return (1, *known);
        }
        let index = match token.shape {
            Number => self.number,
            Capitalised | Mixed if !is_first => self.name,
            Capitalised | Mixed | Lower | Upper | Mark => 0,
        };
        (1, index)
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
    let language = &trade.words;
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
#[derive(Debug, Clone)]
pub struct CompiledRules {
    pub vocabulary: Vocabulary,
    pub trie: PatternTrie,
    /// For each rule the name of its hits, and its meaning.
    pub rules: Box<[(String, Meaning)]>,
}

impl CompiledRules {
    /// Takes the phrases out of `trade`.
    pub fn new(trade: &mut Trade) -> Self {
        let mut numbers = SymbolNumbers::default();
        let mut trie = PatternTrie::new(trade, &mut numbers);
        let vocabulary = Vocabulary::new(trade, &numbers, &mut trie);
        let phrases = trade.take_phrases().into_iter();
        Self {
            trie,
            vocabulary,
            rules: phrases.map(|rule| (rule.id, rule.meaning)).collect(),
        }
    }
}
