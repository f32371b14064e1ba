//! Compares all surfaces with the tables, as a shell reads them.

use std::collections::BTreeMap;
use std::path::Path;

use reviews_service::storage::{Database, verify};
use serde_json::Value;

use super::app::BASE;
use super::tools::{array_of, str_of};
use super::{TestApp, rows};

/// The parts of `/insights.json?part=`.
pub const INSIGHTS_PARTS: &str =
    "overview aspects technicians services areas topics faq summary method";
const PUBLISHED: &str =
    "select review_id as id, rating, reviewed_on as date, author, title, text, language, source_name, reply_text
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
    ("source_name", "/source"),
    ("reply_text", "/owner_reply/text"),
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
        let verified = verify(&mut readers.acquire().await.unwrap(), &app.path()).await;
        readers.close().await;
        let verified = verified.unwrap();
        assert_eq!((verified.wrong, verified.behind), (vec![], vec![]), "{at}");
    }
}

fn ids(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| str_of(&row["id"])).collect()
}

fn check_mentions(review: &Value, mentions: &BTreeMap<String, Vec<String>>) {
    let lists = [
        ("service", "services"),
        ("service_area", "service_areas"),
        ("technician", "technicians"),
    ];
    let mut shown = Vec::new();
    for (kind, list) in lists {
        let values = array_of(&review["mentions"][list]).iter();
        shown.extend(values.map(|value| format!("{kind} {}", str_of(value))));
    }
    let expected = mentions.get(str_of(&review["id"]));
    let expected = expected.map(Vec::as_slice).unwrap_or_default();
    assert_eq!(shown, expected, "mentions of {review}");
}

async fn check_dataset(app: &TestApp, published: &[Value]) {
    let dataset = app.get("/reviews.json").await;
    assert_eq!(dataset.ids(), ids(published), "/reviews.json");
    let dataset = dataset.json();
    let mut mentions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in rows(&app.path(), MENTIONS) {
        let [id, kind, value] = ["id", "kind", "value"].map(|name| str_of(&row[name]));
        let of_review = mentions.entry(id.to_owned()).or_default();
        of_review.push(format!("{kind} {value}"));
    }
    for (row, review) in published.iter().zip(array_of(&dataset["reviews"])) {
        for (column, pointer) in SHOWN {
            let shown = review.pointer(pointer).unwrap_or(&Value::Null);
            assert_eq!(shown, &row[column], "{pointer} of {review}");
        }
        check_mentions(review, &mentions);
    }
    for stars in 1..=5 {
        let counted = &dataset["aggregate_rating"]["distribution"][stars.to_string()];
        let rows = published.iter().filter(|row| row["rating"] == stars);
        assert_eq!(*counted, rows.count(), "{stars} stars");
    }
    let withheld = app.sql("select count(*) from review where status = 'withheld'");
    assert_eq!(dataset["withheld"]["count"].to_string(), withheld);
    let insights = app.json("/insights.json").await;
    assert_eq!(insights["review_count"], published.len());
}

async fn check_parts(app: &TestApp, published: &[Value]) {
    let since = app.get("/api/reviews/since/0001-01-01").await;
    assert_eq!(since.ids(), ids(published), "since");
    let mut found = Vec::new();
    let mut target = "/api/reviews/search?limit=100".to_owned();
    loop {
        let page = app.get(&target).await;
        let json = page.json();
        assert_eq!(json["matched"], published.len(), "{target}");
        found.extend(page.ids());
        let Some(cursor) = json["next_cursor"].as_str() else {
            break;
        };
        target = format!("/api/reviews/search?limit=100&cursor={cursor}");
    }
    assert_eq!(found, ids(published), "search");
    for row in published.iter().take(3).chain(published.last()) {
        let id = str_of(&row["id"]);
        let review = app.json(&format!("/api/reviews/{id}")).await;
        assert_eq!(review["text"], row["text"], "{id}");
        let (target, other) = (format!("/reviews/{id}"), ("if-none-match", "\"x\""));
        let page = app.get_with(&target, &[other]).await;
        assert_eq!(page.status, 200, "{target}");
    }
}

async fn check_feeds(app: &TestApp, published: &[Value]) {
    let newest = ids(published).into_iter().take(50);
    let newest: Vec<_> = newest.map(|id| format!("{BASE}/reviews/{id}")).collect();
    let feed = app.json("/api/feed.json").await;
    let items = array_of(&feed["items"]).iter();
    let items: Vec<&str> = items.map(|item| str_of(&item["url"])).collect();
    assert_eq!(items, newest, "/api/feed.json");
    let atom = feed_rs::parser::parse(&app.get("/feed.xml").await.body[..]).unwrap();
    let entries: Vec<&str> = atom.entries.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(entries, newest, "/feed.xml");
}

/// The text index finds exactly the reviews in the table, withheld ones included.
fn check_index(app: &TestApp) {
    let select = "select review_id from";
    for phrase in ["water heater", "shell", "fur", "nowhere to be found"] {
        let found = format!("{select} review_fts where review_fts match '\"{phrase}\"' order by 1");
        let there = format!("{select} review where instr(lower(text), '{phrase}') order by 1");
        assert_eq!(app.sql(&found), app.sql(&there), "{phrase}");
    }
}

/// Version and instant of each document in the database: `("reviews", 3, "2026-11-20T12:00:00.000Z")`.
pub fn publications(path: &Path) -> Vec<(String, i64, String)> {
    let query = "select document, version, changed_at from publication order by document";
    let text = |value: &Value| str_of(value).to_owned();
    let publication = |row: &Value| {
        let version = row["version"].as_i64().unwrap();
        (text(&row["document"]), version, text(&row["changed_at"]))
    };
    rows(path, query).iter().map(publication).collect()
}
