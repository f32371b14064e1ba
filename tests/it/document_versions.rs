//! Unchanged documents keep `ETag`, date and version; a changed document gets exactly one new version.

use std::collections::BTreeMap;

use reviews_service::snapshot::Document;

use crate::support::{Generator, TestApp, publications, table};

/// Tag, date and version of a document.
type Seen = BTreeMap<&'static str, (String, String, i64)>;

async fn seen(app: &TestApp) -> Seen {
    let mut seen = Seen::new();
    let versions = publications(&app.path());
    for document in Document::ALL {
        let answer = app.get(document.path()).await;
        let [tag, date] = ["etag", "last-modified"].map(|name| answer.header(name).to_owned());
        let mut versions = versions.iter();
        let of_document = versions.find(|(name, ..)| name == document.name());
        seen.insert(document.name(), (tag, date, of_document.unwrap().1));
    }
    seen
}

/// Runs `sql` ten seconds later, and compares the documents with a new version with `changed`.
async fn check_changes(app: &TestApp, sql: &str, changed: &[&str]) {
    let before = seen(app).await;
    app.advance(chrono::Duration::seconds(10));
    app.shell(sql).await;
    let after = seen(app).await;
    for (document, (tag, date, version)) in &before {
        let (new_tag, new_date, new_version) = &after[document];
        if changed.contains(document) {
            assert_eq!(*new_version, version + 1, "{document} after {sql}");
            assert_ne!(new_tag, tag, "{document}: ETag after {sql}");
            assert_ne!(new_date, date, "{document}: Last-Modified after {sql}");
        } else {
            assert_eq!(after[document], before[document], "{document} after {sql}");
        }
    }
}

const FIRM: &str = "insert into business (business_id, name) values ('peak', 'Desert Peak');
    insert into service (service_id, name) values ('drain', 'Drain cleaning'), ('unmentioned', 'Never used');
    insert into technician (technician_id, name) values ('t1', 'Will Grant');
    insert into review (review_id, rating, reviewed_on, text) values ('oldest', 4, '1999-01-01', 'long ago');
    insert into review (review_id, rating, reviewed_on, text) values ('newest', 4, '2026-11-20', 'just now');
    insert into review (review_id, rating, reviewed_on, text, status, withheld_reason)
      values ('unseen', 1, '2026-11-20', 'hidden', 'withheld', 'spam');";

#[tokio::test]
async fn only_documents_with_changed_bytes_get_a_version() {
    let app = TestApp::with(&Generator::new(11).reviews(120)).await;
    app.shell(FIRM).await;
    for [sql, changed] in table(
        r#"
        update review set author = author → nothing
        update review set rating = rating, text = text, status = status → nothing
        update review set review_id = review_id → nothing
        replace into review select * from review → nothing
        replace into mention select * from mention → nothing
        update review set text = 'hidden still' where review_id = 'unseen' → nothing
        insert into mention values ('unseen', 'technician', 'Will Grant') → nothing
        insert into mention values ('nobody', 'technician', 'Will Grant'); delete from mention where review_id = 'nobody' → nothing
        update review set reply_on = '2026-11-20', reply_author = 'Us' where review_id = 'newest' → nothing
        insert into review (review_id, rating, reviewed_on) values ('brief', 1, '2026-11-20'); delete from review where review_id = 'brief' → nothing
        delete from review where review_id = 'nobody' → nothing
        create table ours (a); insert into ours values (1); drop table ours → nothing
        vacuum; reindex; analyze → nothing
        insert into review_fts (review_fts) values ('optimize'); insert into review_fts (review_fts) values ('rebuild') → nothing
        update review set rating = 5 where review_id = 'oldest' → reviews insights
        update review set title = 'A title' where review_id = 'newest' → reviews json_feed atom_feed
        update review set source_name = 'Google' where review_id = 'newest' → reviews json_feed atom_feed
        update review set withheld_reason = 'fake' where review_id = 'unseen' → reviews
        update business set telephone = '555-0100' → reviews
        update technician set aliases = '["Bill"]' → reviews
        insert into mention values ('oldest', 'technician', 'Will Grant') → reviews insights
        update service set name = 'Other' where service_id = 'unmentioned' → reviews insights
        insert into editorial_faq (faq_id, question, answer) values ('q', 'Why?', 'Because.') → insights
        update review set text = 'just then' where review_id = 'newest' → reviews json_feed atom_feed
        update business set description = 'Heating and cooling.' → reviews json_feed atom_feed
        update business set name = 'Peak' → reviews json_feed atom_feed
        replace into business (business_id, name, time_zone) values ('peak', 'Peak & Co', 'UTC') → reviews json_feed atom_feed
        insert into service_area (name) values ('Mesa') → reviews
        insert into editorial_summary (text) values ('In our words.') → insights
        delete from editorial_faq; delete from editorial_summary → insights
        delete from service where service_id = 'unmentioned'; delete from service_area → reviews insights
        delete from business → reviews insights json_feed atom_feed
        delete from review where review_id = 'newest' → reviews insights json_feed atom_feed
        "#,
    ) {
        let changed: Vec<&str> = changed.split(' ').collect();
        check_changes(&app, sql, &changed).await;
    }
}
