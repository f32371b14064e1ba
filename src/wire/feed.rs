//! JSON Feed 1.1 (<https://www.jsonfeed.org/version/1.1/>).

use chrono::{DateTime, Utc};
use poem_openapi::{NewType, Object};
use serde::Serialize;
use serde_with::skip_serializing_none;

/// The newest reviews of a search as Atom (RFC 4287).
#[derive(NewType)]
pub struct SearchFeed(String);

/// The newest reviews as a JSON Feed.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct JsonFeed {
    /// JSON Feed version; always `https://jsonfeed.org/version/1.1`.
    pub version: String,
    /// Title of the feed: `Reviews of` and the name of the business.
    pub title: String,
    /// The page that it belongs to.
    pub home_page_url: String,
    /// Its own address, also the topic to subscribe to.
    pub feed_url: String,
    /// What it is about.
    pub description: Option<String>,
    /// The business, as a list of one.
    pub authors: Vec<FeedAuthor>,
    /// Default language of the items: BCP 47; left out if the business has not set one.
    pub language: Option<String>,
    /// Hubs at which `feed_url` can be subscribed to.
    pub hubs: Vec<FeedHub>,
    /// At most 50, newest first.
    pub items: Vec<FeedItem>,
    /// Members that JSON Feed does not define.
    #[serde(rename = "_feed")]
    #[oai(rename = "_feed")]
    pub feed: Option<FeedExtension>,
}

/// The feed's own extension (JSON Feed 1.1, "Extensions").
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct FeedExtension {
    /// When the feed last changed, RFC 3339 UTC; never goes back.
    pub updated_at: DateTime<Utc>,
}

/// An author.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct FeedAuthor {
    /// Name of the business for the feed, display name of the reviewer for an item.
    pub name: String,
    /// Website of the business; left out if it has none, and for reviewers.
    pub url: Option<String>,
}

/// A hub that sends changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct FeedHub {
    /// Protocol of the hub; always `WebSub`.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// URL that takes subscription requests by POST.
    pub url: String,
}

/// One review as a feed item.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct FeedItem {
    /// The permalink, which never changes.
    pub id: String,
    /// URL of the review's page under the present base URL.
    pub url: String,
    /// Stars and author, for example `★★★★☆ Jane D.`.
    pub title: String,
    /// The same as `content_text` in HTML: paragraphs with line breaks; the owner's answer is a paragraph of its own.
    pub content_html: String,
    /// What the review says and, below it, the owner's answer.
    pub content_text: String,
    /// The start of the review's day where the business is.
    pub date_published: String,
    /// When the review last changed.
    pub date_modified: String,
    /// The reviewer, as a list of one.
    pub authors: Vec<FeedAuthor>,
    /// What it is about: names of services, technicians and areas.
    pub tags: Vec<String>,
    /// BCP 47 language tag.
    pub language: Option<String>,
    /// Extension with the star rating, for which JSON Feed has no member.
    #[serde(rename = "_review")]
    #[oai(rename = "_review")]
    pub review: FeedReview,
}

/// Fields that JSON Feed does not define.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Object)]
pub struct FeedReview {
    /// One to five stars.
    pub rating: u8,
}
