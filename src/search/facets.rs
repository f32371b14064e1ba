//! Facets: counts of mentions, opinions, dates and stars. They are sizes of sets in the snapshot's index.

use crate::insights::rules::AspectDefinition;
use crate::model::VoteCounts;
use crate::snapshot::Snapshot;
use crate::wire;

/// Maximum number of values in a list.
pub const FACET_VALUES_MAX: usize = 100;

/// Lists have at most `most` values, with the number of omitted values; aspects and ratings are complete.
pub fn facets(snapshot: &Snapshot, most: usize) -> wire::Facets {
    let (entries, counts) = (&snapshot.input.entries, snapshot.counts());
    let lists = [
        ("technicians", &counts.technicians),
        ("services", &counts.services),
        ("service_areas", &counts.service_areas),
        ("sources", &counts.sources),
        ("languages", &counts.languages),
    ];
    let years: Vec<wire::YearFacet> = entries
        .years()
        .map(|(year, positions)| wire::YearFacet {
            year,
            reviews: positions.len() as u64,
        })
        .collect();
    let lengths = lists.iter().map(|(name, list)| (*name, list.len()));
    let left_out = lengths
        .chain([("years", years.len())])
        .filter(|(_, length)| *length > most)
        .map(|(list, length)| wire::LeftOut {
            list: list.to_owned(),
            values: (length - most) as u64,
        })
        .collect();
    let [technicians, services, service_areas, sources, languages] =
        lists.map(|(_, list)| list.iter().take(most).cloned().collect());
    let (trade, all) = (
        snapshot.input.analyzer.trade,
        entries.positions_between(None, None),
    );
    let votes = entries.index().votes(&all, trade.shown_aspects().len());
    let ratings = (1..=5)
        .zip(entries.rating_counts().by_stars())
        .rev()
        .map(|(rating, reviews)| wire::RatingFacet { rating, reviews });
    wire::Facets {
        reviews: entries.len() as u64,
        technicians,
        services,
        service_areas,
        sources,
        languages,
        aspects: with_opinions(trade.shown_aspects(), &votes).collect(),
        years: years.into_iter().take(most).collect(),
        ratings: ratings.collect(),
        left_out,
    }
}

/// The aspects with opinions and their votes, in the order of the trade (at most a few dozen).
pub(super) fn with_opinions<'a>(
    aspects: &'a [AspectDefinition],
    votes: &'a [VoteCounts],
) -> impl Iterator<Item = wire::AspectFacet> {
    let aspects = aspects.iter().zip(votes);
    aspects
        .filter(|(_, votes)| votes.reviews() > 0)
        .map(|(aspect, votes)| wire::AspectFacet::new(&aspect.id, &aspect.label, votes))
}
