//! Finds all patterns of a trade at once: one prefix tree holds all patterns, and a vocabulary has, for each word, the
//! nodes that it leads to, so that only numbers are compared.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::Arc;

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

/// A node, and the one after it.
type Edge = (u32, u32);

/// The edges of each symbol.
type SymbolEdges = HashMap<Symbol, Vec<Edge>>;

#[derive(Debug, Clone, Default)]
struct PatternNode {
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
    /// For each node, the bits of the words that may follow it, and [`END`] if it has rules or gaps.
    followers: Vec<u64>,
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
    /// The tree of a trade's patterns, and its edges.
    fn new(trade: &Trade, numbers: &SymbolNumbers<'_>) -> (Self, SymbolEdges) {
        use Cue::{Afterwards, Breakdown, Firm, Joint, Open, Trouble};
        let (mut nodes, mut next) = (vec![PatternNode::default()], HashMap::new());
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
            node.is_above = [Firm, Open, Trouble, Breakdown, Afterwards]
                .into_iter()
                .any(only)
                || meanings().all(|meaning| matches!(meaning, Meaning::Complains(_)));
        }
        let beginning = numbers.get("^").and_then(|symbol| next.get(&(0, *symbol)));
        let beginning = beginning.copied().unwrap_or_default();
        let mut edges = SymbolEdges::new();
        for ((node, symbol), next) in next {
            edges.entry(symbol).or_default().push((node, next));
        }
        let is_end = |node: &PatternNode| !node.rules.is_empty() || !node.gaps.is_empty();
        let followers = nodes
            .iter()
            .map(|node| if is_end(node) { END } else { 0 })
            .collect();
        let trie = Self {
            nodes,
            followers,
            beginning,
        };
        (trie, edges)
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
        // Without rules, there is no root.
        let starts = self.nodes.first().map_or(0, |_| units.len());
        for start in 0..starts {
            search.step(0, start..start, 0);
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
    fn on(&mut self, number: u32, over: Range<usize>, words: u64) {
        let node = &self.trie.nodes[number as usize];
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
        self.step(number, over.clone(), words);
        for (most, beyond) in &node.gaps {
            let last = over.end + usize::from(*most);
            for at in over.end..=last {
                self.step(*beyond, over.start..at, words);
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
    fn step(&mut self, node: u32, over: Range<usize>, words: u64) {
        let followers = &self.trie.followers;
        let Some(unit) =
            (self.units.get(over.end)).filter(|unit| followers[node as usize] & unit.bits != 0)
        else {
            return;
        };
        let words = words | 1 << over.len().min(63);
        let after = self.units.get(over.end + 1);
        let bits = END | after.map_or(0, |unit| unit.bits);
        let first = unit.edges.partition_point(|(from, _)| *from < node);
        let edges = unit.edges[first..].iter();
        for (_, next) in edges.take_while(|(from, _)| *from == node) {
            // Most patterns with these words go on with other words than the next.
            if followers[*next as usize] & bits != 0 {
                self.on(*next, over.start..over.end + 1, words);
            }
        }
    }
}

fn insert(
    nodes: &mut Vec<PatternNode>,
    next: &mut HashMap<(u32, Symbol), u32>,
    way: &[PatternStep],
    numbers: &SymbolNumbers<'_>,
    rule: RuleIndex,
) {
    let mut node = 0;
    for step in way {
        let fresh = u32::try_from(nodes.len()).unwrap_or_default();
        let gaps = &mut nodes[node as usize].gaps;
        node = match step {
            PatternStep::Symbol(symbol) => {
                *(next.entry((node, numbers[symbol.as_str()]))).or_insert(fresh)
            }
            PatternStep::Gap(words) => {
                let known = gaps.iter().find(|(most, _)| most == words);
                let beyond = known.map_or(fresh, |(_, beyond)| *beyond);
                if beyond == fresh {
                    gaps.push((*words, fresh));
                }
                beyond
            }
        };
        if node == fresh {
            nodes.push(PatternNode::default());
        }
    }
    let rules = &mut nodes[node as usize].rules;
    if !rules.contains(&rule) {
        rules.push(rule);
    }
}

/// The number of each symbol in a trade's patterns, from 1.
type SymbolNumbers<'a> = HashMap<&'a str, Symbol>;

fn symbol_numbers(trade: &Trade) -> SymbolNumbers<'_> {
    let steps = trade.rules.iter().flat_map(|rule| &rule.ways).flatten();
    let symbols: BTreeSet<&str> = steps.filter_map(PatternStep::symbol).collect();
    symbols.into_iter().zip(1..).collect()
}

/// The edges that each word follows.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// By the word's fingerprint. Words with the same edges share them.
    words: WordMap<Arc<WordEdges>>,
    number: Arc<WordEdges>,
    money: Arc<WordEdges>,
    name: Arc<WordEdges>,
}

/// The edges that a word follows.
#[derive(Debug, Default)]
struct WordEdges {
    /// By their first node.
    edges: Box<[Edge]>,
    /// A bit that few other words have.
    bits: u64,
}

/// The bit of no word, for patterns that end.
const END: u64 = 1 << 63;

/// One or several tokens that are compared as one: a word, a mark, `$ 89`, `7 am`.
#[derive(Debug, Clone, Copy)]
pub struct WordUnit<'judge> {
    /// Index of the first token in the text.
    pub start: usize,
    /// Index of the token after the last.
    pub end: usize,
    edges: &'judge [Edge],
    bits: u64,
    pub is_mark: bool,
    pub is_comma: bool,
}

impl Vocabulary {
    /// Contains all words in the trade's patterns and lists.
    fn new(
        trade: &Trade,
        numbers: &SymbolNumbers<'_>,
        edges: &SymbolEdges,
        trie: &mut PatternTrie,
    ) -> Self {
        let mut words: BTreeMap<String, BTreeSet<Symbol>> = BTreeMap::new();
        for (symbol, number) in numbers {
            for word in members(trade, symbol) {
                words.entry(word).or_default().insert(*number);
            }
        }
        let [number, money, name] =
            ["<number>", "<money>", "<name>"].map(|class| words.remove(class).unwrap_or_default());
        // `3` is a literal in some pattern, and also a number.
        for (_, symbols) in words
            .iter_mut()
            .filter(|(word, _)| word.starts_with(|c: char| c.is_ascii_digit()))
        {
            symbols.extend(&number);
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
        let mut shared: HashMap<BTreeSet<Symbol>, Arc<WordEdges>> = HashMap::new();
        let mut edges_of = |symbols: BTreeSet<Symbol>| {
            let bit = 1 << (shared.len() % 63);
            let known = shared.entry(symbols).or_insert_with_key(|symbols| {
                let edges = symbols.iter().filter_map(|symbol| edges.get(symbol));
                let mut edges: Vec<Edge> = edges.flatten().copied().collect();
                edges.sort_unstable();
                for (from, _) in &edges {
                    trie.followers[*from as usize] |= bit;
                }
                Arc::new(WordEdges {
                    edges: edges.into(),
                    bits: bit,
                })
            });
            Arc::clone(known)
        };
        Self {
            number: edges_of(number),
            money: edges_of(money),
            name: edges_of(name),
            words: words
                .into_iter()
                .map(|(word, symbols)| (Fingerprint::of(&word), edges_of(symbols)))
                .collect(),
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
            let (len, edges) = self.unit(text, at, end, is_first);
            let is_mark = len == 1 && text.has_shape(at, Capitalisation::Mark);
            units.push(WordUnit {
                start: at,
                end: at + len,
                edges: edges.map_or(&[], |word| &*word.edges),
                bits: edges.map_or(0, |word| word.bits),
                is_mark,
                is_comma: is_mark && text.word(at) == ",",
            });
            at += len;
        }
    }

    /// The number of tokens in the unit at `at`, and its edges.
    fn unit(
        &self,
        text: &TokenizedText,
        at: usize,
        end: usize,
        is_first: bool,
    ) -> (usize, Option<&WordEdges>) {
        use Capitalisation::{Capitalised, Lower, Mark, Mixed, Number, Upper};
        let (token, word) = (&text.tokens()[at], text.word(at));
        let language = text.language_words();
        let goes_on = |words: &WordSet| at + 1 < end && text.is_among(at + 1, words);
        if token.shape == Number && goes_on(&language.money) {
            return (2, Some(&self.money));
        }
        if matches!(word, "$" | "€" | "£") && at + 1 < end && text.has_shape(at + 1, Number) {
            return (2, Some(&self.money));
        }
        if let Some(known) = self.words.get(&token.fingerprint) {
            return (1, Some(known));
        }
        let edges = match token.shape {
            Number => Some(&*self.number),
            Capitalised | Mixed if !is_first => Some(&*self.name),
            Capitalised | Mixed | Lower | Upper | Mark => None,
        };
        (1, edges)
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
        let (mut trie, edges) = PatternTrie::new(trade, &numbers);
        let vocabulary = Vocabulary::new(trade, &numbers, &edges, &mut trie);
        let phrases = trade.take_phrases().into_iter();
        Self {
            trie,
            vocabulary,
            rules: phrases.map(|rule| (rule.id, rule.meaning)).collect(),
        }
    }
}
