//! The weights as they stand in their file: small integers, in one fixed order. Apart from the
//! network, which unfolds them into what is quick to add up.

use super::ModelError;
use super::features::{PLACES, ROLES};

/// The length of a word's vector.
pub const WORD: usize = 12;
/// The length of a place's vector.
pub const PLACE: usize = 6;
/// The length of a role's vector.
pub const ROLE: usize = 4;
/// The length of all three.
pub const INPUT: usize = WORD + PLACE + ROLE;
/// How many filters look at every three tokens, and as many again at those around the anchor.
pub const FILTERS: usize = 32;
/// How many labels there are: negative, neutral, positive, in this order.
pub const LABELS: usize = 3;
/// A word's points for negative and for positive, where it is not negated and where it is; for
/// neutral they are 0.
pub const POINTS: usize = 4;
/// How many tokens a filter sees: one before, the middle, one after.
pub const WIDTH: usize = 3;

const MAGIC: [u8; 4] = *b"RPM1";

/// All weights. A value stands for itself divided by the unit of its table.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Weights {
    /// The keys of the words, the first of which has the number 1.
    pub keys: Vec<u32>,
    /// [`WORD`] for each word, beginning with that of the unknown word.
    pub words: Vec<i8>,
    /// [`POINTS`] for each word, beginning with those of the unknown word.
    pub points: Vec<i8>,
    /// [`PLACE`] for each place.
    pub places: Vec<i8>,
    /// How much a word's points count at each place.
    pub reaches: Vec<i8>,
    /// [`ROLE`] for each role.
    pub roles: Vec<i8>,
    /// The filters: [`WIDTH`] by [`INPUT`] by twice [`FILTERS`].
    pub filters: Vec<i8>,
    /// How much a filter's match counts at each place, in 64ths: [`FILTERS`] for each place. Those
    /// of the anchor always count 1.
    pub gates: Vec<i8>,
    /// What the filters give for each label: twice [`FILTERS`] by [`LABELS`].
    pub outputs: Vec<i8>,
    /// What the filters' sums begin with, in units of their inputs' and their own.
    pub thresholds: Vec<i32>,
    /// What the labels' sums begin with, in thousandths: with an anchor, and without.
    pub priors: Vec<i32>,
    /// Thousandths that a unit of the outputs' sum is, times 2^32.
    pub output_unit: i32,
    /// Thousandths that a unit of points times reach is, times 2^16.
    pub points_unit: i32,
}

impl Weights {
    /// The weights in the format that [`Weights::parse`] reads.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(
            u16::try_from(self.keys.len())
                .unwrap_or(u16::MAX)
                .to_le_bytes(),
        );
        for key in &self.keys {
            bytes.extend(&key.to_le_bytes()[..3]);
        }
        for table in [
            &self.words,
            &self.points,
            &self.places,
            &self.reaches,
            &self.roles,
            &self.filters,
            &self.gates,
            &self.outputs,
        ] {
            bytes.extend(table.iter().map(|weight| weight.cast_unsigned()));
        }
        for table in [
            &self.thresholds,
            &self.priors,
            &vec![self.output_unit, self.points_unit],
        ] {
            bytes.extend(table.iter().flat_map(|number| number.to_le_bytes()));
        }
        bytes
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it is none of ours, or shorter or longer than it should be.
    pub fn parse(bytes: &[u8]) -> Result<Self, ModelError> {
        let mut rest = Rest(bytes);
        if rest.take(MAGIC.len())? != MAGIC {
            return Err(ModelError::Foreign);
        }
        let words = rest
            .take(2)?
            .iter()
            .rev()
            .fold(0, |number, byte| number << 8 | usize::from(*byte));
        let weights = Self {
            keys: rest
                .take(words * 3)?
                .as_chunks()
                .0
                .iter()
                .map(|&[a, b, c]| u32::from_le_bytes([a, b, c, 0]))
                .collect(),
            words: rest.small((words + 1) * WORD)?,
            points: rest.small((words + 1) * POINTS)?,
            places: rest.small(PLACES * PLACE)?,
            reaches: rest.small(PLACES)?,
            roles: rest.small(ROLES * ROLE)?,
            filters: rest.small(WIDTH * INPUT * 2 * FILTERS)?,
            gates: rest.small(PLACES * FILTERS)?,
            outputs: rest.small(2 * FILTERS * LABELS)?,
            thresholds: rest.large(2 * FILTERS)?,
            priors: rest.large(2 * LABELS)?,
            output_unit: rest.large(1)?[0],
            points_unit: rest.large(1)?[0],
        };
        if rest.0.is_empty() {
            Ok(weights)
        } else {
            Err(ModelError::Length)
        }
    }
}

/// What is still to be analyzed.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, len: usize) -> Result<&'a [u8], ModelError> {
        let (taken, rest) = self.0.split_at_checked(len).ok_or(ModelError::Length)?;
        self.0 = rest;
        Ok(taken)
    }

    fn small(&mut self, len: usize) -> Result<Vec<i8>, ModelError> {
        Ok(self
            .take(len)?
            .iter()
            .map(|byte| byte.cast_signed())
            .collect())
    }

    fn large(&mut self, len: usize) -> Result<Vec<i32>, ModelError> {
        Ok(self
            .take(len * 4)?
            .as_chunks()
            .0
            .iter()
            .map(|chunk| i32::from_le_bytes(*chunk))
            .collect())
    }
}
