//! One POST: from the body and its headers to what is answered. Which revision's rules hold is
//! decided here, and with them whether a session is needed.
//!
//! Apart from the endpoint, which has judged the one who asks, the content type and the body's
//! length.

use std::sync::Arc;

use poem::http::{HeaderMap, HeaderValue, StatusCode};

use super::message::{self, Call, INVALID_REQUEST, METHOD_NOT_FOUND, Message, RpcError};
use super::methods::{MethodResult, Methods};
use super::session::{Session, Sessions};
use super::stateless::Revision;
use super::stateless::{self, VERSION_HEADER, VERSION_META};

/// The header of a session.
pub const SESSION_HEADER: &str = "mcp-session-id";

/// The answer to a POST, of which the endpoint makes the HTTP response.
#[derive(Debug, PartialEq)]
pub enum McpReply {
    /// JSON, and the id of the session that was opened.
    Json(StatusCode, String, Option<String>),
    /// 202: there is nothing to answer.
    Accepted,
}

/// What answers POST requests, shared by all clients.
pub struct Dispatcher {
    /// Opens and recognises sessions.
    pub sessions: Sessions,
    /// Answers calls; connections over stdio share it.
    pub methods: Arc<Methods>,
}

impl Dispatcher {
    /// Answers a body, which is one message.
    pub async fn answer(&self, headers: &HeaderMap, body: &[u8]) -> McpReply {
        let has_null_id = !is_stateless(headers);
        let told = |status, id: Option<&message::Id>, fault: &RpcError| {
            McpReply::Json(status, message::error(id, fault, has_null_id), None)
        };
        let message = message::parse(body).map_err(|fault| (None, fault));
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

    /// By the rules of which revision a message is to be answered: of that of its session, or of the
    /// one in which every request stands alone; `None` of the call that opens a session.
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

    /// The session that the header names. The revision it was opened in holds, whichever of those
    /// with sessions the other header names.
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

/// What whoever names a session is told that is none, or none any more.
pub const LAPSED: &str =
    "Unknown or expired session; send initialize without Mcp-Session-Id to open another.";

/// Whether the header names the stateless revision.
#[must_use]
pub fn is_stateless(headers: &HeaderMap) -> bool {
    headers
        .get(VERSION_HEADER)
        .is_some_and(|version| version == Revision::July2026.date())
}

/// That the header, if there is one, names a revision that is served.
///
/// # Errors
/// 400 with those that are.
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

/// The stateless revision tells some errors by their status too. Within sessions a request that
/// could be read is a 200; what opens none is not.
fn status(fault: &RpcError, revision: Option<Revision>) -> StatusCode {
    match revision {
        Some(Revision::July2026) if fault.code == METHOD_NOT_FOUND => StatusCode::NOT_FOUND,
        None => StatusCode::BAD_REQUEST,
        Some(_) => StatusCode::OK,
    }
}
