//! What subscribers ask the hub (W3C WebSub §5.1).

use poem_openapi::{Enum, Object};

/// A request to the hub, as a form.
#[derive(Debug, Clone, PartialEq, Eq, Object)]
pub struct HubRequest {
    /// Where to deliver: an `https` URL with a public host, port 443 or from 1024 up, no user and no fragment. The pattern
    /// shows the plain ones; what else is taken stands in the docs.
    #[oai(
        rename = "hub.callback",
        validator(
            max_length = 2048,
            pattern = r"^https://([A-Za-z0-9_-]{1,40}\.){0,4}[A-Za-z_][A-Za-z0-9_-]{1,20}(:(443|102[4-9]|10[3-9][0-9]|1[1-9][0-9]{2}|[2-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?(/([!$%&'()*+,:;=@A-Z\[\]^_a-z|~0-9-][!$%&'()*+,.:;=@A-Z\[\]^_a-z|~0-9-]*)?)*(\?[!$%&()*+,./:;=?@A-Z\[\]^_`a-z{|}~0-9-]*)?$"
        )
    )]
    pub callback: String,
    /// What is wanted.
    #[oai(rename = "hub.mode")]
    pub mode: HubMode,
    /// Of which topic: its `self` URL.
    #[oai(rename = "hub.topic")]
    pub topic: String,
    /// For how many seconds, in digits and above 0; the hub may grant another lease. Of no meaning where it is to end.
    #[oai(rename = "hub.lease_seconds")]
    pub lease_seconds: Option<String>,
    /// What deliveries are to be signed with; less than 200 bytes in UTF-8.
    #[oai(rename = "hub.secret", validator(max_length = 199))]
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
