//! `/embed`: rating and newest reviews for an `iframe` on another site, the one page that may be
//! framed; and `/badge.svg`, the figure as an image. What is left out by a filter is said (FTC 16
//! CFR 465: a display that leaves reviews out must not pass for all of them).

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use askama::Template;
use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};

use super::escape::escaped;
use super::frame::{POLICY_FRAMEABLE, Site, page, protected};
use super::home::{RatingFigure, newest_day};
use super::locale::{Language, Locale};
use super::review::{ReviewFragment, newest_of};
use crate::links::Links;
use crate::snapshot::{ReviewIndex, Snapshot};
use crate::web;
use crate::web::context::Ctx;
use crate::web::in_turn;

/// How many reviews there are where nobody says, and at the most.
const LIMIT_DEFAULT: usize = 5;
const LIMIT_MAX: usize = 20;

#[derive(Template)]
#[template(path = "embed_page.html")]
struct EmbedPage {
    site: Site,
    heading: Cow<'static, str>,
    home_url: String,
    theme: Option<&'static str>,
    fault: Option<String>,
    rating: Option<RatingFigure>,
    /// What a filter leaves out.
    filtered: Option<Cow<'static, str>>,
    reviews: Vec<ReviewFragment>,
}

/// What the address of the frame asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct EmbedOptions {
    limit: usize,
    min_rating: u8,
    theme: Option<&'static str>,
    /// The language of the words, if it is not the business's own.
    language: Option<Language>,
}

impl EmbedOptions {
    /// Parses the query; the fault says what is allowed. Unknown parameters are ignored, as
    /// everywhere.
    fn parse(query: &str) -> Result<Self, String> {
        let mut options = Self {
            limit: LIMIT_DEFAULT,
            min_rating: 1,
            theme: None,
            language: None,
        };
        for (name, value) in
            form_urlencoded::parse(query.as_bytes()).filter(|(_, value)| !value.is_empty())
        {
            let whole = |max: usize| {
                value
                    .parse::<usize>()
                    .ok()
                    .filter(|number| (1..=max).contains(number))
            };
            match &*name {
                "limit" => {
                    options.limit = whole(LIMIT_MAX).ok_or_else(|| {
                        format!("limit must be a whole number from 1 to {LIMIT_MAX}.")
                    })?;
                }
                "min_rating" => {
                    let rating = whole(5).and_then(|rating| u8::try_from(rating).ok());
                    options.min_rating =
                        rating.ok_or("min_rating must be a whole number from 1 to 5.")?;
                }
                "theme" => {
                    options.theme = match &*value {
                        "auto" => None,
                        "light" => Some("light"),
                        "dark" => Some("dark"),
                        _ => return Err("theme must be auto, light or dark.".to_owned()),
                    }
                }
                "lang" => {
                    let language = Language::find(&value);
                    options.language = Some(language.ok_or("lang must be en, es, de or fr.")?);
                }
                _ => {}
            }
        }
        Ok(options)
    }
}

/// The page in a frame.
pub struct Embed(pub Arc<Ctx>);

impl Endpoint for Embed {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let snapshot = self.0.current.load();
        let options = EmbedOptions::parse(request.uri().query().unwrap_or_default());
        let is_fault = options.is_err();
        let work = async {
            let html = show(&snapshot, options, &self.0.links);
            page(&request, Arc::clone(&snapshot), html, POLICY_FRAMEABLE)
        };
        let mut response = in_turn(&request, &self.0.compute, work).await;
        if is_fault && response.status() == StatusCode::OK {
            response.set_status(StatusCode::BAD_REQUEST);
            response.headers_mut().insert(
                poem::http::header::CACHE_CONTROL,
                poem::http::HeaderValue::from_static("no-store"),
            );
            response.headers_mut().remove(poem::http::header::ETAG);
        }
        Ok(response)
    }
}

fn show(snapshot: &Snapshot, options: Result<EmbedOptions, String>, links: &Links) -> String {
    let business = &snapshot.input.business;
    let mut site = Site::new(business, links);
    if let Ok(Some(language)) = options.as_ref().map(|options| options.language) {
        site.locale = Locale::new(language, business);
    }
    let heading = (site.locale).message_with("reviews-of", &[("business", &business.name)]);
    let home_url = links.home();
    let template = match options {
        Err(fault) => EmbedPage {
            heading,
            site,
            home_url,
            theme: None,
            fault: Some(fault),
            rating: None,
            filtered: None,
            reviews: Vec::new(),
        },
        Ok(EmbedOptions {
            limit,
            min_rating,
            theme,
            language: _,
        }) => {
            let reviews = newest_of(snapshot, limit, min_rating);
            let least = site.locale.number(u64::from(min_rating));
            let filtered = (min_rating > 1).then(|| {
                let stars = [("stars", least.as_str())];
                site.locale.message_with("embed-filtered", &stars)
            });
            EmbedPage {
                reviews: reviews
                    .into_iter()
                    .map(|review| ReviewFragment::in_list(review, business, &site))
                    .collect(),
                rating: RatingFigure::of(&snapshot.input.review_index, &site.locale),
                heading,
                site,
                home_url,
                theme,
                fault: None,
                filtered,
            }
        }
    };
    super::rendered(&template)
}

/// The endpoint of `/badge.svg`, which takes no options.
pub struct Badge(pub Arc<Ctx>);

impl Endpoint for Badge {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let snapshot = self.0.current.load();
        let svg = badge(&snapshot);
        let response = web::whole_body(request.headers(), snapshot, "image/svg+xml", svg);
        Ok(protected(response, super::frame::POLICY))
    }
}

/// The badge's height, and what a character of its font is wide at the most, on the average of
/// names.
const BADGE_HEIGHT: usize = 36;
const CHARACTER_WIDTH: usize = 8;
/// Longer names are cut.
const NAME_CHARACTERS: usize = 40;

/// The figure of all reviews, with the day of the newest.
fn figure(review_index: &ReviewIndex, locale: &Locale) -> String {
    let rating_counts = review_index.rating_counts();
    let Some(mean) = rating_counts.mean_hundredths() else {
        return locale.message("badge-no-reviews").into_owned();
    };
    let newest = newest_day(review_index).map(|newest| format!(" · {}", locale.day(newest)));
    format!(
        "★ {} · {}{}",
        locale.hundredths(mean),
        locale.counted("reviews", rating_counts.total()),
        newest.unwrap_or_default()
    )
}

/// The badge: name, stars, figure, count and the newest day, as text that scales and can be read
/// aloud.
fn badge(snapshot: &Snapshot) -> String {
    let input = &snapshot.input;
    let name = super::words::fold(&input.business.name, NAME_CHARACTERS)
        .map_or_else(|| input.business.name.clone(), |(start, _)| start + " …");
    let figure = figure(&input.review_index, &Locale::of(&input.business));
    let wide = |text: &str| (text.chars().count() + 3) * CHARACTER_WIDTH;
    let (left, right) = (wide(&name), wide(&figure));
    let (width, middle) = (left + right, left + right / 2);
    let (name, figure) = (escaped(&name), escaped(&figure));
    let mut svg = String::new();
    // Writing into a String cannot fail.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{BADGE_HEIGHT}\" viewBox=\"0 0 {width} {BADGE_HEIGHT}\" role=\"img\" \
         aria-label=\"{name}: {figure}\"><title>{name}: {figure}</title><rect width=\"{width}\" height=\"{BADGE_HEIGHT}\" rx=\"6\" fill=\"#1b2124\"/>\
         <path d=\"M{left} 0h{inner}a6 6 0 0 1 6 6v24a6 6 0 0 1-6 6h-{inner}z\" fill=\"#0a5a78\"/>\
         <g fill=\"#fff\" font-family=\"system-ui,Segoe UI,Roboto,Helvetica,Arial,sans-serif\" font-size=\"14\" text-anchor=\"middle\">\
         <text x=\"{}\" y=\"23\">{name}</text><text x=\"{middle}\" y=\"23\" font-weight=\"600\">{figure}</text></g></svg>",
        left / 2,
        inner = right - 6,
    );
    svg
}

#[cfg(test)]
mod tests {
    use super::{EmbedOptions, Language};

    #[test]
    fn a_wrong_option_is_named_and_an_unknown_one_ignored() {
        let options = |query| EmbedOptions::parse(query);
        assert_eq!(
            options("limit=3&min_rating=4&theme=dark&lang=es-MX&utm=x").unwrap(),
            EmbedOptions {
                limit: 3,
                min_rating: 4,
                theme: Some("dark"),
                language: Some(Language::Spanish),
            }
        );
        assert_eq!(options("limit=&theme=auto").unwrap(), options("").unwrap());
        for (query, name) in [
            ("limit=0", "limit"),
            ("limit=21", "limit"),
            ("min_rating=6", "min_rating"),
            ("theme=pink", "theme"),
            ("lang=tlh", "lang"),
        ] {
            assert!(options(query).unwrap_err().starts_with(name), "{query}");
        }
    }
}
