//! Whom and what the reviews of a snapshot mention, counted from the segments' columns. A
//! technician's count is what `mentions_technician` finds, a service's what `mentions_service`
//! finds.

use std::collections::HashMap;

use super::entry::{FoldedValue, ValueColumn};
use super::index::ReviewIndex;
use super::input::SnapshotInput;
use crate::model::business::Business;
use crate::model::fold;
use crate::wire;

/// Everybody and everything, the most mentioned first, then by name.
#[derive(Debug, Default)]
pub struct MentionCounts {
    /// Technicians by full name, most mentioned first.
    pub technicians: Vec<wire::Facet>,
    /// Services; each has an id.
    pub services: Vec<wire::Facet>,
    /// Service areas by name, most mentioned first.
    pub service_areas: Vec<wire::Facet>,
    /// Where reviews were written.
    pub sources: Vec<wire::Facet>,
    /// Language tags, most frequent first.
    pub languages: Vec<wire::Facet>,
}

impl MentionCounts {
    /// What is mentioned in the reviews of `input`, and what the firm lists and nobody mentions.
    #[must_use]
    pub fn of(input: &SnapshotInput) -> Self {
        let SnapshotInput {
            review_index,
            business,
            ..
        } = input;
        let Business {
            technicians,
            services,
            service_areas,
            ..
        } = business;
        let people = technicians
            .iter()
            .map(|one| (fold(&one.name), Some(one.id.clone()), one.name.clone()));
        let work = services
            .iter()
            .map(|one| (one.id.clone(), Some(one.id.clone()), one.name.clone()));
        let places = service_areas
            .iter()
            .map(|name| (fold(name), None, name.clone()));
        let mut services = facets(
            work,
            count(review_index, ValueColumn::Services, |mention| {
                &mention.value
            }),
        );
        // One that the firm does not list is known by its id alone.
        for service in services.iter_mut().filter(|service| service.id.is_none()) {
            service.id = Some(service.name.clone());
        }
        Self {
            technicians: facets(
                people,
                count(review_index, ValueColumn::Technicians, |mention| {
                    &mention.folded
                }),
            ),
            services,
            service_areas: facets(
                places,
                count(review_index, ValueColumn::ServiceAreas, |mention| {
                    &mention.folded
                }),
            ),
            sources: facets(
                std::iter::empty(),
                count(review_index, ValueColumn::Sources, |mention| {
                    &mention.folded
                }),
            ),
            languages: facets(
                std::iter::empty(),
                count(review_index, ValueColumn::Languages, |mention| {
                    &mention.folded
                }),
            ),
        }
    }
}

/// How many reviews mention what, by key, with the spelling met first.
type Found<'a> = HashMap<&'a str, Mentioned<'a>>;

#[derive(Debug, Default)]
struct Mentioned<'a> {
    value: &'a str,
    reviews: u64,
    /// Where spellings of it stand in the segment being read.
    segment: usize,
    positions: Vec<&'a [u32]>,
}

fn count(
    review_index: &ReviewIndex,
    column: ValueColumn,
    key: fn(&FoldedValue) -> &str,
) -> Found<'_> {
    let mut found = Found::new();
    for (number, segment) in review_index.segments().iter().enumerate() {
        for posting in segment.postings(column).iter() {
            let mentioned = found.entry(key(&posting.mention)).or_default();
            if mentioned.reviews == 0 {
                mentioned.value = &posting.mention.value;
            }
            if mentioned.segment != number {
                mentioned.segment = number;
                mentioned.positions.clear();
            }
            // A review that spells a name in two ways mentions it once.
            let earlier = &mentioned.positions;
            let is_new = |at: &&u32| {
                !earlier
                    .iter()
                    .any(|positions| positions.binary_search(at).is_ok())
            };
            mentioned.reviews += posting.positions.iter().filter(is_new).count() as u64;
            mentioned.positions.push(&posting.positions);
        }
    }
    found
}

/// The firm's own (key, id, name) and what is mentioned besides.
fn facets(
    own: impl Iterator<Item = (String, Option<String>, String)>,
    mut found: Found<'_>,
) -> Vec<wire::Facet> {
    let own = own.map(|(key, id, name)| {
        let reviews = found
            .remove(key.as_str())
            .map_or(0, |mentioned| mentioned.reviews);
        wire::Facet { id, name, reviews }
    });
    let mut facets: Vec<wire::Facet> = own.collect();
    let others = found.into_values();
    facets.extend(others.map(|other| wire::Facet {
        id: None,
        name: other.value.to_owned(),
        reviews: other.reviews,
    }));
    facets.sort_by(|one, other| {
        other
            .reviews
            .cmp(&one.reviews)
            .then_with(|| one.name.cmp(&other.name))
    });
    facets
}
