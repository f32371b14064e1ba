//! Whether a difference is more than chance: Fisher's exact test of a two-by-two table, and Holm's
//! correction where several are tested together. Sums, products and quotients in a fixed order, so
//! that the same counts give the same bits everywhere.

/// What may be said of a difference that chance alone would make in at most one document of twenty.
const SIGNIFICANCE: f64 = 0.05;
/// Tables whose chance relative to the likeliest is below this add nothing to a sum.
const NEGLIGIBLE: f64 = 1e-18;
/// Two chances are alike if they differ by no more than this part: what rounding leaves.
const ALIKE: f64 = 1e-7;

/// The two-sided p-value of Fisher's exact test: how often chance alone makes two shares, each a
/// part and its whole, differ at least as unlikely as these do. From 0 to 1; 1 for empty wholes.
#[must_use]
pub fn fisher_exact(one: (u32, u32), other: (u32, u32)) -> f64 {
    let (drawn, all) = (i64::from(one.1), i64::from(one.1) + i64::from(other.1));
    let parts = i64::from(one.0) + i64::from(other.0);
    let (least, most) = ((drawn + parts - all).max(0), drawn.min(parts));
    let observed = i64::from(one.0).clamp(least, most);
    // The hypergeometric distribution relative to its mode, from which both sides fall.
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

/// Which of these p-values are significant at 5 % over all of them together (Holm 1979): the
/// smallest is held against a share of the level, and the first that fails ends it.
#[must_use]
pub fn holm(p_values: &[f64]) -> Vec<bool> {
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
        // Fisher's tea (3 of 4 against 1 of 4); the others as R's fisher.test gives them.
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
