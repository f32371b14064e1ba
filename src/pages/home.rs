//! `/`: how good they are, what customers say, the newest reviews, and where the data is.

use std::collections::BTreeMap;

use askama::Template;
use chrono::NaiveDate;

use super::chart::{LegendFragment, YearsFragment};
use super::form::{Choices, SearchFormFragment};
use super::frame::{Frame, Site};
use super::insights::rows::AspectRowFragment;
use super::locale::Locale;
use super::review::{ReviewFragment, newest_of};
use super::structured;
use super::words::{Stars, count, counted, day, hundredths};
use crate::links::{HUB_PATH, Links, MCP_PATH};
use crate::snapshot::{ReviewIndex, Snapshot};

/// How many reviews the page shows.
const NEWEST: usize = 20;
/// How many of them search engines are told of.
const STRUCTURED: usize = 10;
/// How many aspects the page shows, those that most reviews judge.
const ASPECTS: usize = 8;
/// How many years the line of means goes back.
const YEARS: usize = 10;

#[derive(Template)]
#[template(path = "home_page.html")]
struct HomePage {
    frame: Frame,
    about: Option<String>,
    rating: Option<RatingFigure>,
    withheld: BTreeMap<String, u64>,
    withheld_count: String,
    aspects: Vec<AspectRowFragment>,
    legend: LegendFragment,
    form: SearchFormFragment,
    newest: Vec<ReviewFragment>,
    has_more: bool,
    embed_snippet: String,
    badge_snippet: String,
    shown: Vec<(&'static str, &'static str)>,
    mcp_url: String,
    hub_url: String,
    structured: String,
}

/// The figure that most people come for.
pub struct RatingFigure {
    /// The mean, two decimals.
    pub mean: String,
    /// The mean as stars, rounded.
    pub stars: Stars,
    /// Of how many reviews.
    pub count: String,
    /// From when to when they are.
    pub period: String,
    /// How many have how many stars, five first.
    pub histogram: Vec<Bin>,
    /// The mean by year; none where there are fewer than two years.
    pub years: Option<YearsFragment>,
}

/// One row of the histogram.
pub struct Bin {
    /// The number of stars, 1 to 5.
    pub stars: u8,
    /// How many reviews have them.
    pub count: String,
    /// How long its bar is, in percent of the longest one.
    pub percent: String,
}

impl RatingFigure {
    /// The rating of these reviews; none where there are none.
    #[must_use]
    pub fn of(review_index: &ReviewIndex, locale: &Locale) -> Option<Self> {
        let rating_counts = review_index.rating_counts();
        let mean = rating_counts.mean_hundredths()?;
        let by_stars = rating_counts.by_stars();
        let longest = by_stars.iter().copied().max().unwrap_or(1).max(1);
        let histogram = (1..=5).zip(by_stars).rev().map(|(stars, reviews)| Bin {
            stars,
            count: count(reviews),
            // Tenths of a percent; whole numbers, so that no figure of a page is a float's.
            percent: format!(
                "{}.{}",
                reviews * 100 / longest,
                reviews * 1_000 / longest % 10
            ),
        });
        let rounded = u8::try_from((mean + 50) / 100).unwrap_or(5);
        Some(Self {
            mean: hundredths(mean),
            stars: Stars::new(rounded, locale),
            count: count(rating_counts.total()),
            period: period(review_index),
            histogram: histogram.collect(),
            years: YearsFragment::of(&by_year(review_index)),
        })
    }
}

fn day_at(review_index: &ReviewIndex, position: usize) -> Option<NaiveDate> {
    let (block, index) = review_index.locate(position)?;
    NaiveDate::from_num_days_from_ce_opt(review_index.segments()[block].days()[index])
}

/// The day of the newest review.
#[must_use]
pub fn newest_day(review_index: &ReviewIndex) -> Option<NaiveDate> {
    day_at(review_index, 0)
}

fn period(review_index: &ReviewIndex) -> String {
    let last = review_index.len().checked_sub(1);
    let oldest = last.and_then(|last| day_at(review_index, last));
    match (newest_day(review_index), oldest) {
        (Some(newest), Some(oldest)) if newest != oldest => {
            format!("From {} to {}", day(oldest), day(newest))
        }
        (Some(only), _) => day(only),
        (None, _) => String::new(),
    }
}

/// The newest years with how many reviews and stars each has, oldest first.
fn by_year(review_index: &ReviewIndex) -> Vec<(i32, u64, u64)> {
    let counted = review_index.years().take(YEARS).map(|(year, positions)| {
        let reviews = positions.len() as u64;
        let stars = review_index
            .slices(positions)
            .flat_map(|(block, range)| &block.stars()[range]);
        (year, reviews, stars.map(|stars| u64::from(*stars)).sum())
    });
    let mut years: Vec<_> = counted.collect();
    years.reverse();
    years
}

/// The page at the root.
#[must_use]
pub fn show(
    snapshot: &Snapshot,
    choices: &Choices,
    links: &Links,
    shown: &[(&'static str, &'static str)],
) -> String {
    let input = &snapshot.input;
    let (business, review_index) = (&input.business, &input.review_index);
    let site = Site::new(business, links);
    let reviews = newest_of(snapshot, NEWEST, 1);
    let rating_counts = review_index.rating_counts();
    let mut judged: Vec<_> = (snapshot.insights.aspects.iter())
        .filter(|aspect| aspect.positive_share.is_some())
        .collect();
    judged.sort_by_key(|aspect| {
        std::cmp::Reverse(aspect.positive_share.as_ref().map_or(0, |share| share.n))
    });
    let template = HomePage {
        about: business.description.clone(),
        rating: RatingFigure::of(review_index, &site.locale),
        withheld_count: counted(input.withheld.values().sum(), "review", "reviews"),
        withheld: input.withheld.clone(),
        aspects: judged
            .into_iter()
            .take(ASPECTS)
            .map(|aspect| AspectRowFragment::new(aspect, &site))
            .collect(),
        legend: LegendFragment,
        form: SearchFormFragment::empty(choices, &site),
        has_more: review_index.len() > reviews.len(),
        embed_snippet: format!(
            "<iframe src=\"{}\" title=\"Reviews of {}\" width=\"100%\" height=\"480\" loading=\"lazy\" style=\"border:0\"></iframe>",
            links.absolute("/embed"),
            attribute(&business.name)
        ),
        badge_snippet: format!(
            "<a href=\"{}\"><img src=\"{}\" alt=\"Reviews of {}\" height=\"36\"></a>",
            links.home(),
            links.absolute("/badge.svg"),
            attribute(&business.name)
        ),
        shown: shown.to_vec(),
        mcp_url: links.absolute(MCP_PATH),
        hub_url: links.absolute(HUB_PATH),
        structured: structured::business(
            business,
            &rating_counts,
            &reviews[..reviews.len().min(STRUCTURED)],
            links,
        ),
        newest: reviews
            .into_iter()
            .map(|review| ReviewFragment::in_list(review, business, &site))
            .collect(),
        frame: Frame {
            title: format!("Reviews of {}", business.name),
            description: Some(described(snapshot)),
            canonical: Some(links.home()),
            is_hidden_from_search: false,
            site,
        },
    };
    super::rendered(&template)
}

fn described(snapshot: &Snapshot) -> String {
    let input = &snapshot.input;
    let rating_counts = input.review_index.rating_counts();
    let name = &input.business.name;
    rating_counts.mean_hundredths().map_or_else(
        || format!("Verified reviews of {name}."),
        |mean| {
            format!(
                "{} of 5 stars from {} verified reviews of {name}.",
                hundredths(mean),
                count(rating_counts.total())
            )
        },
    )
}

/// Text inside an attribute of a snippet that people copy; the page escapes the whole snippet once
/// more.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
}
