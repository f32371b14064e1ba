//! `/search.atom`: any search of `/search` as an Atom feed of its newest reviews, so that a feed reader or an automation
//! says when, for example, a bad review has come.

use std::sync::Arc;

use poem::web::Data;
use poem::{IntoResponse as _, Request, Response, handler};

use super::cached::Pages;
use crate::links::Links;
use crate::model::TextMatch;
use crate::search::{SearchParameters, SearchRequest, search_reviews};
use crate::snapshot::Document;
use crate::snapshot::document::{FEED_REVIEWS, search_feed};
use crate::web::{ClientAddress, QueryParameters, ReadyBody};
use crate::wire;
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
    let entries = &snapshot.input.entries;
    let positions = found.positions.iter();
    let reviews = positions.map(|at| wire::Review::new(&entries[*at].review, &ctx.links));
    let reviews: Vec<_> = reviews.collect();
    let parameters = &search_request.parameters;
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
    let SearchParameters {
        rating,
        min_rating,
        max_rating,
        since,
        until,
        query,
        text_match,
        mentions_technician,
        mentions_service,
        language,
        source,
        has_text,
        has_response,
        aspect,
        polarity,
        sort: _,
        limit: _,
        cursor: _,
    } = parameters;
    // The rule without a query means nothing, and the page's default is left out.
    let rule = text_match.filter(|rule| query.is_some() && *rule != TextMatch::Words);
    let pairs = [
        ("query", query.clone()),
        ("match", rule.map(|rule| rule.name().to_owned())),
        ("rating", rating.map(|stars| stars.to_string())),
        ("min_rating", min_rating.map(|stars| stars.to_string())),
        ("max_rating", max_rating.map(|stars| stars.to_string())),
        ("since", since.map(|day| day.to_string())),
        ("until", until.map(|day| day.to_string())),
        ("mentions_technician", mentions_technician.clone()),
        ("mentions_service", mentions_service.clone()),
        ("language", language.clone()),
        ("source", source.clone()),
        ("has_text", has_text.map(|has| has.to_string())),
        ("has_response", has_response.map(|has| has.to_string())),
        ("aspect", aspect.clone()),
        ("polarity", polarity.map(|vote| vote.name().to_owned())),
    ];
    let pairs = pairs
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)));
    let mut address = url::form_urlencoded::Serializer::new(String::new());
    let pairs = address.extend_pairs(pairs).finish();
    if pairs.is_empty() {
        return path.to_owned();
    }
    format!("{path}?{pairs}")
}

/// The address of the feed of a search.
pub fn feed_url(parameters: &SearchParameters, links: &Links) -> String {
    links.absolute(&canonical_address(FEED_PATH, parameters))
}
