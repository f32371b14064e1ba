//! A trade, as the files of its package describe it, their errors, and its measured quality.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::pattern::PatternStep;
use crate::insights::analysis::LanguageCode;
use crate::insights::text::LanguageWords;
use crate::model::{hex, named};

/// Maximum number of aspects of a trade, each of which is one bit of a mask.
pub const ASPECTS_MAX: usize = u64::BITS as usize;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AspectDefinition {
    /// Id of the aspect in all output, for example `response_time`.
    pub id: String,
    /// Display name.
    pub label: String,
    /// A customer's question, for example `Do they arrive on time?`
    pub question: String,
}

named! {
    /// A word or phrase that changes the meaning of others; its name is its key in `[cues]`.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Cue {
        /// `not`, `without`: negates what follows.
        Negator = "negators",
        /// `but`: begins a clause, and weakens the one before.
        Contrast = "contrasts",
        /// `and they`: begins a clause.
        Joint = "joints",
        /// `the last company`: what follows is about another company.
        Elsewhere = "elsewhere",
        /// `these guys`: what follows is about the business again.
        Firm = "firm",
        /// `I wish`: the praised quality was missing.
        Wish = "wishes",
        /// `if it leaks again`: only a possibility.
        Open = "open",
        /// `had been leaking for weeks`: blame in this clause is about the time before the business came.
        Trouble = "trouble",
        /// `my boiler died on Friday`: the same as `Trouble` if it is at the beginning of a text.
        Breakdown = "breakdown",
        /// `two days later`: the business has already come, so later trouble is not earlier trouble.
        Afterwards = "afterwards",
        /// `I told them`: what the customer did, which is rarely a complaint.
        Deed = "deeds",
        /// `not only`, `very`: words without a meaning of their own.
        Silent = "silent",
        /// `to be honest`: the same as `Silent`, but the classifier does not read the words either.
        Unread = "unread",
    }
}

/// The meaning of a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Meaning {
    /// It judges the aspect (its index): positive points are praise, 0 is a fact.
    Judges(usize, i32),
    /// It names the aspect (its index), which an opinion may judge.
    Names(usize),
    /// It names the aspect (its index) only if an opinion is beside it.
    Hints(usize),
    /// It gives a complaint of a low-rated review its aspect (its index).
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

/// A phrase with its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// Name of its hits, for example `phrase:show_up_on_time`.
    pub id: String,
    /// The ways to match; one of them is sufficient.
    pub ways: Vec<Vec<PatternStep>>,
    pub meaning: Meaning,
}

/// A trade's aspects and the language of its customers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trade {
    /// Id of the trade in all output, for example `home_services`.
    pub id: String,
    /// Display name.
    pub label: String,
    /// Whether it uses the shared words.
    pub is_sharing: bool,
    /// Whether an opinion without an aspect counts for the role `overall`.
    pub has_strays: bool,
    /// Index of the aspect that receives opinions without an aspect.
    pub overall: Option<usize>,
    /// Measured quality.
    pub quality: Vec<Measured>,
    /// The weights of its classifier, if any.
    pub classifier: Option<Cow<'static, [u8]>>,
    /// The weights of polarity, if any were learned from texts in its language.
    pub polarity: Option<Cow<'static, [u8]>>,
    /// In display order.
    pub aspects: Vec<AspectDefinition>,
    /// All phrases, the trade's own first, in the order of the files.
    pub rules: Vec<Rule>,
    /// Words by list name, for `@name` in a pattern.
    pub lists: BTreeMap<String, Vec<String>>,
    /// Misspellings of each word by its right spelling.
    pub spellings: BTreeMap<String, Vec<String>>,
    /// Irregular forms of words by their base form.
    pub irregular: BTreeMap<String, Vec<String>>,
    /// The data of its language besides the phrases.
    pub words: Arc<LanguageWords>,
    /// The same trade in other languages.
    pub languages: Vec<Self>,
    /// SHA-256 of the files, in hexadecimal.
    pub digest: String,
}

impl Trade {
    pub fn is_english(&self) -> bool {
        self.words.code == LanguageCode::ENGLISH
    }

    /// The trade in English, then in its other languages.
    pub fn all_languages(&self) -> impl Iterator<Item = &Self> {
        std::iter::once(self).chain(&self.languages)
    }

    /// `None` if the trade does not have the language.
    pub fn in_language(&self, code: LanguageCode) -> Option<&Self> {
        let mut all = self.all_languages();
        all.find(|trade| trade.words.code == code)
    }

    /// The measured quality in all its languages; empty if nothing was measured.
    pub fn measures(&self) -> impl Iterator<Item = &Measured> {
        let languages = self.languages.iter().flat_map(|one| &one.quality);
        self.quality.iter().chain(languages)
    }

    /// Takes its phrases, and drops its lists: some 5 MB that are needed only until the phrases are compiled.
    pub fn take_phrases(&mut self) -> Vec<Rule> {
        self.lists.clear();
        self.spellings.clear();
        self.irregular.clear();
        std::mem::take(&mut self.rules)
    }

    /// In the trade's order.
    pub fn aspect_ids(&self) -> Vec<&str> {
        let aspects = self.aspects.iter();
        aspects.map(|aspect| aspect.id.as_str()).collect()
    }

    pub fn aspect(&self, id: &str) -> Option<usize> {
        self.aspects.iter().position(|aspect| aspect.id == id)
    }
}

/// The name and the text of a file.
pub type FileText<'text> = (String, &'text str);

/// SHA-256 of files, in hexadecimal.
pub fn digest(files: &[FileText<'_>]) -> String {
    let mut digest = Sha256::new();
    for (name, text) in files {
        // The hash uses only the file name, so that the same files are the same trade in any folder.
        let name = name.rsplit('/').next().unwrap_or_default();
        digest.update((name.len() as u64).to_be_bytes());
        digest.update(name);
        digest.update((text.len() as u64).to_be_bytes());
        digest.update(text);
    }
    hex(&digest.finalize())
}

/// Task name of the precision figures: for the judgements in whole reviews, and, as a prefix, for those of one aspect.
const FINDING: &str = "finding";

const PRECISION: &str = "precision";

impl Trade {
    /// SHA-256 of its weights, in hexadecimal: of the aspects and of polarity.
    pub fn weights(&self) -> [Option<String>; 2] {
        let weights = [self.classifier.as_deref(), self.polarity.as_deref()];
        weights.map(|weights| Some(hex(&Sha256::digest(weights?))))
    }

    /// The indices of the aspects whose findings are published: all in English, and all in a language without a
    /// required precision. Otherwise the aspects with sufficient precision in held-out texts; for an aspect with too
    /// few judgements there, the precision of all aspects together decides.
    pub fn published_aspects(&self) -> Vec<usize> {
        let Some(from) = &self.words.published_from else {
            return (0..self.aspects.len()).collect();
        };
        let of = |task: &str| {
            let is_it = |one: &&Measured| {
                (one.set.as_str(), one.measure.as_str(), one.task.as_str())
                    == (from.set.as_str(), PRECISION, task)
            };
            self.quality.iter().find(is_it)
        };
        let is_enough = |one: &Measured| one.part * 100 >= one.whole * from.precision;
        let is_whole_enough = of(FINDING).is_some_and(is_enough);
        let is_published = |id: &str| match of(&aspect_task(id)) {
            Some(one) if one.whole >= from.least => is_enough(one),
            _ => is_whole_enough,
        };
        let all = self.aspects.iter().zip(0..);
        all.filter(|(aspect, _)| is_published(&aspect.id))
            .map(|(_, index)| index)
            .collect()
    }
}

/// The task name for the judgements about one aspect in `quality.tsv`.
pub fn aspect_task(id: &str) -> String {
    format!("{FINDING}:{id}")
}

/// One measure of one task on one set of annotated texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measured {
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

/// An error in a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct TradeError {
    /// As given to [`super::parse_all`].
    pub file: String,
    /// From 1.
    pub line: usize,
    /// The problem, and the valid form.
    pub message: String,
}

impl TradeError {
    pub fn new(file: &str, line: usize, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            message: message.into(),
        }
    }

    /// An error at a byte position of the file's text.
    pub fn at(file: &str, text: &str, (at, message): (usize, String)) -> Self {
        let before = text.get(..at).unwrap_or(text);
        Self::new(file, 1 + before.matches('\n').count(), message)
    }
}

/// All errors in the files of a trade, in their order; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))]
pub struct TradeErrors(pub Vec<TradeError>);
