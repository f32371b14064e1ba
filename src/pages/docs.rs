//! `/docs`: Swagger UI in one self-contained page, on the very document that
//! `/.well-known/openapi.json` is.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use poem::http::header::LOCATION;
use poem::http::{HeaderValue, StatusCode};
use poem::{Endpoint, Request, Response, Result};
use sha2::{Digest, Sha256};

use super::frame::{HTML, protected_by};
use crate::ctx::Ctx;
use crate::respond;
use crate::snapshot::{CachedBody, Content};

/// What is too faint or too wide in Swagger UI's own style.
const STYLE: &str = include_str!("assets/docs.css");

/// The page, and what it may run.
pub struct SwaggerUi {
    /// The page, the same for all snapshots.
    pub body: Arc<CachedBody>,
    policy: HeaderValue,
}

/// The page, made of the one that poem-openapi has: that one carries its own OpenAPI 3.0 text
/// (`embedded`) and draws it; ours fetches the published document. The address is relative, so that
/// it holds below any base URL.
#[must_use]
pub fn swagger_ui(html: &str, embedded: &str) -> SwaggerUi {
    let html = html
        .trim_start()
        .replacen(
            "<html charset=\"UTF-8\">",
            "<!DOCTYPE html>\n<html lang=\"en\">",
            1,
        )
        .replacen(
            "<title>Swagger UI</title>",
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n    \
             <title>Reviews Service: API</title>",
            1,
        )
        .replacen(
            "</head>\n<body>",
            &format!("<style>{STYLE}</style>\n</head>\n<body>"),
            1,
        )
        .replacen(
            "<div id=\"ui\"></div>",
            "<main>\n<h1 class=\"unseen\">Reviews Service: API</h1>\n<div id=\"ui\"></div>\n</main>",
            1,
        )
        .replacen(&format!("let spec = {embedded};"), "", 1)
        .replacen("spec: spec,", "url: \".well-known/openapi.json\",", 1);
    let policy = HeaderValue::from_str(&policy(&html));
    SwaggerUi {
        // It is ASCII, so there is one; without it, nothing would run.
        policy: policy.unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'")),
        body: Arc::new(CachedBody::new(HTML, Content::whole(html.into_bytes()))),
    }
}

/// The page runs and is styled by its own inline elements alone, each named by its hash (CSP 3 §2.3.1); it loads nothing, and
/// asks the service under whichever name it is reached.
fn policy(html: &str) -> String {
    let hash = |text: &str| format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let hashes = |of: &str| {
        let elements = inline_elements(html).into_iter();
        let own = elements.filter(|(name, _)| *name == of);
        own.map(|(_, text)| hash(text)).collect::<Vec<_>>().concat()
    };
    format!(
        "default-src 'none'; script-src{}; style-src{}; img-src data:; font-src data:; connect-src http: https:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hashes("script"),
        hashes("style")
    )
}

/// The scripts and styles of a page: name and text of each, in the order of the page. What looks like one within another's text
/// is none.
fn inline_elements(html: &str) -> Vec<(&'static str, &str)> {
    let mut found = Vec::new();
    let mut rest = html;
    loop {
        let begins = |name: &'static str| Some((rest.find(&format!("<{name}"))?, name));
        let Some((at, name)) = ["script", "style"].into_iter().filter_map(begins).min() else {
            return found;
        };
        let text = rest
            .get(at..)
            .and_then(|element| element.split_once('>'))
            .and_then(|(_, text)| text.split_once(&format!("</{name}>")));
        let Some((text, after)) = text else {
            return found;
        };
        found.push((name, text));
        rest = after;
    }
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
    /// The page that [`swagger_ui`] made.
    pub page: SwaggerUi,
}

impl Endpoint for Docs {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let page = &self.page;
        Ok(protected_by(
            respond::cached_body(request.headers(), &self.ctx.current.load(), &page.body),
            page.policy.clone(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::{inline_elements, policy};

    #[test]
    fn every_inline_element_is_named_by_its_hash_and_nothing_else_runs() {
        let html = "<style charset=\"UTF-8\">p{}</style><script>let a = '<style>';</script><p>text</p><script></script>";
        assert_eq!(
            inline_elements(html),
            [
                ("style", "p{}"),
                ("script", "let a = '<style>';"),
                ("script", "")
            ]
        );
        let policy = policy(html);
        // The hash of nothing, as every table has it.
        let empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
        assert!(
            policy.contains(&format!(" {empty}; style-src 'sha256-")),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(policy.matches("'sha256-").count(), 3, "{policy}");
    }
}
