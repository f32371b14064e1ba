//! A database with an older schema: writers copy the file, then migrate it; readers refuse it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use reviews_service::storage::{Database, DbError};
use sqlx::SqlitePool;
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;

use crate::process::Home;
use crate::support::sqlite3;

/// Creates a database with two reviews and all migrations except the newest; returns the number of migrations.
async fn make_older(path: &Path) -> usize {
    let migrations = fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/migrations")).unwrap();
    let mut files: Vec<PathBuf> = migrations.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let folder = tempfile::tempdir().unwrap();
    for file in &files[..files.len() - 1] {
        fs::copy(file, folder.path().join(file.file_name().unwrap())).unwrap();
    }
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true);
    let pool = SqlitePool::connect_with(options).await.unwrap();
    let migrator = Migrator::new(folder.path()).await.unwrap();
    migrator.run(&pool).await.unwrap();
    pool.close().await;
    sqlite3(
        path,
        "insert into review (review_id, rating, reviewed_on, text) values ('a', 5, '2026-11-01', 'Good.'), ('b', 4, '2026-11-02', 'Fine.')",
    );
    files.len()
}

fn applied(path: &Path) -> usize {
    let count = sqlite3(path, "select count(*) from _sqlx_migrations");
    count.parse().unwrap()
}

#[tokio::test]
async fn an_older_database_is_copied_then_migrated() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let migrations = make_older(&path).await;
    let error = Database::open_read_only(&path).await.unwrap_err();
    assert!(matches!(error, DbError::Older { .. }), "{error:?}");
    let (database, migrated) = Database::open(&path).await.unwrap();
    assert_eq!(migrated.applied.len(), 1);
    assert_eq!(database.former().unwrap(), migrated.former.as_slice());
    database.close().await;
    assert_eq!(applied(&path), migrations);
    let kept = migrated.former.expect("a copy is kept");
    let name = kept.file_name().unwrap().to_str().unwrap();
    let prefix = concat!("reviews.db.before-upgrade-", env!("CARGO_PKG_VERSION"), "-");
    assert!(name.starts_with(prefix), "{name}");
    assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(applied(&kept), migrations - 1);
    for file in [&kept, &path] {
        assert_eq!(
            sqlite3(
                file,
                "select group_concat(review_id) from (select review_id from review order by 1)"
            ),
            "a,b"
        );
    }
    // Once per release, and not for a new file.
    let (database, again) = Database::open(&path).await.unwrap();
    database.close().await;
    assert_eq!((again.applied, again.former), (vec![], None));
    let (database, new) = Database::open(&folder.path().join("new.db")).await.unwrap();
    database.close().await;
    assert_eq!(new.former, None);
}

#[tokio::test]
async fn migrate_names_the_copy_and_delete_warns_about_it() {
    let home = Home::new();
    make_older(&home.path()).await;
    let migrated = home.run_ok(&["migrate"], "kept ");
    let kept = migrated.out.lines().find_map(|line| {
        line.strip_prefix("kept ")?
            .strip_suffix(", the previous database, for 30 days")
    });
    let kept = kept.unwrap_or_else(|| panic!("{}", migrated.out));
    let named = format!(
        "{kept} may still contain it; a running `reviews serve` removes that copy 30 days after it was made"
    );
    home.run_ok(&["delete", "a", "--yes"], &named);
    fs::remove_file(kept).unwrap();
    let deleted = home.run_ok(&["delete", "b", "--yes"], "deleted");
    assert!(
        !deleted.out.contains("may still contain"),
        "{}",
        deleted.out
    );
}
