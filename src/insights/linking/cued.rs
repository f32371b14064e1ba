//! Finds people and places in texts in other languages: capitalised names from the business's lists beside a cue of the
//! language. The word tables and guards of the other files are English.

use std::ops::Range;

use super::name_forms::{parts, without_accents};
use crate::insights::analysis::Mention;
use crate::insights::text::{Capitalisation, TokenizedText, WordSet, plain_letters};
use crate::model::MentionKind;
use crate::model::business::Business;

/// Maximum distance in words between a name and a preceding relation that makes it another person's name: `mi hermano
/// Luis`, `mi tío don Luis`.
const OTHERS_WITHIN: usize = 3;

/// The names of the staff and places, without accents.
#[derive(Debug, Clone)]
pub struct CuedNames {
    people: Vec<PersonName>,
    areas: Vec<(Vec<String>, String)>,
}

/// The words of the full name, and the words that identify the person without the others.
#[derive(Debug, Clone)]
struct PersonName {
    full: Vec<String>,
    single: Vec<String>,
    name: String,
}

/// The length of a name in tokens, the entities that it may name, and the name of the rule.
type Found = (usize, Vec<String>, &'static str);

impl CuedNames {
    pub fn new(business: &Business) -> Self {
        let words = |name: &str| -> Vec<String> {
            let words = parts(name).into_iter();
            words.map(|word| without_accents(&word)).collect()
        };
        let people = business.technicians.iter().map(|one| {
            let full = words(&one.name);
            let aliases = one.aliases.iter().map(|alias| words(alias));
            let mut single: Vec<String> =
                aliases.filter(|alias| alias.len() == 1).flatten().collect();
            single.extend(full.first().cloned());
            PersonName {
                full,
                single,
                name: one.name.clone(),
            }
        });
        let areas = business.service_areas.iter();
        Self {
            people: people.collect(),
            areas: areas.map(|area| (words(area), area.clone())).collect(),
        }
    }

    /// The mentions in a text, by position. Authors do not mention themselves.
    pub fn mentions(&self, text: &TokenizedText, author: &str) -> Vec<Mention> {
        let author = parts(author).into_iter().next().unwrap_or_default();
        let author = without_accents(&author);
        let mut mentions = Vec::new();
        for (sentence, range) in (0..).zip(text.sentences()) {
            let mut at = range.start;
            while at < range.end {
                let person = self.person(text, range, at, &author);
                let person = person.map(|found| (MentionKind::Technician, found));
                let area = || Some((MentionKind::ServiceArea, self.area(text, range, at)?));
                let Some((kind, (len, candidates, rule))) = person.or_else(area) else {
                    at += 1;
                    continue;
                };
                mentions.push(Mention {
                    kind,
                    candidates,
                    sentence,
                    through: sentence,
                    span: text.span(at..at + len),
                    rule: rule.to_owned(),
                });
                at += len;
            }
        }
        mentions
    }

    fn person(
        &self,
        text: &TokenizedText,
        sentence: &Range<usize>,
        at: usize,
        author: &str,
    ) -> Option<Found> {
        if !is_capitalised(text, at) {
            return None;
        }
        let full = self
            .people
            .iter()
            .find(|one| one.full.len() > 1 && stands_at(text, sentence, at, &one.full));
        if let Some(one) = full {
            return Some((one.full.len(), vec![one.name.clone()], "full_name"));
        }
        let word = text.word(at);
        let mut candidates: Vec<String> = self
            .people
            .iter()
            .filter(|one| one.single.iter().any(|single| is_written(word, single)))
            .map(|one| one.name.clone())
            .collect();
        let cues = &text.language_words().names;
        let is_behind = |words: &WordSet| at > sentence.start && text.is_among(at - 1, words);
        let is_cued = is_behind(&cues.before_people)
            || at + 1 < sentence.end && text.is_among(at + 1, &cues.after_people);
        let before = sentence.start.max(at.saturating_sub(OTHERS_WITHIN))..at;
        let is_other = before
            .into_iter()
            .any(|token| text.is_among(token, &cues.before_others));
        // `Luis Ortega` is not the technician Luis Prieto.
        let has_surname = at + 1 < sentence.end && is_capitalised(text, at + 1);
        if candidates.is_empty() || !is_cued || is_other || has_surname || is_written(word, author)
        {
            return None;
        }
        candidates.sort_unstable();
        Some((1, candidates, "first_name"))
    }

    fn area(&self, text: &TokenizedText, sentence: &Range<usize>, at: usize) -> Option<Found> {
        let cues = &text.language_words().names.before_places;
        if at == sentence.start || !is_capitalised(text, at) || !text.is_among(at - 1, cues) {
            return None;
        }
        let fitting = self
            .areas
            .iter()
            .filter(|(words, _)| stands_at(text, sentence, at, words));
        let (words, name) = fitting.max_by_key(|(words, _)| words.len())?;
        Some((words.len(), vec![name.clone()], "area"))
    }
}

/// Whether these words are at that position, each capitalised.
fn stands_at(text: &TokenizedText, sentence: &Range<usize>, at: usize, words: &[String]) -> bool {
    !words.is_empty()
        && at + words.len() <= sentence.end
        && (at..)
            .zip(words)
            .all(|(token, word)| is_capitalised(text, token) && is_written(text.word(token), word))
}

/// Whether a word of a text is this word without accents, which the language of the text may not ignore.
fn is_written(word: &str, plain: &str) -> bool {
    plain_letters(word.chars()).eq(plain.chars())
}

fn is_capitalised(text: &TokenizedText, token: usize) -> bool {
    matches!(
        text.tokens()[token].shape,
        Capitalisation::Capitalised | Capitalisation::Mixed
    )
}
