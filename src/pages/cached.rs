//! Pages that are the same for every request: rendered once per snapshot, on the first request or for compression in
//! advance; and the other files that are rendered once per snapshot.

use std::sync::{Arc, OnceLock};

use poem::endpoint::make;
use poem::http::header::CONTENT_SECURITY_POLICY;
use poem::http::{HeaderMap, HeaderValue, StatusCode};
use poem::{Request, Response};

use super::filters::Choices;
use super::frame::POLICY;
use super::insights::overview;
use super::{developers, discovery, home};
use crate::compute::made_once;
use crate::links::Links;
use crate::snapshot::{CachedBody, Content, PerSnapshot, Snapshot};
use crate::web::context::Ctx;
use crate::web::{self, Ready, Route, in_turn, problem};

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
    const fn path(self) -> &'static str {
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
}

impl SnapshotPages {
    /// The choices of the search form.
    pub fn choices(&self, snapshot: &Snapshot) -> &Choices {
        made_once(&self.choices, || Choices::of(snapshot))
    }

    pub fn sitemap_files(&self, snapshot: &Snapshot, links: &Links) -> &[Arc<CachedBody>] {
        made_once::<Vec<_>>(&self.sitemap_files, || {
            let files = 1..=discovery::sitemap_files(snapshot.input.review_index.len());
            let bodies = files.map(|file| discovery::sitemap(snapshot, file, links));
            bodies
                .map(|xml| Arc::new(body(discovery::XML, xml)))
                .collect()
        })
    }
}

fn body(content_type: &'static str, text: String) -> CachedBody {
    CachedBody::new(content_type, Content::whole(text.into_bytes()))
}

/// The pages of the snapshot that was requested last.
#[derive(Debug)]
pub struct Pages {
    pub ctx: Arc<Ctx>,
    /// Path and title of other pages in the navigation.
    shown: Vec<(&'static str, &'static str)>,
    made: PerSnapshot<SnapshotPages>,
    ready: [Ready; Page::ALL.len()],
}

impl Pages {
    /// `shown` are path and title of other pages in the navigation.
    pub fn new(ctx: Arc<Ctx>, shown: Vec<(&'static str, &'static str)>) -> Self {
        Self {
            ctx,
            shown,
            made: PerSnapshot::default(),
            ready: Page::ALL.map(|_| {
                let policy = HeaderValue::from_static(POLICY);
                Ready::new(vec![(CONTENT_SECURITY_POLICY, policy)])
            }),
        }
    }

    /// The rendered parts of `snapshot`.
    pub fn of(&self, snapshot: &Arc<Snapshot>) -> Arc<SnapshotPages> {
        self.made.of(snapshot)
    }

    pub fn body(&self, snapshot: &Arc<Snapshot>, page: Page) -> Arc<CachedBody> {
        let made = self.of(snapshot);
        let body = made_once(&made.bodies[page as usize], || {
            Arc::new(body(page.content_type(), self.render(snapshot, page)))
        });
        Arc::clone(body)
    }

    fn render(&self, snapshot: &Snapshot, page: Page) -> String {
        let links = &self.ctx.links;
        match page {
            Page::Home => home::show(snapshot, links),
            Page::Insights => overview::overview(snapshot, links),
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

    /// `page` of the current snapshot, if it is rendered.
    pub fn at_hand(&self, page: Page, headers: &HeaderMap) -> Option<Response> {
        let snapshot = self.ctx.current.load();
        let made = self.of(&snapshot);
        let body = made.bodies[page as usize].get()?;
        Some(self.ready[page as usize].answer(headers, &snapshot, body, None, &self.ctx.clock))
    }

    /// Serves `page` of the current snapshot. A request that has to render it waits for its turn.
    pub async fn answer(&self, page: Page, request: &Request) -> Response {
        if let Some(response) = self.at_hand(page, request.headers()) {
            return response;
        }
        let work = async {
            let snapshot = self.ctx.current.load();
            let body = self.body(&snapshot, page);
            let (ready, headers) = (&self.ready[page as usize], request.headers());
            ready.answer(headers, &snapshot, &body, None, &self.ctx.clock)
        };
        in_turn(request, &self.ctx.compute, work).await
    }

    pub fn route(self: &Arc<Self>, page: Page) -> Route {
        let (pages, ready) = (Arc::clone(self), Arc::clone(self));
        let answer = make(move |request| {
            let pages = Arc::clone(&pages);
            async move { pages.answer(page, &request).await }
        });
        let route = Route::new(page.path()).get(None, answer);
        route.at_hand(move |headers| ready.at_hand(page, headers))
    }
}

/// `/sitemaps/{number}.xml`, counted from 1: one file of a sitemap with several.
pub async fn sitemap_file(pages: Arc<Pages>, request: Request) -> Response {
    let ctx = &pages.ctx;
    let snapshot = ctx.current.load();
    let path = request.uri().path();
    let name = path
        .rsplit('/')
        .next()
        .and_then(|name| name.strip_suffix(".xml"));
    let number = name.and_then(|number| number.parse::<usize>().ok());
    let made = pages.of(&snapshot);
    let work = async {
        let files = made.sitemap_files(&snapshot, &ctx.links);
        let file = number.and_then(|number| files.get(number.checked_sub(1)?));
        match file {
            Some(body) => web::cached_body(request.headers(), &snapshot, body),
            None => problem(
                StatusCode::NOT_FOUND,
                "The sitemap has no such part; /sitemap.xml lists them.",
            ),
        }
    };
    in_turn(&request, &ctx.compute, work).await
}
