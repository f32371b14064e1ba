//! Finds copies: reviews of two sources, or of two formats of one, with the same author, day, stars and text.

use std::collections::HashMap;

use crate::imports::merge::identity::is_derived;
use crate::imports::platforms::id_prefix;
use crate::model::{Review, ReviewId, Status};
use crate::storage::reviews::{AlikeReviews, DeletedReview, SourceVersion};

/// Maximum number of sources with a published review that are kept for one fingerprint. Without a review's own source
/// and the review itself, at least one still remains.
const SOURCES_MAX: usize = 4;

/// The reviews with each fingerprint, before the import and as far as it is merged.
#[derive(Debug)]
pub struct Copies(HashMap<i64, Alike>);

/// The reviews with one fingerprint.
#[derive(Debug, Default)]
struct Alike {
    /// For each source, its first published review.
    published: Vec<Copy>,
    /// The same of reviews that the owner or their source withheld, or that the owner deleted.
    hidden: Vec<Copy>,
}

/// A copy of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    pub id: String,
    pub source_name: String,
}

impl Copies {
    pub fn new(
        alike: HashMap<i64, Vec<AlikeReviews>>,
        deleted: &HashMap<ReviewId, Option<DeletedReview>>,
    ) -> Self {
        let mut all: HashMap<i64, Alike> = HashMap::new();
        for group in alike.into_values().flatten() {
            let its = all.entry(group.fingerprint).or_default();
            for (list, id) in [
                (&mut its.published, group.published),
                (&mut its.hidden, group.withheld),
            ] {
                if list.len() < SOURCES_MAX {
                    let source_name = group.source_name.clone();
                    list.extend(id.map(|id| Copy { id, source_name }));
                }
            }
        }
        let mut deleted: Vec<&DeletedReview> = deleted.values().flatten().collect();
        deleted.sort_unstable_by_key(|its| &its.id);
        for its in deleted {
            let list = &mut all.entry(its.fingerprint).or_default().hidden;
            if list.len() < SOURCES_MAX {
                list.push(Copy {
                    id: its.id.to_string(),
                    source_name: its.source_name.clone(),
                });
            }
        }
        Self(all)
    }

    /// Adds a merged review; returns its copy, if there is one. Hidden reviews are copies only of reviews that are not
    /// public yet: otherwise the owner could not withhold one of two.
    pub fn add(
        &mut self,
        review: &Review,
        source: &SourceVersion,
        is_public: bool,
    ) -> Option<Copy> {
        let id = review.id.as_str();
        let alike = self.0.entry(source.fingerprint).or_default();
        if review.status != Status::Published {
            // An unpublished review has no copies.
            alike.published.retain(|other| other.id != id);
            return None;
        }
        let hidden = alike.hidden.iter().filter(|_| !is_public);
        let copy = alike.published.iter().chain(hidden).find(|other| {
            let is_other_format =
                || !review.text.is_empty() && id_prefix(&other.id) != id_prefix(id);
            other.id != id && (other.source_name != source.source_name || is_other_format())
        });
        let is_first = alike
            .published
            .iter()
            .all(|other| other.source_name != source.source_name);
        let copy = copy.cloned();
        if copy.is_none() && is_first {
            alike.published.push(Copy {
                id: id.to_owned(),
                source_name: source.source_name.clone(),
            });
        }
        copy
    }

    /// Removes a review that is withheld as a duplicate.
    pub fn remove(&mut self, source: &SourceVersion) {
        if let Some(alike) = self.0.get_mut(&source.fingerprint) {
            alike
                .published
                .retain(|other| other.id != source.id.as_str());
        }
    }
}

impl Copy {
    /// Whether the copy and a row look like the same row, imported under two sources.
    pub fn has_same_form(&self, id: &ReviewId, own_id: Option<&str>, has_own_id: bool) -> bool {
        if has_own_id {
            return own_id.is_some_and(|own| own == self.id);
        }
        let prefix = |id: &str| id.rsplit_once('-').map(|(prefix, _)| prefix.to_owned());
        is_derived(id)
            && self.id.parse().is_ok_and(|id| is_derived(&id))
            && prefix(id.as_str()) == prefix(&self.id)
    }
}
