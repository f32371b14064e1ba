//! `/insights`: what customers judge, whom and what they name, and where it is going.

use askama::Template;
use chrono::Datelike;

use super::aspect::Aspect;
use super::chart::{Bar, Legend, Votes, figure};
use super::frame::{Frame, Site};
use super::words::{count, counted, day};
use crate::edition::Edition;
use crate::links::Links;
use crate::wire;

/// How many of one group are shown; the rest is in `/insights.json`.
const ENTITIES: usize = 60;
/// How many phrases are shown.
const TOPICS: usize = 24;
#[derive(Template)]
#[template(path = "insights.html")]
struct InsightsPage {
    frame: Frame,
    made_of: String,
    summary: Vec<String>,
    aspects: Vec<Aspect>,
    legend: Legend,
    groups: Vec<Group>,
    topics: Vec<(String, u32, String)>,
    faq: Vec<(String, String)>,
    method: String,
}

/// People, services or places.
struct Group {
    id: &'static str,
    heading: &'static str,
    entities: Vec<Entity>,
}

/// Whom or what reviews name.
struct Entity {
    name: String,
    href: Option<String>,
    bar: Option<String>,
    figure: String,
    quote: Option<(String, i32, String)>,
    reviews: String,
}

impl Entity {
    fn new(entity: &wire::Entity, href: Option<String>, site: &Site) -> Self {
        let votes = Votes {
            positive: entity.positive.unwrap_or_default(),
            mixed: entity.mixed.unwrap_or_default(),
            negative: entity.negative.unwrap_or_default(),
            share: entity.positive_share.as_ref(),
        };
        let quote = entity.quotes.iter().flatten().next();
        Self {
            name: entity.name.clone(),
            href,
            bar: Bar::of(&entity.name, votes).map(|bar| super::rendered(&bar)),
            figure: figure(votes),
            quote: quote.map(|quote| (quote.text.clone(), quote.date.year(), site.review(&quote.review_id))),
            reviews: count(u64::from(entity.reviews)),
        }
    }
}

/// The page of all insights.
#[must_use]
pub fn overview(edition: &Edition, insights: &wire::Insights, links: &Links) -> String {
    let business = &edition.copy.business;
    let site = Site::new(business, links);
    let search = |name: &str, value: &str| {
        let query = form_urlencoded::Serializer::new(String::new()).append_pair(name, value).finish();
        format!("{}/search?{query}", site.root)
    };
    let group = |id, heading, entities: &[wire::Entity], filter: Option<&str>| {
        let named = entities.iter().filter(|entity| entity.reviews > 0).take(ENTITIES);
        let entities = named.map(|entity| {
            let value = if filter == Some("mentions_service") { entity.id.as_ref().unwrap_or(&entity.name) } else { &entity.name };
            Entity::new(entity, filter.map(|filter| search(filter, value)), &site)
        });
        Group { id, heading, entities: entities.collect() }
    };
    let entities = &insights.entities;
    let mut groups = vec![
        group("people", "People they name", &entities.technicians, Some("mentions_technician")),
        group("services", "Services", &entities.services, Some("mentions_service")),
        group("areas", "Places", &entities.service_areas, None),
    ];
    groups.retain(|group| !group.entities.is_empty());
    let template = InsightsPage {
        made_of: made_of(&insights.generated_from),
        summary: insights
            .summary
            .editorial
            .iter()
            .cloned()
            .chain(insights.summary.sentences.iter().map(|one| one.text.clone()))
            .collect(),
        aspects: insights.aspects.iter().map(|aspect| Aspect::new(aspect, &site)).collect(),
        legend: Legend,
        groups,
        topics: insights
            .topics
            .iter()
            .take(TOPICS)
            .map(|topic| (topic.phrase.clone(), topic.reviews, search("query", &topic.phrase)))
            .collect(),
        faq: insights.faq.iter().map(|faq| (faq.question.clone(), faq.answer.clone())).collect(),
        method: insights.method.description.clone(),
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
    };
    super::rendered(&template)
}

fn made_of(from: &wire::GeneratedFrom) -> String {
    let analysed = counted(u64::from(from.analysed), "text", "texts");
    let window = from.window.map(|window| format!(", {} to {}", day(window.from), day(window.to))).unwrap_or_default();
    format!(
        "Counted in {analysed} of {}{window}. Each figure leads to the sentences behind it.",
        counted(u64::from(from.reviews), "review", "reviews")
    )
}
