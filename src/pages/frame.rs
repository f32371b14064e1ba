//! What every page has around its content: the head, the navigation, the links to the data; and the
//! headers that say what a page may load.

use poem::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use poem::http::{HeaderValue, StatusCode};
use poem::{Request, Response};

use super::assets;
use super::locale::Locale;
use super::picture::PICTURE_PATH;
use crate::links::{Links, is_web};
use crate::model::business::Business;
use crate::snapshot::{Document, Snapshot};
use crate::web;

/// The media type of pages.
pub const HTML: &str = "text/html; charset=utf-8";

/// Nothing is loaded from elsewhere, no inline style or script runs, and no other site may frame a
/// page. Review text is escaped; should that ever fail, nothing of it runs. Blocks of
/// JSON-LD are data and not subject to it.
pub const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The same for what other sites may frame: no form. `base-uri` is open to ours, which
/// sends links to the parent.
pub const POLICY_FRAMEABLE: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'self'; form-action 'none'; frame-ancestors *";

/// The same for the page that frames what other sites may frame.
pub const POLICY_FRAMING: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
    frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// What all pages of a site share.
#[derive(Debug, Clone)]
pub struct Site {
    /// How its pages speak.
    pub locale: Locale,
    /// What paths begin with: the path of the base URL, without a slash at its end.
    pub root: String,
    /// The name of the business.
    pub name: String,
    /// The language of what the business writes itself, where it has said: BCP 47.
    pub language: Option<String>,
    /// Its own site, where it is an http or https address.
    pub website: Option<String>,
    /// The path of the stylesheet below `root`.
    pub stylesheet: &'static str,
    /// The path of the script below `root`.
    pub script: &'static str,
    /// The absolute URL of the picture that apps show beside a link.
    pub picture: String,
    /// The absolute URL of the JSON Feed.
    pub json_feed: String,
    /// The absolute URL of the Atom feed.
    pub atom_feed: String,
}

/// What the frame of one page says.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The text of the `<title>` element.
    pub title: String,
    /// A sentence for search engines.
    pub description: Option<String>,
    /// The page's one address.
    pub canonical: Option<String>,
    /// Whether search engines are asked to leave it out.
    pub is_hidden_from_search: bool,
    /// What it shares with all other pages.
    pub site: Site,
}

impl Site {
    /// The site of `business`, in its own language.
    #[must_use]
    pub fn new(business: &Business, links: &Links) -> Self {
        Self {
            locale: Locale::of(business),
            root: links.base_path().to_owned(),
            name: business.name.clone(),
            language: business.language.clone(),
            website: business.url.clone().filter(|url| is_web(url)),
            stylesheet: assets::stylesheet_path(),
            script: assets::script_path(),
            picture: links.absolute(PICTURE_PATH),
            json_feed: links.absolute(Document::JsonFeed.path()),
            atom_feed: links.absolute(Document::AtomFeed.path()),
        }
    }

    /// `path` below the root with one parameter.
    #[must_use]
    pub fn path_with(&self, path: &str, name: &str, value: &str) -> String {
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair(name, value)
            .finish();
        format!("{}{path}?{query}", self.root)
    }

    /// The search with one filter.
    #[must_use]
    pub fn search(&self, name: &str, value: &str) -> String {
        self.path_with("/search", name, value)
    }

    /// The search for the reviews of a calendar year.
    #[must_use]
    pub fn search_year(&self, year: i32) -> String {
        let [(_, first), (_, last)] = year_days(year);
        format!("{}/search?since={first}&until={last}", self.root)
    }

    /// The path of a review's page.
    #[must_use]
    pub fn review(&self, id: &str) -> String {
        format!("{}/reviews/{id}", self.root)
    }
}

/// The parameters of a search for one calendar year.
#[must_use]
pub fn year_days(year: i32) -> [(&'static str, String); 2] {
    [
        ("since", format!("{year:04}-01-01")),
        ("until", format!("{year:04}-12-31")),
    ]
}

/// Says what a page may load. A 304 says it again, as it repeats what the 200 would have sent (RFC
/// 9110 §15.4.5); so does every other file of the pages, an image that is opened by itself above
/// all.
#[must_use]
pub fn protected(response: Response, policy: &'static str) -> Response {
    protected_by(response, HeaderValue::from_static(policy))
}

/// The same with a policy that is made at run time.
#[must_use]
pub fn protected_by(mut response: Response, policy: HeaderValue) -> Response {
    let headers = response.headers();
    let is_page = headers.get(CONTENT_TYPE).is_some_and(|kind| kind == HTML);
    if is_page || matches!(response.status(), StatusCode::OK | StatusCode::NOT_MODIFIED) {
        response
            .headers_mut()
            .insert(CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// Answers with a page made for this request alone.
#[must_use]
pub fn page(
    request: &Request,
    snapshot: std::sync::Arc<Snapshot>,
    html: String,
    policy: &'static str,
) -> Response {
    protected(
        web::whole_body(request.headers(), snapshot, HTML, html),
        policy,
    )
}
