//! An aspect in a list: a row on `/`, a section on `/insights`, and the figures at the top of its own page.

use std::borrow::Cow;

use askama::Template;

use crate::insights::hides_criticism;
use crate::pages::chart::{BarFragment, figure};
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
pub struct FiguresFragment {
    pub bar: Option<BarFragment>,
    figure: String,
    trend: Cow<'static, str>,
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

pub fn aspect_path(id: &str, site: &Site<'_>) -> String {
    format!("{}/insights?aspect={id}", site.root)
}

impl FiguresFragment {
    pub fn new(aspect: &wire::Aspect, locale: &Locale) -> Self {
        let mut words = figure(&aspect.votes, locale);
        if aspect.votes.neutral_count > 0 {
            words += "; ";
            words += &locale.counted("number-neutral", aspect.votes.neutral_count.into());
        }
        Self {
            bar: BarFragment::of(&locale.name(&aspect.label), &aspect.votes, locale),
            figure: words + ".",
            trend: match aspect.temporal.trend {
                wire::InsightTrend::Improving => locale.message("trend-up"),
                wire::InsightTrend::Declining => locale.message("trend-down"),
                wire::InsightTrend::Steady => locale.message("trend-flat"),
                wire::InsightTrend::TooFew => Cow::Borrowed(""),
            },
        }
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
