//! How an aspect is shown: as a row on `/`, as a chapter on `/insights`.

use askama::Template;
use chrono::Datelike;

use super::chart::{Bar, Columns, Votes, figure};
use super::frame::Site;
use super::words::{count, day};
use crate::wire;

/// An aspect in one row, with one sentence.
#[derive(Debug, Clone, Template)]
#[template(path = "aspect_row.html")]
pub struct AspectRow {
    path: String,
    label: String,
    figure: String,
    bar: String,
    quote: Option<(String, i32, String)>,
}

/// An aspect with its figures, trend and sentences.
#[derive(Debug, Clone, Template)]
#[template(path = "aspect.html")]
pub struct Aspect {
    id: String,
    path: String,
    label: String,
    bar: String,
    figure: String,
    columns: Option<Columns>,
    trend: String,
    quotes: Vec<Said>,
    mentions: String,
}

/// Words of a customer with where they stand.
#[derive(Debug, Clone)]
pub struct Said {
    /// The words.
    pub text: String,
    /// Where the review is.
    pub href: String,
    /// Its stars.
    pub stars: u8,
    /// Its day.
    pub day: String,
}

const fn votes(aspect: &wire::Aspect) -> Votes<'_> {
    let wire::Aspect { positive, mixed, negative, positive_share, .. } = aspect;
    Votes { positive: *positive, mixed: *mixed, negative: *negative, share: positive_share.as_ref() }
}

/// Where the sentences behind an aspect are.
#[must_use]
pub fn path(id: &str, site: &Site) -> String {
    format!("{}/insights?aspect={id}", site.root)
}

impl AspectRow {
    /// The row of `aspect`.
    #[must_use]
    pub fn new(aspect: &wire::Aspect, site: &Site) -> Self {
        let quote = aspect.quotes.first();
        Self {
            path: path(&aspect.id, site),
            label: aspect.label.clone(),
            figure: figure(votes(aspect)),
            bar: Bar::of(&aspect.label, votes(aspect)).map(|bar| super::rendered(&bar)).unwrap_or_default(),
            quote: quote.map(|quote| (quote.text.clone(), quote.date.year(), site.review(&quote.review_id))),
        }
    }
}

impl Aspect {
    /// The chapter of `aspect`.
    #[must_use]
    pub fn new(aspect: &wire::Aspect, site: &Site) -> Self {
        let quote = |quote: &wire::Quote| Said {
            text: quote.text.clone(),
            href: site.review(&quote.review_id),
            stars: quote.stars,
            day: day(quote.date),
        };
        let rest = [(aspect.neutral, "state a fact"), (aspect.uncertain, "are too close to call")];
        let rest = rest.into_iter().filter(|(votes, _)| *votes > 0).map(|(votes, words)| format!("; {votes} {words}"));
        Self {
            id: format!("aspect-{}", aspect.id),
            path: path(&aspect.id, site),
            label: aspect.label.clone(),
            bar: Bar::of(&aspect.label, votes(aspect)).map(|bar| super::rendered(&bar)).unwrap_or_default(),
            figure: figure(votes(aspect)) + &rest.collect::<String>() + ".",
            columns: Columns::of(&aspect.trend.months),
            trend: trend(&aspect.trend),
            quotes: aspect.quotes.iter().map(quote).collect(),
            mentions: count(u64::from(aspect.mentions)),
        }
    }
}

/// A trend in words, with what it rests on.
#[must_use]
pub fn trend(trend: &wire::Trend) -> String {
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
                recent.positive, recent.judged, recent.from, recent.to, previous.positive, previous.judged
            )
        }
        None => format!("{direction}."),
    }
}
