//! Maps words to symbols. Each word of a text is looked up once; after that, the trie compares only numbers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::BuildHasherDefault;

use super::Symbol;
use crate::insights::text::{Capitalisation, Fingerprint, TokenizedText, WordSet};
use crate::insights::trades::{PatternStep, Trade};

/// A bit for each symbol.
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
    /// The word's symbols in ascending order, and the same symbols as a set.
    symbols: Box<[Symbol]>,
    set: SymbolSet,
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
            set: SymbolSet::new(&symbols),
            follows: SymbolSet::new(&follows),
            symbols,
        }
    }
}

/// The symbols of each word, and the number of each symbol.
#[derive(Debug, Clone, Default)]
pub struct Vocabulary {
    /// The last symbol that begins a pattern; all symbols up to it begin patterns.
    first: Symbol,
    numbers: HashMap<String, Symbol>,
    /// By the word's fingerprint.
    words: HashMap<u64, VocabularyWord, BuildHasherDefault<Fingerprint>>,
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
        self.word.set.has(symbol)
    }

    /// Whether the word may continue a pattern that begins with that symbol.
    pub fn follows(&self, first: Symbol) -> bool {
        self.word.follows.has(first)
    }
}

impl Vocabulary {
    /// Contains all words in the trade's patterns and lists.
    pub fn new(trade: &Trade) -> Self {
        let mut vocabulary = Self::default();
        let mut words: BTreeMap<String, BTreeSet<Symbol>> = BTreeMap::new();
        let ways = || trade.rules.iter().flat_map(|rule| &rule.ways);
        // The symbols at the beginning of patterns come first, so that the search for beginnings can stop early.
        let first: BTreeSet<&str> = ways()
            .filter_map(|way| way.first().and_then(symbol))
            .collect();
        let rest: BTreeSet<&str> = ways()
            .flatten()
            .filter_map(symbol)
            .filter(|symbol| !first.contains(symbol))
            .collect();
        vocabulary.first = Symbol::try_from(first.len()).unwrap_or(Symbol::MAX);
        for symbol in first.into_iter().chain(rest) {
            let number = Symbol::try_from(vocabulary.numbers.len() + 1).unwrap_or(Symbol::MAX);
            for word in members(trade, symbol) {
                words.entry(word).or_default().insert(number);
            }
            vocabulary.numbers.insert(symbol.to_owned(), number);
        }
        let before = vocabulary.before(trade);
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

    /// For each second symbol of a pattern, the first symbols.
    fn before(&self, trade: &Trade) -> BTreeMap<Symbol, BTreeSet<Symbol>> {
        let mut before: BTreeMap<Symbol, BTreeSet<Symbol>> = BTreeMap::new();
        for way in trade.rules.iter().flat_map(|rule| &rule.ways) {
            let mut symbols = way.iter().filter_map(symbol);
            let mut number = || self.symbol(symbols.next()?);
            if let (Some(first), Some(second)) = (number(), number()) {
                before.entry(second).or_default().insert(first);
            }
        }
        before
    }

    pub fn symbol(&self, symbol: &str) -> Option<Symbol> {
        self.numbers.get(symbol).copied()
    }

    /// The last symbol that begins a pattern.
    pub const fn last_first(&self) -> Symbol {
        self.first
    }

    /// Writes the units of the tokens from `start` to `end`.
    pub fn units<'judge>(
        &'judge self,
        text: &TokenizedText,
        start: usize,
        end: usize,
        units: &mut Vec<WordUnit<'judge>>,
    ) {
        units.clear();
        let mut at = start;
        while at < end {
            // In `¡Ramiro`, the opening mark of the sentence is not its first word.
            let is_first = at == start || at == start + 1 && is_opening_mark(text.word(start));
            let (len, word) = self.unit(text, at, end, is_first);
            let is_mark = len == 1 && text.tokens()[at].shape == Capitalisation::Mark;
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
        let (token, word) = (&text.tokens()[at], text.word(at));
        let language = text.language_words();
        let goes_on = |words: &WordSet| at + 1 < end && text.is_among(at + 1, words);
        if token.shape == Capitalisation::Number {
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
        if matches!(word, "$" | "€" | "£")
            && at + 1 < end
            && text.tokens()[at + 1].shape == Capitalisation::Number
        {
            return (2, &self.money);
        }
        if let Some(known) = self.words.get(&token.fingerprint) {
            return (1, known);
        }
        match token.shape {
            Capitalisation::Number => (1, &self.number),
            Capitalisation::Capitalised | Capitalisation::Mixed
                if !is_first || goes_on(&language.after_names) =>
            {
                (1, self.shortened(word).unwrap_or(&self.name))
            }
            Capitalisation::Capitalised
            | Capitalisation::Mixed
            | Capitalisation::Lower
            | Capitalisation::Upper => (1, self.shortened(word).unwrap_or(&self.unknown)),
            Capitalisation::Mark => (1, &self.unknown),
        }
    }

    /// The intended word for a spelling with repeated letters (`soooo`, `goood`) or without its apostrophe.
    fn shortened(&self, word: &str) -> Option<&VocabularyWord> {
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

/// `None` for a gap.
const fn symbol(step: &PatternStep) -> Option<&str> {
    match step {
        PatternStep::Symbol(symbol) => Some(symbol.as_str()),
        PatternStep::Gap(_) => None,
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

/// Spanish `¡` and `¿`.
fn is_opening_mark(mark: &str) -> bool {
    matches!(mark, "\u{a1}" | "\u{bf}")
}
