//! `POST /api/websub/hub`: accepts requests to subscribe and to unsubscribe. The outcome is sent to the callback, not
//! returned here (WebSub §5.1.2). Errors are one line of text that explains what to change.

use std::sync::Arc;

use bytes::Bytes;
use poem::error::ReadBodyError;
use poem::http::header::{ALLOW, CACHE_CONTROL, RETRY_AFTER};
use poem::http::{HeaderValue, StatusCode};
use poem::{IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaResponse, MetaResponses, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions, OpenApi};
use serde_json::json;

use super::openapi::OperationGroup;
use crate::links::Links;
use crate::snapshot::Document;
use crate::web::{ClientAddress, announces_more_than, body_fault};
use crate::websub::{BODY_BYTES_MAX, FULL_RETRY, IntakeError, RequestError, SubscriptionIntake};
use crate::wire;

const FORM: &str = "application/x-www-form-urlencoded";
const TEXT: &str = "text/plain";

#[derive(Clone)]
pub struct HubEndpoint {
    pub intake: Arc<SubscriptionIntake>,
}

#[OpenApi]
impl HubEndpoint {
    /// Subscribe to a topic, or unsubscribe
    ///
    /// W3C WebSub §5. Topics are `/reviews.json`, `/api/feed.json` and `/feed.xml` below the base URL. A well-formed request is
    /// answered with 202; then the callback is asked to confirm, and is sent every new version of the topic until the lease ends.
    /// An invalid request is answered with one line of text that says what to change.
    #[oai(path = "/hub", method = "post", tag = "OperationGroup::Hub")]
    async fn hub(&self, request: &Request, form: HubForm) -> HubResponse {
        let taken = match &form.0 {
            Some(body) => {
                let source = ClientAddress::of(request);
                self.intake.take(source, request.content_type(), body).await
            }
            None => Err(RequestError::TooLarge.into()),
        };
        HubResponse(match taken {
            Ok(()) => text(
                StatusCode::ACCEPTED,
                "Accepted; the callback will be asked to confirm.\n",
            ),
            Err(error) => error_response(&error),
        })
    }
}

/// Adds an example of a request to the OpenAPI document; it depends on the base URL, with which topics begin.
pub fn describe_request(document: &mut serde_json::Value, links: &Links) {
    let topic = links.absolute(Document::JsonFeed.path());
    for (field, example) in [
        ("hub.callback", "https://subscriber.example.com/callback"),
        ("hub.topic", topic.as_str()),
        ("hub.lease_seconds", "864000"),
        ("hub.secret", "a-secret-of-your-own"),
    ] {
        let path = format!("/components/schemas/HubRequest/properties/{field}");
        if let Some(property) = document.pointer_mut(&path) {
            property["examples"] = json!([example]);
        }
    }
}

pub fn hub_method_not_allowed(allowed: &'static str) -> Response {
    let mut response = text(
        StatusCode::METHOD_NOT_ALLOWED,
        "This is a WebSub hub: POST hub.mode, hub.topic and hub.callback here as a form (https://www.w3.org/TR/websub/).\n",
    );
    response
        .headers_mut()
        .insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

/// A one-line error that explains what to change (WebSub §5.1.2).
pub fn hub_error(status: StatusCode, line: &str) -> Response {
    text(status, &format!("{line}\n"))
}

fn error_response(error: &IntakeError) -> Response {
    let (status, after) = match error {
        IntakeError::Request(fault) => (
            StatusCode::from_u16(fault.status()).unwrap_or(StatusCode::BAD_REQUEST),
            None,
        ),
        IntakeError::TooMany(exceeded) => (StatusCode::TOO_MANY_REQUESTS, Some(exceeded.after)),
        IntakeError::Unavailable(_) => (StatusCode::SERVICE_UNAVAILABLE, Some(FULL_RETRY)),
    };
    let mut response = hub_error(status, &error.to_string());
    if let Some(after) = after {
        response
            .headers_mut()
            .insert(RETRY_AFTER, HeaderValue::from(after.as_secs().max(1)));
    }
    response
}

fn text(status: StatusCode, line: &str) -> Response {
    Response::builder()
        .status(status)
        .content_type("text/plain; charset=utf-8")
        .header(CACHE_CONTROL, "no-store")
        .body(line.to_owned())
}

/// The raw form; the intake parses it by the rules of WebSub instead of the framework's. `None` if it is too large.
struct HubForm(Option<Bytes>);

impl<'a> ApiExtractor<'a> for HubForm {
    const TYPES: &'static [ApiExtractorType] = &[ApiExtractorType::RequestObject];
    type ParamType = ();
    type ParamRawType = ();

    fn register(registry: &mut Registry) {
        wire::HubRequest::register(registry);
    }

    fn request_meta() -> Option<MetaRequest> {
        let content = vec![MetaMediaType {
            content_type: FORM,
            schema: wire::HubRequest::schema_ref(),
        }];
        Some(MetaRequest {
            description: Some("The request, in UTF-8."),
            content,
            required: true,
        })
    }

    async fn from_request(
        request: &'a Request,
        body: &mut RequestBody,
        _: ExtractParamOptions<()>,
    ) -> poem::Result<Self> {
        if announces_more_than(request.headers(), BODY_BYTES_MAX) {
            return Ok(Self(None));
        }
        match body.take()?.into_bytes_limit(BODY_BYTES_MAX).await {
            Ok(body) => Ok(Self(Some(body))),
            Err(ReadBodyError::PayloadTooLarge) => Ok(Self(None)),
            Err(error) => {
                let (status, reason) = body_fault(&error);
                Err(poem::Error::from_response(hub_error(status, reason)))
            }
        }
    }
}

struct HubResponse(Response);

impl IntoResponse for HubResponse {
    fn into_response(self) -> Response {
        self.0
    }
}

impl ApiResponse for HubResponse {
    fn meta() -> MetaResponses {
        let statuses = [
            (
                202,
                "The request was accepted; the callback will be asked to confirm it.",
            ),
            (
                400,
                "The request is invalid; the body lists what to change.",
            ),
            (408, "The body took too long to arrive."),
            (413, "The body is too large."),
            (415, "The body is not a form."),
            (429, "Too many requests; retry after `Retry-After`."),
            (
                503,
                "The hub cannot accept it now; retry after `Retry-After`.",
            ),
        ];
        let response = |(status, description)| MetaResponse {
            description,
            status: Some(status),
            status_range: None,
            content: vec![MetaMediaType {
                content_type: TEXT,
                schema: String::schema_ref(),
            }],
            headers: Vec::new(),
        };
        MetaResponses {
            responses: statuses.map(response).into(),
        }
    }

    fn register(_: &mut Registry) {}
}
