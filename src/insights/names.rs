//! Names of the business in a text: the words by which they are found, and the contexts that decide what they mean, as
//! `names.toml` lists them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::analysis::{Mention, Polarity};
use super::pattern::{Lists, PatternMatcher, PatternTree, WordUnit};
use super::text::{Capitalisation, TokenizedText};
use super::words::{Fingerprint, WordMap, WordSet};
use crate::model::business::Business;
use crate::model::text::base_letter;
use crate::model::{MentionKind, named, parse_toml};

/// The words by class, and the contexts; it is part of the digest of the method.
pub const TABLE: &str = include_str!("names.toml");

#[derive(Debug, Deserialize)]
pub struct NameTable {
    /// The words of each class, separated by spaces.
    pub words: BTreeMap<String, String>,
    lists: Lists,
    /// The patterns of each context, one a line.
    contexts: BTreeMap<String, String>,
}

impl NameTable {
    pub fn get() -> &'static Self {
        static READ: LazyLock<NameTable> = LazyLock::new(|| parse_toml(TABLE));
        &READ
    }

    pub fn list(name: &str) -> &'static [String] {
        Self::get().lists.get(name).map_or(&[], Vec::as_slice)
    }
}

/// The classes that are asked for besides the contexts.
#[derive(Debug, Deserialize)]
pub struct NameClasses {
    /// First names of all kinds of people.
    pub first_name: WordSet,
    /// Names that are words too.
    pub word_name: WordSet,
    /// Of those, the ones that can be the subject of a sentence.
    pub thing_name: WordSet,
    /// Of those, months and seasons.
    pub calendar_name: WordSet,
    /// Ordinary words.
    pub common: WordSet,
    /// Words that join names to a list.
    pub pair: WordSet,
    /// Words that, with a capital, make a firm, an institution or a street of the name before them.
    trade: WordSet,
}

impl NameClasses {
    pub fn get() -> &'static Self {
        #[derive(Deserialize)]
        struct File {
            words: NameClasses,
        }
        static READ: LazyLock<File> = LazyLock::new(|| parse_toml(TABLE));
        &READ.words
    }

    /// Whether a word is also an ordinary one.
    pub fn is_ordinary(&self, fingerprint: u64) -> bool {
        self.word_name.contains(fingerprint) || self.common.contains(fingerprint)
    }
}

named! {
    /// What the words around a name mean, as `names.toml` describes it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Context {
        Stranger = "stranger",
        Own = "own",
        Thing = "thing",
        Titled = "titled",
        Announced = "announced",
        Acts = "acts",
        Subject = "subject",
        ThingSubject = "thing_subject",
        Noun = "noun",
        Closing = "closing",
        LongerPlace = "longer_place",
        Place = "place",
        ServiceVerb = "service_verb",
        ServiceParticiple = "service_participle",
        Simile = "simile",
        Proof = "proof",
    }
}

/// What stands for the name in a pattern, and for a name that is a plural or possessive; and for any mark.
const THIS: &str = "<this>";
const THESE: &str = "<these>";
const MARK: &str = "<mark>";
const MARKS: [&str; 14] = [
    ",", ".", ";", ":", "!", "?", "(", ")", "-", "\u{2013}", "\u{2014}", "\"", "/", "\u{2026}",
];

/// The contexts for one business.
#[derive(Debug, Clone)]
pub struct Contexts {
    /// The number of a pattern is that of its context.
    matcher: PatternMatcher,
}

impl Contexts {
    /// `is_visiting` says whether the business works in its customers' houses: then accountants and doctors are customers.
    pub fn new(business: &Business, is_visiting: bool) -> Self {
        let table = NameTable::get();
        let mut lists = table.lists.clone();
        for (class, words) in &table.words {
            lists.insert(class.clone(), split(words));
        }
        let firm = words_only(&TokenizedText::new(&business.name));
        let known = business.staff_names().chain(&business.service_areas);
        let known = known.flat_map(|name| words_only(&TokenizedText::new(name)));
        let services = business.services.iter();
        let services = services.flat_map(|one| words_only(&TokenizedText::new(&one.name)));
        // `the roofing guy` is the business's own if it is a roofing company.
        let own: Vec<String> = services.chain(firm.clone()).collect();
        let class = |name: &str| split(&table.words[name]);
        let mut other_trade = class("other_trade");
        other_trade.retain(|word| !own.contains(word));
        let [job, doctor] = if is_visiting {
            ["kin", "rank"]
        } else {
            ["role", "title"]
        };
        for (list, words) in [
            ("firm", firm),
            ("known", known.chain(class("first_name")).collect()),
            (job, class("job")),
            (doctor, class("doctor")),
        ] {
            lists.entry(list.to_owned()).or_default().extend(words);
        }
        lists.insert("other_trade".to_owned(), other_trade);
        let mut tree = PatternTree::default();
        for (name, lines) in &table.contexts {
            let context = Context::find(name)
                .unwrap_or_else(|| unreachable!("a context of `names.toml`: {name}"));
            let lines = lines.lines().map(str::trim);
            for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
                let added = tree.add(context as usize, line, &lists);
                added.unwrap_or_else(|fault| unreachable!("{fault} in `{line}`"));
            }
        }
        Self {
            matcher: PatternMatcher::new(tree, |symbol| members(symbol, &lists)),
        }
    }

    /// The contexts of the tokens `name` among the units of their sentence, a bit for each.
    fn of(&self, name: &Range<usize>, has_s: bool, units: &[WordUnit<'_>]) -> u32 {
        let mut symbols = self.matcher.symbols(THIS).to_vec();
        if has_s {
            symbols.extend(self.matcher.symbols(THESE));
            symbols.sort_unstable();
        }
        let before = units.iter().filter(|unit| unit.end <= name.start);
        let behind = units.iter().filter(|unit| unit.start >= name.end);
        let this = WordUnit::of_name(name, &symbols);
        let units: Vec<WordUnit<'_>> = before.chain([&this]).chain(behind).copied().collect();
        let found = self.matcher.find(&units);
        let found = found.iter().flat_map(|one| one.patterns);
        found.fold(0, |contexts, at| contexts | 1 << at)
    }
}

fn split(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}

/// The words of a symbol; for a class, the class itself.
fn members(symbol: &str, lists: &Lists) -> Vec<String> {
    let choices = symbol.split('|');
    let choices = choices.flat_map(|one| match one.strip_prefix('@') {
        Some(list) => {
            let words = lists[list].iter();
            let forms = words.flat_map(|word| [word.clone(), format!("{word}'s")]);
            forms.collect()
        }
        None if one == MARK => MARKS.map(str::to_owned).to_vec(),
        None => vec![one.to_owned()],
    });
    choices.collect()
}

/// Tokens that may be a name, in their sentence.
#[derive(Debug, Clone)]
pub struct NameContext<'a> {
    pub text: &'a TokenizedText,
    around: &'a Contexts,
    /// Number of the sentence in the text, from 0.
    number: u32,
    /// The sentence's tokens, as a range of the text's.
    pub sentence: Range<usize>,
    /// The name's tokens, within those of the sentence.
    pub name: Range<usize>,
    /// A bit for each [`Context`].
    contexts: u32,
}

impl<'a> NameContext<'a> {
    /// Calls `take` with every longest match of `names` in a text, in order, and its numbers.
    pub fn each(
        text: &'a TokenizedText,
        names: &NameForms,
        contexts: &'a Contexts,
        mut take: impl FnMut(&Self, &[usize]),
    ) {
        for (number, sentence) in (0..).zip(text.sentences()) {
            let (mut at, mut units) = (sentence.start, None);
            while at < sentence.end {
                let Some((end, numbers)) = names.longest(text, at, sentence.end) else {
                    at += 1;
                    continue;
                };
                let name = at..end;
                let units =
                    units.get_or_insert_with(|| contexts.matcher.units(text, sentence.clone()));
                let has_s = text.word(end - 1).ends_with('s');
                let context = Self {
                    text,
                    around: contexts,
                    number,
                    sentence: sentence.clone(),
                    contexts: contexts.of(&name, has_s, units),
                    name,
                };
                take(&context, numbers);
                at = end;
            }
        }
    }

    pub const fn is_in(&self, context: Context) -> bool {
        self.contexts >> context as u32 & 1 == 1
    }

    pub fn mention(&self, kind: MentionKind, name: &str) -> Mention {
        Mention {
            kind,
            name: name.to_owned(),
            sentence: self.number,
            span: self.text.span(self.name.clone()),
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
    pub fn word(&self, n: isize) -> &'a str {
        self.at(n).map_or("", |at| self.text.word(at))
    }

    pub fn is_among(&self, n: isize, words: &WordSet) -> bool {
        self.at(n).is_some_and(|at| self.text.is_among(at, words))
    }

    /// Whether all words of the name are capitalised.
    pub fn is_capital(&self) -> bool {
        let mut words = self.text.tokens()[self.name.clone()].iter();
        words.all(|token| token.is_capital() || !token.is_word())
    }

    /// Whether the name is a single word that is also an ordinary one.
    pub fn is_ordinary(&self) -> bool {
        self.name.len() == 1 && NameClasses::get().is_ordinary(self.first_word())
    }

    /// The fingerprint of the first word of the name, as names are compared.
    pub fn first_word(&self) -> u64 {
        Fingerprint::of(&plain(self.word(0)))
    }

    /// Whether a capital is usual at this position: at the beginning of the sentence or of a quotation, or after a colon.
    pub fn is_at_start(&self) -> bool {
        self.at(-1).is_none_or(|at| {
            self.text.tokens()[self.name.start].begins_line
                || self.text.has_shape(at, Capitalisation::Mark)
                    && !matches!(self.word(-1), "," | ")" | "&" | "/")
        })
    }

    /// Whether the word at that distance makes a longer name of this one: `Mike Johnson`, `Grant Park`, `Jersey Mike's`.
    pub fn is_named(&self, n: isize) -> bool {
        let Some(at) = self.at(n) else { return false };
        let (token, word) = (&self.text.tokens()[at], self.text.word(at));
        let classes = NameClasses::get();
        let is_unknown = self.around.matcher.symbols(word).is_empty();
        let is_common = classes.common.contains(token.fingerprint);
        let is_trade = classes.trade.contains(token.fingerprint);
        let is_part = if n > 0 {
            !token.begins_line && (is_unknown || is_common || is_trade)
        } else {
            !word.ends_with("'s") && is_unknown && !is_common
        };
        token.shape == Capitalisation::Capitalised
            && (is_part || classes.first_name.contains(token.fingerprint))
    }
}

/// The words and numbers of a text, without marks.
pub fn words_only(text: &TokenizedText) -> Vec<String> {
    let tokens = (0..text.tokens().len()).filter(|at| !text.has_shape(*at, Capitalisation::Mark));
    tokens.map(|at| text.word(at).to_owned()).collect()
}

/// How a word of a name is compared: without accents and a possessive ending.
pub fn plain(word: &str) -> Cow<'_, str> {
    let stem = word.strip_suffix("'s").unwrap_or(word);
    if stem.is_ascii() {
        return stem.into();
    }
    stem.chars().map(base_letter).collect()
}

// Names, with the entities that they mean. The longest match at a position wins.

/// Maximum number of entities of a name; one of more identifies nothing. This also bounds the cost of one word
/// for any roster.
const NAMED_MAX: usize = 64;

/// Maps the names of entities to their numbers.
#[derive(Debug, Clone)]
pub struct NameForms {
    /// How a word is compared.
    form: fn(&str) -> Cow<'_, str>,
    /// The numbers by the key of the name's words; none by that of a beginning of a name.
    numbers: WordMap<Vec<usize>>,
}

impl NameForms {
    /// A number that occurs twice for one name counts once.
    pub fn new(
        form: fn(&str) -> Cow<'_, str>,
        entries: impl Iterator<Item = (Vec<String>, usize)>,
    ) -> Self {
        let mut numbers = WordMap::<Vec<usize>>::default();
        for (words, number) in entries.filter(|(words, _)| !words.is_empty()) {
            let mut key = 0;
            for word in &words {
                key = longer_key(key, &form(word));
                numbers.entry(key).or_default();
            }
            let numbers = numbers.entry(key).or_default();
            if numbers.len() <= NAMED_MAX && !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        Self { form, numbers }
    }

    /// The longest name that begins at a token and ends at the latest at `end`, with its end and its numbers.
    fn longest(&self, text: &TokenizedText, start: usize, end: usize) -> Option<(usize, &[usize])> {
        let (mut key, mut found) = (0, None);
        for at in start..end {
            key = longer_key(key, &(self.form)(text.word(at)));
            let Some(numbers) = self.numbers.get(&key) else {
                break;
            };
            if (1..=NAMED_MAX).contains(&numbers.len()) {
                found = Some((at + 1, numbers.as_slice()));
            }
        }
        found
    }
}

/// The key of the words of `key` with one more.
fn longer_key(key: u64, word: &str) -> u64 {
    Fingerprint::mix(key, Fingerprint::of(word))
}
