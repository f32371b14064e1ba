//! Mentions are separate rows that follow the ID of their review.

use super::{check_each, insert};
use crate::support::{Generator, TestApp};

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
        app.json("/api/reviews/search?mentions_service=drain").await["matched"],
        0
    );
}
