//! The files that pages load: one stylesheet, one small script, one icon. Compiled in, so that no
//! page asks another host for anything. Stylesheet and script carry their digest in
//! the name: they may be kept for ever, and a new release is seen at once.

use std::sync::{Arc, LazyLock};

use poem::http::header::CACHE_CONTROL;
use poem::http::{HeaderValue, StatusCode};
use poem::{Endpoint, Request, Response, Result};

use crate::snapshot::{CachedBody, Content};
use crate::web;
use crate::web::Route;
use crate::web::context::Ctx;

const STYLE: &str = concat!(include_str!("style.css"), include_str!("search.css"));
const SCRIPT: &str = include_str!("copy.js");
const ICON: &str = include_str!("favicon.svg");

/// How many characters of the digest are in a name: enough that two releases never share one.
const DIGEST_CHARACTERS: usize = 12;
/// A year, the longest that caches are asked to keep anything (RFC 9111 §1.2.2 has no bound;
/// browsers cut at one year).
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A file of the pages.
struct Asset {
    path: String,
    body: Arc<CachedBody>,
}

static STYLESHEET: LazyLock<Asset> =
    LazyLock::new(|| asset("style", "css", "text/css; charset=utf-8", STYLE));
static COPY_SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset("copy", "js", "text/javascript; charset=utf-8", SCRIPT));
static ICON_BODY: LazyLock<Arc<CachedBody>> = LazyLock::new(|| {
    Arc::new(CachedBody::new(
        "image/svg+xml",
        Content::whole(ICON.as_bytes().to_vec()),
    ))
});

fn asset(stem: &str, extension: &str, content_type: &'static str, text: &'static str) -> Asset {
    let content = Content::whole(text.as_bytes().to_vec());
    let digest: String = content.digest.chars().take(DIGEST_CHARACTERS).collect();
    Asset {
        path: format!("/assets/{stem}-{digest}.{extension}"),
        body: Arc::new(CachedBody::new(content_type, content)),
    }
}

/// The path of the stylesheet below the base URL.
#[must_use]
pub fn stylesheet_path() -> &'static str {
    &STYLESHEET.path
}

/// The path of the script that copies snippets, below the base URL.
#[must_use]
pub fn script_path() -> &'static str {
    &COPY_SCRIPT.path
}

/// What stays the same while the service runs, to be coded ahead.
#[must_use]
pub fn fixed() -> [Arc<CachedBody>; 3] {
    [&STYLESHEET.body, &COPY_SCRIPT.body, &ICON_BODY].map(Arc::clone)
}

/// All of them, each at its own path.
#[must_use]
pub fn routes(ctx: &Arc<Ctx>) -> Vec<Route> {
    let file = |body: &Arc<CachedBody>, cacheable| File {
        ctx: Arc::clone(ctx),
        body: Arc::clone(body),
        cacheable,
    };
    let immutable = |asset: &'static Asset| {
        Route::new(&asset.path).get(None, file(&asset.body, Some(IMMUTABLE)))
    };
    vec![
        immutable(&STYLESHEET),
        immutable(&COPY_SCRIPT),
        Route::new("/favicon.svg").get(None, file(&ICON_BODY, None)),
    ]
}

/// The endpoint of one.
struct File {
    ctx: Arc<Ctx>,
    body: Arc<CachedBody>,
    /// How long it may be kept, where that is not as long as everything else.
    cacheable: Option<HeaderValue>,
}

impl Endpoint for File {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let mut response =
            web::cached_body(request.headers(), &self.ctx.current.load(), &self.body);
        let is_sent =
            response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED;
        if let Some(cacheable) = self.cacheable.clone().filter(|_| is_sent) {
            response.headers_mut().insert(CACHE_CONTROL, cacheable);
        }
        Ok(response)
    }
}
