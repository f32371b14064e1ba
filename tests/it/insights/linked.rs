//! Mentions found in texts are added to recorded ones in every document, search and page.

use super::*;
use crate::support::check_in_step;

const TEXTS: [(&str, &str); 4] = [
    (
        "a",
        "Dana Whitfield replaced our water heater in Mesa. She was on time.",
    ),
    ("b", "Mike was great."),
    ("c", "Mike Sorensen never called back."),
    ("d", "My husband Mike paid too much."),
];

#[tokio::test]
async fn mentions_in_texts_count_like_recorded_ones_everywhere() {
    let app = firm(&TEXTS).await;
    app.shell("insert into mention values ('b', 'technician', 'Mike Alvarez'), ('d', 'service_area', 'Tempe')").await;
    let dataset = app.json("/reviews.json").await;
    let mentions = |id: &str| {
        dataset["reviews"]
            .as_array()
            .unwrap()
            .iter()
            .find(|review| review["id"] == id)
            .unwrap()["mentions"]
            .clone()
    };
    assert_eq!(
        mentions("a")["technicians"],
        serde_json::json!(["Dana Whitfield"])
    );
    assert_eq!(
        mentions("a")["services"],
        serde_json::json!(["water-heater"])
    );
    assert_eq!(mentions("a")["service_areas"], serde_json::json!(["Mesa"]));
    assert_eq!(
        mentions("b")["technicians"],
        serde_json::json!(["Mike Alvarez"]),
        "the recorded technician"
    );
    assert_eq!(
        mentions("d")["technicians"],
        serde_json::json!([]),
        "another person of that name"
    );
    assert_eq!(mentions("d")["service_areas"], serde_json::json!(["Tempe"]));
    let found = async |filter: &str| {
        app.get(&format!("/api/reviews/search?{filter}"))
            .await
            .ids()
    };
    assert_eq!(found("mentions_technician=dana%20whitfield").await, ["a"]);
    assert_eq!(found("mentions_technician=Mike%20Sorensen").await, ["c"]);
    assert_eq!(found("mentions_technician=Mike%20Alvarez").await, ["b"]);
    assert_eq!(found("mentions_service=water-heater").await, ["a"]);
    assert_eq!(mentioning(&app, "technicians", "Mike Sorensen").await, 1);
    assert_eq!(mentioning(&app, "service_areas", "Mesa").await, 1);
    let feed = app.json("/api/feed.json").await;
    let tags = &feed["items"]
        .as_array()
        .unwrap()
        .iter()
        .find(|item| item["url"].as_str().unwrap().ends_with("/a"))
        .unwrap()["tags"];
    assert_eq!(
        *tags,
        serde_json::json!(["Water heaters", "Dana Whitfield", "Mesa"])
    );
    check_in_step(&app).await;
}

#[tokio::test]
async fn only_roster_changes_of_the_business_link_reviews_again() {
    let app = firm(&TEXTS).await;
    mark_analyses(&app.path());
    app.shell("update business set description = 'New', telephone = '1'")
        .await;
    assert_eq!(analysed_since_mark(&app.path()), [] as [&str; 0]);
    app.shell("update technician set name = 'Mike Sorenson' where technician_id = 't3'; insert into service_area (name) values ('Gilbert')")
        .await;
    assert_eq!(analysed_since_mark(&app.path()), ["a", "b", "c", "d"]);
    assert_eq!(
        sqlite3(
            &app.path(),
            "select count(distinct method_hash) from derived_analysis;"
        ),
        "1"
    );
    assert_complete(&app);
    check_in_step(&app).await;
    let before = bytes(&app);
    let app = app.restart().await;
    assert!(bytes(&app) == before);
}
