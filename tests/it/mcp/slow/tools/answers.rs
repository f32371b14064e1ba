//! Facets and periods, compared with the dataset.

use super::*;
use crate::support::array_of;

/// Reviews of a day, with the aspects that their texts mention.
fn on(day: &str, count: usize, stars: i64, text: &str) -> Vec<Review> {
    let review = |at: usize| Review {
        id: format!("{day}-{stars}-{at}").parse().unwrap(),
        date: day.parse().unwrap(),
        rating: stars.try_into().unwrap(),
        language: None,
        ..review_with_text(at, text)
    };
    (0..count).map(review).collect()
}

#[tokio::test]
async fn facets_count_the_reviews_that_the_filters_find() {
    let app = TestApp::seeded().await;
    let tools = Tools::of(&app);
    // A person who is not on the firm's list, in several spellings, two in one review.
    for (number, names) in [
        (1, &["Sam Ng", "SAM NG"][..]),
        (2, &["Sam NG"]),
        (3, &["sam ng"]),
    ] {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let mut review = review_with_text(number, "Fine.");
        review.mentions = Mentions::new(names, vec!["odd-job".to_owned()], Vec::new());
        app.write(&[review]).await;
    }
    let facets = tools.call("list_facets", json!({})).await;
    let dataset = tools.get("/reviews.json").await;
    let reviews = &dataset["aggregate_rating"]["review_count"];
    assert_eq!(facets["reviews"], *reviews);
    for (list, key, filter) in [
        ("technicians", "name", "mentions_technician"),
        ("services", "id", "mentions_service"),
        ("sources", "name", "source"),
        ("languages", "name", "language"),
        ("ratings", "rating", "rating"),
        ("years", "year", "since"),
    ] {
        let mut counts = Vec::new();
        for facet in array_of(&facets[list]) {
            let mut filters = json!({"limit": 1, filter: facet[key]});
            if list == "years" {
                filters["since"] = json!(format!("{}-01-01", facet[key]));
                filters["until"] = json!(format!("{}-12-31", facet[key]));
            }
            let found = tools.call("search_reviews", filters).await;
            assert_eq!(found["matched"], facet["reviews"], "{list}: {facet}");
            counts.push(facet["reviews"].as_u64().unwrap());
        }
        assert!(!counts.is_empty(), "{list}");
        let is_ranked = counts.is_sorted_by(|one, other| one >= other);
        assert!(is_ranked || ["ratings", "years"].contains(&list), "{list}");
    }
    let sam = array_of(&facets["technicians"])
        .iter()
        .find(|facet| facet["name"] == "SAM NG");
    assert_eq!(*sam.unwrap(), json!({"name": "SAM NG", "reviews": 3}));
    let insights = tools.get("/insights.json").await;
    let people = insights["entities"]["technicians"].to_string();
    assert_eq!(people.to_lowercase().matches("\"sam ng\"").count(), 1);
    for area in array_of(&facets["service_areas"]) {
        let areas = |review: &Value| review["mentions"]["service_areas"].clone();
        let all = array_of(&dataset["reviews"]).iter().map(areas);
        let in_area = all.filter(|areas| array_of(areas).contains(&area["name"]));
        assert_eq!(area["reviews"], in_area.count(), "{area}");
    }
}

/// What is significant is tested beside `Verdict`.
#[tokio::test]
async fn two_periods_have_a_verdict_and_end_with_the_newest_review() {
    let late = on("2025-03-01", 12, 2, "Mike was two hours late.");
    let punctual = on("2026-03-01", 12, 5, "Mike was right on time.");
    let newest = on("2026-04-02", 1, 5, "Dana came on a Thursday.");
    let app = TestApp::with(&[late, punctual, newest].concat()).await;
    let tools = Tools::of(&app);
    let mut years = json!({"first_since": "2025-01-01", "first_until": "2025-12-31",
        "second_since": "2026-01-01", "second_until": "2026-12-31"});
    let compared = tools.call("compare_periods", years.clone()).await;
    assert_eq!(compared["verdict"], "better", "{compared:#}");
    for aspect in array_of(&compared["aspects"]) {
        let is_judged = aspect["id"] == "punctuality";
        let verdict = if is_judged { "better" } else { "too_few" };
        assert_eq!(aspect["verdict"], verdict, "{aspect}");
    }
    // The year is not over: the newest review is from April.
    assert_eq!(compared["first"].get("until_requested"), None);
    let second = &compared["second"];
    assert_eq!(second["until"], "2026-04-02");
    assert_eq!(second["until_requested"], "2026-12-31");
    // There is no verdict about an empty period.
    years["second_since"] = json!("2026-12-01");
    let empty = tools.call("compare_periods", years.clone()).await;
    assert_eq!(empty["verdict"], "too_few");
}
