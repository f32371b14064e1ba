//! The documents of a snapshot. Routes, `Link` headers, conditional requests and hub topics iterate over
//! [`Document::ALL`].

use crate::links::Links;

/// A document rendered whole, from the same reviews as all others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Document {
    /// The business, its rating and every published review.
    Reviews,
    Insights,
    JsonFeed,
    AtomFeed,
}

impl Document {
    /// In the order in which they are rendered.
    pub const ALL: [Self; 4] = [
        Self::Reviews,
        Self::Insights,
        Self::JsonFeed,
        Self::AtomFeed,
    ];

    /// Below the base URL.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Reviews => "/reviews.json",
            Self::Insights => "/insights.json",
            Self::JsonFeed => "/api/feed.json",
            Self::AtomFeed => "/feed.xml",
        }
    }

    /// The same for clients and subscribers.
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

    /// The value of the `Link` header for discovery (WebSub §4): the topic, then the hub.
    #[must_use]
    pub fn link(self, links: &Links) -> String {
        format!(
            r#"<{}>; rel="self", <{}>; rel="hub""#,
            links.absolute(self.path()),
            links.hub()
        )
    }

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

    /// Its index in [`Document::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}
