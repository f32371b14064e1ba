//! `/insights`: what customers judge, whom and what they name, and where it is going.

use askama::Template;

use super::entity::EntityKind;
use super::rows::{AspectFragment, ShortQuote, votes_of_entity};
use crate::links::Links;
use crate::pages::chart::{BarFragment, LegendFragment, figure};
use crate::pages::frame::{Frame, Site};
use crate::pages::words::{count, counted, day};
use crate::snapshot::Snapshot;
use crate::wire;

/// How many of one group are shown; the rest is in `/insights.json`.
const ENTITIES: usize = 60;
/// How many phrases are shown.
const TOPICS: usize = 24;

#[derive(Template)]
#[template(path = "insights_page.html")]
struct InsightsPage {
    frame: Frame,
    made_of: String,
    /// The firm's own words, then ours.
    editorial: Vec<String>,
    summary: Vec<String>,
    aspects: Vec<AspectFragment>,
    legend: LegendFragment,
    groups: Vec<Group>,
    topics: Vec<TopicLink>,
    faq: Vec<(String, String)>,
    method: String,
}

/// People, services or places.
struct Group {
    id: &'static str,
    heading: &'static str,
    entities: Vec<EntityLine>,
}

/// Whom or what reviews name, in one row.
struct EntityLine {
    name: String,
    href: String,
    bar: Option<BarFragment>,
    figure: String,
    quote: Option<ShortQuote>,
    reviews: String,
}

/// A phrase that stands out.
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
            bar: BarFragment::of(&entity.name, votes),
            figure: figure(votes),
            quote: quote.map(|quote| ShortQuote::new(quote, site)),
            reviews: count(u64::from(entity.reviews)),
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
            heading: kind.heading(),
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
        reviews: count(u64::from(topic.reviews)),
        href: site.search("query", &topic.phrase),
    });
    topics.collect()
}

/// The page of all insights.
#[must_use]
pub fn overview(snapshot: &Snapshot, links: &Links) -> String {
    let (business, insights) = (&snapshot.input.business, &*snapshot.insights);
    let site = Site::new(business, links);
    let (summary, faq) = (&insights.summary, insights.faq.iter());
    super::super::rendered(&InsightsPage {
        made_of: made_of(&insights.generated_from),
        editorial: summary.editorial.iter().cloned().collect(),
        summary: summary
            .sentences
            .iter()
            .map(|one| one.text.clone())
            .collect(),
        aspects: insights
            .aspects
            .iter()
            .map(|aspect| AspectFragment::new(aspect, &site))
            .collect(),
        legend: LegendFragment,
        groups: groups(insights, &site),
        topics: topics(insights, &site),
        faq: faq
            .map(|faq| (faq.question.clone(), faq.answer.clone()))
            .collect(),
        method: how(&insights.method),
        frame: Frame {
            title: format!("What customers say about {}", business.name),
            description: Some(format!(
                "What the reviews of {} say, counted: aspects, people, services, trends, each with its sentences.",
                business.name
            )),
            canonical: Some(links.absolute("/insights")),
            is_hidden_from_search: false,
            site,
        },
    })
}

fn made_of(from: &wire::GeneratedFrom) -> String {
    let analysed = counted(u64::from(from.analysed), "text", "texts");
    let window = from
        .window
        .map(|window| format!(", {} to {}", day(window.from), day(window.to)))
        .unwrap_or_default();
    format!(
        "Counted in {analysed} of {}{window}. Each figure leads to the sentences behind it.",
        counted(u64::from(from.reviews), "review", "reviews")
    )
}

/// How the page was made, and with which trade's words.
fn how(method: &wire::Method) -> String {
    let wire::MethodTrade {
        label, is_measured, ..
    } = &method.trade;
    let measured = if *is_measured {
        "how well it reads is measured"
    } else {
        "how well it reads has not been measured"
    };
    format!(
        "{} Read with the words of this trade: {label}; {measured}.",
        method.description
    )
}
