//! Which runs of one, two and three bytes a block's folded texts hold: a signature that tells, without reading the
//! texts, that a word is not among them. It may say "perhaps" for a word that is not there, never "no" for one that is.
//!
//! This stands in the place of asking the FTS5 index for candidates: it is exact for every script and length, needs no
//! query to the database, and cannot be out of step with the edition (figures in `docs/PERFORMANCE.md`).

/// The fewest bits a signature has, and the most (1 MiB of bits for a block of one huge review).
const BITS_MIN: usize = 1 << 10;
const BITS_MAX: usize = 1 << 20;
/// How many grams of a query are looked up; more would not exclude more.
const LOOKED_UP_MAX: usize = 48;

/// The signature of one block.
#[derive(Debug, Clone)]
pub struct Grams {
    words: Box<[u64]>,
    shift: u32,
}

/// The grams of a question, hashed.
#[derive(Debug, Clone)]
pub struct Wanted {
    hashes: Vec<u32>,
}

impl Grams {
    /// The signature of `folded`.
    #[must_use]
    pub fn of(folded: &[u8]) -> Self {
        // About one bit a byte of text leaves nine of ten bits unset in prose.
        let bits = folded.len().next_power_of_two().clamp(BITS_MIN, BITS_MAX);
        let mut grams = Self { words: vec![0; bits / 64].into(), shift: 32 - bits.trailing_zeros() };
        for (at, byte) in folded.iter().enumerate() {
            grams.set(hash(&[*byte]));
            if let Some(two) = folded.get(at..at + 2) {
                grams.set(hash(two));
            }
            if let Some(three) = folded.get(at..at + 3) {
                grams.set(hash(three));
            }
        }
        grams
    }

    fn set(&mut self, hash: u32) {
        let bit = (hash >> self.shift) as usize;
        self.words[bit / 64] |= 1 << (bit % 64);
    }

    /// Whether the texts may hold what was wanted.
    #[must_use]
    pub fn may_hold(&self, wanted: &Wanted) -> bool {
        wanted.hashes.iter().all(|hash| {
            let bit = (hash >> self.shift) as usize;
            self.words[bit / 64] & (1 << (bit % 64)) != 0
        })
    }
}

impl Wanted {
    /// The grams of `folded`, which is not empty: of three bytes, or of fewer where it is shorter.
    #[must_use]
    pub fn of(folded: &[u8]) -> Self {
        let mut hashes: Vec<u32> = folded.windows(folded.len().clamp(1, 3)).map(hash).take(LOOKED_UP_MAX).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self { hashes }
    }
}

/// Spreads up to three bytes over 32 bits (Fibonacci hashing; the length keeps "a" and "\0a" apart).
fn hash(gram: &[u8]) -> u32 {
    let packed = gram.iter().fold(u32::try_from(gram.len()).unwrap_or(0), |packed, byte| packed << 8 | u32::from(*byte));
    packed.wrapping_mul(0x9E37_79B1) ^ packed.rotate_left(15).wrapping_mul(0x85EB_CA6B)
}

#[cfg(test)]
mod tests {
    use super::{Grams, Wanted};

    #[test]
    fn what_is_there_is_never_denied() {
        let text = "the water heater — crème brûlée 東京 🙂 \u{0}a".repeat(3);
        let grams = Grams::of(text.as_bytes());
        for from in 0..text.len() {
            for to in from + 1..text.len().min(from + 80) {
                assert!(grams.may_hold(&Wanted::of(&text.as_bytes()[from..to])), "{from}..{to}");
            }
        }
    }

    #[test]
    fn what_is_not_there_is_mostly_denied() {
        let grams = Grams::of("the technician arrived on time and fixed the furnace".repeat(20).as_bytes());
        for absent in ["zyxglint", "q", "zz", "~"] {
            assert!(!grams.may_hold(&Wanted::of(absent.as_bytes())), "{absent}");
        }
    }
}
