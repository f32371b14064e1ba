//! The documents, as they are printed.

use std::sync::Arc;

use poem::http::HeaderMap;
use poem_openapi::OpenApi;

use super::Group;
use super::answers::{Answer, Kind};
use crate::ctx::Ctx;
use crate::edition::Document;
use crate::{respond, wire};

/// Handlers of the printed documents.
pub struct Datasets(pub(super) Arc<Ctx>);

/// `/reviews.json`.
pub struct ReviewsKind;
impl Kind for ReviewsKind {
    type Content = wire::Dataset;
    const CONTENT_TYPE: &'static str = Document::Reviews.content_type();
    const DESCRIPTION: &'static str = "The business, its overall rating, and every published review, newest first.";
    const HAS_LAST_MODIFIED: bool = true;
    const IS_TOPIC: bool = true;
}

/// `/insights.json`.
pub struct InsightsKind;
impl Kind for InsightsKind {
    type Content = wire::Insights;
    const CONTENT_TYPE: &'static str = Document::Insights.content_type();
    const DESCRIPTION: &'static str = "Aspects, entities, topics, FAQ and summary; every part is always there.";
    const HAS_LAST_MODIFIED: bool = true;
}

/// `/api/feed.json`.
pub struct JsonFeedKind;
impl Kind for JsonFeedKind {
    type Content = wire::Feed;
    const CONTENT_TYPE: &'static str = Document::JsonFeed.content_type();
    const DESCRIPTION: &'static str = "The 50 newest reviews as JSON Feed 1.1.";
    const HAS_LAST_MODIFIED: bool = true;
    const IS_TOPIC: bool = true;
}

/// `/feed.xml`.
pub struct AtomFeedKind;
impl Kind for AtomFeedKind {
    type Content = String;
    const CONTENT_TYPE: &'static str = Document::AtomFeed.content_type();
    const DESCRIPTION: &'static str = "The 50 newest reviews as Atom (RFC 4287).";
    const HAS_LAST_MODIFIED: bool = true;
    const IS_TOPIC: bool = true;
}

#[OpenApi]
#[expect(clippy::unused_async, reason = "poem-openapi takes async handlers alone; nothing here waits")]
impl Datasets {
    /// Get the whole dataset
    ///
    /// The business, its overall rating, and every published review, newest first (date descending, then id ascending).
    #[oai(path = "/getReviews", method = "get", tag = "Group::Datasets")]
    async fn get_reviews(&self, headers: &HeaderMap) -> Answer<ReviewsKind> {
        self.document(headers, Document::Reviews)
    }

    /// Get the insights
    ///
    /// What the reviews say, counted: aspects, entities, topics, FAQ and summary. Every part is always there.
    #[oai(path = "/getInsights", method = "get", tag = "Group::Datasets")]
    async fn get_insights(&self, headers: &HeaderMap) -> Answer<InsightsKind> {
        self.document(headers, Document::Insights)
    }

    /// Get the newest reviews as JSON Feed
    ///
    /// JSON Feed 1.1 of the 50 newest reviews, with the hub to subscribe at.
    #[oai(path = "/getFeed", method = "get", tag = "Group::Datasets")]
    async fn get_feed(&self, headers: &HeaderMap) -> Answer<JsonFeedKind> {
        self.document(headers, Document::JsonFeed)
    }

    /// Get the newest reviews as Atom
    ///
    /// RFC 4287 feed of the same 50 reviews, with the hub to subscribe at.
    #[oai(path = "/getAtomFeed", method = "get", tag = "Group::Datasets")]
    async fn get_atom_feed(&self, headers: &HeaderMap) -> Answer<AtomFeedKind> {
        self.document(headers, Document::AtomFeed)
    }
}

impl Datasets {
    fn document<K>(&self, headers: &HeaderMap, document: Document) -> Answer<K> {
        respond::document(headers, &self.0.current.load(), document, &self.0.links).into()
    }
}
