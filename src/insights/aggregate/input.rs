//! What is aggregated, and the entities that are counted: first those of the business's own lists, then other names in
//! reviews. A person named in too few reviews appears only with counts, so no sentence about them is quoted anywhere.

use std::collections::BTreeSet;

use crate::insights::compact_analysis::{CompactAnalysis, name_key};
use crate::insights::text::WordMap;
use crate::insights::trades::Trade;
use crate::links::Links;
use crate::model::business::{Business, Editorial};
use crate::model::{MentionKind, Review};

/// Input of the aggregation.
pub struct AggregateInput<'a> {
    /// All analyzed reviews with their compact analyses, newest first.
    pub analyses: &'a [(&'a Review, &'a CompactAnalysis)],
    /// Number of reviews that have no compact analysis yet.
    pub unanalyzed: usize,
    /// The trade that defines the aspect numbers in the compact analyses.
    pub trade: &'a Trade,
    /// The business, with its technicians as they are published.
    pub business: &'a Business,
    /// Full names and aliases of the technicians, published or not; they never become topics.
    pub people: &'a [&'a str],
    /// The owner's own texts.
    pub editorial: &'a Editorial,
    /// Ids of the aspects that the owner's FAQ answers.
    pub answered: &'a BTreeSet<String>,
    /// Names in reviews, whether or not they are in the business's lists, sorted.
    pub mentioned: &'a BTreeSet<(MentionKind, &'a str)>,
    /// For the addresses of evidence.
    pub links: &'a Links,
}

/// A technician, service or place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RosterEntry {
    pub kind: MentionKind,
    /// Id chosen by the owner; `None` for places and for names that are not in the business's lists.
    pub id: Option<String>,
    /// The name in the business's list, or as recorded in reviews.
    pub name: String,
}

impl RosterEntry {
    /// Whether more than its count is shown if so many reviews name it.
    pub fn is_stated(&self, reviews: u32) -> bool {
        let least = match self.kind {
            MentionKind::Technician => PERSON_MIN,
            MentionKind::Service | MentionKind::ServiceArea => 1,
        };
        reviews >= least
    }
}

/// All counted entities.
#[derive(Debug, Clone, Default)]
pub struct Roster {
    /// Technicians, then services, then places.
    pub entries: Vec<RosterEntry>,
    /// The number of each entity by its key.
    numbers: WordMap<usize>,
}

impl Roster {
    /// The business's technicians, services and places in its own order; each kind is followed by its other names in
    /// `mentioned`, in their order.
    pub fn new(business: &Business, mentioned: &BTreeSet<(MentionKind, &str)>) -> Self {
        let mut roster = Self::default();
        for kind in MentionKind::ALL {
            match kind {
                MentionKind::Technician => (business.technicians.iter())
                    .for_each(|one| roster.add(kind, Some(&one.id), &one.name, &one.name)),
                MentionKind::Service => (business.services.iter())
                    .for_each(|one| roster.add(kind, Some(&one.id), &one.name, &one.id)),
                MentionKind::ServiceArea => (business.service_areas.iter())
                    .for_each(|name| roster.add(kind, None, name, name)),
            }
            for (_, value) in mentioned
                .iter()
                .filter(|(mention_kind, _)| *mention_kind == kind)
            {
                roster.add(kind, None, value, value);
            }
        }
        roster
    }

    /// Adds an entity that is not yet in the roster; `value` is its value in mentions.
    fn add(&mut self, kind: MentionKind, id: Option<&String>, name: &str, value: &str) {
        self.numbers
            .entry(name_key(kind, value))
            .or_insert_with(|| {
                self.entries.push(RosterEntry {
                    kind,
                    id: id.cloned(),
                    name: name.to_owned(),
                });
                self.entries.len() - 1
            });
    }

    /// The number of the entity with that key.
    pub fn find(&self, key: u64) -> Option<usize> {
        self.numbers.get(&key).copied()
    }
}

/// Minimum number of reviews that name a person; below it, only their count is shown.
pub const PERSON_MIN: u32 = 3;
