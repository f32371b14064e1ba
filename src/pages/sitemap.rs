//! `/sitemaps/{number}.xml`: one file of a sitemap that has several, made once for a snapshot.

use std::sync::Arc;

use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};

use super::cached::Pages;
use crate::compute::apart;
use crate::web;
use crate::web::context::Ctx;
use crate::web::{in_turn, problem};

/// The endpoint of `/sitemaps/{number}.xml`, numbered from 1.
pub struct SitemapFile {
    /// Whose snapshot it lists.
    pub ctx: Arc<Ctx>,
    /// Where the files are kept.
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
            let files = apart(|| made.sitemap_files(&snapshot, &self.ctx.links));
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
