//! How an aspect, a person, a service or a place is shown among others: a row on `/` and
//! `/insights`, a chapter on `/insights`; and the figures that their own pages begin with.

use askama::Template;
use chrono::Datelike;

use crate::pages::chart::{BarFragment, TrendFragment, Votes, figure};
use crate::pages::frame::Site;
use crate::pages::words::{count, day};
use crate::wire;

/// An aspect in one row, with one sentence.
#[derive(Debug, Clone, Template)]
#[template(path = "aspect_row_fragment.html")]
pub struct AspectRowFragment {
    path: String,
    label: String,
    figure: String,
    bar: Option<BarFragment>,
    quote: Option<ShortQuote>,
}

/// An aspect with its figures, trend and sentences.
#[derive(Debug, Clone, Template)]
#[template(path = "aspect_fragment.html")]
pub struct AspectFragment {
    id: String,
    path: String,
    label: String,
    figures: FiguresFragment,
    quotes: Vec<ShownQuote>,
    mentions: String,
}

/// Bar, figure and trend of something.
#[derive(Debug, Clone, Template)]
#[template(path = "figures_fragment.html")]
pub struct FiguresFragment {
    bar: Option<BarFragment>,
    figure: String,
    trend: Option<TrendFragment>,
}

/// Words of a customer with where they stand.
#[derive(Debug, Clone)]
pub struct ShownQuote {
    /// The customer's words, a slice of the review's text.
    pub text: String,
    /// Where the review is.
    pub href: String,
    /// The review's stars, 1 to 5.
    pub stars: u8,
    /// The review's day, as `31 October 2026`.
    pub day: String,
}

/// The same in little room.
#[derive(Debug, Clone)]
pub struct ShortQuote {
    /// The customer's words, a slice of the review's text.
    pub text: String,
    /// Where the review is.
    pub href: String,
    /// The calendar year of the review.
    pub year: i32,
}

impl ShownQuote {
    /// A quote of the insights.
    #[must_use]
    pub fn new(quote: &wire::Quote, site: &Site) -> Self {
        Self {
            text: quote.text.clone(),
            href: site.review(&quote.review_id),
            stars: quote.stars,
            day: day(quote.date),
        }
    }
}

impl ShortQuote {
    /// A quote of the insights.
    #[must_use]
    pub fn new(quote: &wire::Quote, site: &Site) -> Self {
        Self {
            text: quote.text.clone(),
            href: site.review(&quote.review_id),
            year: quote.date.year(),
        }
    }
}

/// The votes on an aspect.
#[must_use]
pub const fn votes_of_aspect(aspect: &wire::Aspect) -> Votes<'_> {
    let wire::Aspect {
        positive,
        mixed,
        negative,
        positive_share,
        ..
    } = aspect;
    Votes {
        positive: *positive,
        mixed: *mixed,
        negative: *negative,
        share: positive_share.as_ref(),
    }
}

/// The votes on a person, a service or a place; none where too few name it.
#[must_use]
pub fn votes_of_entity(entity: &wire::Entity) -> Votes<'_> {
    Votes {
        positive: entity.positive.unwrap_or_default(),
        mixed: entity.mixed.unwrap_or_default(),
        negative: entity.negative.unwrap_or_default(),
        share: entity.positive_share.as_ref(),
    }
}

/// Where the sentences behind an aspect are.
#[must_use]
pub fn aspect_path(id: &str, site: &Site) -> String {
    format!("{}/insights?aspect={id}", site.root)
}

impl FiguresFragment {
    /// The figures of something that is called `label`; `rest` counts the votes that judge nothing.
    #[must_use]
    pub fn new(label: &str, votes: Votes<'_>, rest: [u32; 2], trend: Option<&wire::Trend>) -> Self {
        let rest = rest
            .into_iter()
            .zip(["neutral", "uncertain"])
            .filter(|(votes, _)| *votes > 0)
            .map(|(votes, words)| format!("; {} {words}", count(u64::from(votes))));
        Self {
            bar: BarFragment::of(label, votes),
            figure: figure(votes) + &rest.collect::<String>() + ".",
            trend: trend.map(TrendFragment::new),
        }
    }

    /// Those of an aspect.
    #[must_use]
    pub fn of_aspect(aspect: &wire::Aspect) -> Self {
        Self::new(
            &aspect.label,
            votes_of_aspect(aspect),
            [aspect.neutral, aspect.uncertain],
            Some(&aspect.trend),
        )
    }

    /// Those of a person, a service or a place.
    #[must_use]
    pub fn of_entity(entity: &wire::Entity) -> Self {
        let rest = [entity.neutral, entity.uncertain].map(Option::unwrap_or_default);
        Self::new(
            &entity.name,
            votes_of_entity(entity),
            rest,
            entity.trend.as_ref(),
        )
    }
}

impl AspectRowFragment {
    /// The row of `aspect`.
    #[must_use]
    pub fn new(aspect: &wire::Aspect, site: &Site) -> Self {
        let votes = votes_of_aspect(aspect);
        Self {
            path: aspect_path(&aspect.id, site),
            label: aspect.label.clone(),
            figure: figure(votes),
            bar: BarFragment::of(&aspect.label, votes),
            quote: aspect
                .quotes
                .first()
                .map(|quote| ShortQuote::new(quote, site)),
        }
    }
}

impl AspectFragment {
    /// The chapter of `aspect`.
    #[must_use]
    pub fn new(aspect: &wire::Aspect, site: &Site) -> Self {
        let quotes = aspect.quotes.iter();
        Self {
            id: format!("aspect-{}", aspect.id),
            path: aspect_path(&aspect.id, site),
            label: aspect.label.clone(),
            figures: FiguresFragment::of_aspect(aspect),
            quotes: quotes.map(|quote| ShownQuote::new(quote, site)).collect(),
            mentions: count(u64::from(aspect.mentions)),
        }
    }
}
