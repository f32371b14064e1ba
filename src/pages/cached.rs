//! Pages that are the same for every request: rendered once per snapshot, on the first request or for compression in
//! advance.

use std::sync::{Arc, OnceLock};

use poem::error::NotFoundError;
use poem::web::Data;
use poem::{Request, Response, handler};

use super::frame::{POLICY, protect};
use super::{developers, discovery, home, insights};
use crate::compute::{made_once, run_long};
use crate::model::named;
use crate::snapshot::{CachedBody, PerSnapshot, Snapshot};
use crate::web::ClientAddress;
use crate::web::context::Ctx;

/// A sitemap of more reviews is rendered on request only: it is rarely requested, and compressing megabytes after each change
/// would be wasted.
const SITEMAP_AHEAD_MAX: usize = 5_000;

named! {
    /// A page that depends only on the snapshot; its name is its path below the base URL.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum CachedPage {
        Home = "/",
        Insights = "/insights",
        Developers = "/developers",
        Robots = "/robots.txt",
        Llms = "/llms.txt",
        Sitemap = "/sitemap.xml",
    }
}

impl CachedPage {
    const fn content_type(self) -> &'static str {
        match self {
            Self::Home | Self::Insights | Self::Developers => super::frame::HTML,
            Self::Robots | Self::Llms => "text/plain; charset=utf-8",
            Self::Sitemap => discovery::XML,
        }
    }
}

/// The pages of the snapshot that was requested last.
#[derive(Debug)]
pub struct Pages {
    pub ctx: Arc<Ctx>,
    made: PerSnapshot<[OnceLock<Arc<CachedBody>>; CachedPage::ALL.len()]>,
}

impl Pages {
    pub fn new(ctx: &Arc<Ctx>) -> Self {
        Self {
            ctx: Arc::clone(ctx),
            made: PerSnapshot::default(),
        }
    }

    pub fn body(&self, snapshot: &Arc<Snapshot>, page: CachedPage) -> Arc<CachedBody> {
        let made = self.made.of(snapshot);
        let body = made_once(&made[page as usize], || {
            let text = Self::render(snapshot, page);
            Arc::new(CachedBody::whole(page.content_type(), text))
        });
        Arc::clone(body)
    }

    fn render(snapshot: &Snapshot, page: CachedPage) -> String {
        match page {
            CachedPage::Insights | CachedPage::Developers
                if !snapshot.input.business.is_set_up() =>
            {
                home::show(snapshot)
            }
            CachedPage::Home => home::show(snapshot),
            CachedPage::Insights => insights::show(snapshot),
            CachedPage::Developers => developers::show(snapshot),
            CachedPage::Robots => discovery::robots(&snapshot.input.links),
            CachedPage::Llms => discovery::llms(snapshot),
            CachedPage::Sitemap => discovery::sitemap(snapshot),
        }
    }

    /// The pages of `snapshot` to be rendered and compressed in advance.
    pub fn bodies(&self, snapshot: &Arc<Snapshot>) -> Vec<Arc<CachedBody>> {
        let is_small = snapshot.input.entries.len() <= SITEMAP_AHEAD_MAX;
        let pages = CachedPage::ALL
            .into_iter()
            .filter(|page| is_small || *page != CachedPage::Sitemap);
        pages.map(|page| self.body(snapshot, page)).collect()
    }

    /// `page` of the current snapshot. A request that has to render it waits for its turn.
    pub async fn response(&self, page: CachedPage, request: &Request) -> poem::Result<Response> {
        let snapshot = self.ctx.current.load();
        let rendered = self.made.of(&snapshot)[page as usize].get().cloned();
        let body = if let Some(body) = rendered {
            body
        } else {
            let _slot = self.ctx.turn(ClientAddress::of(request)).await?;
            run_long(|| self.body(&snapshot, page))
        };
        let response = (self.ctx).respond(request.headers(), &snapshot, &body);
        Ok(protect(response, POLICY))
    }
}

/// The page whose path is that of the request.
#[handler]
pub async fn cached_page(
    Data(pages): Data<&Arc<Pages>>,
    request: &Request,
) -> poem::Result<Response> {
    let page = CachedPage::find(request.uri().path()).ok_or(NotFoundError)?;
    pages.response(page, request).await
}
