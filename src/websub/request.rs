//! Parses and validates a subscriber's form (W3C WebSub §5.1).
//!
//! Pure and without lookups, because the response must not depend on the host of the callback. An error is one line
//! that explains what to change in each field. A known field may be given only once; unknown fields are ignored.

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
    /// A sentence for each fault. Values in them are shortened.
    #[error("{}", .0.join(" "))]
    Fields(Vec<String>),
}

/// Parses and validates a request.
///
/// # Errors
/// Every fault of its fields.
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
    let mut fields = Fields {
        body,
        faults: Vec::new(),
    };
    let mode = fields.required("hub.mode", |value| Ok(mode(value)?));
    let document = fields.required("hub.topic", |value| Ok(topic(value, links)?));
    let callback = fields.required("hub.callback", |value| {
        let callback = Callback::parse(value, policy);
        callback.map_err(|faults| {
            let faults = faults.iter();
            let faults = faults.map(|fault| format!("hub.callback cannot be used: {fault}."));
            Faults(faults.collect())
        })
    });
    let secret = fields.optional("hub.secret", |value| Ok(secret(value)?));
    // It is of no interest on unsubscribe.
    let wish_seconds = if mode == Some(HubMode::Unsubscribe) {
        None
    } else {
        fields.optional("hub.lease_seconds", |value| Ok(seconds(value)?))
    };
    let (Some(mode), Some(document), Some(callback), []) =
        (mode, document, callback, &*fields.faults)
    else {
        return Err(RequestError::Fields(fields.faults));
    };
    Ok(Request {
        mode,
        document,
        callback,
        secret: secret.filter(|_| mode == HubMode::Subscribe),
        lease_seconds: leases.grant(wish_seconds),
    })
}

fn is_form(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default();
    (kind.trim()).eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// The faults of one field, a sentence each.
struct Faults(Vec<String>);

impl From<String> for Faults {
    fn from(fault: String) -> Self {
        Self(vec![fault])
    }
}

/// The fields of a form, and the faults of those that were read.
struct Fields<'b> {
    body: &'b [u8],
    faults: Vec<String>,
}

impl Fields<'_> {
    /// The value of a field that a request must have; `None` if there is a fault.
    fn required<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, Faults>,
    ) -> Option<T> {
        let faults_before = self.faults.len();
        let value = self.optional(name, read);
        if value.is_none() && self.faults.len() == faults_before {
            self.faults
                .push(format!("{name} is missing; give it once."));
        }
        value
    }

    /// The value of a field; `None` if it is empty, not given, or there is a fault.
    fn optional<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&str) -> Result<T, Faults>,
    ) -> Option<T> {
        let value = field(self.body, name).map_err(Faults::from);
        let value = value.map(|value| value.filter(|value| !value.is_empty()));
        let read = value.and_then(|value| value.map(|value| read(&value)).transpose());
        read.unwrap_or_else(|Faults(faults)| {
            self.faults.extend(faults);
            None
        })
    }
}

/// A field's decoded value (WHATWG URL, `application/x-www-form-urlencoded`). The decoder puts U+FFFD in place of bytes
/// that are not UTF-8, and no field can need it.
fn field(body: &[u8], name: &'static str) -> Result<Option<String>, String> {
    let mut values = url::form_urlencoded::parse(body).filter(|(key, _)| key == name);
    let value = values.next().map(|(_, value)| value.into_owned());
    let is_utf8 = !value
        .as_ref()
        .is_some_and(|value| value.contains(char::REPLACEMENT_CHARACTER));
    if values.next().is_some() || !is_utf8 {
        return Err(format!(
            "{name} must be given once, in UTF-8 that is percent-encoded."
        ));
    }
    Ok(value)
}

fn mode(value: &str) -> Result<HubMode, String> {
    HubMode::find(value).ok_or_else(|| {
        format!(
            "hub.mode {} is neither subscribe nor unsubscribe; the hub sees every change by itself, so no ping is needed.",
            quoted(value)
        )
    })
}

fn secret(value: &str) -> Result<Secret, String> {
    if value.len() > SECRET_BYTES_MAX {
        return Err(format!(
            "hub.secret has {} bytes; it must have fewer than 200.",
            value.len()
        ));
    }
    Ok(Secret::new(value.to_owned()))
}

/// The topic is the URL of its `Link` header with `rel="self"`; equivalent escapes are accepted.
fn topic(value: &str, links: &Links) -> Result<Document, String> {
    let topics = Document::ALL.into_iter();
    let topics = topics.filter(|document| document.is_topic());
    let topic_url = normal(value);
    let found =
        (topics.clone()).find(|document| normal(&links.absolute(document.path())) == topic_url);
    found.ok_or_else(|| {
        let topics: Vec<String> = topics
            .map(|document| links.absolute(document.path()))
            .collect();
        format!(
            "hub.topic {} is not a topic of this hub; its topics are {}.",
            quoted(value),
            topics.join(", ")
        )
    })
}

/// A positive whole number of any length; one above every lease is as good as the largest.
fn seconds(value: &str) -> Result<u64, String> {
    let is_positive =
        value.bytes().all(|byte| byte.is_ascii_digit()) && value.bytes().any(|byte| byte != b'0');
    if is_positive {
        Ok(value.parse().unwrap_or(u64::MAX))
    } else {
        Err(format!(
            "hub.lease_seconds {} must be a whole number of seconds above 0, in digits; leave it out for the default.",
            quoted(value)
        ))
    }
}
