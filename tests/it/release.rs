//! Upgrading the database of an earlier release keeps its content. Release 1.0.0 wrote the file
//! (`tests/fixtures/make-release-1.0.0`): the sample business with foreign edits, decisions and subscriptions.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use flate2::read::GzDecoder;
use reviews_service::clock::Clock;
use reviews_service::storage::{Database, verify};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::Home;
use crate::support::{
    BASE, FakeDns, MakeHub, Receiver, Reply, TestApp, publications, rows, sqlite3,
};

/// The tables that an upgrade must keep, with an order of their rows. Derived tables are created again.
const TABLES: [(&str, &str); 16] = [
    ("review", "review_id"),
    ("mention", "review_id, kind, value"),
    ("review_change", "review_no"),
    ("business", "only_row"),
    ("service", "service_id"),
    ("technician", "technician_id"),
    ("service_area", "name"),
    ("editorial_summary", "only_row"),
    ("editorial_faq", "faq_id"),
    ("lineage", "only_row"),
    ("publication", "document"),
    ("subscription", "subscription_id"),
    ("intent", "subscription_id"),
    ("attempt", "attempt_id"),
    ("fan_out", "document, version"),
    ("mcp_key", "only_row"),
];
/// The newest migration of release 1.0.0.
const NEWEST: usize = 7;

/// The unpacked file in a temporary folder.
fn unpacked() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let packed = File::open(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/fixtures/release-1.0.0.db.gz"
    ))
    .unwrap();
    io::copy(
        &mut GzDecoder::new(packed),
        &mut File::create(&path).unwrap(),
    )
    .unwrap();
    (folder, path)
}

fn content(path: &Path) -> BTreeMap<&'static str, Vec<Value>> {
    TABLES
        .iter()
        .map(|(table, order)| {
            (
                *table,
                rows(path, &format!("select * from {table} order by {order}")),
            )
        })
        .collect()
}

#[tokio::test]
async fn a_file_of_an_earlier_release_is_copied_before_it_is_migrated() {
    let (folder, path) = unpacked();
    let before = content(&path);
    let (database, migrated) = Database::open(&path).await.unwrap();
    assert_eq!(database.former().unwrap(), migrated.former.as_slice());
    database.close().await;
    let kept = migrated.former.expect("a copy is kept");
    let name = kept.file_name().unwrap().to_str().unwrap();
    let prefix = concat!("reviews.db.before-upgrade-", env!("CARGO_PKG_VERSION"), "-");
    assert!(name.starts_with(prefix), "{name}");
    assert_eq!(kept.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(content(&kept), before);
    let applied = rows(&kept, "select version from _sqlx_migrations");
    assert_eq!(applied.len(), NEWEST, "it is not migrated");
    // Once per release, and not for a new file.
    let (database, again) = Database::open(&path).await.unwrap();
    database.close().await;
    assert_eq!((again.applied, again.former), (vec![], None));
    let (database, new) = Database::open(&folder.path().join("new.db")).await.unwrap();
    database.close().await;
    assert_eq!(new.former, None);
}

#[test]
fn migrate_names_the_copy_and_delete_warns_about_it() {
    let (folder, _) = unpacked();
    let home = Home(folder);
    let migrated = home.run(&["migrate"]);
    assert_eq!(migrated.code, Some(0), "{}", migrated.err);
    let kept = migrated.out.lines().find_map(|line| {
        line.strip_prefix("kept ")?
            .strip_suffix(", the previous database, for 30 days")
    });
    let kept = kept.unwrap_or_else(|| panic!("{}", migrated.out));
    assert!(Path::new(kept).exists(), "{kept}");
    let newest = rows(
        &home.path(),
        "select review_id from review order by review_id limit 1",
    );
    let id = newest[0]["review_id"].as_str().unwrap();
    let deleted = home.run(&["delete", id, "--yes"]);
    assert_eq!(deleted.code, Some(0), "{}", deleted.err);
    let named = format!(
        "{kept} may still contain it; a running `reviews serve` removes that copy 30 days after it was made"
    );
    assert!(deleted.out.contains(&named), "{}", deleted.out);
    fs::remove_file(kept).unwrap();
    let next = rows(
        &home.path(),
        "select review_id from review order by review_id limit 1",
    );
    let id = next[0]["review_id"].as_str().unwrap();
    let deleted = home.run(&["delete", id, "--yes"]);
    assert!(
        !deleted.out.contains("may still contain"),
        "{}",
        deleted.out
    );
}

/// Half an hour after the file was written.
fn later() -> DateTime<Utc> {
    "2026-11-20T14:00:00Z".parse().unwrap()
}

/// The service on that file; no name resolves.
async fn service(folder: TempDir) -> TestApp {
    TestApp::start(
        folder,
        Clock::manual(later()),
        MakeHub::opened(&[], FakeDns::default()),
    )
    .await
}

#[tokio::test]
async fn every_row_of_release_1_0_0_is_kept() {
    let (_folder, path) = unpacked();
    let before = content(&path);
    let counts: Vec<usize> = TABLES
        .iter()
        .map(|(table, _)| before[table].len())
        .collect();
    assert!(
        counts.iter().all(|count| *count > 0),
        "the fixture is empty: {counts:?}"
    );
    assert_eq!(
        (before["review"].len(), before["review_change"].len()),
        (264, 266),
        "one deleted, one by hand, one moved"
    );
    let (database, migrated) = Database::open(&path).await.unwrap();
    database.close().await;
    assert_eq!(
        migrated.applied.len(),
        migrated.total - NEWEST,
        "{migrated:?}"
    );
    let after = content(&path);
    for (table, rows) in before {
        assert_eq!(after[table].len(), rows.len(), "{table}");
        for (row, now) in rows.iter().zip(&after[table]) {
            for (column, value) in row.as_object().unwrap() {
                assert_eq!(&now[column], value, "{table}.{column} of {row}");
            }
        }
    }
}

#[tokio::test]
async fn decisions_made_in_release_1_0_0_hold_in_every_document() {
    let (folder, path) = unpacked();
    let order = "select review_id from review where status = 'published' order by reviewed_on desc, review_id";
    let (published, said) = (sqlite3(&path, order), publications(&path));
    let app = service(folder).await;
    assert_eq!(app.get("/reviews.json").await.ids().join("\n"), published);
    let dataset = app.get("/reviews.json").await.json();
    let disputed = sqlite3(
        &path,
        "select count(*) from review where withheld_reason = 'under dispute'",
    );
    assert_eq!(
        dataset["withheld"]["reasons"]["under dispute"].to_string(),
        disputed
    );
    for gone in ["r-1097", "r-1127", "r-1143"] {
        assert_eq!(
            app.get(&format!("/api/reviews/{gone}")).await.status,
            404,
            "{gone}"
        );
    }
    let review = async |id: &str| app.get(&format!("/api/reviews/{id}")).await.json();
    assert!(
        review("r-1150").await["text"]
            .as_str()
            .unwrap()
            .ends_with("(Corrected on request.)")
    );
    let response = json!({"text": "Thank you. We have spoken since.", "date": "2026-11-19", "author": "The owner"});
    assert_eq!(review("r-1106").await["response"], response);
    assert_eq!(
        review("by-hand").await["mentions"]["services"],
        json!(["water-heater"])
    );
    assert_eq!(
        review("r-1143-moved").await["url"],
        format!("{BASE}/reviews/r-1143-moved")
    );
    let faq = app.get("/insights.json").await.json()["faq"].to_string();
    assert!(faq.contains("Ask for Curtis."), "{faq}");
    for ((document, before, _), (_, now, _)) in said.iter().zip(publications(&path)) {
        assert!(now >= *before, "{document}: version {now} after {before}");
    }
    let readers = Database::open_read_only(&path).await.unwrap();
    let verified = verify(&mut readers.acquire().await.unwrap()).await.unwrap();
    readers.close().await;
    assert_eq!((verified.wrong, verified.behind), (vec![], vec![]));
}

#[tokio::test]
async fn subscribers_of_release_1_0_0_miss_nothing() {
    let (folder, path) = unpacked();
    let receiver = Receiver::start().await;
    receiver.always(Reply::Challenge);
    // The same rows with callbacks on this machine.
    for (id, target) in [(1, receiver.url("/active")), (2, receiver.url("/pending"))] {
        let place = format!("callback = '{target}' where subscription_id = {id}");
        sqlite3(
            &path,
            &format!(
                "update subscription set callback_key = '{target}', host = '127.0.0.1', {place}; update intent set {place}"
            ),
        );
    }
    let app = service(folder).await;
    let requests = receiver.requests();
    // The dataset states another date of change than in that release, so its version is newer than that of the pending
    // subscriber.
    let [delivery, newer] = &requests
        .iter()
        .filter(|request| request.method == "POST")
        .collect::<Vec<_>>()[..]
    else {
        panic!("one delivery of each document that is newer than what they have: {requests:?}")
    };
    assert_eq!(newer.target, "/pending");
    assert_eq!(newer.body, app.get("/reviews.json").await.body);
    assert_eq!(delivery.target, "/active");
    assert!(
        delivery.field("x-hub-signature").starts_with("sha256="),
        "its secret is kept"
    );
    assert_eq!(delivery.body, app.get("/api/feed.json").await.body);
    let query = "select s.state, s.secret, s.failures, s.delivered_version = p.version as is_level, s.lease_ends_at as ends
                 from subscription as s join publication as p using (document) order by subscription_id";
    let now = rows(&path, query);
    let active = json!({
        "state": "active", "secret": "kept across releases", "failures": 0, "is_level": 1, "ends": "2027-02-18T12:00:00.000Z"
    });
    let verified = json!({
        "state": "active", "secret": "not verified yet", "failures": 0, "is_level": 1, "ends": "2026-11-30T14:00:00.000Z"
    });
    assert_eq!(now, [active, verified]);
}

#[test]
fn stored_analyses_are_kept_when_their_table_gets_rowids() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let migrations = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");
    let mut files: Vec<PathBuf> = fs::read_dir(migrations)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let (before, after): (Vec<_>, Vec<_>) = files
        .into_iter()
        .partition(|file| file.file_name().unwrap() < "0028");
    let run = |files: &[PathBuf]| {
        for file in files {
            sqlite3(&path, &fs::read_to_string(file).unwrap());
        }
    };
    run(&before);
    let stored = "select review_id, text_hash, method_hash, names, hex(note) from derived_index order by review_id";
    sqlite3(
        &path,
        "insert into derived_index values ('b', 't2', 'm', '[[\"service\",\"drains\"]]', x'0203'), ('a', 't1', 'm', '[]', x'')",
    );
    let kept = rows(&path, stored);
    assert_eq!(kept.len(), 2);
    run(&after);
    assert_eq!(rows(&path, stored), kept);
    let rowids = "select count(rowid) as rows from derived_index";
    assert_eq!(rows(&path, rowids), [json!({"rows": 2})]);
}
