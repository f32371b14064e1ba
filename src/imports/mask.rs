//! The secrets of a request, which its answer may repeat: rows with one are left out, and names of columns are shown without it.

use std::fmt;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use serde_json::Value;

use crate::model::compose;

/// What is shown in place of a secret.
const MASKED: &str = "…";
/// Why a row is rejected that has one.
pub const HAS_SECRET: &str = "has a secret of the request, so it is left out";
/// A shorter secret may be a word of a review, so it counts only as the value of a parameter.
const WORD_BYTES: usize = 8;
/// All but the unreserved characters of a URL (RFC 3986 §2.3).
pub const QUERY_VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// The secrets; `Debug`, which a log shows, tells none.
#[derive(Clone, Default)]
pub struct Mask(Vec<String>);

impl Mask {
    /// Adds a secret: as it is, composed as texts are stored, as a URL has it, and in Base64.
    pub fn add(&mut self, secret: &str) {
        let composed = compose(secret).into_owned();
        let encoded = utf8_percent_encode(secret, QUERY_VALUE).to_string();
        let in_base64 = BASE64_STANDARD_NO_PAD.encode(secret);
        for form in [secret.to_owned(), composed, encoded, in_base64] {
            let form = if secret.len() < WORD_BYTES {
                format!("={form}")
            } else {
                form
            };
            if !secret.is_empty() && !self.0.contains(&form) {
                self.0.push(form);
            }
        }
    }

    /// Whether the text has a secret, percent-encoded or not.
    pub fn is_in(&self, text: &str) -> bool {
        let has = |text: &str| self.0.iter().any(|secret| text.contains(secret.as_str()));
        has(text) || (text.contains('%') && has(&percent_decode_str(text).decode_utf8_lossy()))
    }

    /// The text without secrets.
    pub fn apply(&self, text: &str) -> String {
        let secrets = self.0.iter();
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret, MASKED))
    }

    /// Whether a text of the record has a secret.
    pub fn is_in_record(&self, record: &Value) -> bool {
        match record {
            Value::String(text) => self.is_in(text),
            Value::Array(list) => list.iter().any(|value| self.is_in_record(value)),
            Value::Object(members) => members
                .iter()
                .any(|(name, value)| self.is_in(name) || self.is_in_record(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

impl fmt::Debug for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mask")
    }
}
