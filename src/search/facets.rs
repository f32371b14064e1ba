//! Facets: whom and what reviews mention, when they are from and how many stars they have, counted from the blocks'
//! columns. A technician's count is what `mentions_technician` finds, a service's what `mentions_service` finds.

use std::collections::HashMap;

use crate::business::Business;
use crate::edition::block::Block;
use crate::edition::entry::Mention;
use crate::edition::print::Copy;
use crate::edition::{Postings, Shelf};
use crate::reviews::{Day, fold};
use crate::wire;
use chrono::{Datelike, NaiveDate};

/// How many values a list has at the most.
pub const VALUES_MAX: usize = 100;

/// Everybody and everything, the most mentioned first, then by name.
#[derive(Debug, Default)]
pub struct Counts {
    /// People.
    pub technicians: Vec<wire::Facet>,
    /// Services; each has an id.
    pub services: Vec<wire::Facet>,
    /// Places.
    pub service_areas: Vec<wire::Facet>,
}

impl Counts {
    /// What is mentioned in the reviews of `copy`, and what the firm lists and nobody mentions.
    #[must_use]
    pub fn of(copy: &Copy) -> Self {
        let Copy { shelf, business, .. } = copy;
        let Business { technicians, services, service_areas, .. } = business;
        let people = technicians.iter().map(|one| (fold(&one.name), Some(one.id.clone()), one.name.clone()));
        let work = services.iter().map(|one| (one.id.clone(), Some(one.id.clone()), one.name.clone()));
        let places = service_areas.iter().map(|name| (fold(name), None, name.clone()));
        let mut services = listed(work, count(shelf, Block::services, |mention| &mention.value));
        // One that the firm does not list is known by its id alone.
        for service in services.iter_mut().filter(|service| service.id.is_none()) {
            service.id = Some(service.name.clone());
        }
        Self {
            technicians: listed(people, count(shelf, Block::technicians, |mention| &mention.folded)),
            services,
            service_areas: listed(places, count(shelf, Block::service_areas, |mention| &mention.folded)),
        }
    }
}

/// How many reviews mention what, by key, with the spelling met first.
type Found<'a> = HashMap<&'a str, Mentioned<'a>>;

#[derive(Debug, Default)]
struct Mentioned<'a> {
    value: &'a str,
    reviews: u64,
    /// Where spellings of it stand in the block being read.
    block: usize,
    positions: Vec<&'a [u32]>,
}

fn count(shelf: &Shelf, postings: fn(&Block) -> &Postings, key: fn(&Mention) -> &str) -> Found<'_> {
    let mut found = Found::new();
    for (number, block) in shelf.blocks().iter().enumerate() {
        for posting in postings(block).iter() {
            let mentioned = found.entry(key(&posting.mention)).or_default();
            if mentioned.reviews == 0 {
                mentioned.value = &posting.mention.value;
            }
            if mentioned.block != number {
                mentioned.block = number;
                mentioned.positions.clear();
            }
            // A review that spells a name in two ways mentions it once.
            let earlier = &mentioned.positions;
            let is_new = |at: &&u32| !earlier.iter().any(|positions| positions.binary_search(at).is_ok());
            mentioned.reviews += posting.positions.iter().filter(is_new).count() as u64;
            mentioned.positions.push(&posting.positions);
        }
    }
    found
}

/// The firm's own (key, id, name) and what is mentioned besides.
fn listed(own: impl Iterator<Item = (String, Option<String>, String)>, mut found: Found<'_>) -> Vec<wire::Facet> {
    let own = own.map(|(key, id, name)| {
        let reviews = found.remove(key.as_str()).map_or(0, |mentioned| mentioned.reviews);
        wire::Facet { id, name, reviews }
    });
    let mut facets: Vec<wire::Facet> = own.collect();
    let others = found.into_values();
    facets.extend(others.map(|other| wire::Facet { id: None, name: other.value.to_owned(), reviews: other.reviews }));
    facets.sort_by(|one, other| other.reviews.cmp(&one.reviews).then_with(|| one.name.cmp(&other.name)));
    facets
}

/// Of long lists the `most` mentioned values, and how many there are besides.
#[must_use]
pub fn facets(counts: &Counts, shelf: &Shelf, most: usize) -> wire::Facets {
    let lists = [("technicians", &counts.technicians), ("services", &counts.services), ("service_areas", &counts.service_areas)];
    let years = years(shelf);
    let mut left_out: Vec<wire::LeftOut> = lists
        .iter()
        .map(|(name, list)| ((*name).to_owned(), list.len().saturating_sub(most)))
        .chain([("years".to_owned(), years.len().saturating_sub(most))])
        .map(|(list, values)| wire::LeftOut { list, values: values as u64 })
        .collect();
    left_out.retain(|left_out| left_out.values > 0);
    let [technicians, services, service_areas] = lists.map(|(_, list)| list.iter().take(most).cloned().collect());
    let ratings = (1..=5).zip(shelf.tally().by_stars()).rev().map(|(rating, reviews)| wire::RatingFacet { rating, reviews });
    wire::Facets {
        reviews: shelf.len() as u64,
        technicians,
        services,
        service_areas,
        years: years.into_iter().take(most).collect(),
        ratings: ratings.collect(),
        left_out,
    }
}

/// Newest first: in the order of the reviews, each year is a slice of them.
fn years(shelf: &Shelf) -> Vec<wire::YearFacet> {
    let (mut years, mut position) = (Vec::new(), 0);
    while let Some((block, index)) = shelf.locate(position) {
        let day = NaiveDate::from_num_days_from_ce_opt(shelf.blocks()[block].days()[index]).unwrap_or_default();
        let first = NaiveDate::from_ymd_opt(day.year(), 1, 1).and_then(Day::new).unwrap_or(Day::MIN);
        // At least the review itself, so that this ends whatever the columns say.
        let end = shelf.count_since(first).max(position + 1);
        years.push(wire::YearFacet { year: day.year(), reviews: (end - position) as u64 });
        position = end;
    }
    years
}
