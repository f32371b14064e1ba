//! The form of a subscriber's request to the hub (W3C WebSub §5.1).

use poem_openapi::{Enum, Object};

/// A request to the hub, as a form.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
pub struct HubRequest {
    /// Where to deliver: an `https` URL of at most 2,048 bytes with a public host, port 443 or from 1024 up, no user and no
    /// fragment.
    #[oai(rename = "hub.callback", validator(max_length = 2048))]
    pub callback: String,
    /// Whether to start or renew a subscription, or to end one.
    #[oai(rename = "hub.mode")]
    pub mode: HubMode,
    /// The topic: the URL of `/reviews.json`, `/api/feed.json` or `/feed.xml`, as given in its `Link` header (`self`).
    #[oai(rename = "hub.topic")]
    pub topic: String,
    /// Requested lease in seconds, in digits and above 0; the hub grants the nearest value within its bounds. Ignored on
    /// `unsubscribe`.
    #[oai(rename = "hub.lease_seconds")]
    pub lease_seconds: Option<String>,
    /// Secret that signs the deliveries; less than 200 bytes in UTF-8.
    #[oai(rename = "hub.secret", validator(max_length = 199))]
    pub secret: Option<String>,
}

/// Whether to subscribe or to unsubscribe.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum HubMode {
    /// Start a subscription, or renew one.
    Subscribe,
    /// End an existing subscription.
    Unsubscribe,
}
