//! `POST /api/websub/hub`: accepts requests to subscribe and to unsubscribe. The outcome is sent to the callback, not
//! returned here (WebSub §5.1.2). Errors are one line of text that explains what to change.

use std::sync::Arc;

use bytes::Bytes;
use poem::http::StatusCode;
use poem::http::header::CACHE_CONTROL;
use poem::{IntoResponse, Request, RequestBody, Response};
use poem_openapi::registry::{MetaMediaType, MetaRequest, MetaResponses, Registry};
use poem_openapi::types::Type;
use poem_openapi::{ApiExtractor, ApiExtractorType, ApiResponse, ExtractParamOptions, OpenApi};
use serde_json::json;

use super::openapi::{OperationGroup, response};
use crate::links::Links;
use crate::snapshot::Document;
use crate::web::{BODY_TIMEOUT, ClientAddress, HttpProblem, read_body};
use crate::websub::{BODY_BYTES_MAX, FULL_RETRY, IntakeError, RequestError, SubscriptionIntake};
use crate::wire;

const FORM: &str = "application/x-www-form-urlencoded";
const TEXT: &str = "text/plain; charset=utf-8";

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
    #[oai(
        path = "/api/websub/hub",
        method = "post",
        operation_id = "hub",
        tag = "OperationGroup::Hub"
    )]
    async fn hub(
        &self,
        request: &Request,
        client: ClientAddress,
        form: HubForm,
    ) -> poem::Result<Accepted> {
        let taken = self.intake.take(client.0, request.content_type(), &form.0);
        taken.await.map_err(|error| problem(&error))?;
        Ok(Accepted)
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

fn problem(error: &IntakeError) -> HttpProblem {
    let detail = error.to_string();
    match error {
        IntakeError::Request(RequestError::ContentType) => {
            HttpProblem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, detail)
        }
        IntakeError::Request(_) => HttpProblem::new(StatusCode::BAD_REQUEST, detail),
        IntakeError::TooMany(exceeded) => {
            HttpProblem::retry_later(StatusCode::TOO_MANY_REQUESTS, detail, exceeded.after)
        }
        IntakeError::Unavailable(_) => {
            HttpProblem::retry_later(StatusCode::SERVICE_UNAVAILABLE, detail, FULL_RETRY)
        }
    }
}

/// An error in the form of the hub: one line that explains what to change.
pub fn hub_error(problem: HttpProblem) -> Response {
    let line = if problem.status == StatusCode::METHOD_NOT_ALLOWED {
        "This is a WebSub hub: POST hub.mode, hub.topic and hub.callback here as a form (https://www.w3.org/TR/websub/)."
    } else {
        &problem.document.detail
    };
    let line = format!("{line}\n");
    problem.response(TEXT, line)
}

/// The raw form; the intake parses it by the rules of WebSub instead of the framework's.
struct HubForm(Bytes);

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
        let body = read_body(
            request.headers(),
            body.take()?,
            BODY_BYTES_MAX,
            BODY_TIMEOUT,
        )
        .await?;
        Ok(Self(body))
    }
}

/// 202.
struct Accepted;

impl IntoResponse for Accepted {
    fn into_response(self) -> Response {
        Response::builder()
            .status(StatusCode::ACCEPTED)
            .content_type(TEXT)
            .header(CACHE_CONTROL, "no-store")
            .body("Accepted; the callback will be asked to confirm.\n")
    }
}

impl ApiResponse for Accepted {
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
        let content = || MetaMediaType {
            content_type: "text/plain",
            schema: String::schema_ref(),
        };
        let responses = statuses.map(|(status, description)| {
            response(status, description, vec![content()], Vec::new())
        });
        MetaResponses {
            responses: responses.into(),
        }
    }

    fn register(_: &mut Registry) {}
}
