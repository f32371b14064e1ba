//! The arithmetic of published figures. It must give the same bits everywhere: counts are integers, and derived values
//! use only the four operations and the square root, which IEEE 754 rounds exactly.

use crate::insights::analysis::Polarity;
use crate::insights::packed_analysis::PackedFinding;

pub use crate::model::Vote;

impl From<Polarity> for Vote {
    fn from(polarity: Polarity) -> Self {
        match polarity {
            Polarity::Positive => Self::Positive,
            Polarity::Negative => Self::Negative,
            Polarity::Neutral => Self::Neutral,
            Polarity::Uncertain => Self::Uncertain,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReviewVote {
    /// The combined polarity of its findings.
    pub vote: Vote,
    /// Whether the vote depends on the stars: without their confirmation, the text would have no judgement.
    pub is_confirmed: bool,
}

impl ReviewVote {
    /// `None` without findings.
    pub fn of<'a>(findings: impl Iterator<Item = &'a PackedFinding>) -> Option<Self> {
        let (mut says, mut text_judges) = ([false; 4], false);
        for finding in findings {
            says[finding.polarity as usize] = true;
            text_judges |= finding.polarity_of_text().judges();
        }
        // In the order of the variants of `Polarity`.
        let [praises, blames, _, is_open] = says;
        let vote = Vote::fold(praises, blames, is_open);
        says.contains(&true).then_some(Self {
            vote,
            is_confirmed: vote.judges() && !text_judges,
        })
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VoteCounts {
    /// [`Vote::Positive`]: praise, and no blame.
    pub positive: u32,
    /// [`Vote::Negative`]: blame, and no praise.
    pub negative: u32,
    /// [`Vote::Neutral`]: only facts.
    pub neutral: u32,
    /// [`Vote::Mixed`]: both praise and blame.
    pub mixed: u32,
    /// [`Vote::Uncertain`]: neither praise nor blame is clear.
    pub uncertain: u32,
    /// Positive and negative reviews whose vote depends on a confirmation by the stars.
    pub confirmed: [u32; 2],
}

impl VoteCounts {
    pub const fn count(&mut self, vote: Vote) {
        match vote {
            Vote::Positive => self.positive += 1,
            Vote::Negative => self.negative += 1,
            Vote::Neutral => self.neutral += 1,
            Vote::Mixed => self.mixed += 1,
            Vote::Uncertain => self.uncertain += 1,
        }
    }

    pub const fn count_review(&mut self, review: ReviewVote) {
        self.count(review.vote);
        match review.vote {
            Vote::Positive if review.is_confirmed => self.confirmed[0] += 1,
            Vote::Negative if review.is_confirmed => self.confirmed[1] += 1,
            Vote::Positive | Vote::Negative | Vote::Neutral | Vote::Mixed | Vote::Uncertain => {}
        }
    }

    /// Adds the counts of another.
    pub const fn add(&mut self, other: &Self) {
        self.positive += other.positive;
        self.negative += other.negative;
        self.neutral += other.neutral;
        self.mixed += other.mixed;
        self.uncertain += other.uncertain;
        self.confirmed[0] += other.confirmed[0];
        self.confirmed[1] += other.confirmed[1];
    }

    pub const fn side(&self, is_praise: bool) -> u32 {
        if is_praise {
            self.positive
        } else {
            self.negative
        }
    }

    /// Number of reviews with any vote.
    pub const fn reviews(&self) -> u32 {
        self.positive + self.negative + self.neutral + self.mixed + self.uncertain
    }

    /// Number of reviews with a judgement: all except the neutral and the uncertain ones.
    pub const fn judged(&self) -> u32 {
        self.positive + self.negative + self.mixed
    }
}

/// A share of `n` reviews, with its Wilson score interval at 95 %.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WilsonShare {
    /// Three decimals.
    pub value: f64,
    /// The interval's ends, three decimals.
    pub ci95: [f64; 2],
    /// Number of reviews.
    pub n: u32,
}

impl WilsonShare {
    /// `None` if `n` is 0.
    pub fn new(part: u32, n: u32) -> Option<Self> {
        if n == 0 {
            return None;
        }
        let (of, share) = (f64::from(n), f64::from(part) / f64::from(n));
        Some(Self {
            value: round_to(share, 1000.0),
            ci95: interval(share, of).map(|end| round_to(end, 1000.0)),
            n,
        })
    }
}

/// Direction of a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrendDirection {
    /// Larger now, beyond chance.
    Up,
    /// Smaller now, beyond chance.
    Down,
    /// The difference may be chance.
    Flat,
    /// Too few reviews.
    Unknown,
}

/// The log-likelihood ratio of two Poisson distributions, with the means `observed` and `expected`; 0 if `observed` is
/// not larger than `expected`.
pub fn log_likelihood(observed: u32, expected: f64) -> f64 {
    let observed = f64::from(observed);
    if observed <= expected || expected <= 0.0 {
        return 0.0;
    }
    2.0 * (observed * ln(observed / expected) - (observed - expected))
}

/// `value` to the nearest multiple of `1 / parts`: `round_to(x, 1000.0)` has three decimals.
pub fn round_to(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

/// The natural logarithm of a positive, normal number. The functions of different platforms may differ in the last bit.
fn ln(value: f64) -> f64 {
    const BIAS: i32 = 1023;
    const MANTISSA: u64 = (1 << 52) - 1;
    let bits = value.to_bits();
    let exponent = i32::try_from(bits >> 52).unwrap_or(BIAS) - BIAS;
    let mantissa = f64::from_bits((bits & MANTISSA) | (1023 << 52));
    // ln(m) = 2 artanh((m - 1) / (m + 1)); with m in 1..2, each term is at most a ninth of the one before.
    let ratio = (mantissa - 1.0) / (mantissa + 1.0);
    let (square, mut power, mut sum) = (ratio * ratio, ratio, 0.0);
    for odd in (1..40).step_by(2) {
        sum += power / f64::from(odd);
        power *= square;
    }
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * sum
}

// Wilson's score interval, for shares of reviews and of annotated sentences.

/// The quantile of the normal distribution with 2.5 % on either side.
pub const Z95: f64 = 1.959_963_984_540_054;

/// The ends of the 95 % interval of a share of `n`; `n` is above 0.
pub fn interval(share: f64, n: f64) -> [f64; 2] {
    let square = Z95 * Z95;
    let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half =
        Z95 / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

/// Figures about the reviews from which the insights were made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Corpus {
    /// Number of reviews.
    pub reviews: u32,
    /// Number of reviews that are not analysed yet.
    pub unanalyzed: u32,
    /// Number of analysed reviews with a text.
    pub with_text: u32,
    /// Texts in a supported language.
    pub analysed: u32,
    /// Texts in another language.
    pub foreign: u32,
    /// Number of analysed texts by their polarity as a whole.
    pub overall: VoteCounts,
    /// Number of judgements that the stars withdrew, and number of reviews with such judgements.
    pub withdrawn: (u32, u32),
    /// Number of findings that the stars confirmed, and number of reviews with such findings.
    pub confirmed: (u32, u32),
    /// Number of analysed reviews with one or two stars; and the number of these whose polarity as a whole is not
    /// negative.
    pub discontent: (u32, u32),
    /// The days of the oldest and of the newest review ([`crate::model::Day::number`]).
    pub window: Option<(i32, i32)>,
}

#[cfg(test)]
mod tests {
    use super::{Vote, WilsonShare, ln, log_likelihood};

    #[test]
    fn a_share_has_the_interval_of_wilson() {
        let share = WilsonShare::new(88, 96).unwrap();
        assert_eq!(
            (share.value, share.ci95, share.n),
            (0.917, [0.844, 0.957], 96)
        );
        assert_eq!(
            format!("{:?}", WilsonShare::new(5, 5).unwrap().ci95),
            "[0.566, 1.0]"
        );
        assert_eq!(WilsonShare::new(0, 0), None);
    }

    #[test]
    fn logarithms_are_right_to_twelve_digits() {
        for value in [1e-6, 0.3, 1.0, 1.999_999, 2.0, 7.5, 1e9] {
            assert!(
                (ln(value) - f64::ln(value)).abs() < 1e-12 * (1.0 + f64::ln(value).abs()),
                "{value}"
            );
        }
        assert!(log_likelihood(4, 4.0).abs() < f64::EPSILON);
        assert!((log_likelihood(10, 1.0) - 28.051_701_859_880_915).abs() < 1e-9);
    }

    #[test]
    fn praise_and_blame_are_mixed_and_what_is_clear_outweighs_what_is_not() {
        assert_eq!(Vote::fold(true, true, true), Vote::Mixed);
        assert_eq!(Vote::fold(true, false, true), Vote::Positive);
        assert_eq!(Vote::fold(false, true, true), Vote::Negative);
        assert_eq!(Vote::fold(false, false, true), Vote::Uncertain);
        assert_eq!(Vote::fold(false, false, false), Vote::Neutral);
    }
}
