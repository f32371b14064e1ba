//! `/search`: search results as a page. It has the parameters of `/api/reviews/search`, parsed by the same types, but
//! searches for words by default; each error is shown next to its field.

use std::borrow::Cow;
use std::sync::Arc;

use askama::Template;
use poem::web::Data;
use poem::{Request, Response, handler};

use super::cached::Pages;
use super::filters::{Choices, FilterWords, SearchFormFragment, fault, filters, label};
use super::frame::{ChoiceLink, CountedLink, Frame, POLICY, Site, page, refusal, render};
use super::locale::Locale;
use super::review::ReviewFragment;
use crate::compute::run_long_if;
use crate::links::{SEARCH_API_PATH, SEARCH_FEED_PATH};
use crate::model::Sort;
use crate::search::{
    Cursor, ResultPage, SHORT_PAGE, SearchParameters, TextFinder, TextMatch, find_page,
    search_reviews,
};
use crate::snapshot::Snapshot;
use crate::web::{ClientAddress, HttpProblem, wants_html};
use crate::wire::{Arguments, DidYouMean, Parameters as _};

#[derive(Template)]
#[template(path = "search_page.html")]
struct SearchPage<'a> {
    frame: Frame<'a>,
    heading: Cow<'static, str>,
    faults: Vec<String>,
    /// A note that the list is filtered, with the total number of reviews.
    filtered: Option<Cow<'static, str>>,
    /// The active filters; each links to the search without it.
    chips: Vec<ChoiceLink>,
    orders: Vec<ChoiceLink>,
    /// The reason for an empty list.
    nothing: Cow<'static, str>,
    /// Suggestions if nothing was found.
    nearest: Vec<CountedLink>,
    reviews: Vec<ReviewFragment<'a>>,
    next: Option<String>,
    limit: String,
    form: SearchFormFragment<'a>,
    json_url: String,
    feed_url: String,
}

#[handler]
pub async fn search(
    Data(pages): Data<&Arc<Pages>>,
    client: ClientAddress,
    request: &Request,
) -> poem::Result<Response> {
    let ctx = &pages.ctx;
    let snapshot = ctx.current.load();
    // All errors are collected, so that each is shown next to its field.
    let mut query = Arguments::form(request.uri().query().unwrap_or_default());
    let parameters = SearchParameters::parse(&mut query);
    parameters.check_aspect(snapshot.input.analyzer.trade(), &mut query.issues);
    let view = SearchView {
        snapshot: &snapshot,
        query: &query,
        parameters: &parameters,
    };
    if !query.issues.is_empty() {
        if wants_html(request.headers()) {
            let html = view.show(&ResultPage::default(), Vec::new());
            return Ok(refusal(html, POLICY));
        }
        return Err(HttpProblem::invalid_parameters(query.issues).into());
    }
    let turn = || ctx.turn(client);
    let found = search_reviews(&snapshot, &parameters, turn).await?;
    let mut nearest = Vec::new();
    if found.matched == 0 {
        for candidate in view.candidates(found.did_you_mean.clone().unwrap_or_default()) {
            let counted = find_page(&snapshot, &candidate.parameters, turn).await?;
            nearest.push((candidate, counted));
        }
    }
    let html = run_long_if(found.positions.len() > SHORT_PAGE, || {
        view.show(&found, nearest)
    });
    Ok(page(ctx, request.headers(), &snapshot, html, POLICY))
}

struct SearchView<'a> {
    snapshot: &'a Snapshot,
    query: &'a Arguments,
    /// Use them only if `query` has no issues.
    parameters: &'a SearchParameters,
}

impl SearchView<'_> {
    fn json_url(&self) -> String {
        let (links, query) = (&self.snapshot.input.links, self.query);
        let path = links.absolute(SEARCH_API_PATH);
        // The API's default differs from the page's, so the page's default is passed explicitly.
        let words = [("match", TextMatch::Words.name())];
        let has_match = query.value("match").is_some();
        query.address(&path, &[], if has_match { &[] } else { &words })
    }

    /// What was found; or, if the query has issues, the form with each of them next to its field and all of them above it.
    fn show(&self, found: &ResultPage, nearest: Vec<(SuggestedSearch, ResultPage)>) -> String {
        let input = &self.snapshot.input;
        let (links, parameters) = (&input.links, self.parameters);
        let site = &Site::new(&input.business, links);
        let (locale, query, path) = (&site.locale, self.query, format!("{}/search", site.root));
        let is_refused = !query.issues.is_empty();
        let filters = if is_refused {
            Vec::new()
        } else {
            filters(parameters, input, locale)
        };
        let (heading, nothing) = match found.matched {
            _ if is_refused => (locale.message("find-refused"), "find-not-searched"),
            0 if filters.is_empty() => (locale.message("find-none"), "no-reviews"),
            0 => (locale.message("find-none"), "find-nothing"),
            _ => (reviews(found, locale), "find-page-is-empty"),
        };
        let title = [("heading", &*heading), ("business", &input.business.name)];
        let faults = query.issues.iter().map(|issue| {
            let words = fault(issue, locale);
            let name = issue.path.first().and_then(|name| label(name, locale));
            name.map_or_else(|| words.to_string(), |name| format!("{name}: {words}"))
        });
        let all = input.entries.len() as u64;
        let text = parameters.text(&input.business);
        let finder = text.as_ref().map(TextFinder::new);
        let shown = found.reviews(self.snapshot).map(|review| {
            let item = ReviewFragment::in_list(review, site);
            match &finder {
                Some(finder) => item.with_marks(finder),
                None => item,
            }
        });
        let page_at =
            |cursor: &Cursor| query.address(&path, &["cursor"], &[("cursor", &cursor.to_string())]);
        let nearest = (nearest.into_iter())
            .filter(|(_, found)| found.matched > 0)
            .map(|(candidate, found)| CountedLink {
                words: candidate.words,
                href: candidate.href,
                reviews: reviews(&found, locale),
            });
        render(&SearchPage {
            frame: Frame::unlisted(locale.message_with("find-page-title", &title), site),
            faults: faults.collect(),
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
            nearest: nearest.collect(),
            reviews: shown.collect(),
            next: found.next.as_ref().map(page_at),
            limit: parameters.limit.to_string(),
            form: SearchFormFragment {
                choices: Choices::of(self.snapshot),
                site,
                query,
            },
            json_url: self.json_url(),
            feed_url: links.absolute(&parameters.address_of_newest(SEARCH_FEED_PATH)),
            heading,
        })
    }

    fn orders(&self, locale: &Locale, path: &str) -> Vec<ChoiceLink> {
        let orders = [
            (Sort::Newest, locale.message("order-newest")),
            (Sort::Oldest, locale.message("order-oldest")),
            (Sort::Highest, locale.message("order-most-stars")),
            (Sort::Lowest, locale.message("order-fewest-stars")),
        ];
        let order = |(sort, words): (Sort, Cow<'static, str>)| {
            let named: &[_] = if sort == Sort::default() {
                &[]
            } else {
                &[("sort", sort.name())]
            };
            ChoiceLink {
                href: self.query.address(path, &["sort", "cursor"], named),
                words,
                is_current: sort == self.parameters.sort,
            }
        };
        orders.map(order).into()
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

// Suggestions when a search finds nothing: the nearest names, fewer words, one filter less. The page shows the number
// of results of each.

/// Maximum number of searches counted for one page.
const SEARCHES_SHOWN: usize = 8;
/// With at most this many words, searches without each single word are suggested.
const WORDS_TRIED: usize = 4;

struct SuggestedSearch {
    parameters: SearchParameters,
    words: Cow<'static, str>,
    href: String,
}

impl SearchView<'_> {
    /// The searches to be counted, most similar first.
    fn candidates(&self, suggestions: DidYouMean) -> impl Iterator<Item = SuggestedSearch> + use<> {
        let input = &self.snapshot.input;
        let site = &Site::new(&input.business, &input.links);
        let candidates = [
            self.names(site, suggestions),
            self.fewer_words(site),
            self.fewer_filters(site),
        ];
        candidates.into_iter().flatten().take(SEARCHES_SHOWN)
    }

    /// The first page of the same search without the parameters `without`, and with `added`.
    fn candidate(
        &self,
        site: &Site<'_>,
        words: Cow<'static, str>,
        without: &[&str],
        added: &[(&str, &str)],
    ) -> SuggestedSearch {
        let (query, path) = (self.query, format!("{}/search", site.root));
        let without = [without, &["cursor"]].concat();
        let href = query.address(&path, &without, added);
        let query = href.split_once('?').map_or("", |(_, query)| query);
        let mut changed = Arguments::form(query);
        SuggestedSearch {
            parameters: SearchParameters {
                limit: 1,
                ..SearchParameters::parse(&mut changed)
            },
            words,
            href,
        }
    }

    /// The same search with the nearest known name in place of each unknown one; with every known name if none is near.
    fn names(&self, site: &Site<'_>, suggestions: DidYouMean) -> Vec<SuggestedSearch> {
        let suggestions = [
            ("mentions_technician", suggestions.mentions_technician),
            ("mentions_service", suggestions.mentions_service),
            ("mentions_area", suggestions.mentions_area),
            ("language", suggestions.language),
            ("source", suggestions.source),
        ];
        let suggestions = suggestions
            .into_iter()
            .filter_map(|(name, values)| Some((name, values?)));
        let (near, others): (Vec<_>, Vec<_>) =
            suggestions.partition(|(_, values)| values.len() == 1);
        let candidate = |names: &[(&str, &str)]| {
            let (replaced, values): (Vec<&str>, Vec<&str>) = names.iter().copied().unzip();
            let values: Vec<String> = values.into_iter().map(str::to_owned).collect();
            let words = site.locale.list(&values);
            let words = (site.locale).message_with("nearest-name", &[("name", &words)]);
            self.candidate(site, words, &replaced, names)
        };
        // All near names are replaced at once: if two are wrong, correcting one still finds nothing.
        let near: Vec<_> = near
            .iter()
            .map(|(name, values)| (*name, values[0].as_str()))
            .collect();
        let mut candidates = Vec::new();
        if !near.is_empty() {
            candidates.push(candidate(&near));
        }
        for (name, values) in &others {
            let values = values.iter();
            candidates.extend(
                values.map(|value| {
                    candidate(&[near.as_slice(), &[(*name, value.as_str())]].concat())
                }),
            );
        }
        candidates
    }

    /// The same search by words, and without one of them.
    fn fewer_words(&self, site: &Site<'_>) -> Vec<SuggestedSearch> {
        let (parameters, locale) = (self.parameters, &site.locale);
        let Some(text) = parameters.query.as_deref() else {
            return Vec::new();
        };
        let mut candidates = Vec::new();
        if parameters.text_match == TextMatch::Substring {
            let words = locale.message("nearest-by-words");
            candidates.push(self.candidate(site, words, &["match"], &[]));
        }
        let words: Vec<&str> = text.split_whitespace().collect();
        if (2..=WORDS_TRIED).contains(&words.len()) {
            for left_out in 0..words.len() {
                let kept = [&words[..left_out], &words[left_out + 1..]].concat();
                let kept = kept.join(" ");
                let label = locale.message_with("nearest-words", &[("text", &kept)]);
                let (without, added) = (["query", "match"], [("query", &*kept)]);
                candidates.push(self.candidate(site, label, &without, &added));
            }
        }
        candidates
    }

    /// The same search without one of its filters.
    fn fewer_filters(&self, site: &Site<'_>) -> Vec<SuggestedSearch> {
        let (parameters, locale) = (self.parameters, &site.locale);
        let filters = filters(parameters, &self.snapshot.input, locale);
        let fewer = filters.into_iter().map(|filter| {
            let words = locale.message_with("nearest-without", &[("filter", &filter.words)]);
            self.candidate(site, words, &filter.names, &[])
        });
        fewer.collect()
    }
}
