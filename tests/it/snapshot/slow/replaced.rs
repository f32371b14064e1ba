//! The database is replaced, another service publishes on it, or its publication rows are altered: versions and dates never
//! go back as long as the service or the database has them.

use super::*;

fn versions(path: &Path) -> Vec<i64> {
    let publications = publications(path).into_iter();
    publications.map(|(_, version, _)| version).collect()
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
    // The content at that time, except the date of change.
    let parts = |seen: &(String, String, Vec<u8>)| {
        let mut dataset: Value = serde_json::from_slice(&seen.2).unwrap();
        let updated = str_of(&dataset["updated_at"].take()).to_owned();
        (dataset, updated)
    };
    assert_eq!(parts(&restored).0, parts(&old).0);
    assert!(parts(&restored).1 > parts(&seen).1);
    let date = |seen: &(String, String, Vec<u8>)| DateTime::parse_from_rfc2822(&seen.1).unwrap();
    assert!(date(&restored) > date(&seen), "Last-Modified went back");
    // Subscribers have the versions before.
    for (before, after) in before.iter().zip(versions(&app.path())) {
        assert!(after > *before, "{before}; {after} would not be delivered");
    }
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
        app.drain().await;
        other.drain().await.unwrap();
        let (ours, theirs) = (app.app().ctx.current.load(), other.ctx.current.load());
        assert_same(&ours, &theirs, sql);
    }
    // The dataset has a version for each change.
    let after = versions(&app.path());
    assert_eq!(after[3], before[3] + 3);
    let swaps = || [&app.app().ctx, &other.ctx].map(|ctx| *ctx.current.swaps().borrow());
    let before = swaps();
    app.drain().await;
    other.drain().await.unwrap();
    let last = after[3];
    assert_eq!((swaps(), versions(&app.path())), (before, after));
    // The other one publishes when the first no longer does.
    app.database().give_up_lease().await.unwrap();
    app.sql("update review set author = 'B'");
    other.drain().await.unwrap();
    assert_eq!(versions(&app.path())[3], last + 1);
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
        "delete from publication",
        "delete from publication where document = 'reviews'",
    ] {
        app.shell(sql).await;
        assert_eq!(dataset(&app).await, seen, "{sql}");
        for (now, before) in versions(&app.path()).iter().zip(&before) {
            assert!(now >= before, "{sql}");
        }
    }
    app.advance(chrono::Duration::seconds(10));
    app.shell("update review set author = 'C'").await;
    let now = dataset(&app).await;
    assert!(now.0 != seen.0 && now.1 != seen.1);
    check_in_step(&app).await;
}
