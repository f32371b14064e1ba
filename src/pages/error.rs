//! Error pages for browsers; other clients get `application/problem+json`.

use std::borrow::Cow;

use askama::Template;
use poem::Response;
use poem::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use poem::http::{HeaderValue, StatusCode};

use super::frame::{Frame, HTML, POLICY, Site, protect, render};
use crate::web::context::Ctx;
use crate::wire::Problem;

#[derive(Template)]
#[template(path = "error_page.html")]
struct ErrorPage<'a> {
    frame: Frame<'a>,
    heading: Cow<'static, str>,
    detail: Cow<'static, str>,
    /// Name and error of each invalid parameter, in English.
    issues: Vec<(String, String)>,
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
    render(&ErrorPage {
        frame: Frame {
            title: format!("{heading}: {}", site.business.name).into(),
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
