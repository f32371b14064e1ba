//! A name in its sentence, and the contexts by which names are recognised: patterns in the notation of a trade's phrases
//! around the name, which `names.toml` lists by their meaning.

use std::ops::Range;
use std::sync::LazyLock;

use serde::Deserialize;

use super::analysis::{Mention, Polarity};
use super::names::WordClass::{self, Be, Deed, Firm, FirstName, Link, Near, Pair, WordName};
use super::names::{DictionaryWord, NameTrie, TABLE, TaggedText, WordTable};
use super::pattern::{Lists, PatternStep, parse_pattern};
use super::text::Capitalisation;
use super::words::Fingerprint;
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
}

impl<'a> NameContext<'a> {
    /// Calls `take` with every longest match of `names` in a text, in order, and its values. A match that `take` extends
    /// is passed as a whole.
    pub fn each<V: Clone + PartialEq>(
        tagged: &'a TaggedText<'a>,
        names: &NameTrie<V>,
        mut take: impl FnMut(&mut Self, &[V]),
    ) {
        for (number, sentence) in (0..).zip(tagged.text.sentences()) {
            let mut at = sentence.start;
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
                };
                take(&mut context, values);
                at = context.name.end;
            }
        }
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

    /// Whether there is a mark or no token.
    pub fn is_end(&self, n: isize) -> bool {
        self.at(n).is_none_or(|at| self.tagged.is_mark(at))
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

/// The name in a pattern, with whether it must be in the plural or a possessive, and whether it must be capitalised.
const NAMES: [(&str, Option<bool>, bool); 5] = [
    ("<name>", None, false),
    ("<names>", Some(true), false),
    ("<one>", Some(false), false),
    ("<Name>", None, true),
    ("<Names>", Some(true), true),
];

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

/// The contexts, each with the meaning that `names.toml` describes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contexts {
    pub stranger: ContextPatterns,
    pub own: ContextPatterns,
    pub thing: ContextPatterns,
    pub called: ContextPatterns,
    pub announced: ContextPatterns,
    pub listed: ContextPatterns,
    pub addressed: ContextPatterns,
    pub acts: ContextPatterns,
    pub subject: ContextPatterns,
    pub thing_subject: ContextPatterns,
    pub street: ContextPatterns,
    pub state: ContextPatterns,
    pub state_in_lower_case: ContextPatterns,
    pub place: ContextPatterns,
    pub place_of_home: ContextPatterns,
    pub toward_place: ContextPatterns,
    pub service_verb: ContextPatterns,
    pub service_participle: ContextPatterns,
    pub simile: ContextPatterns,
    pub proof: ContextPatterns,
}

impl Contexts {
    pub fn get() -> &'static Self {
        static READ: LazyLock<Contexts> =
            LazyLock::new(|| parse_toml::<ContextFile>(TABLE).contexts);
        &READ
    }
}

/// The part of `names.toml` with the contexts.
#[derive(Debug, Deserialize)]
struct ContextFile {
    contexts: Contexts,
}

/// The lists for patterns: those of the table, and its classes; `@Street` is a class whose words need a capital.
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

/// Several contexts, one of which is sufficient.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct ContextPatterns(Vec<NamePattern>);

/// The steps before the name, the nearest first, and those after it.
#[derive(Debug)]
struct NamePattern {
    before: Vec<ContextStep>,
    after: Vec<ContextStep>,
    /// Whether the name must be in the plural or a possessive, or must not.
    has_s: Option<bool>,
    /// Whether the name must be capitalised.
    is_capital: bool,
}

#[derive(Debug)]
enum ContextStep {
    /// The sentence begins here.
    Start,
    /// A token that fulfils one of these.
    One(Vec<Condition>),
    /// At most this many words.
    Gap(u8),
}

#[derive(Debug)]
enum Condition {
    Word(u64),
    Class { class: WordClass, is_capital: bool },
    Kind(TokenKind),
}

impl TryFrom<String> for ContextPatterns {
    type Error = String;

    /// Reads patterns, one a line.
    fn try_from(patterns: String) -> Result<Self, String> {
        let lists = lists();
        let mut parsed = Vec::new();
        let lines = patterns.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (_, ways) = parse_pattern(line, &lists)?;
            for way in ways {
                let mut numbered = way.iter().enumerate();
                let name = numbered.find_map(|(at, step)| {
                    let mut names = NAMES.iter();
                    Some((at, names.find(|(name, ..)| step.symbol() == Some(name))?))
                });
                let (at, (_, has_s, is_capital)) = name.ok_or_else(|| line.to_owned())?;
                let steps = |steps: &[PatternStep]| {
                    let steps = steps.iter().map(ContextStep::new);
                    steps.collect::<Result<Vec<_>, _>>()
                };
                let mut before = steps(&way[..at])?;
                before.reverse();
                parsed.push(NamePattern {
                    before,
                    after: steps(&way[at + 1..])?,
                    has_s: *has_s,
                    is_capital: *is_capital,
                });
            }
        }
        Ok(Self(parsed))
    }
}

impl ContextPatterns {
    /// Whether the name is in one of these contexts.
    pub fn holds(&self, context: &NameContext<'_>) -> bool {
        let mut patterns = self.0.iter();
        patterns.any(|pattern| {
            pattern.has_s.is_none_or(|has_s| has_s == context.has_s())
                && (!pattern.is_capital || context.is_capital())
                && matches(&pattern.before, context, -1, -1)
                && matches(&pattern.after, context, 1, 1)
        })
    }
}

/// Whether the steps match from the token at `n` on, in the direction of `by`.
fn matches(steps: &[ContextStep], context: &NameContext<'_>, n: isize, by: isize) -> bool {
    let Some((first, rest)) = steps.split_first() else {
        return true;
    };
    match first {
        ContextStep::Start => context.at(n).is_none(),
        ContextStep::One(conditions) => {
            conditions
                .iter()
                .any(|condition| condition.holds(context, n))
                && matches(rest, context, n + by, by)
        }
        ContextStep::Gap(most) => (0..=isize::from(*most))
            .map(|skipped| n + by * skipped)
            .take_while(|next| *next == n || !context.is_end(*next - by))
            .any(|next| matches(rest, context, next, by)),
    }
}

impl ContextStep {
    fn new(step: &PatternStep) -> Result<Self, String> {
        match step {
            PatternStep::Gap(most) => Ok(Self::Gap(*most)),
            PatternStep::Symbol(symbol) if symbol.as_ref() == "^" => Ok(Self::Start),
            PatternStep::Symbol(symbol) => {
                let conditions = symbol.split('|').map(Condition::new);
                Ok(Self::One(conditions.collect::<Result<_, _>>()?))
            }
        }
    }
}

impl Condition {
    fn new(symbol: &str) -> Result<Self, String> {
        if let Some(class) = symbol.strip_prefix('@') {
            let name = class.to_lowercase();
            let is_capital = name != class;
            let found = WordClass::find(&name);
            let class = found.ok_or_else(|| format!("unknown class `{name}`"))?;
            return Ok(Self::Class { class, is_capital });
        }
        if !symbol.starts_with('<') {
            return Ok(Self::Word(Fingerprint::of(symbol)));
        }
        let kind = TokenKind::find(symbol).map(Self::Kind);
        kind.ok_or_else(|| format!("unknown kind `{symbol}`"))
    }

    /// Whether the token at a distance from the name fulfils it.
    fn holds(&self, context: &NameContext<'_>, n: isize) -> bool {
        let Some(at) = context.at(n) else {
            return matches!(self, Self::Kind(TokenKind::End));
        };
        match self {
            Self::Word(fingerprint) => context.tagged.text.tokens()[at].fingerprint == *fingerprint,
            Self::Class { class, is_capital } => {
                let has_class = context.tagged.word(at).is(*class);
                has_class && (!is_capital || context.tagged.is_capital(at))
            }
            Self::Kind(kind) => kind.has(context.tagged, at),
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
            Self::Crossing => is_capital && word.id == 0,
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
