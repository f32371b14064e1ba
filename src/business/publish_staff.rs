//! How the business's technicians are shown.

/// How the business's technicians are shown: in rosters, mentions, filters, insights, to agents and on pages alike.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PublishStaff {
    /// By their full names.
    #[default]
    Full,
    /// By their first names, with an initial where two have the same one.
    FirstName,
    /// Not at all.
    Off,
}

impl PublishStaff {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Full, Self::FirstName, Self::Off];

    /// Its name in the database and in `business.json`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::FirstName => "first_name",
            Self::Off => "off",
        }
    }

    /// The one of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}
