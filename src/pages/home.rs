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

/// The page at the root.
pub struct Home {
    /// What is shown.
    pub ctx: Arc<Ctx>,
    /// Where else people can go: path and title.
    pub shown: Vec<(&'static str, &'static str)>,
}

impl Endpoint for Home {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let edition = self.ctx.current.load();
        let html = self.show(&edition.copy);
        let digest = hex(&Sha256::digest(&html));
        Ok(protected(respond::pieces(request.headers(), edition, HTML, &digest, None, || vec![Bytes::from(html)]), POLICY))
    }
}

impl Home {
    fn show(&self, copy: &Copy) -> String {
        let ctx = &self.ctx;
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
        for (path, title) in &self.shown {
            let url = ctx.links.absolute(path);
            let _ = writeln!(body, "<dt>{title}</dt><dd><a href=\"{url}\">{url}</a></dd>", url = Text(&url));
        }
        body.push_str("</dl>\n");
        page(&format!("Reviews of {}", business.name), &head, &body)
    }
}
