//! An aspect, a person, a service or a place in a list: a row on `/`, a section on `/insights`, and the figures at the
//! top of their own pages.

use std::borrow::Cow;

use askama::Template;
use chrono::Datelike;

use crate::pages::chart::{BarFragment, TrendFragment, Votes, figure};
use crate::pages::frame::Site;
use crate::pages::locale::Locale;
use crate::wire;

#[derive(Debug, Clone, Template)]
#[template(path = "aspect_row_fragment.html")]
pub struct AspectRowFragment {
    path: String,
    label: String,
    figure: Cow<'static, str>,
    bar: Option<BarFragment>,
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
    /// The label of the link to all sentences.
    all: Cow<'static, str>,
}

/// Bar, figure and trend.
#[derive(Debug, Clone, Template)]
#[template(path = "figures_fragment.html")]
pub struct FiguresFragment {
    bar: Option<BarFragment>,
    figure: String,
    trend: Option<TrendFragment>,
}

/// A customer's words with their source.
#[derive(Debug, Clone)]
pub struct ShownQuote {
    /// A slice of the review's text.
    pub text: String,
    pub href: String,
    /// 1 to 5.
    pub stars: u8,
    /// For example `31 October 2026`.
    pub day: Cow<'static, str>,
    pub year: i32,
    /// The language of the words, if it differs from the page's.
    pub lang: Option<String>,
}

impl ShownQuote {
    pub fn new(quote: &wire::Quote, site: &Site) -> Self {
        // A quote without a language is English.
        let language = quote.language.as_deref().unwrap_or("en");
        Self {
            text: quote.text.clone(),
            href: site.review(&quote.review_id),
            stars: quote.stars,
            day: site.locale.day(quote.date),
            year: quote.date.year(),
            lang: (language != site.locale.tag()).then(|| language.to_owned()),
        }
    }
}

pub const fn votes_of_aspect(aspect: &wire::Aspect) -> Votes<'_> {
    Votes {
        positive: aspect.positive,
        mixed: aspect.mixed,
        negative: aspect.negative,
        share: aspect.positive_share.as_ref(),
    }
}

/// No votes if too few reviews mention the entity.
pub fn votes_of_entity(entity: &wire::Entity) -> Votes<'_> {
    Votes {
        positive: entity.positive.unwrap_or_default(),
        mixed: entity.mixed.unwrap_or_default(),
        negative: entity.negative.unwrap_or_default(),
        share: entity.positive_share.as_ref(),
    }
}

/// The votes in words, with the number of mentioning reviews that have an opinion unless all do.
pub fn figure_of_entity(entity: &wire::Entity, locale: &Locale) -> String {
    let votes = votes_of_entity(entity);
    let mut words = figure(votes, locale);
    let judged = votes.positive + votes.mixed + votes.negative;
    if judged > 0 && judged < entity.reviews {
        let [named, judged] = [entity.reviews, judged].map(|count| locale.number(count.into()));
        let texts = [("named", named.as_str()), ("judged", &judged)];
        words += "; ";
        words += &locale.message_with("named-and-judged", &texts);
    }
    words
}

/// The path of the sentences behind an aspect.
pub fn aspect_path(id: &str, site: &Site) -> String {
    format!("{}/insights?aspect={id}", site.root)
}

impl FiguresFragment {
    /// The figures of `name`: its votes in `words`, then the neutral and uncertain reviews, and the number of reviews
    /// with an opinion that their stars confirmed.
    pub fn new(
        name: &str,
        votes: Votes<'_>,
        mut words: String,
        [neutral, uncertain]: [u32; 2],
        confirmed: wire::ConfirmedVotes,
        trend: Option<&wire::Trend>,
        locale: &Locale,
    ) -> Self {
        for (id, reviews) in [
            ("number-neutral", neutral),
            ("number-uncertain", uncertain),
            ("number-confirmed", confirmed.positive + confirmed.negative),
        ] {
            if reviews > 0 {
                let number = locale.number(u64::from(reviews));
                words += "; ";
                words += &locale.message_with(id, &[("number", &number)]);
            }
        }
        Self {
            bar: BarFragment::of(name, votes, locale),
            figure: words + ".",
            trend: trend.map(|trend| TrendFragment::new(trend, locale)),
        }
    }

    pub fn of_aspect(aspect: &wire::Aspect, locale: &Locale) -> Self {
        Self::new(
            &locale.name(&aspect.label),
            votes_of_aspect(aspect),
            figure(votes_of_aspect(aspect), locale),
            [aspect.neutral, aspect.uncertain],
            aspect.confirmed,
            Some(&aspect.trend),
            locale,
        )
    }

    pub fn of_entity(entity: &wire::Entity, locale: &Locale) -> Self {
        let rest = [entity.neutral, entity.uncertain].map(Option::unwrap_or_default);
        Self::new(
            &entity.name,
            votes_of_entity(entity),
            figure_of_entity(entity, locale),
            rest,
            entity.confirmed.unwrap_or([0, 0].into()),
            entity.trend.as_ref(),
            locale,
        )
    }
}

impl AspectRowFragment {
    /// `None` if too few reviews have an opinion on the aspect for a share.
    pub fn new(aspect: &wire::Aspect, site: &Site) -> Option<Self> {
        let locale = &site.locale;
        // Only the insights page shows the interval.
        let votes = Votes {
            share: None,
            ..votes_of_aspect(aspect)
        };
        let share = aspect.positive_share.as_ref()?;
        let label = locale.name(&aspect.label);
        let [positive, judged] =
            [aspect.positive, share.n].map(|votes| locale.number(u64::from(votes)));
        let texts = [("positive", positive.as_str()), ("judged", &judged)];
        Some(Self {
            path: aspect_path(&aspect.id, site),
            figure: locale.message_with("figure-positive-of", &texts),
            bar: BarFragment::of(&label, votes, locale),
            label: label.into_owned(),
        })
    }
}

impl AspectFragment {
    pub fn new(aspect: &wire::Aspect, site: &Site) -> Self {
        let (quotes, locale) = (aspect.quotes.iter(), &site.locale);
        let label = locale.name(&aspect.label);
        let topic = locale.within(&label);
        Self {
            id: format!("aspect-{}", aspect.id),
            path: aspect_path(&aspect.id, site),
            figures: FiguresFragment::of_aspect(aspect, locale),
            quotes: quotes.map(|quote| ShownQuote::new(quote, site)).collect(),
            all: locale.counted_with(
                "all-sentences-about",
                u64::from(aspect.mentions),
                &[("topic", &topic)],
            ),
            label: label.into_owned(),
        }
    }
}
