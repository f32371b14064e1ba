//! The votes of reviews on an aspect or a name: each review has one; and the figures that are made of them.

use poem_openapi::Enum;
use serde::Serialize;

named! {
    /// Sentiment: `mixed` is both positive and negative, `neutral` a plain fact, `uncertain` too close to call.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Enum)]
    #[serde(rename_all = "snake_case")]
    #[oai(rename = "Polarity", rename_all = "snake_case")]
    pub enum Vote {
        /// Only positive.
        Positive = "positive",
        /// Only negative.
        Negative = "negative",
        /// As a fact, without judgement.
        Neutral = "neutral",
        /// Both positive and negative.
        Mixed = "mixed",
        /// Too close to call.
        Uncertain = "uncertain",
    }
}

impl Vote {
    /// The vote of a review that says both: clear findings outweigh uncertain ones, and these outweigh facts.
    pub const fn combine(self, other: Self) -> Self {
        use Vote::{Mixed, Negative, Neutral, Positive, Uncertain};
        match (self, other) {
            (Mixed, _) | (_, Mixed) | (Positive, Negative) | (Negative, Positive) => Mixed,
            (Positive, _) | (_, Positive) => Positive,
            (Negative, _) | (_, Negative) => Negative,
            (Uncertain, _) | (_, Uncertain) => Uncertain,
            (Neutral, Neutral) => Neutral,
        }
    }

    /// Whether it is positive or negative.
    pub const fn judges(self) -> bool {
        matches!(self, Self::Positive | Self::Negative | Self::Mixed)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct VoteCounts {
    pub positive: u32,
    pub negative: u32,
    pub neutral: u32,
    pub mixed: u32,
    /// [`Vote::Uncertain`]: neither praise nor blame is clear.
    pub uncertain: u32,
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

// Figures that are published must give the same bits everywhere: counts are integers, and derived values use only the four
// operations and the square root, which IEEE 754 rounds exactly.

/// `value` to the nearest multiple of `1 / parts`: `round_to(x, 1000.0)` has three decimals.
pub fn round_to(value: f64, parts: f64) -> f64 {
    (value * parts).round() / parts
}

// Wilson's score interval, for shares of reviews and of annotated sentences.

/// The quantile of the normal distribution with 2.5 % on either side.
const Z95: f64 = 1.959_963_984_540_054;

/// The ends of the 95 % interval of a share of `n`; `n` is above 0.
pub fn interval(share: f64, n: f64) -> [f64; 2] {
    let square = Z95 * Z95;
    let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
    let half =
        Z95 / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
    [(middle - half).max(0.0), (middle + half).min(1.0)]
}

/// How the second period compares with the first. `too_few`: either period has fewer than ten reviews, or for an aspect fewer
/// than ten that judge it; `same`: the 95 % intervals (Wilson) of both shares overlap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename = "Verdict", rename_all = "snake_case")]
pub enum ComparisonVerdict {
    /// The share is larger.
    Better,
    /// The share is smaller.
    Worse,
    /// The intervals overlap.
    Same,
    /// Too few reviews to say.
    TooFew,
}

/// Minimum number of reviews on each side of a comparison.
const COMPARED_MIN: u32 = 10;

impl ComparisonVerdict {
    /// Whether the second share (part and whole) is larger.
    pub fn of(before: (u32, u32), now: (u32, u32)) -> Self {
        if before.1.min(now.1) < COMPARED_MIN {
            return Self::TooFew;
        }
        let [[low_before, high_before], [low, high]] = [before, now].map(|(part, whole)| {
            let whole = f64::from(whole);
            interval(f64::from(part) / whole, whole)
        });
        if low > high_before {
            Self::Better
        } else if high < low_before {
            Self::Worse
        } else {
            Self::Same
        }
    }
}
