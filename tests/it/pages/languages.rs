//! Pages are in the language of the business, with the dates of its country; documents stay as they are.

use super::{BROWSER, between};
use crate::support::{TestApp, array_of, assert_has, str_of};

/// The pages, with parameters.
const PAGES: &str = "/ /insights /search?aspect=price&polarity=negative /developers /transparency /embed /embed?min_rating=4 /nothing";

async fn set_language(app: &TestApp, language: &str) {
    app.shell(&format!("update business set language = '{language}'"))
        .await;
}

#[tokio::test]
async fn every_page_is_written_in_the_language_of_the_business() {
    let app = TestApp::seeded().await;
    app.shell("delete from review where review_id not in (select review_id from review limit 30)")
        .await;
    let id = app.get("/reviews.json").await.ids()[0].clone();
    let permalink = format!("/reviews/{id}");
    for (language, tag, heading, reviews) in [
        ("de-AT", "de", "Bewertungen von ", "30 Bewertungen"),
        ("es", "es", "Reseñas de ", "30 reseñas"),
        ("fr", "fr", "Avis sur ", "30 avis"),
        ("en-GB", "en", "Reviews of ", "30 reviews"),
        // A language without page texts.
        ("it", "en", "Reviews of ", "30 reviews"),
    ] {
        set_language(&app, language).await;
        for target in PAGES.split(' ').chain([permalink.as_str()]) {
            let html = app.get_with(target, &[BROWSER]).await.text();
            let start = format!("<!DOCTYPE html>\n<html lang=\"{tag}\"");
            assert!(html.starts_with(&start), "{language} {target}");
        }
        let home = app.text("/").await;
        let name = "Saltbush Air &amp; Plumbing";
        assert_has(&home, &format!("<h1>{heading}{name}</h1>"));
        assert_has(&home, reviews);
        assert_has(&app.text("/badge.svg").await, reviews);
        // Customers' texts keep their language.
        let texts = between(&home, "<p class=\"text\"", ">");
        assert!(texts.iter().all(|one| one.contains("dir=\"auto\"")));
        assert!(texts.iter().any(|one| one.contains("lang=\"en\"")));
    }
}

#[tokio::test]
async fn summary_and_topics_are_in_the_language_of_the_page() {
    let app = TestApp::seeded().await;
    // Without a language, they would be presumed to be in that of the business.
    app.shell("update review set language = 'en' where language is null")
        .await;
    let english = app.json("/insights.json").await;
    let english_page = app.text("/insights").await;
    set_language(&app, "de").await;
    let html = app.text("/insights").await;
    let parts = "Reaktionszeit|Kommunikation: 84\u{a0}% positiv|Pünktlichkeit";
    for part in parts.split('|') {
        assert_has(&html, part);
    }
    for sentence in array_of(&english["summary_sentences"]) {
        assert!(!html.contains(str_of(&sentence["text"])), "{sentence}");
    }
    // Derived answers are English; the sections above have their figures.
    let faq = array_of(&english["faq"]).iter();
    let (own, derived): (Vec<_>, Vec<_>) = faq.partition(|entry| entry["basis"] == "editorial");
    assert!(!own.is_empty() && !derived.is_empty());
    for entry in derived {
        let question = str_of(&entry["question"]);
        assert!(!html.contains(question) && english_page.contains(question));
    }
    assert_has(&html, str_of(&own[0]["question"]));
    let german = app.json("/insights.json").await;
    for part in ["summary", "aspects"] {
        assert_eq!(german[part], english[part]);
    }
}

#[tokio::test]
async fn the_front_page_is_for_customers() {
    let app = TestApp::seeded().await;
    app.shell(
        "update business set review_links = '[{\"name\": \"Google\", \"url\": \"https://g.example/r\"},
           {\"name\": \"Bad\", \"url\": \"javascript:alert(1)\"}]'",
    )
    .await;
    let html = app.text("/").await;
    let link = "<a class=\"button\" href=\"https://g.example/r\" rel=\"noopener nofollow\" aria-label=\"Write a review on Google\">Google</a>";
    // 4.55: four stars and 55% of the fifth.
    for part in [link, "aria-label=\"4.55 of 5 stars\"", "offset=\"91.7%\""] {
        assert_has(&html, part);
    }
    assert!(!html.contains("javascript:"));
    let main = between(&html, "<main", "</main>")[0];
    for word in ["iframe", "MCP", "WebSub", "/docs", "JSON", "<blockquote"] {
        assert!(!main.contains(word), "the front page says {word}");
    }
    assert_eq!(html.matches("href=\"/developers\"").count(), 1);
    let developers = app.text("/developers").await;
    let parts = "/embed /badge.svg /mcp /api/websub/hub href=\"/docs\"";
    for part in parts.split(' ') {
        assert_has(&developers, part);
    }
    for source in array_of(&app.json("/facets.json").await["sources"]) {
        let name = str_of(&source["name"]);
        let query = name.replace(' ', "+");
        let link = format!("<a href=\"/search?source={query}\">{name}</a>");
        assert_has(&html, &link);
    }
}

#[tokio::test]
async fn pages_have_metadata_for_sharing() {
    let app = TestApp::seeded().await;
    app.shell("delete from review where review_id not in (select review_id from review limit 30)")
        .await;
    let id = app.get("/reviews.json").await.ids()[0].clone();
    for target in ["/", "/insights", "/developers", &format!("/reviews/{id}")] {
        let html = app.text(target).await;
        let property = |name: &str| {
            let start = format!("<meta property=\"og:{name}\" content=\"");
            between(&html, &start, "\"")
        };
        let canonical = between(&html, "<link rel=\"canonical\" href=\"", "\"");
        assert_eq!(property("url")[0], canonical[0], "{target}");
        let title = between(&html, "<title>", "</title>");
        assert_eq!(property("title")[0], title[0], "{target}");
        assert_eq!(property("site_name").len(), 1, "{target}");
    }
}
