//! How a platform's API gives further pages. `Link: rel="next"` (RFC 8288) needs no entry.

use serde::Deserialize;

/// Paths are those of members in the body, such as `pagination.next`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Paging {
    /// Path of the array of rows; if `None`, the answer is the array.
    pub rows: Option<&'static str>,
    /// Path of the token of the next page, for the query parameter `parameter`.
    pub token: Option<&'static str>,
    pub parameter: Option<&'static str>,
    /// Path of the URL of the next page; only its query counts.
    pub next_url: Option<&'static str>,
    /// Query parameter with the number of the page, from 1.
    pub page: Option<&'static str>,
    /// Query parameter with an offset, which grows by the value of the parameter `size`; there is one page if the URL
    /// does not have that.
    pub offset: Option<&'static str>,
    pub size: Option<&'static str>,
    /// Statuses that mean that there is no further page.
    pub end_status: Vec<u16>,
    /// Path of the number of reviews that there are.
    pub total: Option<&'static str>,
}
