//! Error pages for browsers; other clients get `application/problem+json`.

use std::borrow::Cow;

use askama::Template;
use poem::Response;
use poem::http::StatusCode;

use super::frame::{Frame, HTML, POLICY, Site, protect, render};
use super::locale::{Locale, PageLanguage};
use crate::web::HttpProblem;
use crate::web::context::Ctx;
use crate::wire::{Issue, Problem};

#[derive(Template)]
#[template(path = "error_page.html")]
struct ErrorPage<'a> {
    frame: Frame<'a>,
    heading: Cow<'static, str>,
    detail: Cow<'static, str>,
    /// Name and error of each invalid parameter.
    issues: Vec<(String, Cow<'a, str>)>,
    is_for_agents: bool,
}

/// What is wrong with a parameter, after its name: as the API says it, or in short in the reader's language.
pub fn issue_words<'i>(issue: &'i Issue, locale: &Locale) -> Cow<'i, str> {
    if locale.tag() == PageLanguage::English.name() {
        return Cow::Borrowed(&issue.message);
    }
    locale.message_with("fault-value", &[("value", &issue.received)])
}

/// A problem as a page with the same header fields; `is_for_agents` if the address is no page but one for agents.
pub fn error_page(ctx: &Ctx, problem: HttpProblem, is_for_agents: bool) -> Response {
    let html = show(ctx, problem.status, &problem.document, is_for_agents);
    protect(problem.response(HTML, html), POLICY)
}

/// The page leaves out technical details such as methods and headers, which only API clients can act on.
fn show(ctx: &Ctx, status: StatusCode, problem: &Problem, is_for_agents: bool) -> String {
    let snapshot = ctx.current.load();
    let site = Site::new(&snapshot.input.business, &ctx.links);
    let locale = &site.locale;
    let issues = problem
        .issues
        .iter()
        .map(|issue| (issue.path.join("."), issue_words(issue, locale)))
        .collect();
    let (heading, detail) = match status {
        StatusCode::METHOD_NOT_ALLOWED if is_for_agents => ("only-agents", "only-agents-text"),
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
    render(&ErrorPage {
        frame: Frame::unlisted(title, &site),
        heading,
        detail,
        issues,
        is_for_agents,
    })
}
