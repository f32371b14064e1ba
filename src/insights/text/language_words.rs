//! What reading a language takes besides the phrases of a trade: the words that tell it, where its sentences end, what negates,
//! how its words are bent. A package's file `language.toml`, so that a further language is a folder.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;

use super::tokens::{Fingerprint, push_plain};
use crate::insights::analysis::LanguageCode;

const ENGLISH: &str = include_str!("../trades/shared/language.toml");

/// Words by their fingerprints.
pub type WordSet = HashSet<u64, BuildHasherDefault<Fingerprint>>;

/// Marks that stand between words; `!`, `?`, `$` and symbols say something themselves. A negator reaches over none of them.
const SILENT_MARKS: &str = ", ; : . \u{2026} \u{2014} ( ) \" - '";
/// Marks that part a sentence.
const PARTING_MARKS: &str = ", ; : . ! ? \u{2026} \u{2014} ( ) \" - &";

/// What a token does to a sentence beside saying something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenRole {
    /// It parts the sentence: a mark, or a word that opens the next part.
    pub parts: bool,
    /// A mark that stands between words.
    pub is_mark: bool,
    /// What it does to the negation of the words behind it.
    pub negation: Negation,
}

/// What a token does to the negation of the words behind it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Negation {
    /// Nothing.
    #[default]
    GoesOn,
    /// The next words say the opposite.
    Begins,
    /// A negator before it reaches no further.
    Ends,
}

/// How the words of a language are bent: the forms of a word that ends so.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// How the base form ends; of several that fit, the longest counts.
    of: String,
    /// What stands in its place in the other forms, spaces between.
    forms: String,
}

/// What has to have been measured before findings in a language are published.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFrom {
    /// The set of held-out texts, as `quality.tsv` calls it.
    pub set: String,
    /// How many in a hundred of the judgements there annotators have to have made too.
    pub precision: usize,
    /// An aspect of which the reader found fewer there is published by the figure of all aspects.
    pub least: usize,
}

/// The file, as it is written. Words stand with spaces between.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LanguageFile {
    code: String,
    name: String,
    whatlang: String,
    ignores_accents: bool,
    is_bent_as_english: bool,
    function_words: String,
    telling_words: String,
    abbreviations: String,
    no_initials: String,
    after_names: String,
    money: String,
    times: String,
    ors: String,
    ands: String,
    between: String,
    openers: String,
    negators: String,
    negator_ending: String,
    negators_agree: bool,
    turns: String,
    endings: Vec<Ending>,
    names: NameCuesFile,
    published_from: Option<PublishedFrom>,
}

/// [`NameCues`], as they are written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct NameCuesFile {
    before_people: String,
    after_people: String,
    before_others: String,
    before_places: String,
}

/// Between which words a capitalised word is taken for the name of somebody or some place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameCues {
    /// Before the name of a person.
    pub before_people: WordSet,
    /// Behind it.
    pub after_people: WordSet,
    /// Before the name of somebody else: `my husband`.
    pub before_others: WordSet,
    /// Before the name of a place.
    pub before_places: WordSet,
}

/// A language, ready to read with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LanguageWords {
    /// Its code.
    pub code: LanguageCode,
    /// Its name in English.
    pub name: String,
    /// Its code in the detector of languages (ISO 639-3), where that knows it.
    pub whatlang: String,
    /// Whether words are compared without accents, as many people type them.
    pub ignores_accents: bool,
    is_bent_as_english: bool,
    /// Words that every text of some length has, and that other languages hardly have.
    pub function_words: WordSet,
    /// Words by which a short text is told.
    pub telling_words: WordSet,
    /// A full stop after these ends no sentence.
    pub abbreviations: WordSet,
    /// Single letters that are words, and no initials.
    pub no_initials: WordSet,
    /// What stands behind a name that begins a sentence; without one of these, its capital may mean nothing.
    pub after_names: WordSet,
    /// Behind a number: a sum.
    pub money: WordSet,
    /// Behind a number: a time of day.
    pub times: WordSet,
    /// `or`: what is joined to something negated by it is negated too.
    pub ors: WordSet,
    /// `and`: a list goes on.
    pub ands: WordSet,
    /// Words over which an opinion judges no name.
    pub between: WordSet,
    roles: HashMap<u64, TokenRole, BuildHasherDefault<Fingerprint>>,
    /// A word that ends so negates.
    pub negator_ending: String,
    /// Whether several negators in a clause are one negation: `no me dieron ni una disculpa`.
    pub negators_agree: bool,
    endings: Vec<Ending>,
    /// How people and places are known.
    pub names: NameCues,
    /// What has to have been measured before findings are published; without it all are.
    pub published_from: Option<PublishedFrom>,
}

impl LanguageWords {
    /// English.
    #[must_use]
    pub fn english() -> &'static Arc<Self> {
        static WORDS: LazyLock<Arc<LanguageWords>> = LazyLock::new(|| {
            // A test shows that it can be read.
            Arc::new(LanguageWords::parse(ENGLISH).unwrap_or_default())
        });
        &WORDS
    }

    /// Reads a language's file.
    ///
    /// # Errors
    /// What is wrong with it, and the byte where.
    pub fn parse(text: &str) -> Result<Self, (usize, String)> {
        let file: LanguageFile = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            (at, error.message().to_owned())
        })?;
        let code = LanguageCode::find(&file.code).ok_or_else(|| {
            let message = "`code` must be the two lower-case letters of ISO 639-1, like `es`";
            (0, message.to_owned())
        })?;
        let folds = file.ignores_accents;
        let set = |words: &str| -> WordSet {
            let words = words.split_whitespace();
            words
                .map(|word| Fingerprint::of(&if folds { folded(word) } else { word.to_owned() }))
                .collect()
        };
        // Texts are told before it is known how their words are compared.
        let told = |words: &str| -> WordSet {
            let as_written = words.split_whitespace().map(Fingerprint::of);
            set(words).into_iter().chain(as_written).collect()
        };
        let mut roles: HashMap<u64, TokenRole, BuildHasherDefault<Fingerprint>> =
            HashMap::default();
        let mut put = |words: WordSet, set: fn(&mut TokenRole)| {
            for word in words {
                set(roles.entry(word).or_default());
            }
        };
        put(set(PARTING_MARKS), |role| role.parts = true);
        put(set(&file.openers), |role| role.parts = true);
        put(set(SILENT_MARKS), |role| {
            (role.is_mark, role.negation) = (true, Negation::Ends);
        });
        put(set(&file.negators), |role| {
            role.negation = Negation::Begins;
        });
        put(set(&file.turns), |role| role.negation = Negation::Ends);
        Ok(Self {
            code,
            name: file.name,
            whatlang: file.whatlang,
            ignores_accents: folds,
            is_bent_as_english: file.is_bent_as_english,
            function_words: told(&file.function_words),
            telling_words: told(&file.telling_words),
            abbreviations: set(&file.abbreviations),
            no_initials: set(&file.no_initials),
            after_names: set(&file.after_names),
            money: set(&file.money),
            times: set(&file.times),
            ors: set(&file.ors),
            ands: set(&file.ands),
            between: set(&file.between),
            roles,
            negator_ending: file.negator_ending,
            negators_agree: file.negators_agree,
            endings: (file.endings.into_iter())
                .map(|ending| Ending {
                    of: if folds { folded(&ending.of) } else { ending.of },
                    ..ending
                })
                .collect(),
            names: NameCues {
                before_people: set(&file.names.before_people),
                after_people: set(&file.names.after_people),
                before_others: set(&file.names.before_others),
                before_places: set(&file.names.before_places),
            },
            published_from: file.published_from,
        })
    }

    /// What a token of that fingerprint does beside saying something.
    #[must_use]
    pub fn role(&self, fingerprint: u64) -> TokenRole {
        self.roles.get(&fingerprint).copied().unwrap_or_default()
    }

    /// A word as it is compared.
    #[must_use]
    pub fn compared(&self, word: &str) -> String {
        if self.ignores_accents {
            folded(word)
        } else {
            word.to_owned()
        }
    }

    /// The regular forms of a word, itself first. Forms that nobody writes do no harm.
    #[must_use]
    pub fn forms(&self, base: &str) -> Vec<String> {
        if self.is_bent_as_english {
            return english_forms(base);
        }
        let base = self.compared(base);
        let fitting = self.endings.iter().filter(|one| base.ends_with(&one.of));
        let longest = fitting.max_by_key(|one| one.of.len());
        let stem = |ending: &Ending| base[..base.len() - ending.of.len()].to_owned();
        let bent = longest.into_iter().flat_map(|ending| {
            let stem = stem(ending);
            let forms = ending.forms.split_whitespace();
            forms.map(move |form| self.compared(&format!("{stem}{form}")))
        });
        std::iter::once(base.clone()).chain(bent).collect()
    }
}

/// Without accents.
fn folded(word: &str) -> String {
    let mut plain = String::with_capacity(word.len());
    word.chars()
        .for_each(|letter| push_plain(&mut plain, letter));
    plain
}

/// The regular forms of an English verb or noun, itself first: show, shows, showed, showing. The rules are generous and short;
/// irregular forms stand in the package.
fn english_forms(base: &str) -> Vec<String> {
    let mut forms = vec![base.to_owned()];
    let bytes = base.as_bytes();
    let is_vowel = |at: usize| bytes.get(at).is_some_and(|byte| b"aeiou".contains(byte));
    let len = bytes.len();
    if base.ends_with('e') {
        let stem = &base[..len - 1];
        forms.extend([format!("{base}s"), format!("{base}d"), format!("{stem}ing")]);
    } else if base.ends_with('y') && len > 1 && !is_vowel(len - 2) {
        let stem = &base[..len - 1];
        forms.extend([
            format!("{stem}ies"),
            format!("{stem}ied"),
            format!("{base}ing"),
        ]);
    } else {
        let hisses = ["s", "x", "z", "ch", "sh"]
            .iter()
            .any(|end| base.ends_with(end));
        forms.push(format!("{base}{}", if hisses { "es" } else { "s" }));
        // `stop`, `stopped`: a single consonant after a single vowel.
        let doubles =
            len > 2 && len < 8 && !is_vowel(len - 1) && is_vowel(len - 2) && !is_vowel(len - 3);
        if doubles && !base.ends_with(['w', 'x', 'y']) {
            let last = &base[len - 1..];
            forms.extend([format!("{base}{last}ed"), format!("{base}{last}ing")]);
        }
        forms.extend([format!("{base}ed"), format!("{base}ing")]);
    }
    forms
}
