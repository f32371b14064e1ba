//! A database with an older schema: writers migrate it; readers refuse it. One of a build before the first release is refused.

use super::*;

/// Creates a database with two reviews and all migrations except the newest; returns the number of migrations.
async fn make_older(path: &Path) -> usize {
    let files = migrations();
    let folder = tempfile::tempdir().unwrap();
    for file in &files[..files.len() - 1] {
        fs::copy(Path::new(MIGRATIONS).join(file), folder.path().join(file)).unwrap();
    }
    let options = SqliteConnectOptions::new().filename(path);
    let options = options.create_if_missing(true);
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

#[tokio::test]
async fn an_older_database_is_migrated_and_read_after_that() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let migrations = make_older(&path).await;
    let error = Database::open_read_only(&path).await.unwrap_err();
    assert!(matches!(error, DbError::Older { .. }), "{error:?}");
    for applied in [1, 0] {
        let (database, migrated) = Database::open(&path).await.unwrap();
        assert_eq!(migrated.applied.len(), applied);
        database.close().await;
    }
    let ids = "select count(*) from _sqlx_migrations; select review_id from review order by 1";
    assert_eq!(sqlite3(&path, ids), format!("{migrations}\na\nb"));
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
        home.analyze();
        home.run_ok(&["check"], "ok ");
    }
}

#[tokio::test]
async fn a_database_of_another_build_is_refused_with_the_way() {
    let home = Home::new();
    let (database, _) = Database::open(&home.path()).await.unwrap();
    database.close().await;
    // Another history: the same numbers with other contents, and more of them.
    home.sql("update _sqlx_migrations set checksum = x'00';
         insert into _sqlx_migrations (version, description, success, checksum, execution_time) values (60, 'sync', 1, x'00', 0);
         pragma wal_checkpoint(truncate)");
    let before = fs::read(home.path()).unwrap();
    for command in ["migrate", "list", "check", "serve"] {
        let refused = home.run(command);
        assert_eq!(refused.code, Some(2), "{command}: {}", refused.err);
        for part in ["by another build", "delete the file", "`reviews seed`"] {
            assert_has(&refused.err, part);
        }
    }
    assert!(fs::read(home.path()).unwrap() == before);
}
