//! `/docs`: Swagger UI in one self-contained page, on the very document that
//! `/.well-known/openapi.json` is.

use std::sync::Arc;

use poem::http::StatusCode;
use poem::http::header::LOCATION;
use poem::{Endpoint, Request, Response, Result};

use super::frame::{HTML, protected};
use crate::ctx::Ctx;
use crate::respond;
use crate::snapshot::{CachedBody, Content};

/// The page runs its own inline script, loads nothing, and asks the service under whichever name it
/// is reached.
const POLICY: &str = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; font-src data:; \
    connect-src http: https:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The page, made of the one that poem-openapi has: that one carries its own OpenAPI 3.0 text
/// (`embedded`) and draws it; ours fetches the published document. The address is relative, so that
/// it holds below any base URL.
#[must_use]
pub fn swagger_ui(html: &str, embedded: &str) -> CachedBody {
    let html = html
        .trim_start()
        .replacen(
            "<html charset=\"UTF-8\">",
            "<!DOCTYPE html>\n<html lang=\"en\">",
            1,
        )
        .replacen(
            "<title>Swagger UI</title>",
            "<title>Reviews Service: API</title>",
            1,
        )
        .replacen(&format!("let spec = {embedded};"), "", 1)
        .replacen("spec: spec,", "url: \".well-known/openapi.json\",", 1);
    CachedBody::new(HTML, Content::whole(html.into_bytes()))
}

/// What `/docs/` is answered: relative to it, so that it holds below any base URL.
pub fn without_slash() -> Response {
    Response::builder()
        .status(StatusCode::PERMANENT_REDIRECT)
        .header(LOCATION, "../docs")
        .finish()
}

/// The endpoint that serves it.
pub struct Docs {
    /// Whose snapshot keeps the answer alive.
    pub ctx: Arc<Ctx>,
    /// The page that [`swagger_ui`] made, the same for all snapshots.
    pub body: Arc<CachedBody>,
}

impl Endpoint for Docs {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        Ok(protected(
            respond::cached_body(request.headers(), &self.ctx.current.load(), &self.body),
            POLICY,
        ))
    }
}
