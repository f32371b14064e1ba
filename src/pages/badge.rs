//! `/badge.svg`: the rating as a scalable image, with the name of the business or, in the short form, without it.

use std::fmt::Write;

use poem::http::StatusCode;
use poem::{Request, Response};

use super::escape::{attribute, escaped};
use super::frame::{POLICY, protect};
use super::home::newest_day;
use super::locale::Locale;
use super::words::fold;
use crate::links::Links;
use crate::snapshot::{ReviewIndex, Snapshot};
use crate::web;
use crate::web::context::Ctx;
use crate::web::problem;

pub const BADGE_PATH: &str = "/badge.svg";
/// In pixels: the height, and the maximum average width of a character in a name.
const HEIGHT: usize = 36;
const CHARACTER_WIDTH: usize = 8;
/// Longer names are cut.
const NAME_CHARACTERS: usize = 40;

/// `form=short` omits the name and the day.
pub fn answer(ctx: &Ctx, request: &Request) -> Response {
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = url::form_urlencoded::parse(query.as_bytes());
    let form = pairs.find(|(name, value)| name == "form" && !value.is_empty());
    let is_short = match form.as_ref().map(|(_, form)| &**form) {
        None | Some("full") => false,
        Some("short") => true,
        Some(_) => return problem(StatusCode::BAD_REQUEST, "form must be full or short."),
    };
    let snapshot = ctx.current.load();
    let svg = badge(&snapshot, is_short);
    let response = web::whole_body(request.headers(), snapshot, "image/svg+xml", svg);
    protect(response, POLICY)
}

/// The badge's query string.
pub const fn query(is_short: bool) -> &'static str {
    if is_short { "?form=short" } else { "" }
}

/// The HTML that embeds the badge, with `label` as the alternative text.
pub fn snippet(is_short: bool, label: &str, links: &Links) -> String {
    format!(
        "<a href=\"{}\"><img src=\"{}{}\" alt=\"{}\" height=\"36\" style=\"max-width:100%;height:auto\"></a>",
        links.home(),
        links.absolute(BADGE_PATH),
        query(is_short),
        attribute(label)
    )
}

/// The rating with the day of the newest review; in short `★ 4.55 (256)`.
fn figure(review_index: &ReviewIndex, locale: &Locale, is_short: bool) -> String {
    let rating_counts = review_index.rating_counts();
    let Some(mean) = rating_counts.mean_hundredths() else {
        return locale.message("badge-no-reviews").into_owned();
    };
    let (mean, total) = (locale.hundredths(mean), rating_counts.total());
    if is_short {
        return format!("★ {mean} ({})", locale.number(total));
    }
    let newest = newest_day(review_index).map(|newest| format!(" · {}", locale.day(newest)));
    let reviews = locale.counted("reviews", total);
    format!("★ {mean} · {reviews}{}", newest.unwrap_or_default())
}

/// The badge: stars, mean and count, and in the long form the name and the newest day, as text that scales and that
/// screen readers read.
fn badge(snapshot: &Snapshot, is_short: bool) -> String {
    let input = &snapshot.input;
    let name = fold(&input.business.name, NAME_CHARACTERS)
        .map_or_else(|| input.business.name.clone(), |(start, _)| start + " …");
    let figure = figure(&input.review_index, &Locale::of(&input.business), is_short);
    let wide = |text: &str| (text.chars().count() + 3) * CHARACTER_WIDTH;
    let left = if is_short { 0 } else { wide(&name) };
    let right = wide(&figure);
    let (width, middle) = (left + right, left + right / 2);
    let (name, figure) = (escaped(&name), escaped(&figure));
    let mut svg = String::new();
    // Writing into a String cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{HEIGHT}\" viewBox=\"0 0 {width} {HEIGHT}\" role=\"img\" \
         aria-label=\"{name}: {figure}\"><title>{name}: {figure}</title><rect width=\"{width}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"#1b2124\"/>"
    );
    let panel = if is_short {
        format!("<rect width=\"{width}\" height=\"{HEIGHT}\" rx=\"6\" fill=\"#0a5a78\"/>")
    } else {
        let inner = right - 6;
        format!(
            "<path d=\"M{left} 0h{inner}a6 6 0 0 1 6 6v24a6 6 0 0 1-6 6h-{inner}z\" fill=\"#0a5a78\"/>"
        )
    };
    let _ = write!(
        svg,
        "{panel}<g fill=\"#fff\" font-family=\"system-ui,Segoe UI,Roboto,Helvetica,Arial,sans-serif\" font-size=\"14\" text-anchor=\"middle\">"
    );
    if !is_short {
        let _ = write!(svg, "<text x=\"{}\" y=\"23\">{name}</text>", left / 2);
    }
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"23\" font-weight=\"600\">{figure}</text></g></svg>"
    );
    svg
}
