//! Contexts in which a name is or is not one of the business's: patterns in `words.toml`, in the notation of the phrases of a
//! trade, and one matcher for all of them.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::context::TokenContext;
use super::words::WordClass::{self, Be, Deed, Firm, FirstName, Link, Near, Pair, WordName};
use super::words::{TABLE, WordTable};
use crate::insights::text::{Capitalisation, Fingerprint};
use crate::insights::trades::{PatternStep, parse_pattern};
use crate::model::parse_toml;

/// The classes in angle brackets: the name, of any form, in the plural or a possessive, or in neither, then with a capital;
/// any one token; and kinds of tokens.
const CLASSES: &str = "<name> <names> <one> <Name> <Names> <word> <noun> <number> <capital> <unknown> <known> <strange> <proper> \
                       <crossing> <letter> <mark> <bracket> <close> <past> <end>";

/// The classes of the name, each with whether it must be in the plural or a possessive, and whether it must be capitalised.
const NAMES: [(&str, Option<bool>, bool); 5] = [
    ("<name>", None, false),
    ("<names>", Some(true), false),
    ("<one>", Some(false), false),
    ("<Name>", None, true),
    ("<Names>", Some(true), true),
];

/// The contexts, each with the meaning that `words.toml` describes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Guards {
    pub stranger: Guard,
    pub own: Guard,
    pub thing: Guard,
    pub called: Guard,
    pub announced: Guard,
    pub listed: Guard,
    pub addressed: Guard,
    pub acts: Guard,
    pub subject: Guard,
    pub thing_subject: Guard,
    pub street: Guard,
    pub state: Guard,
    pub state_in_lower_case: Guard,
    pub place: Guard,
    pub place_of_home: Guard,
    pub toward_place: Guard,
    pub service_verb: Guard,
    pub service_participle: Guard,
    pub simile: Guard,
    pub proof: Guard,
}

impl Guards {
    pub fn get() -> &'static Self {
        static READ: LazyLock<Guards> = LazyLock::new(|| parse_toml::<ContextFile>(TABLE).guards);
        &READ
    }
}

/// The part of `words.toml` with the contexts.
#[derive(Debug, Deserialize)]
struct ContextFile {
    guards: Guards,
}

/// The lists for patterns: those of the table, and its classes; `@Street` is a class whose words need a capital.
fn lists() -> BTreeMap<String, Vec<String>> {
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
pub struct Guard(Vec<NamePattern>);

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
    Class {
        class: WordClass,
        is_capital: bool,
    },
    /// One of [`CLASSES`].
    Kind(&'static str),
}

impl TryFrom<String> for Guard {
    type Error = String;

    /// Reads patterns, one a line.
    fn try_from(patterns: String) -> Result<Self, String> {
        let lists = lists();
        let classes: Vec<&str> = CLASSES.split_whitespace().collect();
        let mut parsed = Vec::new();
        let lines = patterns.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (_, ways) = parse_pattern(line, &lists, &classes)?;
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

impl Guard {
    /// Whether the name is in one of these contexts.
    pub fn holds(&self, context: &TokenContext<'_>) -> bool {
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
fn matches(steps: &[ContextStep], context: &TokenContext<'_>, n: isize, by: isize) -> bool {
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
            let found = WordClass::of_section(&name);
            let class = found.ok_or_else(|| format!("unknown class `{name}`"))?;
            return Ok(Self::Class { class, is_capital });
        }
        let mut kinds = CLASSES.split_whitespace();
        let kind = kinds.find(|kind| *kind == symbol).map(Self::Kind);
        Ok(kind.unwrap_or_else(|| Self::Word(Fingerprint::of(symbol))))
    }

    fn holds(&self, context: &TokenContext<'_>, n: isize) -> bool {
        let Some(at) = context.at(n) else {
            return matches!(self, Self::Kind("<end>"));
        };
        let (word, token) = (context.tagged.word(at), &context.tagged.text.tokens()[at]);
        let is_capital = context.tagged.is_capital(at);
        match self {
            Self::Word(fingerprint) => token.fingerprint == *fingerprint,
            Self::Class {
                class,
                is_capital: needs_capital,
            } => word.is(*class) && (is_capital || !needs_capital),
            Self::Kind(kind) => match *kind {
                "<number>" => token.shape == Capitalisation::Number,
                "<capital>" => is_capital,
                "<unknown>" => is_capital && word.is_unknown(),
                "<known>" => is_capital && (word.is(FirstName) || word.id != 0),
                "<strange>" => {
                    is_capital
                        && word.id == 0
                        && word.is_any(&[FirstName, WordName])
                        && !word.is(Firm)
                }
                "<proper>" => {
                    token.shape == Capitalisation::Capitalised
                        && !token.begins_line
                        && word.id == 0
                        && !word.is(FirstName)
                }
                "<crossing>" => is_capital && word.id == 0,
                "<noun>" => {
                    let is_other = word.is_any(&[Deed, Be, Pair, Link, Near]);
                    !is_capital && !context.tagged.is_mark(at) && !is_other
                }
                "<letter>" => is_capital && token.span.end - token.span.start == 1,
                "<mark>" | "<end>" => {
                    context.tagged.is_mark(at) && (*kind == "<end>" || context.text(n) != ".")
                }
                "<bracket>" => context.text(n) == "(",
                "<close>" => context.text(n) == ")",
                "<past>" => word.is_unknown() && !is_capital && context.text(n).ends_with("ed"),
                "<word>" => true,
                _ => false,
            },
        }
    }
}
