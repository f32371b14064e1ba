//! How the share of positive reviews moves: the months of an aspect or of something named, and
//! whether the last half year differs from the one before beyond chance.

use super::count::Month;
use super::figures::Direction;
use super::significance::{fisher_exact, holm};

/// A trend compares so many months with as many before.
const HALF_YEAR: i32 = 6;
/// With fewer judging reviews on either side nothing is compared.
pub const COMPARED_MIN: u32 = 10;

/// Reviews of one month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MonthCount {
    /// The calendar year of the month.
    pub year: i32,
    /// The month, from 1.
    pub month: i32,
    /// How many reviews of the month speak of it, whatever their vote.
    pub reviews: u32,
    /// How many of them are positive.
    pub positive: u32,
    /// How many of them are negative.
    pub negative: u32,
}

/// How the share of positive reviews was and is.
#[derive(Debug, Clone)]
pub struct Trend {
    /// The last months with reviews, oldest first.
    pub months: Vec<MonthCount>,
    /// Where the share of positive reviews is going; flat until [`settle`] has seen all of them.
    pub direction: Direction,
    /// The half years compared; `None` where too few reviews judge in one of them.
    pub compared: Option<Compared>,
}

/// The last half year and the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Compared {
    /// The last six months up to that of the newest review.
    pub recent: Period,
    /// The six months before those.
    pub previous: Period,
    /// That of Fisher's exact test, two-sided, before any correction.
    pub p_value: f64,
    /// How many comparisons stand in the document: what Holm's correction is for.
    pub comparisons: u32,
}

/// Six calendar months, and their reviews that judge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// Year and month that it begins with.
    pub from: (i32, i32),
    /// Year and month that it ends with.
    pub to: (i32, i32),
    /// How many reviews of these months are positive.
    pub positive: u32,
    /// Of so many that judge.
    pub judged: u32,
}

/// Gives each comparison its direction. All that one document shows are tested together, else one
/// in twenty would be a claim made of chance.
pub fn settle<'a>(trends: impl Iterator<Item = &'a mut Trend>) {
    let mut compared: Vec<(&mut Direction, &mut Compared)> = trends
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
    fn direction(&self) -> Direction {
        let Self {
            recent, previous, ..
        } = self;
        let [now, before] = [(recent, previous), (previous, recent)]
            .map(|(one, other)| u64::from(one.positive) * u64::from(other.judged));
        match now.cmp(&before) {
            std::cmp::Ordering::Greater => Direction::Up,
            std::cmp::Ordering::Less => Direction::Down,
            std::cmp::Ordering::Equal => Direction::Flat,
        }
    }
}

/// The months of one cell of the counts, and the comparison of its last two half years.
pub fn trend(months: &[Month], cell: usize, months_max: i32) -> Trend {
    let Some(newest) = months.first().map(|month| month.number) else {
        return Trend {
            months: Vec::new(),
            direction: Direction::Unknown,
            compared: None,
        };
    };
    let told = months.iter().filter(|month| month.cells[cell][0] > 0);
    let mut told: Vec<MonthCount> = told
        .filter(|month| newest - month.number < months_max)
        .map(|month| {
            let [reviews, positive, negative, _] = month.cells[cell];
            let (year, month) = calendar(month.number);
            MonthCount {
                year,
                month,
                reviews,
                positive,
                negative,
            }
        })
        .collect();
    told.reverse();
    let [recent, previous] = [newest, newest - HALF_YEAR].map(|last| period(months, cell, last));
    let compared = (recent.judged >= COMPARED_MIN && previous.judged >= COMPARED_MIN).then(|| {
        let [now, before] = [recent, previous].map(|period| (period.positive, period.judged));
        Compared {
            recent,
            previous,
            p_value: fisher_exact(now, before),
            comparisons: 1,
        }
    });
    let direction = compared.map_or(Direction::Unknown, |_| Direction::Flat);
    Trend {
        months: told,
        direction,
        compared,
    }
}

/// The half year that ends with the month of number `last`.
fn period(months: &[Month], cell: usize, last: i32) -> Period {
    let first = last - HALF_YEAR + 1;
    let within = months
        .iter()
        .filter(|month| (first..=last).contains(&month.number))
        .map(|month| month.cells[cell]);
    let (positive, judged) = within.fold((0, 0), |(part, of), [_, positive, negative, mixed]| {
        (part + positive, of + positive + negative + mixed)
    });
    Period {
        from: calendar(first),
        to: calendar(last),
        positive,
        judged,
    }
}

/// Year and month, from 1, of a month's number.
const fn calendar(number: i32) -> (i32, i32) {
    (number.div_euclid(12), number.rem_euclid(12) + 1)
}

#[cfg(test)]
mod tests {
    use super::{Compared, Period, Trend, settle};
    use crate::insights::aggregate::figures::Direction;
    use crate::insights::aggregate::significance::fisher_exact;

    fn compared(now: (u32, u32), before: (u32, u32)) -> Trend {
        let period = |(positive, judged)| Period {
            from: (2026, 1),
            to: (2026, 6),
            positive,
            judged,
        };
        Trend {
            months: Vec::new(),
            direction: Direction::Flat,
            compared: Some(Compared {
                recent: period(now),
                previous: period(before),
                p_value: fisher_exact(now, before),
                comparisons: 1,
            }),
        }
    }

    fn directions(mut trends: Vec<Trend>) -> Vec<Direction> {
        settle(trends.iter_mut());
        trends.iter().map(|trend| trend.direction).collect()
    }

    #[test]
    fn a_difference_beyond_chance_has_a_direction() {
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
    fn a_difference_that_stands_alone_is_chance_among_many() {
        // p = 0.02: significant by itself, and not as one of ten.
        let weak = || compared((19, 20), (12, 20));
        assert_eq!(directions(vec![weak()]), [Direction::Up]);
        let mut ten: Vec<Trend> = (0..9).map(|_| compared((15, 20), (15, 20))).collect();
        ten.insert(0, weak());
        let all = directions(ten);
        assert!(all.iter().all(|one| *one == Direction::Flat), "{all:?}");
    }
}
