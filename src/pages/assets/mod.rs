//! Static files of the pages: stylesheets, small scripts, one icon. They are compiled in, so that pages load nothing
//! from other hosts. Their names contain a digest, so they can be cached forever; only the script that other sites
//! load has a fixed name.

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
const EMBED_STYLE: &str = include_str!("embed.css");
const EMBED_SCRIPT: &str = include_str!("embed.js");
const TRY_SCRIPT: &str = include_str!("try.js");
const ICON: &str = include_str!("favicon.svg");

/// The script that adjusts the height of embedded frames.
pub const EMBED_SCRIPT_PATH: &str = "/embed.js";
/// Characters of the digest in a name, enough that releases do not collide.
const DIGEST_CHARACTERS: usize = 12;
/// A year, the longest that browsers cache (RFC 9111 §1.2.2 sets no bound).
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

struct Asset {
    path: String,
    body: Arc<CachedBody>,
}

static STYLESHEET: LazyLock<Asset> =
    LazyLock::new(|| asset("style", "css", "text/css; charset=utf-8", STYLE));
static COPY_SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset("copy", "js", "text/javascript; charset=utf-8", SCRIPT));
static EMBED_STYLESHEET: LazyLock<Asset> =
    LazyLock::new(|| asset("embed", "css", "text/css; charset=utf-8", EMBED_STYLE));
static TRY_SCRIPT_ASSET: LazyLock<Asset> =
    LazyLock::new(|| asset("try", "js", "text/javascript; charset=utf-8", TRY_SCRIPT));
static EMBED_SCRIPT_BODY: LazyLock<Arc<CachedBody>> =
    LazyLock::new(|| body("text/javascript; charset=utf-8", EMBED_SCRIPT));
static ICON_BODY: LazyLock<Arc<CachedBody>> = LazyLock::new(|| body("image/svg+xml", ICON));

fn body(content_type: &'static str, text: &'static str) -> Arc<CachedBody> {
    let content = Content::whole(text.as_bytes().to_vec());
    Arc::new(CachedBody::new(content_type, content))
}

fn asset(stem: &str, extension: &str, content_type: &'static str, text: &'static str) -> Asset {
    let content = Content::whole(text.as_bytes().to_vec());
    let digest: String = content.digest.chars().take(DIGEST_CHARACTERS).collect();
    Asset {
        path: format!("/assets/{stem}-{digest}.{extension}"),
        body: Arc::new(CachedBody::new(content_type, content)),
    }
}

/// Below the base URL.
#[must_use]
pub fn stylesheet_path() -> &'static str {
    &STYLESHEET.path
}

/// The script that copies snippets, below the base URL.
#[must_use]
pub fn script_path() -> &'static str {
    &COPY_SCRIPT.path
}

/// The frame's stylesheet, below the base URL.
#[must_use]
pub fn embed_stylesheet_path() -> &'static str {
    &EMBED_STYLESHEET.path
}

/// The script of `/embed/try`, below the base URL.
#[must_use]
pub fn try_script_path() -> &'static str {
    &TRY_SCRIPT_ASSET.path
}

/// The bodies to be compressed in advance, which do not change while the service runs.
#[must_use]
pub fn fixed() -> [Arc<CachedBody>; 6] {
    [
        &STYLESHEET.body,
        &COPY_SCRIPT.body,
        &EMBED_STYLESHEET.body,
        &TRY_SCRIPT_ASSET.body,
        &EMBED_SCRIPT_BODY,
        &ICON_BODY,
    ]
    .map(Arc::clone)
}

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
        immutable(&EMBED_STYLESHEET),
        immutable(&TRY_SCRIPT_ASSET),
        // Other sites embed this address, so it has no digest.
        Route::new(EMBED_SCRIPT_PATH).get(None, file(&EMBED_SCRIPT_BODY, None)),
        Route::new("/favicon.svg").get(None, file(&ICON_BODY, None)),
    ]
}

struct File {
    ctx: Arc<Ctx>,
    body: Arc<CachedBody>,
    /// A caching policy that differs from the default.
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
