//! What may have been meant by a name that nobody and nothing has: the nearest that there is.

use super::evidence_request::EvidenceRequest;
use super::facets::Counts;
use super::names;
use crate::model::business::Business;
use crate::model::{SearchArguments, fold};
use crate::snapshot::Snapshot;
use crate::wire::{DidYouMean, Facet};

/// How many characters of a name are looked at; longer ones are no names.
const NAME_CHARACTERS_MAX: usize = 60;
/// Among how many of the most mentioned values the nearest is looked for.
const VALUES_MAX: usize = 1_000;
/// How alike two names must be, from 0 to 1: `Mike Alvares` is, `Nobody Known` is not.
const LIKENESS_MIN: f64 = 0.6;
/// How much less it counts where only one word of a name is alike.
const WORD_SHARE: f64 = 0.9;

/// The nearest values for the names in `arguments` that are not known; `None` where all are, or
/// nothing is near. Where anything was found, all names are known, and nothing is counted.
#[must_use]
pub fn did_you_mean<'a>(
    snapshot: &Snapshot,
    arguments: &SearchArguments,
    total: u64,
    counts: impl FnOnce() -> &'a Counts,
) -> Option<DidYouMean> {
    let SearchArguments {
        mentions_technician,
        mentions_service,
        language,
        source,
        ..
    } = arguments;
    let names = [mentions_technician, mentions_service, language, source];
    if total > 0 || names.into_iter().all(Option::is_none) {
        return None;
    }
    let (counts, business) = (counts(), &snapshot.input.business);
    let has_id = |facet: &Facet, asked: &str| facet.id.as_deref() == Some(asked);
    DidYouMean {
        mentions_technician: unnamed(mentions_technician.as_deref(), &counts.technicians)
            .and_then(|asked| nearest_technician(counts, business, asked)),
        mentions_service: mentions_service
            .as_deref()
            .filter(|asked| !counts.services.iter().any(|facet| has_id(facet, asked)))
            .and_then(|asked| nearest_service(counts, business, asked)),
        language: unnamed(language.as_deref(), &counts.languages)
            .and_then(|asked| nearest_language(counts, asked)),
        source: unnamed(source.as_deref(), &counts.sources)
            .and_then(|asked| nearest_name(&counts.sources, asked)),
        ..DidYouMean::default()
    }
    .if_any()
}

/// What was asked for, where none of `facets` has that name.
fn unnamed<'a>(asked: Option<&'a str>, facets: &[Facet]) -> Option<&'a str> {
    asked.filter(|asked| facets.iter().all(|facet| fold(&facet.name) != fold(asked)))
}

/// The same for a question about an aspect, whose names may be ids and other words too.
#[must_use]
pub fn did_you_mean_of_evidence(
    snapshot: &Snapshot,
    counts: &Counts,
    request: &EvidenceRequest,
) -> Option<DidYouMean> {
    let business = &snapshot.input.business;
    let technician = request.technician.as_deref();
    let service = request.service.as_deref();
    DidYouMean {
        technician: technician
            .filter(|asked| names::technician(counts, business, asked).is_none())
            .and_then(|asked| nearest_technician(counts, business, asked)),
        service: service
            .filter(|asked| names::service(counts, business, asked).is_none())
            .and_then(|asked| nearest_service(counts, business, asked)),
        ..DidYouMean::default()
    }
    .if_any()
}

/// The full name of the technician whose name or alias is nearest.
#[must_use]
pub fn nearest_technician(counts: &Counts, business: &Business, asked: &str) -> Option<String> {
    let aliases = |id: &str| {
        let people = business.technicians.iter().filter(|one| one.id == id);
        people.flat_map(|one| &one.aliases).cloned().collect()
    };
    let name = |facet: &Facet| facet.name.clone();
    nearest(asked, &counts.technicians, name, aliases)
}

/// The id of the service whose id, name or synonym is nearest.
#[must_use]
pub fn nearest_service(counts: &Counts, business: &Business, asked: &str) -> Option<String> {
    let synonyms = |id: &str| {
        let services = business.services.iter().filter(|one| one.id == id);
        services
            .flat_map(|one| [&one.name].into_iter().chain(&one.synonyms))
            .cloned()
            .collect()
    };
    let id = |facet: &Facet| facet.id.clone().unwrap_or_default();
    nearest(asked, &counts.services, id, synonyms)
}

/// The language tag that is nearest: `en` for `en-GB`, where there is no other English.
fn nearest_language(counts: &Counts, asked: &str) -> Option<String> {
    let primary = asked.split('-').next().unwrap_or_default();
    nearest_name(&counts.languages, asked).or_else(|| nearest_name(&counts.languages, primary))
}

fn nearest_name(facets: &[Facet], asked: &str) -> Option<String> {
    nearest(asked, facets, |facet| facet.name.clone(), |_| Vec::new())
}

/// The `value` of the nearest facet, by it or by another word for it; of equals the one that is
/// mentioned most.
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

/// How alike a name is, as a whole or by one of its words, both folded.
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
