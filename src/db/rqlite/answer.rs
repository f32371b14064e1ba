//! What is read of a node's answer, and how nodes and failures are named: never with what stands in a URL besides.

use reqwest::Response;
use serde_json::Value;
use url::Url;

use super::error::ClusterError;

/// How much of an answer is read: results of a few thousand statements.
const ANSWER_BYTES_MAX: usize = 4 << 20;
/// How much of a node's own words an error repeats.
const TOLD_CHARS_MAX: usize = 200;

/// How many rows each statement affected.
pub(super) fn results(answer: &Value) -> Result<Vec<u64>, ClusterError> {
    let results = answer["results"].as_array();
    let results =
        results.ok_or_else(|| ClusterError::Unknown("an answer without results".to_owned()))?;
    results
        .iter()
        .map(|result| match result["error"].as_str() {
            Some(reason) => Err(ClusterError::Refused(reason.to_owned())),
            None => Ok(result["rows_affected"].as_u64().unwrap_or(0)),
        })
        .collect()
}

/// The body, as far as it is read.
pub(super) async fn body(mut response: Response) -> String {
    let mut bytes = Vec::new();
    while let Ok(Some(piece)) = response.chunk().await {
        bytes.extend_from_slice(&piece);
        if bytes.len() > ANSWER_BYTES_MAX {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(super) fn at(node: &Url, path: &str) -> String {
    format!("{node}{path}")
}

/// Host and port, without what else stands in the URL.
pub(super) fn name(node: &Url) -> String {
    let port = node.port_or_known_default().unwrap_or_default();
    format!("{}:{port}", node.host_str().unwrap_or_default())
}

pub(super) fn shortened(text: &str) -> String {
    text.trim().chars().take(TOLD_CHARS_MAX).collect()
}

/// The innermost reason, which says most; never the URL, which may hold a password.
pub(super) fn cause(error: &reqwest::Error) -> String {
    let mut error: &dyn std::error::Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    shortened(&error.to_string())
}
