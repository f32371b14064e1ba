//! Counts of a snapshot's mentions, from the segments' columns: a technician's count equals the results of the filter
//! `mentions_technician`, a service's those of `mentions_service`. And counts of trigrams in the newest reviews, which
//! tell a search what is rare.

use std::collections::HashMap;

use super::index::ReviewIndex;
use super::input::SnapshotInput;
use super::segment::{FoldedValue, ValueColumn};
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
        let facets = |own, column| facets(own, count(review_index, column));
        let people = technicians.iter();
        let people = people.map(|one| (fold(&one.name), Some(one.id.clone()), one.name.clone()));
        let work = services.iter();
        let work = work.map(|one| (one.id.clone(), Some(one.id.clone()), one.name.clone()));
        let places = service_areas.iter();
        let places = places.map(|name| (fold(name), None, name.clone()));
        let mut services = facets(work.collect(), ValueColumn::Services);
        // A service that the business does not list has only its name as ID.
        for service in services.iter_mut().filter(|service| service.id.is_none()) {
            service.id = Some(service.name.clone());
        }
        Self {
            technicians: facets(people.collect(), ValueColumn::Technicians),
            services,
            service_areas: facets(places.collect(), ValueColumn::ServiceAreas),
            sources: facets(Vec::new(), ValueColumn::Sources),
            languages: facets(Vec::new(), ValueColumn::Languages),
        }
    }
}

/// Counts by key, with the first spelling found.
type Found<'a> = HashMap<&'a str, Mentioned<'a>>;

#[derive(Debug, Default)]
struct Mentioned<'a> {
    value: &'a str,
    reviews: u64,
    /// The postings of its spellings in the current segment.
    segment: usize,
    positions: Vec<&'a [u32]>,
}

fn count(review_index: &ReviewIndex, column: ValueColumn) -> Found<'_> {
    let key: fn(&FoldedValue) -> &str = if column == ValueColumn::Services {
        |mention| &mention.value
    } else {
        |mention| &mention.folded
    };
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
            // A review that has a name in two spellings counts once.
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

/// The business's own entities (key, ID, name) and other mentions.
fn facets(own: Vec<(String, Option<String>, String)>, mut found: Found<'_>) -> Vec<wire::Facet> {
    let own = own.into_iter().map(|(key, id, name)| {
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

/// In how many of the newest reviews each trigram occurs: an upper bound, because some trigrams share a counter.
#[derive(Debug)]
pub struct TrigramCounts {
    /// The number of counted reviews.
    pub reviews: usize,
    counters: Vec<u16>,
}

/// Some ten thousand different trigrams occur in so many reviews.
const COUNTERS: usize = 1 << 16;

impl TrigramCounts {
    /// Maximum number of counted reviews; counting takes about 0.5 ms.
    pub const REVIEWS_MAX: u16 = 256;

    pub fn of(review_index: &ReviewIndex) -> Self {
        let (mut counters, mut counted_in) = (vec![0; COUNTERS], vec![0; COUNTERS]);
        let newest = review_index.slices(0..usize::from(Self::REVIEWS_MAX));
        let places =
            newest.flat_map(|(segment, indices)| indices.map(move |index| (segment, index)));
        let mut reviews = 0;
        for (number, (segment, index)) in (1..=Self::REVIEWS_MAX).zip(places) {
            reviews = usize::from(number);
            // Folded texts are UTF-8.
            let text = str::from_utf8(segment.folded_text(index)).unwrap_or_default();
            for counter in counters_of(text) {
                if counted_in[counter] != number {
                    counted_in[counter] = number;
                    counters[counter] += 1;
                }
            }
        }
        Self { reviews, counters }
    }

    /// At most in so many of the counted reviews.
    pub fn most(&self, trigram: &str) -> usize {
        let counter = counters_of(trigram).next();
        counter.map_or(0, |counter| usize::from(self.counters[counter]))
    }
}

/// The counter of each trigram of a text.
fn counters_of(text: &str) -> impl Iterator<Item = usize> {
    let mut three = 0_u64;
    text.chars().enumerate().filter_map(move |(at, character)| {
        // A character has 21 bits, so the fourth last is shifted out.
        three = (three << 21 | u64::from(character)) & (u64::MAX >> 1);
        // Fibonacci hashing: the upper 16 bits of the product with 2⁶⁴ ÷ φ.
        let [one, two, ..] = three.wrapping_mul(0x9E37_79B9_7F4A_7C15).to_be_bytes();
        (at >= 2).then_some(usize::from(u16::from_be_bytes([one, two])))
    })
}
