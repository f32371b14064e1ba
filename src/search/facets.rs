//! Facets: whom and what reviews mention, when they are from and how many stars they have, counted
//! from the segments' columns. A technician's count is what `mentions_technician` finds, a
//! service's what `mentions_service` finds.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::insights::aggregate::VoteCounts;
use crate::insights::{MentionKind, PackedAnalysisRef, name_key};
use crate::model::business::Business;
use crate::model::fold;
use crate::snapshot::entry::Mention;
use crate::snapshot::input::SnapshotInput;
use crate::snapshot::segment::Segment;
use crate::snapshot::{Document, Postings, ReviewIndex, Snapshot};
use crate::wire;

/// How many values a list has at the most.
pub const VALUES_MAX: usize = 100;

/// Everybody and everything, the most mentioned first, then by name.
#[derive(Debug, Default)]
pub struct Counts {
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

impl Counts {
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
        let mut services = listed(
            work,
            count(review_index, Segment::services, |mention| &mention.value),
        );
        // One that the firm does not list is known by its id alone.
        for service in services.iter_mut().filter(|service| service.id.is_none()) {
            service.id = Some(service.name.clone());
        }
        Self {
            technicians: listed(
                people,
                count(review_index, Segment::technicians, |mention| {
                    &mention.folded
                }),
            ),
            services,
            service_areas: listed(
                places,
                count(review_index, Segment::service_areas, |mention| {
                    &mention.folded
                }),
            ),
            sources: listed(
                std::iter::empty(),
                count(
                    review_index,
                    |segment| &segment.labels().sources,
                    |mention| &mention.folded,
                ),
            ),
            languages: listed(
                std::iter::empty(),
                count(
                    review_index,
                    |segment| &segment.labels().languages,
                    |mention| &mention.folded,
                ),
            ),
        }
    }
}

/// What is made of a snapshot when it is first asked for, and then shared.
#[derive(Debug, Default)]
pub struct LazyCounts {
    counts: OnceLock<Counts>,
    insights: OnceLock<Option<wire::Insights>>,
}

impl LazyCounts {
    /// The counts of the snapshot that this belongs to.
    #[must_use]
    pub fn of(&self, snapshot: &Snapshot) -> &Counts {
        self.counts.get_or_init(|| Counts::of(&snapshot.input))
    }

    /// Its insights, as they are rendered; `None` never, for what is rendered can be read back.
    #[must_use]
    pub fn insights(&self, snapshot: &Snapshot) -> Option<&wire::Insights> {
        let read = || {
            let content = &snapshot.document(Document::Insights).body.content;
            let read = serde_json::from_slice(&content.pieces.concat());
            read.inspect_err(|error| {
                tracing::error!(%error, "insights.unreadable: /insights.json cannot be read back; report it");
            })
            .ok()
        };
        self.insights.get_or_init(read).as_ref()
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
    postings: fn(&Segment) -> &Postings,
    key: fn(&Mention) -> &str,
) -> Found<'_> {
    let mut found = Found::new();
    for (number, segment) in review_index.segments().iter().enumerate() {
        for posting in postings(segment).iter() {
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
fn listed(
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

/// Of long lists the `most` mentioned values, and how many there are besides.
#[must_use]
pub fn facets(counts: &Counts, snapshot: &Snapshot, most: usize) -> wire::Facets {
    let review_index = &snapshot.input.review_index;
    let lists = [
        ("technicians", &counts.technicians),
        ("services", &counts.services),
        ("service_areas", &counts.service_areas),
        ("sources", &counts.sources),
        ("languages", &counts.languages),
    ];
    let years: Vec<wire::YearFacet> = review_index
        .years()
        .map(|(year, positions)| wire::YearFacet {
            year,
            reviews: positions.len() as u64,
        })
        .collect();
    let mut left_out: Vec<wire::LeftOut> = lists
        .iter()
        .map(|(name, list)| ((*name).to_owned(), list.len().saturating_sub(most)))
        .chain([("years".to_owned(), years.len().saturating_sub(most))])
        .map(|(list, values)| wire::LeftOut {
            list,
            values: values as u64,
        })
        .collect();
    left_out.retain(|left_out| left_out.values > 0);
    let [technicians, services, service_areas, sources, languages] =
        lists.map(|(_, list)| list.iter().take(most).cloned().collect());
    let ratings = (1..=5)
        .zip(review_index.rating_counts().by_stars())
        .rev()
        .map(|(rating, reviews)| wire::RatingFacet { rating, reviews });
    wire::Facets {
        reviews: review_index.len() as u64,
        technicians,
        services,
        service_areas,
        sources,
        languages,
        aspects: aspects(snapshot),
        years: years.into_iter().take(most).collect(),
        ratings: ratings.collect(),
        left_out,
    }
}

/// The aspects that are spoken of, in the order of the trade: a trade has a few dozen at the most.
fn aspects(snapshot: &Snapshot) -> Vec<wire::AspectFacet> {
    let aspects = &snapshot.input.analyzer.trade().aspects;
    let mut votes = vec![VoteCounts::default(); aspects.len()];
    for segment in snapshot.input.review_index.segments() {
        let of_segment = segment.opinions(aspects.len()).votes();
        votes
            .iter_mut()
            .zip(of_segment)
            .for_each(|(votes, more)| votes.add(more));
    }
    aspects
        .iter()
        .zip(&votes)
        .filter(|(_, votes)| votes.reviews() > 0)
        .map(|(aspect, votes)| wire::AspectFacet::new(&aspect.id, &aspect.label, votes))
        .collect()
}

// How many reviews support an aspect, and of how many of them that is said of whom.

/// The same names by what packed analyses know them by.
#[must_use]
pub fn keyed(kind: MentionKind, facets: &[wire::Facet]) -> HashMap<u64, &wire::Facet> {
    let value = |facet: &wire::Facet| match kind {
        MentionKind::Service => facet.id.clone().unwrap_or_else(|| facet.name.clone()),
        MentionKind::Technician | MentionKind::ServiceArea => facet.name.clone(),
    };
    facets
        .iter()
        .map(|facet| (name_key(kind, &value(facet)), facet))
        .collect()
}

/// How many reviews support the aspect, and how many of them speak of whom and what.
#[derive(Default)]
pub struct SupportCounts {
    /// How many reviews.
    pub total: u64,
    by_name: HashMap<(MentionKind, u64), u64>,
}

impl SupportCounts {
    /// Counts a review whose findings of that mask support it.
    pub fn count(&mut self, analysis: PackedAnalysisRef<'_>, finding_mask: u32) {
        self.total += 1;
        for name in analysis.names {
            let is_meant = match name.kind {
                MentionKind::Technician => name.near_mask & finding_mask != 0,
                MentionKind::Service => name.is_linked,
                MentionKind::ServiceArea => false,
            };
            if is_meant {
                *self.by_name.entry((name.kind, name.key)).or_default() += 1;
            }
        }
    }

    /// Those of a kind, the most frequent first, then by name.
    #[must_use]
    pub fn listed(
        &self,
        known: &HashMap<u64, &wire::Facet>,
        kind: MentionKind,
    ) -> Vec<wire::Facet> {
        let counted = self.by_name.iter().filter(|((its, _), _)| *its == kind);
        let mut facets: Vec<wire::Facet> = counted
            .filter_map(|((_, key), reviews)| {
                let facet = *known.get(key)?;
                Some(wire::Facet {
                    reviews: *reviews,
                    ..facet.clone()
                })
            })
            .collect();
        facets.sort_by(|one, other| {
            let by_count = other.reviews.cmp(&one.reviews);
            by_count.then_with(|| one.name.cmp(&other.name))
        });
        facets
    }
}
