//! How reviews speak of something, as one bar with the interval of the positive share.

use askama::Template;

use crate::pages::words::{count, percent};
use crate::wire;

/// Below so many reviews that judge, a share is no figure and no bar is drawn.
pub const JUDGED_MIN: u32 = 5;

/// A part of a bar, in percent of its width.
#[derive(Debug, Clone)]
pub struct Part {
    /// Its class in the stylesheet.
    pub class: &'static str,
    /// Where it begins, from the left, with two decimals.
    pub from: String,
    /// How wide it is.
    pub width: String,
}

/// How reviews speak of something, as one bar; the whisker is the interval of the positive share.
#[derive(Debug, Clone, Template)]
#[template(path = "bar_fragment.html")]
pub struct BarFragment {
    words: String,
    parts: Vec<Part>,
    whisker: Option<(String, String)>,
}

/// What the colours and the line of all bars mean.
#[derive(Debug, Clone, Copy, Template)]
#[template(path = "legend_fragment.html")]
pub struct LegendFragment;

/// Votes on something: reviews that judge it.
#[derive(Debug, Clone, Copy)]
pub struct Votes<'a> {
    /// They speak well of it.
    pub positive: u32,
    /// They speak well and badly of it.
    pub mixed: u32,
    /// They speak badly of it.
    pub negative: u32,
    /// The share of the positive ones, with its interval.
    pub share: Option<&'a wire::Share>,
}

impl BarFragment {
    /// The bar of `votes`; none where too few judge.
    #[must_use]
    pub fn of(label: &str, votes: Votes<'_>) -> Option<Self> {
        let judged = votes.positive + votes.mixed + votes.negative;
        if judged < JUDGED_MIN {
            return None;
        }
        let mut from = 0.0;
        let mut parts = Vec::new();
        for (class, votes) in [
            ("good", votes.positive),
            ("mixed", votes.mixed),
            ("bad", votes.negative),
        ] {
            let width = f64::from(votes) * 100.0 / f64::from(judged);
            if votes > 0 {
                parts.push(Part {
                    class,
                    from: format!("{from:.2}"),
                    width: format!("{width:.2}"),
                });
            }
            from += width;
        }
        let whisker = votes.share.and_then(|share| {
            let [low, high] = share.ci95.as_slice() else {
                return None;
            };
            Some((
                format!("{:.1}", low * 100.0),
                format!("{:.1}", high * 100.0),
            ))
        });
        let words = format!("{label}: {}", figure(votes));
        Some(Self {
            words,
            parts,
            whisker,
        })
    }
}

/// The figure in words, for example `81 % positive: 64 of 79 (71 to 88 %), 9 both, 6 negative`.
#[must_use]
pub fn figure(votes: Votes<'_>) -> String {
    let Votes {
        positive,
        mixed,
        negative,
        share,
    } = votes;
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

#[cfg(test)]
mod tests {
    use askama::Template;

    use super::{BarFragment, Votes, figure};
    use crate::wire;

    #[test]
    fn a_bar_says_in_words_what_it_shows() {
        let share = wire::Share {
            value: 0.81,
            ci95: vec![0.71, 0.88],
            n: 79,
        };
        let votes = Votes {
            positive: 64,
            mixed: 9,
            negative: 6,
            share: Some(&share),
        };
        let svg = BarFragment::of("Price", votes).unwrap().render().unwrap();
        assert!(
            svg.contains("Price: 81 % positive: 64 of 79 (71 to 88 %), 9 both, 6 negative"),
            "{svg}"
        );
        assert!(
            svg.contains("class=\"good\" x=\"0.00\" width=\"81.01\"")
                && svg.contains("M71.0 12.5H88.0"),
            "{svg}"
        );
    }

    #[test]
    fn too_few_votes_are_told_and_not_drawn() {
        let votes = Votes {
            positive: 3,
            mixed: 0,
            negative: 1,
            share: None,
        };
        assert!(BarFragment::of("Price", votes).is_none());
        assert_eq!(figure(votes), "3 of 4 positive, 1 negative");
    }
}
