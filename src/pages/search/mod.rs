//! `/search`: what a search finds, as a page with an address of its own. The same parameters as
//! `/api/reviews/search`, parsed by the same types; what is wrong with one is said beside its
//! field.

mod filters;

use std::sync::Arc;

use askama::Template;
use filters::{FilterWords, filters};
use poem::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use poem::http::{HeaderValue, StatusCode};
use poem::{Endpoint, Request, Response, Result};

use super::cached::{Pages, SnapshotPages};
use super::form::SearchFormFragment;
use super::frame::{Frame, HTML, POLICY, Site, page, protected};
use super::query::PageQuery;
use super::review::ReviewFragment;
use super::words::{count, counted};
use crate::links::{Links, SEARCH_PATH};
use crate::model::parameters::{MatchRule, Parameter};
use crate::model::{Sort, TextMatch};
use crate::search::{ResultPage, SearchRequest, did_you_mean};
use crate::snapshot::Snapshot;
use crate::snapshot::input::SnapshotInput;
use crate::web::context::Ctx;
use crate::web::in_turn;

#[derive(Template)]
#[template(path = "search_page.html")]
struct SearchPage {
    frame: Frame,
    heading: String,
    summary: String,
    nothing: &'static str,
    /// What may help where nothing was found: words and address.
    instead: Vec<(String, String)>,
    reviews: Vec<ReviewFragment>,
    next: Option<String>,
    limit: u8,
    form: SearchFormFragment,
    json_url: String,
}

/// The endpoint of `/search`, rendered for each request.
pub struct Search {
    /// Whose snapshot it searches.
    pub ctx: Arc<Ctx>,
    /// Where the counts behind the form's choices are kept.
    pub pages: Arc<Pages>,
}

impl Endpoint for Search {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let snapshot = self.ctx.current.load();
        let question = SearchQuestion::of(&request, &snapshot.input);
        let made = self.pages.of(&snapshot);
        let view = SearchView {
            snapshot: &snapshot,
            question: &question,
            made: &made,
            links: &self.ctx.links,
        };
        if question.query.issues.is_empty() {
            let asked = &question.search;
            let (limit, cursor) = (usize::from(asked.limit), asked.cursor.as_ref());
            let work = async {
                let found = self
                    .ctx
                    .text_index
                    .search(&snapshot, &asked.filter, limit, cursor)
                    .await;
                page(&request, Arc::clone(&snapshot), view.found(&found), POLICY)
            };
            return Ok(in_turn(&request, &self.ctx.compute, work).await);
        }
        let mut response = Response::builder()
            .status(StatusCode::BAD_REQUEST)
            .body(view.refused());
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(HTML));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(protected(response, POLICY))
    }
}

/// What a page of results is made of.
struct SearchView<'a> {
    snapshot: &'a Snapshot,
    question: &'a SearchQuestion,
    made: &'a SnapshotPages,
    links: &'a Links,
}

impl SearchView<'_> {
    fn frame(&self, title: &str) -> Frame {
        let site = Site::new(&self.snapshot.input.business, self.links);
        Frame {
            title: format!("{title}: reviews of {}", site.name),
            description: None,
            canonical: None,
            is_hidden_from_search: true,
            site,
        }
    }

    fn form(&self, site: &Site) -> SearchFormFragment {
        let choices = self.made.choices(self.snapshot);
        SearchFormFragment::filled(choices, site, &self.question.query)
    }

    fn json_url(&self) -> String {
        let path = self.links.absolute(SEARCH_PATH);
        let (text_match, query) = (TextMatch::Words.name(), &self.question.query);
        // What the page does where nobody says, the API does where it is told.
        let added = (query.pairs.iter()).all(|(name, _)| name != MatchRule::NAME);
        query.address(&path, &[], added.then_some((MatchRule::NAME, text_match)))
    }

    fn found(&self, found: &ResultPage) -> String {
        let (business, query) = (&self.snapshot.input.business, &self.question.query);
        let filters = filters(&self.question.search.arguments, business);
        let heading = if found.is_exact {
            counted(found.total, "review", "reviews")
        } else {
            format!("More than {} reviews", count(found.total))
        };
        let frame = self.frame(&heading);
        let path = format!("{}/search", frame.site.root);
        let mut instead = self.nearest(found, &path);
        instead.extend(filters.iter().map(|FilterWords { name, words }| {
            let words = format!("Search without this filter: {words}");
            // A polarity means nothing without its aspect.
            let with_it = if *name == "aspect" { "polarity" } else { name };
            (
                words,
                query.address(&path, &[name, with_it, "cursor"], None),
            )
        }));
        let next = found
            .next
            .as_ref()
            .map(|next| query.address(&path, &["cursor"], Some(("cursor", &next.to_string()))));
        let review_index = &self.snapshot.input.review_index;
        let reviews = (found.places.iter()).filter_map(|place| review_index.review(*place));
        super::rendered(&SearchPage {
            summary: summary(
                self.snapshot.input.review_index.len(),
                &filters,
                self.question.search.arguments.sort,
            ),
            nothing: if filters.is_empty() {
                "There are no reviews yet."
            } else {
                "No review matches all of these filters."
            },
            instead,
            next,
            reviews: reviews
                .map(|review| ReviewFragment::in_list(review, business, &frame.site))
                .collect(),
            limit: self.question.search.limit,
            form: self.form(&frame.site),
            json_url: self.json_url(),
            heading,
            frame,
        })
    }

    /// The same search with the nearest names, where nothing was found.
    fn nearest(&self, found: &ResultPage, path: &str) -> Vec<(String, String)> {
        let meant = did_you_mean(self.snapshot, &self.question.search.arguments, found.total);
        let nearest = meant.map(|meant| {
            [
                ("mentions_technician", meant.mentions_technician),
                ("mentions_service", meant.mentions_service),
                ("language", meant.language),
                ("source", meant.source),
            ]
        });
        let nearest = nearest.into_iter().flatten();
        nearest
            .filter_map(|(name, value)| {
                let value = value?;
                let changed =
                    self.question
                        .query
                        .address(path, &[name, "cursor"], Some((name, &value)));
                Some((format!("Search for “{value}” instead"), changed))
            })
            .collect()
    }

    /// The form again, each fault beside its field and all of them above it.
    fn refused(&self) -> String {
        const HEADING: &str = "Something in this search is not right";
        let (frame, query) = (self.frame(HEADING), &self.question.query);
        let faults = query
            .issues
            .iter()
            .map(|issue| format!("{} {}", issue.path.join("."), issue.message));
        super::rendered(&SearchPage {
            heading: HEADING.to_owned(),
            summary: faults.collect::<Vec<_>>().join("; ") + ".",
            nothing: "Nothing was searched. Change what is marked, then search again.",
            instead: Vec::new(),
            reviews: Vec::new(),
            next: None,
            limit: self.question.search.limit,
            form: self.form(&frame.site),
            json_url: self.json_url(),
            frame,
        })
    }
}

/// What is shown, of how many, and in which order.
fn summary(reviews: usize, filters: &[FilterWords], sort: Sort) -> String {
    let all = counted(reviews as u64, "review", "reviews");
    let [order, sentence] = match sort {
        Sort::Newest => ["newest first", "Newest first"],
        Sort::Oldest => ["oldest first", "Oldest first"],
        Sort::Highest => ["most stars first", "Most stars first"],
        Sort::Lowest => ["fewest stars first", "Fewest stars first"],
    };
    if filters.is_empty() {
        return format!("All {all}, {order}.");
    }
    let words: Vec<&str> = filters.iter().map(|one| one.words.as_str()).collect();
    format!("Filtered, of {all}: {}. {sentence}.", words.join(", "))
}

// What a search page is asked: the parameters of `/api/reviews/search`, taken by the same code, all
// faults at once.

/// A question as it was sent, and what it means.
#[derive(Debug)]
pub struct SearchQuestion {
    /// Its parts, and what is wrong with them.
    pub query: PageQuery,
    /// What they mean; to be answered only where `query.issues` is empty.
    pub search: SearchRequest,
}

impl SearchQuestion {
    /// Parses the question of `request` about the reviews of `input`.
    #[must_use]
    pub fn of(request: &Request, input: &SnapshotInput) -> Self {
        let mut query = PageQuery::of(request);
        let search = SearchRequest::take_from(&mut query.source(request), input, TextMatch::Words);
        Self { query, search }
    }
}
