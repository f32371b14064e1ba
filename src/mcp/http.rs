//! MCP over HTTP: answers one POST or DELETE of `/mcp`. Body and headers select the revision, which determines whether
//! a session applies.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use poem::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, ORIGIN};
use poem::http::uri::Authority;
use poem::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use poem::{Endpoint, Request, Response};
use url::{Host, Origin, Url};

use super::catalog::Catalog;
use super::message::{self, BODY_BYTES_MAX, Call, ErrorCode, ErrorData};
use super::methods::{MethodResult, Methods};
use super::revision::{self, Revision, VERSION_HEADER, VERSION_META};
use super::stdio::StdioConnection;
use super::store::{Session, Sessions};
use crate::config::Hosts;
use crate::links::{Links, is_local};
use crate::metrics;
use crate::web::context::{CROWDED_PAUSE, Ctx};
use crate::web::{BODY_TIMEOUT, ClientAddress, HttpProblem, Place, Places, read_body};

/// The endpoint of `/mcp`: POST sends a message, DELETE ends a session.
pub struct Mcp {
    ctx: Arc<Ctx>,
    origin_check: OriginCheck,
    sessions: Sessions,
    /// Shared with connections over stdio.
    methods: Arc<Methods>,
    places: Arc<Places>,
}

impl Mcp {
    pub fn new(
        catalog: Catalog,
        sessions: Sessions,
        origin_check: OriginCheck,
        ctx: &Arc<Ctx>,
    ) -> Self {
        Self {
            ctx: Arc::clone(ctx),
            origin_check,
            sessions,
            methods: Arc::new(Methods::new(catalog, &ctx.links)),
            places: Arc::new(Places {
                max: IN_FLIGHT_MAX,
                peer_max: PEER_IN_FLIGHT_MAX,
                gauge: Some(metrics::MCP_IN_FLIGHT.gauge(&[])),
                held: Mutex::default(),
            }),
        }
    }

    /// A connection of another client, over stdin and stdout.
    pub fn connect(&self) -> StdioConnection {
        StdioConnection {
            methods: Arc::clone(&self.methods),
            revision: None,
        }
    }

    async fn post(&self, mut request: Request) -> Result<Response, HttpProblem> {
        let content_type = request.content_type().unwrap_or_default();
        let kind = content_type.split(';').next().unwrap_or_default();
        if !kind.trim().eq_ignore_ascii_case("application/json") {
            return Err(HttpProblem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "Send JSON-RPC as Content-Type: application/json.",
            ));
        }
        let client = ClientAddress::of(&request);
        let place = self
            .places
            .take(Some(client.network(48)))
            .map_err(crowded)?;
        let body = request.take_body();
        let body = read_body(request.headers(), body, BODY_BYTES_MAX, BODY_TIMEOUT).await?;
        let _slot = self.ctx.turn(client).await?;
        self.answer(request.headers(), &body, place).await
    }

    async fn answer(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        place: Place,
    ) -> Result<Response, HttpProblem> {
        let (status, json, session) = match self.reply(headers, body).await {
            Ok(Some((json, session))) => (StatusCode::OK, json, session),
            Ok(None) => return Ok(Response::builder().status(StatusCode::ACCEPTED).finish()),
            Err((status, id, fault)) => {
                let json = message::error(id.as_ref(), &fault, !is_stateless(headers));
                (status, json, None)
            }
        };
        let body = Bytes::from_owner(HeldAnswer {
            json,
            _place: place,
        });
        let mut response = Response::builder().status(status).body(body);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        // An ID is Base64, so it is a valid header value.
        if let Some(Ok(id)) = session.map(|id| HeaderValue::from_str(&id)) {
            headers.insert(HeaderName::from_static(SESSION_HEADER), id);
        }
        Ok(response)
    }

    /// Ends the session in `Mcp-Session-Id`: 204, or 404 if it is unknown or has ended.
    fn delete(&self, headers: &HeaderMap) -> Result<Response, HttpProblem> {
        if is_stateless(headers) {
            let allowed = HeaderValue::from_static("POST, OPTIONS");
            return Err(HttpProblem::method_not_allowed(&allowed));
        }
        named_revision(headers)
            .map_err(|(status, fault)| HttpProblem::new(status, fault.message))?;
        let mut ids = headers.get_all(SESSION_HEADER).iter();
        let (Some(id), None) = (ids.next(), ids.next()) else {
            return Err(HttpProblem::new(
                StatusCode::BAD_REQUEST,
                "Name the session to end once, in Mcp-Session-Id.",
            ));
        };
        if id.to_str().is_ok_and(|id| self.sessions.end(id)) {
            Ok(Response::builder().status(StatusCode::NO_CONTENT).finish())
        } else {
            Err(HttpProblem::not_found(LAPSED))
        }
    }
}

impl Endpoint for Mcp {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        if let Some(fault) =
            (self.origin_check).foreign_host_or_origin(request.uri(), request.headers())
        {
            return Err(HttpProblem::new(StatusCode::FORBIDDEN, fault).into());
        }
        Ok(if *request.method() == Method::DELETE {
            self.delete(request.headers())?
        } else {
            self.post(request).await?
        })
    }
}

// The answer to a POST by the rules of its revision.

const SESSION_HEADER: &str = "mcp-session-id";

/// The error that answers a POST, with the ID of its message if that could be read.
type McpFault = (StatusCode, Option<message::Id>, ErrorData);

impl Mcp {
    /// The message that answers a body, and the ID of the session that it opens; `None` if there is nothing to answer.
    async fn reply(
        &self,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Option<(String, Option<String>)>, McpFault> {
        let call = message::parse(body)
            .map_err(|fault| (None, fault))
            .and_then(Call::read)
            .map_err(|(id, fault)| (StatusCode::BAD_REQUEST, id, fault))?;
        let id = call.as_ref().and_then(|call| call.id.clone());
        let revision = self
            .revision(headers, call.as_ref())
            .map_err(|(status, fault)| (status, id.clone(), fault))?;
        let (Some(call), Some(id)) = (call, id) else {
            return Ok(None);
        };
        let answered = self.methods.answer(call, revision).await;
        let MethodResult { json, opens } =
            answered.map_err(|fault| (status(&fault, revision), Some(id.clone()), fault))?;
        let opened = opens.map(|revision| self.sessions.open(revision));
        let session = opened.transpose().map_err(|cause| {
            tracing::error!(error = %cause, "mcp.no_randomness: the system gives no randomness, and a session's id must be random");
            let advice = "No session can be opened now; try again later.";
            let fault = ErrorData::new(ErrorCode::InternalError, advice);
            (StatusCode::SERVICE_UNAVAILABLE, Some(id.clone()), fault)
        })?;
        Ok(Some((message::result(&id, &json), session)))
    }

    /// The revision whose rules apply to a call or, without one, to a response: the stateless one, that of the session, or
    /// without a session that of the header; `None` for the call that opens a session.
    fn revision(
        &self,
        headers: &HeaderMap,
        call: Option<&Call>,
    ) -> Result<Option<Revision>, (StatusCode, ErrorData)> {
        let bad = |fault| (StatusCode::BAD_REQUEST, fault);
        match call {
            Some(call)
                if is_stateless(headers)
                    || call.meta(VERSION_META).is_some()
                    || call.method == "server/discover" =>
            {
                revision::check(headers, call).map_err(bad)?;
                Ok(Some(Revision::July2026))
            }
            None if is_stateless(headers) => Err(bad(ErrorData::new(
                ErrorCode::InvalidRequest,
                "The body is empty: send a request or a notification.",
            ))),
            Some(call) if call.method == "initialize" && call.id.is_some() => {
                named_revision(headers)?;
                Ok(None)
            }
            Some(_) | None => {
                let named = named_revision(headers)?;
                let session = self.session(headers)?;
                let agreed = session.map(|session| session.revision).or(named);
                Ok(Some(agreed.unwrap_or(Revision::DEFAULT)))
            }
        }
    }

    /// The session in the header. Its revision applies, even if the other header names another revision with sessions.
    /// `None` without the header: many clients never send it, and a session holds nothing but its revision.
    fn session(&self, headers: &HeaderMap) -> Result<Option<Session>, (StatusCode, ErrorData)> {
        let mut ids = headers.get_all(SESSION_HEADER).iter();
        let Some(id) = ids.next() else {
            return Ok(None);
        };
        if ids.next().is_some() {
            let advice = "Send Mcp-Session-Id once, as initialize returned it.";
            let fault = ErrorData::new(ErrorCode::InvalidRequest, advice);
            return Err((StatusCode::BAD_REQUEST, fault));
        }
        let session = id.to_str().ok().and_then(|id| self.sessions.find(id));
        session.map(Some).ok_or_else(|| {
            let fault = ErrorData::new(ErrorCode::InvalidRequest, LAPSED);
            (StatusCode::NOT_FOUND, fault)
        })
    }
}

/// The error for an unknown or expired session.
const LAPSED: &str =
    "Unknown or expired session; send initialize without Mcp-Session-Id to open another.";

/// Whether the header names the stateless revision.
fn is_stateless(headers: &HeaderMap) -> bool {
    headers
        .get(VERSION_HEADER)
        .is_some_and(|version| version == Revision::July2026.name())
}

/// The revision that the header names first; `None` without the header.
///
/// # Errors
/// 400 with the supported ones, if it names an unknown one.
fn named_revision(headers: &HeaderMap) -> Result<Option<Revision>, (StatusCode, ErrorData)> {
    let mut first = None;
    for version in headers.get_all(VERSION_HEADER) {
        let version = String::from_utf8_lossy(version.as_bytes());
        let Some(revision) = Revision::find(version.trim()) else {
            let fault = revision::unsupported_revision(&version);
            return Err((StatusCode::BAD_REQUEST, fault));
        };
        first = first.or(Some(revision));
    }
    Ok(first)
}

/// The HTTP status of an error. The stateless revision also reports some errors by status. Within sessions, a request
/// that could be parsed gets 200, unless it fails to open a session.
fn status(fault: &ErrorData, revision: Option<Revision>) -> StatusCode {
    match revision {
        Some(Revision::July2026) if fault.code == ErrorCode::MethodNotFound => {
            StatusCode::NOT_FOUND
        }
        None => StatusCode::BAD_REQUEST,
        Some(_) => StatusCode::OK,
    }
}

// Requests in flight are bounded, in all and for each peer, and so is the memory that they and their responses take. A request
// is in flight until the system has accepted the last byte of its response, which depends on its reader.

/// Maximum number of requests in flight: 12 MiB of bodies, and for each the buffer of its connection. Only as many as there are
/// slots to compute are parsed at a time.
const IN_FLIGHT_MAX: usize = 192;
/// Maximum number of one peer: an IPv4 address or an IPv6 /48.
const PEER_IN_FLIGHT_MAX: usize = 64;

/// A response that keeps its place.
struct HeldAnswer {
    json: String,
    _place: Place,
}

impl AsRef<[u8]> for HeldAnswer {
    fn as_ref(&self) -> &[u8] {
        self.json.as_bytes()
    }
}

/// 503; `limit` is `all` or `peer`.
fn crowded(limit: &'static str) -> HttpProblem {
    metrics::MCP_REFUSED.count(&[limit]);
    HttpProblem::retry_later(
        StatusCode::SERVICE_UNAVAILABLE,
        "Too many agent requests and unread answers are in flight, in total or from your network. Read your answers, then try \
         again.",
        CROWDED_PAUSE,
    )
}

// Checks `Origin` and `Host`: only pages of this service, of this machine and of hosts that the operator allows may
// send requests, and only under a known name (DNS rebinding). MCP requires both checks of HTTP servers.

#[derive(Debug)]
pub struct OriginCheck {
    base: Option<Url>,
    allowed: Hosts,
}

impl OriginCheck {
    /// Accepts the base URL's host, this machine and `allowed`.
    pub fn new(links: &Links, allowed: Hosts) -> Self {
        Self {
            base: Url::parse(&links.home()).ok(),
            allowed,
        }
    }

    /// The error for a foreign request; `None` if it is accepted.
    pub fn foreign_host_or_origin(&self, uri: &Uri, headers: &HeaderMap) -> Option<&'static str> {
        let named = headers.get_all(HOST).iter().map(HeaderValue::as_bytes);
        let authority = uri
            .authority()
            .map(|authority| authority.as_str().as_bytes());
        let mut hosts = authority.into_iter().chain(named);
        if !hosts.all(|host| self.knows_host(host) == Some(true)) {
            return Some(
                "This Host is not allowed; use the service's public name, or add yours to REVIEWS_ALLOWED_HOSTS.",
            );
        }
        // Browsers always send it; other clients need not.
        let mut origins = headers.get_all(ORIGIN).iter();
        if !origins.all(|origin| self.knows_origin(origin) == Some(true)) {
            return Some(
                "This Origin is not allowed; the operator can add its host to REVIEWS_ALLOWED_HOSTS.",
            );
        }
        None
    }

    /// `None` for what is no host.
    fn knows_host(&self, header: &[u8]) -> Option<bool> {
        let authority = Authority::try_from(header).ok()?;
        let host = Host::parse(authority.host()).ok()?;
        // The port may be a proxy's; only the name can be forged by DNS rebinding.
        let ours = self.base.as_ref().and_then(Url::host);
        let is_ours = ours.is_some_and(|ours| ours.to_owned() == host);
        Some(is_ours || self.is_allowed(&host, authority.port_u16()))
    }

    /// `None` for what is no origin of a page.
    fn knows_origin(&self, header: &HeaderValue) -> Option<bool> {
        let origin = Url::parse(header.to_str().ok()?).ok()?.origin();
        let Origin::Tuple(scheme, host, port) = &origin else {
            return None;
        };
        let is_web = matches!(scheme.as_str(), "http" | "https");
        let is_ours = (self.base.as_ref()).is_some_and(|base| base.origin() == origin);
        Some(is_web && (is_ours || self.is_allowed(host, Some(*port))))
    }

    fn is_allowed(&self, host: &Host, port: Option<u16>) -> bool {
        let is_listed = self.allowed.iter().any(|allowed| {
            allowed.host == *host && (allowed.port.is_none() || allowed.port == port)
        });
        is_listed || is_local(host.clone())
    }
}
