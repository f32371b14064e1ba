//! An export imported into an empty database publishes the same documents except for their update times, and every later
//! import has the same effect as on the original.

use std::mem;

use reviews_service::imports::export::{Export, columns_of_table};
use reviews_service::storage::columns::KeptColumns;

use super::*;
use crate::support::{Generator, TestApp, sqlite3};

/// The whole database as `reviews export` writes it.
pub(super) async fn export(database: &Database, is_table: bool) -> Vec<u8> {
    let mut reader = database.readers().begin().await.unwrap();
    let mut export = Export::default();
    let mut table = csv::Writer::from_writer(Vec::new());
    let mut lines = Vec::new();
    table.write_record(columns_of_table()).unwrap();
    let mut columns = KeptColumns::load(&mut reader).await.unwrap();
    while let Some(rows) = export.next(&mut reader).await.unwrap() {
        for row in rows {
            table
                .write_record(row.cells(&mem::take(&mut columns)))
                .unwrap();
            lines.extend(format!("{}\n", row.json()).into_bytes());
        }
    }
    if is_table {
        table.into_inner().unwrap()
    } else {
        lines
    }
}

/// Every document without its own update time.
async fn documents(app: &TestApp) -> Vec<String> {
    let mut documents = Vec::new();
    for (target, updated) in [
        ("/reviews.json", "updated_at"),
        ("/business.json", "updated_at"),
        ("/api/feed.json", "_feed"),
        ("/insights.json", ""),
        ("/facets.json", ""),
        ("/api/reviews/since/2001-01-01", ""),
    ] {
        let mut document = app.get(target).await.json();
        let removed = document.as_object_mut().unwrap().remove(updated);
        assert_eq!(removed.is_some(), !updated.is_empty(), "{target}");
        documents.push(document.to_string());
    }
    let atom = app.get("/feed.xml").await.text();
    let (before, after) = atom.split_once("<updated>").unwrap();
    let after = after.split_once("</updated>").unwrap().1;
    documents.push(format!("{before}{after}"));
    documents
}

/// A new service with the same business and no reviews.
async fn service_with_same_business(app: &TestApp) -> TestApp {
    let other = TestApp::empty().await;
    let copies = ["business", "service", "technician", "service_area"]
        .map(|table| format!("insert into {table} select * from original.{table};"));
    let path = app.path();
    other
        .shell(&format!(
            "attach '{}' as original; {}",
            path.display(),
            copies.concat()
        ))
        .await;
    other
}

async fn import_file(app: &TestApp, file: &str, content: &[u8], options: &str) -> ImportReport {
    let path = app.folder().join(file);
    fs::write(&path, content).unwrap();
    let request = request_for([path.clone()], options);
    let mut watch = Quiet::default();
    let report = import(app.database(), app.clock(), &request, &mut watch)
        .await
        .unwrap();
    assert_eq!(watch.rejections, [], "{file}");
    fs::remove_file(path).unwrap();
    app.drain().await;
    report
}

#[tokio::test]
async fn an_imported_export_reproduces_documents_except_update_times() {
    for (seed, is_table) in [(121, false), (122, true), (123, false), (124, true)] {
        let app = TestApp::with(&Generator::new(seed).reviews(90)).await;
        app.shell(
            "insert into business (business_id, name, time_zone, language) values ('dp', 'Desert Peak', 'America/Phoenix', 'en');
             insert into service (service_id, name) values ('drain', 'Drain cleaning');
             insert into technician (technician_id, name) values ('t1', 'Will Grant');
             insert into service_area (name) values ('Mesa')",
        )
        .await;
        app.advance(chrono::Duration::minutes(3));
        app.shell(
            "update review set status = 'withheld', withheld_reason = 'under dispute' where review_id glob '*1';
             update review set status = 'withheld', withheld_reason = null, verified = 0 where review_id glob '*2';
             update review set text = 'Will Grant cleaned the drain in Mesa, twice: \"great\"; then; he left.' where review_id glob '*3';
             update review set title = 'Line one' || char(10) || 'line two', language = 'es-MX' where review_id glob '*4';
             update review set response_text = 'Thanks; really', response_on = '2026-11-19', response_author = 'The owner' where review_id glob '*5';
             update review set source_name = 'Yelp', source_url = 'https://yelp.example/1' where review_id glob '*6';
             update review set verification_method = 'job_match', verified_at = '2026-11-19T10:00:00.5Z' where review_id glob '*7';
             insert into mention select review_id, 'technician', 'Will Grant' from review where review_id glob '*8' and not exists
               (select 1 from mention as m where m.review_id = review.review_id and kind = 'technician' and value = 'Will Grant');
             insert into mention select review_id, 'service', value from review, json_each(json_array('Drains; sewers', 'Pipes'))
               where review_id glob '*1' or review_id glob '*2';
             insert into mention select review_id, 'service_area', json_array('Mesa') from review where review_id glob '*3';
             delete from review where review_id glob '*9';
             insert into review (review_id, rating, reviewed_on) values ('bare', 4, '2026-11-18')",
        )
        .await;
        let other = service_with_same_business(&app).await;
        other.advance(chrono::Duration::days(2));
        let file = export(app.database(), is_table).await;
        let report = import_file(&other, "export", &file, "").await;
        let count = sqlite3(&app.path(), "select count(*) from review");
        assert_eq!(report.new.to_string(), count);
        for (one, its) in documents(&other).await.iter().zip(documents(&app).await) {
            assert_eq!(*one, its, "seed {seed}");
        }
        assert_eq!(
            export(other.database(), is_table).await,
            file,
            "exporting the copy, seed {seed}"
        );
    }
}

#[tokio::test]
async fn an_exported_table_saved_by_excel_is_imported() {
    let app = TestApp::with(&Generator::new(125).reviews(12)).await;
    app.shell("delete from review where review_id glob '*3'")
        .await;
    let file = String::from_utf8(export(app.database(), true).await).unwrap();
    let saved = file
        .replace(",true,", ",TRUE,")
        .replace(",true\n", ",TRUE\n")
        .replace(",false,", ",FALSE,");
    assert_has(&saved, ",TRUE,");
    assert_has(&saved, ",TRUE\n");
    let other = service_with_same_business(&app).await;
    let report = import_file(&other, "export.csv", saved.as_bytes(), "").await;
    assert!(report.noted_deleted > 0, "{report:?}");
    let message = summary(&report, false);
    assert_has(&message, "export.csv: native format (JSON Lines, CSV), ");
    assert_eq!(export(other.database(), true).await, file.as_bytes());
}

/// Six Google reviews with the given changes.
fn google_page(changes: &[(&str, Value)]) -> Vec<u8> {
    let rows: Vec<Value> = ["a", "b", "c", "d", "e", "f"]
        .iter()
        .map(|id| {
            let mut row = google(1, id, &json!({"reviewReply": {"comment": format!("Reply to {id}."), "updateTime": "2026-11-04T05:00:00Z"}}));
            row["comment"] = json!(format!("Comment {id}."));
            for (_, change) in changes.iter().filter(|(of, _)| of == id) {
                for (name, value) in change.as_object().unwrap() {
                    row[name] = value.clone();
                }
            }
            row
        })
        .collect();
    page(&rows).into_bytes()
}

/// All reviews and their source data, without their update times.
fn rows(app: &TestApp) -> String {
    let columns = "review_id, rating, reviewed_on, author, title, text, status, withheld_reason, language, source_name, source_url, verified,
        verification_method, response_text, response_on, response_author";
    sqlite3(
        &app.path(),
        &format!(
            "select {columns} from review order by review_id;
             select review_id, source_name, location, posted_at, responded_at from review_source order by review_id"
        ),
    )
}

#[tokio::test]
async fn a_platform_file_has_the_same_effect_after_an_export_import() {
    for is_table in [false, true] {
        let app = TestApp::empty().await;
        app.shell(
            "insert into business (business_id, name, time_zone) values ('dp', 'Desert Peak', 'America/Phoenix');
             update instance set dates_time_zone = 'America/Phoenix'",
        )
        .await;
        import_file(&app, "first", &google_page(&[]), "").await;
        app.shell(
            "update review set status = 'withheld', withheld_reason = 'under dispute' where review_id = '77.a';
             update review set text = 'As the owner has it.', source_name = 'Maps' where review_id = '77.b';
             delete from review where review_id = '77.c';
             update review set response_text = 'Our own answer.' where review_id = '77.d';
             update review set reviewed_on = '2026-10-31' where review_id = '77.e'",
        )
        .await;
        let other = service_with_same_business(&app).await;
        other
            .shell("update instance set dates_time_zone = 'America/Phoenix'")
            .await;
        let file = export(app.database(), is_table).await;
        import_file(&other, "export", &file, "").await;
        assert_eq!(rows(&other), rows(&app));
        for app in [&app, &other] {
            app.advance(chrono::Duration::days(30));
        }
        let next = google_page(&[
            ("a", json!({"starRating": "ONE"})),
            (
                "b",
                json!({"comment": "Written anew.", "starRating": "TWO"}),
            ),
            ("c", json!({"comment": "Deleted or not."})),
            (
                "d",
                json!({"reviewReply": {"comment": "Another.", "updateTime": "2026-11-05T05:00:00Z"}}),
            ),
            ("e", json!({"starRating": "FIVE"})),
            (
                "f",
                json!({"reviewReply": {"comment": "Anew.", "updateTime": "2026-11-05T05:00:00Z"}}),
            ),
        ]);
        // The source no longer gives f, which is more than a tenth.
        let fewer = String::from_utf8(next.clone()).unwrap();
        let mut fewer: Value = serde_json::from_str(&fewer).unwrap();
        fewer["reviews"].as_array_mut().unwrap().pop();
        let withdraw = "--withdraw-missing --yes";
        for (content, options) in [
            (google_page(&[]), ""),
            (next.clone(), ""),
            (fewer.to_string().into_bytes(), withdraw),
            (next, ""),
        ] {
            let (here, there) = (
                import_file(&app, "next", &content, options).await,
                import_file(&other, "next", &content, options).await,
            );
            assert_eq!(
                summary(&there, false).replace(other.folder().to_str().unwrap(), ""),
                summary(&here, false).replace(app.folder().to_str().unwrap(), "")
            );
            assert_eq!(rows(&other), rows(&app));
        }
        // The export has the instants, too: another time zone changes the same dates.
        for app in [&app, &other] {
            app.shell("update business set time_zone = 'Asia/Tokyo'")
                .await;
            import_file(app, "again", &google_page(&[]), "").await;
        }
        assert_eq!(rows(&other), rows(&app));
        assert!(rows(&app).contains("2026-11-02"), "{}", rows(&app));
        for (one, its) in documents(&other).await.iter().zip(documents(&app).await) {
            assert_eq!(*one, its);
        }
    }
}
