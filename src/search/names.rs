//! Whom and what somebody means by a name: the firm's own lists, and what reviews mention besides.

use super::facets::Counts;
use crate::model::business::Business;
use crate::model::fold;
use crate::wire::Facet;

/// The technician of that full name, id or alias, in any case.
#[must_use]
pub fn technician<'a>(counts: &'a Counts, business: &Business, said: &str) -> Option<&'a Facet> {
    let aliases = business.technicians.iter().flat_map(|one| {
        one.aliases
            .iter()
            .map(|alias| (one.id.as_str(), alias.as_str()))
    });
    find(&counts.technicians, aliases, said)
}

/// The service of that id, name or synonym, in any case.
#[must_use]
pub fn service<'a>(counts: &'a Counts, business: &Business, said: &str) -> Option<&'a Facet> {
    let synonyms = business.services.iter().flat_map(|one| {
        one.synonyms
            .iter()
            .map(|synonym| (one.id.as_str(), synonym.as_str()))
    });
    find(&counts.services, synonyms, said)
}

/// The place of that name, in any case.
#[must_use]
pub fn area<'a>(counts: &'a Counts, said: &str) -> Option<&'a Facet> {
    find(&counts.service_areas, std::iter::empty(), said)
}

/// By name, then by id, then by another word for it: what is said plainly comes before what is said
/// in passing.
fn find<'a, 'b>(
    facets: &'a [Facet],
    others: impl Iterator<Item = (&'b str, &'b str)>,
    said: &str,
) -> Option<&'a Facet> {
    let wanted = fold(said);
    let by_id = |id: &str| facets.iter().find(|facet| facet.id.as_deref() == Some(id));
    let by_name = facets.iter().find(|facet| fold(&facet.name) == wanted);
    by_name
        .or_else(|| {
            facets
                .iter()
                .find(|facet| facet.id.as_deref().is_some_and(|id| fold(id) == wanted))
        })
        .or_else(|| by_id(others.into_iter().find(|(_, word)| fold(word) == wanted)?.0))
}
