//! Charts as inline SVG: bars, columns, a line. Each has a text and a table with the same figures for screen readers.
//! Widths are attributes, because the pages' policy forbids inline styles.

use std::borrow::Cow;
use std::fmt::Write;

use askama::Template;

use super::frame::Site;
use super::locale::Locale;
use crate::model::RatingCounts;
use crate::wire;

// A bar of opinions with the interval of the positive share.

/// Minimum number of reviews with an opinion for a share and a bar.
pub const JUDGED_MIN: u32 = 5;

/// A bar of opinions; the whisker is the interval of the positive share.
#[derive(Template)]
#[template(path = "bar_fragment.html")]
pub struct BarFragment {
    words: Cow<'static, str>,
    /// Class in the stylesheet, distance from the left and width; these are percentages of the bar's width, like the
    /// whisker's ends.
    parts: Vec<(&'static str, f64, f64)>,
    whisker: Option<(f64, f64)>,
}

impl BarFragment {
    /// `None` if too few reviews have an opinion.
    pub fn of(label: &str, votes: &wire::Votes, locale: &Locale) -> Option<Self> {
        let judged = votes.judged_count;
        if judged < JUDGED_MIN {
            return None;
        }
        let mut from = 0.0;
        let mut parts = Vec::new();
        for (class, votes) in [
            ("good", votes.positive_count),
            ("mixed", votes.mixed_count),
            ("bad", votes.negative_count),
        ] {
            let width = f64::from(votes) * 100.0 / f64::from(judged);
            if votes > 0 {
                parts.push((class, from, width));
            }
            from += width;
        }
        let share = votes.positive_share.as_ref();
        let whisker = share.map(|share| (share.low * 100.0, share.high * 100.0));
        let figure = figure(votes, locale);
        let words = locale.message_with("bar", &[("name", label), ("figure", &figure)]);
        Some(Self {
            words,
            parts,
            whisker,
        })
    }
}

/// The votes in words, for example `81% positive: 64 of 79 (71% to 88%), 9 mixed, 6 negative`.
pub fn figure(votes: &wire::Votes, locale: &Locale) -> String {
    let judged = votes.judged_count;
    if judged == 0 {
        return locale.message("figure-none").into_owned();
    }
    let number = |votes: u32| locale.number(u64::from(votes));
    let [positive, of] = [votes.positive_count, judged].map(number);
    let figures = [("positive", &*positive), ("judged", &of)];
    // What is unclear may be a criticism.
    if votes.uncertain_count > 0 && votes.positive_count == judged {
        return locale
            .message_with("figure-positive", &figures)
            .into_owned();
    }
    let mut parts = vec![match votes
        .positive_share
        .as_ref()
        .filter(|_| judged >= JUDGED_MIN)
    {
        Some(wire::Share { value, low, high }) => {
            let [share, low, high] = [value, low, high].map(|one| locale.percent(*one));
            let texts = [
                ("percent", &*share),
                ("positive", &positive),
                ("judged", &of),
                ("low", &low),
                ("high", &high),
            ];
            locale.message_with("figure-share", &texts)
        }
        None => locale.message_with("figure-positive-of", &figures),
    }];
    if votes.mixed_count > 0 {
        parts.push(locale.counted("number-mixed", votes.mixed_count.into()));
    }
    if votes.negative_count > 0 {
        parts.push(locale.counted("number-negative", votes.negative_count.into()));
    }
    parts.join(", ")
}

// Means by year: a line, and below each point the year, its mean and its number of reviews.

/// The line with its table; the line's box is 100 by 40, where 40 is one star and 0 is five.
#[derive(Template)]
#[template(path = "years_fragment.html")]
pub struct YearsFragment<'a> {
    site: &'a Site<'a>,
    path: String,
    points: Vec<Point>,
}

struct Point {
    year: i32,
    /// In hundredths.
    mean: u64,
    reviews: u64,
    x: String,
    y: String,
}

impl<'a> YearsFragment<'a> {
    /// `years` are the ratings of years, oldest first; `None` for fewer than two.
    pub fn of(years: &[(i32, RatingCounts)], site: &'a Site<'a>) -> Option<Self> {
        if years.len() < 2 {
            return None;
        }
        let points = (0..).zip(years).filter_map(|(at, (year, rating_counts))| {
            let mean = rating_counts.mean_hundredths()?;
            // Hundredths from 100 to 500, as tenths of units from 400 down to 0.
            let y = 500_u64.saturating_sub(mean);
            // The middle of the year's column, in tenths.
            let x = (at * 2 + 1) * 500 / years.len();
            Some(Point {
                year: *year,
                mean,
                reviews: rating_counts.total(),
                x: format!("{}.{}", x / 10, x % 10),
                y: format!("{}.{}", y / 10, y % 10),
            })
        });
        let points: Vec<Point> = points.collect();
        let mut path = String::new();
        for (at, Point { x, y, .. }) in points.iter().enumerate() {
            // Writing into a String cannot fail.
            let _ = write!(path, "{}{x} {y}", if at == 0 { 'M' } else { 'L' });
        }
        Some(Self { site, path, points })
    }
}

// Trends: positive and negative reviews by month, as chart, text and table.

/// The height of the chart, in its own units.
const HEIGHT: f64 = 60.0;
/// The width per column, of which the column takes 8.
const STEP: usize = 10;
/// Minimum width of the chart, in months: with fewer months the gaps are larger, so that no column fills the page.
const MONTHS_MIN: usize = 12;
/// Maximum number of months: a longer span is not drawn, so that one wrong month does not produce a huge page.
const MONTHS_SHOWN: usize = 120;

/// Its table has the newest month first.
#[derive(Template)]
#[template(path = "trend_fragment.html")]
pub struct TrendFragment<'a> {
    locale: &'a Locale,
    chart: Option<Chart>,
    trend: &'a wire::VotesOverTime,
}

/// Months side by side, spaced by time: positive reviews upwards, negative ones downwards.
struct Chart {
    width: usize,
    /// The y coordinate of the axis.
    axis: f64,
    columns: Vec<Column>,
    words: Cow<'static, str>,
    first: Cow<'static, str>,
    last: Cow<'static, str>,
}

struct Column {
    class: &'static str,
    x: usize,
    y: f64,
    height: f64,
}

impl<'a> TrendFragment<'a> {
    pub fn new(trend: &'a wire::VotesOverTime, locale: &'a Locale) -> Self {
        Self {
            chart: Chart::of(&trend.monthly, locale),
            locale,
            trend,
        }
    }
}

impl Chart {
    /// `None` if the months have no positive or negative reviews.
    fn of(months: &[wire::VotesOfMonth], locale: &Locale) -> Option<Self> {
        let up = months.iter().map(|month| month.positive_count).max()?;
        let down = months.iter().map(|month| month.negative_count).max()?;
        let (first, last) = (months.first()?, months.last()?);
        let start = number(&first.month)?;
        let span = number(&last.month)?.checked_sub(start)? + 1;
        if up + down == 0 || months.len() < 3 || span > MONTHS_SHOWN {
            return None;
        }
        let width = span.max(MONTHS_MIN) * STEP;
        let unit = HEIGHT / f64::from(up + down);
        let axis = f64::from(up) * unit;
        let columns = months
            .iter()
            .filter_map(|month| Some((number(&month.month)?.checked_sub(start)?, month)));
        let columns = columns.flat_map(|(at, month)| {
            // The first month is at the left end and the last one at the right, like their labels.
            let x = at * (width - STEP) / (span - 1).max(1) + 1;
            let column = |class, reviews: u32, is_up: bool| {
                let height = f64::from(reviews) * unit;
                (reviews > 0).then_some(Column {
                    class,
                    x,
                    y: if is_up { axis - height } else { axis },
                    height,
                })
            };
            [
                column("good", month.positive_count, true),
                column("bad", month.negative_count, false),
            ]
        });
        let sum = |of: fn(&wire::VotesOfMonth) -> u32| {
            locale.number(months.iter().map(|month| u64::from(of(month))).sum())
        };
        let [from, to] = [first, last].map(|one| locale.month(&one.month));
        let texts = [
            ("from", &*from),
            ("to", &to),
            ("positive", &sum(|month| month.positive_count)),
            ("negative", &sum(|month| month.negative_count)),
            ("up", &locale.number(u64::from(up))),
            ("down", &locale.number(u64::from(down))),
        ];
        Some(Self {
            width,
            axis,
            columns: columns.flatten().collect(),
            words: locale.message_with("months-described", &texts),
            first: from,
            last: to,
        })
    }
}

/// The months since year 0 of `YYYY-MM`.
fn number(month: &str) -> Option<usize> {
    let (year, month) = month.split_once('-')?;
    let (year, month) = (year.parse::<usize>().ok()?, month.parse::<usize>().ok()?);
    Some(year * 12 + month)
}

fn trend_words(trend: wire::InsightTrend, locale: &Locale) -> Cow<'static, str> {
    locale.message(match trend {
        wire::InsightTrend::Improving => "trend-up",
        wire::InsightTrend::Declining => "trend-down",
        wire::InsightTrend::Steady => "trend-flat",
        wire::InsightTrend::TooFew => "trend-unknown",
    })
}
