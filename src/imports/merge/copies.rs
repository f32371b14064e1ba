//! Copies: reviews of two sources, or of two formats of one, with the same author, day, stars and text.

use std::collections::HashMap;

use crate::imports::merge::identity::is_derived;
use crate::imports::platforms::id_prefix;
use crate::model::{
    DUPLICATE, DigestKey, Fingerprints, GONE, Review, Status, Unit, is_one_name, short_name,
};
use crate::storage::reviews::{Known, SourceVersion};

/// Maximum number of copies that are compared with a review.
const COPIES_MAX: usize = 64;

/// The reviews with each fingerprint, before the import and as far as it is merged: of each source and author the first
/// published one and the first hidden one, which the owner or the source withheld, or the owner deleted.
#[derive(Debug)]
pub struct Copies(HashMap<i64, Vec<Copy>>);

/// A review that others may be copies of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Copy {
    pub id: String,
    pub source_name: String,
    /// `None` of a deleted review.
    author: Option<String>,
    /// [`Fingerprints::author_day`].
    author_day: i64,
    is_hidden: bool,
    /// Whether the owner deleted or withheld it.
    pub is_decided: bool,
}

impl Copies {
    pub fn of(known: &Known, key: &DigestKey) -> Self {
        let sources = known.values();
        let sources = sources.filter_map(|it| Some((it.source.as_ref()?, it.review())));
        let mut sources: Vec<_> = sources.collect();
        // Published copies are named first.
        sources.sort_by_key(|(_, review)| match review.map(|review| &review.status) {
            Some(Status::Published) => 0,
            Some(Status::Withheld { .. }) => 1,
            None => 2,
        });
        let mut copies = Self(HashMap::new());
        for (source, review) in sources {
            let status = review.map(|review| &review.status);
            if [DUPLICATE, GONE].contains(&status.and_then(Status::reason).unwrap_or_default()) {
                continue;
            }
            let is_hidden = status != Some(&Status::Published);
            let last = source.base.get(Unit::Status);
            let is_decided =
                is_hidden && review.is_none_or(|it| last != Some(key.digest(Unit::Status, it)));
            copies.insert(source, review, is_hidden, is_decided);
        }
        copies
    }

    fn insert(
        &mut self,
        source: &SourceVersion,
        review: Option<&Review>,
        is_hidden: bool,
        is_decided: bool,
    ) {
        let copy = Copy {
            id: source.id.to_string(),
            source_name: source.source_name.clone(),
            author: review.map(|review| review.author.clone()),
            author_day: source.fingerprints.author_day,
            is_hidden,
            is_decided,
        };
        let group = self.0.entry(source.fingerprints.content).or_default();
        let is_like = |other: &Copy| {
            let names = (&other.source_name, other.author_day);
            names == (&copy.source_name, copy.author_day) && other.is_hidden == copy.is_hidden
        };
        if group.len() < COPIES_MAX && !group.iter().any(is_like) {
            let first_after = group.partition_point(|other| other.is_hidden <= is_hidden);
            group.insert(first_after, copy);
        }
    }

    /// A copy of a review. Hidden reviews are copies only of reviews that are not public yet: otherwise the owner could not
    /// withhold one of two.
    pub fn find(&self, review: &Review, source: &SourceVersion, is_public: bool) -> Option<&Copy> {
        let mut copies = self.0.get(&source.fingerprints.content)?.iter();
        let has_text = !review.text.is_empty();
        copies.find(|other| {
            let is_other_format =
                || has_text && id_prefix(&other.id) != id_prefix(review.id.as_str());
            !(is_public && other.is_hidden)
                && other.id != review.id.as_str()
                && other.has_author_of(review)
                && (other.source_name != source.source_name || is_other_format())
        })
    }

    /// Adds a merged review that is published and no copy.
    pub fn add(&mut self, review: &Review, source: &SourceVersion) {
        self.insert(source, Some(review), false, false);
    }

    /// Removes a review that is withheld.
    pub fn remove(&mut self, source: &SourceVersion) {
        if let Some(copies) = self.0.get_mut(&source.fingerprints.content) {
            copies.retain(|other| other.is_hidden || other.id != source.id.as_str());
        }
    }
}

impl Copy {
    /// Whether the authors are the same, or one is the other's short name. Of a deleted review only digests are kept.
    fn has_author_of(&self, review: &Review) -> bool {
        if let Some(author) = &self.author {
            return is_one_name(author, &review.author);
        }
        let short = short_name(&review.author);
        let is_same = |author| Fingerprints::author_day(author, review.date) == self.author_day;
        short == review.author || is_same(&review.author) || is_same(&short)
    }

    /// Whether the copy and a row look like the same row, imported under two sources.
    pub fn has_same_form(&self, source: &SourceVersion, has_own_id: bool) -> bool {
        if self.source_name == source.source_name {
            return false;
        }
        if has_own_id {
            return source.own_id.as_ref() == Some(&self.id);
        }
        let prefix = |id: &str| id.rsplit_once('-').map(|(prefix, _)| prefix.to_owned());
        is_derived(&source.id)
            && self.id.parse().is_ok_and(|id| is_derived(&id))
            && prefix(source.id.as_str()) == prefix(&self.id)
    }
}
