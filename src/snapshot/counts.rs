//! Counts of a snapshot's mentions, sources and languages: a technician's count equals the results of the filter
//! `mentions_technician`, a service's those of `mentions_service`.

use std::collections::HashSet;

use roaring::RoaringBitmap;

use super::index::Values;
use super::input::SnapshotInput;
use crate::model::business::Business;
use crate::model::{MentionKind, fold};
use crate::wire;

/// Lists are ordered by count, then by name.
#[derive(Debug, Default)]
pub struct MentionCounts {
    /// The technicians by shown name.
    pub technicians: Vec<wire::Facet>,
    /// Each has an ID.
    pub services: Vec<wire::Facet>,
    pub service_areas: Vec<wire::Facet>,
    /// The sources of the reviews.
    pub sources: Vec<wire::Facet>,
    /// Language tags.
    pub languages: Vec<wire::Facet>,
}

impl MentionCounts {
    pub fn of_kind(&self, kind: MentionKind) -> &[wire::Facet] {
        match kind {
            MentionKind::Technician => &self.technicians,
            MentionKind::Service => &self.services,
            MentionKind::ServiceArea => &self.service_areas,
        }
    }

    /// The mentions in the reviews of `input`, and listed entities that no review mentions.
    pub fn of(input: &SnapshotInput) -> Self {
        let index = input.entries.index();
        let Business {
            technicians,
            services,
            service_areas,
            ..
        } = &input.business;
        let people = technicians.iter();
        let people = people.map(|one| (fold(&one.name), Some(one.id.clone()), one.name.clone()));
        let work = services.iter();
        let work = work.map(|one| (one.id.clone(), Some(one.id.clone()), one.name.clone()));
        let places = service_areas.iter();
        let places = places.map(|name| (fold(name), None, name.clone()));
        let mut services = facets(work.collect(), &index.services);
        // A service that the business does not list has only its name as ID.
        for service in services.iter_mut().filter(|service| service.id.is_none()) {
            service.id = Some(service.name.clone());
        }
        Self {
            technicians: facets(people.collect(), &index.technicians),
            services,
            service_areas: facets(places.collect(), &index.service_areas),
            sources: facets(Vec::new(), &index.sources),
            languages: facets(Vec::new(), &index.languages),
        }
    }
}

/// The business's own entities (key, ID, name) and other values of reviews.
fn facets(own: Vec<(String, Option<String>, String)>, values: &Values) -> Vec<wire::Facet> {
    let mut listed = HashSet::new();
    let mut facets = Vec::new();
    for (key, id, name) in own {
        // Of two listed entities with the same key, the first has the reviews.
        let found = values.get(&key).filter(|_| !listed.contains(&key));
        let reviews = found.map_or(0, RoaringBitmap::len);
        listed.insert(key);
        facets.push(wire::Facet { id, name, reviews });
    }
    let others = values.iter().filter(|(key, _)| !listed.contains(*key));
    facets.extend(others.map(|(_, value)| wire::Facet {
        id: None,
        name: value.spellings[0].clone(),
        reviews: value.positions.len(),
    }));
    facets.sort_by(|one, other| {
        other
            .reviews
            .cmp(&one.reviews)
            .then_with(|| one.name.cmp(&other.name))
    });
    facets
}
