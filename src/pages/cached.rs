//! Pages that are the same for every request: rendered once per snapshot, on the first request or for compression in
//! advance; and the other files that are rendered once per snapshot.

use std::sync::{Arc, OnceLock};

use poem::http::header::CONTENT_SECURITY_POLICY;
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use poem::{Endpoint, Request, Response, Result};

use super::filters::Choices;
use super::frame::{POLICY, protect};
use super::{developers, discovery, home, insights, picture};
use crate::compute::apart;
use crate::links::Links;
use crate::snapshot::{CachedBody, Content, PerSnapshot, Snapshot};
use crate::web::context::Ctx;
use crate::web::{self, Ready, in_turn, problem};

/// A larger sitemap is rendered on request only: it is rarely requested, and compressing megabytes after each change
/// would be wasted.
const SITEMAP_REVIEWS_MAX: usize = 5_000;

/// A page that depends only on the snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// `/`.
    Home,
    /// `/insights` without a query.
    Insights,
    /// `/developers`.
    Developers,
    /// `/robots.txt`.
    Robots,
    /// `/llms.txt`.
    Llms,
    /// `/sitemap.xml`: the sitemap, or an index if it has several files.
    Sitemap,
}

impl Page {
    /// `page as usize` is a page's index here.
    pub const ALL: [Self; 6] = [
        Self::Home,
        Self::Insights,
        Self::Developers,
        Self::Robots,
        Self::Llms,
        Self::Sitemap,
    ];

    /// Below the base URL.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Home => "/",
            Self::Insights => "/insights",
            Self::Developers => "/developers",
            Self::Robots => "/robots.txt",
            Self::Llms => "/llms.txt",
            Self::Sitemap => "/sitemap.xml",
        }
    }

    const fn content_type(self) -> &'static str {
        match self {
            Self::Home | Self::Insights | Self::Developers => super::frame::HTML,
            Self::Robots | Self::Llms => "text/plain; charset=utf-8",
            Self::Sitemap => discovery::XML,
        }
    }
}

/// The rendered parts of one snapshot; each part is rendered on its first use.
#[derive(Debug, Default)]
pub struct SnapshotPages {
    bodies: [OnceLock<Arc<CachedBody>>; Page::ALL.len()],
    choices: OnceLock<Choices>,
    sitemap_files: OnceLock<Vec<Arc<CachedBody>>>,
    picture: OnceLock<Option<Arc<CachedBody>>>,
}

impl SnapshotPages {
    /// The choices of the search form.
    #[must_use]
    pub fn choices(&self, snapshot: &Snapshot) -> &Choices {
        self.choices.get_or_init(|| apart(|| Choices::of(snapshot)))
    }

    #[must_use]
    pub fn sitemap_files(&self, snapshot: &Snapshot, links: &Links) -> &[Arc<CachedBody>] {
        self.sitemap_files.get_or_init(|| {
            let files = 1..=discovery::sitemap_files(snapshot.input.review_index.len());
            let bodies = files.map(|file| apart(|| discovery::sitemap(snapshot, file, links)));
            bodies
                .map(|xml| Arc::new(body(discovery::XML, xml)))
                .collect()
        })
    }

    /// `None` if rendering failed, which is logged.
    #[must_use]
    pub fn picture(&self, snapshot: &Snapshot) -> Option<&Arc<CachedBody>> {
        let picture = self.picture.get_or_init(|| {
            let made = apart(|| picture::png(snapshot)).inspect_err(
                |error| tracing::error!(%error, "pages.no_picture: /og.png could not be rendered"),
            );
            let content = Content::whole(made.ok()?);
            Some(Arc::new(CachedBody::new("image/png", content)))
        });
        picture.as_ref()
    }
}

fn body(content_type: &'static str, text: String) -> CachedBody {
    CachedBody::new(content_type, Content::whole(text.into_bytes()))
}

/// The pages of the snapshot that was requested last.
#[derive(Debug)]
pub struct Pages {
    links: Links,
    /// Path and title of other pages in the navigation.
    shown: Vec<(&'static str, &'static str)>,
    made: PerSnapshot<SnapshotPages>,
}

impl Pages {
    /// `shown` are path and title of other pages in the navigation.
    #[must_use]
    pub fn new(links: Links, shown: Vec<(&'static str, &'static str)>) -> Self {
        Self {
            links,
            shown,
            made: PerSnapshot::default(),
        }
    }

    /// The rendered parts of `snapshot`.
    #[must_use]
    pub fn of(&self, snapshot: &Arc<Snapshot>) -> Arc<SnapshotPages> {
        self.made.of(snapshot)
    }

    #[must_use]
    pub fn body(&self, snapshot: &Arc<Snapshot>, page: Page) -> Arc<CachedBody> {
        let made = self.of(snapshot);
        let body = made.bodies[page as usize].get_or_init(|| {
            let text = apart(|| self.render(snapshot, page));
            Arc::new(body(page.content_type(), text))
        });
        Arc::clone(body)
    }

    fn render(&self, snapshot: &Snapshot, page: Page) -> String {
        let links = &self.links;
        match page {
            Page::Home => home::show(snapshot, links),
            Page::Insights => insights::overview::overview(snapshot, links),
            Page::Developers => developers::show(snapshot, links, &self.shown),
            Page::Robots => discovery::robots(links),
            Page::Llms => discovery::llms(snapshot, links),
            Page::Sitemap => match discovery::sitemap_files(snapshot.input.review_index.len()) {
                1 => discovery::sitemap(snapshot, 1, links),
                files => discovery::sitemap_index(files, links),
            },
        }
    }

    /// The pages of `snapshot` to be rendered and compressed in advance.
    pub fn bodies(&self, snapshot: &Arc<Snapshot>) -> Vec<Arc<CachedBody>> {
        let is_small = snapshot.input.review_index.len() <= SITEMAP_REVIEWS_MAX;
        let pages = Page::ALL
            .into_iter()
            .filter(|page| is_small || *page != Page::Sitemap);
        pages.map(|page| self.body(snapshot, page)).collect()
    }
}

/// An endpoint for a [`Page`].
pub struct Cached {
    ctx: Arc<Ctx>,
    pages: Arc<Pages>,
    page: Page,
    ready: Ready,
}

impl Cached {
    /// Serves that page of the current snapshot, cached in `pages`.
    pub fn new(ctx: &Arc<Ctx>, pages: &Arc<Pages>, page: Page) -> Self {
        let policy = (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
        Self {
            ctx: Arc::clone(ctx),
            pages: Arc::clone(pages),
            page,
            ready: Ready::new(vec![policy]),
        }
    }

    /// Below the base URL.
    pub const fn path(&self) -> &'static str {
        self.page.path()
    }

    pub fn answer(&self, headers: &HeaderMap) -> Response {
        let snapshot = self.ctx.current.load();
        let body = self.pages.body(&snapshot, self.page);
        self.ready
            .answer(headers, &snapshot, &body, None, &self.ctx.clock)
    }
}

// `/sitemaps/{number}.xml`: one file of a sitemap with several, rendered once per snapshot.

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

// `/og.png`.

pub struct Picture {
    pub ctx: Arc<Ctx>,
    /// The cache of the picture.
    pub pages: Arc<Pages>,
}

impl Endpoint for Picture {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let snapshot = self.ctx.current.load();
        let made = self.pages.of(&snapshot);
        let work = async {
            let response = match made.picture(&snapshot) {
                Some(body) => web::cached_body(request.headers(), &snapshot, body),
                None => problem(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "The picture could not be made; see the log.",
                ),
            };
            protect(response, POLICY)
        };
        Ok(in_turn(&request, &self.ctx.compute, work).await)
    }
}
