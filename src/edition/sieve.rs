//! Which of a block's reviews may hold a text of four bytes or more: the second and finer of two signatures, asked where
//! the first ([`super::grams`]) does not exclude the whole block.
//!
//! A table with a row for each hash of a run of four bytes and a bit in it for each review. The rows of a question's runs,
//! combined with `and`, leave the reviews that are worth reading; a few rows, 64 reviews at a time. Like the first, it may
//! keep a review that does not hold the text, and never drops one that does.

use super::grams::{Wanted, hash};

/// How many reviews one word of a row stands for.
pub const REVIEWS_A_WORD: usize = u64::BITS as usize;
/// The fewest rows and the most (for reviews of 20 KiB and more).
const ROWS_MIN: usize = 1 << 6;
const ROWS_MAX: usize = 1 << 16;

/// The table of one block.
#[derive(Debug, Clone)]
pub struct Sieve {
    rows: Box<[u64]>,
    /// How many words a row has.
    width: usize,
    shift: u32,
}

impl Sieve {
    /// The table of texts that stand one behind the other in `folded`, each with the place where the next one begins.
    #[must_use]
    pub fn of(folded: &[u8], ends: &[u32]) -> Self {
        // At 3 to 6 rows a byte of the mean text, a review has about a fifth of its bits set in prose.
        let mean = folded.len() / ends.len().max(1);
        let rows = (mean * 3).next_power_of_two().clamp(ROWS_MIN, ROWS_MAX);
        let width = ends.len().div_ceil(REVIEWS_A_WORD);
        let mut sieve = Self { rows: vec![0; rows * width].into(), width, shift: 32 - rows.trailing_zeros() };
        let mut start = 0;
        for (review, end) in ends.iter().enumerate() {
            let (word, bit) = (review / REVIEWS_A_WORD, 1 << (review % REVIEWS_A_WORD));
            let mut packed = 0;
            for (at, byte) in folded[start..*end as usize].iter().enumerate() {
                packed = packed << 8 | u32::from(*byte);
                if at >= 3 {
                    let row = (hash(4, packed) >> sieve.shift) as usize;
                    sieve.rows[row * width + word] |= bit;
                }
            }
            start = *end as usize;
        }
        sieve
    }

    /// A bit for each of the reviews `64 × word`, `64 × word + 1`, …: whether it may hold what was wanted.
    #[must_use]
    pub fn may_hold(&self, wanted: &Wanted, word: usize) -> u64 {
        let mut kept = u64::MAX;
        for hash in wanted.quads() {
            kept &= self.rows[(hash >> self.shift) as usize * self.width + word];
            if kept == 0 {
                break;
            }
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::{REVIEWS_A_WORD, Sieve};
    use crate::edition::grams::Wanted;

    #[test]
    fn a_review_that_holds_the_text_is_never_dropped_and_others_mostly_are() {
        let texts: Vec<String> = (0..200).map(|number| format!("it says word{number:03} — and 東京\u{0}")).collect();
        let ends: Vec<u32> = texts
            .iter()
            .scan(0, |end, text| {
                *end += u32::try_from(text.len()).unwrap();
                Some(*end)
            })
            .collect();
        let sieve = Sieve::of(texts.concat().as_bytes(), &ends);
        let mut kept = 0;
        for (number, text) in texts.iter().enumerate() {
            for length in 4..text.len() {
                for piece in text.as_bytes().windows(length) {
                    let mask = sieve.may_hold(&Wanted::of(piece), number / REVIEWS_A_WORD);
                    assert_ne!(mask & 1 << (number % REVIEWS_A_WORD), 0, "{number}");
                }
            }
            let wanted = Wanted::of(format!("word{number:03} — ").as_bytes());
            kept += (0..4).map(|word| sieve.may_hold(&wanted, word).count_ones()).sum::<u32>();
        }
        assert!(kept < 1_000, "{kept} of 40000");
    }
}
