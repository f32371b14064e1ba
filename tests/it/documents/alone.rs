//! A single review as JSON and as a page, and the links that lead there.

use super::*;

#[tokio::test]
async fn every_link_on_the_home_page_and_the_developers_page_works() {
    let app = TestApp::with(&Generator::new(79).reviews(20)).await;
    app.name_business().await;
    let html = app.text("/").await + &app.text("/developers").await;
    let addresses: Vec<&str> = html
        .split("href=\"")
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap())
        .collect();
    for path in [
        "/reviews.json",
        "/insights.json",
        "/api/feed.json",
        "/feed.xml",
        "/api/reviews/search",
        "/docs",
    ] {
        assert!(addresses.contains(&path), "{path} is not in {addresses:?}");
    }
    for address in addresses
        .into_iter()
        .filter(|address| !address.starts_with('#'))
    {
        let path = address.strip_prefix(BASE).unwrap_or(address);
        assert_eq!(app.get(path).await.status, 200, "{address}");
    }
}

#[tokio::test]
async fn every_valid_id_is_found_at_the_url_of_the_review() {
    let app = TestApp::empty().await;
    let longest = "x".repeat(128);
    let insert = |id: &str| {
        format!(
            "insert into review (review_id, rating, reviewed_on) values ('{id}', 5, '2026-01-01')"
        )
    };
    let refused = app.refused(&insert("%")).await;
    assert!(refused.contains("review_id_well_formed"), "{refused}");
    for id in [
        "A",
        "a",
        "0",
        "a.b_c~d=e-9",
        "=",
        "~~",
        "-",
        "...",
        "since",
        &longest,
    ] {
        app.shell(&insert(id)).await;
        let answer = app.get(&format!("/api/reviews/{id}")).await;
        assert_eq!((answer.status, &answer.json()["id"]), (200, &json!(id)));
        let url = answer.json()["url"].as_str().unwrap().to_owned();
        assert_eq!(
            app.get(url.strip_prefix(BASE).unwrap()).await.status,
            200,
            "{url}"
        );
    }
}
