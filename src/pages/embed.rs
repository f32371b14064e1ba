//! `/embed`: rating and newest reviews for an `iframe` on another site, the one page that may be framed; and `/badge.svg`, the
//! figure as an image. What is left out by a filter is said (FTC 16 CFR 465: a display that leaves reviews out must not pass for
//! all of them).

use std::fmt::Write;
use std::sync::Arc;

use askama::Template;
use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};

use super::escape::escaped;
use super::frame::{POLICY_FRAMEABLE, Site, page, protected};
use super::home::Rating;
use super::review::{Item, newest};
use super::words::{count, hundredths};
use crate::ctx::Ctx;
use crate::edition::{Content, Edition};
use crate::links::Links;
use crate::respond;

/// How many reviews there are where nobody says, and at the most.
const LIMIT_DEFAULT: usize = 5;
const LIMIT_MAX: usize = 20;

#[derive(Template)]
#[template(path = "embed.html")]
struct EmbedPage {
    site: Site,
    home_url: String,
    theme: Option<&'static str>,
    fault: Option<String>,
    rating: Option<Rating>,
    filtered: Option<String>,
    newest: Vec<Item>,
}

/// What the address of the frame asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Options {
    limit: usize,
    min_rating: u8,
    theme: Option<&'static str>,
}

impl Options {
    /// Parses the query; the fault says what is allowed. Unknown parameters are ignored, as everywhere.
    fn parse(query: &str) -> Result<Self, String> {
        let mut options = Self { limit: LIMIT_DEFAULT, min_rating: 1, theme: None };
        for (name, value) in form_urlencoded::parse(query.as_bytes()).filter(|(_, value)| !value.is_empty()) {
            let whole = |max: usize| value.parse::<usize>().ok().filter(|number| (1..=max).contains(number));
            match &*name {
                "limit" => {
                    options.limit =
                        whole(LIMIT_MAX).ok_or_else(|| format!("limit must be a whole number from 1 to {LIMIT_MAX}."))?;
                }
                "min_rating" => {
                    let rating = whole(5).and_then(|rating| u8::try_from(rating).ok());
                    options.min_rating = rating.ok_or("min_rating must be a whole number from 1 to 5.")?;
                }
                "theme" => {
                    options.theme = match &*value {
                        "auto" => None,
                        "light" => Some("light"),
                        "dark" => Some("dark"),
                        _ => return Err("theme must be auto, light or dark.".to_owned()),
                    }
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
        let edition = self.0.current.load();
        let options = Options::parse(request.uri().query().unwrap_or_default());
        let is_fault = options.is_err();
        let html = show(&edition, options, &self.0.links);
        let mut response = page(&request, edition, html, POLICY_FRAMEABLE);
        if is_fault && response.status() == StatusCode::OK {
            response.set_status(StatusCode::BAD_REQUEST);
            response.headers_mut().insert(poem::http::header::CACHE_CONTROL, poem::http::HeaderValue::from_static("no-store"));
            response.headers_mut().remove(poem::http::header::ETAG);
        }
        Ok(response)
    }
}

fn show(edition: &Edition, options: Result<Options, String>, links: &Links) -> String {
    let business = &edition.copy.business;
    let site = Site::new(business, links);
    let home_url = links.home();
    let template = match options {
        Err(fault) => {
            EmbedPage { site, home_url, theme: None, fault: Some(fault), rating: None, filtered: None, newest: Vec::new() }
        }
        Ok(Options { limit, min_rating, theme }) => {
            let reviews = newest(edition, limit, |review| review.rating >= min_rating);
            let filtered = (min_rating > 1)
                .then(|| format!("Filtered: only reviews of {min_rating} stars or more are shown; the figure is of all."));
            EmbedPage {
                newest: reviews.into_iter().map(|review| Item::in_list(review, business, &site)).collect(),
                rating: Rating::of(&edition.copy.shelf),
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

/// `/badge.svg`.
pub struct Badge(pub Arc<Ctx>);

impl Endpoint for Badge {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let edition = self.0.current.load();
        let Content { pieces, digest } = Content::whole(badge(&edition).into_bytes());
        let response = respond::pieces(request.headers(), edition, "image/svg+xml", &digest, None, || pieces);
        Ok(protected(response, super::frame::POLICY))
    }
}

/// The badge: name, stars, figure, count and the newest day, as text that scales and can be read aloud.
fn badge(edition: &Edition) -> String {
    const HEIGHT: usize = 36;
    /// What a character of the badge's font is wide at the most, on the average of names.
    const CHARACTER_WIDTH: usize = 8;
    const NAME_CHARACTERS: usize = 40;
    let copy = &edition.copy;
    let tally = copy.shelf.tally();
    let name = super::words::fold(&copy.business.name, NAME_CHARACTERS)
        .map_or_else(|| copy.business.name.clone(), |(start, _)| start + " …");
    let figure = tally
        .mean_hundredths()
        .map_or_else(|| "no reviews yet".to_owned(), |mean| format!("★ {} · {} reviews", hundredths(mean), count(tally.total())));
    let (left, right) = ((name.chars().count() + 3) * CHARACTER_WIDTH, (figure.chars().count() + 3) * CHARACTER_WIDTH);
    let (width, middle) = (left + right, left + right / 2);
    let (name, figure) = (escaped(&name), escaped(&figure));
    let mut svg = String::new();
    // Writing into a String cannot fail.
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{HEIGHT}\" viewBox=\"0 0 {width} {HEIGHT}\" role=\"img\" \
         aria-label=\"{name}: {figure}\"><title>{name}: {figure}</title><rect width=\"{width}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"#1b2124\"/>\
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
    use super::Options;

    #[test]
    fn a_wrong_option_is_named_and_an_unknown_one_ignored() {
        let options = |query| Options::parse(query);
        assert_eq!(
            options("limit=3&min_rating=4&theme=dark&utm=x").unwrap(),
            Options { limit: 3, min_rating: 4, theme: Some("dark") }
        );
        assert_eq!(options("limit=&theme=auto").unwrap(), options("").unwrap());
        for (query, name) in [("limit=0", "limit"), ("limit=21", "limit"), ("min_rating=6", "min_rating"), ("theme=pink", "theme")]
        {
            assert!(options(query).unwrap_err().starts_with(name), "{query}");
        }
    }
}
