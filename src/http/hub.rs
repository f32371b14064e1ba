//! `POST /api/websub/hub`: takes requests to subscribe and to unsubscribe. What comes of them is said to the callback and
//! never here (WebSub §5.1.2). Errors are one line of text that says what to change.

use std::net::IpAddr;
use std::sync::Arc;

use poem::error::ReadBodyError;
use poem::http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use poem::http::{HeaderName, HeaderValue, StatusCode};
use poem::{Addr, IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions, OpenApi};
use serde_json::json;

use super::Group;
use super::forwarded::source;
use crate::config::Nets;
use crate::edition::Document;
use crate::links::Links;
use crate::websub::{BODY_BYTES_MAX, Door, Refusal};
use crate::wire;

const FORM: &str = "application/x-www-form-urlencoded";
const TEXT: &str = "text/plain";

/// The hub's handler.
#[derive(Clone)]
pub struct Hub {
    /// What takes the requests.
    pub door: Arc<Door>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Nets,
}

#[OpenApi]
impl Hub {
    /// Subscribe to a topic, or unsubscribe
    ///
    /// W3C WebSub §5. Topics are `/reviews.json`, `/api/feed.json` and `/feed.xml` below the base URL. A well-formed request is
    /// a 202; then the callback is asked, and told.
    #[oai(path = "/hub", method = "post", tag = "Group::Hub")]
    async fn hub(&self, form: Form) -> Taken {
        let source = form.source(&self.trusted_proxies);
        let taken = match &form.body {
            Some(body) => self.door.take(source, form.content_type.as_deref(), body).await,
            None => Err(Refusal::too_large()),
        };
        Taken(match taken {
            Ok(()) => text(StatusCode::ACCEPTED, "Accepted; the callback will be asked to confirm.\n"),
            Err(refusal) => refused(&refusal),
        })
    }
}

/// Says in the API's description what no derive can: which topics there are, for their URLs begin with the base URL; and that
/// a lease is read where a subscription is asked for, and ignored where it is to end.
pub fn describe_request(document: &mut serde_json::Value, links: &Links) {
    let topics: Vec<String> =
        Document::ALL.into_iter().filter(|one| one.is_topic()).map(|one| links.absolute(one.path())).collect();
    if let Some(topic) = document.pointer_mut("/components/schemas/HubRequest/properties/hub.topic") {
        topic["enum"] = topics.into();
    }
    if let Some(request) = document.pointer_mut("/components/schemas/HubRequest") {
        request["anyOf"] = json!([
            { "properties": { "hub.lease_seconds": { "type": "string", "pattern": "^0*[1-9][0-9]*$" } } },
            { "properties": { "hub.mode": { "enum": ["unsubscribe"] } } },
        ]);
    }
}

/// What a method other than POST is told.
#[must_use]
pub fn explained(allowed: &'static str) -> Response {
    let mut response = text(
        StatusCode::METHOD_NOT_ALLOWED,
        "This is a WebSub hub: POST hub.mode, hub.topic and hub.callback here as a form (https://www.w3.org/TR/websub/).\n",
    );
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// An error of the hub: a status, and one line that says what to change (WebSub §5.1.2).
#[must_use]
pub fn told(status: StatusCode, line: &str) -> Response {
    text(status, &format!("{line}\n"))
}

fn refused(refusal: &Refusal) -> Response {
    let (status, after) = match refusal {
        Refusal::Fault(fault) => (StatusCode::from_u16(fault.status()).unwrap_or(StatusCode::BAD_REQUEST), None),
        Refusal::TooMany { after, .. } => (StatusCode::TOO_MANY_REQUESTS, Some(after)),
        Refusal::Unavailable { after, .. } => (StatusCode::SERVICE_UNAVAILABLE, Some(after)),
    };
    let mut response = told(status, &refusal.to_string());
    if let Some(after) = after {
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(after.as_secs().max(1)));
    }
    response
}

fn text(status: StatusCode, line: &str) -> Response {
    let mut response = Response::builder().status(status).body(line.to_owned());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// What was sent, as it was sent: the door reads it by the rules of the specification, not by those of a framework.
struct Form {
    content_type: Option<String>,
    /// `None` where it is longer than any request needs to be.
    body: Option<Vec<u8>>,
    peer: Option<IpAddr>,
    /// The lines of `X-Forwarded-For`, in their order; `None` is one that is no text.
    forwarded: Vec<Option<String>>,
}

impl Form {
    /// Who asks, as far as the proxies in between are trusted.
    fn source(&self, trusted: &Nets) -> Option<IpAddr> {
        Some(source(self.peer?, self.forwarded.iter().map(Option::as_deref), trusted))
    }
}

impl<'a> ApiExtractor<'a> for Form {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        wire::HubRequest::register(registry);
    }

    fn request_meta() -> Option<MetaRequest> {
        let content = vec![MetaMediaType { content_type: FORM, schema: wire::HubRequest::schema_ref() }];
        Some(MetaRequest { description: Some("The request, in UTF-8."), content, required: true })
    }

    async fn from_request(request: &'a Request, body: &mut RequestBody, _: ExtractParamOptions<()>) -> poem::Result<Self> {
        let body = match body.take()?.into_bytes_limit(BODY_BYTES_MAX).await {
            Ok(body) => Some(body.to_vec()),
            Err(ReadBodyError::PayloadTooLarge) => None,
            // It did not come in time, or not at all.
            Err(error) => return Err(poem::Error::new(error, StatusCode::REQUEST_TIMEOUT)),
        };
        let peer = match &request.remote_addr().0 {
            Addr::SocketAddr(address) => Some(address.ip().to_canonical()),
            Addr::Unix(_) | Addr::Custom(..) => None,
        };
        let forwarded = request.headers().get_all(HeaderName::from_static("x-forwarded-for")).iter();
        Ok(Self {
            content_type: request.content_type().map(str::to_owned),
            body,
            peer,
            forwarded: forwarded.map(|value| value.to_str().ok().map(str::to_owned)).collect(),
        })
    }
}

/// The answer to a request.
struct Taken(Response);

impl IntoResponse for Taken {
    fn into_response(self) -> Response {
        self.0
    }
}

impl ApiResponse for Taken {
    fn meta() -> MetaResponses {
        let statuses = [
            (202, "It was taken; the callback will be asked to confirm."),
            (400, "It says what to change."),
            (408, "The body took too long."),
            (413, "The body is too large."),
            (415, "It is no form."),
            (429, "Too many requests; come back after `Retry-After`."),
            (503, "It cannot be taken now; come back after `Retry-After`."),
        ];
        let content = || vec![MetaMediaType { content_type: TEXT, schema: String::schema_ref() }];
        let response = |(status, description)| MetaResponse {
            description,
            status: Some(status),
            status_range: None,
            content: content(),
            headers: Vec::new(),
        };
        MetaResponses { responses: statuses.map(response).into() }
    }

    fn register(_: &mut Registry) {}
}
