//! Compares all surfaces with the tables, as a shell reads them.

use std::collections::BTreeMap;
use std::path::Path;

use reviews_service::storage::{Database, verify};
use serde_json::Value;

use super::{TestApp, rows};

/// The parts of `/insights.json?part=`.
pub const INSIGHTS_PARTS: [&str; 9] = [
    "overview",
    "aspects",
    "technicians",
    "services",
    "areas",
    "topics",
    "faq",
    "summary",
    "method",
];
const PUBLISHED: &str =
    "select review_id as id, rating, reviewed_on as date, author, title, text, language, source_name, response_text
    from review where status = 'published' order by reviewed_on desc, review_id;";
const MENTIONS: &str = "select review_id as id, kind, value from mention
    union select review_id, kind, value from derived_mention where value is not null order by 1, 2, 3;";
/// Columns, and the member of a review's JSON that shows each.
const SHOWN: [(&str, &str); 8] = [
    ("rating", "/rating"),
    ("date", "/date"),
    ("author", "/author"),
    ("title", "/title"),
    ("text", "/text"),
    ("language", "/language"),
    ("source_name", "/source/name"),
    ("response_text", "/response/text"),
];

/// Compares dataset, parts, search, feeds, insights, figures and the text index with the tables.
#[track_caller]
pub fn check_in_step(app: &TestApp) -> impl Future<Output = ()> {
    let at = std::panic::Location::caller();
    async move {
        let published = rows(&app.path(), PUBLISHED);
        check_dataset(app, &published).await;
        check_parts(app, &published).await;
        check_feeds(app, &published).await;
        check_index(app);
        // Opened as by `reviews check`: on a connection that has read before, FTS5 may use cached data.
        let readers = Database::open_read_only(&app.path()).await.unwrap();
        let verified = verify(&mut readers.acquire().await.unwrap()).await.unwrap();
        readers.close().await;
        assert_eq!((verified.wrong, verified.behind), (vec![], vec![]), "{at}");
    }
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["id"].as_str().unwrap()).collect()
}

fn check_mentions(review: &Value, mentions: &BTreeMap<String, Vec<String>>) {
    let shown: Vec<String> = [
        ("service", "services"),
        ("service_area", "service_areas"),
        ("technician", "technicians"),
    ]
    .iter()
    .flat_map(|(kind, list)| {
        review["mentions"][list]
            .as_array()
            .unwrap()
            .iter()
            .map(move |value| (kind, value))
    })
    .map(|(kind, value)| format!("{kind} {}", value.as_str().unwrap()))
    .collect();
    assert_eq!(
        shown,
        mentions
            .get(review["id"].as_str().unwrap())
            .cloned()
            .unwrap_or_default(),
        "mentions of {review}"
    );
}

async fn check_dataset(app: &TestApp, published: &[Value]) {
    let dataset = app.get("/reviews.json").await;
    assert_eq!(dataset.ids(), ids(published), "/reviews.json");
    let dataset = dataset.json();
    let mut mentions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows(&app.path(), MENTIONS) {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        mentions
            .entry(text("id"))
            .or_default()
            .push(format!("{} {}", text("kind"), text("value")));
    }
    for (row, review) in published.iter().zip(dataset["reviews"].as_array().unwrap()) {
        for (column, pointer) in SHOWN {
            assert_eq!(
                review.pointer(pointer).unwrap_or(&Value::Null),
                &row[column],
                "{pointer} of {review}"
            );
        }
        check_mentions(review, &mentions);
    }
    for stars in 1..=5 {
        let count = published
            .iter()
            .filter(|row| row["rating"] == stars)
            .count();
        assert_eq!(
            dataset["aggregate_rating"]["distribution"][stars.to_string()],
            count,
            "{stars} stars"
        );
    }
    let withheld = rows(
        &app.path(),
        "select count(*) as count from review where status = 'withheld';",
    );
    assert_eq!(
        dataset["withheld"]["count"], withheld[0]["count"],
        "withheld"
    );
    assert_eq!(
        app.get("/insights.json").await.json()["generated_from"]["reviews"],
        published.len(),
        "/insights.json"
    );
}

async fn check_parts(app: &TestApp, published: &[Value]) {
    assert_eq!(
        app.get("/api/reviews/since/0001-01-01").await.ids(),
        ids(published),
        "since"
    );
    let mut found = Vec::new();
    let mut target = "/api/reviews/search?limit=100".to_owned();
    loop {
        let page = app.get(&target).await;
        assert_eq!(page.json()["total"], published.len(), "{target}");
        found.extend(page.ids());
        let Some(cursor) = page.json()["next_cursor"].as_str().map(str::to_owned) else {
            break;
        };
        target = format!("/api/reviews/search?limit=100&cursor={cursor}");
    }
    assert_eq!(found, ids(published), "search");
    for row in published.iter().take(3).chain(published.last()) {
        let id = row["id"].as_str().unwrap();
        assert_eq!(
            app.get(&format!("/api/reviews/{id}")).await.json()["text"],
            row["text"],
            "{id}"
        );
        let page = app
            .get_with(
                &format!("/reviews/{id}"),
                &[("if-none-match", "\"another\"")],
            )
            .await;
        assert_eq!(page.status, 200, "the page of {id}");
    }
}

async fn check_feeds(app: &TestApp, published: &[Value]) {
    let newest: Vec<String> = ids(published)
        .iter()
        .take(50)
        .map(|id| format!("https://reviews.sample.test/reviews/{id}"))
        .collect();
    let feed = app.get("/api/feed.json").await.json();
    let items: Vec<&str> = feed["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["url"].as_str().unwrap())
        .collect();
    assert_eq!(items, newest, "/api/feed.json");
    let atom = feed_rs::parser::parse(&app.get("/feed.xml").await.body[..]).unwrap();
    let entries: Vec<&str> = atom.entries.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(entries, newest, "/feed.xml");
}

/// The text index finds exactly the reviews in the table, withheld ones included.
fn check_index(app: &TestApp) {
    for phrase in ["water heater", "shell", "fur", "nowhere to be found"] {
        let found = format!(
            "select review_id from review_fts where review_fts match '\"{phrase}\"' order by 1;"
        );
        let there = format!(
            "select review_id from review where instr(lower(text), '{phrase}') order by 1;"
        );
        assert_eq!(
            rows(&app.path(), &found),
            rows(&app.path(), &there),
            "review_fts match {phrase}"
        );
    }
}

/// Version and instant of each document in the database: `("reviews", 3, "2026-11-20T12:00:00.000Z")`.
pub fn publications(path: &Path) -> Vec<(String, i64, String)> {
    let query = "select document, version, changed_at from publication order by document;";
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    rows(path, query)
        .iter()
        .map(|row| {
            (
                text(&row["document"]),
                row["version"].as_i64().unwrap(),
                text(&row["changed_at"]),
            )
        })
        .collect()
}
