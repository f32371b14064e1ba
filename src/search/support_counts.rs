//! How many reviews support an aspect, and of how many of them that is said of whom.

use std::collections::HashMap;

use crate::insights::{MentionKind, PackedAnalysisRef, name_key};
use crate::wire;

/// The same names by what packed analyses know them by.
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
