//! The revisions of the Model Context Protocol that are served, each named by its date.

/// A revision of the protocol; a later one is greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// 2025-03-26: streamable HTTP.
    March2025,
    /// 2025-06-18: structured results, and links to resources.
    June2025,
    /// 2025-11-25: the last one with sessions.
    November2025,
    /// 2026-07-28: stateless; every request says for itself what a session would know.
    July2026,
}

impl Revision {
    /// All of them, oldest first.
    pub const ALL: [Self; 4] = [
        Self::March2025,
        Self::June2025,
        Self::November2025,
        Self::July2026,
    ];
    /// What a client gets that asks to open a session in a revision that has none here.
    pub const NEWEST_WITH_SESSIONS: Self = Self::November2025;

    /// Its date, the name by which clients ask for it.
    #[must_use]
    pub const fn date(self) -> &'static str {
        match self {
            Self::March2025 => "2025-03-26",
            Self::June2025 => "2025-06-18",
            Self::November2025 => "2025-11-25",
            Self::July2026 => "2026-07-28",
        }
    }

    /// The revision of that date.
    #[must_use]
    pub fn of(date: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.date() == date)
    }

    /// Whether it has sessions.
    #[must_use]
    pub fn has_sessions(self) -> bool {
        self <= Self::NEWEST_WITH_SESSIONS
    }
}
