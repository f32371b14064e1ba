//! What may have been meant by a name that nobody and nothing has: the nearest that there is.

use crate::business::Business;
use crate::edition::Edition;
use crate::reviews::{SearchArguments, fold};
use crate::search::facets::Counts;
use crate::wire::{DidYouMean, Facet};

/// How many characters of a name are looked at; longer ones are no names.
const NAME_CHARACTERS_MAX: usize = 60;
/// Among how many of the most mentioned values the nearest is looked for.
const VALUES_MAX: usize = 1_000;
/// How alike two names must be, from 0 to 1: `Mike Alvares` is, `Nobody Known` is not.
const LIKENESS_MIN: f64 = 0.6;
/// How much less it counts where only one word of a name is alike.
const WORD_SHARE: f64 = 0.9;

/// The nearest values for the names in `arguments` that are not known; `None` where all are, or nothing is near. Where anything
/// was found, all names are known, and nothing is counted.
#[must_use]
pub fn did_you_mean<'a>(
    edition: &Edition,
    arguments: &SearchArguments,
    total: u64,
    counts: impl FnOnce() -> &'a Counts,
) -> Option<DidYouMean> {
    if total > 0 || (arguments.mentions_technician.is_none() && arguments.mentions_service.is_none()) {
        return None;
    }
    let counts = counts();
    let Business { technicians, services, .. } = &edition.copy.business;
    let aliases = |id: &str| technicians.iter().filter(|one| one.id == id).flat_map(|one| &one.aliases).cloned().collect();
    let synonyms = |id: &str| {
        services.iter().filter(|one| one.id == id).flat_map(|one| [&one.name].into_iter().chain(&one.synonyms)).cloned().collect()
    };
    let technician = arguments.mentions_technician.as_deref().and_then(|asked| {
        let is_known = counts.technicians.iter().any(|facet| fold(&facet.name) == fold(asked));
        let nearest = || nearest(asked, &counts.technicians, |facet| facet.name.clone(), aliases);
        if is_known { None } else { nearest() }
    });
    let service = arguments.mentions_service.as_deref().and_then(|asked| {
        let is_known = counts.services.iter().any(|facet| facet.id.as_deref() == Some(asked));
        let nearest = || nearest(asked, &counts.services, |facet| facet.id.clone().unwrap_or_default(), synonyms);
        if is_known { None } else { nearest() }
    });
    let found = DidYouMean { mentions_technician: technician, mentions_service: service };
    (found.mentions_technician.is_some() || found.mentions_service.is_some()).then_some(found)
}

/// The `value` of the nearest facet, by it or by another word for it; of equals the one that is mentioned most.
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
        let likeness = others.iter().chain([&value]).map(|name| likeness(&asked, &fold(name))).fold(0.0, f64::max);
        if likeness >= LIKENESS_MIN && best.as_ref().is_none_or(|(most, _)| likeness > *most) {
            best = Some((likeness, value));
        }
    }
    best.map(|(_, value)| value)
}

/// How alike a name is, as a whole or by one of its words, both folded.
fn likeness(asked: &str, name: &str) -> f64 {
    let words = name.split([' ', '-', '_']).filter(|word| word.len() > 1);
    let by_word = words.map(|word| strsim::normalized_damerau_levenshtein(asked, word) * WORD_SHARE).fold(0.0, f64::max);
    let name: String = name.chars().take(NAME_CHARACTERS_MAX).collect();
    by_word.max(strsim::normalized_damerau_levenshtein(asked, &name))
}

#[cfg(test)]
mod tests {
    use super::nearest;
    use crate::wire::Facet;

    #[test]
    fn the_nearest_name_is_found_by_itself_its_words_and_what_it_is_also_called() {
        let facet = |id: &str, name: &str| Facet { id: Some(id.to_owned()), name: name.to_owned(), reviews: 1 };
        let facets = [facet("m", "Mike Alvarez"), facet("d", "Dana Öberg"), facet("k", "Michael Kane")];
        let others = |id: &str| if id == "k" { vec!["Mickey".to_owned()] } else { Vec::new() };
        for (asked, expected) in [
            ("Mike Alvares", Some("Mike Alvarez")),
            ("MIKE", Some("Mike Alvarez")),
            ("alvarez", Some("Mike Alvarez")),
            ("Dana Oberg", Some("Dana Öberg")),
            ("micky", Some("Michael Kane")),
            ("Nobody Known", None),
            ("", None),
        ] {
            assert_eq!(nearest(asked, &facets, |facet| facet.name.clone(), others).as_deref(), expected, "{asked}");
        }
        assert_eq!(nearest(&"a".repeat(10_000), &facets, |facet| facet.name.clone(), others), None);
    }
}
