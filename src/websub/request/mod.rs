//! What a subscriber asks of the hub: the form that it posts, read and checked (W3C WebSub §5.1).
//!
//! Pure, and without lookups: the answer may not depend on what the callback turns out to be. What
//! is wrong is said in one line that a person can act on. Of a field that counts only one may be
//! given; fields that we do not know are ignored.

use std::borrow::Cow;

use percent_encoding::percent_decode;
use thiserror::Error;

use super::signature::Secret;
use crate::config::LeaseBounds;
use crate::egress::{Callback, CallbackFault, Policy, Refused, normal};
use crate::links::Links;
use crate::snapshot::Document;

/// No request is longer: even a callback of more than 2,048 characters that are all escaped fits,
/// and is told that it is too long.
pub const BODY_BYTES_MAX: usize = 32 * 1_024;
/// W3C WebSub §5.1: "MUST be less than 200 bytes".
const SECRET_BYTES_MAX: usize = 199;
/// How much of a wrong value is repeated.
const ECHO_CHARS_MAX: usize = 60;

/// A request that is well-formed, and permitted as far as that can be said without a lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Deliver `document` to `callback`, for a while.
    Subscribe {
        /// The document that the topic URL names.
        document: Document,
        /// The callback URL, untrusted input (SSRF).
        callback: Callback,
        /// What to sign with, if at all.
        secret: Option<Secret>,
        /// The lease that will be granted.
        lease_seconds: u64,
    },
    /// Deliver it no more.
    Unsubscribe {
        /// The document that the topic URL names.
        document: Document,
        /// The callback URL, untrusted input (SSRF).
        callback: Callback,
    },
}

/// What is wrong with a request, in one line that says what to change.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RequestError {
    /// It is no form.
    #[error("Content-Type has to be application/x-www-form-urlencoded in UTF-8.")]
    ContentType,
    /// It is too long.
    #[error("The body has more than {BODY_BYTES_MAX} bytes.")]
    TooLarge,
    /// A field that is needed is not there, or empty.
    #[error("{field} is missing; give hub.callback, hub.mode and hub.topic.")]
    Missing {
        /// The name of the form's field.
        field: &'static str,
    },
    /// A field is there more than once, so nobody can say which is meant.
    #[error("{field} is given more than once; give it once.")]
    Repeated {
        /// The name of the form's field.
        field: &'static str,
    },
    /// A field is not text.
    #[error("{field} is not UTF-8 once its percent-encoding is decoded.")]
    NotUtf8 {
        /// The name of the form's field.
        field: &'static str,
    },
    /// The mode is none of ours.
    #[error("hub.mode `{given}` is neither subscribe nor unsubscribe.")]
    Mode {
        /// What it is, in part.
        given: String,
    },
    /// The topic is none of ours.
    #[error("hub.topic `{given}` is no topic of this hub; its topics are {topics}.")]
    Topic {
        /// What it is, in part.
        given: String,
        /// The ones that there are.
        topics: String,
    },
    /// The callback cannot be called.
    #[error("hub.callback cannot be used: {0}{how}.", how = opened_with(.0))]
    Callback(#[from] CallbackFault),
    /// The lease is no positive whole number.
    #[error(
        "hub.lease_seconds `{given}` has to be a whole number of seconds above 0, in digits; leave it out for the default."
    )]
    LeaseSeconds {
        /// What it is, in part.
        given: String,
    },
    /// The secret is too long.
    #[error("hub.secret has {bytes} bytes; it has to have less than 200.")]
    SecretTooLong {
        /// How long it is.
        bytes: usize,
    },
}

/// What an operator who means it has to set; nothing where no setting would help.
const fn opened_with(fault: &CallbackFault) -> &'static str {
    match fault {
        CallbackFault::Refused(Refused::Address { .. } | Refused::Port { .. }) => {
            "; the operator of this hub can open nets with REVIEWS_HUB_ALLOW_CALLBACK_NETS, such as 127.0.0.0/8 to try it on one machine"
        }
        CallbackFault::TooLong { .. }
        | CallbackFault::Character(_)
        | CallbackFault::NotHttps
        | CallbackFault::Userinfo
        | CallbackFault::Fragment
        | CallbackFault::Host(_)
        | CallbackFault::TrailingDot
        | CallbackFault::Respelt(_) => "",
    }
}

impl RequestError {
    /// The HTTP status that says the same.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            Self::ContentType => 415,
            Self::TooLarge => 413,
            Self::Missing { .. }
            | Self::Repeated { .. }
            | Self::NotUtf8 { .. }
            | Self::Mode { .. }
            | Self::Topic { .. }
            | Self::Callback(_)
            | Self::LeaseSeconds { .. }
            | Self::SecretTooLong { .. } => 400,
        }
    }
}

/// Reads a request.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn parse(
    content_type: Option<&str>,
    body: &[u8],
    links: &Links,
    policy: &Policy,
    leases: &LeaseBounds,
) -> Result<Request, RequestError> {
    if body.len() > BODY_BYTES_MAX {
        return Err(RequestError::TooLarge);
    }
    if !content_type.is_some_and(is_form) {
        return Err(RequestError::ContentType);
    }
    let mode = needed(body, "hub.mode")?;
    let is_subscribe = match mode.as_ref() {
        "subscribe" => true,
        "unsubscribe" => false,
        other => return Err(RequestError::Mode { given: echo(other) }),
    };
    let document = topic(&needed(body, "hub.topic")?, links)?;
    let callback = Callback::parse(&needed(body, "hub.callback")?, policy)?;
    let secret = field(body, "hub.secret")?.filter(|secret| !secret.is_empty());
    if let Some(bytes) = secret
        .as_ref()
        .map(|secret| secret.len())
        .filter(|bytes| *bytes > SECRET_BYTES_MAX)
    {
        return Err(RequestError::SecretTooLong { bytes });
    }
    if !is_subscribe {
        return Ok(Request::Unsubscribe { document, callback });
    }
    let wish_seconds = field(body, "hub.lease_seconds")?
        .map(|given| seconds(&given))
        .transpose()?;
    let secret = secret.map(|secret| Secret::new(secret.into_owned()));
    Ok(Request::Subscribe {
        document,
        callback,
        secret,
        lease_seconds: leases.grant(wish_seconds),
    })
}

fn is_form(content_type: &str) -> bool {
    let mut parts = content_type.split(';').map(str::trim);
    let is_form = parts
        .next()
        .is_some_and(|kind| kind.eq_ignore_ascii_case("application/x-www-form-urlencoded"));
    let is_utf8 = |part: &str| match part.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        Some(_) | None => true,
    };
    is_form && parts.all(is_utf8)
}

fn needed<'a>(body: &'a [u8], name: &'static str) -> Result<Cow<'a, str>, RequestError> {
    field(body, name)?
        .filter(|value| !value.is_empty())
        .ok_or(RequestError::Missing { field: name })
}

/// The value of a field, decoded (WHATWG URL, `application/x-www-form-urlencoded`), but unlike
/// there never patched up.
fn field<'a>(body: &'a [u8], name: &'static str) -> Result<Option<Cow<'a, str>>, RequestError> {
    let mut found = None;
    for pair in body.split(|byte| *byte == b'&') {
        let (key, value) = pair
            .iter()
            .position(|byte| *byte == b'=')
            .map_or((pair, &[][..]), |at| (&pair[..at], &pair[at + 1..]));
        if decoded(key).as_ref() != name.as_bytes() {
            continue;
        }
        if found.replace(value).is_some() {
            return Err(RequestError::Repeated { field: name });
        }
    }
    found
        .map(|value| text(decoded(value)).ok_or(RequestError::NotUtf8 { field: name }))
        .transpose()
}

fn decoded(raw: &[u8]) -> Cow<'_, [u8]> {
    if !raw.contains(&b'+') {
        return percent_decode(raw).into();
    }
    let spaced: Vec<u8> = raw
        .iter()
        .map(|byte| if *byte == b'+' { b' ' } else { *byte })
        .collect();
    Cow::Owned(percent_decode(&spaced).collect())
}

fn text(bytes: Cow<'_, [u8]>) -> Option<Cow<'_, str>> {
    match bytes {
        Cow::Borrowed(bytes) => std::str::from_utf8(bytes).ok().map(Cow::Borrowed),
        Cow::Owned(bytes) => String::from_utf8(bytes).ok().map(Cow::Owned),
    }
}

/// The topic is the URL that its `Link` header calls `self`, but for escapes that need none.
fn topic(given: &str, links: &Links) -> Result<Document, RequestError> {
    let topics = || {
        Document::ALL
            .into_iter()
            .filter(|document| document.is_topic())
    };
    let wanted = normal(given);
    let found = topics().find(|document| normal(&links.absolute(document.path())) == wanted);
    found.ok_or_else(|| {
        let topics: Vec<String> = topics()
            .map(|document| links.absolute(document.path()))
            .collect();
        RequestError::Topic {
            given: echo(given),
            topics: topics.join(", "),
        }
    })
}

/// A positive whole number of any number of digits; what is larger than any lease is as good as the
/// largest.
fn seconds(given: &str) -> Result<u64, RequestError> {
    let is_positive =
        given.bytes().all(|byte| byte.is_ascii_digit()) && given.bytes().any(|byte| byte != b'0');
    if is_positive {
        Ok(given.parse().unwrap_or(u64::MAX))
    } else {
        Err(RequestError::LeaseSeconds { given: echo(given) })
    }
}

/// What was given, fit for one line.
fn echo(given: &str) -> String {
    let breaks_line = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let mut shown: String = given
        .chars()
        .take(ECHO_CHARS_MAX)
        .map(|c| if breaks_line(c) { '\u{fffd}' } else { c })
        .collect();
    if given.chars().nth(ECHO_CHARS_MAX).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests;
