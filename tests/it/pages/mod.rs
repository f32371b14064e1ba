//! Pages match the documents, and no text of a review runs on them.

mod embed;
mod figures;
mod hostile;
mod languages;
mod machines;
mod search;
mod transparency;

use serde_json::Value;

use crate::support::TestApp;

/// The `Accept` header of Chromium for a link.
const BROWSER: (&str, &str) = (
    "accept",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
);

async fn seeded() -> TestApp {
    TestApp::seeded().await
}

/// All texts between `start` and `end`.
fn between<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    text.split(start)
        .skip(1)
        .map(|part| part.split(end).next().unwrap())
        .collect()
}

fn structured(html: &str) -> Value {
    let json = between(html, "<script type=\"application/ld+json\">", "</script>");
    serde_json::from_str(json[0]).unwrap()
}

fn permalinks(html: &str) -> Vec<String> {
    between(html, "<a href=\"/reviews/", "\"")
        .into_iter()
        .map(str::to_owned)
        .collect()
}
