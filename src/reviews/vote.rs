//! How something is spoken of in one review. Apart from the insights, which find it, because
//! searches ask for it by name.

/// How something is spoken of in one review: what its findings say together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vote {
    /// Well, and nowhere badly.
    Positive,
    /// Badly, and nowhere well.
    Negative,
    /// Only as a fact, without judgement.
    Neutral,
    /// Both well and badly.
    Mixed,
    /// Too close to call, and nowhere clearly well or badly.
    Uncertain,
}

impl Vote {
    /// One vote of a review from what its findings say: what is clear weighs more than what is not.
    #[must_use]
    pub const fn fold(is_praised: bool, is_blamed: bool, is_uncertain: bool) -> Self {
        match (is_praised, is_blamed, is_uncertain) {
            (true, true, _) => Self::Mixed,
            (true, false, _) => Self::Positive,
            (false, true, _) => Self::Negative,
            (false, false, true) => Self::Uncertain,
            (false, false, false) => Self::Neutral,
        }
    }

    /// Its name as a parameter and in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Positive => "positive",
            Self::Negative => "negative",
            Self::Neutral => "neutral",
            Self::Mixed => "mixed",
            Self::Uncertain => "uncertain",
        }
    }
}
