//! The formats that reviews come in. A format is a file of its own in `platforms`, which ends in a `FORMAT`, and one line in
//! `platforms::ALL`.

use std::fmt;

use serde_json::Value;

use super::fields::Problem;
use super::incoming::Incoming;
use super::platform::Platform;
use super::platforms;
use super::shape::Shape;

/// A kind of file that reviews come in.
pub struct Format {
    /// What `--format` calls it.
    pub name: &'static str,
    /// What people call it.
    pub label: &'static str,
    /// Whether its files hold only some of a place's reviews: then one that is missing says nothing.
    pub excerpts: bool,
    /// Whether its authors' names were public; else they are shortened to "Jane D." (CONTRACT §2.1).
    pub authors_public: bool,
    /// What whoever imports it must know.
    pub note: Option<&'static str>,
    /// Whether `--map` has a meaning for it.
    pub(super) renames: bool,
    /// Members of the outermost object, one of which makes a file this format, its rows in `reviews`: where there are no rows to judge by.
    pub(super) document: &'static [&'static str],
    /// How its rows become reviews.
    pub(super) reader: Reader,
}

/// How rows become reviews.
#[derive(Debug)]
pub(super) enum Reader {
    /// As our own record, which may also say that a review was deleted.
    Native,
    /// By a function of the row; a file is it if its rows have all the names of one of these sets.
    Json(&'static [&'static [&'static str]], fn(&Value) -> Result<Incoming, Vec<Problem>>),
    /// By a table of what its columns mean.
    Platform(&'static Platform),
    /// As linked data of schema.org, which is walked whole.
    LinkedData,
}

impl Format {
    /// Every format, in the order in which they are asked: the one that asks least comes last.
    pub const ALL: [&'static Self; platforms::ALL.len()] = platforms::ALL;

    /// The format of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|format| format.name == name)
    }

    /// The sets of names by one of which a row of it is known.
    pub(super) fn keys(&self) -> &'static [&'static [&'static str]] {
        match self.reader {
            Reader::Native => platforms::native::KEYS,
            Reader::Json(keys, _) => keys,
            Reader::Platform(platform) => platform.keys,
            Reader::LinkedData => platforms::schema_org::KEYS,
        }
    }

    /// Whether no row is there by which another format could be known, or the members beside them say enough.
    pub(super) fn document_alone(&self, shape: &Shape) -> bool {
        self.document.contains(&"business")
            || shape.below("reviews[].").next().is_none()
            || self.keys().iter().any(|set| set.iter().all(|name| shape.has_below("reviews[].", name)))
    }

    /// Whether its rows are our own records.
    pub(super) const fn is_own(&self) -> bool {
        matches!(self.reader, Reader::Native)
    }

    /// The names that `--format` takes.
    pub fn names() -> impl Iterator<Item = &'static str> {
        Self::ALL.into_iter().map(|format| format.name)
    }
}

impl fmt::Debug for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Format({})", self.name)
    }
}
