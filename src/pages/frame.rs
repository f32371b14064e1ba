//! The frame of every page: head, navigation, links to the data, and the content security policy; and the pages of errors for
//! browsers.

use std::borrow::Cow;
use std::sync::Arc;

use askama::Template;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use poem::Response;
use poem::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY};
use poem::http::{HeaderMap, HeaderValue, StatusCode};

use super::locale::{Locale, PageLanguage};
use crate::links::{Links, SEARCH_PAGE_PATH, with_query};
use crate::model::business::Business;
use crate::snapshot::{CachedBody, Snapshot};
use crate::web::HttpProblem;
use crate::web::context::Ctx;
use crate::wire::Issue;

pub const HTML: &str = "text/html; charset=utf-8";

/// Allows nothing from other hosts, no inline style or script, and no framing. Review text is escaped; if that failed,
/// the policy would still block scripts in it. JSON-LD blocks are data and not affected.
pub const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
    form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

/// The policy of pages that other sites may frame: no forms. `base-uri` permits the page's own `<base>`, which opens
/// links in the top window.
pub const POLICY_FRAMEABLE: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; base-uri 'self'; form-action 'none'; frame-ancestors *",
);

/// The policy of the page that contains such a frame.
pub const POLICY_FRAMING: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; \
    frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);

#[derive(Debug, Clone)]
pub struct Site<'a> {
    pub locale: Locale,
    pub business: &'a Business,
    pub links: &'a Links,
    /// The path of the base URL, without a trailing slash.
    pub root: &'a str,
}

#[derive(Debug, Clone)]
pub struct Frame<'a> {
    /// The text of the `<title>` element.
    pub title: Cow<'static, str>,
    /// A sentence for search engines.
    pub description: Option<Cow<'static, str>>,
    /// The page's address for search engines; without one, the page has `noindex`.
    pub canonical: Option<String>,
    pub site: Site<'a>,
}

impl<'a> Frame<'a> {
    /// The head of a page that search engines do not list.
    pub fn unlisted(title: Cow<'static, str>, site: &Site<'a>) -> Self {
        Self {
            title,
            description: None,
            canonical: None,
            site: site.clone(),
        }
    }
}

/// A link to the page with one change; `is_current` if it leads to this page.
pub struct ChoiceLink {
    pub words: Cow<'static, str>,
    pub href: String,
    pub is_current: bool,
}

impl<'a> Site<'a> {
    /// The data of the pages in the business's language.
    pub fn new(business: &'a Business, links: &'a Links) -> Self {
        Self {
            locale: Locale::of(business),
            business,
            links,
            root: links.base_path(),
        }
    }

    /// The heading of the reviews; without a named business, that there is none.
    pub fn reviews_heading(&self) -> Cow<'static, str> {
        if self.business.is_set_up() {
            let named = [("business", self.business.name.as_str())];
            self.locale.message_with("reviews-of", &named)
        } else {
            self.locale.message("not-set-up")
        }
    }

    /// The path of a search with one filter.
    pub fn search(&self, name: &str, value: &str) -> String {
        with_query(&format!("{}{SEARCH_PAGE_PATH}", self.root), [(name, value)])
    }

    /// The path of the search for the reviews of a calendar year.
    pub fn search_year(&self, year: i32) -> String {
        let [(_, first), (_, last)] = year_days(year);
        format!("{}/search?since={first}&until={last}", self.root)
    }

    /// The language of quotes, which are English, on a page in another one.
    pub fn quote_language(&self) -> Option<&'static str> {
        let english = PageLanguage::English.name();
        (self.locale.tag() != english).then_some(english)
    }

    /// The URL to which people report a review. Other programs may write any text to the database.
    pub fn contact(&self) -> Option<&'a str> {
        let contact = self.business.review_policy.contact.as_deref()?;
        let is_known = ["mailto:", "https://"]
            .iter()
            .any(|scheme| contact.starts_with(scheme));
        Some(contact).filter(|_| is_known)
    }

    /// The link to report what is at `url`, which goes along in a mail; `None` if the business names no contact.
    pub fn report(&self, url: &str) -> Option<String> {
        let contact = self.contact()?;
        if !contact.starts_with("mailto:") || contact.contains('?') {
            return Some(contact.to_owned());
        }
        let body = utf8_percent_encode(url, NON_ALPHANUMERIC);
        Some(format!("{contact}?body={body}"))
    }

    pub fn review(&self, id: &str) -> String {
        format!("{}/reviews/{id}", self.root)
    }
}

/// The parameters of a search for one calendar year.
pub fn year_days(year: i32) -> [(&'static str, String); 2] {
    [
        ("since", format!("{year:04}-01-01")),
        ("until", format!("{year:04}-12-31")),
    ]
}

/// Adds the content security policy. Files that are no pages have it too, because an SVG can be opened by itself.
pub fn protect(mut response: Response, policy: HeaderValue) -> Response {
    response
        .headers_mut()
        .insert(CONTENT_SECURITY_POLICY, policy);
    response
}

/// Responds to a request with the fields `headers` with a page that is rendered for it.
pub fn page(
    ctx: &Ctx,
    headers: &HeaderMap,
    snapshot: &Arc<Snapshot>,
    html: String,
    policy: HeaderValue,
) -> Response {
    let body = CachedBody::whole(HTML, html);
    protect(ctx.respond(headers, snapshot, &body), policy)
}

/// An error in a frame, with what is wrong.
pub fn refusal(html: String) -> Response {
    let refusal = Response::builder().status(StatusCode::BAD_REQUEST);
    let refusal = refusal.header(CACHE_CONTROL, "no-store");
    let refusal = refusal.content_type(HTML).body(html);
    protect(refusal, POLICY_FRAMEABLE)
}

/// Writing into a text cannot fail; a template that fails is a bug, which is logged.
pub fn render(template: &impl Template) -> String {
    template.render().unwrap_or_else(|error| {
        tracing::error!(%error, "pages.not_rendered: a template failed");
        String::new()
    })
}

#[derive(Template)]
#[template(path = "error_page.html")]
struct ErrorPage<'a> {
    frame: Frame<'a>,
    heading: Cow<'static, str>,
    detail: Cow<'static, str>,
    issues: &'a [Issue],
}

/// What is wrong with a parameter, after its name: as the API says it, or in short in the reader's language.
pub fn issue_words<'i>(issue: &'i Issue, locale: &Locale) -> Cow<'i, str> {
    if locale.tag() == PageLanguage::English.name() {
        return Cow::Borrowed(&issue.message);
    }
    locale.message_with("fault-value", &[("value", &issue.received)])
}

/// A problem as a page with the same header fields.
pub fn error_page(ctx: &Ctx, problem: HttpProblem) -> Response {
    let snapshot = ctx.current.load();
    let site = Site::new(&snapshot.input.business, &snapshot.input.links);
    let locale = &site.locale;
    // Without technical details such as methods and headers, which only API clients can act on.
    let (heading, detail) = match problem.status {
        StatusCode::NOT_FOUND => ("not-found", "not-found-text"),
        StatusCode::BAD_REQUEST => ("bad-request", "bad-request-text"),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            ("too-busy", "too-busy-text")
        }
        _ => ("failed", "failed-text"),
    };
    let (heading, detail) = (locale.message(heading), locale.message(detail));
    let title = if site.business.is_set_up() {
        format!("{heading}: {}", site.business.name).into()
    } else {
        heading.clone()
    };
    let html = render(&ErrorPage {
        frame: Frame::unlisted(title, &site),
        heading,
        detail,
        issues: &problem.document.issues,
    });
    protect(problem.response(HTML, html), POLICY)
}
