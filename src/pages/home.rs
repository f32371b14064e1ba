//! `/`: how good they are, what customers say, the newest reviews, and where the data is.

use std::collections::BTreeMap;

use askama::Template;
use chrono::{Datelike, NaiveDate};

use super::aspect::AspectRow;
use super::chart::{Legend, Years};
use super::form::Form;
use super::frame::{Frame, Site};
use super::review::{Item, newest};
use super::structured;
use super::words::{Stars, count, counted, day, hundredths};
use crate::edition::{Edition, Shelf};
use crate::links::{HUB_PATH, Links, MCP_PATH};
use crate::reviews::Day;
use crate::wire;

/// How many reviews the page shows.
const NEWEST: usize = 20;
/// How many of them search engines are told of.
const STRUCTURED: usize = 10;
/// How many aspects the page shows, those that most reviews judge.
const ASPECTS: usize = 8;
/// How many years the line of means goes back.
const YEARS: usize = 10;

#[derive(Template)]
#[template(path = "home.html")]
struct Home {
    frame: Frame,
    about: Option<String>,
    rating: Option<Rating>,
    withheld: BTreeMap<String, u64>,
    withheld_count: String,
    aspects: Vec<AspectRow>,
    legend: Legend,
    form: Form,
    newest: Vec<Item>,
    has_more: bool,
    embed_snippet: String,
    badge_snippet: String,
    shown: Vec<(&'static str, &'static str)>,
    mcp_url: String,
    hub_url: String,
    structured: String,
}

/// The figure that most people come for.
pub struct Rating {
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
    pub years: Option<Years>,
}

/// One row of the histogram.
pub struct Bin {
    /// Stars.
    pub stars: u8,
    /// How many reviews have them.
    pub count: String,
    /// How long its bar is, in percent of the longest one.
    pub percent: String,
}

impl Rating {
    /// The rating of these reviews; none where there are none.
    #[must_use]
    pub fn of(shelf: &Shelf) -> Option<Self> {
        let tally = shelf.tally();
        let mean = tally.mean_hundredths()?;
        let by_stars = tally.by_stars();
        let longest = by_stars.iter().copied().max().unwrap_or(1).max(1);
        let histogram = (1..=5).zip(by_stars).rev().map(|(stars, reviews)| Bin {
            stars,
            count: count(reviews),
            // Tenths of a percent; whole numbers, so that no figure of a page is a float's.
            percent: format!("{}.{}", reviews * 100 / longest, reviews * 1_000 / longest % 10),
        });
        let rounded = u8::try_from((mean + 50) / 100).unwrap_or(5);
        Some(Self {
            mean: hundredths(mean),
            stars: Stars(rounded),
            count: count(tally.total()),
            period: period(shelf),
            histogram: histogram.collect(),
            years: Years::of(&by_year(shelf)),
        })
    }
}

fn period(shelf: &Shelf) -> String {
    let day_at = |position: usize| {
        let (block, index) = shelf.locate(position)?;
        NaiveDate::from_num_days_from_ce_opt(shelf.blocks()[block].days()[index])
    };
    match (day_at(0), shelf.len().checked_sub(1).and_then(day_at)) {
        (Some(newest), Some(oldest)) if newest != oldest => format!("From {} to {}", day(oldest), day(newest)),
        (Some(only), _) => day(only),
        (None, _) => String::new(),
    }
}

/// The newest years with how many reviews and stars each has, oldest first. In the order of the reviews a year is a slice.
fn by_year(shelf: &Shelf) -> Vec<(i32, u64, u64)> {
    let (mut years, mut position) = (Vec::new(), 0);
    while let Some((block, index)) = shelf.locate(position).filter(|_| years.len() < YEARS) {
        let date = NaiveDate::from_num_days_from_ce_opt(shelf.blocks()[block].days()[index]).unwrap_or_default();
        let first = NaiveDate::from_ymd_opt(date.year(), 1, 1).and_then(Day::new).unwrap_or(Day::MIN);
        // At least the review itself, so that this ends whatever the columns say.
        let end = shelf.count_since(first).max(position + 1);
        let stars = shelf.slices(position..end).flat_map(|(block, range)| &block.stars()[range]);
        years.push((date.year(), (end - position) as u64, stars.map(|stars| u64::from(*stars)).sum()));
        position = end;
    }
    years.reverse();
    years
}

/// The page at the root.
#[must_use]
pub fn show(edition: &Edition, insights: &wire::Insights, links: &Links, shown: &[(&'static str, &'static str)]) -> String {
    let copy = &edition.copy;
    let (business, shelf) = (&copy.business, &copy.shelf);
    let site = Site::new(business, links);
    let reviews = newest(edition, NEWEST, |_| true);
    let tally = shelf.tally();
    let mut judged: Vec<_> = insights.aspects.iter().filter(|aspect| aspect.positive_share.is_some()).collect();
    judged.sort_by_key(|aspect| std::cmp::Reverse(aspect.positive_share.as_ref().map_or(0, |share| share.n)));
    let template = Home {
        about: business.description.clone(),
        rating: Rating::of(shelf),
        withheld_count: counted(copy.withheld.values().sum(), "review", "reviews"),
        withheld: copy.withheld.clone(),
        aspects: judged.into_iter().take(ASPECTS).map(|aspect| AspectRow::new(aspect, &site)).collect(),
        legend: Legend,
        form: Form::empty(business, &site),
        has_more: shelf.len() > reviews.len(),
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
        structured: structured::business(business, &tally, &reviews[..reviews.len().min(STRUCTURED)], links),
        newest: reviews.into_iter().map(|review| Item::in_list(review, business, &site)).collect(),
        frame: Frame {
            title: format!("Reviews of {}", business.name),
            description: Some(described(edition)),
            canonical: Some(links.home()),
            is_hidden_from_search: false,
            site,
        },
    };
    super::rendered(&template)
}

fn described(edition: &Edition) -> String {
    let copy = &edition.copy;
    let tally = copy.shelf.tally();
    let name = &copy.business.name;
    tally.mean_hundredths().map_or_else(
        || format!("Verified reviews of {name}."),
        |mean| format!("{} of 5 stars from {} verified reviews of {name}.", hundredths(mean), count(tally.total())),
    )
}

/// Text inside an attribute of a snippet that people copy; the page escapes the whole snippet once more.
fn attribute(text: &str) -> String {
    text.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;")
}
