//! What a trade's customers write about, and in which words: aspects, phrases, opinions and cues,
//! read from files that a firm can edit. Apart from `aspects`, which judges by them, because this
//! is language and that is method. A folder beside this file is a package of one trade; `shared` has
//! what every trade reads with.

mod background;
mod folder;
mod head;
mod inflect;
mod measured;
mod parse;
mod pattern;
mod shipped;
mod syntax;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use crate::hash::hex;
use sha2::{Digest as _, Sha256};

pub use background::Background;
pub use folder::{FILE_MIB_MAX, FolderError, read_folder};
pub use inflect::forms;
pub use measured::{HEADER as QUALITY_HEADER, Measured};
pub use pattern::Step;
pub use shipped::{GENERAL, HOME_SERVICES, IDS, id_for};

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
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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
    /// The phrase as it is written.
    pub text: Arc<str>,
    /// Where it is written.
    pub place: Place,
}

/// Where a phrase is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name.
    pub file: Arc<str>,
    /// The line, counted from 1.
    pub line: usize,
    /// Whether it is one of those that every trade shares.
    pub is_shared: bool,
}

/// A trade's aspects and the language of its customers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trade {
    /// Its id in every answer, for example `home_services`.
    pub id: String,
    /// Its name for readers.
    pub label: String,
    /// The schema.org types of the businesses that it is for.
    pub types: Vec<String>,
    /// Whether it reads with the words that every trade shares.
    pub is_sharing: bool,
    /// Whether an opinion about nothing in particular is one about the whole.
    pub has_strays: bool,
    /// The aspect that an opinion about nothing in particular goes to, by its index.
    pub overall: Option<usize>,
    /// Aspects whose plain facts (`he said`) are not worth telling beside a judgement.
    pub quiet: Vec<usize>,
    /// Aspects whose plain facts (`they put in a pump`) stay facts among complaints.
    pub facts: Vec<usize>,
    /// What was measured of it.
    pub quality: Vec<Measured>,
    /// The weights of its classifier, where it has one.
    pub classifier: Option<Cow<'static, [u8]>>,
    /// How common words are in reviews of other trades, where it says so.
    pub background: Option<Background>,
    /// The aspects, in the order in which they are shown.
    pub aspects: Vec<Aspect>,
    /// All phrases, the trade's own first, in the order of the files.
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

/// All that is wrong in the files of a trade, in their order; never empty.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct TradeErrors(pub Vec<TradeError>);

impl fmt::Display for TradeErrors {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, fault) in self.0.iter().enumerate() {
            if number > 0 {
                to.write_str("; ")?;
            }
            write!(to, "{fault}")?;
        }
        Ok(())
    }
}

impl Trade {
    /// The package of home services, which the published figures are about.
    ///
    /// # Errors
    /// A fault in one of its files; a test holds that there is none.
    pub fn built_in() -> Result<Self, TradeErrors> {
        Self::shipped(HOME_SERVICES)
    }

    /// The package of that id, one of [`IDS`], that the program brings; for another id that for whatever
    /// business.
    ///
    /// # Errors
    /// A fault in one of its files; a test holds that there is none.
    pub fn shipped(id: &str) -> Result<Self, TradeErrors> {
        shipped::read(id)
    }

    /// Reads one file; it shares the words that every trade shares, unless it says otherwise.
    ///
    /// # Errors
    /// All faults, with their lines.
    pub fn parse(text: &str) -> Result<Self, TradeErrors> {
        Self::parse_all(&[("trade", text)])
    }

    /// Reads several files, each a name and its text, as if they were one; they share the words that
    /// every trade shares, unless they say otherwise.
    ///
    /// # Errors
    /// All faults, with their files and lines.
    pub fn parse_all(files: &[(&str, &str)]) -> Result<Self, TradeErrors> {
        let mut trade = parse::parse(files, shipped::SHARED)?;
        let mut digest = Sha256::new();
        let shared = shipped::SHARED.iter().filter(|_| trade.is_sharing);
        for (name, text) in files.iter().chain(shared) {
            // The same files are the same trade, wherever they lie.
            let name = name.rsplit('/').next().unwrap_or(name);
            digest.update((name.len() as u64).to_be_bytes());
            digest.update(name);
            digest.update((text.len() as u64).to_be_bytes());
            digest.update(text);
        }
        trade.digest = hex(&digest.finalize());
        Ok(trade)
    }

    /// The id and the label of a trade that says none.
    #[must_use]
    pub fn default_head() -> (String, String) {
        let head::Head { id, label, .. } = head::Head::default();
        (id, label)
    }

    /// How common words are elsewhere: by the trade's own table, else the shared one.
    #[must_use]
    pub fn background(&self) -> &Background {
        self.background
            .as_ref()
            .unwrap_or_else(|| Background::shared())
    }

    /// The SHA-256 of the files, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The ids of the aspects, in their order.
    #[must_use]
    pub fn aspect_ids(&self) -> Vec<&str> {
        let aspects = self.aspects.iter();
        aspects.map(|aspect| aspect.id.as_str()).collect()
    }

    /// The index of the aspect of that id.
    #[must_use]
    pub fn aspect(&self, id: &str) -> Option<usize> {
        self.aspects.iter().position(|aspect| aspect.id == id)
    }
}

#[cfg(test)]
mod tests;
