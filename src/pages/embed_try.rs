//! `/embed/try`: a form with every option of the frame and the badge, a preview and the HTML to paste.

use std::borrow::Cow;
use std::sync::Arc;

use askama::Template;
use poem::{Endpoint, Request, Response, Result};

use super::assets::{EMBED_SCRIPT_PATH, try_script_path};
use super::badge::{self, BADGE_PATH};
use super::embed::{EMBED_PATH, EmbedOptions, LIMIT_MAX, Layout, Theme, snippet};
use super::frame::{Frame, POLICY_FRAMING, Site, page};
use super::locale::Language;
use crate::compute::apart;
use crate::links::Links;
use crate::snapshot::Snapshot;
use crate::web::context::Ctx;
use crate::web::in_turn;

pub const TRY_PATH: &str = "/embed/try";

#[derive(Template)]
#[template(path = "embed_try_page.html")]
struct EmbedTryPage {
    frame: Frame,
    action: &'static str,
    options: EmbedOptions,
    limit_max: usize,
    layouts: Vec<SelectOption>,
    themes: Vec<SelectOption>,
    languages: Vec<SelectOption>,
    accent: String,
    faults: Vec<String>,
    /// The path of the frame with these options.
    source: String,
    snippet: String,
    badges: [BadgeExample; 2],
    embed_script: &'static str,
    script: &'static str,
}

struct SelectOption {
    value: &'static str,
    text: Cow<'static, str>,
    is_chosen: bool,
}

struct BadgeExample {
    id: &'static str,
    source: String,
    snippet: String,
}

pub struct EmbedTry(pub Arc<Ctx>);

impl Endpoint for EmbedTry {
    type Output = Response;

    async fn call(&self, request: Request) -> Result<Response> {
        let snapshot = self.0.current.load();
        let query = request.uri().query().unwrap_or_default();
        let work = async {
            let html = apart(|| show(&snapshot, query, &self.0.links));
            page(&request, Arc::clone(&snapshot), html, POLICY_FRAMING)
        };
        Ok(in_turn(&request, &self.0.compute, work).await)
    }
}

fn show(snapshot: &Snapshot, query: &str, links: &Links) -> String {
    let business = &snapshot.input.business;
    let site = Site::new(business, links);
    let locale = site.locale.clone();
    let (options, faults) = EmbedOptions::parse(query);
    let layouts = Layout::ALL.map(|layout| SelectOption {
        value: layout.name(),
        text: locale.message(match layout {
            Layout::List => "try-layout-list",
            Layout::Grid => "try-layout-grid",
            Layout::Carousel => "try-layout-carousel",
        }),
        is_chosen: layout == options.layout,
    });
    let themes = Theme::ALL.map(|theme| SelectOption {
        value: theme.name(),
        text: locale.message(match theme {
            Theme::Light => "try-theme-light",
            Theme::Dark => "try-theme-dark",
            Theme::Auto => "try-theme-auto",
        }),
        is_chosen: theme == options.theme,
    });
    let languages = Language::ALL.map(|language| SelectOption {
        value: language.tag(),
        text: Cow::Borrowed(language.name()),
        is_chosen: Some(language) == options.language,
    });
    let label = locale.message_with("reviews-of", &[("business", &business.name)]);
    let badge = |id: &'static str, is_short: bool| BadgeExample {
        id,
        source: format!("{}{BADGE_PATH}{}", site.root, badge::query(is_short)),
        snippet: badge::snippet(is_short, &label, links),
    };
    let template = EmbedTryPage {
        action: TRY_PATH,
        limit_max: LIMIT_MAX,
        layouts: layouts.into(),
        themes: themes.into(),
        languages: languages.into(),
        accent: options
            .accent
            .map(|accent| format!("#{accent}"))
            .unwrap_or_default(),
        source: format!("{}{EMBED_PATH}?{options}", site.root),
        snippet: snippet(&options, &label, links),
        badges: [badge("badge-full", false), badge("badge-short", true)],
        embed_script: EMBED_SCRIPT_PATH,
        script: try_script_path(),
        options,
        faults,
        frame: Frame {
            title: locale
                .message_with("try-title", &[("business", &business.name)])
                .into_owned(),
            description: None,
            canonical: Some(links.absolute(TRY_PATH)),
            is_hidden_from_search: true,
            site,
        },
    };
    super::rendered(&template)
}
