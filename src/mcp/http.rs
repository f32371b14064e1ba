//! MCP over HTTP: answers one POST of `/mcp`. Body and headers select the revision. `initialize` gives a session ID,
//! because clients expect one; nothing is kept for it, and no request is judged by it.

use std::sync::Arc;

use poem::http::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, ORIGIN};
use poem::http::uri::Authority;
use poem::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use poem::{Endpoint, Request, Response};
use url::{Host, Origin, Url};

use super::catalog::Catalog;
use super::message::{self, Call, ErrorCode, ErrorData, Revision, is_stateless, revision};
use super::stdio::StdioConnection;
use crate::config::Hosts;
use crate::config::bounds::MESSAGE_BYTES_MAX;
use crate::links::is_local;
use crate::random;
use crate::web::context::Ctx;
use crate::web::{BODY_TIMEOUT, ClientAddress, HttpProblem, read_body};

/// The endpoint of `POST /mcp`.
pub struct Mcp {
    ctx: Arc<Ctx>,
    origin_check: OriginCheck,
    /// Shared with connections over stdio.
    catalog: Arc<Catalog>,
}

impl Mcp {
    pub fn build(ctx: &Arc<Ctx>, origin_check: OriginCheck) -> Self {
        Self {
            ctx: Arc::clone(ctx),
            origin_check,
            catalog: Arc::new(Catalog::new(Arc::clone(&ctx.current))),
        }
    }

    /// A connection of another client, over stdin and stdout.
    pub fn connect(&self) -> StdioConnection {
        StdioConnection {
            catalog: Arc::clone(&self.catalog),
            is_initialized: false,
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
        let body = request.take_body();
        let body = read_body(request.headers(), body, MESSAGE_BYTES_MAX, BODY_TIMEOUT).await?;
        let _slot = self.ctx.turn(client).await?;
        Ok(self.answer(request.headers(), &body).await)
    }

    async fn answer(&self, headers: &HeaderMap, body: &[u8]) -> Response {
        let (status, json, opens_session) = match self.reply(headers, body).await {
            Ok(Some((json, opens_session))) => (StatusCode::OK, json, opens_session),
            Ok(None) => return Response::builder().status(StatusCode::ACCEPTED).finish(),
            Err((status, id, fault)) => {
                let json = message::error(id.as_ref(), &fault, !is_stateless(headers));
                (status, json, false)
            }
        };
        let mut response = Response::builder().status(status).body(json);
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if opens_session && let Ok(id) = HeaderValue::from_str(&random::hex_128()) {
            headers.insert(SESSION_HEADER, id);
        }
        response
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
        Ok(self.post(request).await?)
    }
}

// The answer to a POST by the rules of its revision.

const SESSION_HEADER: HeaderName = HeaderName::from_static("mcp-session-id");

/// The error that answers a POST, with the ID of its message if that could be read.
type McpFault = (StatusCode, Option<message::Id>, ErrorData);

impl Mcp {
    /// The message that answers a body, and whether it opens a session; `None` if there is nothing to answer.
    async fn reply(
        &self,
        headers: &HeaderMap,
        body: &[u8],
    ) -> Result<Option<(String, bool)>, McpFault> {
        let call = Call::read(body).map_err(|(id, fault)| (StatusCode::BAD_REQUEST, id, fault))?;
        let id = call.as_ref().and_then(|call| call.id.clone());
        let revision = revision(headers, call.as_ref())
            .map_err(|fault| (StatusCode::BAD_REQUEST, id.clone(), fault))?;
        let (Some(call), Some(id)) = (call, id) else {
            return Ok(None);
        };
        let opens_session = call.method == "initialize";
        let json = self.catalog.answer(call, revision).await.map_err(|fault| {
            // The stateless revision also reports some errors by status.
            let is_stateless = revision == Revision::July2026;
            let status = if is_stateless && fault.code == ErrorCode::MethodNotFound {
                StatusCode::NOT_FOUND
            } else if opens_session {
                StatusCode::BAD_REQUEST
            } else {
                StatusCode::OK
            };
            (status, Some(id.clone()), fault)
        })?;
        Ok(Some((message::result(&id, &json), opens_session)))
    }
}

// Checks `Origin` and `Host`: only pages of this service, of this machine and of hosts that the operator allows may
// send requests, and only under a known name (DNS rebinding). MCP requires both checks of HTTP servers.

#[derive(Debug)]
pub struct OriginCheck {
    base: Option<Url>,
    allowed: Hosts,
}

impl OriginCheck {
    /// Accepts the host of the base URL `home`, this machine and `allowed`.
    pub fn new(home: &str, allowed: Hosts) -> Self {
        Self {
            base: Url::parse(home).ok(),
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
        Some(is_ours || self.is_allowed(&host))
    }

    /// `None` for what is no origin of a page.
    fn knows_origin(&self, header: &HeaderValue) -> Option<bool> {
        let origin = Url::parse(header.to_str().ok()?).ok()?.origin();
        let Origin::Tuple(scheme, host, _) = &origin else {
            return None;
        };
        let is_web = matches!(scheme.as_str(), "http" | "https");
        let is_ours = (self.base.as_ref()).is_some_and(|base| base.origin() == origin);
        Some(is_web && (is_ours || self.is_allowed(host)))
    }

    fn is_allowed(&self, host: &Host) -> bool {
        self.allowed.contains(host) || is_local(host.clone())
    }
}
