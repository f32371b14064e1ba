//! Suggests the nearest known names for an unknown one.

use super::names::{named, value};
use super::parameters::SearchParameters;
use crate::compute::run_long;
use crate::model::business::PublishStaff;
use crate::model::text::NAME_CHARACTERS_MAX;
use crate::model::{MentionKind, fold};
use crate::snapshot::Snapshot;
use crate::wire::{DidYouMean, Facet};

/// Maximum number of values that are compared, most mentioned first.
const COMPARED_MAX: usize = 1_000;
/// Maximum number of known values that are listed if none is near.
const KNOWN_SHOWN: usize = 10;
/// Minimum similarity of two names, from 0 to 1: `Mike Alvares` passes, `Jo Unknown` does not.
const LIKENESS_MIN: f64 = 0.6;
/// Factor of the similarity if only one word of a name is similar.
const WORD_SHARE: f64 = 0.9;

/// The aliases and synonyms of the business's entities, each with the entity's ID.
fn other_names(snapshot: &Snapshot, kind: MentionKind) -> Vec<(&str, &str)> {
    let business = &snapshot.input.business;
    let entities: Vec<(&str, &[String])> = match kind {
        MentionKind::Technician => {
            let technicians = business.technicians.iter();
            technicians.map(|one| (&*one.id, &*one.aliases)).collect()
        }
        MentionKind::Service => {
            let services = business.services.iter();
            services.map(|one| (&*one.id, &*one.synonyms)).collect()
        }
        MentionKind::ServiceArea => Vec::new(),
    };
    let names = entities.into_iter();
    names
        .flat_map(|(id, names)| names.iter().map(move |name| (id, name.as_str())))
        .collect()
}

/// Known values for the names of a search that nothing has: the nearest, or those that there are if none is near.
pub fn nearest_names(snapshot: &Snapshot, parameters: &SearchParameters) -> DidYouMean {
    let names = [
        &parameters.mentions_technician,
        &parameters.mentions_service,
        &parameters.mentions_area,
        &parameters.language,
        &parameters.source,
    ];
    if names.into_iter().all(Option::is_none) {
        return DidYouMean::default();
    }
    run_long(|| {
        let counts = snapshot.counts();
        let language = unknown(parameters.language.as_deref(), &counts.languages);
        let source = unknown(parameters.source.as_deref(), &counts.sources);
        let suggested =
            |kind, name: &Option<String>| suggest_names(snapshot, kind, name.as_deref()?);
        DidYouMean {
            mentions_technician: suggested(
                MentionKind::Technician,
                &parameters.mentions_technician,
            ),
            mentions_service: suggested(MentionKind::Service, &parameters.mentions_service),
            mentions_area: suggested(MentionKind::ServiceArea, &parameters.mentions_area),
            language: language.map(|tag| {
                // `en` for `en-GB` if there is no other English.
                let primary = tag.split('-').next().unwrap_or_default();
                let found = nearest_facet(tag, &counts.languages, &[])
                    .or_else(|| nearest_facet(primary, &counts.languages, &[]));
                found_or_known(found, &counts.languages, |facet| &facet.name)
            }),
            source: source.map(|name| {
                let found = nearest_facet(name, &counts.sources, &[]);
                found_or_known(found, &counts.sources, |facet| &facet.name)
            }),
            ..DidYouMean::default()
        }
    })
}

/// `name` if none of `facets` has it.
fn unknown<'a>(name: Option<&'a str>, facets: &[Facet]) -> Option<&'a str> {
    let name = name.filter(|name| !name.is_empty())?;
    let folded = fold(name);
    facets
        .iter()
        .all(|facet| fold(&facet.name) != folded)
        .then_some(name)
}

/// The entities that a name of several may mean, or for an unknown one the nearest; `None` if it names one, or entities of the
/// kind are not shown.
pub fn suggest_names(snapshot: &Snapshot, kind: MentionKind, query: &str) -> Option<Vec<String>> {
    let mut named = named(snapshot, kind, query);
    match named.len() {
        0 => nearest(snapshot, kind, query),
        1 => None,
        _ => {
            named.truncate(KNOWN_SHOWN);
            Some(named)
        }
    }
}

/// The [`value`] of the entity with the nearest name, ID, alias or synonym, or those of the most mentioned ones; `None`
/// if entities of the kind are not shown.
fn nearest(snapshot: &Snapshot, kind: MentionKind, query: &str) -> Option<Vec<String>> {
    let staff = snapshot.input.business.publish_staff;
    if kind == MentionKind::Technician && staff == PublishStaff::Off {
        return None;
    }
    let facets = snapshot.counts().of_kind(kind);
    let nearest = nearest_facet(query, facets, &other_names(snapshot, kind));
    Some(found_or_known(nearest, facets, |facet| value(kind, facet)))
}

/// The value of the facet that was found, or those of the first ones.
fn found_or_known(
    found: Option<&Facet>,
    facets: &[Facet],
    value: impl Fn(&Facet) -> &str,
) -> Vec<String> {
    let found = found.map_or_else(
        || facets.iter().take(KNOWN_SHOWN).map(&value).collect(),
        |facet| vec![value(facet)],
    );
    found.into_iter().map(str::to_owned).collect()
}

/// The facet whose name, ID or other name is nearest; among equals, the most mentioned one. `others` are names by ID.
fn nearest_facet<'a>(
    query: &str,
    facets: &'a [Facet],
    others: &[(&str, &str)],
) -> Option<&'a Facet> {
    let query = fold(query);
    if query.is_empty() || query.chars().count() > NAME_CHARACTERS_MAX {
        return None;
    }
    let mut best: Option<(f64, &Facet)> = None;
    for facet in facets.iter().take(COMPARED_MAX) {
        let id = facet.id.as_deref();
        let others = others.iter().filter(|(other, _)| Some(*other) == id);
        let likeness = others
            .map(|(_, name)| *name)
            .chain(id)
            .chain([&*facet.name])
            .map(|name| likeness(&query, &fold(name)))
            .fold(0.0, f64::max);
        if likeness >= LIKENESS_MIN && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, facet));
        }
    }
    best.map(|(_, facet)| facet)
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
