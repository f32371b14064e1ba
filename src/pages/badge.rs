//! `/badge.svg`: the rating as a scalable image, with the name of the business or, in the short form, without it.

use std::sync::Arc;

use askama::Template;
use poem::web::Data;
use poem::{Request, Response, handler};

use super::frame::{POLICY, protect, render};
use super::home::newest_day;
use super::locale::Locale;
use super::words::shortened;
use crate::links::Links;
use crate::model::named;
use crate::model::text::{clean_xml, escape_html, visible};
use crate::snapshot::{CachedBody, Entries, Snapshot};
use crate::web::HttpProblem;
use crate::web::context::Ctx;
use crate::wire::Arguments;

pub const BADGE_PATH: &str = "/badge.svg";
/// In pixels: the maximum average width of a character in a name.
const CHARACTER_WIDTH: usize = 8;
/// Longer names are cut.
const NAME_CHARACTERS: usize = 40;

named! {
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum BadgeForm {
        Full = "full",
        /// Without the name and the day.
        Short = "short",
    }
}

#[handler]
pub fn show(Data(ctx): Data<&Arc<Ctx>>, request: &Request) -> poem::Result<Response> {
    let mut query = Arguments::form(request.uri().query().unwrap_or_default());
    let is_short =
        query.one_of("form", &BadgeForm::ALL, BadgeForm::find, "") == Some(BadgeForm::Short);
    HttpProblem::check_parameters(&query.issues)?;
    let snapshot = ctx.current.load();
    if !snapshot.input.business.is_set_up() {
        return Err(
            HttpProblem::not_found("This service is not set up yet, so it has no badge.").into(),
        );
    }
    let svg = badge(&snapshot, is_short);
    let body = CachedBody::whole("image/svg+xml", svg);
    let response = ctx.respond(request.headers(), &snapshot, &body);
    Ok(protect(response, POLICY))
}

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
        escape_html(label)
    )
}

/// The rating with the day of the newest review; in short `★ 4.55 (256)`.
fn figure(entries: &Entries, locale: &Locale, is_short: bool) -> String {
    let rating_counts = entries.rating_counts();
    let Some(mean) = rating_counts.mean_hundredths() else {
        return locale.message("badge-no-reviews").into_owned();
    };
    let (mean, total) = (locale.hundredths(mean), rating_counts.total());
    if is_short {
        return format!("★ {mean} ({})", locale.number(total));
    }
    let newest = newest_day(entries).map(|newest| format!(" · {}", locale.day(newest)));
    let reviews = locale.counted("reviews", total);
    format!("★ {mean} · {reviews}{}", newest.unwrap_or_default())
}

/// Stars, mean and count, and in the long form the name and the newest day, as text that scales and that screen readers
/// read.
#[derive(Template)]
#[template(path = "badge_fragment.html")]
struct BadgeFragment {
    name: String,
    figure: String,
    /// The width of the name's panel; 0 in the short form.
    left: usize,
    right: usize,
}

fn badge(snapshot: &Snapshot, is_short: bool) -> String {
    let input = &snapshot.input;
    let name = clean_xml(&shortened(&visible(&input.business.name), NAME_CHARACTERS));
    let figure = figure(&input.entries, &Locale::of(&input.business), is_short);
    let wide = |text: &str| (text.chars().count() + 3) * CHARACTER_WIDTH;
    let svg = render(&BadgeFragment {
        left: if is_short { 0 } else { wide(&name) },
        right: wide(&figure),
        name,
        figure,
    });
    // Askama drops the last line break of a template.
    svg + "\n"
}
