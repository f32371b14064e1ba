//! Errors as a browser shows them. Everybody else gets `application/problem+json` (CONTRACT §3, §8): who asks for HTML before
//! anything else is a browser.

use askama::Template;
use poem::http::header::{ACCEPT, CACHE_CONTROL, CONTENT_TYPE, VARY};
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use poem::{Request, Response};

use super::frame::{Frame, HTML, POLICY, Site, protected};
use crate::ctx::Ctx;
use crate::respond::problem;
use crate::wire::Problem;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage {
    frame: Frame,
    heading: String,
    detail: String,
    issues: Vec<(String, String)>,
}

/// Whether `headers` are those of a browser that navigates: `text/html` is named, and nothing that is no page is named before it.
#[must_use]
pub fn wants_html(headers: &HeaderMap) -> bool {
    let accept = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let first = accept.split(',').map(|part| part.split(';').next().unwrap_or_default().trim());
    let mut pages = first.take_while(|kind| matches!(*kind, "text/html" | "application/xhtml+xml"));
    pages.any(|kind| kind == "text/html")
}

/// A page that is not there, for a browser or for everybody else.
#[must_use]
pub fn not_found(request: &Request, ctx: &Ctx, detail: &str) -> Response {
    if wants_html(request.headers()) {
        let issues = Vec::new();
        let (kind, title, status) = ("about:blank".to_owned(), "Not Found".to_owned(), StatusCode::NOT_FOUND.as_u16());
        page(ctx, &Problem { kind, title, status, detail: detail.to_owned(), issues })
    } else {
        problem(StatusCode::NOT_FOUND, detail)
    }
}

/// A problem as a page.
#[must_use]
pub fn page(ctx: &Ctx, problem: &Problem) -> Response {
    let edition = ctx.current.load();
    let site = Site::new(&edition.copy.business, &ctx.links);
    let issues = problem.issues.iter().map(|issue| (issue.path.join("."), issue.message.clone())).collect();
    let template = ErrorPage {
        frame: Frame {
            title: format!("{}: {}", problem.title, site.name),
            description: None,
            canonical: None,
            is_hidden_from_search: true,
            site,
        },
        heading: problem.title.clone(),
        detail: problem.detail.clone(),
        issues,
    };
    let status = StatusCode::from_u16(problem.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = Response::builder().status(status).body(super::rendered(&template));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(VARY, HeaderValue::from_static("Accept"));
    protected(response, POLICY)
}

#[cfg(test)]
mod tests {
    use poem::http::HeaderMap;
    use poem::http::header::ACCEPT;

    use super::wants_html;

    #[test]
    fn browsers_are_known_by_what_they_ask_for_first() {
        let chromium = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
        for (accept, expected) in
            [(chromium, true), ("application/xhtml+xml, text/html", true), ("*/*", false), ("", false), ("application/json, text/html", false)]
        {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, accept.parse().unwrap());
            assert_eq!(wants_html(&headers), expected, "{accept}");
        }
    }
}
