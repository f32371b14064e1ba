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
async fn a_database_in_utf_16_is_refused_before_anything_is_written() {
    for encoding in ["UTF-16le", "UTF-16be"] {
        for sql in ["create table t (a)", "create table t (a); drop table t"] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("reviews.db");
            sqlite3(&path, &format!("pragma encoding = '{encoding}'; {sql}"));
            let is_it = |error: &DbError| matches!(error, DbError::Encoding { encoding: its, .. } if its == encoding);
            assert_untouched(&path, is_it, &format!("{encoding}: {sql}")).await;
        }
    }
}

#[tokio::test]
async fn an_interrupted_first_start_continues() {
    let folder = tempfile::tempdir().unwrap();
    let whole = folder.path().join("reviews.db");
    make(&whole).await;
    let schema = "select sql from sqlite_schema where name = '_sqlx_migrations'";
    let table = sqlite3(&whole, schema);
    // After this many migrations; the third one adds the marks of our databases.
    let files = migrations();
    for kept in [0, 1, 2] {
        let path = folder.path().join(format!("{kept}.db"));
        sqlite3(&path, &table);
        for file in &files[..kept] {
            let sql = fs::read_to_string(Path::new(MIGRATIONS).join(file)).unwrap();
            sqlite3(&path, &sql);
        }
        let whole = whole.display();
        let rows = format!(
            "attach '{whole}' as whole; insert into _sqlx_migrations select * from whole._sqlx_migrations where version <= {kept}"
        );
        sqlite3(&path, &rows);
        let (database, migrated) = Database::open(&path).await.unwrap();
        database.close().await;
        assert_eq!(migrated.applied.len(), files.len() - kept, "after {kept}");
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
