//! A name in its sentence, and the contexts by which names are recognised: phrases around the name, in the notation of the
//! trades' phrases, which `names.toml` lists by their meaning.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::analysis::{Mention, Polarity};
use super::names::WordClass::{self, Be, Deed, Firm, FirstName, Link, Near, Pair, WordName};
use super::names::{DictionaryWord, NameTrie, TABLE, TaggedText, WordTable};
use super::pattern::{Lists, PatternTree, Symbol, WordUnit, parse_pattern};
use super::text::Capitalisation;
use super::words::{Fingerprint, WordMap};
use crate::model::{MentionKind, named, parse_toml};

/// Tokens that may be a name, in their sentence.
#[derive(Debug, Clone)]
pub struct NameContext<'a> {
    /// The whole text with the dictionary's data.
    pub tagged: &'a TaggedText<'a>,
    /// Number of the sentence in the text, from 0.
    pub number: u32,
    /// The sentence's tokens, as a range of the text's.
    pub sentence: Range<usize>,
    /// The name's tokens, within those of the sentence.
    pub name: Range<usize>,
    /// A bit for each [`Context`].
    contexts: u32,
}

impl<'a> NameContext<'a> {
    /// Calls `take` with every longest match of `names` in a text, in order, and its values. A match that `take` extends
    /// is passed as a whole.
    pub fn each<V: Clone + PartialEq>(
        tagged: &'a TaggedText<'a>,
        names: &NameTrie<V>,
        mut take: impl FnMut(&mut Self, &[V]),
    ) {
        let phrases = NamePhrases::get();
        for (number, sentence) in (0..).zip(tagged.text.sentences()) {
            let (mut at, mut tokens) = (sentence.start, None);
            while at < sentence.end {
                let Some((end, values)) = names.longest(tagged, at, sentence.end) else {
                    at += 1;
                    continue;
                };
                let mut context = Self {
                    tagged,
                    number,
                    sentence: sentence.clone(),
                    name: at..end,
                    contexts: 0,
                };
                let tokens = tokens.get_or_insert_with(|| phrases.tokens(tagged, sentence.clone()));
                context.contexts = phrases.contexts(&context, tokens);
                take(&mut context, values);
                at = context.name.end;
            }
        }
    }

    pub const fn is_in(&self, context: Context) -> bool {
        self.contexts >> context as u32 & 1 == 1
    }

    /// The name as a mention that ends with its sentence.
    pub fn mention(
        &self,
        kind: MentionKind,
        candidates: Vec<String>,
        rule: &'static str,
    ) -> Mention {
        Mention {
            kind,
            candidates,
            sentence: self.number,
            through: self.number,
            span: self.tagged.text.span(self.name.clone()),
            rule: rule.to_owned(),
            polarity: Polarity::Neutral,
        }
    }

    /// The token at a distance from the name, within the sentence: 1 is the token after it, -1 the one before it, and 0
    /// its first.
    pub fn at(&self, n: isize) -> Option<usize> {
        let at = if n <= 0 {
            self.name.start.checked_add_signed(n)
        } else {
            self.name.end.checked_add_signed(n - 1)
        };
        at.filter(|at| self.sentence.contains(at))
    }

    /// The word in lower case; empty if there is none.
    pub fn text(&self, n: isize) -> &str {
        self.at(n).map_or("", |at| self.tagged.text.word(at))
    }

    pub fn word(&self, n: isize) -> DictionaryWord {
        self.at(n)
            .map(|at| self.tagged.word(at))
            .unwrap_or_default()
    }

    pub fn is_capital_at(&self, n: isize) -> bool {
        self.at(n).is_some_and(|at| self.tagged.is_capital(at))
    }

    /// The words of the name.
    pub fn words(&self) -> impl Iterator<Item = DictionaryWord> {
        self.name.clone().map(|at| self.tagged.word(at))
    }

    /// Whether all words of the name are capitalised.
    pub fn is_capital(&self) -> bool {
        self.name.clone().all(|at| self.tagged.is_capital(at))
    }

    /// Whether most words of the sentence are upper case, so that capitals are no evidence.
    pub fn is_shouted(&self) -> bool {
        let words = || {
            self.tagged.text.tokens()[self.sentence.clone()]
                .iter()
                .filter(|token| token.is_word())
        };
        let upper = words()
            .filter(|word| word.shape == Capitalisation::Upper)
            .count();
        upper >= 2 && 2 * upper > words().count()
    }

    /// Whether a capital is usual at this position: at the beginning of the sentence or of a quotation, or after a
    /// colon.
    pub fn is_at_start(&self) -> bool {
        self.at(-1).is_none_or(|at| {
            self.tagged.text.tokens()[self.name.start].begins_line
                || self.tagged.is_mark(at) && !matches!(self.text(-1), "," | ")" | "&" | "/")
        })
    }

    /// Whether the name is a possessive or a plural.
    pub fn has_s(&self) -> bool {
        self.tagged.word(self.name.end - 1).has_s
    }

    /// Whether a title precedes the name: `Mr. Hale`.
    pub fn is_titled(&self) -> bool {
        let n = if self.text(-1) == "." { -2 } else { -1 };
        // `The doctor will see you.`
        let is_word = self.word(0).is_ordinary() && !self.is_capital();
        self.word(n).is(WordClass::Title) && !is_word
    }
}

named! {
    /// What the words around a name mean, as `names.toml` describes it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Context {
        Stranger = "stranger",
        Own = "own",
        Thing = "thing",
        Called = "called",
        Announced = "announced",
        Listed = "listed",
        Addressed = "addressed",
        Acts = "acts",
        Subject = "subject",
        ThingSubject = "thing_subject",
        Street = "street",
        State = "state",
        StateInLowerCase = "state_in_lower_case",
        Place = "place",
        PlaceOfHome = "place_of_home",
        TowardPlace = "toward_place",
        ServiceVerb = "service_verb",
        ServiceParticiple = "service_participle",
        Simile = "simile",
        Proof = "proof",
    }
}

/// The name in a phrase, with whether it must be in the plural or a possessive, and whether it must be capitalised.
const NAMES: [(&str, Option<bool>, bool); 5] = [
    ("<name>", None, false),
    ("<names>", Some(true), false),
    ("<one>", Some(false), false),
    ("<Name>", None, true),
    ("<Names>", Some(true), true),
];
/// The symbol of the beginning of a sentence.
const BEGINNING: &str = "^";

named! {
    /// The kinds of tokens in a pattern.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    enum TokenKind {
        Any = "<word>",
        Number = "<number>",
        Capital = "<capital>",
        Unknown = "<unknown>",
        Known = "<known>",
        Strange = "<strange>",
        Proper = "<proper>",
        Crossing = "<crossing>",
        Noun = "<noun>",
        Letter = "<letter>",
        Mark = "<mark>",
        Bracket = "<bracket>",
        Close = "<close>",
        Past = "<past>",
        End = "<end>",
    }
}

/// The phrases of all contexts.
struct NamePhrases {
    /// The number of a pattern is that of its context.
    tree: PatternTree,
    words: WordMap<Vec<Symbol>>,
    /// The symbols of classes and kinds.
    conditions: Vec<(Symbol, Condition)>,
    /// The symbol of each of [`NAMES`] that a phrase has.
    names: Vec<(Symbol, Option<bool>, bool)>,
    /// The symbols that the ends of a sentence fulfil: before it, and behind it.
    ends: [Vec<Symbol>; 2],
}

/// A token, or an end, of a sentence, with the symbols that it fulfils.
struct ContextToken {
    symbols: Vec<Symbol>,
    is_word: bool,
}

impl ContextToken {
    const fn unit(&self) -> WordUnit<'_> {
        WordUnit::of_token(0, self.symbols.as_slice(), self.is_word)
    }
}

/// What a token fulfils besides words.
#[derive(Debug)]
enum Condition {
    Class { class: WordClass, is_capital: bool },
    Kind(TokenKind),
}

/// The part of `names.toml` with the phrases, one a line.
#[derive(Debug, Deserialize)]
struct ContextFile {
    contexts: BTreeMap<String, String>,
}

/// The lists for phrases: those of the table, and its classes; `@Street` is a class whose words need a capital.
fn lists() -> Lists {
    let table = WordTable::get();
    let classes = table
        .words
        .keys()
        .map(String::as_str)
        .chain(["firm", "first_name"]);
    let both = classes.flat_map(|class| {
        let capitalised = class[..1].to_uppercase() + &class[1..];
        [class.to_owned(), capitalised]
    });
    // Not read: a class is compared by its number.
    let classes = both.map(|class| (class, vec![String::new()]));
    classes.chain(table.lists.clone()).collect()
}

impl NamePhrases {
    fn get() -> &'static Self {
        static READ: LazyLock<NamePhrases> = LazyLock::new(NamePhrases::read);
        &READ
    }

    fn read() -> Self {
        let (file, lists): (ContextFile, _) = (parse_toml(TABLE), lists());
        let ways = |line: &str| match parse_pattern(line, &lists) {
            Ok((_, ways)) => ways,
            Err(fault) => unreachable!("{fault} in `{line}`"),
        };
        let mut contexts = Context::ALL.map(|_| Vec::new());
        for (name, lines) in &file.contexts {
            let context = Context::find(name)
                .unwrap_or_else(|| unreachable!("a context of `names.toml`: {name}"));
            let lines = lines.lines().map(str::trim);
            let phrases = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
            contexts[context as usize].extend(phrases.flat_map(ways));
        }
        let (tree, symbols) = PatternTree::new(contexts.iter());
        let mut phrases = Self {
            tree,
            words: WordMap::default(),
            conditions: Vec::new(),
            names: Vec::new(),
            ends: [Vec::new(), Vec::new()],
        };
        for (all, symbol) in symbols {
            all.split('|').for_each(|one| phrases.add(one, symbol));
        }
        phrases
    }

    /// Adds one of the ways to fulfil a symbol.
    fn add(&mut self, written: &str, symbol: Symbol) {
        if let Some((_, has_s, is_capital)) = NAMES.iter().find(|(name, ..)| *name == written) {
            self.names.push((symbol, *has_s, *is_capital));
        } else if written == BEGINNING {
            self.ends[0].push(symbol);
        } else if let Some(class) = written.strip_prefix('@') {
            let name = class.to_lowercase();
            let is_capital = name != class;
            let class = WordClass::find(&name)
                .unwrap_or_else(|| unreachable!("a list of `names.toml`: {name}"));
            let condition = Condition::Class { class, is_capital };
            self.conditions.push((symbol, condition));
        } else if let Some(kind) = TokenKind::find(written) {
            self.conditions.push((symbol, Condition::Kind(kind)));
            if kind == TokenKind::End {
                self.ends.iter_mut().for_each(|end| end.push(symbol));
            }
        } else {
            let word = Fingerprint::of(written);
            self.words.entry(word).or_default().push(symbol);
        }
    }

    /// The tokens of a sentence, between its ends.
    fn tokens(&self, tagged: &TaggedText<'_>, sentence: Range<usize>) -> Vec<ContextToken> {
        let tokens = sentence.map(|at| {
            let words = self.words.get(&tagged.text.tokens()[at].fingerprint);
            let mut symbols = words.cloned().unwrap_or_default();
            let fulfilled = self.conditions.iter();
            let fulfilled = fulfilled.filter(|(_, condition)| condition.holds(tagged, at));
            symbols.extend(fulfilled.map(|(symbol, _)| symbol));
            symbols.sort_unstable();
            symbols.dedup();
            ContextToken {
                symbols,
                is_word: !tagged.is_mark(at),
            }
        });
        let [before, behind] = self.ends.each_ref().map(|symbols| ContextToken {
            symbols: symbols.clone(),
            is_word: false,
        });
        let mut all = vec![before];
        all.extend(tokens);
        all.push(behind);
        all
    }

    /// The contexts of a name among the tokens of its sentence, a bit for each.
    fn contexts(&self, context: &NameContext<'_>, tokens: &[ContextToken]) -> u32 {
        let (has_s, is_all_capital) = (context.has_s(), context.is_capital());
        let names = self.names.iter().filter(|(_, needs_s, needs_capital)| {
            needs_s.is_none_or(|needs_s| needs_s == has_s) && (!needs_capital || is_all_capital)
        });
        let names: Vec<Symbol> = names.map(|(symbol, ..)| *symbol).collect();
        // The first token is the end before the sentence.
        let [start, end] =
            [context.name.start, context.name.end].map(|at| at + 1 - context.sentence.start);
        let mut units = Vec::with_capacity(tokens.len());
        units.extend(tokens[..start].iter().map(ContextToken::unit));
        units.push(WordUnit::of_token(0, &names, false));
        units.extend(tokens[end..].iter().map(ContextToken::unit));
        let found = self.tree.find(&units);
        let found = found.iter().flat_map(|one| one.patterns);
        found.fold(0, |contexts, at| contexts | 1 << at)
    }
}

impl Condition {
    fn holds(&self, tagged: &TaggedText<'_>, at: usize) -> bool {
        match self {
            Self::Class { class, is_capital } => {
                tagged.word(at).is(*class) && (!is_capital || tagged.is_capital(at))
            }
            Self::Kind(kind) => kind.has(tagged, at),
        }
    }
}

impl TokenKind {
    /// Whether a token is of this kind.
    fn has(self, tagged: &TaggedText<'_>, at: usize) -> bool {
        let (word, token) = (tagged.word(at), &tagged.text.tokens()[at]);
        let (text, is_capital) = (tagged.text.word(at), token.is_capital());
        let is_mark = token.shape == Capitalisation::Mark;
        match self {
            Self::Any => true,
            Self::Number => token.shape == Capitalisation::Number,
            Self::Capital => is_capital,
            Self::Unknown => is_capital && word.is_unknown(),
            Self::Known => is_capital && (word.is(FirstName) || word.id != 0),
            Self::Strange => {
                let is_name = word.is_any(&[FirstName, WordName]) && !word.is(Firm);
                is_capital && word.id == 0 && is_name
            }
            Self::Proper => {
                let is_other = word.id == 0 && !word.is(FirstName);
                token.shape == Capitalisation::Capitalised && !token.begins_line && is_other
            }
            Self::Crossing => is_capital && word.id == 0 && text != "i",
            Self::Noun => {
                let is_other = word.is_any(&[Deed, Be, Pair, Link, Near]);
                !is_capital && !is_mark && !is_other
            }
            Self::Letter => is_capital && token.span.end - token.span.start == 1,
            Self::Mark => is_mark && text != ".",
            Self::End => is_mark,
            Self::Bracket => text == "(",
            Self::Close => text == ")",
            Self::Past => word.is_unknown() && !is_capital && text.ends_with("ed"),
        }
    }
}
