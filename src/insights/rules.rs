//! The trades, and the phrases with which their customers judge. The data is in `rules`; `docs/TRADE.md` describes it.

use std::collections::BTreeMap;
use std::mem;
use std::sync::LazyLock;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::pattern::{Lists, PatternMatcher, PatternTree};
use super::words::{LanguageWords, SOURCE};
use crate::model::business::type_name;
use crate::model::{fold, hex, named, parse_toml};

/// The id of the trade for homes and their installations.
pub const HOME_SERVICES: &str = "home_services";
/// The id of the general trade as it is for places to stay, with aspects of their own.
const LODGING: &str = "lodging";
/// The id of the trade for any other business.
pub const GENERAL: &str = "general";
/// The ids of all tables of aspects, that of the general trade last.
pub const IDS: [&str; 4] = [HOME_SERVICES, "food", LODGING, GENERAL];

/// What the trades are called, and which aspects they have.
const TRADES: &str = include_str!("rules/trades.toml");
/// The phrases of [`IDS`].
pub const FILES: [&str; IDS.len()] = [
    include_str!("rules/home_services.toml"),
    include_str!("rules/food.toml"),
    include_str!("rules/lodging.toml"),
    include_str!("rules/general.toml"),
];
/// The phrases that all trades share.
pub const SHARED: &str = include_str!("rules/shared.toml");
/// The measured quality of each trade.
const QUALITY: &str = include_str!("rules/quality.tsv");

/// The aspect of opinions without an aspect; it is never shown.
pub const OVERALL: &str = "overall";

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

#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trade {
    /// Id of its table, for example `home_services`.
    pub id: String,
    /// Display name.
    pub label: String,
    /// The types of schema.org for which it is chosen.
    types: Vec<String>,
    /// Whether an opinion without an aspect counts for the aspect `overall`.
    pub has_strays: bool,
    /// In display order; the last one is [`OVERALL`].
    pub aspects: Vec<AspectDefinition>,
    #[serde(skip)]
    pub quality: Vec<Measured>,
}

impl Trade {
    /// All of them, in the order of [`IDS`].
    fn all() -> &'static [Self] {
        #[derive(Deserialize)]
        struct File {
            trades: Vec<Trade>,
        }
        static READ: LazyLock<Vec<Trade>> = LazyLock::new(|| {
            let mut trades = parse_toml::<File>(TRADES).trades;
            for trade in &mut trades {
                trade.quality = measured(&trade.id);
            }
            trades
        });
        &READ
    }

    /// The trade with that id (one of [`IDS`]); for any other id, the general one.
    pub fn built_in(id: &str) -> &'static Self {
        Self::first(|trade| trade.id == id)
    }

    /// The trade for a type of schema.org, written as `Plumber` or as a URL: the first that lists the type, otherwise the
    /// general one.
    pub fn for_type(kind: &str) -> &'static Self {
        let name = type_name(kind);
        Self::first(|trade| trade.types.iter().any(|one| one.eq_ignore_ascii_case(name)))
    }

    /// The first that meets the condition, otherwise the last one.
    fn first(condition: impl Fn(&Self) -> bool) -> &'static Self {
        let (general, trades) =
            (Self::all().split_last()).unwrap_or_else(|| unreachable!("`trades.toml` has trades"));
        trades.iter().find(|one| condition(one)).unwrap_or(general)
    }

    /// Its id in all output and settings.
    pub fn published_id(&self) -> &str {
        if self.id == LODGING {
            GENERAL
        } else {
            &self.id
        }
    }

    /// The index of [`OVERALL`].
    pub const fn overall(&self) -> usize {
        self.aspects.len() - 1
    }

    /// The aspects that are shown, by their indices.
    pub fn shown_aspects(&self) -> &[AspectDefinition] {
        &self.aspects[..self.overall()]
    }

    pub fn shown_ids(&self) -> Vec<&str> {
        let aspects = self.shown_aspects().iter();
        aspects.map(|aspect| aspect.id.as_str()).collect()
    }

    /// The index of the shown aspect with that ID or label, in any case.
    pub fn find_aspect(&self, name: &str) -> Option<u8> {
        let name = fold(name);
        let mut aspects = (0..).zip(self.shown_aspects());
        aspects
            .find_map(|(at, one)| (fold(&one.id) == name || fold(&one.label) == name).then_some(at))
    }

    pub fn aspect(&self, id: &str) -> Option<usize> {
        self.aspects.iter().position(|aspect| aspect.id == id)
    }

    /// The files with its phrases.
    fn texts(&self) -> Vec<&'static str> {
        let at = IDS.iter().position(|one| *one == self.id);
        vec![FILES[at.unwrap_or(IDS.len() - 1)], SHARED]
    }

    /// SHA-256 of everything that determines its findings but the weights, in hexadecimal.
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(
            [&[TRADES, SOURCE], &*self.texts()].concat().concat(),
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
        /// `but`: begins a clause, which cancels what an earlier one says to the contrary of the same aspect.
        Contrasts = "contrasts",
        /// `I told them`: what the customer did, which is rarely a complaint.
        Deeds = "deeds",
        /// `recommend downloading`, `across the street`: what is praised is not the business.
        Elsewhere = "elsewhere",
        /// `I wish`, `could be cheaper`: what is praised is not so.
        Wishes = "wishes",
        /// `the last company`, `I was afraid`: what contradicts the stars is said of others, or is not so.
        Others = "others",
        /// `the landlord was`, `a handyman charged`: what is said of somebody else is no finding.
        Strangers = "strangers",
        /// `the only downside`: announces blame, also of a content customer.
        Drawbacks = "drawbacks",
        /// `as well`, `fast food`: its words do not mean what they mean alone.
        Idioms = "idioms",
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
    /// It judges the name beside it with these points.
    Opinion(i32),
    /// It changes the meaning of other phrases.
    Cue(Cue),
}

impl Meaning {
    /// The aspect that it names, or of which it is a hint.
    pub const fn named_aspect(self) -> Option<usize> {
        match self {
            Self::Names(aspect) | Self::Hints(aspect) => Some(aspect),
            Self::Judges(..) | Self::Opinion(_) | Self::Cue(_) => None,
        }
    }
}

/// The content of a file of phrases.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct PhraseFile {
    /// The phrases of each aspect, by their meaning.
    aspects: BTreeMap<String, Lists>,
    /// Words that judge what they are said of, by their meaning.
    opinions: Lists,
    cues: BTreeMap<Cue, Vec<String>>,
    /// For `@name` in a pattern.
    lists: Lists,
    irregular: Lists,
}

/// The meanings of an aspect's phrases, in the order in which they count.
fn aspect_meanings(aspect: usize) -> [(&'static str, Meaning); 7] {
    [
        ("hints", Meaning::Hints(aspect)),
        ("names", Meaning::Names(aspect)),
        ("mildly_negative", Meaning::Judges(aspect, -2)),
        ("mildly_positive", Meaning::Judges(aspect, 2)),
        ("negative", Meaning::Judges(aspect, -3)),
        ("neutral", Meaning::Judges(aspect, 0)),
        ("positive", Meaning::Judges(aspect, 3)),
    ]
}

/// The points of opinions.
const OPINIONS: [(&str, i32); 6] = [
    ("excellent", 4),
    ("good", 3),
    ("fair", 2),
    ("poor", -2),
    ("bad", -3),
    ("terrible", -4),
];

/// The phrases of a trade.
struct Phrases<'trade> {
    trade: &'trade Trade,
    /// The name of the hits of each phrase (the kind and the pattern, for example `phrase:show~ up on time`) and its meaning; the
    /// trade's own first: of equal ones, the first counts.
    rules: Vec<(String, Meaning)>,
    /// Each under its index in `rules`.
    tree: PatternTree,
    lists: Lists,
    irregular: Lists,
}

impl<'trade> Phrases<'trade> {
    fn read(trade: &'trade Trade) -> Self {
        let mut phrases = Self {
            trade,
            rules: Vec::new(),
            tree: PatternTree::default(),
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
                    let all = into.entry(name.clone()).or_default();
                    all.extend_from_slice(words);
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
        for (name, points) in OPINIONS {
            self.add("lexicon", Meaning::Opinion(points), file.opinions.get(name));
        }
        for (cue, texts) in &file.cues {
            self.add(cue.name(), Meaning::Cue(*cue), Some(texts));
        }
    }

    fn add_judgements(&mut self, file: &PhraseFile) {
        for (id, phrases) in &file.aspects {
            let Some(aspect) = self.trade.aspect(id) else {
                continue;
            };
            for (name, meaning) in aspect_meanings(aspect) {
                self.add("phrase", meaning, phrases.get(name));
            }
        }
    }

    fn add(&mut self, kind: &str, meaning: Meaning, texts: Option<&Vec<String>>) {
        for text in texts.into_iter().flatten() {
            // A test reads every file.
            let added = self.tree.add(self.rules.len(), text, &self.lists);
            added.unwrap_or_else(|fault| unreachable!("{fault} in `{text}`"));
            self.rules.push((format!("{kind}:{text}"), meaning));
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
        match symbol.strip_suffix('~') {
            None => vec![symbol.to_owned()],
            Some(base) => {
                let irregular = self.irregular.get(base).into_iter().flatten();
                let forms = LanguageWords::english().forms(base).into_iter();
                forms.chain(irregular.cloned()).collect()
            }
        }
    }
}

/// All phrases of a trade, compiled.
#[derive(Debug, Clone, Default)]
pub struct CompiledRules {
    pub matcher: PatternMatcher,
    /// For each pattern the name of its hits, and its meaning.
    pub rules: Vec<(String, Meaning)>,
}

impl CompiledRules {
    pub fn new(trade: &Trade) -> Self {
        let mut phrases = Phrases::read(trade);
        let tree = mem::take(&mut phrases.tree);
        let matcher = PatternMatcher::new(tree, |symbol| phrases.members(symbol));
        Self {
            matcher,
            rules: phrases.rules,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CompiledRules, IDS, Phrases, QUALITY, Trade};
    use crate::insights::words::LanguageWords;

    #[test]
    fn every_file_is_read() {
        for id in IDS {
            let trade = Trade::built_in(id);
            assert_eq!(trade.id, id);
            assert_eq!(trade.aspect(super::OVERALL), Some(trade.overall()));
            assert!(trade.aspects.iter().all(|one| one.question.ends_with('?')));
            let phrases = Phrases::read(trade);
            for texts in trade.texts() {
                let file: super::PhraseFile = super::parse_toml(texts);
                let is_known = |id: &String| {
                    let mut trades = IDS.iter();
                    trades.any(|of| Trade::built_in(of).aspect(id).is_some())
                };
                let unknown: Vec<&String> =
                    file.aspects.keys().filter(|id| !is_known(id)).collect();
                assert!(unknown.is_empty(), "{unknown:?}");
                let meanings = super::aspect_meanings(0).map(|(name, _)| name);
                let mut names = file.aspects.values().flat_map(super::Lists::keys);
                assert!(names.all(|name| meanings.contains(&name.as_str())));
                let opinions = super::OPINIONS.map(|(name, _)| name);
                let mut names = file.opinions.keys();
                assert!(names.all(|name| opinions.contains(&name.as_str())));
            }
            assert!(CompiledRules::new(trade).rules.len() == phrases.rules.len());
        }
        let figures: usize = IDS.map(|id| Trade::built_in(id).quality.len()).iter().sum();
        assert_eq!(figures + 1, QUALITY.lines().count());
        assert_eq!(Trade::built_in("dentist").id, "general");
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
