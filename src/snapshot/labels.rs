//! What a segment knows of its reviews besides what they say and whom they mention: language,
//! source, text or none, response or none. Apart from the segment, which keeps it beside its other
//! columns.

use super::entry::Entry;
use super::postings::Postings;
use crate::reviews::Traits;

/// The columns of these.
#[derive(Debug, Clone, Default)]
pub struct Labels {
    /// In which languages the reviews are, where that is known.
    pub languages: Postings,
    /// Where they were written.
    pub sources: Postings,
    /// What each has and has not.
    pub traits: Vec<Traits>,
}

impl Labels {
    pub(super) fn push(&mut self, at: usize, entry: &Entry) {
        entry
            .language
            .iter()
            .for_each(|language| self.languages.push(at, language));
        self.sources.push(at, &entry.source);
        self.traits.push(entry.traits);
    }

    pub(super) fn push_from(&mut self, at: usize, labels: &Self, index: usize) {
        labels
            .languages
            .at(index)
            .for_each(|language| self.languages.push(at, language));
        labels
            .sources
            .at(index)
            .for_each(|source| self.sources.push(at, source));
        self.traits.push(labels.traits[index]);
    }
}
