//! Suggests the nearest known names for an unknown one.

use super::names::{entities, named, value};
use super::parameters::SearchParameters;
use crate::compute::run_long;
use crate::model::business::PublishStaff;
use crate::model::text::NAME_CHARACTERS_MAX;
use crate::model::{MentionKind, fold};
use crate::snapshot::Snapshot;
use crate::wire::{DidYouMean, Facet};

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
    if parameters.mentions().next().is_none()
        && parameters.language.is_none()
        && parameters.source.is_none()
    {
        return DidYouMean::default();
    }
    run_long(|| {
        let counts = snapshot.counts();
        let entity = |kind, name: &Option<String>| suggest_names(snapshot, kind, name.as_deref()?);
        // `en` for `en-GB` if there is no other English.
        let primary = |tag: &str| tag.split('-').next().unwrap_or_default().to_owned();
        DidYouMean {
            mentions_technician: entity(MentionKind::Technician, &parameters.mentions_technician),
            mentions_service: entity(MentionKind::Service, &parameters.mentions_service),
            mentions_area: entity(MentionKind::ServiceArea, &parameters.mentions_area),
            language: unknown(parameters.language.as_deref(), &counts.languages)
                .map(|tag| nearest_facet(&primary(tag), &counts.languages)),
            source: unknown(parameters.source.as_deref(), &counts.sources)
                .map(|name| nearest_facet(name, &counts.sources)),
            ..DidYouMean::default()
        }
    })
}

/// `name` if none of `facets` has it.
fn unknown<'a>(name: Option<&'a str>, facets: &[Facet]) -> Option<&'a str> {
    let name = name.filter(|name| !name.is_empty())?;
    let mut names = facets.iter().map(|facet| fold(&facet.name));
    names.all(|known| known != fold(name)).then_some(name)
}

fn nearest_facet(query: &str, facets: &[Facet]) -> Vec<String> {
    let names = || facets.iter().map(|facet| facet.name.as_str());
    nearest(query, names().map(|name| (name, name)), names())
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
