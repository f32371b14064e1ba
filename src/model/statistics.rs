//! Statistics of published figures. They must give the same bits everywhere: counts are integers, and derived values use
//! only the four operations and the square root, which IEEE 754 rounds exactly.

use std::cmp::Ordering;

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

// Significance tests: Fisher's exact test of a two-by-two table, and Holm's correction for several tests. Sums,
// products and quotients have a fixed order, so that the same counts give the same bits on every platform.

/// Minimum number of reviews in each of two compared shares.
pub const COMPARED_MIN: u32 = 10;
/// Maximum probability that chance alone makes any difference in a document significant: one document in twenty.
const SIGNIFICANCE: f64 = 0.05;
/// Probability of a table, relative to the most likely table, below which it adds nothing to a sum.
const NEGLIGIBLE: f64 = 1e-18;
/// Relative difference below which two probabilities count as equal, because of rounding errors.
const ALIKE: f64 = 1e-7;

/// The comparison of two shares.
#[derive(Debug, Clone, Copy)]
pub struct Compared {
    /// How the second share differs from the first; `Equal` if the difference may be chance.
    pub change: Ordering,
    /// P-value of Fisher's exact test, two-sided, uncorrected.
    pub p_value: f64,
}

/// Compares the two shares (part and whole) of each pair; `None` if one has fewer than [`COMPARED_MIN`]. All pairs are
/// tested together, because otherwise chance would make one in twenty significant.
pub fn compare(pairs: &[[(u32, u32); 2]]) -> Vec<Option<Compared>> {
    let p_value = |pair: &[(u32, u32); 2]| {
        let is_enough = pair.iter().all(|(_, whole)| *whole >= COMPARED_MIN);
        is_enough.then(|| fisher_exact(pair[1], pair[0]))
    };
    let p_values: Vec<Option<f64>> = pairs.iter().map(p_value).collect();
    let tested: Vec<f64> = p_values.iter().flatten().copied().collect();
    let mut significant = holm(&tested).into_iter();
    let compared = |([before, now], p_value): (&[(u32, u32); 2], Option<f64>)| {
        let p_value = p_value?;
        let is_significant = significant.next()?;
        let product = |one: &(u32, u32), other: &(u32, u32)| u64::from(one.0) * u64::from(other.1);
        let change = if is_significant {
            product(now, before).cmp(&product(before, now))
        } else {
            Ordering::Equal
        };
        Some(Compared { change, p_value })
    };
    pairs.iter().zip(p_values).map(compared).collect()
}

/// The two-sided p-value of Fisher's exact test for two shares (part and whole): the probability of tables at most as
/// likely as this one. From 0 to 1; 1 for empty wholes.
fn fisher_exact(one: (u32, u32), other: (u32, u32)) -> f64 {
    let (drawn, all) = (i64::from(one.1), i64::from(one.1) + i64::from(other.1));
    let parts = i64::from(one.0) + i64::from(other.0);
    let (least, most) = ((drawn + parts - all).max(0), drawn.min(parts));
    let observed = i64::from(one.0).clamp(least, most);
    // The hypergeometric distribution relative to its mode; it decreases on both sides of the mode.
    let mode = ((drawn + 1) * (parts + 1) / (all + 2)).clamp(least, most);
    let step = |at: i64| {
        float((parts - at) * (drawn - at)) / float((at + 1) * (all - parts - drawn + at + 1))
    };
    let mut chances = vec![(mode, 1.0)];
    let (mut at, mut chance) = (mode, 1.0);
    while at < most && chance > NEGLIGIBLE {
        chance *= step(at);
        at += 1;
        chances.push((at, chance));
    }
    (at, chance) = (mode, 1.0);
    while at > least && chance > NEGLIGIBLE {
        at -= 1;
        chance /= step(at);
        chances.push((at, chance));
    }
    let of_observed = chances
        .iter()
        .find(|(at, _)| *at == observed)
        .map_or(0.0, |(_, chance)| *chance);
    let sum = |bound: f64| -> f64 {
        let within = chances.iter().filter(|(_, chance)| *chance <= bound);
        within.map(|(_, chance)| chance).sum()
    };
    (sum(of_observed * (1.0 + ALIKE)) / sum(f64::INFINITY)).min(1.0)
}

/// Determines which of these p-values are significant at 5 % for all of them together (Holm 1979): in ascending order,
/// each is compared with a fraction of the level, and the first that fails ends the test.
fn holm(p_values: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|one, other| p_values[*one].total_cmp(&p_values[*other]));
    let mut significant = vec![false; p_values.len()];
    for (rank, at) in order.into_iter().enumerate() {
        let left = p_values.len() - rank;
        if p_values[at] * float(i64::try_from(left).unwrap_or(i64::MAX)) > SIGNIFICANCE {
            break;
        }
        significant[at] = true;
    }
    significant
}

#[expect(
    clippy::cast_precision_loss,
    reason = "products of two counts of reviews are far below 2^53 where they decide"
)]
const fn float(value: i64) -> f64 {
    value as f64
}

#[cfg(test)]
mod tests {
    use super::{fisher_exact, holm};

    #[test]
    fn fisher_s_exact_test_gives_the_published_p_values() {
        // Fisher's tea experiment (3 of 4 against 1 of 4); the other values were computed with R's fisher.test.
        for (one, other, p) in [
            ((3, 4), (1, 4), 0.485_714_285_7),
            ((1, 10), (11, 14), 0.002_759_456_2),
            ((8, 10), (1, 6), 0.034_965_034_97),
            ((5, 5), (5, 5), 1.0),
            ((0, 0), (3, 9), 1.0),
        ] {
            let found = fisher_exact(one, other);
            assert!((found - p).abs() < 1e-9, "{one:?} {other:?}: {found}");
            assert!((fisher_exact(other, one) - found).abs() < 1e-12);
        }
    }

    #[test]
    fn large_and_far_apart_counts_neither_overflow_nor_take_long() {
        assert!(fisher_exact((90_000, 100_000), (10_000, 100_000)) < 1e-12);
        let alike = fisher_exact((50_000, 100_000), (50_000, 100_000));
        assert!((alike - 1.0).abs() < 1e-9, "{alike}");
    }

    #[test]
    fn holm_stops_at_the_first_that_fails() {
        assert_eq!(holm(&[0.01, 0.04, 0.03, 0.005]), [true, false, false, true]);
        assert_eq!(holm(&[0.04]), [true]);
        assert_eq!(holm(&[0.04, 0.04]), [false, false]);
        assert!(holm(&[]).is_empty());
    }
}
