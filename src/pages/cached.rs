//! Pages that are the same for everybody: made once for an edition, when they are first asked for or coded ahead, and gone with it.

use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};

use poem::{Endpoint, Request, Response, Result};

use super::frame::{POLICY, protected};
use super::{discovery, home, insights};
use crate::ctx::Ctx;
use crate::edition::{Content, Document, Edition, Sheet};
use crate::{respond, wire};

/// A page that needs nothing but the edition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// `/`.
    Home,
    /// `/insights`.
    Insights,
    /// `/robots.txt`.
    Robots,
    /// `/llms.txt`.
    Llms,
    /// `/sitemap.xml`.
    Sitemap,
}

impl Page {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Home, Self::Insights, Self::Robots, Self::Llms, Self::Sitemap];

    /// Where it is, below the base URL.
    #[must_use]
    pub const fn path(self) -> &'static str {
        match self {
            Self::Home => "/",
            Self::Insights => "/insights",
            Self::Robots => "/robots.txt",
            Self::Llms => "/llms.txt",
            Self::Sitemap => "/sitemap.xml",
        }
    }

    const fn content_type(self) -> &'static str {
        match self {
            Self::Home | Self::Insights => super::frame::HTML,
            Self::Robots | Self::Llms => "text/plain; charset=utf-8",
            Self::Sitemap => discovery::XML,
        }
    }
}

/// The pages of one edition, as far as they are made.
#[derive(Debug, Default)]
struct Made {
    sheets: [OnceLock<Arc<Sheet>>; Page::ALL.len()],
    insights: OnceLock<Option<wire::Insights>>,
}

/// The pages of the edition that was asked for last.
#[derive(Debug)]
pub struct Pages {
    ctx: Arc<Ctx>,
    /// Where else people can go: path and title.
    shown: Vec<(&'static str, &'static str)>,
    last: Mutex<(Weak<Edition>, Arc<Made>)>,
}

impl Pages {
    /// Nothing is made yet.
    #[must_use]
    pub fn new(ctx: Arc<Ctx>, shown: Vec<(&'static str, &'static str)>) -> Self {
        Self { ctx, shown, last: Mutex::default() }
    }

    /// A page of `edition`.
    #[must_use]
    pub fn of(&self, edition: &Arc<Edition>, page: Page) -> Arc<Sheet> {
        let made = self.made(edition);
        let sheet = made.sheets[page as usize].get_or_init(|| {
            let html = self.render(edition, &made, page);
            Arc::new(Sheet::new(page.content_type(), Content::whole(html.into_bytes())))
        });
        Arc::clone(sheet)
    }

    fn made(&self, edition: &Arc<Edition>) -> Arc<Made> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // While we hold it weakly, its address is not given to another.
        if !std::ptr::eq(last.0.as_ptr(), Arc::as_ptr(edition)) {
            *last = (Arc::downgrade(edition), Arc::default());
        }
        Arc::clone(&last.1)
    }

    fn render(&self, edition: &Edition, made: &Made, page: Page) -> String {
        let links = &self.ctx.links;
        let said = || made.insights.get_or_init(|| parsed(edition)).as_ref();
        match page {
            Page::Home => said().map(|said| home::show(edition, said, links, &self.shown)).unwrap_or_default(),
            Page::Insights => said().map(|said| insights::overview(edition, said, links)).unwrap_or_default(),
            Page::Robots => discovery::robots(links),
            Page::Llms => discovery::llms(edition, links),
            Page::Sitemap => match discovery::sitemap_files(edition.copy.shelf.len()) {
                1 => discovery::sitemap(edition, 1, links),
                files => discovery::sitemap_index(files, links),
            },
        }
    }
}

/// The edition's own `/insights.json`, read back: a page says what the document says.
fn parsed(edition: &Edition) -> Option<wire::Insights> {
    let json = edition.document(Document::Insights).sheet.content.pieces.concat();
    let parsed = serde_json::from_slice(&json);
    parsed.inspect_err(|error| tracing::error!(%error, "pages.no_insights: /insights.json cannot be read back")).ok()
}

/// The endpoint of a page that is the same for everybody.
pub struct Cached {
    /// Whose edition it shows.
    pub ctx: Arc<Ctx>,
    /// The pages.
    pub pages: Arc<Pages>,
    /// Which one.
    pub page: Page,
}

impl Endpoint for Cached {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let edition = self.ctx.current.load();
        let sheet = self.pages.of(&edition, self.page);
        Ok(protected(respond::sheet(request.headers(), &edition, &sheet), POLICY))
    }
}
