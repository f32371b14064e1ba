//! `/insights`: what customers judge, whom and what they name, and where it is going; with `aspect` the sentences behind one
//! figure, a page at a time.

use std::sync::Arc;

use askama::Template;
use chrono::Datelike;
use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};

use super::Pages;
use super::aspect::{Aspect, path};
use super::chart::{Bar, Legend, Votes, figure};
use super::frame::{Frame, POLICY, Site, protected};
use super::search::take;
use super::words::{Stars, count, counted, day};
use crate::edition::Edition;
use crate::links::Links;
use crate::ctx::Ctx;
use crate::respond::{self, UrlParameters, problem};
use crate::reviews::{LIMIT_DEFAULT, parameters};
use crate::search::evidence::{Page, PolarityParameter, Question, Supporting, evidence};
use crate::search::{Cursor, CursorParameter};
use crate::wire;

/// How many of one group are shown; the rest is in `/insights.json`.
const ENTITIES: usize = 60;
/// How many phrases are shown.
const TOPICS: usize = 24;
/// How many characters of a review are shown on each side of a finding.
const CONTEXT_CHARACTERS: usize = 120;

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
        summary: insights.summary.editorial.iter().cloned().chain(insights.summary.sentences.iter().map(|one| one.text.clone())).collect(),
        aspects: insights.aspects.iter().map(|aspect| Aspect::new(aspect, &site)).collect(),
        legend: Legend,
        groups,
        topics: insights.topics.iter().take(TOPICS).map(|topic| (topic.phrase.clone(), topic.reviews, search("query", &topic.phrase))).collect(),
        faq: insights.faq.iter().map(|faq| (faq.question.clone(), faq.answer.clone())).collect(),
        method: insights.method.description.clone(),
        frame: Frame {
            title: format!("What customers say about {}", business.name),
            description: Some(format!("What the reviews of {} say, counted: aspects, people, services, trends, each with its sentences.", business.name)),
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
    format!("Counted in {analysed} of {}{window}. Each figure leads to the sentences behind it.", counted(u64::from(from.reviews), "review", "reviews"))
}

#[derive(Template)]
#[template(path = "evidence.html")]
struct EvidencePage {
    frame: Frame,
    label: String,
    filtered: String,
    chips: Vec<Chip>,
    items: Vec<Evidence>,
    next: Option<String>,
    limit: u8,
    json_url: String,
}

struct Chip {
    name: &'static str,
    href: String,
    is_current: bool,
}

struct Evidence {
    stars: Stars,
    date: String,
    day: String,
    polarity: &'static str,
    href: String,
    findings: Vec<Finding>,
}

struct Finding {
    before: String,
    text: String,
    after: String,
    polarity: &'static str,
}

/// `/insights`, with `aspect` or without.
pub struct Insights {
    /// Whose edition it shows.
    pub ctx: Arc<Ctx>,
    /// Where the page of all insights is kept.
    pub pages: Arc<Pages>,
}

impl Endpoint for Insights {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let edition = self.ctx.current.load();
        let mut issues = Vec::new();
        let aspect = take(UrlParameters::query::<parameters::Aspect>(&request), &mut issues).filter(|id| !id.is_empty());
        let vote = take(UrlParameters::query::<PolarityParameter>(&request), &mut issues);
        let limit = take(UrlParameters::query::<parameters::Limit>(&request), &mut issues).unwrap_or(LIMIT_DEFAULT);
        let cursor: Option<Cursor> = take(UrlParameters::query::<CursorParameter>(&request), &mut issues);
        let Some(id) = aspect.filter(|_| issues.is_empty()) else {
            if !issues.is_empty() {
                return Ok(respond::invalid_parameters(issues));
            }
            let sheet = self.pages.of(&edition, super::cached::Page::Insights);
            return Ok(protected(respond::sheet(request.headers(), &edition, &sheet), POLICY));
        };
        let trade = edition.copy.reader.trade();
        let found = trade.aspect(&id).and_then(|at| Some((u8::try_from(at).ok()?, &trade.aspects[at])));
        let Some((at, aspect)) = found else {
            return Ok(problem(StatusCode::NOT_FOUND, "There is no aspect of that id; /insights lists them."));
        };
        let question = Question { aspect: at, vote };
        if let Some(cursor) = cursor.as_ref().filter(|cursor| !cursor.belongs_to(&question.canonical(trade))) {
            return Ok(respond::invalid_parameters(vec![cursor.invalid().into()]));
        }
        let asked = Asked { id: &aspect.id, label: &aspect.label, polarity: vote.map(Into::into), limit };
        let page = evidence(&edition, question, usize::from(limit), cursor.as_ref());
        let html = show_evidence(&edition, asked, page, &self.ctx.links);
        Ok(super::frame::page(&request, edition, html, POLICY))
    }
}

/// What is asked of an aspect's sentences, parsed already.
#[derive(Debug, Clone, Copy)]
struct Asked<'a> {
    /// The aspect's id.
    id: &'a str,
    /// Its name.
    label: &'a str,
    /// Only those that speak so.
    polarity: Option<wire::Polarity>,
    /// How many reviews a page has.
    limit: u8,
}

/// The page of the sentences behind an aspect.
fn show_evidence(edition: &Edition, asked: Asked<'_>, page: Page, links: &Links) -> String {
    let business = &edition.copy.business;
    let site = Site::new(business, links);
    let Asked { id, label, polarity, limit } = asked;
    let of = |polarity: Option<wire::Polarity>| {
        let suffix = polarity.map(|polarity| format!("&polarity={}", name(polarity))).unwrap_or_default();
        path(id, &site) + &suffix
    };
    let shown = [
        None,
        Some(wire::Polarity::Positive),
        Some(wire::Polarity::Negative),
        Some(wire::Polarity::Mixed),
        Some(wire::Polarity::Neutral),
        Some(wire::Polarity::Uncertain),
    ];
    let chips = shown.map(|one| Chip { name: one.map_or("all", name), href: of(one), is_current: one == polarity });
    let total = counted(page.total, "review speaks", "reviews speak");
    let suffix = polarity.map(|polarity| format!("?polarity={}", name(polarity))).unwrap_or_default();
    let template = EvidencePage {
        filtered: match polarity {
            Some(polarity) => format!("Filtered: {total} of it so that the whole is {}. Newest first.", name(polarity)),
            None => format!("{total} of it. Newest first."),
        },
        chips: chips.into(),
        next: page.next.as_ref().map(|cursor| format!("{}&cursor={cursor}", of(polarity))),
        items: page.reviews.into_iter().map(|supporting| item(supporting, &site)).collect(),
        limit,
        json_url: links.evidence(id) + &suffix,
        frame: Frame {
            title: format!("{label}: what customers say about {}", business.name),
            description: None,
            canonical: Some(links.absolute(&format!("/insights?aspect={id}"))),
            is_hidden_from_search: polarity.is_some(),
            site,
        },
        label: label.to_owned(),
    };
    super::rendered(&template)
}

fn item(supporting: Supporting, site: &Site) -> Evidence {
    let Supporting { review, vote, findings } = supporting;
    let text = &review.text;
    let finding = |finding| {
        let finding = wire::EvidenceFinding::new(finding, text);
        let (before, after) = around(text, finding.start, finding.end);
        Finding { before, after, polarity: name(finding.polarity), text: finding.text }
    };
    Evidence {
        stars: Stars(review.rating),
        date: review.date.to_string(),
        day: day(review.date),
        polarity: name(vote.into()),
        href: site.review(&review.id),
        findings: findings.into_iter().map(finding).collect(),
    }
}

/// What stands before and after code points `start..end` of `text`, cut at words.
fn around(text: &str, start: u32, end: u32) -> (String, String) {
    let (start, end) = (usize::try_from(start).unwrap_or(usize::MAX), usize::try_from(end).unwrap_or(usize::MAX));
    let from = start.saturating_sub(CONTEXT_CHARACTERS);
    let before: String = text.chars().skip(from).take(start - from).collect();
    let before = if from == 0 { before } else { before.split_once(char::is_whitespace).map_or(before.clone(), |(_, rest)| format!("… {rest}")) };
    let after: String = text.chars().skip(end).take(CONTEXT_CHARACTERS).collect();
    let is_all = text.chars().nth(end.saturating_add(CONTEXT_CHARACTERS)).is_none();
    let after = if is_all { after } else { after.rsplit_once(char::is_whitespace).map_or(after.clone(), |(rest, _)| format!("{rest} …")) };
    (before, after)
}

const fn name(polarity: wire::Polarity) -> &'static str {
    match polarity {
        wire::Polarity::Positive => "positive",
        wire::Polarity::Negative => "negative",
        wire::Polarity::Neutral => "neutral",
        wire::Polarity::Mixed => "mixed",
        wire::Polarity::Uncertain => "uncertain",
    }
}

#[cfg(test)]
mod tests {
    use super::around;

    #[test]
    fn the_words_around_a_finding_are_whole() {
        let text = format!("{} they came late and {}", "word ".repeat(60), "then some more ".repeat(20));
        let start = text.chars().count() as u32;
        let at = text.find("came late").unwrap() as u32;
        let (before, after) = around(&text, at, at + 9);
        assert!(before.starts_with("… word") && before.ends_with("they "), "{before}");
        assert!(after.starts_with(" and then") && after.ends_with(" …"), "{after}");
        assert_eq!(around("é so late é", 2, 9), ("é ".to_owned(), " é".to_owned()));
        assert_eq!(around(&text, start + 5, start + 9).1, "");
    }
}
