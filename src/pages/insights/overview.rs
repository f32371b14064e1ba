//! `/insights`: aspects, mentions and trends of all reviews.

use std::borrow::Cow;

use askama::Template;

use super::entity::EntityKind;
use super::rows::{AspectFragment, ShortQuote, figure_of_entity, votes_of_entity};
use super::summary::sentences;
use crate::links::Links;
use crate::pages::chart::{BarFragment, LegendFragment};
use crate::pages::frame::{Frame, Site};
use crate::pages::locale::Locale;
use crate::snapshot::Snapshot;
use crate::wire;

/// Maximum number of entities shown per group; the rest is in `/insights.json`.
const ENTITIES: usize = 60;
/// Maximum number of phrases shown.
const TOPICS: usize = 24;

#[derive(Template)]
#[template(path = "insights_page.html")]
struct InsightsPage {
    frame: Frame,
    made_of: Cow<'static, str>,
    /// The business's own words, then the generated summary.
    editorial: Vec<String>,
    summary: Vec<String>,
    aspects: Vec<AspectFragment>,
    legend: LegendFragment,
    groups: Vec<Group>,
    topics: Vec<TopicLink>,
    faq: Vec<(String, String)>,
    method: Cow<'static, str>,
}

struct Group {
    id: &'static str,
    heading: Cow<'static, str>,
    entities: Vec<EntityLine>,
}

/// An entity in one row.
struct EntityLine {
    name: String,
    href: String,
    bar: Option<BarFragment>,
    figure: String,
    quote: Option<ShortQuote>,
    reviews: String,
}

/// A distinctive phrase.
struct TopicLink {
    phrase: String,
    reviews: String,
    href: String,
}

impl EntityLine {
    fn new(entity: &wire::Entity, kind: EntityKind, site: &Site) -> Self {
        let votes = votes_of_entity(entity);
        let quote = entity.quotes.iter().flatten().next();
        Self {
            name: entity.name.clone(),
            href: kind.path(entity, site),
            bar: BarFragment::of(&entity.name, votes, &site.locale),
            figure: figure_of_entity(entity, &site.locale),
            quote: quote.map(|quote| ShortQuote::new(quote, site)),
            reviews: site.locale.number(u64::from(entity.reviews)),
        }
    }
}

fn groups(insights: &wire::Insights, site: &Site) -> Vec<Group> {
    let groups = EntityKind::ALL.map(|kind| {
        let named = kind
            .of(insights)
            .iter()
            .filter(|entity| entity.reviews > 0)
            .take(ENTITIES);
        Group {
            id: kind.id(),
            heading: kind.heading(&site.locale),
            entities: named
                .map(|entity| EntityLine::new(entity, kind, site))
                .collect(),
        }
    });
    groups
        .into_iter()
        .filter(|group| !group.entities.is_empty())
        .collect()
}

fn topics(insights: &wire::Insights, site: &Site) -> Vec<TopicLink> {
    let topics = insights.topics.iter().take(TOPICS).map(|topic| TopicLink {
        phrase: topic.phrase.clone(),
        reviews: site.locale.number(u64::from(topic.reviews)),
        href: site.search("query", &topic.phrase),
    });
    topics.collect()
}

#[must_use]
pub fn overview(snapshot: &Snapshot, links: &Links) -> String {
    let (business, insights) = (&snapshot.input.business, &*snapshot.insights);
    let site = Site::new(business, links);
    let locale = &site.locale;
    let (summary, faq) = (&insights.summary, insights.faq.iter());
    let named = [("business", business.name.as_str())];
    super::super::rendered(&InsightsPage {
        made_of: made_of(&insights.generated_from, locale),
        editorial: summary.editorial.iter().cloned().collect(),
        summary: sentences(insights, &business.name, locale)
            .map(Cow::into_owned)
            .collect(),
        aspects: insights
            .aspects
            .iter()
            .map(|aspect| AspectFragment::new(aspect, &site))
            .collect(),
        legend: LegendFragment {
            locale: locale.clone(),
            has_interval: true,
        },
        groups: groups(insights, &site),
        topics: topics(insights, &site),
        faq: faq
            .map(|faq| (faq.question.clone(), faq.answer.clone()))
            .collect(),
        method: how(&insights.method, locale),
        frame: Frame {
            title: locale.message_with("insights-of", &named).into_owned(),
            description: Some(
                locale
                    .message_with("insights-described", &named)
                    .into_owned(),
            ),
            canonical: Some(links.absolute("/insights")),
            is_hidden_from_search: false,
            site: site.clone(),
        },
    })
}

fn made_of(from: &wire::GeneratedFrom, locale: &Locale) -> Cow<'static, str> {
    let texts = locale.counted("texts", u64::from(from.analysed));
    let reviews = locale.counted("reviews", u64::from(from.reviews));
    match from.window {
        None => locale.message_with("made-of", &[("texts", &texts), ("reviews", &reviews)]),
        Some(window) => locale.message_with(
            "made-of-period",
            &[
                ("texts", &texts),
                ("reviews", &reviews),
                ("from", &locale.day(window.from)),
                ("to", &locale.day(window.to)),
            ],
        ),
    }
}

/// A note on the method and the trade.
fn how(method: &wire::Method, locale: &Locale) -> Cow<'static, str> {
    let trade = locale.name(&method.trade.label);
    if method.trade.is_measured {
        locale.message_with("method-measured", &[("trade", &trade)])
    } else {
        locale.message_with("method-unmeasured", &[("trade", &trade)])
    }
}
