//! Resolves names to entities of the business's lists and of reviews, and finds the nearest known name for an unknown
//! one.

use crate::compute::apart;
use crate::insights::Trade;
use crate::model::{SearchArguments, fold};
use crate::snapshot::{MentionCounts, Snapshot};
use crate::wire::parameters::{Aspect, Parameter, ParameterSource};
use crate::wire::{DidYouMean, Facet, Issue, IssueCode};

/// Maximum number of characters of a name that are compared.
const NAME_CHARACTERS_MAX: usize = 60;
/// Maximum number of values that are compared, most mentioned first.
const VALUES_MAX: usize = 1_000;
/// Minimum similarity of two names, from 0 to 1: `Mike Alvares` passes, `Nobody Known` does not.
const LIKENESS_MIN: f64 = 0.6;
/// Factor of the similarity if only one word of a name is similar.
const WORD_SHARE: f64 = 0.9;

/// The index in `trade` of the aspect with that ID. An unknown one is an error, because a result of 0 would look like
/// no reviews on it.
pub fn aspect_of(source: &mut impl ParameterSource, trade: &Trade, asked: &str) -> Option<usize> {
    let found = trade.aspect(asked);
    if found.is_none() {
        let message = format!("must be one of: {}", trade.aspect_ids().join(", "));
        let issue = Issue::new(Aspect::NAME, IssueCode::InvalidString, message, asked);
        source.issues().push(issue);
    }
    found
}

/// Finds a technician by full name, ID or alias, ignoring case.
pub fn technician<'a>(snapshot: &'a Snapshot, said: &str) -> Option<&'a Facet> {
    let people = snapshot.input.business.technicians.iter();
    let aliases = people.flat_map(|one| {
        one.aliases
            .iter()
            .map(|alias| (one.id.as_str(), alias.as_str()))
    });
    find(&snapshot.counts().technicians, aliases, said)
}

/// Finds a service by ID, name or synonym, ignoring case.
pub fn service<'a>(snapshot: &'a Snapshot, said: &str) -> Option<&'a Facet> {
    let services = snapshot.input.business.services.iter();
    let synonyms = services.flat_map(|one| {
        one.synonyms
            .iter()
            .map(|word| (one.id.as_str(), word.as_str()))
    });
    find(&snapshot.counts().services, synonyms, said)
}

/// Finds a service area by name, ignoring case.
pub fn area<'a>(snapshot: &'a Snapshot, said: &str) -> Option<&'a Facet> {
    find(&snapshot.counts().service_areas, std::iter::empty(), said)
}

/// Finds a facet by name, then by ID, then by alias or synonym: an exact name takes precedence over an alias.
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

/// The nearest values for unknown names in `arguments`, for a search without a match (after one, all names are known);
/// `None` if all are known or nothing is near.
pub fn did_you_mean(snapshot: &Snapshot, arguments: &SearchArguments) -> Option<DidYouMean> {
    let names = [
        &arguments.mentions_technician,
        &arguments.mentions_service,
        &arguments.language,
        &arguments.source,
    ];
    if names.into_iter().all(Option::is_none) {
        return None;
    }
    apart(|| nearest_names(snapshot, arguments))
}

fn nearest_names(snapshot: &Snapshot, arguments: &SearchArguments) -> Option<DidYouMean> {
    let counts = snapshot.counts();
    let has_id = |facet: &Facet, asked: &str| facet.id.as_deref() == Some(asked);
    DidYouMean {
        mentions_technician: unnamed(
            arguments.mentions_technician.as_deref(),
            &counts.technicians,
        )
        .and_then(|asked| nearest_technician(snapshot, asked)),
        mentions_service: arguments
            .mentions_service
            .as_deref()
            .filter(|asked| !counts.services.iter().any(|facet| has_id(facet, asked)))
            .and_then(|asked| nearest_service(snapshot, asked)),
        language: unnamed(arguments.language.as_deref(), &counts.languages)
            .and_then(|asked| nearest_language(counts, asked)),
        source: unnamed(arguments.source.as_deref(), &counts.sources)
            .and_then(|asked| nearest_name(&counts.sources, asked)),
        ..DidYouMean::default()
    }
    .if_any()
}

/// `asked` if none of `facets` has that name.
fn unnamed<'a>(asked: Option<&'a str>, facets: &[Facet]) -> Option<&'a str> {
    asked.filter(|asked| facets.iter().all(|facet| fold(&facet.name) != fold(asked)))
}

/// The full name of the technician with the nearest name, alias or ID.
pub fn nearest_technician(snapshot: &Snapshot, asked: &str) -> Option<String> {
    let people = &snapshot.input.business.technicians;
    let aliases = |id: &str| {
        let people = people.iter().filter(|one| one.id == id);
        people
            .flat_map(|one| [&one.id].into_iter().chain(&one.aliases))
            .cloned()
            .collect()
    };
    let name = |facet: &Facet| facet.name.clone();
    nearest(asked, &snapshot.counts().technicians, name, aliases)
}

/// The ID of the service with the nearest ID, name or synonym.
pub fn nearest_service(snapshot: &Snapshot, asked: &str) -> Option<String> {
    let services = &snapshot.input.business.services;
    let synonyms = |id: &str| {
        let services = services.iter().filter(|one| one.id == id);
        services
            .flat_map(|one| [&one.name].into_iter().chain(&one.synonyms))
            .cloned()
            .collect()
    };
    let id = |facet: &Facet| facet.id.clone().unwrap_or_default();
    nearest(asked, &snapshot.counts().services, id, synonyms)
}

/// The nearest language tag: `en` for `en-GB` if there is no other English.
fn nearest_language(counts: &MentionCounts, asked: &str) -> Option<String> {
    let primary = asked.split('-').next().unwrap_or_default();
    nearest_name(&counts.languages, asked).or_else(|| nearest_name(&counts.languages, primary))
}

fn nearest_name(facets: &[Facet], asked: &str) -> Option<String> {
    nearest(asked, facets, |facet| facet.name.clone(), |_| Vec::new())
}

/// The `value` of the facet whose value or synonym is nearest; among equals, that of the most mentioned facet.
fn nearest(
    asked: &str,
    facets: &[Facet],
    value: impl Fn(&Facet) -> String,
    others: impl Fn(&str) -> Vec<String>,
) -> Option<String> {
    let asked = fold(asked);
    if asked.is_empty() || asked.chars().count() > NAME_CHARACTERS_MAX {
        return None;
    }
    let mut best: Option<(f64, String)> = None;
    for facet in facets.iter().take(VALUES_MAX) {
        let value = value(facet);
        let others = facet.id.as_deref().map(&others).unwrap_or_default();
        let likeness = others
            .iter()
            .chain([&value])
            .map(|name| likeness(&asked, &fold(name)))
            .fold(0.0, f64::max);
        if likeness >= LIKENESS_MIN && best.as_ref().is_none_or(|(most, _)| likeness > *most) {
            best = Some((likeness, value));
        }
    }
    best.map(|(_, value)| value)
}

/// The similarity of a name, as a whole or by one of its words; both names are folded.
fn likeness(asked: &str, name: &str) -> f64 {
    let words = name.split([' ', '-', '_']).filter(|word| word.len() > 1);
    let by_word = words
        .map(|word| strsim::normalized_damerau_levenshtein(asked, word) * WORD_SHARE)
        .fold(0.0, f64::max);
    let name: String = name.chars().take(NAME_CHARACTERS_MAX).collect();
    by_word.max(strsim::normalized_damerau_levenshtein(asked, &name))
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use crate::wire::Facet;

    #[test]
    fn the_nearest_name_is_found_by_itself_its_words_and_what_it_is_also_called() {
        let facet = |id: &str, name: &str| Facet {
            id: Some(id.to_owned()),
            name: name.to_owned(),
            reviews: 1,
        };
        let facets = [
            facet("m", "Mike Alvarez"),
            facet("d", "Dana Öberg"),
            facet("k", "Michael Kane"),
        ];
        let others = |id: &str| {
            if id == "k" {
                vec!["Mickey".to_owned()]
            } else {
                Vec::new()
            }
        };
        for (asked, expected) in [
            ("Mike Alvares", Some("Mike Alvarez")),
            ("MIKE", Some("Mike Alvarez")),
            ("alvarez", Some("Mike Alvarez")),
            ("Dana Oberg", Some("Dana Öberg")),
            ("micky", Some("Michael Kane")),
            ("Nobody Known", None),
            ("", None),
        ] {
            assert_eq!(
                nearest(asked, &facets, |facet| facet.name.clone(), others).as_deref(),
                expected,
                "{asked}"
            );
        }
        assert_eq!(
            nearest(
                &"a".repeat(10_000),
                &facets,
                |facet| facet.name.clone(),
                others
            ),
            None
        );
    }
}
