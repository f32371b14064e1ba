//! Static files of the pages: stylesheets, small scripts, one icon. They are compiled in, so that pages load nothing
//! from other hosts. Their names contain a digest, so they can be cached forever; only the script that other sites
//! load has a fixed name.

use std::sync::{Arc, LazyLock};

use poem::error::NotFoundError;
use poem::http::HeaderValue;
use poem::http::header::CACHE_CONTROL;
use poem::web::Data;
use poem::{Request, Response, handler};

use crate::snapshot::CachedBody;
use crate::web::context::Ctx;

pub const CSS: &str = "text/css; charset=utf-8";
const JAVASCRIPT: &str = "text/javascript; charset=utf-8";

/// The script that adjusts the height of embedded frames.
pub const EMBED_SCRIPT_PATH: &str = "/embed.js";
pub const ICON_PATH: &str = "/favicon.svg";
/// Characters of the digest in a name, enough that releases do not collide.
const DIGEST_CHARACTERS: usize = 12;
/// A year, the longest that browsers cache (RFC 9111 §1.2.2 sets no bound).
const IMMUTABLE: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");

pub struct Asset {
    /// Below the base URL.
    pub path: String,
    body: Arc<CachedBody>,
    /// Whether its name contains the digest of its content.
    is_immutable: bool,
}

pub static STYLESHEET: LazyLock<Asset> = LazyLock::new(|| {
    let text = concat!(include_str!("style.css"), include_str!("search.css"));
    asset("/assets/style-{}.css", CSS, text)
});
/// The script that copies snippets.
pub static COPY_SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset("/assets/copy-{}.js", JAVASCRIPT, include_str!("copy.js")));
pub static EMBED_STYLESHEET: LazyLock<Asset> =
    LazyLock::new(|| asset("/assets/embed-{}.css", CSS, include_str!("embed.css")));
pub static TRY_SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset("/assets/try-{}.js", JAVASCRIPT, include_str!("try.js")));
// Other sites embed this address, so it has no digest.
static EMBED_SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset(EMBED_SCRIPT_PATH, JAVASCRIPT, include_str!("embed.js")));
static ICON: LazyLock<Asset> =
    LazyLock::new(|| asset(ICON_PATH, "image/svg+xml", include_str!("favicon.svg")));

/// The digest takes the place of `{}` in `path`.
fn asset(path: &str, content_type: &'static str, text: &'static str) -> Asset {
    let body = CachedBody::whole(content_type, text);
    Asset {
        path: path.replace("{}", &body.content.digest[..DIGEST_CHARACTERS]),
        is_immutable: path.contains("{}"),
        body: Arc::new(body),
    }
}

fn all() -> [&'static Asset; 6] {
    [
        &STYLESHEET,
        &COPY_SCRIPT,
        &EMBED_STYLESHEET,
        &TRY_SCRIPT,
        &EMBED_SCRIPT,
        &ICON,
    ]
}

/// The bodies to be compressed in advance, which do not change while the service runs.
pub fn fixed() -> [Arc<CachedBody>; 6] {
    all().map(|asset| Arc::clone(&asset.body))
}

/// The file whose path is that of the request.
#[handler]
pub fn asset_file(Data(ctx): Data<&Arc<Ctx>>, request: &Request) -> poem::Result<Response> {
    let mut files = all().into_iter();
    let file = files.find(|file| file.path == request.uri().path());
    let file = file.ok_or(NotFoundError)?;
    let mut response: Response = ctx.respond(request.headers(), &ctx.current.load(), &file.body);
    if file.is_immutable {
        response.headers_mut().insert(CACHE_CONTROL, IMMUTABLE);
    }
    Ok(response)
}
