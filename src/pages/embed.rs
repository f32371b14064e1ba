//! `/embed`: rating and newest reviews for an `iframe` on another site, the only page that may be framed. It states
//! which reviews a filter omits (FTC 16 CFR 465: a filtered display must not pass for all reviews). And `/embed/try`, which
//! makes its HTML.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use askama::Template;
use poem::http::HeaderMap;
use poem::web::{Data, Path};
use poem::{Request, Response, handler};

use super::assets::{CSS, EMBED_SCRIPT_PATH};
use super::badge::{self, BADGE_PATH};
use super::frame::{
    Frame, POLICY, POLICY_FRAMEABLE, POLICY_FRAMING, Site, page, protect, refusal, render,
};
use super::home::RatingFigure;
use super::locale::{Locale, PageLanguage};
use super::review::{ReviewFragment, newest_of};
use crate::compute::run_long;
use crate::config::bounds::EMBED_LIMIT_MAX;
use crate::links::Links;
use crate::model::named;
use crate::model::text::escape_html;
use crate::snapshot::{CachedBody, Snapshot};
use crate::web::context::Ctx;
use crate::web::{ClientAddress, HttpProblem, wants_html};
use crate::wire::parameters::STARS;
use crate::wire::{Arguments, Issue, IssueCode};

pub const EMBED_PATH: &str = "/embed";
/// Default number of reviews shown.
const LIMIT_DEFAULT: u8 = 5;
/// The values that an address need not have.
const DEFAULTS: [(&str, &str); 4] = [
    ("layout", "list"),
    ("limit", "5"),
    ("min_rating", "1"),
    ("theme", "light"),
];

#[derive(Template)]
#[template(path = "embed_page.html")]
struct EmbedPage<'a> {
    site: &'a Site<'a>,
    options: EmbedOptions,
    faults: Vec<Issue>,
    rating: Option<RatingFigure>,
    reviews: Vec<String>,
}

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum EmbedLayout {
        /// One below the other.
        List = "list",
        /// Cards in rows that fill the width.
        Grid = "grid",
    }
}

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Theme {
        Light = "light",
        Dark = "dark",
        /// The theme of the reader's system.
        Auto = "auto",
    }
}

/// The options in the frame's address.
pub struct EmbedOptions {
    pub layout: EmbedLayout,
    pub limit: u8,
    pub min_rating: u8,
    pub theme: Theme,
    pub accent: Option<Rgb>,
    /// The language of the frame's own words; `None` for that of the business.
    pub language: Option<PageLanguage>,
}

impl EmbedOptions {
    /// Parses the query; its issues name unknown options, too. A known option without a value has its default.
    fn parse(query: &mut Arguments) -> Self {
        let layout = query.one_of("layout", &EmbedLayout::ALL, EmbedLayout::find, "");
        let limit = query.whole("limit", 1..=EMBED_LIMIT_MAX, "");
        let min_rating = query.whole("min_rating", STARS, "");
        let theme = query.one_of("theme", &Theme::ALL, Theme::find, "");
        let colour = "must be a hex colour, such as 0a5a78";
        let mut options = Self {
            layout: layout.unwrap_or(EmbedLayout::List),
            limit: limit.unwrap_or(LIMIT_DEFAULT),
            min_rating: min_rating.unwrap_or(1),
            theme: theme.unwrap_or(Theme::Light),
            accent: query.syntax("accent", colour, Rgb::parse, ""),
            language: query.one_of("lang", &PageLanguage::ALL, PageLanguage::of_tag, ""),
        };
        let message = format!("is not an option; there are {}", query.known.join(", "));
        for name in query.ignored_names() {
            let value = query.value(&name).unwrap_or_default();
            let issue = Issue::new(&name, IssueCode::InvalidString, message.as_str(), value);
            query.issues.push(issue);
        }
        let is_unreadable = |accent: &mut Rgb| {
            let [light, dark] = accent.contrasts();
            let contrast = match options.theme {
                Theme::Light => light,
                Theme::Dark => dark,
                Theme::Auto => light.max(dark),
            };
            contrast < CONTRAST_MIN
        };
        if let Some(accent) = options.accent.take_if(is_unreadable) {
            let message = format!(
                "must be easy to read: its contrast with the background must be at least {CONTRAST_MIN}"
            );
            let (code, accent) = (IssueCode::InvalidString, accent.to_string());
            query
                .issues
                .push(Issue::new("accent", code, message, &accent));
        }
        options
    }
}

/// The HTML that embeds the frame at `target`, with `label` as its title: a fixed height, which the script replaces with
/// the height of the content.
pub fn snippet(target: &str, label: &str, links: &Links) -> String {
    format!(
        "<iframe src=\"{}\" title=\"{}\" width=\"100%\" height=\"480\" loading=\"lazy\" style=\"border:0\"></iframe>\n\
         <script async src=\"{}\"></script>",
        escape_html(&links.absolute(target)),
        escape_html(label),
        links.absolute(EMBED_SCRIPT_PATH)
    )
}

#[handler]
pub async fn embed(
    Data(ctx): Data<&Arc<Ctx>>,
    client: ClientAddress,
    request: &Request,
) -> poem::Result<Response> {
    let snapshot = ctx.current.load();
    let mut query = Arguments::form(request.uri().query().unwrap_or_default());
    let options = EmbedOptions::parse(&mut query);
    let faults = query.issues;
    if !faults.is_empty() && !wants_html(request.headers()) {
        return Err(HttpProblem::invalid_parameters(faults).into());
    }
    let is_refused = !faults.is_empty();
    let _slot = ctx.turn(client).await?;
    let html = run_long(|| show(&snapshot, options, faults));
    if is_refused {
        return Ok(refusal(html));
    }
    let headers = request.headers();
    Ok(page(ctx, headers, &snapshot, html, POLICY_FRAMEABLE))
}

fn show(snapshot: &Snapshot, options: EmbedOptions, faults: Vec<Issue>) -> String {
    let links = &snapshot.input.links;
    let business = &snapshot.input.business;
    let mut site = Site::new(business, links);
    if let Some(language) = options.language {
        site.locale = Locale::new(language, business);
    }
    // With a wrong option, the page shows only the errors.
    let reviews = if faults.is_empty() {
        newest_of(snapshot, options.limit.into(), options.min_rating)
    } else {
        Vec::new()
    };
    render(&EmbedPage {
        options,
        faults,
        rating: RatingFigure::of(&snapshot.input.entries, &site.locale),
        reviews: ReviewFragment::list(reviews, &site),
        site: &site,
    })
}

// The accent colour of the frame: a hex colour with enough contrast to the frame's background (WCAG 2.2, 1.4.3).

/// Minimum contrast of text to its background.
pub const CONTRAST_MIN: f64 = 4.5;
/// `--bg` of the stylesheet, light and dark.
const BACKGROUNDS: [Rgb; 2] = [Rgb(0xff, 0xff, 0xff), Rgb(0x12, 0x17, 0x1a)];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(u8, u8, u8);

impl Rgb {
    /// Accepts `#0a5a78`, `0a5a78`, `#05a` and `05a`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        let digit = |digit: char| u8::try_from(digit.to_digit(16)?).ok();
        let digits: Vec<u8> = digits.chars().map(digit).collect::<Option<_>>()?;
        match digits[..] {
            [r, g, b] => Some(Self(r * 17, g * 17, b * 17)),
            [r1, r0, g1, g0, b1, b0] => Some(Self(r1 * 16 + r0, g1 * 16 + g0, b1 * 16 + b0)),
            _ => None,
        }
    }

    /// The contrast to the light and to the dark background, 1 to 21.
    pub fn contrasts(self) -> [f64; 2] {
        BACKGROUNDS.map(|background| {
            let (one, other) = (self.luminance(), background.luminance());
            (one.max(other) + 0.05) / (one.min(other) + 0.05)
        })
    }

    /// The variables of `embed.css` for the light frame, the dark one or both, depending on the contrast.
    fn stylesheet(self) -> String {
        let variables = ["--own-light", "--own-dark"].into_iter();
        let readable = (variables.zip(self.contrasts()))
            .filter(|(_, contrast)| *contrast >= CONTRAST_MIN)
            .map(|(variable, _)| format!("{variable}:#{self};"));
        format!(":root{{{}}}\n", readable.collect::<String>())
    }

    /// The relative luminance, 0 to 1 (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = |part: u8| {
            let part = f64::from(part) / 255.0;
            if part <= 0.04045 {
                part / 12.92
            } else {
                ((part + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

/// `/embed/accent/{colour}.css`: a stylesheet, because the pages' policy forbids inline styles.
#[handler]
pub fn accent_style(
    Data(ctx): Data<&Arc<Ctx>>,
    headers: &HeaderMap,
    Path(name): Path<String>,
) -> Result<Response, HttpProblem> {
    let colour = name.strip_suffix(".css").and_then(Rgb::parse);
    let colour = colour.ok_or_else(|| {
        HttpProblem::not_found(
            "Invalid colour; use three or six hex digits, as in /embed/accent/0a5a78.css.",
        )
    })?;
    let body = CachedBody::whole(CSS, colour.stylesheet());
    let response = ctx.respond(headers, &ctx.current.load(), &body);
    Ok(protect(response, POLICY))
}

// `/embed/try`: a form with every option of the frame and the badge, a preview and the HTML to paste.

pub const TRY_PATH: &str = "/embed/try";

#[derive(Template)]
#[template(path = "embed_try_page.html")]
struct EmbedTryPage<'a> {
    frame: Frame<'a>,
    options: EmbedOptions,
    faults: Vec<Issue>,
    /// The address of the frame with these options, below the base URL.
    target: String,
    /// The title of the frame, and the alternative text of the badge.
    label: Cow<'static, str>,
}

#[handler]
pub async fn try_embed(
    Data(ctx): Data<&Arc<Ctx>>,
    client: ClientAddress,
    request: &Request,
) -> poem::Result<Response> {
    let snapshot = ctx.current.load();
    let mut query = Arguments::form(request.uri().query().unwrap_or_default());
    let options = EmbedOptions::parse(&mut query);
    let wrong = query.issues.iter().flat_map(|issue| &issue.path);
    let usual = DEFAULTS
        .iter()
        .filter(|(name, value)| query.value(name) == Some(value));
    let omitted: Vec<&str> = wrong
        .map(String::as_str)
        .chain(usual.map(|(name, _)| *name))
        .collect();
    let target = query.address(EMBED_PATH, &omitted, &[]);
    let faults = query.issues;
    let _slot = ctx.turn(client).await?;
    let business = &snapshot.input.business;
    let html = run_long(|| {
        let site = Site::new(business, &snapshot.input.links);
        let named = [("business", business.name.as_str())];
        render(&EmbedTryPage {
            options,
            faults,
            target,
            label: site.locale.message_with("reviews-of", &named),
            frame: Frame::unlisted(site.locale.message_with("try-title", &named), &site),
        })
    });
    let headers = request.headers();
    Ok(page(ctx, headers, &snapshot, html, POLICY_FRAMING))
}

#[cfg(test)]
mod tests {
    use super::Rgb;

    #[test]
    fn a_colour_is_three_or_six_hex_digits() {
        for (text, colour) in [
            ("#0a5a78", Some("0a5a78")),
            ("0A5A78", Some("0a5a78")),
            ("#05a", Some("0055aa")),
            ("", None),
            ("#", None),
            ("#12345", None),
            ("##05a", None),
            ("rebeccapurple", None),
            ("é05", None),
        ] {
            let parsed = Rgb::parse(text).map(|colour| colour.to_string());
            assert_eq!(parsed.as_deref(), colour, "{text}");
        }
    }
}
