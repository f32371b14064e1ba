//! The firm's own names: phrases made of them are no topics, for they are counted by name.

use std::collections::HashSet;

use crate::business::Business;
use crate::insights::text::Text;
use crate::steps;

/// What the firm is called, who works there, and what it offers: those are counted by name.
pub struct OwnNames {
    /// Words of people's and places' names and of the firm's own, and of the names of services,
    /// each without its plural.
    words: HashSet<String>,
    /// Words of people's names that are not shown.
    hidden: HashSet<String>,
    /// Services as customers call them, likewise.
    services: HashSet<Vec<String>>,
}

impl OwnNames {
    /// The names of `business`, and of its `people`.
    pub fn new(business: &Business, people: &[&str]) -> Self {
        let cut = |name: &str| {
            let text = Text::new(name);
            steps::add(text.tokens().len());
            (0..text.tokens().len())
                .map(|token| stem(text.word(token)).to_owned())
                .collect::<Vec<_>>()
        };
        let listed = business.technicians.iter();
        let shown: HashSet<String> = listed
            .flat_map(|one| one.aliases.iter().chain([&one.name]))
            .flat_map(|name| cut(name))
            .collect();
        let of_people: HashSet<String> = people.iter().copied().flat_map(cut).collect();
        let named = business.service_areas.iter().chain([&business.name]);
        let named = named.map(String::as_str);
        let words = named
            .chain(business.services.iter().map(|one| one.name.as_str()))
            .flat_map(cut)
            .chain(of_people.iter().cloned())
            .collect();
        let called = business
            .services
            .iter()
            .flat_map(|one| one.synonyms.iter().chain([&one.name]));
        Self {
            words,
            hidden: of_people.difference(&shown).cloned().collect(),
            services: called
                .map(|name| cut(name))
                .filter(|name| !name.is_empty())
                .collect(),
        }
    }

    /// Whether a phrase, in words, is made of them alone, or holds a service or what is not shown of a name.
    pub fn cover(&self, phrase: &[String]) -> bool {
        let phrase: Vec<String> = phrase.iter().map(|word| stem(word).to_owned()).collect();
        let mut parts = (1..=phrase.len())
            .flat_map(|len| phrase.windows(len))
            .inspect(|_| steps::one());
        phrase.iter().all(|word| self.words.contains(word))
            || phrase.iter().any(|word| self.hidden.contains(word))
            || parts.any(|part| self.services.contains(part))
    }
}

/// A word without its plural, or another word's genitive.
fn stem(word: &str) -> &str {
    word.trim_end_matches('s')
}
