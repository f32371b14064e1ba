//! A single review as JSON and as a page, and the links that lead there.

use super::*;
use crate::support::str_of;

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
