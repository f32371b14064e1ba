//! Mentions are separate rows that follow the ID of their review.

use serde_json::json;

use super::{check_each, insert, review};
use crate::support::{Generator, TestApp, check_in_step};

#[tokio::test]
async fn renaming_a_review_keeps_the_mentions() {
    let app = TestApp::empty().await;
    app.shell(&insert("a", "text")).await;
    app.shell(
        "insert into mention values ('a', 'technician', 'Dana Öberg'), ('a', 'service', 'drain')",
    )
    .await;
    app.shell("update review set review_id = 'b'").await;
    check_in_step(&app).await;
    assert_eq!(
        review(&app, "b").await["mentions"]["technicians"],
        json!(["Dana Öberg"])
    );
    assert_eq!(
        app.get("/api/reviews/search?mentions_technician=dana+%C3%96BERG")
            .await
            .ids(),
        ["b"]
    );
    app.shell("update review set review_id = 'a'").await;
    check_in_step(&app).await;
    assert_eq!(
        review(&app, "a").await["mentions"]["services"],
        json!(["drain"])
    );
}

#[tokio::test]
async fn every_change_of_mentions_is_published() {
    let app = TestApp::with(&Generator::new(5).reviews(60)).await;
    check_each(
        &app,
        &[
            // Before the review exists.
            "insert into mention values ('m', 'technician', 'Will Grant'), ('m', 'service', 'drain')",
            &insert("m", "mentioned"),
            "insert into mention values ('m', 'service_area', 'Mesa')",
            "insert or replace into mention values ('m', 'service_area', 'Mesa'), ('m', 'service_area', 'Tempe')",
            "insert or ignore into mention values ('m', 'service_area', 'Mesa'), ('m', 'service', 'furnace-repair')",
            "update mention set value = 'Dana Öberg' where review_id = 'm' and kind = 'technician'",
            "update or replace mention set value = 'Mesa' where review_id = 'm' and kind = 'service_area'",
            "update or replace mention set review_id = 'r-00003' where review_id = 'm' and kind = 'service'",
            "update mention set kind = 'service', value = 'drain' where review_id = 'm' and kind = 'technician'",
            "delete from mention where review_id = 'm' and kind = 'service'",
            "delete from mention where value = 'drain'",
            "delete from mention",
        ],
    )
    .await;
    assert_eq!(
        app.get("/api/reviews/search?mentions_service=drain")
            .await
            .json()["total"],
        0
    );
}
