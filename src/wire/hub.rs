//! What subscribers ask the hub (W3C WebSub §5.1).

use poem_openapi::{Enum, Object};

/// A request to the hub, as a form.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
pub struct HubRequest {
    /// Where to deliver: an `https` URL.
    #[oai(rename = "hub.callback")]
    pub callback: String,
    /// What is wanted.
    #[oai(rename = "hub.mode")]
    pub mode: HubMode,
    /// Of which topic: its `self` URL.
    #[oai(rename = "hub.topic")]
    pub topic: String,
    /// For how many seconds; the hub may grant another lease.
    #[oai(rename = "hub.lease_seconds")]
    pub lease_seconds: Option<String>,
    /// What deliveries are to be signed with; less than 200 bytes.
    #[oai(rename = "hub.secret")]
    pub secret: Option<String>,
}

/// To be told of changes, or not any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[oai(rename_all = "snake_case")]
pub enum HubMode {
    /// To be told.
    Subscribe,
    /// Not any more.
    Unsubscribe,
}
