//! The running worker: the sending process, wake-ups, and a busy database.

use std::time::Duration;

use chrono::TimeDelta;
use reviews_service::storage::{DELIVERY_LOCK, Database, has_sender, lock_beside};
use sqlx::Connection;

use super::{Hub, REVIEWS, insert};
use crate::support::Reply;

/// The limit of every wait; shorter than the hub's time limit for a callback.
const PATIENCE: Duration = Duration::from_secs(8);

async fn in_time<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(PATIENCE, what)
        .await
        .expect("it takes too long")
}

#[tokio::test]
async fn the_worker_wakes_when_work_becomes_due() {
    let hub = Hub::subscribed().await;
    hub.receiver.script([Reply::status(500)]);
    hub.change("c1").await;
    hub.app
        .serving(in_time(async {
            hub.app.advance(TimeDelta::seconds(660));
            hub.receiver.received(3).await;
        }))
        .await;
    assert_eq!(hub.field("failures"), "0");
}

#[test]
fn the_file_of_a_lock_goes_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let name = folder.path().join(format!("reviews.db{DELIVERY_LOCK}"));
    let first = lock_beside(&path, DELIVERY_LOCK).unwrap().unwrap();
    // As another process that opens the file just before it is removed, and locks it after that.
    let opened = std::fs::File::open(&name).unwrap();
    drop(first);
    assert!(!name.exists());
    let second = lock_beside(&path, DELIVERY_LOCK).unwrap().unwrap();
    opened.try_lock().unwrap();
    assert!(lock_beside(&path, DELIVERY_LOCK).unwrap().is_none());
    // One that a killed process left is used.
    std::mem::forget(second);
    opened.unlock().unwrap();
    std::fs::remove_file(&name).unwrap();
    std::fs::write(&name, "").unwrap();
    drop(lock_beside(&path, DELIVERY_LOCK).unwrap().unwrap());
    assert!(!name.exists());
}

#[tokio::test]
async fn a_process_whose_lock_file_somebody_removed_sends_no_longer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("reviews.db");
    let (first, _) = Database::open(&path).await.unwrap();
    let (second, _) = Database::open(&path).await.unwrap();
    assert!(first.take_lease(Duration::ZERO).await.unwrap());
    assert!(!second.take_lease(Duration::ZERO).await.unwrap());
    std::fs::remove_file(folder.path().join(format!("reviews.db{DELIVERY_LOCK}"))).unwrap();
    assert!(second.take_lease(Duration::ZERO).await.unwrap());
    assert!(!first.take_lease(Duration::ZERO).await.unwrap());
    assert!(!first.may_send());
}

#[tokio::test]
async fn rule_22_a_second_process_verifies_when_the_first_ends() {
    let hub = Hub::new().await;
    hub.app.database().give_up_lease().await.unwrap();
    let first = lock_beside(&hub.app.path(), DELIVERY_LOCK)
        .unwrap()
        .unwrap();
    // Only one sends, even with different names of the file.
    let link = hub.app.path().with_file_name("link.db");
    std::os::unix::fs::symlink(hub.app.path(), &link).unwrap();
    for name in [hub.app.path(), link] {
        assert!(has_sender(&name) && lock_beside(&name, DELIVERY_LOCK).unwrap().is_none());
    }
    hub.app
        .serving(in_time(async {
            hub.ask_for("/cb", &[]).await;
            assert_eq!(hub.app.get("/reviews.json").await.status, 200);
            hub.app.advance(TimeDelta::milliseconds(200));
            tokio::task::yield_now().await;
            assert_eq!(hub.receiver.connections(), 0, "another process sends");
            drop(first);
            while hub.receiver.connections() == 0 {
                hub.app.advance(TimeDelta::milliseconds(200));
                tokio::task::yield_now().await;
            }
            hub.receiver.received(1).await;
        }))
        .await;
    assert_eq!(hub.state(), "active");
}

#[tokio::test]
async fn results_wait_while_the_database_is_locked_and_none_is_lost() {
    let hub = Hub::subscribed().await;
    hub.app
        .serving(async {
            hub.publish(&insert("c1")).await;
            hub.receiver.received(2).await;
            // Results are recorded after 100 ms: if the database is not locked by then, they were recorded in time.
            let lock = hub.app.writer("begin immediate").await;
            let answer = hub
                .ask("subscribe", REVIEWS, &hub.receiver.url("/other"), &[])
                .await;
            let refused = (answer.status, answer.header("retry-after"));
            assert_eq!(refused, (503, "60"), "no write was possible for 5 s");
            lock.close().await.unwrap();
        })
        .await;
    assert_eq!(hub.summary(), "active, 1 GET, 1 POST, 0 failures");
    hub.walk(
        "
        select delivered_version = version from subscription join publication using (document) → 1
        ",
    )
    .await;
}
