//! A review in a list or on its own page, `/reviews/{id}`, which is its permalink.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use askama::Template;
use askama::filters::Escaper;
use chrono::Datelike;
use poem::http::StatusCode;
use poem::{Request, Response};

use super::escape::Html;
use super::frame::{Frame, POLICY, Site, page, render};
use super::locale::Locale;
use super::structured;
use super::words::{Stars, fold};
use crate::links::{Links, REVIEW_PATH, is_web};
use crate::model::business::Business;
use crate::model::{ReviewId, parameters};
use crate::search::TextFinder;
use crate::snapshot::Snapshot;
use crate::web::context::Ctx;
use crate::web::{UrlParameters, problem};
use crate::wire;

/// In a list, the rest of a longer text is folded after this many characters.
const FOLDED_CHARACTERS: usize = 420;
/// Maximum number of characters of a review's own title in `<title>`.
const TITLE_CHARACTERS: usize = 80;

#[derive(Debug, Clone, Template)]
#[template(path = "review_fragment.html")]
pub struct ReviewFragment {
    locale: Locale,
    stars: Stars,
    author: String,
    date: String,
    day: Cow<'static, str>,
    /// The search for reviews with the same stars.
    stars_path: String,
    source: String,
    /// The search for reviews of the same source.
    source_path: String,
    /// The search for reviews of the same year.
    year_path: String,
    /// The review's URL at its source, if it is a web address.
    source_url: Option<String>,
    verified: Cow<'static, str>,
    title: Option<String>,
    text: MarkedText,
    folded: Option<(MarkedText, MarkedText)>,
    language: Option<String>,
    /// Name and search path of each mention.
    tags: Vec<(String, String)>,
    answer: Option<OwnerAnswer>,
    path: String,
    /// Whether it is in a list and links to its own page.
    is_linked: bool,
}

#[derive(Debug, Clone)]
struct OwnerAnswer {
    from: String,
    date: Option<(String, Cow<'static, str>)>,
    text: String,
}

impl ReviewFragment {
    pub fn in_list(review: wire::Review, business: &Business, site: &Site) -> Self {
        let mut item = Self::whole(review, business, site);
        item.folded = fold(item.text.as_str(), FOLDED_CHARACTERS)
            .map(|(start, rest)| (start.into(), rest.into()));
        item.is_linked = true;
        item
    }

    /// Marks the matches of `finder` in its text.
    pub fn with_marks(mut self, finder: &TextFinder<'_>) -> Self {
        match &mut self.folded {
            Some((start, rest)) => {
                start.mark(finder);
                rest.mark(finder);
            }
            None => self.text.mark(finder),
        }
        self
    }

    /// The whole review, for its own page.
    pub fn whole(review: wire::Review, business: &Business, site: &Site) -> Self {
        let service = |id: String| {
            let service = business.services.iter().find(|service| service.id == id);
            let name = service.map_or_else(|| id.clone(), |service| service.name.clone());
            (name, site.search("mentions_service", &id))
        };
        let technician = |name: String| {
            let path = site.search("mentions_technician", &name);
            (name, path)
        };
        // Search has no filter for places: the insights list the reviews that mention it.
        let area = |name: String| {
            let path = site.path_with("/insights", "area", &name);
            (name, path)
        };
        let wire::Mentions {
            technicians,
            services,
            service_areas,
        } = review.mentions;
        let tags = services
            .into_iter()
            .map(service)
            .chain(technicians.into_iter().map(technician))
            .chain(service_areas.into_iter().map(area))
            .collect();
        let answer = review.response.map(|response| OwnerAnswer {
            from: response.author.unwrap_or_else(|| business.name.clone()),
            date: response
                .date
                .map(|date| (date.to_string(), site.locale.day(date))),
            text: response.text,
        });
        Self {
            locale: site.locale.clone(),
            stars: Stars::new(review.rating, &site.locale),
            author: review.author,
            date: review.date.to_string(),
            day: site.locale.day(review.date),
            stars_path: site.search("rating", &review.rating.to_string()),
            source_path: site.search("source", &review.source.name),
            year_path: site.search_year(review.date.year()),
            source_url: review.source.url.filter(|url| is_web(url)),
            source: review.source.name,
            verified: verification_words(&review.verification, &site.locale),
            title: review.title,
            text: review.text.into(),
            folded: None,
            language: review.language,
            tags,
            answer,
            path: site.review(&review.id),
            is_linked: false,
        }
    }
}

/// The type of verification; always shown.
fn verification_words(verification: &wire::Verification, locale: &Locale) -> Cow<'static, str> {
    if !verification.verified {
        return locale.message("not-verified");
    }
    match verification.method {
        wire::VerificationMethod::JobMatch => locale.message("verified-by-job"),
        wire::VerificationMethod::SourcePlatform => locale.message("verified-by-platform"),
        wire::VerificationMethod::Invite => locale.message("verified-by-invitation"),
        wire::VerificationMethod::Manual => locale.message("verified-by-business"),
    }
}

/// The newest `limit` reviews with at least `min_rating` stars; only these are parsed.
pub fn newest_of(snapshot: &Snapshot, limit: usize, min_rating: u8) -> Vec<wire::Review> {
    let taken = snapshot
        .input
        .review_index
        .segments()
        .iter()
        .flat_map(|block| {
            let stars = block.stars().iter().enumerate();
            stars
                .filter(move |(_, stars)| **stars >= min_rating)
                .filter_map(|(index, _)| block.review(index))
        });
    taken.take(limit).collect()
}

#[derive(Template)]
#[template(path = "review_page.html")]
struct ReviewPage {
    frame: Frame,
    /// The page's heading, if the review has no title of its own.
    heading: Option<Cow<'static, str>>,
    item: ReviewFragment,
    json_url: String,
    structured: String,
    all: Cow<'static, str>,
}

/// `/reviews/{id}`.
pub fn permalink(ctx: &Ctx, request: &Request) -> Response {
    let snapshot = ctx.current.load();
    let id = UrlParameters::path::<parameters::Id>(request)
        .ok()
        .flatten()
        .and_then(|id| id.parse::<ReviewId>().ok());
    let review = id
        .and_then(|id| snapshot.input.review_index.find(&id))
        .and_then(|place| snapshot.input.review_index.review(place));
    let Some(review) = review else {
        return problem(StatusCode::NOT_FOUND, "No published review has that id.");
    };
    let html = show(review, &snapshot, &ctx.links);
    page(request, snapshot, html, POLICY)
}

fn show(review: wire::Review, snapshot: &Snapshot, links: &Links) -> String {
    let business = &snapshot.input.business;
    let site = Site::new(business, links);
    let locale = &site.locale;
    let said = review.title.as_deref().map(|title| {
        fold(title, TITLE_CHARACTERS).map_or(title.to_owned(), |(start, _)| start + " …")
    });
    let stars = u64::from(review.rating);
    let heading = said.map_or_else(|| locale.counted("stars", stars), Cow::Owned);
    let description =
        fold(&review.text, 150).map_or_else(|| review.text.clone(), |(start, _)| start + " …");
    let title = [
        ("heading", &*heading),
        ("business", &business.name),
        ("author", &review.author),
    ];
    let total = snapshot.input.review_index.len() as u64;
    let template = ReviewPage {
        heading: review
            .title
            .is_none()
            .then(|| locale.message_with("review-by", &[("author", &review.author)])),
        frame: Frame {
            title: locale.message_with("review-title", &title),
            description: Some(description.into()).filter(|text: &Cow<'_, str>| !text.is_empty()),
            canonical: Some(review.url.clone()),
            is_hidden_from_search: false,
            site: site.clone(),
        },
        json_url: links.absolute(&REVIEW_PATH.replace(":id", &review.id)),
        structured: structured::review(
            &review,
            business,
            &snapshot.input.review_index.rating_counts(),
            links,
        ),
        all: locale.counted_with("all-reviews-of", total, &[("business", &business.name)]),
        item: ReviewFragment::whole(review, business, &site),
    };
    render(&template)
}

// A review's text with its matches marked. As HTML: the text is escaped here, and the marks are the only markup.

/// Maximum number of marks per text; a query of one letter has hundreds of matches.
const MARKS_MAX: usize = 10;

#[derive(Debug, Clone, Default)]
pub struct MarkedText {
    text: String,
    /// Ascending and disjoint.
    found: Vec<Range<usize>>,
}

impl From<String> for MarkedText {
    fn from(text: String) -> Self {
        Self {
            text,
            found: Vec::new(),
        }
    }
}

impl MarkedText {
    /// Marks the first matches of `finder`.
    pub fn mark(&mut self, finder: &TextFinder<'_>) {
        self.found = finder.found_in(&self.text);
        self.found.truncate(MARKS_MAX);
    }

    pub const fn is_marked(&self) -> bool {
        !self.found.is_empty()
    }

    /// The text without marks.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub const fn is_empty(&self) -> bool {
        self.text.is_empty()
    }
}

impl fmt::Display for MarkedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut at = 0;
        for range in &self.found {
            Html.write_escaped_str(&mut *f, &self.text[at..range.start])?;
            f.write_str("<mark>")?;
            Html.write_escaped_str(&mut *f, &self.text[range.clone()])?;
            f.write_str("</mark>")?;
            at = range.end;
        }
        Html.write_escaped_str(f, &self.text[at..])
    }
}

#[cfg(test)]
mod tests {
    use super::MarkedText;
    use crate::model::{ReviewFilter, SearchArguments, TextMatch};
    use crate::search::TextFinder;

    #[test]
    fn what_was_found_is_marked_and_everything_is_escaped() {
        let filter = ReviewFilter::new(&SearchArguments {
            query: Some("b leaks".to_owned()),
            text_match: TextMatch::Words,
            ..SearchArguments::default()
        });
        let mut text = MarkedText::from("<b>Leaky</b> & \"leak\" <mark>".to_owned());
        assert!(!text.is_marked());
        text.mark(&TextFinder::new(&filter).unwrap());
        assert_eq!(
            text.to_string(),
            "&lt;b&gt;<mark>Leaky</mark>&lt;/b&gt; &amp; &quot;<mark>leak</mark>&quot; &lt;mark&gt;"
        );
    }
}
