//! The page of one subject of the insights: an aspect (`/insights?aspect=…`) with the sentences about it, or a person, a
//! service or a place (`?technician=…`, `?service=…`, `?area=…`) with quotes and the newest reviews that mention it.

use std::borrow::Cow;
use std::iter;

use askama::Template;

use super::rows::FiguresFragment;
use crate::insights::PERSON_MIN;
use crate::links::with_query;
use crate::model::{MentionKind, Vote, fold};
use crate::pages::filters::{POLARITIES, polarity_words};
use crate::pages::frame::{ChoiceLink, Frame, Site, render};
use crate::pages::locale::Locale;
use crate::pages::review::ReviewFragment;
use crate::pages::words::Stars;
use crate::search::insights::{EvidenceQuery, parameter};
use crate::snapshot::{Document, Entries, Snapshot};
use crate::wire;
use crate::wire::parameters::LIMIT_DEFAULT;

/// Number of characters of a review shown on each side of a finding.
const CONTEXT_CHARACTERS: usize = 120;
/// Number of reviews on the page of a person, a service or a place.
const NEWEST: usize = 10;

#[derive(Template)]
#[template(path = "subject_page.html")]
struct SubjectPage<'a> {
    frame: Frame<'a>,
    /// The ID and the heading of its group on the page of all insights.
    group: &'static str,
    group_heading: Cow<'static, str>,
    name: Cow<'a, str>,
    lead: Option<Cow<'static, str>>,
    /// `None` if there are too few reviews.
    figures: Option<FiguresFragment<'a>>,
    quotes: &'a [wire::InsightQuote],
    list_heading: Cow<'static, str>,
    list_total: Option<Cow<'static, str>>,
    /// Links to the sentences of each polarity; empty for other subjects than aspects.
    polarities: Vec<ChoiceLink>,
    evidence: Vec<ReviewEvidence>,
    reviews: Vec<ReviewFragment<'a>>,
    /// Address and label of the next page, or of the search for all reviews.
    more: Option<(String, Cow<'static, str>)>,
    json_url: String,
}

/// The sentences of one review about the aspect.
struct ReviewEvidence {
    stars: Stars,
    date: String,
    day: Cow<'static, str>,
    polarity: Cow<'static, str>,
    href: String,
    findings: Vec<MarkedFinding>,
}

struct MarkedFinding {
    before: String,
    text: String,
    after: String,
    polarity: Cow<'static, str>,
}

// An aspect.

/// The page of an aspect with a page of the sentences about it, and the texts of their reviews.
pub fn show_aspect(
    snapshot: &Snapshot,
    query: EvidenceQuery<'_>,
    page: wire::AspectEvidence,
) -> String {
    let business = &snapshot.input.business;
    let links = &snapshot.input.links;
    let site = Site::new(business, links);
    let locale = &site.locale;
    let (id, polarity_filter) = (&query.aspect.id, query.parameters.polarity);
    let aspect = snapshot.insights.aspects.iter().find(|one| one.id == *id);
    let limit = query.limit().to_string();
    let path = |polarity: Option<Vote>, cursor: Option<&String>| {
        let polarity = polarity.map(|polarity| ("polarity", polarity.name()));
        let limit = (query.limit() != LIMIT_DEFAULT).then_some(("limit", &*limit));
        let cursor = cursor.map(|cursor| ("cursor", cursor.as_str()));
        let pairs = [Some(("aspect", id.as_str())), polarity, limit, cursor];
        with_query(
            &format!("{}/insights", site.root),
            pairs.into_iter().flatten(),
        )
    };
    let total = match polarity_filter {
        Some(polarity) => {
            let polarity = polarity_words(polarity, locale);
            let texts = [("polarity", &*polarity)];
            locale.counted_with("reviews-speak-of-it-so", page.page.matched, &texts)
        }
        None => locale.counted("reviews-speak-of-it", page.page.matched),
    };
    let polarities = iter::once(None)
        .chain(POLARITIES.map(Some))
        .map(|polarity| ChoiceLink {
            words: polarity.map_or_else(
                || locale.message("all"),
                |polarity| polarity_words(polarity, locale),
            ),
            href: path(polarity, None),
            is_current: polarity == polarity_filter,
        });
    let more = page.page.next_cursor.as_ref().map(|cursor| {
        let limit = locale.number(u64::from(query.limit()));
        let href = path(polarity_filter, Some(cursor));
        (href, locale.message_with("next", &[("number", &limit)]))
    });
    let name = locale.name(&query.aspect.label);
    let texts_of_name = [("topic", &*name), ("business", &business.name)];
    render(&SubjectPage {
        group: "aspects",
        group_heading: locale.message("what-they-judge"),
        lead: None,
        figures: aspect
            .map(|aspect| FiguresFragment::of_aspect(aspect, Some(&aspect.temporal), locale)),
        quotes: &[],
        list_heading: locale.message("sentences"),
        list_total: Some(total),
        polarities: polarities.collect(),
        evidence: (page.page.reviews.into_iter())
            .filter_map(|review| ReviewEvidence::new(review, &snapshot.input.entries, &site))
            .collect(),
        reviews: Vec::new(),
        more,
        json_url: with_query(
            &links.evidence(id),
            polarity_filter.map(|polarity| ("polarity", polarity.name())),
        ),
        frame: Frame {
            title: locale.message_with("aspect-title", &texts_of_name),
            description: Some(locale.message_with("aspect-described", &texts_of_name)),
            canonical: (polarity_filter.is_none())
                .then(|| links.absolute(&format!("/insights?aspect={id}"))),
            site: site.clone(),
        },
        name,
    })
}

impl ReviewEvidence {
    fn new(review: wire::EvidenceReview, entries: &Entries, site: &Site<'_>) -> Option<Self> {
        let at = entries.find(&review.review_id.parse().ok()?)?;
        let text = &entries[at].review.text;
        let findings = review.findings.into_iter().map(|finding| {
            let (before, after) = around(text, finding.start, finding.end);
            MarkedFinding {
                before,
                after,
                polarity: polarity_words(finding.polarity, &site.locale),
                text: finding.text,
            }
        });
        Some(Self {
            stars: Stars::new(review.stars, &site.locale),
            date: review.date.to_string(),
            day: site.locale.day(review.date),
            polarity: polarity_words(review.polarity, &site.locale),
            href: site.review(&review.review_id),
            findings: findings.collect(),
        })
    }
}

/// The text before and after code points `start..end` of `text`, cut between words.
fn around(text: &str, start: u32, end: u32) -> (String, String) {
    let at = |character: usize| {
        let mut starts = text.char_indices().map(|(start, _)| start);
        starts.nth(character).unwrap_or(text.len())
    };
    let (start, end) = (start as usize, end as usize);
    let (from, to) = (
        start.saturating_sub(CONTEXT_CHARACTERS),
        at(end.saturating_add(CONTEXT_CHARACTERS)),
    );
    let before = &text[at(from)..at(start)];
    let before = match before.split_once(char::is_whitespace) {
        Some((_, rest)) if from > 0 => format!("… {rest}"),
        Some(_) | None => before.to_owned(),
    };
    let after = &text[at(end)..to];
    let after = match after.rsplit_once(char::is_whitespace) {
        Some((rest, _)) if to < text.len() => format!("{rest} …"),
        Some(_) | None => after.to_owned(),
    };
    (before, after)
}

// A person, a service or a place.

/// The ID of a kind's group on the page of all insights.
pub const fn group(kind: MentionKind) -> &'static str {
    match kind {
        MentionKind::Technician => "people",
        MentionKind::Service => "services",
        MentionKind::ServiceArea => "areas",
    }
}

pub fn heading(kind: MentionKind, locale: &Locale) -> Cow<'static, str> {
    locale.message(match kind {
        MentionKind::Technician => "people",
        MentionKind::Service => "services",
        MentionKind::ServiceArea => "places",
    })
}

/// The value of the parameter that selects an entity: a service's ID, as in a search; the names of others.
fn key(kind: MentionKind, entity: &wire::Entity) -> &str {
    let id = entity.id.as_ref().filter(|_| kind == MentionKind::Service);
    id.unwrap_or(&entity.name)
}

pub fn path(kind: MentionKind, entity: &wire::Entity, site: &Site<'_>) -> String {
    site.path_with("/insights", parameter(kind), key(kind, entity))
}

pub fn show_entity(snapshot: &Snapshot, kind: MentionKind, entity: &wire::Entity) -> String {
    let business = &snapshot.input.business;
    let links = &snapshot.input.links;
    let site = Site::new(business, links);
    let locale = &site.locale;
    let filter = match kind {
        MentionKind::Technician => Some("mentions_technician"),
        MentionKind::Service => Some("mentions_service"),
        MentionKind::ServiceArea => None,
    };
    // If too few reviews mention it, only their count is shown.
    let is_stated = kind != MentionKind::Technician || entity.votes.mention_count >= PERSON_MIN;
    let figures = is_stated.then(|| FiguresFragment::of_entity(entity, locale));
    let newest = if figures.is_some() { NEWEST } else { 0 };
    let reviews = newest_naming(snapshot, kind, entity, newest);
    let more = filter
        .filter(|_| entity.votes.mention_count as usize > reviews.len())
        .map(|name| site.search(name, key(kind, entity)));
    let reviews_of_all = locale.counted("reviews", snapshot.input.entries.len() as u64);
    let lead = [
        (
            "naming",
            &*locale.number(u64::from(entity.votes.mention_count)),
        ),
        ("all", &reviews_of_all),
        ("name", &entity.name),
    ];
    let named = [
        ("topic", &*entity.name),
        ("name", &entity.name),
        ("business", &business.name),
    ];
    let path = path(kind, entity, &site);
    render(&SubjectPage {
        group: group(kind),
        group_heading: heading(kind, locale),
        name: Cow::Borrowed(&entity.name),
        lead: Some(locale.message_with("reviews-that-name", &lead)),
        figures,
        quotes: &entity.quotes,
        list_heading: locale.message_with("newest-that-name", &named),
        list_total: None,
        polarities: Vec::new(),
        evidence: Vec::new(),
        reviews: ReviewFragment::list(reviews, &site),
        more: more.map(|href| (href, locale.message("all-of-these"))),
        json_url: links.absolute(Document::Insights.path()),
        frame: Frame {
            title: locale.message_with("aspect-title", &named),
            description: Some(locale.message_with("entity-described", &named)),
            canonical: Some(links.absolute(path.strip_prefix(site.root).unwrap_or(&path))),
            site: site.clone(),
        },
    })
}

/// The newest reviews that mention `entity`.
fn newest_naming(
    snapshot: &Snapshot,
    kind: MentionKind,
    entity: &wire::Entity,
    newest: usize,
) -> Vec<wire::Review> {
    let entries = &snapshot.input.entries;
    let name = match kind {
        MentionKind::Service => key(kind, entity).to_owned(),
        MentionKind::Technician | MentionKind::ServiceArea => fold(&entity.name),
    };
    let positions = entries
        .index()
        .mentions(kind)
        .get(&name)
        .into_iter()
        .flatten()
        .take(newest);
    positions
        .map(|at| snapshot.input.review(at as usize))
        .collect()
}
