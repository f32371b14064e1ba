//! `/`: whose reviews these are, and where everything is.

use std::fmt::Write;
use std::sync::Arc;

use bytes::Bytes;
use poem::{Endpoint, Request, Response, Result};
use sha2::{Digest, Sha256};

use super::html::{POLICY, Text, page};
use super::{HTML, protected};
use crate::ctx::Ctx;
use crate::edition::Document;
use crate::edition::print::Copy;
use crate::hash::hex;
use crate::respond;

/// What there is besides the documents: path, name.
const ELSEWHERE: [(&str, &str); 3] = [
    ("/docs", "Swagger UI: try every operation"),
    ("/.well-known/openapi.json", "OpenAPI 3.1 description"),
    ("/api/reviews/search", "Search"),
];

/// The page at the root.
pub struct Home(pub Arc<Ctx>);

impl Endpoint for Home {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let edition = self.0.current.load();
        let html = show(&edition.copy, &self.0);
        let digest = hex(&Sha256::digest(&html));
        Ok(protected(respond::pieces(request.headers(), edition, HTML, &digest, None, || vec![Bytes::from(html)]), POLICY))
    }
}

fn show(copy: &Copy, ctx: &Ctx) -> String {
    let business = &copy.business;
    let (tally, mut head, mut body) = (copy.shelf.tally(), String::new(), String::new());
    for document in [Document::JsonFeed, Document::AtomFeed] {
        let (kind, url) =
            (if document == Document::JsonFeed { "application/feed+json" } else { document.content_type() }, document.path());
        let _ = writeln!(head, "<link rel=\"alternate\" type=\"{kind}\" href=\"{}\">", Text(&ctx.links.absolute(url)));
    }
    let _ = writeln!(body, "<h1>Reviews of {}</h1>", Text(&business.name));
    if let Some(description) = &business.description {
        let _ = writeln!(body, "<p>{}</p>", Text(description));
    }
    match tally.mean_hundredths() {
        Some(mean) => {
            let (whole, hundredths) = (mean / 100, mean % 100);
            let _ = writeln!(
                body,
                "<p><strong>{whole}.{hundredths:02}</strong> of 5 stars, from {} verified reviews.</p>",
                tally.total()
            );
        }
        None => body.push_str("<p>There are no reviews yet.</p>\n"),
    }
    body.push_str("<dl>\n");
    let documents = Document::ALL.map(|document| (document.path(), name(document)));
    for (path, name) in documents.into_iter().chain(ELSEWHERE) {
        let url = ctx.links.absolute(path);
        let _ = writeln!(body, "<dt>{name}</dt><dd><a href=\"{url}\">{url}</a></dd>", url = Text(&url));
    }
    body.push_str("</dl>\n");
    page(&format!("Reviews of {}", business.name), &head, &body)
}

const fn name(document: Document) -> &'static str {
    match document {
        Document::Reviews => "All reviews",
        Document::Insights => "Insights",
        Document::JsonFeed => "JSON Feed of the 50 newest",
        Document::AtomFeed => "Atom feed of the 50 newest",
    }
}
