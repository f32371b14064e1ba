//! Whom and what a text names: the firm's people, what it offers, where it works. Everything is
//! made of the roster and of readable tables; a name that fits several stays with all of them.

mod areas;
mod certainty;
mod exclusions;
mod misspelling;
mod name_forms;
mod nicknames;
mod people;
mod resolve;
mod services;
mod tagged_text;
mod token_context;
mod trie;
mod words;

use sha2::{Digest, Sha256};

use super::analysis::{Mention, MentionKind};
use super::text::{Shape, Text};
use crate::business::Business;
use crate::hash::hex;
use crate::reviews;
use areas::Areas;
use nicknames::Nicknames;
use people::People;
use services::Services;
use tagged_text::TaggedText;
use words::{Class, Words};

/// Raised whenever the rules change, so that what was read by the old ones is read again.
const RULES: u32 = 1;

/// The names that a firm's reviews are searched for.
#[derive(Debug, Clone)]
pub struct Linker {
    words: Words,
    people: People,
    services: Services,
    areas: Areas,
    digest: String,
}

impl Linker {
    /// The names of that firm.
    #[must_use]
    pub fn new(business: &Business) -> Self {
        let mut words = Words::new();
        let firm = Text::new(&business.name);
        for token in
            (0..firm.tokens().len()).filter(|token| firm.tokens()[*token].shape != Shape::Mark)
        {
            words.class(firm.word(token), Class::Firm);
        }
        let nicknames = Nicknames::new();
        nicknames
            .all()
            .for_each(|name| words.class(name, Class::FirstName));
        let people = People::new(&business.technicians, &nicknames, &mut words);
        let services = Services::new(&business.services, &mut words);
        let areas = Areas::new(&business.service_areas, &mut words);
        words.settle();
        Self {
            words,
            people,
            services,
            areas,
            digest: digest(business),
        }
    }

    /// Whom and what `text` names, by place. `author` is the review's, `recorded` what its source
    /// says: it settles who is meant, and is itself no mention.
    #[must_use]
    pub fn mentions(
        &self,
        text: &Text,
        author: &str,
        recorded: &reviews::Mentions,
    ) -> Vec<Mention> {
        let tagged = TaggedText::new(text, &self.words);
        let seen = self.people.seen(&tagged, author);
        let mut mentions = resolve::people(&self.people, &seen, &tagged, &recorded.technicians);
        for service in self.services.find(&tagged, &recorded.services) {
            let sentence = u32::try_from(service.sentence).unwrap_or(u32::MAX);
            mentions.push(Mention {
                kind: MentionKind::Service,
                candidates: service.ids,
                sentence,
                through: sentence,
                span: text.span(service.tokens),
                rule: service.rule,
            });
        }
        for (name, sentence, tokens, rule) in self.areas.find(&tagged) {
            let sentence = u32::try_from(sentence).unwrap_or(u32::MAX);
            let (candidates, span) = (vec![name.to_owned()], text.span(tokens));
            mentions.push(Mention {
                kind: MentionKind::ServiceArea,
                candidates,
                sentence,
                through: sentence,
                span,
                rule,
            });
        }
        mentions.sort_by_key(|mention| (mention.span, mention.kind));
        mentions
    }

    /// Changes whenever the same text may give other mentions: a digest of the firm's names, the
    /// tables and the rules.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }
}

/// SHA-256 in hexadecimal. Every part is preceded by its length, so that no two rosters are spelled
/// alike.
fn digest(business: &Business) -> String {
    let mut hash = Sha256::new();
    let mut put = |part: &str| {
        hash.update(part.len().to_le_bytes());
        hash.update(part);
    };
    put(&RULES.to_string());
    put(words::table());
    nicknames::tables().into_iter().for_each(&mut put);
    put(&business.name);
    for technician in &business.technicians {
        put("technician");
        put(&technician.name);
        technician.aliases.iter().for_each(|alias| put(alias));
    }
    for service in &business.services {
        put("service");
        put(&service.id);
        put(&service.name);
        service.synonyms.iter().for_each(|synonym| put(synonym));
    }
    for area in &business.service_areas {
        put("area");
        put(area);
    }
    hex(&hash.finalize())
}

#[cfg(test)]
mod tests;
