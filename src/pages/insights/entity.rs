//! `/insights?technician=…`, `?service=…`, `?area=…`: the opinions on a person, a service or a place, and the newest
//! reviews that mention it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use askama::Template;

use super::rows::{FiguresFragment, aspect_path};
use crate::links::Links;
use crate::model::fold;
use crate::pages::chart::LegendFragment;
use crate::pages::frame::{Frame, Site, render};
use crate::pages::locale::Locale;
use crate::pages::review::ReviewFragment;
use crate::snapshot::segment::ValueColumn;
use crate::snapshot::{Posting, Snapshot};
use crate::wire;

/// Number of reviews on the page.
const NEWEST: usize = 10;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntityKind {
    Technician,
    Service,
    Area,
}

impl EntityKind {
    /// In the order of the page.
    pub const ALL: [Self; 3] = [Self::Technician, Self::Service, Self::Area];

    /// The parameter that selects one.
    pub const fn parameter(self) -> &'static str {
        match self {
            Self::Technician => "technician",
            Self::Service => "service",
            Self::Area => "area",
        }
    }

    /// The ID of its group on the page of all insights.
    pub const fn id(self) -> &'static str {
        match self {
            Self::Technician => "people",
            Self::Service => "services",
            Self::Area => "areas",
        }
    }

    /// The heading of that group.
    pub fn heading(self, locale: &Locale) -> Cow<'static, str> {
        locale.message(match self {
            Self::Technician => "people",
            Self::Service => "services",
            Self::Area => "places",
        })
    }

    /// The insights of this kind.
    pub fn of(self, insights: &wire::Insights) -> &[wire::Entity] {
        let entities = &insights.entities;
        match self {
            Self::Technician => &entities.technicians,
            Self::Service => &entities.services,
            Self::Area => &entities.service_areas,
        }
    }

    /// The value of the parameter: a service's ID, as in a search; the names of others.
    pub fn key(self, entity: &wire::Entity) -> &str {
        match (self, &entity.id) {
            (Self::Service, Some(id)) => id,
            (Self::Service, None) | (Self::Technician | Self::Area, _) => &entity.name,
        }
    }

    /// The path of its page.
    pub fn path(self, entity: &wire::Entity, site: &Site<'_>) -> String {
        site.path_with("/insights", self.parameter(), self.key(entity))
    }

    /// Finds an entity by key, ignoring case; a service also by its name.
    pub fn find<'a>(self, insights: &'a wire::Insights, key: &str) -> Option<&'a wire::Entity> {
        let folded = fold(key);
        let entities = self.of(insights);
        let by_key = entities.iter().find(|entity| self.key(entity) == key);
        by_key.or_else(|| entities.iter().find(|entity| fold(&entity.name) == folded))
    }

    const fn column(self) -> ValueColumn {
        match self {
            Self::Technician => ValueColumn::Technicians,
            Self::Service => ValueColumn::Services,
            Self::Area => ValueColumn::ServiceAreas,
        }
    }

    fn names(self, posting: &Posting, entity: &wire::Entity) -> bool {
        match self {
            Self::Service => posting.mention.value == self.key(entity),
            Self::Technician | Self::Area => posting.mention.folded == fold(&entity.name),
        }
    }
}

#[derive(Template)]
#[template(path = "entity_page.html")]
struct EntityPage<'a> {
    frame: Frame<'a>,
    kind: EntityKind,
    entity: &'a wire::Entity,
    summary: Cow<'static, str>,
    reviews: Vec<ReviewFragment<'a>>,
    /// The search for all of them, if there is a filter.
    all: Option<String>,
}

pub fn show(snapshot: &Snapshot, kind: EntityKind, entity: &wire::Entity, links: &Links) -> String {
    let business = &snapshot.input.business;
    let site = Site::new(business, links);
    let locale = &site.locale;
    let filter = match kind {
        EntityKind::Technician => Some("mentions_technician"),
        EntityKind::Service => Some("mentions_service"),
        EntityKind::Area => None,
    };
    // If too few reviews mention it, only their count is shown.
    let newest = entity.positive.map_or(0, |_| NEWEST);
    let reviews = newest_naming(snapshot, kind, entity, newest);
    let naming_it = entity.reviews;
    let of_all = locale.counted("reviews", snapshot.input.review_index.len() as u64);
    let path = kind.path(entity, &site);
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
            .map(|name| site.search(name, kind.key(entity))),
        reviews: reviews
            .into_iter()
            .map(|review| ReviewFragment::in_list(review, &site))
            .collect(),
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
    kind: EntityKind,
    entity: &wire::Entity,
    newest: usize,
) -> Vec<wire::Review> {
    let segments = snapshot.input.review_index.segments().iter();
    let found = segments.flat_map(|segment| {
        let postings = segment.postings(kind.column()).iter();
        // A review that has a name in two spellings counts once.
        let positions: BTreeSet<u32> = postings
            .filter(|posting| kind.names(posting, entity))
            .flat_map(|posting| posting.positions.iter().copied())
            .collect();
        positions
            .into_iter()
            .filter_map(|position| segment.review(position as usize))
    });
    found.take(newest).collect()
}
