//! `/`: the rating, insights and the newest reviews.

use std::borrow::Cow;
use std::cmp::Reverse;

use askama::Template;
use chrono::NaiveDate;
use roaring::RoaringBitmap;

use super::frame::{Frame, Site, render};
use super::insights::AspectRowFragment;
use super::locale::Locale;
use super::review::{ReviewFragment, newest_of};
use super::structured;
use super::words::{PartialStars, ReasonsFragment};
use crate::links::is_web;
use crate::model::business::ReviewLink;
use crate::snapshot::{Entries, Snapshot};
use crate::storage::reviews::Reasons;

/// Number of reviews on the page.
const NEWEST: usize = 20;
/// Number of reviews in the structured data.
const STRUCTURED: usize = 10;
/// Number of aspects on the page, those with the most reviews; then the number of further ones in a fold.
const ASPECTS: usize = 3;
const ASPECTS_FOLDED: usize = 8;
/// Maximum number of sources with a row of their own, those with the most reviews.
const SOURCES: usize = 50;

#[derive(Template)]
#[template(path = "home_page.html")]
struct HomePage<'a> {
    frame: Frame<'a>,
    rating: Option<RatingFigure>,
    /// How many reviews are verified, as a sentence, if any are.
    verified: Option<Cow<'static, str>>,
    sources: Vec<SourceRating<'a>>,
    review_links: Vec<&'a ReviewLink>,
    /// Reasons and numbers.
    withheld: &'a Reasons,
    aspects: Vec<AspectRowFragment<'a>>,
    folded: Vec<AspectRowFragment<'a>>,
    more: Cow<'static, str>,
    newest: Vec<String>,
    /// The number of reviews, if it is more than these.
    all: Option<u64>,
    structured: String,
}

pub struct RatingFigure {
    /// With two decimals.
    pub mean: String,
    /// The last star is filled in part.
    pub stars: PartialStars,
    pub from: Cow<'static, str>,
    pub count: u64,
    /// The years or days of the reviews, in words.
    pub period: Cow<'static, str>,
    /// Stars, number of reviews, and the length of the bar in percent of the longest one; five stars first.
    pub histogram: Vec<(u64, u64, u64)>,
}

struct SourceRating<'a> {
    name: &'a str,
    /// In hundredths.
    mean: u64,
    reviews: u64,
}

impl RatingFigure {
    /// `None` without reviews.
    pub fn of(entries: &Entries, locale: &Locale) -> Option<Self> {
        let rating_counts = entries.rating_counts();
        let mean = rating_counts.mean_hundredths()?;
        let oldest = entries.last()?.review.date.date();
        let by_stars = rating_counts.by_stars();
        let longest = by_stars.iter().copied().max().unwrap_or(1).max(1);
        let histogram = [1, 2, 3, 4, 5].into_iter().zip(by_stars).rev();
        let histogram = histogram.map(|(stars, reviews)| (stars, reviews, reviews * 100 / longest));
        Some(Self {
            mean: locale.hundredths(mean),
            stars: PartialStars::new(mean, locale),
            from: locale.counted("rating-from", rating_counts.total()),
            count: rating_counts.total(),
            period: period(oldest, newest_day(entries)?, locale),
            histogram: histogram.collect(),
        })
    }
}

pub fn newest_day(entries: &Entries) -> Option<NaiveDate> {
    Some(entries.first()?.review.date.date())
}

/// The first and the last day, in words.
pub fn period(first: NaiveDate, last: NaiveDate, locale: &Locale) -> Cow<'static, str> {
    let (from, to) = (locale.day(first), locale.day(last));
    if first == last {
        to
    } else {
        locale.message_with("period", &[("from", &*from), ("to", &*to)])
    }
}

/// The sources with the most reviews, each with its mean.
fn by_source(entries: &Entries) -> Vec<SourceRating<'_>> {
    let index = entries.index();
    let sources = index.sources.iter();
    let sources = sources.map(|(_, source)| (source.spellings[0].as_str(), &source.positions));
    let mut sources: Vec<(&str, &RoaringBitmap)> = sources.collect();
    sources.sort_by_key(|(name, positions)| (Reverse(positions.len()), *name));
    let rows = sources.into_iter().take(SOURCES);
    rows.filter_map(|(name, positions)| {
        let mean = index.rating_counts_of(positions).mean_hundredths()?;
        let reviews = positions.len();
        Some(SourceRating {
            name,
            mean,
            reviews,
        })
    })
    .collect()
}

/// The page of a business without a name.
#[derive(Template)]
#[template(path = "not_set_up_page.html")]
struct NotSetUpPage<'a> {
    frame: Frame<'a>,
}

pub fn show(snapshot: &Snapshot) -> String {
    let links = &snapshot.input.links;
    if !snapshot.input.business.is_set_up() {
        let site = Site::new(&snapshot.input.business, links);
        let frame = Frame::unlisted(site.reviews_heading(), &site);
        return render(&NotSetUpPage { frame });
    }
    let input = &snapshot.input;
    let (business, entries) = (&input.business, &input.entries);
    let site = Site::new(business, links);
    let locale = &site.locale;
    let reviews = newest_of(snapshot, NEWEST, 1);
    let rating_counts = entries.rating_counts();
    let mut judged: Vec<_> = (snapshot.insights.aspects.iter())
        .filter(|aspect| aspect.votes.judged_count > 0)
        .collect();
    judged.sort_by_key(|aspect| Reverse(aspect.votes.judged_count));
    let mut aspects: Vec<_> = (judged.into_iter())
        .filter_map(|aspect| AspectRowFragment::new(aspect, &snapshot.insights, &site))
        .take(ASPECTS + ASPECTS_FOLDED)
        .collect();
    let folded = aspects.split_off(aspects.len().min(ASPECTS));
    let review_links = business.review_links.iter();
    let named = [("business", business.name.as_str())];
    let template = HomePage {
        rating: RatingFigure::of(entries, locale),
        verified: number_verified(entries, locale),
        sources: by_source(entries),
        // Other programs may write any text to the database.
        review_links: review_links.filter(|link| is_web(&link.url)).collect(),
        withheld: &input.withheld,
        aspects,
        more: locale.counted("more-topics", folded.len() as u64),
        folded,
        all: Some(rating_counts.total()).filter(|_| entries.len() > reviews.len()),
        structured: structured::business(
            business,
            &rating_counts,
            &reviews[..reviews.len().min(STRUCTURED)],
            links,
        ),
        newest: ReviewFragment::list(reviews, &site),
        frame: Frame {
            title: locale.message_with("reviews-of", &named),
            description: Some(description(snapshot, locale)),
            canonical: Some(links.home()),
            site: site.clone(),
        },
    };
    render(&template)
}

/// The rating in a sentence or two.
pub fn description(snapshot: &Snapshot, locale: &Locale) -> Cow<'static, str> {
    let input = &snapshot.input;
    let rating_counts = input.entries.rating_counts();
    let name = &input.business.name;
    let Some(mean) = rating_counts.mean_hundredths() else {
        return locale.message_with("reviews-of", &[("business", name)]);
    };
    let texts = [("rating", &*locale.hundredths(mean)), ("business", name)];
    let summary = locale.counted_with("rating-summary", rating_counts.total(), &texts);
    match number_verified(&input.entries, locale) {
        Some(verified) => format!("{summary} {verified}").into(),
        None => summary,
    }
}

/// Says how many reviews a platform, a job or an invitation verified; `None` if that is none.
fn number_verified(entries: &Entries, locale: &Locale) -> Option<Cow<'static, str>> {
    let verified = entries.index().verified.len();
    (verified > 0).then(|| locale.counted("number-verified", verified))
}
