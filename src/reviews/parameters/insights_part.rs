//! The parts of the insights, as they are asked for.

/// A part of the insights.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InsightsPart {
    /// All in short, at most 8 KiB.
    Overview,
    /// What is spoken of, and how.
    Aspects,
    /// Technicians whom reviews name, with counts.
    Technicians,
    /// What work they name.
    Services,
    /// What places they name.
    Areas,
    /// Phrases that stand out, with quotes.
    Topics,
    /// Questions with answers, and the reviews they quote.
    Faq,
    /// The summary with what it rests on.
    Summary,
    /// How it was made, and how good that is.
    Method,
}

impl InsightsPart {
    /// Its name as a parameter.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overview => "overview",
            Self::Aspects => "aspects",
            Self::Technicians => "technicians",
            Self::Services => "services",
            Self::Areas => "areas",
            Self::Topics => "topics",
            Self::Faq => "faq",
            Self::Summary => "summary",
            Self::Method => "method",
        }
    }
}
