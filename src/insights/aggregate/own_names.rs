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
    /// Services as customers call them, likewise.
    services: HashSet<Vec<String>>,
}

impl OwnNames {
    /// The names of `business`.
    pub fn new(business: &Business) -> Self {
        let cut = |name: &str| {
            let text = Text::new(name);
            steps::add(text.tokens().len());
            (0..text.tokens().len())
                .map(|token| stem(text.word(token)).to_owned())
                .collect::<Vec<_>>()
        };
        let people = business
            .technicians
            .iter()
            .flat_map(|one| one.aliases.iter().chain([&one.name]));
        let named = people
            .chain(&business.service_areas)
            .chain([&business.name])
            .map(String::as_str);
        let words = named
            .chain(business.services.iter().map(|one| one.name.as_str()))
            .flat_map(cut)
            .collect();
        let called = business
            .services
            .iter()
            .flat_map(|one| one.synonyms.iter().chain([&one.name]));
        Self {
            words,
            services: called
                .map(|name| cut(name))
                .filter(|name| !name.is_empty())
                .collect(),
        }
    }

    /// Whether a phrase, in words, is made of them alone, or holds a service.
    pub fn cover(&self, phrase: &[String]) -> bool {
        let phrase: Vec<String> = phrase.iter().map(|word| stem(word).to_owned()).collect();
        let mut parts = (1..=phrase.len())
            .flat_map(|len| phrase.windows(len))
            .inspect(|_| steps::one());
        phrase.iter().all(|word| self.words.contains(word))
            || parts.any(|part| self.services.contains(part))
    }
}

/// A word without its plural, or another word's genitive.
fn stem(word: &str) -> &str {
    word.trim_end_matches('s')
}
