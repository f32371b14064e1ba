//! Server-rendered pages for people, from the snapshot (`/transparency` also from the database). Pages load nothing from other hosts, and every text is
//! escaped by the templates.

mod assets;
mod badge;
mod developers;
mod discovery;
mod embed;
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

use std::fmt;
use std::sync::{Arc, OnceLock};

use askama::filters::Escaper;
pub use frame::error_page;
pub use locale::PageLanguage;
use poem::endpoint::make;
use poem::{Endpoint, EndpointExt as _, IntoResponse as _, Request, Response};

use crate::compute::made_once;
use crate::links::{DOCS_PATH, PERMALINK_PATH, SEARCH_PAGE_PATH, SECURITY_PATH};
use crate::model::text::{clean_xml, escape_html};
use crate::snapshot::{CachedBody, PerSnapshot, Snapshot};
use crate::web::context::Ctx;
use crate::web::{ClientAddress, Routes};

/// The escaper of every template (`askama.toml` names it).
#[derive(Debug, Clone, Copy, Default)]
pub struct Html;

impl Escaper for Html {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        // The control characters that XML excludes are no text of HTML either.
        dest.write_str(&escape_html(&clean_xml(text)).replace('\'', "&#39;"))
    }
}

/// The handlers need the context as [`Data`](poem::web::Data).
pub fn routes(routes: Routes, ctx: &Arc<Ctx>) -> Routes {
    let whole = |content_type, render| {
        let (ctx, made) = (Arc::clone(ctx), Arc::default());
        make(move |request| {
            let (ctx, made) = (Arc::clone(&ctx), Arc::clone(&made));
            render_whole(ctx, made, request, content_type, render)
        })
    };
    routes
        .page("/", whole(frame::HTML, home::show))
        .page(
            "/developers",
            once_set_up(ctx, whole(frame::HTML, developers::show)),
        )
        .get("/robots.txt", whole(discovery::PLAIN, discovery::robots))
        .get("/sitemap.xml", whole(discovery::XML, discovery::sitemap))
        .get("/llms.txt", whole(discovery::PLAIN, discovery::llms))
        .page(
            "/insights",
            once_set_up(ctx, whole(frame::HTML, insights::show)),
        )
        .page(SEARCH_PAGE_PATH, once_set_up(ctx, search::search))
        .page(
            transparency::TRANSPARENCY_PATH,
            once_set_up(ctx, transparency::transparency),
        )
        .page(PERMALINK_PATH, review::permalink)
        .page(embed::EMBED_PATH, embed::embed)
        .page(embed::TRY_PATH, once_set_up(ctx, embed::try_embed))
        .get("/embed/accent/:name", embed::accent_style)
        .get(badge::BADGE_PATH, badge::show)
        .get(SECURITY_PATH, discovery::security_txt)
        .page(DOCS_PATH, developers::docs)
        .get("/assets/:file", assets::asset_file)
        .get(assets::EMBED_SCRIPT_PATH, assets::asset_file)
        .get(assets::ICON_PATH, assets::asset_file)
}

/// A page that depends only on the snapshot, made at the first request for it.
async fn render_whole(
    ctx: Arc<Ctx>,
    made: Arc<PerSnapshot<OnceLock<CachedBody>>>,
    request: Request,
    content_type: &'static str,
    render: fn(&Snapshot) -> String,
) -> poem::Result<Response> {
    let snapshot = ctx.current.load();
    let made = made.of(&snapshot);
    let _slot = match made.get() {
        Some(_) => None,
        None => Some(ctx.turn(ClientAddress::of(&request)).await?),
    };
    let body = made_once(&made, || CachedBody::whole(content_type, render(&snapshot)));
    let response = ctx.respond(request.headers(), &snapshot, body);
    Ok(frame::protect(response, frame::POLICY))
}

/// A page of reviews; until the business has a name, the page that says so.
fn once_set_up<E>(ctx: &Arc<Ctx>, endpoint: E) -> impl Endpoint<Output = Response> + use<E>
where
    E: Endpoint + 'static,
{
    let ctx = Arc::clone(ctx);
    endpoint.around(move |endpoint: Arc<E>, request: Request| {
        let ctx = Arc::clone(&ctx);
        async move {
            if ctx.current.load().input.business.is_set_up() {
                return Ok(endpoint.call(request).await?.into_response());
            }
            render_whole(ctx, Arc::default(), request, frame::HTML, home::show).await
        }
    })
}
