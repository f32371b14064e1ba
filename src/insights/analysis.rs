//! What one review's text says: the result of reading it, and nothing of how. Offsets are Unicode
//! code points of the review's `text`, ends exclusive, so that whoever has the review can cut out
//! exactly what was meant.

use serde::{Deserialize, Serialize};

/// A stretch of a review's `text`, in Unicode code points; the end is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TextSpan {
    /// The first code point, counted from 0.
    pub start: u32,
    /// Where it has ended.
    pub end: u32,
}

/// Whether a text was analysed, and if not, why.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Language {
    /// There are no words.
    None,
    /// English: every package reads it.
    English,
    /// Something else: counted, not analysed.
    Other,
    /// Another language that the trade's package reads.
    Also(LanguageCode),
}

impl Language {
    /// Its name in the database: of what only some packages read the code.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::None => "none",
            Self::English => "english",
            Self::Other => "other",
            Self::Also(code) => code.as_str(),
        }
    }

    /// Whether texts in it are analysed.
    #[must_use]
    pub const fn is_read(self) -> bool {
        matches!(self, Self::English | Self::Also(_))
    }

    /// Its code, where it is read.
    #[must_use]
    pub const fn code(self) -> Option<LanguageCode> {
        match self {
            Self::English => Some(LanguageCode::ENGLISH),
            Self::Also(code) => Some(code),
            Self::None | Self::Other => None,
        }
    }
}

/// The code of a language (ISO 639-1): two lower-case letters, `es`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct LanguageCode([u8; 2]);

impl LanguageCode {
    /// That of English.
    pub const ENGLISH: Self = Self(*b"en");

    /// The code that is written so; `None` where it is none.
    #[must_use]
    pub fn find(code: &str) -> Option<Self> {
        let letters = <[u8; 2]>::try_from(code.as_bytes()).ok()?;
        letters
            .iter()
            .all(u8::is_ascii_lowercase)
            .then_some(Self(letters))
    }

    /// As it is written.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Only letters are taken.
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// How something is spoken of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Polarity {
    /// It is spoken of well.
    Positive,
    /// It is spoken of badly.
    Negative,
    /// It is told as a fact, and not judged.
    Neutral,
    /// What speaks for one label is too weak against what speaks for another.
    Uncertain,
}

impl Polarity {
    /// Its name in the database, in JSON and in annotated files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
            Self::Uncertain => "uncertain",
        }
    }

    /// The polarity of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        [
            Self::Positive,
            Self::Negative,
            Self::Neutral,
            Self::Uncertain,
        ]
        .into_iter()
        .find(|one| one.name() == name)
    }
}

/// One reason for a finding: the rule or weight, where it applied, and what it added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hit {
    /// Which rule, for example `phrase:on_time`, `lexicon:great`, `negation:never`, `model:w3f2`.
    pub rule: String,
    /// The words it applied to.
    pub span: TextSpan,
    /// What it added to the score: positive speaks well.
    pub points: i32,
}

/// An aspect that a sentence judges or names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The aspect's id, for example `punctuality`.
    pub aspect: String,
    /// In which sentence of the text, counted from 0.
    pub sentence: u32,
    /// The clause that it was found in.
    pub span: TextSpan,
    /// How it is spoken of.
    pub polarity: Polarity,
    /// The sum of the hits' points.
    pub score: i32,
    /// In how many of a hundred such cases aspect and label were right, 0 to 100.
    pub confidence: u8,
    /// Why: what found the aspect (0 points) and what made the score.
    pub hits: Vec<Hit>,
}

/// What kind of thing a text names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum MentionKind {
    /// Somebody who works there; values are full names.
    Technician,
    /// Something the firm offers; values are service ids.
    Service,
    /// A place it serves; values are names.
    ServiceArea,
}

impl MentionKind {
    /// Its name in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Technician => "technician",
            Self::Service => "service",
            Self::ServiceArea => "service_area",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        [Self::Technician, Self::Service, Self::ServiceArea]
            .into_iter()
            .find(|one| one.name() == name)
    }
}

/// A name in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Whether it names a technician, a service or a place.
    pub kind: MentionKind,
    /// Whom or what it may be, sorted: one value is a link, several are an ambiguity that counts
    /// for nobody.
    pub candidates: Vec<String>,
    /// In which sentence, counted from 0.
    pub sentence: u32,
    /// The last sentence that still speaks of it: those between begin with he, she, they or it, and
    /// name nobody else.
    pub through: u32,
    /// The words that name it.
    pub span: TextSpan,
    /// Which rule linked them, for example `full_name`, `nickname`, `misspelling`, `synonym`.
    pub rule: &'static str,
}

impl Mention {
    /// Whom or what it names, where that is certain.
    #[must_use]
    pub fn link(&self) -> Option<&str> {
        match self.candidates.as_slice() {
            [one] => Some(one),
            _ => None,
        }
    }
}

/// All that one text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Analysis {
    /// Whether it was analysed.
    pub language: Language,
    /// Its sentences, in order.
    pub sentences: Vec<TextSpan>,
    /// What it judges, by sentence, then by place, then by aspect.
    pub findings: Vec<Finding>,
    /// Whom and what it names, by place.
    pub mentions: Vec<Mention>,
    /// How the text as a whole speaks, and the score behind that.
    pub overall: (Polarity, i32),
    /// Phrases that may turn out to be topics: folded, each once, sorted.
    pub phrases: Vec<String>,
}

impl Analysis {
    /// Whom and what it names for certain, each once, sorted.
    #[must_use]
    pub fn names(&self) -> Vec<(MentionKind, String)> {
        let mut names: Vec<(MentionKind, String)> = self
            .mentions
            .iter()
            .filter_map(|mention| Some((mention.kind, mention.link()?.to_owned())))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
