//! Databases of earlier releases are migrated; one of another build is refused.

use super::*;

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
