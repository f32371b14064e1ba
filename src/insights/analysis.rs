//! The analysis of one review's text. Offsets are Unicode code points of the review's `text`, ends exclusive, so that
//! clients can cut out the passages.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::model::{MentionKind, Vote, named};
use crate::wire::Witness;

/// A range of a review's `text` in Unicode code points; as JSON `[start, end]`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(from = "(u32, u32)", into = "(u32, u32)")]
pub struct TextSpan {
    /// From 0.
    pub start: u32,
    /// Exclusive.
    pub end: u32,
}

impl TextSpan {
    /// Its code points in `text`; `None` if it is empty or ends after the text.
    pub fn of(self, text: &str) -> Option<&str> {
        let mut places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        let start = places.nth(self.start as usize)?;
        let end = places.nth((self.end as usize).checked_sub(self.start as usize + 1)?)?;
        text.get(start..end)
    }
}

impl From<(u32, u32)> for TextSpan {
    fn from((start, end): (u32, u32)) -> Self {
        Self { start, end }
    }
}

impl From<TextSpan> for (u32, u32) {
    fn from(TextSpan { start, end }: TextSpan) -> Self {
        (start, end)
    }
}

/// Whether a text was analysed, with the reason if it was not; as JSON its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TextLanguage {
    /// The text has no words.
    None,
    English,
    /// Counted, but not analysed.
    Other,
}

named! {
    /// The polarity of a finding or text; its name is used in the database, in JSON and in annotated files. Counts by
    /// polarity are in this order.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Polarity {
        Positive = "positive",
        Negative = "negative",
        /// A fact without judgement.
        Neutral = "neutral",
        /// The evidence for the leading label is too weak.
        Uncertain = "uncertain",
    }
}

impl Polarity {
    /// Whether it is praise or blame.
    pub const fn judges(self) -> bool {
        matches!(self, Self::Positive | Self::Negative)
    }

    /// 1 for praise, -1 for blame, otherwise 0.
    pub const fn sign(self) -> i32 {
        match self {
            Self::Positive => 1,
            Self::Negative => -1,
            Self::Neutral | Self::Uncertain => 0,
        }
    }

    /// Whether stars suggest the other side.
    pub const fn contradicts(self, stars: u8) -> bool {
        matches!(
            (self, Self::of_stars(stars)),
            (Self::Positive, Some(Self::Negative)) | (Self::Negative, Some(Self::Positive))
        )
    }

    /// The polarity that so many stars suggest; `None` for three.
    pub const fn of_stars(stars: u8) -> Option<Self> {
        match stars {
            0..=2 => Some(Self::Negative),
            4.. => Some(Self::Positive),
            3 => None,
        }
    }
}

impl From<Polarity> for Vote {
    fn from(polarity: Polarity) -> Self {
        match polarity {
            Polarity::Positive => Self::Positive,
            Polarity::Negative => Self::Negative,
            Polarity::Neutral => Self::Neutral,
            Polarity::Uncertain => Self::Uncertain,
        }
    }
}

/// One reason for a finding: a rule or weight, its position, and its points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// For example `phrase:on time`, `lexicon:great`, `negators:not`, `examples:said`.
    pub rule: String,
    /// The matched words.
    pub span: TextSpan,
    /// Its contribution to the score; praise is positive.
    pub points: i32,
}

/// An aspect that a sentence judges or mentions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// For example `punctuality`.
    pub aspect: String,
    /// Sentence number, from 0.
    pub sentence: u32,
    /// The clause with the finding.
    pub span: TextSpan,
    pub polarity: Polarity,
    /// The source of the judgement.
    pub witness: Witness,
    /// The sum of the hits' points.
    pub score: i32,
    /// Percentage of similar cases in which aspect and label were right, 0 to 100.
    pub confidence: u8,
    /// Reasons: hits that found the aspect (0 points) and hits that contribute to the score.
    pub hits: Vec<Hit>,
}

impl Finding {
    /// Whether the stars withdrew the judgement; that hit comes last.
    pub fn is_withdrawn(&self) -> bool {
        self.hits.last().is_some_and(|hit| hit.rule == WITHDRAWN)
    }
}

/// Measured percentage of right judgements among those that only the rules make.
pub const CONFIDENCE_OF_RULES: u8 = 70;
/// Minimum absolute score of praise or blame.
pub const MARGIN: i32 = 2;
/// Rule name of the hit for a judgement that the stars withdrew.
pub const WITHDRAWN: &str = "stars:withdrawn";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sentence {
    pub span: TextSpan,
    /// Of the sentence as a whole.
    pub polarity: Polarity,
}

/// A named entity in the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    pub kind: MentionKind,
    /// The full name of a person, the id of a service, or the name of a place.
    pub name: String,
    /// Sentence number, from 0.
    pub sentence: u32,
    /// The words of the name.
    pub span: TextSpan,
    /// What the part of the sentence with the name says.
    pub polarity: Polarity,
}

/// Stored as JSON, which the views `derived_*` show as rows: a changed form must change
/// [`FORMAT`](super::store::FORMAT).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Analysis {
    /// Whether it was analysed.
    pub language: TextLanguage,
    pub sentences: Vec<Sentence>,
    /// By sentence, then by position, then by aspect.
    pub findings: Vec<Finding>,
    /// By position.
    pub mentions: Vec<Mention>,
    /// The polarity of the text as a whole, and its score.
    pub overall: (Polarity, i32),
}

impl Analysis {
    /// The named entities.
    pub fn names(&self) -> BTreeSet<(MentionKind, String)> {
        let mentions = self.mentions.iter();
        mentions.map(|one| (one.kind, one.name.clone())).collect()
    }
}
