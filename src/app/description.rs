//! `/.well-known/openapi.json`: the description of the API, with examples of what is published now.
//!
//! It is the same body, codings included, as long as the examples are the same.

use std::sync::{Arc, Mutex, PoisonError};

use poem::{Endpoint, Request, Response};
use serde_json::Value;

use crate::ctx::Ctx;
use crate::http::Examples;
use crate::snapshot::{CachedBody, Content, Snapshot};
use crate::{respond, wire};

/// The description, whose examples follow the snapshot.
#[derive(Debug)]
pub struct Description {
    document: Value,
    made: Mutex<Option<(Examples, Arc<CachedBody>)>>,
}

impl Description {
    /// The description that is `document` but for the examples.
    #[must_use]
    pub const fn new(document: Value) -> Self {
        Self {
            document,
            made: Mutex::new(None),
        }
    }

    /// The description with the examples of `snapshot`.
    #[must_use]
    pub fn of(&self, snapshot: &Snapshot) -> Arc<CachedBody> {
        let examples = Examples::of(snapshot);
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, body)) = made.as_ref().filter(|(its, _)| *its == examples) {
            return Arc::clone(body);
        }
        let json = wire::json(&examples.added_to(&self.document));
        let body = Arc::new(CachedBody::new("application/json", Content::whole(json)));
        *made = Some((examples, Arc::clone(&body)));
        body
    }
}

/// The endpoint that serves it.
pub struct DescriptionEndpoint {
    /// Whose snapshot gives the examples.
    pub ctx: Arc<Ctx>,
    /// The OpenAPI document, to which the examples are added.
    pub description: Arc<Description>,
}

impl Endpoint for DescriptionEndpoint {
    type Output = Response;

    async fn call(&self, request: Request) -> poem::Result<Response> {
        let snapshot = self.ctx.current.load();
        let body = self.description.of(&snapshot);
        Ok(respond::cached_body(request.headers(), &snapshot, &body))
    }
}
