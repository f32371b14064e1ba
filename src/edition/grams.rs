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
/// How many runs of two bytes there are.
const PAIRS: usize = 1 << 16;

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
        // Of one and two bytes there are few different ones, so they are gathered before they are hashed.
        let (mut ones, mut pairs) = ([false; 256], vec![0_u64; PAIRS / 64]);
        let mut gram = 0;
        for (at, byte) in folded.iter().enumerate() {
            gram = gram << 8 & 0x00FF_FFFF | u32::from(*byte);
            ones[usize::from(*byte)] = true;
            if at >= 1 {
                let pair = (gram & 0xFFFF) as usize;
                pairs[pair / 64] |= 1 << (pair % 64);
            }
            if at >= 2 {
                grams.set(hash(3, gram));
            }
        }
        (0..).zip(ones).filter(|(_, is_there)| *is_there).for_each(|(one, _)| grams.set(hash(1, one)));
        for (word, bits) in (0..).zip(pairs) {
            each_bit(bits, |bit| grams.set(hash(2, word * u64::BITS + bit)));
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
        let length = folded.len().clamp(1, 3);
        let packed = |gram: &[u8]| gram.iter().fold(0, |packed, byte| packed << 8 | u32::from(*byte));
        let hashed = folded.windows(length).map(|gram| hash(length, packed(gram)));
        let mut hashes: Vec<u32> = hashed.take(LOOKED_UP_MAX).collect();
        hashes.sort_unstable();
        hashes.dedup();
        Self { hashes }
    }
}

/// Calls `with` with the number of every bit that is set, ascending.
fn each_bit(mut bits: u64, mut with: impl FnMut(u32)) {
    while bits != 0 {
        with(bits.trailing_zeros());
        bits &= bits - 1;
    }
}

/// Spreads a run of one to three bytes over 32 bits, of which the highest are the best (Fibonacci hashing); an odd factor
/// for each length keeps "a" and "\0a" apart.
const fn hash(length: usize, packed: u32) -> u32 {
    const FACTORS: [u32; 3] = [0x9E37_79B1, 0x85EB_CA6B, 0xC2B2_AE35];
    let mixed = (packed ^ packed >> 15).wrapping_mul(FACTORS[length - 1]);
    (mixed ^ mixed >> 13).wrapping_mul(0x9E37_79B1)
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
