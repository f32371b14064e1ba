//! The formats that reviews come in. A format is a file of its own beside this one, which ends in a `FORMAT`, and one line in
//! [`Format::ALL`].

use std::fmt;
use std::io::BufRead;

use super::detect::Shape;
use super::fault::Fault;
use super::sink::RowSink;
use super::{document, google, jsonl};

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
    /// Whether `--map` has a meaning for it.
    pub(super) renames: bool,
    /// Whether a file of that shape is one.
    pub(super) recognises: fn(&Shape) -> bool,
    /// Hands every review in the file, right or wrong, to the sink.
    pub(super) read: fn(&mut dyn BufRead, &mut dyn RowSink) -> Result<(), Fault>,
}

impl Format {
    /// Every format, in the order in which they are asked: the one that asks least comes last.
    pub const ALL: [&'static Self; 3] = [&document::FORMAT, &google::FORMAT, &jsonl::FORMAT];

    /// The format of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        Self::ALL.into_iter().find(|format| format.name == name)
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
