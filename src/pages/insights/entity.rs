//! `/insights?technician=…`, `?service=…`, `?area=…`: the opinions on a person, a service or a place, and the newest
//! reviews that mention it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use askama::Template;

use super::rows::{FiguresFragment, aspect_path};
use crate::links::Links;
use crate::model::{MentionKind, fold};
use crate::pages::chart::LegendFragment;
use crate::pages::frame::{Frame, Site, render};
use crate::pages::locale::Locale;
use crate::pages::review::ReviewFragment;
use crate::search::insights::parameter;
use crate::snapshot::{Posting, Snapshot};
use crate::wire;

/// Number of reviews on the page.
const NEWEST: usize = 10;

/// The ID of a kind's group on the page of all insights.
pub const fn group(kind: MentionKind) -> &'static str {
    match kind {
        MentionKind::Technician => "people",
        MentionKind::Service => "services",
        MentionKind::ServiceArea => "areas",
    }
}

/// The heading of that group.
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

/// The path of an entity's page.
pub fn path(kind: MentionKind, entity: &wire::Entity, site: &Site<'_>) -> String {
    site.path_with("/insights", parameter(kind), key(kind, entity))
}

/// Finds an entity by key, ignoring case; a service also by its name.
pub fn find<'a>(
    kind: MentionKind,
    insights: &'a wire::Insights,
    wanted: &str,
) -> Option<&'a wire::Entity> {
    let folded = fold(wanted);
    let entities = insights.entities.of(kind);
    let by_key = entities.iter().find(|entity| key(kind, entity) == wanted);
    by_key.or_else(|| entities.iter().find(|entity| fold(&entity.name) == folded))
}

#[derive(Template)]
#[template(path = "entity_page.html")]
struct EntityPage<'a> {
    frame: Frame<'a>,
    kind: MentionKind,
    entity: &'a wire::Entity,
    summary: Cow<'static, str>,
    reviews: Vec<ReviewFragment<'a>>,
    /// The search for all of them, if there is a filter.
    all: Option<String>,
}

pub fn show(
    snapshot: &Snapshot,
    kind: MentionKind,
    entity: &wire::Entity,
    links: &Links,
) -> String {
    let business = &snapshot.input.business;
    let site = Site::new(business, links);
    let locale = &site.locale;
    let filter = match kind {
        MentionKind::Technician => Some("mentions_technician"),
        MentionKind::Service => Some("mentions_service"),
        MentionKind::ServiceArea => None,
    };
    // If too few reviews mention it, only their count is shown.
    let newest = entity.positive.map_or(0, |_| NEWEST);
    let reviews = newest_naming(snapshot, kind, entity, newest);
    let naming_it = entity.reviews;
    let of_all = locale.counted("reviews", snapshot.input.review_index.len() as u64);
    let path = path(kind, entity, &site);
    render(&EntityPage {
        kind,
        entity,
        summary: locale.message_with(
            "reviews-that-name",
            &[
                ("naming", &locale.number(u64::from(naming_it))),
                ("all", &of_all),
                ("name", &entity.name),
            ],
        ),
        all: filter
            .filter(|_| entity.reviews as usize > reviews.len())
            .map(|name| site.search(name, key(kind, entity))),
        reviews: ReviewFragment::list(reviews, &site),
        frame: Frame {
            title: locale.message_with(
                "aspect-title",
                &[("topic", &entity.name), ("business", &business.name)],
            ),
            description: Some(locale.message_with(
                "entity-described",
                &[("business", &business.name), ("name", &entity.name)],
            )),
            canonical: Some(links.absolute(path.strip_prefix(site.root).unwrap_or(&path))),
            is_hidden_from_search: false,
            site: site.clone(),
        },
    })
}

/// The newest reviews that mention `entity`; only these are parsed.
fn newest_naming(
    snapshot: &Snapshot,
    kind: MentionKind,
    entity: &wire::Entity,
    newest: usize,
) -> Vec<wire::Review> {
    let folded = fold(&entity.name);
    let is_it = |posting: &&Posting| match kind {
        MentionKind::Service => posting.mention.value == key(kind, entity),
        MentionKind::Technician | MentionKind::ServiceArea => posting.mention.folded == folded,
    };
    let segments = snapshot.input.review_index.segments().iter();
    let found = segments.flat_map(|segment| {
        let postings = segment.postings(kind.into()).iter();
        // A review that has a name in two spellings counts once.
        let positions: BTreeSet<u32> = postings
            .filter(&is_it)
            .flat_map(|posting| posting.positions.iter().copied())
            .collect();
        positions
            .into_iter()
            .filter_map(|position| segment.review(position as usize))
    });
    found.take(newest).collect()
}
