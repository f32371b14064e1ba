//! The database is replaced, another service publishes on it, or its publication rows are altered: versions and dates never
//! go back as long as the service or the database has them.

use super::*;

fn versions(path: &Path) -> Vec<i64> {
    publications(path)
        .into_iter()
        .map(|(_, version, _)| version)
        .collect()
}

async fn dataset(app: &TestApp) -> (String, String, Vec<u8>) {
    let answer = app.get("/reviews.json").await;
    (
        answer.header("etag").to_owned(),
        answer.header("last-modified").to_owned(),
        answer.body,
    )
}

#[tokio::test]
async fn an_older_copy_restored_into_the_file_is_published() {
    let app = TestApp::with(&Generator::new(61).reviews(200)).await;
    let copy = app.folder().join("copy.db");
    app.back_up(&copy);
    let old = dataset(&app).await;
    app.advance(chrono::Duration::seconds(10));
    app.shell("delete from review where rating < 4; update review set author = 'after the copy' where rating = 4").await;
    let (before, seen) = (versions(&app.path()), dataset(&app).await);
    app.advance(chrono::Duration::seconds(10));
    app.restore(&copy).await;
    let restored = dataset(&app).await;
    let but_updated = |seen: &(String, String, Vec<u8>)| {
        let mut dataset: serde_json::Value = serde_json::from_slice(&seen.2).unwrap();
        let updated = dataset["updated_at"].take();
        (dataset, updated.as_str().unwrap().to_owned())
    };
    let (then, now) = (but_updated(&old), but_updated(&restored));
    assert_eq!(now.0, then.0, "its content at that time");
    assert!(now.1 > but_updated(&seen).1, "except the date of change");
    let date = |seen: &(String, String, Vec<u8>)| DateTime::parse_from_rfc2822(&seen.1).unwrap();
    assert!(
        date(&restored) > date(&seen),
        "Last-Modified went back from {} to {}",
        seen.1,
        restored.1
    );
    for (before, after) in before.iter().zip(versions(&app.path())) {
        assert!(
            after > *before,
            "subscribers have version {before}; {after} would not be delivered"
        );
    }
    check_in_step(&app).await;
}

#[tokio::test]
async fn a_restored_copy_with_more_changes_is_published() {
    let app = TestApp::with(&Generator::new(62).reviews(200)).await;
    let copy = app.folder().join("copy.db");
    app.back_up(&copy);
    app.shell("update review set author = 'after the copy' where review_id in ('r-00001', 'r-00002', 'r-00003')").await;
    // After the restore, more changes than there were since the copy, before the service looks.
    restore(&app.path(), &copy);
    app.shell(
        "update review set author = 'overtaken' where review_id between 'r-00010' and 'r-00020'",
    )
    .await;
    check_in_step(&app).await;
}

#[tokio::test]
async fn a_database_of_another_lineage_is_published() {
    let app = TestApp::with(&Generator::new(63).reviews(100)).await;
    let other = TestApp::with(&Generator::new(64).reviews(150)).await;
    other
        .shell(
            "update review set text = text || ' of the other'; update review set author = 'Other'",
        )
        .await;
    let copy = app.folder().join("other.db");
    other.back_up(&copy);
    app.restore(&copy).await;
    assert_eq!(dataset(&app).await.2, dataset(&other).await.2);
    check_in_step(&app).await;
    app.shell("update review set author = 'On' where review_id = 'r-00007'")
        .await;
    check_in_step(&app).await;
}

#[tokio::test]
async fn two_services_on_one_file_agree_and_stop_publishing() {
    let app = TestApp::with(&Generator::new(65).reviews(120)).await;
    let other = service_on(&app.path(), links(), Hosts::default()).await;
    let before = versions(&app.path());
    for sql in [
        "update review set rating = 6 - rating",
        "delete from review where rating = 1",
        "update review set author = 'A'",
    ] {
        app.sql(sql);
        // The first service to look publishes; the other finds it published.
        other.drain().await.unwrap();
        app.drain().await;
        other.drain().await.unwrap();
        assert_same(
            &app.app().ctx.current.load(),
            &other.ctx.current.load(),
            sql,
        );
    }
    let after = versions(&app.path());
    assert_eq!(
        after[3],
        before[3] + 3,
        "the dataset has a version for each change"
    );
    let swaps = (
        *app.app().ctx.current.swaps().borrow(),
        *other.ctx.current.swaps().borrow(),
    );
    app.drain().await;
    other.drain().await.unwrap();
    assert_eq!(
        (
            *app.app().ctx.current.swaps().borrow(),
            *other.ctx.current.swaps().borrow()
        ),
        swaps
    );
    assert_eq!(versions(&app.path()), after);
}

#[tokio::test]
async fn services_with_different_base_urls_stop_publishing() {
    let app = TestApp::with(&Generator::new(66).reviews(60)).await;
    let other = service_on(
        &app.path(),
        "https://elsewhere.test".parse().unwrap(),
        Hosts::default(),
    )
    .await;
    for round in 0..3 {
        app.sql(&format!("update review set author = 'round {round}'"));
        for _ in 0..3 {
            app.drain().await;
            other.drain().await.unwrap();
        }
        let rested = versions(&app.path());
        for _ in 0..5 {
            app.drain().await;
            other.drain().await.unwrap();
        }
        assert_eq!(
            versions(&app.path()),
            rested,
            "versions rise although nothing changes"
        );
        let (one, two) = (app.app().ctx.current.load(), other.ctx.current.load());
        for document in Document::ALL {
            let (one, two) = (one.document(document), two.document(document));
            assert_eq!(
                one.publication.version, two.publication.version,
                "{document:?}: both services have the same version"
            );
        }
        let ours = String::from_utf8(bytes(&one, Document::Reviews)).unwrap();
        let theirs = String::from_utf8(bytes(&two, Document::Reviews)).unwrap();
        assert_eq!(
            theirs,
            ours.replace("https://reviews.sample.test", "https://elsewhere.test")
        );
    }
}

#[tokio::test]
async fn deleted_publication_rows_are_restored() {
    let app = TestApp::with(&Generator::new(67).reviews(40)).await;
    app.shell("update review set rating = 5; update review set author = 'B'")
        .await;
    let (before, seen) = (publications(&app.path()), dataset(&app).await);
    app.advance(chrono::Duration::hours(1));
    app.shell("delete from publication").await;
    assert_eq!(
        (publications(&app.path()), dataset(&app).await),
        (before.clone(), seen.clone())
    );
    app.shell("delete from publication where document = 'reviews'; update review set author = 'C'")
        .await;
    let after = versions(&app.path());
    assert_eq!(after[3], before[3].1 + 1);
    assert_ne!(dataset(&app).await.1, seen.1);
}

#[tokio::test]
async fn altered_publication_rows_never_lower_versions_or_dates() {
    let app = TestApp::with(&Generator::new(68).reviews(40)).await;
    app.shell("update review set rating = 5").await;
    app.shell("update review set author = 'B'").await;
    let (before, seen) = (versions(&app.path()), dataset(&app).await);
    for sql in [
        "update publication set version = 1",
        "update publication set changed_at = '2001-01-01T00:00:00.000Z'",
        "update publication set changed_at = 'nonsense'",
        "update publication set digest = 'nonsense'",
        "update publication set change_no = 0",
        "update publication set same_second = 1 - same_second",
    ] {
        app.shell(sql).await;
        assert_eq!(dataset(&app).await, seen, "{sql}");
        assert!(
            versions(&app.path())
                .iter()
                .zip(&before)
                .all(|(now, before)| now >= before),
            "{sql}"
        );
    }
    app.advance(chrono::Duration::seconds(10));
    app.shell("update review set author = 'C'").await;
    let now = dataset(&app).await;
    assert!(now.0 != seen.0 && now.1 != seen.1);
    check_in_step(&app).await;
}

#[tokio::test]
async fn subscribers_get_deletions_made_while_the_service_was_down() {
    let rig = PublisherRig::open().await;
    rig.write(&Generator::new(69).reviews(20)).await;
    rig.fresh().await;
    rig.run(
        "insert into subscription (document, callback, callback_key, host, state, lease_ends_at, delivered_version, created_at, updated_at)
           values ('reviews', 'https://sub.example/', 'https://sub.example/', 'sub.example', 'active', '2026-12-20T00:00:00.000Z', 9,
             '2026-11-20T00:00:00Z', '2026-11-20T00:00:00Z');
         delete from publication",
    )
    .await;
    let snapshot = rig.fresh().await;
    assert_eq!(
        snapshot.document(Document::Reviews).publication.version,
        10,
        "the subscriber has 9"
    );
    assert_eq!(
        snapshot.document(Document::Insights).publication.version,
        1,
        "no subscriber can have a version"
    );
    let row = rows(
        &rig.folder.path().join("reviews.db"),
        "select version from publication where document = 'reviews';",
    );
    assert_eq!(row[0]["version"], 10);
}
