//! `check` finds manual changes of the schema.

use super::*;

#[tokio::test]
async fn every_missing_or_changed_part_of_the_schema_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("whole.db");
    make(&whole).await;
    for [sql, fault] in table(
        "
        drop trigger review_updated → the trigger review_updated is missing
        drop trigger mention_deleted; create trigger mention_deleted after delete on mention begin select 1; end → the trigger mention_deleted differs from its definition
        drop index review_newest → the index review_newest is missing
        drop index review_newest; create index review_newest on review (author) → the index review_newest differs from its definition
        drop table intent; create table intent (subscription_id integer primary key) → the table intent differs from its definition
        alter table review add column mine text → the table review differs from its definition
        alter table review rename column title to headline → the table review differs from its definition
        drop view derived_mention → the view derived_mention is missing
        drop table review_fts → the table review_fts is missing
        drop table review_fts → the table review_fts_data is missing
        drop table review → the table review is missing
        drop table _sqlx_migrations → the table _sqlx_migrations is missing
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
        let verified = check(&path).await.wrong.join("\n");
        assert_has(&verified, &format!("schema: {fault}"));
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
