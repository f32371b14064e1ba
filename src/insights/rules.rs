//! The trades, the phrases with which their customers judge, and the matcher that finds all phrases in a sentence at once.
//! The data is in `rules`; `docs/TRADE.md` describes it.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasherDefault;
use std::ops::Range;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::analysis::Language;
use super::text::{
    Capitalisation, Fingerprint, LanguageWords, TokenizedText, WordMap, WordSet, source,
};
use crate::model::{fold, hex, named, parse_toml};

/// The id of the trade for homes and their installations.
pub const HOME_SERVICES: &str = "home_services";
/// The id of the trade for any other business.
pub const GENERAL: &str = "general";
/// The ids of all trades, the general one last.
pub const IDS: [&str; 3] = [HOME_SERVICES, "food", GENERAL];

/// What the trades are called, and which aspects they have.
const TRADES: &str = include_str!("rules/trades.toml");
/// The phrases of [`IDS`].
const FILES: [&str; IDS.len()] = [
    include_str!("rules/home_services.toml"),
    include_str!("rules/food.toml"),
    include_str!("rules/general.toml"),
];
/// The phrases that all trades share.
const SHARED: &str = include_str!("rules/shared.toml");
/// The phrases in Spanish.
const SPANISH: &str = include_str!("rules/es.toml");
/// The measured quality of each trade.
const QUALITY: &str = include_str!("rules/quality.tsv");

/// The aspect of opinions without an aspect.
const OVERALL: &str = "overall";

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AspectDefinition {
    /// Id of the aspect in all output, for example `response_time`.
    pub id: String,
    /// Display name.
    pub label: String,
    /// A customer's question, for example `Do they arrive on time?`
    pub question: String,
}

/// A trade in one language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trade {
    /// Id of the trade in all output, for example `home_services`.
    pub id: String,
    /// Display name.
    pub label: String,
    /// The types of schema.org for which it is chosen.
    types: Vec<String>,
    /// Whether an opinion without an aspect counts for the aspect `overall`.
    pub has_strays: bool,
    /// In display order.
    pub aspects: Vec<AspectDefinition>,
    /// Index of the aspect that receives opinions without an aspect.
    #[serde(skip)]
    pub overall: Option<usize>,
    /// Whether Spanish texts are analysed, too.
    #[serde(default)]
    pub has_spanish: bool,
    /// The data of its language.
    #[serde(skip)]
    pub words: Arc<LanguageWords>,
    /// Measured quality, in all languages.
    #[serde(skip)]
    pub quality: Vec<Measured>,
}

impl Trade {
    /// The trade with that id (one of [`IDS`]) in English; for any other id, the general one. The published figures were
    /// measured for [`HOME_SERVICES`].
    pub fn built_in(id: &str) -> Self {
        #[derive(Deserialize)]
        struct File {
            trades: Vec<Trade>,
        }
        static READ: LazyLock<Vec<Trade>> = LazyLock::new(|| parse_toml::<File>(TRADES).trades);
        let trade = READ.iter().find(|trade| trade.id == id);
        let trade = trade.or_else(|| READ.last()).cloned().unwrap_or_default();
        Self {
            overall: trade.aspect(OVERALL),
            words: Arc::clone(LanguageWords::english()),
            quality: measured(&trade.id),
            ..trade
        }
    }

    /// The id of the trade for a type of schema.org, written as `Plumber` or as a URL: the first that lists the type,
    /// otherwise the general one.
    pub fn id_for(kind: &str) -> &'static str {
        static TYPES: LazyLock<Vec<Vec<String>>> =
            LazyLock::new(|| IDS.map(|id| Trade::built_in(id).types).into());
        let name = kind.trim().rsplit('/').next().unwrap_or(kind);
        let is_of = |types: &[String]| types.iter().any(|one| one.eq_ignore_ascii_case(name));
        let found = TYPES.iter().zip(IDS).find(|(types, _)| is_of(types));
        found.map_or(GENERAL, |(_, id)| id)
    }

    /// The trade in Spanish, if it has phrases for it.
    pub fn in_spanish(&self) -> Option<Self> {
        self.has_spanish.then(|| Self {
            words: Arc::clone(LanguageWords::of(Language::Spanish)),
            ..self.clone()
        })
    }

    pub fn is_english(&self) -> bool {
        self.words.language == Language::English
    }

    /// In the trade's order.
    pub fn aspect_ids(&self) -> Vec<&str> {
        let aspects = self.aspects.iter();
        aspects.map(|aspect| aspect.id.as_str()).collect()
    }

    /// The index of the aspect with that ID or label, in any case.
    pub fn find_aspect(&self, name: &str) -> Option<usize> {
        let name = fold(name);
        let mut aspects = self.aspects.iter();
        aspects.position(|one| fold(&one.id) == name || fold(&one.label) == name)
    }

    pub fn aspect(&self, id: &str) -> Option<usize> {
        self.aspects.iter().position(|aspect| aspect.id == id)
    }

    /// The files with its phrases.
    fn texts(&self) -> Vec<&'static str> {
        match self.words.language {
            Language::Spanish => vec![SPANISH],
            Language::English => {
                let at = IDS.iter().position(|one| *one == self.id);
                vec![FILES[at.unwrap_or(IDS.len() - 1)], SHARED]
            }
        }
    }

    /// SHA-256 of everything that determines its findings but the weights, in hexadecimal.
    pub fn digest(&self) -> String {
        let language = source(self.words.language);
        hex(&Sha256::digest(
            [&[TRADES, language], &*self.texts()].concat().concat(),
        ))
    }
}

// The measured quality of the trades.

/// One measure of one task on one set of annotated texts.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Measured {
    /// Id of the trade.
    pub trade: String,
    /// For example `aspect`.
    pub task: String,
    /// Name of the set, for example `ordinary_held_out`.
    pub set: String,
    /// For example `f1` or `accuracy`.
    pub measure: String,
    /// Number of rows in the set.
    pub n: usize,
    /// Numerator.
    pub part: usize,
    /// Denominator.
    pub whole: usize,
}

/// The figures of a trade in `quality.tsv`, whose first line names the columns. A test writes the file.
fn measured(trade: &str) -> Vec<Measured> {
    let mut table = csv::ReaderBuilder::new();
    let mut table = table.delimiter(b'\t').from_reader(QUALITY.as_bytes());
    let figures = table.deserialize().map(|figure: csv::Result<Measured>| {
        figure.unwrap_or_else(|fault| unreachable!("a file of the program: {fault}"))
    });
    figures.filter(|figure| figure.trade == trade).collect()
}

// The phrases in the files.

named! {
    /// A word or phrase that changes the meaning of others.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Cue {
        /// `not`, `without`: negates what follows.
        Negators = "negators",
        /// `but`: begins a clause, and weakens the one before.
        Contrasts = "contrasts",
        /// `I told them`: what the customer did, which is rarely a complaint.
        Deeds = "deeds",
    }
}

/// The meaning of a phrase. Aspects are indices of the trade's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// It judges the aspect: positive points are praise, 0 is a fact.
    Judges(usize, i32),
    /// It names the aspect, which an opinion may judge.
    Names(usize),
    /// It names the aspect only if an opinion is beside it.
    Hints(usize),
    /// It gives a complaint of a low-rated review its aspect.
    Complains(usize),
    /// It judges the name beside it with these points.
    Opinion(i32),
    /// It changes the meaning of other phrases.
    Cue(Cue),
}

impl Meaning {
    /// Whether it judges something.
    pub const fn judges(self) -> bool {
        matches!(self, Self::Judges(..) | Self::Opinion(_))
    }
}

/// Words by the name of a list, or irregular forms by their base form.
type Lists = BTreeMap<String, Vec<String>>;

/// The content of a file of phrases.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PhraseFile {
    aspects: BTreeMap<String, AspectPhrases>,
    opinions: Opinions,
    cues: BTreeMap<Cue, Vec<String>>,
    /// For `@name` in a pattern.
    lists: Lists,
    irregular: Lists,
}

/// The phrases of an aspect.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct AspectPhrases {
    complaints: Vec<String>,
    names: Vec<String>,
    hints: Vec<String>,
    positive: Vec<String>,
    mildly_positive: Vec<String>,
    neutral: Vec<String>,
    mildly_negative: Vec<String>,
    negative: Vec<String>,
}

/// Words that judge what they are said of.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Opinions {
    excellent: Vec<String>,
    good: Vec<String>,
    fair: Vec<String>,
    poor: Vec<String>,
    bad: Vec<String>,
    terrible: Vec<String>,
}

/// A phrase with its meaning.
struct Rule {
    /// Name of its hits, for example `phrase:show_up_on_time`.
    id: String,
    /// The ways to match; one of them is sufficient.
    ways: Vec<Vec<PatternStep>>,
    meaning: Meaning,
}

/// The phrases of a trade.
struct Phrases<'trade> {
    trade: &'trade Trade,
    /// The trade's own first: of equal ones, the first counts.
    rules: Vec<Rule>,
    lists: Lists,
    irregular: Lists,
}

impl<'trade> Phrases<'trade> {
    fn read(trade: &'trade Trade) -> Self {
        let mut phrases = Self {
            trade,
            rules: Vec::new(),
            lists: Lists::new(),
            irregular: Lists::new(),
        };
        let texts = trade.texts().into_iter();
        let files: Vec<PhraseFile> = texts.map(parse_toml).collect();
        for file in &files {
            for (from, into) in [
                (&file.lists, &mut phrases.lists),
                (&file.irregular, &mut phrases.irregular),
            ] {
                for (name, words) in from {
                    into.entry(name.clone())
                        .or_default()
                        .extend_from_slice(words);
                }
            }
        }
        for file in &files {
            phrases.add_words(file);
        }
        for file in &files {
            phrases.add_judgements(file);
        }
        phrases
    }

    fn add_words(&mut self, file: &PhraseFile) {
        let opinions = &file.opinions;
        for (points, texts) in [
            (4, &opinions.excellent),
            (3, &opinions.good),
            (2, &opinions.fair),
            (-2, &opinions.poor),
            (-3, &opinions.bad),
            (-4, &opinions.terrible),
        ] {
            self.add("lexicon", Meaning::Opinion(points), texts);
        }
        for (cue, texts) in &file.cues {
            self.add(cue.name(), Meaning::Cue(*cue), texts);
        }
    }

    fn add_judgements(&mut self, file: &PhraseFile) {
        for (id, phrases) in &file.aspects {
            let Some(aspect) = self.trade.aspect(id) else {
                continue;
            };
            for (meaning, texts) in [
                (Meaning::Complains(aspect), &phrases.complaints),
                (Meaning::Hints(aspect), &phrases.hints),
                (Meaning::Names(aspect), &phrases.names),
                (Meaning::Judges(aspect, -2), &phrases.mildly_negative),
                (Meaning::Judges(aspect, 2), &phrases.mildly_positive),
                (Meaning::Judges(aspect, -3), &phrases.negative),
                (Meaning::Judges(aspect, 0), &phrases.neutral),
                (Meaning::Judges(aspect, 3), &phrases.positive),
            ] {
                self.add("phrase", meaning, texts);
            }
        }
    }

    fn add(&mut self, kind: &str, meaning: Meaning, texts: &[String]) {
        for text in texts {
            // A test reads every file.
            let (name, ways) = parse_pattern(text, &self.lists)
                .unwrap_or_else(|fault| unreachable!("{fault} in `{text}`"));
            self.rules.push(Rule {
                id: format!("{kind}:{name}"),
                ways,
                meaning,
            });
        }
    }

    /// The words of a symbol; for a class, the class itself.
    fn members(&self, symbol: &str) -> Vec<String> {
        if symbol.len() > 1 && symbol.contains('|') {
            let symbols = symbol.split('|');
            return symbols.flat_map(|one| self.members(one)).collect();
        }
        let list = symbol.strip_prefix('@');
        if let Some(list) = list.and_then(|name| self.lists.get(name)) {
            let entries = list.iter();
            return entries.flat_map(|entry| self.members(entry)).collect();
        }
        let language = &self.trade.words;
        match symbol.strip_suffix('~') {
            None => vec![language.compared(symbol)],
            Some(base) => {
                let irregular = self.irregular.get(base).into_iter().flatten();
                let irregular = irregular.map(|form| language.compared(form));
                language.forms(base).into_iter().chain(irregular).collect()
            }
        }
    }
}

// The notation of patterns.
//
// | written | matches |
// |---|---|
// | `on time` | these words, one after the other |
// | `early|late` | one of these |
// | `show~` | any form: show, shows, showed, showing |
// | `@firm` | one of a list of words |
// | `<number>` `<money>` `<name>` | a number, a sum, a capitalised word that is none of ours |
// | `right?` | the word or nothing |
// | `(as promised|on time)?` | one of several sequences, and with `?` or nothing |
// | `..` `..5` | up to three (five) other words, across no mark |
// | `^` | where a sentence begins |

/// A step of one way to match a pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PatternStep {
    /// One word with this symbol: a literal, `base~`, `@list` or `<class>`, or several of them joined by `|`.
    Symbol(Arc<str>),
    /// A gap of at most this many words.
    Gap(u8),
}

impl PatternStep {
    /// `None` for a gap.
    pub fn symbol(&self) -> Option<&str> {
        match self {
            Self::Symbol(symbol) => Some(symbol),
            Self::Gap(_) => None,
        }
    }
}

/// Maximum number of words in the gap `..`.
const GAP: u8 = 3;

/// Parses a pattern into its name and all ways to match it. The name consists of its words, with the first of several
/// alternatives and without optional parts. The entries of a list with several words become alternatives.
///
/// # Errors
/// The error in the pattern.
pub fn parse_pattern(
    text: &str,
    lists: &BTreeMap<String, Vec<String>>,
) -> Result<(String, Vec<Vec<PatternStep>>), &'static str> {
    let mut parser = Parser { rest: text, lists };
    let PatternPart { name, mut ways } = parser.sequence(false)?;
    if !parser.rest.is_empty() {
        return Err("an extra `)` or `|`");
    }
    for way in &mut ways {
        // A gap at the end of a pattern is left out.
        while matches!(way.last(), Some(PatternStep::Gap(_))) {
            way.pop();
        }
        if !matches!(way.first(), Some(PatternStep::Symbol(_))) {
            return Err("a way to match that begins with a gap or has no word");
        }
    }
    Ok((name, ways))
}

/// A pattern, or a part of one.
struct PatternPart {
    name: String,
    ways: Vec<Vec<PatternStep>>,
}

impl PatternPart {
    /// The part that matches in one way.
    fn of(name: &str, way: Vec<PatternStep>) -> Self {
        Self {
            name: name.to_owned(),
            ways: vec![way],
        }
    }

    /// One of several parts, or with `is_optional` none of them.
    fn either(mut choices: Vec<Self>, is_optional: bool) -> Self {
        if is_optional {
            choices.insert(0, Self::of("", Vec::new()));
        } else if choices.len() == 1 {
            return choices.remove(0);
        }
        let name = choices.first().map(|choice| choice.name.clone());
        Self {
            name: name.unwrap_or_default(),
            ways: join(choices.into_iter().flat_map(|choice| choice.ways)),
        }
    }

    /// Adds a part after this one.
    fn push(&mut self, next: &Self) {
        if !self.name.is_empty() && !next.name.is_empty() {
            self.name.push('_');
        }
        self.name.push_str(&next.name);
        let ways = self.ways.iter();
        let ways = ways.flat_map(|way| {
            let parts = next.ways.iter();
            parts.map(|part| [way.as_slice(), part].concat())
        });
        self.ways = ways.collect();
    }
}

/// Joins alternatives of one word each into one set, so that they are a single way.
fn join(parts: impl Iterator<Item = Vec<PatternStep>>) -> Vec<Vec<PatternStep>> {
    let (mut joined, mut words) = (Vec::new(), Vec::new());
    for part in parts {
        match part.as_slice() {
            [PatternStep::Symbol(word)] if word.as_ref() != "^" => words.push(word.clone()),
            _ => joined.push(part),
        }
    }
    words.sort();
    words.dedup();
    if !words.is_empty() {
        joined.push(vec![PatternStep::Symbol(words.join("|").into())]);
    }
    joined
}

struct Parser<'text> {
    rest: &'text str,
    lists: &'text Lists,
}

impl Parser<'_> {
    /// The parts up to the end, a `|` between sequences of a group, or a `)`.
    fn sequence(&mut self, is_in_group: bool) -> Result<PatternPart, &'static str> {
        let mut sequence = PatternPart::of("", Vec::new());
        loop {
            self.rest = self.rest.trim_start();
            let next = match self.rest.chars().next() {
                None | Some(')' | '|') => return Ok(sequence),
                Some('(') => self.group()?,
                Some(_) => self.choice(is_in_group)?,
            };
            sequence.push(&next);
        }
    }

    /// A group from its `(` on, optional with a `?` after it: `(one way|another)?`
    fn group(&mut self) -> Result<PatternPart, &'static str> {
        let mut choices = Vec::new();
        self.rest = &self.rest[1..];
        loop {
            choices.push(self.sequence(true)?);
            match self.rest.strip_prefix('|') {
                Some(rest) => self.rest = rest,
                None => break,
            }
        }
        self.rest = self
            .rest
            .strip_prefix(')')
            .ok_or("a `(` that is not closed")?;
        let optional = self.rest.strip_prefix('?');
        self.rest = optional.unwrap_or(self.rest);
        Ok(PatternPart::either(choices, optional.is_some()))
    }

    /// `early|late?`, one word of each, or a gap
    fn choice(&mut self, is_in_group: bool) -> Result<PatternPart, &'static str> {
        // In a group `|` separates sequences; outside of it, `|` separates words.
        let ends = |c: char| c.is_whitespace() || c == '(' || c == ')' || c == '|' && is_in_group;
        let len = self.rest.find(ends).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(len);
        self.rest = rest;
        if let Some(words) = word.strip_prefix("..") {
            let gap = if words.is_empty() {
                Ok(GAP)
            } else {
                words.parse()
            };
            let gap = gap.map_err(|_| "a gap that is neither `..` nor like `..5`")?;
            return Ok(PatternPart::of("", vec![PatternStep::Gap(gap)]));
        }
        let optional = word.strip_suffix('?');
        let mut choices = Vec::new();
        for one in optional.unwrap_or(word).split('|') {
            choices.extend(self.symbol(one)?);
        }
        Ok(PatternPart::either(choices, optional.is_some()))
    }

    /// The alternatives of one name: a single symbol, or the entries of a list with several words.
    fn symbol(&self, word: &str) -> Result<Vec<PatternPart>, &'static str> {
        if let Some(name) = word.strip_prefix('@') {
            let list = self.lists.get(name).ok_or("an unknown list")?;
            let is_long = |entry: &String| entry.contains([' ', '(', '|', '?', '@']);
            if list.iter().any(is_long) {
                let lists = self.lists;
                let parts = list.iter();
                return parts
                    .map(|rest| Parser { rest, lists }.sequence(false))
                    .collect();
            }
        } else if word.is_empty() || !word.starts_with('<') && word.contains(char::is_uppercase) {
            return Err("an empty word, or one in upper case");
        }
        let name = word.trim_matches(['~', '@', '<', '>', '^']);
        let step = PatternStep::Symbol(word.into());
        Ok(vec![PatternPart::of(name, vec![step])])
    }
}

// The matcher: one prefix tree holds all patterns, and a vocabulary has the symbols of each word, so that only numbers are
// compared.

/// The number of a word, list or class.
type Symbol = u32;

/// A rule's index.
pub type RuleIndex = u32;

/// One or several tokens that are compared as one: a word, a mark, `$ 89`, `7 am`.
#[derive(Debug, Clone, Copy)]
pub struct WordUnit<'word> {
    /// Index of the first token in the text.
    pub start: usize,
    /// Index of the token after the last.
    pub end: usize,
    /// Ascending.
    symbols: &'word [Symbol],
    /// A bit that few other words have.
    bit: u64,
    pub is_mark: bool,
    /// Whether a gap may contain it: words and commas, but no other mark.
    fits_gap: bool,
}

/// Rules that match at one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match<'tree> {
    /// The first matching unit, counted within the sentence.
    pub start: usize,
    /// The unit after the last.
    pub end: usize,
    /// The units from `start` on that match words of the pattern rather than a gap: bit 0 is `start`.
    pub words: u64,
    /// Ascending.
    pub rules: &'tree [RuleIndex],
}

#[derive(Debug, Clone, Default)]
struct PatternNode {
    /// The next nodes by symbol, ascending.
    edges: Vec<(Symbol, u32)>,
    /// The next nodes after gaps of at most so many words.
    gaps: Vec<(u8, u32)>,
    /// The rules of the patterns that end here.
    rules: Vec<RuleIndex>,
    /// The bits of the words that may follow: comparing them is enough to leave most nodes.
    followers: u64,
}

/// A prefix tree of patterns; its root is the first node.
#[derive(Debug, Clone, Default)]
struct PatternTree {
    nodes: Vec<PatternNode>,
    /// The next node of the root by symbol; 0 if there is none.
    starts: Vec<u32>,
    /// The node of patterns that begin with `^`; 0 if there are none.
    beginning: u32,
}

/// The number of each symbol of the patterns.
type SymbolNumbers<'rule> = HashMap<&'rule str, Symbol, BuildHasherDefault<Fingerprint>>;

impl PatternTree {
    /// The tree without followers.
    fn new<'rule>(rules: &'rule [Rule], numbers: &mut SymbolNumbers<'rule>) -> Self {
        let index = |len: usize| u32::try_from(len).unwrap_or_default();
        let mut nodes = vec![PatternNode::default()];
        for (rule, number) in rules.iter().zip(0..) {
            for way in &rule.ways {
                let mut node = 0;
                for step in way {
                    let fresh = index(nodes.len());
                    let current = &mut nodes[node as usize];
                    node = match step {
                        PatternStep::Gap(words) => next_node(&mut current.gaps, *words, fresh),
                        PatternStep::Symbol(symbol) => {
                            let next = index(numbers.len());
                            let symbol = *numbers.entry(symbol).or_insert(next);
                            next_node(&mut current.edges, symbol, fresh)
                        }
                    };
                    if node == fresh {
                        nodes.push(PatternNode::default());
                    }
                }
                let rules = &mut nodes[node as usize].rules;
                if !rules.contains(&number) {
                    rules.push(number);
                }
            }
        }
        let mut starts = vec![0; numbers.len()];
        for (symbol, next) in &nodes[0].edges {
            starts[*symbol as usize] = *next;
        }
        let beginning = numbers.get("^").map(|symbol| starts[*symbol as usize]);
        Self {
            nodes,
            starts,
            beginning: beginning.unwrap_or_default(),
        }
    }

    /// Writes the followers of all nodes; `bits` has the bits of each symbol's words.
    fn set_followers(&mut self, bits: &[u64]) {
        for node in &mut self.nodes {
            let edges = node.edges.iter();
            let bits = edges.map(|(symbol, _)| bits[*symbol as usize]);
            node.followers = bits.fold(0, |all, bits| all | bits);
        }
    }

    /// Writes every match in a sentence to `matches`.
    fn find<'tree>(&'tree self, units: &[WordUnit<'_>], matches: &mut Vec<Match<'tree>>) {
        if self.beginning != 0 {
            self.search(units, self.beginning, 0..0, 0, matches);
        }
        for (start, unit) in units.iter().enumerate() {
            for symbol in unit.symbols {
                let node = self.starts[*symbol as usize];
                if node != 0 {
                    self.search(units, node, start..start + 1, 1, matches);
                }
            }
        }
    }

    /// Continues from the node that was reached with the units `over`.
    fn search<'tree>(
        &'tree self,
        units: &[WordUnit<'_>],
        node: u32,
        over: Range<usize>,
        words: u64,
        matches: &mut Vec<Match<'tree>>,
    ) {
        let node = &self.nodes[node as usize];
        if !node.rules.is_empty() {
            matches.push(Match {
                start: over.start,
                end: over.end,
                words,
                rules: &node.rules,
            });
        }
        self.step(units, node, over.clone(), words, matches);
        for (most, next) in &node.gaps {
            let next = &self.nodes[*next as usize];
            for at in over.end..=over.end + usize::from(*most) {
                self.step(units, next, over.start..at, words, matches);
                if units.get(at).is_none_or(|unit| !unit.fits_gap) {
                    break;
                }
            }
        }
    }

    /// Follows the edges of a node over the unit after `over`.
    fn step<'tree>(
        &'tree self,
        units: &[WordUnit<'_>],
        node: &'tree PatternNode,
        over: Range<usize>,
        words: u64,
        matches: &mut Vec<Match<'tree>>,
    ) {
        let unit = units.get(over.end);
        let Some(unit) = unit.filter(|unit| unit.bit & node.followers != 0) else {
            return;
        };
        let words = words | 1 << over.len().min(63);
        for (symbol, next) in &node.edges {
            if unit.symbols.binary_search(symbol).is_ok() {
                self.search(units, *next, over.start..over.end + 1, words, matches);
            }
        }
    }
}

/// The node to which `key` leads; if there is none, `fresh`.
fn next_node<K: Ord>(edges: &mut Vec<(K, u32)>, key: K, fresh: u32) -> u32 {
    match edges.binary_search_by(|(one, _)| one.cmp(&key)) {
        Ok(at) => edges[at].1,
        Err(at) => {
            edges.insert(at, (key, fresh));
            fresh
        }
    }
}

/// The symbols of each word.
#[derive(Debug, Clone, Default)]
struct Vocabulary {
    /// By the word's fingerprint, the index of its symbols. Words with the same symbols share them.
    words: WordMap<usize>,
    number: usize,
    money: usize,
    name: usize,
    /// Symbols, ascending; those of unknown words, which have none, are the first.
    symbols: Vec<Box<[Symbol]>>,
}

/// The bit of the words with the symbols at this index.
const fn bit(symbols: usize) -> u64 {
    1 << (symbols % 64)
}

impl Vocabulary {
    /// Contains all words of the phrases and lists. Writes the followers of `tree`.
    fn new(phrases: &Phrases<'_>, numbers: &SymbolNumbers<'_>, tree: &mut PatternTree) -> Self {
        let (mut words, mut numerals) = (WordMap::<Vec<Symbol>>::default(), Vec::new());
        for (symbol, number) in numbers {
            for word in phrases.members(symbol) {
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
        let (mut all, mut shared) = (Vec::<Box<[Symbol]>>::new(), HashMap::new());
        let mut index = |mut symbols: Vec<Symbol>| {
            symbols.sort_unstable();
            symbols.dedup();
            *shared.entry(symbols).or_insert_with_key(|symbols| {
                all.push(symbols.as_slice().into());
                all.len() - 1
            })
        };
        index(Vec::new());
        let [number, money, name] = [number, money, name].map(&mut index);
        let words = words.into_iter();
        let words = words
            .map(|(word, symbols)| (word, index(symbols)))
            .collect();
        let mut bits = vec![0; numbers.len()];
        for (at, symbols) in all.iter().enumerate() {
            for symbol in symbols {
                bits[*symbol as usize] |= bit(at);
            }
        }
        tree.set_followers(&bits);
        Self {
            words,
            number,
            money,
            name,
            symbols: all,
        }
    }

    /// Writes the units of a sentence.
    fn units<'word>(
        &'word self,
        text: &TokenizedText,
        Range { start, end }: Range<usize>,
        units: &mut Vec<WordUnit<'word>>,
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
                symbols: self.symbols.get(word).map_or(&[], |symbols| symbols),
                bit: bit(word),
                is_mark,
                fits_gap: !is_mark || text.word(at) == ",",
            });
            at += len;
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

/// All phrases of a trade, compiled.
#[derive(Debug, Clone, Default)]
pub struct CompiledRules {
    vocabulary: Vocabulary,
    tree: PatternTree,
    /// For each rule the name of its hits, and its meaning.
    pub rules: Box<[(String, Meaning)]>,
}

impl CompiledRules {
    pub fn new(trade: &Trade) -> Self {
        let phrases = Phrases::read(trade);
        let mut numbers = SymbolNumbers::default();
        let mut tree = PatternTree::new(&phrases.rules, &mut numbers);
        let vocabulary = Vocabulary::new(&phrases, &numbers, &mut tree);
        let rules = phrases.rules.into_iter();
        Self {
            tree,
            vocabulary,
            rules: rules.map(|rule| (rule.id, rule.meaning)).collect(),
        }
    }

    /// Writes the units and the matches of a sentence.
    pub fn find<'rules>(
        &'rules self,
        text: &TokenizedText,
        sentence: Range<usize>,
        units: &mut Vec<WordUnit<'rules>>,
        matches: &mut Vec<Match<'rules>>,
    ) {
        self.vocabulary.units(text, sentence, units);
        matches.clear();
        self.tree.find(units, matches);
    }
}

#[cfg(test)]
mod tests {
    use super::{CompiledRules, HOME_SERVICES, IDS, Lists, Phrases, QUALITY, Trade, parse_pattern};
    use crate::insights::text::LanguageWords;

    #[test]
    fn every_file_is_read() {
        for id in IDS {
            let trade = Trade::built_in(id);
            assert_eq!(trade.id, id);
            assert!(trade.overall.is_some());
            for trade in [Some(trade.clone()), trade.in_spanish()]
                .into_iter()
                .flatten()
            {
                assert!(trade.aspects.iter().all(|one| one.question.ends_with('?')));
                let phrases = Phrases::read(&trade);
                for texts in trade.texts() {
                    let file: super::PhraseFile = super::parse_toml(texts);
                    let unknown: Vec<&String> = (file.aspects.keys())
                        .filter(|id| {
                            !IDS.iter()
                                .any(|of| Trade::built_in(of).aspect(id).is_some())
                        })
                        .collect();
                    assert!(unknown.is_empty(), "{unknown:?}");
                }
                assert!(CompiledRules::new(&trade).rules.len() == phrases.rules.len());
            }
        }
        let figures: usize = IDS.map(|id| Trade::built_in(id).quality.len()).iter().sum();
        assert_eq!(figures + 1, QUALITY.lines().count());
        assert_eq!(Trade::built_in("dentist").id, "general");
    }

    #[test]
    fn the_type_of_the_business_selects_the_trade() {
        for (kind, id) in [
            ("HVACBusiness", "home_services"),
            ("Plumber", "home_services"),
            ("https://schema.org/Restaurant", "food"),
            ("cafeorcoffeeshop", "food"),
            ("Dentist", "general"),
            ("LocalBusiness", "general"),
            ("", "general"),
        ] {
            assert_eq!(Trade::id_for(kind), id, "{kind}");
        }
    }

    #[test]
    fn the_digest_is_that_of_the_trade_and_language() {
        let trade = Trade::built_in("general");
        let spanish = trade.in_spanish().unwrap();
        assert_ne!(trade.digest(), spanish.digest());
        assert_ne!(trade.digest(), Trade::built_in(HOME_SERVICES).digest());
    }

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
        let ways = |text: &str| parse_pattern(text, &lists()).unwrap().1.len();
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
            assert!(parse_pattern(wrong, &lists()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn forms_follow_the_rules_of_spelling() {
        for (base, form) in [
            ("stop", "stopped"),
            ("arrive", "arriving"),
            ("try", "tried"),
            ("fix", "fixes"),
            ("show", "showed"),
            ("play", "played"),
        ] {
            let forms = LanguageWords::english().forms(base);
            assert!(forms.contains(&form.to_owned()), "{base} {form}");
        }
    }
}
