//! A single review as JSON and as a page, and the links that lead there.

use super::*;
use crate::support::str_of;

#[tokio::test]
async fn every_link_on_the_home_page_and_the_developers_page_works() {
    let app = TestApp::with(&Generator::new(79).reviews(20)).await;
    app.name_business().await;
    let html = app.text("/").await + &app.text("/developers").await;
    let rests = html.split("href=\"").skip(1);
    let addresses = rests.map(|rest| rest.split('"').next().unwrap());
    let addresses: Vec<&str> = addresses.collect();
    let paths = "/reviews.json /insights.json /api/feed.json /feed.xml /api/reviews/search /docs";
    for path in paths.split(' ') {
        assert!(addresses.contains(&path), "{path} is not in {addresses:?}");
    }
    for address in addresses {
        let path = address.strip_prefix(BASE).unwrap_or(address);
        let is_found = path.starts_with('#') || app.get(path).await.status == 200;
        assert!(is_found, "{address}");
    }
}

#[tokio::test]
async fn every_valid_id_is_found_at_the_url_of_the_review() {
    let app = TestApp::empty().await;
    let insert = |id: &str| {
        format!(
            "insert into review (review_id, rating, reviewed_on) values ('{id}', 5, '2026-01-01')"
        )
    };
    assert_has(&app.refused(&insert("%")).await, "review_id_well_formed");
    let ids = format!("A a 0 a.b_c~d=e-9 = ~~ - ... since {}", "x".repeat(128));
    for id in ids.split(' ') {
        app.shell(&insert(id)).await;
        let review = app.json(&format!("/api/reviews/{id}")).await;
        assert_eq!(review["id"], id);
        let path = str_of(&review["url"]).strip_prefix(BASE).unwrap();
        assert_eq!(app.get(path).await.status, 200, "{path}");
    }
}
