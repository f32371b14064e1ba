//! Votes in words, and as a bar in inline SVG, whose text has the same figures for screen readers. Widths are attributes, because
//! the pages' policy forbids inline styles.

use std::borrow::Cow;

use askama::Template;

use super::locale::Locale;
use crate::wire;

/// Minimum number of reviews with an opinion for a share and a bar.
pub const JUDGED_MIN: u32 = 5;

/// A bar of opinions.
#[derive(Template)]
#[template(path = "bar_fragment.html")]
pub struct BarFragment {
    words: Cow<'static, str>,
    /// Class in the stylesheet, distance from the left and width, both in percent of the bar's width.
    parts: Vec<(&'static str, f64, f64)>,
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
        let figure = figure(votes, locale);
        let words = locale.message_with("bar", &[("name", label), ("figure", &figure)]);
        Some(Self { words, parts })
    }
}

/// The votes in words, for example `81% positive: 64 of 79, 9 mixed, 6 negative, 3 uncertain`.
pub fn figure(votes: &wire::Votes, locale: &Locale) -> String {
    let judged = votes.judged_count;
    if judged == 0 {
        return locale.message("figure-none").into_owned();
    }
    let number = |votes: u32| locale.number(u64::from(votes));
    let [positive, of] = [votes.positive_count, judged].map(number);
    let figures = [("positive", &*positive), ("judged", &of)];
    let is_praise_alone = votes.positive_count == judged;
    let share = votes.positive_share.as_ref();
    let mut parts = vec![match share.filter(|_| judged >= JUDGED_MIN) {
        // What is unclear may be a criticism.
        _ if is_praise_alone && votes.uncertain_count > 0 => {
            locale.message_with("figure-positive", &figures)
        }
        Some(share) => {
            let percent = locale.percent(share.value);
            let [positive, judged] = figures;
            locale.message_with("figure-share", &[("percent", &*percent), positive, judged])
        }
        None => locale.message_with("figure-positive-of", &figures),
    }];
    for (id, reviews) in [
        ("number-mixed", votes.mixed_count),
        ("number-negative", votes.negative_count),
        ("number-uncertain", votes.uncertain_count),
    ] {
        if reviews > 0 {
            parts.push(locale.counted(id, reviews.into()));
        }
    }
    parts.join(", ")
}
