//! Server-rendered pages for people, from the snapshot only. Pages load nothing from other hosts, and every text is
//! escaped by the templates.

mod assets;
mod badge;
mod cached;
mod chart;
mod developers;
mod discovery;
mod embed;
mod escape;
mod filters;
mod frame;
mod home;
mod insights;
mod locale;
mod review;
mod search;
mod structured;
mod transparency;
mod words;

use std::sync::Arc;

pub use assets::fixed;
pub use cached::Pages;
use cached::{CachedPage, cached_page};
pub use escape::Html;
pub use frame::error_page;
pub use locale::PageLanguage;
use poem::{Endpoint, EndpointExt as _, IntoResponse as _, Request, Response};

use crate::links::{DOCS_PATH, PERMALINK_PATH, SEARCH_PAGE_PATH, SECURITY_PATH};
use crate::web::Routes;

/// The handlers need [`Pages`] and the context as [`Data`](poem::web::Data).
pub fn routes(routes: Routes, pages: &Arc<Pages>) -> Routes {
    CachedPage::ALL
        .into_iter()
        .fold(routes, |routes, page| routes.get(page.name(), cached_page))
        .get(SEARCH_PAGE_PATH, once_set_up(pages, search::search))
        .get(
            transparency::TRANSPARENCY_PATH,
            once_set_up(pages, transparency::transparency),
        )
        .get(PERMALINK_PATH, review::permalink)
        .get(embed::EMBED_PATH, embed::embed)
        .get(embed::TRY_PATH, once_set_up(pages, embed::try_embed))
        .get("/embed/accent/:name", embed::accent_style)
        .get(badge::BADGE_PATH, badge::show)
        .get(SECURITY_PATH, discovery::security_txt)
        .get(DOCS_PATH, developers::docs)
        .get("/assets/:file", assets::asset_file)
        .get(assets::EMBED_SCRIPT_PATH, assets::asset_file)
        .get(assets::ICON_PATH, assets::asset_file)
}

/// A page of reviews; until the business has a name, the page that says so.
fn once_set_up<E>(pages: &Arc<Pages>, endpoint: E) -> impl Endpoint<Output = Response> + 'static
where
    E: Endpoint + 'static,
{
    let pages = Arc::clone(pages);
    endpoint.around(move |endpoint: Arc<E>, request: Request| {
        let pages = Arc::clone(&pages);
        async move {
            if pages.ctx.current.load().input.business.is_set_up() {
                return Ok(endpoint.call(request).await?.into_response());
            }
            pages.response(CachedPage::Home, &request).await
        }
    })
}
