//! What a trade's reviews are about.

/// The aspects of a trade.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Trade {
    /// In the order in which they are told.
    pub aspects: Vec<Aspect>,
}

/// Something that customers judge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Aspect {
    /// For example `punctuality`.
    pub id: String,
    /// For example `Punctuality`.
    pub label: String,
    /// For example `Do they arrive on time?`.
    pub question: String,
}

impl Trade {
    /// The built-in trade.
    #[must_use]
    pub fn built_in() -> Self {
        Self::default()
    }

    /// The trade of that file.
    ///
    /// # Errors
    /// Never yet.
    pub fn parse(_text: &str) -> anyhow::Result<Self> {
        Ok(Self::default())
    }

    /// A hash.
    #[must_use]
    pub fn digest(&self) -> &str {
        ""
    }
}
