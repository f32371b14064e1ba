//! An aspect, a person, a service or a place in a list: a row on `/`, a section on `/insights`, and the figures at the
//! top of their own pages.

use std::borrow::Cow;

use askama::Template;

use crate::pages::chart::{BarFragment, TrendFragment, Votes, figure};
use crate::pages::frame::Site;
use crate::pages::locale::Locale;
use crate::wire;

#[derive(Template)]
#[template(path = "aspect_row_fragment.html")]
pub struct AspectRowFragment<'a> {
    aspect: &'a wire::Aspect,
    site: &'a Site<'a>,
    label: Cow<'a, str>,
    figure: Cow<'static, str>,
    bar: Option<BarFragment>,
}

#[derive(Template)]
#[template(path = "figures_fragment.html")]
pub struct FiguresFragment<'a> {
    pub bar: Option<BarFragment>,
    figure: String,
    trend: Option<TrendFragment<'a>>,
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
    let judged = votes.judged();
    if judged > 0 && judged < entity.reviews {
        let [named, judged] = [entity.reviews, judged].map(|count| locale.number(count.into()));
        let texts = [("named", named.as_str()), ("judged", &judged)];
        words += "; ";
        words += &locale.message_with("named-and-judged", &texts);
    }
    words
}

pub fn aspect_path(id: &str, site: &Site<'_>) -> String {
    format!("{}/insights?aspect={id}", site.root)
}

impl<'a> FiguresFragment<'a> {
    /// The figures of `name`: its votes in `words`, then the neutral reviews, the uncertain ones, and the uncertain ones
    /// of which the stars confirm a side.
    pub fn new(
        name: &str,
        votes: Votes<'_>,
        mut words: String,
        [neutral, uncertain]: [u32; 2],
        confirmed: wire::ConfirmedVotes,
        trend: Option<&'a wire::Trend>,
        locale: &'a Locale,
    ) -> Self {
        let confirmed = confirmed.positive + confirmed.negative;
        for (id, reviews) in [
            ("number-neutral", neutral),
            ("number-uncertain", uncertain.saturating_sub(confirmed)),
            ("number-confirmed", confirmed),
        ] {
            if reviews > 0 {
                words += "; ";
                words += &locale.counted(id, reviews.into());
            }
        }
        Self {
            bar: BarFragment::of(name, votes, locale),
            figure: words + ".",
            trend: trend.map(|trend| TrendFragment::new(trend, locale)),
        }
    }

    pub fn of_aspect(aspect: &'a wire::Aspect, locale: &'a Locale) -> Self {
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

    pub fn of_entity(entity: &'a wire::Entity, locale: &'a Locale) -> Self {
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

impl<'a> AspectRowFragment<'a> {
    /// `None` if too few reviews have an opinion on the aspect for a share.
    pub fn new(aspect: &'a wire::Aspect, site: &'a Site<'a>) -> Option<Self> {
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
            aspect,
            site,
            figure: locale.message_with("figure-positive-of", &texts),
            bar: BarFragment::of(&label, votes, locale),
            label,
        })
    }
}
