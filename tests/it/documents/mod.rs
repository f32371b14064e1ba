//! The documents: their content, figures of published reviews only, and the same bytes for the same data.

mod same_bytes;
mod staff;

use reviews_service::model::Review;
use serde_json::{Value, json};

use crate::support::{BASE, Generator, TestApp, assert_has, published, str_of};

/// A business with all fields.
const BUSINESS: &str = r#"
insert into business (business_id, name, type, time_zone, description, url, telephone, address, latitude, longitude, same_as)
values ('desert-peak', 'Desert Peak <Air> & "Sons"', 'HVACBusiness', 'America/Phoenix', 'Heating & cooling', 'https://desertpeak.example/',
  '+1-480-555-0100', '{"street_address":"1 Main St","locality":"Mesa"}', 33.4, -111.8, '["https://social.example/dp"]');
insert into service (service_id, position, name, synonyms) values ('drain', 1, 'Drains', '[]'), ('ac-repair', 0, 'A/C repair', '["ac fix"]');
insert into technician (technician_id, position, name, aliases) values ('t2', 1, 'Dana Öberg', '[]'), ('t1', 0, 'Mike Alvarez', '["Mikey"]');
insert into service_area (name, position) values ('Tempe', 1), ('Mesa', 0), ('Nowhere', 2);
insert into editorial_summary (text) values ('People like us.');
insert into editorial_faq (faq_id, position, question, answer) values ('q2', 1, 'Late?', 'No.'), ('q1', 0, 'Open?', 'Yes.');
"#;

/// All targets that answer in JSON, for data with a review of this ID.
fn json_targets(id: &str) -> Vec<String> {
    let targets = "/reviews.json /insights.json /api/feed.json /api/reviews/search /api/reviews/search?query=zebra&limit=1 \
        /api/reviews/since/2000-01-01 /api/reviews/since/2099-01-01 /.well-known/openapi.json";
    let mut targets: Vec<String> = targets.split(' ').map(str::to_owned).collect();
    targets.push(format!("/api/reviews/{id}"));
    targets
}

/// A review's public JSON, built independently.
fn expected_json(review: &Review) -> Value {
    let mut shape = json!({
        "id": review.id.as_str(), "rating": review.rating.stars(), "date": review.date.to_string(), "author": review.author,
        "title": review.title, "text": review.text, "language": review.language, "source": review.source.name,
        "verified": true, "verification": review.verification.method.unwrap().name(),
        "mentions": {
            "technicians": review.mentions.technicians,
            "services": review.mentions.services,
            "service_areas": review.mentions.service_areas,
        },
        "url": format!("{BASE}/reviews/{}", review.id),
        "updated_at": review.updated_at.unwrap().to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true),
        "owner_reply": review.reply.as_ref().map(|reply| {
            json!({"text": reply.text, "date": reply.date.unwrap().to_string()})
        }),
    });
    shape
        .as_object_mut()
        .unwrap()
        .retain(|_, value| !value.is_null());
    shape
}

#[tokio::test]
async fn the_dataset_has_business_rating_and_all_published_reviews() {
    let reviews = Generator::new(71).reviews(300);
    let app = TestApp::uncoded(&reviews).await;
    app.shell(BUSINESS).await;
    let dataset = app.json("/reviews.json").await;
    let members = "aggregate_rating business reviews updated_at withheld";
    let mut keys: Vec<_> = dataset.as_object().unwrap().keys().cloned().collect();
    keys.sort_unstable();
    assert_eq!(keys.join(" "), members);
    let business = json!({
        "id": "desert-peak",
        "name": "Desert Peak <Air> & \"Sons\"",
        "type": "HVACBusiness",
        "time_zone": "America/Phoenix",
        "description": "Heating & cooling",
        "url": "https://desertpeak.example/",
        "telephone": "+1-480-555-0100",
        "address": {"street_address": "1 Main St", "locality": "Mesa"},
        "geo": {"latitude": 33.4, "longitude": -111.8},
        "same_as": ["https://social.example/dp"],
        "services": [{"id": "ac-repair", "name": "A/C repair", "synonyms": ["ac fix"]}, {"id": "drain", "name": "Drains"}],
        "technicians": [{"id": "t1", "name": "Mike Alvarez", "aliases": ["Mikey"]}, {"id": "t2", "name": "Dana Öberg"}],
        "service_areas": ["Mesa", "Tempe", "Nowhere"], "publish_staff": "full",
    });
    assert_eq!(dataset["business"], business);
    let published = published(&reviews);
    let shapes = published.iter().map(|review| expected_json(review));
    assert_eq!(dataset["reviews"], json!(shapes.collect::<Vec<_>>()));
    let count = |stars: u8| {
        let rated = published.iter();
        rated
            .filter(|review| review.rating.stars() == stars)
            .count()
    };
    let mut rating = dataset["aggregate_rating"].clone();
    rating["rating_value"].take();
    let expected = json!({
        "review_count": published.len(), "best_rating": 5, "worst_rating": 1, "rating_value": null,
        "distribution": {"1": count(1), "2": count(2), "3": count(3), "4": count(4), "5": count(5)},
    });
    assert_eq!(rating, expected);
    // The time of the publication.
    assert_eq!(dataset["updated_at"], "2026-11-20T12:00:00Z");
    let withheld = reviews.len() - published.len();
    assert!(withheld > 0, "the premise");
    let withheld = json!({"count": withheld, "reasons": {"duplicate": withheld}});
    assert_eq!(dataset["withheld"], withheld);
}

/// A service with one published review and five that are withheld, for several reasons.
async fn with_withheld() -> TestApp {
    let app = TestApp::empty().await;
    app.name_business().await;
    let sql = "insert into review (review_id, rating, reviewed_on, text, author, status, withheld_reason, verification) values
        ('seen', 4, '2026-01-02', 'shown', 'Ann', 'published', null, 'manual'), ('h1', 1, '2026-01-03', 'hidden', 'Bob', 'withheld', 'duplicate', 'manual'),
        ('h2', 1, '2026-01-03', 'hidden', 'Bob', 'withheld', 'duplicate', 'manual'), ('h3', 1, '2026-01-03', 'hidden', 'Bob', 'withheld', 'not_verified', null),
        ('h4', 1, '2026-01-03', 'hidden', 'Bob', 'withheld', null, 'manual'), ('h5', 1, '2026-01-03', 'hidden', 'Bob', 'withheld', '', 'manual');
        insert into mention values ('h1', 'technician', 'Bob Hidden'), ('seen', 'technician', 'Ann Seen');";
    app.shell(sql).await;
    app
}

#[tokio::test]
async fn withheld_reviews_are_counted_by_reason() {
    let dataset = with_withheld().await.json("/reviews.json").await;
    let withheld =
        json!({"count": 5, "reasons": {"duplicate": 2, "not_verified": 1, "not stated": 2}});
    assert_eq!(dataset["withheld"], withheld);
}

#[tokio::test]
async fn withheld_reviews_count_in_no_rating() {
    let dataset = with_withheld().await.json("/reviews.json").await;
    assert_eq!(dataset["aggregate_rating"]["rating_value"], 4.0);
}

#[tokio::test]
async fn withheld_reviews_appear_nowhere() {
    let app = with_withheld().await;
    assert_eq!(app.get("/reviews.json").await.ids(), ["seen"]);
    let pages = ["/feed.xml", "/", "/reviews/seen"].map(str::to_owned);
    for target in json_targets("seen").into_iter().chain(pages) {
        // An HTML attribute has the same name.
        let text = app.text(&target).await.replace(" hidden>", ">");
        let text = text.replace("aria-hidden", "");
        for word in ["hidden", "Hidden", "/reviews/h"] {
            assert!(!text.contains(word), "{target}: {text}");
        }
    }
    let questions = "query=hidden rating=1 mentions_technician=Bob+Hidden since=2026-01-03";
    for question in questions.split(' ') {
        let target = format!("/api/reviews/search?{question}");
        assert_eq!(app.json(&target).await["matched"], 0, "{question}");
    }
    for target in ["/api/reviews/h1", "/reviews/h1"] {
        assert_eq!(app.get(target).await.status, 404, "{target}");
    }
}

#[tokio::test]
async fn a_withheld_review_that_is_published_appears() {
    let app = with_withheld().await;
    app.shell("update review set status = 'published' where review_id = 'h1'")
        .await;
    assert_eq!(app.get("/reviews.json").await.ids(), ["h1", "seen"]);
    assert_eq!(app.get("/reviews/h1").await.status, 200);
}

#[tokio::test]
async fn documents_without_reviews_are_valid() {
    let app = TestApp::empty().await;
    let business = json!({
        "id": "unnamed", "name": "Unnamed business", "type": "LocalBusiness", "time_zone": "UTC",
        "same_as": [], "services": [], "technicians": [], "service_areas": [], "publish_staff": "full",
    });
    let none = json!({"1": 0, "2": 0, "3": 0, "4": 0, "5": 0});
    let dataset = json!({
        "business": business,
        "aggregate_rating": {"review_count": 0, "best_rating": 5, "worst_rating": 1, "distribution": none},
        "withheld": {"count": 0, "reasons": {}},
        "updated_at": "2026-11-20T12:00:00Z",
        "reviews": [],
    });
    assert_eq!(app.json("/reviews.json").await, dataset);
    let insights = app.json("/insights.json").await;
    for part in ["aspects", "topics", "faq"] {
        assert_eq!(insights[part], json!([]), "{part}");
    }
    let entities = json!({"technicians": [], "services": [], "service_areas": []});
    assert_eq!(insights["entities"], entities);
    assert!(insights["summary"].is_string() && insights["method"].is_object());
    assert_eq!(insights["review_count"], 0);
    assert_eq!(app.json("/api/feed.json").await["items"], json!([]));
    let search =
        json!({"matched": 0, "matched_relation": "eq", "returned": 0, "limit": 20, "reviews": []});
    for query in ["", "?query=x&rating=5"] {
        let target = format!("/api/reviews/search{query}");
        assert_eq!(app.json(&target).await, search);
    }
    let since = json!({"since": "2020-01-01", "returned": 0, "reviews": []});
    assert_eq!(app.json("/api/reviews/since/2020-01-01").await, since);
    assert_eq!(app.get("/api/reviews/any").await.status, 404);
    let feed = feed_rs::parser::parse(&app.get("/feed.xml").await.body[..]).unwrap();
    assert!(feed.entries.is_empty() && feed.updated.is_some() && feed.language.is_none());
    app.name_business().await;
    for target in "/insights /search /embed /sitemap.xml /llms.txt".split(' ') {
        assert_eq!(app.get(target).await.status, 200, "{target}");
    }
    for target in ["/", "/badge.svg"] {
        assert_has(&app.text(target).await, "no reviews yet");
    }
}

#[tokio::test]
async fn absent_values_are_left_out_and_never_null() {
    // A review with the fewest and one with all fields, without business and editorial texts; then with everything.
    let app = TestApp::with(&Generator::new(72).reviews(60)).await;
    app.shell(
        "insert into review (review_id, rating, reviewed_on) values ('least', 5, '2026-11-20')",
    )
    .await;
    for beside in ["", BUSINESS] {
        app.shell(beside).await;
        let errors = ["/api/reviews/search?limit=0", "/nothing"].map(str::to_owned);
        for target in json_targets("least").into_iter().chain(errors) {
            let body = app.json(&target).await.to_string();
            let has_null = [":null", "[null", ",null"].map(|null| body.contains(null));
            assert_eq!(has_null, [false; 3], "{target}");
        }
    }
}

#[tokio::test]
async fn a_row_with_a_rating_and_a_day_is_a_whole_review() {
    let app = TestApp::empty().await;
    app.shell(
        "insert into review (review_id, rating, reviewed_on) values ('least', 5, '2026-11-20')",
    )
    .await;
    let least = app.json("/api/reviews/least").await;
    let expected = json!({
        "id": "least", "rating": 5, "date": "2026-11-20", "author": "Anonymous", "text": "", "source": "Direct",
        "verified": false, "verification": "manual",
        "mentions": {"technicians": [], "services": [], "service_areas": []},
        "url": format!("{BASE}/reviews/least"), "updated_at": "2026-11-20T12:00:00Z",
    });
    assert_eq!(least, expected);
}

#[tokio::test]
async fn every_valid_id_is_found_at_the_url_of_the_review() {
    let app = TestApp::empty().await;
    let insert = |id: &str| {
        format!(
            "insert into review (review_id, rating, reviewed_on) values ('{id}', 5, '2026-01-01')"
        )
    };
    let ids = format!("A a 0 a.b_c~d=e-9 = ~~ - ... since {}", "x".repeat(128));
    for id in ids.split(' ') {
        app.shell(&insert(id)).await;
        let review = app.json(&format!("/api/reviews/{id}")).await;
        assert_eq!(review["id"], id);
        let path = str_of(&review["url"]).strip_prefix(BASE).unwrap();
        assert_eq!(app.get(path).await.status, 200, "{path}");
    }
}
