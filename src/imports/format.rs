//! The formats that reviews come in. A format is a file of its own in `platforms`, which ends in a
//! `FORMAT`, and one line in the list of `platforms`, which this file does not know.

use std::fmt;

use serde_json::Value;

use super::fields::Problem;
use super::incoming::Incoming;
use super::platform::Platform;
use super::shape::Shape;

/// A kind of file that reviews come in.
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What people call it.
    pub label: &'static str,
    /// Whether its files hold only some of a place's reviews: then one that is missing says
    /// nothing.
    pub excerpts: bool,
    /// Whether its authors' names were public; else they are shortened to "Jane D." .
    pub authors_public: bool,
    /// What whoever imports it must know.
    pub note: Option<&'static str>,
    /// Whether `--map` has a meaning for it.
    pub(super) renames: bool,
    /// Members of the outermost object, one of which makes a file this format, its rows in
    /// `reviews`: where there are no rows to judge by.
    pub(super) document: &'static [&'static str],
    /// How its rows become reviews.
    pub(super) reader: Reader,
}

/// How rows become reviews.
#[derive(Debug)]
pub(super) enum Reader {
    /// As our own record, which may also say that a review was deleted; its rows have all the
    /// names of one of these sets.
    Native(&'static [&'static [&'static str]]),
    /// By a function of the row; a file is it if its rows have all the names of one of these sets.
    Json(
        &'static [&'static [&'static str]],
        fn(&Value) -> Result<Incoming, Vec<Problem>>,
    ),
    /// By a table of what its columns mean.
    Platform(&'static Platform),
    /// As linked data of schema.org, which is walked whole, and known by one of these sets of names.
    LinkedData(&'static [&'static [&'static str]]),
}

impl Format {
    /// The format of a platform as most of them are: all of its reviews, under names that were
    /// public.
    pub(super) const fn platform(
        name: &'static str,
        label: &'static str,
        platform: &'static Platform,
    ) -> Self {
        Self {
            name,
            label,
            excerpts: false,
            authors_public: true,
            note: None,
            renames: true,
            document: &[],
            reader: Reader::Platform(platform),
        }
    }

    /// The sets of names by one of which a row of it is known.
    pub(super) fn keys(&self) -> &'static [&'static [&'static str]] {
        match self.reader {
            Reader::Native(keys) | Reader::LinkedData(keys) | Reader::Json(keys, _) => keys,
            Reader::Platform(platform) => platform.keys,
        }
    }

    /// Whether no row is there by which another format could be known, or the members beside them
    /// say enough.
    pub(super) fn document_alone(&self, shape: &Shape) -> bool {
        self.document.contains(&"business")
            || shape.below("reviews[].").next().is_none()
            || self
                .keys()
                .iter()
                .any(|set| set.iter().all(|name| shape.has_below("reviews[].", name)))
    }

    /// Whether its rows are our own records.
    pub(super) const fn is_own(&self) -> bool {
        matches!(self.reader, Reader::Native(_))
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name)
    }
}
