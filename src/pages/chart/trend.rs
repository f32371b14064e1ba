//! Where something is going: positive and negative reviews month by month, in words, and as a
//! table.

use askama::Template;

use crate::pages::words::{count, month};
use crate::wire;

/// The height of the chart, in its own units.
const HEIGHT: f64 = 60.0;
/// The room of one column, of which 8 are the column.
const STEP: usize = 10;
/// Fewer months have the width of so many and stand further apart, so that no column fills the page.
const MONTHS_MIN: usize = 12;
/// A trend has at most so many months; a month that is named wrong must not make a page of them.
const MONTHS_MAX: usize = 120;

/// A trend as chart, words and table.
#[derive(Debug, Clone, Template)]
#[template(path = "trend_fragment.html")]
pub struct TrendFragment {
    chart: Option<Chart>,
    words: String,
    rows: Vec<Row>,
}

/// Months side by side, each at its place in time: positive reviews upwards, negative ones
/// downwards.
#[derive(Debug, Clone)]
struct Chart {
    width: usize,
    /// Where up and down meet.
    axis: String,
    columns: Vec<Column>,
    words: String,
    first: String,
    last: String,
}

#[derive(Debug, Clone)]
struct Column {
    class: &'static str,
    x: usize,
    y: String,
    height: String,
}

/// A month of the table.
#[derive(Debug, Clone)]
struct Row {
    month: String,
    reviews: u32,
    positive: u32,
    negative: u32,
}

impl TrendFragment {
    /// The chart, words and table of `trend`; the table has the newest month first.
    #[must_use]
    pub fn new(trend: &wire::Trend) -> Self {
        let rows = trend.months.iter().rev().map(|one| Row {
            month: month(&one.month),
            reviews: one.reviews,
            positive: one.positive,
            negative: one.negative,
        });
        Self {
            chart: Chart::of(&trend.months),
            words: words(trend),
            rows: rows.collect(),
        }
    }
}

impl Chart {
    /// The months of a trend; none where they show nothing.
    fn of(months: &[wire::Monthly]) -> Option<Self> {
        let up = months.iter().map(|month| month.positive).max()?;
        let down = months.iter().map(|month| month.negative).max()?;
        let (first, last) = (months.first()?, months.last()?);
        let start = number(&first.month)?;
        let span = number(&last.month)?.checked_sub(start)? + 1;
        if up + down == 0 || months.len() < 3 || span > MONTHS_MAX {
            return None;
        }
        let width = span.max(MONTHS_MIN) * STEP;
        let unit = HEIGHT / f64::from(up + down);
        let axis = f64::from(up) * unit;
        let columns = months
            .iter()
            .filter_map(|month| Some((number(&month.month)?.checked_sub(start)?, month)));
        let columns = columns.flat_map(|(at, month)| {
            // The first month stands at the left end and the last one at the right, as their names do.
            let x = at * (width - STEP) / (span - 1).max(1) + 1;
            let column = |class, reviews: u32, is_up: bool| {
                let height = f64::from(reviews) * unit;
                (reviews > 0).then(|| Column {
                    class,
                    x,
                    y: format!("{:.2}", if is_up { axis - height } else { axis }),
                    height: format!("{height:.2}"),
                })
            };
            [
                column("good", month.positive, true),
                column("bad", month.negative, false),
            ]
        });
        Some(Self {
            width,
            axis: format!("{axis:.2}"),
            columns: columns.flatten().collect(),
            words: said(months, up, down),
            first: month(&first.month),
            last: month(&last.month),
        })
    }
}

/// What the chart shows, in words.
fn said(months: &[wire::Monthly], up: u32, down: u32) -> String {
    let sum = |of: fn(&wire::Monthly) -> u32| {
        count(months.iter().map(|month| u64::from(of(month))).sum())
    };
    let name = |at: Option<&wire::Monthly>| at.map(|one| month(&one.month)).unwrap_or_default();
    format!(
        "By month from {} to {}: {} positive, {} negative reviews, at most {up} and {down} in a month",
        name(months.first()),
        name(months.last()),
        sum(|month| month.positive),
        sum(|month| month.negative)
    )
}

/// The months since year 0 of `YYYY-MM`.
fn number(month: &str) -> Option<usize> {
    let (year, month) = month.split_once('-')?;
    let (year, month) = (year.parse::<usize>().ok()?, month.parse::<usize>().ok()?);
    Some(year * 12 + month)
}

/// A trend in words, with what it rests on.
fn words(trend: &wire::Trend) -> String {
    let direction = match trend.direction {
        wire::Direction::Up => "Better than before",
        wire::Direction::Down => "Worse than before",
        wire::Direction::Flat => "No clear difference",
        wire::Direction::Unknown => return "Too few reviews to compare half-years.".to_owned(),
    };
    match &trend.basis {
        Some(basis) => {
            let (recent, previous) = (&basis.recent, &basis.previous);
            format!(
                "{direction}: {} of {} positive from {} to {}, {} of {} in the half-year before.",
                recent.positive,
                recent.judged,
                month(&recent.from),
                month(&recent.to),
                previous.positive,
                previous.judged
            )
        }
        None => format!("{direction}."),
    }
}

#[cfg(test)]
mod tests {
    use super::Chart;
    use crate::wire;

    fn monthly(month: &str, positive: u32, negative: u32) -> wire::Monthly {
        wire::Monthly {
            month: month.into(),
            reviews: 9,
            positive,
            negative,
        }
    }

    #[test]
    fn columns_stand_on_one_axis_each_at_its_month() {
        let months = [
            monthly("2025-11", 4, 0),
            monthly("2026-02", 0, 2),
            monthly("2026-12", 2, 1),
        ];
        let chart = Chart::of(&months).unwrap();
        let places: Vec<usize> = chart.columns.iter().map(|column| column.x).collect();
        assert_eq!(
            (chart.axis.as_str(), chart.width, places),
            ("40.00", 140, vec![1, 31, 131, 131])
        );
        assert_eq!(
            chart.words,
            "By month from November 2025 to December 2026: 6 positive, 3 negative reviews, at most 4 and 2 in a month"
        );
    }

    #[test]
    fn what_shows_nothing_is_not_drawn() {
        let two = [monthly("2026-01", 1, 0), monthly("2026-02", 1, 0)];
        let silent = ["2026-01", "2026-02", "2026-03"].map(|month| monthly(month, 0, 0));
        let garbled = ["2026-01", "x", "9999999-01"].map(|month| monthly(month, 1, 0));
        for months in [&two[..], &silent, &garbled, &[]] {
            assert!(Chart::of(months).is_none(), "{months:?}");
        }
    }
}
