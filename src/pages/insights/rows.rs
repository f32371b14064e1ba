//! An aspect, a person, a service or a place in a list: a row on `/`, a section on `/insights`, and the figures at the
//! top of their own pages.

use std::borrow::Cow;

use askama::Template;

use crate::insights::hides_criticism;
use crate::pages::chart::{BarFragment, TrendFragment, figure};
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

/// An aspect is in a list if this number of reviews has an opinion on it.
const LISTED_MIN: u32 = 3;
/// The uncertain reviews are shown if there is one of them for this many with an opinion.
const UNCERTAIN_PART: u32 = 5;

/// `9 of 10 positive`, with the uncertain reviews if they are many; `9 positive, 1 uncertain` if no review is negative or mixed:
/// what is uncertain may be a criticism.
pub fn short_figure(votes: &wire::Votes, locale: &Locale) -> Cow<'static, str> {
    let counts = [votes.positive_count, votes.judged_count];
    let [positive, judged] = counts.map(|votes| locale.number(votes.into()));
    let texts = [("positive", positive.as_str()), ("judged", &judged)];
    let is_praise_alone = votes.positive_count == votes.judged_count;
    let is_listed = is_praise_alone && votes.uncertain_count > 0
        || votes.uncertain_count * UNCERTAIN_PART >= votes.judged_count.max(1);
    if !is_listed {
        return locale.message_with("figure-positive-of", &texts);
    }
    let id = if is_praise_alone {
        "figure-positive"
    } else {
        "figure-positive-of"
    };
    let positive = locale.message_with(id, &texts);
    let uncertain = locale.counted("number-uncertain", votes.uncertain_count.into());
    Cow::Owned([&*positive, ", ", &*uncertain].concat())
}

/// The votes in words, with the uncertain ones.
pub fn figure_with_uncertain(votes: &wire::Votes, locale: &Locale) -> String {
    let mut words = figure(votes, locale);
    if votes.uncertain_count > 0 {
        words += ", ";
        words += &locale.counted("number-uncertain", votes.uncertain_count.into());
    }
    words
}

/// The votes in words, with the number of mentioning reviews that have an opinion unless all do.
fn figure_of_entity(votes: &wire::Votes, locale: &Locale) -> String {
    let mut words = figure(votes, locale);
    if votes.judged_count > 0 && votes.judged_count < votes.mention_count {
        let counts = [votes.mention_count, votes.judged_count];
        let [named, judged] = counts.map(|count| locale.number(count.into()));
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
    /// The figures of `name`: its votes in `words`, then the neutral reviews and the uncertain ones; without `trend` no months.
    fn new(
        name: &str,
        votes: &wire::Votes,
        mut words: String,
        trend: Option<&'a wire::VotesOverTime>,
        locale: &'a Locale,
    ) -> Self {
        for (id, reviews) in [
            ("number-neutral", votes.neutral_count),
            ("number-uncertain", votes.uncertain_count),
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

    pub fn of_aspect(
        aspect: &'a wire::Aspect,
        trend: Option<&'a wire::VotesOverTime>,
        locale: &'a Locale,
    ) -> Self {
        let words = figure(&aspect.votes, locale);
        Self::new(
            &locale.name(&aspect.label),
            &aspect.votes,
            words,
            trend,
            locale,
        )
    }

    pub fn of_entity(entity: &'a wire::Entity, locale: &'a Locale) -> Self {
        let words = figure_of_entity(&entity.votes, locale);
        let trend = Some(&entity.temporal);
        Self::new(&entity.name, &entity.votes, words, trend, locale)
    }
}

impl<'a> AspectRowFragment<'a> {
    /// `None` if few reviews have an opinion on the aspect, or more are uncertain, or criticism was not heard.
    pub fn new(
        aspect: &'a wire::Aspect,
        insights: &wire::Insights,
        site: &'a Site<'a>,
    ) -> Option<Self> {
        let locale = &site.locale;
        // Only the insights page shows the interval.
        let votes = wire::Votes {
            positive_share: None,
            ..aspect.votes.clone()
        };
        let judged = aspect.votes.judged_count;
        let (whole, low_rated) = (&insights.overall_sentiment, insights.method.low_rated);
        if judged < LISTED_MIN
            || aspect.votes.uncertain_count > judged
            || hides_criticism(&aspect.votes, whole, low_rated)
        {
            return None;
        }
        let label = locale.name(&aspect.label);
        Some(Self {
            aspect,
            site,
            figure: short_figure(&aspect.votes, locale),
            bar: BarFragment::of(&label, &votes, locale),
            label,
        })
    }
}
