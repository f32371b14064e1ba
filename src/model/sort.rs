/// An order of reviews. Reviews with equal stars are ordered newest first, and reviews of one day by id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    #[default]
    Newest,
    Oldest,
    /// 5 to 1 stars.
    Highest,
    /// 1 to 5 stars.
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

    /// The stars (1 to 5) in this order; `None` for an order by date.
    #[must_use]
    pub const fn stars(self) -> Option<[u8; 5]> {
        match self {
            Self::Newest | Self::Oldest => None,
            Self::Highest => Some([5, 4, 3, 2, 1]),
            Self::Lowest => Some([1, 2, 3, 4, 5]),
        }
    }
}
