//! Other programs' files are refused; they and their folders stay the same, byte for byte.

use super::*;

/// Other programs' databases: their content, and whether it distinguishes them from ours.
const FOREIGN: [&str; 7] = [
    "create table t (a)",
    "create table review (review_id, rating, text); insert into review values (1, 2, 'three')",
    "create view v as select 1",
    "pragma journal_mode = wal; create table t (a)",
    // Another program whose migrations sqlx applies.
    "create table _sqlx_migrations (version bigint primary key, description text not null, installed_on timestamp, success boolean,
       checksum blob not null, execution_time bigint not null);
     insert into _sqlx_migrations values (1, 'theirs', null, 1, x'0123', 0); create table t (a)",
    "create table _sqlx_migrations (a); create table t (a)",
    "create table lineage (a); create table t (a)",
];

/// Asserts that opening the file, for writing or reading, fails and changes nothing in its folder.
async fn assert_untouched(path: &Path, is_it: impl Fn(&DbError) -> bool, what: &str) {
    let folder = path.parent().unwrap();
    let state = || {
        let all = names(folder).into_iter();
        all.map(|name| (fs::read(folder.join(&name)).unwrap(), name))
            .collect::<Vec<_>>()
    };
    let before = state();
    for error in faults(path).await {
        assert!(is_it(&error), "{what}: {error:?}");
        assert_has(&error.to_string(), path.to_str().unwrap());
    }
    assert!(state() == before, "{what}: {:?}", names(folder));
}

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_not_changed() {
    for sql in FOREIGN {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.db");
        sqlite3(&path, sql);
        assert_untouched(&path, |error| matches!(error, DbError::NotOurs(_)), sql).await;
    }
}

#[tokio::test]
async fn an_empty_file_becomes_a_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    for sql in [
        "",
        "pragma user_version = 7",
        "create table t (a); drop table t",
        "pragma journal_mode = wal",
    ] {
        fs::write(&path, "").unwrap();
        sqlite3(&path, sql);
        make(&path).await;
        let lineages = sqlite3(&path, "select count(lineage_id) from instance");
        assert_eq!(lineages, "1", "{sql}");
        fs::remove_file(&path).unwrap();
    }
}
