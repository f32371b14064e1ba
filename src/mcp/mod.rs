//! `POST /mcp`: the reviews as tools, resources and prompts, in every revision of the Model Context Protocol from
//! 2025-03-26 on.
//!
//! Up to 2025-11-25 a client opens a session; since 2026-07-28 every request is independent. Both get plain JSON, and
//! neither keeps state in memory. `docs/MCP.md` has the rules.

pub mod catalog;
mod describe;
mod dispatch;
mod escape;
mod in_flight;
mod message;
mod methods;
mod origin_check;
mod session;
mod stateless;
mod stdio;
mod store;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

pub use describe::describe;
pub use escape::escaped;
pub use origin_check::OriginCheck;
use poem::error::ReadBodyError;
use poem::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use poem::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use poem::{Endpoint, Request, Response, Result};
pub use session::Sessions;
pub use stdio::StdioConnection;

use crate::clock::Clock;
use crate::links::MCP_PATH;
use crate::random::Random;
use crate::storage::{Database, DbError};
use crate::web::context::Ctx;
use crate::web::{
    ClientAddress, Route, announces_more_than, in_turn, method_not_allowed, problem, retry_later,
};
use catalog::Catalog;
use dispatch::{Dispatcher, McpReply, SESSION_HEADER};
use in_flight::{InFlight, Room};
use methods::Methods;

/// Maximum bytes of a request's body: a call names a tool and some filters.
const BODY_BYTES_MAX: usize = 64 * 1024;
/// The `Retry-After` when too much is in flight.
const CROWDED_PAUSE: Duration = Duration::from_secs(1);

/// The sessions of this database; creates its key if it has none.
///
/// # Errors
/// If the database cannot be written, or the operating system's generator fails.
pub async fn sessions(
    database: &Database,
    clock: Clock,
    random: Random,
) -> Result<Sessions, DbError> {
    let fault = |reason: String| DbError::Other {
        path: database.path().to_owned(),
        reason,
    };
    let half = || random.bytes_16().map_err(|error| fault(error.to_string()));
    let mut candidate = [0; session::KEY_BYTES];
    candidate[..16].copy_from_slice(&half()?);
    candidate[16..].copy_from_slice(&half()?);
    let at = |error| DbError::at(database.path(), error);
    let mut reader = database.readers().acquire().await.map_err(at)?;
    let known = store::find_key(&mut reader).await.map_err(at)?;
    drop(reader);
    let key = if let Some(key) = known {
        key
    } else {
        let mut write = database.write().await?;
        store::keep_key(&mut write, candidate).await.map_err(at)?;
        write.commit().await.map_err(at)?;
        database.see_own_writes().await?;
        let mut reader = database.readers().acquire().await.map_err(at)?;
        let key = store::find_key(&mut reader).await.map_err(at)?;
        key.ok_or_else(|| fault("mcp_key has no row".to_owned()))?
    };
    let key = key
        .try_into()
        .map_err(|_| fault("mcp_key.key is not of 32 bytes; delete the row".to_owned()))?;
    Ok(Sessions::new(key, clock, random))
}

#[must_use]
pub fn routes(mcp: &Arc<Mcp>) -> Vec<Route> {
    vec![
        Route::new(MCP_PATH)
            .on(Method::POST, describe::ASK, Arc::clone(mcp))
            .on(Method::DELETE, describe::END, Arc::clone(mcp)),
    ]
}

/// The endpoint of `/mcp`: POST sends a message, DELETE ends a session.
pub struct Mcp {
    ctx: Arc<Ctx>,
    origin_check: OriginCheck,
    exchange: Dispatcher,
    in_flight: Arc<InFlight>,
}

impl Mcp {
    #[must_use]
    pub fn new(
        catalog: Catalog,
        sessions: Sessions,
        origin_check: OriginCheck,
        ctx: &Arc<Ctx>,
    ) -> Self {
        Self {
            ctx: Arc::clone(ctx),
            origin_check,
            exchange: Dispatcher {
                sessions,
                methods: Arc::new(Methods::new(catalog, &ctx.links)),
            },
            in_flight: Arc::default(),
        }
    }

    /// A connection of another client, over stdin and stdout.
    #[must_use]
    pub fn connect(&self) -> StdioConnection {
        StdioConnection::new(Arc::clone(&self.exchange.methods))
    }

    async fn post(&self, mut request: Request) -> Response {
        let content_type = request.content_type().unwrap_or_default();
        if !content_type
            .split(';')
            .next()
            .unwrap_or_default()
            .trim()
            .eq_ignore_ascii_case("application/json")
        {
            return problem(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Send JSON-RPC as Content-Type: application/json.",
            );
        }
        let too_large = || {
            problem(
                StatusCode::PAYLOAD_TOO_LARGE,
                format!("A body may have at most {BODY_BYTES_MAX} bytes."),
            )
        };
        if announces_more_than(request.headers(), BODY_BYTES_MAX) {
            return too_large();
        }
        let peer = ClientAddress::of(&request).unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let mut room = InFlight::room(&self.in_flight, peer);
        if !room.resize(BODY_BYTES_MAX) {
            return crowded();
        }
        let body = match request.take_body().into_bytes_limit(BODY_BYTES_MAX).await {
            Ok(body) => body,
            Err(ReadBodyError::PayloadTooLarge) => return too_large(),
            Err(_) => {
                return problem(
                    StatusCode::REQUEST_TIMEOUT,
                    "The body did not arrive completely in time.",
                );
            }
        };
        if !room.resize(body.len() + message::parsed_bytes(&body)) {
            return crowded();
        }
        let answer = self.answer(request.headers(), &body, room);
        in_turn(&request, &self.ctx.compute, answer).await
    }

    async fn answer(&self, headers: &HeaderMap, body: &[u8], mut room: Room) -> Response {
        match self.exchange.answer(headers, body).await {
            McpReply::Accepted => Response::builder().status(StatusCode::ACCEPTED).finish(),
            McpReply::Json(_, json, _) if !room.resize(json.capacity()) => crowded(),
            McpReply::Json(status, json, session) => {
                let mut response = Response::builder().status(status).body(room.hold(json));
                let headers = response.headers_mut();
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
                // An ID is Base64, so it is a valid header value.
                if let Some(Ok(id)) = session.map(|id| HeaderValue::from_str(&id)) {
                    headers.insert(HeaderName::from_static(SESSION_HEADER), id);
                }
                response
            }
        }
    }

    /// Ends the session in `Mcp-Session-Id`: 204, or 404 if it is unknown or has ended.
    fn delete(&self, request: &Request) -> Response {
        let headers = request.headers();
        if dispatch::is_stateless(headers) {
            return method_not_allowed(&[Method::POST, Method::OPTIONS]);
        }
        if let Err((status, fault)) = dispatch::known(headers) {
            return problem(status, fault.message);
        }
        let Some(id) = headers.get(SESSION_HEADER) else {
            return problem(
                StatusCode::BAD_REQUEST,
                "Name the session to end in Mcp-Session-Id.",
            );
        };
        if id.to_str().is_ok_and(|id| self.exchange.sessions.end(id)) {
            Response::builder().status(StatusCode::NO_CONTENT).finish()
        } else {
            problem(StatusCode::NOT_FOUND, dispatch::LAPSED)
        }
    }
}

/// The response when too much is in flight.
fn crowded() -> Response {
    retry_later(
        StatusCode::SERVICE_UNAVAILABLE,
        "Too many agent requests and unread answers are in flight, in total or from your network. Read your answers, then try \
         again.",
        CROWDED_PAUSE,
    )
}

impl Endpoint for Mcp {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        if let Some(told) = self.origin_check.stranger(request.uri(), request.headers()) {
            return Ok(problem(StatusCode::FORBIDDEN, told));
        }
        Ok(if *request.method() == Method::DELETE {
            self.delete(&request)
        } else {
            self.post(request).await
        })
    }
}
