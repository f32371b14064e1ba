//! A database with an older schema: writers migrate it; readers refuse it. One of a build before the first release is refused.

use super::*;

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
async fn an_older_database_is_migrated_and_read_after_that() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let migrations = make_older(&path).await;
    let error = Database::open_read_only(&path).await.unwrap_err();
    assert!(matches!(error, DbError::Older { .. }), "{error:?}");
    let (database, migrated) = Database::open(&path).await.unwrap();
    assert_eq!(migrated.applied.len(), 1);
    database.close().await;
    assert_eq!(applied(&path), migrations);
    let ids = "select group_concat(review_id) from (select review_id from review order by 1)";
    assert_eq!(sqlite3(&path, ids), "a,b");
    let (database, again) = Database::open(&path).await.unwrap();
    database.close().await;
    assert_eq!(again.applied, Vec::<String>::new());
}

/// `packaging/release` makes one file for each release, which is committed.
#[test]
fn databases_of_earlier_releases_are_migrated() {
    let releases = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/releases");
    for entry in fs::read_dir(releases).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "gz") {
            continue;
        }
        let home = Home::new();
        let mut file = fs::File::create(home.path()).unwrap();
        let packed = fs::File::open(&path).unwrap();
        io::copy(&mut GzDecoder::new(packed), &mut file).unwrap();
        home.run_ok(&["migrate"], "");
        home.run_ok(&["insights", "rebuild"], "reviews read");
        home.run_ok(&["check"], "ok ");
    }
}

#[tokio::test]
async fn a_database_of_an_earlier_build_is_refused_with_the_way() {
    let home = Home::new();
    let (database, _) = Database::open(&home.path()).await.unwrap();
    database.close().await;
    // Another history: the same numbers with other contents, and more of them.
    home.sql("update _sqlx_migrations set checksum = x'00';
         insert into _sqlx_migrations (version, description, success, checksum, execution_time) values (60, 'sync', 1, x'00', 0);
         pragma wal_checkpoint(truncate)");
    let before = fs::read(home.path()).unwrap();
    for command in [&["migrate"][..], &["list"], &["check"], &["serve"]] {
        let refused = home.run(command);
        assert_eq!(refused.code, Some(2), "{command:?}: {}", refused.err);
        for part in [
            "of an earlier build",
            "reviews export FILE",
            "reviews import FILE",
        ] {
            assert!(refused.err.contains(part), "{command:?}: {}", refused.err);
        }
    }
    assert!(
        fs::read(home.path()).unwrap() == before,
        "nothing was written"
    );
}
