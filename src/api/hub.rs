//! `POST /api/websub/hub`: accepts requests to subscribe and to unsubscribe. The outcome is sent to the callback, not
//! returned here (WebSub §5.1.2). Errors are one line of text that explains what to change.

use std::sync::Arc;

use poem::http::StatusCode;
use poem::{Request, Response};
use poem_openapi::OpenApi;

use super::operation::{Accepted, HubForm, OperationGroup, TEXT};
use crate::config::bounds::HUB_BODY_BYTES_MAX;
use crate::web::{BODY_TIMEOUT, ClientAddress, HttpProblem, read_body};
use crate::websub::{FULL_RETRY, IntakeError, RequestError, SubscriptionIntake};

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
    /// An invalid request is answered with one line of text that names every fault and says what to change.
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
        let body = read_body(request.headers(), form.0, HUB_BODY_BYTES_MAX, BODY_TIMEOUT).await?;
        let taken = self.intake.take(client.0, request.content_type(), &body);
        taken.await.map_err(|error| problem(&error))?;
        Ok(Accepted)
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
