//! Means by year: a line, and below each of its points the year, its mean and of how many reviews.

use std::fmt::Write;

use askama::Template;

use crate::pages::words::{count, hundredths};

/// The line with its table; the line's box is 100 by 40, where 40 is one star and 0 is five.
#[derive(Debug, Clone, Template)]
#[template(path = "years_fragment.html")]
pub struct YearsFragment {
    path: String,
    points: Vec<Point>,
}

#[derive(Debug, Clone)]
struct Point {
    year: i32,
    mean: String,
    reviews: String,
    x: String,
    y: String,
}

impl YearsFragment {
    /// The line through (year, reviews, sum of stars), oldest first; none where there are fewer
    /// than two years.
    #[must_use]
    pub fn of(years: &[(i32, u64, u64)]) -> Option<Self> {
        if years.len() < 2 {
            return None;
        }
        let points = (0..).zip(years).map(|(at, (year, reviews, stars))| {
            // Hundredths of stars, rounded; whole numbers, so that no figure is a float's.
            let mean = (stars * 200 + reviews) / (reviews * 2).max(1);
            // Hundredths from 100 to 500, as tenths of units from 400 down to 0.
            let y = 500_u64.saturating_sub(mean);
            // The middle of the year's column, in tenths.
            let x = (at * 2 + 1) * 500 / years.len();
            Point {
                year: *year,
                mean: hundredths(mean),
                reviews: count(*reviews),
                x: format!("{}.{}", x / 10, x % 10),
                y: format!("{}.{}", y / 10, y % 10),
            }
        });
        let points: Vec<Point> = points.collect();
        let mut path = String::new();
        for (at, Point { x, y, .. }) in points.iter().enumerate() {
            // Writing into a String cannot fail.
            let _ = write!(path, "{}{x} {y}", if at == 0 { 'M' } else { 'L' });
        }
        Some(Self { path, points })
    }
}

#[cfg(test)]
mod tests {
    use super::YearsFragment;

    #[test]
    fn a_line_goes_through_its_means_above_their_years() {
        let years = YearsFragment::of(&[(2025, 2, 10), (2026, 4, 18)]).unwrap();
        let means: Vec<&str> = years
            .points
            .iter()
            .map(|point| point.mean.as_str())
            .collect();
        assert_eq!(
            (years.path.as_str(), means),
            ("M25.0 0.0L75.0 5.0", vec!["5.00", "4.50"])
        );
        assert!(YearsFragment::of(&[(2026, 1, 5)]).is_none());
    }
}
