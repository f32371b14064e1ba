//! Whether a review, its answer or its author's name is public at its source: only with a value that the platform's file or the owner
//! names.

use crate::imports::map::values::is_empty;

/// Reason for withholding a review that its source hides.
pub const NOT_PUBLISHED: &str = "not published at the source";

/// What a column says of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    Review,
    Answer,
    /// The name of the author.
    Name,
}

impl Subject {
    pub const ALL: [Self; 3] = [Self::Review, Self::Answer, Self::Name];

    /// The field of its column in `source_column`.
    pub const fn field(self) -> &'static str {
        match self {
            Self::Review => "public",
            Self::Answer => "public answer",
            Self::Name => "public name",
        }
    }

    pub const fn option(self) -> &'static str {
        match self {
            Self::Review => "--public",
            Self::Answer => "--public-answer",
            Self::Name => "--public-name",
        }
    }

    /// What may be published.
    pub const fn noun(self) -> &'static str {
        match self {
            Self::Review => "a review",
            Self::Answer => "your answer",
            Self::Name => "the author's name",
        }
    }

    /// The subject of a field in `source_column`.
    pub fn of_field(field: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.field() == field)
    }
}

/// A column, or several by the same rule, with the values that publish.
#[derive(Debug, Clone)]
pub struct PublicIf {
    pub columns: Vec<usize>,
    /// The columns of members of an object, or of a list of objects, where a plain value is meant: a row that has one is not public.
    pub inside: Vec<usize>,
    /// `""` is an empty cell, `*` any other.
    pub values: Vec<String>,
    /// The values that the owner saw beside them; empty for a platform's.
    pub others: Vec<String>,
    /// The reason for withholding the review.
    pub reason: &'static str,
    /// Whether the platform's file names it: then a file without the column says nothing.
    pub is_platform: bool,
}

impl PublicIf {
    /// Whether the cells of its columns in a row are values that publish.
    pub fn publishes(&self, cells: &[Option<&str>]) -> bool {
        let mut cells: Vec<&str> = cells.iter().map(|cell| cell.unwrap_or_default()).collect();
        if self.is_platform {
            // Its columns are different names of one.
            cells.retain(|cell| !is_empty(cell, false));
        }
        if cells.is_empty() {
            cells.push("");
        }
        cells.iter().all(|cell| is_one_of(&self.values, cell))
    }

    /// Whether a value was not there when the owner named those that publish.
    pub fn is_new(&self, value: &str) -> bool {
        let is_known = is_one_of(&self.values, value) || is_one_of(&self.others, value);
        !self.is_platform && !is_known
    }
}

/// Whether a cell is one of these values, but for case and blanks around it.
pub fn is_one_of<V: AsRef<str>>(values: &[V], cell: &str) -> bool {
    let cell = cell.trim();
    values.iter().any(|value| match value.as_ref().trim() {
        // A word for "empty" may be a mark here.
        "" => cell.is_empty(),
        "*" => !is_empty(cell, false),
        value => value.to_lowercase() == cell.to_lowercase(),
    })
}
