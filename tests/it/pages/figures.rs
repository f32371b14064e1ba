//! Pages show the figures of the documents, each with a link to its evidence.

use serde_json::json;

use super::{BROWSER, between, permalinks, structured};
use crate::support::{Generator, TestApp, array_of, assert_has, str_of, with_sample};

#[test]
fn the_front_page_matches_the_dataset() {
    with_sample(async |app| {
        let html = app.text("/").await;
        let dataset = app.json("/reviews.json").await;
        let rating = &dataset["aggregate_rating"];
        let (mean, count) = (&rating["rating_value"], &rating["review_count"]);
        assert_has(&html, &format!("<b>{mean}</b>"));
        assert_has(&html, &format!("of 5, from {count} reviews"));
        for (stars, noun) in (1..=5).zip(["star", "stars", "stars", "stars", "stars"]) {
            let count = &rating["distribution"][stars.to_string()];
            assert_has(&html, &format!("{stars} {noun}: {count} reviews"));
        }
        let withheld = &dataset["withheld"]["count"];
        assert_has(&html, &format!("{withheld} reviews withheld"));
        let newest = array_of(&dataset["reviews"]).iter().take(20);
        let newest: Vec<&str> = newest.map(|review| str_of(&review["id"])).collect();
        let mut shown = permalinks(html.split("id=\"newest\"").nth(1).unwrap());
        shown.dedup();
        assert_eq!(shown, newest);
        let data = structured(&html);
        assert_eq!(data["@type"], dataset["business"]["type"]);
        assert_eq!(data["aggregateRating"]["ratingValue"], *mean);
        assert_eq!(data["aggregateRating"]["reviewCount"], *count);
        let hours = json!({"days": ["saturday"], "opens": "08:00", "closes": "13:00"});
        assert_eq!(dataset["business"]["hours"][1], hours);
        let hours = &data["openingHoursSpecification"][1];
        assert_eq!(hours["dayOfWeek"][0], "https://schema.org/Saturday");
        assert_eq!(hours["closes"], "13:00");
    });
}

#[test]
fn figures_of_the_insights_link_to_searches() {
    with_sample(async |app| {
        let html = app.text("/insights").await;
        let insights = app.json("/insights.json").await;
        for aspect in array_of(&insights["aspects"]) {
            let (id, label) = (str_of(&aspect["id"]), str_of(&aspect["label"]));
            let link = format!("<a href=\"/search?aspect={id}\">{label}</a>");
            assert_has(&html, &link);
        }
        for topic in array_of(&insights["topics"]) {
            let phrase = str_of(&topic["phrase"]);
            let query = phrase.replace(' ', "+");
            assert_has(&html, &format!("query={query}\">{phrase}</a>"));
        }
    });
}

#[tokio::test]
async fn pages_without_a_named_business_explain_the_set_up() {
    let app = TestApp::with(&Generator::new(7).reviews(3)).await;
    let read = async |target| app.get_with(target, &[BROWSER]).await.text();
    let pages = "/ /insights /search?rating=5 /developers /embed/try";
    for target in pages.split(' ') {
        let html = read(target).await;
        assert_has(&html, "<h1>This service is not set up yet</h1>");
        assert_has(&html, "reviews init --name NAME");
        let absent = "Unnamed|ld+json|class=\"score\"|badge.svg|og:title";
        for absent in absent.split('|') {
            assert!(!html.contains(absent), "{target}: {absent}");
        }
    }
    let id = app.get("/reviews.json").await.ids()[0].clone();
    let permalink = format!("/reviews/{id}");
    for target in ["/", "/search", "/embed", "/nothing", &permalink] {
        let html = read(target).await;
        assert_has(&html, "<meta name=\"robots\" content=\"noindex\">");
        assert!(!html.contains("ld+json"), "{target}");
    }
    let others = "/embed /embed?layout=grid /nothing /llms.txt /transparency";
    for target in others.split(' ') {
        let text = read(target).await;
        assert_has(&text, "not set up yet");
        assert!(!text.contains("Unnamed"), "{target}: {text}");
    }
    assert_eq!(app.get("/badge.svg").await.status, 404);
    app.name_business().await;
    assert_has(&read("/").await, "class=\"score\"");
    assert_has(&read("/search").await, "class=\"review\"");
    assert_eq!(app.get("/badge.svg").await.status, 200);
}

#[tokio::test]
async fn reviews_verified_by_the_owner_are_not_called_verified() {
    let app = TestApp::empty().await;
    app.name_business().await;
    app.shell(
        "insert into review (review_id, rating, reviewed_on, verification) values
           ('a', 5, '2026-11-01', 'manual'), ('b', 4, '2026-11-01', 'manual'), ('c', 5, '2026-11-01', 'manual')",
    )
    .await;
    for target in ["/", "/llms.txt"] {
        let text = app.text(target).await;
        assert!(!text.contains("verified"), "{target}: {text}");
    }
    for (id, count) in [("a", "1 is"), ("b", "2 are")] {
        let method = "update review set verification = 'invite' where review_id =";
        app.shell(&format!("{method} '{id}'")).await;
        let html = app.text("/").await;
        let sentence = format!("{count} verified by a platform, a job or an invitation.");
        for name in ["name=\"description\"", "property=\"og:description\""] {
            let start = format!("<meta {name} content=\"");
            assert!(between(&html, &start, "\"")[0].ends_with(&sentence));
        }
        assert_has(&html, &format!("<p class=\"meta\">{sentence}</p>"));
    }
    // No other text calls all of them verified.
    for target in ["/embed", "/developers", "/feed.xml", "/badge.svg"] {
        let text = app.text(target).await.to_lowercase();
        let is_claimed = ["verified review", "verified customer"].map(|claim| text.contains(claim));
        assert_eq!(is_claimed, [false; 2], "{target}");
    }
}
