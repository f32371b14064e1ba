//! JSON-RPC 2.0 as used by MCP (<https://www.jsonrpc.org/specification>): parsing messages, writing results and errors, and the
//! revision by whose rules a message is answered.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use poem::http::HeaderMap;
use serde_json::{Map, Value, json};

use crate::config::bounds::MESSAGE_ID_BYTES_MAX;
use crate::model::named;
use crate::model::text::escaped;

/// The codes of JSON-RPC (§5.1) and of MCP 2026-07-28.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    ParseError = -32_700,
    InvalidRequest = -32_600,
    MethodNotFound = -32_601,
    InvalidParams = -32_602,
    HeaderMismatch = -32_020,
    UnsupportedProtocolVersion = -32_022,
}

/// An error of JSON-RPC.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorData {
    pub code: ErrorCode,
    pub message: String,
    /// Values for programs, if there are any.
    pub data: Option<Value>,
}

impl ErrorData {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: None,
        }
    }
}

/// A request's ID: a string or an integer.
#[derive(Debug, Clone, PartialEq)]
pub struct Id(Value);

impl Id {
    fn read(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => {
                (text.len() <= MESSAGE_ID_BYTES_MAX).then(|| Self(value.clone()))
            }
            // In JSON, 7.0 and 7 are the same number.
            Value::Number(number) if number.is_f64() => {
                let whole: i64 = number.as_f64()?.to_string().parse().ok()?;
                Some(Self(Value::from(whole)))
            }
            Value::Number(_) => Some(Self(value.clone())),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// A request or, without an ID, a notification.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// `None` for a notification.
    pub id: Option<Id>,
    pub method: String,
    /// Empty if absent.
    pub params: Map<String, Value>,
}

impl Call {
    /// A member of the parameters' `_meta`.
    pub fn meta(&self, name: &str) -> Option<&Value> {
        self.params.get("_meta")?.get(name)
    }

    /// Reads one message; `None` for a response, because the server sends no requests that could have one.
    ///
    /// # Errors
    /// If it is not valid; with its ID if that could be read.
    pub fn read(value: Value) -> Result<Option<Self>, (Option<Id>, ErrorData)> {
        let Value::Object(mut members) = value else {
            let reason = if value.is_array() {
                "Batches are not supported: send each message by itself."
            } else {
                "A message must be a JSON object."
            };
            return Err((None, ErrorData::new(ErrorCode::InvalidRequest, reason)));
        };
        let id = members.get("id").map(Id::read);
        let invalid = |fault: &str| {
            let fault = ErrorData::new(ErrorCode::InvalidRequest, fault.to_owned());
            (id.clone().flatten(), fault)
        };
        if members.get("jsonrpc") != Some(&Value::from("2.0")) {
            return Err(invalid("The member jsonrpc must be \"2.0\"."));
        }
        if id == Some(None) && !members.contains_key("error") {
            let reason = format!(
                "An id must be a text of at most {MESSAGE_ID_BYTES_MAX} bytes or a whole number."
            );
            return Err(invalid(&reason));
        }
        let answers = ["result", "error"]
            .into_iter()
            .filter(|name| members.contains_key(*name))
            .count();
        match members.remove("method") {
            Some(Value::String(method)) if answers == 0 => {
                let params = match members.remove("params") {
                    None | Some(Value::Null) => Map::new(),
                    Some(Value::Object(params)) => params,
                    Some(
                        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_),
                    ) => {
                        let fault = ErrorData::new(
                            ErrorCode::InvalidParams,
                            "The member params must be an object.",
                        );
                        return Err((id.flatten(), fault));
                    }
                };
                Ok(Some(Self {
                    id: id.flatten(),
                    method,
                    params,
                }))
            }
            None if answers == 1 => Ok(None),
            Some(_) | None => Err(invalid(
                "A message must have a method (a text), a result or an error.",
            )),
        }
    }
}

/// # Errors
/// If it is not JSON.
pub fn parse(body: &[u8]) -> Result<Value, ErrorData> {
    serde_json::from_slice(body).map_err(|error| {
        ErrorData::new(
            ErrorCode::ParseError,
            format!("The body is not JSON: {error}."),
        )
    })
}

/// A response message with `result`, which is JSON.
pub fn result(id: &Id, result: &str) -> String {
    // Spliced, because results are long and already serialised.
    escaped(format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{result}}}"#,
        id.0
    ))
}

/// An error message. If the ID could not be read, JSON-RPC requires null, and MCP from 2026-07-28 on omits it.
pub fn error(id: Option<&Id>, fault: &ErrorData, has_null_id: bool) -> String {
    let mut message = json!({
        "jsonrpc": "2.0",
        "error": { "code": fault.code as i32, "message": fault.message },
    });
    if let Some(data) = &fault.data {
        message["error"]["data"] = data.clone();
    }
    match id {
        Some(id) => message["id"] = id.0.clone(),
        None if has_null_id => message["id"] = Value::Null,
        None => {}
    }
    escaped(message.to_string())
}

// The revisions of MCP, and the metadata of a stateless request (MCP 2026-07-28): revision and client capabilities in `_meta`,
// and revision, method and name again in headers, so that proxies can route without reading bodies.

const VERSION_HEADER: &str = "mcp-protocol-version";
/// The member of `_meta` with the revision.
pub const VERSION_META: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_META: &str = "io.modelcontextprotocol/clientCapabilities";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";

/// Checks a stateless call's metadata. A notification need not have `_meta`.
///
/// # Errors
/// If it is incomplete, contradictory or not supported.
fn check(headers: &HeaderMap, call: &Call) -> Result<(), ErrorData> {
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
fn unsupported_revision(requested: &str) -> ErrorData {
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

/// The revision whose rules apply to a call or, without one, to a response: the stateless one, or that of the header.
pub fn revision(headers: &HeaderMap, call: Option<&Call>) -> Result<Revision, ErrorData> {
    match call {
        Some(call)
            if is_stateless(headers)
                || call.meta(VERSION_META).is_some()
                || call.method == "server/discover" =>
        {
            check(headers, call)?;
            Ok(Revision::July2026)
        }
        None if is_stateless(headers) => Err(ErrorData::new(
            ErrorCode::InvalidRequest,
            "The body is empty: send a request or a notification.",
        )),
        Some(_) | None => named_revision(headers),
    }
}

/// Whether the header names the stateless revision.
pub fn is_stateless(headers: &HeaderMap) -> bool {
    headers
        .get(VERSION_HEADER)
        .is_some_and(|version| version == Revision::July2026.name())
}

/// The revision that the header names first, else the oldest.
///
/// # Errors
/// The supported ones, if it names an unknown one.
fn named_revision(headers: &HeaderMap) -> Result<Revision, ErrorData> {
    let mut first = None;
    for version in headers.get_all(VERSION_HEADER) {
        let version = String::from_utf8_lossy(version.as_bytes());
        let revision =
            Revision::find(version.trim()).ok_or_else(|| unsupported_revision(&version))?;
        first = first.or(Some(revision));
    }
    Ok(first.unwrap_or(Revision::DEFAULT))
}
