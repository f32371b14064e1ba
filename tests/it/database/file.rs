//! Opening a file: it is created, migrated, or refused without a change.

use super::*;

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn only_the_owner_can_read_a_new_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let open = Database::open(&path).await;
    for name in ["reviews.db", "reviews.db-wal", "reviews.db-shm"] {
        assert_eq!(mode(&folder.path().join(name)), 0o600, "{name}");
    }
    open.unwrap().0.close().await;
    assert_eq!(names(folder.path()), ["reviews.db"], "it is one file");
    // The mode of an existing file is kept.
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    make(&path).await;
    assert_eq!(mode(&path), 0o640);
}

#[tokio::test]
async fn a_folder_or_a_file_of_another_format_is_no_database() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("letter.txt");
    let letter = "Dear customer, ".repeat(1_000);
    fs::write(&path, &letter).unwrap();
    for path in [folder.path(), &path] {
        for error in faults(path).await {
            assert!(matches!(error, DbError::NotADatabase(_)), "{error:?}");
            assert_has(&error.to_string(), &path.display().to_string());
        }
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), letter);
    assert_eq!(names(folder.path()), ["letter.txt"]);
}

/// Overwrites bytes of the file.
fn overwrite(path: &Path, range: std::ops::Range<usize>) {
    let mut bytes = fs::read(path).unwrap();
    bytes[range].iter_mut().for_each(|byte| *byte = 0x5a);
    fs::write(path, bytes).unwrap();
}

#[tokio::test]
async fn a_damaged_database_is_reported() {
    let app = TestApp::with(&Generator::new(72).reviews(100)).await;
    let copy = app.folder().join("copy.db");
    app.back_up(&copy);
    let whole = fs::read(&copy).unwrap();
    // The first page after the file's header: the list of tables.
    overwrite(&copy, 100..400);
    for error in faults(&copy).await {
        assert!(matches!(error, DbError::Damaged { .. }), "{error:?}");
        assert_has(&error.to_string(), ".dump | sed 's/^ROLLBACK");
    }
    // Pages behind the schema: the file opens, and `verify` finds the fault or reports that it cannot continue.
    fs::write(&copy, &whole).unwrap();
    let at = whole.len() / 4 * 3;
    overwrite(&copy, at..at + 8_192);
    let readers = Database::open_read_only(&copy).await.unwrap();
    match verify(&mut readers.acquire().await.unwrap(), &copy).await {
        Ok(verified) => assert_ne!(verified.wrong, [""; 0]),
        Err(error) => assert!(matches!(error, DbError::Damaged { .. }), "{error:?}"),
    }
}

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
async fn a_database_of_another_release_is_refused_and_not_changed() {
    // Of a newer one, and another history: the same numbers with other contents.
    for [sql, advice] in table(
        "
        insert into _sqlx_migrations (version, description, success, checksum, execution_time) values (9999, 'later', 1, x'00', 0) → use the newer release
        update _sqlx_migrations set checksum = x'00'; pragma wal_checkpoint(truncate) → another program or build
        ",
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("reviews.db");
        make(&path).await;
        sqlite3(&path, sql);
        let before = fs::read(&path).unwrap();
        for error in faults(&path).await {
            assert_has(&error.to_string(), advice);
        }
        assert!(fs::read(&path).unwrap() == before, "{sql}");
    }
}

/// Other programs' databases.
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

#[tokio::test]
async fn a_database_of_another_program_is_refused_and_not_changed() {
    for sql in FOREIGN {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("other.db");
        sqlite3(&path, sql);
        assert_untouched(&path, |error| matches!(error, DbError::NotOurs(_)), sql).await;
    }
}
