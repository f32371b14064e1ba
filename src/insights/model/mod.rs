//! A small model of polarity, for what no rule decides: integer weights, trained by
//! `examples/train` on annotated sentences that may be used for it (`NOTICE`). How it was made and
//! how well it does: `docs/MODEL.md`.

pub mod features;
pub mod network;
pub mod weights;

use std::ops::Range;

use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use self::features::Vocabulary;
use self::network::{Network, Sums};
use self::weights::Weights;
use super::analysis::Hit;
use super::text::Text;
use crate::hash::hex;

/// The most hits that a score tells of.
pub const HITS_MAX: usize = 4;

/// By how much neutral is too likely beside an anchor, in thousandths: 44 of 100 judgements in MAMS
/// are neutral, of those in reviews about 17. The figures for MAMS are without it.
const NEUTRAL_EXCESS: i32 = 1330;

const WEIGHTS: &[u8] = include_bytes!("polarity.weights");
const QUALITY: &str = include_str!("polarity.json");

/// Why weights cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The file begins with something else.
    #[error("these are no weights of the polarity model")]
    Foreign,
    /// There is too little or too much.
    #[error("the weights are cut off, or followed by something")]
    Length,
    /// The figures beside the weights cannot be read.
    #[error("the figures beside the weights cannot be read: {0}")]
    Quality(#[from] serde_json::Error),
}

/// What training told of its result.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Quality {
    /// SHA-256 of the weights that the figures are about, in hexadecimal.
    pub weights_sha256: String,
    /// The files that they were trained on.
    pub inputs: Vec<Input>,
    /// How well they do.
    pub figures: Vec<Figure>,
}

/// A file that was trained on.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Input {
    /// Its path below the folder of data.
    pub file: String,
    /// SHA-256 of it, in hexadecimal.
    pub sha256: String,
}

/// How many of how many were right.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Figure {
    /// What was to be told, for example `aspect_polarity`.
    pub task: String,
    /// Of which sentences, for example `mams-acsa-test`.
    pub set: String,
    /// By which means: `model`, or a plainer one beside it.
    pub method: String,
    /// How many sentences, or aspects of sentences.
    pub n: u32,
    /// How many of them were told right.
    pub correct: u32,
}

/// How much speaks for each label, in thousandths of a natural logarithm of the odds; only
/// differences mean something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scores {
    /// For the label negative: spoken of badly.
    pub negative: i32,
    /// For a mere fact.
    pub neutral: i32,
    /// For the label positive: spoken of well.
    pub positive: i32,
    /// What added most to positive less negative, strongest first, at most [`HITS_MAX`].
    pub hits: Vec<Hit>,
}

/// The polarity model, with the digest of its weights and the figures of its training.
#[derive(Debug, Clone)]
pub struct Model {
    vocabulary: Vocabulary,
    network: Network,
    digest: String,
    quality: Quality,
}

impl Model {
    /// The weights that come with the program.
    ///
    /// # Errors
    /// None, as a test shows.
    pub fn built_in() -> Result<Self, ModelError> {
        Self::parse(WEIGHTS, QUALITY)
    }

    /// Weights and the figures beside them.
    ///
    /// # Errors
    /// When one of them cannot be read.
    pub fn parse(weights: &[u8], quality: &str) -> Result<Self, ModelError> {
        let digest = hex(&Sha256::digest(weights));
        let weights = Weights::parse(weights)?;
        let (vocabulary, network) = (Vocabulary::new(&weights.keys), Network::new(&weights));
        Ok(Self {
            vocabulary,
            network,
            digest,
            quality: serde_json::from_str(quality)?,
        })
    }

    /// SHA-256 of the weights, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// What training told of its result.
    #[must_use]
    pub const fn quality(&self) -> &Quality {
        &self.quality
    }

    /// How `scope`, a sentence or a part of one, speaks of what `anchor` names; of itself, where
    /// `anchor` is empty or outside. Of itself it is hardly ever neutral: whole sentences were
    /// learned as negative or positive alone.
    #[must_use]
    pub fn score(&self, text: &Text, scope: Range<usize>, anchor: Range<usize>) -> Scores {
        let has_anchor = !anchor.is_empty() && scope.contains(&anchor.start);
        let (first, seen) = self.vocabulary.look(
            text,
            scope,
            if has_anchor {
                std::slice::from_ref(&anchor)
            } else {
                &[]
            },
        );
        let sums = self.network.run(&seen);
        let [negative, neutral, positive] = sums.labels;
        let neutral = if has_anchor {
            neutral.saturating_sub(NEUTRAL_EXCESS)
        } else {
            neutral
        };
        Scores {
            negative,
            neutral,
            positive,
            hits: hits(text, first, &sums),
        }
    }
}

/// The strongest contributions: of words, and of three words together.
fn hits(text: &Text, first: usize, sums: &Sums) -> Vec<Hit> {
    let last = first + sums.words.len();
    let words = (first..)
        .zip(&sums.words)
        .map(|(at, points)| (*points, at..at + 1));
    let phrases = (first..)
        .zip(&sums.phrases)
        .map(|(at, points)| (*points, at.saturating_sub(1).max(first)..(at + 2).min(last)));
    let mut strongest: Vec<(i32, Range<usize>)> = Vec::with_capacity(HITS_MAX + 1);
    for (points, tokens) in words.chain(phrases).filter(|(points, _)| *points != 0) {
        let at =
            strongest.partition_point(|(other, _)| other.unsigned_abs() >= points.unsigned_abs());
        if at < HITS_MAX {
            strongest.insert(at, (points, tokens));
            strongest.truncate(HITS_MAX);
        }
    }
    let hit = |(points, tokens): (i32, Range<usize>)| {
        let mut rule = String::from("model:");
        for token in tokens.clone() {
            if token > tokens.start {
                rule.push(' ');
            }
            rule.push_str(text.word(token));
        }
        Hit {
            rule,
            span: text.span(tokens),
            points,
        }
    };
    strongest.into_iter().map(hit).collect()
}

#[cfg(test)]
mod tests;
