//! What a source says about a field: something, that there is nothing, or not a word. Apart,
//! because imports carry the difference from the file to the merge, and `Option` has no place for
//! it.

/// A field as a source states it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Stated<T> {
    /// The file does not state it: overwrites nothing.
    #[default]
    Unsaid,
    /// The file says that there is none.
    None,
    /// The file says this.
    Given(T),
}

impl<T> Stated<T> {
    /// What is there when nothing was before.
    #[must_use]
    pub fn given(self) -> Option<T> {
        match self {
            Self::Given(value) => Some(value),
            Self::None | Self::Unsaid => None,
        }
    }

    /// Whether the file says anything about it.
    #[must_use]
    pub const fn is_stated(&self) -> bool {
        !matches!(self, Self::Unsaid)
    }

    /// For files that state a field only where they have it.
    #[must_use]
    pub fn or_unsaid(value: Option<T>) -> Self {
        value.map_or(Self::Unsaid, Self::Given)
    }

    /// For files that state a field always.
    #[must_use]
    pub fn or_none(value: Option<T>) -> Self {
        value.map_or(Self::None, Self::Given)
    }

    /// The same, by reference.
    #[must_use]
    pub const fn as_ref(&self) -> Stated<&T> {
        match self {
            Self::Unsaid => Stated::Unsaid,
            Self::None => Stated::None,
            Self::Given(value) => Stated::Given(value),
        }
    }

    /// The same about what `map` makes of it.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Stated<U> {
        match self {
            Self::Unsaid => Stated::Unsaid,
            Self::None => Stated::None,
            Self::Given(value) => Stated::Given(map(value)),
        }
    }
}
