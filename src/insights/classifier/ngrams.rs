//! A linear model over runs of words: each head has a sum of integer weights, one for each known run. The weights file
//! contains the names of the heads, so that they cannot be confused.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::BuildHasherDefault;
use std::ops::Range;

use thiserror::Error;

use crate::insights::text::{Capitalisation, Fingerprint, Negation, TokenRole, TokenizedText};
use crate::model::{FNV_OFFSET, fnv1a, folded};

/// The unit of weights and sums: 16 units are one natural logarithm of the odds.
pub const UNIT: i32 = 16;

/// The heads of weights of polarity, in their order.
pub const LABELS: [&str; 3] = ["negative", "neutral", "positive"];

const MAGIC: [u8; 4] = *b"RNG2";
const KEY_LEN: usize = 4;
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
    /// Names of the sums, in their order.
    pub heads: Vec<String>,
    /// The initial value of each sum.
    pub biases: Vec<i32>,
    /// A row for each known run: a weight for each head.
    weights: Vec<i8>,
    /// The start of each known run's row in `weights`.
    rows: HashMap<u32, u32, BuildHasherDefault<Fingerprint>>,
}

impl NgramModel {
    /// Reads a weights file: a signature; the number of heads, and the length and the name of each; the biases, with two
    /// bytes each; and the runs, each with its key and a weight for each head.
    ///
    /// # Errors
    /// When the bytes are not valid weights.
    pub fn parse(bytes: &[u8]) -> Result<Self, WeightsError> {
        let mut rest = bytes.strip_prefix(&MAGIC).ok_or(WeightsError::Foreign)?;
        let mut take = |len: usize| rest.split_off(..len).ok_or(WeightsError::Length);
        let count = usize::from(take(1)?[0]);
        if count == 0 || count > HEADS_MAX {
            return Err(WeightsError::Heads);
        }
        let mut model = Self::default();
        for _ in 0..count {
            let len = usize::from(take(1)?[0]);
            let name = std::str::from_utf8(take(len)?).map_err(|_| WeightsError::Heads)?;
            model.heads.push(name.to_owned());
        }
        let biases = take(count * 2)?.as_chunks().0.iter();
        model.biases = biases
            .map(|bias| i16::from_le_bytes(*bias).into())
            .collect();
        let rows = rest.chunks_exact(KEY_LEN + count);
        if !rows.remainder().is_empty() {
            return Err(WeightsError::Length);
        }
        model.rows.reserve(rows.len());
        model.weights.reserve(rest.len());
        for (key, weights) in rows.filter_map(<[u8]>::split_first_chunk) {
            let weights = weights.iter().map(|weight| weight.cast_signed());
            model.insert(u32::from_le_bytes(*key), weights);
        }
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

    /// Adds a run with a weight for each head, unless it is known.
    fn insert(&mut self, key: u32, weights: impl Iterator<Item = i8>) {
        let Entry::Vacant(row) = self.rows.entry(key) else {
            return;
        };
        let start = self.weights.len();
        row.insert(u32::try_from(start).unwrap_or(u32::MAX));
        self.weights.extend(weights);
    }

    /// Both models in one, so that a run is looked up once: the heads of this one, then those of `other`.
    pub fn join(&self, other: &Self) -> Self {
        let mut joined = Self {
            heads: [self.heads.as_slice(), &other.heads].concat(),
            biases: [self.biases.as_slice(), &other.biases].concat(),
            ..Self::default()
        };
        joined.rows.reserve(self.rows.len());
        let nothing = [0; HEADS_MAX];
        for key in self.rows.keys().chain(other.rows.keys()) {
            let own = self.row(*key).unwrap_or(&nothing[..self.heads.len()]);
            let added = other.row(*key).unwrap_or(&nothing[..other.heads.len()]);
            joined.insert(*key, own.iter().chain(added).copied());
        }
        joined.weights.shrink_to_fit();
        joined
    }

    /// The weights of the run with that key, if it is known.
    pub fn row(&self, key: u32) -> Option<&[i8]> {
        let start = *self.rows.get(&key)? as usize;
        self.weights.get(start..start + self.heads.len())
    }
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
