//! `/transparency` and its JSON: every figure is computed from the database, also after another program's edits, and the
//! policy is shown as the business states it.

use std::fs;

use chrono::TimeDelta;
use percent_encoding::{NON_ALPHANUMERIC, percent_encode};
use reviews_service::model::hex;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::BROWSER;
use crate::support::{BASE, TestApp, array_of, assert_has, rows, str_of, table};

/// The counted part of `/transparency.json`, computed a second time; MEAN is that of stars, rounded half away from zero.
const COUNTED: &str = "
    with published as (select * from review where status = 'published'),
        withheld as (select *, coalesce(withheld_reason, 'not stated') as why from review where status = 'withheld'),
        by_owner as (select rating from withheld left join review_source using (review_id) where said ->> '$.status.withheld' is not why
            or said ->> '$.decided' is not null or why not in ('gone at the source', 'not published at the source', 'not verified')),
        deleted as (select *, coalesce(reason, 'not stated') as why from deleted_review
            where review_id not in (select review_id from review)),
        source as (select source_name as name, count(*) filter (where status = 'published') as shown
            from (select source_name, status from review union all select source_name, 'deleted' from deleted) group by name)
    select json_object(
        'published', (select count(*) from published),
        'rating_value', (select MEAN from published),
        'withheld', json_patch('{}', json_object(
            'count', (select count(*) from withheld),
            'reasons', (select json_group_object(why, n) from
                (select why, count(*) as n from withheld group by why order by n desc, why limit 20)),
            'rating_value', (select iif(count(*) >= 10, MEAN, null) from by_owner))),
        'deleted', json_object(
            'count', (select count(*) from deleted),
            'reasons', (select json_group_object(why, n) from
                (select why, count(*) as n from deleted group by why order by n desc, why limit 10))),
        'sources', (select json_group_array(json_patch('{}', json_object(
            'name', name,
            'count', shown,
            'withheld', (select count(*) from withheld where source_name = name),
            'deleted', (select count(*) from deleted where source_name = name),
            'rating_value', (select MEAN from published where source_name = name),
            'first', (select min(reviewed_on) from published where source_name = name),
            'last', (select max(reviewed_on) from published where source_name = name),
            'verification', (select json_group_object(verification, n) from
                (select verification, count(*) as n from published where source_name = name group by verification)))))
            from (select * from source order by shown desc, name)),
        'verification', (select json_group_object(verification, n) from
            (select verification, count(*) as n from published group by verification)))";
const MEAN: &str = "(200 * sum(rating) + count(*)) / (2 * count(*)) / 100.0";
/// What sources said last of the published reviews that they gave.
const SAID: &str = "select rating, reviewed_on, author, title, text, said from review join review_source using (review_id) where status = 'published'";

fn counted(app: &TestApp) -> Value {
    let path = app.path();
    let counted = app.sql(&COUNTED.replace("MEAN", MEAN));
    let mut counted: Value = counted.parse().unwrap();
    let said = rows(&path, SAID);
    let is_changed = |row: &&Value| {
        let said: Value = str_of(&row["said"]).parse().unwrap();
        let digest = |name: &str| {
            let text = row[name].as_str().unwrap_or_default();
            let digest = hex(&Sha256::digest(text)[..8]);
            json!((!text.is_empty()).then_some(digest))
        };
        let mut now = json!({"rating": row["rating"], "date": row["reviewed_on"]});
        for name in ["author", "title", "text"] {
            now[name] = digest(name);
        }
        let mut last = said.as_object().unwrap().iter();
        last.any(|(name, last)| now.get(name).is_some_and(|now| now != last))
    };
    counted["changed_by_business"] = json!(said.iter().filter(is_changed).count());
    counted
}

/// The same part of the document; `arrival` and `meaning` are checked apart.
async fn shown(app: &TestApp) -> Value {
    let document = app.json("/transparency.json").await;
    let members =
        "published rating_value withheld deleted changed_by_business sources verification"
            .split(' ');
    let members = members.map(|name| (name.to_owned(), document[name].clone()));
    let mut shown = Value::Object(members.collect());
    for source in shown["sources"].as_array_mut().unwrap() {
        source.as_object_mut().unwrap().remove("arrival").unwrap();
    }
    for (_, method) in shown["verification"].as_object_mut().unwrap() {
        *method = method["count"].take();
    }
    shown
}

/// How the reviews of a source arrive.
async fn arrival(app: &TestApp, source: &str) -> Value {
    let document = app.json("/transparency.json").await;
    let sources = array_of(&document["sources"]);
    let found = sources.iter().find(|one| one["name"] == source);
    found.unwrap()["arrival"].clone()
}

/// Changes of different figures, each of one review.
const CHANGES: [&str; 5] = [
    "delete from review where NEWEST",
    "update review set status = 'withheld', withheld_reason = 'under dispute' where NEWEST",
    "update review set rating = 6 - rating where rating <> 3 and NEWEST",
    "update review set title = 'Other' where NEWEST",
    "update review set source_name = 'Elsewhere' where NEWEST",
];
const NEWEST: &str = "review_id in (select review_id from review where status = 'published' and rating <> 3 order by reviewed_on desc, review_id limit 1)";

#[tokio::test]
async fn its_figures_are_of_the_snapshot_that_every_other_answer_is_of() {
    let app = TestApp::seeded().await;
    for change in CHANGES.map(|change| change.replace("NEWEST", NEWEST)) {
        // The snapshot after one that somebody looked at has figures of its own.
        shown(&app).await;
        app.shell(&change).await;
        let published = counted(&app);
        app.sql(&change);
        assert_eq!(shown(&app).await, published, "{change}");
        let dataset = app.json("/reviews.json").await;
        assert_eq!(
            published["published"],
            dataset["aggregate_rating"]["review_count"]
        );
        app.drain().await;
        assert_eq!(shown(&app).await, counted(&app), "{change}");
        // Without figures, the answer is of the next snapshot.
        app.shell(&change).await;
        app.shell(&change).await;
        app.sql(&change);
        let (seen, ()) = tokio::join!(shown(&app), app.drain());
        assert_eq!(seen, counted(&app), "{change}");
    }
}

#[tokio::test]
async fn its_figures_are_shown_while_publishing_fails() {
    let app = TestApp::seeded().await;
    let edit = "update review set title = title || '!' where NEWEST".replace("NEWEST", NEWEST);
    // Of a snapshot that nobody asked before, there are no figures of its own.
    app.shell(&edit).await;
    app.shell(&edit).await;
    app.sql(&edit);
    assert_eq!(shown(&app).await["published"], counted(&app)["published"]);
}

#[tokio::test]
async fn its_figures_follow_a_change_of_no_document() {
    let app = TestApp::seeded().await;
    let withhold = "update review set status = 'withheld', rating = 1 where rating <> 3";
    app.shell(withhold).await;
    let before = shown(&app).await;
    app.shell("update review set rating = 5 where status = 'withheld' and withheld_reason is null")
        .await;
    let after = shown(&app).await;
    assert_eq!(after, counted(&app));
    assert_ne!(after, before, "the premise");
}

#[tokio::test]
async fn every_figure_follows_the_file_after_writes_of_any_program() {
    let app = TestApp::seeded().await;
    assert_eq!(shown(&app).await, counted(&app));
    let mut others_max = 0;
    // Nine withheld by the owner have no mean of their own, ten have. The last are a review of no source, and what a source says now.
    for [edit] in table(
        "
        update review set title = 'Other', author = 'A. B.' where NEWEST limit 2 offset 20)
        update review set rating = 6 - rating where rating <> 3 and NEWEST limit 5)
        update review set text = text || '!' where NEWEST limit 2 offset 6)
        update review set text = '' where NEWEST limit 1 offset 9)
        update review_source set said = json_set(said, '$.status.withheld', 'gone at the source'); update review set withheld_reason = 'gone at the source' where status = 'withheld'
        update review set status = 'withheld', withheld_reason = 'under dispute' where NEWEST limit 9)
        update review set status = 'withheld', withheld_reason = null where NEWEST limit 1)
        update review set status = 'withheld', verification = null, withheld_reason = 'odd' where NEWEST limit 1)
        insert into review (review_id, rating, reviewed_on, text, source_name) values ('letter', 2, '2019-05-06', 'By post.', 'Letters')
        update review_source set said = json_set(said, '$.rating', 1) where NEWEST limit 3)
        update review_source set said = json_set(said, '$.decided', json_array('status'))
        delete from review_source
        update review set status = 'withheld', withheld_reason = 'reason ' || review_id where NEWEST limit 30)
        delete from review where NEWEST limit 12)
        update deleted_review set reason = 'reason ' || review_id
        delete from review where status = 'withheld'
        delete from review
        ",
    ) {
        let newest = "review_id in (select review_id from review where status = 'published' order by reviewed_on desc, review_id";
        let edit = edit.replace("NEWEST", newest);
        let before = shown(&app).await;
        app.shell(&edit).await;
        let after = shown(&app).await;
        assert_eq!(after, counted(&app), "{edit}");
        assert_ne!(after, before, "{edit}");
        // Reasons that are not listed are summed.
        let pages = ["/", "/transparency", "/transparency"];
        for (page, part) in pages.into_iter().zip(["withheld", "withheld", "deleted"]) {
            let page = app.text(page).await;
            let reasons = after[part]["reasons"].as_object().unwrap().values();
            let listed: u64 = reasons.map(|count| count.as_u64().unwrap()).sum();
            let others = after[part]["count"].as_u64().unwrap() - listed;
            let line = format!("<li>other reasons: {others}</li>");
            assert_eq!(page.contains(&line), others > 0, "{edit}: {line}");
            others_max = others_max.max(others);
        }
    }
    assert!(others_max > 1, "the premise");
}

#[tokio::test]
async fn from_ten_on_the_first_line_has_deleted_and_withheld_reviews() {
    let app = TestApp::seeded().await;
    // The sample has 264 reviews, of which the business withheld eight.
    let delete_worst = async |count: u8| {
        let worst = format!(
            "select review_id from review where status = 'published' order by rating, review_id limit {count}"
        );
        app.shell(&format!("delete from review where review_id in ({worst})"))
            .await;
        app.text("/transparency").await
    };
    let html = delete_worst(1).await;
    let counts = "Reviews taken in: 264. Published: 255. Withheld: 8. Deleted by the business: 1. Every published review is shown";
    assert_has(&html, counts);
    let deleted =
        "The business deleted 1 review. Nothing of it is kept, so its stars are not known.";
    assert_has(&html, deleted);
    assert_has(&html, "<li><span dir=\"auto\">not stated</span>: 1</li>");
    let owner = "runs this site · 2140 W Screwbean Lane, Suite 6 · Mesa · AZ · 85202 · US · +1";
    assert_has(&html, owner);
    assert!(!html.contains("</h1>\n<p><strong>"), "{html}");
    let html = delete_worst(1).await;
    let first = "</h1>\n<p><strong>The business withheld 8 and deleted 2 of the 264 reviews that it took in.</strong></p>";
    assert_has(&html, first);
    assert_eq!(shown(&app).await, counted(&app));
    // A format's own reason is its source's, and so is the want of stars.
    app.shell(
        r#"insert into source (name, format) values ('Form', 'public = [{ names = "OK", values = ["yes"], reason = "asked" }]');
         update review set withheld_reason = iif(rating < 3, 'asked', 'recommendation without stars') where status = 'withheld';
         update review_source set said = json_set(said, '$.status', json_object('withheld', withheld_reason))
             from review as r where r.review_id = review_source.review_id and withheld_reason <> ''"#,
    )
    .await;
    assert_has(
        &delete_worst(8).await,
        "withheld 0 and deleted 10 of the 264",
    );
}

#[tokio::test]
async fn sources_are_fetched_imported_or_written_by_hand() {
    let app = TestApp::seeded().await;
    let source = str_of(&app.json("/transparency.json").await["sources"][0]["name"]).to_owned();
    app.shell("insert into review (review_id, rating, reviewed_on, source_name) values ('letter', 2, '2019-05-06', 'Letters')")
        .await;
    assert_eq!(arrival(&app, "Letters").await, json!({"kind": "by_hand"}));
    // A sample has no runs.
    assert_eq!(arrival(&app, &source).await, json!({"kind": "imported"}));
    let tag = app.get("/reviews.json").await.header("etag").to_owned();
    let imported = json!({"kind": "imported", "last": "2026-03-03"});
    // Five in the morning UTC is the day before in Phoenix.
    for (sql, expected) in [
        (
            "insert into import_run (started_at, files, sources) values ('2026-03-04T05:00:00Z', '[]', '[\"SOURCE\"]'),
               ('2026-03-09T05:00:00Z', '[]', '[\"Other\"]')",
            imported.clone(),
        ),
        (
            "insert into sync_state (name, last_success_at) values ('platform', '2026-04-05T12:00:00Z');
             update review_source set entry = 'platform' where review_id in (select review_id from review where source_name = 'SOURCE' limit 3)",
            json!({"kind": "scheduled", "last": "2026-04-05"}),
        ),
        (
            "update sync_state set last_success_at = '2026-04-06T12:00:00Z'",
            json!({"kind": "scheduled", "last": "2026-04-06"}),
        ),
        (
            "update sync_state set held = 1, last_import = '{\"former_source\": \"SOURCE\"}'",
            json!({"kind": "scheduled", "last": "2026-04-06"}),
        ),
        ("update sync_state set last_import = '{}'", imported),
    ] {
        app.shell(&sql.replace("SOURCE", &source)).await;
        assert_eq!(arrival(&app, &source).await, expected, "{sql}");
        if expected["last"] == "2026-04-06" {
            let html = app.text("/transparency").await;
            let fetched = "Fetched from the source automatically, last on April 6, 2026.";
            assert_has(&html, fetched);
            assert_has(&html, "Entered by the business.");
        }
    }
    // Nothing of this changed the dataset.
    assert_eq!(app.get("/reviews.json").await.header("etag"), tag);
}

#[tokio::test]
async fn a_policy_is_shown_and_missing_parts_are_named_as_not_stated() {
    let app = TestApp::seeded().await;
    let reviews = app.get("/reviews.json").await;
    assert!(reviews.json()["business"].get("review_policy").is_none());
    let stated = app.json("/business.json").await["business"]["review_policy"].clone();
    let document = app.json("/transparency.json").await;
    assert_eq!(document["not_stated"], json!([]));
    assert_eq!(document["contact"], stated["contact"]);
    assert_eq!(document["policy"]["moderation"], stated["moderation"]);
    let set = async |policy: &str| {
        app.shell(&format!("update business set review_policy = '{policy}'"))
            .await;
        let document = app.json("/transparency.json").await;
        (document, app.text("/transparency").await)
    };
    let policy = r#"{"incentives": "None <b>at all</b>.\nReally."}"#;
    let (document, html) = set(policy).await;
    assert_eq!(document["policy"], policy.parse::<Value>().unwrap());
    let not_stated = json!(["collection", "verification", "moderation", "contact"]);
    assert_eq!(document["not_stated"], not_stated);
    assert_eq!(document.get("contact"), None);
    assert_has(&html, "None &lt;b&gt;at all&lt;/b&gt;.\nReally.</dd>");
    assert_eq!(html.matches("Not stated by the business.").count(), 4);
    // A change of the policy is no change of the dataset, and reports have nowhere to go.
    let tag = reviews.header("etag");
    assert_eq!(app.get("/reviews.json").await.header("etag"), tag);
    assert!(!app.text("/").await.contains("Report this review"));
    // Another program may write any text: it is no link.
    let (_, html) = set(r#"{"contact": "javascript:alert(1)"}"#).await;
    assert!(!html.contains("javascript:"));
}

#[tokio::test]
async fn pages_and_embed_lead_to_it_and_each_review_can_be_reported() {
    let app = TestApp::seeded().await;
    let id = app.get("/reviews.json").await.ids()[0].clone();
    let own = format!("/reviews/{id}");
    let pages = "/ /search /insights /developers /embed/try /transparency /docs /nothing";
    for target in pages.split(' ').chain([own.as_str()]) {
        let html = app.get_with(target, &[BROWSER]).await.text();
        let link = "<a href=\"/transparency\">How these reviews are collected and checked</a>";
        assert_has(&html, link);
    }
    let embed = app.text("/embed").await;
    assert_has(&embed, &format!("href=\"{BASE}/transparency\""));
    let permalink = format!("{BASE}{own}");
    let permalink = percent_encode(permalink.as_bytes(), NON_ALPHANUMERIC).to_string();
    let mail = format!(
        "<a href=\"mailto:reviews@saltbush-air.example.com?body={permalink}\" rel=\"nofollow\">Report this review</a>"
    );
    for target in ["/", "/search", "/embed", &own] {
        assert_has(&app.text(target).await, &mail);
    }
    assert_has(&app.text("/insights").await, "Report this summary</a>");
    let policy = json!({ "contact": "https://a.test/report" });
    app.shell(&format!("update business set review_policy = '{policy}'"))
        .await;
    let link = "<a href=\"https://a.test/report\" rel=\"nofollow\">Report this review</a>";
    assert_has(&app.text(&own).await, link);
}

#[tokio::test]
async fn total_stated_by_a_source_is_shown_with_the_day() {
    let app = TestApp::seeded().await;
    let entry = "[yelp]\nurl = 'https://yelp.test'\n";
    fs::write(app.path().with_extension("sync.toml"), entry).unwrap();
    app.clock().advance(TimeDelta::seconds(30));
    for (total, sentence) in [
        (
            20,
            "Yelp says 20 on November 3, 2026: 32 here, 2 withheld, 0 deleted, 14 more here than there.",
        ),
        (
            35,
            "Yelp says 35 on November 3, 2026: 32 here, 2 withheld, 0 deleted, 1 not here.",
        ),
    ] {
        app.shell(&format!(
            "insert or replace into sync_state (name, source, last_success_at, total, total_on)
               values ('yelp', 'Yelp', '2026-11-03T12:00:00Z', {total}, '2026-11-03');
             update review_source set entry = 'yelp' where source_name = 'Yelp'"
        ))
        .await;
        assert_has(&app.text("/transparency").await, sentence);
    }
}
