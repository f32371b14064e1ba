//! `/search.atom`: any search of `/search` as an Atom feed of its newest reviews, so that a feed reader or an automation
//! says when, for example, a bad review has come.

use std::sync::Arc;

use poem::web::Data;
use poem::{IntoResponse as _, Request, Response, handler};

use super::cached::Pages;
use crate::links::{Links, with_query};
use crate::model::TextMatch;
use crate::search::{SearchParameters, SearchRequest, search_reviews};
use crate::snapshot::Document;
use crate::snapshot::document::{FEED_REVIEWS, search_feed};
use crate::web::{ClientAddress, QueryParameters, ReadyBody};
use crate::wire::parameters::Arguments as _;

const FEED_PATH: &str = "/search.atom";
/// Parameters of the page that a feed ignores: it is always the newest reviews.
const IGNORED: [&str; 3] = ["sort", "limit", "cursor"];

#[handler]
pub async fn atom(
    pages: Data<&Arc<Pages>>,
    client: ClientAddress,
    request: &Request,
) -> poem::Result<Response> {
    let ctx = &pages.ctx;
    let snapshot = ctx.current.load();
    let mut query = QueryParameters::of_form(request).with(&IGNORED, &[]);
    let values = SearchParameters::take_from(&mut query);
    let issues = &mut query.issues;
    let search_request = SearchRequest::new(values, issues, &snapshot.input, TextMatch::Words);
    query.check()?;
    let _slot = ctx.turn(client).await?;
    let found = search_reviews(&snapshot, &search_request.filter, FEED_REVIEWS, None);
    let reviews: Vec<_> = found.reviews(&snapshot, &ctx.links).collect();
    let parameters = &search_request.filter.parameters;
    let [address, page] = [FEED_PATH, "/search"].map(|path| canonical_address(path, parameters));
    let changed_at = snapshot.changed_at();
    let xml = search_feed(
        &snapshot.input,
        &reviews,
        &ctx.links,
        (&address, &page),
        changed_at,
    );
    let content_type = Document::AtomFeed.content_type();
    Ok(ReadyBody::whole(content_type, xml, Arc::clone(&snapshot)).into_response())
}

/// The address of the search at `path`, the same for every spelling of its parameters.
fn canonical_address(path: &str, parameters: &SearchParameters) -> String {
    let pairs = parameters.pairs().into_iter();
    let pairs = pairs.filter(|(name, value)| match *name {
        "match" => parameters.query.is_some() && value != TextMatch::Words.name(),
        name => !IGNORED.contains(&name),
    });
    with_query(path, pairs)
}

/// The address of the feed of a search.
pub fn feed_url(parameters: &SearchParameters, links: &Links) -> String {
    links.absolute(&canonical_address(FEED_PATH, parameters))
}
