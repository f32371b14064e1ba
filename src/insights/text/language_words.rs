//! The data of a language besides a trade's phrases: words that identify it, sentence ends, negators, inflection. They
//! are in a package's file `language.toml`, so that a folder is sufficient to add a language.

use std::collections::HashSet;
use std::hash::BuildHasherDefault;
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use unicode_normalization::char::{decompose_canonical, is_combining_mark};

use super::fingerprint::{Fingerprint, WordMap};
use crate::insights::analysis::LanguageCode;

const ENGLISH: &str = include_str!("../trades/shared/language.toml");

/// Words by their fingerprints.
pub type WordSet = HashSet<u64, BuildHasherDefault<Fingerprint>>;

/// Marks without a meaning of their own, unlike `!`, `?`, `$` and symbols. They end the scope of a negator.
const SILENT_MARKS: &str = ", ; : . \u{2026} \u{2014} ( ) \" - '";
/// Marks that divide a sentence.
const PARTING_MARKS: &str = ", ; : . ! ? \u{2026} \u{2014} ( ) \" - &";

/// The structural role of a token.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenRole {
    /// Whether it divides the sentence: a mark, or a word that begins the next part.
    pub parts: bool,
    /// Whether it is a mark without a meaning of its own.
    pub is_mark: bool,
    /// Its effect on the words after it.
    pub negation: Negation,
}

/// The effect of a token on the negation of the words after it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Negation {
    /// No effect.
    #[default]
    GoesOn,
    /// The next words are negated.
    Begins,
    /// Ends the scope of a negator before it.
    Ends,
}

/// Inflection: the forms of a word with a given ending.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Inflection {
    /// The ending of the base form; of several matching endings, the longest counts.
    of: String,
    /// The endings of the other forms, separated by spaces.
    forms: String,
}

/// The measured quality that findings in a language need to be published.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFrom {
    /// The set of held-out texts, as named in `quality.tsv`.
    pub set: String,
    /// Minimum precision of the judgements in that set, in percent.
    pub precision: usize,
    /// Minimum number of findings in that set; for an aspect with fewer, the precision of all aspects decides.
    pub least: usize,
}

/// The syntax of the file. Words are separated by spaces.
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
    endings: Vec<Inflection>,
    names: NameCues<String>,
    published_from: Option<PublishedFrom>,
}

/// Words that identify a capitalised word beside them as the name of a person or place.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NameCues<Words = WordSet> {
    /// Before the name of a person.
    pub before_people: Words,
    /// After the name of a person.
    pub after_people: Words,
    /// Before the name of another person: `my husband`.
    pub before_others: Words,
    /// Before the name of a place.
    pub before_places: Words,
}

/// A language, compiled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LanguageWords {
    pub code: LanguageCode,
    /// The language's name in English.
    pub name: String,
    /// Code in the `whatlang` detector (ISO 639-3), if it has the language.
    pub whatlang: String,
    /// Whether words are compared without accents, because many people do not type them.
    pub ignores_accents: bool,
    is_bent_as_english: bool,
    /// Words that occur in every longer text and hardly ever in other languages.
    pub function_words: WordSet,
    /// Words that identify a short text.
    pub telling_words: WordSet,
    /// Words after which a full stop does not end a sentence.
    pub abbreviations: WordSet,
    /// Single letters that are words and not initials.
    pub no_initials: WordSet,
    /// Words after a name at the beginning of a sentence; without one of these words, the name's capital may mean
    /// nothing.
    pub after_names: WordSet,
    /// Words after a number that make it an amount of money.
    pub money: WordSet,
    /// Words after a number that make it a time of day.
    pub times: WordSet,
    /// Words for `or`, which extend a negation to the words that they join.
    pub ors: WordSet,
    /// Words for `and`, which continue a list.
    pub ands: WordSet,
    /// Words that separate an opinion from a name.
    pub between: WordSet,
    roles: WordMap<TokenRole>,
    /// Words with this ending negate.
    pub negator_ending: String,
    /// Whether several negators in a clause are one negation: `no me dieron ni una disculpa`.
    pub negators_agree: bool,
    endings: Vec<Inflection>,
    /// The words that identify people and places.
    pub names: NameCues,
    /// The measured quality that findings need to be published; without it, all findings are published.
    pub published_from: Option<PublishedFrom>,
}

impl LanguageWords {
    pub fn english() -> &'static Arc<Self> {
        static WORDS: LazyLock<Arc<LanguageWords>> = LazyLock::new(|| {
            // A test verifies that it can be read.
            Arc::new(LanguageWords::parse(ENGLISH).unwrap_or_default())
        });
        &WORDS
    }

    /// # Errors
    /// The byte position and the error.
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
                .map(|word| Fingerprint::of(&compared(word, folds)))
                .collect()
        };
        // Words that identify a language are compared in both forms, because the language of a text is not known yet.
        let told = |words: &str| -> WordSet {
            let as_written = words.split_whitespace().map(Fingerprint::of);
            set(words).into_iter().chain(as_written).collect()
        };
        let mut roles: WordMap<TokenRole> = WordMap::default();
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
                .map(|ending| Inflection {
                    of: compared(&ending.of, folds),
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

    /// The role of the token with the given fingerprint.
    pub fn role(&self, fingerprint: u64) -> TokenRole {
        self.roles.get(&fingerprint).copied().unwrap_or_default()
    }

    /// The form in which a word is compared.
    pub fn compared(&self, word: &str) -> String {
        compared(word, self.ignores_accents)
    }

    /// The regular forms of a word, beginning with the word itself. Some forms do not exist, which does no harm.
    pub fn forms(&self, base: &str) -> Vec<String> {
        if self.is_bent_as_english {
            return english_forms(base);
        }
        let base = self.compared(base);
        let fitting = self.endings.iter().filter(|one| base.ends_with(&one.of));
        let mut forms = vec![base.clone()];
        if let Some(ending) = fitting.max_by_key(|one| one.of.len()) {
            let stem = &base[..base.len() - ending.of.len()];
            let endings = ending.forms.split_whitespace();
            forms.extend(endings.map(|form| self.compared(&format!("{stem}{form}"))));
        }
        forms
    }
}

/// The form in which a word is compared: without its accents if `ignores_accents`.
fn compared(word: &str, ignores_accents: bool) -> String {
    if !ignores_accents {
        return word.to_owned();
    }
    let mut plain = String::with_capacity(word.len());
    word.chars()
        .for_each(|letter| push_plain(&mut plain, letter));
    plain
}

/// The regular forms of an English verb or noun, beginning with the word itself: show, shows, showed, showing. The
/// rules are short and generate too many forms; irregular forms are in the package.
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

/// Appends a letter without its accents: `a` for `á`, `n` for `ñ`.
pub fn push_plain(to: &mut String, letter: char) {
    decompose_canonical(letter, |part| {
        if !is_combining_mark(part) {
            to.push(part);
        }
    });
}

/// Replaces typographic variants by the characters on keyboards.
pub const fn plain(character: char) -> char {
    match character {
        '\u{2018}' | '\u{2019}' | '\u{201B}' | '\u{02BC}' | '\u{FF07}' | '`' | '\u{00B4}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201F}' => '"',
        '\u{2010}' | '\u{2011}' => '-',
        '\u{2013}' | '\u{2014}' | '\u{2015}' => '\u{2014}',
        '\r' | '\u{2028}' | '\u{2029}' | '\u{0085}' => '\n',
        other => other,
    }
}
