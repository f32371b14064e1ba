//! Answers one POST: selects the revision by body and headers, which determines whether a session is needed.
//!
//! The endpoint has already checked the origin, the content type and the body's length.

use std::sync::Arc;

use poem::http::{HeaderMap, HeaderValue, StatusCode};

use super::message::{self, Call, INVALID_REQUEST, METHOD_NOT_FOUND, Message, RpcError};
use super::methods::{MethodResult, Methods};
use super::session::{Session, Sessions};
use super::stateless::Revision;
use super::stateless::{self, VERSION_HEADER, VERSION_META};
use crate::compute::apart_if;

pub const SESSION_HEADER: &str = "mcp-session-id";

/// The answer to a POST, independent of the HTTP response.
#[derive(Debug, PartialEq)]
pub enum McpReply {
    /// JSON, and the ID of the session that was opened.
    Json(StatusCode, String, Option<String>),
    /// 202: there is nothing to answer.
    Accepted,
}

/// A body with more bytes than this may take more than 100 µs to parse.
const LONG_BODY: usize = 8 * 1024;

/// Answers POST requests; shared by all clients.
pub struct Dispatcher {
    pub sessions: Sessions,
    /// Shared with connections over stdio.
    pub methods: Arc<Methods>,
}

impl Dispatcher {
    /// Answers a body with one message.
    pub async fn answer(&self, headers: &HeaderMap, body: &[u8]) -> McpReply {
        let has_null_id = !is_stateless(headers);
        let told = |status, id: Option<&message::Id>, fault: &RpcError| {
            McpReply::Json(status, message::error(id, fault, has_null_id), None)
        };
        let message = apart_if(body.len() > LONG_BODY, || message::parse(body))
            .map_err(|fault| (None, fault));
        let message = match message.and_then(Message::read) {
            Ok(message) => message,
            Err((id, fault)) => return told(StatusCode::BAD_REQUEST, id.as_ref(), &fault),
        };
        let id = match &message {
            Message::Call(call) => call.id.clone(),
            Message::Answer => None,
        };
        match (self.revision(headers, &message), message) {
            (Err((status, fault)), _) => told(status, id.as_ref(), &fault),
            (Ok(revision), Message::Call(call)) => self.call(call, revision).await,
            (Ok(_), Message::Answer) => McpReply::Accepted,
        }
    }

    async fn call(&self, call: Call, revision: Option<Revision>) -> McpReply {
        let Some(id) = call.id.clone() else {
            return McpReply::Accepted;
        };
        match self.methods.answer(call, revision).await {
            Ok(MethodResult { json, opens }) => {
                let session = match opens
                    .map(|revision| self.sessions.open(revision))
                    .transpose()
                {
                    Ok(session) => session,
                    Err(error) => {
                        tracing::error!(%error, "mcp.no_randomness: the system gives no randomness, and a session's id must be random");
                        let fault = RpcError::new(
                            -32_603,
                            "No session can be opened now; try again later.",
                        );
                        return McpReply::Json(
                            StatusCode::SERVICE_UNAVAILABLE,
                            message::error(Some(&id), &fault, true),
                            None,
                        );
                    }
                };
                McpReply::Json(StatusCode::OK, message::result(&id, &json), session)
            }
            Err(fault) => McpReply::Json(
                status(&fault, revision),
                message::error(Some(&id), &fault, true),
                None,
            ),
        }
    }

    /// The revision whose rules apply: that of the session, or the stateless one; `None` for the call that opens a
    /// session.
    fn revision(
        &self,
        headers: &HeaderMap,
        message: &Message,
    ) -> Result<Option<Revision>, (StatusCode, RpcError)> {
        let bad = |fault| (StatusCode::BAD_REQUEST, fault);
        match message {
            Message::Call(call)
                if is_stateless(headers)
                    || call.meta(VERSION_META).is_some()
                    || call.method == "server/discover" =>
            {
                stateless::check(headers, call).map_err(bad)?;
                Ok(Some(Revision::July2026))
            }
            Message::Answer if is_stateless(headers) => Err(bad(RpcError::new(
                INVALID_REQUEST,
                "The body is empty: send a request or a notification.",
            ))),
            Message::Call(call) if call.method == "initialize" && call.id.is_some() => {
                known(headers)?;
                Ok(None)
            }
            Message::Call(_) | Message::Answer => {
                known(headers)?;
                Ok(Some(self.session(headers)?.revision()))
            }
        }
    }

    /// The session in the header. Its revision applies, even if the other header names another revision with sessions.
    fn session(&self, headers: &HeaderMap) -> Result<Session, (StatusCode, RpcError)> {
        let mut ids = headers.get_all(SESSION_HEADER).iter();
        let (Some(id), None) = (ids.next(), ids.next()) else {
            let told = "Send Mcp-Session-Id once, as initialize returned it; or use 2026-07-28, without sessions.";
            return Err((
                StatusCode::BAD_REQUEST,
                RpcError::new(INVALID_REQUEST, told),
            ));
        };
        let session = id.to_str().ok().and_then(|id| self.sessions.find(id));
        session.ok_or_else(|| {
            (
                StatusCode::NOT_FOUND,
                RpcError::new(INVALID_REQUEST, LAPSED),
            )
        })
    }
}

/// The error for an unknown or expired session.
pub const LAPSED: &str =
    "Unknown or expired session; send initialize without Mcp-Session-Id to open another.";

/// Whether the header names the stateless revision.
#[must_use]
pub fn is_stateless(headers: &HeaderMap) -> bool {
    headers
        .get(VERSION_HEADER)
        .is_some_and(|version| version == Revision::July2026.date())
}

/// Checks that the header, if present, names a supported revision.
///
/// # Errors
/// 400 with the supported ones.
pub fn known(headers: &HeaderMap) -> Result<(), (StatusCode, RpcError)> {
    let mut versions = headers
        .get_all(VERSION_HEADER)
        .iter()
        .map(HeaderValue::as_bytes)
        .map(String::from_utf8_lossy);
    match versions.find(|version| Revision::of(version.trim()).is_none()) {
        None => Ok(()),
        Some(unknown) => Err((StatusCode::BAD_REQUEST, stateless::unsupported(&unknown))),
    }
}

/// The HTTP status of an error. The stateless revision also reports some errors by status. Within sessions, a request
/// that could be parsed gets 200, unless it fails to open a session.
fn status(fault: &RpcError, revision: Option<Revision>) -> StatusCode {
    match revision {
        Some(Revision::July2026) if fault.code == METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        None => StatusCode::BAD_REQUEST,
        Some(_) => StatusCode::OK,
    }
}
