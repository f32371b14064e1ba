//! `/transparency` and its JSON: every figure is computed from the database, also after another program's edits, and the
//! policy is shown as the business states it.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{BROWSER, between, seeded};
use crate::support::{BASE, TestApp, array_of, assert_has, rows, str_of};

/// The mean with two decimals, rounded half away from zero.
fn mean<'a>(ratings: impl Iterator<Item = &'a Value>) -> Option<Value> {
    let ratings: Vec<u64> = ratings.map(|rating| rating.as_u64().unwrap()).collect();
    let (sum, count) = (ratings.iter().sum::<u64>(), ratings.len() as u64);
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    let rounded = |hundredths: u64| json!(hundredths as f64 / 100.0);
    (count > 0).then(|| rounded((200 * sum + count) / (2 * count)))
}

/// The counted part of `/transparency.json`, computed a second time from the rows of the file.
fn counted(app: &TestApp) -> Value {
    let path = app.path();
    let published = rows(
        &path,
        "select rating, text, reviewed_on, review.source_name, verification_method, said from review left join review_source
         using (review_id) where status = 'published' order by reviewed_on",
    );
    let withheld = rows(
        &path,
        "select rating, withheld_reason as reason, verified from review where status = 'withheld'",
    );
    let by_owner: Vec<&Value> = withheld
        .iter()
        .filter(|row| row["verified"] == 1)
        .filter(|row| {
            ![
                "gone at the source",
                "duplicate",
                "not published at the source",
                "not verified",
            ]
            .contains(&row["reason"].as_str().unwrap_or_default())
        })
        .collect();
    let changed = published.iter().filter(|row| {
        let said: Value = serde_json::from_str(row["said"].as_str().unwrap_or("{}")).unwrap();
        let text = str_of(&row["text"]);
        let digest: String = Sha256::digest(text)[..8]
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let text = if text.is_empty() {
            Value::Null
        } else {
            json!(digest)
        };
        let differs =
            |member: &str, value: &Value| said.get(member).is_some_and(|last| last != value);
        differs("rating", &row["rating"]) || differs("text", &text)
    });
    let changed = changed.count();
    let mut reasons = Map::new();
    for row in &withheld {
        let reason = row["reason"].as_str().unwrap_or("not stated");
        let count = reasons.get(reason).and_then(Value::as_u64).unwrap_or(0);
        reasons.insert(reason.to_owned(), json!(count + 1));
    }
    let count = |rows: &[&Value]| {
        let mut counts = Map::new();
        for row in rows {
            let method = str_of(&row["verification_method"]);
            let count = counts.get(method).and_then(Value::as_u64).unwrap_or(0);
            counts.insert(method.to_owned(), json!(count + 1));
        }
        counts
    };
    let mut sources: Vec<String> = published
        .iter()
        .map(|row| str_of(&row["source_name"]).to_owned())
        .collect();
    sources.sort();
    sources.dedup();
    let mut sources: Vec<Value> = sources
        .iter()
        .map(|name| {
            let of: Vec<&Value> = published
                .iter()
                .filter(|row| row["source_name"] == *name)
                .collect();
            json!({
                "name": name, "count": of.len(), "rating_value": mean(of.iter().map(|row| &row["rating"])),
                "first": of[0]["reviewed_on"], "last": of[of.len() - 1]["reviewed_on"], "verification": count(&of),
            })
        })
        .collect();
    sources.sort_by_key(|source| std::cmp::Reverse(source["count"].as_u64()));
    let mut held = json!({ "count": withheld.len(), "reasons": reasons });
    if by_owner.len() >= 10 {
        held["rating_value"] = mean(by_owner.iter().map(|row| &row["rating"])).unwrap();
    }
    json!({
        "published": published.len(), "rating_value": mean(published.iter().map(|row| &row["rating"])), "withheld": held,
        "changed_by_business": changed, "sources": sources,
        "verification": count(&published.iter().collect::<Vec<_>>()),
    })
}

/// The same part of the document; `arrival` and `meaning` are checked apart.
async fn shown(app: &TestApp) -> Value {
    let mut document = app.json("/transparency.json").await;
    for source in document["sources"].as_array_mut().unwrap() {
        source.as_object_mut().unwrap().remove("arrival").unwrap();
    }
    for method in document["verification"]
        .as_object_mut()
        .unwrap()
        .values_mut()
    {
        *method = method["count"].take();
    }
    let members = [
        "published",
        "rating_value",
        "withheld",
        "changed_by_business",
        "sources",
        "verification",
    ];
    let members = members.map(|name| (name.to_owned(), document[name].clone()));
    Value::Object(members.into_iter().collect())
}

async fn arrival(app: &TestApp, source: &str) -> Value {
    let document = app.json("/transparency.json").await;
    let sources = array_of(&document["sources"]);
    let found = sources.iter().find(|one| one["name"] == source);
    found.unwrap()["arrival"].clone()
}

#[tokio::test]
async fn every_figure_is_counted_in_the_file_whoever_writes_it() {
    let app = seeded().await;
    assert_eq!(shown(&app).await, counted(&app));
    let newest = "select review_id from review where status = 'published' order by reviewed_on desc, review_id";
    for edit in [
        // Other stars, another text and no text: the owner's edits of what sources gave.
        format!("update review set rating = 6 - rating where rating <> 3 and review_id in ({newest} limit 5)"),
        format!("update review set text = text || '!' where review_id in ({newest} limit 2 offset 6)"),
        format!("update review set text = '' where review_id in ({newest} limit 1 offset 9)"),
        // Nine withheld by the owner have no mean of their own, ten have.
        "update review set status = 'withheld', withheld_reason = 'gone at the source' where status = 'withheld'".to_owned(),
        format!("update review set status = 'withheld', withheld_reason = 'under dispute' where review_id in ({newest} limit 9)"),
        format!("update review set status = 'withheld', withheld_reason = null where review_id in ({newest} limit 1)"),
        format!("update review set status = 'withheld', verified = 0, withheld_reason = 'odd' where review_id in ({newest} limit 1)"),
        // A review that no source gave, and what a source says now.
        "insert into review (review_id, rating, reviewed_on, text, source_name) values ('letter', 2, '2019-05-06', 'By post.', 'Letters')".to_owned(),
        format!("update review_source set said = json_set(said, '$.rating', 1) where review_id in ({newest} limit 3)"),
        "delete from review_source".to_owned(),
        "delete from review".to_owned(),
    ] {
        let before = shown(&app).await;
        app.shell(&edit).await;
        let after = shown(&app).await;
        assert_eq!(after, counted(&app), "{edit}");
        assert_ne!(after, before, "{edit}");
    }
}

#[tokio::test]
async fn sources_are_fetched_imported_or_written_by_hand() {
    let app = seeded().await;
    app.shell("insert into review (review_id, rating, reviewed_on, source_name) values ('letter', 2, '2019-05-06', 'Letters')")
        .await;
    let source = str_of(&app.json("/transparency.json").await["sources"][0]["name"]).to_owned();
    assert_eq!(arrival(&app, "Letters").await, json!({"kind": "by_hand"}));
    // A sample has no runs.
    assert_eq!(arrival(&app, &source).await, json!({"kind": "imported"}));
    let reviews = app.get("/reviews.json").await.header("etag").to_owned();
    // Five in the morning UTC is the day before in Phoenix.
    app.shell(&format!(
        "insert into import_run (started_at, files, sources) values ('2026-03-04T05:00:00Z', '[]', '[\"{source}\"]'),
         ('2026-03-09T05:00:00Z', '[]', '[\"Other\"]')"
    ))
    .await;
    let imported = json!({"kind": "imported", "last": "2026-03-03"});
    assert_eq!(arrival(&app, &source).await, imported);
    app.shell(&format!(
        "insert into sync_source (name, url, last_success_at) values ('platform', 'https://a.test/', '2026-04-05T12:00:00Z');
         insert into sync_review (name, review_id) select 'platform', review_id from review where source_name = '{source}' limit 3"
    ))
    .await;
    let fetched = json!({"kind": "scheduled", "last": "2026-04-05"});
    assert_eq!(arrival(&app, &source).await, fetched);
    app.shell("update sync_source set last_success_at = '2026-04-06T12:00:00Z'")
        .await;
    let fetched = json!({"kind": "scheduled", "last": "2026-04-06"});
    assert_eq!(arrival(&app, &source).await, fetched);
    let html = app.text("/transparency").await;
    assert_has(
        &html,
        "Fetched from the source automatically, last on April 6, 2026.",
    );
    assert_has(&html, "Entered by the business.");
    app.shell("update sync_source set paused = 1").await;
    assert_eq!(arrival(&app, &source).await, imported);
    // Nothing of this changed the dataset.
    assert_eq!(app.get("/reviews.json").await.header("etag"), reviews);
}

#[tokio::test]
async fn what_the_business_states_is_shown_and_the_rest_is_named_as_not_stated() {
    let app = seeded().await;
    let reviews = app.get("/reviews.json").await;
    assert!(reviews.json()["business"].get("review_policy").is_none());
    let stated = app.json("/business.json").await["business"]["review_policy"].clone();
    let document = app.json("/transparency.json").await;
    assert_eq!(
        (&document["not_stated"], &document["contact"]),
        (&json!([]), &stated["contact"])
    );
    assert_eq!(document["policy"]["moderation"], stated["moderation"]);
    app.shell(
        r#"update business set review_policy = '{"incentives": "None <b>at all</b>.\nReally."}'"#,
    )
    .await;
    let document = app.json("/transparency.json").await;
    assert_eq!(
        document["policy"],
        json!({"incentives": "None <b>at all</b>.\nReally."})
    );
    let not_stated = json!(["collection", "verification", "moderation", "contact"]);
    assert_eq!(
        (&document["not_stated"], document.get("contact")),
        (&not_stated, None)
    );
    let html = app.text("/transparency").await;
    assert_has(&html, "None &lt;b&gt;at all&lt;/b&gt;.\nReally.</dd>");
    assert_eq!(html.matches("Not stated by the business.").count(), 4);
    // A change of the policy is no change of the dataset, and reports have nowhere to go.
    assert_eq!(
        app.get("/reviews.json").await.header("etag"),
        reviews.header("etag")
    );
    assert!(!app.text("/").await.contains("Report this review"));
    // Another program may write any text: it is no link.
    app.shell(r#"update business set review_policy = '{"contact": "javascript:alert(1)"}'"#)
        .await;
    assert!(!app.text("/transparency").await.contains("javascript:"));
}

#[tokio::test]
async fn pages_and_embed_lead_to_it_and_each_review_can_be_reported() {
    let app = seeded().await;
    let id = app.get("/reviews.json").await.ids()[0].clone();
    let link = "<a href=\"/transparency\">How these reviews are collected and checked</a>";
    for target in [
        "/",
        "/search",
        "/insights",
        "/insights?aspect=price",
        "/developers",
        "/embed/try",
        "/transparency",
        "/nothing",
        &format!("/reviews/{id}"),
    ] {
        assert_has(&app.get_with(target, &[BROWSER]).await.text(), link);
    }
    let embed = app.text("/embed").await;
    assert_has(&embed, &format!("href=\"{BASE}/transparency\""));
    let permalink = format!("{BASE}/reviews/{id}")
        .replace(':', "%3A")
        .replace('/', "%2F")
        .replace('.', "%2E")
        .replace('-', "%2D");
    let mail = format!(
        "<a href=\"mailto:reviews@saltbush-air.example.com?body={permalink}\" rel=\"nofollow\">Report this review</a>"
    );
    for target in ["/", "/search", "/embed", &format!("/reviews/{id}")] {
        assert_has(&app.text(target).await, &mail);
    }
    assert_has(&app.text("/insights").await, "Report this summary</a>");
    for (contact, start) in [
        ("https://a.test/report", "https://a.test/report?review="),
        (
            "https://a.test/report?firm=7#form",
            "https://a.test/report?firm=7&amp;review=",
        ),
    ] {
        app.shell(&format!(
            "update business set review_policy = '{{\"contact\": \"{contact}\"}}'"
        ))
        .await;
        let html = app.text(&format!("/reviews/{id}")).await;
        assert_has(&html, &format!("<a href=\"{start}{permalink}"));
    }
}

#[tokio::test]
async fn it_is_in_the_language_of_the_business() {
    let app = seeded().await;
    for target in ["/transparency.json", "/transparency"] {
        assert_ne!(app.get(target).await.header("etag"), "", "{target}");
    }
    let english: Vec<usize> = figures(&app.text("/transparency").await);
    for (language, heading) in [
        ("de", "Wie diese Bewertungen gesammelt und geprüft werden"),
        ("es", "Cómo se recogen y comprueban estas reseñas"),
        ("fr", "Comment ces avis sont recueillis et vérifiés"),
    ] {
        app.shell(&format!(
            "update business set language = '{language}', country = null"
        ))
        .await;
        let html = app.text("/transparency").await;
        assert_has(&html, &format!("<h1>{heading}</h1>"));
        assert_eq!(figures(&html), english, "{language}");
    }
    app.shell("delete from business").await;
    assert_has(&app.text("/transparency").await, "not set up yet");
}

/// The numbers of reviews in the list of sources.
fn figures(html: &str) -> Vec<usize> {
    let lines = between(html, "</h3>\n<p>", " ");
    lines
        .into_iter()
        .map(|line| line.parse().unwrap())
        .collect()
}
