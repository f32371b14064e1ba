//! What a receiver answers, and how much of it is read: a body that was asked for up to its bound,
//! any other only for its connection's sake.

use std::net::IpAddr;
use std::time::Duration;

use reqwest::Response;
use reqwest::header::CONTENT_LENGTH;

use super::failure::Failure;

/// A body that nobody asked for is read so far, and so long, for the connection's sake; then the
/// connection is given up.
const DRAIN_BYTES_MAX: usize = 4_096;
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// What the receiver answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// Its status; redirects are answers like any other.
    pub status: u16,
    /// Its body, whole, where it was asked for and the status is 2xx; empty otherwise.
    pub body: Vec<u8>,
    /// How long it asks us to wait (RFC 9110 §10.2.3).
    pub retry_after: Option<Duration>,
    /// The address that was dialled and answered.
    pub address: IpAddr,
}

impl Answer {
    /// Whether the status is 2xx.
    #[must_use]
    pub const fn is_success(&self) -> bool {
        matches!(self.status, 200..=299)
    }
}

/// The body, whole; at most `bytes_max`.
pub async fn read(mut response: Response, bytes_max: usize) -> Result<Vec<u8>, Failure> {
    let mut body = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|error| Failure::of(&error))?
    {
        if body.len() + chunk.len() > bytes_max {
            return Err(Failure::TooLong { bytes_max });
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// Reads a short body to its end, so that its connection can be used again. Whatever goes wrong
/// here is nobody's failure.
pub async fn drain(mut response: Response) {
    let told = response
        .headers()
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok());
    if told.is_some_and(|bytes| bytes > DRAIN_BYTES_MAX) {
        return;
    }
    let rest = async {
        let mut bytes = 0;
        while let Ok(Some(chunk)) = response.chunk().await {
            bytes += chunk.len();
            if bytes > DRAIN_BYTES_MAX {
                break;
            }
        }
    };
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, rest).await;
}
