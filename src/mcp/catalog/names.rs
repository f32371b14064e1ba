//! The names there are, for whoever gave one that there is not.

use crate::wire::Facet;

/// How many names an error lists.
const NAMED_MAX: usize = 100;

/// The names there are, most mentioned first, for an error.
#[must_use]
pub fn listed(facets: &[Facet]) -> String {
    let names: Vec<&str> = facets
        .iter()
        .take(NAMED_MAX)
        .map(|facet| facet.name.as_str())
        .collect();
    match facets.len().saturating_sub(NAMED_MAX) {
        _ if names.is_empty() => "there are none".to_owned(),
        0 => format!("there are {}", names.join(", ")),
        more => format!("there are {}, and {more} more", names.join(", ")),
    }
}
