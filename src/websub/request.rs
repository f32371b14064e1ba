//! Parses and validates a subscriber's form (W3C WebSub §5.1).
//!
//! Pure and without lookups, because the response must not depend on the host of the callback. An error is one line
//! that explains what to change. A known field may be given only once; unknown fields are ignored.

use std::fmt;

use thiserror::Error;

use crate::config::LeaseBounds;
use crate::config::bounds::SECRET_BYTES_MAX;
use crate::links::{Links, normal};
use crate::model::text::quoted;
use crate::snapshot::Document;
use crate::websub::http_client::{Callback, Policy};
use crate::wire::HubMode;

/// A well-formed request that passed every check that needs no lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub mode: HubMode,
    pub document: Document,
    /// Untrusted input (SSRF).
    pub callback: Callback,
    /// The signing key, if any; `None` when unsubscribing.
    pub secret: Option<Secret>,
    /// The lease that will be granted.
    pub lease_seconds: u64,
}

/// The signing key of a subscription's deliveries. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Fewer than 200 bytes (WebSub §5.1).
    pub const fn new(secret: String) -> Self {
        Self(secret)
    }

    /// The secret in plain text, for storage and for signing only.
    pub(super) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(…)")
    }
}

/// One line that explains what to change.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequestError {
    #[error("Content-Type must be application/x-www-form-urlencoded.")]
    ContentType,
    /// A value in it is shortened.
    #[error("{0}")]
    Field(String),
}

/// Parses and validates a request.
///
/// # Errors
/// The first error found.
pub fn parse(
    content_type: Option<&str>,
    body: &[u8],
    links: &Links,
    policy: &Policy,
    leases: &LeaseBounds,
) -> Result<Request, RequestError> {
    if !content_type.is_some_and(is_form) {
        return Err(RequestError::ContentType);
    }
    let mode = required_field(body, "hub.mode")?;
    let mode = HubMode::find(&mode).ok_or_else(|| {
        RequestError::Field(format!(
            "hub.mode {} is neither subscribe nor unsubscribe; the hub sees every change by itself, so no ping is needed.",
            quoted(&mode)
        ))
    })?;
    let document = topic(&required_field(body, "hub.topic")?, links)?;
    let callback = Callback::parse(&required_field(body, "hub.callback")?, policy)
        .map_err(|fault| RequestError::Field(format!("hub.callback cannot be used: {fault}.")))?;
    let secret = field(body, "hub.secret")?.filter(|secret| !secret.is_empty());
    if let Some(secret) = &secret
        && secret.len() > SECRET_BYTES_MAX
    {
        return Err(RequestError::Field(format!(
            "hub.secret has {} bytes; it must have fewer than 200.",
            secret.len()
        )));
    }
    let (secret, wish_seconds) = match mode {
        HubMode::Subscribe => {
            let value = field(body, "hub.lease_seconds")?;
            let value = value.filter(|value| !value.is_empty());
            let wish_seconds = value.map(|value| seconds(&value)).transpose()?;
            (secret.map(Secret::new), wish_seconds)
        }
        HubMode::Unsubscribe => (None, None),
    };
    Ok(Request {
        mode,
        document,
        callback,
        secret,
        lease_seconds: leases.grant(wish_seconds),
    })
}

fn is_form(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default();
    (kind.trim()).eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

fn required_field(body: &[u8], name: &'static str) -> Result<String, RequestError> {
    field(body, name)?
        .filter(|value| !value.is_empty())
        .ok_or_else(|| {
            RequestError::Field(format!(
                "{name} is missing; give hub.callback, hub.mode and hub.topic."
            ))
        })
}

/// A field's decoded value (WHATWG URL, `application/x-www-form-urlencoded`). The decoder puts U+FFFD in place of bytes
/// that are not UTF-8, and no field can need it.
fn field(body: &[u8], name: &'static str) -> Result<Option<String>, RequestError> {
    let mut values = url::form_urlencoded::parse(body).filter(|(key, _)| key == name);
    let value = values.next().map(|(_, value)| value.into_owned());
    let is_utf8 = !value
        .as_ref()
        .is_some_and(|value| value.contains(char::REPLACEMENT_CHARACTER));
    if values.next().is_some() || !is_utf8 {
        let reason = format!("{name} must be given once, in UTF-8 that is percent-encoded.");
        return Err(RequestError::Field(reason));
    }
    Ok(value)
}

/// The topic is the URL of its `Link` header with `rel="self"`; equivalent escapes are accepted.
fn topic(value: &str, links: &Links) -> Result<Document, RequestError> {
    let topics = Document::ALL.into_iter();
    let topics = topics.filter(|document| document.is_topic());
    let topic_url = normal(value);
    let found =
        (topics.clone()).find(|document| normal(&links.absolute(document.path())) == topic_url);
    found.ok_or_else(|| {
        let topics: Vec<String> = topics
            .map(|document| links.absolute(document.path()))
            .collect();
        RequestError::Field(format!(
            "hub.topic {} is not a topic of this hub; its topics are {}.",
            quoted(value),
            topics.join(", ")
        ))
    })
}

/// A positive whole number of any length; one above every lease is as good as the largest.
fn seconds(value: &str) -> Result<u64, RequestError> {
    let is_positive =
        value.bytes().all(|byte| byte.is_ascii_digit()) && value.bytes().any(|byte| byte != b'0');
    if is_positive {
        Ok(value.parse().unwrap_or(u64::MAX))
    } else {
        Err(RequestError::Field(format!(
            "hub.lease_seconds {} must be a whole number of seconds above 0, in digits; leave it out for the default.",
            quoted(value)
        )))
    }
}
