//! Pages match the documents, and no text of a review runs on them.

mod embed;
mod figures;
mod hostile;
mod languages;
mod machines;
mod search;
mod transparency;

use serde_json::Value;

use crate::support::{Generator, TestApp, table};

/// The `Accept` header of Chromium for a link.
const BROWSER: (&str, &str) = (
    "accept",
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
);

/// A named business with a few generated reviews.
async fn named(reviews: usize) -> TestApp {
    let app = TestApp::uncoded(&Generator::new(7).reviews(reviews)).await;
    app.name_business().await;
    app
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

fn permalinks(html: &str) -> Vec<&str> {
    between(html, "<a href=\"/reviews/", "\"")
}

/// Checks pages of the sample business: a line has the target, how often its page has a text, and the text.
async fn check_texts(app: &TestApp, lines: &str) {
    for [target, count, text] in table(lines) {
        let page = app.get_with(target, &[BROWSER]).await.text();
        let found = page.matches(text).count();
        assert_eq!(found.to_string(), count, "{target}: {text}");
    }
}
