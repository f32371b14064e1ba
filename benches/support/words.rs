//! A vocabulary of 20,000 words in a Zipf–Mandelbrot distribution: a few English words are half of all text, and the
//! long tail consists of generated words.

use std::collections::HashSet;

/// The number of words.
const WORDS: usize = 20_000;
/// No generated word contains one of these, so that queries for them have exactly the intended matches.
const FORBIDDEN: [&str; 5] = ["zy", "qq", "xx", "quibblef", "joa"];
/// The most frequent words, in descending order of frequency.
const COMMON: &str = "the and to was a i of for my it in we they with is he on that our had very were me this as at out \
    so have all are be you but not from great service them would she us one time his when came up job did work by or an \
    if their will been about back which there could just what than also no home after who other house recommend \
    only technician professional get how water called again day first company now her can over more good done even any \
    next down well before because new through air two went heater system made price took said right then never where \
    always friendly here best quickly warranty some fixed same make need help like until claim being repair unit \
    morning hours during while pipe leak everything install ever rating information operation general thermal \
    another weather rather entire reason explained clean quote honest fair punctual courteous estimate furnace drain";

/// `SplitMix64` (Steele, Lea, Flood 2014).
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// A generator that is reproducible by its seed.
    #[must_use]
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap_or(0)
    }

    /// True with a probability of `percent`.
    pub fn percent(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of `values`, each equally likely; panics if there are none.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }
}

/// The words with their probabilities.
#[derive(Debug)]
pub struct Words {
    words: Vec<String>,
    /// The cumulative weights, each including its own word.
    sums: Vec<u64>,
}

impl Words {
    /// The vocabulary, which is always the same.
    #[must_use]
    pub fn new() -> Self {
        let mut words: Vec<String> = COMMON
            .split_whitespace()
            .filter(|word| !word.ends_with('-'))
            .map(str::to_owned)
            .collect();
        let mut known: HashSet<String> = words.iter().cloned().collect();
        let mut dice = Dice::new(20_000);
        while words.len() < WORDS {
            let word = made_up(&mut dice, words.len());
            if !FORBIDDEN.iter().any(|forbidden| word.contains(forbidden))
                && known.insert(word.clone())
            {
                words.push(word);
            }
        }
        let mut sum = 0;
        let sums = (1..=20_000_u32).map(|rank| {
            sum += weight(rank);
            sum
        });
        Self {
            sums: sums.collect(),
            words,
        }
    }

    /// A random word; frequent words are more likely.
    #[must_use]
    pub fn draw(&self, dice: &mut Dice) -> &str {
        let at = dice.next() % self.sums[WORDS - 1];
        &self.words[self.sums.partition_point(|sum| *sum <= at)]
    }
}

/// 1 / (rank + 2.7)^1.125 in units of 2^-40. It uses square roots, which are exact by IEEE 754; a power is not.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a positive number far below 2^63"
)]
fn weight(rank: u32) -> u64 {
    let x = f64::from(rank) + 2.7;
    (1_099_511_627_776.0 / (x * x.sqrt().sqrt().sqrt())) as u64
}

/// Two to four syllables; rarer words are longer.
fn made_up(dice: &mut Dice, rank: usize) -> String {
    const ONSETS: [&str; 24] = [
        "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "w", "st", "tr",
        "pl", "ch", "sh", "th", "gr", "br", "k",
    ];
    const VOWELS: [&str; 10] = ["a", "e", "i", "o", "u", "a", "e", "o", "ea", "y"];
    const CODAS: [&str; 12] = ["", "", "", "", "", "n", "r", "s", "t", "l", "nd", "st"];
    let syllables =
        2 + usize::from(rank > 3_000) * dice.below(2) + usize::from(rank > 14_000) * dice.below(2);
    (0..syllables)
        .map(|_| [*dice.pick(&ONSETS), *dice.pick(&VOWELS), *dice.pick(&CODAS)].concat())
        .collect()
}
