//! The documents that a snapshot consists of. Routes, Link headers, conditionals and the hub's
//! topics all iterate
//! [`Document::ALL`]: one more document is one more variant here.

use crate::links::Links;

/// A document rendered whole, made of the same reviews as all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Document {
    /// The business, its rating and every published review.
    Reviews,
    /// What the reviews say.
    Insights,
    /// The newest reviews as JSON Feed.
    JsonFeed,
    /// The newest reviews as Atom.
    AtomFeed,
}

impl Document {
    /// Every document, in the order in which they are rendered.
    pub const ALL: [Self; 4] = [
        Self::Reviews,
        Self::Insights,
        Self::JsonFeed,
        Self::AtomFeed,
    ];

    /// Where it is served, below the base URL.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Reviews => "/reviews.json",
            Self::Insights => "/insights.json",
            Self::JsonFeed => "/api/feed.json",
            Self::AtomFeed => "/feed.xml",
        }
    }

    /// Its media type, the same for readers and for subscribers.
    #[must_use]
    pub const fn content_type(self) -> &'static str {
        match self {
            Self::Reviews | Self::Insights | Self::JsonFeed => "application/json",
            Self::AtomFeed => "application/atom+xml",
        }
    }

    /// Whether it can be subscribed to at the hub.
    #[must_use]
    pub const fn is_topic(self) -> bool {
        match self {
            Self::Reviews | Self::JsonFeed | Self::AtomFeed => true,
            Self::Insights => false,
        }
    }

    /// How a subscriber finds the hub (WebSub §4): itself, then the hub, as the value of one `Link`
    /// header.
    #[must_use]
    pub fn link(self, links: &Links) -> String {
        format!(
            r#"<{}>; rel="self", <{}>; rel="hub""#,
            links.absolute(self.path()),
            links.hub()
        )
    }

    /// The document of that name.
    #[must_use]
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|document| document.name() == name)
    }

    /// Its name in the database.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reviews => "reviews",
            Self::Insights => "insights",
            Self::JsonFeed => "json_feed",
            Self::AtomFeed => "atom_feed",
        }
    }

    /// Its place in [`Document::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}
