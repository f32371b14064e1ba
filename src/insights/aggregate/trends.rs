//! The share of positive reviews over time: by month, and whether the last half year differs significantly from the one
//! before.

use std::cmp::Ordering;

use super::count::Month;
use crate::model::VoteCounts;
use crate::model::statistics::{COMPARED_MIN, compare, round_to};
use crate::wire::{Direction, InsightMonth, Trend, TrendBasis, TrendPeriod};

/// Number of months in each of the two compared periods.
const HALF_YEAR: i32 = 6;
/// Further ahead of the month before it, a month is mistaken, for example one that somebody wrote with `sqlite3`.
const FAR_AHEAD_MONTHS: i32 = 36;

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
    let newest = newest(months);
    let shown = months
        .iter()
        .rev()
        .filter(|month| {
            (0..months_max).contains(&(newest - month.number)) && month.cells[cell].reviews() > 0
        })
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

/// The newest month, but for one that is so far ahead of all others that its day must be mistaken.
fn newest(months: &[Month]) -> i32 {
    let mut pairs = months.windows(2);
    let near = pairs.find(|pair| pair[0].number - pair[1].number < FAR_AHEAD_MONTHS);
    near.map_or(months, |pair| pair)
        .first()
        .map_or(0, |month| month.number)
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
    use super::{Month, newest, settle, trend};
    use crate::model::VoteCounts;
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
    fn month_years_ahead_does_not_hide_the_others() {
        let month = |number| Month {
            number,
            begins: 0,
            cells: vec![VoteCounts {
                positive: 1,
                ..VoteCounts::default()
            }],
        };
        for (numbers, expected, shown) in [
            (&[60, 3, 2, 0][..], 3, 3),
            (&[30, 3, 2], 30, 1),
            (&[60, 3], 60, 1),
            (&[3], 3, 1),
            (&[], 0, 0),
        ] {
            let months: Vec<Month> = numbers.iter().copied().map(month).collect();
            assert_eq!(newest(&months), expected, "{numbers:?}");
            assert_eq!(trend(&months, 0, 24).months.len(), shown, "{numbers:?}");
        }
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
