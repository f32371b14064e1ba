//! Resolves names to entities of the business's lists and of reviews.

use std::collections::{BTreeMap, HashSet};

use crate::model::{MentionKind, fold};
use crate::snapshot::Snapshot;
use crate::wire::Facet;

/// The value of an entity in compact analyses and in filters: a service's ID, the name of any other.
pub fn value(kind: MentionKind, facet: &Facet) -> &str {
    match kind {
        MentionKind::Service => facet.id.as_deref().unwrap_or(&facet.name),
        MentionKind::Technician | MentionKind::ServiceArea => &facet.name,
    }
}

/// The facet of the one entity that `query` names; `None` if it names none, or several.
pub fn find<'a>(snapshot: &'a Snapshot, kind: MentionKind, query: &str) -> Option<&'a Facet> {
    let [named] = &named(snapshot, kind, query)[..] else {
        return None;
    };
    let mut facets = snapshot.counts().of_kind(kind).iter();
    facets.find(|facet| fold(value(kind, facet)) == fold(named))
}

/// How a query may name an entity; an earlier way takes precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Naming {
    Name,
    Id,
    /// An alias or a synonym.
    OtherName,
    FirstName,
}

/// The entities that `query` names, ignoring case: services by their IDs, others by their names. Several, if it is a first name
/// or another name of several.
pub fn named(snapshot: &Snapshot, kind: MentionKind, query: &str) -> Vec<String> {
    let query = fold(query);
    let is_named = |name: &str| fold(name) == query;
    let mut named: BTreeMap<Naming, Vec<String>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for (value, names) in entities(snapshot, kind) {
        let naming = names.iter().filter(|(_, name)| is_named(name));
        let naming = naming.map(|(naming, _)| *naming).min();
        if let Some(naming) = naming
            && seen.insert(fold(value))
        {
            named.entry(naming).or_default().push(value.to_owned());
        }
    }
    let mut named = named.into_values().next().unwrap_or_default();
    named.sort_unstable();
    named
}

pub type NamedEntity<'a> = (&'a str, Vec<(Naming, &'a str)>);

/// The entities that the business lists, then those that reviews mention, with their names.
pub fn entities(snapshot: &Snapshot, kind: MentionKind) -> Vec<NamedEntity<'_>> {
    let (business, index) = (&snapshot.input.business, snapshot.input.entries.index());
    let mut entities: Vec<NamedEntity<'_>> = match kind {
        MentionKind::Technician => {
            let technicians = business.technicians.iter();
            technicians
                .map(|one| (&*one.name, names_of(&one.name, &one.id, &one.aliases)))
                .collect()
        }
        MentionKind::Service => {
            let services = business.services.iter();
            services
                .map(|one| (&*one.id, names_of(&one.name, &one.id, &one.synonyms)))
                .collect()
        }
        MentionKind::ServiceArea => {
            let areas = business.service_areas.iter();
            areas
                .map(|name| (&**name, vec![(Naming::Name, &**name)]))
                .collect()
        }
    };
    let mentioned = index.mentioned(kind).iter();
    let mentioned = mentioned.map(|(_, value)| value.spellings[0].as_str());
    entities.extend(mentioned.map(|name| (name, vec![(Naming::Name, name)])));
    if kind == MentionKind::Technician {
        for (name, names) in &mut entities {
            let first = name.split_whitespace().next();
            names.extend(first.map(|first| (Naming::FirstName, first)));
        }
    }
    entities
}

fn names_of<'a>(name: &'a str, id: &'a str, others: &'a [String]) -> Vec<(Naming, &'a str)> {
    let own = [(Naming::Name, name), (Naming::Id, id)].into_iter();
    let others = others
        .iter()
        .map(|other| (Naming::OtherName, other.as_str()));
    own.chain(others).collect()
}
