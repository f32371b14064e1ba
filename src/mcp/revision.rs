//! The revisions of MCP, and the metadata of a stateless request (MCP 2026-07-28): revision and client capabilities in
//! `_meta`, and revision, method and name again in headers, so that proxies can route without reading bodies.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use poem::http::HeaderMap;
use serde_json::{Value, json};

use super::message::{Call, ErrorCode, ErrorData};
use crate::model::named;

pub const VERSION_HEADER: &str = "mcp-protocol-version";
/// The member of `_meta` with the revision.
pub const VERSION_META: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_META: &str = "io.modelcontextprotocol/clientCapabilities";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";

/// Checks a stateless call's metadata. A notification need not have `_meta`.
///
/// # Errors
/// If it is incomplete, contradictory or not supported.
pub fn check(headers: &HeaderMap, call: &Call) -> Result<(), ErrorData> {
    if let Some(version) = version(call)? {
        agree(headers, VERSION_HEADER, version)?;
        if Revision::find(version).is_none() {
            return Err(unsupported_revision(version));
        }
    }
    agree(headers, METHOD_HEADER, &call.method)?;
    if call.method == "tools/call"
        && let Some(Value::String(name)) = call.params.get("name")
    {
        agree(headers, NAME_HEADER, name)?;
    }
    check_body(call)
}

/// Like [`check`], without headers.
///
/// # Errors
/// If it is incomplete or not supported.
pub fn check_body(call: &Call) -> Result<(), ErrorData> {
    let Some(version) = version(call)? else {
        return if call.id.is_some() {
            Err(missing(VERSION_META))
        } else {
            Ok(())
        };
    };
    let Some(revision) = Revision::find(version) else {
        return Err(unsupported_revision(version));
    };
    if revision.has_initialize() {
        let reason = format!(
            "{version} begins with initialize: send that first, and no {VERSION_META} in _meta."
        );
        return Err(ErrorData::new(ErrorCode::InvalidParams, reason));
    }
    if call.id.is_some() && !call.meta(CAPABILITIES_META).is_some_and(Value::is_object) {
        return Err(missing(CAPABILITIES_META));
    }
    Ok(())
}

fn version(call: &Call) -> Result<Option<&str>, ErrorData> {
    match call.meta(VERSION_META) {
        Some(Value::String(version)) => Ok(Some(version)),
        Some(_) => Err(missing(VERSION_META)),
        None => Ok(None),
    }
}

/// The error for an unsupported revision, with the supported ones.
pub fn unsupported_revision(requested: &str) -> ErrorData {
    let supported = Revision::ALL.map(Revision::name);
    let reason = format!(
        "MCP {requested} is not supported; {} are.",
        supported.join(", ")
    );
    ErrorData {
        data: Some(json!({ "supported": supported, "requested": requested })),
        ..ErrorData::new(ErrorCode::UnsupportedProtocolVersion, reason)
    }
}

fn missing(name: &str) -> ErrorData {
    let kind = if name == CAPABILITIES_META {
        "an object"
    } else {
        "a date as text"
    };
    let reason =
        format!("params._meta lacks \"{name}\", {kind}; a request of 2026-07-28 needs it.");
    ErrorData::new(ErrorCode::InvalidParams, reason)
}

/// Whether the header occurs once with that value, which may be encoded in Base64.
fn agree(headers: &HeaderMap, header: &str, expected: &str) -> Result<(), ErrorData> {
    let mismatch = |fault: &str| {
        let reason = format!("The header {header} {fault} \"{expected}\".");
        Err(ErrorData::new(ErrorCode::HeaderMismatch, reason))
    };
    let mut values = headers.get_all(header).iter();
    match (values.next(), values.next()) {
        (None, _) => mismatch("is missing; the body says"),
        (Some(_), Some(_)) => mismatch("appears more than once; the body says"),
        (Some(value), None) if decode(value.as_bytes()).is_some_and(|value| value == expected) => {
            Ok(())
        }
        (Some(_), None) => mismatch("differs from the body, which says"),
    }
}

fn decode(value: &[u8]) -> Option<String> {
    let value = std::str::from_utf8(value).ok()?.trim_matches([' ', '\t']);
    match value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="))
    {
        Some(wrapped) => String::from_utf8(BASE64_STANDARD.decode(wrapped).ok()?).ok(),
        None => Some(value.to_owned()),
    }
}

// The supported revisions of the Model Context Protocol, named by their dates.

named! {
    /// A later revision is greater.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Revision {
        /// 2025-03-26: streamable HTTP.
        March2025 = "2025-03-26",
        /// 2025-06-18: structured results, and links to resources.
        June2025 = "2025-06-18",
        /// 2025-11-25: the last one with `initialize`.
        November2025 = "2025-11-25",
        /// 2026-07-28: stateless; every request carries the data that `initialize` would.
        July2026 = "2026-07-28",
    }
}

impl Revision {
    /// The answer to `initialize` with a revision that is unknown or has none.
    pub const NEWEST_WITH_INITIALIZE: Self = Self::November2025;
    /// That of a request which names no revision (MCP 2025-06-18, "Protocol Version Header").
    pub const DEFAULT: Self = Self::March2025;

    pub fn has_initialize(self) -> bool {
        self <= Self::NEWEST_WITH_INITIALIZE
    }
}
