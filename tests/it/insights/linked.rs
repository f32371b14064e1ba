//! Mentions found in texts are added to recorded ones in every document, search and page.

use futures_util::TryStreamExt as _;
use reviews_service::model::Review;
use reviews_service::storage::reviews;
use reviews_service::storage::reviews::{Numbered, newest};

use super::*;
use crate::support::{Generator, check_in_step};

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
    let dataset = app.get("/reviews.json").await.json();
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
    let feed = app.get("/api/feed.json").await.json();
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
async fn a_name_shared_by_two_people_links_nobody_until_one_is_left() {
    let app = firm(&TEXTS).await;
    let insights = insights(&app).await;
    let entity = |name: &str| {
        insights["entities"]["technicians"]
            .as_array()
            .unwrap()
            .iter()
            .find(|one| one["name"] == name)
            .cloned()
    };
    assert_eq!(entity("Mike Alvarez").unwrap()["ambiguous_mentions"], 1);
    assert_eq!(entity("Mike Alvarez").unwrap()["reviews"], 0);
    app.shell("delete from technician where name = 'Mike Sorensen'")
        .await;
    let found = app
        .get("/api/reviews/search?mentions_technician=Mike%20Alvarez")
        .await;
    assert_eq!(found.ids(), ["b"], "only one Mike is left");
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

/// The sample data without reviews, and the reviews.
async fn without_reviews() -> (TestApp, Vec<Review>) {
    let app = TestApp::seeded().await;
    let mut connection = app.database().readers().acquire().await.unwrap();
    let reviews: Vec<Numbered> = newest(&mut connection).try_collect().await.unwrap();
    let reviews = reviews
        .into_iter()
        .map(|numbered| numbered.review)
        .collect();
    drop(connection);
    app.shell("delete from review").await;
    (app, reviews)
}

async fn write(app: &TestApp, batch: &[Review]) {
    let mut write = app.database().write_as_owner().await.unwrap();
    reviews::upsert(&mut write, batch, start()).await.unwrap();
    write.commit().await.unwrap();
    app.drain().await;
}

#[tokio::test]
async fn any_order_of_arrival_gives_the_same_insights() {
    let (straight, reviews) = without_reviews().await;
    write(&straight, &reviews).await;
    let (expected, derived) = (bytes(&straight), sqlite3(&straight.path(), DERIVED));
    for seed in [61, 62] {
        let (app, mut reviews) = without_reviews().await;
        let mut generator = Generator::new(seed);
        while !reviews.is_empty() {
            let count = reviews.len().min(1 + generator.below(60));
            let batch: Vec<Review> = (0..count)
                .map(|_| reviews.swap_remove(generator.below(reviews.len())))
                .collect();
            write(&app, &batch).await;
        }
        assert!(bytes(&app) == expected, "the documents, seed {seed}");
        assert!(
            sqlite3(&app.path(), DERIVED) == derived,
            "the rows, seed {seed}"
        );
    }
}
