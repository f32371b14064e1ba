//! The files that pages load: one stylesheet, one small script, one icon. Compiled in, so that no page asks another host for
//! anything (CONTRACT §8). Stylesheet and script carry their digest in the name: they may be kept for ever, and a new release
//! is seen at once.

use std::sync::{Arc, LazyLock};

use poem::http::header::CACHE_CONTROL;
use poem::http::{HeaderValue, StatusCode};
use poem::{Endpoint, Request, Response, Result};

use crate::ctx::Ctx;
use crate::edition::{Content, Sheet};
use crate::respond::{self, problem};

const STYLE: &str = include_str!("assets/style.css");
const SCRIPT: &str = include_str!("assets/copy.js");
/// The icon of every page, and what `/favicon.svg` answers.
pub const ICON: &str = include_str!("assets/favicon.svg");

/// How many characters of the digest are in a name: enough that two releases never share one.
const DIGEST_CHARACTERS: usize = 12;
/// A year, the longest that caches are asked to keep anything (RFC 9111 §1.2.2 has no bound; browsers cut at one year).
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

/// A file of the pages with the name it is served under.
struct Asset {
    name: String,
    sheet: Arc<Sheet>,
}

static ASSETS: LazyLock<[Asset; 2]> = LazyLock::new(|| {
    [asset("style", "css", "text/css; charset=utf-8", STYLE), asset("copy", "js", "text/javascript; charset=utf-8", SCRIPT)]
});

fn asset(stem: &str, extension: &str, content_type: &'static str, text: &'static str) -> Asset {
    let content = Content::whole(text.as_bytes().to_vec());
    let digest: String = content.digest.chars().take(DIGEST_CHARACTERS).collect();
    Asset { name: format!("{stem}-{digest}.{extension}"), sheet: Arc::new(Sheet::new(content_type, content)) }
}

/// The path of the stylesheet below the base URL.
#[must_use]
pub fn stylesheet_path() -> String {
    format!("/assets/{}", ASSETS[0].name)
}

/// The path of the script that copies snippets, below the base URL.
#[must_use]
pub fn script_path() -> String {
    format!("/assets/{}", ASSETS[1].name)
}

/// All of them, to be coded ahead.
#[must_use]
pub fn sheets() -> Vec<Arc<Sheet>> {
    ASSETS.iter().map(|asset| Arc::clone(&asset.sheet)).collect()
}

/// `/assets/{name}`.
pub struct Assets(pub Arc<Ctx>);

impl Endpoint for Assets {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let name = request.path_params::<String>().unwrap_or_default();
        let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
            return Ok(problem(StatusCode::NOT_FOUND, "There is no such file; reload the page that names it."));
        };
        let mut response = respond::sheet(request.headers(), &self.0.current.load(), &asset.sheet);
        if response.status().is_success() || response.status() == StatusCode::NOT_MODIFIED {
            response.headers_mut().insert(CACHE_CONTROL, IMMUTABLE);
        }
        Ok(response)
    }
}
