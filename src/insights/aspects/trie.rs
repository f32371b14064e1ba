//! All patterns as one prefix tree of symbols, so that a text is compared with thousands of them at once.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use super::{Symbol, Vocabulary, WordUnit};
use crate::compute::steps;
use crate::insights::trades::{Cue, Meaning, PatternStep, Trade};

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
struct Building {
    edges: BTreeMap<Symbol, usize>,
    gaps: BTreeMap<u8, usize>,
    rules: Vec<RuleIndex>,
}

/// Ranges of the tree's lists.
#[derive(Debug, Clone, Default)]
struct PatternNode {
    edges: Range<u32>,
    gaps: Range<u32>,
    rules: Range<u32>,
    rank: Rank,
    is_above: bool,
}

/// The continuation of patterns that begin with a symbol.
#[derive(Debug, Clone, Copy, Default)]
struct Beginning {
    node: u32,
    /// Whether a pattern ends there.
    ends: bool,
    /// Maximum distance of the next symbol after the first one, in units.
    gap: u8,
}

/// A prefix tree of all patterns. Its nodes hold ranges of the lists.
#[derive(Debug, Clone, Default)]
pub struct PatternTrie {
    nodes: Vec<PatternNode>,
    edges: Vec<(Symbol, u32)>,
    gaps: Vec<(u8, u32)>,
    rules: Vec<RuleIndex>,
    /// The edges of the root, by symbol.
    first: Vec<Beginning>,
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
    pub fn new(trade: &Trade, vocabulary: &Vocabulary) -> Self {
        let mut nodes = vec![Building::default()];
        for (rule, index) in trade.rules.iter().zip(0..) {
            for way in &rule.ways {
                insert(&mut nodes, way, vocabulary, index);
            }
        }
        let mut trie = Self {
            first: vec![Beginning::default(); vocabulary.last_first() as usize + 1],
            ..Self::default()
        };
        let nodes = by_level(nodes);
        for (symbol, node) in &nodes[0].edges {
            let Building { gaps, rules, .. } = &nodes[*node];
            trie.first[*symbol as usize] = Beginning {
                node: number(*node),
                ends: !rules.is_empty(),
                gap: gaps.keys().last().copied().unwrap_or_default(),
            };
        }
        trie.beginning = vocabulary
            .symbol("^")
            .map_or(0, |symbol| trie.first[symbol as usize].node);
        for Building { edges, gaps, rules } in nodes {
            let meanings = || rules.iter().map(|rule| trade.rules[*rule as usize].meaning);
            let only = |cue| meanings().all(|meaning| meaning == Meaning::Cue(cue));
            let rank = if meanings().any(|meaning| matches!(meaning, Meaning::Judges(..))) {
                Rank::Judges
            } else if only(Cue::Joint) {
                Rank::Joins
            } else {
                Rank::Other
            };
            let above = [
                Cue::Firm,
                Cue::Open,
                Cue::Trouble,
                Cue::Breakdown,
                Cue::Afterwards,
            ];
            let is_above = above.into_iter().any(only);
            let node = PatternNode {
                edges: append(
                    &mut trie.edges,
                    edges
                        .into_iter()
                        .map(|(symbol, node)| (symbol, number(node))),
                ),
                gaps: append(
                    &mut trie.gaps,
                    gaps.into_iter().map(|(words, node)| (words, number(node))),
                ),
                rules: append(&mut trie.rules, rules),
                rank,
                is_above,
            };
            trie.nodes.push(node);
        }
        trie
    }

    /// Writes every match in a sentence to `matches`.
    pub fn find<'judge>(&'judge self, units: &[WordUnit<'_>], matches: &mut Vec<Match<'judge>>) {
        let walk = Walk { trie: self, units };
        if self.beginning != 0 {
            walk.on(self.beginning, 0..0, 0, matches);
        }
        for (start, unit) in units.iter().enumerate() {
            steps::one();
            let rest = &units[start + 1..];
            for symbol in unit.symbols() {
                steps::one();
                let Some(Beginning { node, ends, gap }) = self.first.get(*symbol as usize) else {
                    break;
                };
                let mut near = rest.iter().take(usize::from(*gap) + 1);
                if *ends || near.any(|unit| unit.follows(*symbol)) {
                    walk.on(*node, start..start + 1, 1, matches);
                }
            }
        }
    }
}

struct Walk<'walk, 'judge> {
    trie: &'judge PatternTrie,
    units: &'walk [WordUnit<'walk>],
}

impl<'judge> Walk<'_, 'judge> {
    /// Continues from the node that was reached with the units `over`.
    fn on(&self, node: u32, over: Range<usize>, words: u64, matches: &mut Vec<Match<'judge>>) {
        let PatternNode {
            edges,
            gaps,
            rules,
            rank,
            is_above,
        } = &self.trie.nodes[node as usize];
        if !rules.is_empty() {
            matches.push(Match {
                start: over.start,
                end: over.end,
                words,
                rules: &self.trie.rules[rules.start as usize..rules.end as usize],
                rank: *rank,
                is_above: *is_above,
            });
        }
        self.step(edges, over.clone(), words, matches);
        for (most, beyond) in &self.trie.gaps[gaps.start as usize..gaps.end as usize] {
            let beyond = &self.trie.nodes[*beyond as usize].edges;
            let last = over.end + usize::from(*most);
            for at in over.end..=last {
                self.step(beyond, over.start..at, words, matches);
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

    /// Follows these edges with the unit after `over`.
    fn step(
        &self,
        edges: &Range<u32>,
        over: Range<usize>,
        words: u64,
        matches: &mut Vec<Match<'judge>>,
    ) {
        let Some(unit) = self.units.get(over.end) else {
            return;
        };
        let edges = &self.trie.edges[edges.start as usize..edges.end as usize];
        let symbols = unit.symbols();
        steps::add(1 + edges.len().min(symbols.len()));
        let mut on = |next: u32| {
            let words = words | 1 << over.len().min(63);
            self.on(next, over.start..over.end + 1, words, matches);
        };
        // Iterates over the shorter list.
        if edges.len() <= symbols.len() {
            for (symbol, next) in edges {
                if unit.has(*symbol) {
                    on(*next);
                }
            }
        } else {
            for symbol in symbols {
                if let Ok(edge) = edges.binary_search_by_key(symbol, |(symbol, _)| *symbol) {
                    on(edges[edge].1);
                }
            }
        }
    }
}

fn insert(
    nodes: &mut Vec<Building>,
    way: &[PatternStep],
    vocabulary: &Vocabulary,
    rule: RuleIndex,
) {
    let mut node = 0;
    for step in way {
        let fresh = nodes.len();
        let next = match step {
            PatternStep::Symbol(symbol) => *nodes[node]
                .edges
                .entry(vocabulary.symbol(symbol).unwrap_or_default())
                .or_insert(fresh),
            PatternStep::Gap(words) => *nodes[node].gaps.entry(*words).or_insert(fresh),
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

/// The same tree with its nodes sorted by depth, so that frequently visited nodes are adjacent in memory.
fn by_level(mut nodes: Vec<Building>) -> Vec<Building> {
    let mut ordered: Vec<Building> = Vec::with_capacity(nodes.len());
    let mut waiting = VecDeque::from([0]);
    let mut len = 1;
    while let Some(node) = waiting.pop_front() {
        let mut node = std::mem::take(&mut nodes[node]);
        for next in node.edges.values_mut().chain(node.gaps.values_mut()) {
            waiting.push_back(std::mem::replace(next, len));
            len += 1;
        }
        ordered.push(node);
    }
    ordered
}

/// Appends a node's list to the tree's; returns its range there.
fn append<T>(all: &mut Vec<T>, own: impl IntoIterator<Item = T>) -> Range<u32> {
    let start = number(all.len());
    all.extend(own);
    start..number(all.len())
}

fn number(index: usize) -> u32 {
    u32::try_from(index).unwrap_or_default()
}
