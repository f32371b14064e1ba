//! `/search`: search results as a page. It has the parameters of `/api/reviews/search`, parsed by the same types, but
//! searches for words by default.

use std::borrow::Cow;
use std::sync::Arc;

use askama::Template;
use poem::web::Data;
use poem::{Request, Response, handler};

use super::filters::{Choices, FilterWords, SearchFormFragment, filters};
use super::frame::{ChoiceLink, Frame, POLICY, Site, page, render};
use super::locale::Locale;
use super::review::ReviewFragment;
use crate::compute::run_long_if;
use crate::links::SEARCH_FEED_PATH;
use crate::model::Sort;
use crate::search::{Cursor, ResultPage, SHORT_PAGE, SearchParameters, search_reviews};
use crate::snapshot::Snapshot;
use crate::web::context::Ctx;
use crate::web::{ClientAddress, HttpProblem};
use crate::wire::{Arguments, Parameters as _};

#[derive(Template)]
#[template(path = "search_page.html")]
struct SearchPage<'a> {
    frame: Frame<'a>,
    heading: Cow<'static, str>,
    /// A note that the list is filtered, with the total number of reviews.
    filtered: Option<Cow<'static, str>>,
    /// The active filters; each links to the search without it.
    chips: Vec<ChoiceLink>,
    orders: Vec<ChoiceLink>,
    /// The reason for an empty list.
    nothing: Cow<'static, str>,
    /// The same search with a nearer name, or by words, if nothing was found.
    nearest: Vec<ChoiceLink>,
    reviews: Vec<String>,
    next: Option<String>,
    limit: String,
    form: SearchFormFragment<'a>,
    feed_url: String,
}

#[handler]
pub async fn search(
    Data(ctx): Data<&Arc<Ctx>>,
    client: ClientAddress,
    request: &Request,
) -> poem::Result<Response> {
    let snapshot = ctx.current.load();
    let mut query = Arguments::form(request.uri().query().unwrap_or_default());
    if query.value("aspect").is_none() {
        // The form sends every choice, and this one says nothing without the other.
        query.remove("polarity");
    }
    let parameters = SearchParameters::parse(&mut query);
    parameters.check_aspect(snapshot.input.analyzer.trade, &mut query.issues);
    HttpProblem::check_parameters(&query.issues)?;
    let view = SearchView {
        snapshot: &snapshot,
        query: &query,
        parameters: &parameters,
    };
    let found = search_reviews(&snapshot, &parameters, || ctx.turn(client)).await?;
    let html = run_long_if(found.positions.len() > SHORT_PAGE, || view.show(&found));
    Ok(page(ctx, request.headers(), &snapshot, html, POLICY))
}

struct SearchView<'a> {
    snapshot: &'a Snapshot,
    query: &'a Arguments,
    parameters: &'a SearchParameters,
}

impl SearchView<'_> {
    fn show(&self, found: &ResultPage) -> String {
        let input = &self.snapshot.input;
        let (links, parameters) = (&input.links, self.parameters);
        let site = &Site::new(&input.business, links);
        let (locale, query, path) = (&site.locale, self.query, format!("{}/search", site.root));
        let filters = filters(parameters, input, locale);
        let (heading, nothing) = match found.matched {
            0 if filters.is_empty() => (locale.message("find-none"), "no-reviews"),
            0 => (locale.message("find-none"), "find-nothing"),
            _ => (reviews(found, locale), "find-page-is-empty"),
        };
        let title = [("heading", &*heading), ("business", &input.business.name)];
        let all = input.entries.len() as u64;
        let text = parameters.text();
        let shown = found.reviews(self.snapshot).map(|review| {
            let item = ReviewFragment::in_list(review, site);
            match &text {
                Some(text) => item.with_marks(text).html(),
                None => item.html(),
            }
        });
        let page_at =
            |cursor: &Cursor| query.address(&path, &["cursor"], &[("cursor", &cursor.to_string())]);
        render(&SearchPage {
            frame: Frame::unlisted(locale.message_with("find-page-title", &title), site),
            filtered: (!filters.is_empty()).then(|| locale.counted("find-filtered", all)),
            chips: (filters.into_iter())
                .map(|FilterWords { names, words }| ChoiceLink {
                    href: query.address(&path, &[names[0], names[1], "cursor"], &[]),
                    words,
                    is_current: false,
                })
                .collect(),
            orders: self.orders(locale, &path),
            nothing: locale.message(nothing),
            nearest: self.nearest(found, locale, &path),
            reviews: shown.collect(),
            next: found.next.as_ref().map(page_at),
            limit: parameters.limit.to_string(),
            form: SearchFormFragment {
                choices: Choices::of(self.snapshot),
                site,
                query,
            },
            feed_url: links.absolute(&parameters.address_of_newest(SEARCH_FEED_PATH)),
            heading,
        })
    }

    fn nearest(&self, found: &ResultPage, locale: &Locale, path: &str) -> Vec<ChoiceLink> {
        let Some(suggested) = &found.did_you_mean else {
            return Vec::new();
        };
        let by_name = [
            ("mentions_technician", &suggested.mentions_technician),
            ("mentions_service", &suggested.mentions_service),
            ("mentions_area", &suggested.mentions_area),
            ("language", &suggested.language),
            ("source", &suggested.source),
        ];
        let business = &self.snapshot.input.business;
        let by_name = by_name.into_iter().flat_map(|(name, values)| {
            let values = values.iter().flatten();
            values.map(move |value| ChoiceLink {
                // Services are suggested by their IDs.
                words: locale
                    .message_with("nearest-name", &[("name", business.service_name(value))]),
                href: (self.query).address(path, &[name, "cursor"], &[(name, value)]),
                is_current: false,
            })
        });
        let by_words = suggested.text_match.iter().map(|_| ChoiceLink {
            words: locale.message("nearest-by-words"),
            href: self.query.address(path, &["match", "cursor"], &[]),
            is_current: false,
        });
        by_name.chain(by_words).collect()
    }

    fn orders(&self, locale: &Locale, path: &str) -> Vec<ChoiceLink> {
        let links = Sort::ALL.map(|sort| {
            let named = Some(("sort", sort.name())).filter(|_| sort != Sort::default());
            ChoiceLink {
                href: (self.query).address(path, &["sort", "cursor"], named.as_slice()),
                words: locale.message(&format!("order-{sort}")),
                is_current: sort == self.parameters.sort,
            }
        });
        links.into()
    }
}

fn reviews(found: &ResultPage, locale: &Locale) -> Cow<'static, str> {
    if found.is_exact {
        locale.counted("reviews", found.matched)
    } else {
        let number = locale.number(found.matched);
        locale.message_with("find-more-than", &[("number", &number)])
    }
}
