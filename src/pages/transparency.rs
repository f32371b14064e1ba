//! `/transparency`: how the reviews are collected and checked, for customers.

use std::borrow::Cow;
use std::sync::Arc;

use askama::Template;
use poem::http::HeaderMap;
use poem::web::Data;
use poem::{Response, handler};

use super::frame::{Frame, POLICY, Site, page, render};
use super::home::period;
use super::insights::how;
use super::locale::Locale;
use super::review::verification;
use super::words::ReasonsFragment;
use crate::model::Method;
use crate::snapshot::Snapshot;
use crate::web::ClientAddress;
use crate::web::context::Ctx;
use crate::wire;
use crate::wire::ArrivalKind;

pub const TRANSPARENCY_PATH: &str = "/transparency";

#[derive(Template)]
#[template(path = "transparency_page.html")]
struct TransparencyPage<'a> {
    frame: Frame<'a>,
    facts: &'a wire::Transparency,
    /// How many reviews are published and their mean; `None` without reviews.
    published: Option<Cow<'static, str>>,
    /// How many reviews the business withheld or deleted, if they are many.
    hidden_by_business: Option<Cow<'static, str>>,
    /// How many were taken in, and what became of them.
    taken_in: Cow<'static, str>,
    /// The means of the reviews that the business withheld, and of those that it published.
    withheld_mean: Option<Cow<'static, str>>,
    sources: Vec<SourceFacts<'a>>,
    /// Each way of verification, with what it means.
    checked: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    /// Headings and texts of the business's own policy.
    policy: Vec<(Cow<'static, str>, Option<&'a str>)>,
    method: Cow<'static, str>,
}

struct SourceFacts<'a> {
    name: &'a str,
    /// The number of reviews and their mean.
    rating: String,
    period: Option<Cow<'static, str>>,
    /// Each way of verification with its number of reviews.
    verified: String,
    /// How many are withheld and deleted.
    hidden: Option<Cow<'static, str>>,
    /// How many the source says that it has, and what became of them.
    stated: Option<Cow<'static, str>>,
    arrival: Cow<'static, str>,
}

#[handler]
pub async fn transparency(
    Data(ctx): Data<&Arc<Ctx>>,
    client: ClientAddress,
    headers: &HeaderMap,
) -> poem::Result<Response> {
    let (_slot, snapshot, facts) = ctx.transparency(client).await?;
    let html = show(&facts, &snapshot);
    Ok(page(ctx, headers, &snapshot, html, POLICY))
}

fn show(facts: &wire::Transparency, snapshot: &Snapshot) -> String {
    let links = &snapshot.input.links;
    let business = &snapshot.input.business;
    let site = Site::new(business, links);
    let locale = &site.locale;
    let named = [("business", business.name.as_str())];
    let shown_mean = facts.rating_value.map(|mean| stars(mean, locale));
    let shown_mean = shown_mean.as_deref();
    let withheld_mean = facts.withheld.rating_value.map(|mean| stars(mean, locale));
    let policy = &facts.policy;
    let texts = [
        ("policy-collection", &policy.collection),
        ("policy-verification", &policy.verification),
        ("policy-moderation", &policy.moderation),
        ("policy-incentives", &policy.incentives),
    ];
    render(&TransparencyPage {
        published: shown_mean.map(|mean| {
            locale.counted_with("published-reviews", facts.published, &[("mean", mean)])
        }),
        hidden_by_business: hidden_by_business(facts, locale),
        taken_in: counts(
            "taken-in",
            facts.published,
            facts.withheld.count,
            facts.deleted.count,
            locale,
        ),
        withheld_mean: withheld_mean.zip(shown_mean).map(|(withheld, shown)| {
            let means = [("withheld", withheld.as_str()), ("published", shown)];
            locale.message_with("withheld-mean", &means)
        }),
        sources: (facts.sources.iter())
            .map(|source| SourceFacts::new(source, &site))
            .collect(),
        checked: (Method::ALL.into_iter())
            .filter_map(|method| {
                let count = facts.verification.get(method.name())?.count;
                let meaning = locale.message(&format!("checked-{method}"));
                Some((way_and_reviews(method, count, locale), meaning))
            })
            .collect(),
        policy: (texts.into_iter())
            .map(|(heading, text)| (locale.message(heading), text.as_deref()))
            .collect(),
        method: how(&snapshot.insights.method, locale),
        facts,
        frame: Frame {
            title: locale.message("nav-transparency"),
            description: Some(locale.message_with("transparency-described", &named)),
            canonical: Some(links.absolute(TRANSPARENCY_PATH)),
            site: site.clone(),
        },
    })
}

impl<'a> SourceFacts<'a> {
    fn new(source: &'a wire::SourceTransparency, site: &Site<'_>) -> Self {
        let locale = &site.locale;
        let days = source.first.zip(source.last);
        let verified = Method::ALL.into_iter().filter_map(|method| {
            let count = *source.verification.get(method.name())?;
            Some(way_and_reviews(method, count, locale))
        });
        let arrival = match source.arrival.kind {
            ArrivalKind::Scheduled => ["arrives-scheduled", "arrives-scheduled-last"],
            ArrivalKind::Imported => ["arrives-imported", "arrives-imported-last"],
            ArrivalKind::ByHand => ["arrives-by-hand"; 2],
        };
        let mean = source.rating_value.map(|mean| stars(mean, locale));
        Self {
            name: &source.name,
            rating: mean.map_or_else(
                || locale.counted("reviews", source.count).into_owned(),
                |mean| format!("{} · {mean} ★", locale.counted("reviews", source.count)),
            ),
            period: days.map(|(first, last)| period(first, last, locale)),
            hidden: (source.withheld + source.deleted > 0).then(|| {
                let (withheld, deleted) = (source.withheld, source.deleted);
                counts("taken-in", source.count, withheld, deleted, locale)
            }),
            stated: source.stated.as_ref().map(|stated| {
                let withheld = source.withheld - source.gone;
                let here = source.count + withheld;
                let is_exceeded = here > stated.count;
                // The source may have the deleted ones, or not.
                let difference = if is_exceeded {
                    here - stated.count
                } else {
                    stated.count.saturating_sub(here + source.deleted)
                };
                let numbers = [
                    stated.count,
                    source.count,
                    withheld,
                    source.deleted,
                    difference,
                ];
                let [total, count, withheld, deleted, difference] =
                    numbers.map(|number| locale.number(number));
                let texts = [
                    ("source", &*source.name),
                    ("total", &*total),
                    ("here", &*count),
                    ("withheld", &*withheld),
                    ("deleted", &*deleted),
                    ("difference", &*difference),
                    ("day", &*locale.day(stated.on)),
                ];
                let message = if is_exceeded {
                    "source-exceeded"
                } else {
                    "source-stated"
                };
                locale.message_with(message, &texts)
            }),
            verified: verified.collect::<Vec<_>>().join(", "),
            arrival: match source.arrival.last {
                Some(day) => locale.message_with(arrival[1], &[("day", &*locale.day(day))]),
                None => locale.message(arrival[0]),
            },
        }
    }
}

/// A way of verification and the number of reviews that were verified so.
fn way_and_reviews(method: Method, count: u64, locale: &Locale) -> Cow<'static, str> {
    let (way, reviews) = (
        verification(method, locale),
        locale.counted("reviews", count),
    );
    let texts = [("way", &*way), ("reviews", &*reviews)];
    locale.message_with("way-and-reviews", &texts)
}

/// From this number on, what the business itself withheld or deleted is in the first line.
const HIDDEN_MIN: u64 = 10;

fn hidden_by_business(facts: &wire::Transparency, locale: &Locale) -> Option<Cow<'static, str>> {
    let (withheld, deleted) = (facts.withheld.by_business, facts.deleted.count);
    let shown = facts.published + facts.withheld.count.saturating_sub(withheld);
    (withheld + deleted >= HIDDEN_MIN)
        .then(|| counts("hidden-by-business", shown, withheld, deleted, locale))
}

/// A message with the number of reviews that are shown, withheld and deleted, and their sum.
fn counts(
    message: &str,
    published: u64,
    withheld: u64,
    deleted: u64,
    locale: &Locale,
) -> Cow<'static, str> {
    let taken = locale.number(published + withheld + deleted);
    let numbers = [published, withheld, deleted].map(|number| locale.number(number));
    let [published, withheld, deleted] = &numbers;
    locale.message_with(
        message,
        &[
            ("taken", &*taken),
            ("published", published),
            ("withheld", withheld),
            ("deleted", deleted),
        ],
    )
}

/// A mean with two decimals, as the locale writes it.
fn stars(mean: f64, locale: &Locale) -> String {
    let hundredths = format!("{mean:.2}").replace('.', "").parse();
    locale.hundredths(hundredths.unwrap_or_default())
}
