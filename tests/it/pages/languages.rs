//! Pages are in the language of the business, with the dates of its country; documents stay as they are.

use super::{BROWSER, between, seeded};
use crate::support::{TestApp, assert_has};

/// The pages, with parameters.
const PAGES: [&str; 10] = [
    "/",
    "/insights",
    "/insights?aspect=price",
    "/insights?aspect=price&polarity=negative&limit=1",
    "/insights?technician=Mike+Alvarez",
    "/developers",
    "/transparency",
    "/embed",
    "/embed?min_rating=4",
    "/nothing",
];

async fn set_language(app: &TestApp, language: &str) {
    app.shell(&format!("update business set language = '{language}'"))
        .await;
}

#[tokio::test]
async fn every_page_is_written_in_the_language_of_the_business() {
    let app = seeded().await;
    let id = app.get("/reviews.json").await.ids()[0].clone();
    let permalink = format!("/reviews/{id}");
    for (language, tag, heading, reviews) in [
        ("de-AT", "de", "Bewertungen von ", "256 Bewertungen"),
        ("es", "es", "Reseñas de ", "256 reseñas"),
        ("fr", "fr", "Avis sur ", "256 avis"),
        ("en-GB", "en", "Reviews of ", "256 reviews"),
        // A language without page texts.
        ("it", "en", "Reviews of ", "256 reviews"),
    ] {
        set_language(&app, language).await;
        for target in PAGES.into_iter().chain([permalink.as_str()]) {
            let html = app.get_with(target, &[BROWSER]).await.text();
            let start = format!("<!DOCTYPE html>\n<html lang=\"{tag}\"");
            assert!(html.starts_with(&start), "{language} {target}");
        }
        let home = app.text("/").await;
        let name = "Saltbush Air &amp; Plumbing";
        assert_has(&home, &format!("<h1>{heading}{name}</h1>"));
        assert!(home.contains(reviews), "{language}: {reviews}");
        assert!(app.text("/badge.svg").await.contains(reviews));
        // Customers' texts keep their language.
        let texts = between(&home, "<p class=\"text\"", ">");
        assert!(texts.iter().all(|one| one.contains("dir=\"auto\"")));
        assert!(texts.iter().any(|one| one.contains("lang=\"en\"")));
    }
}

#[tokio::test]
async fn summary_and_topics_are_in_the_language_of_the_page() {
    let app = seeded().await;
    // Without a language, they would be presumed to be in that of the business.
    app.shell("update review set language = 'en' where language is null")
        .await;
    let english = app.json("/insights.json").await;
    set_language(&app, "de").await;
    let html = app.text("/insights").await;
    for word in [
        "Reaktionszeit",
        "Preis: ",
        "Am häufigsten genannt: ",
        "Pünktlichkeit",
    ] {
        assert!(html.contains(word), "{word}");
    }
    for sentence in english["summary"]["sentences"].as_array().unwrap() {
        let text = sentence["text"].as_str().unwrap();
        assert!(!html.contains(text), "{text}");
    }
    // Derived answers are English; the sections above have their figures.
    let faq = english["faq"].as_array().unwrap();
    let english_page = {
        set_language(&app, "en").await;
        app.text("/insights").await
    };
    let (own, derived): (Vec<_>, Vec<_>) =
        faq.iter().partition(|entry| entry["basis"] == "editorial");
    assert!(!own.is_empty() && !derived.is_empty());
    for entry in derived {
        let question = entry["question"].as_str().unwrap();
        assert!(!html.contains(question) && english_page.contains(question));
    }
    assert!(html.contains(own[0]["question"].as_str().unwrap()));
    set_language(&app, "de").await;
    let german = app.json("/insights.json").await;
    assert_eq!(german["summary"], english["summary"]);
    assert_eq!(german["aspects"], english["aspects"]);
}

#[tokio::test]
async fn a_frame_can_request_another_language() {
    let app = seeded().await;
    let html = app.text("/embed?lang=fr").await;
    assert!(html.contains("<html lang=\"fr\"") && html.contains("Avis sur "));
    let html = app.text("/embed?lang=es-MX&min_rating=4").await;
    assert!(html.contains("solo se muestran reseñas de 4 estrellas o más"));
    assert_eq!(app.get("/embed?lang=tlh").await.status, 400);
}

#[tokio::test]
async fn counts_of_one_use_the_singular() {
    let app = TestApp::uncoded(&crate::support::Generator::new(7).reviews(1)).await;
    app.name_business().await;
    for language in ["en", "es", "de", "fr"] {
        set_language(&app, language).await;
        for target in ["/", "/embed", "/insights", "/badge.svg"] {
            let text = app.text(target).await;
            for plural in [
                "1 reviews",
                "1 stars",
                "1 reseñas",
                "1 estrellas",
                "1 Bewertungen",
                "1 Sterne",
                "1 étoiles",
                "All 1 ",
                "1 texts",
            ] {
                assert!(!text.contains(plural), "{language} {target}: {plural}");
            }
        }
    }
}

#[tokio::test]
async fn the_front_page_is_for_customers() {
    let app = seeded().await;
    app.shell(
        "update business set review_links = '[{\"name\": \"Google\", \"url\": \"https://g.example/r\"},
           {\"name\": \"Bad\", \"url\": \"javascript:alert(1)\"}, {\"name\": \"Half\"}]'",
    )
    .await;
    let html = app.text("/").await;
    assert_has(
        &html,
        "<a class=\"button\" href=\"https://g.example/r\" rel=\"noopener nofollow\" aria-label=\"Write a review on Google\">Google</a>",
    );
    assert!(!html.contains("javascript:") && !html.contains(">Half<"));
    let main = between(&html, "<main", "</main>")[0];
    for word in ["iframe", "MCP", "WebSub", "/docs", "JSON", "<blockquote"] {
        assert!(!main.contains(word), "the front page says {word}");
    }
    assert_eq!(html.matches("href=\"/developers\"").count(), 1);
    let developers = app.text("/developers").await;
    for word in [
        "/embed",
        "/badge.svg",
        "/mcp",
        "/api/websub/hub",
        "href=\"/docs\"",
    ] {
        assert!(developers.contains(word), "{word}");
    }
    // 4.55: four stars and 55% of the fifth.
    assert!(html.contains("aria-label=\"4.55 of 5 stars\"") && html.contains("offset=\"91.7%\""));
    let facets = app.json("/facets.json").await;
    for source in facets["sources"].as_array().unwrap().iter().take(5) {
        let name = source["name"].as_str().unwrap();
        let query = name.replace(' ', "+");
        assert!(html.contains(&format!("<a href=\"/search?source={query}\">{name}</a>")));
    }
}

#[tokio::test]
async fn pages_have_metadata_for_sharing() {
    let app = seeded().await;
    let id = app.get("/reviews.json").await.ids()[0].clone();
    for target in ["/", "/insights", "/developers", &format!("/reviews/{id}")] {
        let html = app.text(target).await;
        let of = |name: &str| {
            let start = format!("<meta property=\"og:{name}\" content=\"");
            between(&html, &start, "\"")
                .first()
                .map(|one| (*one).to_owned())
        };
        let canonical = between(&html, "<link rel=\"canonical\" href=\"", "\"")[0].to_owned();
        assert_eq!(of("url"), Some(canonical), "{target}");
        let title = between(&html, "<title>", "</title>")[0].to_owned();
        assert_eq!(of("title"), Some(title), "{target}");
        assert!(of("site_name").is_some(), "{target}");
    }
}
