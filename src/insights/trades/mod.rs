//! What a trade's customers write about, and in which words: aspects, phrases, opinions and cues,
//! read from files that a firm can edit. Apart from `aspects`, which judges by them, because this
//! is language and that is method.

mod inflect;
mod parse;
mod pattern;

use std::collections::BTreeMap;

use crate::hash::hex;
use sha2::{Digest as _, Sha256};

pub use inflect::forms;
pub use pattern::Step;

/// The built-in files, each with its name: HVAC, plumbing and their kin, in English.
const BUILT_IN: [(&str, &str); 13] = [
    ("words.toml", include_str!("shared/words.toml")),
    ("opinions.toml", include_str!("shared/opinions.toml")),
    (
        "punctuality.toml",
        include_str!("home_services/punctuality.toml"),
    ),
    (
        "scheduling.toml",
        include_str!("home_services/scheduling.toml"),
    ),
    (
        "response_time.toml",
        include_str!("home_services/response_time.toml"),
    ),
    (
        "communication.toml",
        include_str!("home_services/communication.toml"),
    ),
    (
        "professionalism.toml",
        include_str!("home_services/professionalism.toml"),
    ),
    (
        "workmanship.toml",
        include_str!("home_services/workmanship.toml"),
    ),
    ("price.toml", include_str!("home_services/price.toml")),
    ("honesty.toml", include_str!("home_services/honesty.toml")),
    (
        "cleanliness.toml",
        include_str!("home_services/cleanliness.toml"),
    ),
    ("warranty.toml", include_str!("home_services/warranty.toml")),
    ("overall.toml", include_str!("home_services/overall.toml")),
];

/// Something that customers judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aspect {
    /// Its id in every answer, for example `response_time`.
    pub id: String,
    /// Its name for readers.
    pub label: String,
    /// What a customer would ask about it, for example `Do they arrive on time?`
    pub question: String,
}

/// A word or phrase that changes how others are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cue {
    /// `not`, `without`: what follows says the opposite.
    Negator,
    /// `very`: what follows says more.
    Intensifier,
    /// `a bit`: what follows says less.
    Diminisher,
    /// `but`: a new clause, and what was said before weighs less.
    Contrast,
    /// `and they`: a new clause.
    Joint,
    /// `the last company`: what follows is about somebody else.
    Elsewhere,
    /// `these guys`: what follows is about the firm again.
    Firm,
    /// `I wish`: what is praised was missing.
    Wish,
    /// `if it leaks again`: nobody knows yet.
    Open,
    /// `do they`: the same where a question mark ends the sentence.
    Asks,
    /// `the leak`: an opinion about it is about nobody.
    Setting,
    /// `not only`: words that say nothing here.
    Silent,
}

/// What a phrase means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Meaning {
    /// It judges the aspect (its index): positive points speak well, 0 is a plain fact.
    Judges(usize, i32),
    /// It names the aspect (its index), and somebody may say how it was.
    Names(usize),
    /// It may name the aspect (its index): only an opinion beside it makes it so.
    Hints(usize),
    /// It speaks well or badly of whatever it stands beside.
    Opinion(i32),
    /// It changes how others are read.
    Cue(Cue),
}

/// A phrase with its meaning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    /// What a hit is called, for example `phrase:show_up_on_time`.
    pub id: String,
    /// What it matches: any of these ways.
    pub ways: Vec<Vec<Step>>,
    /// What a match says: a judgement, a name, a hint, an opinion or a cue.
    pub meaning: Meaning,
}

/// A trade's aspects and the language of its customers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trade {
    /// The aspects, in the order of the files.
    pub aspects: Vec<Aspect>,
    /// All phrases, in the order of the files.
    pub rules: Vec<Rule>,
    /// Words by the name of their list, for `@name` in a pattern.
    pub lists: BTreeMap<String, Vec<String>>,
    /// How words are misspelt, by the right spelling.
    pub spellings: BTreeMap<String, Vec<String>>,
    /// Forms of words that follow no rule, by their base form.
    pub irregular: BTreeMap<String, Vec<String>>,
    digest: String,
}

/// What is wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct TradeError {
    /// The file's name, as it was given to [`Trade::parse_all`].
    pub file: String,
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl Trade {
    /// The files that the program brings.
    ///
    /// # Errors
    /// A fault in one of them; a test holds that there is none.
    pub fn built_in() -> Result<Self, TradeError> {
        Self::parse_all(&BUILT_IN)
    }

    /// Reads one file.
    ///
    /// # Errors
    /// The first fault, with its line.
    pub fn parse(text: &str) -> Result<Self, TradeError> {
        Self::parse_all(&[("trade", text)])
    }

    /// Reads several files, each a name and its text, as if they were one.
    ///
    /// # Errors
    /// The first fault, with its file and line.
    pub fn parse_all(files: &[(&str, &str)]) -> Result<Self, TradeError> {
        let mut trade = parse::parse(files)?;
        let mut digest = Sha256::new();
        for (name, text) in files {
            digest.update((name.len() as u64).to_be_bytes());
            digest.update(name);
            digest.update((text.len() as u64).to_be_bytes());
            digest.update(text);
        }
        trade.digest = hex(&digest.finalize());
        Ok(trade)
    }

    /// The SHA-256 of the files, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The index of the aspect of that id.
    #[must_use]
    pub fn aspect(&self, id: &str) -> Option<usize> {
        self.aspects.iter().position(|aspect| aspect.id == id)
    }
}

#[cfg(test)]
mod tests;
