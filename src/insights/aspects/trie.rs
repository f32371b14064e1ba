//! All patterns as one tree of symbols, so that a text is compared with thousands of them at once.

use std::collections::BTreeMap;

use super::{Symbol, Unit, Vocabulary};
use crate::insights::trade::{Step, Trade, expand};

/// A rule's index in the trade.
pub type RuleIndex = u32;

#[derive(Debug, Clone, Default)]
struct Building {
    edges: BTreeMap<Symbol, usize>,
    gaps: BTreeMap<u8, usize>,
    rules: Vec<RuleIndex>,
}

#[derive(Debug, Clone, Default)]
struct Node {
    edges: Box<[(Symbol, u32)]>,
    gaps: Box<[(u8, u32)]>,
    rules: Box<[RuleIndex]>,
}

/// The tree.
#[derive(Debug, Clone, Default)]
pub struct Trie {
    nodes: Vec<Node>,
    /// The root's edges by symbol; 0 where there is none.
    first: Vec<u32>,
    /// Where patterns that begin with `^` go on; 0 where there are none.
    beginning: u32,
}

/// Rules that match at one place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'judge> {
    /// The first unit.
    pub start: usize,
    /// The unit after the last.
    pub end: usize,
    /// Which units from `start` on are the pattern's own words and no gap's: bit 0 is `start`.
    pub words: u64,
    /// The rules, in the trade's order.
    pub rules: &'judge [RuleIndex],
}

impl Trie {
    /// Of all the trade's patterns.
    pub fn new(trade: &Trade, vocabulary: &Vocabulary) -> Self {
        let mut nodes = vec![Building::default()];
        for (rule, index) in trade.rules.iter().zip(0..) {
            for way in expand(&rule.pattern).unwrap_or_default() {
                insert(&mut nodes, &way, vocabulary, index);
            }
        }
        let mut first = vec![0; vocabulary.len() + 1];
        for (symbol, node) in &nodes[0].edges {
            first[*symbol as usize] = id(*node);
        }
        let beginning = vocabulary.symbol("^").map_or(0, |symbol| first[symbol as usize]);
        let close = |node: Building| Node {
            edges: node.edges.into_iter().map(|(symbol, node)| (symbol, id(node))).collect(),
            gaps: node.gaps.into_iter().map(|(words, node)| (words, id(node))).collect(),
            rules: node.rules.into(),
        };
        Self { nodes: nodes.into_iter().map(close).collect(), first, beginning }
    }

    /// How many nodes there are.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Writes everything that matches in a sentence, wherever it begins.
    pub fn find<'judge>(&'judge self, units: &[Unit<'_>], matches: &mut Vec<Match<'judge>>) {
        let walk = Walk { trie: self, units };
        if self.beginning != 0 {
            walk.on(self.beginning, 0, 0, 0, matches);
        }
        for (start, unit) in units.iter().enumerate() {
            for symbol in unit.symbols {
                let node = self.first[*symbol as usize];
                if node != 0 {
                    walk.on(node, start, start + 1, 1, matches);
                }
            }
        }
    }
}

struct Walk<'walk, 'judge> {
    trie: &'judge Trie,
    units: &'walk [Unit<'walk>],
}

impl<'judge> Walk<'_, 'judge> {
    /// Goes on from a node with the unit at `at`.
    fn on(&self, node: u32, start: usize, at: usize, words: u64, matches: &mut Vec<Match<'judge>>) {
        let node = &self.trie.nodes[node as usize];
        if !node.rules.is_empty() {
            matches.push(Match { start, end: at, words, rules: &node.rules });
        }
        self.step(node, start, at, words, matches);
        for (most, beyond) in &node.gaps {
            let beyond = &self.trie.nodes[*beyond as usize];
            for skipped in 0..=usize::from(*most) {
                self.step(beyond, start, at + skipped, words, matches);
                // A gap passes words and commas, but nothing that ends a thought.
                let passes = self.units.get(at + skipped).is_some_and(|unit| !unit.is_mark || unit.is_comma);
                if !passes {
                    break;
                }
            }
        }
    }

    fn step(&self, node: &'judge Node, start: usize, at: usize, words: u64, matches: &mut Vec<Match<'judge>>) {
        let Some(unit) = self.units.get(at) else { return };
        let mut on = |next: u32| self.on(next, start, at + 1, words | 1 << (at - start).min(63), matches);
        // The shorter list is walked, the longer one searched; both are sorted.
        if node.edges.len() < unit.symbols.len() {
            for (symbol, next) in &node.edges {
                if unit.symbols.binary_search(symbol).is_ok() {
                    on(*next);
                }
            }
        } else {
            for symbol in unit.symbols {
                if let Ok(edge) = node.edges.binary_search_by_key(symbol, |(symbol, _)| *symbol) {
                    on(node.edges[edge].1);
                }
            }
        }
    }
}

fn insert(nodes: &mut Vec<Building>, way: &[Step], vocabulary: &Vocabulary, rule: RuleIndex) {
    let mut node = 0;
    for step in way {
        let fresh = nodes.len();
        let next = match step {
            Step::Symbol(symbol) => *nodes[node].edges.entry(vocabulary.symbol(symbol).unwrap_or_default()).or_insert(fresh),
            Step::Gap(words) => *nodes[node].gaps.entry(*words).or_insert(fresh),
        };
        if next == fresh {
            nodes.push(Building::default());
        }
        node = next;
    }
    if !nodes[node].rules.contains(&rule) {
        nodes[node].rules.push(rule);
    }
}

fn id(node: usize) -> u32 {
    u32::try_from(node).unwrap_or_default()
}
