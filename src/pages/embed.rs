//! `/embed`: rating and newest reviews for an `iframe` on another site, the only page that may be framed. It states
//! which reviews a filter omits (FTC 16 CFR 465: a filtered display must not pass for all reviews).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use askama::Template;
use poem::http::StatusCode;
use poem::{Endpoint, Request, Response, Result};

use super::accent::{CONTRAST_MIN, Rgb};
use super::assets::{EMBED_SCRIPT_PATH, embed_stylesheet_path};
use super::frame::{POLICY_FRAMEABLE, Site, page};
use super::home::RatingFigure;
use super::locale::{Language, Locale};
use super::review::{ReviewFragment, newest_of};
use crate::compute::apart;
use crate::links::Links;
use crate::snapshot::Snapshot;
use crate::web::context::Ctx;
use crate::web::in_turn;

pub const EMBED_PATH: &str = "/embed";
/// Default and maximum number of reviews shown.
const LIMIT_DEFAULT: usize = 5;
pub const LIMIT_MAX: usize = 20;

#[derive(Template)]
#[template(path = "embed_page.html")]
struct EmbedPage {
    site: Site,
    heading: Cow<'static, str>,
    home_url: String,
    stylesheet: &'static str,
    script: &'static str,
    layout: &'static str,
    is_carousel: bool,
    /// `None` to follow the reader's system.
    theme: Option<&'static str>,
    accent: Option<String>,
    faults: Vec<String>,
    rating: Option<RatingFigure>,
    /// A note on the reviews that the filter omits.
    filtered: Option<Cow<'static, str>>,
    reviews: Vec<ReviewFragment>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// One below the other.
    List,
    /// Cards in rows that fill the width.
    Grid,
    /// Cards in one row that scrolls sideways.
    Carousel,
}

impl Layout {
    pub const ALL: [Self; 3] = [Self::List, Self::Grid, Self::Carousel];

    pub const fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Grid => "grid",
            Self::Carousel => "carousel",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
    /// The theme of the reader's system.
    Auto,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::Light, Self::Dark, Self::Auto];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
            Self::Auto => "auto",
        }
    }

    /// The contrast of an accent colour in this theme; `auto` takes the better one.
    fn contrast(self, accent: Rgb) -> f64 {
        let [light, dark] = accent.contrasts();
        match self {
            Self::Light => light,
            Self::Dark => dark,
            Self::Auto => light.max(dark),
        }
    }
}

/// The options in the frame's address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EmbedOptions {
    pub layout: Layout,
    pub limit: usize,
    pub min_rating: u8,
    pub theme: Theme,
    pub accent: Option<Rgb>,
    /// The language of the frame's own words; `None` for that of the business.
    pub language: Option<Language>,
}

impl Default for EmbedOptions {
    fn default() -> Self {
        Self {
            layout: Layout::List,
            limit: LIMIT_DEFAULT,
            min_rating: 1,
            theme: Theme::Light,
            accent: None,
            language: None,
        }
    }
}

impl EmbedOptions {
    /// Parses the query and returns all errors, each of which begins with the parameter and lists the allowed values.
    /// Unknown parameters are ignored.
    pub fn parse(query: &str) -> (Self, Vec<String>) {
        let (mut options, mut faults) = (Self::default(), Vec::new());
        for (name, value) in
            form_urlencoded::parse(query.as_bytes()).filter(|(_, value)| !value.is_empty())
        {
            let whole = |max: usize| {
                let number = value.parse::<usize>().ok();
                number.filter(|number| (1..=max).contains(number))
            };
            match &*name {
                "layout" => match Layout::ALL.into_iter().find(|one| one.name() == value) {
                    Some(layout) => options.layout = layout,
                    None => faults.push("layout must be list, grid or carousel.".to_owned()),
                },
                "limit" => match whole(LIMIT_MAX) {
                    Some(limit) => options.limit = limit,
                    None => faults.push(format!(
                        "limit must be a whole number from 1 to {LIMIT_MAX}."
                    )),
                },
                "min_rating" => match whole(5).and_then(|rating| u8::try_from(rating).ok()) {
                    Some(rating) => options.min_rating = rating,
                    None => {
                        faults.push("min_rating must be a whole number from 1 to 5.".to_owned());
                    }
                },
                "theme" => match Theme::ALL.into_iter().find(|one| one.name() == value) {
                    Some(theme) => options.theme = theme,
                    None => faults.push("theme must be light, dark or auto.".to_owned()),
                },
                "accent" => match Rgb::parse(&value) {
                    Some(accent) => options.accent = Some(accent),
                    None => faults.push("accent must be a hex colour, such as 0a5a78.".to_owned()),
                },
                "lang" => match Language::find(&value) {
                    Some(language) => options.language = Some(language),
                    None => faults.push("lang must be en, es, de or fr.".to_owned()),
                },
                _ => {}
            }
        }
        if let Some(accent) = options.accent {
            let (theme, contrast) = (options.theme, options.theme.contrast(accent));
            if contrast < CONTRAST_MIN {
                let (name, direction) = match theme {
                    Theme::Light | Theme::Auto => ("light", "darker"),
                    Theme::Dark => ("dark", "lighter"),
                };
                faults.push(format!(
                    "accent must be easy to read: #{accent} has a contrast of {contrast:.1} with the {name} background; it must \
                     be at least {CONTRAST_MIN}. Use a {direction} colour.",
                ));
            }
        }
        (options, faults)
    }
}

/// A query string with the options that differ from the defaults.
impl fmt::Display for EmbedOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let usual = Self::default();
        let mut query = form_urlencoded::Serializer::new(String::new());
        if self.layout != usual.layout {
            query.append_pair("layout", self.layout.name());
        }
        if self.limit != usual.limit {
            query.append_pair("limit", &self.limit.to_string());
        }
        if self.min_rating != usual.min_rating {
            query.append_pair("min_rating", &self.min_rating.to_string());
        }
        if self.theme != usual.theme {
            query.append_pair("theme", self.theme.name());
        }
        if let Some(accent) = self.accent {
            query.append_pair("accent", &accent.to_string());
        }
        if let Some(language) = self.language {
            query.append_pair("lang", language.tag());
        }
        f.write_str(&query.finish())
    }
}

/// The HTML that embeds the frame, with `label` as its title: a fixed height, which the script replaces with the
/// height of the content.
pub fn snippet(options: &EmbedOptions, label: &str, links: &Links) -> String {
    let (query, path) = (options.to_string(), links.absolute(EMBED_PATH));
    let source = if query.is_empty() {
        path
    } else {
        format!("{path}?{query}")
    };
    format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"480\" loading=\"lazy\" style=\"border:0\"></iframe>\n\
         <script async src=\"{}\"></script>",
        attribute(&source),
        attribute(label),
        links.absolute(EMBED_SCRIPT_PATH)
    )
}

/// Escapes text for an attribute in a snippet; the page then escapes the whole snippet.
pub fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// The endpoint of `/embed`.
pub struct Embed(pub Arc<Ctx>);

impl Endpoint for Embed {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let snapshot = self.0.current.load();
        let (options, faults) = EmbedOptions::parse(request.uri().query().unwrap_or_default());
        let is_fault = !faults.is_empty();
        let work = async {
            let html = apart(|| show(&snapshot, options, faults, &self.0.links));
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

fn show(snapshot: &Snapshot, options: EmbedOptions, faults: Vec<String>, links: &Links) -> String {
    let business = &snapshot.input.business;
    let mut site = Site::new(business, links);
    if let Some(language) = options.language {
        site.locale = Locale::new(language, business);
    }
    let is_right = faults.is_empty();
    let EmbedOptions {
        layout,
        limit,
        min_rating,
        theme,
        accent,
        language: _,
    } = options;
    let reviews = if is_right {
        newest_of(snapshot, limit, min_rating)
    } else {
        Vec::new()
    };
    let template = EmbedPage {
        home_url: links.home(),
        stylesheet: embed_stylesheet_path(),
        script: EMBED_SCRIPT_PATH,
        layout: layout.name(),
        is_carousel: layout == Layout::Carousel,
        theme: Some(theme)
            .filter(|theme| *theme != Theme::Auto)
            .map(Theme::name),
        accent: accent.filter(|_| is_right).map(|accent| accent.to_string()),
        reviews: reviews
            .into_iter()
            .map(|review| ReviewFragment::in_list(review, business, &site))
            .collect(),
        rating: RatingFigure::of(&snapshot.input.review_index, &site.locale).filter(|_| is_right),
        filtered: (is_right && min_rating > 1).then(|| {
            let least = site.locale.number(u64::from(min_rating));
            (site.locale).message_with("embed-filtered", &[("stars", &least)])
        }),
        heading: (site.locale).message_with("reviews-of", &[("business", &business.name)]),
        site,
        faults,
    };
    super::rendered(&template)
}

#[cfg(test)]
mod tests {
    use super::{EmbedOptions, Layout, Theme};

    #[test]
    fn options_are_read_and_written_alike() {
        let query = "layout=grid&limit=3&min_rating=4&theme=dark&accent=7cc7e0&lang=de";
        let (options, faults) = EmbedOptions::parse(&format!("{query}&utm=x"));
        assert_eq!(faults, [""; 0]);
        assert_eq!((options.layout, options.theme), (Layout::Grid, Theme::Dark));
        assert_eq!(options.to_string(), query);
        let usual = EmbedOptions::parse("limit=&theme=light&layout=list");
        assert_eq!(usual, (EmbedOptions::default(), Vec::new()));
        assert_eq!(usual.0.to_string(), "");
    }

    #[test]
    fn every_wrong_option_is_named_at_once() {
        for (query, names) in [
            ("limit=0", &["limit"][..]),
            ("limit=21&theme=pink", &["limit", "theme"]),
            ("min_rating=6&layout=heap", &["min_rating", "layout"]),
            ("accent=blue&lang=xx", &["accent", "lang"]),
            // Yellow on white, and dark blue on black.
            ("accent=ffee00", &["accent"]),
            ("accent=0a5a78&theme=dark", &["accent"]),
            ("accent=ffee00&theme=dark", &[]),
            ("accent=ffee00&theme=auto", &[]),
        ] {
            let (_, faults) = EmbedOptions::parse(query);
            let named: Vec<&str> = faults
                .iter()
                .filter_map(|fault| fault.split(' ').next())
                .collect();
            assert_eq!(named, names, "{query}");
        }
    }
}
