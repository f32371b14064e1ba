//! Mentions found in texts are added to recorded ones in every document, search and page.

use super::*;
use crate::support::{check_in_step, table};

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
    // `b` has the recorded technician, and `d` is about another person of that name.
    for [id, list, expected] in table(
        r#"
        a → technicians → ["Dana Whitfield"]
        a → services → ["water-heater"]
        a → service_areas → ["Mesa"]
        b → technicians → ["Mike Alvarez"]
        d → technicians → []
        d → service_areas → ["Tempe"]
        "#,
    ) {
        let review = app.json(&format!("/api/reviews/{id}")).await;
        let expected: Value = expected.parse().unwrap();
        assert_eq!(review["mentions"][list], expected, "{id}");
    }
    for (filter, id) in [
        ("technician=dana%20whitfield", "a"),
        ("technician=Mike%20Sorensen", "c"),
        ("technician=Mike%20Alvarez", "b"),
        ("service=water-heater", "a"),
    ] {
        let target = format!("/api/reviews/search?mentions_{filter}");
        assert_eq!(app.get(&target).await.ids(), [id], "{filter}");
    }
    assert_eq!(mentioning(&app, "technicians", "Mike Sorensen").await, 1);
    assert_eq!(mentioning(&app, "service_areas", "Mesa").await, 1);
    let feed = app.json("/api/feed.json").await;
    let mut items = array_of(&feed["items"]).iter();
    let item = items.find(|item| str_of(&item["url"]).ends_with("/a"));
    let tags = json!(["Water heaters", "Dana Whitfield", "Mesa"]);
    assert_eq!(item.unwrap()["tags"], tags);
    check_in_step(&app).await;
}

#[tokio::test]
async fn only_roster_changes_of_the_business_link_reviews_again() {
    let app = firm(&TEXTS).await;
    mark_analyses(&app);
    app.shell("update business set description = 'New', telephone = '1'")
        .await;
    assert_eq!(analysed_since_mark(&app), "");
    app.shell("update technician set name = 'Mike Sorenson' where technician_id = 't3'; insert into service_area (name) values ('Gilbert')")
        .await;
    assert_eq!(analysed_since_mark(&app), "a b c d");
    let methods = "select count(distinct method_hash) from derived_analysis";
    assert_eq!(app.sql(methods), "1");
    assert_complete(&app);
    check_in_step(&app).await;
    let before = bytes(&app);
    assert!(bytes(&app.restart().await) == before);
}

#[tokio::test]
async fn a_dish_with_the_name_of_a_person_is_no_mention() {
    let app = firm(&[
        ("a", "I had the Dana with fries."),
        ("b", "The Dana was cold and greasy."),
        ("c", "Dana was polite and quick."),
    ])
    .await;
    assert_eq!(mentioning(&app, "technicians", "Dana Whitfield").await, 1);
}
