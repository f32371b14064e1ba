//! A linear model over runs of words: each head has a sum of integer weights, one for each known run. The weights file
//! contains the names of the heads, so that they cannot be confused.

use std::ops::Range;

use sha2::{Digest as _, Sha256};
use thiserror::Error;

use crate::insights::text::{Capitalisation, Negation, TokenRole, TokenizedText};
use crate::model::hash::{FNV_OFFSET, fnv1a, folded, hex};

/// The unit of weights and sums: 16 units are one natural logarithm of the odds.
pub const UNIT: i32 = 16;

/// The heads of weights of polarity, in their order.
pub const LABELS: [&str; 3] = ["negative", "neutral", "positive"];

const MAGIC: [u8; 4] = *b"RNG2";
const KEY_LEN: usize = 4;
/// Bits in [`NgramModel::marks`] for each slot.
const FILTER_BITS_PER_SLOT: usize = 4;
/// Number of weights that are added at once.
pub const LANES: usize = 8;
/// Maximum number of heads: more than any model has, so that a corrupt file cannot require much memory.
const HEADS_MAX: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// The file has another signature.
    #[error("these are not weights of a linear model over words")]
    Foreign,
    /// The file is too short or too long.
    #[error("the weights are incomplete, or followed by other data")]
    Length,
    /// The names of the heads cannot be read.
    #[error("the names of the heads are invalid, or too many")]
    Heads,
    /// Weights of polarity have other heads than its labels.
    #[error("weights of polarity have the heads {}", LABELS.join(", "))]
    Labels,
}

/// The default model has no heads and no runs.
#[derive(Debug, Clone, Default)]
pub struct NgramModel {
    heads: Vec<String>,
    biases: Vec<i32>,
    /// A row for each known run: a weight for each head, padded with zeros to a multiple of [`LANES`].
    weights: Vec<i8>,
    /// Open addressing, at most half full: the key, and the row's number plus one; 0 is free.
    slots: Vec<(u32, u32)>,
    /// A bit for the lowest bits of each key: a filter that excludes most unknown runs.
    marks: Vec<u64>,
    digest: String,
}

impl NgramModel {
    /// Reads the output of [`to_bytes`].
    ///
    /// # Errors
    /// When the bytes are not valid weights.
    pub fn parse(bytes: &[u8]) -> Result<Self, WeightsError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or(WeightsError::Foreign)?;
        let (count, mut rest) = rest.split_first().ok_or(WeightsError::Length)?;
        let count = usize::from(*count);
        if count == 0 || count > HEADS_MAX {
            return Err(WeightsError::Heads);
        }
        let mut heads = Vec::with_capacity(count);
        for _ in 0..count {
            let (len, tail) = rest.split_first().ok_or(WeightsError::Length)?;
            let (name, tail) = tail
                .split_at_checked(usize::from(*len))
                .ok_or(WeightsError::Length)?;
            let name = std::str::from_utf8(name).map_err(|_| WeightsError::Heads)?;
            heads.push(name.to_owned());
            rest = tail;
        }
        let (head, body) = rest
            .split_at_checked(count * 2)
            .ok_or(WeightsError::Length)?;
        if !body.len().is_multiple_of(KEY_LEN + count) {
            return Err(WeightsError::Length);
        }
        let biases = head.as_chunks().0.iter();
        let biases = biases.map(|bytes| i32::from(i16::from_le_bytes(*bytes)));
        let rows = body.chunks_exact(KEY_LEN + count);
        let mut model = Self::with_room_for(heads, biases.collect(), rows.len());
        for (key, weights) in rows.filter_map(<[u8]>::split_first_chunk) {
            let key = u32::from_le_bytes(*key);
            if model.row(key).is_none() {
                let weights: Vec<i8> = weights.iter().map(|byte| byte.cast_signed()).collect();
                model.insert(key, &weights);
            }
        }
        model.digest = hex(&Sha256::digest(bytes));
        Ok(model)
    }

    /// Reads weights of polarity.
    ///
    /// # Errors
    /// When the bytes are not valid weights, or have other heads than [`LABELS`].
    pub fn parse_polarity(bytes: &[u8]) -> Result<Self, WeightsError> {
        let model = Self::parse(bytes)?;
        if model.heads == LABELS {
            Ok(model)
        } else {
            Err(WeightsError::Labels)
        }
    }

    /// A model without runs, with slots for `rows`.
    fn with_room_for(heads: Vec<String>, biases: Vec<i32>, rows: usize) -> Self {
        let slots = vec![(0, 0); (rows * 2 + 2).next_power_of_two()];
        Self {
            weights: Vec::with_capacity(rows * heads.len().next_multiple_of(LANES)),
            heads,
            biases,
            marks: vec![0; (slots.len() * FILTER_BITS_PER_SLOT).div_ceil(64)],
            slots,
            digest: String::new(),
        }
    }

    /// Adds a run, which must be new.
    fn insert(&mut self, key: u32, weights: &[i8]) {
        let mark = key as usize & (self.marks.len() * 64 - 1);
        self.marks[mark / 64] |= 1 << (mark % 64);
        let mask = self.slots.len() - 1;
        let mut at = key as usize & mask;
        while self.slots[at].1 != 0 {
            at = (at + 1) & mask;
        }
        let start = self.weights.len();
        let number = start / self.width().max(1) + 1;
        self.slots[at] = (key, u32::try_from(number).unwrap_or_default());
        self.weights.extend_from_slice(weights);
        self.weights.resize(start + self.width(), 0);
    }

    /// Number of weights in a row.
    const fn width(&self) -> usize {
        self.heads.len().next_multiple_of(LANES)
    }

    /// Both models in one, so that a run is looked up once: the heads of this one, then those of `other`. The joined
    /// model has no digest, because it comes from no file.
    pub fn join(&self, other: &Self) -> Self {
        let mut joined = Self::with_room_for(
            [self.heads.as_slice(), &other.heads].concat(),
            [self.biases.as_slice(), &other.biases].concat(),
            self.len() + other.len(),
        );
        let nothing = (vec![0; self.heads.len()], vec![0; other.heads.len()]);
        for key in self.keys().chain(other.keys()) {
            if joined.row(key).is_none() {
                let own = self.row(key).unwrap_or(&nothing.0);
                let its = other.row(key).unwrap_or(&nothing.1);
                joined.insert(key, &[own, its].concat());
            }
        }
        joined
    }

    /// Number of known runs.
    fn len(&self) -> usize {
        self.keys().count()
    }

    /// Keys of the known runs.
    fn keys(&self) -> impl Iterator<Item = u32> {
        let taken = self.slots.iter().filter(|(_, number)| *number != 0);
        taken.map(|(key, _)| *key)
    }

    /// Names of the sums, in their order.
    pub fn heads(&self) -> &[String] {
        &self.heads
    }

    /// The initial value of each sum.
    pub fn biases(&self) -> &[i32] {
        &self.biases
    }

    /// SHA-256 of the weights, in hexadecimal; empty for the default model.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The weights of the run with that key, if it is known.
    pub fn row(&self, key: u32) -> Option<&[i8]> {
        Some(&self.lanes(key)?.as_flattened()[..self.heads.len()])
    }

    /// The same weights, padded with zeros to a multiple of [`LANES`].
    pub fn lanes(&self, key: u32) -> Option<&[[i8; LANES]]> {
        if self.marks.is_empty() {
            return None;
        }
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
                let start = (number as usize - 1) * self.width();
                let row = self.weights.get(start..start + self.width())?;
                return Some(row.as_chunks().0);
            }
            at = (at + 1) & mask;
        }
    }
}

/// The weights file: the heads' names, biases, then rows.
pub fn to_bytes(heads: &[String], biases: &[i32], rows: &[(u32, Vec<i8>)]) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    bytes.push(u8::try_from(heads.len()).unwrap_or(u8::MAX));
    for head in heads {
        bytes.push(u8::try_from(head.len()).unwrap_or(u8::MAX));
        bytes.extend_from_slice(head.as_bytes());
    }
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

// The features of the classifier: runs of one, two and three words within the parts of a sentence, and negated words.
// The training uses the same code to read its examples, so that the features are always the same.

pub const RUN_MAX: usize = 3;

/// Number of words that a negator affects.
const NEGATED_MAX: usize = 4;

/// A token with the runs that end with it.
#[derive(Debug, Clone, Copy)]
struct RunEnd {
    role: TokenRole,
    /// Hashes of the runs of one, two and three words that end with the token; undefined if the run would cross a mark
    /// or the beginning of the scope.
    hashes: [u64; RUN_MAX],
}

/// The tokens of a scope; each is normalised once.
#[derive(Debug)]
pub struct NgramTokens<'text> {
    text: &'text TokenizedText,
    scope: Range<usize>,
    ends: Vec<RunEnd>,
}

impl<'text> NgramTokens<'text> {
    /// `scope` is a sentence, or any range of the text's tokens.
    pub fn read(text: &'text TokenizedText, scope: Range<usize>) -> Self {
        let mut hashes = [FNV_OFFSET; RUN_MAX];
        let words = text.language_words();
        let end = |token: usize| {
            hashes = [FNV_OFFSET, hashes[0], hashes[1]];
            let mut take_up = |byte: u8| hashes = hashes.map(|hash| fnv1a(hash, &[byte]));
            form(text, token).bytes().for_each(&mut take_up);
            take_up(b' ');
            RunEnd {
                role: words.role(text.tokens()[token].fingerprint),
                hashes,
            }
        };
        Self {
            text,
            ends: scope.clone().map(end).collect(),
            scope,
        }
    }

    /// The parts of a sentence with at least one word, in order. Marks and conjunctions between them belong to no part.
    pub fn parts(&self) -> Vec<Range<usize>> {
        let (mut parts, mut start) = (Vec::with_capacity(4), self.scope.start);
        for (token, end) in self.scope.clone().zip(&self.ends) {
            if end.role.parts {
                if start < token {
                    parts.push(start..token);
                }
                start = token + 1;
            }
        }
        if start < self.scope.end {
            parts.push(start..self.scope.end);
        }
        parts
    }

    /// Calls `each` with the key and the tokens of every run of up to [`RUN_MAX`] words, and of every negated word. A
    /// run does not cross a dividing mark. The last argument is whether the whole run is negated: `on time` in `never
    /// on time` identifies the aspect, but not the polarity.
    pub fn runs(&self, mut each: impl FnMut(u32, Range<usize>, bool)) {
        let mut negated = 0..0;
        let ending = self.text.language_words().negator_ending.as_str();
        let negates = |token: usize| !ending.is_empty() && form(self.text, token).ends_with(ending);
        for (at, start) in self.scope.clone().enumerate() {
            let role = self.ends[at].role;
            let mut is_turned = false;
            if role.negation == Negation::Ends {
                negated = 0..0;
            } else if role.negation == Negation::Begins || negates(start) {
                negated = start + 1..start + 1 + NEGATED_MAX;
            } else if negated.contains(&start) && !self.text.has_shape(start, Capitalisation::Mark)
            {
                // Only words are negated: the exclamation mark in `not good!` and a thumb emoji keep their meaning.
                let word = form(self.text, start);
                let key = fnv1a(fnv1a(FNV_OFFSET, b"~"), word.as_bytes());
                each(folded(key), start..start + 1, false);
                is_turned = true;
            }
            let words = self.ends[at..].iter().take(RUN_MAX);
            for (more, end) in words.take_while(|end| !end.role.is_mark).enumerate() {
                each(folded(end.hashes[more]), start..start + more + 1, is_turned);
            }
        }
    }
}

/// The form in which a token is looked up; all numbers have the same form.
fn form(text: &TokenizedText, token: usize) -> &str {
    if text.has_shape(token, Capitalisation::Number) {
        "0"
    } else {
        text.word(token)
    }
}
