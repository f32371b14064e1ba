//! Error pages for browsers, recognised by HTML as their first choice in `Accept`; other clients get
//! `application/problem+json`.

use std::borrow::Cow;

use askama::Template;
use poem::Response;
use poem::http::header::{ACCEPT, CONTENT_LENGTH, CONTENT_TYPE};
use poem::http::{HeaderMap, HeaderValue, StatusCode};

use super::frame::{Frame, HTML, POLICY, Site, protect};
use crate::web::context::Ctx;
use crate::wire::Problem;

#[derive(Template)]
#[template(path = "error_page.html")]
struct ErrorPage {
    frame: Frame,
    heading: Cow<'static, str>,
    detail: Cow<'static, str>,
    /// Name and error of each invalid parameter, in English.
    issues: Vec<(String, String)>,
}

/// Whether `Accept` names `text/html` before any other kind of document, as browsers do when they navigate.
#[must_use]
pub fn wants_html(headers: &HeaderMap) -> bool {
    let accept = headers
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let first = accept
        .split(',')
        .map(|part| part.split(';').next().unwrap_or_default().trim());
    let mut pages = first.take_while(|kind| matches!(*kind, "text/html" | "application/xhtml+xml"));
    pages.any(|kind| kind == "text/html")
}

/// Renders a problem as a page with the same header fields. A body that is not a valid problem is returned unchanged.
pub async fn as_page(ctx: &Ctx, response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let Ok(json) = body.into_bytes().await else {
        return Response::builder().status(parts.status).finish();
    };
    let Ok(problem) = serde_json::from_slice::<Problem>(&json) else {
        return Response::from_parts(parts, json.into());
    };
    let html = show(ctx, parts.status, &problem);
    let mut response = Response::from_parts(parts, html.into());
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
    headers.remove(CONTENT_LENGTH);
    protect(response, POLICY)
}

/// The page leaves out technical details such as methods and headers, which only API clients can act on.
fn show(ctx: &Ctx, status: StatusCode, problem: &Problem) -> String {
    let snapshot = ctx.current.load();
    let site = Site::new(&snapshot.input.business, &ctx.links);
    let locale = &site.locale;
    let issues = problem
        .issues
        .iter()
        .map(|issue| (issue.path.join("."), issue.message.clone()))
        .collect();
    let (heading, detail) = match status {
        StatusCode::NOT_FOUND => ("not-found", "not-found-text"),
        StatusCode::BAD_REQUEST => ("bad-request", "bad-request-text"),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            ("too-busy", "too-busy-text")
        }
        _ => ("failed", "failed-text"),
    };
    let (heading, detail) = (locale.message(heading), locale.message(detail));
    super::render(&ErrorPage {
        frame: Frame {
            title: format!("{heading}: {}", site.name).into(),
            description: None,
            canonical: None,
            is_hidden_from_search: true,
            site: site.clone(),
        },
        heading,
        detail,
        issues,
    })
}

#[cfg(test)]
mod tests {
    use poem::http::HeaderMap;
    use poem::http::header::ACCEPT;

    use super::wants_html;

    #[test]
    fn browsers_are_known_by_what_they_ask_for_first() {
        let chromium = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";
        for (accept, expected) in [
            (chromium, true),
            ("application/xhtml+xml, text/html", true),
            ("*/*", false),
            ("", false),
            ("application/json, text/html", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT, accept.parse().unwrap());
            assert_eq!(wants_html(&headers), expected, "{accept}");
        }
    }
}
