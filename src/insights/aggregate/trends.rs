//! The share of positive reviews over time: by month, and whether the last half year differs significantly from the one
//! before.

use super::count::Month;
use super::figures::{TrendDirection, VoteCounts};

/// Number of months in each of the two compared periods.
pub const HALF_YEAR: i32 = 6;
/// Minimum number of reviews with a judgement in each compared half year.
pub const COMPARED_MIN: u32 = 10;

/// The share of positive reviews over time. A month's number is its year times twelve, plus the month from 0.
#[derive(Debug, Clone)]
pub struct ShareTrend {
    /// The last months with reviews by their numbers, oldest first.
    pub months: Vec<(i32, VoteCounts)>,
    /// [`TrendDirection::Flat`] until [`settle`] has tested all comparisons.
    pub direction: TrendDirection,
    /// `None` if too few reviews in one of the half years have a judgement.
    pub compared: Option<Compared>,
}

/// The last half year and the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// The number of the last month of the recent half year, which is that of the newest review.
    pub newest: i32,
    /// The votes of the recent half year.
    pub recent: VoteCounts,
    /// The votes of the half year before.
    pub previous: VoteCounts,
    /// P-value of Fisher's exact test, two-sided, uncorrected.
    pub p_value: f64,
    /// Number of comparisons in the document, for Holm's correction.
    pub comparisons: u32,
}

/// Gives each comparison its direction. All comparisons of one document are tested together, because otherwise chance
/// would make one in twenty significant.
pub fn settle<'a>(trends: impl Iterator<Item = &'a mut ShareTrend>) {
    let mut compared: Vec<(&mut TrendDirection, &mut Compared)> = trends
        .filter_map(|trend| Some((&mut trend.direction, trend.compared.as_mut()?)))
        .collect();
    let p_values: Vec<f64> = compared.iter().map(|(_, its)| its.p_value).collect();
    let comparisons = u32::try_from(compared.len()).unwrap_or(u32::MAX);
    for ((direction, its), is_significant) in compared.iter_mut().zip(holm(&p_values)) {
        its.comparisons = comparisons;
        if is_significant {
            **direction = its.direction();
        }
    }
}

impl Compared {
    fn direction(&self) -> TrendDirection {
        let Self {
            recent, previous, ..
        } = self;
        let [now, before] = [(recent, previous), (previous, recent)]
            .map(|(one, other)| u64::from(one.positive) * u64::from(other.judged()));
        match now.cmp(&before) {
            std::cmp::Ordering::Greater => TrendDirection::Up,
            std::cmp::Ordering::Less => TrendDirection::Down,
            std::cmp::Ordering::Equal => TrendDirection::Flat,
        }
    }
}

/// The months of one cell of the counts, and the comparison of the last two half years.
pub fn trend(months: &[Month], cell: usize, months_max: i32) -> ShareTrend {
    let newest = months.first().map_or(0, |month| month.number);
    let shown = months
        .iter()
        .rev()
        .filter(|month| newest - month.number < months_max && month.cells[cell].reviews() > 0)
        .map(|month| (month.number, month.cells[cell]));
    let halves = [newest, newest - HALF_YEAR].map(|last| half_year(months, cell, last));
    let is_enough = halves.iter().all(|votes| votes.judged() >= COMPARED_MIN);
    let compared = is_enough.then(|| {
        let [recent, previous] = halves;
        let [now, before] = halves.map(|votes| (votes.positive, votes.judged()));
        Compared {
            newest,
            recent,
            previous,
            p_value: fisher_exact(now, before),
            comparisons: 1,
        }
    });
    let direction = compared.map_or(TrendDirection::Unknown, |_| TrendDirection::Flat);
    ShareTrend {
        months: shown.collect(),
        direction,
        compared,
    }
}

/// The votes of the half year that ends with month `last`.
fn half_year(months: &[Month], cell: usize, last: i32) -> VoteCounts {
    let mut votes = VoteCounts::default();
    let within = months.iter();
    within
        .filter(|month| (last - HALF_YEAR + 1..=last).contains(&month.number))
        .for_each(|month| votes.add(&month.cells[cell]));
    votes
}

// Significance tests: Fisher's exact test of a two-by-two table, and Holm's correction for several tests. Sums,
// products and quotients have a fixed order, so that the same counts give the same bits on every platform.

/// Maximum probability that chance alone makes any difference in a document significant: one document in twenty.
const SIGNIFICANCE: f64 = 0.05;
/// Probability of a table, relative to the most likely table, below which it adds nothing to a sum.
const NEGLIGIBLE: f64 = 1e-18;
/// Relative difference below which two probabilities count as equal, because of rounding errors.
const ALIKE: f64 = 1e-7;

/// The two-sided p-value of Fisher's exact test for two shares (part and whole): the probability of tables at most as
/// likely as this one. From 0 to 1; 1 for empty wholes.
pub fn fisher_exact(one: (u32, u32), other: (u32, u32)) -> f64 {
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
    use super::fisher_exact;
    use super::{Compared, ShareTrend, settle};
    use crate::insights::aggregate::figures::{TrendDirection, VoteCounts};

    fn compared(now: (u32, u32), before: (u32, u32)) -> ShareTrend {
        let votes = |(positive, judged)| VoteCounts {
            positive,
            negative: judged - positive,
            ..VoteCounts::default()
        };
        ShareTrend {
            months: Vec::new(),
            direction: TrendDirection::Flat,
            compared: Some(Compared {
                newest: 0,
                recent: votes(now),
                previous: votes(before),
                p_value: fisher_exact(now, before),
                comparisons: 1,
            }),
        }
    }

    fn directions(mut trends: Vec<ShareTrend>) -> Vec<TrendDirection> {
        settle(trends.iter_mut());
        trends.iter().map(|trend| trend.direction).collect()
    }

    #[test]
    fn a_difference_beyond_chance_has_a_direction() {
        assert_eq!(
            directions(vec![compared((30, 60), (55, 60))]),
            [TrendDirection::Down]
        );
        assert_eq!(
            directions(vec![compared((55, 60), (30, 60))]),
            [TrendDirection::Up]
        );
        assert_eq!(
            directions(vec![compared((18, 20), (25, 30))]),
            [TrendDirection::Flat]
        );
    }

    #[test]
    fn a_difference_that_stands_alone_is_chance_among_many() {
        // p = 0.02: significant as a single test, but not as one of ten.
        let weak = || compared((19, 20), (12, 20));
        assert_eq!(directions(vec![weak()]), [TrendDirection::Up]);
        let mut ten: Vec<ShareTrend> = (0..9).map(|_| compared((15, 20), (15, 20))).collect();
        ten.insert(0, weak());
        let all = directions(ten);
        assert!(
            all.iter().all(|one| *one == TrendDirection::Flat),
            "{all:?}"
        );
    }
}

#[cfg(test)]
mod significance_tests {
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
