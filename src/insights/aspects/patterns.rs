//! Finds all patterns of a trade at once: a vocabulary maps words to symbols, each word of a text once, and one prefix
//! tree of symbols holds all patterns, so that only numbers are compared.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
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
struct Building {
    edges: BTreeMap<Symbol, u32>,
    gaps: BTreeMap<u8, u32>,
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
    pub fn new(trade: &Trade, numbers: &SymbolNumbers<'_>) -> Self {
        use Cue::{Afterwards, Breakdown, Firm, Joint, Open, Trouble};
        let mut nodes = vec![Building::default()];
        for (rule, index) in trade.rules.iter().zip(0..) {
            for way in &rule.ways {
                insert(&mut nodes, way, numbers, index);
            }
        }
        let mut trie = Self {
            first: vec![Beginning::default(); numbers.last_first as usize + 1],
            ..Self::default()
        };
        let nodes = by_level(nodes);
        trie.nodes.reserve_exact(nodes.len());
        for (symbol, node) in &nodes[0].edges {
            let Building { gaps, rules, .. } = &nodes[*node as usize];
            trie.first[*symbol as usize] = Beginning {
                node: *node,
                ends: !rules.is_empty(),
                gap: gaps.keys().last().copied().unwrap_or_default(),
            };
        }
        trie.beginning = numbers
            .of("^")
            .map_or(0, |symbol| trie.first[symbol as usize].node);
        for Building { edges, gaps, rules } in nodes {
            let meanings = || rules.iter().map(|rule| trade.rules[*rule as usize].meaning);
            let only = |cue| meanings().all(|meaning| meaning == Meaning::Cue(cue));
            let rank = if meanings().any(|meaning| matches!(meaning, Meaning::Judges(..))) {
                Rank::Judges
            } else if only(Joint) {
                Rank::Joins
            } else {
                Rank::Other
            };
            let is_above = [Firm, Open, Trouble, Breakdown, Afterwards]
                .into_iter()
                .any(only)
                || meanings().all(|meaning| matches!(meaning, Meaning::Complains(_)));
            let node = PatternNode {
                edges: append(&mut trie.edges, edges),
                gaps: append(&mut trie.gaps, gaps),
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
        let mut search = TrieSearch {
            trie: self,
            units,
            matches,
        };
        if self.beginning != 0 {
            search.on(self.beginning, 0..0, 0);
        }
        for (start, unit) in units.iter().enumerate() {
            let rest = &units[start + 1..];
            for symbol in unit.symbols() {
                let Some(Beginning { node, ends, gap }) = self.first.get(*symbol as usize) else {
                    break;
                };
                let mut near = rest.iter().take(usize::from(*gap) + 1);
                if *ends || near.any(|unit| unit.follows(*symbol)) {
                    search.on(*node, start..start + 1, 1);
                }
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
        let PatternNode {
            edges,
            gaps,
            rules,
            rank,
            is_above,
        } = &self.trie.nodes[node as usize];
        if !rules.is_empty() {
            self.matches.push(Match {
                start: over.start,
                end: over.end,
                words,
                rules: &self.trie.rules[rules.start as usize..rules.end as usize],
                rank: *rank,
                is_above: *is_above,
            });
        }
        self.step(edges, over.clone(), words);
        for (most, beyond) in &self.trie.gaps[gaps.start as usize..gaps.end as usize] {
            let beyond = &self.trie.nodes[*beyond as usize].edges;
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

    /// Follows these edges with the unit after `over`.
    fn step(&mut self, edges: &Range<u32>, over: Range<usize>, words: u64) {
        let Some(unit) = self.units.get(over.end) else {
            return;
        };
        let edges = &self.trie.edges[edges.start as usize..edges.end as usize];
        let symbols = unit.symbols();
        let mut on = |next: u32| {
            let words = words | 1 << over.len().min(63);
            self.on(next, over.start..over.end + 1, words);
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
    numbers: &SymbolNumbers<'_>,
    rule: RuleIndex,
) {
    let mut node = 0;
    for step in way {
        let fresh = number(nodes.len());
        let Building { edges, gaps, .. } = &mut nodes[node];
        let next = match step {
            PatternStep::Symbol(symbol) => {
                *(edges.entry(numbers.of(symbol).unwrap_or_default())).or_insert(fresh)
            }
            PatternStep::Gap(words) => *gaps.entry(*words).or_insert(fresh),
        };
        if next == fresh {
            nodes.push(Building::default());
        }
        node = next as usize;
    }
    if !nodes[node].rules.contains(&rule) {
        nodes[node].rules.push(rule);
    }
}

/// The same tree with its nodes sorted by depth, so that frequently visited nodes are adjacent in memory.
fn by_level(mut nodes: Vec<Building>) -> Vec<Building> {
    let mut ordered: Vec<Building> = Vec::with_capacity(nodes.len());
    let mut waiting = VecDeque::from([0_u32]);
    let mut len = 1;
    while let Some(node) = waiting.pop_front() {
        let mut node = std::mem::take(&mut nodes[node as usize]);
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

/// A bit for each symbol up to the last one.
#[derive(Debug, Clone, Default)]
struct SymbolSet(Box<[u64]>);

impl SymbolSet {
    fn new(symbols: &[Symbol]) -> Self {
        let last = symbols.iter().max();
        let mut bits = vec![0; last.map_or(0, |last| *last as usize / 64 + 1)];
        for symbol in symbols {
            bits[*symbol as usize / 64] |= 1 << (symbol % 64);
        }
        Self(bits.into())
    }

    fn has(&self, symbol: Symbol) -> bool {
        let bits = self.0.get(symbol as usize / 64);
        bits.is_some_and(|bits| bits >> (symbol % 64) & 1 == 1)
    }
}

/// The symbols of a word.
#[derive(Debug, Clone, Default)]
struct VocabularyWord {
    /// In ascending order.
    symbols: Box<[Symbol]>,
    /// The first symbols of patterns that a symbol of this word continues, directly or after a gap.
    follows: SymbolSet,
}

impl VocabularyWord {
    /// `before` contains the first symbols for each second symbol of a pattern.
    fn new(
        symbols: impl IntoIterator<Item = Symbol>,
        before: &BTreeMap<Symbol, BTreeSet<Symbol>>,
    ) -> Self {
        let symbols: Box<[Symbol]> = symbols.into_iter().collect();
        let firsts = symbols.iter().filter_map(|one| before.get(one)).flatten();
        let follows: Vec<Symbol> = firsts.copied().collect();
        Self {
            follows: SymbolSet::new(&follows),
            symbols,
        }
    }
}

/// The number of each symbol in a trade's patterns, from 1.
#[derive(Debug)]
pub struct SymbolNumbers<'a> {
    numbers: HashMap<&'a str, Symbol>,
    /// The last symbol that begins a pattern; all symbols up to it begin patterns.
    last_first: Symbol,
}

impl<'a> SymbolNumbers<'a> {
    pub fn new(trade: &'a Trade) -> Self {
        let ways = || trade.rules.iter().flat_map(|rule| &rule.ways);
        // The symbols at the beginning of patterns come first, so that the search for beginnings can stop early.
        let first: BTreeSet<&str> = ways()
            .filter_map(|way| way.first().and_then(PatternStep::symbol))
            .collect();
        let rest: BTreeSet<&str> = ways()
            .flatten()
            .filter_map(PatternStep::symbol)
            .filter(|symbol| !first.contains(symbol))
            .collect();
        Self {
            last_first: Symbol::try_from(first.len()).unwrap_or(Symbol::MAX),
            numbers: first.into_iter().chain(rest).zip(1..).collect(),
        }
    }

    fn of(&self, symbol: &str) -> Option<Symbol> {
        self.numbers.get(symbol).copied()
    }
}

/// The symbols of each word.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// By the word's fingerprint.
    words: WordMap<VocabularyWord>,
    number: VocabularyWord,
    money: VocabularyWord,
    time: VocabularyWord,
    name: VocabularyWord,
    unknown: VocabularyWord,
}

/// One or several tokens that are compared as one: a word, a mark, `$ 89`, `7 am`.
#[derive(Debug, Clone, Copy)]
pub struct WordUnit<'judge> {
    /// Index of the first token in the text.
    pub start: usize,
    /// Index of the token after the last.
    pub end: usize,
    word: &'judge VocabularyWord,
    pub is_mark: bool,
    pub is_comma: bool,
}

impl<'judge> WordUnit<'judge> {
    /// In ascending order.
    pub fn symbols(&self) -> &'judge [Symbol] {
        &self.word.symbols
    }

    pub fn has(&self, symbol: Symbol) -> bool {
        self.word.symbols.binary_search(&symbol).is_ok()
    }

    /// Whether the word may continue a pattern that begins with that symbol.
    pub fn follows(&self, first: Symbol) -> bool {
        self.word.follows.has(first)
    }
}

impl Vocabulary {
    /// Contains all words in the trade's patterns and lists.
    pub fn new(trade: &Trade, numbers: &SymbolNumbers<'_>) -> Self {
        let mut vocabulary = Self::default();
        let mut words: BTreeMap<String, BTreeSet<Symbol>> = BTreeMap::new();
        for (symbol, number) in &numbers.numbers {
            for word in members(trade, symbol) {
                words.entry(word).or_default().insert(*number);
            }
        }
        let before = before(trade, numbers);
        let mut class =
            |name: &str| VocabularyWord::new(words.remove(name).unwrap_or_default(), &before);
        (vocabulary.number, vocabulary.money) = (class("<number>"), class("<money>"));
        (vocabulary.time, vocabulary.name) = (class("<time>"), class("<name>"));
        // `3` is a literal in some pattern, and also a number.
        for (_, symbols) in words
            .iter_mut()
            .filter(|(word, _)| word.starts_with(|c: char| c.is_ascii_digit()))
        {
            symbols.extend(vocabulary.number.symbols.iter().copied());
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
            .map(|(word, symbols)| {
                (
                    Fingerprint::of(&word),
                    VocabularyWord::new(symbols, &before),
                )
            })
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
            let (len, word) = self.unit(text, at, end, is_first);
            let is_mark = len == 1 && text.has_shape(at, Capitalisation::Mark);
            units.push(WordUnit {
                start: at,
                end: at + len,
                word,
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
    ) -> (usize, &VocabularyWord) {
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
            Mark => return (1, &self.unknown),
            Capitalised | Mixed if !is_first || goes_on(&language.after_names) => &self.name,
            Capitalised | Mixed | Lower | Upper => &self.unknown,
        };
        (1, self.without_repeats(word).unwrap_or(otherwise))
    }

    /// The intended word for a spelling with repeated letters (`soooo`, `goood`).
    fn without_repeats(&self, word: &str) -> Option<&VocabularyWord> {
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
            self.words.get(&Fingerprint::of(&short))
        })
    }
}

/// For each second symbol of a pattern, the first symbols.
fn before(trade: &Trade, numbers: &SymbolNumbers<'_>) -> BTreeMap<Symbol, BTreeSet<Symbol>> {
    let mut before: BTreeMap<Symbol, BTreeSet<Symbol>> = BTreeMap::new();
    for way in trade.rules.iter().flat_map(|rule| &rule.ways) {
        let mut symbols = way.iter().filter_map(PatternStep::symbol);
        let mut number = || numbers.of(symbols.next()?);
        if let (Some(first), Some(second)) = (number(), number()) {
            before.entry(second).or_default().insert(first);
        }
    }
    before
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
