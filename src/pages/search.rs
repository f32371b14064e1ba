//! `/search`: what a search finds, as a page with an address of its own. The same parameters as `/api/reviews/search`, parsed by
//! the same types; what is wrong with one is said beside its field.

use std::sync::Arc;

use askama::Template;
use poem::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use poem::http::{HeaderValue, StatusCode};
use poem::{Endpoint, Request, Response, Result};

use super::form::Form;
use super::frame::{Frame, HTML, POLICY, Site, page, protected};
use super::review::Item;
use super::words::{count, counted};
use crate::ctx::Ctx;
use crate::edition::Edition;
use crate::links::{Links, SEARCH_PATH};
use crate::respond::UrlParameters;
use crate::reviews::parameters::{self, InvalidParameter};
use crate::reviews::{LIMIT_DEFAULT, ReviewFilter, SearchArguments};
use crate::search::{Cursor, CursorParameter, Found};
use crate::wire::Issue;

#[derive(Template)]
#[template(path = "search.html")]
struct SearchPage {
    frame: Frame,
    heading: String,
    filtered: String,
    nothing: String,
    /// The same search without one of its filters: words and address.
    without: Vec<(String, String)>,
    newest: Vec<Item>,
    next: Option<String>,
    limit: u8,
    form: Form,
    json_url: String,
}

/// The endpoint.
pub struct Search(pub Arc<Ctx>);

/// A question as it was sent: its parts by name, decoded, and what they mean.
struct Asked {
    pairs: Vec<(String, String)>,
    arguments: SearchArguments,
    limit: u8,
    cursor: Option<Cursor>,
    issues: Vec<Issue>,
}

impl Asked {
    fn parse(request: &Request) -> Self {
        let mut issues = Vec::new();
        let arguments = SearchArguments {
            rating: take(UrlParameters::query::<parameters::Rating>(request), &mut issues),
            min_rating: take(UrlParameters::query::<parameters::MinRating>(request), &mut issues),
            since: take(UrlParameters::query::<parameters::Since>(request), &mut issues),
            until: take(UrlParameters::query::<parameters::Until>(request), &mut issues),
            query: take(UrlParameters::query::<parameters::Query>(request), &mut issues),
            mentions_technician: take(UrlParameters::query::<parameters::MentionsTechnician>(request), &mut issues),
            mentions_service: take(UrlParameters::query::<parameters::MentionsService>(request), &mut issues),
            max_rating: take(UrlParameters::query::<parameters::MaxRating>(request), &mut issues),
            language: take(UrlParameters::query::<parameters::Language>(request), &mut issues),
            source: take(UrlParameters::query::<parameters::Source>(request), &mut issues),
            has_text: take(UrlParameters::query::<parameters::HasText>(request), &mut issues),
            has_response: take(UrlParameters::query::<parameters::HasResponse>(request), &mut issues),
        };
        let limit = take(UrlParameters::query::<parameters::Limit>(request), &mut issues).unwrap_or(LIMIT_DEFAULT);
        let cursor: Option<Cursor> = take(UrlParameters::query::<CursorParameter>(request), &mut issues);
        if let Some(cursor) = cursor.as_ref().filter(|cursor| !cursor.fits(&ReviewFilter::new(&arguments))) {
            issues.push(cursor.invalid().into());
        }
        // A browser's form sends every field: an empty one is absent, also where the API asks for more.
        issues.retain(|issue: &Issue| !issue.received.is_empty());
        let given = form_urlencoded::parse(request.uri().query().unwrap_or_default().as_bytes());
        let pairs = given.into_owned().filter(|(_, value)| !value.is_empty()).collect();
        Self { pairs, arguments, limit, cursor, issues }
    }

    /// The address of the same question without `names`, with `added`.
    fn address(&self, path: &str, without: &[&str], added: Option<(&str, &str)>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.pairs.iter().filter(|(name, _)| !without.contains(&name.as_str())));
        query.extend_pairs(added);
        let query = query.finish();
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
    }
}

/// The value, or `None` where it is absent or wrong; what is wrong is kept.
pub fn take<T>(parsed: Result<Option<T>, InvalidParameter>, issues: &mut Vec<Issue>) -> Option<T> {
    parsed.unwrap_or_else(|invalid| {
        issues.push(invalid.into());
        None
    })
}

impl Endpoint for Search {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let edition = self.0.current.load();
        let asked = Asked::parse(&request);
        if asked.issues.is_empty() {
            let filter = ReviewFilter::new(&asked.arguments);
            let found = self.0.text_index.search(&edition, &filter, usize::from(asked.limit), asked.cursor.as_ref()).await;
            let html = show(&edition, &asked, &found, &self.0.links);
            return Ok(page(&request, edition, html, POLICY));
        }
        let mut response = Response::builder().status(StatusCode::BAD_REQUEST).body(refused(&edition, &asked, &self.0.links));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(protected(response, POLICY))
    }
}

fn frame(title: &str, edition: &Edition, links: &Links) -> Frame {
    let site = Site::new(&edition.copy.business, links);
    Frame {
        title: format!("{title}: reviews of {}", site.name),
        description: None,
        canonical: None,
        is_hidden_from_search: true,
        site,
    }
}

fn show(edition: &Edition, asked: &Asked, found: &Found, links: &Links) -> String {
    let business = &edition.copy.business;
    let filters = filters(asked);
    let total = if found.is_exact {
        counted(found.total, "review", "reviews")
    } else {
        format!("More than {} reviews", count(found.total))
    };
    let all = counted(edition.copy.shelf.len() as u64, "review", "reviews");
    let frame = frame(&total, edition, links);
    let path = format!("{}/search", frame.site.root);
    let reviews = found.reviews.iter().filter_map(|json| serde_json::from_slice(json).ok());
    let template = SearchPage {
        filtered: if filters.is_empty() {
            format!("All {all}, newest first.")
        } else {
            let words: Vec<&str> = filters.iter().map(|(_, words)| words.as_str()).collect();
            format!("Filtered, of {all}: {}. Newest first.", words.join(", "))
        },
        nothing: "No review matches all of these filters.".to_owned(),
        without: filters
            .iter()
            .map(|(name, words)| (format!("Search without “{words}”"), asked.address(&path, &[name, "cursor"], None)))
            .collect(),
        next: found.next.as_ref().map(|next| asked.address(&path, &["cursor"], Some(("cursor", &next.to_string())))),
        newest: reviews.map(|review| Item::in_list(review, business, &frame.site)).collect(),
        limit: asked.limit,
        form: Form::filled(business, &frame.site, &asked.pairs, &[]),
        json_url: asked.address(&links.absolute(SEARCH_PATH), &[], None),
        heading: total,
        frame,
    };
    super::rendered(&template)
}

/// The form again, each fault beside its field; those of parameters that have no field stand above it.
fn refused(edition: &Edition, asked: &Asked, links: &Links) -> String {
    let business = &edition.copy.business;
    let frame = frame("Something in this search is not right", edition, links);
    let faults = asked.issues.iter().map(|issue| format!("{} {}", issue.path.join("."), issue.message));
    let template = SearchPage {
        heading: "Something in this search is not right".to_owned(),
        filtered: faults.collect::<Vec<_>>().join("; ") + ".",
        nothing: "Nothing was searched. Change what is marked, then search again.".to_owned(),
        without: Vec::new(),
        newest: Vec::new(),
        next: None,
        limit: asked.limit,
        form: Form::filled(business, &frame.site, &asked.pairs, &asked.issues),
        json_url: asked.address(&links.absolute(SEARCH_PATH), &[], None),
        frame,
    };
    super::rendered(&template)
}

/// What leaves reviews out: the parameter and its words.
fn filters(asked: &Asked) -> Vec<(&'static str, String)> {
    let SearchArguments { rating, min_rating, max_rating, since, until, query, mentions_technician, mentions_service, .. } =
        &asked.arguments;
    let SearchArguments { language, source, has_text, has_response, .. } = &asked.arguments;
    let mut filters = Vec::new();
    let mut add = |name, words: Option<String>| filters.extend(words.map(|words| (name, words)));
    add("query", query.as_ref().filter(|text| !text.is_empty()).map(|text| format!("with “{text}”")));
    add("rating", rating.map(|rating| counted(u64::from(rating.stars()), "star", "stars")));
    add("min_rating", min_rating.map(|least| format!("{least} stars or more")));
    add("max_rating", max_rating.map(|most| format!("{most} stars or fewer")));
    add("since", since.map(|day| format!("since {}", super::words::day(day.date()))));
    add("until", until.map(|day| format!("until {}", super::words::day(day.date()))));
    add("mentions_technician", mentions_technician.as_ref().filter(|name| !name.is_empty()).map(|name| format!("naming {name}")));
    add("mentions_service", mentions_service.as_ref().filter(|id| !id.is_empty()).map(|id| format!("about {id}")));
    add("language", language.as_ref().filter(|tag| !tag.is_empty()).map(|tag| format!("in language {tag}")));
    add("source", source.as_ref().filter(|name| !name.is_empty()).map(|name| format!("from {name}")));
    add("has_text", has_text.map(|has| if has { "with words" } else { "without words" }.to_owned()));
    add("has_response", has_response.map(|has| if has { "with an answer" } else { "without an answer" }.to_owned()));
    filters
}
