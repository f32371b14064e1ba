//! `/sitemaps/{number}.xml`: one file of a sitemap with several, rendered once per snapshot.

use std::sync::Arc;

use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};

use super::cached::Pages;
use crate::web;
use crate::web::context::Ctx;
use crate::web::{in_turn, problem};

/// Numbered from 1.
pub struct SitemapFile {
    pub ctx: Arc<Ctx>,
    /// The cache of the files.
    pub pages: Arc<Pages>,
}

impl Endpoint for SitemapFile {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let snapshot = self.ctx.current.load();
        let path = request.uri().path();
        let name = path
            .rsplit('/')
            .next()
            .and_then(|name| name.strip_suffix(".xml"));
        let number = name.and_then(|number| number.parse::<usize>().ok());
        let made = self.pages.of(&snapshot);
        let work = async {
            let files = made.sitemap_files(&snapshot, &self.ctx.links);
            let file = number.and_then(|number| files.get(number.checked_sub(1)?));
            match file {
                Some(body) => web::cached_body(request.headers(), &snapshot, body),
                None => problem(
                    StatusCode::NOT_FOUND,
                    "The sitemap has no such part; /sitemap.xml lists them.",
                ),
            }
        };
        Ok(in_turn(&request, &self.ctx.compute, work).await)
    }
}
