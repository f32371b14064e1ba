//! The copies of a review that other sources gave: the same author, day, stars and text.

use std::collections::HashMap;

use crate::imports::merge::identity::{is_derived, is_shared_name};
use crate::imports::platforms::id_prefix;
use crate::model::{DUPLICATE, Digests, GONE, Review, Status, Unit, is_one_name, short_name};
use crate::storage::reviews::{Known, SourceRecord};

/// Maximum number of copies that are compared with a review.
const COPIES_MAX: usize = 64;

/// The reviews that others may be copies of, by the digest of their content: those before the import, and as far as it is merged.
/// Of each source and author the first published one, and the first one that the owner deleted or withheld.
pub struct Copies(HashMap<i64, Vec<Copy>>);

pub struct Copy {
    pub id: String,
    pub source_name: String,
    location: Option<String>,
    /// `None` of a deleted review.
    author: Option<String>,
    digests: Digests,
    /// Whether the owner deleted or withheld it.
    pub is_hidden_by_owner: bool,
}

impl Copies {
    pub fn of(known: &Known) -> Self {
        let mut copies = Self(HashMap::new());
        for known in known.values() {
            let Some(record) = &known.source else {
                continue;
            };
            let review = known.review();
            let is_published = review.is_some_and(|review| review.status == Status::Published);
            // What the source withheld, or an import, is no reason to withhold a copy.
            let is_decision = |review: &Review| {
                let reason = review.status.reason().unwrap_or_default();
                ![DUPLICATE, GONE].contains(&reason)
                    && record.said().is_decided(Unit::Status, review)
            };
            if is_published || review.is_none_or(is_decision) {
                copies.insert(record, review, !is_published);
            }
        }
        copies
    }

    pub fn insert(
        &mut self,
        record: &SourceRecord,
        review: Option<&Review>,
        is_hidden_by_owner: bool,
    ) {
        let copy = Copy {
            id: record.id.to_string(),
            source_name: record.source_name.clone(),
            location: record.location.clone(),
            author: review.map(|review| review.author.clone()),
            digests: record.digests,
            is_hidden_by_owner,
        };
        let group = self.0.entry(record.digests.content).or_default();
        let is_like = |other: &Copy| {
            let names = (&other.source_name, other.digests.author_and_day);
            names == (&copy.source_name, copy.digests.author_and_day)
                && other.is_hidden_by_owner == is_hidden_by_owner
        };
        if group.len() < COPIES_MAX && !group.iter().any(is_like) {
            // Published copies are named first.
            let after =
                group.partition_point(|other| other.is_hidden_by_owner <= is_hidden_by_owner);
            group.insert(after, copy);
        }
    }

    /// A copy of a review in another source, or in another format or location of its own. Hidden reviews are copies only of reviews that are not
    /// public yet: otherwise the owner could not withhold one of two.
    pub fn find(&self, review: &Review, record: &SourceRecord, is_public: bool) -> Option<&Copy> {
        let mut copies = self.0.get(&record.digests.content)?.iter();
        let is_sure = is_of_one_person(review);
        copies.find(|other| {
            let is_of_other_format =
                || is_sure && id_prefix(&other.id) != id_prefix(review.id.as_str());
            // Rows are compared with hidden reviews of their own location only.
            let is_hidden_elsewhere = other.is_hidden_by_owner && other.location != record.location;
            !(is_public && other.is_hidden_by_owner)
                && other.id != review.id.as_str()
                && other.has_author_of(review, record)
                && (other.source_name != record.source_name
                    || is_hidden_elsewhere
                    || is_of_other_format())
        })
    }

    /// Removes a review that is withheld.
    pub fn remove(&mut self, record: &SourceRecord) {
        if let Some(copies) = self.0.get_mut(&record.digests.content) {
            copies.retain(|other| other.is_hidden_by_owner || other.id != record.id.as_str());
        }
    }
}

impl Copy {
    /// Whether the authors are the same, or one is the other's short name. Of a deleted review only digests are kept.
    fn has_author_of(&self, review: &Review, record: &SourceRecord) -> bool {
        let is_one = self.author.as_ref().map_or_else(
            || {
                let short = short_name(&review.author);
                short == review.author
                    || self.digests.author_and_day == Digests::author_and_day(&short, review.date)
            },
            |author| is_one_name(author, &review.author),
        );
        is_one || self.digests.author_and_day == record.digests.author_and_day
    }

    /// Whether the copy looks like the review's row, imported under another source: it has the row's ID, or both IDs were
    /// derived from rows of one format.
    pub fn has_same_row(&self, record: &SourceRecord) -> bool {
        let id = record.id_at_source.as_deref().unwrap_or(record.id.as_str());
        let are_derived = || [id, &self.id].into_iter().all(is_derived);
        self.source_name != record.source_name
            && (id == self.id || are_derived() && id_prefix(id) == id_prefix(&self.id))
    }
}

/// Whether copies of the review are of one person: without a text and a name they may be of two.
pub fn is_of_one_person(review: &Review) -> bool {
    !review.text.is_empty() || !is_shared_name(&review.author)
}
