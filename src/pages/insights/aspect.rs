//! The page of an aspect (`/insights?aspect=…`): its figures, and the sentences about it.

use std::borrow::Cow;
use std::iter;

use askama::Template;

use super::rows::FiguresFragment;
use crate::links::with_query;
use crate::model::Vote;
use crate::pages::filters::{POLARITIES, polarity_words};
use crate::pages::frame::{ChoiceLink, Frame, Site, render};
use crate::pages::words::Stars;
use crate::search::insights::EvidenceQuery;
use crate::snapshot::{Entries, Snapshot};
use crate::wire;
use crate::wire::parameters::LIMIT_DEFAULT;

/// Number of characters of a review shown on each side of a finding.
const CONTEXT_CHARACTERS: usize = 120;
#[derive(Template)]
#[template(path = "aspect_page.html")]
struct AspectPage<'a> {
    frame: Frame<'a>,
    name: Cow<'a, str>,
    /// `None` if no review mentions it.
    figures: Option<FiguresFragment>,
    total: Cow<'static, str>,
    /// Links to the sentences of each polarity.
    polarities: Vec<ChoiceLink>,
    evidence: Vec<ReviewEvidence>,
    /// Address and label of the next page.
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

/// The page of an aspect with a page of the sentences about it, and the texts of their reviews.
pub fn show(snapshot: &Snapshot, query: EvidenceQuery<'_>, page: wire::AspectEvidence) -> String {
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
    render(&AspectPage {
        figures: aspect.map(|aspect| FiguresFragment::new(aspect, locale)),
        total,
        polarities: polarities.collect(),
        evidence: (page.page.reviews.into_iter())
            .filter_map(|review| ReviewEvidence::new(review, &snapshot.input.entries, &site))
            .collect(),
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
