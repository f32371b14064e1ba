//! `/reviews/{id}`: one review, where its permalink leads.

use std::fmt::Write;
use std::sync::Arc;

use bytes::Bytes;
use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};
use sha2::{Digest, Sha256};

use super::html::{POLICY, Text, page};
use super::{HTML, protected};
use crate::ctx::Ctx;
use crate::hash::hex;
use crate::links::REVIEW_PATH;
use crate::respond::{self, UrlParameters, problem};
use crate::reviews::{ReviewId, parameters};
use crate::wire;

/// The page of one review.
pub struct Page(pub Arc<Ctx>);

impl Endpoint for Page {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let edition = self.0.current.load();
        let id = UrlParameters::path::<parameters::Id>(&request).ok().flatten().and_then(|id| id.parse::<ReviewId>().ok());
        let review =
            id.and_then(|id| edition.copy.shelf.find(&id)).and_then(|json| serde_json::from_slice::<wire::Review>(&json).ok());
        let Some(review) = review else {
            return Ok(problem(StatusCode::NOT_FOUND, "There is no published review of that id."));
        };
        let html = show(&review, &edition.copy.business.name, &self.0);
        let digest = hex(&Sha256::digest(&html));
        Ok(protected(respond::pieces(request.headers(), edition, HTML, &digest, None, || vec![Bytes::from(html)]), POLICY))
    }
}

fn show(review: &wire::Review, business: &str, ctx: &Ctx) -> String {
    let stars = usize::from(review.rating.min(5));
    let title = format!("{} stars by {}: a review of {business}", review.rating, review.author);
    let head = format!(
        "<link rel=\"canonical\" href=\"{}\">\n<link rel=\"alternate\" type=\"application/json\" href=\"{}\">\n",
        Text(&review.url),
        Text(&ctx.links.absolute(&REVIEW_PATH.replace(":id", &review.id)))
    );
    let mut body = String::new();
    // Writing into a String cannot fail.
    let _ = write!(
        body,
        "<p><a href=\"{}\">{}</a></p>\n<article>\n<h1>{}</h1>\n<p><span class=\"stars\" role=\"img\" aria-label=\"{stars} of 5 stars\">{}{}</span> \
         <strong>{}</strong> <span class=\"muted\"><time datetime=\"{date}\">{date}</time> · {}{}</span></p>\n",
        Text(&ctx.links.home()),
        Text(business),
        Text(review.title.as_deref().unwrap_or(&format!("A review by {}", review.author))),
        "★".repeat(stars),
        "☆".repeat(5 - stars),
        Text(&review.author),
        Text(&review.source.name),
        if review.verification.verified { " · verified" } else { "" },
        date = review.date,
    );
    if !review.text.is_empty() {
        let language = review.language.as_deref().map(|tag| format!(" lang=\"{}\"", Text(tag))).unwrap_or_default();
        let _ = writeln!(body, "<p class=\"text\" dir=\"auto\"{language}>{}</p>", Text(&review.text));
    }
    if let Some(response) = &review.response {
        let from = response.author.as_deref().unwrap_or(business);
        let date = response.date.map(|date| format!(", <time datetime=\"{date}\">{date}</time>")).unwrap_or_default();
        let _ = writeln!(
            body,
            "<blockquote>\n<p class=\"muted\">Answer from {}{date}</p>\n<p class=\"text\" dir=\"auto\">{}</p>\n</blockquote>",
            Text(from),
            Text(&response.text)
        );
    }
    body.push_str("</article>\n");
    page(&title, &head, &body)
}
