//! Which of a block's reviews may hold a text: the second and finer of two signatures, asked where the first
//! ([`super::grams`]) does not exclude the whole block.
//!
//! A table with a row for each hash of a run of bytes and a bit in it for each review. The rows of a question's runs,
//! combined with `and`, leave the reviews that are worth reading; a few rows, 64 reviews at a time. Like the first, it may
//! keep a review that does not hold the text, and never drops one that does.
//!
//! The runs are chosen so that words are told apart by their letters and phrases by their joints: common words are in
//! every review, but not in every order.

use memchr::memchr_iter;

/// How many reviews one word of a row stands for.
pub const REVIEWS_A_WORD: usize = u64::BITS as usize;
/// The fewest rows and the most (for reviews of 20 KiB and more).
const ROWS_MIN: usize = 1 << 6;
const ROWS_MAX: usize = 1 << 16;
/// How many runs of a question are looked up; more would not exclude more.
const LOOKED_UP_MAX: usize = 24;

/// The table of one block.
#[derive(Debug, Clone)]
pub struct Sieve {
    rows: Box<[u64]>,
    /// How many words a row has.
    width: usize,
    shift: u32,
}

/// The runs of a question, hashed.
#[derive(Debug, Clone)]
pub struct Runs {
    hashes: Vec<u32>,
}

impl Sieve {
    /// The table of texts that stand one behind the other in `folded`, each with a separator
    /// of one byte after it; `ends` are the places where the next ones begin.
    #[must_use]
    pub fn of(folded: &[u8], ends: &[u32]) -> Self {
        // At 3 to 6 rows a byte of the mean text, a review has about a fifth of its bits set in prose.
        let mean = folded.len() / ends.len().max(1);
        let rows = (mean * 3).next_power_of_two().clamp(ROWS_MIN, ROWS_MAX);
        let width = ends.len().div_ceil(REVIEWS_A_WORD);
        let shift = 32 - rows.trailing_zeros();
        let mut rows: Box<[u64]> = vec![0; rows * width].into();
        let mut start = 0;
        for (review, end) in ends.iter().enumerate() {
            let (word, bit) = (review / REVIEWS_A_WORD, 1 << (review % REVIEWS_A_WORD));
            each_run(&folded[start..*end as usize - 1], |hash| rows[(hash >> shift) as usize * width + word] |= bit);
            start = *end as usize;
        }
        Self { rows, width, shift }
    }

    /// A bit for each of the reviews `64 × word`, `64 × word + 1`, …: whether it may hold what has these runs.
    #[must_use]
    pub fn may_hold(&self, runs: &Runs, word: usize) -> u64 {
        let mut kept = u64::MAX;
        for hash in &runs.hashes {
            kept &= self.rows[(hash >> self.shift) as usize * self.width + word];
            if kept == 0 {
                break;
            }
        }
        kept
    }
}

impl Runs {
    /// The runs of `folded`.
    #[must_use]
    pub fn of(folded: &[u8]) -> Self {
        let mut hashes = Vec::new();
        each_run(folded, |hash| hashes.push(hash));
        hashes.sort_unstable();
        hashes.dedup();
        hashes.truncate(LOOKED_UP_MAX);
        Self { hashes }
    }

    /// Whether it has none that the sieve knows: it is too short.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }
}

/// Calls `with` with the hashes of every run that `text` has: four bytes without a space; around a space, two bytes to
/// either side, and three; and each character that is not ASCII. Those that may be all that a question has, and are few,
/// come with two hashes.
fn each_run(text: &[u8], mut with: impl FnMut(u32)) {
    let mut start = 0;
    for space in memchr_iter(b' ', text) {
        each_quad(&text[start..space], &mut with);
        start = space + 1;
        if let Some(joint) = space.checked_sub(2).and_then(|from| text[from..].first_chunk::<5>()) {
            with(hash(packed(joint), 0x1656_67B1_9E37_79F9));
            with(hash(packed(joint), 0xD6E8_FEB8_6659_FD93));
        }
        if let Some(joint) = space.checked_sub(3).and_then(|from| text[from..].first_chunk::<7>()) {
            with(hash(packed(joint), 0xC2B2_AE3D_27D4_EB4F));
        }
    }
    each_quad(&text[start..], &mut with);
    if !text.is_ascii() {
        each_character(text, with);
    }
}

fn each_quad(word: &[u8], with: &mut impl FnMut(u32)) {
    for quad in word.array_windows::<4>() {
        with(hash(packed(quad), 0x9E37_79B9_7F4A_7C15));
    }
}

/// Those that are not ASCII. A question may be cut anywhere, so what is no whole character is passed over.
fn each_character(text: &[u8], mut with: impl FnMut(u32)) {
    for characters in text.utf8_chunks() {
        let mut bytes = [0; 4];
        for character in characters.valid().chars().filter(|character| !character.is_ascii()) {
            character.encode_utf8(&mut bytes);
            let character = packed(&std::mem::take(&mut bytes));
            with(hash(character, 0x8531_7C1B_4F6A_2D95));
            with(hash(character, 0xA076_1D64_78BD_642F));
        }
    }
}

/// At most eight bytes as a number.
fn packed<const LENGTH: usize>(run: &[u8; LENGTH]) -> u64 {
    run.iter().fold(0, |packed, byte| packed << 8 | u64::from(*byte))
}

/// Spreads a run over 32 bits, of which the highest are the best; another odd factor for each kind keeps them apart. One
/// multiplication alone would let the two hashes of a run agree too often.
const fn hash(packed: u64, factor: u64) -> u32 {
    let mixed = packed.wrapping_mul(factor);
    ((mixed ^ mixed >> 32).wrapping_mul(0x9FB2_1C65_1E98_DF25) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::{REVIEWS_A_WORD, Runs, Sieve};

    #[test]
    fn a_review_that_holds_the_text_is_never_dropped_and_others_mostly_are() {
        let texts: Vec<String> = (0..200).map(|number| format!("it says  word{number:03} — a 東京 an\u{0}")).collect();
        let end = |end: &mut u32, text: &String| {
            *end += u32::try_from(text.len()).unwrap();
            Some(*end)
        };
        let ends: Vec<u32> = texts.iter().scan(0, end).collect();
        let sieve = Sieve::of(texts.concat().as_bytes(), &ends);
        let mut kept = 0;
        for (number, text) in texts.iter().map(|text| &text[..text.len() - 1]).enumerate() {
            for length in 1..=text.len() {
                for piece in text.as_bytes().windows(length) {
                    let mask = sieve.may_hold(&Runs::of(piece), number / REVIEWS_A_WORD);
                    assert_ne!(mask & 1 << (number % REVIEWS_A_WORD), 0, "{number}");
                }
            }
            let runs = Runs::of(format!("word{number:03} — ").as_bytes());
            kept += (0..4).map(|word| sieve.may_hold(&runs, word).count_ones()).sum::<u32>();
        }
        assert!(kept < 1_000, "{kept} of 40000");
    }
}
