//! JSON-RPC 2.0 as used by MCP (<https://www.jsonrpc.org/specification>): parsing messages, writing results and errors, and the
//! revision by whose rules a message is answered.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use poem::http::HeaderMap;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Map, Value, json};

use crate::config::bounds::ECHO_CHARACTERS_MAX;
use crate::model::named;
use crate::model::text::{escaped, shorten};

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

/// A request's ID: a text or a number.
#[derive(Debug, Clone, PartialEq)]
pub struct Id(Value);

/// The members of a message that have a meaning here, beside its ID.
#[derive(Deserialize)]
struct Message {
    jsonrpc: String,
    method: Option<String>,
    params: Option<Map<String, Value>>,
    result: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
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

    /// Whether its body is that of a stateless request.
    pub fn is_stateless(&self) -> bool {
        self.meta(VERSION_META).is_some() || self.method == "server/discover"
    }

    /// Reads one message; `None` for a response, because the server sends no requests that could have one.
    ///
    /// # Errors
    /// If it is not valid; with its ID if that could be read.
    pub fn read(body: &[u8]) -> Result<Option<Self>, (Option<Id>, ErrorData)> {
        let value: Value = serde_json::from_slice(body).map_err(|error| {
            let reason = format!("This is not JSON: {error}.");
            (None, ErrorData::new(ErrorCode::ParseError, reason))
        })?;
        if !value.is_object() {
            let reason = "A message must be a JSON object; batches are not supported.";
            return Err((None, ErrorData::new(ErrorCode::InvalidRequest, reason)));
        }
        let raw_id = value.get("id").cloned();
        let id = raw_id.clone().filter(|id| id.is_string() || id.is_number());
        let id = id.map(Id);
        let invalid = |reason: String| {
            let fault = ErrorData::new(ErrorCode::InvalidRequest, reason);
            (id.clone(), fault)
        };
        let message = Message::deserialize(value).map_err(|error| {
            let reason = shorten(&error.to_string(), ECHO_CHARACTERS_MAX);
            invalid(format!("This is no message of JSON-RPC 2.0: {reason}."))
        })?;
        let is_answer = message.result.is_some() != message.error.is_some();
        let has_answer = message.result.is_some() || message.error.is_some();
        match message.method {
            _ if message.jsonrpc != "2.0" => {}
            Some(method) if !has_answer && id.is_some() == raw_id.is_some() => {
                return Ok(Some(Self {
                    id,
                    method,
                    params: message.params.unwrap_or_default(),
                }));
            }
            None if is_answer => return Ok(None),
            Some(_) | None => {}
        }
        Err(invalid(
            "A message has jsonrpc \"2.0\", an id that is a text or a number, and a method, a result or an error."
                .to_owned(),
        ))
    }
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
const VERSION_META: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_META: &str = "io.modelcontextprotocol/clientCapabilities";
const METHOD_HEADER: &str = "mcp-method";
const NAME_HEADER: &str = "mcp-name";

/// Checks a stateless call's metadata, and that of its headers over HTTP. A notification need not have `_meta`.
///
/// # Errors
/// If it is incomplete, contradictory or not supported.
pub fn check(headers: Option<&HeaderMap>, call: &Call) -> Result<(), ErrorData> {
    let version = call.meta(VERSION_META).and_then(Value::as_str);
    if let Some(version) = version {
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
    let has_capabilities = call.meta(CAPABILITIES_META).is_some_and(Value::is_object);
    let reason = match version.and_then(Revision::find) {
        Some(Revision::July2026) if has_capabilities || call.id.is_none() => return Ok(()),
        None if call.id.is_none() => return Ok(()),
        Some(Revision::July2026) | None => format!(
            "params._meta needs \"{VERSION_META}\", a date as text, and \"{CAPABILITIES_META}\", an object."
        ),
        Some(revision) => format!(
            "{revision} begins with initialize: send that first, and no {VERSION_META} in _meta."
        ),
    };
    Err(ErrorData::new(ErrorCode::InvalidParams, reason))
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

/// Checks that the header occurs once with that value, which may be encoded in Base64.
fn agree(headers: Option<&HeaderMap>, header: &str, expected: &str) -> Result<(), ErrorData> {
    let Some(headers) = headers else {
        return Ok(());
    };
    let mut values = headers.get_all(header).iter();
    let value = values.next().and_then(|value| decode(value.as_bytes()));
    if value.is_some_and(|value| value == expected) && values.next().is_none() {
        return Ok(());
    }
    let reason =
        format!("The header {header} must be given once, as \"{expected}\" like the body.");
    Err(ErrorData::new(ErrorCode::HeaderMismatch, reason))
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
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
}

/// The revision whose rules apply to a call or, without one, to a response: the stateless one, or that of the header.
pub fn revision(headers: &HeaderMap, call: Option<&Call>) -> Result<Revision, ErrorData> {
    match call {
        Some(call) if is_stateless(headers) || call.is_stateless() => {
            check(Some(headers), call)?;
            Ok(Revision::July2026)
        }
        None if is_stateless(headers) => Err(ErrorData::new(
            ErrorCode::InvalidRequest,
            "Send a request or a notification.",
        )),
        Some(_) | None => match headers.get(VERSION_HEADER) {
            None => Ok(Revision::DEFAULT),
            Some(version) => {
                let version = String::from_utf8_lossy(version.as_bytes());
                Revision::find(version.trim()).ok_or_else(|| unsupported_revision(&version))
            }
        },
    }
}

/// Whether the header names the stateless revision.
pub fn is_stateless(headers: &HeaderMap) -> bool {
    headers
        .get(VERSION_HEADER)
        .is_some_and(|version| version == Revision::July2026.name())
}
