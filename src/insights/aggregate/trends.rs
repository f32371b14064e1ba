//! The share of positive reviews over time: by month, and whether the last half year differs significantly from the one
//! before.

use std::cmp::Ordering;

use super::count::Month;
use crate::model::VoteCounts;
use crate::model::statistics::{COMPARED_MIN, compare, round_to};
use crate::wire::{Direction, InsightMonth, Trend, TrendBasis, TrendPeriod};

/// Number of months in each of the two compared periods.
const HALF_YEAR: i32 = 6;

/// Gives each comparison its p-value and direction: all of one document are tested together.
pub fn settle<'a>(trends: impl Iterator<Item = &'a mut Trend>) {
    let compared: Vec<(&mut Direction, &mut TrendBasis)> = trends
        .filter_map(|trend| Some((&mut trend.direction, trend.basis.as_mut()?)))
        .collect();
    let share = |period: &TrendPeriod| (period.positive, period.judged);
    let shares: Vec<_> = compared
        .iter()
        .map(|(_, basis)| [share(&basis.previous), share(&basis.recent)])
        .collect();
    let comparisons = u32::try_from(compared.len()).unwrap_or(u32::MAX);
    for ((direction, basis), found) in compared.into_iter().zip(compare(&shares)) {
        let Some(found) = found else { continue };
        basis.comparisons = comparisons;
        basis.p_value = round_to(found.p_value, 1e4);
        *direction = match found.change {
            Ordering::Greater => Direction::Up,
            Ordering::Less => Direction::Down,
            Ordering::Equal => Direction::Flat,
        };
    }
}

/// The months of one cell of the counts, and the last two half years if there are enough reviews to compare them, which
/// [`settle`] does.
pub fn trend(months: &[Month], cell: usize, months_max: i32) -> Trend {
    let newest = months.first().map_or(0, |month| month.number);
    let shown = months
        .iter()
        .rev()
        .filter(|month| newest - month.number < months_max && month.cells[cell].reviews() > 0)
        .map(|month| InsightMonth {
            month: year_and_month(month.number),
            reviews: month.cells[cell].reviews(),
            positive: month.cells[cell].positive,
            negative: month.cells[cell].negative,
        });
    let [recent, previous] =
        [newest, newest - HALF_YEAR].map(|last| (last, half_year(months, cell, last)));
    let is_enough = recent.1.judged().min(previous.1.judged()) >= COMPARED_MIN;
    Trend {
        months: shown.collect(),
        direction: Direction::Unknown,
        basis: is_enough.then(|| TrendBasis {
            test: "fisher_exact_holm_95".to_owned(),
            p_value: 1.0,
            comparisons: 1,
            recent: period(recent),
            previous: period(previous),
        }),
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

/// The half year that ends with month `last`, with its votes.
fn period((last, votes): (i32, VoteCounts)) -> TrendPeriod {
    TrendPeriod {
        from: year_and_month(last - HALF_YEAR + 1),
        to: year_and_month(last),
        positive: votes.positive,
        judged: votes.judged(),
    }
}

/// The month with that number: the year times twelve, plus the month from 0.
fn year_and_month(number: i32) -> String {
    format!(
        "{:04}-{:02}",
        number.div_euclid(12),
        number.rem_euclid(12) + 1
    )
}

#[cfg(test)]
mod tests {
    use super::settle;
    use crate::wire::{Direction, Trend, TrendBasis, TrendPeriod};

    fn compared(now: (u32, u32), before: (u32, u32)) -> Trend {
        let period = |(positive, judged)| TrendPeriod {
            from: String::new(),
            to: String::new(),
            positive,
            judged,
        };
        Trend {
            months: Vec::new(),
            direction: Direction::Unknown,
            basis: Some(TrendBasis {
                test: String::new(),
                p_value: 1.0,
                comparisons: 1,
                recent: period(now),
                previous: period(before),
            }),
        }
    }

    fn directions(mut trends: Vec<Trend>) -> Vec<Direction> {
        settle(trends.iter_mut());
        trends.iter().map(|trend| trend.direction).collect()
    }

    #[test]
    fn a_significant_difference_has_a_direction() {
        assert_eq!(
            directions(vec![compared((30, 60), (55, 60))]),
            [Direction::Down]
        );
        assert_eq!(
            directions(vec![compared((55, 60), (30, 60))]),
            [Direction::Up]
        );
        assert_eq!(
            directions(vec![compared((18, 20), (25, 30))]),
            [Direction::Flat]
        );
    }

    #[test]
    fn one_weak_difference_among_many_comparisons_is_flat() {
        // p = 0.02: significant as a single test, but not as one of ten.
        let weak = || compared((19, 20), (12, 20));
        assert_eq!(directions(vec![weak()]), [Direction::Up]);
        let mut ten: Vec<Trend> = (0..9).map(|_| compared((15, 20), (15, 20))).collect();
        ten.insert(0, weak());
        let all = directions(ten);
        assert!(all.iter().all(|one| *one == Direction::Flat), "{all:?}");
    }
}
