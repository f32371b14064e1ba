//! Whom and what an agent or a person means by a name: the firm's own lists, and what reviews mention besides.

use super::views::View;
use crate::reviews::fold;
use crate::wire::Facet;

/// How many names an error lists.
const NAMED_MAX: usize = 100;

/// The technician of that full name, id or alias, in any case.
#[must_use]
pub fn technician<'a>(view: &'a View, said: &str) -> Option<&'a Facet> {
    let people = &view.edition.copy.business.technicians;
    let aliases = people.iter().flat_map(|one| one.aliases.iter().map(|alias| (one.id.as_str(), alias.as_str())));
    find(&view.counts().technicians, aliases, said)
}

/// The service of that id, name or synonym, in any case.
#[must_use]
pub fn service<'a>(view: &'a View, said: &str) -> Option<&'a Facet> {
    let services = &view.edition.copy.business.services;
    let synonyms = services.iter().flat_map(|one| one.synonyms.iter().map(|synonym| (one.id.as_str(), synonym.as_str())));
    find(&view.counts().services, synonyms, said)
}

/// By name, then by id, then by another word for it: what is said plainly comes before what is said in passing.
fn find<'a, 'b>(facets: &'a [Facet], others: impl Iterator<Item = (&'b str, &'b str)>, said: &str) -> Option<&'a Facet> {
    let wanted = fold(said);
    let by_id = |id: &str| facets.iter().find(|facet| facet.id.as_deref() == Some(id));
    let by_name = facets.iter().find(|facet| fold(&facet.name) == wanted);
    by_name
        .or_else(|| facets.iter().find(|facet| facet.id.as_deref().is_some_and(|id| fold(id) == wanted)))
        .or_else(|| by_id(others.into_iter().find(|(_, word)| fold(word) == wanted)?.0))
}

/// The names there are, most mentioned first, for an error.
#[must_use]
pub fn listed(facets: &[Facet]) -> String {
    let names: Vec<&str> = facets.iter().take(NAMED_MAX).map(|facet| facet.name.as_str()).collect();
    match facets.len().saturating_sub(NAMED_MAX) {
        _ if names.is_empty() => "there are none".to_owned(),
        0 => format!("there are {}", names.join(", ")),
        more => format!("there are {}, and {more} more", names.join(", ")),
    }
}
