//! Static files of the pages: stylesheets, scripts, one icon. They are compiled in, so that pages load nothing
//! from other hosts. Their names contain a digest, so they can be cached forever; only the script that other sites
//! load has a fixed name.

use std::sync::{Arc, LazyLock};

use hyper::body::Bytes;
use poem::error::NotFoundError;
use poem::http::HeaderValue;
use poem::http::header::CACHE_CONTROL;
use poem::web::Data;
use poem::{Request, Response, handler};

use crate::snapshot::{CachedBody, Coding};
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
    body: CachedBody,
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
/// Fixes contrast and width in Swagger UI's own style.
pub static DOCS_STYLESHEET: LazyLock<Asset> =
    LazyLock::new(|| asset("/assets/docs-{}.css", CSS, include_str!("docs.css")));
pub static DOCS_SCRIPT: LazyLock<Asset> =
    LazyLock::new(|| asset("/assets/docs-{}.js", JAVASCRIPT, include_str!("docs.js")));
/// `swagger-ui-bundle.js` of the npm package `swagger-ui-dist` 5.35.0, compressed with brotli (quality 11). To update,
/// run `npm pack swagger-ui-dist`, compress its three files again and correct `NOTICE`.
pub static SWAGGER_SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let coded = include_bytes!("swagger-ui-bundle.js.br");
    unpack("/assets/swagger-{}.js", JAVASCRIPT, coded)
});
/// `swagger-ui.css` of the same package.
pub static SWAGGER_STYLESHEET: LazyLock<Asset> = LazyLock::new(|| {
    let coded = include_bytes!("swagger-ui.css.br");
    unpack("/assets/swagger-{}.css", CSS, coded)
});

/// The large ones are unpacked on the first request for one that is not before them.
static ALL: [&LazyLock<Asset>; 10] = [
    &STYLESHEET,
    &COPY_SCRIPT,
    &EMBED_STYLESHEET,
    &TRY_SCRIPT,
    &EMBED_SCRIPT,
    &ICON,
    &DOCS_STYLESHEET,
    &DOCS_SCRIPT,
    &SWAGGER_STYLESHEET,
    &SWAGGER_SCRIPT,
];

/// The digest takes the place of `{}` in `path`.
fn asset(path: &str, content_type: &'static str, text: impl Into<Bytes>) -> Asset {
    let body = CachedBody::whole(content_type, text);
    Asset {
        path: path.replace("{}", &body.content.digest[..DIGEST_CHARACTERS]),
        is_immutable: path.contains("{}"),
        body,
    }
}

/// A file that is compiled in as Brotli, and sent so to who accepts it.
fn unpack(path: &str, content_type: &'static str, coded: &'static [u8]) -> Asset {
    let mut text = Vec::new();
    brotli::BrotliDecompress(&mut &*coded, &mut text)
        .unwrap_or_else(|error| unreachable!("a bundled file: {error}"));
    let file = asset(path, content_type, text.into_boxed_slice());
    file.body
        .set_coded(Coding::Brotli, Bytes::from_static(coded));
    file
}

/// The file whose path is that of the request.
#[handler]
pub fn asset_file(Data(ctx): Data<&Arc<Ctx>>, request: &Request) -> poem::Result<Response> {
    let file = ALL.iter().find(|file| file.path == request.uri().path());
    let file = file.ok_or(NotFoundError)?;
    let mut response: Response = ctx.respond(request.headers(), &ctx.current.load(), &file.body);
    if file.is_immutable {
        response.headers_mut().insert(CACHE_CONTROL, IMMUTABLE);
    }
    Ok(response)
}
