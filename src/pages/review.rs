//! A review in a list or on its own page, `/reviews/{id}`, which is its permalink.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;
use std::thread::yield_now;
use std::{fmt, mem};

use askama::Template;
use askama::filters::Escaper;
use chrono::Datelike;
use poem::http::HeaderMap;
use poem::web::{Data, Path};
use poem::{Response, handler};

use super::Html;
use super::frame::{Frame, POLICY, Site, page, render};
use super::locale::Locale;
use super::structured;
use super::words::{Stars, fold, shortened};
use crate::model::{Method, PublishedReview, ReviewId, compose};
use crate::search::TextQuery;
use crate::snapshot::Snapshot;
use crate::web::HttpProblem;
use crate::web::context::Ctx;

/// In a list, the rest of a longer text is folded after this many characters.
const FOLDED_CHARACTERS: usize = 420;
/// Maximum number of characters of a review's own title in `<title>`.
const TITLE_CHARACTERS: usize = 80;
/// Maximum number of characters of its text in the description for search engines.
const DESCRIPTION_CHARACTERS: usize = 150;

#[derive(Template)]
#[template(path = "review_fragment.html")]
pub struct ReviewFragment<'a> {
    site: &'a Site<'a>,
    review: PublishedReview,
    /// The text, or its first part in a list.
    text: MarkedText,
    /// The rest, which is folded.
    rest: Option<MarkedText>,
    /// Whether it is in a list and links to its own page.
    is_linked: bool,
}

impl<'a> ReviewFragment<'a> {
    pub fn in_list(review: PublishedReview, site: &'a Site<'a>) -> Self {
        let mut item = Self::whole(review, site);
        if let Some((start, rest)) = fold(&item.text.text, FOLDED_CHARACTERS) {
            item.text = start.into();
            item.rest = Some(rest.into());
        }
        item.is_linked = true;
        item
    }

    pub fn list(reviews: Vec<PublishedReview>, site: &'a Site<'a>) -> Vec<String> {
        let items = reviews.into_iter().map(|it| Self::in_list(it, site));
        items.map(|item| item.html()).collect()
    }

    /// Its HTML. Threads that wait run before: the kernel would let one that computes a page run for up to 4 ms.
    pub fn html(&self) -> String {
        yield_now();
        render(self)
    }

    pub fn with_marks(mut self, query: &TextQuery) -> Self {
        self.text.mark(query);
        if let Some(rest) = &mut self.rest {
            rest.mark(query);
        }
        self
    }

    pub fn whole(mut review: PublishedReview, site: &'a Site<'a>) -> Self {
        Self {
            site,
            text: mem::take(&mut review.text).into(),
            review,
            rest: None,
            is_linked: false,
        }
    }
}

/// The way of verification, in words.
pub fn verification(method: Method, locale: &Locale) -> Cow<'static, str> {
    locale.message(&format!("verified-{method}"))
}

/// The newest `limit` reviews with at least `min_rating` stars.
pub fn newest_of(snapshot: &Snapshot, limit: usize, min_rating: u8) -> Vec<PublishedReview> {
    let entries = snapshot.input.entries.iter().enumerate();
    let shown = entries.filter(|(_, entry)| entry.review.rating.stars() >= min_rating);
    let shown = shown.take(limit).map(|(at, _)| snapshot.input.review(at));
    shown.collect()
}

#[derive(Template)]
#[template(path = "review_page.html")]
struct ReviewPage<'a> {
    frame: Frame<'a>,
    item: ReviewFragment<'a>,
    structured: String,
    total: u64,
}

#[handler]
pub fn permalink(
    Data(ctx): Data<&Arc<Ctx>>,
    headers: &HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, HttpProblem> {
    let snapshot = ctx.current.load();
    let entries = &snapshot.input.entries;
    let found = id.parse::<ReviewId>().ok().and_then(|id| entries.find(&id));
    let at = found.ok_or_else(|| HttpProblem::not_found("No published review has that id."))?;
    let review = snapshot.input.review(at);
    let html = show(review, &snapshot);
    Ok(page(ctx, headers, &snapshot, html, POLICY))
}

fn show(review: PublishedReview, snapshot: &Snapshot) -> String {
    let (business, links) = (&snapshot.input.business, &snapshot.input.links);
    let site = Site::new(business, links);
    let locale = &site.locale;
    let heading = match &review.title {
        Some(title) => Cow::Owned(shortened(title, TITLE_CHARACTERS)),
        None => locale.counted("stars", review.rating.into()),
    };
    let description = shortened(&review.text, DESCRIPTION_CHARACTERS);
    let title = [
        ("heading", &*heading),
        ("business", &business.name),
        ("author", &review.author),
    ];
    let template = ReviewPage {
        frame: Frame {
            title: locale.message_with("review-title", &title),
            description: Some(description.into()).filter(|text: &Cow<'_, str>| !text.is_empty()),
            canonical: Some(review.url.clone()),
            site: site.clone(),
        },
        structured: structured::review(
            &review,
            business,
            &snapshot.input.entries.rating_counts(),
            links,
        ),
        total: snapshot.input.entries.len() as u64,
        item: ReviewFragment::whole(review, &site),
    };
    render(&template)
}

// A review's text with its matches marked. As HTML: the text is escaped here, and the marks are the only markup.

/// Maximum number of marks per text; a query of one letter has hundreds of matches.
const MARKS_SHOWN: usize = 10;

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
    pub fn mark(&mut self, query: &TextQuery) {
        self.text = compose(&self.text).into_owned();
        self.found = query.found_in(&self.text);
        self.found.truncate(MARKS_SHOWN);
    }

    pub const fn is_marked(&self) -> bool {
        !self.found.is_empty()
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
