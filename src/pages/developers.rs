//! `/developers`: instructions for embedding the rating, and links to the data. `/docs`: Swagger UI in one
//! self-contained page, which shows `/.well-known/openapi.json`.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use askama::Template;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use poem::http::{HeaderMap, HeaderValue};
use poem::web::Data;
use poem::{Response, handler};
use sha2::{Digest, Sha256};

use super::embed::EmbedOptions;
use super::frame::{Frame, HTML, Site, protect, render};
use super::{badge, embed};
use crate::compute::made_once;
use crate::links::{DOCS_PATH, MCP_PATH, OPENAPI_PATH, SEARCH_API_PATH};
use crate::snapshot::{CachedBody, Coding, Document, Snapshot};
use crate::web::context::Ctx;

#[derive(Template)]
#[template(path = "developers_page.html")]
struct DevelopersPage<'a> {
    frame: Frame<'a>,
    heading: Cow<'static, str>,
    /// The title of the embedded frame, and the alternative text of the badge.
    label: Cow<'static, str>,
}

const DOCUMENTS: [(&str, &str); 7] = [
    (Document::Reviews.path(), "All reviews"),
    (Document::Insights.path(), "Insights"),
    (Document::JsonFeed.path(), "JSON Feed of the 50 newest"),
    (Document::AtomFeed.path(), "Atom feed of the 50 newest"),
    (DOCS_PATH, "Swagger UI: try every operation"),
    (OPENAPI_PATH, "OpenAPI 3.1 description"),
    (SEARCH_API_PATH, "Search"),
];

pub fn show(snapshot: &Snapshot) -> String {
    let links = &snapshot.input.links;
    let business = &snapshot.input.business;
    let site = Site::new(business, links);
    let locale = &site.locale;
    let heading = locale.message("nav-developers");
    render(&DevelopersPage {
        label: locale.message_with("reviews-of", &[("business", &business.name)]),
        frame: Frame {
            title: format!("{heading}: {}", business.name).into(),
            description: Some(locale.message("developers-lead")),
            canonical: Some(links.absolute("/developers")),
            site: site.clone(),
        },
        heading,
    })
}

// `/docs`: Swagger UI in one self-contained page, which shows `/.well-known/openapi.json`.

/// `swagger-ui-bundle.js` of the npm package `swagger-ui-dist` 5.35.0, compressed with brotli (quality 11). To update,
/// run `npm pack swagger-ui-dist`, compress its three files again and correct `NOTICE`.
const LIBRARY: &[u8] = include_bytes!("assets/swagger-ui-bundle.js.br");
/// `swagger-ui.css` of the same package.
const LIBRARY_STYLE: &[u8] = include_bytes!("assets/swagger-ui.css.br");
/// Fixes contrast and width in Swagger UI's own style.
const STYLE: &str = include_str!("assets/docs.css");

/// Shows the document, by an address that is relative so that it holds below any base URL.
const START: &str = r##"
SwaggerUIBundle({
  dom_id: "#ui",
  url: ".well-known/openapi.json",
  deepLinking: true,
});
"##;

/// The page with its policy. It takes 3 MB and a tenth of a second, so it is made when it is first requested, once per
/// process: it is the same for all snapshots. It takes no slot, because it is made only once.
static SWAGGER_UI: OnceLock<SwaggerUi> = OnceLock::new();

/// Scripts and styles are files of this program.
#[derive(Template)]
#[template(path = "docs_page.html", escape = "none")]
struct SwaggerPage<'a> {
    library: &'a str,
    library_style: &'a str,
}

struct SwaggerUi {
    body: CachedBody,
    policy: HeaderValue,
}

fn swagger_ui() -> SwaggerUi {
    let (library, library_style) = (unpack(LIBRARY), unpack(LIBRARY_STYLE));
    let page = SwaggerPage {
        library: &library,
        library_style: &library_style,
    };
    let policy = HeaderValue::from_str(&policy(&[&library, START], &[&library_style, STYLE]));
    let mut html = render(&page);
    // It grew step by step, to twice its length.
    html.shrink_to_fit();
    let body = CachedBody::whole(HTML, html);
    for coding in Coding::ALL {
        // A coding that fails for want of memory is not offered.
        if let Some(coded) = coding.compress(&body.content.pieces, &|| false) {
            body.set_coded(coding, coded);
        }
    }
    SwaggerUi {
        // It is ASCII, so it is a valid header value; otherwise the policy blocks everything.
        policy: policy.unwrap_or_else(|_| HeaderValue::from_static("default-src 'none'")),
        body,
    }
}

/// Decompresses a bundled file, which cannot fail; a test reads them.
fn unpack(coded: &[u8]) -> String {
    let mut text = Vec::new();
    brotli::BrotliDecompress(&mut &coded[..], &mut text)
        .unwrap_or_else(|error| unreachable!("a bundled file: {error}"));
    String::from_utf8(text).unwrap_or_else(|error| unreachable!("a bundled file: {error}"))
}

/// Allows only the page's own inline scripts and styles, by hash (CSP 3 §2.3.1), and requests to the host from which
/// the page was loaded.
fn policy(scripts: &[&str], styles: &[&str]) -> String {
    let hash = |text: &&str| format!(" 'sha256-{}'", STANDARD.encode(Sha256::digest(text)));
    let hashes = |texts: &[&str]| texts.iter().map(hash).collect::<String>();
    format!(
        "default-src 'none'; script-src{}; style-src{}; img-src data:; font-src data:; connect-src http: https:; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        hashes(scripts),
        hashes(styles)
    )
}

#[handler]
pub fn docs(Data(ctx): Data<&Arc<Ctx>>, headers: &HeaderMap) -> Response {
    let page = made_once(&SWAGGER_UI, swagger_ui);
    let response = ctx.respond(headers, &ctx.current.load(), &page.body);
    protect(response, page.policy.clone())
}

#[cfg(test)]
mod tests {
    use super::policy;

    #[test]
    fn the_policy_has_the_hash_of_each_inline_element_only() {
        let policy = policy(&["let a = '<style>';", ""], &["p{}"]);
        // The well-known hash of the empty string.
        let empty = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";
        assert!(
            policy.contains(&format!(" {empty}; style-src 'sha256-")),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(policy.matches("'sha256-").count(), 3, "{policy}");
    }
}
