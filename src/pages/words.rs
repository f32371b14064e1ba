//! Stars, lists of reasons, and folding of long texts.

use std::borrow::Cow;
use std::collections::BTreeMap;

use askama::Template;

use super::locale::Locale;

/// Stars with a label for screen readers.
#[derive(Debug, Clone, Template)]
#[template(path = "whole_stars_fragment.html")]
pub struct Stars {
    label: Cow<'static, str>,
    full: String,
    off: String,
}

impl Stars {
    /// `stars` of five.
    pub fn new(stars: u8, locale: &Locale) -> Self {
        let full = usize::from(stars.min(5));
        Self {
            label: locale.message_with("stars-of-5", &[("stars", &full.to_string())]),
            full: "★".repeat(full),
            off: "★".repeat(5 - full),
        }
    }
}

/// A mean as five stars, the last of them filled in part: 4.55 is four stars and 55% of the fifth one's width. An SVG,
/// because fonts differ in the width of stars.
#[derive(Debug, Clone, Template)]
#[template(path = "stars_fragment.html")]
pub struct PartialStars {
    label: Cow<'static, str>,
    /// The end of the coloured part, in percent of the width.
    end: String,
}

/// The star's width and distance in `stars_fragment.html`, in tenths.
const STAR_WIDTH: u64 = 180;
const STAR_STEP: u64 = 200;

impl PartialStars {
    /// `mean` is in hundredths.
    pub fn new(mean: u64, locale: &Locale) -> Self {
        let mean = mean.min(500);
        let end = mean / 100 * STAR_STEP + mean % 100 * STAR_WIDTH / 100;
        let width = 4 * STAR_STEP + STAR_WIDTH;
        // In tenths of a percent; the last star has no gap after it.
        let end = end.min(width) * 1_000 / width;
        Self {
            label: locale.message_with("stars-of-5", &[("stars", &locale.hundredths(mean))]),
            end: format!("{}.{}", end / 10, end % 10),
        }
    }
}

/// The most frequent reasons with their numbers of reviews, and the number of the others.
#[derive(Template)]
#[template(path = "reasons_fragment.html")]
pub struct ReasonsFragment<'a> {
    reasons: &'a BTreeMap<String, u64>,
    others: u64,
    locale: &'a Locale,
}

impl<'a> ReasonsFragment<'a> {
    /// `count` is the number of reviews with any reason.
    pub fn new(count: u64, reasons: &'a BTreeMap<String, u64>, locale: &'a Locale) -> Self {
        Self {
            reasons,
            others: count.saturating_sub(reasons.values().sum()),
            locale,
        }
    }
}

/// The first part of a long text, up to the end of a word, and the rest; `None` if the text is short.
pub fn fold(text: &str, most: usize) -> Option<(String, String)> {
    let mut rest = text.chars();
    rest.nth(most.checked_sub(1)?)?;
    let at = text.len() - rest.as_str().len();
    // A slightly longer text is shown whole, because folding would hide almost nothing.
    rest.nth(most / 4)?;
    let cut = text[..at].rfind(char::is_whitespace);
    let cut = cut.filter(|cut| *cut > at / 2).unwrap_or(at);
    Some((
        text[..cut].trim_end().to_owned(),
        text[cut..].trim_start().to_owned(),
    ))
}

/// The first part of a long text, with `…`; a short text as it is.
pub fn shortened(text: &str, most: usize) -> String {
    fold(text, most).map_or_else(|| text.to_owned(), |(start, _)| start + " …")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Locale, ReasonsFragment, fold};
    use crate::model::business::Business;
    use crate::model::{GONE, MAYBE_NOT_PUBLISHED, NOT_PUBLISHED, NOT_VERIFIED, WITHOUT_STARS};
    use crate::pages::frame::render;

    #[test]
    fn own_reasons_are_translated_and_an_owners_are_not() {
        let german = Business {
            language: Some("de".to_owned()),
            ..Business::default()
        };
        let own = [
            GONE,
            MAYBE_NOT_PUBLISHED,
            NOT_PUBLISHED,
            NOT_VERIFIED,
            WITHOUT_STARS,
        ];
        let all = own.into_iter().chain(["a family dispute"]);
        let reasons: BTreeMap<String, u64> = all.map(|reason| (reason.to_owned(), 1)).collect();
        let html = render(&ReasonsFragment::new(6, &reasons, &Locale::of(&german)));
        let kept = reasons.keys().filter(|reason| html.contains(*reason));
        assert_eq!(kept.collect::<Vec<_>>(), ["a family dispute"]);
    }

    #[test]
    fn a_long_text_is_folded_at_a_word_without_loss() {
        let text = "word ".repeat(100);
        let (start, rest) = fold(&text, 52).unwrap();
        assert!(start.ends_with("word") && start.chars().count() <= 52);
        assert_eq!(format!("{start} {rest}"), text);
        assert_eq!(fold(&"x".repeat(60), 52), None);
        // Without spaces it is cut between characters.
        assert_eq!(fold(&"é".repeat(100), 52).unwrap().0.chars().count(), 52);
    }
}
