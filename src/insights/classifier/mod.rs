//! Which aspects a sentence sounds like, and how it sounds: a linear model over runs of words,
//! learned by `examples/train_classifier` from example sentences of the trade. It knows what people
//! say and not why, so `aspects` lets it decide only what the rules leave open, and doubts what
//! nobody in the examples would say.

pub mod features;

use std::ops::Range;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use super::text::Text;
use crate::hash::hex;
use crate::steps;
use features::{parts, runs};

/// The aspects that it knows, in the order of its weights.
pub const ASPECTS: [&str; 11] = [
    "punctuality",
    "scheduling",
    "response_time",
    "communication",
    "professionalism",
    "workmanship",
    "price",
    "honesty",
    "cleanliness",
    "warranty",
    "overall",
];
/// Negative, neutral, positive: the weights after those of the aspects.
pub const LABELS: usize = 3;
/// How many sums it makes.
pub const SUMS: usize = ASPECTS.len() + LABELS;
/// The unit of the weights and sums: this many are one natural logarithm of the odds.
pub const UNIT: i32 = 16;

/// How many bits there are in [`NgramClassifier::marks`] for each slot.
const FILTER_BITS_PER_SLOT: usize = 4;

const WEIGHTS: &[u8] = include_bytes!("ngram.weights");
const MAGIC: [u8; 4] = *b"RAD1";
const BIASES_LEN: usize = SUMS * 2;
const ROW_LEN: usize = 4 + SUMS;

/// Why weights cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum ClassifierError {
    /// The file begins with something else.
    #[error("these are no weights of the aspect classifier")]
    Foreign,
    /// There is too little or too much.
    #[error("the weights are cut off, or followed by something")]
    Length,
}

/// One sum for each aspect, then for each label.
pub type Sums = [i32; SUMS];

/// The classifier; the default one knows nothing.
#[derive(Debug, Clone)]
pub struct NgramClassifier {
    biases: Sums,
    rows: Vec<[i8; SUMS]>,
    /// Open addressing, at most half full: the key, and the row's number plus one; 0 is free.
    slots: Vec<(u32, u32)>,
    /// A bit for the lowest bits of each key: most runs of words are known not to be there by this
    /// alone.
    marks: Vec<u64>,
    digest: String,
}

/// A part of a sentence, or the whole of it, and what it sounds like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its tokens, as a range of the text's.
    pub tokens: Range<usize>,
    /// The biases and what its known runs of words add, in units of 1/[`UNIT`].
    pub sums: Sums,
}

/// A sentence as the classifier hears it.
#[derive(Debug, Clone)]
pub struct AspectScores<'detector> {
    /// What its parts sound like; where there are several, the whole comes last.
    pub parts: Vec<Part>,
    /// The runs of words that are known, in the order of the text, and what each adds.
    known: Vec<(Range<usize>, &'detector [i8; SUMS])>,
}

impl AspectScores<'_> {
    /// The run in `tokens` that adds most to `sum`, and what it adds.
    #[must_use]
    pub fn strongest(&self, tokens: &Range<usize>, sum: usize) -> Option<(Range<usize>, i32)> {
        let mut strongest: Option<(&Range<usize>, i8)> = None;
        let from = self
            .known
            .partition_point(|(run, _)| run.start < tokens.start);
        let inside = self.known[from..]
            .iter()
            .inspect(|_| steps::one())
            .take_while(|(run, _)| run.start < tokens.end);
        for (run, row) in inside.filter(|(run, _)| run.end <= tokens.end) {
            if row[sum] > strongest.map_or(0, |(_, most)| most) {
                strongest = Some((run, row[sum]));
            }
        }
        strongest.map(|(run, points)| (run.clone(), points.into()))
    }
}

impl Default for NgramClassifier {
    fn default() -> Self {
        Self::new([0; SUMS], &[])
    }
}

impl NgramClassifier {
    /// The weights that come with the program.
    ///
    /// # Errors
    /// None, as a test shows.
    pub fn built_in() -> Result<Self, ClassifierError> {
        Self::parse(WEIGHTS)
    }

    /// Weights as [`to_bytes`] writes them.
    ///
    /// # Errors
    /// When they are something else.
    pub fn parse(bytes: &[u8]) -> Result<Self, ClassifierError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(ClassifierError::Foreign)?;
        let (head, body) = rest
            .split_at_checked(BIASES_LEN)
            .ok_or(ClassifierError::Length)?;
        if !body.len().is_multiple_of(ROW_LEN) {
            return Err(ClassifierError::Length);
        }
        let mut biases = [0; SUMS];
        for (bias, bytes) in biases.iter_mut().zip(head.chunks_exact(2)) {
            *bias = i32::from(i16::from_le_bytes([bytes[0], bytes[1]]));
        }
        let mut rows = Vec::with_capacity(body.len() / ROW_LEN);
        for row in body.chunks_exact(ROW_LEN) {
            let mut weights = [0; SUMS];
            weights
                .iter_mut()
                .zip(&row[4..])
                .for_each(|(weight, byte)| *weight = byte.cast_signed());
            rows.push((
                u32::from_le_bytes([row[0], row[1], row[2], row[3]]),
                weights,
            ));
        }
        Ok(Self::new(biases, &rows))
    }

    /// A classifier of these biases and rows: a run's key, and what it adds to each sum.
    #[must_use]
    pub fn new(biases: Sums, rows: &[(u32, [i8; SUMS])]) -> Self {
        let mut slots = vec![(0, 0); (rows.len() * 2 + 2).next_power_of_two()];
        let mask = slots.len() - 1;
        for ((key, _), number) in rows.iter().zip(1..) {
            let mut at = *key as usize & mask;
            while slots[at].1 != 0 {
                at = (at + 1) & mask;
            }
            slots[at] = (*key, number);
        }
        let mut marks = vec![0; (slots.len() * FILTER_BITS_PER_SLOT).div_ceil(64)];
        for (key, _) in rows {
            let at = *key as usize % (marks.len() * 64);
            marks[at / 64] |= 1 << (at % 64);
        }
        let bytes = to_bytes(&biases, rows);
        let digest = hex(&Sha256::digest(&bytes));
        Self {
            biases,
            rows: rows.iter().map(|(_, weights)| *weights).collect(),
            slots,
            marks,
            digest,
        }
    }

    /// SHA-256 of the weights, in hexadecimal.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// What each sum begins with: what is said without a word.
    #[must_use]
    pub const fn biases(&self) -> &Sums {
        &self.biases
    }

    /// What a sentence sounds like.
    #[must_use]
    pub fn classify(&self, text: &Text, sentence: Range<usize>) -> AspectScores<'_> {
        let mut scores: Vec<Part> = parts(text, sentence.clone())
            .into_iter()
            .map(|tokens| Part {
                tokens,
                sums: self.biases,
            })
            .collect();
        let mut known = Vec::with_capacity(sentence.len());
        let mut whole = self.biases;
        let mut at = 0;
        runs(text, sentence.clone(), |key, run| {
            steps::one();
            let Some(row) = self.row(key) else { return };
            add(&mut whole, row);
            while scores
                .get(at)
                .is_some_and(|part| part.tokens.end <= run.start)
            {
                at += 1;
            }
            if let Some(part) = scores
                .get_mut(at)
                .filter(|part| part.tokens.start <= run.start && run.end <= part.tokens.end)
            {
                add(&mut part.sums, row);
            }
            known.push((run, row));
        });
        if scores.len() != 1 {
            scores.push(Part {
                tokens: sentence,
                sums: whole,
            });
        }
        AspectScores {
            parts: scores,
            known,
        }
    }

    fn row(&self, key: u32) -> Option<&[i8; SUMS]> {
        let mark = key as usize & (self.marks.len() * 64 - 1);
        if self.marks[mark / 64] >> (mark % 64) & 1 == 0 {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        loop {
            let (its, number) = self.slots[at];
            if number == 0 {
                return None;
            }
            if its == key {
                return self.rows.get(number as usize - 1);
            }
            at = (at + 1) & mask;
        }
    }
}

/// Weights as they stand in their file: biases, then rows.
#[must_use]
pub fn to_bytes(biases: &Sums, rows: &[(u32, [i8; SUMS])]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    for bias in biases {
        let bias = i16::try_from(*bias).unwrap_or(if *bias < 0 { i16::MIN } else { i16::MAX });
        bytes.extend_from_slice(&bias.to_le_bytes());
    }
    for (key, weights) in rows {
        bytes.extend_from_slice(&key.to_le_bytes());
        bytes.extend(weights.iter().map(|weight| weight.cast_unsigned()));
    }
    bytes
}

fn add(sums: &mut Sums, row: &[i8; SUMS]) {
    sums.iter_mut()
        .zip(row)
        .for_each(|(sum, weight)| *sum += i32::from(*weight));
}

#[cfg(test)]
mod tests;
