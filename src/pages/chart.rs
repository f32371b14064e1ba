//! Charts as inline SVG: bars, columns, a line. Each has words that say the same, for readers who do not see it; widths are
//! attributes, since the pages' policy forbids inline styles.

use std::fmt::Write;

use askama::Template;

use super::words::{count, percent};
use crate::wire;

/// Below so many reviews that judge, a share is no figure and no bar is drawn.
pub const JUDGED_MIN: u32 = 5;
/// The height of a chart of columns, in its own units.
const COLUMNS_HEIGHT: f64 = 60.0;
/// From one column to the next, of which 8 are the column.
const COLUMN_STEP: usize = 10;

/// A part of a bar, in percent of its width.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its class in the stylesheet.
    pub class: &'static str,
    /// Where it begins.
    pub from: String,
    /// How wide it is.
    pub width: String,
}

/// How reviews speak of something, as one bar; the whisker is the interval of the positive share.
#[derive(Debug, Clone, Template)]
#[template(path = "bar.html")]
pub struct Bar {
    words: String,
    parts: Vec<Part>,
    whisker: Option<(String, String)>,
}

/// What colours mean.
#[derive(Debug, Clone, Copy, Template)]
#[template(path = "legend.html")]
pub struct Legend;

/// Votes on something: reviews that judge it.
#[derive(Debug, Clone, Copy)]
pub struct Votes<'a> {
    /// They speak well of it.
    pub positive: u32,
    /// They do both.
    pub mixed: u32,
    /// They speak badly of it.
    pub negative: u32,
    /// The share of the positive ones, with its interval.
    pub share: Option<&'a wire::Share>,
}

impl Bar {
    /// The bar of `votes`; none where too few judge.
    #[must_use]
    pub fn of(label: &str, votes: Votes<'_>) -> Option<Self> {
        let judged = votes.positive + votes.mixed + votes.negative;
        if judged < JUDGED_MIN {
            return None;
        }
        let mut from = 0.0;
        let mut parts = Vec::new();
        for (class, votes) in [("good", votes.positive), ("mixed", votes.mixed), ("bad", votes.negative)] {
            let width = f64::from(votes) * 100.0 / f64::from(judged);
            if votes > 0 {
                parts.push(Part { class, from: format!("{from:.2}"), width: format!("{width:.2}") });
            }
            from += width;
        }
        let whisker = votes.share.and_then(|share| {
            let [low, high] = share.ci95.as_slice() else { return None };
            Some((format!("{:.1}", low * 100.0), format!("{:.1}", high * 100.0)))
        });
        let words = format!("{label}: {}", figure(votes));
        Some(Self { words, parts, whisker })
    }
}

/// The figure in words, for example `81 % positive: 64 of 79 (71 to 88 %), 9 both, 6 negative`.
#[must_use]
pub fn figure(votes: Votes<'_>) -> String {
    let Votes { positive, mixed, negative, share } = votes;
    let judged = positive + mixed + negative;
    let of = |votes: u32| count(u64::from(votes));
    let rest = match (mixed, negative) {
        (0, 0) => "none negative".to_owned(),
        (0, _) => format!("{} negative", of(negative)),
        (_, 0) => format!("{} both", of(mixed)),
        _ => format!("{} both, {} negative", of(mixed), of(negative)),
    };
    match share.filter(|_| judged >= JUDGED_MIN) {
        Some(wire::Share { value, ci95, .. }) => {
            let [low, high] = ci95.as_slice() else {
                return format!("{} of {} positive, {rest}", of(positive), of(judged));
            };
            format!(
                "{} % positive: {} of {} ({} to {} %), {rest}",
                percent(*value),
                of(positive),
                of(judged),
                percent(*low),
                percent(*high)
            )
        }
        None if judged == 0 => "no review judges it".to_owned(),
        None => format!("{} of {} positive, {rest}", of(positive), of(judged)),
    }
}

/// One column of a chart.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its class in the stylesheet.
    pub class: &'static str,
    /// Its left side.
    pub x: usize,
    /// Its upper side.
    pub y: String,
    /// How high it is.
    pub height: String,
}

/// Months side by side: positive reviews upwards, negative ones downwards.
#[derive(Debug, Clone)]
pub struct Columns {
    /// How wide the chart is, in its own units.
    pub width: usize,
    /// Where up and down meet.
    pub axis: String,
    /// The columns.
    pub bars: Vec<Column>,
    /// The same in words.
    pub words: String,
}

impl Columns {
    /// The months of a trend; none where they show nothing.
    #[must_use]
    pub fn of(months: &[wire::Monthly]) -> Option<Self> {
        let up = months.iter().map(|month| month.positive).max()?;
        let down = months.iter().map(|month| month.negative).max()?;
        let (first, last) = (months.first()?, months.last()?);
        if up + down == 0 || months.len() < 3 {
            return None;
        }
        let unit = COLUMNS_HEIGHT / f64::from(up + down);
        let axis = f64::from(up) * unit;
        let mut bars = Vec::new();
        for (at, month) in months.iter().enumerate() {
            let x = at * COLUMN_STEP + 1;
            let (good, bad) = (f64::from(month.positive) * unit, f64::from(month.negative) * unit);
            if month.positive > 0 {
                bars.push(Column { class: "good", x, y: format!("{:.2}", axis - good), height: format!("{good:.2}") });
            }
            if month.negative > 0 {
                bars.push(Column { class: "bad", x, y: format!("{axis:.2}"), height: format!("{bad:.2}") });
            }
        }
        let sum = |of: fn(&wire::Monthly) -> u32| count(months.iter().map(|month| u64::from(of(month))).sum());
        let words = format!(
            "By month from {} to {}: {} positive, {} negative reviews, at most {up} and {down} in a month",
            first.month,
            last.month,
            sum(|month| month.positive),
            sum(|month| month.negative)
        );
        Some(Self { width: months.len() * COLUMN_STEP, axis: format!("{axis:.2}"), bars, words })
    }
}

/// Means by year as a line.
#[derive(Debug, Clone)]
pub struct Years {
    /// The path of the line in a box of 100 by 40, where 40 is one star and 0 is five.
    pub path: String,
    /// The same in words, newest first.
    pub words: String,
}

impl Years {
    /// The line through (year, reviews, sum of stars), oldest first; none where there are fewer than two years.
    #[must_use]
    pub fn of(years: &[(i32, u64, u64)]) -> Option<Self> {
        let last = years.len().checked_sub(1).filter(|last| *last > 0)?;
        let mean = |reviews: u64, stars: u64| (stars * 200 + reviews) / (reviews * 2);
        let mut path = String::new();
        for (at, (_, reviews, stars)) in years.iter().enumerate() {
            let x = at * 100 / last;
            // Hundredths of stars from 100 to 500, as tenths of units from 400 down to 0.
            let y = 500_u64.saturating_sub(mean(*reviews, *stars));
            // Writing into a String cannot fail.
            let _ = write!(path, "{}{x} {}.{}", if at == 0 { "M" } else { "L" }, y / 10, y % 10);
        }
        let words = years.iter().rev().map(|(year, reviews, stars)| {
            format!("{year}: {} from {}", super::words::hundredths(mean(*reviews, *stars)), count(*reviews))
        });
        Some(Self { path, words: words.collect::<Vec<_>>().join(" · ") })
    }
}

#[cfg(test)]
mod tests {
    use askama::Template;

    use super::{Bar, Columns, Votes, Years, figure};
    use crate::wire;

    #[test]
    fn a_bar_says_in_words_what_it_shows() {
        let share = wire::Share { value: 0.81, ci95: vec![0.71, 0.88], method: "wilson".into(), n: 79, unit: "review".into() };
        let votes = Votes { positive: 64, mixed: 9, negative: 6, share: Some(&share) };
        let svg = Bar::of("Price", votes).unwrap().render().unwrap();
        assert!(svg.contains("Price: 81 % positive: 64 of 79 (71 to 88 %), 9 both, 6 negative"), "{svg}");
        assert!(svg.contains("class=\"good\" x=\"0.00\" width=\"81.01\"") && svg.contains("M71.0 12.5H88.0"), "{svg}");
    }

    #[test]
    fn too_few_votes_are_told_and_not_drawn() {
        let votes = Votes { positive: 3, mixed: 0, negative: 1, share: None };
        assert!(Bar::of("Price", votes).is_none());
        assert_eq!(figure(votes), "3 of 4 positive, 1 negative");
    }

    #[test]
    fn columns_stand_on_one_axis_and_a_line_goes_through_its_means() {
        let month = |month: &str, positive, negative| wire::Monthly { month: month.into(), reviews: 9, positive, negative };
        let months = [month("2026-01", 4, 0), month("2026-02", 0, 2), month("2026-03", 2, 1)];
        let columns = Columns::of(&months).unwrap();
        assert_eq!((columns.axis.as_str(), columns.bars.len(), columns.width), ("40.00", 4, 30));
        let years = Years::of(&[(2025, 2, 10), (2026, 4, 18)]).unwrap();
        assert_eq!((years.path.as_str(), years.words.as_str()), ("M0 0.0L100 5.0", "2026: 4.50 from 4 · 2025: 5.00 from 2"));
        assert!(Years::of(&[(2026, 1, 5)]).is_none());
    }
}
