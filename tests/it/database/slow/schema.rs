//! `check` finds manual changes of the schema.

use super::*;

#[tokio::test]
async fn every_missing_or_changed_part_of_the_schema_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.db");
    make(&whole).await;
    for [sql, fault] in table(
        "
        drop trigger review_updated → the trigger review_updated
        drop trigger mention_deleted; create trigger mention_deleted after delete on mention begin select 1; end → the trigger mention_deleted
        drop index review_newest → the index review_newest
        drop index review_newest; create index review_newest on review (author) → the index review_newest
        drop table intent; create table intent (subscription_id integer primary key) → the table intent
        alter table review add column mine text → the table review
        alter table review rename column title to headline → the table review
        drop view derived_mention → the view derived_mention
        drop table review_fts → the table review_fts
        drop table review_fts → the table review_fts_data
        drop table review → the table review
        drop table _sqlx_migrations → the table _sqlx_migrations
        ",
    ) {
        let path = folder.path().join("changed.db");
        fs::copy(&whole, &path).unwrap();
        sqlite3(&path, sql);
        if sql == "drop table _sqlx_migrations" {
            // Without it, the file cannot be recognised as ours, nor its version.
            assert!(Database::open_read_only(&path).await.is_err());
            continue;
        }
        let readers = Database::open_read_only(&path).await.unwrap();
        let verified = verify(&mut readers.acquire().await.unwrap(), &path).await;
        readers.close().await;
        let error = verified.unwrap_err().to_string();
        assert!(error.contains("missing or changed") && error.contains(fault), "{error}");
    }
}

#[tokio::test]
async fn tables_and_views_of_the_owner_are_not_faults() {
    let app = TestApp::with(&Generator::new(78).reviews(10)).await;
    app.sql(
        "create table mine (a); create view best as select * from review where rating = 5; create index by_author on review (author);
         analyze",
    );
    let verified = check(&app.path()).await;
    assert_eq!((verified.wrong, verified.reviews), (vec![], 10));
}
