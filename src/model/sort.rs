//! In which order reviews are found.

/// An order of reviews. What is equal in it comes newest first, then by id; of the oldest, those of
/// one day come by id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// By date, newest first; within a day by id.
    #[default]
    Newest,
    /// By date, oldest first; within a day by id.
    Oldest,
    /// By stars, 5 to 1; equal ones newest first.
    Highest,
    /// By stars, 1 to 5; equal ones newest first.
    Lowest,
}

impl Sort {
    /// Its name as a parameter.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Highest => "highest",
            Self::Lowest => "lowest",
        }
    }

    /// The stars (1 to 5) in this order, where it is one of stars.
    #[must_use]
    pub const fn stars(self) -> Option<[u8; 5]> {
        match self {
            Self::Newest | Self::Oldest => None,
            Self::Highest => Some([5, 4, 3, 2, 1]),
            Self::Lowest => Some([1, 2, 3, 4, 5]),
        }
    }
}
