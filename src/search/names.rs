//! Resolves names to entities of the business's lists and of reviews, and suggests the nearest known names for an unknown one.

use std::collections::{BTreeMap, HashSet};

use super::parameters::SearchParameters;
use crate::compute::run_long;
use crate::model::business::PublishStaff;
use crate::model::text::NAME_CHARACTERS_MAX;
use crate::model::{MentionKind, fold};
use crate::snapshot::Snapshot;
use crate::wire::{DidYouMean, Facet};

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
enum Naming {
    Name,
    Id,
    /// An alias or a synonym.
    OtherName,
    /// A first name, or a technician's ID, which may be that of others.
    FirstName,
}

/// The entities that `query` names, ignoring case: services by their IDs, others by their names. Several, if it is a first name
/// or another name of several.
pub fn named(snapshot: &Snapshot, kind: MentionKind, query: &str) -> Vec<String> {
    let query = fold(query);
    let mut named: BTreeMap<Naming, Vec<String>> = BTreeMap::new();
    let mut seen = HashSet::new();
    for (value, names) in entities(snapshot, kind) {
        let naming = names.iter().filter(|(_, name)| fold(name) == query);
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

type NamedEntity<'a> = (&'a str, Vec<(Naming, &'a str)>);

/// The entities that the business lists, then those that reviews mention, with their names.
fn entities(snapshot: &Snapshot, kind: MentionKind) -> Vec<NamedEntity<'_>> {
    let (business, index) = (&snapshot.input.business, snapshot.input.entries.index());
    let mut entities: Vec<NamedEntity<'_>> = match kind {
        MentionKind::Technician => {
            let technicians = business.technicians.iter().map(|one| {
                let own = [(Naming::Name, &*one.name), (Naming::FirstName, &*one.id)];
                (&*one.name, names_of(own, &one.aliases))
            });
            technicians.collect()
        }
        MentionKind::Service => {
            let services = business.services.iter().map(|one| {
                let own = [(Naming::Name, &*one.name), (Naming::Id, &*one.id)];
                (&*one.id, names_of(own, &one.synonyms))
            });
            services.collect()
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

fn names_of<'a>(own: [(Naming, &'a str); 2], others: &'a [String]) -> Vec<(Naming, &'a str)> {
    let others = others.iter();
    let others = others.map(|other| (Naming::OtherName, other.as_str()));
    own.into_iter().chain(others).collect()
}

// Suggestions.

/// Maximum number of names that are compared.
const COMPARED_MAX: usize = 5_000;
/// Maximum number of known values that are listed if none is near.
const KNOWN_SHOWN: usize = 10;
/// Minimum similarity of two names, from 0 to 1: `Mike Alvares` passes, `Jo Unknown` does not.
const LIKENESS_MIN: f64 = 0.6;
/// Factor of the similarity if only one word of a name is similar.
const WORD_SHARE: f64 = 0.9;

/// Known values for the names of a search that nothing has: the nearest, or those that there are if none is near.
pub fn nearest_names(snapshot: &Snapshot, parameters: &SearchParameters) -> DidYouMean {
    run_long(|| {
        let counts = snapshot.counts();
        let entity = |kind, name: &Option<String>| suggest_names(snapshot, kind, name.as_deref()?);
        DidYouMean {
            mentions_technician: entity(MentionKind::Technician, &parameters.mentions_technician),
            mentions_service: entity(MentionKind::Service, &parameters.mentions_service),
            mentions_area: entity(MentionKind::ServiceArea, &parameters.mentions_area),
            language: nearest_facet(parameters.language.as_deref(), &counts.languages),
            source: nearest_facet(parameters.source.as_deref(), &counts.sources),
            ..DidYouMean::default()
        }
    })
}

/// The values nearest to a name that none of `facets` has.
fn nearest_facet(name: Option<&str>, facets: &[Facet]) -> Option<Vec<String>> {
    let names = || facets.iter().map(|facet| facet.name.as_str());
    let name = name.filter(|name| names().all(|known| fold(known) != fold(name)))?;
    Some(nearest(name, names().map(|name| (name, name)), names()))
}

/// The entities that a name of several may mean, or for an unknown one the nearest; `None` if it names one, or entities of the
/// kind are not shown.
fn suggest_names(snapshot: &Snapshot, kind: MentionKind, query: &str) -> Option<Vec<String>> {
    let mut named = named(snapshot, kind, query);
    let staff = snapshot.input.business.publish_staff;
    match named.len() {
        0 if kind == MentionKind::Technician && staff == PublishStaff::Off => None,
        0 => {
            let entities = entities(snapshot, kind);
            let names = entities.iter().flat_map(|(value, names)| {
                let names = names.iter();
                names.map(|(_, name)| (*value, *name))
            });
            let known = snapshot.counts().of_kind(kind).iter();
            Some(nearest(query, names, known.map(|facet| value(kind, facet))))
        }
        1 => None,
        _ => {
            named.truncate(KNOWN_SHOWN);
            Some(named)
        }
    }
}

/// The value with the nearest name, the first one among equals; if none is near, the first of the known values.
fn nearest<'a>(
    query: &str,
    names: impl Iterator<Item = (&'a str, &'a str)>,
    known: impl Iterator<Item = &'a str>,
) -> Vec<String> {
    let query = fold(query);
    let mut best: Option<(f64, &str)> = None;
    if query.chars().count() <= NAME_CHARACTERS_MAX {
        for (value, name) in names.take(COMPARED_MAX) {
            let likeness = likeness(&query, &fold(name));
            if likeness >= LIKENESS_MIN && best.is_none_or(|(most, _)| likeness > most) {
                best = Some((likeness, value));
            }
        }
    }
    match best {
        Some((_, value)) => vec![value.to_owned()],
        None => known.take(KNOWN_SHOWN).map(str::to_owned).collect(),
    }
}

/// The similarity of a name, as a whole or by one of its words; both names are folded.
fn likeness(query: &str, name: &str) -> f64 {
    let words = name.split([' ', '-', '_']).filter(|word| word.len() > 1);
    let by_word = words
        .map(|word| strsim::normalized_damerau_levenshtein(query, word) * WORD_SHARE)
        .fold(0.0, f64::max);
    let name: String = name.chars().take(NAME_CHARACTERS_MAX).collect();
    by_word.max(strsim::normalized_damerau_levenshtein(query, &name))
}
