//! Error documents (RFC 9457).

use poem_openapi::{Enum, Object};
use serde::{Deserialize, Serialize};

use crate::config::bounds::ECHO_CHARACTERS_MAX;

/// What went wrong, and what to do (`application/problem+json`, RFC 9457).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Problem {
    /// A URI that names the kind of problem; `about:blank` if the status needs no further type.
    #[serde(rename = "type")]
    #[oai(rename = "type")]
    pub kind: String,
    /// The kind of problem in a few words.
    pub title: String,
    /// HTTP status code, the same as that of the response.
    pub status: u16,
    /// The error in this case, and what to do.
    pub detail: String,
    /// One entry for each invalid parameter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[oai(default, skip_serializing_if_is_empty)]
    pub issues: Vec<Issue>,
}

/// One invalid parameter: its name, what is wrong, and what is allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, Object)]
pub struct Issue {
    /// Name of the parameter, as a list of one.
    pub path: Vec<String>,
    /// What is wrong with it.
    pub code: IssueCode,
    /// What is allowed, for example `must be a whole number from 1 to 100`.
    pub message: String,
    /// What was given, at most 200 characters of it.
    pub received: String,
}

impl Issue {
    pub fn new(name: &str, code: IssueCode, message: impl Into<String>, received: &str) -> Self {
        let shorten = |text: &str| text.chars().take(ECHO_CHARACTERS_MAX).collect();
        Self {
            path: vec![shorten(name)],
            code,
            message: message.into(),
            received: shorten(received),
        }
    }
}

/// What is wrong with a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[serde(rename_all = "snake_case")]
#[oai(rename = "Code", rename_all = "snake_case")]
pub enum IssueCode {
    /// Not of the type, for example letters for a number.
    InvalidType,
    /// Below the minimum.
    TooSmall,
    /// Above the maximum, or too long.
    TooBig,
    /// Not a day written `YYYY-MM-DD`.
    InvalidDate,
    /// A text that cannot be used, for example a cursor of other filters.
    InvalidString,
    /// Given more than once.
    Duplicate,
}
